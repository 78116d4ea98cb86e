//! The audit chain inside the writer's transactions: an entry is sealed where the state that it describes is changed, or
//! neither is written. The head is read in the transaction, because another process may have written since.

use crate::chain_truncation;
use crate::document::Blob;
use crate::error::{Error, Result};
use crate::high_water;
use crate::mask;
use crate::retention;
use crate::sql::{Connection, params_from_iter};
use crate::store::Store;
use crate::table::audit_entry::{self, AuditFacets, AuditPage, AuditQuery, AuditRow};
use crate::table::{audit_checkpoint, audit_meta, audit_place, audit_text, blob};
use crate::writer::Work;
use serde_json::Value;
use signalbox_audit::verify::{Expect, Trusted, Verdict, try_verify};
use signalbox_audit::{Anchor, Chain, Digest, Frontier, Head, PublicKey, Record, SignedCheckpoint, Signer, is_signed};
use signalbox_model::AuditEvent;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

/// Stands for a run in `blob_use`: context snapshots of records from outside.
pub(crate) const SNAPSHOTS: &str = "$audit";

/// Texts that are taken in at once: no step waits longer than a moment for it.
const TAKEN_IN: usize = 2_000;

/// How many entries are on the disk for certain, as far as somebody asked.
const SYNCED: &str = "synced";

/// A checkpoint is made when so many entries have none.
const UNSEALED: u64 = 1_000;

/// Where an entry stands now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Its place.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
    /// It was there already: the same `dedupe` was recorded before.
    pub repeated: bool,
}

/// Where the chain stands.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditState {
    /// The chain.
    pub log_id: String,
    /// Size and hash of the last entry.
    pub head: Head,
    /// The last checkpoint.
    pub checkpoint: Option<SignedCheckpoint>,
    /// Public keys that signed here, as PEM blocks.
    pub keys: String,
}

/// Where a record stands: at the end of the chain, or where the same was recorded before.
enum Placed {
    New { seq: u64, hash: Digest },
    Known(AuditRow),
}

impl From<Placed> for Receipt {
    fn from(placed: Placed) -> Self {
        match placed {
            Placed::New { seq, hash } => Self { seq, hash: hash.to_hex(), repeated: false },
            Placed::Known(row) => Self { seq: row.seq, hash: row.hash, repeated: true },
        }
    }
}

/// One decision of a person is recorded once, whether its answer or its run comes first.
fn dedupe_of(record: &Record) -> Option<String> {
    let task = record.metadata.as_ref()?.get("taskId")?.as_str()?;
    let completed = AuditEvent::HitlCompleted.as_str();
    (record.event == completed).then(|| format!("{completed} {task}"))
}

/// A record as it is sealed: made before the transaction, because whoever writes keeps all others waiting.
pub(crate) struct Ready {
    record: Record,
    dedupe: Option<String>,
}

impl Ready {
    pub(crate) fn new(record: Record) -> Self {
        let dedupe = dedupe_of(&record);
        Self::with(record, dedupe)
    }

    fn with(record: Record, dedupe: Option<String>) -> Self {
        Self { record: mask::record(record).with_large_integers_as_text(), dedupe }
    }
}

/// Of which runs the entries are that `audit_run` does not know yet: a run that ends is then counted without reading them.
#[derive(Default)]
pub(crate) struct Newest {
    /// The chain that this is of; another one, after a rollback or when another process has written, is looked through anew.
    of: Option<Head>,
    runs: HashMap<String, u64>,
}

impl Newest {
    fn add(&mut self, run: &str) {
        match self.runs.get_mut(run) {
            Some(count) => *count += 1,
            None => drop(self.runs.insert(run.to_owned(), 1)),
        }
    }
}

/// The end of the chain, read once for all entries of a commit. Another process may have written since the last one.
struct Tail {
    chain: Chain,
    /// How many entries there were.
    from: u64,
    /// The latest time of all entries.
    high: Option<i64>,
    /// `Newest` is of this chain up to here.
    counts: bool,
}

