//! Files of other programs become workflows of the library.

use super::workflow::add;
use crate::Caller;
use crate::app::App;
use crate::dto::{ImportPreview, ImportPreviewed, ImportedSecret, SecretKind, WorkflowImport, WorkflowImported};
use crate::error::{ApiError, ApiResult};
use crate::workflows::import::{Options, keep_pins, text_of, translate};
use serde_json::json;
use std::path::Path;

pub(crate) fn workflow_import(app: &App, caller: &Caller, request: WorkflowImport) -> ApiResult<WorkflowImported> {
    let (text, found) = match (request.text, request.path) {
        (Some(text), None) => (text, None),
        (None, Some(handle)) => text_of(&app.chosen(&handle)?)?,
        (Some(_), Some(_)) | (None, None) => {
            return Err(ApiError::bad_request("One of 'text' and 'path' is needed.", "Send the text of the file."));
        }
    };
    let options = Options {
        name: request.name.or(found),
        tool_server: request.tool_server,
        secrets: app.secret_names(),
        ..Options::default()
    };
    let imported = translate(&text, &options)?;
    let name = imported.workflow.name.clone();
    let from = format!("import:{}", imported.report.format);
    let workflow = add(app, caller, json!(imported.workflow), &name, Some(from))?;
    keep_pins(Path::new(&workflow.path), imported.pins)?;
    Ok(WorkflowImported { workflow, report: imported.report })
}

/// What a text would become, for a canvas that exists already; nothing is saved.
pub(crate) fn import_preview(app: &App, _: &Caller, request: ImportPreview) -> ApiResult<ImportPreviewed> {
    let options = Options { secrets: app.secret_names(), ..Options::default() };
    let imported = translate(&request.text, &options)?;
    let secret = signalbox_import::taken_secret(&request.text, &options)?.map(|taken| ImportedSecret {
        kind: match taken.kind {
            "bearer" => SecretKind::Bearer,
            "basic" => SecretKind::Basic,
            _ => SecretKind::Header,
        },
        name: taken.name,
        field: taken.field,
        value: taken.value,
        host: taken.host,
    });
    Ok(ImportPreviewed { workflow: json!(imported.workflow), report: imported.report, secret })
}

impl App {
    /// Names of secrets that this machine has; none where they cannot be looked up now.
    fn secret_names(&self) -> Vec<String> {
        let entries = self.secrets.vault.list().unwrap_or_default();
        entries.into_iter().map(|entry| entry.name).collect()
    }
}
