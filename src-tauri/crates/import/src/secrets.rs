//! Secrets that files and command lines hold: they are found by the names of headers and taken out.

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
