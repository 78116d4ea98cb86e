//! A task that ends when nobody waits for it.

use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::task::{JoinError, JoinHandle};

/// Waits for a task; dropped, it ends the task.
pub(super) struct Ending<T>(JoinHandle<T>);

impl<T> Ending<T> {
    pub(super) fn new(task: JoinHandle<T>) -> Self {
        Self(task)
    }
}

impl<T> Future for Ending<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}

impl<T> Drop for Ending<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
