//! Who and what a run was started by.

use crate::TraceContext;

/// What starts runs over the network.
pub const BY_REST: &str = "rest";

/// Who and what a run was started by. It is kept with the run, and in parts in its events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunOrigin {
    /// `None` = a person on this machine; else `rest`, `webhook`, `schedule`.
    pub started_by: Option<String>,
    /// Who: `user:…`, `token:…`; `None` where nobody is known.
    pub person: Option<String>,
    /// The access token that was used, by its name.
    pub token: Option<String>,
    /// The workspace that the run belongs to; known when it is created.
    pub workspace: Option<String>,
    /// Token of the client, repeated in every event.
    pub client_run_token: Option<String>,
    /// The trace of the caller, which the spans of the run continue.
    pub trace: Option<TraceContext>,
    /// A try of somebody who builds: with faults, with pinned outputs, stopped, or of a part. It does not count in the health of
    /// the workflow.
    pub trial: bool,
}
