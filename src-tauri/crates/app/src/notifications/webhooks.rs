//! News of tasks for addresses outside (UX D2.10): the store keeps what is to be told in the transaction of what it tells of;
//! a host that stays sends it, signed, until the address took it. Nothing waits for it, and nothing can be decided by it.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{DeliveryState, TaskNews, Webhook, WebhookAdd, WebhookDelivery};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::outgoing::{self, Message, NotTaken, shown};
use serde_json::json;
use signalbox_model::secret_ref::SCHEME;
use signalbox_model::{AuditEvent, time};
use signalbox_ports::secret::allows;
use signalbox_runtime::deliveries::{follows, headers};
use signalbox_store as store;
use signalbox_store::audit::{Actor, Level};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// How often a host that stays looks for what is due.
const LOOK: Duration = Duration::from_secs(2);
/// Addresses of one store; each has a thread while it is sent to.
const MOST: usize = 8;
/// Messages to one address in a row, before others have their turn.
const IN_A_ROW: usize = 50;
/// For one attempt; longer than an address has to answer.
const ATTEMPT: i64 = 60_000;
fn told(state: store::WebhookState) -> Webhook {
    let one = state.webhook;
    Webhook {
        url: shown(&one.url),
        secret: format!("{SCHEME}{}", one.secret),
        made_at: time::format(one.made_ms),
        id: one.id,
        events: one.events.into_iter().map(TaskNews::from).collect(),
        made_by: one.made_by,
        waiting: state.waiting,
        failed: state.failed,
    }
}

pub(crate) fn delivery(one: store::WebhookDelivery) -> WebhookDelivery {
    WebhookDelivery {
        state: match (one.done_ms, one.due_ms) {
            (Some(_), _) => DeliveryState::Taken,
            (None, Some(_)) => DeliveryState::Waiting,
            (None, None) => DeliveryState::Failed,
        },
        again_at: one.due_ms.filter(|_| one.attempts > 0).map(time::format),
        made_at: time::format(one.made_ms),
        tried_at: one.tried_ms.map(time::format),
        id: one.id,
        webhook: one.webhook,
        event: one.event,
        task_id: one.task,
        attempts: one.attempts,
        status: one.status,
        error: one.error,
    }
}

fn unknown_message(id: &str) -> ApiError {
    ApiError::not_found(format!("There is no message {id}; `signalbox webhook log` shows them."))
}

impl App {
    /// The addresses.
    pub(crate) fn webhooks_now(&self) -> ApiResult<Vec<Webhook>> {
        Ok(self.store.webhooks()?.into_iter().map(told).collect())
    }

    /// Tells an address of tasks from now on.
    pub(crate) fn webhook_add(&self, caller: &Caller, request: WebhookAdd) -> ApiResult<Vec<Webhook>> {
        let url = request.url.trim().to_owned();
        outgoing::address(&url)?;
        let here = outgoing::local(caller, &url, request.allow_local)?;
        let named: Option<Vec<store::TaskNews>> =
            request.events.map(|named| named.into_iter().map(store::TaskNews::from).collect());
        let is_named = |news: &store::TaskNews| named.as_ref().is_none_or(|named| named.contains(news));
        let events: Vec<store::TaskNews> = store::TaskNews::ALL.into_iter().filter(is_named).collect();
        if events.is_empty() {
            return Err(ApiError::bad_request("This address would receive no messages.", "Name at least one event."));
        }
        let secret = self.signing_secret(request.secret.trim(), &url)?;
        let names: Vec<&str> = events.iter().map(|news| news.as_str()).collect();
        let facts = json!({ "change": "added", "url": shown(&url), "events": names, "name": secret });
        let record = self.fact(AuditEvent::WebhookChanged, Level::Info, caller.actor(), caller.signed(facts));
        let one = store::Webhook {
            id: uuid::Uuid::now_v7().to_string(),
            url,
            events,
            secret,
            here,
            made_by: caller.principal.clone(),
            made_ms: self.now_ms(),
            failures: 0,
            next_ms: None,
        };
        match self.store.webhook_add(one, MOST, record)? {
            store::WebhookAdded::Added => {}
            store::WebhookAdded::Known => {
                let message = format!("{} already receives messages about tasks.", shown(request.url.trim()));
                return Err(ApiError::new(Class::Conflict, "WEBHOOK_EXISTS", message, "Remove it first to change it."));
            }
            store::WebhookAdded::TooMany => {
                let message = format!("There are {MOST} addresses already.");
                return Err(ApiError::new(Class::Conflict, "TOO_MANY_WEBHOOKS", message, "Remove one first."));
            }
        }
        self.webhooks_now()
    }

    /// The name of a secret that may sign what goes to an address: the hosts that it is for are the ones that may see what it
    /// makes (TRUST: a credential is bound to its destination).
    fn signing_secret(&self, given: &str, url: &str) -> ApiResult<String> {
        let (name, entry) = self.known_secret(given)?;
        let url = Url::parse(url).ok();
        if let (Some(entry), Some(url)) = (entry, url)
            && let Err(why) = allows(&entry.hosts, &url)
        {
            let message = format!("The secret '{name}' may not sign for this address: {why}.");
            let hint = format!("Name another secret, or set it again with this host (`signalbox secret set {name}`).");
            return Err(ApiError::bad_request(message, hint));
        }
        Ok(name)
    }

