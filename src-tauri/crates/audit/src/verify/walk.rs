//! The walk over the entries: where it begins, what it is held against on its way, and what it says at its end.

mod entry;

pub(crate) use entry::check_fields;

use super::{Broken, ClockBack, Expect, Intact, Kind, Row, Signed, Trusted, checkpoint_signature};
use crate::chain::Head;
use crate::checkpoint::SignedCheckpoint;
use crate::digest::Digest;
use crate::merkle::Frontier;
use std::collections::VecDeque;

/// Why the walk ended early.
pub(super) enum Stop<E> {
    Bad(Broken),
    Read(E),
}

impl<E> From<Broken> for Stop<E> {
    fn from(broken: Broken) -> Self {
        Self::Bad(broken)
    }
}

/// The checkpoints alone: numbers, links, signatures.
pub(super) fn checkpoints_alone(expect: &Expect) -> Result<Intact, Broken> {
    let mut walk = Walk::new(expect)?;
    if let Some(broken) = walk.later.take() {
        return Err(broken);
    }
    for sealed in walk.checkpoints {
        walk.count_checkpoint(checkpoint_kind(sealed, expect), sealed.checkpoint.size);
        walk.last = Some(sealed);
    }
    walk.checkpoints = &[];
    let last = walk.last;
    let mut intact = walk.end(0)?;
    if let Some(last) = last.map(|last| &last.checkpoint) {
        intact.head = Head { size: last.size, head_hash: last.head_hash };
        intact.root_hash = last.root_hash;
    }
    Ok(intact)
}

struct Walk<'a> {
    expect: &'a Expect,
    log_id: Option<String>,
    head: Head,
    frontier: Frontier,
    /// Checkpoints and anchors still to come, the next one first.
    checkpoints: &'a [SignedCheckpoint],
    anchors: VecDeque<&'a SignedCheckpoint>,
    last: Option<&'a SignedCheckpoint>,
    /// Entries that a checkpoint has vouched for.
    proven: u64,
    /// Found before the walk: a bad checkpoint. What is bad before it comes first.
    later: Option<Broken>,
    trusted: Option<Trusted>,
    signed: bool,
    signed_up_to: u64,
    anchored_up_to: Option<u64>,
    anchors_unchecked: u64,
    decisions_signed: u64,
    decisions_unsigned: u64,
    unchecked: u64,
    /// The record of the retention was found.
    tombstone: bool,
    clock_ms: Option<i64>,
    clock_back: ClockBack,
}

/// The walk, begun where a retention ended. Checkpoints and anchors before that are held against each other.
pub(super) fn walk_all<E>(rows: impl Iterator<Item = Result<Row, E>>, expect: &Expect) -> Result<Intact, Stop<E>> {
    let Some(tombstone) = expect.tombstone.as_ref().filter(|_| expect.start.is_none()) else {
        return walk(rows, expect);
    };
    let start = tombstone.start(&expect.checkpoints)?;
    let (older, anchors): (Vec<_>, Vec<_>) =
        expect.anchors.iter().cloned().partition(|anchor| anchor.checkpoint.size < tombstone.removed);
    let sealed = expect.checkpoints.partition_point(|sealed| sealed.checkpoint.cp_seq <= tombstone.cp_seq);
    let before = Expect {
        log_id: expect.log_id.clone(),
        checkpoints: expect.checkpoints[..sealed].to_vec(),
        keys: expect.keys.clone(),
        require_signed: expect.require_signed,
        checkpoints_begin_late: expect.checkpoints_begin_late,
        ..Expect::default()
    };
    let seen = super::checkpoints_alone(&before, &older)?;
    let after = Expect { start: Some(start), anchors, ..expect.clone() };
    let mut intact = walk(rows, &after)?;
    intact.anchored_up_to = intact.anchored_up_to.max(seen.anchored_up_to);
    intact.anchors_unchecked += seen.anchors_unchecked;
    Ok(intact)
}

