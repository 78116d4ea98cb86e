//! The objects of a PDF file: dictionaries are packed together and compressed, streams follow one another, and a table says where each
//! one is.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::fmt::Write as _;
use std::io::Write as _;

/// Objects of one packed stream.
const PACKED: usize = 200;

/// The number of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Id(pub(super) u32);

impl std::fmt::Display for Id {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} 0 R", self.0)
    }
}

/// Where an object is.
#[derive(Debug, Clone, Copy)]
enum Place {
    Free,
    At(u64),
    Packed(u32, u16),
}

/// A file that grows.
pub(super) struct Objects {
    out: Vec<u8>,
    places: Vec<Place>,
    waiting: Vec<(Id, String)>,
}

impl Objects {
    pub(super) fn new() -> Self {
        // The second line says that the file is binary.
        let out = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
        Self { out, places: vec![Place::Free], waiting: Vec::new() }
    }

    /// Bytes so far.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// The number of an object that is written later.
    pub(super) fn reserve(&mut self) -> Id {
        self.places.push(Place::Free);
        Id(u32::try_from(self.places.len() - 1).unwrap_or(u32::MAX))
    }

    /// A dictionary or another value that is no stream.
    pub(super) fn put(&mut self, id: Id, value: String) {
        self.waiting.push((id, value));
        if self.waiting.len() >= PACKED {
            self.pack();
        }
    }

    /// The same with a new number.
    pub(super) fn add(&mut self, value: String) -> Id {
        let id = self.reserve();
        self.put(id, value);
        id
    }

    /// A stream that is compressed here; `entries` are those of its dictionary besides length and filter.
    pub(super) fn stream(&mut self, entries: &str, data: &[u8]) -> Id {
        let id = self.reserve();
        self.raw_stream(id, &format!("{entries}/Filter/FlateDecode"), &compressed(data));
        id
    }

    /// A stream as it is.
    pub(super) fn plain_stream(&mut self, entries: &str, data: &[u8]) -> Id {
        let id = self.reserve();
        self.raw_stream(id, entries, data);
        id
    }

    fn raw_stream(&mut self, id: Id, entries: &str, data: &[u8]) {
        self.set_place(id, Place::At(self.out.len() as u64));
        let head = format!("{} 0 obj\n<<{entries}/Length {}>>\nstream\n", id.0, data.len());
        self.out.extend_from_slice(head.as_bytes());
        self.out.extend_from_slice(data);
        self.out.extend_from_slice(b"\nendstream\nendobj\n");
    }

    fn set_place(&mut self, id: Id, place: Place) {
        if let Some(slot) = self.places.get_mut(id.0 as usize) {
            *slot = place;
        }
    }

    fn pack(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return;
        }
        let stream = self.reserve();
        let (mut head, mut body) = (String::new(), String::new());
        for (at, (id, value)) in waiting.iter().enumerate() {
            let _ = write!(head, "{} {} ", id.0, body.len());
            body.push_str(value);
            body.push('\n');
            self.set_place(*id, Place::Packed(stream.0, u16::try_from(at).unwrap_or(u16::MAX)));
        }
        let entries = format!("/Type/ObjStm/N {}/First {}/Filter/FlateDecode", waiting.len(), head.len());
        head.push_str(&body);
        self.raw_stream(stream, &entries, &compressed(head.as_bytes()));
    }

    /// The file. `root` and `info` are the catalogue and the description of the document.
    pub(super) fn finish(mut self, root: Id, info: Id) -> Vec<u8> {
        self.pack();
        let table = self.reserve();
        let start = self.out.len();
        self.set_place(table, Place::At(start as u64));
        let mut rows = Vec::with_capacity(self.places.len() * 8);
        for place in &self.places {
            let (kind, first, second) = match *place {
                Place::Free => (0, 0, u16::MAX),
                Place::At(at) => (1, u32::try_from(at).unwrap_or(u32::MAX), 0),
                Place::Packed(stream, at) => (2, stream, at),
            };
            rows.push(kind);
            rows.extend_from_slice(&first.to_be_bytes());
            rows.extend_from_slice(&second.to_be_bytes());
        }
        let entries =
            format!("/Type/XRef/Size {}/W[1 4 2]/Root {root}/Info {info}/Filter/FlateDecode", self.places.len());
        self.raw_stream(table, &entries, &compressed(&rows));
        self.out.extend_from_slice(format!("startxref\n{start}\n%%EOF\n").as_bytes());
        self.out
    }
}

fn compressed(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(data.len() / 3), Compression::default());
    // Writing to memory does not fail.
    let _ = encoder.write_all(data);
    encoder.finish().unwrap_or_default()
}

/// A text for people, in a dictionary: UTF-16 unless it is plain ASCII.
pub(super) fn text_string(text: &str) -> String {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return ascii_string(text);
    }
    let mut out = String::from("<FEFF");
    for unit in text.encode_utf16() {
        let _ = write!(out, "{unit:04X}");
    }
    out.push('>');
    out
}

/// An ASCII text in brackets.
pub(super) fn ascii_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('(');
    for sign in text.chars() {
        if matches!(sign, '(' | ')' | '\\') {
            out.push('\\');
        }
        out.push(sign);
    }
    out.push(')');
    out
}

/// A number with at most two decimals, and nothing behind them that is not needed.
pub(super) fn number(value: f32) -> String {
    let hundredths = (f64::from(value) * 100.0).round();
    if !hundredths.is_finite() || hundredths == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{:.2}", hundredths / 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{number, text_string};

    #[test]
    fn numbers_are_short_and_texts_are_safe() {
        assert_eq!([1.0, -0.001, 12.345_6, 100.5, -3.1].map(number), ["1", "0", "12.35", "100.5", "-3.1"]);
        assert_eq!(text_string("a(b)\\"), "(a\\(b\\)\\\\)");
        assert_eq!(text_string("é"), "<FEFF00E9>");
    }
}
