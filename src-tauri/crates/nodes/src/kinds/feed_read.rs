//! `feed.read`: the entries of a news feed, an item each.

use crate::cancellation::unless_left;
use crate::credential::{newer, renews};
use crate::http_answer as answers;
use crate::http_credential::credential;
use crate::http_text::{NotText, decode};
use crate::support::{origin, text, whole};
use crate::{EffectFuture, Kind, Outcome, feed, formats};
use signalbox_engine::effect::{Call, CallOutput, CallSlot, OutItem};
use signalbox_model::NodeFailure;
use signalbox_ports::{CallLog, HttpRequest, Redirects, World};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

pub(crate) const KIND: Kind = Kind::Effect(start);

const DEFAULT_LIMIT: u64 = 100;
const MOST: u64 = 10_000;
const DEFAULT_TIMEOUT_MS: u64 = 30_000;
const LONGEST_TIMEOUT_MS: u64 = 3_600_000;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(unless_left(log, world, run(call, slot, world)))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let base = Url::parse(text(slot, "url")?.trim()).map_err(|_| {
        NodeFailure::validation("INPUT_INVALID", "The address of a feed begins with https://").detail("field", "url")
    })?;
    let limit = whole(slot, "limit", 1, MOST)?.unwrap_or(DEFAULT_LIMIT);
    let timeout_ms = whole(slot, "timeoutMs", 1, LONGEST_TIMEOUT_MS)?.unwrap_or(DEFAULT_TIMEOUT_MS);
    let accept = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5";
    let mut request = HttpRequest {
        method: "GET".into(),
        url: base.to_string(),
        headers: vec![("Accept".into(), accept.into())],
        body: None,
        timeout: Duration::from_millis(timeout_ms),
        loopback_allowed: call.loopback_allowed,
        redirects: Redirects::Follow,
        trust_redirects: false,
        cookies: Vec::new(),
        max_body: formats::MAX_BYTES,
        credential: None,
    };
    let found = credential(slot, world, &request).await?;
    request.credential.clone_from(&found);
    let again = renews(found.as_ref()).then(|| request.clone());
    let mut answer = world.http.send(request).await;
    let status = answer.as_ref().ok().map(|answer| answer.status);
    if let (Some(again), Some(newer)) = (again, newer(found.as_ref(), status, world).await?) {
        answer = world.http.send(HttpRequest { credential: Some(newer), ..again }).await;
    }
    let scrubber = world.secrets.scrubber();
    let answer = answer.map_err(|error| answers::exchange_failure(error, timeout_ms, &scrubber))?;
    let answer = answers::without_secrets(answer, &scrubber);
    if answer.status >= 400 {
        return Err(answers::status_failure(&answer, world.clock.now_ms()));
    }
    if let Some(failure) = answers::undecoded(&answer) {
        return Err(failure);
    }
    let text = decode(&answer).map_err(|NotText(why)| {
        NodeFailure::validation("NO_FEED", format!("The address does not answer with a feed: {why}"))
            .detail("field", "url")
    })?;
    let entries = feed::entries(formats::without_bom(&text), &base)?;
    let entries = entries.into_iter().take(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(CallOutput::items("success", entries.map(|entry| OutItem::new(Arc::new(entry), origin(slot)))))
}
