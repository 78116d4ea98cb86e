//! Activating: a version is pinned whole, after everything that would keep its runs from working was looked for.

use super::offered::is_offered;
use super::preview::no_trigger;
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{Activation, WorkflowActivate, WorkflowVersion};
use crate::error::{ApiError, ApiResult, Class, first_of};
use crate::models::with_called;
use crate::workflows::check;
use crate::workflows::grants::is_fixed;
use crate::workflows::library::load;
use serde_json::{Value, json};
use signalbox_engine::connector;
use signalbox_engine::params;
use signalbox_engine::trigger::MANUAL;
use signalbox_engine::validate::{Called, check_called};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{AuditEvent, Code, Diagnostic, Map, Severity, Workflow, time};
use signalbox_ports::FileError;
use signalbox_runtime::PINNED_FILES;
use signalbox_runtime::triggers::{FILE_WATCH, cannot_look};
use signalbox_store as store;
use signalbox_store::audit::Level;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Warnings that a person who starts a run sees and may live with; a run that a trigger starts has nobody who does.
const NEEDED: [Code; 7] = [
    Code::MissingGrant,
    Code::SecretMissing,
    Code::SecretHost,
    Code::MissingModel,
    Code::UnknownProvider,
    Code::UnknownTool,
    Code::UnusableTool,
];

impl App {
    /// Activates what a file holds; the file need not be in the library.
    pub async fn activate_file(self: &Arc<Self>, caller: &Caller, file: PathBuf) -> ApiResult<Activation> {
        let caller = caller.clone();
        self.blocking(move |app| {
            let (document, _) = check::readable(&load(&file)?.bytes)?;
            app.activate_document(&caller, document, Some(&file))
        })
        .await
    }

    pub(crate) fn activate(&self, caller: &Caller, request: WorkflowActivate) -> ApiResult<Activation> {
        let WorkflowActivate { reference, workflow_id, document, version } = request;
        if let Some(version) = version {
            let id = match (workflow_id, reference) {
                (Some(id), _) => id,
                (None, Some(reference)) => {
                    let (document, _) = check::readable(&load(&self.path_of(&reference)?)?.bytes)?;
                    document["id"].as_str().unwrap_or_default().to_owned()
                }
                (None, None) => return Err(nothing_named()),
            };
            return self.activate_version(caller, &id, &version);
        }
        let file = match (&reference, &workflow_id) {
            (Some(reference), _) => Some(self.path_of(reference)?),
            (None, Some(id)) => Some(self.by_id(id)?),
            (None, None) => None,
        };
        let document = match (document, &file) {
            (Some(document), _) => document,
            (None, Some(file)) => check::readable(&load(file)?.bytes)?.0,
            (None, None) => return Err(nothing_named()),
        };
        self.activate_document(caller, document, file.as_deref())
    }

    fn activate_document(&self, caller: &Caller, document: Value, file: Option<&Path>) -> ApiResult<Activation> {
        let workflow = crate::runs::lifecycle::whole(&document)?;
        let called = self.called(&workflow, file)?;
        self.activate_workflow(caller, workflow, called)
    }

    /// A version that was active before: nothing of it is read from a file.
    fn activate_version(&self, caller: &Caller, id: &str, version: &str) -> ApiResult<Activation> {
        let known = self.store.workflow_versions(id)?.into_iter().any(|known| known.version == version);
        if !known {
            let hint =
                format!("The workflow {id} was never active in this version; `signalbox versions {id}` lists all.");
            return Err(ApiError::not_found(hint));
        }
        let (workflow, called) = self.pinned_version(version)?;
        self.activate_workflow(caller, workflow, called)
    }

    /// The workflow of a version, and its sub-workflows.
    pub(crate) fn pinned_version(&self, version: &str) -> ApiResult<(Workflow, Called)> {
        Ok(signalbox_runtime::triggers::pinned_version(&self.store, version)?)
    }

    fn activate_workflow(&self, caller: &Caller, workflow: Workflow, called: Called) -> ApiResult<Activation> {
        let triggers = triggers_of(&workflow);
        self.may_run_alone(&workflow, &called)?;
        if triggers.is_empty() {
            return Err(no_trigger(&workflow.name));
        }
        let (id, name) = (workflow.id.clone(), workflow.name.clone());
        let runtime = self.runtime.clone();
        let pinned = self.wait_for(async move { runtime.pin_with(workflow, called).await })??;
        let version = pinned.compiled.definition_hash.clone();
        for (hash, text) in &pinned.files {
            self.store.definition_put(hash, text)?;
        }
        let ids: Vec<&str> = triggers.iter().map(|trigger| trigger.id.as_str()).collect();
        let facts = json!({ "workflowId": id, "name": name, "version": version, "triggers": ids });
        let record = self.fact(AuditEvent::WorkflowActivated, Level::Info, caller.actor(), caller.signed(facts));
        let new = store::Activation {
            workflow: id.clone(),
            name,
            version,
            active: true,
            here: caller.here,
            person: caller.principal.clone(),
            at_ms: self.now_ms(),
        };
        self.store.activate(new, pinned.definition, triggers, record)?;
        self.activation_of(&id)
    }

