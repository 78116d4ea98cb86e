//! What a server tells while it works, in the order in which it comes, and whose it is.

// Logging is deprecated in the newest protocol; servers of today use it.
#![expect(deprecated)]

use rmcp::model::{LoggingLevel, NumberOrString, ProgressToken, ServerNotification};
use serde_json::{Value, json};
use signalbox_ports::tools::ToolNotice;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc;

/// Longest words of a notice; its data is whole.
const WORDS: usize = 2_000;

/// What a call hears of.
pub(super) enum Heard {
    Notice(ToolNotice),
    /// The same, and time begins anew.
    Progress(ToolNotice),
}

/// Goes with a request to the wire, which knows the token that its notices bear.
#[derive(Clone)]
pub(super) struct Ear(pub(super) mpsc::UnboundedSender<Heard>);

/// The calls under way of one connection, and what the wire saw of it.
#[derive(Default)]
pub(super) struct Switchboard {
    calls: Mutex<BTreeMap<String, Ear>>,
    /// Nothing comes any more.
    pub(super) ended: AtomicBool,
    /// More came in one message than is allowed.
    pub(super) too_large: AtomicBool,
    /// The server says that its tools are others now.
    pub(super) tools_changed: AtomicBool,
}

fn key(token: &ProgressToken) -> String {
    match &token.0 {
        NumberOrString::Number(number) => number.to_string(),
        NumberOrString::String(text) => text.to_string(),
    }
}

impl Switchboard {
    pub(super) fn listen(&self, token: &ProgressToken, ear: Ear) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).insert(key(token), ear);
    }

    pub(super) fn forget(&self, token: &ProgressToken) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).remove(&key(token));
    }

    /// Hands a notification on. A log notice names no call: every call under way hears it, so none misses its own.
    pub(super) fn hear(&self, notification: &ServerNotification) {
        match notification {
            ServerNotification::ProgressNotification(told) => {
                let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(ear) = calls.get(&key(&told.params.progress_token)) {
                    let (progress, total) = (told.params.progress, told.params.total);
                    let message = told.params.message.as_deref().map_or_else(|| so_far(progress, total), words);
                    let mut data = json!({ "progress": progress });
                    if let Some(total) = total {
                        data["total"] = json!(total);
                    }
                    let notice = ToolNotice { level: "progress", message, data: Some(data) };
                    // A call that has ended hears nothing.
                    drop(ear.0.send(Heard::Progress(notice)));
                }
            }
            ServerNotification::LoggingMessageNotification(told) => {
                let notice = logged(told.params.level, told.params.logger.as_deref(), &told.params.data);
                for ear in self.calls.lock().unwrap_or_else(PoisonError::into_inner).values() {
                    drop(ear.0.send(Heard::Notice(notice.clone())));
                }
            }
            ServerNotification::ToolListChangedNotification(_) => self.tools_changed.store(true, Ordering::SeqCst),
            _ => {}
        }
    }
}

fn words(text: &str) -> String {
    text.chars().take(WORDS).collect()
}

fn so_far(progress: f64, total: Option<f64>) -> String {
    total.map_or_else(|| format!("{progress}"), |total| format!("{progress} of {total}"))
}

fn logged(level: LoggingLevel, logger: Option<&str>, data: &Value) -> ToolNotice {
    let level = match level {
        LoggingLevel::Debug | LoggingLevel::Info | LoggingLevel::Notice => "info",
        LoggingLevel::Warning => "warn",
        _ => "error",
    };
    let text = match data {
        Value::String(text) => words(text),
        Value::Object(fields) => match fields.get("message").or_else(|| fields.get("msg")).and_then(Value::as_str) {
            Some(text) => words(text),
            None => words(&data.to_string()),
        },
        other => words(&other.to_string()),
    };
    let message = logger.map_or_else(|| text.clone(), |logger| format!("{}: {text}", words(logger)));
    ToolNotice { level, message, data: (!data.is_string()).then(|| data.clone()) }
}
