//! Workflow files of other programs become workflows of ours: read, translated, told. Nothing is run, and nothing but the
//! text that is given is looked at.
#![deny(missing_docs)]

mod check;
mod layout;
pub mod openapi;
mod report;
mod vl;

pub use check::NOT_VALID;
pub use report::{Finding, Level, Report, Translated};
pub use signalbox_engine::imported_checkpoint::Refused;

use signalbox_engine::json;
use signalbox_model::Workflow;

/// Largest foreign file, in bytes; the same as of our own.
pub const FILE_LIMIT: usize = 16 * 1024 * 1024;

/// Formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The step format of source 003, versions 3.5 to 4.1.
    Vl,
}

/// What a person may say beside the file.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Name of the workflow when its file has none.
    pub name: Option<String>,
    /// Tool server of this machine that `Tool_*` steps call.
    pub tool_server: Option<String>,
}

/// A workflow and what is to be known about how it came to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Ready to be saved.
    pub workflow: Workflow,
    /// What became of what.
    pub report: Report,
}

/// Which format a text is of; none when it is of none, our own included.
pub fn recognise(text: &str) -> Option<Format> {
    let value = json::parse(without_mark(text)).ok()?;
    vl::is_one(&value).then_some(Format::Vl)
}

/// Reads and translates a file.
pub fn import(text: &str, options: &Options) -> Result<Imported, Refused> {
    if text.len() > FILE_LIMIT {
        return Err(Refused {
            code: "TOO_LARGE",
            path: String::new(),
            message: format!("The file has {} bytes; at most {FILE_LIMIT} are read.", text.len()),
            hint: "Take data out of the file: a workflow reads it when it runs.".into(),
        });
    }
    let value = json::parse(without_mark(text)).map_err(|error| Refused {
        code: "BAD_JSON",
        path: String::new(),
        message: format!("The file is no JSON: {error}."),
        hint: "Correct the file at this place, or export it again.".into(),
    })?;
    if !vl::is_one(&value) {
        let (message, hint) = if value.get("signalbox").is_some() {
            ("The file is a workflow of Signalbox already.", "Open it instead of importing it.")
        } else {
            (
                "The file is in no format that can be imported.",
                "A file with \"version\", \"registry\" and a list of \"steps\" can be.",
            )
        };
        return Err(Refused {
            code: "UNKNOWN_FORMAT",
            path: String::new(),
            message: message.into(),
            hint: hint.into(),
        });
    }
    let mut imported = vl::import(&value, options)?;
    layout::lay_out(&mut imported.workflow);
    Ok(imported)
}

/// Some programs begin their files with a byte order mark.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
