//! The audit chain: list, look, verify, export, record.

use crate::Caller;
use crate::app::App;
use crate::audit::export::Exported;
use crate::audit::{missing_end, query, view};
use crate::commands::task::text;
use crate::dto::{
    AuditAcceptCut, AuditCount, AuditErase, AuditExport, AuditExported, AuditFacets, AuditFacetsRequest, AuditGet,
    AuditHead, AuditKeyChoose, AuditList, AuditPage, AuditRecord, AuditRecordView, AuditRecorded, AuditStatus,
    AuditVerdict, AuditVerify, Empty,
};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::io_error;
use base64::Engine;
use serde_json::{Map, Value, json};
use signalbox_adapters::{durable, private};
use signalbox_model::{AuditEvent, time};
use signalbox_runtime::run_masks::ERROR;
use signalbox_store::AuditQuery;
use signalbox_store::audit::{Entry, Level, Record, hash_text};
use signalbox_store::mask::Masks;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Larger exports are written to a file of the data folder.
const INLINE: u64 = 8 * 1024 * 1024;

pub(crate) fn audit_list(app: &App, caller: &Caller, request: AuditList) -> ApiResult<AuditPage> {
    let query = AuditQuery {
        before: request.before,
        after: request.after,
        limit: super::page_size(request.limit, 100, 1_000)?,
        ..query::read_for(app, caller, request.query.as_deref())?
    };
    let page = app.store.audit_page(&query)?;
    Ok(AuditPage {
        entries: view::rows(app, &page.rows)?,
        total: page.total,
        more: page.more,
        head: if caller.is_limited() {
            // How much the others do is not for everybody.
            AuditHead { size: 0, hash: String::new() }
        } else {
            AuditHead { size: page.head.size, hash: page.head.head_hash.to_hex() }
        },
    })
}

pub(crate) fn audit_facets(app: &App, caller: &Caller, request: AuditFacetsRequest) -> ApiResult<AuditFacets> {
    let query = query::read_for(app, caller, request.query.as_deref())?;
    let found = app.store.audit_facets(&query)?;
    let list = |counts: Vec<(String, u64)>| {
        counts.into_iter().map(|(value, count)| AuditCount { value, count }).collect::<Vec<_>>()
    };
    Ok(AuditFacets {
        event: list(found.events),
        level: list(found.levels),
        actor: list(found.actors),
        error_type: list(found.error_types),
        workflow: list(found.workflows),
        newest: found.newest,
    })
}

pub(crate) fn audit_get(app: &App, _: &Caller, request: AuditGet) -> ApiResult<AuditRecordView> {
    let unknown = || ApiError::not_found(format!("The audit chain has no entry {}.", request.seq));
    let stored = app.store.audit_entry(request.seq)?.ok_or_else(unknown)?;
    let row = view::rows(app, std::slice::from_ref(&stored))?.pop().ok_or_else(unknown)?;
    let entry = stored.entry();
    let (text, computed) = (stored.text.clone(), hash_text(&stored.text).to_hex());
    Ok(AuditRecordView {
        row,
        entry: serde_json::from_str(&stored.text).unwrap_or_default(),
        matches: computed == stored.hash,
        computed_hash: computed,
        canonical: stored.text,
        signature: stored.signature,
        payload: entry.as_ref().map(|entry| payload(app, entry)).transpose()?.flatten(),
        apart: app.store.audit_payloads_of(&[&text])?.pop().flatten().map(view::apart),
        related: entry.as_ref().map(|entry| view::related(app, entry)).transpose()?.unwrap_or_default(),
    })
}

