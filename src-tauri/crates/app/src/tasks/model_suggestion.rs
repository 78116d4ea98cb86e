//! A correction that a model suggests, when a person asks for one (UX D, quick correctors; ADR 52). The model gets what the
//! person sees, masks and all; its answer is judged like a correction, and taken only when somebody takes it.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{SuggestionSource, TaskSuggestion};
use crate::error::{ApiError, ApiResult, Class};
use crate::tasks::answer::{self, act_record};
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallKey, CallOutput, CallSlot};
use signalbox_engine::patch::{self, Operation};
use signalbox_engine::schema::place_words;
use signalbox_model::budget::Budget;
use signalbox_model::call_progress::UNASKED;
use signalbox_model::event::Telemetry;
use signalbox_model::hash::sha256_parts;
use signalbox_model::{
    AuditEvent, CallProgress, Effects, ErrorPayload, EventBody, Item, Mode, NodeFailure, TaskAction, TaskState,
    Workflow, time, wire,
};
use signalbox_nodes::progress_reporter;
use signalbox_ports::{CallLog, Scrubber};
use signalbox_runtime::run_masks::ERROR;
use signalbox_store::{TaskAct, TaskRecord, mask::Masks};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// The kind whose code asks.
const KIND: &str = "builtin.self_healing";
/// Longest wait for an answer.
const LIMIT_MS: u64 = 60_000;
/// Longest answer, in tokens.
const MAX_TOKENS: u32 = 8_192;
/// Questions at once, of all people together.
const AT_ONCE: usize = 4;
/// Changes that are shown as lines, and characters of a value in one.
const SHOWN: usize = 20;
const LINE: usize = 60;
/// Longest change that the audit entry holds, in bytes of JSON.
const RECORDED: usize = 8_192;

/// Questions that are under way, by task.
#[derive(Default)]
pub(crate) struct Suggesting(Mutex<BTreeMap<String, Arc<Notify>>>);

impl Suggesting {
    fn begin(&self, task_id: &str) -> ApiResult<Under<'_>> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.contains_key(task_id) {
            return Err(conflict("A model is being asked about this task already.", "Wait for its answer."));
        }
        if open.len() >= AT_ONCE {
            let message = format!("{AT_ONCE} questions to the model are under way.");
            return Err(ApiError::unavailable("BUSY", message, "Try again when one of them is answered."));
        }
        let stop = Arc::new(Notify::new());
        open.insert(task_id.to_owned(), Arc::clone(&stop));
        Ok(Under { all: self, task: task_id.to_owned(), stop })
    }

    fn stop(&self, task_id: &str) {
        if let Some(stop) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(task_id) {
            stop.notify_one();
        }
    }
}

/// One question, until it is dropped.
struct Under<'a> {
    all: &'a Suggesting,
    task: String,
    stop: Arc<Notify>,
}

impl Drop for Under<'_> {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.task);
    }
}

/// What came of a question, for the audit chain.
struct Suggestion {
    model: String,
    tokens: Option<u64>,
    facts: Value,
    words: String,
}

/// Hears what the question cost: no run asked it, so its sum stands with those of the day.
struct Paid {
    told: Mutex<Vec<EventBody>>,
    scrubber: Arc<Scrubber>,
}

impl CallLog for Paid {
    fn say(&self, said: CallProgress) {
        let said = progress_reporter::clean(&self.scrubber, said);
        if let Ok(body @ EventBody::Telemetry(Telemetry::LlmDone(_) | Telemetry::LlmError(_))) =
            EventBody::try_from(said)
        {
            self.told.lock().unwrap_or_else(PoisonError::into_inner).push(body);
        }
    }
}

impl Paid {
    fn add_up(self, app: &App) -> ApiResult<()> {
        let told = self.told.into_inner().unwrap_or_else(PoisonError::into_inner);
        let at = time::format(app.now_ms());
        told.iter().try_for_each(|body| app.store.usage_without_run(&at, body)).map_err(ApiError::from)
    }
}

