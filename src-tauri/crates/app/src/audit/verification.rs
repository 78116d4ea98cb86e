//! Verifying the chain, and what the last verification found.

use crate::app::App;
use crate::audit::anchor::file as anchor_file;
use crate::audit::facts::{fact_at, keys};
use crate::audit::missing_end;
use crate::audit::query;
use crate::dto::{
    AuditAnchorLine, AuditBroken, AuditCheckpoint, AuditClockBack, AuditCondition, AuditHead, AuditOfRun,
    AuditPayloads, AuditStatus, AuditVerdict,
};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::io_error;
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, time};
use signalbox_store::audit::line;
use signalbox_store::audit::sink::{self, SinkError};
use signalbox_store::audit::verify::{Broken, Expect, Kind, Row, Trusted, Verdict, try_verify};
use signalbox_store::audit::{Actor, Anchor, Entry, Findings, Level, PublicKey, Record, SignedCheckpoint, pack};
use signalbox_store::{Payloads, StoreError};
use std::cell::RefCell;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};

/// More entries than this take longer than some two seconds to verify.
const LONG: u64 = 200_000;

fn checkpoint_of(sealed: &SignedCheckpoint) -> AuditCheckpoint {
    let this = &sealed.checkpoint;
    AuditCheckpoint { size: this.size, root_hash: this.root_hash.to_hex(), timestamp: this.timestamp.clone() }
}

