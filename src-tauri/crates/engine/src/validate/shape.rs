//! The shape of the file: fields and their types, by hand, so that every wrong field is named with its place.

use super::{Checked, newer, valid_workflow_id};
use crate::catalog::nearest;
use serde_json::Value;
use signalbox_model::{Code, Diagnostic, Map, Workflow, diagnostic::pointer_token, workflow::FILE_VERSION};

const TOP: &[&str] =
    &["signalbox", "id", "name", "description", "params", "context", "schemas", "settings", "nodes", "edges", "layout"];
const NODE: &[(&str, Kind)] = &[
    ("type", Kind::Text),
    ("typeVersion", Kind::Count),
    ("title", Kind::Text),
    ("description", Kind::Text),
    ("disabled", Kind::Bool),
    ("if", Kind::Text),
    ("print", Kind::Any),
    ("in", Kind::Object),
    ("config", Kind::Any),
    ("out", Kind::Object),
    ("writes", Kind::Names),
    ("errorHandling", Kind::Object),
    ("timeoutMs", Kind::Count),
    ("idempotencyKey", Kind::Text),
    ("guardrails", Kind::Any),
    ("parent", Kind::Text),
    ("pinned", Kind::Any),
    ("fault", Kind::Any),
    ("mode", Kind::Mode),
];

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Bool,
    Count,
    Object,
    Names,
    Mode,
    Any,
}

impl Kind {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Bool => value.is_boolean(),
            Self::Count => value.as_u64().is_some_and(|n| u32::try_from(n).is_ok()),
            Self::Object => value.is_object(),
            Self::Names => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
            Self::Mode => matches!(value.as_str(), Some("each" | "all")),
            Self::Any => true,
        }
    }
    fn words(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Bool => "true or false",
            Self::Count => "a whole number from 0 to 4294967295",
            Self::Object => "an object",
            Self::Names => "a list of names",
            Self::Mode => "\"each\" or \"all\"",
            Self::Any => "anything",
        }
    }
}

fn bad(at: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::BadFile, at, message, hint)
}

/// JSON → workflow.
pub(super) fn read(value: Value) -> Checked {
    let mut found = Vec::new();
    let Some(top) = value.as_object() else {
        found.push(bad("", "A workflow file must be a JSON object", "Start with { \"signalbox\": 1, … }"));
        return Checked { workflow: None, diagnostics: found };
    };
    match top.get("signalbox") {
        None => found.push(bad("/signalbox", "The field 'signalbox' is missing", "Add \"signalbox\": 1 at the top")),
        Some(version) => match version.as_u64() {
            Some(0) | None => {
                found.push(bad("/signalbox", "'signalbox' is not a version number", "Write \"signalbox\": 1"))
            }
            Some(version) if version > u64::from(FILE_VERSION) => found.push(newer(version)),
            Some(_) => {}
        },
    }
    for (field, kind) in [("id", Kind::Text), ("name", Kind::Text), ("nodes", Kind::Object)] {
        match top.get(field) {
            None => found.push(bad(
                format!("/{field}"),
                format!("The field '{field}' is missing"),
                format!("Add \"{field}\""),
            )),
            Some(value) if !kind.fits(value) => wrong(&mut found, &format!("/{field}"), field, kind),
            Some(_) => {}
        }
    }
    if let Some(id) = top.get("id").and_then(Value::as_str)
        && !valid_workflow_id(id)
    {
        found.push(bad_id(id));
    }
    for (field, kind) in [
        ("description", Kind::Text),
        ("context", Kind::Object),
        ("schemas", Kind::Object),
        ("settings", Kind::Object),
        ("layout", Kind::Object),
    ] {
        if let Some(value) = top.get(field)
            && !kind.fits(value)
        {
            wrong(&mut found, &format!("/{field}"), field, kind);
        }
    }
    if let Some(params) = top.get("params")
        && !(params.is_object() || params.is_boolean())
    {
        found.push(bad(
            "/params",
            "'params' is not a JSON Schema",
            "Write { \"type\": \"object\", \"properties\": { … } }",
        ));
    }
    unknown(&mut found, "", top, TOP);
    nodes(&mut found, top);
    edges(&mut found, top);
    settings(&mut found, top);
    if found.iter().any(|d| d.severity == signalbox_model::Severity::Error) {
        return Checked { workflow: None, diagnostics: found };
    }
    match serde_json::from_value::<Workflow>(value) {
        Ok(workflow) => Checked { workflow: Some(workflow), diagnostics: found },
        Err(error) => {
            found.push(bad(
                "",
                format!("A field of the file is not valid: {error}"),
                "Compare it with the file format",
            ));
            Checked { workflow: None, diagnostics: found }
        }
    }
}

