//! Skills that a model is given and cannot learn, and a folder of skills that cannot be used: told before the run that would fail at
//! them. The folder is listed, and only what was chosen is read: a check of a workflow stays short.

use super::exfiltration::named;
use super::missing_tools::place;
use crate::app::App;
use signalbox_engine::agent;
use signalbox_model::descriptor::LEARN;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Diagnostic, Workflow};
use std::collections::BTreeMap;

/// The skills that steps name, with their places; and whether some step looks into the folder at all: an agent has all of it.
fn wanted(workflow: &Workflow) -> (Vec<(String, String)>, bool) {
    let (mut chosen, mut looked) = (Vec::new(), false);
    for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.disabled != Some(true)) {
        if !matches!(node.kind.as_str(), agent::KIND | "llm.chat") {
            continue;
        }
        let (own, at) = (agent::names(node.config.as_ref(), "tools"), format!("/nodes/{}/config", pointer_token(id)));
        let names = named(workflow, node).into_iter().filter(|name| name.starts_with(LEARN));
        chosen.extend(names.map(|name| (place(&own, &name, &at), name)));
        looked |= node.kind == agent::KIND;
    }
    looked |= !chosen.is_empty();
    (chosen, looked)
}

fn unusable(at: &str, name: &str, why: &str, hint: &str) -> Diagnostic {
    let message = format!("The skill '{name}' cannot be learned: {}", why.trim_end_matches('.'));
    Diagnostic::warning(Code::UnusableSkill, at, message, hint)
}

impl App {
    /// What is wrong with the skills of a workflow on this machine. On a thread that may wait.
    pub(crate) fn skill_findings(&self, workflow: &Workflow) -> Vec<Diagnostic> {
        let (chosen, looked) = wanted(workflow);
        let folder =
            workflow.settings.as_ref().and_then(|settings| settings.skills.as_deref()).unwrap_or_default().trim();
        if folder.is_empty() {
            let why = "the workflow's settings name no folder of skills";
            let hint = "Name the folder in the settings of the workflow, or take the skill out of the list";
            return chosen.iter().map(|(at, name)| unusable(at, name, why, hint)).collect();
        }
        // Grants that cannot be read stay as they were; a run says so.
        if !looked || self.grants_changed().is_err() {
            return Vec::new();
        }
        let names: Vec<&str> = chosen.iter().map(|(_, name)| name.as_str()).collect();
        let asked = signalbox_nodes::skill_troubles(&workflow.id, folder, &names, &self.world);
        match self.wait_for(asked) {
            Ok(Ok(troubles)) => {
                let troubles: BTreeMap<String, String> = troubles.into_iter().collect();
                let hint = "Mend the file in the folder of skills, or take the skill out of the list";
                let told = |(at, name): &(String, String)| Some(unusable(at, name, troubles.get(name)?, hint));
                chosen.iter().filter_map(told).collect()
            }
            Ok(Err(failure)) => {
                let message = format!(
                    "The folder of skills cannot be used, and the steps that have it fail: {}",
                    failure.message
                );
                let hint = "Allow the folder for this workflow, or name another one";
                vec![Diagnostic::warning(Code::UnusableSkill, "/settings/skills", message, hint)]
            }
            // The program ends.
            Err(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
