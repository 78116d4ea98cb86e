//! The virtual object of a run. `drive` follows the run's journal and makes its next entries; `wake` says that the run was asked
//! something.

use crate::{Log, OBJECT};
use restate_sdk::context::RequestTarget;
use restate_sdk::prelude::*;
use signalbox_runtime::{Beginning, Error, JournalEntry, JournaledRun, NextEntry, Runtime};
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::Mutex;

/// State of the object: the awakeable that a run at rest waits for.
const AWAKEABLE: &str = "awakeable";

pub(crate) struct RunObject {
    pub(crate) runtime: Runtime,
    pub(crate) log: Log,
}

type Shared = Arc<Mutex<JournaledRun>>;

#[restate_sdk::object(name = "SignalboxRun")]
impl RunObject {
    /// Carries the run out to its end.
    #[handler]
    async fn drive(&self, ctx: ObjectContext<'_>) -> Result<String, HandlerError> {
        let run_id = ctx.key().to_owned();
        let asks = (self.runtime.clone(), run_id.clone());
        let begins = ctx
            .run(move || entry(async move { Beginning::text(asks.0.journal_beginning(&asks.1).await?.as_ref()) }))
            .name("begin")
            .await?;
        let Some(beginning) = Beginning::of_text(&text(begins)?)? else { return Ok("ended".to_owned()) };
        let run = self.said(&run_id, self.runtime.journaled(&run_id, beginning).await)?;
        let run: Shared = Arc::new(Mutex::new(run));
        let mut next = self.said(&run_id, run.lock().await.begin().await)?;
        loop {
            let entry = match next {
                NextEntry::Ended(status) => return Ok(status.as_str().to_owned()),
                NextEntry::Calls { name } => {
                    let own = Arc::clone(&run);
                    let made = ctx.run(move || entry(async move { own.lock().await.carry_out().await?.text() }));
                    JournalEntry::of_text(&text(made.name(name).await?)?)?
                }
                NextEntry::Rests { name, due_ms } => rest(&ctx, &run, name, due_ms).await?,
                NextEntry::Overtaken => {
                    // Where the history stands now, another journal begins.
                    let again = RequestTarget::object(OBJECT, run_id.as_str(), "drive");
                    ctx.request::<(), String>(again, ()).send();
                    return Ok("overtaken".to_owned());
                }
            };
            next = self.said(&run_id, run.lock().await.advance(entry).await)?;
        }
    }

    /// Whether the run waits. With `asked` it looks at what it was asked.
    #[handler]
    async fn wake(&self, ctx: SharedObjectContext<'_>, asked: bool) -> Result<bool, HandlerError> {
        let awakeable = ctx.get::<String>(AWAKEABLE).await?;
        if let Some(id) = awakeable.as_ref().filter(|_| asked) {
            ctx.resolve_awakeable(id, String::new());
        }
        Ok(awakeable.is_some())
    }
}

impl RunObject {
    /// An error is told to whoever operates the worker, and to Restate, which tries again.
    fn said<T>(&self, run_id: &str, outcome: Result<T, Error>) -> Result<T, HandlerError> {
        outcome.map_err(|error| {
            // Another worker has the run, or this one is being stopped: no trouble.
            if !matches!(error, Error::Closing | Error::DrivenElsewhere { .. }) {
                (self.log)(&format!("Run {run_id} stands still: {error}. {} It is tried again.", error.hint()));
            }
            // As text: Restate shows it to people.
            error.to_string().into()
        })
    }
}

/// Nothing is under way: waits for what is asked and for the next timer, without a process if need be.
async fn rest(
    ctx: &ObjectContext<'_>,
    run: &Shared,
    name: String,
    due_ms: Option<i64>,
) -> Result<JournalEntry, HandlerError> {
    // The awakeable stands in the state before the store is looked at, so that no question is missed.
    let (id, awakeable) = ctx.awakeable::<String>();
    ctx.set(AWAKEABLE, id);
    let own = Arc::clone(run);
    let asked = ctx.run(move || entry(async move { own.lock().await.asked().text() })).name(name).await?;
    let asked = JournalEntry::of_text(&text(asked)?)?;
    let entry = match due_ms {
        _ if !asked.is_empty() => asked,
        None => {
            awakeable.await?;
            JournalEntry::default()
        }
        Some(due_ms) => {
            let timer = ctx.sleep(until(due_ms));
            restate_sdk::select! {
                slept = timer => {
                    slept?;
                    run.lock().await.due(due_ms)
                },
                woken = awakeable => {
                    woken?;
                    JournalEntry::default()
                }
            }
        }
    };
    ctx.clear(AWAKEABLE);
    Ok(entry)
}

/// A result of the runtime as an entry of the journal. An error makes none: the attempt ends, and the next one tries again.
async fn entry(work: impl Future<Output = Result<String, Error>>) -> Result<Vec<u8>, HandlerError> {
    work.await.map(String::into_bytes).map_err(|error| error.to_string().into())
}

fn text(entry: Vec<u8>) -> Result<String, HandlerError> {
    Ok(String::from_utf8(entry)?)
}

fn until(due_ms: i64) -> Duration {
    let due = Duration::from_millis(u64::try_from(due_ms).unwrap_or_default());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    due.saturating_sub(now)
}
