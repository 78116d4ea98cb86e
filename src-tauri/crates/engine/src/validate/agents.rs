//! Agent steps: what they may write (TS-113), their transitions, and names of tools (K-40).

use crate::{
    agent,
    tool_rules::{FIELD, OF_WORKFLOW},
};
use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_model::{
    Diagnostic, Node, ToolRule, Workflow,
    diagnostic::{Code, pointer_token},
};

pub(super) fn check(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    let default = workflow.settings.as_ref().and_then(|settings| settings.tools.as_deref()).unwrap_or_default();
    tool_names(default, "/settings/tools", found);
    if let Some(list) = workflow.settings.as_ref().and_then(|settings| settings.tool_rules.as_ref()) {
        check_rules(list, found);
    }
    for (id, node) in &workflow.nodes {
        let at = format!("/nodes/{}", pointer_token(id));
        let asks = uses_tools(&node.kind);
        let listed = if asks { agent::names(node.config.as_ref(), "tools") } else { Vec::new() };
        tool_names(&listed, &format!("{at}/config/tools"), found);
        if asks {
            plain_rules(node.config.as_ref(), &format!("{at}/config/{FIELD}"), found);
        }
        if let Err(both) = agent::tools(default, &listed) {
            found.push(Diagnostic::error(
                Code::BadConfig,
                format!("{at}/config/tools"),
                format!("'{both}' is both added and removed"),
                format!("Keep either +{both} or -{both}"),
            ));
        }
        let named = node.config.as_ref().and_then(|config| config.get("tool")).is_some_and(|tool| !tool.is_null());
        if node.kind == agent::TOOL_KIND && !named && agent::tool_in_id(id).is_none() {
            found.push(Diagnostic::error(
                Code::MissingConfig,
                format!("{at}/config/tool"),
                format!(
                    "“{}” needs a tool: neither its settings nor its id specify one",
                    node.title.as_deref().unwrap_or(id)
                ),
                "Choose a tool of its server",
            ));
        }
        if node.kind == agent::KIND {
            contract(workflow, node, id, &at, found);
        }
    }
}

/// More variables than this in `writes` are a wide right for a model.
const MOST_WRITES: usize = 5;
/// More paths than this are better chosen by a condition than by a model.
const MOST_TRANSITIONS: usize = 3;

/// Hints for agents that may do much (G-22): they run, but a narrower step is easier to trust.
pub(super) fn hints(workflow: &Workflow) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.kind == agent::KIND) {
        let at = format!("/nodes/{}", pointer_token(id));
        let name = node.title.as_deref().unwrap_or(id);
        let writes = node.writes.as_deref().unwrap_or_default().len();
        if writes > MOST_WRITES {
            let message = format!("“{name}” lets a model write {writes} variables");
            let hint = "List only the variables that this step needs to write, or split it into steps";
            found.push(Diagnostic::warning(Code::BadConfig, format!("{at}/writes"), message, hint));
        }
        let transitions = agent::names(node.config.as_ref(), "transitions").len();
        if transitions > MOST_TRANSITIONS {
            let message = format!("“{name}” lets a model choose between {transitions} paths");
            let hint = "Let it write a variable, and choose the path with a Switch step";
            found.push(Diagnostic::warning(Code::BadConfig, format!("{at}/config/transitions"), message, hint));
        }
    }
    found
}

/// Whether steps of this kind let a model call tools.
pub(super) fn uses_tools(kind: &str) -> bool {
    kind == agent::KIND || kind == "llm.chat"
}

/// Rules of a step stand in the file as they hold: were one made by an expression, data of the run would write it, and nobody
/// could say before the run what it asks. Conditions are expressions in any case, and look at data by themselves.
fn plain_rules(config: Option<&Value>, at: &str, found: &mut Vec<Diagnostic>) {
    let made = |value: &Value| value.as_str().is_some_and(|text| text.starts_with('=') || text.contains("{{"));
    let mut refuse = |place: String| {
        let message = "Tool rules cannot be an expression: data of the run could change them";
        let hint = "Write the rules out; use 'when' for a condition";
        found.push(Diagnostic::error(Code::BadConfig, place, message, hint));
    };
    match config.and_then(|config| config.get(FIELD)) {
        Some(Value::Array(rules)) => {
            for (i, rule) in rules.iter().enumerate() {
                if made(rule) {
                    refuse(format!("{at}/{i}"));
                }
                for (name, _) in rule.as_object().into_iter().flatten().filter(|(name, value)| {
                    // These two are kept as they are written.
                    !matches!(name.as_str(), "when" | "message") && made(value)
                }) {
                    refuse(format!("{at}/{i}/{}", pointer_token(name)));
                }
            }
        }
        Some(other) if made(other) => refuse(at.to_owned()),
        Some(_) | None => {}
    }
}

