//! *Test* in the settings of a `trigger.poll`: the source is asked once, and nothing is started or kept.

use super::poll_source::{Poll, refused};
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{PollItem, PollTest, PollTested};
use crate::error::ApiResult;
use crate::workflows::check;
use crate::workflows::library::load;
use serde_json::Value;
use signalbox_model::{ErrorType, NodeFailure, Workflow};
use std::sync::Arc;
use std::time::Duration;

/// Items that the answer holds.
const MOST: usize = 100;
/// Somebody waits in front of it.
const PATIENCE: Duration = Duration::from_secs(30);

impl App {
    pub(crate) fn poll_test(&self, caller: &Caller, request: PollTest) -> ApiResult<PollTested> {
        let PollTest { workflow_id, node_id, config } = request;
        let poll = Poll::read(config);
        let workflow = Arc::new(self.kept_workflow(&workflow_id));
        // Inside, because a time limit begins in a runtime only.
        let asking =
            async { tokio::time::timeout(PATIENCE, poll.ask(&self.world, &workflow, Value::Null, caller.here)).await };
        let answer = self.wait_for(asking)?.unwrap_or_else(|_| {
            Err(NodeFailure::new(ErrorType::Timeout, "TIMEOUT", "No answer came within 30 seconds"))
        });
        let listed = answer.and_then(|answer| poll.listed(answer)).map_err(|failure| refused(&failure))?;
        let seen = self.store.trigger_seen(&format!("{workflow_id}.{node_id}"))?;
        let total = listed.items.len();
        let items = listed.items.into_iter().take(MOST);
        let items = items.map(|(key, item)| PollItem { seen: seen.contains_key(&key), item }).collect();
        Ok(PollTested { items, total: total as u64, cursor: listed.cursor })
    }

    /// The workflow of the library, for the default values of its params; an empty one when it is not kept yet.
    fn kept_workflow(&self, id: &str) -> Workflow {
        let kept = self.by_id(id).ok().and_then(|path| load(&path).ok());
        let kept = kept.and_then(|loaded| check::readable(&loaded.bytes).ok());
        let kept = kept.and_then(|(document, _)| check::workflow(document).ok());
        kept.unwrap_or_else(|| Workflow::empty(id, id))
    }
}
