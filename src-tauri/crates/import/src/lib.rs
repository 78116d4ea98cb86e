//! Workflow files of other programs become workflows of ours: read, translated, told. Nothing is run, and nothing but the
//! text that is given is looked at.
#![deny(missing_docs)]

mod asl;
pub mod asl_export;
mod cel;
mod check;
mod curl;
pub mod graphql;
mod js;
mod layout;
mod n8n;
pub mod openapi;
mod report;
mod secrets;
mod text;
mod usual_auth;
mod vl;

pub use check::NOT_VALID;
pub use report::{Finding, Level, Report, Status, Translated};
pub use secrets::TakenSecret;
pub use signalbox_engine::imported_checkpoint::Refused;

use serde_json::Value;
use signalbox_engine::json;
use signalbox_model::{Map, Workflow};

/// Largest foreign file, in bytes; the same as of our own.
pub const FILE_LIMIT: usize = 16 * 1024 * 1024;

/// Formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The step format of source 003, versions 3.5 to 4.1.
    Vl,
    /// Workflows of n8n.
    N8n,
    /// State machines of the Amazon States Language.
    Asl,
    /// A command line of cURL.
    Curl,
}

impl Format {
    /// Its name, as reports and arguments have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vl => "vl",
            Self::N8n => "n8n",
            Self::Asl => "asl",
            Self::Curl => "curl",
        }
    }
}

/// What a person may say beside the file.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Name of the workflow when its file has none.
    pub name: Option<String>,
    /// Tool server of this machine that `Tool_*` steps call.
    pub tool_server: Option<String>,
    /// The format, when the content shall not say it.
    pub format: Option<Format>,
    /// Names of secrets that this machine has: one that is taken out of a command line gets another name.
    pub secrets: Vec<String>,
}

impl Options {
    /// The name for a secret, with a number when there is one of this name.
    pub(crate) fn free_secret(&self, name: &str) -> String {
        let is_free = |name: &String| !self.secrets.contains(name);
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_else(|| name.to_owned())
    }
}

/// A workflow and what is to be known about how it came to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Ready to be saved.
    pub workflow: Workflow,
    /// What became of what.
    pub report: Report,
    /// Output that the file keeps for steps, to try the workflow with: step id → data of its items.
    pub pins: Map,
}

/// Which format a text is of; none when it is of none, our own included.
pub fn recognise(text: &str) -> Option<Format> {
    if curl::is_one(without_mark(text)) {
        return Some(Format::Curl);
    }
    format_of(&json::parse(without_mark(text)).ok()?)
}

fn format_of(value: &Value) -> Option<Format> {
    if asl::is_one(value) {
        Some(Format::Asl)
    } else if n8n::is_one(value) {
        Some(Format::N8n)
    } else if vl::is_one(value) {
        Some(Format::Vl)
    } else {
        None
    }
}

