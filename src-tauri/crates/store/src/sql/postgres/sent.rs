//! Statements whose answers nobody waits for until the end of their part of a transaction. Each answer is a way to the server and
//! back, and a commit of a run has a dozen statements: so they travel together.

use super::Ready;
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio_postgres::{Client, Error};

use super::value::Bound;
use super::wire::wait;

/// So many are under way at once: their answers are kept in memory.
const MOST: usize = 256;

type Answer = Pin<Box<dyn Future<Output = Result<u64, Error>> + Send>>;

/// Statements that were sent, in their order.
#[derive(Default)]
pub(super) struct Sent(RefCell<Vec<Answer>>);

impl Sent {
    /// Sends a statement. An error is that of one before it, or of itself where that is known at once.
    pub(super) fn send(&self, client: &Arc<Client>, ready: Arc<Ready>, values: Vec<Bound>) -> Result<(), Error> {
        let client = Arc::clone(client);
        let mut answer: Answer = Box::pin(async move { client.execute_raw(&ready.prepared, &values).await });
        // The first look sends it; what comes back is kept until somebody looks again.
        match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => drop(outcome?),
            Poll::Pending => self.0.borrow_mut().push(answer),
        }
        if self.0.borrow().len() >= MOST { self.settle() } else { Ok(()) }
    }

    /// Waits for all answers. The error of the first statement that failed: those after it failed only for that.
    pub(super) fn settle(&self) -> Result<(), Error> {
        let mut outcome = Ok(());
        for answer in self.0.take() {
            let answered = wait(answer).map(drop);
            outcome = outcome.and(answered);
        }
        outcome
    }

    /// Their transaction is given up: nobody wants to know.
    pub(super) fn forget(&self) {
        self.0.take();
    }
}
