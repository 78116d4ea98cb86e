//! Lines of JSON of an answer as items, while they arrive: an answer of any size, of which a piece is in memory.

use crate::json_lines::JsonLines;
use crate::listing::Listing;
use signalbox_engine::request_body::parameter;
use signalbox_model::NodeFailure;
use signalbox_ports::{BodySink, Scrubber};
use std::ops::ControlFlow;

/// Takes the body of an answer.
pub(crate) struct LineItems<'a> {
    lines: JsonLines,
    list: &'a mut Listing,
    limit: usize,
    scrubber: &'a Scrubber,
    /// The body came here.
    pub(crate) taken: bool,
    more: bool,
    failed: Option<NodeFailure>,
}

impl<'a> LineItems<'a> {
    pub(crate) fn new(list: &'a mut Listing, limit: usize, scrubber: &'a Scrubber) -> Self {
        let lines = JsonLines::new("the answer");
        Self { lines, list, limit, scrubber, taken: false, more: false, failed: None }
    }

    fn take(&mut self, bytes: &[u8], is_last: bool) -> bool {
        let (list, limit, scrubber, more) = (&mut *self.list, self.limit, self.scrubber, &mut self.more);
        let taken = self.lines.take(bytes, is_last, &mut |json| {
            if list.len() >= limit {
                *more = true;
                return Ok(false);
            }
            list.push_text(without_secrets(json, scrubber))?;
            Ok(true)
        });
        taken.unwrap_or_else(|failure| {
            self.failed = Some(failure);
            false
        })
    }

    /// After the last byte: whether there were more lines than wanted.
    pub(crate) fn end(mut self) -> Result<bool, NodeFailure> {
        if !self.more && self.failed.is_none() {
            self.take(&[], true);
        }
        self.failed.map_or(Ok(self.more), Err)
    }
}

/// A line without the secrets of this machine, which a server may send back. JSON stays JSON, also where the secret is a number.
fn without_secrets(json: String, scrubber: &Scrubber) -> String {
    if !scrubber.finds(json.as_bytes()) {
        return json;
    }
    match serde_json::from_str(&json) {
        Ok(mut value) => {
            scrubber.value(&mut value);
            value.to_string()
        }
        Err(_) => String::from("null"),
    }
}

impl BodySink for LineItems<'_> {
    fn wants(&mut self, status: u16, content_type: Option<&str>) -> bool {
        let charset = content_type.and_then(|given| parameter(given, "charset"));
        let is_utf8 =
            charset.is_none_or(|name| ["", "utf-8", "utf8"].iter().any(|known| name.eq_ignore_ascii_case(known)));
        self.taken = status < 300 && is_utf8;
        self.taken
    }

    fn chunk(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        if self.take(bytes, false) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
