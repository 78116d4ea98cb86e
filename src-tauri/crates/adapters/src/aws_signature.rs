//! Signatures of AWS, version 4, in the header `Authorization`: a canonical form of the request is signed with a key that is
//! derived from the secret access key, the day, the region and the service.

use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use ring::{digest, hmac};
use signalbox_model::time;
use signalbox_ports::Secret;
use std::fmt::Write;
use url::Url;
use zeroize::Zeroizing;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const DATE: HeaderName = HeaderName::from_static("x-amz-date");
const CONTENT_HASH: HeaderName = HeaderName::from_static("x-amz-content-sha256");

/// With what is signed, and for what.
pub(crate) struct Key<'a> {
    pub(crate) id: &'a str,
    pub(crate) secret: &'a Secret,
    pub(crate) region: &'a str,
    pub(crate) service: &'a str,
}

/// Signs a request: sets its date, for S3 the hash of its body, and `Authorization`.
pub(crate) fn sign(
    key: &Key<'_>,
    method: &Method,
    url: &Url,
    headers: &mut HeaderMap,
    body: &[u8],
    now_ms: i64,
) -> Result<(), String> {
    let stamp = stamp(now_ms);
    let day = stamp.get(..8).unwrap_or_default().to_owned();
    let hash = hex(digest::digest(&digest::SHA256, body).as_ref());
    headers.insert(DATE, value(&stamp)?);
    if key.service == "s3" {
        headers.insert(CONTENT_HASH, value(&hash)?);
    }
    headers.remove(AUTHORIZATION);
    let (signed, canonical) = canonical(key.service, method, url, headers, &hash);
    let scope = format!("{day}/{}/{}/aws4_request", key.region, key.service);
    let to_sign = format!(
        "{ALGORITHM}\n{stamp}\n{scope}\n{}",
        hex(digest::digest(&digest::SHA256, canonical.as_bytes()).as_ref())
    );
    let first = Zeroizing::new(format!("AWS4{}", key.secret.expose()));
    let mut derived = mac(first.as_bytes(), day.as_bytes());
    for part in [key.region, key.service, "aws4_request"] {
        derived = mac(&derived, part.as_bytes());
    }
    let signature = hex(&mac(&derived, to_sign.as_bytes()));
    let text = format!("{ALGORITHM} Credential={}/{scope}, SignedHeaders={signed}, Signature={signature}", key.id);
    let mut text = value(&text)?;
    text.set_sensitive(true);
    headers.insert(AUTHORIZATION, text);
    Ok(())
}

/// The names of the signed headers, and the canonical request.
fn canonical(service: &str, method: &Method, url: &Url, headers: &HeaderMap, hash: &str) -> (String, String) {
    let host = url.host_str().unwrap_or_default();
    let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let mut lines: Vec<(String, String)> = vec![("host".into(), host)];
    for name in headers.keys().filter(|name| !UNSIGNED.contains(&name.as_str())) {
        let values: Vec<String> = headers.get_all(name).iter().map(trimmed).collect();
        lines.push((name.as_str().to_owned(), values.join(",")));
    }
    lines.sort();
    let names: Vec<&str> = lines.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(";");
    let mut text = format!("{method}\n{}\n{}\n", path(service, url), query(url));
    for (name, value) in &lines {
        // Writing to a text cannot fail.
        let _written = writeln!(text, "{name}:{value}");
    }
    let _written = write!(text, "\n{names}\n{hash}");
    (names, text)
}

/// What an intermediary may change, and what is added after this, is left out.
const UNSIGNED: [&str; 10] = [
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "cookie",
    "expect",
    "host",
    "traceparent",
    "tracestate",
    "user-agent",
];

/// Without the space around it, and with one space for several.
fn trimmed(value: &HeaderValue) -> String {
    let text = String::from_utf8_lossy(value.as_bytes());
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// The path as it is signed. S3 signs it as it is sent; the other services encode it once more.
fn path(service: &str, url: &Url) -> String {
    let path = url.path();
    if service == "s3" {
        return path.split('/').map(|part| encoded(&decoded(part))).collect::<Vec<_>>().join("/");
    }
    path.split('/').map(|part| encoded(part.as_bytes())).collect::<Vec<_>>().join("/")
}

/// Parameters in the order of their encoded names, then values.
fn query(url: &Url) -> String {
    let parts = url.query().unwrap_or_default().split('&').filter(|part| !part.is_empty());
    let mut pairs: Vec<(String, String)> = parts
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let plain = |text: &str| encoded(&decoded(&text.replace('+', " ")));
            (plain(name), plain(value))
        })
        .collect();
    pairs.sort();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

fn decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = text.get(at + 1..at + 3).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (byte, pair) {
            (b'%', Some(pair)) => {
                plain.push(pair);
                at += 3;
            }
            _ => {
                plain.push(*byte);
                at += 1;
            }
        }
    }
    plain
}

/// Everything but unreserved characters as `%XX` (RFC 3986).
fn encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            let _written = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// `20150830T123600Z`.
fn stamp(now_ms: i64) -> String {
    // RFC 3339 with milliseconds, in UTC.
    let text = time::format(now_ms);
    let seconds = text.split('.').next().unwrap_or_default();
    format!("{}Z", seconds.trim_end_matches('Z').replace(['-', ':'], ""))
}

fn value(text: &str) -> Result<HeaderValue, String> {
    HeaderValue::from_str(text)
        .map_err(|_| "its access key, region or service has a character that headers may not have".into())
}

fn mac(key: &[u8], text: &[u8]) -> Zeroizing<Vec<u8>> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    Zeroizing::new(hmac::sign(&key, text).as_ref().to_vec())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _written = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
