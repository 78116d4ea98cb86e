//! Files of other programs become workflows of the library.

use super::workflow::add;
use crate::Caller;
use crate::app::App;
use crate::dto::{WorkflowImport, WorkflowImported};
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
    let options = Options { name: request.name.or(found), tool_server: request.tool_server, format: None };
    let imported = translate(&text, &options)?;
    let name = imported.workflow.name.clone();
    let from = format!("import:{}", imported.report.format);
    let workflow = add(app, caller, json!(imported.workflow), &name, Some(from))?;
    keep_pins(Path::new(&workflow.path), imported.pins)?;
    Ok(WorkflowImported { workflow, report: imported.report })
}