/// Says that a verification has ended, however it did.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl App {
    /// The chain's own events.
    pub(crate) fn fact(&self, event: AuditEvent, level: Level, actor: Actor, facts: Value) -> Record {
        fact_at(self.now_ms(), event, level, actor, facts)
    }

    /// Verifies the chain and remembers what was found.
    pub(crate) fn verify_audit(&self, full: bool) -> ApiResult<AuditVerdict> {
        self.verify_against(full, Vec::new(), Vec::new())
    }

    /// What a host that stays does at its start. The note of what was verified before lies beside what it vouches for, so
    /// that only a chain too long to be read in seconds is taken up there.
    pub(crate) fn verify_audit_at_start(&self) -> ApiResult<AuditVerdict> {
        self.verify_audit_above(LONG)
    }

    fn verify_audit_above(&self, long: u64) -> ApiResult<AuditVerdict> {
        let long = self.store.audit_state()?.head.size > long;
        self.verify_audit(!long)
    }

    /// [`Self::verify_audit`], also against checkpoints that somebody kept.
    fn verify_against(
        &self,
        full: bool,
        anchors: Vec<Anchor>,
        passed_over: Vec<AuditAnchorLine>,
    ) -> ApiResult<AuditVerdict> {
        if self.verifying.swap(true, Ordering::AcqRel) {
            return Err(ApiError::new(
                Class::Conflict,
                "VERIFYING",
                "The audit chain is being verified.",
                "Wait until it has ended; audit_status shows when.",
            ));
        }
        let _done = Done(&self.verifying);
        self.verify_now(full, anchors, passed_over)
    }

    fn verify_now(
        &self,
        full: bool,
        mut anchors: Vec<Anchor>,
        mut passed_over: Vec<AuditAnchorLine>,
    ) -> ApiResult<AuditVerdict> {
        // Those that this installation kept outside are always looked at.
        let (kept, lines) = self.kept_anchors()?;
        anchors.extend(kept);
        passed_over.extend(lines.into_iter().filter(|line| !passed_over.contains(line)).collect::<Vec<_>>());
        let state = self.store.audit_state()?;
        let at = time::format(self.now_ms());
        let trusted = if full { None } else { self.store.audit_note("trusted")? };
        let trusted: Option<Trusted> = trusted.and_then(|value| serde_json::from_value(value).ok());
        let begun_later = trusted.is_some();
        let mut verdict = self.store.audit_verify(keys(&state), anchors.clone(), trusted)?;
        if begun_later && !verdict.is_intact() {
            // From the beginning it names the first bad entry, also when the note was the bad thing.
            verdict = self.store.audit_verify(keys(&state), anchors.clone(), None)?;
        }
        if let Verdict::Broken(broken) = &verdict
            && broken.kind == Kind::Truncated
            && broken.checkpoint.is_none()
        {
            // A full disk refuses it, and moves the mark no further either.
            let _ = self.store.audit_keep_cut(broken.first_bad_seq);
        }
        if let Some(cut) = self.store.audit_cut()?
            && let Some(checkpoint) = self.explained(&verdict, cut.seq())?
        {
            verdict = Verdict::Broken(Broken {
                first_bad_seq: cut.seq(),
                kind: Kind::Truncated,
                checkpoint,
                expected: format!("the {} entries that the recorder wrote", cut.expected),
                found: format!("{}", cut.found),
            });
        }
        let mut told = AuditVerdict {
            run: None,
            state: AuditCondition::Intact,
            checked: 0,
            at: Some(at),
            unsealed_tail: 0,
            signed: false,
            last_checkpoint: state.checkpoint.as_ref().map(checkpoint_of),
            broken: None,
            anchored_up_to: None,
            removed: 0,
            clock_back: None,
            anchor_lines: passed_over,
            payloads: None,
            not_recorded: None,
        };
        // The verdict matters more than its record, which a full disk or a damaged store may refuse.
        let mut refused = None;
        let mut record = |done: Result<(), StoreError>| refused = refused.take().or(done.err());
        match verdict {
            Verdict::Intact(intact) => {
                if intact.entries == 0 {
                    told.state = AuditCondition::Empty;
                }
                told.checked = intact.entries;
                told.unsealed_tail = intact.unsealed_tail;
                told.signed = intact.signed;
                told.removed = self.store.audit_tombstone()?.map_or(0, |(_, tombstone)| tombstone.removed);
                let back = intact.clock_back;
                told.clock_back = (back.count > 0).then_some(AuditClockBack { count: back.count, first: back.first });
                // Older ones fitted when the trusted part was verified.
                told.anchored_up_to = anchors.iter().map(|anchor| anchor.checkpoint.size).max();
                if let Some(trusted) = &intact.trusted {
                    record(self.store.set_audit_note("trusted", &serde_json::to_value(trusted).unwrap_or_default()));
                }
            }
            Verdict::Broken(broken) => {
                told.state = AuditCondition::Broken;
                told.checked = broken.first_bad_seq;
                let message = broken.to_string();
                // Where a log ends too early moves with every entry, this one included; what it misses does not.
                let finding = match broken.kind {
                    Kind::AnchorMismatch | Kind::Truncated => broken.expected.clone(),
                    _ => broken.first_bad_seq.to_string(),
                };
                // What follows is a new segment: it says on which good root it stands.
                let sealed = self.store.audit_checkpoints()?;
                let good = sealed.iter().map(|sealed| &sealed.checkpoint).rfind(|cp| cp.size <= broken.first_bad_seq);
                let bad = AuditBroken {
                    seq: broken.first_bad_seq,
                    kind: broken.kind.as_str().to_owned(),
                    acceptable: broken.kind == Kind::Truncated
                        && broken.checkpoint.is_none()
                        && self.store.audit_cut()?.is_some(),
                    expected: Some(broken.expected),
                    found: Some(broken.found),
                    message: message.clone(),
                };
                let mut facts = json!({ "seq": bad.seq, "kind": bad.kind, "message": message });
                if let Some(cp) = good {
                    facts["lastGood"] = json!({ "cpSeq": cp.cp_seq, "size": cp.size, "rootHash": cp.root_hash });
                }
                let fact = self.fact(AuditEvent::AuditVerifyFailed, Level::Critical, Actor::system(), facts);
                // Once per finding.
                let dedupe = format!("AUDIT_VERIFY_FAILED {} {finding}", bad.kind);
                record(self.store.audit_append(fact, Some(dedupe), true).map(drop));
                record(self.store.set_audit_note("trusted", &Value::Null));
                told.broken = Some(bad);
            }
        }
        if full {
            let found = self.store.audit_payloads()?;
            let Payloads { kept, erased, lost, changed } = found;
            told.payloads = Some(AuditPayloads { kept, erased, lost, changed });
        }
        record(self.store.set_audit_note("verdict", &serde_json::to_value(&told).unwrap_or_default()));
        told.not_recorded = refused.map(|why| match why {
            StoreError::DiskFull => "The disk is full.".to_owned(),
            other => format!("{other}."),
        });
        *self.unkept_verdict() = told.not_recorded.is_some().then(|| told.clone());
        Ok(told)
    }

    fn unkept_verdict(&self) -> MutexGuard<'_, Option<AuditVerdict>> {
        self.unkept_verdict.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the last verification found.
    pub(crate) fn audit_status_now(&self) -> ApiResult<AuditStatus> {
        let state = self.store.audit_state()?;
        let kept = match self.unkept_verdict().clone() {
            Some(verdict) => Some(verdict),
            None => self.store.audit_note("verdict")?.and_then(|note| serde_json::from_value(note).ok()),
        };
        let mut verdict = kept.unwrap_or(AuditVerdict {
            run: None,
            state: if state.head.size == 0 { AuditCondition::Empty } else { AuditCondition::Unknown },
            checked: 0,
            at: None,
            unsealed_tail: state.head.size,
            signed: false,
            last_checkpoint: None,
            broken: None,
            anchored_up_to: None,
            removed: 0,
            clock_back: None,
            anchor_lines: Vec::new(),
            payloads: None,
            not_recorded: None,
        });
        // What was sealed since is no part of the verdict, and is known all the same.
        if let Some(sealed) = &state.checkpoint {
            verdict.last_checkpoint = Some(checkpoint_of(sealed));
            verdict.signed = keys(&state).iter().any(|key| sealed.is_signed_by(key));
            verdict.unsealed_tail = state.head.size.saturating_sub(sealed.checkpoint.size);
        }
        let (key, unsigned) = self.signer_now();
        let head = AuditHead { size: state.head.size, hash: state.head.head_hash.to_hex() };
        let anchors = self.anchors_now()?;
        Ok(AuditStatus { verdict, running: self.verifying.load(Ordering::Acquire), key, unsigned, head, anchors })
    }

    /// Whether a missing end at `seq` is all that a verdict tells; the checkpoint that shows it, too, if one does.
    fn explained(&self, verdict: &Verdict, seq: u64) -> ApiResult<Option<Option<u64>>> {
        let Verdict::Broken(broken) = verdict else {
            // What follows the missing end fits by itself.
            return Ok(Some(None));
        };
        Ok(match (broken.kind, broken.checkpoint) {
            // The entries that stand behind it since, such as the record of an earlier verification, end before what was known.
            (Kind::Truncated, None) if broken.first_bad_seq >= seq => Some(None),
            // Others stand now where a checkpoint sealed those that are missing: the record that it names first was not changed.
            (Kind::Modified, Some(number)) if broken.first_bad_seq <= seq => {
                let sealed = self.store.audit_checkpoints()?;
                let sealed = sealed.iter().find(|sealed| sealed.checkpoint.cp_seq == number);
                sealed.is_some_and(|sealed| sealed.checkpoint.size > seq).then_some(Some(number))
            }
            _ => None,
        })
    }

    /// Verifies everything against checkpoints that were kept outside.
    pub async fn verify_anchors(self: &Arc<Self>, file: PathBuf) -> ApiResult<AuditVerdict> {
        self.blocking(move |app| {
            // Absolute, as the places of this installation are told.
            let file = std::path::absolute(&file).map_err(|error| io_error(&error, &file, "found"))?;
            let kept = anchor_file::read_named(&file)?;
            let passed_over = kept.passed_over(&file);
            app.verify_against(true, kept.anchors, passed_over)
        })
        .await
    }

    /// Entries as they were hashed, with their hash and signature; the newest ones, oldest first.
    pub async fn audit_entries(
        self: &Arc<Self>,
        run: Option<String>,
        query: Option<String>,
        limit: usize,
    ) -> ApiResult<Vec<Value>> {
        self.blocking(move |app| {
            let mut query = query::read(app, query.as_deref())?;
            if run.is_some() {
                query.run = run;
            }
            let mut found: Vec<Value> = Vec::new();
            while found.len() < limit {
                query.limit = (limit - found.len()).min(1_000);
                let page = app.store.audit_page(&query)?;
                query.before = page.rows.last().map(|row| row.seq);
                let end = page.rows.len() < query.limit;
                found.extend(page.rows.into_iter().map(|row| {
                    let mut entry: Value = serde_json::from_str(&row.text).unwrap_or_default();
                    entry["hash"] = row.hash.into();
                    if let Some(signature) = row.signature {
                        entry["signature"] = signature.into();
                    }
                    entry
                }));
                if end {
                    break;
                }
            }
            found.reverse();
            Ok(found)
        })
        .await
    }

    /// [`Self::of_run`] for the command line.
    pub async fn audit_of_run(self: &Arc<Self>, run_id: String) -> ApiResult<AuditOfRun> {
        self.blocking(move |app| app.of_run(run_id)).await
    }

    /// Whether all entries of a run are there, by what its last one says.
    pub(crate) fn of_run(&self, run_id: String) -> ApiResult<AuditOfRun> {
        let cut = self.store.audit_tombstone()?.and_then(|(_, gone)| gone.cut_runs.get(&run_id).copied()).unwrap_or(0);
        let (mut entries, mut at_end, mut said) = (0_u64, None, None);
        self.store.audit_rows(Some(&run_id), 0, |row| {
            entries += 1;
            let entry: Value = serde_json::from_str(&row.text).unwrap_or_default();
            if entry["event"] == AuditEvent::WorkflowCompleted.as_str() {
                (at_end, said) = (Some(entries), entry["metadata"]["entryCount"].as_u64());
            }
            true
        })?;
        if entries == 0 {
            return Err(ApiError::not_found(format!("The audit chain has no entry of run {run_id}.")));
        }
        let ended = at_end.zip(said);
        Ok(AuditOfRun {
            run_id,
            entries,
            entry_count: ended.map(|(_, said)| said),
            complete: ended.map(|(at_end, said)| at_end + cut == said),
            removed: ended.map(|_| cut).filter(|cut| *cut > 0),
        })
    }

    /// Verifies an evidence pack, or a file of lines that holds all of a chain. With a key, only it may have signed; without,
    /// the keys that this store knows decide whether the pack's own key is pinned.
    pub fn verify_file(&self, file: &Path, key_file: Option<&Path>) -> ApiResult<Value> {
        no_folder(file)?;
        let state = if key_file.is_some() { None } else { Some(self.store.audit_state()?) };
        let known = state.as_ref().map(keys).unwrap_or_default();
        if is_lines(file) {
            // Of another installation no key is known, and its signatures are not wrong for that.
            let own =
                state.is_some_and(|state| lines_of(file).is_ok_and(|log_id| log_id.as_deref() == Some(&*state.log_id)));
            return lines_against(file, key_file, if own { known } else { Vec::new() });
        }
        pack_against(file, key_file, &known)
    }
}

