//! What can happen to a run. Time, ids and the seed arrive here and nowhere else.

use crate::effect::{CallKey, CallOutput, Timer};
use crate::rerun::Rerun;
use serde_json::Value;
use signalbox_model::debug::{DebugRequest, DebugStart};
use signalbox_model::{CallProgress, Map, NodeFailure, task::Answer, time::Millis};
use std::sync::Arc;

/// One input of [`crate::step`].
#[derive(Debug, Clone)]
pub enum Input {
    /// The run begins.
    Start {
        /// The run's input, address of the demo service filled in.
        params: Arc<Value>,
        /// Initial context values besides the file's (`--set '$name=…'`).
        context: Map,
        /// From which every delay is computed.
        seed: u64,
        /// `None` = a person on this machine; else `rest`, `webhook`, `schedule`.
        started_by: Option<String>,
        /// Somebody looks into it from the beginning on.
        debug: Option<DebugStart>,
        /// Step that it ends after, checked by [`crate::until::check`].
        until: Option<String>,
        /// Time.
        now: Millis,
    },
    /// The run ends before it has begun: it was cancelled while it waited for its turn.
    NeverBegun {
        /// The run's input.
        params: Arc<Value>,
        /// Initial context values besides the file's.
        context: Map,
        /// As of [`Input::Start`].
        seed: u64,
        /// As of [`Input::Start`].
        started_by: Option<String>,
        /// Time.
        now: Millis,
    },
    /// The run begins at a step of another one.
    Rerun {
        /// What it has of it.
        rerun: Box<Rerun>,
        /// From which every delay is computed.
        seed: u64,
        /// `None` = a person on this machine; else `rest`.
        started_by: Option<String>,
        /// Somebody looks into it from the beginning on.
        debug: Option<DebugStart>,
        /// Time.
        now: Millis,
    },
    /// A call ended.
    NodeFinished {
        /// Which.
        key: CallKey,
        /// Per slot: (item index, outcome), in slot order.
        results: Vec<(usize, Result<CallOutput, NodeFailure>)>,
        /// Time.
        now: Millis,
    },
    /// A call under way tells something. It is of no use when the call has ended.
    CallSaid {
        /// Which.
        key: CallKey,
        /// In order.
        said: Vec<CallProgress>,
        /// Time.
        now: Millis,
    },
    /// A timer is due.
    TimerFired {
        /// Which.
        timer: Timer,
        /// Time.
        now: Millis,
    },
    /// Somebody asks to cancel.
    Cancel {
        /// The re-run that takes its place.
        superseded_by: Option<String>,
        /// Time.
        now: Millis,
    },
    /// A person answered a task; the answer was checked and kept before.
    Decision {
        /// The task.
        task_id: String,
        /// The answer.
        answer: Answer,
        /// The request that brought it.
        request_id: Option<String>,
        /// Time.
        now: Millis,
    },
    /// A person says that a task waits for somebody else, or that it does no more; kept before.
    Hold {
        /// The task.
        task_id: String,
        /// It waits.
        held: bool,
        /// Who: `user:…`.
        operator_id: String,
        /// When they said so; the run may hear of it later.
        at: Millis,
        /// Time.
        now: Millis,
    },
    /// Somebody who looks into the run stops it, lets it go on, or changes what waits; kept before.
    Debug {
        /// What.
        request: DebugRequest,
        /// Who: `user:…`.
        operator_id: Option<String>,
        /// Time.
        now: Millis,
    },
    /// The run is taken up again after a crash or a shutdown.
    Resume {
        /// Time.
        now: Millis,
    },
}
