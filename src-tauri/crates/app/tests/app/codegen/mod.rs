//! JSON Schemas of the model and TypeScript for the web UI, both from the same Rust types.

mod references;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use signalbox_app::command_list::COMMANDS;
use signalbox_app::dto::{CallerRole, Host};
use signalbox_model::event::{EventBody, RunEventWire};
use std::collections::BTreeMap;

const HEAD: &str = "Generated from the Rust types. Do not edit; `cargo xtask gen` writes it.";

/// File name → content, for `schemas/`.
pub(crate) fn schemas() -> BTreeMap<&'static str, String> {
    use signalbox_model as m;
    let mut files = BTreeMap::new();
    files.insert("workflow", root::<m::Workflow>());
    files.insert("node-descriptor", root::<m::NodeDescriptor>());
    files.insert("execution-payload", root::<m::ExecutionPayload>());
    files.insert("error-payload", root::<m::ErrorPayload>());
    files.insert("run-summary", root::<m::RunSummary>());
    files.insert("snapshot", root::<m::Snapshot>());
    files.insert("diagnostic", root::<m::Diagnostic>());
    files.insert("run-event", run_event());
    files.insert("workflow-snapshot", root::<signalbox_app::dto::WorkflowSnapshot>());
    files.insert("workflow-checkpoint", root::<signalbox_app::dto::WorkflowCheckpoint>());
    files.insert("workflow-test", root::<signalbox_simulate::TestFile>());
    files.into_iter().map(|(name, schema)| (name, finish(name, schema))).collect()
}

/// `ui/src/features/canvas/model/references.gen.ts`.
pub(crate) fn references() -> String {
    let mut kinds = signalbox_app::check::kinds();
    kinds.sort_by(|a, b| a.kind.cmp(&b.kind));
    let kinds: Vec<(String, Value)> = kinds.into_iter().map(|kind| (kind.kind, kind.config)).collect();
    references::typescript(HEAD, &root::<signalbox_model::Workflow>(), &kinds)
}

fn finish(name: &str, schema: Value) -> String {
    let Value::Object(fields) = schema else { panic!("{name}: a schema is an object") };
    let mut out = Map::new();
    out.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    out.insert("$id".into(), json!(format!("signalbox:{name}")));
    out.insert("$comment".into(), json!(HEAD));
    for (key, value) in fields {
        if key != "$schema" {
            out.insert(key, value);
        }
    }
    let mut text = serde_json::to_string_pretty(&Value::Object(out)).expect("plain data");
    text.push('\n');
    text
}

fn root<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>().to_value()
}

/// The envelope with `type` and `payload` tied to each other.
fn run_event() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let bodies = EventBody::json_schema(&mut generator).to_value();
    let mut envelope = envelope(&mut generator);
    envelope["allOf"] = json!([{ "oneOf": bodies["oneOf"] }]);
    envelope["title"] = json!("RunEvent");
    envelope["$defs"] = Value::Object(generator.take_definitions(true));
    envelope
}

/// `stepId` is always there, null for the run itself; serde reads an absent one as null.
fn envelope(generator: &mut SchemaGenerator) -> Value {
    let mut schema = RunEventWire::json_schema(generator).to_value();
    schema["required"].as_array_mut().expect("a list").push(json!("stepId"));
    schema
}

/// `ui/src/api/bindings.gen.ts`.
pub(crate) fn typescript() -> String {
    let mut out = format!("// {HEAD}\n\n");
    let mut reading = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut writing = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let mut rows = Vec::new();
    for command in COMMANDS {
        let request = reference(&(command.request)(&mut writing));
        let response = reference(&(command.response)(&mut reading));
        rows.push((command, request, response));
    }
    // What a person may leave out when writing stays optional when reading, so that one type serves both ways.
    writing.subschema_for::<signalbox_model::Workflow>();
    let envelope = envelope(&mut writing);
    let body = EventBody::json_schema(&mut reading).to_value();
    reading.subschema_for::<signalbox_model::ErrorPayload>();
    reading.subschema_for::<CallerRole>();
    reading.subschema_for::<Host>();
    let mut types: BTreeMap<String, Value> = reading.take_definitions(true).into_iter().collect();
    types.extend(writing.take_definitions(true));
    types.remove("RunEvent").expect("run_events answers with events");

    for (name, schema) in &types {
        declare(&mut out, name, schema);
    }
    let mut head = envelope;
    for field in ["type", "payload"] {
        head["properties"].as_object_mut().expect("an object").shift_remove(field);
        head["required"].as_array_mut().expect("a list").retain(|name| name != field);
    }
    head["description"] = json!("What every event has besides its type and payload.");
    declare(&mut out, "RunEventHead", &head);
    declare(&mut out, "RunEventBody", &body);
    out.push_str("/** One entry of a run's log. */\nexport type RunEvent = RunEventHead & RunEventBody;\n\n");
    out.push_str("export type RunEventType = RunEvent['type'];\n\n");

    out.push_str("/** Request and answer of every command. */\nexport interface Commands {\n");
    for (command, request, response) in &rows {
        out.push_str(&format!("  /** {} */\n", command.about));
        out.push_str(&format!("  {}: {{ request: {request}; response: {response} }};\n", command.name));
    }
    out.push_str("}\n\nexport type CommandName = keyof Commands;\n\n");
    out.push_str(
        "export interface CommandInfo {\n  kind: 'query' | 'action';\n  role: CallerRole;\n  /** About the whole server: refused to \
         access that is limited to workspaces. */\n  wholeServer: boolean;\n  hosts: readonly Host[];\n  /** Queries that show something old after this command. */\n  stale: readonly CommandName[];\n}\n\n",
    );
    out.push_str("export const commands: Record<CommandName, CommandInfo> = {\n");
    for (command, ..) in &rows {
        let hosts: Vec<_> = command.hosts.iter().map(|host| format!("'{}'", word(host))).collect();
        let stale: Vec<_> = command.stale.iter().map(|name| format!("'{name}'")).collect();
        out.push_str(&format!(
            "  {}: {{ kind: '{}', role: '{}', wholeServer: {}, hosts: [{}], stale: [{}] }},\n",
            command.name,
            command.kind.as_str(),
            word(&command.role),
            signalbox_app::is_about_the_whole_server(command.name),
            hosts.join(", "),
            stale.join(", "),
        ));
    }
    out.push_str("};\n\n");
    out.push_str(
        "/** How a command reaches its host. */\nexport type Rpc = <C extends CommandName>(\n  command: C,\n  request: \
         Commands[C]['request'],\n) => Promise<Commands[C]['response']>;\n",
    );
    out
}

fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).expect("plain data").as_str().expect("a word").to_owned()
}

fn reference(schema: &Schema) -> String {
    ts(&schema.clone().to_value(), 2)
}

fn declare(out: &mut String, name: &str, schema: &Value) {
    comment(out, schema, "");
    let plain = schema["type"] == "object" && schema.get("properties").is_some() && schema.get("oneOf").is_none();
    if plain {
        out.push_str(&format!("export interface {name} {}\n\n", ts(schema, 0)));
    } else {
        let body = ts(schema, 0);
        let gap = if body.starts_with('\n') { "" } else { " " };
        out.push_str(&format!("export type {name} ={gap}{body};\n\n"));
    }
}

fn comment(out: &mut String, schema: &Value, indent: &str) {
    let Some(text) = schema["description"].as_str() else { return };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "* /");
    out.push_str(&format!("{indent}/** {text} */\n"));
}

/// The TypeScript type of a schema.
fn ts(schema: &Value, indent: usize) -> String {
    let Value::Object(fields) = schema else { return "unknown".into() };
    if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
        return target.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(value) = fields.get("const") {
        return literal(value);
    }
    if let Some(values) = fields.get("enum").and_then(Value::as_array) {
        return values.iter().map(literal).collect::<Vec<_>>().join(" | ");
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(options) = fields.get(key).and_then(Value::as_array) {
            let options: Vec<_> = options.iter().map(|option| ts(option, indent + 2)).collect();
            let flat = options.join(" | ");
            let broken = options.iter().map(|option| format!("\n{}| {option}", pad(indent + 2))).collect::<String>();
            return if flat.len() > 100 { broken } else { flat };
        }
    }
    match fields.get("type") {
        Some(Value::Array(kinds)) => {
            let one = |kind: &Value| {
                let mut fields = fields.clone();
                fields.insert("type".into(), kind.clone());
                ts(&Value::Object(fields), indent)
            };
            kinds.iter().map(one).collect::<Vec<_>>().join(" | ")
        }
        Some(Value::String(kind)) => match kind.as_str() {
            "string" => "string".into(),
            "integer" | "number" => "number".into(),
            "boolean" => "boolean".into(),
            "null" => "null".into(),
            "array" => match fields.get("items") {
                Some(items) => {
                    let item = ts(items, indent);
                    if item.contains(" | ") { format!("({item})[]") } else { format!("{item}[]") }
                }
                None => "unknown[]".into(),
            },
            "object" => object(fields, indent),
            other => panic!("no TypeScript for the schema type {other}"),
        },
        _ => "unknown".into(),
    }
}

fn object(fields: &Map<String, Value>, indent: usize) -> String {
    let Some(Value::Object(properties)) = fields.get("properties") else {
        let pattern = fields.get("patternProperties").and_then(Value::as_object).and_then(|p| p.values().next());
        return match pattern.or_else(|| fields.get("additionalProperties")) {
            Some(Value::Bool(false)) => "Record<string, never>".into(),
            Some(value @ Value::Object(_)) => format!("Record<string, {}>", ts(value, indent)),
            _ => "Record<string, unknown>".into(),
        };
    };
    let required: Vec<&str> =
        fields.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut out = String::from("{\n");
    for (name, schema) in properties {
        comment(&mut out, schema, &pad(indent + 2));
        let optional = if required.contains(&name.as_str()) { "" } else { "?" };
        // An absent field and null are the same to serde; absent is what the UI writes.
        let mut kind = ts(schema, indent + 2);
        if !optional.is_empty() {
            kind = kind.trim_end_matches(" | null").to_owned();
        }
        out.push_str(&format!("{}{name}{optional}: {kind};\n", pad(indent + 2)));
    }
    out.push_str(&pad(indent));
    out.push('}');
    out
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}

fn pad(width: usize) -> String {
    " ".repeat(width)
}