/// Asks the default model of this machine for a correction.
pub(crate) fn suggest(app: &App, caller: &Caller, task_id: &str) -> ApiResult<TaskSuggestion> {
    let record = answer::record(app, task_id)?;
    if record.row.state != TaskState::Open || !record.created.allowed_actions.contains(&TaskAction::Correct) {
        let message = "Nobody can correct the input of this task, so there is nothing to suggest.";
        return Err(conflict(message, "Look at the task again; it may have been answered."));
    }
    let under = app.suggesting.begin(task_id)?;
    let mut masks = Masks::new(&record.created.redact);
    let (input, _) = masks.input(&record.created.input);
    let call = question(&record, &input, &mut masks);
    let code = signalbox_nodes::kind(KIND).ok_or_else(|| ApiError::not_found("There is no such kind."))?;
    let paid = Paid { told: Mutex::default(), scrubber: app.world.secrets.scrubber() };
    let asked = app.wait_for(Box::pin(async {
        let answered = signalbox_nodes::run_call(code, &call, &app.world, &paid);
        tokio::select! {
            answered = answered => answered.into_iter().next().map(|(_, outcome)| outcome),
            () = under.stop.notified() => None,
        }
    }))?;
    drop(under);
    let added = paid.add_up(app);
    match asked {
        None => {
            let words = "The question was stopped before there was an answer".to_owned();
            let told = Suggestion { model: "default".into(), tokens: None, facts: json!({ "stopped": true }), words };
            kept(app, caller, &record, told)?;
            added?;
            Err(conflict("The question was stopped.", "Ask again, or correct the input yourself."))
        }
        Some(Err(failure)) => {
            if !UNASKED.contains(&failure.code.as_str()) {
                let detail = |name: &str| failure.details.get(name).cloned().unwrap_or_default();
                let told = Suggestion {
                    model: detail("model").as_str().filter(|name| !name.is_empty()).unwrap_or("default").to_owned(),
                    tokens: detail("tokens").as_u64(),
                    facts: json!({ "accepted": false, "code": failure.code }),
                    words: "It gave nothing that can be used".into(),
                };
                kept(app, caller, &record, told)?;
            }
            added?;
            Err(unanswered(&failure))
        }
        Some(Ok(output)) => {
            let answer = answered(app, caller, &record, &input, output);
            added.and(answer)
        }
    }
}

/// Nobody waits for the answer any more.
pub(crate) fn stop(app: &App, task_id: &str) {
    app.suggesting.stop(task_id);
}

/// The question of a healer, about what a person sees.
fn question(record: &TaskRecord, input: &Value, masks: &mut Masks) -> Call {
    let created = &record.created;
    let shape = || json!({ "type": wire::json_type(&created.input) });
    let error = created.error.as_ref().and_then(|error| serde_json::to_value(&**error).ok());
    let error = error.map(|error| masks.inside(&error, ERROR));
    let error = error.and_then(|error| serde_json::from_value::<ErrorPayload>(error).ok()).map(Arc::new);
    let asked = json!({
        "payload": input,
        "schema": created.schema.clone().unwrap_or_else(shape),
        "refused": [],
    });
    let id: Arc<str> = Arc::from(record.row.id.as_str());
    Call {
        key: CallKey { path: Arc::from(""), node: 0, item: None, visit: 1, attempt: 0, origin: None },
        node_id: Arc::clone(&id),
        kind: Arc::from(KIND),
        mode: Mode::Each,
        effects: Effects::Read,
        slots: vec![CallSlot {
            item: 0,
            config: Arc::new(json!({ "modelHints": { "maxTokens": MAX_TOKENS } })),
            input: Arc::new(vec![Item { error, ..Item::new("1", asked) }].into()),
            scope: signalbox_engine::scope::Scope::empty(),
            sources: Vec::new(),
        }],
        timeout_ms: Some(LIMIT_MS),
        idempotency_key: sha256_parts(&[b"suggest", id.as_bytes()]),
        loopback_allowed: false,
        model: None,
        connector: None,
        workflow: Arc::new(Workflow::empty("suggest", "")),
        launch_id: String::new(),
        run_id: Arc::from(record.row.run_id.as_str()),
        workflow_id: Arc::from(record.row.workflow_id.as_str()),
        // A person asks, not the run: the limit of the machine holds, those of the run and its workflow do not.
        budget: Budget::default(),
        permits: signalbox_engine::effect::Permits::default(),
        fault: None,
    }
}

