//! What a person who looks into a run wants of it (ADR 33). A run that nobody looks into has none of this.

use serde::{Deserialize, Serialize};
use signalbox_model::{
    Origin, RunEvent,
    debug::{Breakpoint, Stopped},
};

/// Breakpoints, the stop, and how far the run may go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Debug {
    pub(crate) breakpoints: Vec<Breakpoint>,
    /// Nothing begins.
    pub(crate) stopped: Option<Stopped>,
    pub(crate) pace: Pace,
    /// Calls that the run stopped at and that have not begun; the last one is where it stands.
    pub(crate) met: Vec<Met>,
}

/// How far a run may go before it stops.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pace {
    /// To the next breakpoint.
    #[default]
    Free,
    /// One more call may begin.
    One,
    /// It has begun.
    None,
}

/// A call by what its events say of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Met {
    pub(crate) step: String,
    pub(crate) path: Option<String>,
    pub(crate) item: Option<usize>,
    pub(crate) visit: Option<u32>,
    pub(crate) attempt: Option<u32>,
    pub(crate) origin: Option<Origin>,
}

impl Met {
    /// The call that an event stands on.
    pub(crate) fn of(event: &RunEvent) -> Option<Self> {
        Some(Self {
            step: event.step_id.clone()?,
            path: event.path.clone(),
            item: event.item,
            visit: event.visit,
            attempt: event.attempt,
            origin: event.body.origin().cloned(),
        })
    }
}
