//! Tasks on their way to people and back: masked on the way out, checked by the engine's own validator on the way in.

use crate::app::App;
use crate::audit::describe;
use crate::caller::Caller;
use crate::dto::{
    RunAnswer, SuggestionSource, Task, TaskAttachment, TaskCompleted, TaskDecision, TaskEvent, TaskEventKind, TaskLink,
    TaskRow, TaskSuggestion, TaskTrace, TaskUpstream, TaskViolation, TaskVote,
};
use crate::error::{ApiError, ApiResult, Class};
use crate::runs::masked_views::mask_moved;
use crate::tasks::{exits, model_suggestion, previous_correction};
use crate::workflows::node_scope;
use serde_json::{Map, Value, json};
use signalbox_engine::{patch, repair};
use signalbox_model::event::Telemetry;
use signalbox_model::task::{HumanTaskCreated, PauseRejected, Rejection, SentFrom};
use signalbox_model::{AuditEvent, EventBody, RunEvent, TaskAction, TaskState, ToolGrant, Workflow, time, wire};
use signalbox_runtime::run_masks::{ERROR, ITEMS};
use signalbox_runtime::task_answer::{self, GivenAnswer};
use signalbox_store::audit::{Level, Record};
use signalbox_store::mask::Masks;
use signalbox_store::{TaskError, TaskRecord, TaskRow as Row};
use std::sync::Arc;

/// Events of the run that are told beside a task.
const TRACE: usize = 20;
/// Events that are looked at for them, by what they are about: of many iterations only one leads to a task.
const LOOKED_AT: usize = 1_000;
/// Steps before the failed one that are shown.
const UPSTREAM: usize = 8;

/// What stands in a list, with the usual patterns masked.
pub(crate) fn plain(text: &str) -> String {
    Masks::default().text(text)
}

pub(crate) fn unknown(task_id: &str) -> ApiError {
    ApiError::not_found(format!("There is no task {task_id}. `signalbox tasks list` shows all."))
}

pub(crate) fn record(app: &App, task_id: &str) -> ApiResult<TaskRecord> {
    app.store.task_record(task_id)?.ok_or_else(|| unknown(task_id))
}

/// A row as people see it.
pub(crate) fn row(row: Row, now_ms: i64) -> TaskRow {
    let claimed = row.claimant(now_ms).is_some();
    TaskRow {
        node_title: row.node_title.unwrap_or_else(|| row.node.clone()),
        title: plain(&row.title),
        error_message: row.error_message.as_deref().map(plain),
        claimed_by: row.claimed_by.filter(|_| claimed),
        claim_expires_at: row.claim_until_ms.filter(|_| claimed).map(time::format),
        snoozed_until: row.snoozed_until_ms.map(time::format),
        created_at: time::format(row.created_ms),
        expires_at: row.expires_ms.map(time::format),
        held_since: row.held_ms.map(time::format),
        remaining_ms: row.remaining_ms.filter(|_| row.held_ms.is_some()),
        reminders: row.reminders,
        decided_at: row.decided_ms.map(time::format),
        id: row.id,
        kind: row.kind,
        reason: row.reason,
        state: row.state,
        revision: row.revision,
        run_id: row.run_id,
        workflow_id: row.workflow_id,
        workflow_name: row.workflow_name,
        node_id: row.node,
        step_id: row.step,
        path: row.path,
        item: row.item,
        visit: row.visit,
        attempt: row.attempt,
        severity: row.severity,
        priority: row.priority,
        fingerprint: row.fingerprint,
        same_count: row.same,
        error_type: row.error_type,
        error_code: row.error_code,
        assignee: row.assignee,
        candidate_groups: row.candidate_groups,
        escalation_level: row.escalation_level,
        cases: row.cases,
        min_approvals: row.min_approvals,
        approvals: row.approvals,
        allowed_actions: row.actions,
        decided_by: row.decided_by,
        action: row.action,
    }
}