impl Tail {
    fn read(work: &mut Work<'_>) -> Result<Self> {
        let connection = work.connection;
        let (head, high) = audit_entry::tail(connection)?;
        chain_truncation::look(connection, work.known, head)?;
        let log_id = match &work.log_id {
            Some(log_id) => Arc::clone(log_id),
            None => work.log_id.insert(audit_meta::log_id(connection)?.into()).clone(),
        };
        // Given back at the end: what is counted for a commit that does not come to its end is of no chain.
        let counts = work.newest.of.take() == Some(head);
        Ok(Self { chain: Chain::at(log_id, head), from: head.size, high, counts })
    }

    fn append(&mut self, work: &mut Work<'_>, ready: Ready) -> Result<Placed> {
        let connection = work.connection;
        let Ready { record, dedupe } = ready;
        if let Some(dedupe) = &dedupe
            && let Some(row) = audit_entry::by_dedupe(connection, dedupe)?
        {
            return Ok(Placed::Known(row));
        }
        let ends = record.event == AuditEvent::WorkflowCompleted.as_str();
        let record = if ends { self.counted(work, record)? } else { record };
        let sealed =
            self.chain.seal(record).map_err(|error| Error::Invalid { reason: format!("audit entry: {error}") })?;
        let signer = work.signer.as_deref().filter(|_| is_signed(&sealed.entry.event));
        let signature = signer.map(|signer| signer.sign_hash(&sealed.hash));
        self.high = Some(audit_entry::insert(connection, &sealed, signature, dedupe.as_deref(), self.high)?);
        if self.counts {
            work.newest.add(&sealed.entry.run_id);
        }
        Ok(Placed::New { seq: sealed.entry.seq, hash: sealed.hash })
    }

    /// The last entry of a run says how many there are, so that a pack of the run shows that none is left out.
    fn counted(&mut self, work: &mut Work<'_>, mut record: Record) -> Result<Record> {
        let newest = &mut *work.newest;
        if !self.counts {
            newest.runs = audit_place::newest_runs(work.connection)?;
            self.counts = true;
        }
        let new = newest.runs.get(&record.run_id).copied().unwrap_or(0);
        let count = audit_place::known_of_run(work.connection, &record.run_id)? + new + 1;
        record.metadata.get_or_insert_default().insert("entryCount".into(), count.into());
        Ok(record)
    }

    /// After the last entry of the commit.
    fn end(mut self, work: &mut Work<'_>) -> Result<()> {
        let head = self.chain.head();
        if head.size > self.from {
            if audit_place::catch_up(work.connection, self.from, head.size)? {
                work.newest.runs.clear();
                self.counts = true;
            }
            work.head = Some(head);
        }
        work.newest.of = self.counts.then_some(head);
        Ok(())
    }
}

/// Seals records at the end of the chain.
pub(crate) fn append(work: &mut Work<'_>, records: Vec<Record>) -> Result<()> {
    append_ready(work, records.into_iter().map(Ready::new).collect())
}

/// [`append`] of what was made ready before.
pub(crate) fn append_ready(work: &mut Work<'_>, records: Vec<Ready>) -> Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let mut tail = Tail::read(work)?;
    for ready in records {
        tail.append(work, ready)?;
    }
    tail.end(work)
}

pub(crate) fn append_one(work: &mut Work<'_>, record: Record, dedupe: Option<&str>) -> Result<Receipt> {
    let mut tail = Tail::read(work)?;
    let placed = tail.append(work, Ready::with(record, dedupe.map(str::to_owned)))?;
    tail.end(work)?;
    Ok(placed.into())
}

/// Whether a checkpoint is due. `sealed` is what was found the last time: only when it says so is it looked at again, because
/// another process may have made one since.
pub(crate) fn is_due(connection: &Connection, head: Head, sealed: &mut u64) -> bool {
    let is_due = |sealed: u64| head.size.saturating_sub(sealed) >= UNSEALED;
    if !is_due(*sealed) {
        return false;
    }
    // What cannot be read now is read after the next commit.
    let Ok(found) = audit_checkpoint::sealed_size(connection) else { return false };
    *sealed = found;
    is_due(found)
}

