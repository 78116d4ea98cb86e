//! A form that starts a workflow: `{path, title, description, schema, submitLabel, respond, thanks, maxBytes}` (ADR 98). The
//! server shows it at `/forms/{path}`; what is read here is the same for the validator, the server and the step.

use crate::schema::Schema;
use serde_json::{Value, json};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Map};

/// The kind of step that has a form.
pub const KIND: &str = "trigger.form";
/// Largest submission, files included, in bytes.
pub const MOST_BYTES: u64 = 14 * 1024 * 1024;
/// Largest submission when the form says nothing.
const USUAL_BYTES: u64 = 5 * 1024 * 1024;
/// Longest path.
const LONGEST_PATH: usize = 80;
/// Paths that the server uses itself.
const TAKEN: [&str; 1] = ["assets"];
/// Most files of one field.
pub const MOST_FILES: usize = 20;
/// Deepest nesting that a sample follows; a schema may refer to itself.
const SAMPLE_DEPTH: usize = 8;

/// What the page shows after a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Respond {
    /// A text, as soon as the run has been created.
    Thanks,
    /// The run's output, once it has ended.
    Result,
}

/// What is wrong with a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of finding.
    pub code: Code,
    /// JSON Pointer into the config.
    pub path: String,
    /// What is wrong and why.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

/// A form.
#[derive(Debug, Clone)]
pub struct Form {
    /// The last part of its address.
    pub path: String,
    /// Heading of the page.
    pub title: String,
    /// Text below the heading.
    pub description: String,
    /// JSON Schema of the answers.
    pub schema: Value,
    /// Text of the button; empty: the page has its own.
    pub submit_label: String,
    /// What the page shows afterwards.
    pub respond: Respond,
    /// The text of [`Respond::Thanks`]; empty: the page has its own.
    pub thanks: String,
    /// Largest submission, in bytes.
    pub max_bytes: u64,
    /// Fields whose answers are files.
    pub files: Vec<FileField>,
}

/// A field that takes files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileField {
    /// Its name in the schema.
    pub name: String,
    /// It takes several.
    pub many: bool,
    /// Media type that it takes (`contentMediaType`); `image/*` takes every image.
    pub media: Option<String>,
}

fn problem(code: Code, path: impl Into<String>, message: impl Into<String>, hint: &str) -> Problem {
    Problem { code, path: path.into(), message: message.into(), hint: hint.into() }
}

impl Form {
    /// Reads the config of a form step; every problem at once.
    pub fn read(config: &Value) -> Result<Self, Vec<Problem>> {
        let text = |name: &str| config.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let schema = config.get("schema").cloned().unwrap_or(Value::Null);
        let path = text("path");
        let mut problems: Vec<Problem> = bad_path(&path).into_iter().collect();
        let files = match file_fields(&schema) {
            Ok(files) => files,
            Err(found) => {
                problems.extend(found);
                Vec::new()
            }
        };
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self {
            path,
            title: text("title"),
            description: text("description"),
            schema,
            submit_label: text("submitLabel"),
            respond: if config.get("respond").and_then(Value::as_str) == Some("result") {
                Respond::Result
            } else {
                Respond::Thanks
            },
            thanks: text("thanks"),
            max_bytes: config.get("maxBytes").and_then(Value::as_u64).unwrap_or(USUAL_BYTES).min(MOST_BYTES),
            files,
        })
    }

    /// Answers that the schema may accept: for a firing by hand, and for a run that a person starts.
    pub fn sample(&self) -> Map {
        sample_answers(&self.schema)
    }
}

/// See [`Form::sample`]; a schema that cannot be a form has none.
pub fn sample_answers(schema: &Value) -> Map {
    match sample_of(schema, "", SAMPLE_DEPTH) {
        Value::Object(answers) => answers,
        _ => Map::new(),
    }
}

fn bad_path(path: &str) -> Option<Problem> {
    let hint = "Write one word of small letters, digits, - and _, for example vacation-request";
    let wrong = |why: &str| Some(problem(Code::BadFormPath, "/path", format!("The path of the form {why}"), hint));
    if path.is_empty() {
        return wrong("is empty");
    }
    if path.len() > LONGEST_PATH {
        return wrong(&format!("is longer than {LONGEST_PATH} characters"));
    }
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    if !path.bytes().all(fits) {
        return wrong(&format!("'{path}' has characters that an address part cannot have (such as / . .. or spaces)"));
    }
    if TAKEN.contains(&path) {
        return wrong(&format!("'{path}' is used by the server itself"));
    }
    None
}