/// Corrections to take with one click: what was decided the last time, and what the repair proposes.
fn suggestions(app: &App, record: &TaskRecord) -> ApiResult<Vec<TaskSuggestion>> {
    let created = &record.created;
    let mut found = Vec::new();
    if record.row.state != TaskState::Open || !created.allowed_actions.contains(&TaskAction::Correct) {
        return Ok(found);
    }
    if let Some(schema) = &created.schema {
        for one in repair::suggestions(&created.input, schema) {
            found.push(TaskSuggestion {
                source: SuggestionSource::Rule,
                corrected_input: one.corrected_input,
                rationale: one.rationale,
                valid: one.valid,
                changes: one.changes.into_iter().map(|change| change.note).collect(),
            });
        }
    }
    // The last one, because it may change between two looks and the masks before it must not.
    if let Some(other) = app.store.last_correction(&created.fingerprint, &record.row.id)?
        && let Some(other) = app.store.task_record(&other)?
        // What was corrected in another workspace stays there.
        && app.store.workspace_of_run(&other.row.run_id)? == app.store.workspace_of_run(&record.row.run_id)?
        && let Some(input) = previous_correction::carried(&other, record)
        && input != *created.input
        && found.iter().all(|one| one.corrected_input != input)
    {
        found.push(TaskSuggestion {
            source: SuggestionSource::History,
            rationale: "This is what was changed for the same failure the last time.".into(),
            valid: violations(record, &input).is_empty(),
            // Made of what is shown, behind the masks.
            changes: Vec::new(),
            corrected_input: input,
        });
    }
    Ok(found)
}

/// The masks of a task, in the order in which [`task`] puts them on.
pub(crate) fn masks(app: &App, record: &TaskRecord) -> ApiResult<Masks> {
    let mut masks = Masks::new(&record.created.redact);
    masks.input(&record.created.input);
    for one in suggestions(app, record)? {
        masks.input(&one.corrected_input);
    }
    Ok(masks)
}

/// A corrected input as it was meant: masks stand for the values that they hide.
pub(crate) fn lift(app: &App, record: &TaskRecord, corrected: Value) -> ApiResult<Value> {
    lifted(app, record, corrected, |masks, value| masks.input(value).0)
}

/// A change of the input (RFC 6902) as it was meant.
pub(crate) fn lift_patch(app: &App, record: &TaskRecord, patch: Value) -> ApiResult<Value> {
    lifted(app, record, patch, Masks::patch)
}

/// Where an input hides something, a patch may only put and take away: `move` and `copy` would carry a value to a name
/// that shows it, and `test` would say whether a guess is right. Of lists with hidden places nothing is added or removed.
pub(crate) fn may_apply(record: &TaskRecord, patch: &[patch::Operation]) -> ApiResult<()> {
    use patch::Operation::{Add, Copy, Move, Remove, Replace, Test};
    let is_index = |token: &str| token == "-" || token.parse::<usize>().is_ok();
    // In a list, what stands behind a place moves with it: away from under a pointer that hides it.
    let by_index = record.created.redact.iter().any(|pointer| pointer.split('/').any(is_index));
    let shifts = |path: &str| by_index && path.rsplit('/').next().is_some_and(is_index);
    let tells = patch.iter().any(|operation| match operation {
        Copy { .. } | Move { .. } | Test { .. } => true,
        Add { path, .. } | Remove { path, .. } => shifts(path),
        Replace { .. } => false,
    });
    if tells && Masks::new(&record.created.redact).input(&record.created.input).0 != *record.created.input {
        let message = "The input hides values: a change of it may only add, remove and replace.";
        return Err(ApiError::bad_request(message, "Write the new value instead of moving or testing an old one."));
    }
    Ok(())
}

/// `shown`: how it will be shown to those who know nothing of what it was made of.
fn lifted(
    app: &App,
    record: &TaskRecord,
    given: Value,
    shown: impl Fn(&mut Masks, &Value) -> Value,
) -> ApiResult<Value> {
    task_answer::lift(&record.created, &masks(app, record)?, given, shown).ok_or_else(mask_moved)
}

pub(crate) fn masked(masks: &mut Masks, violations: Vec<TaskViolation>) -> Vec<TaskViolation> {
    let mask = |one: TaskViolation| TaskViolation { message: masks.text(&one.message), path: one.path };
    violations.into_iter().map(mask).collect()
}