/// [`App::verify_file`] where no store can be opened: nothing but the key that is given is known.
pub fn verify_file_alone(file: &Path, key_file: Option<&Path>) -> ApiResult<Value> {
    no_folder(file)?;
    if is_lines(file) { lines_against(file, key_file, Vec::new()) } else { pack_against(file, key_file, &[]) }
}

fn no_folder(file: &Path) -> ApiResult<()> {
    if !file.is_dir() {
        return Ok(());
    }
    let message = format!("{} is a folder.", file.display());
    Err(ApiError::bad_request(message, "Name the pack (.zip) or the file of lines (.jsonl) itself."))
}

fn is_lines(file: &Path) -> bool {
    let mut begin = Vec::new();
    let read = std::fs::File::open(file).and_then(|file| file.take(16).read_to_end(&mut begin));
    read.is_ok() && line::is_lines(&begin)
}

/// Which chain a file of lines is of.
fn lines_of(file: &Path) -> Result<Option<String>, SinkError> {
    let first = sink::read_rows(BufReader::new(std::fs::File::open(file)?)).next().transpose()?;
    let entry: Option<Value> = first.and_then(|row| serde_json::from_str(&row.text).ok());
    Ok(entry.and_then(|entry| Some(entry["logId"].as_str()?.to_owned())))
}

