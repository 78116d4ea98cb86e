//! Which modules the kinds of steps need, and which runner has them.

use crate::dto::ExportReason;
use serde_json::Value;

/// Modules that some runner has; `people` is in programs that are told how to ask them.
pub(super) const PORTABLE: &[&str] = &[
    "columnar",
    "connectors",
    "databases",
    "documents",
    "files",
    "http",
    "mail",
    "model",
    "retrieval",
    "script",
    "tools",
    "triggers",
];
/// Modules that only the full runner has.
const FULL: &[&str] = &["columnar", "databases", "mail", "model", "retrieval", "tools"];
/// Modules that the smallest runner lacks.
const LARGE: &[&str] = &["documents", "script"];
/// Modules by kind; a kind that is not listed needs the core alone.
pub(super) const MODULES: &[(&str, &[&str])] = &[
    ("a2a.agent", &["http"]),
    ("agent.task", &["model"]),
    ("archive.pack", &["documents", "files"]),
    ("archive.unpack", &["documents", "files"]),
    ("builtin.human_approval", &["people"]),
    ("builtin.human_decision", &["people"]),
    ("builtin.human_form", &["people"]),
    ("code.javascript", &["script"]),
    ("connector.call", &["http", "connectors"]),
    ("db.query", &["databases"]),
    ("db.tables", &["databases"]),
    ("db.write", &["databases"]),
    ("feed.read", &["http"]),
    ("file.list", &["files"]),
    ("file.read", &["files"]),
    ("file.write", &["files"]),
    ("flow.pause", &["people"]),
    ("html.select", &["documents"]),
    ("http.request", &["http"]),
    ("llm.chat", &["model"]),
    ("mail.read", &["mail"]),
    ("mail.send", &["mail"]),
    ("mcp.tool", &["tools"]),
    ("message.publish", &["brokers"]),
    ("object.delete", &["http"]),
    ("object.list", &["http"]),
    ("object.move", &["http"]),
    ("object.read", &["http"]),
    ("object.write", &["http"]),
    ("pdf.read", &["documents", "files"]),
    ("pdf.write", &["documents", "files"]),
    ("rag.index", &["retrieval"]),
    ("rag.retrieve", &["retrieval"]),
    ("sheet.fill", &["documents", "files"]),
    ("sheet.read", &["documents", "files"]),
    ("sheet.write", &["documents", "files"]),
    ("table.read", &["columnar", "files"]),
    ("trigger.error", &["failures"]),
    ("trigger.file_watch", &["files", "triggers"]),
    ("trigger.form", &["triggers"]),
    ("trigger.mail", &["mail", "triggers"]),
    ("trigger.message", &["brokers", "triggers"]),
    ("trigger.poll", &["http", "triggers"]),
    ("trigger.schedule", &["triggers"]),
    ("trigger.webhook", &["triggers"]),
];
/// The modules that a step needs besides the core.
pub(super) fn modules_of(kind: &str, config: Option<&Value>) -> &'static [&'static str] {
    if kind.starts_with("object.") && config.is_some_and(|config| config["system"] == "sftp") {
        return &["sftp"];
    }
    MODULES.iter().find(|(name, _)| *name == kind).map_or(&[], |(_, modules)| modules)
}

/// Whether only the full runner has all of these modules.
pub(in super::super) fn needs_full<'a>(mut modules: impl Iterator<Item = &'a str>) -> bool {
    modules.any(|module| FULL.contains(&module))
}

/// Whether the smallest runner lacks one of these modules.
pub(in super::super) fn needs_large<'a>(mut modules: impl Iterator<Item = &'a str>) -> bool {
    modules.any(|module| LARGE.contains(&module))
}

/// Why a module that is not there keeps a step from leaving, and what to do.
pub(super) fn refusal(module: &str) -> (ExportReason, &'static str, &'static str) {
    match module {
        "people" => (
            ExportReason::People,
            "asks a person, and this export has no way to ask",
            "Choose how people answer (--human terminal, ui or callback=URL), or remove the step.",
        ),
        "failures" => (
            ExportReason::Failures,
            "waits for failures of other workflows, and an exported program runs no others",
            "Handle the failure in the workflow with an error handler, or keep the step in Signalbox.",
        ),
        "brokers" => (
            ExportReason::Brokers,
            "speaks to a message broker, and exported programs do not",
            "Run this workflow with Signalbox, or start the program by a webhook or a schedule.",
        ),
        "sftp" => (
            ExportReason::Module,
            "speaks SFTP, and exported programs do not",
            "Run this workflow with `signalbox run`, or use a store that is reached over HTTPS.",
        ),
        _ => (
            ExportReason::Module,
            "needs something that exported programs do not have",
            "Run this workflow with `signalbox run`, or replace the step.",
        ),
    }
}
