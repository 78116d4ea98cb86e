//! What the events of a commit mean for people and for the audit chain (rules 3.1): the task rows and the entries that
//! stand in the same transaction. Nobody else writes these entries, and no setting can leave one out (K-55).

use serde_json::{Map, Value, json};
use signalbox_audit::{Actor, Level, RUN_LEVEL, Record};
use signalbox_engine::Compiled;
use signalbox_engine::audit_rules::{self, AuditRule, Raise};
use signalbox_model::event::{EventBody, Telemetry};
use signalbox_model::hash::sha256_hex;
use signalbox_model::task::{Answer, ExpiryAction};
use signalbox_model::trace_context::{TraceContext, trace_id};
use signalbox_model::{AuditEvent, ErrorPayload, RunEvent, RunOrigin, TaskAction, TaskEnd, TaskReason, time};
use signalbox_store::mask::{self, Masks};
use signalbox_store::{NewTask, TaskChange};
use std::sync::OnceLock;

/// Changes of the tasks, in the order of the events.
pub(crate) fn tasks(compiled: &Compiled, events: &[RunEvent]) -> Vec<TaskChange> {
    let mut changes = Vec::new();
    for event in events {
        let at_ms = time::parse(&event.ts).unwrap_or_default();
        match &event.body {
            EventBody::WorkflowStart(start) => {
                let again = start.base.as_ref().and_then(|base| base.asks.clone());
                changes.extend(again.map(|again| TaskChange::Reopened { again, at_ms }));
                let sent = start.base.as_ref().and_then(|base| base.sent.as_ref());
                changes.extend(sent.map(|sent| TaskChange::Sent { failed_run: sent.run_id.clone() }));
            }
            EventBody::HumanTaskCreated(created) => {
                let about = created.origin.as_ref().map(|o| o.step_id.as_str()).or(event.step_id.as_deref());
                let node_title = about.and_then(|id| compiled.name_of(event.path.as_deref(), id));
                changes.push(TaskChange::Create(Box::new(NewTask {
                    created: (**created).clone(),
                    created_ms: at_ms,
                    step_id: event.step_id.clone().unwrap_or_default(),
                    node_title,
                    path: event.path.clone(),
                    item: event.item,
                    visit: event.visit.unwrap_or(1),
                    attempt: event.attempt.unwrap_or(0),
                })));
            }
            EventBody::HumanTaskCompleted(done) => {
                changes.push(TaskChange::Answered { task_id: done.task_id.clone(), answer: done.answer.clone(), at_ms })
            }
            EventBody::HumanTaskReminded(reminded) => changes.push(TaskChange::Reminded {
                task_id: reminded.task_id.clone(),
                reminder: reminded.reminder,
                at_ms,
            }),
            EventBody::HumanTaskHeld(change) => changes.push(TaskChange::Held { change: change.clone() }),
            EventBody::HumanTaskContinued(change) => changes.push(TaskChange::Continued { change: change.clone() }),
            EventBody::Escalated(change) => changes.push(match expiry(change.action) {
                None => TaskChange::Escalated { change: change.clone(), at_ms },
                Some(answer) => TaskChange::Answered { task_id: change.task_id.clone(), answer, at_ms },
            }),
            body => changes.extend(body.task_end().map(|end| match end {
                TaskEnd::One(task, state) => TaskChange::CloseOne { task_id: task.to_owned(), state, at_ms },
                TaskEnd::All(state) => TaskChange::CloseAll { state, at_ms },
            })),
        }
    }
    changes
}

/// So many changed places are named in the chain; the run has all.
const PATHS: usize = 100;

/// What a policy answers when the time of a task has ended; nothing when somebody else is asked.
fn expiry(action: ExpiryAction) -> Option<Answer> {
    let action = match action {
        ExpiryAction::Escalate => return None,
        ExpiryAction::Abort => TaskAction::Abort,
        ExpiryAction::Retry => TaskAction::Retry,
        ExpiryAction::Skip => TaskAction::Skip,
    };
    Some(Answer::by_policy(action))
}

/// What the definition of a run says about its entries: found in the whole file, so once for a run.
#[derive(Default)]
pub(crate) struct AuditSettings {
    rules: OnceLock<Vec<AuditRule>>,
    /// Only when an error asks for them.
    marked: OnceLock<Vec<String>>,
    /// The trace that the run was given by its caller.
    pub(crate) caller: Option<TraceContext>,
    /// The workspace that the run belongs to.
    pub(crate) workspace: Option<String>,
    trace_id: OnceLock<String>,
}

