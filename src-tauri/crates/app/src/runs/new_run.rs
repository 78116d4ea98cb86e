//! What a run starts with.

use crate::dto::FaultSpecs;
use crate::runs::start_key::StartKey;
use serde_json::Value;
use signalbox_model::debug::Breakpoint;
use signalbox_model::{Map, RunOrigin};

/// What a run starts with.
#[derive(Debug, Clone, Default)]
pub struct NewRun {
    /// The run's input.
    pub params: Map,
    /// Initial context values besides the file's.
    pub context: Map,
    /// Who and what starts it.
    pub origin: RunOrigin,
    /// Before which calls it stops.
    pub breakpoints: Vec<Breakpoint>,
    /// It stops before its first call.
    pub paused: bool,
    /// It ends after this step (ADR 75).
    pub until: Option<String>,
    /// It begins at a checkpoint of another program (K-30); `params` and `context` then change what that says.
    pub checkpoint: Option<Value>,
    /// What else is changed of the checkpoint: `$name` is a variable, `_name` a local one, `name` a param.
    pub overrides: Map,
    /// The pinned outputs beside the file are used (ADR 102). Never for runs that triggers, schedules and programs start.
    pub pinned: bool,
    /// Faults of steps for this run (ADR 144). Never for runs that triggers, schedules and programs start.
    pub faults: FaultSpecs,
    /// With it the run is started once, however often the same start is sent.
    pub key: Option<StartKey>,
}

impl NewRun {
    /// Whether only who makes workflows may start it: it stops for somebody who looks into it, begins in the middle or
    /// ends there.
    pub fn is_for_builders(&self) -> bool {
        self.is_trial() || self.checkpoint.is_some()
    }

    /// A try that says nothing about how the workflow does.
    pub(crate) fn is_trial(&self) -> bool {
        self.pinned || self.paused || !self.faults.is_empty() || !self.breakpoints.is_empty() || self.until.is_some()
    }
}