/// Verifies a file of lines against itself: it holds no checkpoints, so that only its links and signatures say something.
fn lines_against(file: &Path, key_file: Option<&Path>, known: Vec<PublicKey>) -> ApiResult<Value> {
    let keys = read_key(key_file)?.map_or(known, |key| vec![key]);
    let checked = !keys.is_empty();
    let open = std::fs::File::open(file).map_err(|error| io_error(&error, file, "read"))?;
    let expect = Expect { keys, ..Expect::default() };
    let findings = RefCell::new(Findings::default());
    let meet = |row: &Row| {
        if Findings::may_be(&row.text)
            && let Ok(entry) = Entry::from_canonical(&row.text)
        {
            findings.borrow_mut().meet(&entry);
        }
    };
    let mut rows = sink::read_rows(BufReader::new(open)).inspect(|row| row.iter().for_each(&meet)).peekable();
    if let Some(Ok(first)) = rows.peek()
        && first.seq > 0
    {
        return Err(ApiError::bad_request(
            format!("{} begins at entry {}: it holds a part of a chain.", file.display(), first.seq),
            "The links of a part do not show that nothing is missing. A copy whose file was moved, deleted or replaced goes on in a new one: \
             the entries before it stand in the old file. Or export a .zip with `signalbox audit export`: a pack proves a part, too.",
        ));
    }
    let verdict = try_verify(rows, &expect).map_err(|why| match why {
        SinkError::Io(error) => io_error(&error, file, "read"),
        SinkError::Foreign { line, problem } => ApiError::bad_request(
            format!("{}, line {line}, is no entry of an audit chain: {problem}.", file.display()),
            "The next copy writes an incomplete last line again; otherwise request the file again.",
        ),
        SinkError::Shown { line } => ApiError::bad_request(
            format!("{}, line {line}, shows an entry in part: this is an export with a profile.", file.display()),
            "Export a .zip with the same profile: a pack proves the place of what it shows.",
        ),
        other => ApiError::bad_request(format!("{}: {other}.", file.display()), "Ask for the file again."),
    })?;
    // A part of a chain, and one that something was taken out of, look alike here.
    let is_gap = matches!(&verdict, Verdict::Broken(broken) if broken.kind == Kind::Missing);
    let mut told = json!({
        "intact": verdict.is_intact(), "lines": true, "signaturesChecked": checked, "gap": is_gap,
        "message": verdict.to_string(), "verdict": verdict,
    });
    let findings = findings.into_inner();
    if !findings.is_empty() {
        told["findings"] = serde_json::to_value(findings).unwrap_or_default();
    }
    Ok(told)
}

