//! *Test* in the settings of a `trigger.poll`: the source is asked once, and nothing is remembered. An address starts no run; a
//! workflow as the source runs, because only a run knows what it lists.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{PollItem, PollTest, PollTested};
use crate::error::{ApiError, ApiResult, Class};
use crate::workflows::check;
use crate::workflows::library::load;
use serde_json::Value;
use signalbox_engine::validate::check_called;
use signalbox_model::{ErrorType, Node, NodeFailure, Workflow};
use signalbox_runtime::triggers::{POLL, Poll, refused};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Items that the answer holds.
const MOST: usize = 100;
/// Somebody waits in front of it.
const PATIENCE: Duration = Duration::from_secs(30);

impl App {
    pub(crate) fn poll_test(&self, caller: &Caller, request: PollTest) -> ApiResult<PollTested> {
        let PollTest { workflow_id, node_id, config, document } = request;
        let poll = Poll::read(config);
        let file = self.by_id(&workflow_id).ok();
        let workflow = match document {
            Some(document) => check::workflow(document)?,
            None => {
                file.as_deref().and_then(kept_workflow).unwrap_or_else(|| Workflow::empty(&workflow_id, &workflow_id))
            }
        };
        let (answer, run_id) = if poll.source_workflow().is_some() {
            let (answer, run) = self.run_of_source(caller, &poll, workflow, &node_id, file.as_deref())?;
            (answer, Some(run))
        } else {
            let workflow = Arc::new(workflow);
            // Inside, because a time limit begins in a runtime only.
            let asking = async {
                tokio::time::timeout(
                    PATIENCE,
                    poll.ask(&self.world, check::catalog(), &workflow, Value::Null, caller.here),
                )
                .await
            };
            let answer = self.wait_for(asking)?.unwrap_or_else(|_| {
                Err(NodeFailure::new(ErrorType::Timeout, "TIMEOUT", "No answer came within 30 seconds"))
            });
            (answer, None)
        };
        let listed = answer.and_then(|answer| poll.listed(answer)).map_err(|failure| refused(&failure))?;
        let seen = self.store.trigger_seen(&format!("{workflow_id}.{node_id}"))?;
        let total = listed.items.len();
        let items = listed.items.into_iter().take(MOST);
        let items = items.map(|(key, item)| PollItem { seen: seen.contains_key(&key), item }).collect();
        Ok(PollTested { items, total: total as u64, cursor: listed.cursor, run_id })
    }

    /// Runs the workflow that is the source, as the person who asks, and gives what it lists and its run.
    fn run_of_source(
        &self,
        caller: &Caller,
        poll: &Poll,
        mut workflow: Workflow,
        node: &str,
        file: Option<&Path>,
    ) -> ApiResult<(Result<Value, NodeFailure>, String)> {
        let step = Node { kind: POLL.to_owned(), config: Some(poll.config.clone()), ..Node::default() };
        // What else the workflow names does not matter here.
        workflow.nodes.retain(|id, _| id == node);
        workflow.nodes.insert(node.to_owned(), step);
        let called = self.called(&workflow, file)?;
        check::runnable(&check_called(&workflow, check::catalog(), &called))?;
        let started =
            self.trigger_host().start_source_run(poll, &workflow, &called, Value::Null, caller.origin(None), None)?;
        let run = started.map_err(|failure| refused(&failure))?;
        let waiting = async { tokio::time::timeout(PATIENCE, self.runtime.wait(&run)).await };
        if self.wait_for(waiting)?.is_err() {
            let message = format!("The run {run} of the source has not ended within 30 seconds. It goes on.");
            return Err(ApiError::new(Class::Invalid, "SOURCE_FAILED", message, "Look at the run, then test again."));
        }
        Ok((self.trigger_host().source_output(&run)?, run))
    }
}

/// The workflow of a file of the library; none when it cannot be read.
fn kept_workflow(path: &Path) -> Option<Workflow> {
    let (document, _) = check::readable(&load(path).ok()?.bytes).ok()?;
    check::workflow(document).ok()
}
