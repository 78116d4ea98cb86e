//! Who uses a connection, so that none is ended under somebody's hands.

use std::time::Duration;
use tokio::time::Instant;

/// The users of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) users: usize,
    /// When the last one ended.
    pub(super) since: Instant,
    /// It was given up: nobody begins to use it.
    closed: bool,
}

impl Load {
    pub(super) fn new() -> Self {
        Self { users: 0, since: Instant::now(), closed: false }
    }

    /// Somebody begins; false when it was given up.
    pub(super) fn begin(&mut self) -> bool {
        self.users += usize::from(!self.closed);
        !self.closed
    }

    pub(super) fn end(&mut self) {
        self.users = self.users.saturating_sub(1);
        self.since = Instant::now();
    }

    /// Gives it up when nobody uses it and it is of no use, or nobody used it for `idle`. Looked at and closed in one step:
    /// nobody begins in between.
    pub(super) fn give_up(&mut self, usable: bool, idle: Duration) -> bool {
        self.closed |= self.users == 0 && (!usable || self.since.elapsed() >= idle);
        self.closed
    }
}

#[cfg(test)]
mod tests;
