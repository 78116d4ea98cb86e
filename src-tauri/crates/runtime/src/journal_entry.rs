//! What a journal of a run keeps: where it begins, and its entries, as text.

use crate::error::Error;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_engine::effect::{CallKey, CallOutput, Timer};
use signalbox_model::time::Millis;
use signalbox_model::{CallProgress, DurableInput, NodeFailure, RunStatus, data};

/// One input of a run, as a journal keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JournalInput {
    /// A call ended.
    Finished { key: CallKey, results: Vec<(usize, Result<CallOutput, NodeFailure>)>, now: Millis },
    /// A call under way tells something.
    Said { key: CallKey, said: Vec<CallProgress>, now: Millis },
    /// A timer is due.
    Due { timer: Timer, now: Millis },
    /// What somebody asked of the run, with its number in the store.
    Asked { id: i64, body: DurableInput, now: Millis },
    /// Calls were cut off.
    Resumed { now: Millis },
}

/// What a journal begins with: where the run stood, and what comes first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beginning {
    /// The last event before it.
    pub(crate) seq: u64,
    pub(crate) now: Millis,
    pub(crate) first: First,
}

/// The first input after [`Beginning::seq`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum First {
    /// The run begins, or ends before it has begun, because it was cancelled by these inputs.
    Start { start: Value, seed: u64, cancelled: Vec<i64> },
    /// It goes on: what was asked that must come before anything is done again, and then the take-over.
    Resume { asked: JournalEntry },
}

/// One entry of a journal: inputs in their order; none is an entry, too.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JournalEntry(pub(crate) Vec<JournalInput>);

impl JournalEntry {
    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As JSON text, which a journal keeps.
    pub fn text(&self) -> Result<String, Error> {
        written(self)
    }

    /// Reads [`Self::text`].
    pub fn of_text(text: &str) -> Result<Self, Error> {
        read(text)
    }
}

impl Beginning {
    /// As JSON text, which a journal keeps; that of a run that has ended says so.
    pub fn text(beginning: Option<&Self>) -> Result<String, Error> {
        written(&beginning)
    }

    /// Reads [`Self::text`].
    pub fn of_text(text: &str) -> Result<Option<Self>, Error> {
        read(text)
    }
}

fn written<T: Serialize>(value: &T) -> Result<String, Error> {
    data::write(value).map_err(|error| Error::Journal { reason: error.to_string() })
}

/// What this program has written, however deep it is and however long.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let read = || {
        let mut reader = serde_json::Deserializer::from_str(text);
        reader.disable_recursion_limit();
        T::deserialize(&mut reader)
    };
    let found = if text.len() < data::TEXT_FROM { read() } else { data::as_text(read) };
    found.map_err(|error| Error::Journal { reason: error.to_string() })
}

/// What a run needs next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextEntry {
    /// The run has ended; there is no next entry.
    Ended(RunStatus),
    /// Calls are under way: [`crate::JournaledRun::carry_out`] makes the next entry, which has this name.
    Calls {
        /// `seq:node`, the same whenever the run is here.
        name: String,
    },
    /// Nothing is under way. The next entry is [`crate::JournaledRun::asked`] or, after `due_ms`, [`crate::JournaledRun::due`].
    Rests {
        /// `seq:inputs`, the same whenever the run is here.
        name: String,
        /// When the next timer is due, milliseconds since 1970.
        due_ms: Option<i64>,
    },
    /// The store has an answer that what is in the journal contradicts: nothing of it is written, and another journal goes on.
    Overtaken,
}
