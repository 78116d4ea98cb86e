//! Missing folder grants, found before a run: literal paths of file steps in folders that nobody allowed.

use crate::app::App;
use crate::error::ApiResult;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Diagnostic, Node, Workflow};

/// The settings of a step that name files, and whether the step writes them.
pub(crate) fn file_settings(node: &Node) -> Vec<(&'static str, bool)> {
    let setting = |name: &str| node.config.as_ref().and_then(|config| config.get(name)?.as_str());
    let database = |writes: bool| (setting("system") == Some("sqlite")).then_some(("file", writes));
    let saved = || setting("saveTo").map(|_| ("saveTo", true));
    let found = match node.kind.as_str() {
        "archive.unpack" | "file.list" | "file.read" | "pdf.read" | "sheet.read" | "table.read"
        | "trigger.file_watch" => [Some(("path", false)), None],
        "http.request" => [saved(), None],
        "sheet.fill" => [Some(("template", false)), Some(("path", true))],
        "archive.pack" | "file.write" | "pdf.write" | "sheet.write" => [Some(("path", true)), None],
        "db.query" => [database(setting("access") == Some("write")), saved()],
        "db.tables" => [database(false), None],
        "db.write" => [database(true), None],
        _ => [None, None],
    };
    found.into_iter().flatten().collect()
}

/// A path that is known before the run, of a real file.
pub(crate) fn is_fixed(path: &str) -> bool {
    !path.starts_with('=') && !path.contains("{{") && !path.starts_with("sample:")
}

impl App {
    /// Warnings: a draft may be saved, and a run may not reach the step. Activating makes errors of them.
    pub(crate) fn grant_findings(&self, workflow: &Workflow) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (id, node) in &workflow.nodes {
            for (field, writes) in file_settings(node) {
                let path = node.config.as_ref().and_then(|config| config.get(field)?.as_str());
                let Some(path) = path.filter(|path| !path.is_empty() && is_fixed(path)) else { continue };
                if let Err(why) = self.may_use_path(&workflow.id, path, writes) {
                    let at = format!("/nodes/{}/config/{field}", pointer_token(id));
                    found.push(Diagnostic::warning(Code::MissingGrant, at, why, "Allow the folder for this workflow"));
                }
            }
        }
        found
    }

    /// [`Self::grant_findings`] with the grants of now: another process may have changed them.
    pub(crate) fn grant_findings_now(&self, workflow: &Workflow) -> ApiResult<Vec<Diagnostic>> {
        self.grants_changed()?;
        Ok(self.grant_findings(workflow))
    }
}
