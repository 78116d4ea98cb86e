//! The machine's clock, ids and random bits.

use async_trait::async_trait;
use signalbox_ports::{Clock, Ids};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealClock;

#[async_trait]
impl Clock for RealClock {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    async fn sleep_until(&self, due_ms: i64) {
        // In steps: the wall clock may be set, and the machine may have been asleep.
        loop {
            let left = due_ms.saturating_sub(self.now_ms());
            let Ok(left @ 1..) = u64::try_from(left) else { return };
            tokio::time::sleep(Duration::from_millis(left.min(30_000))).await;
        }
    }
}

/// UUID v7 and bits of the system's generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealIds;

impl Ids for RealIds {
    fn run_id(&self) -> String {
        uuid::Uuid::now_v7().to_string()
    }

    fn seed(&self) -> u64 {
        random()
    }
}

/// 64 random bits; without a system generator those of a fresh UUID, which is then all there is.
pub(crate) fn random() -> u64 {
    getrandom::u64().unwrap_or_else(|_| {
        let bits = uuid::Uuid::now_v7().as_u128();
        u64::try_from(bits & u128::from(u64::MAX)).unwrap_or_default()
    })
}
