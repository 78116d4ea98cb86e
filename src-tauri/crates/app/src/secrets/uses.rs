//! Workflows that name a secret: files of the library, and active versions, which may have no file there any more.

use crate::app::App;
use crate::dto::SecretUse;
use crate::error::ApiResult;
use crate::workflows::library::load;
use serde_json::Value;
use signalbox_engine::validate;
use signalbox_model::{Workflow, secret_ref};

impl App {
    /// Who uses a secret, and in which steps.
    pub(crate) fn secret_uses(&self, name: &str) -> ApiResult<Vec<SecretUse>> {
        let mut uses = Vec::new();
        for path in self.library.files(&self.library_folders()?) {
            let Ok(loaded) = load(&path) else { continue };
            let Some(workflow) = validate::read(&loaded.bytes).workflow else { continue };
            uses.extend(use_of(&workflow, name, Some(self.library.reference(&path))));
        }
        for activation in self.store.activations()?.into_iter().filter(|one| one.active) {
            // A version that cannot be read any more says so where it is to run.
            let Ok((workflow, called)) = self.pinned_version(&activation.version) else { continue };
            for one in std::iter::once(&workflow).chain(called.files.values().map(AsRef::as_ref)) {
                let Some(found) = use_of(one, name, None) else { continue };
                match uses.iter_mut().find(|known| known.workflow_id == found.workflow_id) {
                    Some(known) => {
                        known.active = true;
                        for step in found.steps {
                            if !known.steps.contains(&step) {
                                known.steps.push(step);
                            }
                        }
                    }
                    None => uses.push(found),
                }
            }
        }
        uses.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.reference.cmp(&b.reference)));
        Ok(uses)
    }
}

/// The steps of a workflow that name a secret; one without a file is of an active version.
fn use_of(workflow: &Workflow, name: &str, reference: Option<String>) -> Option<SecretUse> {
    let steps: Vec<String> = workflow
        .nodes
        .iter()
        .filter(|(_, node)| node.config.as_ref().is_some_and(|config| names(config, name)))
        .map(|(id, node)| node.title.clone().unwrap_or_else(|| id.to_string()))
        .collect();
    let (workflow_id, active) = (workflow.id.clone(), reference.is_none());
    (!steps.is_empty()).then(|| SecretUse { workflow_id, name: workflow.name.clone(), reference, active, steps })
}

/// Whether a setting is a reference to a secret.
fn names(value: &Value, name: &str) -> bool {
    match value {
        Value::String(text) => secret_ref::reference(text) == Some(name),
        Value::Array(list) => list.iter().any(|value| names(value, name)),
        Value::Object(map) => map.values().any(|value| names(value, name)),
        _ => false,
    }
}
