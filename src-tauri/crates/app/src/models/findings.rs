//! What keeps the model steps of a workflow from being answered: told before it runs (K-41).

use super::Kept;
use crate::app::App;
use crate::dto::ModelChoice;
use serde_json::Value;
use signalbox_engine::validate::Called;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Diagnostic, Node, Workflow};

/// Kinds that ask a model.
const KINDS: [&str; 2] = ["llm.chat", "agent.task"];

/// Whether a step asks a model, and whether there is another way where it has none.
fn asks(node: &Node) -> Option<bool> {
    let config = |field: &str| node.config.as_ref().and_then(|config| config.get(field));
    match node.kind.as_str() {
        kind if KINDS.contains(&kind) => Some(false),
        // Those that it would rather ask are looked for in the run.
        "builtin.self_healing" if config("modelHints").and_then(|hints| hints.get("preferred")).is_some() => None,
        "builtin.self_healing" => match text(config("strategy")) {
            Some("llm") => Some(false),
            Some("both") => Some(true),
            _ => None,
        },
        _ => None,
    }
}

fn text(value: Option<&Value>) -> Option<&str> {
    value?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

fn is_expression(text: &str) -> bool {
    text.starts_with('=') || text.contains("{{")
}

/// Of the files that a workflow's steps name: told at the steps that name them.
pub(super) fn of_called(workflow: &Workflow, files: &[(&str, Vec<Diagnostic>)]) -> Vec<Diagnostic> {
    let names =
        |node: &Node, id: &str| text(node.config.as_ref().and_then(|config| config.get("workflow"))) == Some(id);
    let place = |id: &str| {
        let step = workflow.nodes.iter().find(|(_, node)| names(node, id));
        step.map_or_else(String::new, |(step, _)| format!("/nodes/{}/config/workflow", pointer_token(step)))
    };
    let told = |id: &str, found: &Diagnostic| Diagnostic {
        path: place(id),
        message: format!("In the workflow '{id}' ({}): {}", found.path, found.message),
        ..found.clone()
    };
    files.iter().flat_map(|(id, found)| found.iter().map(move |one| told(id, one))).collect()
}

/// Provider and model of `settings.model`: a name, or `{provider, model}`.
fn of_workflow(workflow: &Workflow) -> (Option<&str>, Option<&str>) {
    match workflow.settings.as_ref().and_then(|settings| settings.model.as_ref()) {
        Some(Value::Object(fields)) => (text(fields.get("provider")), text(fields.get("model"))),
        other => (None, text(other)),
    }
}

/// Whether a model of a provider (`provider`, `model`) has no price.
type Unpriced<'a> = dyn Fn(&str, &str) -> bool + 'a;

/// The findings of a workflow, with what this machine has as plain data.
pub(super) fn findings(
    workflow: &Workflow,
    providers: &[String],
    default: Option<&ModelChoice>,
    unpriced: Option<&Unpriced<'_>>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let (own_provider, own_model) = of_workflow(workflow);
    for (id, node) in &workflow.nodes {
        let Some(spare) = asks(node).filter(|_| node.disabled != Some(true)) else { continue };
        // Rules still repair: it is worth knowing, and no reason not to run.
        let missing = |path: String, message: &str, hint: &str| {
            let make = if spare { Diagnostic::warning } else { Diagnostic::error };
            make(Code::MissingModel, path, message.to_owned(), hint.to_owned())
        };
        let config = node.config.as_ref();
        let at = format!("/nodes/{}/config", pointer_token(id));
        let given = config.and_then(|config| config.get("provider"));
        let inline = given.is_some_and(Value::is_object);
        // What an expression gives is known when the step runs, and may be the default's.
        let provider = text(given).filter(|name| !is_expression(name)).or(own_provider);
        let provider = provider.filter(|_| !inline && !text(given).is_some_and(is_expression));
        let model = text(config.and_then(|config| config.get("model"))).or(own_model);
        // The default is a model of its provider, and of no other.
        let fitting = default.filter(|choice| !inline && provider.is_none_or(|named| named == choice.provider));
        if model.is_none() && fitting.is_none() {
            found.push(missing(
                format!("{at}/model"),
                "No model is named: not in the step, not in the workflow, and there is no default on this machine",
                "Name a model in the step, or choose a default in Settings, Models (`signalbox models default`)",
            ));
            continue;
        }
        match provider {
            _ if inline => {}
            None if default.is_none() && text(given).is_none() => found.push(missing(
                format!("{at}/provider"),
                "No model provider is named, and there is no default on this machine",
                "Choose a provider in the step, or a default in Settings, Models (`signalbox models default`)",
            )),
            Some(name) if !is_expression(name) && !providers.iter().any(|p| p == name) => {
                found.push(Diagnostic::warning(
                    Code::UnknownProvider,
                    format!("{at}/provider"),
                    format!("There is no model provider '{name}' on this machine"),
                    format!("Choose another one, or add it in Settings, Models (`signalbox models set {name}`)"),
                ));
            }
            _ => {}
        }
        let asked = provider.or(default.map(|choice| &*choice.provider)).filter(|_| !inline);
        let asked = asked.zip(model.or(fitting.map(|choice| &*choice.model)));
        if let (Some(unpriced), Some((provider, model))) = (unpriced, asked)
            && providers.iter().any(|known| known == provider)
            && !model.contains("{{")
            && !model.starts_with('=')
            && unpriced(provider, model)
        {
            found.push(Diagnostic::warning(
                Code::NoPrice,
                format!("{at}/model"),
                format!("There is a budget, and no price of the model '{model}' of '{provider}': what it costs is not counted"),
                "Give its prices in Settings, Models; 0 is a price",
            ));
        }
    }
    found
}

impl App {
    /// What keeps the model steps of a workflow from being answered here.
    pub(crate) fn model_findings(&self, workflow: &Workflow) -> Vec<Diagnostic> {
        if !workflow.nodes.iter().any(|(_, node)| asks(node).is_some()) {
            return Vec::new();
        }
        // A store that cannot be read says so elsewhere.
        let kept = Kept::read(&self.store).unwrap_or_default();
        let providers: Vec<String> = kept.providers.iter().map(|one| one.name.clone()).collect();
        let limited = workflow.settings.as_ref().is_some_and(|settings| settings.budget.is_some());
        let unpriced = |provider: &str, model: &str| kept.find(provider).is_some_and(|one| one.price(model).is_none());
        let budget = limited || kept.day_budget.is_some();
        findings(
            workflow,
            &providers,
            kept.default.as_ref(),
            budget.then_some(&unpriced as &dyn Fn(&str, &str) -> bool),
        )
    }

    /// The same with the files that its steps name, directly or further in: they run with it.
    pub(crate) fn all_model_findings(&self, workflow: &Workflow, called: &Called) -> Vec<Diagnostic> {
        with_called(workflow, called, |one| [self.model_findings(one), self.tool_findings(one)].concat())
    }

    /// And the skills of all of them, which no start waits for: they are read from files.
    pub(crate) fn all_skill_findings(&self, workflow: &Workflow, called: &Called) -> Vec<Diagnostic> {
        with_called(workflow, called, |one| self.skill_findings(one))
    }
}

/// Findings of a workflow and of the files that it runs with.
pub(crate) fn with_called(
    workflow: &Workflow,
    called: &Called,
    of: impl Fn(&Workflow) -> Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let mut found = of(workflow);
    let files = called.files.iter().map(|(id, file)| (id.as_str(), of(file)));
    found.extend(of_called(workflow, &files.collect::<Vec<_>>()));
    found
}
