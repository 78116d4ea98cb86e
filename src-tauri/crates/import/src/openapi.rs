//! OpenAPI 3.0 and 3.1, and Swagger 2, as connectors. Nothing is fetched and nothing is run: what a document refers to outside
//! of itself is left out with a reason. What cannot be expressed is told as a finding; the file can be edited afterwards.

mod document;
mod guess;
mod operation;
mod parameter;
mod schema;
mod security;
mod server;

use document::Document;
use indexmap::IndexMap;
pub(crate) use operation::in_words;
use serde_json::Value;
use signalbox_model::Connector;
use signalbox_model::connector::FORMAT;
use std::fmt;

/// So many findings are told; the others are counted.
const FINDINGS: usize = 200;
/// JSON Pointers where services put the message of an error.
pub(crate) const MESSAGES: [&str; 8] = [
    "/error/message",
    "/message",
    "/error_description",
    "/errors/0/message",
    "/detail",
    "/error",
    "/errors/0/detail",
    "/title",
];

/// How a document is compiled.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Name of the connector; from the title of the document when it is absent.
    pub name: Option<String>,
}

/// Something in the document that the connector does not have, or has in another way.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// Where: a JSON Pointer into the document.
    pub path: String,
    /// What, in a sentence.
    pub message: String,
}

/// A compiled document.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The connector.
    pub connector: Connector,
    /// What differs.
    pub findings: Vec<Finding>,
    /// Findings that are not in the list.
    pub more: usize,
    /// Operations of the document that were left out.
    pub left_out: usize,
}

/// Why a document is not compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Refused {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

/// Findings while a document is compiled.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    more: usize,
}

impl Findings {
    /// The list, and the number of those that are not in it.
    pub(crate) fn into_parts(self) -> (Vec<Finding>, usize) {
        (self.list, self.more)
    }

    pub(crate) fn add(&mut self, path: impl Into<String>, message: impl Into<String>) {
        let finding = Finding { path: path.into(), message: message.into() };
        if self.list.contains(&finding) {
            return;
        }
        if self.list.len() < FINDINGS {
            self.list.push(finding);
        } else {
            self.more += 1;
        }
    }
}

/// Whether a value is a document that [`compile`] reads.
pub fn is_document(value: &Value) -> bool {
    value.get("openapi").is_some() || value.get("swagger").is_some()
}

/// Compiles a document.
///
/// # Errors
/// It is no document of a known version, or none of its operations can be used.
pub fn compile(value: &Value, options: &Options) -> Result<Compiled, Refused> {
    let document = Document::new(value)?;
    let mut findings = Findings::default();
    let info = &value["info"];
    let title = info["title"].as_str().map(str::trim).filter(|title| !title.is_empty()).unwrap_or("API");
    let mut schemas = schema::Schemas::new(&document);
    let operations = operation::all(&document, &mut schemas, &mut findings);
    if operations.known.is_empty() {
        let why = findings.list.first().map_or_else(
            || "it has no paths with operations".to_owned(),
            |first| format!("{} ({})", first.message, first.path),
        );
        let message = format!("No operation of the document can be used: {why}");
        return Err(Refused::new(message, "Correct the document, or ask the service for a complete one"));
    }
    let (auth, anonymous) = security::of(&document, &mut findings);
    let servers = server::of(&document, &mut findings);
    let defs = schemas.finish(&mut findings);
    let connector = Connector {
        connector: FORMAT,
        name: options.name.clone().unwrap_or_else(|| slug(title)),
        title: short(title, 100),
        description: info["description"].as_str().map(|text| first_sentence(text, 300)).unwrap_or_default(),
        docs: value["externalDocs"]["url"].as_str().map(str::to_owned),
        servers,
        auth,
        anonymous,
        error_message: MESSAGES.iter().map(|pointer| (*pointer).to_owned()).collect(),
        operations: operations.known,
        defs,
        ..Connector::default()
    };
    finished(connector, findings, operations.left_out)
}

/// Most values inside one another that an operation or a shared schema may have: a connector file holds 128.
const DEEPEST: usize = 110;

/// The connector without what its file could not hold.
pub(crate) fn finished(
    mut connector: Connector,
    mut findings: Findings,
    mut left_out: usize,
) -> Result<Compiled, Refused> {
    let levels = |value: serde_json::Result<Value>| value.map_or(0, |value| crate::depth(&value));
    let before = connector.operations.len();
    connector.operations.retain(|name, operation| {
        let levels = levels(serde_json::to_value(&*operation));
        if levels > DEEPEST {
            let message = format!("The operation '{name}' is left out: it has {levels} lists and objects inside one another; {DEEPEST} are the most");
            findings.add("/operations", message);
        }
        levels <= DEEPEST
    });
    left_out += before - connector.operations.len();
    for (name, schema) in &mut connector.defs {
        let levels = levels(Ok(schema.clone()));
        if levels > DEEPEST {
            let message = format!(
                "The schema '{name}' has {levels} lists and objects inside one another, and {DEEPEST} are the most; any value is taken for it"
            );
            findings.add("/defs", message);
            *schema = Value::Object(signalbox_model::Map::new());
        }
    }
    if connector.operations.is_empty() {
        let message =
            format!("No operation can be used: each has more than {DEEPEST} lists and objects inside one another");
        return Err(Refused::new(message, "Ask the service for a simpler description"));
    }
    let (findings, more) = findings.into_parts();
    Ok(Compiled { connector, findings, more, left_out })
}

/// Operations by name.
pub(crate) struct Operations {
    pub(crate) known: IndexMap<String, signalbox_model::Operation>,
    pub(crate) left_out: usize,
}

/// A name in small letters, digits and `-`.
pub(crate) fn slug(title: &str) -> String {
    let mut name = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name: String = name.chars().take(40).collect();
    let name = name.trim_matches('-').to_owned();
    if name.is_empty() { "api".into() } else { name }
}

/// The beginning of a text in one line.
pub(crate) fn short(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.chars().count() + word.chars().count() >= most {
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// The first paragraph of a text.
pub(crate) fn first_sentence(text: &str, most: usize) -> String {
    let first = text.trim().split("\n\n").next().unwrap_or_default();
    short(first, most)
}
