//! Events and audit entries in plain words.

use serde_json::{Map, Value};
use signalbox_model::debug::PauseReason;
use signalbox_model::event::Telemetry;
use signalbox_model::{AuditEvent, EventBody};
use signalbox_store::audit::Entry;

fn seconds(ms: u64) -> String {
    if ms < 1_000 { format!("{ms} ms") } else { format!("{}.{} s", ms / 1_000, ms % 1_000 / 100) }
}

/// A person by the name alone, a group by its word.
pub(super) fn person(id: &str) -> String {
    match id.split_once(':') {
        Some(("user", name)) => name.to_owned(),
        Some(("group", name)) => format!("group {name}"),
        _ => id.to_owned(),
    }
}

/// Who decided about an error: a rule by the name that its author gave it, a policy by its word.
fn rule(name: &str) -> String {
    match name {
        "policy:safe" => "The default error handling".into(),
        "policy:fail" => "The policy \"fail\"".into(),
        "default" => "The default rule".into(),
        _ => match name.strip_prefix("policy:") {
            Some(name) => format!("The workflow's rule \"{name}\""),
            None => format!("Rule \"{name}\""),
        },
    }
}

/// What was decided, as it ends "to …".
fn action(name: &str) -> String {
    match name {
        "retry" => "retry",
        "correct" => "retry with a corrected input",
        "auto_fix" => "repair the input",
        "human_review" => "ask a person",
        "escalate" => "ask a person (critical)",
        "fallback" => "use the fallback",
        "error_as_context" => "continue with the error as data",
        "abort" => "end the run",
        "skip" => "skip the step",
        "alternative" => "take another path",
        "approve" => "approve",
        "reject" => "reject",
        "submit" => "submit the values",
        other => return other.replace('_', " "),
    }
    .to_owned()
}

/// Where items of a step went: "3 items succeeded".
fn went(port: &str, count: usize) -> String {
    let items = if count == 1 { "one item".to_owned() } else { format!("{count} items") };
    match port {
        "success" => format!("{items} succeeded"),
        "error" => format!("{items} failed"),
        _ => format!("{items} left at port \"{port}\""),
    }
}

