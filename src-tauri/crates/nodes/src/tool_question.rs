//! A tool server that asks back during a call (MCP elicitation): the question as a task for a person, and the answer as the
//! server takes it. The call stays open in the process that made it (ADR 126).

use crate::tool_answer;
use serde_json::{Map, Value, json};
use signalbox_engine::effect::ToolAnswer;
use signalbox_engine::question::{INPUT_REQUIRED, LIVE, QUESTION};
use signalbox_model::text::one_line;
use signalbox_model::{NodeFailure, SuggestedAction};
use signalbox_ports::tools::{ToolFailure, ToolInfo, ToolQuestion, ToolReply};
use std::sync::Arc;
use std::time::Duration;

/// How long a question waits where nobody says another time.
pub(crate) const ANSWER_WITHIN_MS: u64 = 3_600_000;
/// The longest time: the call of the server is open for so long.
pub(crate) const LONGEST_ANSWER_MS: u64 = 86_400_000;

/// Words by which a field asks for what nobody should hand to a server in a form.
const SECRETS: [&str; 18] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "secrets",
    "token",
    "apikey",
    "credential",
    "credentials",
    "pin",
    "cvv",
    "cvc",
    "otp",
    "totp",
    "ssn",
    "iban",
];
/// The same in several words.
const SECRET_PHRASES: [&str; 6] =
    ["api key", "access key", "private key", "card number", "security code", "recovery code"];

/// A call that waits for its answer.
pub(crate) struct Reply {
    pub(crate) question: String,
    pub(crate) said: ToolReply,
}

/// The failure of a call of a tool; the pause of one that asks back.
pub(crate) fn failed(failure: ToolFailure, info: &ToolInfo, answer_within: Option<Duration>) -> NodeFailure {
    match &failure.asks {
        Some(question) => asks(question, info, answer_within.unwrap_or_default()),
        None => tool_answer::failed(failure, Some(info)),
    }
}

fn asks(question: &ToolQuestion, info: &ToolInfo, answer_within: Duration) -> NodeFailure {
    let from = format!("{} ({})", info.server, one_line(&info.name).chars().take(100).collect::<String>());
    let mut message = if question.message.trim().is_empty() {
        "The server needs more information and does not say which".to_owned()
    } else {
        question.message.clone()
    };
    if let Some(what) = secret_in(question) {
        message = format!(
            "Warning: this asks for what looks like a secret ({what}). The answer is stored in the log of the run and sent to \
             the server. Decline unless you are sure.\n\n{message}"
        );
    }
    let mut schema = question.schema.clone();
    schema["additionalProperties"] = false.into();
    let mut failure = NodeFailure::tool(INPUT_REQUIRED, format!("The tool server '{}' asks: {message}", info.server))
        .suggest(SuggestedAction::HumanReview)
        .detail("tool", info.name.clone())
        .detail("server", info.server.clone())
        .detail(
            QUESTION,
            json!({
                "from": from, "message": message, "values": defaults(&schema), "schema": schema,
                "ttlMs": u64::try_from(answer_within.as_millis()).unwrap_or(LONGEST_ANSWER_MS), LIVE: true,
            }),
        )
        // A question, not a fault: it is not the first thing that an operator has to see.
        .detail("severity", "WARN");
    failure.held = Some(Arc::new(json!({ "question": question.id, "defaults": defaults(&schema) })));
    failure
}

/// What the server is told of what a person said; `held` is that of the failure. `None` when it is of another kind.
pub(crate) fn reply(held: &Value, answer: Option<&ToolAnswer>) -> Option<Reply> {
    let question = held.get("question")?.as_str()?.to_owned();
    let said = match answer {
        Some(answer) if answer.allowed => {
            let mut values = held.get("defaults").and_then(Value::as_object).cloned().unwrap_or_default();
            let given = answer.values.as_deref().and_then(Value::as_object);
            values.extend(given.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
            ToolReply::Accept(Value::Object(values))
        }
        Some(answer) if !answer.expired => ToolReply::Decline,
        _ => ToolReply::Cancel,
    };
    Some(Reply { question, said })
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn defaults(schema: &Value) -> Map<String, Value> {
    properties(schema).filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone()))).collect()
}

/// What of a question looks like a request for a secret.
fn secret_in(question: &ToolQuestion) -> Option<String> {
    let field = properties(&question.schema).find(|(name, field)| {
        let texts = ["title", "description"].map(|key| field.get(key).and_then(Value::as_str).unwrap_or_default());
        is_secret(name) || texts.into_iter().any(is_secret)
    });
    let named = |(name, _): (&String, &Value)| one_line(name).chars().take(60).collect();
    field.map(named).or_else(|| is_secret(&question.message).then(|| "its text".to_owned()))
}

fn is_secret(text: &str) -> bool {
    let mut words = String::with_capacity(text.len() + 8);
    let mut was_lower = false;
    for c in text.chars() {
        // `apiKey`, `api_key` and `API key` are one.
        if c.is_uppercase() && was_lower || !c.is_alphanumeric() {
            words.push(' ');
        }
        words.extend(c.is_alphanumeric().then(|| c.to_lowercase()).into_iter().flatten());
        was_lower = c.is_lowercase();
    }
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    line.split(' ').any(|word| SECRETS.contains(&word))
        || SECRET_PHRASES.iter().any(|phrase| format!(" {line} ").contains(&format!(" {phrase} ")))
}

#[cfg(test)]
mod tests;
