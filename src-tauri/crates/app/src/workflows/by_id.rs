//! Workflows by their id, for programs (REST): found in the library, written to the data folder.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{StoredWorkflow, WorkflowId, WorkflowStored};
use crate::error::{ApiError, ApiResult, Class};
use crate::workflows::check;
use crate::workflows::document::{forget_draft, open, savable};
use crate::workflows::library::{ENDING, load};
use serde_json::{Value, json};
use signalbox_engine::validate::valid_workflow_id;
use signalbox_model::text::bytes_without_bom;
use std::path::PathBuf;
use std::sync::Arc;

impl App {
    /// A stored workflow.
    pub async fn stored(self: &Arc<Self>, caller: &Caller, id: String) -> ApiResult<StoredWorkflow> {
        let caller = caller.clone();
        self.blocking(move |app| {
            let open = open(app, &caller, &app.by_id(&id)?)?;
            Ok(StoredWorkflow { id, revision: open.revision, document: open.document, diagnostics: open.diagnostics })
        })
        .await
    }

    /// Stores a workflow. A file that exists is only replaced when `revision` names what it holds now, or is `*`.
    pub async fn store_workflow(
        self: &Arc<Self>,
        caller: &Caller,
        id: String,
        document: Value,
        revision: Option<String>,
    ) -> ApiResult<WorkflowStored> {
        let caller = caller.clone();
        self.blocking(move |app| {
            if !valid_workflow_id(&id) {
                return Err(ApiError::bad_request(
                    format!("'{id}' is no id of a workflow."),
                    "An id begins with a letter or digit and has at most 100 letters, digits, '.', '_' and '-'.",
                ));
            }
            if document["id"] != json!(id) {
                return Err(ApiError::new(
                    Class::Invalid,
                    "ID_MISMATCH",
                    format!("The address names the workflow {id}, the document {}.", document["id"]),
                    "Send the document to the address of its own id.",
                ));
            }
            let diagnostics = savable(&document)?;
            let path = match app.by_id(&id) {
                Ok(path) => path,
                Err(error) if error.class == Class::NotFound => app.library.home().join(format!("{id}{ENDING}")),
                Err(error) => return Err(error),
            };
            let any = revision.as_deref() == Some("*");
            if revision.is_none() && path.exists() {
                return Err(ApiError::new(
                    Class::Conflict,
                    "CONFLICT",
                    format!(
                        "The workflow {id} exists, and the request does not name its revision: If-Match is missing."
                    ),
                    "Send If-Match with the ETag of GET /workflows/{id}, or * to replace whatever is there.",
                ));
            }
            let base = revision.unwrap_or_default();
            let revision = app.save_workflow(&caller, &path, &document, Some(&base), any, None)?;
            Ok(WorkflowStored { id, revision, diagnostics })
        })
        .await
    }

    /// Deletes a stored workflow; with a revision only when the file still holds it.
    pub async fn delete_stored(
        self: &Arc<Self>,
        caller: &Caller,
        id: String,
        revision: Option<String>,
    ) -> ApiResult<WorkflowId> {
        let caller = caller.clone();
        self.blocking(move |app| {
            let path = app.by_id(&id)?;
            app.delete_workflow(&caller, &path, revision.as_deref().filter(|wanted| *wanted != "*"))?;
            forget_draft(app, &app.library.reference(&path));
            Ok(WorkflowId { id })
        })
        .await
    }

    /// The name in the file of a workflow, if the library has it.
    pub(crate) fn file_name_of(&self, id: &str) -> Option<String> {
        let path = self.library.by_id(id, &self.library_folders().ok()?)?;
        let file: Value = serde_json::from_slice(bytes_without_bom(&load(&path).ok()?.bytes)).ok()?;
        file["name"].as_str().map(str::to_owned)
    }

    /// The file of a workflow.
    pub(crate) fn by_id(&self, id: &str) -> ApiResult<PathBuf> {
        self.library.by_id(id, &self.library_folders()?).ok_or_else(|| {
            ApiError::not_found(self.unusable(id).unwrap_or_else(|| {
                format!("The library has no workflow with the id {id}; store it with PUT /workflows/{id}.")
            }))
        })
    }

    /// Why a file that is there by the name of this workflow is none of it.
    pub(crate) fn unusable(&self, id: &str) -> Option<String> {
        let path = Some(self.library.usual(id)).filter(|_| valid_workflow_id(id))?;
        let file = path.symlink_metadata().is_ok_and(|meta| meta.is_file()).then(|| load(&path))?;
        let why = match file.and_then(|file| check::readable(&file.bytes)) {
            Ok(_) => "It holds another workflow.".to_owned(),
            Err(error) => error.message,
        };
        Some(format!("The file {id}{ENDING} is there and cannot be used for it: {why}"))
    }
}
