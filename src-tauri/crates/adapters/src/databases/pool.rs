//! Connections that wait for the next call. At most a few for each server and user, and none for long.

use super::connect::Key;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections of one server and user at the same time.
const AT_ONCE: usize = 4;
/// A connection that nobody used for so long is closed.
const IDLE: Duration = Duration::from_secs(30);

/// All connections of one driver.
pub(super) struct Pool<C> {
    places: Mutex<HashMap<Key, Arc<Place<C>>>>,
}

struct Place<C> {
    turns: Arc<Semaphore>,
    idle: Mutex<Vec<(C, Instant)>>,
}

impl<C> Default for Pool<C> {
    fn default() -> Self {
        Self { places: Mutex::default() }
    }
}

/// The right to one connection.
pub(super) struct Turn<C> {
    place: Arc<Place<C>>,
    _permit: Option<OwnedSemaphorePermit>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<C> Place<C> {
    fn prune(&self) {
        // Closed outside the lock.
        let old: Vec<(C, Instant)> = {
            let mut idle = locked(&self.idle);
            let (old, young) = idle.drain(..).partition(|(_, since)| since.elapsed() >= IDLE);
            *idle = young;
            old
        };
        drop(old);
    }
}

impl<C: Send + 'static> Pool<C> {
    /// Waits until fewer than the limit are in use.
    pub(super) async fn turn(&self, key: Key) -> Turn<C> {
        let place =
            Arc::clone(locked(&self.places).entry(key).or_insert_with(|| {
                Arc::new(Place { turns: Arc::new(Semaphore::new(AT_ONCE)), idle: Mutex::default() })
            }));
        // It is never closed.
        let permit = Arc::clone(&place.turns).acquire_owned().await.ok();
        Turn { place, _permit: permit }
    }
}

impl<C: Send + 'static> Turn<C> {
    /// A connection that was given back lately.
    pub(super) fn idle(&self) -> Option<C> {
        self.place.prune();
        locked(&self.place.idle).pop().map(|(connection, _)| connection)
    }

    /// Keeps a connection for the next call.
    pub(super) fn give_back(&self, connection: C) {
        locked(&self.place.idle).push((connection, Instant::now()));
        let place = Arc::downgrade(&self.place);
        tokio::spawn(async move {
            tokio::time::sleep(IDLE).await;
            if let Some(place) = place.upgrade() {
                place.prune();
            }
        });
    }
}