impl AuditSettings {
    /// The trace of the run, for what concerns the run as a whole and for errors (O-10). The two entries of each step do
    /// without: their run has it.
    fn trace_of(&self, event: &RunEvent, name: AuditEvent) -> Option<Value> {
        if matches!(name, AuditEvent::NodeStart | AuditEvent::NodeSuccess) {
            return None;
        }
        let made = || self.caller.as_ref().map_or_else(|| trace_id(&event.run_id), |caller| caller.trace_id.clone());
        Some(self.trace_id.get_or_init(made).as_str().into())
    }

    /// The workspace of the run, under the name that other systems look for; where its trace stands.
    fn tenant_of(&self, name: AuditEvent) -> Option<Value> {
        let is_step = matches!(name, AuditEvent::NodeStart | AuditEvent::NodeSuccess);
        self.workspace.as_deref().filter(|_| !is_step).map(Value::from)
    }
}

/// The entries of the events, in their order.
pub(crate) fn entries(compiled: &Compiled, said: &AuditSettings, events: &[RunEvent]) -> Vec<Record> {
    let rules = said.rules.get_or_init(|| audit_rules::of(&compiled.workflow));
    let masks = || Masks::new(said.marked.get_or_init(|| mask::pointers(&compiled.workflow)));
    let mut records = Vec::with_capacity(events.len());
    for event in events {
        let Some((name, level, metadata)) = entry(&masks, event) else { continue };
        debug_assert!(audit_rules::EVENTS.contains(&name), "a rule over {} would be called useless", name.as_str());
        let node = event.step_id.as_deref().unwrap_or(RUN_LEVEL);
        let mut record = Record::new(&*event.ts, &*event.run_id, node, name, level, actor(event));
        let mut metadata = metadata;
        let told = [
            ("path", event.path.clone().map(Value::from)),
            ("item", event.item.map(Value::from)),
            ("visit", event.visit.map(Value::from)),
            ("traceId", said.trace_of(event, name)),
            ("tenantId", said.tenant_of(name)),
            // What a step does about another one's failure: the chain alone leads from a decision to the error.
            ("originStepId", event.body.origin().map(|origin| origin.step_id.as_str().into())),
        ];
        for (field, value) in told {
            if let Some(value) = value {
                metadata.insert(field.into(), value);
            }
        }
        let Raise { level: raised, escalate } = audit_rules::apply(rules, name.as_str(), &event.body);
        if let Some(raised) = raised.map(level_of).filter(|raised| *raised > level) {
            record.level = raised;
        }
        if !metadata.is_empty() {
            record = record.with_metadata(metadata);
        }
        let level = record.level;
        records.push(record);
        if escalate {
            let told = object(json!({ "reason": "audit_rule", "of": name.as_str() }));
            let record = Record::new(&*event.ts, &*event.run_id, node, AuditEvent::Escalated, level, Actor::system());
            records.push(record.with_metadata(told));
        }
    }
    records
}

/// Says in the entry about the start of a run whose access token started it, and which.
pub(crate) fn name_token(records: &mut [Record], origin: &RunOrigin) {
    let Some(token) = &origin.token else { return };
    let start = records.iter_mut().find(|record| record.event == AuditEvent::WorkflowStarted.as_str());
    if let Some(start) = start {
        let facts = start.metadata.get_or_insert_default();
        facts.insert("tokenName".into(), token.as_str().into());
        facts.extend(origin.person.as_ref().map(|person| ("person".to_owned(), person.as_str().into())));
    }
}

fn actor(event: &RunEvent) -> Actor {
    match &event.body {
        EventBody::HumanTaskCompleted(done) => match &done.answer.operator_id {
            Some(id) => Actor::operator(id.as_str()),
            None => Actor::system(),
        },
        EventBody::BreakpointsSet(set) => person(set.operator_id.as_deref()),
        EventBody::WorkflowPaused(paused) => person(paused.operator_id.as_deref()),
        EventBody::WorkflowContinued(continued) => person(continued.operator_id.as_deref()),
        EventBody::InputEdited(edited) => person(edited.operator_id.as_deref()),
        _ => Actor::system(),
    }
}

/// Who looks into a run is a builder, and is known by name.
fn person(id: Option<&str>) -> Actor {
    id.map_or_else(Actor::system, Actor::operator)
}