/// Shape findings that survive in a workflow that has been read: unknown fields and ids.
pub(super) fn again(workflow: &Workflow) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if !valid_workflow_id(&workflow.id) {
        found.push(bad_id(&workflow.id));
    }
    extra(&mut found, "", &workflow.extra, TOP);
    for (id, node) in &workflow.nodes {
        let known: Vec<&str> = NODE.iter().map(|(name, _)| *name).collect();
        extra(&mut found, &format!("/nodes/{}", pointer_token(id)), &node.extra, &known);
    }
    for (i, edge) in workflow.edges.iter().enumerate() {
        extra(&mut found, &format!("/edges/{i}"), &edge.extra, &["from", "to"]);
    }
    if let Some(settings) = &workflow.settings {
        extra(&mut found, "/settings", &settings.extra, SETTINGS);
    }
    if let Some(context) = &workflow.context {
        extra(&mut found, "/context", &context.extra, CONTEXT);
    }
    found
}

const SETTINGS: &[&str] = &[
    "errorPolicy",
    "model",
    "tools",
    "toolRules",
    "skills",
    "onAbort",
    "auditRules",
    "businessHours",
    "budget",
    "concurrency",
    "rateLimit",
    "stepMemoryMb",
];
const CONTEXT: &[&str] = &["schema", "initial"];

fn bad_id(id: &str) -> Diagnostic {
    Diagnostic::error(
        Code::BadId,
        "/id",
        format!("'{}' is not a valid workflow id", id.chars().take(120).collect::<String>()),
        "An id starts with a letter or digit, followed by letters, digits, '.', '_' or '-'; at most 100 characters",
    )
}

fn wrong(found: &mut Vec<Diagnostic>, at: &str, field: &str, kind: Kind) {
    found.push(bad(at, format!("'{field}' is not {}", kind.words()), format!("Write {} there", kind.words())));
}

fn extra(found: &mut Vec<Diagnostic>, at: &str, extra: &Map, known: &[&str]) {
    for key in extra.keys() {
        let hint = match nearest(key, known.iter().copied()) {
            Some(near) => format!("Did you mean '{near}'? The field is kept"),
            None => "The field is kept; remove it if it is a mistake".to_owned(),
        };
        let pointer = format!("{at}/{}", pointer_token(key));
        found.push(Diagnostic::warning(Code::UnknownField, pointer, format!("The field '{key}' is unknown"), hint));
    }
}

fn unknown(found: &mut Vec<Diagnostic>, at: &str, object: &Map, known: &[&str]) {
    let rest: Map =
        object.iter().filter(|(key, _)| !known.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect();
    extra(found, at, &rest, known);
}

fn nodes(found: &mut Vec<Diagnostic>, top: &Map) {
    let known: Vec<&str> = NODE.iter().map(|(name, _)| *name).collect();
    for (id, node) in top.get("nodes").and_then(Value::as_object).into_iter().flatten() {
        let at = format!("/nodes/{}", pointer_token(id));
        let Some(object) = node.as_object() else {
            found.push(bad(at, format!("The step '{id}' is not an object"), "Write { \"type\": \"…\" }"));
            continue;
        };
        if !object.contains_key("type") {
            found.push(bad(
                format!("{at}/type"),
                format!("The step '{id}' has no 'type'"),
                "Add \"type\", for example \"data.set\"",
            ));
        }
        for (field, kind) in NODE {
            if let Some(value) = object.get(*field)
                && !kind.fits(value)
            {
                wrong(found, &format!("{at}/{field}"), field, *kind);
            }
        }
        unknown(found, &at, object, &known);
        if let Some(handling) = object.get("errorHandling").and_then(Value::as_object) {
            error_handling(found, &format!("{at}/errorHandling"), handling);
        }
    }
}

const RETRY: &[(&str, Kind)] = &[
    ("maxAttempts", Kind::Count),
    ("backoff", Kind::Text),
    ("initialDelayMs", Kind::Count),
    ("maxDelayMs", Kind::Count),
    ("jitter", Kind::Bool),
];

fn error_handling(found: &mut Vec<Diagnostic>, at: &str, handling: &Map) {
    closed(
        found,
        at,
        handling,
        &[
            ("retryPolicy", Kind::Object),
            ("fallbackNodeId", Kind::Text),
            ("autoFix", Kind::Bool),
            ("humanReviewThreshold", Kind::Text),
        ],
    );
    if let Some(policy) = handling.get("retryPolicy").and_then(Value::as_object) {
        let at = format!("{at}/retryPolicy");
        closed(found, &at, policy, RETRY);
        if let Some(backoff) = policy.get("backoff").and_then(Value::as_str)
            && !matches!(backoff, "fixed" | "exponential" | "linear")
        {
            found.push(Diagnostic::error(
                Code::BadConfig,
                format!("{at}/backoff"),
                format!("'{backoff}' is not a backoff"),
                "Use fixed, linear or exponential",
            ));
        }
    }
}

/// An object in which a typo must not pass: unknown keys are errors.
fn closed(found: &mut Vec<Diagnostic>, at: &str, object: &Map, fields: &[(&str, Kind)]) {
    for (key, value) in object {
        let pointer = format!("{at}/{}", pointer_token(key));
        match fields.iter().find(|(name, _)| name == key) {
            None => {
                let hint = nearest(key, fields.iter().map(|(name, _)| *name)).map_or_else(
                    || format!("Available: {}", fields.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", ")),
                    |near| format!("Did you mean '{near}'?"),
                );
                found.push(Diagnostic::error(
                    Code::UnknownConfig,
                    pointer,
                    format!("There is no setting '{key}' here"),
                    hint,
                ));
            }
            Some((_, kind)) if !kind.fits(value) => {
                let message = format!("'{key}' is not {}", kind.words());
                found.push(Diagnostic::error(
                    Code::BadConfig,
                    pointer,
                    message,
                    format!("Write {} there", kind.words()),
                ));
            }
            Some(_) => {}
        }
    }
}

