//! JSON text that is looked at where it stands: an expression that reads a field of one row needs neither the values of the
//! table nor those of the row (ADR 95). The text is compact, as serde writes it, so nothing stands between its signs.

use super::composed::Member;
use super::{Data, TEXT_FROM, Text, Written, parsed};
use crate::spans::end_of_text;
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// Of a list or an object that is at least this long it is kept where its entries begin.
const LARGE: usize = 4096;

/// From so many members on an object is searched by name.
const MANY: usize = 16;

/// The large lists and objects of a text, in the order in which they begin.
pub(super) type Places = Box<[Large]>;

/// A large list or object.
pub(super) struct Large {
    start: u32,
    /// Where its entries begin.
    entries: Box<[u32]>,
    /// The places of the members of an object that has many, in the order of their names.
    by_name: Box<[u32]>,
}

/// A value of a text.
#[derive(Debug, Clone)]
pub enum Read<'a> {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text; borrowed when nothing is escaped in it.
    Text(Cow<'a, str>),
    /// A text of at least [`TEXT_FROM`] bytes, as it is written: with its quotes and escapes.
    LongText(Piece<'a>),
    /// A list.
    List(Piece<'a>),
    /// An object.
    Object(Piece<'a>),
}

/// A list or an object of a text, or a long text in it.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    of: &'a Written,
    start: u32,
    end: u32,
}

impl Read<'_> {
    /// Its values.
    pub fn value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::from(&**text),
            Self::LongText(piece) => piece.unquoted().into(),
            Self::List(piece) | Self::Object(piece) => piece.value(),
        }
    }
}

/// A range of bytes.
type Span = (usize, usize);

/// Where large lists and objects begin, and their entries: one pass over the text.
pub(super) fn places(text: &str) -> Places {
    let bytes = text.as_bytes();
    let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let (mut found, mut open, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    // What comes next begins an entry of the innermost list or object.
    let mut fresh = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if fresh && !matches!(byte, b']' | b'}') {
            starts.push(short(at));
            fresh = false;
        }
        match byte {
            b'"' => {
                at = end_of_text(bytes, at);
                continue;
            }
            b'[' | b'{' => {
                open.push((at, starts.len()));
                fresh = true;
            }
            b']' | b'}' => {
                fresh = false;
                if let Some((start, first)) = open.pop() {
                    if at + 1 - start >= LARGE {
                        let entries: Box<[u32]> = starts[first..].into();
                        let is_searched = *byte == b'}' && entries.len() >= MANY;
                        let by_name = if is_searched { by_name(text, &entries) } else { Box::default() };
                        found.push(Large { start: short(start), entries, by_name });
                    }
                    starts.truncate(first);
                }
            }
            b',' => fresh = !open.is_empty(),
            _ => {}
        }
        at += 1;
    }
    found.sort_unstable_by_key(|large: &Large| large.start);
    found.into()
}

fn by_name(text: &str, entries: &[u32]) -> Box<[u32]> {
    let mut order: Vec<u32> = (0..).take(entries.len()).collect();
    order.sort_unstable_by(|one, another| {
        let name = |place: &u32| key_at(text, entries[*place as usize] as usize);
        name(one).cmp(&name(another))
    });
    order.into()
}

/// The name that begins at `at`.
fn key_at(text: &str, at: usize) -> Cow<'_, str> {
    unquoted(text.get(at..end_of_text(text.as_bytes(), at)).unwrap_or_default())
}

/// Behind the value that begins at `at`.
fn value_end(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = at;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = end_of_text(bytes, at);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 0 => return at,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            b',' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// A string of the text without its quotes.
pub(super) fn unquoted(string: &str) -> Cow<'_, str> {
    let inner = string.get(1..string.len().saturating_sub(1)).unwrap_or_default();
    if inner.contains('\\') {
        Cow::Owned(serde_json::from_str(string).unwrap_or_default())
    } else {
        Cow::Borrowed(inner)
    }
}

/// Bytes of a stretch of a long text.
const STRETCH: usize = 64 * 1024;

/// A string of the text without its quotes and escapes, stretch by stretch.
pub(super) fn stretches(string: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = string.get(1..string.len().saturating_sub(1)).unwrap_or_default();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (stretch, behind) = rest.split_at(stretch_end(rest));
        rest = behind;
        Some(letters(stretch))
    })
}

/// What a part of a string says.
fn letters(part: &str) -> Cow<'_, str> {
    if part.contains('\\') {
        Cow::Owned(serde_json::from_str(&format!("\"{part}\"")).unwrap_or_default())
    } else {
        Cow::Borrowed(part)
    }
}

