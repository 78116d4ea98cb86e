//! The requests about one object: read, written, copied, removed.

use super::exchange::{Exchange, Request, error_in_success};
use super::google;
use super::settings::System;
use super::webdav;
use crate::http_header::header;
use serde_json::{Value, json};
use signalbox_model::{NodeFailure, time};
use signalbox_ports::HttpResponse;
use url::Url;

/// What a store answers to a condition that it does not know for this request.
const NOT_IMPLEMENTED: u16 = 501;

/// When an object may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Condition {
    Always,
    /// There is none yet.
    IfNew,
    /// It still has this version.
    IfVersion(String),
}

impl Condition {
    pub(crate) fn is_always(&self) -> bool {
        *self == Self::Always
    }
}

/// What a store says about an object.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct About {
    pub(crate) size: Option<u64>,
    pub(crate) media: Option<String>,
    pub(crate) modified: Option<String>,
    /// What a condition compares: the entity tag, for Google the generation.
    pub(crate) version: Option<String>,
}

impl About {
    pub(crate) fn of(system: System, answer: &HttpResponse) -> Self {
        let version = if system == System::Gcs { "x-goog-generation" } else { "etag" };
        Self {
            size: header(answer, "content-length").and_then(|size| size.parse().ok()),
            media: header(answer, "content-type").map(str::to_owned),
            modified: header(answer, "last-modified").and_then(http_date),
            version: header(answer, version).map(str::to_owned),
        }
    }
}

/// A date of HTTP as one of this program.
pub(crate) fn http_date(text: &str) -> Option<String> {
    let seconds = httpdate_seconds(text)?;
    Some(time::format(seconds.saturating_mul(1_000)))
}

fn httpdate_seconds(text: &str) -> Option<i64> {
    jiff::fmt::rfc2822::parse(text.trim()).ok().map(|zoned| zoned.timestamp().as_second())
}

