//! The cutting of an event that is text: the same as of values, without making a tree of what may be a large table. A long text of the
//! data is not in it: a mark stands there (see `data::detached`), and it is looked at where it lies.

use super::{WIRE_LIMIT, depth_of};
use crate::data::{Text, mark};
use crate::diagnostic::pointer_token;
use crate::spans::{end_of_text, is_container, parts};
use serde_json::json;

/// The text of an event, cut as [`super::truncate_event`] cuts it.
pub(super) fn cut(event: &str, texts: &[Text], run_id: &str, seq: u64) -> String {
    let (mut out, marked) = (String::new(), Marked(texts));
    rebuilt(event, &mut out, &mut |name, value, out| {
        if name != "payload" || !value.starts_with('{') {
            marked.write(value, out);
            return true;
        }
        rebuilt(value, out, &mut |name, value, out| {
            let reference = || format!("{run_id}/{seq}/payload/{}", pointer_token(name));
            marked.shrink(value, &reference, depth_of(name), out);
            true
        });
        true
    });
    out
}

/// The texts that marks stand for.
struct Marked<'a>(&'a [Text]);

/// Writes a container again with other values; its keys and places are told. Ends early when told so.
fn rebuilt(text: &str, out: &mut String, with: &mut dyn FnMut(&str, &str, &mut String) -> bool) {
    let (open, close) = if text.starts_with('{') { ('{', '}') } else { ('[', ']') };
    out.push(open);
    for (index, part) in parts(text).enumerate() {
        if index > 0 {
            out.push(',');
        }
        let place = match part.name {
            Some(name) => {
                out.push_str(name);
                out.push(':');
                part.read_name().unwrap_or_default()
            }
            None => index.to_string(),
        };
        if !with(&place, part.value, out) {
            return;
        }
    }
    out.push(close);
}

impl Marked<'_> {
    /// The parts of a text: what is written there, and the texts that marks stand for.
    fn each(&self, text: &str, with: &mut dyn FnMut(&str)) {
        let begin = format!("\"{}", mark());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(&*begin).filter(|_| !self.0.is_empty()) {
            with(before);
            let (number, behind) = after.split_once('"').unwrap_or((after, ""));
            match number.parse().ok().and_then(|number: usize| self.0.get(number)) {
                Some(text) => text.pieces().for_each(&mut *with),
                None => [&*begin, number, "\""].into_iter().for_each(&mut *with),
            }
            rest = behind;
        }
        with(rest);
    }

    fn write(&self, text: &str, out: &mut String) {
        self.each(text, &mut |part| out.push_str(part));
    }

    fn units(&self, text: &str) -> usize {
        let mut units = 0;
        self.each(text, &mut |part| units += utf16(part));
        units
    }

    /// The text that a mark stands for; any other text is itself.
    fn resolved<'b>(&'b self, text: &'b str) -> &'b str {
        let number = text.strip_prefix('"').and_then(|text| text.strip_prefix(mark())?.strip_suffix('"')?.parse().ok());
        number.and_then(|number: usize| self.0.get(number)).map_or(text, Text::text)
    }

    /// What stands in the place of a value that is too long.
    fn short(&self, text: &str, reference: &dyn Fn() -> String) -> Option<String> {
        let length = self.units(text);
        if length <= WIRE_LIMIT {
            return None;
        }
        let mut begin = String::new();
        self.each(text, &mut |part| {
            if begin.len() < BEGINNING {
                begin.extend(part.chars().take(BEGINNING));
            }
        });
        let kind = match begin.as_bytes().first() {
            Some(b'"') => "string",
            Some(b'[') => "array",
            Some(b'{') => "object",
            _ => "number",
        };
        let begins = if kind == "string" { beginning(&begin) } else { begin.chars().take(200).collect() };
        let preview = super::preview(&begins);
        Some(
            json!({ "_truncated": true, "type": kind, "length": length, "preview": preview, "ref": reference() })
                .to_string(),
        )
    }

    fn shrink(&self, text: &str, reference: &dyn Fn() -> String, depth: usize, out: &mut String) {
        let whole = self.resolved(text);
        if depth > 0 && is_container(whole) {
            return rebuilt(whole, out, &mut |place, value, out| {
                self.shrink(value, &|| format!("{}/{}", reference(), pointer_token(place)), depth - 1, out);
                true
            });
        }
        let Some(short) = self.short(text, reference) else { return self.write(text, out) };
        if !is_container(whole) {
            return out.push_str(&short);
        }
        // One large part is cut alone when that is enough; many small ones are cut together.
        let mut partly = String::new();
        rebuilt(whole, &mut partly, &mut |place, value, partly| {
            match self.short(value, &|| format!("{}/{}", reference(), pointer_token(place))) {
                Some(short) => partly.push_str(&short),
                None => self.write(value, partly),
            }
            // A letter of three bytes is one UTF-16 unit, one of four is two: it is too long already.
            partly.len() <= 3 * WIRE_LIMIT
        });
        out.push_str(if utf16(&partly) > WIRE_LIMIT { &short } else { &partly });
    }
}
fn utf16(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Bytes from which the first 200 letters are read, however they are escaped.
const BEGINNING: usize = 4 * 1024;

/// The first letters of a JSON string, more than a preview shows.
fn beginning(text: &str) -> String {
    let mut end = 1;
    for _ in 0..200 {
        let Some(rest) = text.get(end..) else { break };
        end += match rest.as_bytes().first() {
            None | Some(b'"') => break,
            Some(b'\\') if rest.as_bytes().get(1) == Some(&b'u') => 6,
            Some(b'\\') => 2,
            Some(_) => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    debug_assert!(end <= end_of_text(text.as_bytes(), 0));
    serde_json::from_str(&format!("{}\"", text.get(..end).unwrap_or("\""))).unwrap_or_default()
}
