//! The step format of source 003 (versions 3.5 to 4.1): read, translated, put together (ADR 66).

mod cel;
mod flow;
mod kinds;
mod read;
mod registry;
mod syntax;
mod value;

pub(crate) use read::is_one;

use crate::report::{Findings, Level, Report};
use crate::{Imported, Options, Refused};
use serde_json::{Value, json};
use signalbox_model::workflow::{ContextDeclaration, ErrorPolicy, FILE_VERSION, NamedPolicy, Settings};
use signalbox_model::{Map, Workflow};

/// Translates a file that [`is_one`] accepts.
pub(crate) fn import(value: &Value, options: &Options) -> Result<Imported, Refused> {
    let mut found = Findings::default();
    let file = read::read(value, options, &mut found)?;
    let made = flow::build(&file, options, &mut found)?;
    for name in &made.used.undeclared {
        let message = format!("The variable '${name}' is used, but not declared; it may hold anything.");
        found.add(Level::Warning, "UNDECLARED", None, "/registry/vars", message, "Declare it, or correct its name.");
    }
    if made.used.length {
        let hint = "Correct it where a field of that name is meant.";
        found.add(Level::Warning, "LENGTH", None, "/steps", "'.length' is read as the size of a value.", hint);
    }
    let mut params = file.registry.params;
    if !made.used.settings.is_empty() {
        let names: Vec<&String> = made.used.settings.iter().collect();
        let list = names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        let properties: Map = names.iter().map(|name| ((*name).clone(), json!({}))).collect();
        let schema = json!({ "type": "object", "title": "SYSVAR", "properties": properties, "required": names });
        params.push(("SYSVAR".into(), schema, true));
        let message = format!("Settings of the other program are a param here: SYSVAR with {list}.");
        let hint = "Give them when you start a run; what is secret belongs into the secrets of this machine instead.";
        found.add(Level::Missing, "SYSVAR", None, "/steps", message, hint);
    }
    let needed: Vec<&String> = params.iter().filter(|(.., needed)| *needed).map(|(name, ..)| name).collect();
    let needed = json!(needed);
    let properties: Map = params.into_iter().map(|(name, schema, _)| (name, schema)).collect();
    let params = (!properties.is_empty()).then(|| {
        let mut schema = json!({ "type": "object", "properties": properties });
        if needed != json!([]) {
            schema["required"] = needed;
        }
        schema
    });
    let vars: Map = file.registry.vars.into_iter().collect();
    let mut initial: Map = vars.keys().map(|name| (name.clone(), Value::Null)).collect();
    for name in &made.used.undeclared {
        initial.entry(name.clone()).or_insert(Value::Null);
    }
    let context = (!initial.is_empty()).then(|| ContextDeclaration {
        schema: Some(json!({ "type": "object", "properties": vars })),
        initial: Some(initial),
        extra: Map::new(),
    });
    let settings = Settings { error_policy: Some(ErrorPolicy::Named(NamedPolicy::Fail)), ..Settings::default() };
    let workflow = Workflow {
        signalbox: FILE_VERSION,
        id: crate::slug(&file.name),
        name: file.name,
        description: file.description.map(str::to_owned),
        params,
        context,
        schemas: None,
        settings: Some(settings),
        nodes: made.nodes,
        edges: made.edges,
        layout: None,
        extra: Map::new(),
    };
    let (findings, more) = found.sorted();
    let report = Report {
        format: "vl".into(),
        version: file.version,
        steps: file.steps.len(),
        nodes: workflow.nodes.len(),
        translated: made.translated,
        findings,
        more,
        notes: Vec::new(),
        groups: None,
    };
    Ok(Imported { workflow, report, pins: Map::new() })
}

/// A file that becomes no workflow: where, why, and what to do next.
fn cannot(path: impl Into<String>, message: impl Into<String>, hint: &str) -> Refused {
    Refused { code: "CANNOT_IMPORT", path: path.into(), message: message.into(), hint: hint.into() }
}
