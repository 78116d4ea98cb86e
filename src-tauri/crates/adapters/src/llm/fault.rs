//! What goes wrong with a model, in plain words (PLATFORM, error mapping).

use crate::RealClock;
use crate::http::Opened;
use serde_json::Value;
use signalbox_model::budget::{BudgetScope, UsedUp};
use signalbox_model::money;
use signalbox_model::text::bytes_without_bom;
use signalbox_ports::llm::{LlmFailure, LlmFault};
use signalbox_ports::{Clock as _, HttpError, Scrubber, in_words, retry_after};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Most of what a provider says about its failure that is told.
const MOST_SAID: usize = 400;

/// Who does not answer, and what their words must not tell.
#[derive(Clone)]
pub(super) struct Who {
    name: String,
    scrubber: Arc<Scrubber>,
    /// A key goes along.
    keyed: bool,
}

impl Who {
    /// A text of the provider without the secrets that this process knows: before it is cut.
    pub(super) fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.scrubber.text(text)
    }
    pub(super) fn named(name: &str, scrubber: Arc<Scrubber>) -> Self {
        Self { name: format!("The model provider '{name}'"), scrubber, keyed: false }
    }
    pub(super) fn with_key(self, keyed: bool) -> Self {
        Self { keyed, ..self }
    }
    pub(super) fn inline(base: &Url, scrubber: Arc<Scrubber>) -> Self {
        let port = base.port().map(|port| format!(":{port}")).unwrap_or_default();
        Self {
            name: format!("The model provider at {}{port}", base.host_str().unwrap_or_default()),
            scrubber,
            keyed: false,
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

pub(super) fn new(fault: LlmFault, message: impl Into<String>) -> LlmFailure {
    LlmFailure { fault, message: message.into(), status: None, retry_after_ms: None, used_up: None }
}

/// In words for the person who is asked for more.
pub(super) fn used_up(used_up: UsedUp) -> LlmFailure {
    let (spent, limit) = (money::words(used_up.spent_micros), money::words(used_up.limit_micros));
    let whose = match used_up.scope {
        BudgetScope::Run => "The budget of this run",
        BudgetScope::WorkflowDay => "The budget of this workflow for today (UTC)",
        BudgetScope::Day => "The budget of this machine for today (UTC)",
    };
    let message = format!("{whose} is used up: {spent} of {limit} are spent. Approve more, or raise the budget");
    LlmFailure { used_up: Some(Box::new(used_up)), ..new(LlmFault::BudgetExceeded, message) }
}

pub(super) fn unknown(name: &str) -> LlmFailure {
    new(
        LlmFault::NotConfigured,
        format!(
            "There is no model provider '{name}' on this machine. Add it in Settings, Models, or choose another one"
        ),
    )
}

pub(super) fn no_model() -> LlmFailure {
    new(
        LlmFault::NotConfigured,
        "No model is named, and this machine has no default for it. Name one in the step, or choose one in Settings, Models",
    )
}

pub(super) fn timeout(who: &Who, limit: Duration) -> LlmFailure {
    new(LlmFault::Timeout, format!("{who} did not finish its answer within {}", in_words(limit)))
}

/// The answer ended before the model said that it has ended.
pub(super) fn cut(who: &Who) -> LlmFailure {
    new(LlmFault::Connection, format!("{who} stopped in the middle of its answer: the connection was cut off"))
}

pub(super) fn bad_answer(who: &Who, why: &str) -> LlmFailure {
    new(
        LlmFault::BadAnswer,
        format!("{who} sent what is no answer of a model: {why}. Check its kind and its address in Settings, Models"),
    )
}

/// An answer that is compressed although the question allowed no coding.
pub(super) fn compressed(who: &Who, coding: &str) -> LlmFailure {
    let coding: String = coding.chars().take(40).collect();
    let message = format!(
        "{who} compresses its answers unasked (header Content-Encoding: {coding}), and answers of models are read as they come. \
         Switch compression off at the server, or at the proxy before it"
    );
    new(LlmFault::BadAnswer, message)
}

/// A stream that ended in order before its first event.
pub(super) fn no_event(who: &Who) -> LlmFailure {
    bad_answer(who, "its stream ended normally, but without an event")
}

/// An answer without a text, a call of a tool and tokens: a proxy made it of something else.
pub(super) fn empty(who: &Who) -> LlmFailure {
    new(LlmFault::Unavailable, format!("{who} sent an empty answer: no text, no tool call and no tokens. Try again"))
}

pub(super) fn of_exchange(who: &Who, error: HttpError) -> LlmFailure {
    match error {
        HttpError::Refused { message } | HttpError::BadUrl { message } | HttpError::RedirectRefused { message, .. } => {
            new(LlmFault::AddressRefused, message)
        }
        HttpError::CredentialRefused { message } => new(LlmFault::CredentialRefused, message),
        HttpError::Connect { message } | HttpError::Cut { message } => {
            new(LlmFault::Connection, format!("{who} cannot be reached. {message}"))
        }
        HttpError::Timeout { .. } => new(LlmFault::Timeout, format!("{who} did not answer in time")),
        HttpError::TooLarge { limit, .. } => bad_answer(who, &format!("it is larger than {} MiB", limit / 1024 / 1024)),
    }
}

/// What a provider says about its failure: its words, and what it calls it.
struct FaultText {
    words: String,
    names: String,
    status: Option<u16>,
}

/// `{"detail": "…"}`, or a list of findings with their places.
fn detail(detail: &Value) -> Option<String> {
    let finding = |one: &Value| {
        let message = one["msg"].as_str()?;
        let place: Vec<String> = one["loc"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned))
            .collect();
        Some(if place.is_empty() { message.to_owned() } else { format!("{}: {message}", place.join(".")) })
    };
    match detail {
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => {
            let found: Vec<String> = list.iter().filter_map(finding).collect();
            (!found.is_empty()).then(|| found.join("; "))
        }
        Value::Object(_) => detail["message"].as_str().or_else(|| detail["error"].as_str()).map(str::to_owned),
        _ => None,
    }
}

/// The parts of an error in JSON, as the three kinds of providers and their imitators write it.
fn said(body: &Value) -> Option<FaultText> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let error = match body {
        Value::Array(list) => list.first()?.get("error")?,
        _ => match body.get("error").filter(|error| !error.is_null()) {
            Some(error) => error,
            // As many servers in Python tell what they refuse.
            None => {
                let words = detail(body.get("detail")?)?;
                return Some(FaultText { words, names: String::new(), status: None });
            }
        },
    };
    if !error.is_object() {
        return Some(FaultText { words: text(error), names: String::new(), status: None });
    }
    let words = [&error["message"], &error["detail"], &body["message"]].into_iter().map(text).find(|t| !t.is_empty());
    let names = ["type", "code", "status", "innererror"].map(|name| text(&error[name])).join(" ");
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
    let status = ["code", "status"].into_iter().find_map(|name| number(&error[name]));
    Some(FaultText {
        words: words.unwrap_or_default(),
        names: names.to_lowercase(),
        status: status.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code)),
    })
}

