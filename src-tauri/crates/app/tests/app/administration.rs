//! Every change of what runs, of who may do what and of what leaves the machine makes one entry of the audit chain, whoever
//! makes it and by whichever way.

use crate::common::{Place, place, wait};
use serde_json::{Value, json};
use signalbox_app::Caller;
use signalbox_app::command_list::{COMMANDS, Kind};
use signalbox_app::dto::CallerRole;
use std::collections::BTreeSet;

/// Entries about workflow files, the oldest first.
fn entries(place: &Place) -> Vec<Value> {
    let page = place.ok("audit_list", json!({ "query": "", "limit": 100 }));
    let mut rows = page["entries"].as_array().expect("a list").clone();
    rows.reverse();
    let seqs = rows.iter().filter(|row| row["event"].as_str().is_some_and(|event| event.starts_with("WORKFLOW_")));
    seqs.map(|row| place.ok("audit_get", json!({ "seq": row["seq"] }))["entry"].clone()).collect()
}

fn brief(entry: &Value) -> (String, String) {
    let facts = &entry["metadata"];
    (entry["event"].as_str().unwrap_or_default().into(), facts["name"].as_str().unwrap_or_default().into())
}

#[test]
fn a_workflow_leaves_an_entry_with_the_hashes_of_its_file_for_each_change_and_no_double() {
    let place = place();
    let made = place.ok("workflow_create", json!({ "name": "Orders" }));
    let save = |document: &Value, base: &Value| {
        place.ok("workflow_save", json!({ "ref": made["ref"], "document": document, "baseRevision": base }))["revision"]
            .clone()
    };
    let mut document = made["document"].clone();
    assert_eq!(save(&document, &made["revision"]), made["revision"]);
    document["name"] = json!("Orders 2");
    let second = save(&document, &made["revision"]);
    assert_eq!(save(&document, &second), second);
    place.code("workflow_save", json!({ "ref": made["ref"], "document": document, "baseRevision": "old" }));
    document["description"] = json!("Every morning");
    let third = save(&document, &second);
    place.ok("workflow_duplicate", json!({ "ref": made["ref"], "name": "Copy" }));
    place.ok("workflow_create", json!({ "sampleId": "daily-report" }));
    place.ok("workflow_import", json!({ "text": "curl https://api.example.com/orders", "name": "Call" }));
    place.ok("workflow_delete", json!({ "ref": made["ref"] }));

    let all = entries(&place);
    let told: Vec<_> = all.iter().map(brief).collect();
    let sample = told[4].1.clone();
    let want = [
        ("WORKFLOW_CREATED", "Orders"),
        ("WORKFLOW_SAVED", "Orders 2"),
        ("WORKFLOW_SAVED", "Orders 2"),
        ("WORKFLOW_CREATED", "Copy"),
        ("WORKFLOW_CREATED", sample.as_str()),
        ("WORKFLOW_CREATED", "Call"),
        ("WORKFLOW_DELETED", "Orders 2"),
    ];
    assert_eq!(told, want.map(|(event, name)| (event.to_owned(), name.to_owned())));
    let hashes = |index: usize| (&all[index]["metadata"]["before"], &all[index]["metadata"]["after"]);
    assert_eq!(hashes(0), (&Value::Null, &made["revision"]));
    assert_eq!(hashes(1), (&made["revision"], &second));
    assert_eq!(all[1]["metadata"]["renamedFrom"], "Orders");
    assert_eq!(hashes(2), (&second, &third));
    assert_eq!(all[2]["metadata"]["renamedFrom"], Value::Null);
    assert_eq!(hashes(6), (&third, &Value::Null));
    assert_eq!(all[6]["metadata"]["workflowId"], "orders");
    let from: Vec<_> = all.iter().filter_map(|entry| entry["metadata"]["from"].as_str()).collect();
    assert_eq!(from, ["copy:orders", "sample:daily-report", "import:curl"]);
    for entry in &all {
        assert_eq!(entry["metadata"]["via"], "app");
        assert!(entry["actor"]["id"].as_str().is_some_and(|id| id.starts_with("user:")), "{entry}");
    }
}