/// What keeps an input from fitting the task's schema.
pub(crate) fn violations(record: &TaskRecord, input: &Value) -> Vec<TaskViolation> {
    let found = task_answer::violations(&record.created, input).into_iter();
    found.map(|(path, message)| TaskViolation { path, message }).collect()
}

/// The last events before the task was asked that led to it: where it stands, around that, and inside. What happens in other
/// iterations and branches, and after it, does not.
fn led_here(app: &App, record: &TaskRecord, last_seq: u64) -> ApiResult<Vec<RunEvent>> {
    let (run, here) = (record.row.run_id.as_str(), record.row.path.as_deref().unwrap_or_default());
    let is_asked = |event: &RunEvent| matches!(&event.body, EventBody::HumanTaskCreated(created) if created.task_id == record.row.id);
    let mut asked = None;
    for step in [&record.row.step, &record.row.node] {
        if asked.is_none() {
            let own = app.store.events_of_step(run, here, step, LOOKED_AT)?;
            asked = own.iter().find(|event| is_asked(event)).and_then(|event| event.seq);
        }
    }
    let asked = asked.unwrap_or(last_seq);
    let inside = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with('/'))
    };
    let heads = app.store.event_heads(run, asked.saturating_sub(LOOKED_AT as u64), LOOKED_AT)?;
    let led = heads.into_iter().filter(|head| {
        let path = head.path.as_deref().unwrap_or_default();
        // Pieces of an answer tell nobody what happened.
        let is_piece = matches!(head.kind.as_str(), "llm_token" | "llm_thinking");
        head.seq <= asked && !is_piece && (inside(path, here) || inside(here, path))
    });
    let led: Vec<u64> = led.map(|head| head.seq).collect();
    let last = led[led.len().saturating_sub(TRACE)..].iter().map(|seq| app.store.event(run, *seq));
    Ok(last.filter_map(|event| event.transpose()).collect::<Result<_, _>>()?)
}

