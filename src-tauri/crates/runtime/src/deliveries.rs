//! Signed messages to an address outside, sent until it took them: the rules of every host (Standard Webhooks).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use signalbox_model::hash::hmac_sha256;
use signalbox_ports::host::{canonical, is_localhost};
use signalbox_ports::{Credential, Http, HttpError, HttpRequest, Redirects};
use signalbox_store::{WEBHOOK_REST_MS, Webhook, WebhookDelivery, WebhookTried};
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

/// Time that an address has to answer.
const ANSWER: Duration = Duration::from_secs(15);
/// Largest answer; nobody reads it.
const LARGEST: usize = 64 * 1024;

/// A message.
pub struct Message {
    /// Where it goes.
    pub url: String,
    /// A person on this machine consented to an address of this machine.
    pub here: bool,
    /// Beside `content-type`.
    pub headers: Vec<(String, String)>,
    /// JSON.
    pub body: Vec<u8>,
    /// Goes along.
    pub credential: Option<Arc<Credential>>,
}

/// Why a message was not taken.
pub struct NotTaken {
    /// What the address answered.
    pub status: Option<u16>,
    /// Without a full stop.
    pub why: String,
    /// The address as it is written may not be asked: trying again changes nothing. Where a name leads changes.
    pub refused: bool,
}

/// An address without what may be secret in it.
pub fn shown(url: &str) -> String {
    let plain = url.split(['?', '#']).next().unwrap_or_default();
    match plain.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            format!("{scheme}://{}{path}", host.rsplit('@').next().unwrap_or_default())
        }
        None => plain.to_owned(),
    }
}

const SECOND: i64 = 1_000;
const HOUR: i64 = 3_600 * SECOND;
/// A message is tried at least so often while a host is there.
const AWAKE: i64 = 2 * HOUR;
/// A message that was not taken for so long is given up.
const GIVEN_UP: i64 = 24 * HOUR;

/// How long after a failed attempt the next one comes, milliseconds: 10 s, 20 s, 40 s … up to `most`.
fn pause(failures: u32, most: i64) -> i64 {
    (10 * SECOND).saturating_mul(1 << failures.min(20)).min(most)
}

/// The key of a signature: the bytes behind `whsec_` in base64, or the text as it is. `None` = what follows is no base64.
fn key(secret: &str) -> Option<Vec<u8>> {
    match secret.strip_prefix("whsec_") {
        Some(coded) => STANDARD.decode(coded).ok(),
        None => Some(secret.as_bytes().to_vec()),
    }
}

/// The headers of a message, as Standard Webhooks has them; `None` as of [`key`].
pub fn headers(id: &str, at_ms: i64, body: &str, secret: &str) -> Option<Vec<(String, String)>> {
    let at = (at_ms / SECOND).to_string();
    let sum = hmac_sha256(&key(secret)?, format!("{id}.{at}.{body}").as_bytes());
    let signature = format!("v1,{}", STANDARD.encode(sum));
    let headers = [("webhook-id", id.to_owned()), ("webhook-timestamp", at), ("webhook-signature", signature)];
    Some(headers.map(|(name, value)| (name.to_owned(), value)).to_vec())
}

/// What follows from an attempt.
pub fn follows(webhook: &Webhook, one: &WebhookDelivery, at_ms: i64, sent: Result<u16, NotTaken>) -> WebhookTried {
    let not = match sent {
        Ok(status) => {
            let (error, again_ms, next_ms, stale_ms) = (None, None, None, None);
            return WebhookTried { at_ms, status: Some(status), error, again_ms, next_ms, stale_ms };
        }
        Err(not) => not,
    };
    let again_ms = at_ms.saturating_add(pause(one.attempts, HOUR));
    let stale_ms = at_ms.saturating_sub(GIVEN_UP);
    // A machine that slept has not tried meanwhile, and its network comes back after it does.
    let was_awake = one.tried_ms.is_some_and(|tried| at_ms.saturating_sub(tried) <= AWAKE);
    let stale = was_awake && one.since_ms <= stale_ms;
    WebhookTried {
        at_ms,
        status: not.status,
        again_ms: (!stale && !not.refused).then_some(again_ms),
        // What an address that may not be asked was told costs nothing: others have their time.
        next_ms: Some(if not.refused { at_ms } else { at_ms.saturating_add(pause(webhook.failures, WEBHOOK_REST_MS)) }),
        stale_ms: stale.then_some(stale_ms),
        error: Some(not.why),
    }
}

/// Whether an address says by itself where it leads.
fn is_literal(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| match url.host() {
        Some(Host::Domain(name)) => is_localhost(&canonical(name)),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) | None => true,
    })
}

fn why(error: HttpError, literal: bool) -> NotTaken {
    let refused = literal && matches!(error, HttpError::Refused { .. } | HttpError::BadUrl { .. });
    let why = match error {
        HttpError::Refused { message }
        | HttpError::CredentialRefused { message }
        | HttpError::RedirectRefused { message, .. }
        | HttpError::BadUrl { message }
        | HttpError::Connect { message }
        | HttpError::Cut { message } => message.trim_end_matches('.').to_owned(),
        HttpError::Timeout { .. } => format!("no answer in {} s", ANSWER.as_secs()),
        HttpError::TooLarge { limit, .. } => format!("its answer is larger than {limit} bytes"),
    };
    NotTaken { status: None, why, refused }
}

/// Sends a message with POST; gives the status of the answer that took it.
pub async fn post(http: &dyn Http, message: Message) -> Result<u16, NotTaken> {
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    headers.extend(message.headers);
    let literal = is_literal(&message.url);
    let request = HttpRequest {
        method: "POST".into(),
        url: message.url,
        headers,
        body: Some(message.body),
        timeout: ANSWER,
        loopback_allowed: message.here,
        redirects: Redirects::No,
        trust_redirects: false,
        cookies: Vec::new(),
        max_body: LARGEST,
        credential: message.credential,
    };
    match http.send(request).await {
        Ok(answer) if (200..300).contains(&answer.status) => Ok(answer.status),
        // Nobody reads what it says beside its receipt.
        Err(HttpError::TooLarge { status, .. }) if (200..300).contains(&status) => Ok(status),
        Ok(answer) => {
            let more = if (300..400).contains(&answer.status) { ", and redirects are not followed" } else { "" };
            let why = format!("it answered {}{more}", answer.status);
            Err(NotTaken { status: Some(answer.status), why, refused: false })
        }
        Err(error) => Err(why(error, literal)),
    }
}

#[cfg(test)]
mod tests;
