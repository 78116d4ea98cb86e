//! Google Cloud Storage. Objects are read by the XML API, as `requests` does it for all stores; they are listed, written, copied and
//! removed by the JSON API, which Google's own libraries speak and other implementations have (ADR 219).

use super::exchange::{Exchange, Request};
use super::listing::{Entry, Wanted};
use super::requests::{About, Condition, named};
use super::settings::Store;
use serde_json::Value;
use signalbox_model::{NodeFailure, time};
use signalbox_ports::HttpResponse;
use url::Url;

const API: &str = "storage/v1";
const UPLOAD: &str = "upload/storage/v1";

/// What the address has before the bucket, and the bucket.
fn parts(store: &Store) -> (&str, &str) {
    let path = store.base.path().trim_end_matches('/');
    path.rsplit_once('/').unwrap_or(("", path))
}

/// The objects of the bucket in an API.
fn objects(store: &Store, api: &str) -> Url {
    let mut url = store.base.clone();
    let (root, bucket) = parts(store);
    url.set_path(&format!("{root}/{api}/b/{bucket}/o"));
    url
}

/// One object; its key is one part of the path.
fn object(store: &Store, key: &str) -> Url {
    let mut url = objects(store, API);
    url.set_path(&format!("{}/{}", url.path(), encoded(store, key)));
    url
}

fn encoded(store: &Store, key: &str) -> String {
    let path = store.object(key);
    path.path().strip_prefix(store.base.path()).unwrap_or_default().replace('/', "%2F")
}

fn conditional(mut url: Url, name: &str, condition: &Condition) -> Url {
    let generation = match condition {
        Condition::Always => return url,
        Condition::IfNew => "0",
        Condition::IfVersion(version) => version,
    };
    url.query_pairs_mut().append_pair(name, generation);
    url
}

/// The request that begins to write an object: `media` has it as its body, `resumable` gives an address for it.
pub(super) fn write(store: &Store, kind: &str, key: &str, condition: &Condition) -> Request {
    let mut url = objects(store, UPLOAD);
    url.query_pairs_mut().append_pair("uploadType", kind).append_pair("name", key);
    Request::new("POST", conditional(url, "ifGenerationMatch", condition))
}

/// The version in what the store says about an object that it has written.
pub(super) fn written(answer: &HttpResponse) -> Option<String> {
    let about: Value = serde_json::from_slice(&answer.body).ok()?;
    text(&about, "generation").map(str::to_owned)
}

pub(super) async fn put(
    exchange: &Exchange<'_>,
    key: &str,
    bytes: Vec<u8>,
    media: &str,
    condition: &Condition,
) -> Result<Option<String>, NodeFailure> {
    let mut request = write(&exchange.store, "media", key, condition).header("Content-Type", media);
    request.body = Some(bytes);
    exchange.send_checked(request, &named(key)).await.map(|answer| written(&answer))
}

pub(super) fn delete(store: &Store, key: &str, condition: &Condition) -> Request {
    Request::new("DELETE", conditional(object(store, key), "ifGenerationMatch", condition))
}

/// Copies an object; a large one to a bucket elsewhere takes several requests.
pub(super) async fn copy(
    exchange: &Exchange<'_>,
    from: &str,
    to: &str,
    condition: &Condition,
    about: &About,
) -> Result<(), NodeFailure> {
    let store = &exchange.store;
    let mut url = object(store, from);
    url.set_path(&format!("{}/rewriteTo/b/{}/o/{}", url.path(), parts(store).1, encoded(store, to)));
    let mut url = conditional(url, "ifGenerationMatch", condition);
    if let Some(version) = &about.version {
        url.query_pairs_mut().append_pair("ifSourceGenerationMatch", version);
    }
    let (begun, mut last) = (url.clone(), None);
    loop {
        let answer = exchange.send_checked(Request::new("POST", url.clone()), &named(from)).await?;
        let state: Value = exchange.json(answer)?;
        if state.get("done").and_then(Value::as_bool) == Some(true) {
            return Ok(());
        }
        let token = text(&state, "rewriteToken").map(str::to_owned);
        let copied = state.get("totalBytesRewritten").cloned();
        if token.is_none() || copied.is_none() || copied == last {
            let words = format!("The store copies no more of {}, and did not finish", named(from));
            return Err(NodeFailure::tool("COPY_FAILED", words).retryable());
        }
        last = copied;
        url = begun.clone();
        url.query_pairs_mut().append_pair("rewriteToken", token.as_deref().unwrap_or_default());
    }
}

pub(super) fn page(store: &Store, wanted: &Wanted<'_>, size: u64, next: Option<&str>) -> Request {
    let mut url = objects(store, API);
    {
        let mut query = url.query_pairs_mut();
        query.append_pair("maxResults", &size.to_string());
        if !wanted.prefix.is_empty() {
            query.append_pair("prefix", wanted.prefix);
        }
        if !wanted.recursive {
            query.append_pair("delimiter", "/");
        }
        if let Some(next) = next {
            query.append_pair("pageToken", next);
        }
    }
    Request::new("GET", url)
}

/// A page of a list: entries, and where the next one begins. `None` when it is none.
pub(super) fn entries(page: &Value) -> Option<(Vec<Entry>, Option<String>)> {
    // An empty page has neither items nor prefixes.
    let is_list = page.get("kind").is_some_and(|kind| kind == "storage#objects")
        || ["items", "prefixes"].iter().any(|name| page.get(name).is_some_and(Value::is_array));
    is_list.then_some(())?;
    let list = |name: &str| page.get(name).and_then(Value::as_array).into_iter().flatten();
    let folder = |key: &str| Entry { key: key.to_owned(), is_folder: true, about: About::default() };
    let mut entries: Vec<Entry> = list("prefixes").filter_map(Value::as_str).map(folder).collect();
    entries.extend(list("items").filter_map(|one| {
        let about = About {
            size: text(one, "size").and_then(|size| size.parse().ok()),
            media: text(one, "contentType").map(str::to_owned),
            modified: text(one, "updated").and_then(time::parse).map(time::format),
            version: text(one, "generation").map(str::to_owned),
        };
        Some(Entry { key: text(one, "name")?.to_owned(), is_folder: false, about })
    }));
    Some((entries, text(page, "nextPageToken").map(str::to_owned)))
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}
