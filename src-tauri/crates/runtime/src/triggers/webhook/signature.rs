//! Whether a delivery comes from who it says: secrets, passwords, and signatures as the senders make them. Everything secret
//! is compared in constant time. Why something was refused is for the person who listens in the editor, never for the sender.

use super::deliver::HookRequest;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use serde_json::Value;
use signalbox_engine::webhook::{Auth, Signing};
use signalbox_model::hash::{hmac_sha256, sha256_hex};
use signalbox_ports::Credential;
use signalbox_ports::secret::CredentialKind;
use subtle::ConstantTimeEq;

/// How far the time of a signature may be from the clock of this machine.
const TOLERANCE_S: i64 = 300;
/// Signatures of one delivery that are looked at: senders change their keys one at a time.
const MOST: usize = 16;
/// Longest id of a delivery, in characters.
const LONGEST_ID: usize = 200;

/// Why a delivery was refused.
pub type Refused = &'static str;

/// What a signature says beside who signed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Signed {
    /// The sender's id of the delivery.
    pub id: Option<String>,
    /// The signature that fits; the same one again is a replay.
    pub signature: Option<String>,
}

/// Compares without telling how much is equal, not even the length.
fn same(given: &[u8], wanted: &[u8]) -> bool {
    // Under one key, so that both have the same length.
    const KEY: &[u8] = b"signalbox webhook";
    bool::from(hmac_sha256(KEY, given).ct_eq(&hmac_sha256(KEY, wanted)))
}

/// Checks a delivery. `credential` is there whenever `auth` names one.
pub fn check(
    auth: &Auth,
    credential: Option<&Credential>,
    request: &HookRequest,
    now_ms: i64,
) -> Result<Signed, Refused> {
    let secret = || credential.map(|one| one.value.expose()).ok_or("The secret is missing");
    match auth {
        Auth::None => Ok(Signed::default()),
        Auth::Secret { header, .. } => {
            let given = match header {
                Some(header) => request.header(header),
                None => authorization(request, "bearer"),
            };
            let given = given.ok_or("The secret was not sent")?;
            if same(given.as_bytes(), secret()?.as_bytes()) {
                Ok(Signed::default())
            } else {
                Err("The secret is wrong")
            }
        }
        Auth::Basic { username, .. } => {
            let given = authorization(request, "basic").ok_or("User name and password were not sent")?;
            let given = STANDARD.decode(given.trim()).map_err(|_| "User name and password cannot be read")?;
            let kept = credential.and_then(|one| match &one.kind {
                CredentialKind::Basic { user } => Some(user.as_str()),
                _ => None,
            });
            let user = username.as_deref().or(kept).unwrap_or_default();
            if same(&given, format!("{user}:{}", secret()?).as_bytes()) {
                Ok(Signed::default())
            } else {
                Err("User name or password is wrong")
            }
        }
        Auth::Hmac { signing, .. } => signed(signing, secret()?, request, now_ms),
    }
}

fn authorization<'a>(request: &'a HookRequest, scheme: &str) -> Option<&'a str> {
    let (given, rest) = request.header("authorization")?.split_once(' ')?;
    given.eq_ignore_ascii_case(scheme).then_some(rest)
}

const MISSING: Refused = "The signature is missing";
const WRONG: Refused = "The signature does not fit the body and the secret";
const STALE: Refused = "The time of the signature is too far from the clock of this machine";

