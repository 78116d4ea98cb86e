//! How many refused sign-ins are recorded: strangers must not fill the audit chain.

use std::time::Duration;
use tokio::time::Instant;

/// Refused sign-ins that are recorded in a minute, each; more are counted.
const RECORDED: u32 = 30;
const MINUTE: Duration = Duration::from_secs(60);

/// How many were recorded lately.
#[derive(Default)]
pub(super) struct Refusals {
    since: Option<Instant>,
    recorded: u32,
    omitted: u64,
}

impl Refusals {
    /// Whether one more is recorded: then, how many before it were not.
    pub(super) fn next(&mut self, now: Instant) -> Option<u64> {
        if self.since.is_none_or(|since| now >= since + MINUTE) {
            (self.since, self.recorded) = (Some(now), 0);
        }
        if self.recorded >= RECORDED {
            self.omitted += 1;
            return None;
        }
        self.recorded += 1;
        Some(std::mem::take(&mut self.omitted))
    }
}

#[cfg(test)]
mod tests {
    use super::{Instant, MINUTE, RECORDED, Refusals};

    #[test]
    fn more_than_a_few_in_a_minute_are_only_counted() {
        let (mut refusals, now) = (Refusals::default(), Instant::now());
        for _ in 0..RECORDED {
            assert_eq!(refusals.next(now), Some(0));
        }
        assert_eq!((refusals.next(now), refusals.next(now)), (None, None));
        assert_eq!(refusals.next(now + MINUTE), Some(2));
        assert_eq!(refusals.next(now + MINUTE), Some(0));
    }
}
