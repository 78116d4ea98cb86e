//! What does not fit a schema, in words of our own: one place for forms, the inbox, the command line, REST and the errors of
//! steps. They name what is needed and never quote the value, which may be a secret.

use super::{SHOWN, Violation, cut};
use jsonschema::JsonType;
use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind as Kind};
use jsonschema::paths::LocationSegment;
use serde_json::Value;

/// Choices that are named.
const CHOICES: usize = 12;

/// The reason of one error; `schema` is the whole one that it comes from.
pub(super) fn violation(schema: &Value, error: &ValidationError<'_>) -> Violation {
    let place = error.schema_path().to_string();
    // The keyword stands in the schema of the value.
    let own = place.rsplit_once('/').and_then(|(own, _)| schema.pointer(own)).unwrap_or(&Value::Null);
    let missing = match error.kind() {
        Kind::Required { property } => property.as_str().map(str::to_owned),
        _ => None,
    };
    let message = match &missing {
        Some(name) => {
            format!("{} is missing", title(&own["properties"][name.as_str()]).unwrap_or_else(|| quoted(name)))
        }
        None => words(error.kind(), error.instance().as_ref()),
    };
    Violation {
        path: error.instance_path().to_string(),
        message: cut(&message, 400),
        keyword: error.kind().keyword().to_owned(),
        missing,
        title: title(own),
        words: steps(error),
        description: own["description"].as_str().map(|words| cut(words.trim(), 200)).filter(|words| !words.is_empty()),
    }
}

/// Where it stands: names as they are, places in lists from 1.
fn steps(error: &ValidationError<'_>) -> String {
    let steps = error.instance_path().iter().map(|step| match step {
        LocationSegment::Property(name) => name.to_string(),
        LocationSegment::Index(index) => index.saturating_add(1).to_string(),
    });
    steps.collect::<Vec<_>>().join(" › ")
}

fn title(schema: &Value) -> Option<String> {
    let title = schema["title"].as_str()?.trim();
    (!title.is_empty()).then(|| format!("“{}”", cut(title, SHOWN)))
}

fn quoted(name: &str) -> String {
    format!("'{}'", cut(name, SHOWN))
}

fn words(kind: &Kind, value: &Value) -> String {
    match kind {
        Kind::Required { property } => format!("{} is missing", quoted(property.as_str().unwrap_or_default())),
        Kind::Type { kind } => format!("Must be {}, not {}", wanted(kind), type_of(value)),
        Kind::Enum { options } => match options.as_array() {
            Some(options) if options.len() == 1 => format!("Must be {}", shown(&options[0])),
            Some(options) => {
                let some: Vec<String> = options.iter().take(CHOICES).map(shown).collect();
                let more = if options.len() > CHOICES { ", …" } else { "" };
                format!("Must be one of {}{more}", some.join(", "))
            }
            None => "Is not one of the choices".into(),
        },
        Kind::Constant { expected_value } => format!("Must be {}", shown(expected_value)),
        Kind::Format { format } => format!("Needs {}", form(format)),
        Kind::Minimum { limit } => format!("Must be at least {limit}"),
        Kind::Maximum { limit } => format!("Must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("Must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("Must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("Must be a multiple of {multiple_of}"),
        Kind::MinLength { limit: 1 } => "Must not be empty".into(),
        Kind::MinLength { limit } => format!("Must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("Must have at most {}", count(*limit, "character", "characters")),
        Kind::Pattern { pattern } => format!("Must match the pattern {}", cut(pattern, SHOWN)),
        Kind::MinItems { limit } => format!("Must have at least {}", count(*limit, "entry", "entries")),
        Kind::MaxItems { limit } => format!("Must have at most {}", count(*limit, "entry", "entries")),
        Kind::UniqueItems => "Contains the same entry twice".into(),
        Kind::Contains => "Contains too few or too many entries of the required kind".into(),
        Kind::AdditionalItems { limit } => format!("Must have at most {}", count(*limit as u64, "entry", "entries")),
        Kind::UnevaluatedItems { .. } => "Contains entries that are not allowed".into(),
        Kind::MinProperties { limit } => format!("Must have at least {}", count(*limit, "field", "fields")),
        Kind::MaxProperties { limit } => format!("Must have at most {}", count(*limit, "field", "fields")),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let names: Vec<String> = unexpected.iter().take(CHOICES).map(|name| quoted(name)).collect();
            format!("Must not have {}", names.join(", "))
        }
        Kind::PropertyNames { error } => {
            format!("Has a field with an invalid name: {}", words(error.kind(), error.instance().as_ref()))
        }
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => "Matches none of the alternatives".into(),
        Kind::OneOfMultipleValid { .. } => "Matches several alternatives, but must match exactly one".into(),
        Kind::Not { .. } => "Matches a form that is not allowed".into(),
        Kind::FalseSchema => "No value is allowed here".into(),
        Kind::ContentEncoding { content_encoding } => {
            format!("Must be encoded as {}", cut(content_encoding, SHOWN))
        }
        Kind::ContentMediaType { content_media_type } => format!("Must contain {}", cut(content_media_type, SHOWN)),
        Kind::FromUtf8 { .. } => "Must contain text".into(),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } | Kind::Referencing(_) => {
            "Cannot be checked with this schema".into()
        }
        Kind::Custom { message, .. } => message.clone(),
    }
}

fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A choice that the schema names.
fn shown(value: &Value) -> String {
    cut(&value.to_string(), SHOWN)
}

fn wanted(kind: &TypeKind) -> String {
    let name = |kind: JsonType| match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Null => "nothing",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a text",
    };
    match kind {
        TypeKind::Single(kind) => name(*kind).to_owned(),
        TypeKind::Multiple(kinds) => kinds.iter().map(name).collect::<Vec<_>>().join(" or "),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(text) if text.is_empty() => "an empty text",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn form(format: &str) -> String {
    match format {
        "date" => "a date such as 2026-11-22",
        "date-time" => "a date and time such as 2026-11-22T10:00:00Z",
        "time" => "a time such as 10:00:00Z",
        "duration" => "a duration such as PT15M",
        "email" | "idn-email" => "an e-mail address",
        "hostname" | "idn-hostname" => "a host name",
        "ipv4" => "an IPv4 address",
        "ipv6" => "an IPv6 address",
        "uri" | "iri" => "an address such as https://example.com",
        "uri-reference" | "iri-reference" => "an address or part of one",
        "uuid" => "a UUID",
        "regex" => "a pattern",
        "json-pointer" => "a JSON Pointer such as /order/total",
        other => return format!("the format '{}'", cut(other, SHOWN)),
    }
    .to_owned()
}