/// Everything that helps to decide, masked.
pub(crate) fn task(app: &App, caller: &Caller, task_id: &str) -> ApiResult<Task> {
    let record = record(app, task_id)?;
    let now = app.now_ms();
    let mut masks = Masks::new(&record.created.redact);
    let (input, redacted) = masks.input(&record.created.input);
    let suggestions = suggestions(app, &record)?
        .into_iter()
        .map(|one| {
            let corrected_input = masks.input(&one.corrected_input).0;
            let changes = match one.source {
                SuggestionSource::History => {
                    model_suggestion::lines(&input, &corrected_input, record.created.schema.as_ref())
                }
                _ => one.changes.iter().map(|text| masks.text(text)).collect(),
            };
            TaskSuggestion { corrected_input, changes, rationale: masks.text(&one.rationale), ..one }
        })
        .collect();
    let created = &record.created;
    let error = created.error.as_ref().and_then(|error| serde_json::to_value(&**error).ok());
    let run = record.row.run_id.clone();
    let names = app.about_run(&run).map(|about| about.names).unwrap_or_default();
    let title_at = |path: Option<&str>, step: &str| names.get(path, step).unwrap_or(step).to_owned();
    let title = |step: &str| title_at(None, step);
    let mut trace = Vec::new();
    let mut variables = Map::new();
    let mut upstream = Vec::new();
    let mut leads = Vec::new();
    // A run that was deleted or is damaged leaves the task as it is.
    if let Ok(about) = app.store.run(&run) {
        for event in led_here(app, &record, about.last_seq).unwrap_or_default() {
            let step_id = event.step_id.clone().unwrap_or_default();
            trace.push(TaskTrace {
                seq: event.seq.unwrap_or_default(),
                title: if step_id.is_empty() {
                    record.row.workflow_name.clone()
                } else {
                    title_at(event.path.as_deref(), &step_id)
                },
                step_id,
                event: event.body.type_name().to_owned(),
                asks: matches!(&event.body, EventBody::StepError(failed) if failed.held.is_some()),
                at: event.ts.clone(),
                summary: masks.text(&describe::of_event(&event.body)),
            });
        }
        let path = record.row.path.as_deref().unwrap_or_default();
        if let Ok(view) = app.view(&run, path) {
            // Under their names, which say what is hidden as well as those inside them.
            let all = view.variables().map(|(name, value)| (name.clone(), value.clone())).collect();
            if let Value::Object(all) = masks.inside(&Value::Object(all), 0) {
                variables = all.into_iter().map(|(name, value)| (name, short(value))).collect();
            }
            let workflow = app.pinned(&about)?;
            // The steps before one of another file are not this file's.
            let workflow = workflow.filter(|workflow| node_scope::is_at(workflow, &record.row.node, path));
            leads = workflow.as_ref().map(|workflow| exits::of(workflow, &record.row, title)).unwrap_or_default();
            for step_id in before(workflow.as_ref(), &record.row.node) {
                if let Some(node) = view.node(&step_id) {
                    let output = short(masks.inside(&node.output(&run), ITEMS));
                    upstream.push(TaskUpstream { title: title(&step_id), step_id, output });
                }
            }
        }
    }
    let decision = record.decision.as_ref().and_then(|decision| decided(decision, &mut masks));
    let history = record
        .history
        .iter()
        .filter_map(|note| {
            let what: TaskEventKind = serde_json::from_value(note.what.as_str().into()).ok()?;
            let text = note.text.as_deref().map(|text| masks.text(text));
            Some(TaskEvent { at: time::format(note.at_ms), by: note.by.clone(), what, text })
        })
        .collect();
    Ok(Task {
        elsewhere: Vec::new(),
        origin: created.origin.clone(),
        instructions: created.instructions.as_deref().map(|text| masks.text(text)),
        error: error.map(|error| masks.inside(&error, ERROR)),
        input,
        schema: created.schema.clone(),
        ways: leads,
        alternatives: created.alternatives.clone(),
        redacted,
        may_reveal: caller.role >= crate::dto::CallerRole::Operator,
        trace,
        variables,
        upstream,
        suggestions,
        history,
        secret: None,
        decision,
        attachments: attachments(created, &mut masks),
        votes: record.votes.into_iter().map(|vote| voted(vote, &mut masks)).collect(),
        no_self_approval: record.row.no_self_approval,
        started_by: record.starter,
        reopens: record.reopens_run.map(|run_id| TaskLink { run_id, task_id: record.row.reopens.clone() }),
        reopened_as: record.reopened_as.map(|(run_id, task_id)| TaskLink { run_id, task_id }),
        sent_from: created
            .sent_from
            .clone()
            .map(|sent| SentFrom { reason: sent.reason.as_deref().map(|reason| masks.text(reason)), ..sent }),
        row: row(record.row, now),
    })
}

/// Cut for the wire. Without a reference: what it names is not masked.
fn short(value: Value) -> Value {
    wire::truncate(&value, "").unwrap_or(value)
}

/// The steps that lead to a node.
fn before(workflow: Option<&Workflow>, node: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for edge in workflow.into_iter().flat_map(|workflow| &workflow.edges) {
        let from = edge.from.node();
        if edge.to == node && from != node && !found.iter().any(|known| known == from) {
            found.push(from.to_owned());
        }
    }
    found.truncate(UPSTREAM);
    found
}

fn decided(decision: &Value, masks: &mut Masks) -> Option<TaskDecision> {
    let text = |name: &str| decision[name].as_str().map(str::to_owned);
    Some(TaskDecision {
        action: TaskAction::parse(decision["action"].as_str()?)?,
        corrected_input: decision.get("correctedInput").map(|input| masks.input(input).0),
        budget_micros: decision["budgetMicros"].as_u64(),
        tool_grant: decision["toolGrant"].as_str().and_then(ToolGrant::parse),
        target_node_id: text("targetNodeId"),
        patch: decision.get("patch").map(|patch| masks.patch(patch)),
        notes: text("notes").map(|notes| masks.text(&notes)),
        operator_id: text("operatorId").unwrap_or_else(|| "system".into()),
        at: text("at").unwrap_or_default(),
        duration_ms: decision["durationMs"].as_i64().unwrap_or_default().max(0),
        via: text("via").unwrap_or_default(),
        on_behalf_of: text("onBehalfOf"),
    })
}

/// Names of files may hold what is masked elsewhere.
fn attachments(created: &HumanTaskCreated, masks: &mut Masks) -> Vec<TaskAttachment> {
    let found = crate::tasks::attachments::list(created).into_iter();
    found.map(|one| TaskAttachment { name: masks.text(&one.name), ..one }).collect()
}

