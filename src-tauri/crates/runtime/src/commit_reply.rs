//! The answer of the store to one commit: awaited like a future, or waited for on the thread when nobody else needs it.
//!
//! An executor wakes a task by way of its queue, its event descriptor and a second worker that looks for more to do:
//! three changes of threads for one commit. A run that is alone waits on its thread instead, and costs one (ADR 7).

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// The place of an answer, and who gives it: dropped unused, it says that none will come.
pub(crate) fn pair<T>() -> (ReplySender<T>, Answer<T>) {
    let shared = Arc::new(Shared { place: Mutex::new(Place::default()), told: Condvar::new() });
    (ReplySender(Arc::clone(&shared)), Answer(shared))
}

struct Shared<T> {
    place: Mutex<Place<T>>,
    told: Condvar,
}

struct Place<T> {
    value: Option<T>,
    /// The giver has told it or has gone.
    over: bool,
    waker: Option<Waker>,
    /// A thread waits.
    blocked: bool,
}

impl<T> Default for Place<T> {
    fn default() -> Self {
        Self { value: None, over: false, waker: None, blocked: false }
    }
}

impl<T> Shared<T> {
    fn place(&self) -> MutexGuard<'_, Place<T>> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, value: Option<T>) {
        let mut place = self.place();
        if place.over {
            return;
        }
        place.value = value;
        place.over = true;
        let (waker, blocked) = (place.waker.take(), place.blocked);
        drop(place);
        if blocked {
            self.told.notify_one();
        }
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Gives the answer.
pub(crate) struct ReplySender<T>(Arc<Shared<T>>);

impl<T> ReplySender<T> {
    pub(crate) fn give(self, value: T) {
        self.0.end(Some(value));
    }
}

impl<T> Drop for ReplySender<T> {
    fn drop(&mut self) {
        self.0.end(None);
    }
}

/// Gets the answer; `None` when it will never come.
pub(crate) struct Answer<T>(Arc<Shared<T>>);

impl<T> Answer<T> {
    /// Waits on this thread, `limit` at most. Awaiting goes on from there.
    pub(crate) fn wait(&self, limit: Duration) {
        let until = Instant::now() + limit;
        let mut place = self.0.place();
        while !place.over {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            place.blocked = true;
            place = self.0.told.wait_timeout(place, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        place.blocked = false;
    }
}

impl<T> Future for Answer<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let mut place = self.0.place();
        if place.over {
            return Poll::Ready(place.value.take());
        }
        if !place.waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            place.waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests;