/// The rules of `settings.toolRules` that can be read, with their places.
pub(super) fn rules(workflow: &Workflow) -> Vec<(usize, ToolRule)> {
    let list = workflow.settings.as_ref().and_then(|settings| settings.tool_rules.as_ref()?.as_array());
    let read = |(i, rule): (usize, &Value)| Some((i, ToolRule::deserialize(rule).ok()?));
    list.into_iter().flatten().enumerate().filter_map(read).collect()
}

/// Rules over tools of the whole workflow; those of a step have the form that its kind describes.
fn check_rules(list: &Value, found: &mut Vec<Diagnostic>) {
    let hint = "A rule is { \"name\": …, \"when\": \"tool == 'pay'\", \"action\": \"allow\", \"ask\" or \"deny\" }, optionally with \
                message, maxArguments and maxResult";
    let Some(rules) = list.as_array() else {
        found.push(Diagnostic::error(Code::BadConfig, OF_WORKFLOW, "The tool rules are not a list", hint));
        return;
    };
    for (i, rule) in rules.iter().enumerate() {
        if let Err(error) = ToolRule::deserialize(rule) {
            let message = format!("Tool rule {}: {error}", i + 1);
            found.push(Diagnostic::error(Code::BadConfig, format!("{OF_WORKFLOW}/{i}"), message, hint));
        }
    }
}

fn tool_names(names: &[String], at: &str, found: &mut Vec<Diagnostic>) {
    for (i, name) in names.iter().enumerate() {
        let of_step = !at.starts_with("/settings");
        if name.is_empty() {
            // Of a step the form of its kind has told it.
            if !of_step {
                let message = "A row of the tools is empty";
                let hint = "Fill it in, or remove the row";
                found.push(Diagnostic::error(Code::MissingConfig, format!("{at}/{i}"), message, hint));
            }
            continue;
        }
        let bare = if of_step { name.strip_prefix(['+', '-']).unwrap_or(name) } else { name };
        if bare.starts_with(['+', '-']) {
            let hint = if of_step { "Use only one sign" } else { "Remove the sign: only steps add and remove tools" };
            let message = format!("'{name}' has one sign too many");
            found.push(Diagnostic::error(Code::BadConfig, format!("{at}/{i}"), message, hint));
        } else if let Some((message, hint)) = agent::misnamed(bare) {
            found.push(Diagnostic::error(Code::BadConfig, format!("{at}/{i}"), message, hint));
        }
    }
}

fn contract(workflow: &Workflow, node: &Node, id: &str, at: &str, found: &mut Vec<Diagnostic>) {
    let transitions = agent::names(node.config.as_ref(), "transitions");
    if node.condition.is_some() && transitions.len() > 1 {
        found.push(Diagnostic::error(
            Code::BadConfig,
            format!("{at}/if"),
            format!("'{id}' chooses between paths, so it cannot be skipped by 'if'"),
            "Put the condition on the previous step, or use an If step",
        ));
    }
    let writes = node.writes.as_deref().unwrap_or_default();
    let declared = workflow.context.as_ref().and_then(|context| context.schema.clone()).unwrap_or_else(|| json!({}));
    let Err(unknown) = agent::result_schema(writes, &declared, &transitions) else { return };
    for name in unknown {
        let index = writes.iter().position(|one| *one == name).unwrap_or_default();
        let known = declared.get("properties").and_then(Value::as_object).into_iter().flatten();
        let known: Vec<&str> = known.map(|(name, _)| name.as_str()).filter(|name| !name.starts_with('_')).collect();
        let (message, hint) = if name.starts_with('_') {
            (format!("'{id}' writes '{name}', but names starting with _ are reserved"), "Rename it".to_owned())
        } else {
            let hint = match crate::catalog::nearest(&name, known.iter().copied()) {
                Some(near) => format!("Did you mean '{near}'?"),
                None => format!("Add '{name}' to the schema of the variables (context.schema.properties)"),
            };
            (format!("'{id}' writes '{name}', which the schema of the variables does not declare"), hint)
        };
        found.push(Diagnostic::error(Code::BadConfig, format!("{at}/writes/{index}"), message, hint));
    }
}
