//! A person listens in the editor: the next request at the test address is shown there, and starts nothing. It ends by
//! itself.

use crate::app::App;
use crate::dto::{HookHeard, HookListen, HookListening, HookPreview, HookPreviewRequest, HookState};
use crate::error::{ApiError, ApiResult, Class};
use serde_json::{Value, json};
use signalbox_engine::webhook::Webhook;
use signalbox_model::{Diagnostic, Map, time};
use signalbox_runtime::triggers::webhook::{HookReply, HookRequest};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long somebody listens.
const LISTENS: Duration = Duration::from_secs(180);
/// Listeners at once.
const MOST: usize = 16;
/// Largest event that is shown, in bytes.
const LARGEST: usize = 1024 * 1024;

#[derive(Debug, Default)]
struct Received {
    event: Option<Map>,
    refused: u32,
    reason: Option<&'static str>,
}

/// Somebody who listens.
#[derive(Debug)]
pub(super) struct Listener {
    id: String,
    /// What the event says about its trigger.
    trigger: String,
    pub(super) hook: Webhook,
    ends_ms: i64,
    heard: Mutex<Received>,
}

impl Listener {
    fn heard(&self) -> MutexGuard<'_, Received> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unreadable(diagnostics: Vec<Diagnostic>) -> ApiError {
    ApiError::new(Class::Invalid, "BAD_WEBHOOK", "The webhook cannot be used yet.", "Correct its settings first.")
        .with(json!({ "diagnostics": diagnostics }))
}

fn read(config: &Value) -> Result<Webhook, Vec<Diagnostic>> {
    Webhook::read(config).map_err(|problems| {
        let told = problems.into_iter();
        told.map(|one| Diagnostic::error(one.code, one.path.to_owned(), one.message, one.hint)).collect()
    })
}

impl App {
    /// Where a webhook with these settings can be reached.
    pub(crate) fn hook_preview(&self, request: &HookPreviewRequest) -> HookPreview {
        let read = read(&request.config);
        let path = read.as_ref().ok().map(|hook| hook.path.as_str());
        HookPreview {
            address: path.map(|path| self.hook_address("hooks", path)),
            test_address: path.map(|path| self.hook_address("hooks-test", path)),
            answers: self.answers_hooks(),
            diagnostics: read.as_ref().err().cloned().unwrap_or_default(),
        }
    }

    /// Listens for one request. Whoever listens at the same path already hears nothing more.
    pub(crate) fn hook_listen(&self, request: &HookListen) -> ApiResult<HookListening> {
        let hook = read(&request.config).map_err(unreadable)?;
        let address = self.hook_address("hooks-test", &hook.path);
        let now = self.now_ms();
        let ends_ms = now + i64::try_from(LISTENS.as_millis()).unwrap_or_default();
        let listener = Arc::new(Listener {
            id: uuid::Uuid::now_v7().to_string(),
            trigger: format!("{}.{}", request.workflow_id, request.node_id),
            hook,
            ends_ms,
            heard: Mutex::default(),
        });
        let mut listeners = self.listeners(now);
        listeners.retain(|one| one.hook.path != listener.hook.path);
        if listeners.len() >= MOST {
            let message = format!("{MOST} webhooks are being tested already.");
            return Err(ApiError::unavailable(
                "TOO_MANY_LISTENERS",
                message,
                "Stop one, or try again in a few minutes.",
            ));
        }
        listeners.push(Arc::clone(&listener));
        Ok(HookListening { listen_id: listener.id.clone(), address, ends_at: time::format(ends_ms) })
    }

    /// What a listener has heard.
    pub(crate) fn hook_heard(&self, id: &str) -> HookHeard {
        let found = self.listeners(self.now_ms()).iter().find(|one| one.id == id).cloned();
        let Some(listener) = found else {
            return HookHeard { state: HookState::Ended, event: None, refused: 0, reason: None };
        };
        let heard = listener.heard();
        HookHeard {
            state: if heard.event.is_some() { HookState::Received } else { HookState::Listening },
            event: heard.event.clone(),
            refused: heard.refused,
            reason: heard.reason.map(str::to_owned),
        }
    }

    /// Stops listening.
    pub(crate) fn hook_stop(&self, id: &str) {
        self.listeners(self.now_ms()).retain(|one| one.id != id);
    }

    /// Those who still listen.
    fn listeners(&self, now_ms: i64) -> MutexGuard<'_, Vec<Arc<Listener>>> {
        let mut listeners = self.hooks.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|one| now_ms < one.ends_ms);
        listeners
    }

    /// Who listens at a path and has heard nothing yet.
    pub(super) fn listener_at(&self, path: &str) -> Option<Arc<Listener>> {
        let listeners = self.listeners(self.now_ms());
        listeners.iter().find(|one| one.hook.path == path && one.heard().event.is_none()).cloned()
    }

    pub(super) async fn hear(
        self: &Arc<Self>,
        listener: Arc<Listener>,
        request: Arc<HookRequest>,
    ) -> ApiResult<HookReply> {
        // The semaphore is never closed.
        let _turn = self.hooks.index.starts.acquire().await;
        self.blocking(move |app| {
            let refuse = |reason| {
                let mut heard = listener.heard();
                heard.refused = heard.refused.saturating_add(1);
                heard.reason = Some(reason);
            };
            let who = (&listener.hook, listener.trigger.as_str(), true);
            let delivery = app.trigger_host().read_delivery(who, &request, app.now_ms(), refuse)?;
            let size = serde_json::to_vec(&delivery.event).map_or(usize::MAX, |text| text.len());
            if size > LARGEST {
                let hint = "Send less; the webhook itself takes larger bodies.";
                let message = "The request is too large to be shown in the editor.";
                return Err(ApiError::new(Class::TooLarge, "TOO_LARGE", message, hint));
            }
            listener.heard().event.get_or_insert(delivery.event);
            Ok(HookReply::json(200, &json!({ "test": true, "message": "The editor received the request." })))
        })
        .await
    }
}