fn read_key(key_file: Option<&Path>) -> ApiResult<Option<PublicKey>> {
    let Some(path) = key_file else { return Ok(None) };
    let text = std::fs::read_to_string(path).map_err(|error| io_error(&error, path, "read"))?;
    let key = text.parse().map_err(|why| {
        let message = format!("{}: {why}.", path.display());
        ApiError::bad_request(message, "Name the key.pub that the owner of the log gave you.")
    })?;
    Ok(Some(key))
}

fn pack_against(file: &Path, key_file: Option<&Path>, known: &[PublicKey]) -> ApiResult<Value> {
    let key = read_key(key_file)?;
    std::fs::File::open(file).map_err(|error| io_error(&error, file, "read"))?;
    let open = || std::fs::File::open(file);
    let found =
        pack::verify_from(open, key.as_ref(), known, &[], pack::Limits::default()).map_err(|why| match why {
            pack::NotAPack::Other(why) => {
                let message = format!("{} is no evidence pack: {why}.", file.display());
                ApiError::bad_request(
                    message,
                    "Name a zip that `signalbox audit export` wrote, or a .jsonl with all entries.",
                )
            }
            pack::NotAPack::Damaged(why) => {
                let message = format!("{} is damaged ({why}).", file.display());
                ApiError::bad_request(message, "Ask for it again; do not use this one.")
            }
        })?;
    let mut told = serde_json::to_value(&found).unwrap_or_default();
    if !found.missing.is_empty() {
        let missing: Vec<_> = found.missing.iter().cloned().map(missing_end::told).collect();
        told["missing"] = serde_json::to_value(missing).unwrap_or_default();
    }
    told["intact"] = found.is_intact().into();
    told["message"] = found.verdict.to_string().into();
    Ok(told)
}

#[cfg(test)]
mod tests;
