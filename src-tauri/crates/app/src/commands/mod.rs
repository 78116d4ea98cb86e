//! What the commands do. One function per row of the command list, with its name.

use crate::error::{ApiError, ApiResult};

mod access;
mod audit;
mod audit_anchor;
mod audit_retention;
mod audit_sink;
mod backup;
mod connector;
mod data;
mod database;
mod error_rules;
mod expression_try;
mod failure_replay;
mod failures;
mod file_content;
mod folder;
mod health;
mod inbox;
mod index;
mod model;
mod network;
mod pins;
mod planning;
mod proof;
mod run;
mod run_binary;
mod run_checkpoint;
mod run_debug;
mod run_diff;
mod run_file;
mod run_rerun;
mod run_send;
mod saved_test;
mod secret;
mod step_data;
mod system;
mod task;
mod task_destination;
mod task_reopen;
mod task_stats;
mod telemetry;
mod tool_server;
mod updates;
mod usage;
mod webhook;
mod workflow;
mod workflow_export;
mod workflow_import;
mod workspace;

pub(crate) use access::{session_end, session_list, token_add, token_list, token_revoke};
pub(crate) use audit::{
    audit_accept_cut, audit_erase, audit_export, audit_facets, audit_get, audit_key_choose, audit_list, audit_record,
    audit_status, audit_verify,
};
pub(crate) use audit_anchor::{audit_anchor_add, audit_anchor_now, audit_anchor_remove, audit_anchors};
pub(crate) use audit_retention::{audit_retention, audit_retention_now, audit_retention_set};
pub(crate) use audit_sink::{
    audit_sink_add, audit_sink_now, audit_sink_pause, audit_sink_remove, audit_sink_test, audit_sinks,
};
pub(crate) use backup::{backup_schedule, backup_schedule_set};
pub(crate) use connector::{connector_add, connector_list, connector_operation, connector_remove};
pub(crate) use data::{data_check, data_size, run_prune, run_prune_preview};
pub(crate) use database::database_tables;
pub(crate) use error_rules::{error_coverage, handler_dry_run, past_errors, rules_check};
pub(crate) use expression_try::expression_try;
pub(crate) use failure_replay::{
    replay_get, replay_items, replay_list, replay_pause, replay_resume, replay_start, replay_stop, replay_undo,
};
pub(crate) use failures::{
    failure_group, failure_groups, failure_members, failure_preview, failure_preview_one, failure_propose,
};
pub use file_content::FileContent;
pub(crate) use folder::{folder_browse, folder_grant, folder_list, folder_revoke};
pub use folder::{grant_root, parse_allow_dir};
pub(crate) use health::{health_alert_put, health_alert_remove, health_alerts, health_get, health_list};
pub(crate) use inbox::{delegation_create, delegation_end, delegation_list, task_view_forget, task_view_save};
pub(crate) use index::{index_delete, index_list, index_search, index_show};
pub(crate) use model::{
    model_budget_set, model_default_set, model_delete, model_discover, model_list, model_names, model_set, model_test,
};
pub(crate) use network::{network_get, network_set, network_test};
pub(crate) use pins::{workflow_pin, workflow_pins, workflow_unpin};
pub use planning::{AuthorTool, PlanProgress, PlanReport, PlanRequest, author_tools};
pub(crate) use planning::{
    expression_ask, expression_cancel, plan_cancel, plan_explain, plan_forget, plan_get, plan_settle, plan_start,
    plan_try,
};
pub(crate) use proof::{proof_cancel, proof_get, proof_save_test, proof_start};
pub(crate) use run::{
    run_again, run_cancel, run_delete, run_events, run_get, run_list, run_paths, run_resume, run_reveal, run_start,
    run_value,
};
pub(crate) use run_binary::run_binary;
pub(crate) use run_checkpoint::{run_checkpoint, run_checkpoint_vl, run_snapshot};
pub(crate) use run_debug::{run_breakpoints, run_continue, run_debug, run_edit_input, run_pause, run_step};
pub(crate) use run_diff::{run_diff, run_diff_step};
pub(crate) use run_file::run_files;
pub(crate) use run_rerun::{rerun_look, run_rerun};
pub(crate) use run_send::run_send;
pub use saved_test::SaveTest;
pub(crate) use saved_test::{run_save_test, test_get, test_list, test_run, test_save, workflow_prove};
pub(crate) use secret::{secret_choose, secret_delete, secret_list, secret_set, secret_status, secret_unlock};
pub(crate) use secret::{
    secret_sign_in, secret_sign_in_finish, secret_sign_out, secret_test, secret_trust, secret_uses,
};
pub(crate) use step_data::{expression_names, expression_preview, retry_timeline, run_step_data};
pub(crate) use system::{app_info, catalog_list, sample_list, settings_get, settings_set, template_list};
pub(crate) use task::{
    task_attachment, task_check, task_claim, task_comment, task_complete, task_complete_many, task_counts, task_get,
    task_hold, task_list, task_reassign, task_release, task_reveal, task_snooze, task_suggest, task_unsuggest, who,
};
pub(crate) use task_destination::{
    task_copy_again, task_copy_log, task_copy_send, task_destination_add, task_destination_kinds,
    task_destination_list, task_destination_remove, task_destination_test,
};
pub(crate) use task_reopen::task_reopen;
pub(crate) use task_stats::task_stats;
pub(crate) use telemetry::{run_trace, telemetry_get, telemetry_set, telemetry_test};
pub(crate) use tool_server::{
    skill_list, tool_list, tool_server_approve, tool_server_connect, tool_server_delete, tool_server_import,
    tool_server_list, tool_server_say, tool_server_set, tool_server_sign_in, tool_server_sign_in_finish,
    tool_server_sign_out,
};
pub(crate) use updates::{updates_check, updates_get, updates_set};
pub(crate) use usage::{model_usage, run_usage};
pub(crate) use webhook::{webhook_add, webhook_again, webhook_list, webhook_log, webhook_remove, webhook_send};
pub(crate) use workflow::{
    draft_discard, draft_put, workflow_create, workflow_delete, workflow_duplicate, workflow_list, workflow_open,
    workflow_open_path, workflow_revision, workflow_save, workflow_validate,
};
pub(crate) use workflow_export::{workflow_export, workflow_export_check};
pub(crate) use workflow_import::{import_preview, workflow_import};
pub(crate) use workspace::{workspace_assign, workspace_list, workspace_put, workspace_remove};

pub(crate) use crate::triggers::commands::{
    activation_list, failure_list, hook_heard, hook_listen, hook_preview, hook_stop, poll_test, schedule_preview,
    trigger_fire, trigger_get, trigger_list, workflow_activate, workflow_deactivate, workflow_versions,
};

/// How many a page has: what is asked for, at most `most`.
fn page_size(asked: Option<u32>, usual: u32, most: u32) -> ApiResult<usize> {
    match asked.unwrap_or(usual) {
        0 => Err(ApiError::bad_request("limit is 0", "Give a whole number, 1 or more, or leave limit out.")),
        asked => Ok(asked.min(most) as usize),
    }
}
