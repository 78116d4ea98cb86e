//! What a server tells while it works, in the order in which it comes, and whose it is.

// Logging is deprecated in the newest protocol; servers of today use it.
#![expect(deprecated)]

use super::elicitation::Asked;
use rmcp::model::{LoggingLevel, NumberOrString, ProgressToken, ServerNotification};
use serde_json::{Value, json};
use signalbox_ports::tools::ToolNotice;
use signalbox_ports::{Scrubber, Secrets};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::mpsc;

/// Longest words of a notice.
const WORDS: usize = 2_000;
/// Largest data of a notice; more is left out, and that is said.
const DATA: usize = 16 * 1024;

/// What a call hears of.
pub(super) enum Notification {
    Notice(ToolNotice),
    /// The same, and time begins anew.
    Progress(ToolNotice),
    /// The server asks back.
    Asks(Asked),
}

/// What a message may not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TooBig {
    Large,
    Deep,
}

/// Goes with a request to the wire, which knows the token that its notices bear.
#[derive(Clone)]
pub(super) struct NotificationSender {
    pub(super) to: mpsc::UnboundedSender<Notification>,
    /// The call waits for a person: it does not ask at this time.
    pub(super) waits: Arc<AtomicBool>,
}

/// The calls under way of one connection, and what the wire saw of it.
pub(super) struct NotificationRouter {
    secrets: Arc<dyn Secrets>,
    calls: Mutex<BTreeMap<String, NotificationSender>>,
    /// Nothing comes any more.
    pub(super) ended: AtomicBool,
    /// What came in one message that is not allowed: nothing is read after it.
    pub(super) beyond: OnceLock<TooBig>,
    /// How often the server said that its tools are others now.
    pub(super) tools_changed: AtomicU64,
}

fn key(token: &ProgressToken) -> String {
    match &token.0 {
        NumberOrString::Number(number) => number.to_string(),
        NumberOrString::String(text) => text.to_string(),
    }
}

impl NotificationRouter {
    pub(super) fn new(secrets: &Arc<dyn Secrets>) -> Self {
        Self {
            secrets: Arc::clone(secrets),
            calls: Mutex::default(),
            ended: AtomicBool::new(false),
            beyond: OnceLock::new(),
            tools_changed: AtomicU64::new(0),
        }
    }

    fn calls(&self) -> MutexGuard<'_, BTreeMap<String, NotificationSender>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn listen(&self, token: &ProgressToken, sender: NotificationSender) {
        // A call that was given up before its request went out is not heard of any more: nobody would forget it.
        if !sender.to.is_closed() {
            self.calls().insert(key(token), sender);
        }
    }

    pub(super) fn forget(&self, token: &ProgressToken) {
        self.calls().remove(&key(token));
    }

    /// A text without the secrets of this machine.
    pub(super) fn scrubbed(&self, text: &str) -> String {
        self.secrets.scrubber().text(text).into_owned()
    }

    /// Hands a question to the call that it belongs to: the only one, or the only one that does not wait for an answer. The
    /// protocol does not say which it is, and what one run asks is not for the people of another.
    pub(super) fn ask(&self, asked: Asked) -> bool {
        let calls = self.calls();
        let mut free = calls.values().filter(|call| !call.waits.load(Ordering::SeqCst));
        let one = match (free.next(), free.next()) {
            (Some(one), None) => Some(one),
            (None, _) if calls.len() == 1 => calls.values().next(),
            _ => None,
        };
        if let Some(one) = one {
            return one.to.send(Notification::Asks(asked)).is_ok();
        }
        let words = "The server asks back while several calls are under way there, and does not say in which: the question \
                     was cancelled. Run these steps one after the other";
        let notice = ToolNotice { level: "warn", message: words.into(), data: None };
        for call in calls.values() {
            drop(call.to.send(Notification::Notice(notice.clone())));
        }
        false
    }

    /// Hands a notification on. A log notice names no call: every call under way hears it, so none misses its own.
    pub(super) fn hear(&self, notification: &ServerNotification) {
        match notification {
            ServerNotification::ProgressNotification(told) => {
                let scrubber = self.secrets.scrubber();
                if let Some(sender) = self.calls().get(&key(&told.params.progress_token)) {
                    let (progress, total) = (told.params.progress, told.params.total);
                    let said = told.params.message.as_deref();
                    let message = said.map_or_else(|| so_far(progress, total), |text| words(text, &scrubber));
                    let mut data = json!({ "progress": progress });
                    if let Some(total) = total {
                        data["total"] = json!(total);
                    }
                    let notice = ToolNotice { level: "progress", message, data: Some(data) };
                    // A call that has ended hears nothing.
                    drop(sender.to.send(Notification::Progress(notice)));
                }
            }
            ServerNotification::LoggingMessageNotification(told) => {
                let logger = told.params.logger.as_deref();
                let notice = logged(told.params.level, logger, &told.params.data, &self.secrets.scrubber());
                // Who hears no more is gone.
                self.calls().retain(|_, sender| sender.to.send(Notification::Notice(notice.clone())).is_ok());
            }
            ServerNotification::ToolListChangedNotification(_) => {
                self.tools_changed.fetch_add(1, Ordering::SeqCst);
            }
            _ => {}
        }
    }
}

/// Cut to a length after it was cleaned: half a secret would not be found any more.
fn words(text: &str, scrubber: &Scrubber) -> String {
    scrubber.text(text).chars().take(WORDS).collect()
}

fn so_far(progress: f64, total: Option<f64>) -> String {
    total.map_or_else(|| format!("{progress}"), |total| format!("{progress} of {total}"))
}

fn logged(level: LoggingLevel, logger: Option<&str>, data: &Value, scrubber: &Scrubber) -> ToolNotice {
    let level = match level {
        LoggingLevel::Debug | LoggingLevel::Info | LoggingLevel::Notice => "info",
        LoggingLevel::Warning => "warn",
        _ => "error",
    };
    let words = |text: &str| words(text, scrubber);
    let text = match data {
        Value::String(text) => words(text),
        Value::Object(fields) => match fields.get("message").or_else(|| fields.get("msg")).and_then(Value::as_str) {
            Some(text) => words(text),
            None => words(&data.to_string()),
        },
        other => words(&other.to_string()),
    };
    let mut message = logger.map_or_else(|| text.clone(), |logger| format!("{}: {text}", words(logger)));
    let size = if data.is_string() { 0 } else { data.to_string().len() };
    if size > DATA {
        message.push_str(&format!(" ({size} bytes of data left out)"));
    }
    ToolNotice { level, message, data: (1..=DATA).contains(&size).then(|| data.clone()) }
}

#[cfg(test)]
mod tests;
