//! The settings of a store, and the addresses of its objects.

use crate::support::{setting, text, text_or, whole, wrong_setting};
use crate::time_limit;
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;
use std::time::Duration;
use url::Url;

const LONGEST_TIMEOUT_MS: u64 = 3_600_000;
/// Longest key, bytes (S3, Google; Azure has the same number of characters).
const LONGEST_KEY: usize = 1_024;

/// A family of stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum System {
    /// Amazon S3 and the many stores that speak the same.
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure,
    /// A WebDAV folder.
    WebDav,
}

/// A place for objects.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    pub(crate) system: System,
    /// The address of the bucket, container or folder; its path ends with `/`.
    pub(crate) base: Url,
    pub(crate) timeout_ms: u64,
}

pub(crate) fn invalid(field: &str, words: impl Into<String>) -> NodeFailure {
    NodeFailure::validation("INPUT_INVALID", words).detail("field", field)
}

fn timeout_ms(slot: &CallSlot) -> Result<u64, NodeFailure> {
    Ok(whole(slot, "timeoutMs", 1, LONGEST_TIMEOUT_MS)?.unwrap_or_else(|| time_limit::of_object(slot)))
}

/// The time limit of a call.
pub(crate) fn timeout(slot: &CallSlot) -> Result<Duration, NodeFailure> {
    timeout_ms(slot).map(Duration::from_millis)
}

impl Store {
    pub(crate) fn of(slot: &CallSlot) -> Result<Self, NodeFailure> {
        let system = match text_or(slot, "system", "s3")? {
            "s3" => System::S3,
            "gcs" => System::Gcs,
            "azure" => System::Azure,
            "webdav" => System::WebDav,
            _ => return Err(wrong_setting("system", "s3, gcs, azure, webdav or sftp", &slot.config["system"])),
        };
        let given = text_or(slot, "address", "")?.trim();
        let address = match (given, system) {
            ("", System::Gcs) => "https://storage.googleapis.com",
            ("", _) => return Err(invalid("address", "The store has no address; it begins with https://")),
            (given, _) => given,
        };
        let mut base = Url::parse(address)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some())
            .ok_or_else(|| invalid("address", "The address of the store is not one that begins with https://"))?;
        if base.query().is_some() || base.fragment().is_some() {
            return Err(invalid("address", "The address of a store has no '?' and no '#'"));
        }
        let bucket = text_or(slot, "bucket", "")?.trim();
        if bucket.contains('/') || is_dots(bucket) {
            return Err(invalid("bucket", "The name of a bucket has no '/'"));
        }
        if bucket.is_empty() && matches!(system, System::Gcs | System::Azure) {
            return Err(invalid("bucket", "The bucket, or container, is not named"));
        }
        if let Ok(mut path) = base.path_segments_mut() {
            path.pop_if_empty();
            if !bucket.is_empty() && system != System::WebDav {
                path.push(bucket);
            }
            path.push("");
        }
        Ok(Self { system, base, timeout_ms: timeout_ms(slot)? })
    }

    /// That the bucket, or container, does not exist, and what to do: the store answered, and knows none of this name.
    pub(crate) fn missing(&self, told: &str) -> String {
        let noun = if self.system == System::Azure { "container" } else { "bucket" };
        let host = self.base.host_str().unwrap_or_default();
        let host = self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let name = self.base.path().trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty());
        let name = name.map(|name| format!(" '{name}'")).unwrap_or_default();
        format!(
            "{host} has no {noun}{name}{}. Correct 'bucket' or 'address', or create the {noun}",
            told.trim_end_matches('.')
        )
    }

    /// The address of an object.
    pub(crate) fn object(&self, key: &str) -> Url {
        let mut url = self.base.clone();
        // Everything but unreserved characters is encoded: some stores read a '+' in paths as a space.
        let key: Vec<String> = key.split('/').map(encoded).collect();
        url.set_path(&format!("{}{}", self.base.path(), key.join("/")));
        url
    }
}

fn encoded(part: &str) -> String {
    let mut text = String::with_capacity(part.len());
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

fn is_dots(part: &str) -> bool {
    part == "." || part == ".."
}

/// The key that a setting names.
pub(crate) fn key(slot: &CallSlot, field: &str) -> Result<String, NodeFailure> {
    let key = text(slot, field)?;
    if key.is_empty() {
        return Err(invalid(field, format!("'{field}' names no object")));
    }
    checked(key, field)
}

/// The beginning of keys; everything when it is empty.
pub(crate) fn prefix(slot: &CallSlot) -> Result<String, NodeFailure> {
    match setting(slot, "prefix") {
        None => Ok(String::new()),
        Some(_) => checked(text(slot, "prefix")?, "prefix"),
    }
}

fn checked(key: &str, field: &str) -> Result<String, NodeFailure> {
    let short: String = key.chars().take(100).collect();
    if key.len() > LONGEST_KEY {
        return Err(invalid(field, format!("'{short}…' is longer than {LONGEST_KEY} bytes")));
    }
    // On the way through libraries and proxies these become another object.
    if key.split('/').any(is_dots) {
        return Err(invalid(field, format!("'{short}' has a part that is '.' or '..'")));
    }
    if key.chars().any(char::is_control) {
        return Err(invalid(field, format!("'{short}' has a line break or another control character")));
    }
    Ok(key.to_owned())
}
