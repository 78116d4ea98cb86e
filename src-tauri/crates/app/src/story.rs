//! Events and audit entries in plain words.

use serde_json::{Map, Value};
use signalbox_model::debug::PauseReason;
use signalbox_model::{AuditEvent, EventBody};
use signalbox_store::audit::Entry;

fn seconds(ms: u64) -> String {
    if ms < 1_000 { format!("{ms} ms") } else { format!("{}.{} s", ms / 1_000, ms % 1_000 / 100) }
}

/// A person by the name alone, a group by its word.
fn person(id: &str) -> String {
    match id.split_once(':') {
        Some(("user", name)) => name.to_owned(),
        Some(("group", name)) => format!("group {name}"),
        _ => id.to_owned(),
    }
}

/// Who decided about an error: a rule by the name that its author gave it, a policy by its word.
fn rule(name: &str) -> String {
    match name {
        "policy:safe" => "The safe policy".into(),
        "policy:fail" => "The fail policy".into(),
        "default" => "The default".into(),
        _ => match name.strip_prefix("policy:") {
            Some(name) => format!("The workflow's rule \"{name}\""),
            None => format!("Rule \"{name}\""),
        },
    }
}

/// What was decided, as it ends "to …".
fn action(name: &str) -> String {
    match name {
        "retry" => "try again",
        "correct" => "try again with a corrected input",
        "auto_fix" => "repair the input",
        "human_review" => "ask a person",
        "escalate" => "ask a person, as critical",
        "fallback" => "use the fallback",
        "error_as_context" => "go on with the error as data",
        "abort" => "end the run",
        "skip" => "skip the step",
        "alternative" => "take another way",
        "approve" => "approve",
        "reject" => "reject",
        "submit" => "hand it in",
        other => return other.replace('_', " "),
    }
    .to_owned()
}

/// Where items of a step went: "3 items went on".
fn went(port: &str, count: usize) -> String {
    let items = if count == 1 { "one item".to_owned() } else { format!("{count} items") };
    match port {
        "success" => format!("{items} went on"),
        "error" => format!("{items} failed"),
        _ => format!("{items} took the way \"{port}\""),
    }
}

