//! What each command asks for, so that access which is limited to workspaces ends at their border (ADR 229). A command without a row
//! here is refused to it; what belongs to another workspace answers as if it did not exist.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::CallerRole;
use crate::error::{ApiError, ApiResult};
use crate::tasks::answer;
use crate::workflows::library;
use serde_json::Value;
use signalbox_store::StoreError;
use std::borrow::Cow;

/// What a command asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Nothing that belongs to somebody.
    Open,
    /// What the caller keeps: not for a limited token, which acts in the name of somebody who is not limited.
    Own,
    /// A list that leaves out by itself what is in other workspaces.
    Filtered,
    /// The runs that these fields name.
    Runs(&'static [&'static str]),
    /// A run, and the workflow of it as it is now.
    Again(&'static str),
    /// A value of a run: the field begins with its id.
    Value(&'static str),
    /// The task that this field names.
    Task(&'static str),
    /// A new run that asks this task again.
    TaskAgain(&'static str),
    /// The tasks that this field lists.
    Tasks(&'static str),
    /// The workflow that this field names.
    Workflow(&'static str),
    /// The file of the library that this field names.
    File(&'static str),
    /// The trigger that this field names.
    Trigger(&'static str),
    /// The entry of the audit chain with this number.
    Entry(&'static str),
    /// The whole server, or nobody has proved yet that it ends at a border.
    Server,
}

/// What a command asks for.
pub(crate) fn of(command: &str) -> Scope {
    use Scope::{
        Again, Entry, File, Filtered, Open, Own, Runs, Server, Task, TaskAgain, Tasks, Trigger, Value, Workflow,
    };
    match command {
        "app_info" | "catalog_list" | "who" | "retry_timeline" | "rules_check" | "schedule_preview"
        | "expression_try" => Open,
        "settings_get" | "settings_set" | "task_view_save" | "task_view_forget" => Own,
        "workflow_list" | "run_list" | "task_list" | "task_counts" | "audit_list" | "audit_facets" => Filtered,
        "run_get" | "run_events" | "run_usage" | "run_paths" | "run_reveal" | "run_binary" | "run_files"
        | "run_checkpoint" | "run_snapshot" | "run_checkpoint_vl" | "run_cancel" | "run_resume" | "run_step_data"
        | "run_trace" | "audit_record" => Runs(&["runId"]),
        "run_diff" | "run_diff_step" => Runs(&["runId", "with"]),
        "run_again" | "run_rerun" | "rerun_look" | "run_send" => Again("runId"),
        "run_value" => Value("ref"),
        "task_get" | "task_check" | "task_complete" | "task_claim" | "task_release" | "task_reassign"
        | "task_comment" | "task_snooze" | "task_hold" | "task_suggest" | "task_unsuggest" | "task_attachment"
        | "task_reveal" => Task("taskId"),
        "task_reopen" => TaskAgain("taskId"),
        "task_complete_many" => Tasks("taskIds"),
        "workflow_open" | "workflow_revision" | "run_start" => File("ref"),
        "trigger_list" | "workflow_versions" => Workflow("workflowId"),
        "trigger_get" | "trigger_fire" => Trigger("triggerId"),
        "audit_get" => Entry("seq"),
        _ => Server,
    }
}

/// Whether access that is limited to workspaces is refused a command, whatever it asks for.
pub fn is_about_the_whole_server(command: &str) -> bool {
    of(command) == Scope::Server
}

/// Something that is asked for besides commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Nothing that belongs to somebody.
    Open,
    /// A run.
    Run(String),
    /// A task.
    Task(String),
    /// A workflow of the library.
    Workflow(String),
    /// The whole server; begins a sentence.
    Server(&'static str),
}

/// The caller as they may do a command: with the role that holds where what they ask for belongs.
pub(crate) fn admit<'a>(
    app: &App,
    caller: &'a Caller,
    command: &str,
    least: CallerRole,
    request: &Value,
) -> ApiResult<Cow<'a, Caller>> {
    if caller.workspaces.is_none() {
        caller.require(least)?;
        return Ok(Cow::Borrowed(caller));
    }
    let scope = of(command);
    let mut here: Option<Caller> = None;
    // Several things may be asked for; the smallest role counts.
    let mut with = |found: Caller| {
        if here.as_ref().is_none_or(|before| found.role < before.role) {
            here = Some(found);
        }
    };
    match scope {
        Scope::Open | Scope::Filtered => with(caller.clone()),
        Scope::Own => {
            if caller.is_limited_token() {
                return Err(not_for_a_token(command));
            }
            with(caller.clone());
        }
        Scope::Server => {
            caller.require_everywhere(&format!("The command {command}"))?;
            with(caller.clone());
        }
        Scope::Runs(fields) => {
            for field in fields {
                with(in_run(app, caller, named(request, field)?)?);
            }
        }
        Scope::Again(field) => {
            let run = named(request, field)?;
            with(in_run(app, caller, run)?);
            with(in_its_workflow(app, caller, run)?);
        }
        Scope::Value(field) => {
            let run = named(request, field)?.split('/').next().unwrap_or_default();
            with(in_run(app, caller, run)?);
        }
        Scope::Task(field) => with(in_task(app, caller, named(request, field)?)?.0),
        Scope::TaskAgain(field) => {
            let (found, run) = in_task(app, caller, named(request, field)?)?;
            with(found);
            with(in_its_workflow(app, caller, &run)?);
        }
        Scope::Tasks(field) => {
            for task in request[field].as_array().ok_or_else(|| missing(field))? {
                with(in_task(app, caller, task.as_str().ok_or_else(|| missing(field))?)?.0);
            }
        }
        Scope::Workflow(field) => with(in_workflow(app, caller, named(request, field)?, &no_workflow)?),
        Scope::File(field) => {
            let path = app.path_of(named(request, field)?)?;
            let id = library::id_of(&path).filter(|_| caller.is_limited() || path.exists());
            with(match id {
                Some(id) => in_workflow(app, caller, &id, &|_| library::unknown())?,
                None => caller.within(None).ok_or_else(library::unknown)?,
            });
        }
        Scope::Trigger(field) => {
            let id = named(request, field)?;
            let gone =
                |_: &str| ApiError::not_found(format!("There is no trigger {id}; trigger_list shows those there are."));
            let trigger = app.store.trigger(id)?.ok_or_else(|| gone(id))?;
            with(in_workflow(app, caller, &trigger.workflow, &gone)?);
        }
        Scope::Entry(field) => {
            let seq = request[field].as_u64().ok_or_else(|| missing(field))?;
            let gone = || ApiError::not_found(format!("The audit chain has no entry {seq}."));
            let row = app.store.audit_entry(seq)?.ok_or_else(gone)?;
            let run = row.entry().map(|entry| entry.run_id).unwrap_or_default();
            let workspace = app.store.workspace_of_run(&run)?.flatten();
            with(caller.within(workspace.as_deref()).ok_or_else(gone)?);
        }
    }
    let found = here.ok_or_else(|| missing("ids"))?;
    found.require(least)?;
    Ok(Cow::Owned(found))
}

impl App {
    /// The caller as they may ask for something that is no command.
    pub async fn admitted(
        self: &std::sync::Arc<Self>,
        caller: &Caller,
        least: CallerRole,
        asked: Asked,
    ) -> ApiResult<Caller> {
        if caller.workspaces.is_none() {
            caller.require(least)?;
            return Ok(caller.clone());
        }
        let caller = caller.clone();
        self.blocking(move |app| {
            let found = match asked {
                Asked::Open => caller,
                Asked::Server(what) => {
                    caller.require_everywhere(what)?;
                    caller
                }
                Asked::Run(run) => in_run(app, &caller, &run)?,
                Asked::Task(task) => in_task(app, &caller, &task)?.0,
                Asked::Workflow(id) => in_workflow(app, &caller, &id, &no_workflow)?,
            };
            found.require(least)?;
            Ok(found)
        })
        .await
    }
}

fn named<'a>(request: &'a Value, field: &'static str) -> ApiResult<&'a str> {
    request[field].as_str().ok_or_else(|| missing(field))
}

fn missing(field: &str) -> ApiError {
    let hint = "Name what you ask for: access that is limited to workspaces gets nothing that it does not name.";
    ApiError::bad_request(format!("The field {field} is missing."), hint)
}

fn not_for_a_token(command: &str) -> ApiError {
    let message =
        format!("The command {command} is about what a person keeps, and this token is limited to workspaces.");
    ApiError::new(crate::error::Class::Forbidden, "WORKSPACE_ONLY", message, "Sign in as the person.")
}

/// As the library says it of one that is not there.
fn no_workflow(id: &str) -> ApiError {
    ApiError::not_found(format!("The library has no workflow with the id {id}; store it with PUT /workflows/{id}."))
}

fn in_run(app: &App, caller: &Caller, run: &str) -> ApiResult<Caller> {
    let gone = || ApiError::from(StoreError::UnknownRun { run: run.to_owned() });
    let workspace = app.store.workspace_of_run(run)?.ok_or_else(gone)?;
    caller.within(workspace.as_deref()).ok_or_else(gone)
}

/// A new run belongs to where the workflow is now, and has the data of the one that it repeats.
fn in_its_workflow(app: &App, caller: &Caller, run: &str) -> ApiResult<Caller> {
    let workflow = app.store.run(run)?.workflow_id;
    in_workflow(app, caller, &workflow, &no_workflow)
}

fn in_task(app: &App, caller: &Caller, task: &str) -> ApiResult<(Caller, String)> {
    let row = app.store.task(task)?.ok_or_else(|| answer::unknown(task))?;
    let workspace = app.store.workspace_of_run(&row.run_id)?.flatten();
    let found = caller.within(workspace.as_deref()).ok_or_else(|| answer::unknown(task))?;
    Ok((found, row.run_id))
}

fn in_workflow(app: &App, caller: &Caller, id: &str, gone: &dyn Fn(&str) -> ApiError) -> ApiResult<Caller> {
    let workspace = app.store.workspace_of_workflow(id)?;
    caller.within(workspace.as_deref()).ok_or_else(|| gone(id))
}

#[cfg(test)]
mod tests {
    use super::{Scope, of};
    use crate::command_list::COMMANDS;
    use crate::dto::CallerRole;

    /// Why limited access is refused, and the commands that refuse it.
    const OF_THE_SERVER: &[(&str, &str)] = &[
        (
            "what is shared, and samples with what they need",
            "connector_list connector_operation connector_add connector_remove index_list index_show index_search \
             index_delete sample_list template_list",
        ),
        (
            "a file that is sent or chosen, and what only builders do to files",
            "workflow_open_path workflow_create workflow_save workflow_duplicate workflow_export_check \
             workflow_export workflow_import import_preview workflow_delete workflow_pins workflow_pin workflow_unpin draft_put \
             draft_discard workflow_validate workflow_activate workflow_deactivate poll_test database_tables \
             hook_preview hook_listen hook_heard hook_stop workflow_prove proof_get proof_start proof_cancel \
             proof_save_test run_save_test test_list test_get test_save test_run",
        ),
        (
            "models are asked, and what they are told of is not looked through",
            "plan_get plan_start plan_try plan_cancel plan_settle plan_forget plan_explain expression_ask \
             expression_cancel expression_preview expression_names",
        ),
        (
            "groups and numbers over all runs",
            "failure_groups failure_group failure_members failure_preview failure_preview_one failure_propose \
             replay_start replay_list replay_get replay_items replay_pause replay_resume replay_stop replay_undo \
             failure_list health_list health_get health_alerts health_alert_put health_alert_remove past_errors \
             error_coverage handler_dry_run task_stats delegation_list delegation_create delegation_end \
             activation_list run_delete run_prune run_prune_preview",
        ),
        (
            "who looks into a run changes what it does",
            "run_debug run_breakpoints run_pause run_continue run_step run_edit_input",
        ),
        (
            "one chain for everybody",
            "audit_verify audit_status audit_key_choose audit_anchors audit_anchor_add audit_anchor_remove \
             audit_anchor_now audit_sinks audit_sink_add audit_sink_remove audit_sink_pause audit_sink_test \
             audit_sink_now audit_retention audit_retention_set audit_retention_now audit_export audit_accept_cut \
             audit_erase",
        ),
        (
            "what the machine has",
            "secret_status secret_list secret_set secret_delete secret_choose secret_unlock secret_sign_in \
             secret_sign_in_finish secret_sign_out secret_test secret_trust secret_uses data_size data_check \
             backup_schedule backup_schedule_set network_get network_set network_test updates_get updates_set \
             updates_check telemetry_get telemetry_set telemetry_test task_destination_list \
             task_destination_kinds task_destination_add task_destination_remove task_destination_test \
             task_copy_log task_copy_again task_copy_send webhook_list webhook_add webhook_remove webhook_log \
             webhook_again webhook_send model_list model_set model_delete model_default_set model_budget_set \
             model_test model_names model_discover model_usage tool_server_list tool_server_set \
             tool_server_import tool_server_delete tool_server_connect tool_server_sign_in \
             tool_server_sign_in_finish tool_server_sign_out tool_server_approve tool_server_say tool_list \
             skill_list folder_list folder_browse folder_grant folder_revoke",
        ),
        (
            "who has access",
            "token_list token_add token_revoke session_list session_end workspace_list workspace_put \
             workspace_remove workspace_assign",
        ),
    ];

    /// A new command is refused to limited access until somebody has thought about it, and says so here.
    #[test]
    fn every_command_says_what_it_asks_for() {
        let all = || OF_THE_SERVER.iter().flat_map(|(_, names)| names.split_whitespace());
        for command in COMMANDS {
            let listed = all().filter(|name| *name == command.name).count();
            let is_of_the_server = of(command.name) == Scope::Server;
            assert_eq!(listed, usize::from(is_of_the_server), "{} is in one of both places", command.name);
            // What only builders do is never reached in a workspace: nobody is a builder there.
            assert!(is_of_the_server || command.role < CallerRole::Builder, "{}", command.name);
        }
        for name in all() {
            assert!(COMMANDS.iter().any(|command| command.name == name), "{name} is no command");
        }
    }
}
