//! A file of the library as it is opened: its document, what is wrong with it, and the draft beside it.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{Draft, OpenWorkflow};
use crate::error::ApiResult;
use crate::workflows::canonical::same;
use crate::workflows::check;
use crate::workflows::library::{load, read_only};
use serde_json::Value;
use signalbox_model::{Diagnostic, time};
use std::path::Path;

pub(crate) fn folder_of(path: &Path) -> String {
    path.parent().map(|folder| folder.display().to_string()).unwrap_or_default()
}

pub(crate) fn open(app: &App, caller: &Caller, path: &Path) -> ApiResult<OpenWorkflow> {
    let reference = app.library.reference(path);
    let loaded = load(path)?;
    let mut unreadable = None;
    let (document, mut diagnostics, draft) = match check::readable(&loaded.bytes) {
        Ok((document, diagnostics)) => {
            let draft = draft(app, &reference, &document)?;
            (document, diagnostics, draft)
        }
        // The file was spoilt outside; what the person had in the editor is still there.
        Err(error) => match draft(app, &reference, &Value::Null)? {
            Some(draft) => {
                unreadable = Some(error.message);
                (draft.document.clone(), savable(&draft.document).unwrap_or_default(), Some(draft))
            }
            None => return Err(error),
        },
    };
    if let Ok(workflow) = serde_json::from_value(document.clone()) {
        diagnostics.extend(app.called_findings(caller, &workflow, Some(path))?);
        diagnostics.extend(app.secret_findings(&workflow));
        diagnostics.extend(app.grant_findings_now(&workflow)?);
    }
    Ok(OpenWorkflow {
        reference,
        path: path.display().to_string(),
        folder: folder_of(path),
        revision: loaded.revision,
        document: app.file_for(caller, document),
        diagnostics,
        draft: draft.map(|draft| Draft { document: app.file_for(caller, draft.document), ..draft }),
        unreadable,
        read_only: read_only(path),
    })
}

/// Changes that were not saved. A draft that says what the file says is over.
fn draft(app: &App, reference: &str, document: &Value) -> ApiResult<Option<Draft>> {
    let Some(kept) = app.store.draft_get(reference)? else { return Ok(None) };
    let Ok(draft) = serde_json::from_str::<Value>(&kept.document) else { return Ok(None) };
    if same(&draft, document) {
        forget_draft(app, reference);
        return Ok(None);
    }
    Ok(Some(Draft { document: draft, saved_at: time::format(kept.saved_ms) }))
}

/// A draft that is over does no harm: a full disk must not turn a save that worked into a failure.
pub(crate) fn forget_draft(app: &App, reference: &str) {
    drop(app.store.draft_discard(reference));
}

/// Saving never asks whether a workflow runs, only whether it could be opened again.
pub(crate) fn savable(document: &Value) -> ApiResult<Vec<Diagnostic>> {
    check::readable(document.to_string().as_bytes()).map(|(_, diagnostics)| diagnostics)
}