/// Where a stretch ends: not inside of an escape, or of a letter that is two of them.
fn stretch_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && (at < STRETCH || !text.is_char_boundary(at)) {
        at += match bytes.get(at..) {
            Some([b'\\', b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B', ..]) => 12,
            Some([b'\\', b'u', ..]) => 6,
            Some([b'\\', ..]) => 2,
            _ => 1,
        };
    }
    at.min(bytes.len())
}

impl Text {
    /// Looks at it without making values of lists and objects.
    pub fn read(&self) -> Read<'_> {
        read(&self.of, (self.start as usize, self.end as usize))
    }

    /// Whether it is a text: a string, as it is written.
    pub fn is_string(&self) -> bool {
        self.of.composed.is_none() && self.text().starts_with('"')
    }

    /// A stretch of a string without its quotes and escapes, and where the next one begins; an empty one at the end. The first begins at 0.
    pub fn stretch_at(&self, at: usize) -> (Cow<'_, str>, usize) {
        let (text, at) = (self.text(), at.max(1));
        let rest = text.get(at..text.len().saturating_sub(1)).unwrap_or_default();
        let end = stretch_end(rest);
        (letters(rest.get(..end).unwrap_or_default()), at + end)
    }

    /// At most so many bytes of the text.
    pub fn bytes_at(&self, at: usize, most: usize) -> Vec<u8> {
        let mut before = at;
        for piece in self.pieces() {
            if before < piece.len() {
                return piece.as_bytes().get(before..piece.len().min(before + most)).unwrap_or_default().to_vec();
            }
            before -= piece.len();
        }
        Vec::new()
    }

    /// A string without its quotes and escapes, stretch by stretch.
    pub fn stretches(&self) -> impl Iterator<Item = Cow<'_, str>> {
        stretches(self.text())
    }
}

fn read(of: &Written, (start, end): Span) -> Read<'_> {
    if of.composed.is_some() {
        return Read::Object(Piece { of, start: 0, end: u32::try_from(of.length()).unwrap_or(u32::MAX) });
    }
    let text = of.text.get(start..end).unwrap_or_default();
    // What is longer than 32 bits tell is no text, see `Data::written`.
    let piece =
        |of| Piece { of, start: u32::try_from(start).unwrap_or(u32::MAX), end: u32::try_from(end).unwrap_or(u32::MAX) };
    match text.as_bytes().first() {
        Some(b'[') => Read::List(piece(of)),
        Some(b'{') => Read::Object(piece(of)),
        Some(b'"') if text.len() >= TEXT_FROM => Read::LongText(piece(of)),
        Some(b'"') => Read::Text(unquoted(text)),
        Some(b't') => Read::Bool(true),
        Some(b'f') => Read::Bool(false),
        Some(b'-' | b'0'..=b'9') => serde_json::from_str(text).map_or(Read::Null, Read::Number),
        Some(_) | None => Read::Null,
    }
}

impl<'a> Piece<'a> {
    /// Its text. That of a composed object is made, and stays.
    pub fn text(&self) -> &'a str {
        self.of.text().get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Bytes of its text.
    pub fn length(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Its text, piece by piece: one, or those of a composed object.
    pub fn pieces(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let composed = self.of.composed.as_deref();
        let one = composed.is_none().then(|| self.text());
        one.into_iter().chain(composed.into_iter().flat_map(super::Composed::pieces))
    }

    /// Its values.
    pub fn value(&self) -> Value {
        match &self.of.composed {
            None => parsed(self.text()),
            Some(composed) => composed.value(),
        }
    }

    /// A text without its quotes and escapes.
    pub fn unquoted(&self) -> String {
        let mut out = String::with_capacity(self.length());
        stretches(self.text()).for_each(|stretch| out.push_str(&stretch));
        out
    }

    /// The same, stretch by stretch.
    pub fn stretches(&self) -> impl Iterator<Item = Cow<'a, str>> + use<'a> {
        stretches(self.text())
    }

    /// The members of an object that is composed of texts.
    fn members(&self) -> &'a [Member] {
        self.of.composed.as_ref().map_or(&[], |composed| composed.members())
    }

    /// Its text as data: it shares the text that it stands in when that is not much more than it, else it is a copy.
    pub fn data(&self) -> Data {
        self.data_of(self.is_most())
    }

    fn data_of(&self, is_shared: bool) -> Data {
        match self.of.shared().filter(|_| is_shared) {
            Some(of) => Data::Text(Text { of, start: self.start, end: self.end }),
            None => Data::written(self.text().to_owned()),
        }
    }

