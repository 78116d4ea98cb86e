//! Changes of workflow files, each with its entry in the audit chain: who, which workflow, and the hashes of the file before
//! and after. A save that changes nothing has no entry. The file is written first, because it may be refused for many reasons
//! that the chain does not have; when the entry cannot be written, the file is put back.

use crate::app::App;
use crate::caller::Caller;
use crate::error::ApiResult;
use crate::workflows::library::{FileChange, Loaded};
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, text::bytes_without_bom};
use signalbox_store::audit::Level;
use std::path::Path;

impl App {
    /// [`Library::save`](crate::workflows::library::Library::save), recorded. `from`: where a new workflow comes from.
    pub(crate) fn save_workflow(
        &self,
        caller: &Caller,
        path: &Path,
        document: &Value,
        base: Option<&str>,
        overwrite: bool,
        from: Option<&str>,
    ) -> ApiResult<String> {
        self.library.save(path, document, base, overwrite, &|change| {
            let before = change.before.map(content).unwrap_or_default();
            let name = &document["name"];
            let renamed = before["name"].is_string() && before["name"] != *name;
            let facts = json!({
                "workflowId": document["id"], "name": name, "from": from,
                "renamedFrom": renamed.then_some(&before["name"]),
            });
            let event = if change.before.is_some() { AuditEvent::WorkflowSaved } else { AuditEvent::WorkflowCreated };
            self.record_file(caller, event, path, change, facts)
        })
    }

    /// [`Library::delete`](crate::workflows::library::Library::delete), recorded.
    pub(crate) fn delete_workflow(&self, caller: &Caller, path: &Path, base: Option<&str>) -> ApiResult<()> {
        self.library.delete(path, base, &|change| {
            let before = change.before.map(content).unwrap_or_default();
            let facts = json!({ "workflowId": before["id"], "name": before["name"] });
            self.record_file(caller, AuditEvent::WorkflowDeleted, path, change, facts)
        })
    }

    fn record_file(
        &self,
        caller: &Caller,
        event: AuditEvent,
        path: &Path,
        change: FileChange<'_>,
        mut facts: Value,
    ) -> ApiResult<()> {
        facts["file"] = path.file_name().map(|name| name.to_string_lossy().into_owned()).into();
        facts["before"] = change.before.map(|before| before.revision.clone()).into();
        facts["after"] = change.after.into();
        let level = if event == AuditEvent::WorkflowDeleted { Level::Warn } else { Level::Info };
        let record = self.fact(event, level, caller.actor(), caller.signed(facts));
        self.store.audit_append(record, None, true)?;
        Ok(())
    }
}

/// What a file held; nothing when it was no JSON.
fn content(file: &Loaded) -> Value {
    serde_json::from_slice(bytes_without_bom(&file.bytes)).unwrap_or_default()
}