fn edges(found: &mut Vec<Diagnostic>, top: &Map) {
    let Some(edges) = top.get("edges") else {
        found.push(bad("/edges", "The field 'edges' is missing", "Add \"edges\": []"));
        return;
    };
    let Some(list) = edges.as_array() else {
        return found.push(bad(
            "/edges",
            "'edges' is not a list of wires",
            "Write [ { \"from\": \"step.port\", \"to\": \"step\" } ]",
        ));
    };
    for (i, edge) in list.iter().enumerate() {
        let at = format!("/edges/{i}");
        let (Some(from), Some(_)) = (edge.get("from").and_then(Value::as_str), edge.get("to").and_then(Value::as_str))
        else {
            found.push(bad(
                at,
                "A wire needs 'from' and 'to' as texts",
                "Write { \"from\": \"step.port\", \"to\": \"step\" }",
            ));
            continue;
        };
        if !from.contains('.') {
            found.push(bad(format!("{at}/from"), format!("'{from}' has no port"), format!("Write \"{from}.success\"")));
        }
        if let Some(object) = edge.as_object() {
            unknown(found, &at, object, &["from", "to"]);
        }
    }
}

fn settings(found: &mut Vec<Diagnostic>, top: &Map) {
    if let Some(context) = top.get("context").and_then(Value::as_object) {
        unknown(found, "/context", context, CONTEXT);
        if context.get("initial").is_some_and(|v| !v.is_object()) {
            wrong(found, "/context/initial", "initial", Kind::Object);
        }
    }
    let Some(settings) = top.get("settings").and_then(Value::as_object) else { return };
    unknown(found, "/settings", settings, SETTINGS);
    for (field, kind) in [("onAbort", Kind::Text), ("skills", Kind::Text), ("tools", Kind::Names)] {
        if settings.get(field).is_some_and(|v| !kind.fits(v)) {
            wrong(found, &format!("/settings/{field}"), field, kind);
        }
    }
    match settings.get("errorPolicy") {
        None => {}
        Some(Value::String(name)) if name == "safe" || name == "fail" => {}
        Some(Value::Object(policy)) => {
            closed(found, "/settings/errorPolicy", policy, &[("rules", Kind::Any)]);
            let Some(rules) = policy.get("rules").and_then(Value::as_array) else {
                return found.push(bad(
                    "/settings/errorPolicy/rules",
                    "'rules' is not a list",
                    "Write { \"rules\": [ … ] }",
                ));
            };
            for (i, rule) in rules.iter().enumerate() {
                let at = format!("/settings/errorPolicy/rules/{i}");
                let Some(object) = rule.as_object() else {
                    found.push(bad(at, "A rule must be an object", "Write { \"name\", \"when\", \"action\" }"));
                    continue;
                };
                let fields = [("name", Kind::Text), ("when", Kind::Text), ("action", Kind::Text)];
                closed(found, &at, object, &fields);
                for (field, _) in fields.iter().filter(|(field, _)| !object.contains_key(*field)) {
                    found.push(bad(at.clone(), format!("The rule has no '{field}'"), format!("Add \"{field}\"")));
                }
            }
        }
        Some(other) => {
            let what = match other {
                Value::String(name) => {
                    format!("there is no error policy '{}'", name.chars().take(60).collect::<String>())
                }
                _ => "this is not an error policy".to_owned(),
            };
            found.push(bad(
                "/settings/errorPolicy",
                format!("'errorPolicy': {what}"),
                "Use \"safe\" (default error handling), \"fail\" (end the run), or { \"rules\": [ … ] } with custom \
                 rules",
            ));
        }
    }
}
