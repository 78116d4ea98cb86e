//! `mcp.tool`: one call of a tool of a server that a person approved on this machine. What its answer means is in
//! `tool_answer`.

use crate::support::{flag, made, setting, text, wrong_setting};
use crate::tool_answer::{self as answers, Told};
use crate::{EffectFuture, Kind, Outcome};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallOutput, CallSlot};
use signalbox_engine::schema::Schema;
use signalbox_model::said::{ToolDone, ToolError, ToolMessage, ToolStart};
use signalbox_model::{NodeFailure, Said};
use signalbox_ports::tools::{ToolCall, ToolHearer, ToolInfo, ToolNotice};
use signalbox_ports::{CallLog, World};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const KIND: Kind = Kind::Effect(start);

const DEFAULT_TIMEOUT_MS: u64 = 60_000;
const LONGEST_TIMEOUT_MS: u64 = 3_600_000;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

/// The tool's notices go into the log of the run.
struct Ears<'a> {
    tool: &'a str,
    log: &'a dyn CallLog,
}

impl ToolHearer for Ears<'_> {
    fn notice(&self, notice: ToolNotice) {
        self.log.say(Said::ToolMessage(ToolMessage {
            name: self.tool.to_owned(),
            level: notice.level.to_owned(),
            message: notice.message,
            data: notice.data.map(Arc::new),
        }));
    }
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let (server, tool) = (text(slot, "server")?, tool(call, slot)?);
    let timeout_ms = timeout(slot)?;
    let allowed = flag(slot, "allowError", false)? || flag(slot, "continueOnError", false)?;
    let mut arguments = match setting(slot, "arguments") {
        None => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(other) => return Err(wrong_setting("arguments", "an object of name and value", other)),
    };
    // Before the server is asked: which arguments the step has is its own affair.
    let found = world.tools.list(server).await.map_err(|failure| answers::failed(failure, None));
    let found = match found {
        Ok(tools) => tools.into_iter().find(|info| info.name == tool).ok_or_else(|| answers::unknown(server, tool)),
        Err(failure) => Err(failure),
    };
    if let Ok(info) = &found {
        hand_on(call.timeout_ms.or(setting(slot, "timeoutMs").and(Some(timeout_ms))), info, &mut arguments);
    }
    log.say(Said::ToolStart(ToolStart {
        name: tool.to_owned(),
        input: Arc::new(Value::Object(arguments.clone())),
        input_summary: answers::summary(&Value::Object(arguments.clone())),
    }));
    let came = match found {
        Ok(info) => ask(call, &info, arguments, timeout_ms, world, &Ears { tool, log }).await,
        Err(failure) => Err((failure, None)),
    };
    match came {
        Ok(Told { result, envelope }) => {
            log.say(Said::ToolDone(ToolDone {
                name: tool.to_owned(),
                output_summary: answers::summary(&result),
                output: Arc::new(result.clone()),
                tool_result: Arc::new(envelope.clone()),
            }));
            Ok(with_envelope(made(slot, result), envelope))
        }
        Err((failure, envelope)) => {
            let output = allowed.then(|| answers::allowed(tool, &failure));
            log.say(Said::ToolError(ToolError {
                name: tool.to_owned(),
                error: Arc::new(answers::payload(call, &failure, world.clock.now_ms())),
                allow_error: allowed,
                output: output.clone().map(Arc::new),
                tool_result: envelope.clone().map(Arc::new),
            }));
            match output {
                Some(output) => Ok(with_envelope(made(slot, output), envelope.unwrap_or_default())),
                None => Err(failure),
            }
        }
    }
}

/// `_toolResult` of `out` and `print`.
fn with_envelope(mut output: CallOutput, envelope: Value) -> CallOutput {
    output.meta = Some(Arc::new(json!({ "toolResult": envelope })));
    output
}

async fn ask(
    call: &Call,
    info: &ToolInfo,
    arguments: Map<String, Value>,
    timeout_ms: u64,
    world: &World,
    ears: &Ears<'_>,
) -> Result<Told, (NodeFailure, Option<Value>)> {
    fits(info, &arguments).map_err(|failure| (failure, None))?;
    let timeout = Duration::from_millis(timeout_ms);
    let total = call.timeout_ms.map_or(Duration::from_millis(LONGEST_TIMEOUT_MS), Duration::from_millis);
    let asked = ToolCall { server: info.server.clone(), tool: info.name.clone(), arguments, timeout, total };
    let answer = world.tools.call(asked, ears).await.map_err(|failure| (answers::failed(failure, Some(info)), None))?;
    // Before anything is cut to a length: half a secret would not be found any more.
    let answer = answers::without_secrets(answer, &world.secrets.scrubber());
    answers::read(info, &call.idempotency_key, answer)
}

/// The tool's name: of the config, or of an id like `Tool_010_ReadFile` (T-10).
fn tool<'a>(call: &'a Call, slot: &'a CallSlot) -> Result<&'a str, NodeFailure> {
    if setting(slot, "tool").is_some() {
        return text(slot, "tool");
    }
    let of_id = call.node_id.strip_prefix("Tool_").and_then(|rest| rest.split_once('_'));
    let named = of_id
        .filter(|(number, name)| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) && !name.is_empty());
    named.map(|(_, name)| name).ok_or_else(|| wrong_setting("tool", "the name of a tool", &Value::Null))
}

fn timeout(slot: &CallSlot) -> Result<u64, NodeFailure> {
    match setting(slot, "timeoutMs") {
        None => Ok(DEFAULT_TIMEOUT_MS),
        Some(value) => value
            .as_u64()
            .filter(|ms| (1..=LONGEST_TIMEOUT_MS).contains(ms))
            .ok_or_else(|| wrong_setting("timeoutMs", "a whole number of milliseconds from 1 to 3600000", value)),
    }
}

/// A time limit that the step has goes along when the tool takes one and got none (T-06): in milliseconds (K-43).
fn hand_on(limit: Option<u64>, info: &ToolInfo, arguments: &mut Map<String, Value>) {
    let Some(limit) = limit else { return };
    let names = ["timeoutMs", "timeout"];
    if !names.iter().any(|name| arguments.contains_key(*name))
        && let Some(name) = names.into_iter().find(|name| info.input_schema["properties"].get(*name).is_some())
    {
        arguments.insert(name.to_owned(), limit.into());
    }
}

/// The arguments against the schema that was approved.
fn fits(info: &ToolInfo, arguments: &Map<String, Value>) -> Result<(), NodeFailure> {
    let refused = |message: String| {
        NodeFailure::validation("INPUT_INVALID", message)
            .detail("field", "arguments")
            .detail("tool", info.name.clone())
            .detail("schema", info.input_schema.clone())
    };
    let schema = Schema::compile(&info.input_schema).map_err(|why| {
        refused(format!("The arguments of '{}' cannot be checked, so it is not called: {why}", info.name))
    })?;
    schema.validate(&Value::Object(arguments.clone())).map_err(|found| {
        let told: Vec<Value> = found.iter().map(|one| json!({ "path": one.path, "message": one.message })).collect();
        let first = found.first().map_or_else(String::new, |one| format!(" at '{}': {}", one.path, one.message));
        refused(format!("The arguments do not fit the tool '{}'{first}", info.name)).detail("violations", told)
    })
}