/// One event of a run.
pub(crate) fn of_event(body: &EventBody) -> String {
    match body {
        EventBody::WorkflowStart(start) => format!("The run of \"{}\" began.", start.name),
        EventBody::WorkflowDone(_) => "The run is complete.".into(),
        EventBody::WorkflowFailed(failed) => format!("The run failed: {}", failed.error.message),
        EventBody::WorkflowCancelled(_) => "The run was cancelled.".into(),
        EventBody::WorkflowResumed(_) => "The run was taken up again.".into(),
        EventBody::StepStart(start) => match start.input.len() {
            0 | 1 => "The step began.".into(),
            items => format!("The step began with {items} items."),
        },
        EventBody::StepDone(done) => {
            let ports: Vec<String> = done.ports.iter().map(|(port, count)| went(port, *count)).collect();
            // One item that went on is the ordinary case, and no news.
            if ports.is_empty() || done.ports.len() == 1 && done.ports.get("success") == Some(&1) {
                "The step is done.".into()
            } else {
                format!("The step is done: {}.", ports.join(", "))
            }
        }
        EventBody::StepError(failed) if failed.held.is_some() => {
            format!("The step waits for a person: {}", failed.error.message)
        }
        EventBody::StepError(failed) => format!("The step failed: {}", failed.error.message),
        EventBody::StepInterrupted(_) => "The step was cut off; it may have happened.".into(),
        EventBody::StepSkipped(skipped) => format!("The step was skipped: {}.", skipped.condition),
        EventBody::StepPrint(_) => "The step printed a value.".into(),
        EventBody::VarChanged(change) => format!("{} was set.", change.name),
        EventBody::RetryScheduled(retry) => format!("Retry {} in {}.", retry.attempt, seconds(retry.delay_ms)),
        EventBody::ErrorHandled(handled) => format!("{} decided: {}.", rule(&handled.rule), action(&handled.action)),
        EventBody::AutoFixAttempt(fix) => {
            let by = fix.asked.as_ref().map(|_| format!(" by the model {}", fix.model)).unwrap_or_default();
            if fix.accepted {
                format!("The input was repaired{by} ({} changes).", fix.delta)
            } else {
                format!("A repair of the input{by} did not fit.")
            }
        }
        EventBody::HumanTaskCreated(task) => format!("A person is asked: {}", task.title),
        EventBody::HumanTaskCompleted(done) => match &done.answer.operator_id {
            Some(who) => format!("{} decided: {}.", person(who), action(done.answer.action.as_str())),
            None => format!("Nobody answered in time; the policy decided: {}.", action(done.answer.action.as_str())),
        },
        EventBody::HumanTaskReminded(_) => "The person was reminded.".into(),
        EventBody::HumanTaskHeld(_) => "It waits for somebody else; its time stands still.".into(),
        EventBody::HumanTaskContinued(_) => "It waits for nobody else any more; its time passes again.".into(),
        EventBody::HumanTaskClosed(_) => "Nobody has to answer any more: the step was cancelled.".into(),
        EventBody::Escalated(change) => match &change.to {
            Some(to) => format!("Nobody answered in time; {} has the task now.", person(to)),
            None => "Nobody answered in time.".into(),
        },
        EventBody::BreakpointsSet(set) if set.breakpoints.is_empty() => "The run stops at no step.".into(),
        EventBody::BreakpointsSet(set) => format!("The run stops at {} steps.", set.breakpoints.len()),
        EventBody::WorkflowPaused(paused) => match (&paused.operator_id, paused.reason) {
            (Some(who), _) => format!("{} stopped the run.", person(who)),
            (None, PauseReason::Breakpoint) => "The run stopped at a breakpoint.".into(),
            (None, PauseReason::Step | PauseReason::Request) => "The run stopped before this call.".into(),
        },
        EventBody::WorkflowContinued(_) => "The run went on.".into(),
        EventBody::InputEdited(edited) => {
            let who = edited.operator_id.as_deref().map_or("Somebody".into(), person);
            format!("{who} changed the input that waits ({} changes).", edited.patch.len())
        }
        EventBody::PauseStart(_) => "The run waits to be resumed.".into(),
        EventBody::PauseResumed(_) => "The run was resumed.".into(),
        EventBody::PauseRejected(_) => "An answer by token was not taken.".into(),
        EventBody::PauseTimeout(_) => "Nobody resumed the run in time.".into(),
        EventBody::FileStart(file) => format!("The file {} is being written.", file.path),
        EventBody::FileDone(file) => format!("The file {} was written.", file.path),
        EventBody::LlmToken(_) => "The model answers.".into(),
        EventBody::LlmThinking(_) => "The model thinks.".into(),
        EventBody::LlmToolUse(said) => format!("The model asks for the tool {}.", said.name),
        EventBody::LlmToolResult(said) if said.is_error => "The model is told that the tool failed.".into(),
        EventBody::LlmToolResult(_) => "The model gets the tool's answer.".into(),
        EventBody::LlmDone(said) => {
            format!("{} has answered with {} tokens.", said.model, said.usage.output_tokens)
        }
        EventBody::LlmError(said) => format!("The model gave no answer: {}", said.error),
        EventBody::ToolStart(said) => format!("The tool {} began.", said.name),
        EventBody::ToolMessage(said) => format!("The tool {} says: {}", said.name, said.message),
        EventBody::ToolDone(said) => format!("The tool {} is done.", said.name),
        EventBody::ToolError(said) => format!("The tool {} failed: {}", said.name, said.error.message),
    }
}

fn text<'a>(facts: Option<&'a Map<String, Value>>, name: &str) -> Option<&'a str> {
    facts?.get(name)?.as_str()
}

fn number(facts: Option<&Map<String, Value>>, name: &str) -> Option<u64> {
    facts?.get(name)?.as_u64()
}

