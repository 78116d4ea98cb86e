//! The settings of a webhook: `{path, methods, auth, respond, timeoutMs, maxBytes, dedupe}` (ADR 91). Secrets stand in them by
//! reference only.

use crate::schedule::Problem;
use serde_json::Value;
use signalbox_model::{Code, secret_ref};

/// The kind of step that an HTTP request starts.
pub const KIND: &str = "trigger.webhook";
/// The kind of step that answers such a request.
pub const RESPOND: &str = "flow.respond";
/// Longest path, in characters.
pub const LONGEST_PATH: usize = 200;
/// Methods that a webhook can take.
pub const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// How long a sender may wait for the end of a run, milliseconds.
pub const TIMEOUT_MS: std::ops::RangeInclusive<u64> = 100..=300_000;
/// Largest body, in bytes.
pub const MAX_BYTES: u64 = 20 * 1024 * 1024;
const DEFAULT_BYTES: u64 = 1024 * 1024;
const DEFAULT_TIMEOUT_MS: u64 = 30_000;

/// When the sender gets its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Respond {
    /// As soon as the start is durable.
    Accepted,
    /// When the run has ended.
    Ended,
    /// When a step of the kind [`RESPOND`] says so.
    Step,
}

/// How a body is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signing {
    /// `X-Hub-Signature-256`
    GitHub,
    /// `Stripe-Signature`
    Stripe,
    /// `X-Slack-Signature`
    Slack,
    /// `X-Shopify-Hmac-Sha256`
    Shopify,
    /// Standard Webhooks, also with the names of Svix.
    Standard,
    /// HMAC-SHA256 of the body in a header of one's choice.
    Generic {
        /// The header, in lower case.
        header: String,
        /// What stands before the signature.
        prefix: String,
        /// The signature is base64; hex otherwise.
        base64: bool,
    },
}

impl Signing {
    /// Names of the presets, with the generic one.
    pub const PRESETS: [&str; 6] = ["github", "stripe", "slack", "shopify", "standard", "generic"];
}

/// Who may deliver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    /// Everybody who reaches the address.
    None,
    /// Who sends a secret.
    Secret {
        /// Name of the secret.
        secret: String,
        /// The header, in lower case; `Authorization: Bearer` without one.
        header: Option<String>,
    },
    /// Who sends a user name and a password.
    Basic {
        /// Name of the secret that holds the password.
        secret: String,
        /// The user; without one that of the secret.
        username: Option<String>,
    },
    /// Who signs what it sends.
    Hmac {
        /// Name of the secret.
        secret: String,
        /// How.
        signing: Signing,
    },
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Behind `/hooks/`.
    pub path: String,
    /// In capitals.
    pub methods: Vec<String>,
    /// Who may deliver.
    pub auth: Auth,
    /// When the sender gets its answer.
    pub respond: Respond,
    /// How long it waits for it.
    pub timeout_ms: u64,
    /// Largest body.
    pub max_bytes: u64,
    /// Header with the sender's id of a delivery, in lower case.
    pub dedupe: Option<String>,
}

fn problem(code: Code, path: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Problem {
    Problem { code, path, message: message.into(), hint: hint.into() }
}

fn header_name(value: &Value, path: &'static str) -> Result<String, Problem> {
    let is_token = |text: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        !text.is_empty() && text.len() <= 100 && text.bytes().all(fits)
    };
    match value.as_str().filter(|text| is_token(text)) {
        Some(text) => Ok(text.to_ascii_lowercase()),
        None => Err(problem(Code::BadConfig, path, "This is not the name of a header", "Write one like X-Api-Key")),
    }
}

