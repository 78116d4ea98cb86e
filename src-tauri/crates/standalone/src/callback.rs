//! Tasks are sent to an address, signed, until it took them; it answers through the tasks of the server, with a token. What is to be sent
//! is written in the transaction of what it tells of, so a crash loses nothing; each message has an id that stays the same.

use crate::failure::Failure;
use crate::host::Host;
use crate::runs::os_user;
use crate::task_api::{self, Answers};
use axum::Router;
use serde_json::json;
use signalbox_model::bundle::{Bundle, CALLBACK_SECRETS};
use signalbox_model::{AuditEvent, time};
use signalbox_runtime::deliveries::{Message, NotTaken, follows, headers, post, shown};
use signalbox_store::audit::{Actor, Level, RUN_LEVEL, Record};
use signalbox_store::{TaskNews, Webhook, WebhookAdded, WebhookDelivery};
use std::time::Duration;

/// How often the program looks for what is due.
const LOOK: Duration = Duration::from_secs(1);
/// For one attempt; longer than an address has to answer.
const ATTEMPT_MS: i64 = 60_000;
/// Shortest token.
const SHORTEST: usize = 16;
/// Messages in a row before a command ends.
const IN_A_ROW: usize = 50;
/// Addresses of one data folder.
const MOST: usize = 8;

fn record(host: &Host, event: AuditEvent, level: Level, actor: Actor, facts: &serde_json::Value) -> Record {
    Record::new(time::format(host.now_ms()), "$store", RUN_LEVEL, event, level, actor)
        .with_metadata(facts.as_object().cloned().unwrap_or_default())
}

/// The address hears of tasks from now on, and no other one does.
pub(crate) fn register(host: &Host, bundle: &Bundle) -> Result<(), Failure> {
    let Some(url) = &bundle.callback else { return Ok(()) };
    let known = host.store.webhooks()?;
    let changed = |change: &str, url: &str| {
        let facts = json!({ "change": change, "url": shown(url) });
        record(host, AuditEvent::WebhookChanged, Level::Info, Actor::operator(os_user()), &facts)
    };
    for one in known.iter().filter(|one| one.webhook.url != *url) {
        host.store.webhook_remove(&one.webhook.id, changed("removed", &one.webhook.url))?;
    }
    if known.iter().any(|one| one.webhook.url == *url) {
        return Ok(());
    }
    let one = Webhook {
        id: host.runtime.fresh_id(),
        url: url.clone(),
        events: vec![TaskNews::Created, TaskNews::Overdue, TaskNews::Escalated, TaskNews::Answered, TaskNews::Closed],
        secret: CALLBACK_SECRETS[0].to_owned(),
        here: true,
        made_by: os_user(),
        made_ms: host.now_ms(),
        failures: 0,
        next_ms: None,
    };
    match host.store.webhook_add(one, MOST, changed("added", url))? {
        WebhookAdded::Added | WebhookAdded::Known => Ok(()),
        WebhookAdded::TooMany => Err(Failure::invalid(
            "TOO_MANY_WEBHOOKS",
            format!("Tasks of this data folder are sent to {MOST} addresses already."),
            "Name another data folder with --data.",
        )),
    }
}

/// What the address asks and answers.
pub(crate) fn routes(host: &Host) -> Result<Router, Failure> {
    let token = host.secrets.known(CALLBACK_SECRETS[1]);
    let token = token.as_ref().map(|token| token.value.expose()).unwrap_or_default();
    if token.len() < SHORTEST {
        let message = format!("The secret {} is shorter than {SHORTEST} bytes.", CALLBACK_SECRETS[1]);
        return Err(Failure::invalid(
            "BAD_SECRET",
            message,
            "Give a longer one, for example of `openssl rand -hex 16`.",
        ));
    }
    Ok(task_api::routes(host, token, Answers::Reported))
}

/// Sends what is due until it is dropped.
pub(crate) async fn send(host: &Host) {
    loop {
        // What cannot be read or written now is tried at the next look.
        drop(send_due(host).await);
        tokio::time::sleep(LOOK).await;
    }
}

/// Sends what is due now.
pub(crate) async fn send_due(host: &Host) -> Result<(), Failure> {
    for id in host.store.webhooks_due(host.now_ms())? {
        for _ in 0..IN_A_ROW {
            let now = host.now_ms();
            let Some((webhook, one)) = host.store.webhook_take(&id, None, now, now.saturating_add(ATTEMPT_MS))? else {
                break;
            };
            let sent = sent(host, &webhook, &one).await;
            let tried = follows(&webhook, &one, host.now_ms(), sent);
            let facts = json!({
                "url": shown(&webhook.url), "event": one.event, "taskId": one.task, "messageId": one.id,
                "reason": tried.error,
            });
            let given_up = record(host, AuditEvent::WebhookFailed, Level::Error, Actor::system(), &facts);
            host.store.webhook_tried(one, tried, given_up)?;
        }
    }
    Ok(())
}

async fn sent(host: &Host, webhook: &Webhook, one: &WebhookDelivery) -> Result<u16, NotTaken> {
    let secret = host.secrets.known(&webhook.secret);
    let headers = secret.and_then(|secret| headers(&one.id, host.now_ms(), &one.body, secret.value.expose()));
    let Some(headers) = headers else {
        // Unsigned it is not sent: whoever checks the signature would have to take it for a forgery.
        let why = format!("the secret '{}' cannot sign it", webhook.secret);
        return Err(NotTaken { status: None, why, refused: false });
    };
    let (url, here, body) = (webhook.url.clone(), webhook.here, one.body.clone().into_bytes());
    post(host.runtime.world().http.as_ref(), Message { url, here, headers, body, credential: None }).await
}
