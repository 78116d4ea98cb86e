//! Tools that were approved and cannot be called, whatever a step says (ADR 74): told before the run that would fail at them.

use super::exfiltration::{held, name};
use super::missing_tools::{server_of, tool_of};
use crate::dto::Tool;
use signalbox_engine::agent;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Diagnostic, Node, Workflow};

/// Findings of the steps that name such tools.
pub(super) fn findings(workflow: &Workflow, tools: &[Tool]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.disabled != Some(true)) {
        let (field, named) = match node.kind.as_str() {
            agent::TOOL_KIND => ("tool", its_own(id, node, tools).into_iter().collect()),
            agent::KIND | "llm.chat" => ("tools", held(workflow, node, tools)),
            _ => continue,
        };
        let at = format!("/nodes/{}/config/{field}", pointer_token(id));
        found.extend(named.into_iter().filter_map(|tool| {
            let why = tool.unusable.as_deref()?;
            let message = format!("The tool '{}' cannot be used, and the step fails when it runs: {why}", name(tool));
            let hint = "Choose another tool. Whoever keeps its server can mend its description, and then it is approved again \
                        in Settings, Tool servers";
            Some(Diagnostic::warning(Code::UnusableTool, at.clone(), message, hint))
        }));
    }
    found
}

/// The tool of a step, where its names are no expressions.
fn its_own<'a>(id: &str, node: &Node, tools: &'a [Tool]) -> Option<&'a Tool> {
    let (server, tool) = (server_of(node)?, tool_of(id, node)?);
    tools.iter().find(|one| one.server == server && one.name == tool)
}

#[cfg(test)]
mod tests;