    /// Tells an address no more; what it was to be told is forgotten.
    pub(crate) fn webhook_remove(&self, caller: &Caller, id: &str) -> ApiResult<Vec<Webhook>> {
        let unknown =
            || ApiError::not_found(format!("No address has the id {id}. `signalbox webhook list` shows all."));
        let one = self.store.webhook(id)?.ok_or_else(unknown)?;
        let facts = json!({ "change": "removed", "url": shown(&one.url) });
        let record = self.fact(AuditEvent::WebhookChanged, Level::Warn, caller.actor(), caller.signed(facts));
        if !self.store.webhook_remove(id, record)? {
            return Err(unknown());
        }
        self.webhooks_now()
    }

    /// Sends a message again, also one that was taken or given up, and says how it stands then.
    pub(crate) fn webhook_again(&self, caller: &Caller, id: &str) -> ApiResult<WebhookDelivery> {
        let before = self.store.webhook_delivery(id)?.ok_or_else(|| unknown_message(id))?;
        let url = self.store.webhook(&before.webhook)?.map(|webhook| shown(&webhook.url));
        let facts = json!({ "messageId": id, "taskId": before.task, "url": url });
        let record = self.fact(AuditEvent::WebhookAgain, Level::Info, caller.actor(), caller.signed(facts));
        if !self.store.webhook_again(id, self.now_ms(), record)? {
            return Err(unknown_message(id));
        }
        // Another message may be under way there; then this one follows automatically.
        self.webhook_next(&before.webhook, Some(id))?;
        self.store.webhook_delivery(id)?.map(delivery).ok_or_else(|| unknown_message(id))
    }

    /// Sends what is due to every address; says how many messages were tried.
    pub(crate) fn webhooks_send(&self) -> ApiResult<u64> {
        let mut tried = 0;
        for id in self.store.webhooks_due(self.now_ms())? {
            tried += self.webhook_send_to(&id)?;
        }
        Ok(tried)
    }

    /// Sends what is due to one address, one message after the other.
    fn webhook_send_to(&self, id: &str) -> ApiResult<u64> {
        let mut tried = 0;
        for _ in 0..IN_A_ROW {
            if !self.webhook_next(id, None)? {
                break;
            }
            tried += 1;
        }
        Ok(tried)
    }

    /// Sends the next message that is due to an address. False when there is none, or another one is under way.
    fn webhook_next(&self, id: &str, only: Option<&str>) -> ApiResult<bool> {
        let now = self.now_ms();
        let Some((webhook, one)) = self.store.webhook_take(id, only, now, now.saturating_add(ATTEMPT))? else {
            return Ok(false);
        };
        let sent = self.send(&webhook, &one)?;
        let tried = follows(&webhook, &one, self.now_ms(), sent);
        let facts = json!({
            "url": shown(&webhook.url), "event": one.event, "taskId": one.task, "messageId": one.id,
            "reason": tried.error,
        });
        let record = self.fact(AuditEvent::WebhookFailed, Level::Error, Actor::system(), facts);
        self.store.webhook_tried(one, tried, record)?;
        Ok(true)
    }

    fn send(&self, webhook: &store::Webhook, one: &store::WebhookDelivery) -> ApiResult<Result<u16, NotTaken>> {
        // Unsigned it is not sent: whoever checks the signature would have to take it for a forgery.
        let unsigned = |why: &str| {
            let why = format!("the secret '{}' cannot sign it: {}", webhook.secret, why.trim_end_matches('.'));
            Ok(Err(NotTaken { status: None, why, refused: false }))
        };
        let credential = match self.secrets.credential_unasked(&webhook.secret) {
            Ok(credential) => credential,
            Err(error) => return unsigned(&error.message),
        };
        if let Ok(url) = Url::parse(&webhook.url)
            && let Err(why) = allows(&credential.hosts, &url)
        {
            return unsigned(&why);
        }
        let Some(headers) = headers(&one.id, self.now_ms(), &one.body, credential.value.expose()) else {
            return unsigned("what follows whsec_ in it is no base64");
        };
        self.post(Message {
            url: webhook.url.clone(),
            here: webhook.here,
            headers,
            body: one.body.clone().into_bytes(),
            credential: None,
        })
    }

    /// A host that keeps running sends messages automatically, to each address on its own, so that one that hangs delays no
    /// other.
    pub(crate) fn webhooks_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        let handle = threads.clone();
        self.again_and_again(threads, LOOK, move |app| {
            let handle = handle.clone();
            async move {
                // A store that cannot be read or written now is told about elsewhere; the next look tries again.
                let due = app.blocking(|app| Ok(app.store.webhooks_due(app.now_ms())?)).await.unwrap_or_default();
                for id in due {
                    let app = Arc::clone(&app);
                    handle.spawn(async move { drop(app.blocking(move |app| app.webhook_send_to(&id)).await) });
                }
                Some(LOOK)
            }
        });
    }
}
