//! When a file is whole: its size and time have been still for a while. Nothing here looks at a disk or a clock.

use signalbox_ports::FileEntry;
use std::collections::BTreeMap;

/// Size and time of a file: what is compared before anything is read.
pub(crate) type Look = (u64, i64);

/// Files that are not known yet, and since when they look as they do.
#[derive(Debug, Default)]
pub(crate) struct Settling {
    since: BTreeMap<String, (Look, i64)>,
}

impl Settling {
    /// What is in the folder now. Gives the files that have been still for so long and are not known as they look.
    pub(crate) fn observe(
        &mut self,
        entries: Vec<FileEntry>,
        known: impl Fn(&str) -> Option<Look>,
        now_ms: i64,
        settle_ms: i64,
    ) -> Vec<FileEntry> {
        let mut before = std::mem::take(&mut self.since);
        let mut ready = Vec::new();
        for entry in entries {
            let look = (entry.size, entry.modified_ms);
            if known(&entry.path) == Some(look) {
                continue;
            }
            let same = before.remove(&entry.path).filter(|(then, _)| *then == look);
            // A clock that was put back starts the wait again.
            let since = same.map_or(now_ms, |(_, since)| since.min(now_ms));
            self.since.insert(entry.path.clone(), (look, since));
            if now_ms - since >= settle_ms {
                ready.push(entry);
            }
        }
        ready
    }

    /// When the next file may be whole; none when nothing waits.
    pub(crate) fn next(&self, settle_ms: i64) -> Option<i64> {
        self.since.values().map(|(_, since)| since.saturating_add(settle_ms)).min()
    }

    /// It turned out to be still in change.
    pub(crate) fn again(&mut self, path: &str, now_ms: i64) {
        if let Some((_, since)) = self.since.get_mut(path) {
            *since = now_ms;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(size: u64, modified_ms: i64) -> FileEntry {
        FileEntry { path: "in/a".into(), name: "a".into(), size, modified_ms }
    }

    #[test]
    fn a_file_is_whole_when_it_has_been_still() {
        let mut settling = Settling::default();
        let mut sees =
            |entry: Option<FileEntry>, now| settling.observe(entry.into_iter().collect(), |_| None, now, 10).len();
        assert_eq!((sees(Some(file(1, 1)), 0), sees(Some(file(2, 1)), 9), sees(Some(file(2, 2)), 18)), (0, 0, 0));
        assert_eq!((sees(Some(file(2, 2)), 27), sees(Some(file(2, 2)), 28)), (0, 1));
        assert_eq!((sees(None, 29), sees(Some(file(2, 2)), 30)), (0, 0), "one that was away begins anew");
        assert_eq!((sees(Some(file(2, 2)), 20), sees(Some(file(2, 2)), 30)), (0, 1), "the clock was put back");
    }

    #[test]
    fn a_known_file_is_passed_over_until_it_changes() {
        let mut settling = Settling::default();
        let known = |_: &str| Some((2, 2));
        assert!(settling.observe(vec![file(2, 2)], known, 0, 0).is_empty() && settling.next(0).is_none());
        assert_eq!(settling.observe(vec![file(2, 3)], known, 0, 0).len(), 1);
    }
}
