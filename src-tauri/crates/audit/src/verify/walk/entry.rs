//! One entry of the walk: whether it is the next one, and which one is bad when it is not.

use super::{Stop, Walk};
use crate::chain::Head;
use crate::digest::Digest;
use crate::entry::{Entry, hash_text, is_signed};
use crate::retention::Tombstone;
use crate::verify::{Broken, Kind, Row, Signed, entry_signature};

/// Between two entries written by several runs time may go back a little.
const CLOCK_SLACK_MS: i64 = 5_000;
/// So many places where it went back further are named.
const CLOCK_NAMED: usize = 20;

impl Walk<'_> {
    /// One row. `rest` is read only when it is bad, to tell a missing entry from one that stands elsewhere.
    pub(super) fn row<E>(&mut self, row: &Row, rest: &mut impl Iterator<Item = Result<Row, E>>) -> Result<(), Stop<E>> {
        let seq = self.head.size;
        // What comes after a bad checkpoint can be no worse than the checkpoint itself.
        if self.later.as_ref().is_some_and(|later| later.first_bad_seq < seq)
            && let Some(later) = self.later.take()
        {
            return Err(later.into());
        }
        let hash = hash_text(&row.text);
        if row.hash.parse() != Ok(hash) {
            return Err(match row.seq {
                at if at > seq => gone(seq, at, rest)?,
                at if at < seq => twice(seq, at, row.seq),
                _ => Broken::new(
                    seq,
                    Kind::Modified,
                    format!("an entry whose content gives its hash {}", brief(&row.hash)),
                    format!("content that gives {hash}"),
                ),
            }
            .into());
        }
        let entry = match Entry::from_canonical(&row.text) {
            Ok(entry) => entry,
            Err(error) => {
                return Err(
                    Broken::new(seq, Kind::Malformed, "an entry in its canonical spelling", error.to_string()).into()
                );
            }
        };
        let log_id = self.log_id.get_or_insert_with(|| entry.log_id.clone());
        if entry.log_id != *log_id {
            let (expected, found) = (format!("an entry of log {log_id:?}"), format!("one of log {:?}", entry.log_id));
            return Err(Broken::new(seq, Kind::Inserted, expected, found).into());
        }
        if entry.seq > seq {
            return Err(gone(seq, entry.seq, rest)?.into());
        }
        if entry.seq < seq {
            return Err(twice(seq, entry.seq, row.seq).into());
        }
        if row.seq != seq {
            let found = format!("entry {seq} stored under {}", row.seq);
            return Err(Broken::new(seq, Kind::Reordered, format!("entry {seq} under its number"), found).into());
        }
        if entry.prev_hash != self.head.head_hash {
            return Err(self.unlinked(&entry, hash, rest)?.into());
        }
        check_fields(&entry)?;
        match entry_signature(&entry, &hash, row.signature.as_deref(), &self.expect.keys)? {
            Signed::Known => self.decisions_signed += 1,
            Signed::Unchecked => self.unchecked += 1,
            Signed::Not if is_signed(&entry.event) => {
                self.decisions_unsigned += 1;
                if self.expect.require_signed {
                    let expected = format!("{} signed by a known key", entry.event);
                    return Err(Broken::new(seq, Kind::WrongSigner, expected, "no signature").into());
                }
            }
            Signed::Not => {}
        }
        self.look_at_retention(&entry, row.signature.is_some())?;
        self.look_at_clock(&entry);
        self.head = Head { size: seq + 1, head_hash: hash };
        self.frontier.push(&hash);
        Ok(())
    }

    /// The record of the retention that this walk begins after. Its signature was checked with the entry's.
    fn look_at_retention(&mut self, entry: &Entry, signed: bool) -> Result<(), Broken> {
        if self.tombstone || self.expect.tombstone.is_none() || Tombstone::of(entry) != self.expect.tombstone {
            return Ok(());
        }
        if !signed && (self.expect.require_signed || !self.expect.keys.is_empty()) {
            let expected = "a record of the retention signed by a known key";
            return Err(Broken::new(entry.seq, Kind::WrongSigner, expected, "no signature"));
        }
        self.tombstone = true;
        Ok(())
    }

    fn look_at_clock(&mut self, entry: &Entry) {
        let now = crate::timestamp::millis(&entry.timestamp);
        if let (Some(before), Some(now)) = (self.clock_ms, now)
            && before - now > CLOCK_SLACK_MS
        {
            self.clock_back.count += 1;
            if self.clock_back.first.len() < CLOCK_NAMED {
                self.clock_back.first.push(entry.seq);
            }
        }
        self.clock_ms = now.or(self.clock_ms);
    }

    /// The entry names another predecessor than the one that is there. Which of the two is bad? If the next entry or
    /// the recorder's head confirms this one, the one before was changed and its hash computed anew.
    fn unlinked<E>(
        &self,
        entry: &Entry,
        hash: Digest,
        rest: &mut impl Iterator<Item = Result<Row, E>>,
    ) -> Result<Broken, Stop<E>> {
        let next = rest.next().transpose().map_err(Stop::Read)?;
        let confirmed = next
            .and_then(|row| Entry::from_canonical(&row.text).ok())
            .is_some_and(|next| next.seq == entry.seq + 1 && next.prev_hash == hash)
            || self.expect.head == Some(Head { size: entry.seq + 1, head_hash: hash });
        let bad = if confirmed && self.proven < entry.seq { entry.seq - 1 } else { entry.seq };
        let follows = self.head.head_hash;
        Ok(if bad < entry.seq {
            Broken::new(
                bad,
                Kind::Modified,
                format!("an entry with the hash {}, which entry {} names", entry.prev_hash, entry.seq),
                format!("one with the hash {follows}: its content and hash were replaced"),
            )
        } else {
            Broken::new(
                bad,
                Kind::Modified,
                format!("an entry that follows {follows}"),
                format!("one that follows {}", entry.prev_hash),
            )
        })
    }
}