/// What belongs to the entry of a task and is kept apart, because the chain can never forget.
fn payload(app: &App, entry: &Entry) -> ApiResult<Option<Map<String, Value>>> {
    let task = entry.metadata.as_ref().and_then(|facts| facts.get("taskId")).and_then(Value::as_str);
    let record = task.map(|task| app.store.task_record(task)).transpose()?.flatten();
    // Whoever records an entry writes its metadata: only a task of the run that the entry is about is shown with it.
    let Some(record) = record.filter(|record| record.row.run_id == entry.run_id) else { return Ok(None) };
    let mut masks = Masks::new(&record.created.redact);
    let (input, _) = masks.input(&record.created.input);
    let mut payload = Map::new();
    if let Some(error) = &record.created.error {
        payload.insert("error".into(), masks.inside(&serde_json::to_value(&**error).unwrap_or_default(), ERROR));
    }
    if entry.event == "HITL_COMPLETED"
        && let Some(decision) = &record.decision
    {
        if let Some(patch) = decision.get("patch") {
            payload.insert("patch".into(), masks.patch(patch));
            payload.insert("before".into(), input);
        }
        if let Some(corrected) = decision.get("correctedInput") {
            payload.insert("after".into(), masks.input(corrected).0);
        }
    }
    Ok((!payload.is_empty()).then_some(payload))
}

pub(crate) fn audit_verify(app: &App, _: &Caller, request: AuditVerify) -> ApiResult<AuditVerdict> {
    // A run that is not there is told before a long verification.
    let run = request.run.map(|run| app.of_run(run)).transpose()?;
    Ok(AuditVerdict { run, ..app.verify_audit(request.full.unwrap_or(false))? })
}

pub(crate) fn audit_status(app: &App, _: &Caller, _: Empty) -> ApiResult<AuditStatus> {
    app.audit_status_now()
}

pub(crate) fn audit_key_choose(app: &App, caller: &Caller, request: AuditKeyChoose) -> ApiResult<AuditStatus> {
    app.audit_key_choose(caller, &request)
}

pub(crate) fn audit_export(app: &App, caller: &Caller, request: AuditExport) -> ApiResult<AuditExported> {
    let folder = app.exports();
    crate::host::files::ensure_folder(&folder)?;
    let part = folder.join(format!("{}.part", uuid::Uuid::now_v7()));
    let done = export_in(app, caller, &request, &folder, &part);
    // Whatever is left of it is of no use.
    let _ = std::fs::remove_file(&part);
    done
}

/// What errors name: who asks from afar knows no folders of this host.
const NAMED: &str = "The export";

/// Written to a file first: only a small one is read back into the answer.
fn export_in(
    app: &App,
    caller: &Caller,
    request: &AuditExport,
    folder: &Path,
    part: &Path,
) -> ApiResult<AuditExported> {
    let named = Path::new(NAMED);
    let file = private::create(part).map_err(|error| io_error(&error, named, "written"))?;
    let done = app.export_audit(caller, request, named, BufWriter::new(&file))?;
    let seq = done.seq;
    handed_out(app, request, folder, (part, &file), done).inspect_err(|why| app.export_failed(caller, seq, why))
}

fn handed_out(
    app: &App,
    request: &AuditExport,
    folder: &Path,
    (part, file): (&Path, &File),
    done: Exported,
) -> ApiResult<AuditExported> {
    let Exported { entries, ending, missing, .. } = done;
    let missing = missing.into_iter().map(missing_end::told).collect();
    let named = Path::new(NAMED);
    let when = time::format(app.now_ms()).replace([':', '.'], "-");
    let of = request.run_id.as_deref().map(|run| format!("-{run}")).unwrap_or_default();
    let safe: String = of.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let file_name = format!("signalbox-audit{safe}{}-{when}.{ending}", app.export_mark(request)?);
    let size = std::fs::metadata(part).map_err(|error| io_error(&error, named, "read"))?.len();
    if size <= INLINE {
        let bytes = std::fs::read(part).map_err(|error| io_error(&error, named, "read"))?;
        let text = base64::engine::general_purpose::STANDARD.encode(bytes);
        return Ok(AuditExported {
            file_name,
            bytes_base64: Some(text),
            path: None,
            kept_days: None,
            entries,
            missing,
        });
    }
    let path = folder.join(&file_name);
    let kept = file.sync_all().and_then(|()| std::fs::rename(part, &path)).and_then(|()| durable::sync_folder(folder));
    kept.map_err(|error| io_error(&error, named, "written"))?;
    let kept_days = Some(crate::host::housekeeping::EXPORT_DAYS);
    let path = Some(path.display().to_string());
    Ok(AuditExported { file_name, bytes_base64: None, path, kept_days, entries, missing })
}