    /// The members of an object: names as they are written, and values that are text. Large ones share the text that they stand in, when
    /// a quarter of it is theirs.
    pub fn member_texts(&self) -> impl Iterator<Item = (&'a str, Data)> + use<'a> {
        let of = *self;
        let composed = self.members().iter().map(|member| (member.name(), Data::Text(member.value().clone())));
        composed.chain(self.spans().map(move |(key, (start, end))| {
            let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            let value = Self { of: of.of, start: short(start), end: short(end) };
            let is_shared = value.length() >= TEXT_FROM.max(of.of.length() / 4);
            (of.slice(key), value.data_of(is_shared))
        }))
    }

    /// It is at least half of the text that it stands in: who keeps its entries may keep that text.
    pub fn is_most(&self) -> bool {
        self.length() >= self.of.length() / 2
    }

    /// Its entries as data that shares the text.
    pub fn shared_entries(&self) -> impl Iterator<Item = Data> + use<'a> {
        let (of, shared) = (self.of, self.of.shared());
        self.spans().map(move |(_, (start, end))| {
            let short = (u32::try_from(start), u32::try_from(end));
            match (&shared, short) {
                (Some(of), (Ok(start), Ok(end))) => Data::Text(Text { of: Arc::clone(of), start, end }),
                _ => Data::Value(Arc::new(parsed(of.text.get(start..end).unwrap_or_default()))),
            }
        })
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        if self.of.composed.is_some() {
            return self.members().len();
        }
        self.large().map_or_else(|| self.spans().count(), |large| large.entries.len())
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.end - self.start <= 2
    }

    /// An entry of a list.
    pub fn get(&self, index: usize) -> Option<Read<'a>> {
        let span = match self.large() {
            Some(large) => (*large.entries.get(index)? as usize, self.entry_end(large, index)),
            None => self.spans().nth(index)?.1,
        };
        Some(read(self.of, span))
    }

    /// Behind the entry of that place.
    fn entry_end(&self, large: &Large, index: usize) -> usize {
        large.entries.get(index + 1).map_or(self.end, |next| *next).saturating_sub(1) as usize
    }

    /// A member of an object.
    pub fn member(&self, name: &str) -> Option<Read<'a>> {
        if self.of.composed.is_some() {
            return Some(self.members().iter().find(|member| *unquoted(member.name()) == *name)?.value().read());
        }
        let text = &*self.of.text;
        if let Some(large) = self.large().filter(|large| !large.by_name.is_empty()) {
            let key = |place: u32| large.entries.get(place as usize).map_or(0, |start| *start as usize);
            let found = large.by_name.binary_search_by(|place| (*key_at(text, key(*place))).cmp(name)).ok()?;
            let place = *large.by_name.get(found)?;
            let start = end_of_text(text.as_bytes(), key(place)) + 1;
            return Some(read(self.of, (start, self.entry_end(large, place as usize))));
        }
        let (_, span) = self.spans().find(|(key, _)| *unquoted(self.slice(*key)) == *name)?;
        Some(read(self.of, span))
    }

    /// The names of an object's members.
    pub fn names(&self) -> impl Iterator<Item = Cow<'a, str>> + use<'a> {
        let of = *self;
        let composed = self.members().iter().map(|member| unquoted(member.name()));
        composed.chain(self.spans().map(move |(key, _)| unquoted(of.slice(key))))
    }

    /// Its entries in order; those of a list have an empty name.
    pub fn entries(&self) -> impl Iterator<Item = (Cow<'a, str>, Read<'a>)> + use<'a> {
        let of = *self;
        let composed = self.members().iter().map(|member| (unquoted(member.name()), member.value().read()));
        composed.chain(self.spans().map(move |(key, span)| (unquoted(of.slice(key)), read(of.of, span))))
    }

    /// The names of an object's members as they are written, and the texts of their values.
    pub fn written_members(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let of = *self;
        let composed = self.members().iter().map(|member| (member.name(), member.value().text()));
        composed.chain(self.spans().map(move |(key, span)| (of.slice(key), of.slice(span))))
    }

    fn slice(&self, (start, end): Span) -> &'a str {
        self.of.text.get(start..end).unwrap_or_default()
    }

    /// What is known of it when it is large.
    fn large(&self) -> Option<&'a Large> {
        if self.length() < LARGE || self.of.composed.is_some() {
            return None;
        }
        let all = self.of.places();
        all.get(all.binary_search_by_key(&self.start, |large| large.start).ok()?)
    }

    /// Keys, empty in a list, and values. A composed object has none: its members stand apart.
    fn spans(&self) -> impl Iterator<Item = (Span, Span)> + use<'a> {
        let bytes = self.of.text.as_bytes();
        let is_object = bytes.get(self.start as usize) == Some(&b'{');
        let last = if self.of.composed.is_some() { 0 } else { (self.end as usize).saturating_sub(1) };
        let (mut at, mut index, large) = (self.start as usize + 1, 0, self.large());
        let of = *self;
        std::iter::from_fn(move || {
            if at >= last {
                return None;
            }
            let mut key = (at, at);
            if is_object {
                key = (at, end_of_text(bytes, at));
                at = key.1 + 1;
            }
            let end = large.map_or_else(|| value_end(bytes, at), |large| of.entry_end(large, index));
            index += 1;
            let value = (at, end);
            at = end + 1;
            Some((key, value))
        })
    }
}