fn walk<E>(mut rows: impl Iterator<Item = Result<Row, E>>, expect: &Expect) -> Result<Intact, Stop<E>> {
    let mut walk = Walk::new(expect)?;
    let first = walk.head.size;
    walk.boundary()?;
    while let Some(row) = rows.next() {
        let row = row.map_err(Stop::Read)?;
        walk.row(&row, &mut rows)?;
        walk.boundary()?;
    }
    walk.end(first).map_err(Stop::Bad)
}

impl<'a> Walk<'a> {
    fn new(expect: &'a Expect) -> Result<Self, Broken> {
        let mut walk = Self {
            expect,
            log_id: expect.log_id.clone(),
            head: Head::EMPTY,
            frontier: Frontier::new(),
            checkpoints: &expect.checkpoints,
            anchors: VecDeque::new(),
            last: None,
            proven: 0,
            later: None,
            trusted: None,
            signed: false,
            signed_up_to: 0,
            anchored_up_to: None,
            anchors_unchecked: 0,
            decisions_signed: 0,
            decisions_unsigned: 0,
            unchecked: 0,
            tombstone: false,
            clock_ms: None,
            clock_back: ClockBack::default(),
        };
        if let Some(start) = &expect.start {
            walk.begin_at(start)?;
        }
        if walk.log_id.is_none() {
            walk.log_id = expect.checkpoints.first().map(|first| first.checkpoint.log_id.clone());
        }
        walk.look_at_checkpoints();
        walk.look_at_anchors()?;
        Ok(walk)
    }

    fn begin_at(&mut self, start: &'a Trusted) -> Result<(), Broken> {
        let at = &start.sealed.checkpoint;
        let fits = start.frontier.is_well_formed()
            && start.frontier.size() == at.size
            && start.frontier.root() == at.root_hash
            && self.log_id.as_ref().is_none_or(|log_id| *log_id == at.log_id);
        if !fits {
            return Err(Broken::new(
                0,
                Kind::Malformed,
                "a starting point whose Merkle frontier gives the root of its checkpoint",
                "one that does not fit itself or this log; verify from the beginning",
            )
            .by(at.cp_seq));
        }
        let signed = checkpoint_signature(&start.sealed, &self.expect.keys, 0)?;
        self.log_id = Some(at.log_id.clone());
        self.head = Head { size: at.size, head_hash: at.head_hash };
        self.frontier = start.frontier.clone();
        self.proven = at.size;
        self.last = Some(&start.sealed);
        self.count_checkpoint(signed, at.size);
        self.trusted = Some(start.clone());
        let known = self.checkpoints.partition_point(|sealed| sealed.checkpoint.cp_seq <= at.cp_seq);
        if let Some(own) = self.checkpoints[..known].iter().find(|sealed| sealed.checkpoint.cp_seq == at.cp_seq)
            && own.checkpoint != *at
        {
            return Err(Broken::new(
                0,
                Kind::Modified,
                format!("checkpoint {} as it was verified before", at.cp_seq),
                "another one under its number; verify from the beginning",
            )
            .by(at.cp_seq));
        }
        self.checkpoints = &self.checkpoints[known..];
        Ok(())
    }

    /// Checks numbers, links and signatures of the checkpoints. The first bad one and what follows are left out of the
    /// walk; the fault is reported unless an entry before it is bad.
    fn look_at_checkpoints(&mut self) {
        let mut last = self.last;
        let mut good = 0;
        for sealed in self.checkpoints {
            match self.look_at_checkpoint(sealed, last) {
                Ok(signed) => {
                    if signed == Signed::Unchecked {
                        self.unchecked += 1;
                    }
                }
                Err(broken) => {
                    self.later = Some(broken);
                    break;
                }
            }
            good += 1;
            last = Some(sealed);
        }
        self.checkpoints = &self.checkpoints[..good];
    }

