//! Secrets that files and command lines hold: they are found by the names of headers and taken out.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt;

/// A secret that was found.
#[derive(Debug, PartialEq)]
pub(crate) struct Found {
    /// A name for it on this machine.
    pub(crate) name: String,
    /// How it is sent.
    pub(crate) kind: &'static str,
}

/// A header whose value is a secret and no expression.
pub(crate) fn in_header(name: &str, value: &str) -> Option<Found> {
    let lower = name.to_ascii_lowercase();
    let value = value.trim();
    if value.is_empty() || value.contains("{{") || value.starts_with('=') {
        return None;
    }
    if lower == "authorization" || lower == "proxy-authorization" {
        let kind = match value.split_whitespace().next().map(str::to_ascii_lowercase).as_deref() {
            Some("bearer") => "bearer",
            Some("basic") => "basic",
            _ => "header",
        };
        return Some(Found { name: "imported-token".into(), kind });
    }
    let words =
        ["api-key", "apikey", "api_key", "token", "secret", "password", "cookie", "x-auth", "access-key", "private"];
    let holds = words.iter().any(|word| lower.contains(word)) && lower != "idempotency-key" && !lower.contains("csrf");
    let safe: String = lower.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
    holds.then(|| Found { name: format!("imported-{}", safe.trim_matches('-')), kind: "header" })
}

/// A secret that was taken out of a command line, for the one who gave the line. It is in no report and no workflow.
#[derive(PartialEq, Eq)]
pub struct TakenSecret {
    /// Its name on this machine, as the step names it.
    pub name: String,
    /// How it is sent: `bearer`, `basic` or `header`.
    pub kind: &'static str,
    /// The user or the header.
    pub field: Option<String>,
    /// The secret itself.
    pub value: String,
    /// The host that it was sent to, as allowed hosts are written.
    pub host: String,
}

impl fmt::Debug for TakenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TakenSecret").field("name", &self.name).field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl TakenSecret {
    /// A header of this kind. A login that cannot be read is sent as the header that it is.
    pub(crate) fn of_header(found: Found, header: &str, value: &str, host: &str) -> Self {
        let sent = value.trim();
        let behind = sent.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
        let (kind, field, value) = match found.kind {
            "bearer" if header.eq_ignore_ascii_case("authorization") => ("bearer", None, behind.to_owned()),
            "basic" if header.eq_ignore_ascii_case("authorization") => match login(behind) {
                Some((user, password)) => ("basic", Some(user), password),
                None => ("header", Some(header.to_owned()), sent.to_owned()),
            },
            _ => ("header", Some(header.to_owned()), sent.to_owned()),
        };
        Self { name: found.name, kind, field, value, host: host.to_owned() }
    }
}

fn login(encoded: &str) -> Option<(String, String)> {
    let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    text.split_once(':').map(|(user, password)| (user.to_owned(), password.to_owned()))
}
