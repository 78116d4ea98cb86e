//! `llm.chat`: one question to a language model, which may use tools; answered as text or in a form that is checked.

use crate::llm::agent_loop::{Rounds, TURNS};
use crate::llm::completion::{Talk, message};
use crate::llm::form::Form;
use crate::llm::images;
use crate::llm::settings::{both, number, request, texts};
use crate::llm::skills;
use crate::llm::suspended_call;
use crate::llm::tool_approval::Gate;
use crate::llm::toolset::Toolset;
use crate::llm::transcript::Transcript;
use crate::support::{kind_of, made, setting, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, file_error};
use serde_json::Value;
use signalbox_engine::agent;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_model::descriptor::LEARN;
use signalbox_ports::llm::{Message, Role};
use signalbox_ports::{CallLog, World};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

/// Largest document that goes along.
const DOCUMENT: u64 = 1 << 20;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let form = form(call, slot, world).await?;
    let question = match &call.permits.held {
        None => {
            let system = system(call, slot, world, form.as_ref()).await?;
            let mut messages = messages(slot)?;
            images::put(call, slot, world, &mut messages).await?;
            request(call, slot, system, messages)?
        }
        // What it says is in the conversation that waited: a file that went away meanwhile is not needed any more.
        Some(_) => request(call, slot, None, Vec::new())?,
    };
    let reasks = number(slot, "maxReasks", 0, 5)?.unwrap_or(1);
    let turns = number(slot, "maxTurns", 1, 100)?.unwrap_or(TURNS);
    let names = agent::tools(&[], &texts(slot, "tools")?).map_err(both)?;
    let skilled = names.iter().any(|name| name.starts_with(LEARN));
    let skills = if skilled { skills::of(call, world).await? } else { Vec::new() };
    let kit = Toolset::gather(&names, skills, world).await?;
    let mut talk = Talk::new(world, log);
    let mut said = Transcript::passing(question);
    let gate = Gate::of(call, slot, &kit);
    let rounds = Rounds { call, world, log, kit: &kit, form: form.as_ref(), turns, reasks, gate };
    match rounds.lead(&mut talk, &mut said).await {
        Ok(ended) => {
            let mut meta = talk.done();
            if form.is_some() {
                meta["reasks"] = ended.reasked.into();
                meta["repaired"] = ended.formed.mended.into();
            }
            if !kit.is_empty() {
                meta["turns"] = ended.turns.into();
            }
            let mut output = made(slot, ended.formed.value);
            output.meta = Some(Arc::new(meta));
            Ok(output)
        }
        Err(failure) => Err(talk.failed(failure)),
    }
}

/// `prompt`, or the whole conversation.
fn messages(slot: &CallSlot) -> Result<Vec<Message>, NodeFailure> {
    let wrong = |words: &str| NodeFailure::validation("INPUT_INVALID", words).detail("field", "messages");
    match (setting(slot, "prompt"), setting(slot, "messages")) {
        (Some(Value::String(prompt)), None) => Ok(vec![message(Role::User, prompt.as_str())]),
        (Some(other), None) => Err(wrong_setting("prompt", "text", other)),
        (None, Some(Value::Array(list))) if !list.is_empty() => list
            .iter()
            .map(|one| {
                let role = match one.get("role").and_then(Value::as_str) {
                    Some("user") => Role::User,
                    Some("assistant") => Role::Assistant,
                    _ => return Err(wrong("The 'role' of a message is user or assistant")),
                };
                let content = one.get("content").unwrap_or(&Value::Null);
                let content = content.as_str().ok_or_else(|| {
                    wrong(&format!("The 'content' of a message is text, but here it is {}", kind_of(content)))
                })?;
                Ok(message(role, content))
            })
            .collect(),
        (None, Some(other)) => Err(wrong_setting("messages", "a list of {role, content} that is not empty", other)),
        (Some(_), Some(_)) => Err(wrong("Give either 'prompt' or 'messages', not both")),
        (None, None) => Err(wrong("There is no question: give 'prompt' or 'messages'")),
    }
}

/// Instructions, what the answer must be, and documents.
async fn system(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    form: Option<&Form>,
) -> Result<Option<String>, NodeFailure> {
    let mut parts = Vec::new();
    match setting(slot, "system") {
        None => {}
        Some(Value::String(text)) => parts.push(text.clone()),
        Some(other) => return Err(wrong_setting("system", "text", other)),
    }
    parts.extend(form.map(Form::in_words));
    for path in texts(slot, "docs")? {
        let text = document(call, world, &path).await?;
        parts.push(format!("Document {path}:\n{text}"));
    }
    Ok((!parts.is_empty()).then(|| parts.join("\n\n")))
}

/// A text file of a granted folder.
async fn document(call: &Call, world: &World, path: &str) -> Result<String, NodeFailure> {
    let read = world.files.read(&call.workflow_id, path, DOCUMENT).await;
    let bytes = read.map_err(|error| file_error::file_failure(error, path))?;
    String::from_utf8(bytes).map_err(|_| {
        NodeFailure::validation("INPUT_INVALID", format!("'{path}' is no text, so a model cannot read it"))
            .detail("path", path)
    })
}

/// The form of the answer, if it must have one.
async fn form(call: &Call, slot: &CallSlot, world: &World) -> Result<Option<Form>, NodeFailure> {
    let wrong = |words: &str| NodeFailure::validation("INPUT_INVALID", words).detail("field", "output");
    let Some(output) = setting(slot, "output") else { return Ok(None) };
    let Value::Object(output) = output else { return Err(wrong_setting("output", "an object", output)) };
    let schema = output.get("schema").filter(|schema| !schema.is_null());
    let reference = output.get("schemaRef").and_then(Value::as_str);
    match (output.get("type").and_then(Value::as_str).unwrap_or("json_schema"), schema, reference) {
        ("text", None, None) => Ok(None),
        ("json_object", None, None) => Form::object().map(Some),
        ("json_schema", Some(schema), None) => Form::of(schema.clone()).map(Some),
        ("json_schema", None, Some(path)) => {
            if let Some(known) =
                call.permits.held.as_ref().and_then(|waited| suspended_call::schema(&waited.conversation))
            {
                return Form::read_from_file(known.clone()).map(Some);
            }
            let text = document(call, world, path).await?;
            let schema = serde_json::from_str(&text)
                .map_err(|error| wrong(&format!("The schema in '{path}' is no JSON: {error}")))?;
            Form::read_from_file(schema).map(Some)
        }
        ("json_schema", None, None) => Err(wrong("A form by schema needs 'schema' or 'schemaRef'")),
        (_, Some(_), Some(_)) => Err(wrong("Give either 'schema' or 'schemaRef', not both")),
        ("text" | "json_object", ..) => Err(wrong("Only the type json_schema has a schema")),
        _ => Err(wrong("'output.type' is text, json_object or json_schema")),
    }
}
