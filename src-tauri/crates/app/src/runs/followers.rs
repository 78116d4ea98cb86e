//! Many followers of one run (ADR 87). Each event is encoded once for all who may see the same of it: with masks or without.
//! Nothing is queued for a follower: the newest encoded events are kept once for all, and who is behind them reads on from the
//! store.

mod feed;

use crate::app::App;
use crate::caller::Caller;
use crate::error::ApiResult;
use bytes::Bytes;
use feed::{End, Feed, Piece, Pieces, Place, Taken, keep, page_behind};
use signalbox_model::RunEvent;
use signalbox_model::wire::WireEvent;
use signalbox_runtime::Subscription;
use std::collections::HashMap;
use std::future::ready;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// Events that are encoded together.
const TOGETHER: usize = 500;
/// Events of one read for somebody who is behind,
const PAGE: usize = 100;
/// and about how many bytes of their values.
const PAGE_BYTES: usize = 1024 * 1024;
/// Up to this many followers are notified of each commit immediately.
const FEW: usize = 8;
/// More hear of what has come together, because each telling costs each of them a write: so long for each one more,
const PAUSE: Duration = Duration::from_micros(500);
/// and no longer than this.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

type Encode = Box<dyn Fn(&WireEvent, &mut String) + Send + Sync>;

/// Who follows runs, over connections that send the same bytes to each.
pub struct Followers(Arc<Shared>);

struct Shared {
    app: Arc<App>,
    encode: Encode,
    /// By run, and whether its data is masked.
    feeds: Mutex<HashMap<(String, bool), Weak<Fed>>>,
    /// Feeds that are filled.
    filled: Arc<AtomicUsize>,
}

/// A feed that is filled as long as somebody holds this.
struct Fed {
    feed: Arc<Feed>,
    task: AbortHandle,
    /// Of [`Shared`].
    filled: Arc<AtomicUsize>,
}

impl Drop for Fed {
    fn drop(&mut self) {
        self.task.abort();
        self.filled.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Followers {
    /// `encode` writes an event as the connections send it.
    pub fn new(app: Arc<App>, encode: impl Fn(&WireEvent, &mut String) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared { app, encode: Box::new(encode), feeds: Mutex::default(), filled: Arc::default() }))
    }

    /// Follows a run: its events after `after`, then what comes, each once and in order.
    pub async fn follow(&self, caller: &Caller, run_id: String, after: u64) -> ApiResult<Follower> {
        let masked = self.0.app.masks(caller, &run_id);
        let fed = self.0.fed(&run_id, masked, after).await?;
        Ok(Follower {
            shared: Arc::clone(&self.0),
            caller: caller.clone(),
            run_id,
            masked,
            place: Place { after, next: None },
            changes: fed.feed.changes(),
            fed,
        })
    }
}

/// One follower of a run.
pub struct Follower {
    shared: Arc<Shared>,
    caller: Caller,
    run_id: String,
    masked: bool,
    place: Place,
    changes: watch::Receiver<()>,
    fed: Arc<Fed>,
}

impl Follower {
    /// The next encoded events; `None` after the terminal one, or when the store can no longer be read.
    pub async fn next(&mut self) -> Option<Bytes> {
        loop {
            // Asked each time: a reveal ends while the stream goes on.
            let masked = self.shared.app.masks(&self.caller, &self.run_id);
            if masked != self.masked {
                self.fed = self.shared.fed(&self.run_id, masked, self.place.after).await.ok()?;
                (self.masked, self.place.next, self.changes) = (masked, None, self.fed.feed.changes());
                continue;
            }
            self.changes.borrow_and_update();
            match self.fed.feed.take(&mut self.place) {
                Taken::Bytes(bytes) => return Some(bytes),
                Taken::Over => return None,
                Taken::Behind => {
                    let (bytes, last) =
                        self.shared.page(&self.fed.feed, &self.run_id, masked, self.place.after).await?;
                    if masked == self.shared.app.masks(&self.caller, &self.run_id) {
                        self.place.after = last;
                        return Some(bytes);
                    }
                }
                Taken::Nothing => {
                    let waiting = self.fed.feed.wait();
                    // The feed is there as long as it is held, so this ends with a change only.
                    self.changes.changed().await.ok()?;
                    drop(waiting);
                }
            }
        }
    }
}

