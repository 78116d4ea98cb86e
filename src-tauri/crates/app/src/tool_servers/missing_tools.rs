//! Tools that steps name and this machine does not have, and arguments that a tool wants and its step does not give: told before the
//! run that would fail at them, from what is kept of the servers; none is asked (ADR 74).

use super::available_tools::Here;
use super::exfiltration::named;
use serde_json::Value;
use signalbox_engine::agent;
use signalbox_engine::catalog::nearest;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Diagnostic, Node, Workflow};

/// Arguments that one step is told of.
const MOST: usize = 20;
/// A time limit of the step goes along under these names (T-06).
const LIMITS: [&str; 2] = ["timeoutMs", "timeout"];

/// Findings of the steps that name what is not here, or leave out what is wanted.
pub(super) fn findings(workflow: &Workflow, here: &Here) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.disabled != Some(true)) {
        let at = format!("/nodes/{}/config", pointer_token(id));
        match node.kind.as_str() {
            agent::TOOL_KIND => found.extend(of_step(id, node, &at, here)),
            agent::KIND | "llm.chat" => found.extend(of_model(workflow, node, &at, here)),
            _ => {}
        }
    }
    found
}

fn of_step(id: &str, node: &Node, at: &str, here: &Here) -> Vec<Diagnostic> {
    let (Some(server), Some(tool)) = (server_of(node), tool_of(id, node)) else { return Vec::new() };
    if let Some(one) = absent(server, tool, here, |field| format!("{at}/{field}")) {
        return vec![one];
    }
    let known = here.tools.iter().find(|one| one.server == server && one.name == tool);
    let Some(known) = known.filter(|tool| tool.unusable.is_none()) else { return Vec::new() };
    let given = match node.config.as_ref().and_then(|config| config.get("arguments")) {
        None | Some(Value::Null) => None,
        Some(Value::Object(given)) => Some(given),
        // Made by an expression.
        Some(_) => return Vec::new(),
    };
    let wanted = known.input_schema.get("required").and_then(Value::as_array);
    let missing = wanted
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|name| !LIMITS.contains(name) && given.is_none_or(|given| !given.contains_key(*name)));
    let told = |argument: &str| {
        let message = format!("The tool '{server}/{tool}' wants '{argument}', and the step does not give it");
        let hint = "Give it in Arguments, as a value or by an expression";
        Diagnostic::warning(Code::ToolArguments, format!("{at}/arguments/{}", pointer_token(argument)), message, hint)
    };
    missing.take(MOST).map(told).collect()
}

fn of_model(workflow: &Workflow, node: &Node, at: &str, here: &Here) -> Vec<Diagnostic> {
    let own = agent::names(node.config.as_ref(), "tools");
    let told = |name: String| {
        let (server, tool) = agent::server_and_tool(&name)?;
        absent(server, tool, here, |_| place(&own, &name, at))
    };
    named(workflow, node).into_iter().filter_map(told).collect()
}

/// Where a name of a model's list stands; the list itself for one of the workflow.
pub(super) fn place(own: &[String], name: &str, at: &str) -> String {
    let index = own.iter().position(|one| one.strip_prefix('+').unwrap_or(one) == name);
    index.map_or_else(|| format!("{at}/tools"), |index| format!("{at}/tools/{index}"))
}

/// A server that nobody approved says so itself wherever it is chosen, and is no finding.
fn absent(server: &str, tool: &str, here: &Here, at: impl Fn(&str) -> String) -> Option<Diagnostic> {
    match here.servers.get(server) {
        None => {
            // Those that nobody approved are not for everybody who reads this.
            let approved = here.servers.iter().filter(|(_, approved)| **approved).map(|(name, _)| name.as_str());
            let message =
                format!("There is no tool server '{server}' on this machine, and the step fails when it runs");
            let hint = match nearest(server, approved) {
                Some(near) => format!("Did you mean '{near}'?"),
                None => "Choose another one, or add it in Settings, Tool servers".to_owned(),
            };
            Some(Diagnostic::warning(Code::UnknownTool, at("server"), message, hint))
        }
        Some(false) => None,
        Some(true) => {
            let mut its = here.tools.iter().filter(|one| one.server == server).map(|one| one.name.as_str());
            if its.clone().any(|one| one == tool) {
                return None;
            }
            let message = format!("The server '{server}' has no tool '{tool}', and the step fails when it runs");
            let hint = match nearest(tool, its.by_ref()) {
                Some(near) => format!("Did you mean '{near}'?"),
                None => "Choose one of its tools; Settings, Tool servers shows them".to_owned(),
            };
            Some(Diagnostic::warning(Code::UnknownTool, at("tool"), message, hint))
        }
    }
}

/// What is written out, and no data of a run makes.
fn written(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty() && !text.starts_with('=') && !text.contains("{{"))
}

/// The server of a tool's step.
pub(crate) fn server_of(node: &Node) -> Option<&str> {
    written(node.config.as_ref()?.get("server")?)
}

/// The tool of a step, which may stand in the step's own name (T-10).
pub(super) fn tool_of<'a>(id: &'a str, node: &'a Node) -> Option<&'a str> {
    match node.config.as_ref()?.get("tool") {
        None | Some(Value::Null) => agent::tool_in_id(id),
        Some(given) => written(given),
    }
}

#[cfg(test)]
mod tests;
