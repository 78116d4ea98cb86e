//! A long list is never there as one text: its parts are kept under a hash each, written one after the other,
//! and read back one after the other (ADR 157). Beside the event stands `[pointer, [hash, …]]`; in its text the list is empty.

use super::{Blob, Document, Source};
use crate::error::{Error, Result};
use serde_json::Value;
use signalbox_model::data::as_text;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::event::{EventBody, Payload};
use signalbox_model::hash::sha256_hex;
use signalbox_model::items::PART;
use signalbox_model::{Items, RunEvent};
use std::sync::Arc;

/// Where the lists of ports stand in an event.
const PORTS: &str = "/items/";

/// A list of an event, and the hashes of its parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListParts {
    port: String,
    hashes: Vec<String>,
}

/// From so many bytes of text on a list is stored in parts. What is in files always is.
const LONG: usize = 1024 * 1024;

fn is_long(items: &Items) -> bool {
    items.is_paged() || (items.as_text() >= 2 * PART && items.weight(|_| 0) >= LONG)
}

/// The payload of an event as it is stored.
pub(crate) fn of_event(event: &RunEvent) -> Result<Document> {
    let EventBody::StepDone(done) = &event.body else { return Document::of(&Payload(&event.body)) };
    if !done.items.values().any(is_long) {
        return Document::of(&Payload(&event.body));
    }
    let mut rest = done.clone();
    let mut lists = Vec::new();
    for (port, items) in &mut rest.items {
        if is_long(items) {
            lists.push((format!("{PORTS}{}", pointer_token(port)), std::mem::take(items)));
        }
    }
    let body = EventBody::StepDone(rest);
    let mut document = Document::of(&Payload(&body))?;
    let mut references: Vec<Value> = match &document.references {
        Some(known) => super::parse(known).map_err(|error| Error::Invalid { reason: error.to_string() })?,
        None => Vec::new(),
    };
    for (pointer, items) in lists {
        let (mut hashes, items) = (Vec::new(), Arc::new(items));
        for first in (0..items.len()).step_by(PART) {
            let source = Source::Slice(Arc::clone(&items), first..items.len().min(first + PART));
            let hash = sha256_hex(source.text()?.unwrap_or_default().as_bytes());
            hashes.push(Value::from(hash.as_str()));
            document.blobs.push(Blob { hash, data: source });
        }
        references.push(Value::Array(vec![pointer.into(), Value::Array(hashes)]));
    }
    document.references = Some(Value::Array(references).to_string());
    Ok(document)
}

/// The references to single values, and the lists. Nothing when there are no lists, as nearly always.
pub(crate) fn of_references(references: &str) -> Result<Option<(String, Vec<ListParts>)>> {
    // A list stands behind a name; a name that holds these signs leads here, too, and no further.
    if !references.contains("\",[") {
        return Ok(None);
    }
    let damaged = || Error::Damaged { reason: "a list of large values cannot be read".into() };
    let all: Vec<(String, Value)> = super::parse(references).map_err(|_| damaged())?;
    let (mut single, mut lists) = (Vec::new(), Vec::new());
    for (pointer, hash) in all {
        let Value::Array(hashes) = hash else {
            single.push(Value::Array(vec![pointer.into(), hash]));
            continue;
        };
        let token = pointer.strip_prefix(PORTS).ok_or_else(damaged)?;
        let hashes = hashes.iter().map(|hash| hash.as_str().map(str::to_owned).ok_or_else(damaged));
        lists.push(ListParts {
            port: token.replace("~1", "/").replace("~0", "~"),
            hashes: hashes.collect::<Result<_>>()?,
        });
    }
    Ok(Some((Value::Array(single).to_string(), lists)))
}

/// Puts the lists of an event back into their places, part by part.
pub(crate) fn fill(
    body: &mut EventBody,
    lists: &[ListParts],
    fetch: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
) -> Result<()> {
    let damaged = |reason: String| Error::Damaged { reason };
    for ListParts { port, hashes } in lists {
        let EventBody::StepDone(done) = &mut *body else {
            return Err(damaged("a list belongs to no result of a step".into()));
        };
        let list = done.items.get_mut(port).ok_or_else(|| damaged("a list has no place".into()))?;
        for hash in hashes {
            let data = fetch(hash)?;
            if sha256_hex(&data) != *hash {
                return Err(damaged(format!("the part {hash} of a list does not match its hash")));
            }
            let part: Items = as_text(|| serde_json::from_slice(&data))
                .map_err(|_| damaged(format!("the part {hash} of a list cannot be read")))?;
            list.append(&part);
        }
    }
    Ok(())
}
