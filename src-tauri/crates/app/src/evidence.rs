//! Verifying and exporting the chain.

use crate::anchor::read_file as read_anchors;
use crate::app::App;
use crate::audit_query;
use crate::dto::{
    AuditBroken, AuditCheckpoint, AuditCondition, AuditExport, AuditHead, AuditKey, AuditStatus, AuditVerdict,
    ExportFormat, KeyPlace,
};
use crate::error::{ApiError, ApiResult, Class};
use crate::files::io_error;
use crate::router::Caller;
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, time};
use signalbox_store::audit::verify::{Kind, Row, Trusted, Verdict};
use signalbox_store::audit::{Actor, Anchor, Digest, Level, PublicKey, RUN_LEVEL, Record, Tree, line, pack};
use signalbox_store::{AuditQuery, AuditState};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, sync_channel};

/// The `runId` of an entry that concerns no run.
pub(crate) const STORE_LEVEL: &str = "$store";
/// Rows on their way from the store to a file.
const AHEAD: usize = 512;

fn keys(state: &AuditState) -> Vec<PublicKey> {
    PublicKey::all_from_text(&state.keys).unwrap_or_default()
}

impl App {
    /// The chain's own events.
    pub(crate) fn fact(&self, event: AuditEvent, level: Level, actor: Actor, facts: Value) -> Record {
        Record::new(time::format(self.now_ms()), STORE_LEVEL, RUN_LEVEL, event, level, actor)
            .with_metadata(facts.as_object().cloned().unwrap_or_default())
    }

    /// Verifies the chain and remembers what was found.
    pub(crate) fn verify_audit(&self, full: bool) -> ApiResult<AuditVerdict> {
        self.verify_against(full, Vec::new())
    }

    /// [`Self::verify_audit`], also against checkpoints that somebody kept.
    fn verify_against(&self, full: bool, anchors: Vec<Anchor>) -> ApiResult<AuditVerdict> {
        if self.verifying.swap(true, Ordering::AcqRel) {
            return Err(ApiError::new(
                Class::Conflict,
                "VERIFYING",
                "The audit chain is being verified.",
                "Wait until that has ended; audit_status says when.",
            ));
        }
        let found = self.verify_now(full, anchors);
        self.verifying.store(false, Ordering::Release);
        found
    }

    fn verify_now(&self, full: bool, mut anchors: Vec<Anchor>) -> ApiResult<AuditVerdict> {
        // Those that this installation kept outside are always looked at.
        anchors.extend(self.kept_anchors()?);
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
        let mut told = AuditVerdict {
            state: AuditCondition::Intact,
            checked: 0,
            at: Some(at),
            unsealed_tail: 0,
            signed: false,
            last_checkpoint: state.checkpoint.as_ref().map(|sealed| AuditCheckpoint {
                size: sealed.checkpoint.size,
                root_hash: sealed.checkpoint.root_hash.to_hex(),
                timestamp: sealed.checkpoint.timestamp.clone(),
            }),
            broken: None,
            anchored_up_to: None,
        };
        match verdict {
            Verdict::Intact(intact) => {
                if intact.entries == 0 {
                    told.state = AuditCondition::Empty;
                }
                told.checked = intact.entries;
                told.unsealed_tail = intact.unsealed_tail;
                told.signed = intact.signed;
                // Older ones fitted when the trusted part was verified.
                told.anchored_up_to = anchors.iter().map(|anchor| anchor.checkpoint.size).max();
                if let Some(trusted) = &intact.trusted {
                    self.store.set_audit_note("trusted", &serde_json::to_value(trusted).unwrap_or_default())?;
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
                    expected: Some(broken.expected),
                    found: Some(broken.found),
                    message: message.clone(),
                };
                let mut facts = json!({ "seq": bad.seq, "kind": bad.kind, "message": message });
                if let Some(cp) = good {
                    facts["lastGood"] = json!({ "cpSeq": cp.cp_seq, "size": cp.size, "rootHash": cp.root_hash });
                }
                let record = self.fact(AuditEvent::AuditVerifyFailed, Level::Critical, Actor::system(), facts);
                // Once per finding. The verdict matters more than its record, which a damaged store may refuse.
                let dedupe = format!("AUDIT_VERIFY_FAILED {} {finding}", bad.kind);
                let _ = self.store.audit_append(record, Some(dedupe), true);
                self.store.set_audit_note("trusted", &Value::Null)?;
                told.broken = Some(bad);
            }
        }
        self.store.set_audit_note("verdict", &serde_json::to_value(&told).unwrap_or_default())?;
        Ok(told)
    }

