//! JavaScript that an author wrote into a step, run apart from this program.

use async_trait::async_trait;
use serde_json::Value;
use signalbox_model::{Data, Items};
use std::sync::Arc;
use std::time::Duration;

/// A script and what it sees.
#[derive(Debug, Clone)]
pub struct ScriptCall {
    /// The body of a function; `return` gives the result.
    pub source: String,
    /// Names that are bound in it.
    pub bound: Vec<(&'static str, Bound)>,
    /// Time limit.
    pub timeout: Duration,
    /// Memory that it may use, MiB.
    pub memory_mb: u32,
    /// The time and the random numbers that it sees. None: those of the machine.
    pub fixed: Option<FixedClock>,
}

/// A time that stands still, and random numbers that are the same each time: for tests of workflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedClock {
    /// Milliseconds since 1970.
    pub now_ms: i64,
    /// What the random numbers are computed from.
    pub seed: u64,
}

/// What a name is bound to. What is text is sent as it stands: as values it would take ten times as much.
#[derive(Debug, Clone)]
pub enum Bound {
    /// One value.
    One(Data),
    /// A list of these.
    List(Arc<Vec<Data>>),
    /// The data of a list of items, read where it lies.
    Items(Arc<Items>),
}

impl Bound {
    /// Bytes of what is text; nothing is known of values.
    pub fn length(&self) -> usize {
        match self {
            Self::One(data) => data.length(),
            Self::List(list) => list.iter().map(Data::length).sum(),
            Self::Items(items) => items.weight(|_| 0),
        }
    }
}

impl From<Arc<Value>> for Bound {
    fn from(value: Arc<Value>) -> Self {
        Self::One(value.into())
    }
}

/// What it gave.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptAnswer {
    /// The returned value; null when it returned nothing. A large one is text.
    pub value: Data,
    /// Lines of `console`.
    pub printed: Vec<String>,
}

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptFault {
    /// It is no JavaScript.
    Syntax,
    /// It threw.
    Thrown,
    /// It waits for something that cannot come.
    Waits,
    /// It was not done in time.
    Timeout,
    /// It wanted more memory than it may have.
    Memory,
    /// Its result is nothing that JSON can say.
    NotJson,
    /// The process that ran it ended, or could not be started.
    Crashed,
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFailure {
    /// What.
    pub fault: ScriptFault,
    /// Plain words; what the script threw.
    pub message: String,
    /// Line of the source, from 1.
    pub line: Option<u32>,
    /// Lines of `console` until then.
    pub printed: Vec<String>,
}

/// Runs scripts without access to anything.
#[async_trait]
pub trait Scripts: Send + Sync {
    /// Runs one. Dropping the future ends it.
    async fn run(&self, call: ScriptCall) -> Result<ScriptAnswer, ScriptFailure>;
}

/// Where no scripts run.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoScripts;

#[async_trait]
impl Scripts for NoScripts {
    async fn run(&self, _call: ScriptCall) -> Result<ScriptAnswer, ScriptFailure> {
        let message = "Scripts cannot be run here".into();
        Err(ScriptFailure { fault: ScriptFault::Crashed, message, line: None, printed: Vec::new() })
    }
}
