//! Checks a descriptor file: `catalog check FILE` and the tests of the built-in ones. JSON Schema lets a mistyped
//! keyword pass in silence, so every keyword of a schema is looked up in a closed list here.

use serde_json::Value;
use signalbox_engine::catalog::nearest;
use signalbox_model::descriptor::ByConfig;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Diagnostic, NodeDescriptor, Role};

const CATEGORIES: &[&str] = &["start", "data", "logic", "ai", "error", "person", "system"];
const TYPES: &[&str] = &["null", "boolean", "integer", "number", "string", "array", "object"];
/// Widgets the settings form knows.
pub const WIDGETS: &[&str] = &[
    "text",
    "code",
    "javascript",
    "cel",
    "template",
    "select",
    "switch",
    "number",
    "condition",
    "keyvalue",
    "list",
    "rules",
    "toolRules",
    "duration",
    "path",
    "credential",
    "workflow",
    "field",
    "fields",
    "incoming",
    "formFields",
    "timezone",
];
const UI_KEYS: &[&str] =
    &["widget", "group", "placeholder", "order", "width", "labels", "offered", "when", "initial", "prefer"];

/// What the value of a schema keyword must be.
#[derive(Clone, Copy)]
enum Shape {
    Any,
    Text,
    Flag,
    Number,
    Count,
    List,
    Type,
    Schema,
    Schemas,
    SchemaMap,
    Names,
    Ui,
    Needed,
}

const KEYWORDS: &[(&str, Shape)] = &[
    ("title", Shape::Text),
    ("description", Shape::Text),
    ("default", Shape::Any),
    // Another name of a field, for files of elsewhere: the form leaves it out.
    ("deprecated", Shape::Flag),
    ("examples", Shape::List),
    ("type", Shape::Type),
    ("enum", Shape::List),
    ("const", Shape::Any),
    ("properties", Shape::SchemaMap),
    ("patternProperties", Shape::SchemaMap),
    ("additionalProperties", Shape::Schema),
    ("required", Shape::Names),
    ("minProperties", Shape::Count),
    ("maxProperties", Shape::Count),
    ("items", Shape::Schema),
    ("minItems", Shape::Count),
    ("maxItems", Shape::Count),
    ("uniqueItems", Shape::Flag),
    ("minLength", Shape::Count),
    ("maxLength", Shape::Count),
    ("pattern", Shape::Text),
    ("format", Shape::Text),
    ("minimum", Shape::Number),
    ("maximum", Shape::Number),
    ("exclusiveMinimum", Shape::Number),
    ("exclusiveMaximum", Shape::Number),
    ("multipleOf", Shape::Number),
    ("oneOf", Shape::Schemas),
    ("anyOf", Shape::Schemas),
    ("allOf", Shape::Schemas),
    ("not", Shape::Schema),
    ("if", Shape::Schema),
    ("then", Shape::Schema),
    ("else", Shape::Schema),
    ("x-cel", Shape::Flag),
    ("x-url", Shape::Flag),
    ("x-host", Shape::Flag),
    ("x-raw", Shape::Flag),
    ("x-later", Shape::Flag),
    // Of a setting: it is needed where it is shown, or `when` others have these values, `or` another of these is given.
    ("x-needed", Shape::Needed),
    // Names a step (docs/formats.md).
    ("x-ref", Shape::Text),
    ("x-ui", Shape::Ui),
    // Of a port: what is known of its items before a run (docs/formats.md).
    ("x-keeps", Shape::Text),
    ("x-adds", Shape::Text),
    ("x-like", Shape::Text),
];

struct Found(Vec<Diagnostic>);

impl Found {
    fn add(&mut self, code: Code, path: &str, message: impl Into<String>, hint: impl Into<String>) {
        self.0.push(Diagnostic::error(code, path, message, hint));
    }
}

