//! State machines of the Amazon States Language: read, translated, put together (ADR 138).

mod choice;
mod errors;
mod graph;
mod jsonata;
mod map;
mod path;
mod states;

use crate::report::{Findings, Level, Report, Translated};
use crate::{Imported, Options, Refused};
use serde_json::{Value, json};
use signalbox_model::workflow::ContextDeclaration;
use signalbox_model::{Map, Workflow};

/// Whether a value looks like such a machine, alone or as a service describes it.
pub(crate) fn is_one(value: &Value) -> bool {
    value.get("StartAt").is_some_and(Value::is_string) && value.get("States").is_some_and(Value::is_object)
}

/// Translates a machine.
pub(crate) fn import(value: &Value, options: &Options) -> Result<Imported, Refused> {
    let cannot = |path: &str, message: String, hint: &str| Refused {
        code: "CANNOT_IMPORT",
        path: path.into(),
        message,
        hint: hint.into(),
    };
    let Some(machine) = value.as_object() else {
        return Err(cannot("", "The file is no JSON object.".into(), "Give the definition of a state machine."));
    };
    let mut found = Findings::default();
    let mut builder = graph::Builder::new(&mut found);
    builder.machine(machine, None, "", 0).map_err(|(path, message)| {
        cannot(
            &path,
            message,
            "Correct the definition; 'aws stepfunctions validate-state-machine-definition' says more.",
        )
    })?;
    let made = builder.finish();
    if let Some(seconds) = machine.get("TimeoutSeconds").and_then(Value::as_u64) {
        let message = format!("The machine ends after {seconds} seconds; a run here has no time limit.");
        found.add(Level::Warning, "TIMEOUT", None, "/TimeoutSeconds", message, "Limit the steps that may take long.");
    }
    let name = options.name.clone().unwrap_or_else(|| "Imported state machine".into());
    let mut workflow = Workflow::empty(&crate::slug(&name), &name);
    workflow.description = machine.get("Comment").and_then(Value::as_str).map(crate::report::long);
    if !made.variables.is_empty() {
        let initial: Map = made.variables.iter().map(|name| (name.clone(), Value::Null)).collect();
        let properties: Map = made.variables.iter().map(|name| (name.clone(), json!({}))).collect();
        workflow.context = Some(ContextDeclaration {
            schema: Some(json!({ "type": "object", "properties": properties })),
            initial: Some(initial),
            extra: Map::new(),
        });
    }
    workflow.nodes = made.nodes;
    workflow.edges = made.edges;
    workflow.layout = None;
    let mut notes = Vec::new();
    if made.bare > 0 {
        notes.push(format!(
            "{} of {} states that call something had no Retry and no Catch; the default handling was added.",
            made.bare, made.tasks
        ));
    }
    let (findings, more) = found.sorted();
    let translated: Vec<Translated> = made.translated;
    let report = Report {
        format: "asl".into(),
        version: machine.get("Version").and_then(Value::as_str).map(str::to_owned),
        steps: translated.len(),
        nodes: workflow.nodes.len(),
        translated,
        findings,
        more,
        notes,
        groups: None,
    };
    Ok(Imported { workflow, report, pins: Map::new() })
}