/// Seals the chain as it stands; `None` when the last checkpoint does so already. Without a time, that of the last entry.
pub(crate) fn checkpoint(
    connection: &Connection,
    signer: Option<&Signer>,
    timestamp: Option<&str>,
) -> Result<Option<SignedCheckpoint>> {
    let head = audit_entry::head(connection)?;
    let last = audit_checkpoint::last(connection)?;
    let (previous, mut frontier) = match last {
        Some(Trusted { sealed, frontier }) => (Some(sealed), frontier),
        None => (None, Frontier::new()),
    };
    let unsigned = previous.as_ref().is_some_and(|sealed| sealed.signature.is_none());
    if head.size == frontier.size() && !(unsigned && signer.is_some() && head.size > 0) {
        return Ok(None);
    }
    let mut statement = connection.prepare_cached("SELECT hash FROM audit_entry WHERE seq >= ? ORDER BY seq")?;
    let mut rows = statement.query([frontier.size()])?;
    while let Some(row) = rows.next()? {
        let hash: String = row.get(0)?;
        let hash = hash.parse().map_err(|_| audit_entry::damaged(frontier.size()))?;
        frontier.push(&hash);
    }
    let timestamp = match timestamp {
        Some(text) => text.to_owned(),
        None => audit_entry::get(connection, head.size.saturating_sub(1))?
            .and_then(|row| row.entry())
            .map(|entry| entry.timestamp)
            .unwrap_or_default(),
    };
    let log_id = audit_meta::log_id(connection)?;
    let sealed = SignedCheckpoint::seal(&log_id, head, &frontier, previous.as_ref(), timestamp, signer)
        .map_err(|error| Error::Damaged { reason: format!("the audit chain cannot be sealed: {error}") })?;
    audit_checkpoint::insert(connection, &sealed, &frontier)?;
    Ok(Some(sealed))
}

/// The audit chain.
impl Store {
    /// The key that signs from now on; its public half is kept for verifications. Without one, entries are unsigned.
    pub fn set_audit_signer(&self, signer: Signer) -> Result<()> {
        let signer = Arc::new(signer);
        let pem = signer.public_key().to_pem();
        if !self.audit_state()?.keys.contains(&pem) {
            self.write(true, move |work| {
                let known = audit_meta::get(work.connection, "keys")?.unwrap_or_default();
                if known.contains(&pem) { Ok(()) } else { audit_meta::set(work.connection, "keys", &(known + &pem)) }
            })?;
        }
        *self.inner.signer.lock().unwrap_or_else(PoisonError::into_inner) = Some(signer);
        Ok(())
    }

