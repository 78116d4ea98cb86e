//! Workspaces of a server: which workflows belong together, how many runs they may start, and that none calls into another (ADR 229).

use crate::App;
use crate::caller::{Caller, workspace_name};
use crate::dto::{StartQuota, StartsMade, Workspace, WorkspaceAssign, WorkspacePut};
use crate::error::{ApiError, ApiResult, Class};
use serde_json::json;
use signalbox_engine::validate::{Called, valid_workflow_id};
use signalbox_model::{AuditEvent, Workflow, time};
use signalbox_store as store;
use signalbox_store::audit::Level;

/// Workspaces at once.
const MOST: usize = 1_000;

fn no_workspace(name: &str) -> ApiError {
    ApiError::not_found(format!("There is no workspace {name}; workspace_list shows those there are."))
}

/// A quota as it is kept. A number that stops everything is a mistake.
pub(crate) fn kept_quota(quota: StartQuota) -> ApiResult<store::Quota> {
    let StartQuota { per_minute, per_day, at_once, person_per_minute, person_per_day } = quota;
    if [per_minute, per_day, at_once, person_per_minute, person_per_day].contains(&Some(0)) {
        let hint = "Leave the number out for no limit, or give 1 or more.";
        return Err(ApiError::bad_request("A quota of 0 runs starts nothing.", hint));
    }
    Ok(store::Quota { per_minute, per_day, at_once, person_per_minute, person_per_day })
}

/// A quota as it is shown.
pub(crate) fn shown_quota(quota: store::Quota) -> StartQuota {
    let store::Quota { per_minute, per_day, at_once, person_per_minute, person_per_day } = quota;
    StartQuota { per_minute, per_day, at_once, person_per_minute, person_per_day }
}

/// What was started, as it is shown.
pub(crate) fn shown_starts(started: store::Started) -> StartsMade {
    StartsMade { minute: started.minute, day: started.day, open: started.open }
}

impl App {
    fn workspace_shown(&self, one: store::Workspace) -> ApiResult<Workspace> {
        Ok(Workspace {
            workflows: self.store.workspace_workflows(&one.name)?,
            started: shown_starts(self.store.workspace_started(&one.name, self.now_ms())?),
            quota: shown_quota(one.quota),
            made_at: time::format(one.made_ms),
            name: one.name,
        })
    }

    /// All workspaces, by name.
    pub(crate) fn workspaces(&self) -> ApiResult<Vec<Workspace>> {
        self.store.workspaces()?.into_iter().map(|one| self.workspace_shown(one)).collect()
    }

    /// Makes a workspace, or gives it another quota.
    pub(crate) fn workspace_put(&self, caller: &Caller, request: WorkspacePut) -> ApiResult<Vec<Workspace>> {
        let name = workspace_name(&request.name)?;
        let quota = kept_quota(request.quota)?;
        let before = self.store.workspace(&name)?;
        if before.is_none() && self.store.workspaces()?.len() >= MOST {
            let message = format!("There are {MOST} workspaces already.");
            return Err(ApiError::new(
                Class::Conflict,
                "TOO_MANY_WORKSPACES",
                message,
                "Remove those that nobody uses.",
            ));
        }
        let facts = json!({
            "name": name, "new": before.is_none(), "perMinute": quota.per_minute, "perDay": quota.per_day,
            "atOnce": quota.at_once, "personPerMinute": quota.person_per_minute, "personPerDay": quota.person_per_day,
        });
        let record = self.fact(AuditEvent::WorkspaceChanged, Level::Warn, caller.actor(), caller.signed(facts));
        let made_ms = before.map_or_else(|| self.now_ms(), |before| before.made_ms);
        self.store.workspace_put(store::Workspace { name, quota, made_ms }, record)?;
        self.workspaces()
    }

    /// Removes a workspace without workflows. Its runs keep its name.
    pub(crate) fn workspace_remove(&self, caller: &Caller, name: &str) -> ApiResult<Vec<Workspace>> {
        self.store.workspace(name)?.ok_or_else(|| no_workspace(name))?;
        let facts = caller.signed(json!({ "name": name }));
        let record = self.fact(AuditEvent::WorkspaceRemoved, Level::Warn, caller.actor(), facts);
        if !self.store.workspace_remove(name, record)? {
            let message = format!("The workspace {name} has workflows.");
            return Err(ApiError::new(Class::Conflict, "WORKSPACE_IN_USE", message, "Move them out of it first."));
        }
        self.workspaces()
    }

    /// Puts a workflow into a workspace, or into none.
    pub(crate) fn workspace_assign(&self, caller: &Caller, request: WorkspaceAssign) -> ApiResult<Vec<Workspace>> {
        let WorkspaceAssign { workflow_id, workspace } = request;
        if !valid_workflow_id(&workflow_id) {
            return Err(ApiError::bad_request(format!("'{workflow_id}' is no id of a workflow."), "Send its id."));
        }
        let facts = json!({
            "workflowId": workflow_id, "workspace": workspace, "before": self.store.workspace_of_workflow(&workflow_id)?,
        });
        let record = self.fact(AuditEvent::WorkspaceAssigned, Level::Warn, caller.actor(), caller.signed(facts));
        if !self.store.workspace_assign(&workflow_id, workspace.as_deref(), record)? {
            return Err(no_workspace(&workspace.unwrap_or_default()));
        }
        self.workspaces()
    }

    /// Refuses a run that would call workflows of another workspace: whoever sees the run would see them.
    pub(crate) fn calls_stay_inside(&self, workflow: &Workflow, called: &Called) -> ApiResult<()> {
        if called.files.is_empty() {
            return Ok(());
        }
        let own = self.store.workspace_of_workflow(&workflow.id)?;
        // What belongs to no workspace is seen by nobody who is limited to one, and may call everything.
        let Some(own) = own else { return Ok(()) };
        for id in called.files.keys() {
            let other = self.store.workspace_of_workflow(id)?;
            if other.as_ref().is_some_and(|other| *other != own) {
                let message = format!(
                    "The workflow {} is in the workspace {own} and calls {id}, which is in another one.",
                    workflow.id
                );
                let hint = "Move both into one workspace, or take the called workflow out of its workspace.";
                return Err(ApiError::new(Class::Forbidden, "OTHER_WORKSPACE", message, hint));
            }
        }
        Ok(())
    }
}