/// Everything that is wrong with the text of a descriptor; empty when it is good.
pub fn check_descriptor(yaml: &str) -> Vec<Diagnostic> {
    let descriptor: NodeDescriptor = match serde_saphyr::from_str(yaml) {
        Ok(descriptor) => descriptor,
        Err(error) => {
            let words = error.to_string();
            let message = format!("The descriptor cannot be read: {}", words.trim());
            return vec![Diagnostic::error(
                Code::BadFile,
                "",
                message,
                "Compare it with a descriptor that works: signalbox catalog show flow.if",
            )];
        }
    };
    let mut found = Found(Vec::new());
    head(&descriptor, &mut found);
    ports(&descriptor, &mut found);
    config(&descriptor, &mut found);
    if let Some(input) = &descriptor.input_schema {
        schema(input, "/inputSchema", &mut found);
    }
    examples(&descriptor, &mut found);
    found.0
}

fn head(descriptor: &NodeDescriptor, found: &mut Found) {
    let name = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    let parts: Vec<&str> = descriptor.kind.split('.').collect();
    if parts.len() < 2 || !parts.iter().all(|part| name(part)) {
        found.add(
            Code::BadId,
            "/type",
            format!("'{}' is not a kind name", descriptor.kind),
            "Write group and name in small letters, for example crm.find_contact",
        );
    }
    if descriptor.version == 0 {
        found.add(Code::BadFile, "/version", "Versions begin with 1", "Write version: 1");
    }
    for (path, text) in
        [("/title", &descriptor.title), ("/description", &descriptor.description), ("/icon", &descriptor.icon)]
    {
        if text.trim().is_empty() {
            found.add(Code::BadFile, path, "This text is empty", "Say in a few plain words what the step does");
        }
    }
    if !CATEGORIES.contains(&descriptor.category.as_str()) {
        let hint = typo(&descriptor.category, CATEGORIES);
        found.add(Code::BadFile, "/category", format!("'{}' is not a category", descriptor.category), hint);
    }
    if descriptor.modes.is_empty() {
        found.add(Code::BadFile, "/modes", "A kind needs a mode", "Write modes: [each] or modes: [all]");
    }
    if (descriptor.role == Role::Trigger) == descriptor.input {
        found.add(
            Code::BadFile,
            "/input",
            "A trigger has no input, every other kind has one",
            "Write input: false together with role: trigger, and only there",
        );
    }
    for (index, error) in descriptor.errors.iter().enumerate() {
        let code = !error.code.is_empty()
            && error.code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        if !code {
            found.add(
                Code::BadFile,
                &format!("/errors/{index}/code"),
                format!("'{}' is not an error code", error.code),
                "Use capital letters and _, for example RATE_LIMIT",
            );
        }
    }
}

fn ports(descriptor: &NodeDescriptor, found: &mut Found) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, port) in descriptor.ports.iter().enumerate() {
        let path = format!("/ports/{index}");
        if port.id.is_empty() || !port.id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
            found.add(
                Code::BadId,
                &format!("{path}/id"),
                format!("'{}' is not a port name", port.id),
                "Use letters, digits, - and _",
            );
        }
        if seen.contains(&port.id.as_str()) {
            found.add(
                Code::BadId,
                &format!("{path}/id"),
                format!("The port '{}' is declared twice", port.id),
                "Remove one",
            );
        }
        seen.push(&port.id);
        match &port.schema {
            Some(port_schema) => schema(port_schema, &format!("{path}/schema"), found),
            None => found.add(
                Code::BadFile,
                &path,
                format!("The port '{}' has no schema", port.id),
                "Say what leaves there, at least schema: { description: … }",
            ),
        }
    }
    let has_error = seen.contains(&"error");
    // A handler decides on errors and has none of its own (E-01).
    let needs_error = !matches!(descriptor.role, Role::Trigger | Role::Stop | Role::Break)
        && descriptor.kind != "builtin.error_handler";
    if needs_error != has_error {
        let message = if needs_error { "The error port is missing" } else { "This role has no error port" };
        found.add(Code::BadFile, "/ports", message, "Every kind but triggers, stops and breaks has the port error");
    } else if has_error && seen.last() != Some(&"error") {
        found.add(Code::BadFile, "/ports", "The error port must be the last", "Move it to the end");
    }
}