fn level_of(level: signalbox_model::Level) -> Level {
    match level {
        signalbox_model::Level::Info => Level::Info,
        signalbox_model::Level::Warn => Level::Warn,
        signalbox_model::Level::Error => Level::Error,
        signalbox_model::Level::Critical => Level::Critical,
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Stands in an entry for the message about an input that was not searched.
const LARGE_INPUT: &str = "The run has the message: its input is too large to find in it what must be hidden here";

/// The entry of one event, none for events that describe no fact of their own.
fn entry(masks: &dyn Fn() -> Masks, event: &RunEvent) -> Option<(AuditEvent, Level, Map<String, Value>)> {
    let (name, level, metadata) = match &event.body {
        EventBody::StepStart(start) => {
            (AuditEvent::NodeStart, Level::Info, json!({ "type": start.kind, "attempt": event.attempt.unwrap_or(0) }))
        }
        EventBody::StepDone(done) => (AuditEvent::NodeSuccess, Level::Info, json!({ "ports": done.ports })),
        // A step that asks a person about a call has not failed: the task says all about it.
        EventBody::StepError(failed) if failed.held.is_some() => return None,
        EventBody::StepError(failed) => {
            let error = &failed.error;
            // The entry stays for ever: what the input hides, the message must not tell.
            let mut masks = masks();
            error.details.iter().filter_map(|details| details.get("input")).for_each(|input| masks.learn(input, 0));
            // What hides in an input that the error does not carry (ADR 149) cannot be found in its message.
            let is_left_out = error.details.as_ref().is_some_and(|details| details.contains_key("inputBytes"));
            let message = if is_left_out { LARGE_INPUT.into() } else { masks.text(&error.message) };
            let message: String = message.chars().take(200).collect();
            let told = json!({
                "errorType": error.error_type, "attempt": error.attempt.unwrap_or(0), "code": error.code(),
                "message": message, "retryable": error.retryable
            });
            (AuditEvent::NodeError, Level::Error, told)
        }
        EventBody::ErrorHandled(handled) => {
            let mut told = json!({
                "originStepId": handled.origin_step_id, "rule": handled.rule, "action": handled.action
            });
            if let Some(wanted) = &handled.wanted {
                told["wanted"] = wanted.as_str().into();
            }
            if let Some(error) = &handled.rule_error {
                told["ruleError"] = error.as_str().into();
            }
            let level = if handled.rule_error.is_some() { Level::Warn } else { Level::Info };
            (AuditEvent::ErrorHandlerInvoked, level, told)
        }
        EventBody::RetryScheduled(retry) => {
            (AuditEvent::RetryScheduled, Level::Info, json!({ "attempt": retry.attempt, "delayMs": retry.delay_ms }))
        }
        EventBody::AutoFixAttempt(tried) => {
            let mut told = json!({ "model": tried.model, "accepted": tried.accepted, "delta": tried.delta });
            if let Some(asked) = &tried.asked {
                (told["attempt"], told["maxAttempts"]) = (asked.number.into(), asked.of.into());
            }
            (AuditEvent::AutoFixAttempt, Level::Warn, told)
        }
        EventBody::HumanTaskCreated(created) => {
            let mut told = json!({
                "taskId": created.task_id, "kind": created.kind, "reason": created.reason, "severity": created.severity,
                "fingerprint": created.fingerprint
            });
            if let Some(asked) = created.error.as_ref().and_then(|error| tool_call(created.reason, error)) {
                told["toolCall"] = asked;
            }
            if let Some(reopens) = &created.reopens {
                told["reopens"] = reopens.as_str().into();
            }
            if let Some(sent) = &created.sent_from {
                told["sentFrom"] = sent.run_id.as_str().into();
            }
            (AuditEvent::HitlCreated, Level::Info, told)
        }
        EventBody::HumanTaskCompleted(done) => {
            let mut told = json!({ "taskId": done.task_id, "action": done.answer.action });
            if let Some(more) = done.answer.budget_micros {
                told["budgetMicros"] = more.into();
            }
            if let Some(grant) = done.answer.tool_grant {
                told["toolGrant"] = grant.as_str().into();
            }
            if let Some(run) = &done.kept_from {
                told["keptFrom"] = run.as_str().into();
            }
            (AuditEvent::HitlCompleted, Level::Info, told)
        }
        EventBody::Escalated(escalated) => {
            let mut told = json!({
                "taskId": escalated.task_id, "escalation": escalated.level, "action": escalated.action
            });
            if let Some(to) = &escalated.to {
                told["to"] = to.as_str().into();
            }
            (AuditEvent::Escalated, Level::Warn, told)
        }
        EventBody::HumanTaskReminded(told) => {
            (AuditEvent::TaskReminded, Level::Info, json!({ "taskId": told.task_id, "reminder": told.reminder }))
        }
        EventBody::PauseTimeout(over) => (
            AuditEvent::Escalated,
            Level::Warn,
            json!({ "taskId": over.task_id, "action": over.timeout_action, "reason": "pause_timeout" }),
        ),
        EventBody::WorkflowDone(_) => (AuditEvent::WorkflowCompleted, Level::Info, json!({ "status": "completed" })),
        EventBody::WorkflowFailed(failed) => {
            let mut told = json!({ "status": "failed", "failedStepId": failed.failed_step_id });
            if let Some(reason) = &failed.reason {
                told["reason"] = reason.as_str().into();
            }
            (AuditEvent::WorkflowCompleted, Level::Error, told)
        }
        EventBody::WorkflowCancelled(cancelled) => {
            let mut told = json!({ "status": "cancelled" });
            if let Some(by) = &cancelled.superseded_by {
                told["supersededBy"] = by.as_str().into();
            }
            (AuditEvent::WorkflowCompleted, Level::Warn, told)
        }
        EventBody::WorkflowStart(start) => {
            let started_by = start.started_by.as_deref().unwrap_or("person");
            let mut told = json!({ "name": start.name, "version": start.version, "startedBy": started_by });
            if let Some(until) = &start.until {
                told["until"] = until.as_str().into();
            }
            if let (Some(parent), Some(from)) = (&start.parent_run_id, &start.resumed_from) {
                told["parentRunId"] = parent.as_str().into();
                told["resumedFrom"] = from.as_str().into();
                told["baseSeq"] = start.base_seq.into();
            }
            if let Some(foreign) = start.base.as_ref().and_then(|base| base.foreign.as_ref())
                && start.parent_run_id.is_none()
            {
                let source = &foreign.source;
                told["importedFrom"] = json!({ "type": source.kind, "version": source.version });
                told["resumedFrom"] = start.resumed_from.as_deref().into();
            }
            (AuditEvent::WorkflowStarted, Level::Info, told)
        }
        EventBody::BreakpointsSet(set) => {
            (AuditEvent::BreakpointsSet, Level::Info, json!({ "breakpoints": set.breakpoints.len() }))
        }
        EventBody::WorkflowPaused(paused) => {
            (AuditEvent::WorkflowPaused, Level::Info, json!({ "reason": paused.reason }))
        }
        EventBody::WorkflowContinued(continued) => {
            (AuditEvent::WorkflowContinued, Level::Info, json!({ "mode": continued.mode }))
        }
        // What was changed stands in the run, where it can be masked; where it was changed is a fact of the chain.
        EventBody::InputEdited(edited) => {
            let places: Vec<_> = edited.patch.iter().filter_map(|change| change.get("path")).take(PATHS).collect();
            (AuditEvent::InputEdited, Level::Warn, json!({ "changes": edited.patch.len(), "paths": places }))
        }
        EventBody::WorkflowResumed(_)
        | EventBody::StepInterrupted(_)
        | EventBody::StepSkipped(_)
        | EventBody::VarChanged(_)
        | EventBody::HumanTaskHeld(_)
        | EventBody::HumanTaskContinued(_)
        | EventBody::HumanTaskClosed(_) => return None,
        // What a rule or a person kept a model from doing is a fact; what went wrong with a tool is in the run.
        EventBody::Telemetry(Telemetry::ToolError(failed)) => {
            let code = failed.error.code();
            if !matches!(code, "GUARDRAIL_BLOCKED" | "TOOL_REFUSED") {
                return None;
            }
            let mut told = json!({ "tool": named(&failed.name), "code": code });
            if let Some(guard) = failed.error.details.as_ref().and_then(|details| details.get("guard")) {
                told["rule"] = guard.clone();
            }
            (AuditEvent::ToolRefused, Level::Warn, told)
        }
        EventBody::Telemetry(_) => return None,
    };
    Some((name, level, object(metadata)))
}

/// A name that a server gave, as it may stand in an entry for ever.
fn named(name: &str) -> String {
    signalbox_model::text::one_line(name).chars().take(200).collect()
}

/// Which tool a person is asked about, and by which rule. The arguments stand in the run, where they can be masked; their hash
/// says for ever what was allowed.
fn tool_call(reason: TaskReason, error: &ErrorPayload) -> Option<Value> {
    let asked = error.details.as_ref()?.get("toolCall").filter(|_| reason == TaskReason::ToolCall)?;
    let text = |name: &str| asked.get(name).and_then(Value::as_str).map(named);
    let arguments = asked.get("arguments").map(|arguments| sha256_hex(arguments.to_string().as_bytes()));
    Some(json!({
        "server": text("server"), "tool": text("tool"), "rule": text("rule"), "argumentsHash": arguments
    }))
}