#[test]
fn a_program_that_stores_a_workflow_is_recorded_like_a_person() {
    let place = place();
    let caller = Caller::http(CallerRole::Builder, false, "ci");
    let mut document = place.ok("workflow_create", json!({ "name": "Nightly" }))["document"].clone();
    document["id"] = json!("stored");
    let put = |document: &Value, revision: Option<&str>| {
        let stored = place.app.store_workflow(&caller, "stored".into(), document.clone(), revision.map(str::to_owned));
        wait(stored).expect("stored").revision
    };
    let first = put(&document, None);
    assert_eq!(put(&document, Some("*")), first, "nothing changed");
    document["name"] = json!("Nightly 2");
    let second = put(&document, Some(&first));
    wait(place.app.delete_stored(&caller, "stored".into(), Some(second))).expect("deleted");
    let all = entries(&place);
    let told: Vec<_> = all[1..].iter().map(|entry| (brief(entry).0, entry["actor"]["id"].clone())).collect();
    let want = ["WORKFLOW_CREATED", "WORKFLOW_SAVED", "WORKFLOW_DELETED"];
    assert_eq!(told, want.map(|event| (event.to_owned(), json!("user:ci"))));
    assert!(all[1..].iter().all(|entry| entry["metadata"]["via"] == "rest"));
}

