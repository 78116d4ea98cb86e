//! Small tasks and what people do to them.

use crate::support::{T0, commit, event};
use serde_json::{Value, json};
use signalbox_audit::{Actor, Level as AuditLevel, Record};
use signalbox_model::event::EventBody;
use signalbox_model::task::{Answer, Escalated, ExpiryAction, HumanTaskCreated, OnExpiry};
use signalbox_model::{Level, TaskAction, TaskKind, TaskReason, time};
use signalbox_store::{AnswerTask, NewTask, Owner, RunCommit, Store, TaskChange};
use std::sync::Arc;

pub(crate) fn ask(id: &str, input: Value) -> HumanTaskCreated {
    HumanTaskCreated {
        task_id: id.into(),
        origin: None,
        kind: TaskKind::Decision,
        reason: TaskReason::Error,
        title: format!("Look at {id}"),
        instructions: None,
        allowed_actions: vec![TaskAction::Retry, TaskAction::Correct, TaskAction::Abort],
        alternatives: Vec::new(),
        assignee: None,
        candidate_groups: Vec::new(),
        priority: 50,
        severity: Level::Error,
        fingerprint: "same".into(),
        error: None,
        input: Arc::new(input),
        binary: None,
        schema: None,
        redact: Vec::new(),
        expires_at: None,
        remind_every_ms: None,
        remind_at: Vec::new(),
        business_ttl_ms: None,
        on_expiry: None,
        cases: None,
        min_approvals: None,
        no_self_approval: false,
        reopens: None,
        sent_from: None,
    }
}

pub(crate) fn new_task(created: HumanTaskCreated) -> NewTask {
    NewTask {
        created,
        created_ms: T0,
        step_id: "ask".into(),
        node_title: Some("Ask a person".into()),
        path: None,
        item: None,
        visit: 1,
        attempt: 0,
    }
}

pub(crate) fn record(event: &str, run: &str, facts: Value) -> Record {
    Record::new(time::format(T0), run, "ask", event, AuditLevel::Info, Actor::operator("user:anna"))
        .with_metadata(facts.as_object().cloned().expect("an object"))
}

/// The commit of a run that asks: event, task, audit entry.
pub(crate) fn asking(run: &str, owner: &Owner, seq: u64, created: HumanTaskCreated) -> RunCommit {
    let entry = Record::new(time::format(T0), run, "ask", "HITL_CREATED", AuditLevel::Info, Actor::system())
        .with_metadata(json!({"taskId": created.task_id}).as_object().cloned().expect("an object"));
    let events = vec![event(run, seq, Some("ask"), EventBody::HumanTaskCreated(Box::new(created.clone())))];
    RunCommit {
        tasks: vec![TaskChange::Create(Box::new(new_task(created)))],
        audit: vec![entry],
        durable: true,
        ..commit(run, owner, events)
    }
}

pub(crate) fn asked(store: &Store, run: &str, owner: &Owner, seq: u64, created: HumanTaskCreated) {
    store.commit(asking(run, owner, seq, created)).expect("asks");
}

pub(crate) fn answer(task: &str, run: &str, person: &str) -> AnswerTask {
    AnswerTask {
        task_id: task.into(),
        expected_revision: None,
        answer: Answer {
            action: TaskAction::Retry,
            corrected_input: None,
            target_node_id: None,
            budget_micros: None,
            tool_grant: None,
            notes: Some(format!("by {person}")),
            operator_id: Some(person.into()),
        },
        via: "rest".into(),
        request_id: None,
        secret: None,
        patch: None,
        at_ms: T0 + 5_000,
        record: record("HITL_COMPLETED", run, json!({"taskId": task, "action": "retry", "by": person})),
    }
}

pub(crate) fn escalate(task: &str, to: &str, expires_ms: i64) -> TaskChange {
    let change = Escalated {
        task_id: task.into(),
        origin: None,
        level: 1,
        action: ExpiryAction::Escalate,
        to: Some(to.into()),
        expires_at: Some(time::format(expires_ms)),
        remind_at: Vec::new(),
        on_expiry: Some(OnExpiry::Action(ExpiryAction::Abort)),
    };
    TaskChange::Escalated { change, at_ms: T0 + 1_000 }
}