fn config(descriptor: &NodeDescriptor, found: &mut Found) {
    let config = &descriptor.config;
    schema(config, "/config", found);
    if config.get("additionalProperties") != Some(&Value::Bool(false)) {
        found.add(
            Code::BadConfig,
            "/config",
            "The config schema must refuse unknown settings",
            "Add additionalProperties: false",
        );
    }
    let fields = config.get("properties").and_then(Value::as_object);
    let names: Vec<&str> = fields.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    for (name, field) in fields.into_iter().flatten() {
        for key in ["title", "description", "x-ui"] {
            if field.get(key).is_none() {
                found.add(
                    Code::BadConfig,
                    &format!("/config/properties/{}", pointer_token(name)),
                    format!("The setting '{name}' has no {key}"),
                    "The settings form shows it",
                );
            }
        }
    }
    let mut field = |path: &str, field: &str| {
        if !names.contains(&field) {
            let hint = typo(field, &names);
            found.add(Code::UnknownName, path, format!("There is no setting '{field}'"), hint);
        }
    };
    if let ByConfig::Table { field: name, .. } | ByConfig::Tools { tools: name, .. } = &descriptor.effects {
        field("/effects/field", name);
    }
    if let ByConfig::Table { given: Some(given), .. } = &descriptor.effects {
        given.keys().for_each(|name| field("/effects/given", name));
    }
    if let ByConfig::Table { field: name, .. } | ByConfig::Tools { tools: name, .. } = &descriptor.replay {
        field("/replay/field", name);
    }
    if let Some(ports) = &descriptor.dynamic_ports {
        field("/dynamicPorts/from", &ports.from);
    }
    for (name, setting) in fields.into_iter().flatten() {
        let needed = setting.get("x-needed");
        let path = format!("/config/properties/{}/x-needed", pointer_token(name));
        let when = needed.and_then(|needed| needed.get("when")?.as_object()).into_iter().flatten();
        when.for_each(|(name, _)| field(&path, name.split('.').next().unwrap_or_default()));
        let others = needed.and_then(|needed| needed.get("or")?.as_array()).into_iter().flatten();
        others.filter_map(Value::as_str).for_each(|name| field(&path, name));
    }
    for name in descriptor.summary.iter().flat_map(|summary| holes(summary)) {
        for name in name.split('|') {
            field("/summary", name.split('.').next().unwrap_or_default());
        }
    }
}

/// The names in `{…}`.
fn holes(summary: &str) -> Vec<&str> {
    summary.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name)).collect()
}

fn schema(value: &Value, path: &str, found: &mut Found) {
    let Some(map) = value.as_object() else {
        if !value.is_boolean() {
            found.add(Code::BadConfig, path, "A schema is an object", "Write at least {}");
        }
        return;
    };
    for (key, value) in map {
        let path = format!("{path}/{}", pointer_token(key));
        match KEYWORDS.iter().find(|(known, _)| known == key) {
            Some((_, shape)) => keyword(*shape, value, &path, found),
            None => {
                let names: Vec<&str> = KEYWORDS.iter().map(|(known, _)| *known).collect();
                let hint = typo(key, &names);
                found.add(Code::UnknownField, &path, format!("'{key}' is not a keyword of a schema"), hint);
            }
        }
    }
    if let (Some(required), Some(properties)) =
        (map.get("required").and_then(Value::as_array), map.get("properties").and_then(Value::as_object))
    {
        for name in required.iter().filter_map(Value::as_str).filter(|name| !properties.contains_key(*name)) {
            found.add(
                Code::BadConfig,
                &format!("{path}/required"),
                format!("'{name}' is required but is no property"),
                "Add the property or remove the name",
            );
        }
    }
    if let (Some(default), Some(choices)) = (map.get("default"), map.get("enum").and_then(Value::as_array))
        && !choices.contains(default)
    {
        found.add(Code::BadConfig, &format!("{path}/default"), "The default is not one of enum", "Choose one of them");
    }
}

