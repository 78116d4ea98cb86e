//! Following a run: replayed from the store, then live, each event once and in order.
//!
//! The store is the truth; live batches are only a shortcut. A gap or a lag is filled from the store, so nothing is kept
//! for a slow client, and a run driven by another process is followed the same way.

use crate::error::Error;
use crate::live_feed::Batch;
use crate::shared::Core;
use signalbox_model::RunEvent;
use signalbox_store::EventPage;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::sync::{broadcast, watch};
use tokio::task::{AbortHandle, JoinHandle};

/// Events of one read,
const PAGE: usize = 500;
/// and about how many bytes of their values.
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// The events of a run after a given one.
pub struct Subscription {
    core: Arc<Core>,
    run_id: String,
    after: u64,
    live: Option<broadcast::Receiver<Arc<Batch>>>,
    changed: watch::Receiver<u64>,
    notices: broadcast::Receiver<Arc<RunEvent>>,
    /// The log has been read up to its end since the last wake-up.
    caught_up: bool,
    over: bool,
    /// Over as soon as the log has been read up to its end.
    only_stored: bool,
    /// A page that is being read.
    page: Option<JoinHandle<Result<Page, Error>>>,
}

impl Subscription {
    pub(crate) fn new(core: Arc<Core>, run_id: &str, after: u64) -> Self {
        let (changed, notices) = (core.changed.subscribe(), core.notices.subscribe());
        Self {
            core,
            run_id: run_id.to_owned(),
            after,
            live: None,
            changed,
            notices,
            caught_up: false,
            over: false,
            only_stored: false,
            page: None,
        }
    }

    /// The next events, at least one; `None` after the terminal one.
    pub async fn next(&mut self) -> Option<Result<Vec<RunEvent>, Error>> {
        while !self.over {
            if !self.caught_up {
                match self.read().await {
                    Ok(events) if events.is_empty() => {}
                    Ok(events) => return Some(Ok(self.deliver(events))),
                    Err(error) => {
                        self.over = true;
                        return Some(Err(error));
                    }
                }
                continue;
            }
            if self.only_stored {
                self.over = true;
                break;
            }
            let heard = tokio::select! {
                biased;
                notice = notice(&mut self.notices, &self.run_id) => return Some(Ok(vec![notice])),
                heard = heard(&mut self.live, &mut self.changed) => heard,
            };
            match heard {
                WakeReason::Live(batch) => match batch {
                    // Committed before anybody was known to listen, or too large to be kept.
                    Ok(batch) if batch.is_empty() => self.caught_up = false,
                    Ok(batch) => {
                        let fresh: Vec<RunEvent> =
                            batch.iter().filter(|event| event.seq > Some(self.after)).cloned().collect();
                        match fresh.first().and_then(|event| event.seq) {
                            Some(seq) if seq == self.after + 1 => return Some(Ok(self.deliver(fresh))),
                            Some(_) => self.caught_up = false,
                            None => {}
                        }
                    }
                    // Too slow, or no longer driven here: the store has what is missing.
                    Err(broadcast::error::RecvError::Lagged(_)) => self.caught_up = false,
                    Err(broadcast::error::RecvError::Closed) => {
                        self.live = None;
                        self.caught_up = false;
                    }
                },
                WakeReason::Changed(true) => self.caught_up = false,
                WakeReason::Changed(false) => {
                    self.over = true;
                    return Some(Err(Error::Closing));
                }
            }
        }
        None
    }

    /// From now on [`Self::next`] gives what is stored already, then `None`: a run that waits has no last event to end with, and what it
    /// wrote may still have to be read when somebody hears that it waits.
    pub fn end_with_what_is_stored(&mut self) {
        // A page that is being read may have been asked for before.
        self.page = None;
        self.caught_up = false;
        self.only_stored = true;
    }

    /// Seq of the last event that was delivered: where another subscription goes on.
    pub fn last_seq(&self) -> u64 {
        self.after
    }

    fn deliver(&mut self, events: Vec<RunEvent>) -> Vec<RunEvent> {
        if let Some(last) = events.last() {
            self.after = last.seq.unwrap_or(self.after);
            self.over = last.body.is_terminal();
        }
        events
    }

    /// One page of the log; marks when it was the last one.
    async fn read(&mut self) -> Result<Vec<RunEvent>, Error> {
        let page = match &mut self.page {
            // Who asked for it has dropped the question, not the answer: a page of large events takes its time.
            Some(page) => page,
            none => {
                // Listen first: what is committed after the read arrives live.
                if self.live.is_none() {
                    self.live = self.core.driven(&self.run_id).map(|driven| driven.live.subscribe());
                }
                self.changed.borrow_and_update();
                let (store, run, after) = (self.core.store.clone(), self.run_id.clone(), self.after);
                none.insert(self.core.handle.spawn_blocking(move || {
                    let ended = store.run(&run)?.ended_ms.is_some();
                    Ok((store.event_page(&run, after, PAGE, PAGE_BYTES)?, ended))
                }))
            }
        };
        let read = page.await;
        self.page = None;
        let (EventPage { events, is_last }, ended) = read.map_err(|_| Error::Closing)??;
        if is_last {
            self.caught_up = true;
            // Asked for events after the last one of an ended run.
            self.over |= ended && events.is_empty();
        }
        Ok(events)
    }
}

/// Events, and whether the run had ended before they were read.
type Page = (EventPage, bool);

/// What woke a subscription up.
enum WakeReason {
    Live(Result<Arc<Batch>, broadcast::error::RecvError>),
    /// The store changed; false = the runtime is gone.
    Changed(bool),
}

async fn heard(live: &mut Option<broadcast::Receiver<Arc<Batch>>>, changed: &mut watch::Receiver<u64>) -> WakeReason {
    match live {
        Some(live) => WakeReason::Live(live.recv().await),
        None => WakeReason::Changed(changed.changed().await.is_ok()),
    }
}

/// The next event of the run that is told and not stored.
async fn notice(notices: &mut broadcast::Receiver<Arc<RunEvent>>, run_id: &str) -> RunEvent {
    loop {
        match notices.recv().await {
            Ok(event) if event.run_id == run_id => return RunEvent::clone(&event),
            Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// Events by callback; dropping it ends it.
pub struct Follow(AbortHandle);

impl Drop for Follow {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Calls `on_events` with each batch until it says no or panics. The run does not notice either.
pub(crate) fn follow(
    mut subscription: Subscription,
    mut on_events: impl FnMut(Result<Vec<RunEvent>, Error>) -> bool + Send + 'static,
) -> Follow {
    let handle = subscription.core.handle.clone();
    let task = handle.spawn(async move {
        while let Some(batch) = subscription.next().await {
            // A consumer that panicked is not called again, so nothing half-changed is seen.
            if !catch_unwind(AssertUnwindSafe(|| on_events(batch))).unwrap_or(false) {
                return;
            }
        }
    });
    Follow(task.abort_handle())
}
