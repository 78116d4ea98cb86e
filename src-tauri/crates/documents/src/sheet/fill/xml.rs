//! XML parts of a package: read as they lie, changed where something changes, else kept to the byte.

use crate::Error;
use crate::sheet::guard::damaged;
use quick_xml::events::Event;
use quick_xml::events::attributes::Attributes;
use quick_xml::reader::Reader;
use std::borrow::Cow;
use std::ops::Range;

/// Elements inside each other.
const MAX_DEPTH: u32 = 200;

/// A start tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag<'a> {
    /// Between the angle brackets, without the slash of an empty element.
    source: &'a str,
    name_length: usize,
}

impl<'a> Tag<'a> {
    fn of(source: &'a str) -> Self {
        let source = source.strip_prefix('<').unwrap_or(source);
        let source = source.strip_suffix('>').unwrap_or(source);
        let source = source.strip_suffix('/').unwrap_or(source);
        let name_length = source.find(|c: char| c.is_ascii_whitespace()).unwrap_or(source.len());
        Self { source, name_length }
    }

    /// The name with its prefix.
    pub(super) fn name(self) -> &'a str {
        self.source.get(..self.name_length).unwrap_or_default()
    }

    /// The name without its prefix.
    pub(super) fn local_name(self) -> &'a str {
        local(self.name())
    }

    /// `x:`, or nothing.
    pub(super) fn prefix(self) -> &'a str {
        let name = self.name();
        name.get(..name.len() - local(name).len()).unwrap_or_default()
    }

    /// Names and values of the attributes, as and in the order in which they are written.
    pub(super) fn attributes(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut all = Attributes::new(self.source, self.name_length);
        all.with_checks(false);
        all.flatten().filter_map(|attribute| match attribute.value {
            Cow::Borrowed(value) => Some((attribute.key.into_inner(), value)),
            Cow::Owned(_) => None,
        })
    }

    /// The value of an attribute without a prefix, as it is written.
    pub(super) fn raw(self, name: &str) -> Option<&'a str> {
        self.attributes().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The value of an attribute whose name without its prefix is this.
    pub(super) fn raw_local(self, name: &str) -> Option<&'a str> {
        self.attributes().find(|(known, _)| local(known) == name).map(|(_, value)| value)
    }

    /// The value of an attribute without a prefix.
    pub(super) fn attribute(self, name: &str) -> Option<String> {
        self.raw(name).map(text_of)
    }

    /// The source after the name.
    pub(super) fn after_name(self) -> &'a str {
        self.source.get(self.name_length..).unwrap_or_default()
    }
}

fn local(name: &str) -> &str {
    name.split_once(':').map_or(name, |(_, local)| local)
}

/// What a piece of XML is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind<'a> {
    /// The start of an element, or an element without content.
    Open(Tag<'a>, bool),
    /// The end of an element of this name without prefix.
    Close(&'a str),
    Other,
}

/// A piece of XML and where it lies.
#[derive(Debug, Clone)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) at: Range<usize>,
}

