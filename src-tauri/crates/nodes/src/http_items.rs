//! Answers as items: the elements of a list, with those of further pages up to a limit; and the answers that are lists by
//! their form: tables, lines of JSON, events.

use crate::connector::pages::{Next, Progress};
use crate::csv_table::{self, Layout};
use crate::formats::{self, Content};
use crate::http_text::{NotText, decode};
use crate::listing::{Listing, MOST_ITEMS};
use crate::support::{setting, whole, wrong_setting};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::CallSlot;
use signalbox_model::connector::{Pagination, RateLimit};
use signalbox_model::data::Read;
use signalbox_model::{Data, NodeFailure, path};
use signalbox_ports::HttpResponse;
use url::Url;

const DEFAULT_LIMIT: u64 = 1_000;

/// Which list is handed on, and how it goes on.
pub(crate) struct Wanted {
    /// The list in an answer, `$.rows`.
    path: String,
    segments: Vec<path::Segment>,
    pagination: Option<Pagination>,
    pub(crate) limit: usize,
}

fn invalid(field: &str, words: &str) -> NodeFailure {
    NodeFailure::validation("INPUT_INVALID", words).detail("field", field)
}

impl Wanted {
    /// Nothing when the answer is handed on whole.
    pub(crate) fn of(slot: &CallSlot) -> Result<Option<Self>, NodeFailure> {
        let pagination = pagination(slot)?;
        let given = match setting(slot, "items") {
            None => "",
            Some(Value::String(text)) => text.trim(),
            Some(other) => return Err(wrong_setting("items", "a path like $.rows", other)),
        };
        if given.is_empty() {
            if pagination.is_some() {
                return Err(invalid(
                    "items",
                    "Pages need to know where the list is; fill in 'items', for example $.rows",
                ));
            }
            return Ok(None);
        }
        let segments = path::parse(given).map_err(|bad| {
            let words = format!("'items': {bad}. Write it like $.rows, or $ for the whole answer");
            NodeFailure::validation("BAD_PATH", words).detail("field", "items")
        })?;
        let limit = whole(slot, "limit", 1, MOST_ITEMS)?.unwrap_or(DEFAULT_LIMIT);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(Some(Self { path: given.to_owned(), segments, pagination, limit }))
    }

    /// The answer as it comes is the list, and no further page is named by what is in it.
    pub(crate) fn is_as_it_comes(&self) -> bool {
        self.segments.is_empty() && matches!(self.pagination, None | Some(Pagination::Link { .. }))
    }

    /// No further page is asked for.
    pub(crate) fn is_one_page(&self) -> bool {
        self.pagination.is_none()
    }

    /// Adds the elements of an answer that is text; whether there were more than wanted. Nothing when there is no list in its place.
    pub(crate) fn push_elements(&self, answer: String, list: &mut Listing) -> Result<Option<bool>, NodeFailure> {
        let Data::Text(text) = Data::written(answer) else { return Ok(None) };
        let mut found = Some(text.read());
        for segment in &self.segments {
            found = match (segment, &found) {
                (path::Segment::Key(name), Some(Read::Object(object))) => object.member(name),
                (path::Segment::Index(index), Some(Read::List(list))) => list.get(*index),
                _ => None,
            };
        }
        match found {
            Some(Read::List(elements)) => list.push_entries(elements.shared_entries(), self.limit).map(Some),
            _ => Ok(None),
        }
    }

    /// The list of an answer.
    pub(crate) fn elements(&self, body: &Value) -> Result<Vec<Value>, NodeFailure> {
        match path::resolve(body, &self.path, &self.segments) {
            Ok(Value::Array(list)) => Ok(list.clone()),
            Ok(Value::Null) => Ok(Vec::new()),
            Ok(other) => {
                let words = format!("'{}' is no list in the answer, but {}", self.path, crate::support::kind_of(other));
                Err(NodeFailure::validation("BAD_PATH", words).detail("field", "items"))
            }
            Err(missing) => {
                let available = missing.available.join(", ");
                let words = format!("The answer has no '{}'. Available: {available}", self.path);
                Err(NodeFailure::validation("BAD_PATH", words).detail("field", "items"))
            }
        }
    }

    /// The address of the page after this one; nothing when it is the last.
    pub(crate) fn next(
        &self,
        progress: &mut Progress,
        url: &str,
        answer: &HttpResponse,
        body: &Value,
        elements: &[Value],
    ) -> Result<Option<String>, NodeFailure> {
        let Some(pagination) = &self.pagination else { return Ok(None) };
        let Ok(mut address) = Url::parse(url) else { return Ok(None) };
        let sent: Map<String, Value> = address
            .query_pairs()
            .map(|(name, text)| {
                let value = text.parse::<u64>().map_or_else(|_| Value::from(text.as_ref()), Value::from);
                (name.into_owned(), value)
            })
            .collect();
        Ok(match progress.next(pagination, &sent, answer, body, elements, url)? {
            None => None,
            Some(Next::Address(to)) => Some(to),
            Some(Next::Parameter(name, value)) => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let others: Vec<(String, String)> = address
                    .query_pairs()
                    .filter(|(known, _)| *known != name)
                    .map(|(known, text)| (known.into_owned(), text.into_owned()))
                    .collect();
                address.query_pairs_mut().clear().extend_pairs(others).append_pair(&name, &text);
                Some(address.into())
            }
        })
    }
}