/// One line, not too long, without what a terminal would obey. Cleaned before it is cut: half a secret would not be found.
fn line(who: &Who, text: &str) -> String {
    let text = who.clean(text);
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    let whole = words.join(" ");
    let mut short: String = whole.chars().take(MOST_SAID).collect();
    if short.len() < whole.len() {
        short.push('…');
    }
    short.trim_end_matches('.').to_owned()
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// The question itself was refused: too long, or not wanted.
fn about_question(names: &str, words: &str) -> Option<LlmFault> {
    let words = words.to_lowercase();
    const LONG: [&str; 8] = [
        "context length",
        "context_length",
        "context window",
        "context size",
        "prompt is too long",
        "input is too long",
        "input length and `max_tokens` exceed",
        "maximum number of tokens",
    ];
    if has(names, &["context_length", "exceed_context"]) || has(&words, &LONG) {
        return Some(LlmFault::ContextLength);
    }
    has(names, &["content_filter", "content_policy", "contentpolicy", "responsibleaipolicy"])
        .then_some(LlmFault::ContentPolicy)
}

/// Whether the endpoint does not have the model, as far as its words tell.
fn is_unknown_model(told: &FaultText) -> bool {
    let words = told.words.to_lowercase();
    has(&told.names, &["model_not_found", "model_not_available"])
        || words.contains("model")
            && has(
                &words,
                &[
                    "not found",
                    "does not exist",
                    "doesn't exist",
                    "unknown model",
                    "invalid model",
                    "no such model",
                    "not a valid model",
                ],
            )
}

fn of_number(status: u16) -> LlmFault {
    match status {
        401 | 403 => LlmFault::Auth,
        408 | 504 => LlmFault::Timeout,
        429 | 529 => LlmFault::RateLimit,
        500.. => LlmFault::Unavailable,
        400 | 422 => LlmFault::BadRequest,
        _ => LlmFault::HttpStatus,
    }
}

/// The failure of an answer with another status than success.
pub(super) fn of_status(who: &Who, opened: &Opened, begin: &[u8]) -> LlmFailure {
    let status = opened.status();
    if (300..400).contains(&status) {
        let to = opened.header("location").and_then(|to| Url::parse(to).ok());
        let to = to.and_then(|to| to.host_str().map(|host| format!(" to {host}"))).unwrap_or_default();
        let message = format!(
            "{who} redirects{to} (status {status}), and a key is never sent on. Write the address that really answers in \
             Settings, Models"
        );
        return LlmFailure {
            fault: LlmFault::HttpStatus,
            message,
            status: Some(status),
            retry_after_ms: None,
            used_up: None,
        };
    }
    let json: Option<Value> = serde_json::from_slice(bytes_without_bom(begin)).ok();
    let told = json.as_ref().and_then(said).unwrap_or_else(|| FaultText {
        words: plain_text(opened, begin),
        names: String::new(),
        status: None,
    });
    if matches!(status, 400 | 404 | 422) && is_unknown_model(&told) {
        let message = words(who, LlmFault::HttpStatus, Some(status), &line(who, &told.words));
        return LlmFailure {
            fault: LlmFault::HttpStatus,
            message,
            status: Some(status),
            retry_after_ms: None,
            used_up: None,
        };
    }
    let asked = matches!(status, 400 | 403 | 413 | 422 | 500);
    let fault = asked.then(|| about_question(&told.names, &told.words)).flatten().unwrap_or_else(|| of_number(status));
    let wait = opened.header("retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok());
    let wait = wait.filter(|ms| *ms >= 0.0 && *ms < 1e15).map(|ms| ms.ceil() as u64);
    let wait = wait.or_else(|| {
        let text = opened.header("retry-after")?.trim();
        // Some write parts of a second.
        let parts = text.parse::<f64>().ok().filter(|s| *s >= 0.0 && *s < 1e12);
        parts.map(|s| (s * 1_000.0).ceil() as u64).or_else(|| retry_after(text, RealClock.now_ms()))
    });
    let mut message = words(who, fault, Some(status), &line(who, &told.words));
    if let Some(wait) = wait.filter(|wait| *wait > 0) {
        message.push_str(&format!(". It asks to wait {}", in_words(Duration::from_millis(wait))));
    }
    LlmFailure { fault, message, status: Some(status), retry_after_ms: wait, used_up: None }
}

/// What stands in a body that is no JSON; nothing of a web page.
fn plain_text(opened: &Opened, begin: &[u8]) -> String {
    let html = opened.header("content-type").is_some_and(|media| media.contains("html"));
    let text = String::from_utf8_lossy(begin);
    if html || text.trim_start().starts_with('<') { "it sent a web page".into() } else { text.into_owned() }
}

/// The failure in a body that came with a good status.
pub(super) fn in_body(who: &Who, body: &Value) -> Option<LlmFailure> {
    let told = said(body)?;
    let fault = about_question(&told.names, &told.words).unwrap_or_else(|| match told.status {
        Some(status) => of_number(status),
        None if has(&told.names, &["rate_limit", "overloaded", "insufficient_quota", "too_many"]) => {
            LlmFault::RateLimit
        }
        None if has(&told.names, &["authentication", "permission", "api_key", "unauthorized"]) => LlmFault::Auth,
        None if has(&told.names, &["not_found"]) => LlmFault::HttpStatus,
        None if has(&told.names, &["timeout"]) => LlmFault::Timeout,
        None if has(&told.names, &["invalid_request"]) => LlmFault::BadRequest,
        None => LlmFault::Unavailable,
    });
    let message = words(who, fault, told.status, &line(who, &told.words));
    Some(LlmFailure { fault, message, status: told.status, retry_after_ms: None, used_up: None })
}

fn words(who: &Who, fault: LlmFault, status: Option<u16>, said: &str) -> String {
    let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
    let said = if said.is_empty() { String::new() } else { format!(": {said}") };
    match fault {
        LlmFault::Auth if who.keyed => {
            format!("{who} refused the key{status}{said}. Check its secret in Settings, Models")
        }
        LlmFault::Auth => {
            format!(
                "{who} refused the question{status}{said}. It was asked without a key: give it one in Settings, Models"
            )
        }
        LlmFault::RateLimit => format!("{who} accepts no more questions for now{status}{said}"),
        LlmFault::Unavailable => format!("{who} failed{status}{said}"),
        LlmFault::Timeout => format!("{who} did not answer in time{status}{said}"),
        LlmFault::ContextLength => {
            format!(
                "The conversation is longer than the model reads{status}{said}. Shorten it, or choose another model"
            )
        }
        LlmFault::ContentPolicy => format!("{who} refused the question by its content rules{status}{said}"),
        LlmFault::HttpStatus => {
            format!(
                "{who} does not know the model or the address{status}{said}. Check the name of the model and the address"
            )
        }
        _ => format!("{who} did not accept the question{status}{said}"),
    }
}

#[cfg(test)]
mod tests;
