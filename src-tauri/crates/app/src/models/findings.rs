//! What keeps the model steps of a workflow from being answered: told before it runs (K-41).

use super::Kept;
use crate::app::App;
use crate::dto::ModelChoice;
use serde_json::Value;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Diagnostic, Workflow};

/// Kinds that ask a model.
const KINDS: [&str; 2] = ["llm.chat", "agent.task"];

fn text(value: Option<&Value>) -> Option<&str> {
    value?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// Provider and model of `settings.model`: a name, or `{provider, model}`.
fn of_workflow(workflow: &Workflow) -> (Option<&str>, Option<&str>) {
    match workflow.settings.as_ref().and_then(|settings| settings.model.as_ref()) {
        Some(Value::Object(fields)) => (text(fields.get("provider")), text(fields.get("model"))),
        other => (None, text(other)),
    }
}

/// The findings of a workflow, with what this machine has as plain data.
pub(super) fn findings(workflow: &Workflow, providers: &[String], default: Option<&ModelChoice>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let (own_provider, own_model) = of_workflow(workflow);
    for (id, node) in &workflow.nodes {
        if !KINDS.contains(&node.kind.as_str()) || node.disabled == Some(true) {
            continue;
        }
        let config = node.config.as_ref();
        let at = format!("/nodes/{}/config", pointer_token(id));
        let given = config.and_then(|config| config.get("provider"));
        let inline = given.is_some_and(Value::is_object);
        let provider = text(given).or(own_provider).filter(|_| !inline);
        let model = text(config.and_then(|config| config.get("model"))).or(own_model);
        // The default is a model of its provider, and of no other.
        let fitting = default.filter(|choice| !inline && provider.is_none_or(|named| named == choice.provider));
        if model.is_none() && fitting.is_none() {
            found.push(Diagnostic::error(
                Code::MissingModel,
                format!("{at}/model"),
                "No model is named: not in the step, not in the workflow, and there is no default on this machine",
                "Name a model in the step, or choose a default in Settings, Models (`signalbox models default`)",
            ));
            continue;
        }
        match provider {
            _ if inline => {}
            None if default.is_none() => found.push(Diagnostic::error(
                Code::MissingModel,
                format!("{at}/provider"),
                "No model provider is named, and there is no default on this machine",
                "Choose a provider in the step, or a default in Settings, Models (`signalbox models default`)",
            )),
            Some(name) if !name.contains("{{") && !name.starts_with('=') && !providers.iter().any(|p| p == name) => {
                found.push(Diagnostic::warning(
                    Code::UnknownProvider,
                    format!("{at}/provider"),
                    format!("There is no model provider '{name}' on this machine"),
                    format!("Choose another one, or add it in Settings, Models (`signalbox models set {name}`)"),
                ));
            }
            _ => {}
        }
    }
    found
}

impl App {
    /// What keeps the model steps of a workflow from being answered here.
    pub(crate) fn model_findings(&self, workflow: &Workflow) -> Vec<Diagnostic> {
        if !workflow.nodes.iter().any(|(_, node)| KINDS.contains(&node.kind.as_str())) {
            return Vec::new();
        }
        // A store that cannot be read says so elsewhere.
        let kept = Kept::read(&self.store).unwrap_or_default();
        let providers: Vec<String> = kept.providers.iter().map(|one| one.name.clone()).collect();
        findings(workflow, &providers, kept.default.as_ref())
    }
}
