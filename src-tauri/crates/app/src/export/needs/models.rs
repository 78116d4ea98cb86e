//! Models and tools: which providers the configuration must have, and which tool servers.

use super::{At, Looked, origin};
use crate::dto::ExportReason;
use crate::tool_servers::{named, server_of};
use serde_json::Value;
use signalbox_engine::agent;
use signalbox_engine::tool_rules::Rules;
use signalbox_model::descriptor::LEARN;
use signalbox_model::{Node, Workflow};

/// A setting as text; `None` when it is absent or empty.
fn text(value: &Value) -> Option<&str> {
    value.as_str().map(str::trim).filter(|text| !text.is_empty())
}

fn is_expression(text: &str) -> bool {
    text.starts_with('=') || text.contains("{{")
}

/// Provider and model of `settings.model`: a name, or `{provider, model}`.
fn of_workflow(workflow: &Workflow) -> (Option<&str>, Option<&str>) {
    match workflow.settings.as_ref().and_then(|settings| settings.model.as_ref()) {
        Some(Value::Object(fields)) => (fields.get("provider").and_then(text), fields.get("model").and_then(text)),
        Some(other) => (None, text(other)),
        None => (None, None),
    }
}

impl Looked {
    pub(super) fn model(&mut self, at: &At<'_>, workflow: &Workflow, node: &Node) {
        let none = Value::Null;
        let config = node.config.as_ref().unwrap_or(&none);
        let (provider, model) = match node.kind.as_str() {
            "llm.chat" | "agent.task" => (&config["provider"], text(&config["model"])),
            "builtin.self_healing" => {
                let asks = text(&config["strategy"]).is_some_and(|strategy| strategy != "deterministic");
                if !asks {
                    return;
                }
                self.needs_module("model", &node.kind);
                // Which model it asks is decided among its hints.
                if !config["modelHints"]["preferred"].is_null() {
                    return;
                }
                (&none, None)
            }
            "rag.index" | "rag.retrieve" => {
                let Some(model) = text(&config["embeddingModel"]) else { return };
                self.needs_module("model", &node.kind);
                (&config["embeddingProvider"], Some(model))
            }
            _ => return,
        };
        let (of_workflow, its_model) = of_workflow(workflow);
        if provider.is_object() {
            // An address of this machine, written in the step.
            let to = provider["baseUrl"].as_str().and_then(origin);
            self.sends(at, &Value::Null, to.as_slice());
            return;
        }
        let named = text(provider);
        if [named, model].into_iter().flatten().any(is_expression) {
            return;
        }
        // A model for vectors is no model that answers.
        let (of_workflow, its_model) =
            if node.kind.starts_with("rag.") { (None, None) } else { (of_workflow, its_model) };
        let asked = (named.or(of_workflow).map(str::to_owned), model.or(its_model).map(str::to_owned));
        self.models.entry(asked).or_default().push(at.name());
    }

    pub(super) fn tools(&mut self, at: &At<'_>, workflow: &Workflow, node: &Node) {
        if node.kind == agent::TOOL_KIND {
            if let Some(server) = server_of(node) {
                self.tool_servers.entry(server.to_owned()).or_default().push(at.name());
            }
            return;
        }
        if !matches!(node.kind.as_str(), agent::KIND | "llm.chat") {
            return;
        }
        let names = named(workflow, node);
        let servers: Vec<&str> = names
            .iter()
            .filter(|name| !name.starts_with(LEARN))
            .filter_map(|name| agent::server_and_tool(name).map(|(server, _)| server))
            .collect();
        for server in &servers {
            let steps = self.tool_servers.entry((*server).to_owned()).or_default();
            if steps.last() != Some(&at.name()) {
                steps.push(at.name());
            }
        }
        if !servers.is_empty() {
            self.needs_module("tools", &node.kind);
        }
        // What no rule names is asked for, unless a tool only looks.
        if !servers.is_empty() && !Rules::of_node(workflow, at.step, node).is_empty() {
            if self.asks_people {
                self.needs_module("people", &node.kind);
            } else {
                let message = format!(
                    "The tool rules of '{}' may ask a person before a call, and this export has no way to ask.",
                    at.title
                );
                let hint = "Choose how people answer: --human terminal or --human ui.";
                self.problem(at.workflow, "EXPORT_KIND", at.path("/config/toolRules"), message, hint);
                self.because(ExportReason::ToolPeople, None);
            }
        }
        let skills = workflow.settings.as_ref().and_then(|settings| settings.skills.as_deref()).map(str::trim);
        let looks = node.kind == agent::KIND || names.iter().any(|name| name.starts_with(LEARN));
        if let Some(skills) = skills.filter(|skills| looks && !skills.is_empty() && !is_expression(skills)) {
            self.needs_module("files", &node.kind);
            self.folder(at, skills, false);
        }
    }
}