/// One event of a run.
pub(crate) fn of_event(body: &EventBody) -> String {
    match body {
        EventBody::WorkflowStart(start) => format!("The run of \"{}\" started.", start.name),
        EventBody::WorkflowDone(_) => "The run completed.".into(),
        EventBody::WorkflowFailed(failed) => format!("The run failed: {}", failed.error.message),
        EventBody::WorkflowCancelled(_) => "The run was cancelled.".into(),
        EventBody::WorkflowResumed(_) => "The run was resumed after an interruption.".into(),
        EventBody::StepStart(start) => match start.input.len() {
            0 | 1 => "The step started.".into(),
            items => format!("The step started with {items} items."),
        },
        EventBody::StepDone(done) => {
            let ports: Vec<String> = done.ports.iter().map(|(port, count)| went(port, *count)).collect();
            // One item that succeeded is the ordinary case and needs no count.
            if ports.is_empty() || done.ports.len() == 1 && done.ports.get("success") == Some(&1) {
                "The step completed.".into()
            } else {
                format!("The step completed: {}.", ports.join(", "))
            }
        }
        EventBody::StepError(failed) if failed.held.is_some() => {
            format!("The step waits for a person: {}", failed.error.message)
        }
        EventBody::StepError(failed) => format!("The step failed: {}", failed.error.message),
        EventBody::StepInterrupted(_) => "The step was interrupted; its request may still have succeeded.".into(),
        EventBody::StepSkipped(skipped) => format!("The step was skipped: {}.", skipped.condition),
        EventBody::VarChanged(change) => format!("{} was set.", change.name),
        EventBody::RetryScheduled(retry) => format!("Retry {} in {}.", retry.attempt, seconds(retry.delay_ms)),
        EventBody::ErrorHandled(handled) => format!("{} decided: {}.", rule(&handled.rule), action(&handled.action)),
        EventBody::AutoFixAttempt(fix) => {
            let by = fix.asked.as_ref().map(|_| format!(" by the model {}", fix.model)).unwrap_or_default();
            if fix.accepted {
                format!("The input was repaired{by} ({} changes).", fix.delta)
            } else {
                format!("The input could not be repaired{by}.")
            }
        }
        EventBody::HumanTaskCreated(task) => format!("A person is asked: {}", task.title),
        EventBody::HumanTaskCompleted(done) => match &done.answer.operator_id {
            Some(who) => format!("{} decided: {}.", person(who), action(done.answer.action.as_str())),
            None => format!("Nobody answered in time; the policy decided: {}.", action(done.answer.action.as_str())),
        },
        EventBody::HumanTaskReminded(_) => "The person was reminded.".into(),
        EventBody::HumanTaskHeld(_) => "The task was put on hold; its deadline is paused.".into(),
        EventBody::HumanTaskContinued(_) => "The task was continued; its deadline is running again.".into(),
        EventBody::HumanTaskClosed(_) => "The task is no longer needed: the step was cancelled.".into(),
        EventBody::Escalated(change) => match &change.to {
            Some(to) => format!("Nobody answered in time; the task was escalated to {}.", person(to)),
            None => "Nobody answered in time.".into(),
        },
        EventBody::BreakpointsSet(set) if set.breakpoints.is_empty() => "All breakpoints were removed.".into(),
        EventBody::BreakpointsSet(set) => format!("{} breakpoints were set.", set.breakpoints.len()),
        EventBody::WorkflowPaused(paused) => match (&paused.operator_id, paused.reason) {
            (Some(who), _) => format!("{} paused the run.", person(who)),
            (None, PauseReason::Breakpoint) => "The run stopped at a breakpoint.".into(),
            (None, PauseReason::Step | PauseReason::Request) => "The run stopped before this call.".into(),
        },
        EventBody::WorkflowContinued(_) => "The run continued.".into(),
        EventBody::InputEdited(edited) => {
            let who = edited.operator_id.as_deref().map_or("Somebody".into(), person);
            format!("{who} changed the waiting input ({} changes).", edited.patch.len())
        }
        EventBody::PauseTimeout(_) => "Nobody resumed the run in time.".into(),
        EventBody::Telemetry(report) => of_report(report),
    }
}