    /// Errors, and everything that a run which nobody watches would lack on this machine: each with its code and place.
    fn may_run_alone(&self, workflow: &Workflow, called: &Called) -> ApiResult<()> {
        self.grants_changed()?;
        let mut found = check_called(workflow, check::catalog(), called);
        found.extend(self.all_model_findings(workflow, called));
        found.extend(with_called(workflow, called, |one| self.secret_findings(one)));
        // A sub-workflow uses the folders that are granted to itself.
        found.extend(with_called(workflow, called, |one| self.grant_findings(one)));
        // Who calls a tool gives its params.
        if triggers_of(workflow).iter().any(|trigger| trigger.kind != MANUAL) {
            found.extend(params_findings(workflow));
        }
        found.extend(self.form_findings(workflow)?);
        found.extend(self.hook_findings(workflow)?);
        found.extend(self.folder_findings(workflow)?);
        for one in &mut found {
            if NEEDED.contains(&one.code) {
                one.severity = Severity::Error;
            }
        }
        let missing: Vec<Diagnostic> = found.into_iter().filter(|one| one.severity == Severity::Error).collect();
        let Some(first) = missing.first() else { return Ok(()) };
        let reason = first_of(&first.message, missing.len());
        let message = format!("The workflow cannot be activated: {reason}.");
        Err(ApiError::new(
            Class::Invalid,
            "INVALID_WORKFLOW",
            message,
            "Fix what the diagnostics say, then activate it.",
        )
        .with(json!({ "diagnostics": missing })))
    }

    /// Folders that are to be watched and cannot be looked into.
    fn folder_findings(&self, workflow: &Workflow) -> ApiResult<Vec<Diagnostic>> {
        let mut found = Vec::new();
        for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.kind == FILE_WATCH) {
            let Some(path) = node.config.as_ref().and_then(|config| config.get("path")?.as_str()) else { continue };
            let why = if is_fixed(path) {
                let listing = self.world.files.list(&workflow.id, path, "*");
                match self.wait_for(listing)? {
                    // That it is not granted is told with the paths of the other steps.
                    Ok(_) | Err(FileError::Refused { .. }) => continue,
                    Err(error) => cannot_look(path, &error),
                }
            } else {
                format!("'{path}' is no folder of this machine: the folder of a trigger is no expression and no sample")
            };
            let at = format!("/nodes/{}/config/path", pointer_token(id));
            let hint = "Name a folder that exists and is allowed for the workflow";
            found.push(Diagnostic::error(Code::BadConfig, at, why, hint));
        }
        Ok(found)
    }

    pub(crate) fn deactivate(&self, caller: &Caller, id: &str) -> ApiResult<Activation> {
        let before = self.store.activation(id)?.ok_or_else(|| never_active(id))?;
        let facts = json!({ "workflowId": id, "name": before.name, "version": before.version });
        let record = self.fact(AuditEvent::WorkflowDeactivated, Level::Info, caller.actor(), caller.signed(facts));
        // Twice is the same as once: the second time nothing changes, and nothing is recorded.
        self.store.deactivate(id, record)?;
        self.activation_of(id)
    }

    fn activation_of(&self, id: &str) -> ApiResult<Activation> {
        let one = self.store.activation(id)?.ok_or_else(|| never_active(id))?;
        let triggers = self.store.triggers_of_workflow(id)?;
        Ok(told(one, &triggers))
    }

    pub(crate) fn activations(&self) -> ApiResult<Vec<Activation>> {
        let triggers = self.store.triggers()?;
        Ok(self.store.activations()?.into_iter().map(|one| told(one, &triggers)).collect())
    }

    pub(crate) fn versions(&self, caller: &Caller, id: &str) -> ApiResult<Vec<WorkflowVersion>> {
        let active = self.store.activation(id)?.ok_or_else(|| never_active(id))?;
        let tell = |one: store::WorkflowVersion| -> ApiResult<WorkflowVersion> {
            let text = self.store.definition_get(&one.version)?.unwrap_or_else(|| "null".to_owned());
            let mut document: Value = serde_json::from_str(&text).unwrap_or_default();
            if let Some(fields) = document.as_object_mut() {
                fields.shift_remove(PINNED_FILES);
                fields.shift_remove(connector::PINNED);
            }
            Ok(WorkflowVersion {
                active: active.active && active.version == one.version,
                version: one.version,
                activated_at: time::format(one.at_ms),
                activated_by: one.person,
                document: if document.is_null() { document } else { self.file_for(caller, document) },
            })
        };
        self.store.workflow_versions(id)?.into_iter().map(tell).collect()
    }
}

fn told(one: store::Activation, triggers: &[store::TriggerRow]) -> Activation {
    let own = triggers.iter().filter(|trigger| trigger.workflow == one.workflow);
    Activation {
        triggers: own.map(|trigger| trigger.id.clone()).collect(),
        workflow_id: one.workflow,
        workflow_name: one.name,
        active: one.active,
        version: one.version,
        activated_at: time::format(one.at_ms),
        activated_by: one.person,
    }
}

fn nothing_named() -> ApiError {
    ApiError::bad_request("No workflow is named.", "Send `workflowId`, `ref` or `document`.")
}

fn never_active(id: &str) -> ApiError {
    ApiError::not_found(format!("The workflow {id} was never activated; `signalbox activate {id}` activates it."))
}

/// Steps at the top of a file that start it automatically.
fn triggers_of(workflow: &Workflow) -> Vec<store::NewTrigger> {
    signalbox_runtime::triggers::triggers_of(workflow, is_offered)
}

/// Params that somebody would have to give.
fn params_findings(workflow: &Workflow) -> Vec<Diagnostic> {
    // The host fills these itself.
    let practice = params::practice(workflow).into_iter().map(|name| (name.to_owned(), json!("http://127.0.0.1")));
    let given = params::complete(workflow, &Value::Object(practice.collect::<Map>()));
    let unfit = params::check(workflow, &given).into_iter();
    unfit
        .map(|one| {
            let path = format!("/params{}", one.path);
            let hint = "Give the param a default value: nobody enters one when a trigger starts the workflow";
            Diagnostic::error(Code::UnfitParams, path, one.message, hint)
        })
        .collect()
}
