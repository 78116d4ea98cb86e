//! Lists of objects, page by page, up to a limit.

use super::exchange::{Exchange, LIST, Request};
use super::google;
use super::requests::{About, http_date};
use super::settings::System;
use super::webdav;
use crate::http_answer as answers;
use serde_json::Value;
use signalbox_model::{NodeFailure, time};
use std::collections::BTreeSet;

/// Objects of one page.
const PAGE: u64 = 1_000;

/// One line of a list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    /// Keys go on behind it; it is no object.
    pub(crate) is_folder: bool,
    pub(crate) about: About,
}

/// A list, and whether there is more than it holds.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) entries: Vec<Entry>,
    pub(crate) more: bool,
}

/// What is listed.
pub(crate) struct Wanted<'a> {
    pub(crate) prefix: &'a str,
    /// What lies in folders below, too; otherwise the folders themselves.
    pub(crate) recursive: bool,
    pub(crate) limit: u64,
}

impl Exchange<'_> {
    pub(crate) async fn list(&self, wanted: &Wanted<'_>) -> Result<Listing, NodeFailure> {
        match self.store.system {
            System::WebDav => webdav::list(self, wanted).await,
            System::S3 | System::Gcs | System::Azure => self.pages(wanted).await,
        }
    }

    async fn pages(&self, wanted: &Wanted<'_>) -> Result<Listing, NodeFailure> {
        let (mut listing, mut next, mut seen) = (Listing::default(), None::<String>, BTreeSet::new());
        loop {
            let left = wanted.limit - listing.entries.len() as u64;
            let answer = self.send_checked(self.page(wanted, left.min(PAGE), next.as_deref()), LIST).await?;
            let answer = answers::without_secrets(answer, &self.world.secrets.scrubber());
            let lists = ["Contents", "CommonPrefixes", "Blob", "BlobPrefix"];
            let (entries, after) = match self.store.system {
                System::Azure => blobs(&self.xml(answer, &lists)?),
                System::Gcs => google::entries(&self.json(answer)?),
                System::S3 | System::WebDav => contents(&self.xml(answer, &lists)?),
            }
            .ok_or_else(|| {
                let words =
                    "The store does not answer with a list of objects. Look at 'system', 'address' and 'bucket'";
                NodeFailure::validation("BAD_ANSWER", words)
            })?;
            listing.entries.extend(entries);
            let most = usize::try_from(wanted.limit).unwrap_or(usize::MAX);
            listing.more = after.is_some() || listing.entries.len() > most;
            if listing.entries.len() >= most {
                listing.entries.truncate(most);
                return Ok(listing);
            }
            let Some(after) = after else { return Ok(listing) };
            if !seen.insert(after.clone()) {
                let words = "The store names the same next page a second time, so the list would never end";
                return Err(NodeFailure::tool("PAGE_LOOP", words));
            }
            next = Some(after);
        }
    }

    fn page(&self, wanted: &Wanted<'_>, size: u64, next: Option<&str>) -> Request {
        if self.store.system == System::Gcs {
            return google::page(&self.store, wanted, size, next);
        }
        let mut url = self.store.base.clone();
        let is_azure = self.store.system == System::Azure;
        if url.path() != "/" {
            // The address of the bucket itself.
            if let Ok(mut path) = url.path_segments_mut() {
                path.pop_if_empty();
            }
        }
        let size = size.to_string();
        let mut query: Vec<(&str, &str)> = if is_azure {
            vec![("restype", "container"), ("comp", "list"), ("maxresults", &size)]
        } else {
            vec![("list-type", "2"), ("encoding-type", "url"), ("max-keys", &size)]
        };
        if !wanted.prefix.is_empty() {
            query.push(("prefix", wanted.prefix));
        }
        if !wanted.recursive {
            query.push(("delimiter", "/"));
        }
        if let Some(next) = next {
            query.push((if is_azure { "marker" } else { "continuation-token" }, next));
        }
        url.query_pairs_mut().extend_pairs(query);
        Request::new("GET", url)
    }
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// A page of S3: entries, and where the next one begins.
fn contents(page: &Value) -> Option<(Vec<Entry>, Option<String>)> {
    let page = page.get("ListBucketResult")?;
    let is_encoded = text(page, "EncodingType").is_some_and(|kind| kind == "url");
    let plain = |key: &str| if is_encoded { decoded(key) } else { key.to_owned() };
    let mut entries: Vec<Entry> = list(page, "CommonPrefixes")
        .filter_map(|one| text(one, "Prefix"))
        .map(|key| Entry { key: plain(key), is_folder: true, about: About::default() })
        .collect();
    entries.extend(list(page, "Contents").filter_map(|one| {
        let about = About {
            size: text(one, "Size").and_then(|size| size.parse().ok()),
            media: None,
            modified: text(one, "LastModified").and_then(time::parse).map(time::format),
            version: text(one, "ETag").map(str::to_owned),
        };
        Some(Entry { key: plain(text(one, "Key")?), is_folder: false, about })
    }));
    let is_cut = text(page, "IsTruncated").is_some_and(|cut| cut == "true");
    let next = text(page, "NextContinuationToken").filter(|_| is_cut).map(str::to_owned);
    Some((entries, next))
}

/// A page of Azure.
fn blobs(page: &Value) -> Option<(Vec<Entry>, Option<String>)> {
    let page = page.get("EnumerationResults")?;
    let blobs = page.get("Blobs").unwrap_or(&Value::Null);
    let mut entries: Vec<Entry> = list(blobs, "BlobPrefix")
        .filter_map(|one| text(one, "Name"))
        .map(|key| Entry { key: key.to_owned(), is_folder: true, about: About::default() })
        .collect();
    entries.extend(list(blobs, "Blob").filter_map(|one| {
        let properties = one.get("Properties").unwrap_or(&Value::Null);
        let about = About {
            size: text(properties, "Content-Length").and_then(|size| size.parse().ok()),
            media: text(properties, "Content-Type").map(str::to_owned),
            modified: text(properties, "Last-Modified").and_then(http_date),
            version: text(properties, "Etag").map(str::to_owned),
        };
        Some(Entry { key: text(one, "Name")?.to_owned(), is_folder: false, about })
    }));
    Some((entries, text(page, "NextMarker").map(str::to_owned)))
}

/// A key as S3 encodes it in lists: as in forms.
fn decoded(key: &str) -> String {
    let form = format!("k={key}");
    url::form_urlencoded::parse(form.as_bytes()).next().map_or_else(|| key.to_owned(), |(_, key)| key.into_owned())
}