/// A report on a call, a file or a wait.
fn of_report(report: &Telemetry) -> String {
    match report {
        Telemetry::StepPrint(_) => "The step printed a value.".into(),
        Telemetry::PauseStart(_) => "The run is paused until somebody resumes it.".into(),
        Telemetry::PauseResumed(_) => "The run was resumed.".into(),
        Telemetry::PauseRejected(_) => "An answer with a token was refused.".into(),
        Telemetry::FileStart(file) => format!("The file {} is being written.", file.path),
        Telemetry::FileDone(file) => format!("The file {} was written.", file.path),
        Telemetry::LlmToken(_) => "The model is answering.".into(),
        Telemetry::LlmThinking(_) => "The model is thinking.".into(),
        Telemetry::LlmToolUse(said) => format!("The model requested the tool {}.", said.name),
        Telemetry::LlmToolResult(said) if said.is_error => "The model received an error of the tool.".into(),
        Telemetry::LlmToolResult(_) => "The model received the result of the tool.".into(),
        Telemetry::LlmDone(said) => {
            format!("{} answered with {} tokens.", said.model, said.usage.output_tokens)
        }
        Telemetry::LlmError(said) => format!("The model did not answer: {}", said.error),
        Telemetry::ToolStart(said) => format!("The tool {} was called.", said.name),
        Telemetry::ToolMessage(said) => format!("The tool {} reports: {}", said.name, said.message),
        Telemetry::ToolDone(said) => format!("The tool {} completed.", said.name),
        Telemetry::ToolError(said) => format!("The tool {} failed: {}", said.name, said.error.message),
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
        AuditEvent::WorkflowStarted => "The run started".into(),
        AuditEvent::NodeStart => match number(facts, "attempt").filter(|attempt| *attempt > 0) {
            Some(attempt) => format!("{step} started again (attempt {})", attempt + 1),
            None => format!("{step} started"),
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
            _ => "The input could not be repaired".into(),
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
            Some(to) => format!("Nobody answered in time; the task was escalated to {}", person(to)),
            // An audit rule escalated the entry; no deadline expired.
            None if text(facts, "reason") == Some("audit_rule") => {
                "An audit rule of the workflow escalated the previous entry".into()
            }
            None => "Nobody answered in time".into(),
        },
        AuditEvent::BreakpointsSet => {
            format!("{} set {} breakpoints", who(), number(facts, "breakpoints").unwrap_or_default())
        }
        AuditEvent::WorkflowPaused => match text(facts, "reason") {
            Some("request") => format!("{} paused the run", who()),
            Some("step") => format!("The run stopped before {step}, after one step"),
            _ => format!("The run stopped at a breakpoint before {step}"),
        },
        AuditEvent::WorkflowContinued => format!("{} continued the run", who()),
        AuditEvent::InputEdited => format!(
            "{} changed the waiting input of {step} ({} changes)",
            who(),
            number(facts, "changes").unwrap_or_default()
        ),
        AuditEvent::WorkflowCompleted => format!("The run ended{}", of("status")),
        AuditEvent::RunRerun => format!("{} re-ran the run from {}", who(), text(facts, "from").unwrap_or("?")),
        AuditEvent::RunCancelled => format!("{} cancelled the run", who()),
        AuditEvent::RunSentToInbox => {
            format!(
                "{} sent the failed run to the inbox, at {}{}",
                who(),
                text(facts, "from").unwrap_or("?"),
                of("reason")
            )
        }
        AuditEvent::ReplayStarted => format!(
            "{} started to replay {} failed runs of {}{}",
            who(),
            number(facts, "failures").unwrap_or_default(),
            text(facts, "workflowName").unwrap_or("?"),
            of("reason")
        ),
        AuditEvent::ReplayChanged => format!("{} changed the replay{}", who(), of("change")),
        AuditEvent::ReplayEnded => format!(
            "The replay ended: {} runs started, {} skipped, {} refused",
            number(facts, "started").unwrap_or_default(),
            number(facts, "skipped").unwrap_or_default(),
            number(facts, "refused").unwrap_or_default()
        ),
        AuditEvent::RunDeleted => format!("{} deleted the run", who()),
        AuditEvent::TaskClaimed => format!("{} claimed the task", who()),
        AuditEvent::TaskReleased => format!("{} released the task", who()),
        AuditEvent::TaskReassigned => {
            format!("{} reassigned the task to {}", who(), text(facts, "to").map_or("somebody else".into(), person))
        }
        AuditEvent::TaskCommented => format!("{} commented on the task", who()),
        AuditEvent::TaskReminded => {
            format!("Reminder {} of the task was sent", number(facts, "reminder").unwrap_or_default())
        }
        AuditEvent::TaskHeld => format!("{} put the task on hold", who()),
        AuditEvent::TaskContinued => format!("{} continued the task", who()),
        AuditEvent::TaskSnoozed => format!("{} snoozed the task", who()),
        AuditEvent::TaskReopened => format!("{} reopened the task{}", who(), of("reason")),
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
        AuditEvent::AttachmentOpened => format!("{} downloaded a file of the task{}", who(), of("name")),
        AuditEvent::Revealed => format!("{} revealed masked values{}", who(), of("reason")),
        AuditEvent::AnswerRefused => format!("An answer was refused{}", of("reason")),
        AuditEvent::AuditExported => format!("{} exported the audit chain", who()),
        AuditEvent::AuditExportFailed => match number(facts, "of") {
            Some(seq) => format!("The export of entry {seq} failed{}", of("code")),
            None => format!("An export failed{}", of("code")),
        },
        AuditEvent::AuditAnchored => format!("A checkpoint was anchored{}", of("place")),
        AuditEvent::AuditAnchorFailed => format!("A checkpoint could not be anchored{}", of("place")),
        AuditEvent::AuditAnchorChanged => match text(facts, "removed") {
            Some(place) => format!("{} removed an anchor: {place}", who()),
            None => format!("{} added an anchor{}", who(), of("added")),
        },
        AuditEvent::AuditSinkChanged => match text(facts, "removed") {
            Some(place) => format!("{} removed a copy of the audit chain: {place}", who()),
            None if text(facts, "paused").is_some() => {
                format!("{} paused a copy of the audit chain{}", who(), of("paused"))
            }
            None if text(facts, "continued").is_some() => {
                format!("{} continued a copy of the audit chain{}", who(), of("continued"))
            }
            None => format!("{} added a copy of the audit chain{}", who(), of("added")),
        },
        AuditEvent::AuditSinkFailed => format!("Entries could not be copied{}", of("place")),
        AuditEvent::WebhookChanged => match text(facts, "change") {
            Some("removed") => format!("{} removed a webhook{}", who(), of("url")),
            _ => format!("{} added a webhook{}", who(), of("url")),
        },
        AuditEvent::HealthAlertChanged => match text(facts, "change") {
            Some("removed") => format!("{} removed a health alert{}", who(), of("name")),
            _ => format!("{} set a health alert{}", who(), of("name")),
        },
        AuditEvent::HealthAlertRaised => format!("A health alert was raised{}", of("name")),
        AuditEvent::HealthAlertCleared => format!("A health alert is over{}", of("name")),
        AuditEvent::RunFaulted => format!("{} put faults into the run{}", who(), of("steps")),
        AuditEvent::WebhookFailed => format!("A webhook message was not delivered{}", of("url")),
        AuditEvent::TaskDestinationChanged => match text(facts, "change") {
            Some("removed") => format!("{} removed a destination for tasks{}", who(), of("name")),
            _ => format!("{} added a destination for tasks{}", who(), of("name")),
        },
        AuditEvent::TaskCopyFailed => format!("A task could not be sent to its destination{}", of("name")),
        AuditEvent::TaskCopyAgain => format!("{} sent a task to its destination again{}", who(), of("name")),
        AuditEvent::WebhookAgain => format!("{} sent a webhook message again{}", who(), of("url")),
        AuditEvent::IndexDeleted => format!("{} deleted an index of documents{}", who(), of("name")),
        AuditEvent::ModelProviderChanged => match text(facts, "change") {
            Some("removed") => format!("{} removed a model provider{}", who(), of("provider")),
            _ => format!("{} saved a model provider{}", who(), of("provider")),
        },
        AuditEvent::ModelBudgetChanged => match facts.and_then(|facts| facts.get("perDayMicros")?.as_u64()) {
            Some(micros) => {
                format!("The daily model budget of this machine is {}", signalbox_model::money::words(micros))
            }
            None => "The daily model budget of this machine was removed".into(),
        },
        AuditEvent::ModelDefaultChanged => match text(facts, "model") {
            Some(model) => format!("{} changed the default model: {model}", who()),
            None => format!("{} removed the default model", who()),
        },
        AuditEvent::ToolServerSet => format!("{} registered a tool server{}", who(), of("name")),
        AuditEvent::ToolServerApproved => format!("{} approved a tool server and its tools{}", who(), of("name")),
        AuditEvent::ToolServerBlocked => {
            format!("A tool server differs from what was approved and was blocked{}", of("name"))
        }
        AuditEvent::ToolServerSignedIn => format!("{} signed in to a tool server{}", who(), of("name")),
        AuditEvent::ToolServerSignedOut => format!("{} signed out of a tool server{}", who(), of("name")),
        AuditEvent::ToolServerSignInEnded => format!("A sign-in to a tool server ended{}", of("name")),
        AuditEvent::SecretSignedIn => format!("{} signed in with a secret{}", who(), of("name")),
        AuditEvent::SecretSignedOut => format!("{} signed out of the service of a secret{}", who(), of("name")),
        AuditEvent::SecretSignInEnded => format!("A sign-in with a secret ended{}", of("name")),
        AuditEvent::FolderGranted => format!("{} allowed a folder{}", who(), of("folder")),
        AuditEvent::FolderRevoked => format!("{} revoked the grant of a folder{}", who(), of("folder")),
        AuditEvent::WorkflowCreated => match text(facts, "from").and_then(|from| from.split_once(':')) {
            Some(("copy", id)) => format!("{} copied the workflow {id}{}", who(), of("name")),
            Some(("import", format)) => format!("{} imported a workflow ({format}){}", who(), of("name")),
            Some(("sample", id)) => format!("{} created a workflow from the sample {id}{}", who(), of("name")),
            _ => format!("{} created a workflow{}", who(), of("name")),
        },
        AuditEvent::WorkflowSaved => match text(facts, "renamedFrom") {
            Some(before) => format!("{} saved the workflow \"{before}\" under a new name{}", who(), of("name")),
            None => format!("{} saved the workflow{}", who(), of("name")),
        },
        AuditEvent::WorkflowDeleted => format!("{} deleted the workflow{}", who(), of("name")),
        AuditEvent::WorkflowActivated => format!("{} activated the workflow{}", who(), of("name")),
        AuditEvent::WorkflowDeactivated => format!("{} deactivated the workflow{}", who(), of("name")),
        AuditEvent::PlanProposed => format!("{} had a workflow planned{}", who(), of("name")),
        AuditEvent::PlanAccepted => format!("{} saved a planned workflow{}", who(), of("name")),
        AuditEvent::TriggerFired if facts.is_some_and(|facts| facts.get("manual").is_some()) => {
            format!("{} fired a trigger{}", who(), of("triggerId"))
        }
        AuditEvent::TriggerFired => format!("A trigger fired{}", of("triggerId")),
        AuditEvent::TriggerSkipped => {
            let count = number(facts, "count").unwrap_or(1);
            format!("A trigger was due {count} times and started no run{}", of("triggerId"))
        }
        AuditEvent::ToolRefused => format!("A tool call was blocked{}", of("tool")),
        AuditEvent::ToolWordSet => format!("{} set the capabilities of a tool{}", who(), of("tool")),
        AuditEvent::ToolServerDeleted => format!("{} deleted a tool server{}", who(), of("name")),
        AuditEvent::AuditCutAccepted => {
            format!("{} accepted that the end of the chain is missing{}", who(), of("reason"))
        }
        AuditEvent::PayloadErased => format!("{} erased the payload of an entry{}", who(), of("reason")),
        AuditEvent::SecretSet => format!("{} saved a secret{}", who(), of("name")),
        AuditEvent::SecretDeleted => format!("{} deleted a secret{}", who(), of("name")),
        AuditEvent::SecretsKeyChosen => format!("{} moved the encryption key of the secrets{}", who(), of("key")),
        AuditEvent::SecretsDiscarded => format!("{} discarded secrets that could not be opened", who()),
        AuditEvent::BackupCreated => {
            let with = facts.and_then(|facts| facts.get("secrets")) == Some(&Value::Bool(true));
            format!("{} made a backup{}{}", who(), if with { " with the secrets" } else { "" }, of("file"))
        }
        AuditEvent::BackupScheduleChanged => match number(facts, "everyHours") {
            Some(hours) => format!("{} set backups every {hours} hours{}", who(), of("folder")),
            None => format!("{} turned off scheduled backups", who()),
        },
        AuditEvent::TelemetryChanged => match facts.and_then(|facts| facts.get("on")?.as_bool()) {
            Some(true) => format!("{} turned on traces of runs{}", who(), of("endpoint")),
            _ => format!("{} turned off traces of runs", who()),
        },
        AuditEvent::NetworkChanged => match facts.and_then(|facts| facts.get("updates")) {
            Some(updates) if updates["on"] == true => format!("{} turned on the daily check for updates", who()),
            Some(_) => format!("{} turned off the daily check for updates", who()),
            None => format!("{} set the proxy and the certificate authorities{}", who(), of("address")),
        },
        AuditEvent::ConnectorChanged => {
            format!("{} {} a connector{}", who(), text(facts, "change").unwrap_or("changed"), of("connector"))
        }
        AuditEvent::BackupRestored => format!("{} restored a backup{}", who(), of("createdAt")),
        AuditEvent::AuditRetention => format!(
            "{} removed {} old entries; this entry replaces them",
            who(),
            number(facts, "removed").unwrap_or_default()
        ),
        AuditEvent::AuditRetentionChanged => match number(facts, "keepDays") {
            Some(days) => format!("{} set the retention to {days} days", who()),
            None => format!("{} set the retention to forever", who()),
        },
        AuditEvent::AuditKeyChanged => {
            let place = |name: &str| match text(facts, name) {
                Some("system") => "the system key store",
                _ => "a file in the data folder",
            };
            let id = text(facts, "keyId").unwrap_or("?");
            if facts.and_then(|facts| facts.get("new")) == Some(&Value::Bool(true)) {
                format!("The chain is signed with a new key: {id}, in {}", place("to"))
            } else {
                format!("The signing key {id} moved from {} to {}", place("from"), place("to"))
            }
        }
        AuditEvent::ClockJumped => {
            let by = facts.and_then(|facts| facts.get("byMs")).and_then(Value::as_i64).unwrap_or_default();
            let way = if by < 0 { "was set back" } else { "jumped ahead (or this machine slept)" };
            format!("The clock {way} by {}", seconds(by.unsigned_abs()))
        }
        AuditEvent::ServerStarted => format!("{} started the server{}", who(), of("publicUrl")),
        AuditEvent::ServerCertificateChanged => format!("The server uses another certificate{}", of("sha256")),
        AuditEvent::UserSignedIn => {
            format!("{} signed in as {}{}", who(), text(facts, "role").unwrap_or("?"), of("issuer"))
        }
        AuditEvent::UserSignInRefused => match text(facts, "person") {
            Some(name) => format!("{} was not let in{}", person(name), of("reason")),
            None => format!("A sign-in was refused{}", of("reason")),
        },
        AuditEvent::TokenCreated => {
            format!("{} created an access token for {}{}", who(), text(facts, "role").unwrap_or("?"), of("name"))
        }
        AuditEvent::TokenRevoked => format!("{} revoked an access token{}", who(), of("name")),
        AuditEvent::WorkspaceChanged => format!("{} set the quota of a workspace{}", who(), of("name")),
        AuditEvent::WorkspaceRemoved => format!("{} removed a workspace{}", who(), of("name")),
        AuditEvent::WorkspaceAssigned => match text(facts, "workspace") {
            Some(name) => format!("{} moved a workflow to the workspace {name}{}", who(), of("workflowId")),
            None => format!("{} moved a workflow out of its workspace{}", who(), of("workflowId")),
        },
        AuditEvent::UserSignedOut if text(facts, "reason") == Some("ended") => {
            format!("{} ended the session of {}", who(), person(text(facts, "person").unwrap_or("?")))
        }
        AuditEvent::UserSignedOut if text(facts, "reason") == Some("signedOut") => format!("{} signed out", who()),
        AuditEvent::UserSignedOut => {
            let name = person(text(facts, "person").unwrap_or("?"));
            match text(facts, "message") {
                Some(message) => format!("The session of {name} ended: {message}"),
                None => format!("The session of {name} expired"),
            }
        }
        AuditEvent::UserRoleChanged => {
            let word = |key: &str| text(facts, key).unwrap_or("?");
            format!("{} is {} now, no longer {}", person(word("person")), word("role"), word("before"))
        }
        AuditEvent::PersonForgotten => {
            format!("{} freed the name {}", who(), person(text(facts, "person").unwrap_or("?")))
        }
        AuditEvent::AuditVerifyFailed => format!("The audit chain is broken{}", of("message")),
    }
}

#[cfg(test)]
mod tests;