fn voted(vote: signalbox_store::TaskVote, masks: &mut Masks) -> TaskVote {
    TaskVote {
        at: time::format(vote.at_ms),
        notes: vote.notes.as_deref().map(|text| masks.text(text)),
        by: vote.person,
        on_behalf_of: vote.on_behalf_of,
    }
}

/// Checks an answer to an open task; gives the input as it was meant.
fn checked(app: &App, record: &TaskRecord, given: &GivenAnswer) -> ApiResult<Option<Value>> {
    task_answer::check(&record.created, given)
        .map_err(|refusal| ApiError::new(Class::Invalid, refusal.code, refusal.message, refusal.hint))?;
    let Some(input) = task_answer::checked_input(&record.created, given) else { return Ok(None) };
    let input = lift(app, record, input)?;
    let violations = violations(record, &input);
    if violations.is_empty() {
        return Ok(given.corrected_input.is_some().then_some(input));
    }
    let violations = masked(&mut masks(app, record)?, violations);
    let first = violations.first().map(|one| {
        let place = if one.path.is_empty() { String::new() } else { format!("{}: ", one.path) };
        format!("{place}{}", one.message)
    });
    let message = format!("The input does not fit its schema: {}.", first.unwrap_or_default().trim_end_matches('.'));
    let hint = "Correct the fields that are named; the task stays open.";
    Err(ApiError::new(Class::Invalid, "INPUT_INVALID", message, hint).with(json!({ "violations": violations })))
}

/// The audit entry of something that a person did to a task.
pub(crate) fn act_record(caller: &Caller, row: &Row, event: AuditEvent, now_ms: i64, facts: Value) -> Record {
    let mut facts = facts.as_object().cloned().unwrap_or_default();
    facts.insert("taskId".into(), row.id.as_str().into());
    if row.node != row.step {
        facts.insert("originNode".into(), row.node.as_str().into());
    }
    Record::new(time::format(now_ms), &row.run_id, &row.step, event, Level::Info, caller.operator())
        .with_metadata(caller.signed(facts.into()).as_object().cloned().unwrap_or_default())
}

/// Answers a task.
pub(crate) fn answer(app: &App, caller: &Caller, task_id: &str, given: GivenAnswer) -> ApiResult<TaskCompleted> {
    let record = record(app, task_id)?;
    // A task that is not open is refused by the store, which also knows a request that comes again.
    let corrected = if record.row.state == TaskState::Open { checked(app, &record, &given)? } else { None };
    let now = app.now_ms();
    let several_may_approve = given.action == TaskAction::Approve;
    let told = app.store.answer_task(task_answer::submission(
        &record,
        given,
        corrected,
        &caller.principal,
        caller.via.as_str(),
        now,
        |facts| act_record(caller, &record.row, AuditEvent::HitlCompleted, now, facts),
    ));
    let told = told.map_err(from_task_error)?;
    // An approval that is not the last one leaves the run where it is.
    let driven = (told.state != TaskState::Open && app.go_on(&told.run_id)) || told.driven;
    let several = told.min_approvals > 1 && several_may_approve;
    Ok(TaskCompleted {
        task_id: told.task_id,
        run_id: told.run_id,
        state: told.state,
        driven,
        approvals: several.then_some(told.approvals),
        min_approvals: several.then_some(told.min_approvals),
    })
}