/// Reads and translates a file.
///
/// # Errors
/// What the text is not, where, and what to do next.
pub fn import(text: &str, options: &Options) -> Result<Imported, Refused> {
    if text.len() > FILE_LIMIT {
        return Err(Refused {
            code: "TOO_LARGE",
            path: String::new(),
            message: format!("The file has {} bytes; at most {FILE_LIMIT} are read.", text.len()),
            hint: "Take data out of the file: a workflow reads it when it runs.".into(),
        });
    }
    if options.format.map_or_else(|| curl::is_one(without_mark(text)), |format| format == Format::Curl) {
        return curl::import(without_mark(text), options).and_then(|(imported, _)| finished(imported));
    }
    if options.format.is_none()
        && ["openapi:", "swagger:"].iter().any(|start| without_mark(text).trim_start().starts_with(start))
    {
        return Err(api_description());
    }
    let value = json::parse(without_mark(text)).map_err(|error| Refused {
        code: "BAD_JSON",
        path: String::new(),
        message: format!("The file is no JSON: {error}."),
        hint: "Correct the file at this place, or export it again.".into(),
    })?;
    let Some(format) = options.format.or_else(|| format_of(&value)) else {
        if ["openapi", "swagger"].iter().any(|name| value.get(name).is_some()) {
            return Err(api_description());
        }
        let (message, hint) = if value.get("signalbox").is_some() {
            ("The file is a workflow of Signalbox already.", "Open it instead of importing it.")
        } else {
            (
                "The file is in no format that can be imported.",
                "Workflows of n8n (\"nodes\" and \"connections\"), state machines (\"StartAt\" and \"States\") and cURL command lines can be, and files with \"version\", \"registry\" and a list of \"steps\".",
            )
        };
        return Err(Refused {
            code: "UNKNOWN_FORMAT",
            path: String::new(),
            message: message.into(),
            hint: hint.into(),
        });
    };
    let imported = match format {
        Format::Vl => vl::import(&value, options)?,
        Format::N8n => n8n::import(&value, options)?,
        Format::Asl => asl::import(&value, options)?,
        Format::Curl => curl::import(text, options)?.0,
    };
    finished(imported)
}

/// The secret that was taken out of a command line, for the one who gave the line; nothing of other texts.
///
/// # Errors
/// As [`import`].
pub fn taken_secret(text: &str, options: &Options) -> Result<Option<TakenSecret>, Refused> {
    let text = without_mark(text);
    if text.len() > FILE_LIMIT || !curl::is_one(text) {
        return Ok(None);
    }
    curl::import(text, options).map(|(_, secret)| secret)
}

/// An OpenAPI document: its operations are steps, it is no workflow.
fn api_description() -> Refused {
    Refused {
        code: "UNKNOWN_FORMAT",
        path: String::new(),
        message: "The file describes an API (OpenAPI). It becomes a connector, whose operations are steps.".into(),
        hint: "Import it in the catalog with Import API…, or with `signalbox connectors add FILE`.".into(),
    }
}

/// Steps get their places, and the report says of each whether it can run.
fn finished(mut imported: Imported) -> Result<Imported, Refused> {
    too_deep(&imported.workflow)?;
    if imported.workflow.layout.as_ref().is_none_or(Map::is_empty) {
        layout::lay_out(&mut imported.workflow);
        let groups = imported.report.groups.take();
        if let (Some(layout), Some(groups)) = (&mut imported.workflow.layout, groups) {
            layout.insert("$groups".into(), Value::Object(groups));
        }
    }
    imported.report.mark();
    Ok(imported)
}

/// Most values inside one another that a step may have: files with more than 127 cannot be read, and a step has a few around its own.
const DEEPEST: usize = 120;

/// A workflow that no program could open is not written.
fn too_deep(workflow: &Workflow) -> Result<(), Refused> {
    let deepest = |node: &signalbox_model::Node| serde_json::to_value(node).map_or(0, |value| depth(&value));
    let Some((id, levels)) =
        workflow.nodes.iter().map(|(id, node)| (id, deepest(node))).find(|(_, levels)| *levels > DEEPEST)
    else {
        return Ok(());
    };
    Err(Refused {
        code: "TOO_DEEP",
        path: String::new(),
        message: report::short(&format!(
            "The step '{id}' would have {levels} lists and objects inside one another; a workflow file can hold {DEEPEST}."
        )),
        hint: "Keep such a value as a text (JSON) in the other program, or in a file that the workflow reads, and import again."
            .into(),
    })
}

/// How many lists and objects are inside one another.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Some programs begin their files with a byte order mark.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// A name as an id of a workflow.
pub(crate) fn slug(name: &str) -> String {
    let mut id = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            id.push(c.to_ascii_lowercase());
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
        if id.len() >= 80 {
            break;
        }
    }
    let id = id.trim_end_matches('-');
    if id.is_empty() { "imported".into() } else { id.to_owned() }
}
