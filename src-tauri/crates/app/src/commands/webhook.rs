//! Addresses that hear of tasks.

use crate::Caller;
use crate::app::App;
use crate::dto::{Empty, Webhook, WebhookAdd, WebhookAgain, WebhookDelivery, WebhookLog, WebhookRef, WebhooksSent};
use crate::error::ApiResult;
use crate::notifications::webhooks;

pub(crate) fn webhook_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<Webhook>> {
    app.webhooks_now()
}

pub(crate) fn webhook_add(app: &App, caller: &Caller, request: WebhookAdd) -> ApiResult<Vec<Webhook>> {
    app.webhook_add(caller, request)
}

pub(crate) fn webhook_remove(app: &App, caller: &Caller, request: WebhookRef) -> ApiResult<Vec<Webhook>> {
    app.webhook_remove(caller, &request.id)
}

pub(crate) fn webhook_log(app: &App, _: &Caller, request: WebhookLog) -> ApiResult<Vec<WebhookDelivery>> {
    let limit = super::page_size(request.limit, 50, 500)?;
    let found = app.store.webhook_log(request.id.as_deref(), limit)?;
    Ok(found.into_iter().map(webhooks::delivery).collect())
}

pub(crate) fn webhook_again(app: &App, caller: &Caller, request: WebhookAgain) -> ApiResult<WebhookDelivery> {
    app.webhook_again(caller, &request.id)
}

pub(crate) fn webhook_send(app: &App, _: &Caller, _: Empty) -> ApiResult<WebhooksSent> {
    Ok(WebhooksSent { tried: app.webhooks_send()? })
}