/// A field that takes a file: text with the format `binary`.
fn is_file(schema: &Value) -> bool {
    schema["format"] == "binary"
}

fn file_fields(schema: &Value) -> Result<Vec<FileField>, Vec<Problem>> {
    let hint = "Write an object schema with the fields under properties, for example {\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\"}}}";
    let wrong = |path: &str, message: String| problem(Code::BadForm, format!("/schema{path}"), message, hint);
    let Some(properties) = schema.get("properties").and_then(Value::as_object).filter(|all| !all.is_empty()) else {
        return Err(vec![wrong("", "The schema describes no fields, so there is nothing to fill in".to_owned())]);
    };
    if schema.get("type").is_some_and(|kind| kind != "object") {
        return Err(vec![wrong(
            "/type",
            "The answers of a form are an object, and the schema asks for another type".into(),
        )]);
    }
    if let Err(why) = Schema::compile(schema) {
        return Err(vec![wrong("", format!("The schema cannot be used: {}", why.trim_end_matches('.')))]);
    }
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !properties.contains_key(name) {
            problems.push(wrong("/required", format!("'{name}' is required, and the form has no such field")));
        }
    }
    for (name, field) in properties {
        let place = format!("/properties/{}", pointer_token(name));
        let many = is_file(&field["items"]);
        if is_file(field) || many {
            let own = if many { &field["items"] } else { field };
            if own["type"] != "string" {
                problems.push(wrong(&place, format!("The field '{name}' takes a file, and its type is not string")));
            }
            let media = own["contentMediaType"].as_str().map(str::to_owned);
            files.push(FileField { name: name.clone(), many, media });
        } else if holds_file(field) {
            let message = format!("A file inside of '{name}' cannot be sent; only fields at the top take files");
            problems.push(wrong(&place, message));
        }
    }
    if problems.is_empty() { Ok(files) } else { Err(problems) }
}

/// [`Schema::compile`] has bounded how deep it is.
fn holds_file(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => is_file(schema) || members.values().any(holds_file),
        Value::Array(list) => list.iter().any(holds_file),
        _ => false,
    }
}

fn sample_of(schema: &Value, name: &str, depth: usize) -> Value {
    let first = |list: &str| schema[list].as_array().and_then(|list| list.first()).cloned();
    let known = schema.get("default").cloned().or_else(|| first("examples")).or_else(|| schema.get("const").cloned());
    if let Some(known) = known.or_else(|| first("enum")) {
        return known;
    }
    if let Some(variant) = first("oneOf").or_else(|| first("anyOf")).filter(|_| schema.get("properties").is_none()) {
        return if depth == 0 { Value::Null } else { sample_of(&variant, name, depth - 1) };
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.first().and_then(Value::as_str).unwrap_or_default(),
        kind => kind.as_str().unwrap_or(if schema.get("properties").is_some() { "object" } else { "string" }),
    };
    match kind {
        "object" => {
            let fields = schema["properties"].as_object().into_iter().flatten().filter(|_| depth > 0);
            // No file comes with a sample.
            let plain = fields.filter(|(_, field)| !is_file(field) && !is_file(&field["items"]));
            Value::Object(plain.map(|(name, field)| (name.clone(), sample_of(field, name, depth - 1))).collect())
        }
        "array" if depth > 0 && schema["minItems"].as_u64().is_some_and(|least| least > 0) => {
            json!([sample_of(&schema["items"], name, depth - 1)])
        }
        "array" => json!([]),
        "boolean" => json!(false),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "null" => Value::Null,
        _ => json!(sample_text(schema, name)),
    }
}

fn sample_text(schema: &Value, name: &str) -> String {
    match schema["format"].as_str().unwrap_or_default() {
        "date" => "2026-12-31".to_owned(),
        "date-time" => "2026-12-31T14:00:00Z".to_owned(),
        "time" => "14:00:00Z".to_owned(),
        "email" => "name@example.org".to_owned(),
        "uri" => "https://example.org".to_owned(),
        _ => schema["title"].as_str().filter(|title| !title.is_empty()).unwrap_or(name).to_owned(),
    }
}

#[cfg(test)]
mod tests;