fn signed(signing: &Signing, secret: &str, request: &HookRequest, now_ms: i64) -> Result<Signed, Refused> {
    let key = secret.as_bytes();
    let header = |name: &str| request.header(name).ok_or(MISSING);
    match signing {
        Signing::GitHub => {
            let given = header("x-hub-signature-256")?.strip_prefix("sha256=").ok_or(WRONG)?;
            let given = of_hex(given).ok_or(WRONG)?;
            fits(&[given], &[hmac_sha256(key, &request.body)], request.id("x-github-delivery"))
        }
        Signing::Shopify => {
            let given = of_base64(header("x-shopify-hmac-sha256")?).ok_or(WRONG)?;
            fits(&[given], &[hmac_sha256(key, &request.body)], request.id("x-shopify-webhook-id"))
        }
        Signing::Stripe => {
            let (mut time, mut given) = (None, Vec::new());
            for part in header("stripe-signature")?.split(',').take(MOST * 2) {
                match part.trim().split_once('=') {
                    Some(("t", text)) => time = Some(text),
                    Some(("v1", text)) => given.extend(of_hex(text)),
                    _ => {}
                }
            }
            let time = time.ok_or(MISSING)?;
            recent(time, now_ms)?;
            // Each attempt has a signature of its own; the event inside stays the same.
            fits(&given, &[over(key, &[time, "."], &request.body)], inside(&request.body, "id"))
        }
        Signing::Slack => {
            let time = header("x-slack-request-timestamp")?;
            let given = header("x-slack-signature")?.strip_prefix("v0=").and_then(of_hex).ok_or(WRONG)?;
            recent(time, now_ms)?;
            fits(&[given], &[over(key, &["v0:", time, ":"], &request.body)], inside(&request.body, "event_id"))
        }
        Signing::Standard => {
            let family = if request.header("webhook-id").is_some() { "webhook" } else { "svix" };
            let named = |name: &str| header(&format!("{family}-{name}"));
            let (id, time, list) = (named("id")?, named("timestamp")?, named("signature")?);
            recent(time, now_ms)?;
            let given: Vec<_> =
                list.split(' ').take(MOST).filter_map(|one| of_base64(one.strip_prefix("v1,")?)).collect();
            let wanted = keys(secret).into_iter().map(|key| over(&key, &[id, ".", time, "."], &request.body));
            fits(&given, &wanted.collect::<Vec<_>>(), short(id))
        }
        Signing::Generic { header: name, prefix, base64 } => {
            let given = header(name)?.strip_prefix(prefix.as_str()).ok_or(WRONG)?;
            let given = if *base64 { of_base64(given) } else { of_hex(given) }.ok_or(WRONG)?;
            fits(&[given], &[hmac_sha256(key, &request.body)], None)
        }
    }
}

/// What senders of Standard Webhooks take a secret for: base64 behind `whsec_`. Without it some mean base64, and some the
/// text itself.
fn keys(secret: &str) -> Vec<Vec<u8>> {
    let coded = secret.strip_prefix("whsec_").unwrap_or(secret);
    let decoded = STANDARD.decode(coded).or_else(|_| STANDARD_NO_PAD.decode(coded)).ok();
    let plain = (!secret.starts_with("whsec_")).then(|| secret.as_bytes().to_vec());
    decoded.into_iter().chain(plain).collect()
}

fn over(key: &[u8], before: &[&str], body: &[u8]) -> [u8; 32] {
    let mut message = before.concat().into_bytes();
    message.extend_from_slice(body);
    hmac_sha256(key, &message)
}

/// Every pair is compared, so that the time says nothing about which one fits.
fn fits(given: &[[u8; 32]], wanted: &[[u8; 32]], id: Option<String>) -> Result<Signed, Refused> {
    let mut found = None;
    for one in given.iter().take(MOST) {
        for other in wanted {
            if bool::from(one.ct_eq(other)) {
                found = Some(sha256_hex(one));
            }
        }
    }
    match found {
        Some(signature) => Ok(Signed { id, signature: Some(signature) }),
        None => Err(if given.is_empty() { MISSING } else { WRONG }),
    }
}

fn recent(seconds: &str, now_ms: i64) -> Result<(), Refused> {
    let is_number = !seconds.is_empty() && seconds.bytes().all(|byte| byte.is_ascii_digit());
    let at = seconds.parse::<i64>().ok().filter(|_| is_number).ok_or(WRONG)?;
    let apart = now_ms.div_euclid(1_000).saturating_sub(at).saturating_abs();
    if apart > TOLERANCE_S { Err(STALE) } else { Ok(()) }
}

/// A field of the signed body, where that is JSON.
fn inside(body: &[u8], field: &str) -> Option<String> {
    let parsed: Value = serde_json::from_slice(body).ok()?;
    short(parsed.get(field)?.as_str()?)
}

/// An id that can be part of a key.
pub(crate) fn short(id: &str) -> Option<String> {
    let fits = !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then(|| id.to_owned())
}

fn of_hex(text: &str) -> Option<[u8; 32]> {
    let text = text.as_bytes();
    if text.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks(2)) {
        let digit = |at: usize| char::from(*pair.get(at)?).to_digit(16);
        *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
    }
    Some(bytes)
}

fn of_base64(text: &str) -> Option<[u8; 32]> {
    STANDARD.decode(text).ok()?.try_into().ok()
}