impl Exchange<'_> {
    pub(super) fn conditional(&self, request: Request, condition: &Condition) -> Request {
        match (condition, self.store.system) {
            (Condition::Always, _) => request,
            // Only reads: `google` writes.
            (Condition::IfVersion(version), System::Gcs) => {
                request.header("x-goog-if-generation-match", version.clone())
            }
            (Condition::IfNew, _) => request.header("If-None-Match", "*"),
            (Condition::IfVersion(version), _) => request.header("If-Match", version.clone()),
        }
    }

    /// The object with its bytes.
    pub(crate) async fn get(&self, key: &str) -> Result<HttpResponse, NodeFailure> {
        self.send_checked(Request::new("GET", self.store.object(key)), &named(key)).await
    }

    /// What there is to say about an object; nothing when it is not there.
    pub(crate) async fn head(&self, key: &str) -> Result<Option<About>, NodeFailure> {
        let answer = self.send(Request::new("HEAD", self.store.object(key))).await?;
        match answer.status {
            200..=299 => Ok(Some(About::of(self.store.system, &answer))),
            404 | 410 => Ok(None),
            _ => Err(self.refusal(answer, &named(key))),
        }
    }

    /// Writes an object; says its version.
    pub(crate) async fn put(
        &self,
        key: &str,
        bytes: Vec<u8>,
        media: &str,
        condition: &Condition,
    ) -> Result<Option<String>, NodeFailure> {
        if self.store.system == System::WebDav {
            webdav::make_folders(self, key).await?;
        }
        if self.store.system == System::Gcs {
            return google::put(self, key, bytes, media, condition).await;
        }
        let mut request = Request::new("PUT", self.store.object(key)).header("Content-Type", media);
        if self.store.system == System::Azure {
            request = request.header("x-ms-blob-type", "BlockBlob");
        }
        let mut request = self.conditional(request, condition);
        request.body = Some(bytes);
        let answer = self.send_checked(request, &named(key)).await?;
        Ok(About::of(self.store.system, &answer).version)
    }

    /// Removes an object; false when there was none, as far as the store tells.
    pub(crate) async fn delete(&self, key: &str, version: Option<&str>) -> Result<bool, NodeFailure> {
        let condition = version.map_or(Condition::Always, |version| Condition::IfVersion(version.to_owned()));
        let request = match self.store.system {
            System::Gcs => google::delete(&self.store, key, &condition),
            _ => self.conditional(Request::new("DELETE", self.store.object(key)), &condition),
        };
        let mut answer = self.send(request).await?;
        if answer.status == NOT_IMPLEMENTED && version.is_some() {
            answer = self.send(Request::new("DELETE", self.store.object(key))).await?;
        }
        match answer.status {
            200..=299 => Ok(true),
            404 | 410 => Ok(false),
            _ => Err(self.refusal(answer, &named(key))),
        }
    }

    /// Copies an object inside the store: nothing of it comes here.
    pub(crate) async fn copy(&self, from: &str, to: &str, is_new: bool, about: &About) -> Result<(), NodeFailure> {
        let (source, target) = (self.store.object(from), self.store.object(to));
        let condition = if is_new { Condition::IfNew } else { Condition::Always };
        let request = match self.store.system {
            System::S3 => {
                let path = bucket_path(&self.store.base, &source);
                let request = Request::new("PUT", target).header("x-amz-copy-source", path);
                match &about.version {
                    Some(version) => request.header("x-amz-copy-source-if-match", version.clone()),
                    None => request,
                }
            }
            System::Gcs => return google::copy(self, from, to, &condition, about).await,
            System::Azure => Request::new("PUT", target).header("x-ms-copy-source", source.as_str()),
            System::WebDav => return webdav::transfer(self, "COPY", from, to, is_new).await,
        };
        let (plain, request) = (request.clone(), self.conditional(request, &condition));
        let mut answer = self.send(request).await?;
        // The places were looked at before.
        if answer.status == NOT_IMPLEMENTED && is_new {
            answer = self.send(plain).await?;
        }
        if !(200..300).contains(&answer.status) {
            return Err(self.refusal(answer, &named(from)));
        }
        if let Some(error) = error_in_success(&answer) {
            let words = format!("{} was not copied: {error}", named(from));
            return Err(NodeFailure::tool("COPY_FAILED", words).retryable());
        }
        if header(&answer, "x-ms-copy-status").is_some_and(|status| status != "success") {
            let words = format!("The store still copies {}; the object stays where it is", named(from));
            return Err(NodeFailure::tool("COPY_PENDING", words).detail("to", to).maybe_happened());
        }
        Ok(())
    }

    /// Moves an object. `is_new`: only to a place where there is none.
    pub(crate) async fn rename(&self, from: &str, to: &str, is_new: bool) -> Result<(), NodeFailure> {
        if self.store.system == System::WebDav {
            return webdav::transfer(self, "MOVE", from, to, is_new).await;
        }
        let about = self.source(from).await?;
        self.copy_checked(from, to, is_new, &about).await?;
        // Only what was copied is removed, where the store compares.
        let removed = self.delete(from, about.version.as_deref()).await;
        removed.map(|_| ()).map_err(|failure| {
            let message = format!("It was copied to '{to}', and then: {}", failure.message);
            NodeFailure { message, ..failure }.detail("copied", true)
        })
    }

    /// The object that is copied.
    pub(crate) async fn source(&self, from: &str) -> Result<About, NodeFailure> {
        self.head(from).await?.ok_or_else(|| NodeFailure::tool("NOT_FOUND", format!("{} is not there", named(from))))
    }

    /// A copy onto nothing: older stores ignore the condition of a copy, so the place is looked at, too.
    pub(crate) async fn copy_checked(
        &self,
        from: &str,
        to: &str,
        is_new: bool,
        about: &About,
    ) -> Result<(), NodeFailure> {
        if is_new && self.head(to).await?.is_some() {
            return Err(NodeFailure::tool("PRECONDITION_FAILED", format!("{} exists already", named(to))));
        }
        self.copy(from, to, is_new, about).await
    }
}

/// An object in messages.
pub(crate) fn named(key: &str) -> String {
    let short: String = key.chars().take(200).collect();
    format!("The object '{short}'")
}

/// `/bucket/key`, as it stands in the address. In an address without the bucket in its path the host begins with it.
fn bucket_path(base: &Url, source: &Url) -> String {
    let in_path = base.path() != "/";
    if in_path {
        return source.path().to_owned();
    }
    let bucket = base.host_str().unwrap_or_default().split('.').next().unwrap_or_default();
    format!("/{bucket}{}", source.path())
}

/// What is known of an object as the data of an item.
pub(crate) fn told(key: &str, about: &About) -> Value {
    json!({
        "key": key, "size": about.size, "type": about.media, "modified": about.modified, "version": about.version,
    })
}
