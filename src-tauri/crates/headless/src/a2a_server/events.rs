//! A run as a stream of events: its task, what happens, its output, how it ended. Who does not listen any more leaves the run
//! as it is.

use super::{AgentServer, frame, rpc, task};
use axum::body::Bytes;
use serde_json::{Value, json};
use signalbox_app::Caller;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_stream::wrappers::ReceiverStream;

/// Events that wait for a slow reader.
const AHEAD: usize = 16;
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// A stream ends then; its client subscribes again.
const LONGEST: Duration = Duration::from_secs(3_600);

type Frames = ReceiverStream<Result<Bytes, Infallible>>;

/// Follows a run.
pub(super) fn follow(server: Arc<AgentServer>, caller: Caller, run_id: String, id: Value) -> Frames {
    let (sender, frames) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        let telling = Telling { server, caller, run_id, id, sender };
        // Who hears nothing any more, or cannot be told, gets the rest by asking for the task.
        drop(telling.all().await);
    });
    ReceiverStream::new(frames)
}

struct Telling {
    server: Arc<AgentServer>,
    caller: Caller,
    run_id: String,
    id: Value,
    sender: mpsc::Sender<Result<Bytes, Infallible>>,
}

/// Nobody listens.
struct Gone;

impl Telling {
    async fn tell(&self, event: Value) -> Result<(), Gone> {
        self.sender.send(Ok(frame(&rpc::result(&self.id, event)))).await.map_err(|_| Gone)
    }

    async fn task(&self) -> Result<Value, Gone> {
        match self.server.task(&self.caller, &self.run_id).await {
            Ok(task) => Ok(task),
            Err(error) => {
                drop(self.sender.send(Ok(frame(&rpc::failed(&self.id, &error)))).await);
                Err(Gone)
            }
        }
    }

    async fn all(&self) -> Result<(), Gone> {
        let first = self.task().await?;
        let context = first["contextId"].as_str().unwrap_or_default().to_owned();
        let ended = task::is_over(&first);
        self.tell(json!({ "task": first })).await?;
        if ended {
            return Ok(());
        }
        let followed = self.server.app.subscribe(&self.caller, self.run_id.clone(), 0).await;
        let Ok(mut events) = followed else { return Err(Gone) };
        let until = Instant::now() + LONGEST;
        let mut nth = 0;
        loop {
            let batch = tokio::select! {
                batch = events.next() => batch,
                () = self.sender.closed() => return Err(Gone),
                () = sleep_until(until) => return Ok(()),
                () = sleep(KEEP_ALIVE) => {
                    self.sender.send(Ok(Bytes::from_static(b": alive\n\n"))).await.map_err(|_| Gone)?;
                    continue;
                }
            };
            let Some(batch) = batch else { break };
            for event in batch.iter() {
                let step = event.step_id.as_deref().unwrap_or_default();
                let words = match event.kind.as_str() {
                    "step_done" => format!("The step '{step}' has finished."),
                    "step_error" => format!("The step '{step}' has failed."),
                    "human_task_created" => task::waits().to_owned(),
                    _ => continue,
                };
                nth += 1;
                self.tell(task::working(&self.run_id, &context, nth, &words)).await?;
            }
        }
        let last = self.task().await?;
        if !task::is_over(&last) {
            return Ok(());
        }
        for artifact in last["artifacts"].as_array().into_iter().flatten() {
            let update = json!({
                "taskId": self.run_id, "contextId": context, "artifact": artifact, "lastChunk": true,
            });
            self.tell(json!({ "artifactUpdate": update })).await?;
        }
        let update = json!({ "taskId": self.run_id, "contextId": context, "status": last["status"] });
        self.tell(json!({ "statusUpdate": update })).await
    }
}
