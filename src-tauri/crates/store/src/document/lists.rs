//! A long list is never there as one text: its parts are kept under a hash each, written one after the other,
//! and read back one after the other (ADR 157). Beside the event stands `[pointer, [hash, …]]`; in its text the list is empty.

use super::{Blob, Document, Source};
use crate::error::{Error, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;
use signalbox_model::data::as_text;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::event::{EventBody, InputItem, Payload, StepDone, StepStart};
use signalbox_model::hash::sha256_hex;
use signalbox_model::items::PART;
use signalbox_model::{Items, RunEvent};
use std::sync::Arc;

/// Where the lists of ports stand in an event.
const PORTS: &str = "/items/";
/// Where the items stand that a call began with.
const INPUT: &str = "/input";

/// A list of an event, and the hashes of its parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListParts {
    place: Place,
    hashes: Vec<String>,
}

/// Where a list stands.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    Port(String),
    Input,
}

/// From so many bytes of text on a list is stored in parts. What is in files always is.
const LONG: usize = 1024 * 1024;

fn is_long(items: &Items) -> bool {
    items.is_paged() || (items.as_text() >= 2 * PART && items.weight(|_| 0) >= LONG)
}

/// The payload of an event as it is stored.
pub(crate) fn of_event(event: &RunEvent) -> Result<Document> {
    match &event.body {
        EventBody::StepDone(done) if done.items.values().any(is_long) => of_done(done.clone()),
        EventBody::StepStart(start) if is_long_input(&start.input) => of_start(start.clone()),
        body => Document::of(&Payload(body)),
    }
}

/// The items of a call are as many as those that a step before it put out, and their texts are the same: nobody has them as one text.
fn is_long_input(input: &[InputItem]) -> bool {
    input.len() >= 2 * PART && input.iter().map(|item| item.data.length()).sum::<usize>() >= LONG
}

fn of_start(mut rest: StepStart) -> Result<Document> {
    let input = std::mem::take(&mut rest.input);
    let mut document = Document::of(&Payload(&EventBody::StepStart(rest)))?;
    let part = |first| Source::Input(Arc::clone(&input), first..input.len().min(first + PART));
    let parts: Vec<Source> = (0..input.len()).step_by(PART).map(part).collect();
    document.add_lists(vec![(INPUT.to_owned(), parts)])?;
    Ok(document)
}

fn of_done(mut rest: StepDone) -> Result<Document> {
    let mut lists = Vec::new();
    for (port, items) in &mut rest.items {
        if is_long(items) {
            lists.push((format!("{PORTS}{}", pointer_token(port)), std::mem::take(items)));
        }
    }
    let mut document = Document::of(&Payload(&EventBody::StepDone(rest)))?;
    let parts = |items: Items| {
        let items = Arc::new(items);
        let part = |first| Source::Slice(Arc::clone(&items), first..items.len().min(first + PART));
        (0..items.len()).step_by(PART).map(part).collect()
    };
    document.add_lists(lists.into_iter().map(|(pointer, items)| (pointer, parts(items))).collect())?;
    Ok(document)
}

impl Document {
    /// Adds lists by their pointers. Their parts are hashed now and written later.
    fn add_lists(&mut self, lists: Vec<(String, Vec<Source>)>) -> Result<()> {
        let mut references: Vec<Value> = match &self.references {
            Some(known) => super::parse(known).map_err(|error| Error::Invalid { reason: error.to_string() })?,
            None => Vec::new(),
        };
        for (pointer, parts) in lists {
            let mut hashes = Vec::with_capacity(parts.len());
            for data in parts {
                let hash = sha256_hex(data.text()?.unwrap_or_default().as_bytes());
                hashes.push(Value::from(hash.as_str()));
                self.blobs.push(Blob { hash, data });
            }
            references.push(Value::Array(vec![pointer.into(), Value::Array(hashes)]));
        }
        self.references = Some(Value::Array(references).to_string());
        Ok(())
    }
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
        let place = match pointer.strip_prefix(PORTS) {
            Some(token) => Place::Port(token.replace("~1", "/").replace("~0", "~")),
            None if pointer == INPUT => Place::Input,
            None => return Err(damaged()),
        };
        let hashes = hashes.iter().map(|hash| hash.as_str().map(str::to_owned).ok_or_else(damaged));
        lists.push(ListParts { place, hashes: hashes.collect::<Result<_>>()? });
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
    for ListParts { place, hashes } in lists {
        match (&mut *body, place) {
            (EventBody::StepDone(done), Place::Port(port)) => {
                let list = done.items.get_mut(port).ok_or_else(|| damaged("a list has no place".into()))?;
                each_part(hashes, fetch, &mut |part: Items| list.append(&part))?;
            }
            (EventBody::StepStart(start), Place::Input) => {
                let mut input = Vec::new();
                each_part(hashes, fetch, &mut |part: Vec<InputItem>| input.extend(InputItem::packed(part)))?;
                start.input = input.into();
            }
            _ => return Err(damaged("a list has no place in its event".into())),
        }
    }
    Ok(())
}

/// Reads parts one after the other; each must be what its hash says.
fn each_part<T: DeserializeOwned>(
    hashes: &[String],
    fetch: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
    found: &mut dyn FnMut(T),
) -> Result<()> {
    let damaged = |reason: String| Error::Damaged { reason };
    for hash in hashes {
        let data = fetch(hash)?;
        if sha256_hex(&data) != *hash {
            return Err(damaged(format!("the part {hash} of a list does not match its hash")));
        }
        found(
            as_text(|| serde_json::from_slice(&data))
                .map_err(|_| damaged(format!("the part {hash} of a list cannot be read")))?,
        );
    }
    Ok(())
}