    fn look_at_checkpoint(&self, sealed: &SignedCheckpoint, last: Option<&SignedCheckpoint>) -> Result<Signed, Broken> {
        let this = &sealed.checkpoint;
        let late = last.is_none() && self.expect.checkpoints_begin_late;
        let number = if late { this.cp_seq } else { last.map_or(0, |last| last.checkpoint.cp_seq + 1) };
        let proven = last.map_or(0, |last| last.checkpoint.size);
        let bad = |kind, expected: String, found: String| Broken::new(proven, kind, expected, found).by(number);
        if this.cp_seq != number {
            let kind = if this.cp_seq > number { Kind::Missing } else { Kind::Duplicated };
            return Err(bad(kind, format!("checkpoint {number}"), format!("checkpoint {}", this.cp_seq)));
        }
        let signed = checkpoint_signature(sealed, &self.expect.keys, proven)?;
        if signed == Signed::Not && self.expect.require_signed {
            let found = "an unsigned one".to_owned();
            return Err(bad(Kind::WrongSigner, format!("checkpoint {number} signed by a known key"), found));
        }
        if let Some(log_id) = &self.log_id
            && this.log_id != *log_id
        {
            let found = format!("one of log {:?}", this.log_id);
            return Err(bad(Kind::Inserted, format!("checkpoint {number} of log {log_id:?}"), found));
        }
        let before = last.map_or(Digest::ZERO, |last| last.checkpoint.hash());
        if this.prev_cp_hash != before && !late {
            let found = format!("one that follows {}", this.prev_cp_hash);
            return Err(bad(Kind::Modified, format!("checkpoint {number} that follows {before}"), found));
        }
        if this.size < proven || !crate::timestamp::is_rfc3339(&this.timestamp) {
            let expected = format!("checkpoint {number} with a time and at least {proven} entries");
            return Err(bad(Kind::Malformed, expected, format!("{} entries, time {:?}", this.size, this.timestamp)));
        }
        Ok(signed)
    }

    fn look_at_anchors(&mut self) -> Result<(), Broken> {
        let first = self.head.size;
        for anchor in &self.expect.anchors {
            let this = &anchor.checkpoint;
            let name = format!("the anchor of checkpoint {}", this.cp_seq);
            if self.log_id.as_ref().is_some_and(|log_id| *log_id != this.log_id) {
                let (expected, found) = (format!("the log {:?} of {name}", this.log_id), "another log".to_owned());
                return Err(Broken::new(0, Kind::AnchorMismatch, expected, found).by(this.cp_seq));
            }
            if let Err(broken) = checkpoint_signature(anchor, &self.expect.keys, self.proven) {
                let expected = format!("{name} with a signature by a known key");
                return Err(Broken { kind: Kind::AnchorMismatch, expected, ..broken });
            }
            if this.size < first {
                self.anchors_unchecked += 1;
            } else {
                self.anchors.push_back(anchor);
            }
        }
        self.anchors.make_contiguous().sort_by_key(|anchor| anchor.checkpoint.size);
        Ok(())
    }

    fn count_checkpoint(&mut self, signed: Signed, size: u64) {
        self.signed = signed == Signed::Known;
        if self.signed {
            self.signed_up_to = size;
        }
    }

    /// Checkpoints, anchors and the head at the size that is reached.
    fn boundary(&mut self) -> Result<(), Broken> {
        let size = self.head.size;
        while let Some((next, later)) = self.checkpoints.split_first()
            && next.checkpoint.size == size
        {
            let this = &next.checkpoint;
            if let Some((expected, found)) = self.differs(next) {
                let expected = format!("entries that give {expected} of checkpoint {} ({size} entries)", this.cp_seq);
                return Err(Broken::new(self.proven, Kind::Modified, expected, found).by(this.cp_seq));
            }
            let signed = checkpoint_kind(next, self.expect);
            self.count_checkpoint(signed, size);
            self.proven = size;
            self.last = Some(next);
            self.trusted = Some(Trusted { sealed: next.clone(), frontier: self.frontier.clone() });
            self.checkpoints = later;
        }
        while let Some(anchor) = self.anchors.front().copied()
            && anchor.checkpoint.size == size
        {
            let this = &anchor.checkpoint;
            if let Some((expected, found)) = self.differs(anchor) {
                let expected = format!("{expected} of the anchor of checkpoint {} ({size} entries)", this.cp_seq);
                // The log's own checkpoints agree with its entries: since when it differs, only older anchors tell.
                let since = self.anchored_up_to.unwrap_or(0).min(self.proven);
                return Err(Broken::new(since, Kind::AnchorMismatch, expected, found).by(this.cp_seq));
            }
            self.anchored_up_to = Some(size);
            self.anchors.pop_front();
        }
        if let Some(head) = self.expect.head
            && head.size == size
            && head.head_hash != self.head.head_hash
        {
            let found = self.head.head_hash.to_string();
            return Err(Broken::new(self.proven, Kind::Modified, format!("the head {}", head.head_hash), found));
        }
        if let Some(head) = self.expect.head
            && !self.expect.head_may_lag
            && head.size < size
            && self.proven < size
        {
            let expected = format!("the end of the log: the recorder wrote {} entries", head.size);
            return Err(Broken::new(head.size, Kind::Inserted, expected, "another entry"));
        }
        Ok(())
    }