    /// [`Self::set_audit_signer`] where several hosts sign: false for any other key than the last one that signed. Of hosts that
    /// start at the same time with different keys, one is right.
    pub fn set_audit_signer_of_all(&self, signer: Signer) -> Result<bool> {
        let pem = signer.public_key().to_pem();
        let known = self.audit_state()?.keys;
        let fits = if known.is_empty() {
            let pem = pem.clone();
            self.write(true, move |work| {
                let known = audit_meta::get(work.connection, "keys")?.unwrap_or_default();
                if known.is_empty() {
                    audit_meta::set(work.connection, "keys", &pem)?;
                }
                Ok(known.is_empty() || known.ends_with(&pem))
            })?
        } else {
            known.ends_with(&pem)
        };
        if fits {
            *self.inner.signer.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(signer));
        }
        Ok(fits)
    }

    /// The public key that signs now.
    pub fn audit_key(&self) -> Option<PublicKey> {
        self.inner.signer.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|signer| signer.public_key())
    }

    /// Records one entry. What was recorded before with the same `dedupe` is not recorded again.
    pub fn audit_append(&self, record: Record, dedupe: Option<String>, durable: bool) -> Result<Receipt> {
        self.write(durable, move |work| append_one(work, record, dedupe.as_deref()))
    }

    /// [`Self::audit_append`] of a record from outside, on the disk before this returns. `snapshot` is what its
    /// `contextSnapshotHash` stands for: it is kept apart under that hash.
    pub fn audit_append_with(&self, record: Record, snapshot: Option<(String, String)>) -> Result<Receipt> {
        self.write(true, move |work| {
            if let Some((hash, data)) = snapshot {
                blob::put(work.connection, SNAPSHOTS, &Blob::new(hash, data))?;
            }
            append_one(work, record, None)
        })
    }

    /// Seals all entries so far and waits for the disk; `None` when nothing was unsealed.
    pub fn audit_checkpoint(&self, timestamp: &str) -> Result<Option<SignedCheckpoint>> {
        let timestamp = timestamp.to_owned();
        self.write(true, move |work| checkpoint(work.connection, work.signer.as_deref(), Some(&timestamp)))
    }

    /// Waits until all entries before `upto`, which were read, are on the disk.
    pub fn audit_sync(&self, upto: u64) -> Result<()> {
        // A commit that waits for the disk takes all before it along; one that changes nothing would not.
        self.write(true, move |work| {
            let synced = audit_meta::get(work.connection, SYNCED)?.and_then(|text| text.parse().ok()).unwrap_or(0);
            if upto > synced { audit_meta::set(work.connection, SYNCED, &upto.to_string()) } else { Ok(()) }
        })
    }

    /// Where the chain stands.
    pub fn audit_state(&self) -> Result<AuditState> {
        self.view(|connection| {
            Ok(AuditState {
                log_id: audit_meta::log_id(connection)?,
                head: audit_entry::head(connection)?,
                checkpoint: audit_checkpoint::last(connection)?.map(|trusted| trusted.sealed),
                keys: audit_meta::get(connection, "keys")?.unwrap_or_default(),
            })
        })
    }

    /// Takes in the texts of at most 2,000 entries, so that a search need not read them; says whether more are left. Whoever
    /// stays calls it now and then: a search finds everything without, only slower.
    pub fn audit_index(&self) -> Result<bool> {
        let (from, head) =
            self.view(|connection| Ok((audit_text::taken_to(connection)?, audit_entry::head(connection)?.size)))?;
        if from >= head {
            return Ok(false);
        }
        self.write(false, |work| audit_text::take_in(work.connection, TAKEN_IN))
    }

    /// A page of entries.
    pub fn audit_page(&self, query: &AuditQuery) -> Result<AuditPage> {
        self.view(|connection| audit_entry::page(connection, query))
    }

    /// How many of the newest 10,000 matching entries have which event, level and actor.
    pub fn audit_facets(&self, query: &AuditQuery) -> Result<AuditFacets> {
        self.view(|connection| audit_entry::facets(connection, query))
    }

    /// One entry.
    pub fn audit_entry(&self, seq: u64) -> Result<Option<AuditRow>> {
        self.view(|connection| audit_entry::get(connection, seq))
    }

    /// One entry, for a file of entries.
    pub fn audit_row(&self, seq: u64) -> Result<Option<signalbox_audit::verify::Row>> {
        let row = self.audit_entry(seq)?;
        Ok(row.map(|AuditRow { seq, text, hash, signature }| signalbox_audit::verify::Row {
            seq,
            text,
            hash,
            signature,
        }))
    }

    /// Hands entries from `from` on to `take`, oldest first, from one consistent view; ends when `take` says false.
    pub fn audit_rows(
        &self,
        run: Option<&str>,
        from: u64,
        mut take: impl FnMut(signalbox_audit::verify::Row) -> bool,
    ) -> Result<()> {
        self.view(|connection| {
            let mut filter = audit_entry::from(from);
            if let Some(run) = run {
                filter.add_run(connection, run)?;
            }
            let text = format!("SELECT seq, entry, hash, signature FROM audit_entry {} ORDER BY seq", filter.sql());
            let mut statement = connection.prepare_cached(&text)?;
            let mut rows = statement.query(params_from_iter(&filter.values))?;
            while let Some(row) = rows.next()? {
                if !take(audit_entry::read_chain(&row)?) {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Hands the entries that match on to `take`, oldest first, from one consistent view; ends when `take` says false.
    /// `before`, `after` and `limit` do not count.
    pub fn audit_matching(
        &self,
        query: &AuditQuery,
        take: impl FnMut(signalbox_audit::verify::Row) -> bool,
    ) -> Result<()> {
        self.view(|connection| audit_entry::matching(connection, query, take))
    }

    /// Which of these entries, both included, are the last one that a checkpoint seals.
    pub fn audit_sealed(&self, from: u64, to: u64) -> Result<Vec<u64>> {
        self.view(|connection| audit_checkpoint::ends(connection, from, to))
    }

    /// All checkpoints.
    pub fn audit_checkpoints(&self) -> Result<Vec<SignedCheckpoint>> {
        self.view(audit_checkpoint::all)
    }

    /// Verifies the chain, from `start` or from the beginning, and what is signed against `keys`. The entries that are
    /// written meanwhile are not looked at.
    pub fn audit_verify(&self, keys: Vec<PublicKey>, anchors: Vec<Anchor>, start: Option<Trusted>) -> Result<Verdict> {
        // The mark first: the chain can only be further than it by the time it is read.
        let head = high_water::head(&self.inner.mark);
        self.view(|connection| {
            let accepted = chain_truncation::accepted(connection)?;
            let head = head.filter(|head| head.size > accepted);
            let first = audit_entry::first(connection)?;
            let tombstone = if first == 0 { None } else { retention::tombstone(connection)?.map(|(_, found)| found) };
            // Entries went that no retention removed: only a walk from the beginning says so.
            let known = first == 0 || tombstone.as_ref().is_some_and(|tombstone| tombstone.removed == first);
            let start = start.filter(|start| known && start.sealed.checkpoint.size >= first);
            let expect = Expect {
                tombstone: tombstone.filter(|_| start.is_none()),
                log_id: Some(audit_meta::log_id(connection)?),
                checkpoints: audit_checkpoint::all(connection)?,
                keys,
                anchors,
                start,
                head,
                head_may_lag: true,
                checkpoints_begin_late: false,
                require_signed: false,
            };
            let from = expect
                .start
                .as_ref()
                .map_or(i64::MIN, |start| i64::try_from(start.sealed.checkpoint.size).unwrap_or(i64::MAX));
            let mut statement = connection
                .prepare_cached("SELECT seq, entry, hash, signature FROM audit_entry WHERE seq >= ? ORDER BY seq")?;
            let rows = statement.query_map([from], audit_entry::read_chain)?;
            Ok(try_verify(rows, &expect)?)
        })
    }

    /// What the host remembers about the chain, for example its last verification.
    pub fn audit_note(&self, name: &str) -> Result<Option<Value>> {
        let text = self.view(|connection| audit_meta::get(connection, &format!("note.{name}")))?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Keeps what `change` makes of such a note, with the entry that says so; nobody writes it in between.
    pub fn change_audit_note<E: Send + 'static>(
        &self,
        name: &str,
        record: Record,
        change: impl FnOnce(Option<Value>) -> Result<Value, E> + Send + 'static,
    ) -> Result<Result<(), E>> {
        let name = format!("note.{name}");
        self.write(true, move |work| {
            let kept = audit_meta::get(work.connection, &name)?.and_then(|text| serde_json::from_str(&text).ok());
            let value = match change(kept) {
                Ok(value) => value,
                Err(why) => return Ok(Err(why)),
            };
            audit_meta::set(work.connection, &name, &value.to_string())?;
            append_one(work, record, None).map(|_| Ok(()))
        })
    }

    /// Keeps such a note.
    pub fn set_audit_note(&self, name: &str, value: &Value) -> Result<()> {
        let (name, text) = (format!("note.{name}"), value.to_string());
        self.write(false, move |work| audit_meta::set(work.connection, &name, &text))
    }
}
