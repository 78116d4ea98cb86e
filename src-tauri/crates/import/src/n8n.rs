//! Workflows of n8n: read, translated, put together (ADR 138).

mod code;
mod conditions;
pub(crate) mod expr;
mod graph;
mod kinds;
mod kinds_ai;
mod kinds_data;
mod kinds_http;
mod lists;
mod locale;
mod maker;
mod methods;
mod patterns;
mod read;
mod times;

use crate::report::{Findings, Level, Report};
use crate::{Imported, Options, Refused};
use serde_json::{Value, json};
use signalbox_model::workflow::{ErrorPolicy, NamedPolicy, Settings};
use signalbox_model::{Map, Workflow};

/// Whether a value looks like such a file.
pub(crate) fn is_one(value: &Value) -> bool {
    read::is_one(value)
}

/// Newest version of the shape of files that is known, by the types of nodes: later ones are read as they are.
const NEWEST: [(&str, f64); 8] = [
    ("httpRequest", 4.4),
    ("set", 3.4),
    ("if", 2.3),
    ("switch", 3.4),
    ("merge", 3.2),
    ("splitInBatches", 3.0),
    ("code", 2.0),
    ("webhook", 2.1),
];

/// Translates a file.
pub(crate) fn import(value: &Value, options: &Options) -> Result<Imported, Refused> {
    let Some((top, count)) = read::workflow(value) else {
        return Err(Refused {
            code: "CANNOT_IMPORT",
            path: String::new(),
            message: "The file has no list of nodes.".into(),
            hint: "Give a workflow as n8n exports it ('Download').".into(),
        });
    };
    let mut found = Findings::default();
    if count > 1 {
        let message = format!("The file has {count} workflows; the first one is imported.");
        found.add(Level::Warning, "SEVERAL", None, "", message, "Give each workflow in a file of its own.");
    }
    let file = read::read(top, options.name.as_deref().unwrap_or("Imported workflow"), &mut found);
    if file.nodes.is_empty() {
        return Err(Refused {
            code: "CANNOT_IMPORT",
            path: "/nodes".into(),
            message: "The workflow has no nodes.".into(),
            hint: "A workflow needs at least one step.".into(),
        });
    }
    for node in &file.nodes {
        if let Some((_, newest)) = NEWEST.iter().find(|(kind, newest)| *kind == node.kind && node.version > *newest) {
            let message = format!(
                "\"{}\" is of version {} of its type; {newest} is the newest that is known.",
                node.name, node.version
            );
            found.add(Level::Warning, "VERSION", Some(&node.name), node.path.clone(), message, "Check its settings.");
        }
    }
    let setting = |name: &str| top.get("settings").and_then(|all| all.get(name)).and_then(Value::as_str);
    let zone = setting("timezone").filter(|zone| *zone != "DEFAULT" && !zone.is_empty());
    let graph = graph::build(&file, zone, &mut found);
    if let Some(id) = setting("errorWorkflow").filter(|id| !id.is_empty()) {
        let message = format!("When it fails, the workflow {id} of the other program starts.");
        let hint = "Import that workflow, too: it begins with 'Another workflow failed'; name this workflow there.";
        found.add(Level::Missing, "ERROR_WORKFLOW", None, "/settings/errorWorkflow", message, hint);
    }
    let mut description = top
        .get("meta")
        .and_then(|meta| meta["description"].as_str())
        .or_else(|| top.get("description").and_then(Value::as_str))
        .unwrap_or_default()
        .to_owned();
    let settings = Settings { error_policy: Some(ErrorPolicy::Named(NamedPolicy::Safe)), ..Settings::default() };
    let mut layout = places(&file, &graph);
    let mut groups = Map::new();
    for (n, note) in file.notes.iter().enumerate().filter(|(_, note)| !note.text.trim().is_empty()) {
        let (title, rest) = heading(&note.text);
        let inside: Vec<&String> = file
            .nodes
            .iter()
            .zip(&graph.steps)
            .filter(|(node, _)| {
                node.at.is_some_and(|(x, y)| {
                    let (left, top, right, bottom) = note.area;
                    (left..right).contains(&x) && (top..bottom).contains(&y)
                })
            })
            .flat_map(|(_, steps)| steps)
            .filter(|id| graph.nodes.get(*id).is_some_and(|step| step.parent.is_none()))
            .filter(|id| {
                !groups
                    .values()
                    .any(|group: &Value| group["steps"].as_array().is_some_and(|steps| steps.contains(&json!(id))))
            })
            .collect();
        if inside.is_empty() {
            if !description.is_empty() {
                description.push_str("\n\n");
            }
            description.push_str(note.text.trim());
        } else {
            let color = ["yellow", "orange", "red", "green", "blue", "purple", "gray"];
            let color = note
                .color
                .and_then(|at| usize::try_from(at - 1).ok())
                .and_then(|at| color.get(at))
                .unwrap_or(&"yellow");
            groups.insert(
                format!("note_{}", n + 1),
                json!({ "title": title, "color": color, "note": rest, "steps": inside }),
            );
        }
    }
    if let (Some(layout), false) = (&mut layout, groups.is_empty()) {
        layout.insert("$groups".into(), Value::Object(groups.clone()));
    }
    let mut notes = Vec::new();
    let (steps, bare) = graph.handled;
    if bare > 0 {
        notes.push(format!("{bare} of {steps} steps had no error handling; the default one was added."));
    }
    let (met, translated) = graph.counted;
    if met > 0 {
        notes.push(format!("{translated} of {met} expressions were translated."));
    }
    let params = params(&file, &graph.asked);
    if !graph.asked.is_empty() {
        let names: Vec<&str> = graph.asked.iter().map(String::as_str).collect();
        let message = format!("Variables of the other program are params here: {}.", names.join(", "));
        let hint = "Give them when a run starts; choose a credential in the step for what is secret.";
        found.add(Level::Missing, "VARIABLES", None, "/nodes", message, hint);
    }
    let workflow = Workflow {
        description: Some(crate::report::long(&description)).filter(|text| !text.is_empty()),
        params,
        schemas: None,
        settings: Some(settings),
        nodes: graph.nodes,
        edges: graph.edges,
        layout,
        ..Workflow::empty(&crate::slug(&file.name), &file.name)
    };
    let pins = pins(top, &file, &graph.steps);
    if !pins.is_empty() {
        notes.push(format!("Pinned data of {} steps was kept.", pins.len()));
    }
    let (findings, more) = found.sorted();
    let report = Report {
        format: "n8n".into(),
        version: None,
        steps: file.nodes.len(),
        nodes: workflow.nodes.len(),
        translated: graph.translated,
        findings,
        more,
        notes,
        groups: (!groups.is_empty()).then_some(groups),
    };
    Ok(Imported { workflow, report, pins })
}

