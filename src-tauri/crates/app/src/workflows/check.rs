//! Looking at files without opening a store: what `validate` and `catalog` need, and what every start of a run asks
//! first.

use crate::error::{ApiError, ApiResult, Class};
use crate::workflows::import::foreign;
use crate::workflows::library::load;
use crate::workflows::subworkflows::{self, in_folder};
use serde_json::{Value, json};
use signalbox_engine::catalog::Catalog;
use signalbox_engine::validate::{Checked, check_bytes, check_called};
use signalbox_model::{Code, Diagnostic, NodeDescriptor, Severity, Workflow};
use std::fs;
use std::path::{Path, PathBuf};

/// The node kinds of this program.
pub fn catalog() -> &'static Catalog {
    signalbox_nodes::built_in()
}

/// Their descriptors.
pub fn kinds() -> Vec<NodeDescriptor> {
    catalog().iter().map(|kind| (**kind).clone()).collect()
}

/// Everything that is wrong with a file, also when it cannot be read. Sub-workflows are looked for beside it, then in the
/// library of a data folder.
pub fn file(path: &Path, data: Option<&Path>) -> Vec<Diagnostic> {
    match load(path) {
        Ok(loaded) => {
            let mut checked = check_bytes(&loaded.bytes, catalog());
            let library = data.map(|data| data.join("workflows"));
            let folders: Vec<&Path> = path.parent().into_iter().chain(library.as_deref()).collect();
            if let Some(workflow) = &checked.workflow {
                let called =
                    subworkflows::find(workflow, data, &|id| folders.iter().find_map(|folder| in_folder(folder, id)));
                checked.diagnostics.extend(check_called(workflow, catalog(), &called));
                checked.diagnostics.sort_by_key(|found| found.severity == Severity::Warning);
            }
            checked.diagnostics
        }
        Err(error) => {
            let code = match error.code.as_str() {
                "TOO_LARGE" => Code::TooLarge,
                _ => Code::BadFile,
            };
            let message =
                if error.code == "NOT_FOUND" { format!("{} does not exist.", path.display()) } else { error.message };
            let hint = if error.code == "NOT_FOUND" { "Check the path.".to_owned() } else { error.hint };
            vec![Diagnostic::error(code, "", message, hint)]
        }
    }
}

/// A document with its diagnostics; refused when it is no workflow at all.
pub fn readable(bytes: &[u8]) -> ApiResult<(Value, Vec<Diagnostic>)> {
    let Checked { workflow, diagnostics } = check_bytes(bytes, catalog());
    let newer = diagnostics.iter().any(|d| d.code == Code::NewerVersion);
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let document = serde_json::from_slice(text).ok().filter(|_| workflow.is_some() && !newer);
    match document {
        Some(document) => Ok((document, diagnostics)),
        None => Err(foreign(text).unwrap_or_else(|| refused(&diagnostics))),
    }
}

/// The workflow of a document that may have errors.
pub(crate) fn workflow(document: Value) -> ApiResult<Workflow> {
    serde_json::from_value(document).map_err(|error| {
        let message = format!("The document is no workflow: {error}.");
        ApiError::bad_request(message, "Send the workflow as the editor shows it.")
    })
}

/// Refuses a workflow with errors; `details.diagnostics` has them all.
pub fn runnable(diagnostics: &[Diagnostic]) -> ApiResult<()> {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    if errors == 0 {
        return Ok(());
    }
    let count = if errors == 1 { "an error".to_owned() } else { format!("{errors} errors") };
    Err(ApiError::new(
        Class::Invalid,
        "INVALID_WORKFLOW",
        format!("The workflow has {count} and cannot run."),
        "Fix what the diagnostics say, then run it again.",
    )
    .with(json!({ "diagnostics": diagnostics })))
}

pub(crate) fn refused(diagnostics: &[Diagnostic]) -> ApiError {
    let first = diagnostics.iter().find(|d| d.severity == Severity::Error);
    let code = first.map_or_else(|| "BAD_FILE".to_owned(), |d| d.code.as_str());
    let message = first.map_or("This is no workflow file.", |d| &d.message);
    let hint = first.map_or("Choose another file.", |d| &d.hint);
    ApiError::new(Class::Invalid, &code, message, hint).with(json!({ "diagnostics": diagnostics }))
}

/// A checked descriptor.
#[derive(Debug, Clone)]
pub struct CheckedDescriptor {
    /// The file, or the name of a built-in kind.
    pub file: String,
    /// What is wrong, one sentence each.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks descriptor files, or the built-in kinds when none is named.
pub fn descriptors(files: &[PathBuf]) -> Vec<CheckedDescriptor> {
    if files.is_empty() {
        // A test checks the YAML of the built-in kinds; what is loaded here passed it.
        return kinds().into_iter().map(|k| CheckedDescriptor { file: k.kind, diagnostics: Vec::new() }).collect();
    }
    files
        .iter()
        .map(|path| {
            let diagnostics = match fs::read_to_string(path) {
                Ok(yaml) => signalbox_nodes::check_descriptor(&yaml),
                Err(error) => vec![Diagnostic::error(
                    Code::BadFile,
                    "",
                    format!("{} cannot be read: {error}.", path.display()),
                    "Name a descriptor file in YAML.",
                )],
            };
            CheckedDescriptor { file: path.display().to_string(), diagnostics }
        })
        .collect()
}