    fn differs(&self, sealed: &SignedCheckpoint) -> Option<(String, String)> {
        let this = &sealed.checkpoint;
        let root = self.frontier.root();
        if this.root_hash != root {
            return Some((format!("the root {}", this.root_hash), format!("the root {root}")));
        }
        let head = self.head.head_hash;
        (this.head_hash != head).then(|| (format!("the head {}", this.head_hash), format!("the head {head}")))
    }

    fn end(mut self, first: u64) -> Result<Intact, Broken> {
        if let Some(later) = self.later.take() {
            return Err(later);
        }
        let size = self.head.size;
        if let Some(next) = self.checkpoints.first() {
            let this = &next.checkpoint;
            let expected = format!("the {} entries that checkpoint {} seals", this.size, this.cp_seq);
            return Err(Broken::new(size, Kind::Truncated, expected, format!("{size}")).by(this.cp_seq));
        }
        if let Some(head) = self.expect.head
            && head.size > size
        {
            let expected = format!("the {} entries that the recorder wrote", head.size);
            return Err(Broken::new(size, Kind::Truncated, expected, format!("{size}")));
        }
        if let Some(anchor) = self.anchors.back() {
            let this = &anchor.checkpoint;
            let expected = format!("the {} entries of the anchor of checkpoint {}", this.size, this.cp_seq);
            let found = format!("{size}: the log was cut, or an older copy was put in its place");
            return Err(Broken::new(size, Kind::AnchorMismatch, expected, found).by(this.cp_seq));
        }
        if let Some(tombstone) = self.expect.tombstone.as_ref().filter(|_| !self.tombstone) {
            let expected = format!("the record of the retention that removed {} entries", tombstone.removed);
            return Err(Broken::new(0, Kind::Missing, expected, "none"));
        }
        let sealed = self.last.map_or(0, |last| last.checkpoint.size);
        Ok(Intact {
            log_id: self.log_id.unwrap_or_default(),
            entries: size,
            verified: size - first,
            shown_in_part: 0,
            removed: self.expect.tombstone.as_ref().map_or(0, |tombstone| tombstone.removed),
            clock_back: self.clock_back,
            head: self.head,
            root_hash: self.frontier.root(),
            sealed,
            unsealed_tail: size.saturating_sub(sealed),
            signed: self.signed,
            signed_up_to: self.signed_up_to,
            anchored_up_to: self.anchored_up_to,
            anchors_unchecked: self.anchors_unchecked,
            decisions_signed: self.decisions_signed,
            decisions_unsigned: self.decisions_unsigned,
            signatures_unchecked: self.unchecked,
            trusted: self.trusted,
            frontier: self.frontier,
        })
    }
}

/// What the signature of a checkpoint that passed [`Walk::look_at_checkpoint`] is.
fn checkpoint_kind(sealed: &SignedCheckpoint, expect: &Expect) -> Signed {
    match (sealed.signature, expect.keys.is_empty()) {
        (None, _) => Signed::Not,
        (Some(_), true) => Signed::Unchecked,
        (Some(_), false) => Signed::Known,
    }
}
