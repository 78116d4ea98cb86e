//! Starts that a caller names by a key: the same start sent again gives the same run, for a day (ADR 86).

use crate::app::App;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult};
use crate::runs::new_run::NewRun;
use serde_json::{Value, json};
use signalbox_model::hash::sha256_hex;
use signalbox_runtime::StartOutcome;
use signalbox_store::RunKey;

/// Longest key, in characters.
const LONGEST: usize = 255;

/// A key and whose it is. Keys of different callers, and of the terminal and REST, never meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartKey {
    scope: String,
    key: String,
}

impl StartKey {
    /// A key as a caller sent it.
    pub fn new(caller: &Caller, key: &str) -> ApiResult<Self> {
        let hint = format!("Choose 1 to {LONGEST} visible ASCII characters, for example a UUID.");
        let refused = |why: String| Err(ApiError::bad_request(format!("The idempotency key {why}."), hint.as_str()));
        if key.is_empty() {
            return refused("is empty".to_owned());
        }
        if let Some(other) = key.chars().find(|letter| !letter.is_ascii_graphic()) {
            return refused(format!("holds {other:?}, which is no visible ASCII character"));
        }
        if key.len() > LONGEST {
            return refused(format!("has {} characters; at most {LONGEST} are taken", key.len()));
        }
        let mut scope = format!("{} {}", caller.via.as_str(), caller.principal);
        if let Some(token) = caller.token.as_ref().filter(|_| caller.is_limited()) {
            // What the person has started elsewhere is not for a token that is limited to workspaces.
            scope.push_str(&format!(" by {token}"));
        }
        Ok(Self { scope, key: key.to_owned() })
    }
}

impl NewRun {
    /// The key with a hash of everything that decides what is started: `workflow` is what the caller named or sent. The token
    /// of the client is no part of it: a client that sends a start again may have made a new one.
    pub(crate) fn run_key(&self, workflow: &Value) -> Option<RunKey> {
        let StartKey { scope, key } = self.key.clone()?;
        let mut request = json!({
            "workflow": workflow, "params": self.params, "context": self.context, "breakpoints": self.breakpoints,
            "paused": self.paused, "until": self.until, "checkpoint": self.checkpoint, "overrides": self.overrides,
        });
        if self.pinned {
            request["pinned"] = true.into();
        }
        if !self.faults.is_empty() {
            request["faults"] = json!(self.faults);
        }
        // The order of fields says nothing.
        request.sort_all_objects();
        Some(RunKey { scope, key, request_hash: sha256_hex(request.to_string().as_bytes()) })
    }
}

impl App {
    /// What was started with a key before. Asked before the workflow is looked at: it may have changed or gone since then.
    pub(crate) fn started_before(&self, key: Option<&RunKey>) -> ApiResult<Option<StartOutcome>> {
        let Some(key) = key else { return Ok(None) };
        let run = self.wait_for(self.runtime.started_with(key))??;
        Ok(run.map(StartOutcome::Existing))
    }
}

#[cfg(test)]
mod tests;
