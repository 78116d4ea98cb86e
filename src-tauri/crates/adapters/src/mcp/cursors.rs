//! The pages of a server's list. A cursor is a text of the server's own, so only what it does shows whether it leads anywhere.

use super::fault::failure;
use signalbox_model::hash::sha256_hex;
use signalbox_ports::tools::{ToolFailure, ToolFault};
use std::collections::HashSet;

/// Pages of one list; a server may put each tool on a page of its own.
const MOST_PAGES: usize = 1_000;

/// The cursors that were given for one list.
#[derive(Default)]
pub(super) struct Cursors(HashSet<String>);

impl Cursors {
    /// Notes a cursor. One that was given before leads to a page that was read already; then the list has no end.
    pub(super) fn take(&mut self, cursor: &str) -> Result<(), ToolFailure> {
        // Of a long one as much is kept as of a short one.
        if !self.0.insert(sha256_hex(cursor.as_bytes())) {
            let words = "The server repeats its cursor: it names a page of its list of tools that was read already, so the list \
                         has no end. This is a fault of the server; update it, or tell whoever makes it";
            return Err(failure(ToolFault::BadAnswer, words));
        }
        if self.0.len() >= MOST_PAGES {
            let words = format!("The server names more than {MOST_PAGES} pages of tools, and each names a next one");
            return Err(failure(ToolFault::TooLarge, words));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursors, MOST_PAGES};
    use signalbox_ports::tools::ToolFault;

    /// Where a list is left, and why.
    fn left(cursors: impl IntoIterator<Item = String>) -> Option<(usize, ToolFault)> {
        let mut given = Cursors::default();
        cursors.into_iter().enumerate().find_map(|(at, cursor)| Some((at, given.take(&cursor).err()?.fault)))
    }

    #[test]
    fn a_cursor_that_was_given_before_is_seen_at_once_however_long_the_round() {
        for round in 1..=7 {
            let cursors = (0..100).map(|page| format!("page {}", page % round));
            assert_eq!(left(cursors), Some((round, ToolFault::BadAnswer)));
        }
        assert_eq!(left((0..900).map(|page| page.to_string())), None);
        assert_eq!(left((0..).map(|page| page.to_string())), Some((MOST_PAGES - 1, ToolFault::TooLarge)));
    }
}
