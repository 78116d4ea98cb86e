//! WebDAV (RFC 4918): folders are listed one by one, and made before an object is written into them.

use super::exchange::{Exchange, Request};
use super::listing::{Entry, Listing, Wanted};
use super::requests::{About, http_date, named};
use super::webdav_upload::is_unfinished;
use serde_json::Value;
use signalbox_model::NodeFailure;
use std::collections::VecDeque;
use url::Url;

/// Folders that one list asks for.
const MOST_FOLDERS: usize = 1_000;

const PROPERTIES: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?><d:propfind xmlns:d=\"DAV:\"><d:prop><d:resourcetype/>\
                          <d:getcontentlength/><d:getcontenttype/><d:getlastmodified/><d:getetag/></d:prop></d:propfind>";

/// Lists the folder of the prefix, and those below it.
pub(super) async fn list(exchange: &Exchange<'_>, wanted: &Wanted<'_>) -> Result<Listing, NodeFailure> {
    let folder = wanted.prefix.rfind('/').map_or("", |at| &wanted.prefix[..=at]);
    let mut todo = VecDeque::from([folder.to_owned()]);
    let most = usize::try_from(wanted.limit).unwrap_or(usize::MAX);
    let (mut listing, mut asked) = (Listing::default(), 0);
    while let Some(folder) = todo.pop_front() {
        if asked == MOST_FOLDERS {
            let words = format!("The list has more than {MOST_FOLDERS} folders. Choose a longer prefix");
            return Err(NodeFailure::validation("TOO_LARGE", words).detail("field", "prefix"));
        }
        asked += 1;
        let mut entries = children(exchange, &folder).await?;
        entries.retain(|entry| entry.key.starts_with(wanted.prefix) && !is_unfinished(&entry.key));
        entries.sort_by(|one, other| one.key.cmp(&other.key));
        for entry in entries {
            if entry.is_folder && wanted.recursive {
                todo.push_back(entry.key);
            } else if listing.entries.len() == most {
                listing.more = true;
                return Ok(listing);
            } else {
                listing.entries.push(entry);
            }
        }
    }
    Ok(listing)
}

/// What is in a folder; its key is empty or ends with `/`.
async fn children(exchange: &Exchange<'_>, folder: &str) -> Result<Vec<Entry>, NodeFailure> {
    let url = exchange.store.object(folder);
    let mut request = Request::new("PROPFIND", url).header("Depth", "1").header("Content-Type", "application/xml");
    request.body = Some(PROPERTIES.as_bytes().to_vec());
    let what = if folder.is_empty() { "The folder".to_owned() } else { named(folder) };
    let answer = exchange.send_checked(request, &what).await?;
    let page = exchange.xml(answer, &["response", "propstat"])?;
    let all = page.get("multistatus").ok_or_else(|| {
        NodeFailure::validation("BAD_ANSWER", "The address does not answer as a WebDAV folder does. Look at 'address'")
    })?;
    let responses = all.get("response").and_then(Value::as_array).into_iter().flatten();
    Ok(responses.filter_map(|one| entry(&exchange.store.base, folder, one)).collect())
}

fn entry(base: &Url, folder: &str, response: &Value) -> Option<Entry> {
    let found = base.join(response.get("href")?.as_str()?.trim()).ok()?;
    // A server names what is in the folder, and nothing else.
    let rest = found.path().strip_prefix(base.path())?;
    let parts: Vec<String> = rest.split('/').map(decoded).collect();
    let key = parts.join("/");
    let stats = response.get("propstat").and_then(Value::as_array)?;
    let is_good =
        |stat: &&Value| stat.get("status").and_then(Value::as_str).is_none_or(|status| status.contains(" 200"));
    let properties = stats.iter().find(is_good)?.get("prop")?;
    let is_folder = properties.get("resourcetype").is_some_and(|kind| kind.get("collection").is_some());
    let key = if is_folder { format!("{}/", key.trim_end_matches('/')) } else { key };
    if key.len() <= folder.len() || !key.starts_with(folder) || parts.iter().any(|part| part == ".." || part == ".") {
        return None;
    }
    let text = |name: &str| properties.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let about = About {
        size: text("getcontentlength").and_then(|size| size.parse().ok()),
        media: text("getcontenttype").map(str::to_owned),
        modified: text("getlastmodified").and_then(http_date),
        version: text("getetag").map(str::to_owned),
    };
    Some(Entry { key, is_folder, about: if is_folder { About::default() } else { about } })
}

fn decoded(part: &str) -> String {
    // A '+' stands for itself in paths.
    let form = format!("k={}", part.replace('+', "%2B"));
    url::form_urlencoded::parse(form.as_bytes()).next().map_or_else(|| part.to_owned(), |(_, part)| part.into_owned())
}

/// Makes the folders of a key; those that are there answer 405.
pub(super) async fn make_folders(exchange: &Exchange<'_>, key: &str) -> Result<(), NodeFailure> {
    let Some(end) = key.rfind('/') else { return Ok(()) };
    // Most folders are there: one question for all of them.
    if exchange.head(&key[..=end]).await.is_ok_and(|found| found.is_some()) {
        return Ok(());
    }
    for (at, _) in key.match_indices('/').filter(|(at, _)| *at > 0) {
        let folder = &key[..=at];
        let answer = exchange.send(Request::new("MKCOL", exchange.store.object(folder))).await?;
        if !matches!(answer.status, 200..=299 | 405) {
            return Err(exchange.refusal(answer, &named(folder)));
        }
    }
    Ok(())
}

/// COPY or MOVE.
pub(super) async fn transfer(
    exchange: &Exchange<'_>,
    method: &'static str,
    from: &str,
    to: &str,
    is_new: bool,
) -> Result<(), NodeFailure> {
    make_folders(exchange, to).await?;
    let request = Request::new(method, exchange.store.object(from))
        .header("Destination", exchange.store.object(to).as_str())
        .header("Overwrite", if is_new { "F" } else { "T" });
    exchange.send_checked(request, &named(from)).await.map(|_| ())
}