    /// What the last verification found.
    pub(crate) fn audit_status_now(&self) -> ApiResult<AuditStatus> {
        let state = self.store.audit_state()?;
        let note = self.store.audit_note("verdict")?;
        let verdict = note.and_then(|note| serde_json::from_value(note).ok()).unwrap_or(AuditVerdict {
            state: if state.head.size == 0 { AuditCondition::Empty } else { AuditCondition::Unknown },
            checked: 0,
            at: None,
            unsealed_tail: state.head.size,
            signed: false,
            last_checkpoint: None,
            broken: None,
            anchored_up_to: None,
        });
        let key = self.store.audit_key().map(|key| AuditKey {
            key_id: key.key_id().to_string(),
            fingerprint: key.fingerprint().to_hex(),
            place: KeyPlace::File,
        });
        let head = AuditHead { size: state.head.size, hash: state.head.head_hash.to_hex() };
        let anchors = self.anchors_now()?;
        Ok(AuditStatus { verdict, running: self.verifying.load(Ordering::Acquire), key, head, anchors })
    }

    /// Verifies everything against checkpoints that were kept outside.
    pub async fn verify_anchors(self: &Arc<Self>, file: PathBuf) -> ApiResult<AuditVerdict> {
        self.blocking(move |app| app.verify_against(true, read_anchors(&file)?)).await
    }

