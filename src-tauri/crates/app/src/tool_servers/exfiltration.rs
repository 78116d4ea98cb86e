//! Untrusted data, a tool that bears secrets and a tool that lets data out, in the hands of one model (TRUST, "prompt
//! injection"): told before a run, unless a person is asked before each call of the tool that lets data out (ADR 41).

use serde_json::{Value, json};
use signalbox_engine::tool_rules::{FIELD, Hints, Rules, is_gated};
use signalbox_engine::{agent, taint};
use signalbox_model::diagnostic::{Fix, pointer_token};
use signalbox_model::{Code, Diagnostic, Node, Workflow};

use crate::dto::Tool;

/// Longest condition of a rule that mends, bytes: an expression has 4,096 at most.
const LONGEST: usize = 3_500;
/// Tools that a hint names.
const NAMED: usize = 5;

/// Findings of the steps whose models have tools.
pub(super) fn findings(workflow: &Workflow, tools: &[Tool]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (id, node) in &workflow.nodes {
        if node.disabled == Some(true) || !matches!(node.kind.as_str(), agent::KIND | "llm.chat") {
            continue;
        }
        let has = held(workflow, node, tools);
        // Tools whose answers a person trusts bring nobody who could tell the model what to do.
        let source = taint::source(workflow, id);
        let told_by_tools = has.iter().any(|tool| tool.is_untrusted);
        let reached = taint::reaches(workflow, id);
        if !reached && !told_by_tools {
            continue;
        }
        let lists = Rules::of_node(workflow, id, node);
        let leaks: Vec<&Tool> = has
            .iter()
            .copied()
            .filter(|out| out.is_egress && has.iter().any(|one| one.bears_secrets && !same(one, out)))
            .filter(|out| !is_gated(&lists, &out.server, &out.name, hints(out)))
            .collect();
        let Some(first) = leaks.first() else { continue };
        let secret =
            has.iter().find(|one| one.bears_secrets && !same(one, first)).map_or_else(String::new, |one| name(one));
        let brings = match source {
            Some(step) if told_by_tools => format!("external data from '{step}' and the answers of its tools"),
            Some(step) => format!("external data from '{step}'"),
            None if reached && told_by_tools => "external data and the answers of its tools".to_owned(),
            None if reached => "external data".to_owned(),
            None => "the answers of its tools".to_owned(),
        };
        let message = format!(
            "The model of '{id}' reads {brings}; it can read secrets with {secret} and send them out with {}, without asking a person",
            names(&leaks)
        );
        let hint =
            "Let a rule ask a person before each call of the tool that lets data out, or take one of the tools away";
        let at = format!("/nodes/{}/config", pointer_token(id));
        let mut one = Diagnostic::error(Code::UngatedEgress, format!("{at}/tools"), message, hint);
        one.fix = Some(Box::new(Fix {
            title: "Ask before these calls".into(),
            path: format!("{at}/{FIELD}"),
            value: asking(node, &has, &leaks, lists.is_empty()),
        }));
        found.push(one);
    }
    found
}

/// The tools that a model of this step has, as far as this machine knows them.
pub(super) fn held<'a>(workflow: &Workflow, node: &Node, tools: &'a [Tool]) -> Vec<&'a Tool> {
    let named = named(workflow, node);
    tools.iter().filter(|tool| named.contains(&name(tool))).collect()
}

/// The names that the list of a model's step comes to, with those of the workflow for agents.
pub(crate) fn named(workflow: &Workflow, node: &Node) -> Vec<String> {
    let of_workflow = workflow.settings.as_ref().and_then(|settings| settings.tools.as_deref());
    let default = of_workflow.filter(|_| node.kind == agent::KIND).unwrap_or_default();
    agent::tools(default, &agent::names(node.config.as_ref(), "tools")).unwrap_or_default()
}

fn same(one: &Tool, other: &Tool) -> bool {
    one.server == other.server && one.name == other.name
}

pub(super) fn name(tool: &Tool) -> String {
    format!("{}/{}", tool.server, tool.name)
}

fn names(tools: &[&Tool]) -> String {
    let first: Vec<String> = tools.iter().take(NAMED).map(|tool| name(tool)).collect();
    let more = tools.len().saturating_sub(NAMED);
    if more > 0 { format!("{} and {more} more", first.join(", ")) } else { first.join(", ") }
}

fn hints(tool: &Tool) -> Hints {
    Hints {
        read_only: tool.read_only,
        destructive: tool.destructive,
        idempotent: tool.idempotent,
        open_world: tool.open_world,
    }
}

/// What rules say before each call of these tools, each at most [`LONGEST`] long: the whole server where all of its tools are
/// among them, else tool by tool.
fn conditions(has: &[&Tool], leaks: &[&Tool]) -> Vec<String> {
    let text = |text: &str| Value::String(text.to_owned()).to_string();
    let leaks_here = |tool: &Tool| leaks.iter().any(|out| same(out, tool));
    let whole = |server: &str| has.iter().filter(|tool| tool.server == server).all(|tool| leaks_here(tool));
    let mut parts: Vec<String> = Vec::new();
    for tool in leaks {
        let several = leaks.iter().filter(|one| one.server == tool.server).count() > 1;
        let part = if several && whole(&tool.server) {
            format!("server == {}", text(&tool.server))
        } else {
            format!("(server == {} && tool == {})", text(&tool.server), text(&tool.name))
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    let mut made: Vec<String> = Vec::new();
    for part in parts {
        match made.last_mut() {
            Some(last) if last.len() + part.len() + 4 <= LONGEST => *last = format!("{last} || {part}"),
            _ => made.push(part),
        }
    }
    made
}

/// The rules of the step with those in front that ask; where there were none, the other tools stay as they were.
fn asking(node: &Node, has: &[&Tool], leaks: &[&Tool], first: bool) -> Value {
    let rule = |(at, when): (usize, String)| {
        let name = if at == 0 { "lets-data-out".to_owned() } else { format!("lets-data-out-{}", at + 1) };
        json!({ "name": name, "when": when, "action": "ask", "message": "It can let data out that its model has read" })
    };
    let mut rules: Vec<Value> = conditions(has, leaks).into_iter().enumerate().map(rule).collect();
    let own = node.config.as_ref().and_then(|config| config.get(FIELD)).and_then(Value::as_array);
    rules.extend(own.into_iter().flatten().cloned());
    if first {
        rules.push(json!({ "name": "the-rest", "when": "true", "action": "allow" }));
    }
    Value::Array(rules)
}

#[cfg(test)]
pub(super) mod tests;
