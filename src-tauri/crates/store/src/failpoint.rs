//! Points at which a test lets the program die: every boundary of a commit, and what the runtime does around it (TRUST,
//! faults 1 to 3). The list is made by one macro, so that a test which goes through it cannot forget one.
//!
//! `SIGNALBOX_FAILPOINT=committed:3` aborts the process when it passes `committed` for the third time: nothing is closed,
//! nothing is said, as with kill -9. Only a build with debug assertions reads it; a release has neither the variable nor
//! the points (ADR 40).

macro_rules! points {
    ($($point:ident $name:literal $about:literal;)*) => {
        /// Where a process may die.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Point {
            $(#[doc = $about] $point,)*
        }

        impl Point {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$point),*];

            /// As in the variable.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$point => $name,)*
                }
            }
        }
    };
}

points! {
    Begin "begin" "A group of jobs waits; no transaction is open.";
    Begun "begun" "The transaction is open, nothing is written.";
    Written "written" "Everything is written, nothing is committed.";
    Committed "committed" "Committed; the high-water mark is older.";
    Marked "marked" "Committed and marked; nobody was told.";
    Told "told" "Whoever waited was told.";
    Sealing "sealing" "A checkpoint of the audit chain is written, not committed.";
    Sealed "sealed" "A checkpoint of the audit chain is committed.";
    Artifact "artifact" "A file of the run is written, its event is not.";
    Born "born" "A run is in the store; its starter does not know its id.";
    Queued "queued" "A run waits for its turn; its starter does not know its id.";
    Admitted "admitted" "The turn of a run has come; nobody has taken it up.";
    TakenOver "taken_over" "A run is this process's; it has not gone on.";
    Decided "decided" "A commit is over; nothing that it decided has begun.";
    Called "called" "A call did its work; nobody heard of it.";
}

/// Passes a point.
#[inline]
pub fn pass(point: Point) {
    #[cfg(debug_assertions)]
    armed::pass(point);
    #[cfg(not(debug_assertions))]
    let _ = point;
}

#[cfg(debug_assertions)]
mod armed {
    use super::Point;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static ARMED: OnceLock<Option<(Point, AtomicU64)>> = OnceLock::new();

    fn read() -> Option<(Point, AtomicU64)> {
        let text = std::env::var("SIGNALBOX_FAILPOINT").ok()?;
        let (name, nth) = text.split_once(':').unwrap_or((&text, "1"));
        let point = Point::ALL.iter().find(|point| point.name() == name)?;
        Some((*point, AtomicU64::new(nth.parse().ok()?)))
    }

    pub(super) fn pass(point: Point) {
        if let Some((armed, left)) = ARMED.get_or_init(read)
            && *armed == point
            && left.fetch_sub(1, Ordering::SeqCst) == 1
        {
            std::process::abort();
        }
    }
}