/// The settings of pages. Paths are those of `items`; they are looked up as JSON Pointers.
fn pagination(slot: &CallSlot) -> Result<Option<Pagination>, NodeFailure> {
    let Some(pages) = setting(slot, "pages") else { return Ok(None) };
    let text = |name: &str| pages.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let parameter = || {
        text("parameter").map(str::to_owned).ok_or_else(|| {
            invalid("pages.parameter", "The parameter that names the page is missing, for example page or cursor")
        })
    };
    let field = || {
        let path = text("field").ok_or_else(|| {
            invalid("pages.field", "The field of the answer that names the next page is missing, for example $.next")
        })?;
        pointer(path)
    };
    Ok(match text("kind").unwrap_or("none") {
        "none" => None,
        "link" => Some(Pagination::Link { size: None }),
        "nextUrl" => Some(Pagination::NextUrl { field: field()?, size: None }),
        "cursor" => Some(Pagination::Cursor {
            parameter: parameter()?,
            field: field()?,
            last: false,
            more: None,
            path: None,
            size: None,
        }),
        "page" => {
            let first = pages.get("first").and_then(Value::as_u64).unwrap_or(1);
            Some(Pagination::Page { parameter: parameter()?, first, more: None, size: None })
        }
        "offset" => Some(Pagination::Offset { parameter: parameter()?, total: None, size: None }),
        _ => return Err(wrong_setting("pages.kind", "none, link, nextUrl, cursor, page or offset", &pages["kind"])),
    })
}

fn pointer(text: &str) -> Result<String, NodeFailure> {
    let segments = path::parse(text).map_err(|bad| {
        NodeFailure::validation("BAD_PATH", format!("'pages.field': {bad}. Write it like $.next"))
            .detail("field", "pages.field")
    })?;
    Ok(segments.iter().fold(String::new(), |mut pointer, segment| {
        pointer.push('/');
        match segment {
            path::Segment::Key(name) => pointer.push_str(&name.replace('~', "~0").replace('/', "~1")),
            path::Segment::Index(index) => pointer.push_str(&index.to_string()),
        }
        pointer
    }))
}

/// How many requests a host gets, across all steps and runs of this program.
pub(crate) fn rate_limit(slot: &CallSlot) -> Result<Option<RateLimit>, NodeFailure> {
    let Some(given) = setting(slot, "rateLimit") else { return Ok(None) };
    let number = |name: &str, default: u64| match given.get(name).filter(|value| !value.is_null()) {
        None => Ok(default),
        Some(value) => value
            .as_u64()
            .filter(|number| (1..=100_000).contains(number))
            .ok_or_else(|| wrong_setting(&format!("rateLimit.{name}"), "a whole number from 1 to 100000", value)),
    };
    if given.get("requests").is_none_or(Value::is_null) {
        return Ok(None);
    }
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let limit = json!({ "requests": number("requests", 1)?, "perSeconds": small(number("perSeconds", 1)?) });
    serde_json::from_value(limit).map(Some).map_err(|_| wrong_setting("rateLimit", "requests and perSeconds", given))
}

/// The form of an answer that is a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListForm {
    Csv,
    Lines,
    Events,
}

/// Reads an answer that is a list by its form.
pub(crate) fn read(answer: &HttpResponse, form: ListForm) -> Result<Value, NodeFailure> {
    let text = decode(answer).map_err(|NotText(why)| {
        NodeFailure::validation("NOT_TEXT", format!("The answer is not text: {why}. Look at its header Content-Type"))
    })?;
    match form {
        ListForm::Csv => {
            let layout = Layout { quote: None, ..Layout::default() };
            match csv_table::read(&text, layout, "The answer", String::new())? {
                Content::Values(rows) => Ok(rows),
                Content::Text(text) => formats::parse_json(&text, "The answer"),
            }
        }
        ListForm::Lines => {
            let lines = formats::without_bom(&text).lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            lines
                .map(|(at, line)| formats::parse_json(line, &format!("Line {} of the answer", at + 1)))
                .collect::<Result<Vec<_>, _>>()
                .map(Value::Array)
        }
        ListForm::Events => Ok(Value::Array(events(&text))),
    }
}

/// Events of a stream that has ended (WHATWG HTML, 9.2.6). Data that is JSON becomes a value.
fn events(text: &str) -> Vec<Value> {
    let (mut all, mut data, mut event, mut id) = (Vec::new(), Vec::new(), None::<&str>, None::<&str>);
    let text = formats::without_bom(text).replace("\r\n", "\n").replace('\r', "\n");
    for line in text.split('\n') {
        if line.is_empty() {
            if !data.is_empty() {
                let joined = std::mem::take(&mut data).join("\n");
                let value = serde_json::from_str::<Value>(&joined)
                    .ok()
                    .filter(|_| signalbox_model::lossless::loss(&joined).is_none())
                    .unwrap_or(Value::String(joined));
                all.push(json!({ "event": event.unwrap_or("message"), "id": id, "data": value }));
            }
            data.clear();
            event = None;
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => data.push(value),
            "event" => event = Some(value).filter(|name| !name.is_empty()),
            "id" if !value.contains('\0') => id = Some(value).filter(|id| !id.is_empty()),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::events;
    use serde_json::json;

    #[test]
    fn events_have_their_name_their_id_and_their_data() {
        let text = "\u{feff}: hello\r\nid: 7\r\nevent: add\r\ndata: {\"a\": 1}\r\n\r\ndata: one\ndata: two\n\nevent: x\n\ndata: cut";
        assert_eq!(
            events(text),
            [
                json!({ "event": "add", "id": "7", "data": { "a": 1 } }),
                json!({ "event": "message", "id": "7", "data": "one\ntwo" }),
            ],
            "what the end of the stream cuts off is no event"
        );
    }
}