/// What a command that changes something leaves in the chain.
const RECORDED: &[(&str, &str)] = &[
    ("WORKFLOW_CREATED", "workflow_create workflow_duplicate workflow_import"),
    ("WORKFLOW_SAVED", "workflow_save"),
    ("WORKFLOW_DELETED", "workflow_delete"),
    ("WORKFLOW_ACTIVATED", "workflow_activate"),
    ("WORKFLOW_DEACTIVATED", "workflow_deactivate"),
    ("CONNECTOR_CHANGED", "connector_add connector_remove"),
    ("TOKEN_CREATED", "token_add"),
    ("TOKEN_REVOKED", "token_revoke"),
    ("USER_SIGNED_OUT", "session_end"),
    ("WORKSPACE_CHANGED", "workspace_put"),
    ("WORKSPACE_REMOVED", "workspace_remove"),
    ("WORKSPACE_ASSIGNED", "workspace_assign"),
    ("INDEX_DELETED", "index_delete"),
    ("SECRET_SET", "secret_set secret_trust"),
    ("SECRET_DELETED", "secret_delete"),
    ("SECRETS_KEY_CHOSEN", "secret_choose"),
    ("SECRET_SIGNED_IN", "secret_sign_in secret_sign_in_finish"),
    ("SECRET_SIGNED_OUT", "secret_sign_out"),
    ("TOOL_SERVER_SET", "tool_server_set tool_server_import"),
    ("TOOL_SERVER_APPROVED", "tool_server_approve tool_server_connect"),
    ("TOOL_SERVER_DELETED", "tool_server_delete"),
    ("TOOL_SERVER_SIGNED_IN", "tool_server_sign_in tool_server_sign_in_finish"),
    ("TOOL_SERVER_SIGNED_OUT", "tool_server_sign_out"),
    ("TOOL_WORD_SET", "tool_server_say"),
    ("MODEL_PROVIDER_CHANGED", "model_set model_delete"),
    ("MODEL_DEFAULT_CHANGED", "model_default_set"),
    ("MODEL_BUDGET_CHANGED", "model_budget_set"),
    ("NETWORK_CHANGED", "network_set updates_set"),
    ("TELEMETRY_CHANGED", "telemetry_set"),
    ("BACKUP_SCHEDULE_CHANGED", "backup_schedule_set"),
    ("WEBHOOK_CHANGED", "webhook_add webhook_remove"),
    ("WEBHOOK_AGAIN", "webhook_again"),
    ("TASK_DESTINATION_CHANGED", "task_destination_add task_destination_remove"),
    ("TASK_COPY_AGAIN", "task_copy_again"),
    ("HEALTH_ALERT_CHANGED", "health_alert_put health_alert_remove"),
    ("FOLDER_GRANTED", "folder_grant"),
    ("FOLDER_REVOKED", "folder_revoke"),
    ("AUDIT_KEY_CHANGED", "audit_key_choose"),
    ("AUDIT_ANCHOR_CHANGED", "audit_anchor_add audit_anchor_remove"),
    ("AUDIT_ANCHORED", "audit_anchor_now"),
    ("AUDIT_SINK_CHANGED", "audit_sink_add audit_sink_remove audit_sink_pause"),
    ("AUDIT_RETENTION_CHANGED", "audit_retention_set"),
    ("AUDIT_RETENTION", "audit_retention_now"),
    ("AUDIT_EXPORTED", "audit_export"),
    ("AUDIT_CUT_ACCEPTED", "audit_accept_cut"),
    ("PAYLOAD_ERASED", "audit_erase"),
    ("RUN_DELETED", "run_delete run_prune"),
    ("RUN_CANCELLED", "run_cancel"),
    ("RUN_RERUN", "run_rerun"),
    ("RUN_SENT_TO_INBOX", "run_send"),
    ("REVEALED", "run_reveal task_reveal"),
    ("REPLAY_STARTED", "replay_start"),
    ("REPLAY_CHANGED", "replay_pause replay_resume replay_stop replay_undo"),
    ("PLAN_PROPOSED", "plan_start plan_try failure_propose"),
    ("PLAN_ACCEPTED", "plan_settle"),
    ("BREAKPOINTS_SET", "run_breakpoints"),
    ("WORKFLOW_PAUSED", "run_pause"),
    ("WORKFLOW_CONTINUED", "run_continue run_step"),
    ("INPUT_EDITED", "run_edit_input"),
    ("WORKFLOW_STARTED", "run_start run_again"),
    ("TRIGGER_FIRED", "trigger_fire"),
    ("DELEGATION_CREATED", "delegation_create"),
    ("DELEGATION_ENDED", "delegation_end"),
    ("HITL_COMPLETED", "task_complete task_complete_many"),
    ("TASK_CLAIMED", "task_claim"),
    ("TASK_RELEASED", "task_release"),
    ("TASK_REASSIGNED", "task_reassign"),
    ("TASK_COMMENTED", "task_comment"),
    ("TASK_SNOOZED", "task_snooze"),
    ("TASK_HELD", "task_hold"),
    ("TASK_REOPENED", "task_reopen"),
    ("CORRECTION_SUGGESTED", "task_suggest"),
    ("ATTACHMENT_OPENED", "task_attachment"),
];
/// Commands that leave no entry, and why.
const NOT_RECORDED: &[(&str, &str)] = &[
    ("opens a file, which changes nothing", "workflow_open_path"),
    ("writes a program where the person chose; the workflow stays as it is", "workflow_export"),
    ("kept beside the editor, used by runs in the builder only", "workflow_pin workflow_unpin draft_put draft_discard"),
    ("a conversation with the planner; what is accepted is recorded", "plan_cancel plan_forget"),
    ("a test of a workflow, which runs nothing outside", "run_save_test test_save proof_save_test"),
    ("a look at error handling; nothing is kept but its result", "proof_start proof_cancel"),
    ("an answer of a model to the caller", "expression_ask expression_cancel task_unsuggest"),
    ("goes on with a run; its steps are recorded", "run_resume"),
    ("removes what belongs to nothing, and closes what other accounts may read", "data_check"),
    ("comfort of one person", "settings_set task_view_save task_view_forget"),
    (
        "a question to a service, which changes nothing here",
        "model_test model_discover network_test telemetry_test secret_test audit_sink_test task_destination_test poll_test \
         database_tables updates_check",
    ),
    ("listens at a test address for three minutes", "hook_listen hook_stop"),
    ("sends what waits already", "audit_sink_now task_copy_send webhook_send"),
    ("opens the secrets for this process; nothing is changed", "secret_unlock"),
    ("verifies; a broken chain is recorded by itself", "audit_verify"),
    ("an entry by itself", "audit_record"),
];

/// A new command that changes something has to say what it leaves in the chain, or why nothing.
#[test]
fn every_command_that_changes_something_says_what_it_records() {
    let named = |rows: &[(&str, &'static str)]| -> Vec<&'static str> {
        rows.iter().flat_map(|(_, commands)| commands.split_whitespace()).collect()
    };
    for (event, _) in RECORDED {
        assert!(signalbox_model::AuditEvent::parse(event).is_some(), "{event} is no event");
    }
    let (recorded, not) = (named(RECORDED), named(NOT_RECORDED));
    let all: BTreeSet<_> = recorded.iter().chain(&not).copied().collect();
    assert_eq!(all.len(), recorded.len() + not.len(), "a command is named twice");
    let actions: BTreeSet<_> = COMMANDS.iter().filter(|one| one.kind == Kind::Action).map(|one| one.name).collect();
    let missing: Vec<_> = actions.difference(&all).collect();
    let gone: Vec<_> = all.difference(&actions).collect();
    assert!(missing.is_empty() && gone.is_empty(), "missing: {missing:?}, no commands: {gone:?}");
}
