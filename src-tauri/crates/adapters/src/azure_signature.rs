//! Signatures of Azure Storage (Shared Key, for blobs): a canonical form of the request is signed with the key of the account.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use ring::hmac;
use signalbox_ports::Secret;
use std::collections::BTreeMap;
use std::fmt::Write;
use url::Url;
use zeroize::Zeroizing;

const DATE: HeaderName = HeaderName::from_static("x-ms-date");
/// Headers that are signed by their place, in this order; the length of the body has its place behind the second one.
const PLACED: [&str; 9] = [
    "content-md5",
    "content-type",
    "date",
    "if-modified-since",
    "if-match",
    "if-none-match",
    "if-unmodified-since",
    "range",
    // Ends the last line.
    "",
];

/// The bytes of a key, which is base64.
pub(crate) fn key_bytes(secret: &Secret) -> Result<Zeroizing<Vec<u8>>, String> {
    let bytes = STANDARD.decode(secret.expose().trim()).map(Zeroizing::new);
    bytes.map_err(|_| "it is no key of an Azure account, which is base64".to_owned())
}

/// Signs a request: sets its date and `Authorization`.
pub(crate) fn sign(
    account: &str,
    secret: &Secret,
    method: &Method,
    url: &Url,
    headers: &mut HeaderMap,
    length: usize,
    now_ms: i64,
) -> Result<(), String> {
    let key = key_bytes(secret)?;
    let date =
        jiff::Timestamp::from_millisecond(now_ms).map_err(|_| "the clock of this machine is wrong".to_owned())?;
    let date = date.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    headers.insert(DATE, value(&date)?);
    headers.remove(AUTHORIZATION);
    let text = to_sign(account, method, url, headers, length);
    let signature = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), text.as_bytes());
    let mut text = value(&format!("SharedKey {account}:{}", STANDARD.encode(signature.as_ref())))?;
    text.set_sensitive(true);
    headers.insert(AUTHORIZATION, text);
    Ok(())
}

fn value(text: &str) -> Result<HeaderValue, String> {
    HeaderValue::from_str(text).map_err(|_| "its account has a character that headers may not have".into())
}

fn to_sign(account: &str, method: &Method, url: &Url, headers: &HeaderMap, length: usize) -> String {
    let header = |name: &str| {
        let text = headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned());
        text.unwrap_or_default()
    };
    let mut text = format!("{method}\n{}\n{}\n", header("content-encoding"), header("content-language"));
    // No body is an empty line, and not a zero.
    let length = if length == 0 { String::new() } else { length.to_string() };
    let placed: Vec<String> = PLACED.iter().map(|name| header(name)).collect();
    let _written = write!(text, "{length}\n{}", placed.join("\n"));
    let mut own: BTreeMap<&str, String> = BTreeMap::new();
    for name in headers.keys().map(HeaderName::as_str).filter(|name| name.starts_with("x-ms-")) {
        own.insert(name, header(name));
    }
    for (name, value) in own {
        let _written = writeln!(text, "{name}:{value}");
    }
    let _written = write!(text, "/{account}{}", url.path());
    let mut query: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in url.query_pairs() {
        query.entry(name.to_lowercase()).or_default().push(value.into_owned());
    }
    for (name, mut values) in query {
        values.sort();
        let _written = write!(text, "\n{name}:{}", values.join(","));
    }
    text
}

#[cfg(test)]
mod tests;