/// The pieces of a part.
pub(super) struct Tokens<'a> {
    text: &'a str,
    part: &'a str,
    reader: Reader<&'a [u8]>,
    depth: u32,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str, part: &'a str) -> Self {
        Self { text, part, reader: Reader::from_str(text), depth: 0, at: 0 }
    }

    /// Of drawings in VML, which close not every element and escape not every sign.
    pub(super) fn lenient(text: &'a str, part: &'a str) -> Self {
        let mut tokens = Self::new(text, part);
        let config = tokens.reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        tokens
    }

    pub(super) fn next(&mut self) -> Result<Option<Token<'a>>, Error> {
        let start = self.at;
        let event = self.reader.read_event().map_err(|error| bad(self.part, &error.to_string()))?;
        self.at = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
        let source = self.source(start..self.at);
        let kind = match event {
            Event::Eof => return Ok(None),
            Event::DocType(_) => return Err(bad(self.part, "it has a document type, which is never read")),
            Event::Start(_) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(bad(self.part, "its elements are nested too deeply"));
                }
                Kind::Open(Tag::of(source), false)
            }
            Event::Empty(_) => Kind::Open(Tag::of(source), true),
            Event::End(_) => {
                self.depth = self.depth.saturating_sub(1);
                let name = source.strip_prefix("</").and_then(|rest| rest.strip_suffix('>')).unwrap_or_default();
                Kind::Close(local(name.trim_end()))
            }
            _ => Kind::Other,
        };
        Ok(Some(Token { kind, at: start..self.at }))
    }

    /// What lies between the start tag that was just read and its end tag; the end tag is read too.
    pub(super) fn inner(&mut self) -> Result<Range<usize>, Error> {
        let (start, depth) = (self.at, self.depth);
        loop {
            match self.next()? {
                Some(Token { kind: Kind::Close(_), at }) if self.depth < depth => return Ok(start..at.start),
                Some(_) => {}
                None => return Err(bad(self.part, "an element has no end")),
            }
        }
    }

    /// Where the next piece begins.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The source of a place.
    pub(super) fn source(&self, at: Range<usize>) -> &'a str {
        self.text.get(at).unwrap_or_default()
    }
}

pub(super) fn bad(part: &str, why: &str) -> Error {
    damaged(&format!("the part '{part}': {why}"))
}

/// The text of an element without elements.
pub(super) fn text_of(raw: &str) -> String {
    if !raw.contains(['&', '<']) {
        return raw.to_owned();
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once("<![CDATA[") {
        let (inner, after) = after.split_once("]]>").unwrap_or((after, ""));
        push_unescaped(before, &mut out);
        out.push_str(inner);
        rest = after;
    }
    push_unescaped(rest, &mut out);
    out
}

fn push_unescaped(raw: &str, out: &mut String) {
    match quick_xml::escape::unescape(raw) {
        Ok(text) => out.push_str(&text),
        Err(_) => out.push_str(raw),
    }
}

/// For a text or an attribute in any quotes.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    quick_xml::escape::escape(text)
}

/// Changes of a part, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Edits {
    list: Vec<(Range<usize>, String)>,
}

impl Edits {
    pub(super) fn replace(&mut self, at: Range<usize>, text: impl Into<String>) {
        self.list.push((at, text.into()));
    }

    pub(super) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// Replaces a value that is a slice of the source.
    pub(super) fn replace_slice(&mut self, source: &str, slice: &str, text: &str) {
        let start = (slice.as_ptr() as usize).saturating_sub(source.as_ptr() as usize);
        self.replace(start..start + slice.len(), escaped(text));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// What comes before and after a place, with the changes there.
    pub(super) fn apply_around(self, source: &str, place: &Range<usize>) -> (String, String) {
        let (before, after): (Vec<_>, Vec<_>) = self.list.into_iter().partition(|(at, _)| at.end <= place.start);
        let moved = |(at, text): (Range<usize>, String)| {
            Some((at.start.checked_sub(place.end)?..at.end.checked_sub(place.end)?, text))
        };
        let after: Vec<(Range<usize>, String)> = after.into_iter().filter_map(moved).collect();
        let before = Self { list: before }.apply(source.get(..place.start).unwrap_or_default());
        (before, Self { list: after }.apply(source.get(place.end..).unwrap_or_default()))
    }

    /// The part with its changes.
    pub(super) fn apply(mut self, source: &str) -> String {
        self.list.sort_by_key(|(at, _)| (at.start, at.end));
        let mut out = String::with_capacity(source.len() + 256);
        let mut done = 0;
        for (at, text) in self.list {
            // Two changes of one place do not occur; the first would win.
            if at.start < done {
                continue;
            }
            out.push_str(source.get(done..at.start).unwrap_or_default());
            out.push_str(&text);
            done = at.end;
        }
        out.push_str(source.get(done..).unwrap_or_default());
        out
    }
}