/// What sealing checks, so that a log that another program wrote is held to the same.
pub(crate) fn check_fields(entry: &Entry) -> Result<(), Broken> {
    let bad = |expected: &str, found: &str| Err(Broken::new(entry.seq, Kind::Malformed, expected, brief(found)));
    if !crate::timestamp::is_rfc3339(&entry.timestamp) {
        return bad("an RFC 3339 time", &entry.timestamp);
    }
    if !crate::record::is_event_name(&entry.event) {
        return bad("an event name like NODE_ERROR", &entry.event);
    }
    if entry.run_id.is_empty() || entry.node_id.is_empty() {
        return bad("a runId and a nodeId", "");
    }
    Ok(())
}

/// Entry `seq` does not stand where it should; `instead` does. Does it stand further on?
fn gone<E>(seq: u64, instead: u64, rest: &mut impl Iterator<Item = Result<Row, E>>) -> Result<Broken, Stop<E>> {
    for row in rest {
        let row = row.map_err(Stop::Read)?;
        let own = Entry::from_canonical(&row.text).map_or(row.seq, |entry| entry.seq);
        if own == seq {
            let found = format!("entry {instead}; entry {seq} stands further on");
            return Ok(Broken::new(seq, Kind::Reordered, format!("entry {seq}"), found));
        }
    }
    Ok(Broken::new(seq, Kind::Missing, format!("entry {seq}"), format!("entry {instead}; entry {seq} is not there")))
}

/// At the place of entry `seq` stands `again`, which has been read before.
fn twice(seq: u64, again: u64, stored: u64) -> Broken {
    let bad = if stored == seq { seq } else { again };
    Broken::new(bad, Kind::Duplicated, format!("entry {seq}"), format!("entry {again} once more"))
}

/// A stored text for a message, kept short and free of control characters.
fn brief(text: &str) -> String {
    text.chars().take(80).map(|c| if c.is_control() || crate::line::is_escaped(c) { '\u{fffd}' } else { c }).collect()
}
