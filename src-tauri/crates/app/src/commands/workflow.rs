//! Files of the library: list, open, save, drafts.

use crate::Caller;
use crate::app::App;
use crate::dto::{
    ByRef, DraftPut, Empty, OpenPath, OpenWorkflow, Revision, RunRow, Saved, ValidateDocument, WorkflowCreate,
    WorkflowDuplicate, WorkflowEntry, WorkflowSave,
};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::io_error;
use crate::runs::summary::{self, Places};
use crate::workflows::document::{folder_of, forget_draft, open, savable};
use crate::workflows::library::{id_of, load, modified_ms, slug};
use crate::workflows::{check, pins, samples, templates};
use serde_json::{Value, json};
use signalbox_engine::validate::{self, Checked, check_bytes};
use signalbox_model::workflow::FILE_VERSION;
use signalbox_model::{Diagnostic, Severity, Workflow, time};
use signalbox_store::RunQuery;
use std::collections::HashSet;
use std::path::Path;

const DAY_MS: i64 = 86_400_000;

pub(crate) fn workflow_list(app: &App, caller: &Caller, _: Empty) -> ApiResult<Vec<WorkflowEntry>> {
    let drafts: HashSet<String> = app.store.drafts()?.into_iter().collect();
    let files = app.library.files(&app.library_folders()?);
    let mut entries: Vec<WorkflowEntry> = files.iter().map(|path| entry(app, caller, path, &drafts)).collect();
    if let Some(listed) = caller.listed_workspaces() {
        let mut ids = HashSet::new();
        for name in listed {
            ids.extend(app.store.workspace_workflows(&name)?);
        }
        entries.retain(|entry| ids.contains(&entry.id));
    }
    entries.sort_by(|a, b| b.modified_at.cmp(&a.modified_at).then_with(|| a.path.cmp(&b.path)));
    Ok(entries)
}

fn entry(app: &App, caller: &Caller, path: &Path, drafts: &HashSet<String>) -> WorkflowEntry {
    let reference = app.library.reference(path);
    let mut entry = WorkflowEntry {
        has_draft: drafts.contains(&reference),
        reference,
        id: String::new(),
        name: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        description: None,
        folder: folder_of(path),
        path: path.display().to_string(),
        revision: String::new(),
        nodes: 0,
        modified_at: time::format(0),
        problem: None,
        last_run: None,
        ran_before: None,
    };
    let loaded = match load(path) {
        Ok(loaded) => loaded,
        Err(error) => {
            entry.problem = Some(error.message);
            entry.modified_at = time::format(modified_ms(path).unwrap_or(0));
            return entry;
        }
    };
    entry.modified_at = time::format(loaded.modified_ms);
    entry.revision = loaded.revision;
    // The list is read often: the file is read as it is when it is opened, but its graph is not checked.
    let Checked { workflow, diagnostics } = validate::read(&loaded.bytes);
    match workflow {
        Some(workflow) => {
            if workflow.signalbox > FILE_VERSION {
                let version = workflow.signalbox;
                entry.problem =
                    Some(format!("The file has version {version}; this program supports up to {FILE_VERSION}."));
            }
            entry.last_run = last_run(app, caller, &workflow.id);
            if entry.last_run.is_none() {
                let day = app.store.last_run_day(&workflow.id).ok().flatten();
                entry.ran_before = day.map(|day| time::format(day.saturating_mul(DAY_MS)).chars().take(10).collect());
            }
            entry.id = workflow.id;
            entry.name = workflow.name;
            entry.description = workflow.description;
            entry.nodes = workflow.nodes.len();
        }
        None => entry.problem = Some(check::refused(&diagnostics).message),
    }
    entry
}

fn last_run(app: &App, caller: &Caller, workflow: &str) -> Option<RunRow> {
    let workspaces = caller.listed_workspaces();
    let query = RunQuery { workflow: Some(workflow.to_owned()), workspaces, limit: 1, ..RunQuery::default() };
    let page = app.store.runs(&query).ok()?;
    page.runs.into_iter().next().and_then(|row| summary::row(app, caller, &Places::default(), row).ok())
}

pub(crate) fn workflow_open(app: &App, caller: &Caller, request: ByRef) -> ApiResult<OpenWorkflow> {
    open(app, caller, &app.path_of(&request.reference)?)
}

pub(crate) fn workflow_open_path(app: &App, caller: &Caller, request: OpenPath) -> ApiResult<OpenWorkflow> {
    let chosen = app.chosen(&request.path)?;
    let path = std::fs::canonicalize(&chosen).map_err(|error| io_error(&error, &chosen, "opened"))?;
    open(app, caller, &path)
}

pub(crate) fn workflow_create(app: &App, caller: &Caller, request: WorkflowCreate) -> ApiResult<OpenWorkflow> {
    let sample = match &request.sample_id {
        None => None,
        Some(id) => Some(samples::find(id).or_else(|| templates::find(id)).ok_or_else(|| {
            let words = format!("There is no sample or template {id}; sample_list and template_list have them all.");
            ApiError::not_found(words)
        })?),
    };
    let given = request.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let name = given
        .map(str::to_owned)
        .or_else(|| sample.as_ref().and_then(|sample| sample["name"].as_str()).map(str::to_owned))
        .unwrap_or_else(|| "New workflow".to_owned());
    let mut document = match sample {
        Some(sample) => sample,
        None => json!(Workflow::empty("new", "New")),
    };
    document["name"] = json!(name);
    if let Some(zone) = request.timezone.as_deref().map(str::trim).filter(|zone| !zone.is_empty()) {
        in_zone(&mut document, zone);
    }
    add(app, caller, document, &name, request.sample_id.map(|id| format!("sample:{id}")))
}