pub(crate) fn audit_accept_cut(app: &App, caller: &Caller, request: AuditAcceptCut) -> ApiResult<AuditRecorded> {
    let reason = text(Some(request.reason), "reason")?.ok_or_else(|| {
        ApiError::bad_request("A reason is missing.", "Say why entries are missing; that is recorded.")
    })?;
    app.accept_cut(caller, &reason)
}

/// UX E1: what may have to be forgotten stands apart under its hash.
pub(crate) fn audit_erase(app: &App, caller: &Caller, request: AuditErase) -> ApiResult<AuditRecorded> {
    let reason = text(Some(request.reason), "reason")?
        .ok_or_else(|| ApiError::bad_request("A reason is missing.", "Say why it is erased; that is recorded."))?;
    let nothing =
        || ApiError::not_found(format!("Entry {} keeps nothing apart, or it is erased already.", request.seq));
    let entry = app.store.audit_entry(request.seq)?.and_then(|row| row.entry()).ok_or_else(nothing)?;
    let hash = entry.context_snapshot_hash.ok_or_else(nothing)?.to_hex();
    let facts = caller.signed(json!({ "of": request.seq, "payloadHash": hash, "reason": reason }));
    let mut record = app.fact(AuditEvent::PayloadErased, Level::Warn, caller.actor(), facts);
    record.run_id.clone_from(&entry.run_id);
    let receipt = app.store.audit_erase(&hash, record)?.ok_or_else(nothing)?;
    Ok(AuditRecorded { status: "ok".into(), seq: receipt.seq })
}

/// TS-049. The entry's time and actor are the recorder's: what was claimed stands in its metadata (K-20, TRUST).
pub(crate) fn audit_record(app: &App, caller: &Caller, request: AuditRecord) -> ApiResult<AuditRecorded> {
    let refused = |code: &str, message: String, hint: &str| ApiError::new(Class::BadRequest, code, message, hint);
    let body = Value::Object(request.0);
    let submitted = Record::from_json(&body).map_err(|errors| {
        let fields: Vec<Value> = errors.0.iter().map(|e| json!({ "path": e.field, "message": e.problem })).collect();
        refused("BAD_REQUEST", format!("{errors}."), "Correct the fields, then send it again.")
            .with(json!({ "violations": fields }))
    })?;
    let mut record = submitted.record;
    if AuditEvent::is_reserved(&record.event) {
        let message = format!("{} is recorded by Signalbox itself, when it happens.", record.event);
        return Err(refused("AUDIT_RESERVED_EVENT", message, "Choose another name for your event."));
    }
    let mut facts = record.metadata.take().unwrap_or_default();
    if let Some(actor) = body.get("actor") {
        facts.insert("claimedActor".into(), actor.clone());
    }
    facts.insert("claimedTimestamp".into(), record.timestamp.as_str().into());
    facts.insert("via".into(), caller.via.as_str().into());
    facts.extend(caller.token.as_ref().map(|token| ("tokenName".to_owned(), token.as_str().into())));
    record.metadata = Some(facts);
    record.timestamp = time::format(app.now_ms());
    record.actor = caller.actor();
    let snapshot = submitted.context_snapshot.zip(record.context_snapshot_hash.map(|hash| hash.to_hex()));
    let receipt = app.store.audit_append_with(record, snapshot.map(|(text, hash)| (hash, text)))?;
    Ok(AuditRecorded { status: "ok".into(), seq: receipt.seq })
}