    /// Entries as they were hashed, with their hash and signature; the newest ones, oldest first.
    pub async fn audit_entries(
        self: &Arc<Self>,
        run: Option<String>,
        query: Option<String>,
        limit: usize,
    ) -> ApiResult<Vec<Value>> {
        self.blocking(move |app| {
            let mut query = audit_query::parse(query.as_deref().unwrap_or_default(), app.now_ms())?;
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

    /// Whether all entries of a run are there, by what its last one says: `{runId, entries, entryCount?, complete?}`.
    pub async fn audit_of_run(self: &Arc<Self>, run_id: String) -> ApiResult<Value> {
        self.blocking(move |app| {
            let (mut entries, mut at_end, mut said) = (0_u64, None, None);
            app.store.audit_rows(Some(&run_id), 0, |row| {
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
            let mut told = json!({ "runId": run_id, "entries": entries });
            if let (Some(at_end), Some(said)) = (at_end, said) {
                told["entryCount"] = said.into();
                told["complete"] = (at_end == said).into();
            }
            Ok(told)
        })
        .await
    }

    /// Writes an export to a file, as what its ending says: `{file, entries}`.
    pub async fn export_audit_to(
        self: &Arc<Self>,
        caller: &Caller,
        run_id: Option<String>,
        query: Option<String>,
        file: PathBuf,
    ) -> ApiResult<Value> {
        let caller = caller.clone();
        self.blocking(move |app| {
            let format = match file.extension().and_then(|ending| ending.to_str()) {
                Some("zip") => ExportFormat::Pack,
                Some("csv") => ExportFormat::Csv,
                Some("jsonl") => ExportFormat::Jsonl,
                _ => {
                    return Err(ApiError::bad_request(
                        format!("{} does not say what to write.", file.display()),
                        "Let its name end with .zip (evidence pack), .csv or .jsonl.",
                    ));
                }
            };
            // Beside it first: a file that was there stays whole until the new one is.
            let fresh = file.with_extension("part");
            let out = std::fs::File::create(&fresh).map_err(|error| io_error(&error, &fresh, "written"))?;
            let what = AuditExport { run_id, query, format };
            let done = app.export_audit(&caller, &what, std::io::BufWriter::new(out)).and_then(|(entries, _)| {
                std::fs::rename(&fresh, &file).map_err(|error| io_error(&error, &file, "written"))?;
                Ok(json!({ "file": file, "entries": entries }))
            });
            if done.is_err() {
                // Whatever was written of it is of no use.
                let _ = std::fs::remove_file(&fresh);
            }
            done
        })
        .await
    }

    /// Verifies an evidence pack. With a key, only it may have signed; without, the keys that this store knows decide
    /// whether the pack's own key is pinned.
    pub fn verify_pack(&self, file: &Path, key_file: Option<&Path>) -> ApiResult<Value> {
        let key = match key_file {
            None => None,
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| io_error(&error, path, "read"))?;
                let key: PublicKey = text.parse().map_err(|why| {
                    let message = format!("{}: {why}.", path.display());
                    ApiError::bad_request(message, "Name the key.pub that the owner of the log gave you.")
                })?;
                Some(key)
            }
        };
        let known = if key.is_some() { Vec::new() } else { keys(&self.store.audit_state()?) };
        let bytes = std::fs::read(file).map_err(|error| io_error(&error, file, "read"))?;
        let found = pack::verify(&bytes, key.as_ref(), &known, &[], pack::Limits::default()).map_err(|why| {
            let message = format!("{} is no evidence pack: {why}.", file.display());
            ApiError::bad_request(message, "Name a zip that `signalbox audit export` wrote.")
        })?;
        let mut told = serde_json::to_value(&found).unwrap_or_default();
        told["intact"] = found.is_intact().into();
        told["message"] = found.verdict.to_string().into();
        Ok(told)
    }

    /// Writes an export; gives the number of entries. It is recorded first and a checkpoint is sealed, so that the file
    /// ends with its own record.
    pub(crate) fn export_audit(
        &self,
        caller: &Caller,
        what: &AuditExport,
        out: impl Write + Seek,
    ) -> ApiResult<(u64, &'static str)> {
        if let Some(run) = &what.run_id {
            let known = AuditQuery { run: Some(run.clone()), limit: 1, ..AuditQuery::default() };
            if self.store.audit_page(&known)?.rows.is_empty() {
                return Err(ApiError::not_found(format!("The audit chain has no entry of run {run}.")));
            }
        }
        let mut query = audit_query::parse(what.query.as_deref().unwrap_or_default(), self.now_ms())?;
        let (ending, format) = match what.format {
            ExportFormat::Pack => ("zip", "pack"),
            ExportFormat::Csv => ("csv", "csv"),
            ExportFormat::Jsonl => ("jsonl", "jsonl"),
        };
        let facts = json!({ "format": format, "run": what.run_id, "query": what.query, "via": caller.via.as_str() });
        let facts = Value::Object(
            facts
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(_, v)| !v.is_null())
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect(),
        );
        self.store.audit_append(
            self.fact(AuditEvent::AuditExported, Level::Info, caller.actor(), facts),
            None,
            true,
        )?;
        self.store.audit_checkpoint(&time::format(self.now_ms()))?;
        if what.run_id.is_some() {
            query.run.clone_from(&what.run_id);
        }
        let whole = query == AuditQuery::default();
        let rows: Box<dyn Iterator<Item = Row> + Send> =
            if query == (AuditQuery { run: query.run.clone(), ..AuditQuery::default() }) {
                Box::new(self.stream(query.run.clone()).into_iter())
            } else {
                Box::new(self.matching(query)?.into_iter())
            };
        let count = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let counter = Arc::clone(&count);
        let rows = rows.inspect(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        match what.format {
            ExportFormat::Pack => self.pack(out, rows, whole)?,
            ExportFormat::Csv => csv(out, rows)?,
            ExportFormat::Jsonl => {
                let mut out = out;
                for row in rows {
                    let text = match row.hash.parse::<Digest>() {
                        Ok(hash) => line::to_line(
                            &row.text,
                            &hash,
                            row.signature.as_deref().and_then(|text| text.parse().ok()).as_ref(),
                        ),
                        Err(_) => continue,
                    };
                    out.write_all(text.as_bytes()).map_err(cannot_write)?;
                }
            }
        }
        Ok((count.load(Ordering::Relaxed), ending))
    }

    /// Rows of the whole chain or of a run, oldest first, while they are read.
    fn stream(&self, run: Option<String>) -> Receiver<Row> {
        let (sender, receiver) = sync_channel(AHEAD);
        let store = self.store.clone();
        // A thread that cannot be had or a row that cannot be read ends the stream; the verifier of a pack then says so.
        let reading = std::thread::Builder::new().name("audit-export".into()).spawn(move || {
            drop(store.audit_rows(run.as_deref(), 0, |row| sender.send(row).is_ok()));
        });
        drop(reading);
        receiver
    }

    /// Rows of a query, oldest first.
    fn matching(&self, query: AuditQuery) -> ApiResult<Vec<Row>> {
        let mut found = Vec::new();
        let mut query = AuditQuery { limit: 1_000, before: None, ..query };
        loop {
            let page = self.store.audit_page(&query)?;
            query.before = page.rows.last().map(|row| row.seq);
            let end = page.rows.len() < 1_000;
            found.extend(page.rows.into_iter().map(|row| Row {
                seq: row.seq,
                text: row.text,
                hash: row.hash,
                signature: row.signature,
            }));
            if end {
                found.reverse();
                return Ok(found);
            }
        }
    }

    fn pack(&self, out: impl Write + Seek, rows: impl Iterator<Item = Row>, whole: bool) -> ApiResult<()> {
        let checkpoints = self.store.audit_checkpoints()?;
        let size = checkpoints.last().map_or(0, |sealed| sealed.checkpoint.size);
        let keys = keys(&self.store.audit_state()?);
        let own = self.store.audit_key();
        let keys = own.into_iter().chain(keys.into_iter().filter(|key| Some(*key) != own)).collect();
        let damaged = |why: String| {
            ApiError::unavailable("AUDIT_DAMAGED", format!("No proof can be made: {why}."), "Verify the audit chain.")
        };
        // Entries that were written since the checkpoint stay out: nothing proves them yet.
        let rows = rows.take_while(move |row| row.seq < size);
        let write = |error: pack::WriteError| {
            ApiError::unavailable("NOT_WRITTEN", format!("{error}."), "Free some space, then try again.")
        };
        if whole {
            pack::write(out, pack::Contents { rows, checkpoints, proofs: Vec::new(), keys }).map_err(write)?;
            return Ok(());
        }
        let mut tree = Tree::default();
        let mut wrong = None;
        self.store.audit_rows(None, 0, |row| {
            match row.hash.parse() {
                Ok(hash) => tree.push(&hash),
                Err(_) => wrong = Some(row.seq),
            }
            wrong.is_none() && row.seq + 1 < size
        })?;
        if let Some(seq) = wrong {
            return Err(damaged(format!("the hash of entry {seq} cannot be read")));
        }
        let rows: Vec<Row> = rows.collect();
        let proofs = rows.iter().map(|row| tree.inclusion(row.seq, size)).collect::<Result<Vec<_>, _>>();
        let proofs = proofs.map_err(|why| damaged(why.to_string()))?;
        pack::write(out, pack::Contents { rows, checkpoints, proofs, keys }).map_err(write)?;
        Ok(())
    }
}

fn cannot_write(error: std::io::Error) -> ApiError {
    ApiError::unavailable(
        "NOT_WRITTEN",
        format!("The file cannot be written: {error}."),
        "Free some space, then try again.",
    )
}

/// A table for spreadsheets. A cell that would be a formula there is kept from being one.
fn csv(mut out: impl Write, rows: impl Iterator<Item = Row>) -> ApiResult<()> {
    let cell = |text: &str| {
        let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
        format!("\"{}{}\"", if formula { "'" } else { "" }, text.replace('"', "\"\""))
    };
    let head = "seq,timestamp,level,event,actorType,actorId,actorRole,runId,nodeId,metadata,hash,signature\r\n";
    out.write_all(head.as_bytes()).map_err(cannot_write)?;
    for row in rows {
        let entry: Value = serde_json::from_str(&row.text).unwrap_or_default();
        let text = |pointer: &str| entry.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let metadata = entry.get("metadata").map(Value::to_string).unwrap_or_default();
        let cells = [
            text("/timestamp"),
            text("/level"),
            text("/event"),
            text("/actor/type"),
            text("/actor/id"),
            text("/actor/role"),
            text("/runId"),
            text("/nodeId"),
            metadata,
            row.hash,
            row.signature.unwrap_or_default(),
        ];
        let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
        out.write_all(format!("{},{}\r\n", row.seq, cells.join(",")).as_bytes()).map_err(cannot_write)?;
    }
    Ok(())
}