/// The first line of a note, and the rest of it.
fn heading(text: &str) -> (String, String) {
    let text = text.trim();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim_start_matches('#').trim().trim_matches('*').trim();
    let title: String = first.chars().take(80).collect();
    let cut = first.chars().count() > 80;
    (title, if cut { text.to_owned() } else { rest.trim().to_owned() })
}

/// Where the steps stood, with room for those that one node became; none when a loop became a frame.
fn places(file: &read::File<'_>, graph: &graph::Graph) -> Option<Map> {
    if graph.loops {
        return None;
    }
    let mut layout = Map::new();
    let least = |pick: fn((f64, f64)) -> f64| {
        file.nodes.iter().filter_map(|node| node.at.map(pick)).fold(f64::INFINITY, f64::min)
    };
    let (left, top) = (least(|at| at.0), least(|at| at.1));
    for (node, steps) in file.nodes.iter().zip(&graph.steps) {
        let (x, y) = node.at?;
        // The main step stands last of a chain.
        for (n, id) in steps.iter().enumerate() {
            let below = id.ends_with("_error") || id.ends_with("_leads_back") || id.contains("_input");
            #[allow(clippy::cast_possible_truncation)]
            let (x, y) = (((x - left) * 2.4) as i64, ((y - top) * 1.4) as i64);
            let step = i64::try_from(n).unwrap_or(0);
            layout
                .insert(id.clone(), if below { json!([x, y + 96 * step.max(1)]) } else { json!([x + 248 * step, y]) });
        }
    }
    Some(layout)
}

/// What a run is started with: the input of a chat or of a calling workflow.
fn params(file: &read::File<'_>, asked: &std::collections::BTreeSet<String>) -> Option<Value> {
    let mut properties: Map = asked.iter().map(|name| (name.clone(), json!({ "type": "string" }))).collect();
    for node in &file.nodes {
        match node.kind.as_str() {
            "chatTrigger" | "manualChatTrigger" => {
                properties.insert("chatInput".into(), json!({ "type": "string", "title": "Message" }));
                properties.insert("sessionId".into(), json!({ "type": "string", "default": "imported" }));
            }
            "executeWorkflowTrigger" => {
                let rows = maker::at(node.params, "workflowInputs.values").and_then(Value::as_array);
                for row in rows.into_iter().flatten() {
                    let Some(name) = row["name"].as_str() else { continue };
                    let schema = match row["type"].as_str() {
                        Some("number") => json!({ "type": "number" }),
                        Some("boolean") => json!({ "type": "boolean" }),
                        Some("array") => json!({ "type": "array" }),
                        Some("object") => json!({ "type": "object" }),
                        Some("any") => json!({}),
                        _ => json!({ "type": "string" }),
                    };
                    properties.insert(name.to_owned(), schema);
                }
            }
            _ => {}
        }
    }
    (!properties.is_empty()).then(|| json!({ "type": "object", "properties": properties }))
}

/// Pinned data by the id of the step that puts it out.
fn pins(top: &Map, file: &read::File<'_>, steps: &[Vec<String>]) -> Map {
    let mut pins = Map::new();
    for (name, items) in top.get("pinData").and_then(Value::as_object).into_iter().flatten() {
        let Some(id) = file.by_name.get(name).and_then(|at| {
            let main = &file.nodes[*at].id;
            steps.get(*at)?.iter().find(|id| *id == main)
        }) else {
            continue;
        };
        let data: Vec<Value> =
            items.as_array().into_iter().flatten().map(|item| item.get("json").unwrap_or(item).clone()).collect();
        pins.insert(id.clone(), Value::Array(data));
    }
    pins
}
