//! `mcp.tool`: one call of a tool of a server that a person approved on this machine. What its answer means is in
//! `tool_answer`.

use crate::support::{first, flag, made, setting, text, text_or, whole, wrong_setting};
use crate::tool_answer::{self as answers, Told};
use crate::tool_call::{self, DEFAULT_TIMEOUT_MS, LONGEST_TIMEOUT_MS, Wanted};
use crate::tool_question::{self, ANSWER_WITHIN_MS, LONGEST_ANSWER_MS};
use crate::{EffectFuture, Kind, Outcome, extract};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallOutput, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_ports::tools::ToolInfo;
use signalbox_ports::{CallLog, World};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
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
    let paths = extract::paths(slot)?;
    let handed_on = !arguments.is_empty() && first(slot).as_object() == Some(&arguments);
    // Before the server is asked: which arguments the step has is its own affair.
    let found = world.tools.list(server).await.map_err(|failure| answers::failed(failure, None));
    let found = match found {
        Ok(tools) => tools.into_iter().find(|info| info.name == tool).ok_or_else(|| answers::unknown(server, tool)),
        Err(failure) => Err(failure),
    };
    if let Ok(info) = &found {
        hand_on(call.timeout_ms.or(setting(slot, "timeoutMs").and(Some(timeout_ms))), info, &mut arguments);
    }
    let answer_within = answer_within(slot)?;
    let held = call.permits.held.as_ref();
    let reply = held.and_then(|held| tool_question::reply(&held.conversation, held.answer.as_ref()));
    let wanted = Wanted { tool, found, arguments, timeout_ms, handed_on, for_model: false, answer_within, reply };
    match tool_call::carry_out(call, wanted, world, log, |_| allowed).await {
        Ok(Told { result, envelope, .. }) => {
            let result = match paths {
                Some(paths) => Value::Object(extract::extract(&result, paths)?),
                None => result,
            };
            Ok(with_envelope(made(slot, result), envelope))
        }
        Err((failure, envelope)) if allowed && failure.held.is_none() => {
            Ok(with_envelope(made(slot, answers::allowed(tool, &failure)), envelope.unwrap_or_default()))
        }
        Err((failure, _)) => Err(failure),
    }
}

/// `_toolResult` of `out` and `print`.
fn with_envelope(mut output: CallOutput, envelope: Value) -> CallOutput {
    output.meta = Some(Arc::new(json!({ "toolResult": envelope })));
    output
}

/// The tool's name: of the config, or of an id like `Tool_010_ReadFile` (T-10).
fn tool<'a>(call: &'a Call, slot: &'a CallSlot) -> Result<&'a str, NodeFailure> {
    if setting(slot, "tool").is_some() {
        return text(slot, "tool");
    }
    signalbox_engine::agent::tool_in_id(&call.node_id)
        .ok_or_else(|| wrong_setting("tool", "the name of a tool", &Value::Null))
}

fn timeout(slot: &CallSlot) -> Result<u64, NodeFailure> {
    Ok(whole(slot, "timeoutMs", 1, LONGEST_TIMEOUT_MS)?.unwrap_or(DEFAULT_TIMEOUT_MS))
}

/// How long a question of the server waits for a person; `None` when it is declined.
fn answer_within(slot: &CallSlot) -> Result<Option<Duration>, NodeFailure> {
    let within = whole(slot, "answerWithinMs", 1_000, LONGEST_ANSWER_MS)?.unwrap_or(ANSWER_WITHIN_MS);
    match text_or(slot, "onQuestion", "ask")? {
        "ask" => Ok(Some(Duration::from_millis(within))),
        "decline" => Ok(None),
        _ => Err(wrong_setting("onQuestion", "ask or decline", &slot.config["onQuestion"])),
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