/// Why a path cannot be the address of a webhook.
fn read_path(value: Option<&Value>) -> Result<String, Problem> {
    let hint = "Write letters, digits, '-', '_' and '.', with '/' between the parts, for example orders/new";
    let wrong = |why: String| Err(problem(Code::BadHookPath, "/path", why, hint));
    let Some(value) = value else {
        return Err(problem(Code::MissingConfig, "/path", "The webhook has no path", hint));
    };
    let Some(path) = value.as_str() else { return wrong("The path of the webhook is not a text".to_owned()) };
    if path.is_empty() {
        return wrong("The path of the webhook is empty".to_owned());
    }
    if path.len() > LONGEST_PATH {
        return wrong(format!("The path of the webhook is longer than {LONGEST_PATH} characters"));
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    for part in path.split('/') {
        if part.is_empty() {
            return wrong(format!("The path '{path}' begins or ends with '/', or has an empty part"));
        }
        if part == "." || part == ".." {
            return wrong(format!("The path '{path}' contains '{part}', which is no part of an address"));
        }
        if !part.bytes().all(fits) {
            return wrong(format!("The path '{path}' contains a character that needs an escape"));
        }
    }
    Ok(path.to_owned())
}

fn read_methods(value: &Value) -> Result<Vec<String>, Problem> {
    let wrong = || {
        let hint = format!("Name one or more of {}", METHODS.join(", "));
        problem(Code::BadConfig, "/methods", "The methods of the webhook cannot be used", hint)
    };
    let list = value.as_array().filter(|list| !list.is_empty()).ok_or_else(wrong)?;
    let known = |value: &Value| value.as_str().filter(|name| METHODS.contains(name)).map(str::to_owned);
    list.iter().map(known).collect::<Option<_>>().ok_or_else(wrong)
}

fn read_number(
    value: Option<&Value>,
    path: &'static str,
    range: std::ops::RangeInclusive<u64>,
    default: u64,
) -> Result<u64, Problem> {
    let Some(value) = value else { return Ok(default) };
    value.as_u64().filter(|number| range.contains(number)).ok_or_else(|| {
        let words = format!("Write a whole number from {} to {}", range.start(), range.end());
        problem(Code::BadConfig, path, "This is not a number in range", words)
    })
}

fn read_auth(auth: &Value) -> Result<Auth, Problem> {
    let given = |name: &str| auth.get(name).filter(|value| !value.is_null() && value.as_str() != Some(""));
    let kind = given("type").map_or(Some("none"), Value::as_str).unwrap_or_default();
    if kind == "none" {
        return Ok(Auth::None);
    }
    if !["secret", "basic", "hmac"].contains(&kind) {
        let message = format!("There is no authentication '{kind}'");
        return Err(problem(Code::BadConfig, "/auth/type", message, "Write none, secret, basic or hmac"));
    }
    let Some(secret) = given("secret") else {
        let hint = "Choose a secret of this machine, as secret://name";
        return Err(problem(Code::MissingConfig, "/auth/secret", "The authentication names no secret", hint));
    };
    let Some(secret) = secret.as_str().and_then(secret_ref::reference).map(str::to_owned) else {
        let message = "The secret stands in the file itself, where everybody can read it";
        let hint = "Store it with `signalbox secret set NAME`, and write secret://NAME";
        return Err(problem(Code::BadConfig, "/auth/secret", message, hint));
    };
    let header = given("header").map(|value| header_name(value, "/auth/header")).transpose()?;
    match kind {
        "secret" => Ok(Auth::Secret { secret, header }),
        "basic" => Ok(Auth::Basic { secret, username: given("username").and_then(Value::as_str).map(str::to_owned) }),
        _ => Ok(Auth::Hmac { secret, signing: read_signing(given, header)? }),
    }
}

fn read_signing<'a>(given: impl Fn(&str) -> Option<&'a Value>, header: Option<String>) -> Result<Signing, Problem> {
    let preset = given("preset").map_or(Some("generic"), Value::as_str).unwrap_or_default();
    Ok(match preset {
        "github" => Signing::GitHub,
        "stripe" => Signing::Stripe,
        "slack" => Signing::Slack,
        "shopify" => Signing::Shopify,
        "standard" => Signing::Standard,
        "generic" => {
            let Some(header) = header else {
                let hint = "Write the header that the sender puts the signature into, for example X-Signature";
                return Err(problem(
                    Code::MissingConfig,
                    "/auth/header",
                    "The header of the signature is missing",
                    hint,
                ));
            };
            let base64 = match given("encoding").map_or(Some("hex"), Value::as_str) {
                Some("hex") => false,
                Some("base64") => true,
                _ => {
                    let message = "The signature is neither hex nor base64";
                    return Err(problem(Code::BadConfig, "/auth/encoding", message, "Write hex or base64"));
                }
            };
            let prefix = given("prefix").and_then(Value::as_str).unwrap_or_default().to_owned();
            Signing::Generic { header, prefix, base64 }
        }
        other => {
            let message = format!("There is no signature preset '{other}'");
            let hint = format!("Write one of {}", Signing::PRESETS.join(", "));
            return Err(problem(Code::BadConfig, "/auth/preset", message, hint));
        }
    })
}

impl Webhook {
    /// Reads the config of a webhook step; every problem at once.
    pub fn read(config: &Value) -> Result<Self, Vec<Problem>> {
        let given = |name: &str| config.get(name).filter(|value| !value.is_null());
        let path = read_path(given("path"));
        let methods = given("methods").map_or_else(|| Ok(vec!["POST".to_owned()]), read_methods);
        let auth = given("auth").map_or(Ok(Auth::None), read_auth);
        let respond = match given("respond").map_or(Some("accepted"), Value::as_str) {
            Some("accepted") => Ok(Respond::Accepted),
            Some("ended") => Ok(Respond::Ended),
            Some("step") => Ok(Respond::Step),
            _ => {
                let message = "respond is none of its values";
                Err(problem(Code::BadConfig, "/respond", message, "Write accepted, ended or step"))
            }
        };
        let timeout = read_number(given("timeoutMs"), "/timeoutMs", TIMEOUT_MS, DEFAULT_TIMEOUT_MS);
        let bytes = read_number(given("maxBytes"), "/maxBytes", 1..=MAX_BYTES, DEFAULT_BYTES);
        let dedupe = given("dedupe").filter(|value| value.as_str() != Some(""));
        let dedupe = dedupe.map(|value| header_name(value, "/dedupe")).transpose();
        match (path, methods, auth, respond, timeout, bytes, dedupe) {
            (Ok(path), Ok(methods), Ok(auth), Ok(respond), Ok(timeout_ms), Ok(max_bytes), Ok(dedupe)) => {
                Ok(Self { path, methods, auth, respond, timeout_ms, max_bytes, dedupe })
            }
            (path, methods, auth, respond, timeout, bytes, dedupe) => {
                let all =
                    [path.err(), methods.err(), auth.err(), respond.err(), timeout.err(), bytes.err(), dedupe.err()];
                Err(all.into_iter().flatten().collect())
            }
        }
    }
}

/// The secret that the settings of a webhook name.
pub fn secret_of(config: &Value) -> Option<&str> {
    secret_ref::reference(config.pointer("/auth/secret")?.as_str()?)
}

#[cfg(test)]
mod tests;