/// Why a task was not changed, with everything that a person can do about it.
pub(crate) fn from_task_error(error: TaskError) -> ApiError {
    let message = format!("{error}.");
    let conflict = |code: &str, hint: &str| ApiError::new(Class::Conflict, code, message.clone(), hint);
    match &error {
        TaskError::NotFound { task } => unknown(task),
        TaskError::AlreadyAnswered { who, at_ms } => conflict("ALREADY_ANSWERED", "Nothing is left to do.")
            .with(json!({ "who": who, "when": at_ms.map(time::format), "reason": "already_answered" })),
        TaskError::Expired { at_ms } => {
            conflict("EXPIRED", "Look at the run to see how it went on; start it again if it must be done.")
                .with(json!({ "when": at_ms.map(time::format), "reason": "expired" }))
        }
        TaskError::Closed { state } => conflict("CLOSED", "Look at the run to see how it ended.")
            .with(json!({ "state": state, "reason": "not_paused" })),
        TaskError::Stale { expected, found } => {
            conflict("STALE", "Get the task again, then decide.").with(json!({ "expected": expected, "found": found }))
        }
        TaskError::Claimed { who, until_ms } => {
            conflict("CLAIMED", "Ask them, or give the task to yourself (reassign): that is recorded.")
                .with(json!({ "who": who, "until": time::format(*until_ms) }))
        }
        TaskError::AlreadyVoted { at_ms } => {
            conflict("ALREADY_VOTED", "Wait for another person, or reject it if you have changed your mind.")
                .with(json!({ "when": time::format(*at_ms) }))
        }
        TaskError::SelfApproval => ApiError::new(
            Class::Forbidden,
            "SELF_APPROVAL",
            message,
            "Ask another person to approve it; you may reject it.",
        ),
        TaskError::BadToken => ApiError::new(
            Class::Forbidden,
            "BAD_TOKEN",
            message,
            "Get the task again: each secret is for one task as it stood then.",
        )
        .with(json!({ "reason": "bad_token" })),
        TaskError::Store(store) => store.clone().into(),
    }
}

/// Why an answer by token was not taken (K-19), unless it is the caller's fault alone.
fn rejection(error: &ApiError) -> Option<Rejection> {
    Some(match error.code.as_str() {
        "ALREADY_ANSWERED" | "ALREADY_VOTED" => Rejection::AlreadyAnswered,
        "EXPIRED" => Rejection::Expired,
        "CLOSED" | "CLAIMED" => Rejection::NotPaused,
        "INPUT_INVALID" => Rejection::InvalidPayload,
        _ => match error.class {
            // A token is for a task as it stood when it was given out, and for who may answer it.
            Class::Forbidden | Class::Conflict => Rejection::BadToken,
            _ => return None,
        },
    })
}

impl App {
    /// `POST /workflow/{runId}/resume`: answers a task that waits for values, by its one-time secret (K-19). A secret that
    /// does not fit is recorded.
    pub async fn resume_with(self: &Arc<Self>, caller: &Caller, request: RunAnswer) -> ApiResult<TaskCompleted> {
        let caller = caller.clone();
        self.blocking(move |app| {
            let task_id = app.store.task_of_secret(&request.token)?;
            let row = task_id.map(|id| app.store.task(&id)).transpose()?.flatten();
            let row = row.filter(|row| row.run_id == request.run_id);
            let (node_id, request_id) = (row.as_ref().map(|row| row.step.clone()), request.request_id.clone());
            let done = match row {
                None => {
                    // Says whether there is such a run at all.
                    app.store.run(&request.run_id)?;
                    Err(from_task_error(TaskError::BadToken))
                }
                Some(row) => {
                    let action = [TaskAction::Submit, TaskAction::Approve, TaskAction::Retry]
                        .into_iter()
                        .find(|action| row.actions.contains(action))
                        .unwrap_or(TaskAction::Submit);
                    let given = GivenAnswer {
                        corrected_input: request.payload.filter(|_| action == TaskAction::Submit),
                        request_id: request.request_id,
                        secret: Some(request.token),
                        ..GivenAnswer::new(action)
                    };
                    answer(app, &caller, &row.id, given)
                }
            };
            if let Err(error) = &done
                && let Some(reason) = rejection(error)
            {
                let facts = caller.signed(json!({ "reason": error.code }));
                let mut record = app.fact(AuditEvent::AnswerRefused, Level::Warn, caller.actor(), facts);
                record.run_id.clone_from(&request.run_id);
                app.store.audit_append(record, None, true)?;
                app.runtime.tell(RunEvent {
                    run_id: request.run_id,
                    seq: None,
                    ts: time::format(app.now_ms()),
                    step_id: node_id.clone(),
                    path: None,
                    item: None,
                    visit: None,
                    attempt: None,
                    body: Telemetry::PauseRejected(PauseRejected { node_id, request_id, reason }).into(),
                    client_run_token: None,
                });
            }
            done
        })
        .await
    }
}