/// Times of day of a sample mean the clock of who uses it, not that of who wrote it.
fn in_zone(document: &mut Value, zone: &str) {
    for node in document["nodes"].as_object_mut().into_iter().flat_map(|nodes| nodes.values_mut()) {
        if node["type"] == signalbox_engine::schedule::KIND && node["config"]["cron"].is_string() {
            node["config"]["timezone"] = json!(zone);
        }
    }
    if let Some(hours) = document.pointer_mut("/settings/businessHours/timezone") {
        *hours = json!(zone);
    }
}

pub(crate) fn workflow_duplicate(app: &App, caller: &Caller, request: WorkflowDuplicate) -> ApiResult<OpenWorkflow> {
    let path = app.path_of(&request.reference)?;
    let loaded = load(&path)?;
    let (mut document, _) = check::readable(&loaded.bytes)?;
    let name = request.name.trim();
    if name.is_empty() {
        return Err(ApiError::bad_request("The copy needs a name.", "Give a name."));
    }
    document["name"] = json!(name);
    let from = document["id"].as_str().map(|id| format!("copy:{id}"));
    let copy = add(app, caller, document, name, from)?;
    let pinned = pins::load(&path)?;
    if !pinned.is_empty() {
        pins::change(&app.path_of(&copy.reference)?, |all| *all = pinned)?;
    }
    Ok(copy)
}

/// Puts a document into the library under a new id and in a new file. `from`: what it was made of, for the audit chain.
pub(super) fn add(
    app: &App,
    caller: &Caller,
    mut document: Value,
    name: &str,
    from: Option<String>,
) -> ApiResult<OpenWorkflow> {
    let taken: HashSet<String> = ids(app)?;
    let base = slug(name);
    let id = (1..)
        .map(|n| if n == 1 { base.clone() } else { format!("{base}-{n}") })
        .find(|id| !taken.contains(id))
        .unwrap_or(base);
    document["id"] = json!(id);
    let path = app.library.free_path(&id);
    app.save_workflow(caller, &path, &document, Some(""), false, from.as_deref())?;
    open(app, caller, &path)
}

fn ids(app: &App) -> ApiResult<HashSet<String>> {
    let files = app.library.files(&app.library_folders()?);
    Ok(files.iter().filter_map(|path| id_of(path)).collect())
}

pub(crate) fn workflow_save(app: &App, caller: &Caller, request: WorkflowSave) -> ApiResult<Saved> {
    let path = app.path_of(&request.reference)?;
    savable(&request.document)?;
    let overwrite = request.overwrite.unwrap_or(false);
    let base = Some(request.base_revision.as_str());
    let revision = app.save_workflow(caller, &path, &request.document, base, overwrite, None)?;
    forget_draft(app, &request.reference);
    // What was pinned for a step goes with the step. A file beside it that cannot be written does not undo the save.
    drop(pins::change(&path, |all| all.retain(|step, _| request.document["nodes"].get(step).is_some())));
    Ok(Saved { revision })
}

pub(crate) fn workflow_delete(app: &App, caller: &Caller, request: ByRef) -> ApiResult<Empty> {
    let path = app.path_of(&request.reference)?;
    app.delete_workflow(caller, &path, None)?;
    pins::forget(&path)?;
    forget_draft(app, &request.reference);
    // The workflow is gone; a conversation about it that cannot be deleted now does no harm.
    drop(app.forget_plan(&request.reference));
    Ok(Empty {})
}

pub(crate) fn workflow_revision(app: &App, _: &Caller, request: ByRef) -> ApiResult<Revision> {
    match load(&app.path_of(&request.reference)?) {
        Ok(loaded) => Ok(Revision { revision: Some(loaded.revision) }),
        Err(error) if error.class == Class::NotFound => Ok(Revision { revision: None }),
        // It is there, and it is not what was opened.
        Err(error) if error.class == Class::TooLarge => Ok(Revision { revision: Some("too-large".into()) }),
        Err(error) => Err(error),
    }
}

pub(crate) fn draft_put(app: &App, _: &Caller, request: DraftPut) -> ApiResult<Empty> {
    app.path_of(&request.reference)?;
    let draft = signalbox_store::Draft { document: request.document.to_string(), saved_ms: app.now_ms() };
    app.store.draft_put(&request.reference, draft)?;
    Ok(Empty {})
}

pub(crate) fn draft_discard(app: &App, _: &Caller, request: ByRef) -> ApiResult<Empty> {
    app.store.draft_discard(&request.reference)?;
    Ok(Empty {})
}

pub(crate) fn workflow_validate(app: &App, caller: &Caller, request: ValidateDocument) -> ApiResult<Vec<Diagnostic>> {
    let mut checked = check_bytes(request.document.to_string().as_bytes(), check::catalog());
    let file = request.reference.map(|reference| app.path_of(&reference)).transpose()?;
    if let Some(workflow) = &checked.workflow {
        checked.diagnostics.extend(app.called_findings(caller, workflow, file.as_deref())?);
        checked.diagnostics.sort_by_key(|found| found.severity == Severity::Warning);
        checked.diagnostics.extend(app.secret_findings(workflow));
        checked.diagnostics.extend(app.grant_findings_now(workflow)?);
    }
    Ok(checked.diagnostics)
}
