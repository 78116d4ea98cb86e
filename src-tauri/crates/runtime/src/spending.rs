//! What models may cost: a question waits while those under way may use up the rest of a budget (TRUST, "costs"). One per process
//! and data folder.

mod ledger;

use ledger::Ledger;
use signalbox_model::budget::{Budget, UsedUp};
use signalbox_model::time;
use signalbox_ports::Clock;
use signalbox_store::Store;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// What is spent, and what questions under way may cost.
pub struct Spending {
    store: Store,
    clock: Arc<dyn Clock>,
    ledger: Arc<Mutex<Ledger>>,
    /// A question is over.
    closed: Arc<Notify>,
}

/// A question under way: dropped, whatever became of it, others may ask.
struct Open {
    ledger: Arc<Mutex<Ledger>>,
    closed: Arc<Notify>,
    budget: Budget,
    most: u64,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).closed(&self.budget, self.most);
        self.closed.notify_waiters();
    }
}

impl Spending {
    /// Sums are those of the store.
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, ledger: Arc::default(), closed: Arc::default() }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn today(&self) -> String {
        time::format(self.clock.now_ms()).chars().take(10).collect()
    }

    /// Waits until a question may be put whose answer costs at most so much, in millionths, and puts that aside until the answer
    /// is dropped. `machine` tells what the machine may spend on a day.
    ///
    /// # Errors
    /// The limit that is used up.
    pub async fn reserve(
        &self,
        budget: &Budget,
        most: u64,
        machine: impl Fn() -> Option<u64> + Send + Sync,
    ) -> Result<Box<dyn Send>, UsedUp> {
        loop {
            // Registered before the look: what is over in between is heard.
            let mut closed = pin!(self.closed.notified());
            closed.as_mut().enable();
            let machine = machine();
            let today = self.today();
            {
                let mut ledger = self.ledger();
                if ledger.may_spend(&self.store, budget, machine, &today)? {
                    ledger.opened(budget, most);
                    let (ledger, closed) = (Arc::clone(&self.ledger), Arc::clone(&self.closed));
                    return Ok(Box::new(Open { ledger, closed, budget: budget.clone(), most }));
                }
            }
            closed.await;
        }
    }

    /// A question has cost so much, in millionths.
    pub fn spent(&self, budget: &Budget, cost: u64) {
        self.ledger().spent(&self.store, budget, cost, &self.today());
    }
}