/// An author's `ORDER_REFUSED` as "Order refused".
fn words(name: &str) -> String {
    let words = name.to_lowercase().replace('_', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

/// One audit entry; `title` is that of its step, when it is known.
pub(crate) fn of_entry(entry: &Entry, title: Option<&str>) -> String {
    let facts = entry.metadata.as_ref();
    let step = title.unwrap_or("The step");
    // As everywhere in words; the actor of the record beside it has the whole name.
    let who = || entry.actor.id.as_deref().map_or_else(|| "Signalbox".to_owned(), person);
    let of = |name: &str| text(facts, name).map(|value| format!(": {value}")).unwrap_or_default();
    let Some(event) = AuditEvent::parse(&entry.event) else {
        return text(facts, "message").map_or_else(|| words(&entry.event), str::to_owned);
    };
    match event {
        AuditEvent::WorkflowStarted => "The run began".into(),
        AuditEvent::NodeStart => match number(facts, "attempt").filter(|attempt| *attempt > 0) {
            Some(attempt) => format!("{step} began again (attempt {})", attempt + 1),
            None => format!("{step} began"),
        },
        AuditEvent::NodeSuccess => format!("{step} succeeded"),
        AuditEvent::NodeError => {
            let kind = text(facts, "errorType").unwrap_or("an error");
            let message = text(facts, "message").or_else(|| text(facts, "code")).map(|m| format!(": {m}"));
            format!("{step} failed with {kind}{}", message.unwrap_or_default())
        }
        AuditEvent::ErrorHandlerInvoked => {
            let decided = rule(text(facts, "rule").unwrap_or("?"));
            format!("{decided} decided: {}", action(text(facts, "action").unwrap_or("?")))
        }
        AuditEvent::RetryScheduled => {
            let attempt = number(facts, "attempt").unwrap_or_default();
            let delay = number(facts, "delayMs").map(|ms| format!(" in {}", seconds(ms)));
            format!("Retry {attempt}{}", delay.unwrap_or_default())
        }
        AuditEvent::AutoFixAttempt => match facts.and_then(|facts| facts.get("accepted")).and_then(Value::as_bool) {
            Some(true) => format!("The input was repaired ({} changes)", number(facts, "delta").unwrap_or_default()),
            _ => "A repair of the input did not fit".into(),
        },
        AuditEvent::HitlCreated => format!("A person is asked{}", of("title")),
        AuditEvent::HitlCompleted => {
            let decided = text(facts, "action").map_or("answered".into(), |to| format!("decided to {}", action(to)));
            format!("{} {decided}{}", who(), of("notes"))
        }
        AuditEvent::HitlVoted => {
            let (count, of) = (number(facts, "approvals").unwrap_or(1), number(facts, "minApprovals").unwrap_or(2));
            format!("{} approved ({count} of {of})", who())
        }
        AuditEvent::Escalated => match text(facts, "to") {
            Some(to) => format!("Nobody answered in time; {} has the task now", person(to)),
            // A rule of the workflow asks for eyes; no time ran out.
            None if text(facts, "reason") == Some("audit_rule") => {
                "An audit rule of the workflow escalates the record before this one".into()
            }
            None => "Nobody answered in time".into(),
        },
        AuditEvent::BreakpointsSet => {
            format!("{} set {} breakpoints", who(), number(facts, "breakpoints").unwrap_or_default())
        }
        AuditEvent::WorkflowPaused => match text(facts, "reason") {
            Some("request") => format!("{} stopped the run", who()),
            Some("step") => format!("The run stopped before {step}, after one step"),
            _ => format!("The run stopped at a breakpoint before {step}"),
        },
        AuditEvent::WorkflowContinued => format!("{} let the run go on", who()),
        AuditEvent::InputEdited => format!(
            "{} changed the input that {step} waits with ({} changes)",
            who(),
            number(facts, "changes").unwrap_or_default()
        ),
        AuditEvent::WorkflowCompleted => format!("The run ended{}", of("status")),
        AuditEvent::RunRerun => format!("{} had the run begin again at {}", who(), text(facts, "from").unwrap_or("?")),
        AuditEvent::RunCancelled => format!("{} cancelled the run", who()),
        AuditEvent::RunSentToInbox => {
            format!(
                "{} sent the failed run to the inbox, at {}{}",
                who(),
                text(facts, "from").unwrap_or("?"),
                of("reason")
            )
        }
        AuditEvent::RunDeleted => format!("{} deleted the run", who()),
        AuditEvent::TaskClaimed => format!("{} works on the task", who()),
        AuditEvent::TaskReleased => format!("{} gave the task back", who()),
        AuditEvent::TaskReassigned => {
            format!("{} gave the task to {}", who(), text(facts, "to").map_or("somebody else".into(), person))
        }
        AuditEvent::TaskCommented => format!("{} commented the task", who()),
        AuditEvent::TaskReminded => {
            format!("A reminder of the task was sent, number {}", number(facts, "reminder").unwrap_or_default())
        }
        AuditEvent::TaskHeld => format!("{} said that the task waits for somebody else", who()),
        AuditEvent::TaskContinued => format!("{} said that the task waits for nobody else any more", who()),
        AuditEvent::TaskSnoozed => format!("{} put the task off", who()),
        AuditEvent::TaskReopened => format!("{} had the task asked again{}", who(), of("reason")),
        AuditEvent::DelegationCreated => format!(
            "{} answers for {} until {}",
            text(facts, "to").map_or("somebody".into(), person),
            text(facts, "from").map_or("somebody else".into(), person),
            text(facts, "endsAt").unwrap_or("?")
        ),
        AuditEvent::DelegationEnded => format!(
            "{} no longer answers for {}",
            text(facts, "to").map_or("somebody".into(), person),
            text(facts, "from").map_or("somebody else".into(), person)
        ),
        AuditEvent::CorrectionSuggested => format!("{} asked a model for a correction{}", who(), of("model")),
        AuditEvent::AttachmentOpened => format!("{} took a file of the task{}", who(), of("name")),
        AuditEvent::Revealed => format!("{} looked at masked values{}", who(), of("reason")),
        AuditEvent::AnswerRefused => format!("An answer was refused{}", of("reason")),
        AuditEvent::AuditExported => format!("{} exported the audit chain", who()),
        AuditEvent::AuditExportFailed => match number(facts, "of") {
            Some(seq) => format!("The export of entry {seq} failed{}", of("code")),
            None => format!("An export failed{}", of("code")),
        },
        AuditEvent::AuditAnchored => format!("A checkpoint is kept outside{}", of("place")),
        AuditEvent::AuditAnchorFailed => format!("A checkpoint could not be kept outside{}", of("place")),
        AuditEvent::AuditAnchorChanged => match text(facts, "removed") {
            Some(place) => format!("{} keeps no checkpoints any more: {place}", who()),
            None => format!("{} keeps checkpoints outside{}", who(), of("added")),
        },
        AuditEvent::AuditSinkChanged => match text(facts, "removed") {
            Some(place) => format!("{} copies no entries any more: {place}", who()),
            None => format!("{} copies entries to a file{}", who(), of("added")),
        },
        AuditEvent::AuditSinkFailed => format!("Entries could not be copied{}", of("place")),
        AuditEvent::WebhookChanged => match text(facts, "change") {
            Some("removed") => format!("{} tells an address of no tasks any more{}", who(), of("url")),
            _ => format!("{} tells an address of tasks{}", who(), of("url")),
        },
        AuditEvent::WebhookFailed => format!("A message about a task was not taken{}", of("url")),
        AuditEvent::WebhookAgain => format!("{} had a message about a task sent again{}", who(), of("url")),
        AuditEvent::ModelProviderChanged => match text(facts, "change") {
            Some("removed") => format!("{} removed a model provider{}", who(), of("provider")),
            _ => format!("{} set a model provider{}", who(), of("provider")),
        },
        AuditEvent::ModelBudgetChanged => match facts.and_then(|facts| facts.get("perDayMicros")?.as_u64()) {
            Some(micros) => format!("Models may cost {} a day on this machine", signalbox_model::money::words(micros)),
            None => "Models may cost anything on this machine".into(),
        },
        AuditEvent::ModelDefaultChanged => match text(facts, "model") {
            Some(model) => format!("{} chose the model of steps that name none: {model}", who()),
            None => format!("{} left steps that name no model without one", who()),
        },
        AuditEvent::ToolServerSet => format!("{} registered a tool server{}", who(), of("name")),
        AuditEvent::ToolServerApproved => format!("{} approved a tool server and its tools{}", who(), of("name")),
        AuditEvent::ToolServerBlocked => format!("A tool server is not what was approved{}", of("name")),
        AuditEvent::ToolServerSignedIn => format!("{} signed in to a tool server{}", who(), of("name")),
        AuditEvent::ToolServerSignedOut => format!("{} signed out of a tool server{}", who(), of("name")),
        AuditEvent::ToolServerSignInEnded => format!("A sign-in to a tool server holds no more{}", of("name")),
        AuditEvent::WorkflowActivated => format!("{} activated the workflow{}", who(), of("name")),
        AuditEvent::WorkflowDeactivated => format!("{} deactivated the workflow{}", who(), of("name")),
        AuditEvent::TriggerFired if facts.is_some_and(|facts| facts.get("manual").is_some()) => {
            format!("{} fired a trigger{}", who(), of("triggerId"))
        }
        AuditEvent::TriggerFired => format!("A trigger fired{}", of("triggerId")),
        AuditEvent::TriggerSkipped => {
            let count = number(facts, "count").unwrap_or(1);
            format!("A trigger was due {count} times and started no run{}", of("triggerId"))
        }
        AuditEvent::ToolRefused => format!("A call of a tool was not allowed{}", of("tool")),
        AuditEvent::ToolWordSet => format!("{} said what the tool{} does with data", who(), of("tool")),
        AuditEvent::ToolServerDeleted => format!("{} deleted a tool server{}", who(), of("name")),
        AuditEvent::AuditCutAccepted => format!("{} knows that entries are missing{}", who(), of("reason")),
        AuditEvent::PayloadErased => format!("{} erased what an entry kept apart{}", who(), of("reason")),
        AuditEvent::SecretSet => format!("{} kept a secret{}", who(), of("name")),
        AuditEvent::SecretDeleted => format!("{} deleted a secret{}", who(), of("name")),
        AuditEvent::SecretsKeyChosen => format!("{} chose where the key of the secrets is kept{}", who(), of("key")),
        AuditEvent::SecretsDiscarded => format!("{} gave up secrets that could not be opened", who()),
        AuditEvent::AuditRetention => format!(
            "{} removed {} old entries; this one stands for them",
            who(),
            number(facts, "removed").unwrap_or_default()
        ),
        AuditEvent::AuditRetentionChanged => match number(facts, "keepDays") {
            Some(days) => format!("{} keeps entries for {days} days", who()),
            None => format!("{} keeps all entries", who()),
        },
        AuditEvent::AuditKeyChanged => {
            let place = |name: &str| match text(facts, name) {
                Some("system") => "the key store of the system",
                _ => "a file of the data folder",
            };
            let id = text(facts, "keyId").unwrap_or("?");
            if facts.and_then(|facts| facts.get("new")) == Some(&Value::Bool(true)) {
                format!("The chain is signed with another key from now on: {id}, in {}", place("to"))
            } else {
                format!("The key {id} that signs the chain moved from {} to {}", place("from"), place("to"))
            }
        }
        AuditEvent::ClockJumped => {
            let by = facts.and_then(|facts| facts.get("byMs")).and_then(Value::as_i64).unwrap_or_default();
            let way = if by < 0 { "was put back" } else { "jumped ahead, or this machine slept," };
            format!("The clock {way} by {}", seconds(by.unsigned_abs()))
        }
        AuditEvent::AuditVerifyFailed => format!("The audit chain is broken{}", of("message")),
    }
}

#[cfg(test)]
mod tests {
    use super::{of_entry, of_event};
    use serde_json::{Value, json};
    use signalbox_model::EventBody;
    use signalbox_store::audit::Entry;

    fn told(kind: &str, payload: Value) -> String {
        let event =
            json!({ "runId": "r", "seq": 1, "ts": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload });
        let event: signalbox_model::RunEvent = serde_json::from_value(event).expect("an event");
        let body: &EventBody = &event.body;
        of_event(body)
    }

    /// D2.5: what happened before a task is read by operators: no identifiers of ours.
    #[test]
    fn what_happened_is_told_in_words() {
        let ruled = |rule: &str, action: &str| {
            told("error_handled", json!({ "originStepId": "a", "rule": rule, "action": action }))
        };
        assert_eq!(ruled("policy:safe", "human_review"), "The safe policy decided: ask a person.");
        assert_eq!(ruled("policy:Slow", "auto_fix"), "The workflow's rule \"Slow\" decided: repair the input.");
        assert_eq!(ruled("Busy", "retry"), "Rule \"Busy\" decided: try again.");
        let done = |ports: Value| told("step_done", json!({ "ports": ports, "items": {}, "outputs": {} }));
        assert_eq!(done(json!({ "success": 1 })), "The step is done.");
        assert_eq!(done(json!({ "success": 2, "error": 1 })), "The step is done: 2 items went on, one item failed.");
        assert_eq!(done(json!({ "true": 1 })), "The step is done: one item took the way \"true\".");
        let escalated =
            told("escalated", json!({ "taskId": "t", "level": 1, "action": "escalate", "to": "group:lead" }));
        assert_eq!(escalated, "Nobody answered in time; group lead has the task now.");
        let decided = json!({ "taskId": "t", "action": "retry", "operatorId": "user:olga" });
        assert_eq!(told("human_task_completed", decided), "olga decided: try again.");
    }

    /// A-33: no time ran out where a rule over the records asks for eyes.
    #[test]
    fn a_rule_that_escalates_is_told_as_a_rule() {
        let told = |facts: Value| {
            let entry = json!({ "v": 1, "logId": "l", "seq": 0, "prevHash": "0".repeat(64), "runId": "r", "nodeId": "n",
                "timestamp": "2026-01-01T00:00:00.000Z", "event": "ESCALATED", "level": "ERROR",
                "actor": { "type": "system" }, "metadata": facts });
            of_entry(&serde_json::from_value::<Entry>(entry).expect("an entry"), None)
        };
        let by_rule = told(json!({ "reason": "audit_rule", "of": "NODE_ERROR" }));
        assert_eq!(by_rule, "An audit rule of the workflow escalates the record before this one");
        assert_eq!(told(json!({ "taskId": "t" })), "Nobody answered in time");
    }
}
