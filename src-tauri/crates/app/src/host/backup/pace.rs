//! How fast a backup is made: it rests three times as long as it worked, so that runs that go on meanwhile have the
//! machine most of the time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Work of this length is followed by a rest.
const WORK: Duration = Duration::from_millis(20);
/// A rest is so many times as long as the work before it.
const REST: u32 = 3;
/// Longest rest. Work takes longer where others have the machine or the disk.
const LONGEST: Duration = Duration::from_millis(1_500);

/// When the piece of work began that is being done.
pub(super) struct Pace(Mutex<Instant>);

impl Pace {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Instant::now()))
    }

    /// Called often. Rests when it is time.
    pub(super) fn rest(&self) {
        self.rest_with(Instant::now, std::thread::sleep);
    }

    fn rest_with(&self, now: impl Fn() -> Instant, sleep: impl FnOnce(Duration)) {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let worked = now().duration_since(*since);
        if worked >= WORK {
            sleep((worked * REST).min(LONGEST));
            *since = now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Pace, REST, WORK};
    use std::cell::Cell;
    use std::sync::Mutex;
    use std::time::{Duration, Instant};

    /// The clock is moved by the test, and a rest moves it.
    #[test]
    fn it_rests_after_each_piece_of_work() {
        let clock = Cell::new(Instant::now());
        let pace = Pace(Mutex::new(clock.get()));
        let after = |worked: Duration| {
            clock.set(clock.get() + worked);
            let rested = Cell::new(Duration::ZERO);
            pace.rest_with(
                || clock.get(),
                |time| {
                    clock.set(clock.get() + time);
                    rested.set(time);
                },
            );
            rested.get()
        };
        assert_eq!(after(WORK / 2), Duration::ZERO, "a short piece");
        assert_eq!(after(WORK), WORK * 3 / 2 * REST, "with the piece before it");
        assert_eq!(after(WORK / 2), Duration::ZERO, "a rest is no work");
        assert_eq!(after(WORK * 10), (WORK * 10 + WORK / 2) * REST);
        assert_eq!(after(LONGEST), LONGEST);
    }
}
