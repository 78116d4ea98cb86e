//! One call of a tool of an approved server, told to the log of the run from its start to its end.

use crate::llm::tool_images;
use crate::tool_answer::{self as answers, Told};
use crate::tool_question::{self, Reply};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::Call;
use signalbox_model::call_progress::{ToolDone, ToolError, ToolMessage, ToolStart};
use signalbox_model::{CallProgress, NodeFailure};
use signalbox_ports::tools::{ToolCall, ToolHearer, ToolInfo, ToolNotice};
use signalbox_ports::{CallLog, World};
use std::sync::Arc;
use std::time::Duration;

/// Longest silence, where nobody says another.
pub(crate) const DEFAULT_TIMEOUT_MS: u64 = 60_000;
/// Longest silence that may be asked for, and the longest call of a step without a time limit.
pub(crate) const LONGEST_TIMEOUT_MS: u64 = 3_600_000;

/// A failure, with the answer as it came if there was one.
pub(crate) type Failed = (NodeFailure, Option<Value>);

/// What is called.
pub(crate) struct Wanted<'a> {
    /// The tool's name at its server.
    pub(crate) tool: &'a str,
    /// The tool as it was approved, or why it is not called.
    pub(crate) found: Result<ToolInfo, NodeFailure>,
    pub(crate) arguments: Map<String, Value>,
    /// Longest silence.
    pub(crate) timeout_ms: u64,
    /// The arguments are the step's item as it came: what they should have been is asked of the item.
    pub(crate) handed_on: bool,
    /// A model is asked with the answer: it sees pictures, which do not stand in the answer or in the log then.
    pub(crate) for_model: bool,
    /// How long a question of the server waits for a person; without it, questions are declined.
    pub(crate) answer_within: Option<Duration>,
    /// The call is open already and waits for this.
    pub(crate) reply: Option<Reply>,
}

/// The tool's notices go into the log of the run.
struct Ears<'a> {
    tool: &'a str,
    log: &'a dyn CallLog,
}

impl ToolHearer for Ears<'_> {
    fn notice(&self, notice: ToolNotice) {
        self.log.say(CallProgress::ToolMessage(ToolMessage {
            name: self.tool.to_owned(),
            level: notice.level.to_owned(),
            message: notice.message,
            data: notice.data.map(Arc::new),
        }));
    }
}

/// Calls a tool. `goes_on` says which failures the step lives with.
pub(crate) async fn carry_out(
    call: &Call,
    wanted: Wanted<'_>,
    world: &World,
    log: &dyn CallLog,
    goes_on: impl Fn(&Failed) -> bool + Send,
) -> Result<Told, Failed> {
    let Wanted { tool, found, arguments, timeout_ms, handed_on, for_model, answer_within, reply } = wanted;
    let mut input = Value::Object(arguments.clone());
    // As with the answer: half a secret in the summary would not be found any more.
    world.secrets.scrubber().value(&mut input);
    log.say(CallProgress::ToolStart(ToolStart {
        name: tool.to_owned(),
        input_summary: answers::summary(&input),
        input: Arc::new(input),
    }));
    let came = match found {
        Ok(info) => {
            let asked = Asking { arguments, timeout_ms, for_model, answer_within, reply };
            ask(call, &info, asked, world, &Ears { tool, log }).await
        }
        Err(failure) => Err((failure, None)),
    };
    let came =
        came.map_err(|(failure, envelope)| (if handed_on { answers::of_item(failure) } else { failure }, envelope));
    match &came {
        Ok(Told { result, envelope, .. }) => log.say(CallProgress::ToolDone(ToolDone {
            name: tool.to_owned(),
            output_summary: answers::summary(result),
            output: Arc::new(result.clone()),
            tool_result: Arc::new(envelope.clone()),
        })),
        // The call is still open: a person is asked.
        Err((failure, _)) if failure.held.is_some() => log.say(CallProgress::ToolMessage(ToolMessage {
            name: tool.to_owned(),
            level: "info".to_owned(),
            message: failure.message.clone(),
            data: None,
        })),
        Err(failed) => {
            let allowed = goes_on(failed);
            let (failure, envelope) = failed;
            log.say(CallProgress::ToolError(ToolError {
                name: tool.to_owned(),
                error: Arc::new(answers::payload(call, failure, world.clock.now_ms())),
                allow_error: allowed,
                output: allowed.then(|| Arc::new(answers::allowed(tool, failure))),
                tool_result: envelope.clone().map(Arc::new),
            }));
        }
    }
    came
}

struct Asking {
    arguments: Map<String, Value>,
    timeout_ms: u64,
    for_model: bool,
    answer_within: Option<Duration>,
    reply: Option<Reply>,
}

async fn ask(
    call: &Call,
    info: &ToolInfo,
    Asking { arguments, timeout_ms, for_model, answer_within, reply }: Asking,
    world: &World,
    ears: &Ears<'_>,
) -> Result<Told, Failed> {
    let answer = match reply {
        Some(reply) => world.tools.resume(&reply.question, reply.said, ears).await,
        None => {
            fits(info, &arguments).map_err(|failure| (failure, None))?;
            let timeout = Duration::from_millis(timeout_ms);
            let total = call.timeout_ms.map_or(Duration::from_millis(LONGEST_TIMEOUT_MS), Duration::from_millis);
            let (server, tool, run) = (info.server.clone(), info.name.clone(), Arc::clone(&call.run_id));
            world.tools.call(ToolCall { server, tool, arguments, timeout, total, run, answer_within }, ears).await
        }
    };
    let answer = answer.map_err(|failure| (tool_question::failed(failure, info, answer_within), None))?;
    // Before anything is cut to a length: half a secret would not be found any more.
    let mut answer = answers::without_secrets(answer, &world.secrets.scrubber());
    let shown = if for_model { tool_images::taken(call, info, world, &mut answer).await } else { Vec::new() };
    let told = |failure: &NodeFailure, now| answers::payload(call, failure, now);
    answers::read(info, &call.idempotency_key, answer, told).map(|told| Told { shown, ..told })
}

/// The arguments against the schema that was approved.
pub(crate) fn fits(info: &ToolInfo, arguments: &Map<String, Value>) -> Result<(), NodeFailure> {
    let schema = answers::schema_of(info)?;
    schema.validate(&Value::Object(arguments.clone())).map_err(|found| {
        let told: Vec<Value> = found.iter().map(|one| json!({ "path": one.path, "message": one.message })).collect();
        let first = found.first().map_or_else(String::new, |one| format!(": {}", one.told()));
        let words = format!("The arguments do not fit the tool '{}'{first}", info.name);
        let failure = NodeFailure::validation("INPUT_INVALID", words)
            .detail("field", "arguments")
            .detail("tool", info.name.clone());
        answers::with_arguments(failure, info).detail("violations", told)
    })
}