impl Shared {
    fn feeds(&self) -> MutexGuard<'_, HashMap<(String, bool), Weak<Fed>>> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that each feed may keep.
    fn share(&self) -> usize {
        feed::share(self.filled.load(Ordering::Relaxed))
    }

    /// The feed of a run for an audience, for somebody who has the events up to `after`.
    async fn fed(self: &Arc<Self>, run_id: &str, masked: bool, after: u64) -> ApiResult<Arc<Fed>> {
        let key = (run_id.to_owned(), masked);
        let known = |feeds: &HashMap<(String, bool), Weak<Fed>>| {
            feeds.get(&key).and_then(Weak::upgrade).filter(|fed| fed.feed.serves(after))
        };
        if let Some(fed) = known(&self.feeds()) {
            return Ok(fed);
        }
        let events = self.app.runtime.subscribe(run_id, after).await?;
        let mut feeds = self.feeds();
        // Somebody else may have made one meanwhile.
        if let Some(fed) = known(&feeds) {
            return Ok(fed);
        }
        let feed = Arc::new(Feed::new(after));
        let filling = fill(Arc::clone(self), Arc::clone(&feed), run_id.to_owned(), masked, events);
        self.filled.fetch_add(1, Ordering::Relaxed);
        let fed = Fed { feed, task: tokio::spawn(filling).abort_handle(), filled: Arc::clone(&self.filled) };
        let fed = Arc::new(fed);
        feeds.retain(|_, fed| fed.strong_count() > 0);
        feeds.insert(key, Arc::downgrade(&fed));
        Ok(fed)
    }

    fn encoded(&self, masked: bool, run_id: &str, events: &[RunEvent]) -> ApiResult<Vec<Piece>> {
        let mut pieces = Pieces::default();
        for event in self.app.wire_events(masked, run_id, events)? {
            pieces.add(event.seq, |text| (self.encode)(&event, text));
        }
        Ok(pieces.done())
    }

    /// What stands in the store behind `after`, and the last `seq` of it.
    async fn page(self: &Arc<Self>, feed: &Feed, run_id: &str, masked: bool, after: u64) -> Option<(Bytes, u64)> {
        let mut pages = feed.pages.lock().await;
        if let Some(found) = page_behind(&pages, after) {
            return Some(found);
        }
        let (shared, run_id) = (Arc::clone(self), run_id.to_owned());
        let read = self.app.blocking(move |app| {
            let page = app.store.event_page(&run_id, after, PAGE, PAGE_BYTES)?;
            shared.encoded(masked, &run_id, &page.events)
        });
        let read = read.await.ok()?;
        let found = read.first()?.behind(after);
        keep(&mut pages, read, self.share());
        found
    }
}

/// Fills a feed with what its followers wait for.
async fn fill(shared: Arc<Shared>, feed: Arc<Feed>, run_id: String, masked: bool, mut events: Subscription) {
    let mut ended = None;
    while ended.is_none() {
        feed.wanted().await;
        let mut batch = Vec::new();
        let mut next = events.next().await;
        loop {
            match next {
                Some(Ok(more)) => batch.extend(more),
                Some(Err(_)) => ended = Some(End::Failed),
                None => ended = Some(End::Run),
            }
            if ended.is_some() || batch.len() >= TOGETHER {
                break;
            }
            // What is there already goes along.
            next = tokio::select! {
                biased;
                more = events.next() => more,
                () = ready(()) => break,
            };
        }
        let encoded = if masked {
            // Masks are looked for in the store, and what they hide is large at times.
            let (shared, run_id) = (Arc::clone(&shared), run_id.clone());
            shared.app.clone().blocking(move |_| shared.encoded(true, &run_id, &batch)).await
        } else {
            shared.encoded(false, &run_id, &batch)
        };
        match encoded {
            Ok(pieces) => feed.push(pieces, shared.share()),
            Err(_) => ended = Some(End::Failed),
        }
        if ended.is_none() {
            let more = u32::try_from(feed.followers().saturating_sub(FEW)).unwrap_or(u32::MAX);
            tokio::time::sleep(PAUSE.saturating_mul(more).min(LONGEST_PAUSE)).await;
        }
    }
    feed.end(ended.unwrap_or(End::Run));
}
