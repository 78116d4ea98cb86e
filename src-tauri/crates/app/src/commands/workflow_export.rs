//! Workflows as programs, for who does not use a terminal: the same as `signalbox export`.

use crate::Caller;
use crate::app::App;
use crate::commands::FileContent;
use crate::dto::{
    ExportChoices, ExportProblem, ExportTarget, WorkflowExport, WorkflowExportCheck, WorkflowExportChecked,
    WorkflowExported,
};
use crate::error::{ApiError, ApiResult};
use crate::export::{self, Checked, Choices, Export, HumanReview};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn workflow_export_check(
    app: &App,
    _: &Caller,
    request: WorkflowExportCheck,
) -> ApiResult<WorkflowExportChecked> {
    let file = app.path_of(&request.reference)?;
    checked(&file, app.data_dir(), &request.choices, &export::own_program()?)
}

pub(crate) fn workflow_export(app: &App, _: &Caller, request: WorkflowExport) -> ApiResult<WorkflowExported> {
    let file = app.path_of(&request.reference)?;
    let folder = app.chosen(&request.folder)?;
    written(&file, app.data_dir(), &request.choices, &folder, &export::own_program()?)
}

fn choices(chosen: &ExportChoices) -> ApiResult<Choices> {
    if chosen.human == HumanReview::Callback && chosen.callback.as_deref().is_none_or(|url| url.trim().is_empty()) {
        let hint = "Give the address that tasks are sent to as `callback`.";
        return Err(ApiError::bad_request("Tasks are to be sent to an address, and none is given.", hint));
    }
    Ok(Choices { audit: chosen.audit, human: chosen.human, callback: chosen.callback.clone() })
}

/// With the runner in the chosen form.
fn ready(checked: Checked, chosen: &ExportChoices, program: &Path) -> ApiResult<Export> {
    match (chosen.compress, chosen.target) {
        (false, _) => checked.ready(program),
        (true, ExportTarget::Bundle) => checked.ready_compressed(program),
        (true, _) => {
            let message = "Only one file can be compressed, not an image or a source project.";
            Err(ApiError::bad_request(message, "Leave out `compress`, or choose the target `bundle`."))
        }
    }
}

/// What keeps a workflow from leaving is an answer here, not an error: a person reads it next to the list.
fn checked(file: &Path, data: &Path, chosen: &ExportChoices, program: &Path) -> ApiResult<WorkflowExportChecked> {
    let only = |problems| WorkflowExportChecked { check_list: None, problems, start: None, file_name: None };
    let looked = match export::check(file, Some(data), &choices(chosen)?) {
        Ok(looked) => looked,
        Err(error) => return diagnostics(&error).map(only).ok_or(error),
    };
    let list = looked.check_list();
    let refused = |problems| WorkflowExportChecked { check_list: Some(list.clone()), ..only(problems) };
    if !looked.problems().is_empty() {
        return Ok(refused(looked.problems().iter().filter_map(|one| problem(one, &list.name)).collect()));
    }
    let ready = ready(looked, chosen, program).and_then(|export| {
        match chosen.target {
            ExportTarget::Bundle => {}
            ExportTarget::Container => Export::check_system()?,
            ExportTarget::Source => Export::check_sources(&export::sources_beside(program))?,
        }
        Ok(export)
    });
    Ok(match ready {
        Ok(export) => WorkflowExportChecked {
            check_list: Some(export.check_list()),
            problems: Vec::new(),
            start: Some(export.start_downloaded(chosen.target)),
            file_name: Some(export.file_name(chosen.target)),
        },
        Err(ApiError { code, message, hint, details, .. }) => {
            let details = details.unwrap_or_default();
            let reason = serde_json::from_value(details["reason"].clone()).ok();
            let name = details["name"].as_str().map(str::to_owned);
            let (workflow, path) = (String::new(), String::new());
            refused(vec![ExportProblem { code, workflow, path, message, hint, reason, name }])
        }
    })
}

/// Errors of the workflow, when that is what the error is about.
fn diagnostics(error: &ApiError) -> Option<Vec<ExportProblem>> {
    let all = error.details.as_ref()?["diagnostics"].as_array()?;
    Some(all.iter().filter(|one| one["severity"] == "error").filter_map(|one| problem(one, "")).collect())
}

fn problem(told: &Value, own: &str) -> Option<ExportProblem> {
    let mut problem: ExportProblem = serde_json::from_value(told.clone()).ok()?;
    // The place is in the file that a person looks at, unless another one is named.
    if problem.workflow == own {
        problem.workflow.clear();
    }
    Some(problem)
}

/// Writes into a new folder in the one that a person chose.
fn written(
    file: &Path,
    data: &Path,
    chosen: &ExportChoices,
    folder: &Path,
    program: &Path,
) -> ApiResult<WorkflowExported> {
    let export = ready(export::check(file, Some(data), &choices(chosen)?)?, chosen, program)?;
    let out = folder.join(&export.bundle.name);
    let done = export.write_as(chosen.target, &out, &export::sources_beside(program)).map_err(|error| match error {
        ApiError { ref code, .. } if code == "FOLDER_NOT_EMPTY" => {
            ApiError { hint: "Choose another folder, or move away what is in it.".to_owned(), ..error }
        }
        other => other,
    })?;
    let path = done.file.display().to_string();
    let start = export.start(chosen.target, &path);
    Ok(WorkflowExported { path, size_bytes: done.size, sha256: done.sha256, start })
}

impl App {
    /// A stored workflow as a program, to be downloaded.
    pub async fn program(
        self: &Arc<Self>,
        _: &Caller,
        workflow_id: String,
        chosen: ExportChoices,
    ) -> ApiResult<FileContent> {
        self.blocking(move |app| {
            let program = export::own_program()?;
            let file = app.by_id(&workflow_id)?;
            let export = ready(export::check(&file, Some(app.data_dir()), &choices(&chosen)?)?, &chosen, &program)?;
            let download = export.download_as(chosen.target, &export::sources_beside(&program))?;
            let name = export.file_name(chosen.target);
            Ok(FileContent::new(name, download.size, download.content).with_sha256(download.sha256))
        })
        .await
    }
}

#[cfg(test)]
mod tests;