/// Judges an answer like a correction that a person sends.
fn answered(
    app: &App,
    caller: &Caller,
    record: &TaskRecord,
    input: &Value,
    output: CallOutput,
) -> ApiResult<TaskSuggestion> {
    let meta = output.meta.unwrap_or_default();
    let model = meta["model"].as_str().filter(|name| !name.is_empty()).unwrap_or("default").to_owned();
    let tokens = meta["usage"]["total_tokens"].as_u64();
    let data = output.ports.values().find_map(|items| items.data(0)).unwrap_or_default();
    // Hidden values may stay where they are; elsewhere they would be shown.
    let meant = answer::lift(app, record, (*data).clone());
    let violations = match &meant {
        Ok(meant) => answer::masked(&mut answer::masks(app, record)?, answer::violations(record, meant)),
        Err(_) => Vec::new(),
    };
    let valid = meant.is_ok() && violations.is_empty();
    let operations = patch::diff(input, &data);
    let delta = operations.len();
    let usable = meant.is_ok() && delta > 0;
    let patch = serde_json::to_value(&operations).unwrap_or_default();
    let mut facts = json!({ "accepted": usable && valid, "delta": delta });
    if patch.to_string().len() <= RECORDED {
        facts["patch"] = patch;
    } else {
        facts["patchHash"] = signalbox_model::hash::sha256_hex(patch.to_string().as_bytes()).into();
    }
    let count = if delta == 1 { "one change".to_owned() } else { format!("{delta} changes") };
    let told = Suggestion { model: model.clone(), tokens, facts, words: format!("It suggested {count}") };
    kept(app, caller, record, told)?;
    if !usable {
        let message = match meant {
            Err(_) => format!("The model {model} moved values that are hidden, so its suggestion is not shown."),
            Ok(_) => format!("The model {model} has no correction to suggest."),
        };
        return Err(no_suggestion(message, "Correct the input yourself."));
    }
    let end = match violations.first() {
        None if record.created.schema.is_some() => "the input then fits the schema.".to_owned(),
        None => "no schema describes the input, so check it carefully.".to_owned(),
        Some(first) if first.path.is_empty() => format!("some of the input still does not fit: {}", first.message),
        Some(first) => {
            let place = place_words(record.created.schema.as_ref(), input, &first.path);
            format!("some of the input still does not fit: {place}: {}", first.message)
        }
    };
    Ok(TaskSuggestion {
        source: SuggestionSource::Llm,
        corrected_input: (*data).clone(),
        rationale: format!("The model {model} suggests {count}; {end}"),
        valid,
        changes: in_lines(&operations, input, record.created.schema.as_ref()),
    })
}

/// What differs between two inputs, a line each.
pub(crate) fn lines(before: &Value, after: &Value, schema: Option<&Value>) -> Vec<String> {
    in_lines(&patch::diff(before, after), before, schema)
}

fn in_lines(operations: &[Operation], input: &Value, schema: Option<&Value>) -> Vec<String> {
    operations.iter().take(SHOWN).filter_map(|operation| change(operation, input, schema)).collect()
}

/// One change in a line, as people write it.
fn change(operation: &Operation, input: &Value, schema: Option<&Value>) -> Option<String> {
    let name = |path: &str| place_words(schema, input, path);
    let short = |value: &Value| {
        let text = value.to_string();
        if text.chars().count() > LINE { format!("{}…", text.chars().take(LINE).collect::<String>()) } else { text }
    };
    match operation {
        Operation::Replace { path, value } if path.is_empty() => Some(short(value)),
        Operation::Replace { path, value } => {
            let before = input.pointer(path).map(short).unwrap_or_default();
            Some(format!("{}: {before} → {}", name(path), short(value)))
        }
        Operation::Add { path, value } => Some(format!("{}: + {}", name(path), short(value))),
        Operation::Remove { path } => {
            Some(format!("{}: − {}", name(path), input.pointer(path).map(short).unwrap_or_default()))
        }
        // A difference says none of these.
        Operation::Move { .. } | Operation::Copy { .. } | Operation::Test { .. } => None,
    }
}

/// Who asked, which model, what it said: it was paid for, whatever becomes of it.
fn kept(app: &App, caller: &Caller, record: &TaskRecord, told: Suggestion) -> ApiResult<()> {
    let Suggestion { model, tokens, mut facts, words } = told;
    facts["model"] = model.as_str().into();
    if let Some(tokens) = tokens {
        facts["tokens"] = tokens.into();
    }
    let now = app.now_ms();
    let entry = act_record(caller, &record.row, AuditEvent::CorrectionSuggested, now, facts);
    let note = Some(format!("{model}: {words}"));
    let done = app.store.act_on_task(&record.row.id, TaskAct::Suggest, &caller.principal, note, now, entry);
    done.map(drop).map_err(answer::from_task_error)
}

fn conflict(message: &str, hint: &str) -> ApiError {
    ApiError::new(Class::Conflict, "CONFLICT", message, hint)
}

fn no_suggestion(message: impl Into<String>, hint: &str) -> ApiError {
    ApiError::new(Class::Unavailable, "NO_SUGGESTION", message, hint)
}

fn unanswered(failure: &NodeFailure) -> ApiError {
    let message = failure.message.trim_end_matches('.');
    match failure.code.as_str() {
        "NOT_CONFIGURED" => ApiError::new(
            Class::Conflict,
            "NO_MODEL",
            "There is no default model on this machine.",
            "Choose one in Settings, Models (`signalbox models default`).",
        ),
        "SECRET_IN_INPUT" => {
            no_suggestion("The input holds a secret, which no model is shown.", "Correct it yourself.")
        }
        "NON_JSON" | "NO_STRUCTURED_OUTPUT" | "SCHEMA_MISMATCH" | "TRUNCATED" => no_suggestion(
            format!("The model has no correction that can be used: {message}."),
            "Ask again, or correct it yourself.",
        ),
        _ => no_suggestion(
            format!("The model could not be asked: {message}."),
            "Look at Settings, Models, or correct it yourself.",
        ),
    }
}