fn keyword(shape: Shape, value: &Value, path: &str, found: &mut Found) {
    let wanted = match shape {
        Shape::Any => None,
        Shape::Text => (!value.is_string()).then_some("a text"),
        Shape::Flag => (!value.is_boolean()).then_some("true or false"),
        Shape::Number => (!value.is_number()).then_some("a number"),
        Shape::Count => (!value.is_u64()).then_some("a whole number from 0"),
        Shape::List => value.as_array().is_none_or(Vec::is_empty).then_some("a list with something in it"),
        Shape::Names => {
            value.as_array().is_none_or(|list| !list.iter().all(Value::is_string)).then_some("a list of names")
        }
        Shape::Type => {
            let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
            let good = known(value) || value.as_array().is_some_and(|list| list.iter().all(known));
            (!good).then_some("a type of JSON Schema")
        }
        Shape::Schema => {
            schema(value, path, found);
            None
        }
        Shape::Schemas => match value.as_array() {
            Some(list) => {
                for (index, element) in list.iter().enumerate() {
                    schema(element, &format!("{path}/{index}"), found);
                }
                None
            }
            None => Some("a list of schemas"),
        },
        Shape::SchemaMap => match value.as_object() {
            Some(map) => {
                for (name, element) in map {
                    schema(element, &format!("{path}/{}", pointer_token(name)), found);
                }
                None
            }
            None => Some("an object of schemas"),
        },
        Shape::Ui => {
            ui(value, path, found);
            None
        }
        Shape::Needed => {
            let is_rule = value
                .as_object()
                .is_some_and(|rule| !rule.is_empty() && rule.keys().all(|key| matches!(key.as_str(), "when" | "or")));
            (!is_rule && !value.is_boolean()).then_some("true, or an object with when, or or both")
        }
    };
    if let Some(wanted) = wanted {
        found.add(Code::BadConfig, path, format!("This must be {wanted}"), "Correct the value");
    }
}

fn ui(value: &Value, path: &str, found: &mut Found) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let path = format!("{path}/{}", pointer_token(key));
        if !UI_KEYS.contains(&key.as_str()) {
            found.add(Code::UnknownField, &path, format!("'{key}' is not a hint of x-ui"), typo(key, UI_KEYS));
        } else if key == "order" && !value.is_u64() {
            found.add(Code::BadConfig, &path, "order is a whole number", "Fields are shown in this order");
        } else if key == "widget" && !value.as_str().is_some_and(|name| WIDGETS.contains(&name)) {
            let name = value.as_str().unwrap_or_default();
            found.add(Code::BadConfig, &path, format!("There is no widget '{name}'"), typo(name, WIDGETS));
        }
    }
}

fn examples(descriptor: &NodeDescriptor, found: &mut Found) {
    for (index, example) in descriptor.examples.iter().enumerate() {
        let path = format!("/examples/{index}");
        if example.output.is_some() == example.error.is_some() {
            found.add(Code::BadFile, &path, "An example has an output or an error", "Write exactly one of the two");
        }
        let known = descriptor.port_ids(Some(&example.config));
        for port in example.output.iter().flatten().map(|(port, _)| port).filter(|port| !known.contains(port)) {
            let message = format!("There is no port '{port}'");
            found.add(Code::UnknownPort, &format!("{path}/output"), message, format!("Ports: {}", known.join(", ")));
        }
        if let Some(code) = &example.error
            && !descriptor.errors.iter().any(|error| error.code == *code)
            && descriptor.kind != "flow.fail"
        {
            found.add(
                Code::BadFile,
                &format!("{path}/error"),
                format!("The code '{code}' is not among the declared errors"),
                "Declare it under errors",
            );
        }
    }
}

fn typo(given: &str, known: &[&str]) -> String {
    match nearest(given, known.iter().copied()) {
        Some(near) => format!("Did you mean '{near}'?"),
        None => format!("Known: {}", known.join(", ")),
    }
}
