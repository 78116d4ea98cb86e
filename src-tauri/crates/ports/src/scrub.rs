//! Hides known secrets in data on its way into an event: the value itself, and the forms in which other programs write
//! it back (base64, hexadecimal, percent-encoded, escaped as in JSON and HTML).

use crate::secret::{CredentialKind, Secret};
use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError, RwLock};
use zeroize::Zeroizing;

/// Shorter values stand in ordinary data by chance: hiding them would damage it, so they are not taken as secrets.
pub const SHORTEST: usize = 8;
/// Shorter forms are not looked for, for the same reason.
const SHORTEST_FORM: usize = 8;

#[derive(Default)]
struct Known {
    /// Form and what stands in its place.
    forms: Vec<(Zeroizing<Vec<u8>>, String)>,
    finder: Option<AhoCorasick>,
}

/// What hides secrets. Values are added, never forgotten while it lives: an old one may still come back.
#[derive(Default)]
pub struct Scrubber {
    known: RwLock<Known>,
    adding: Mutex<()>,
}

impl Scrubber {
    /// Hides a value from now on; it is shown as `[secret:NAME]`.
    pub fn add(&self, name: &str, kind: Option<&CredentialKind>, value: &Secret) {
        let _one = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh: Vec<Zeroizing<Vec<u8>>> = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            let new = |form: &Zeroizing<Vec<u8>>| known.forms.iter().all(|(old, _)| **old != **form);
            forms(kind, value.expose()).into_iter().filter(new).collect()
        };
        if fresh.is_empty() {
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.forms.extend(fresh.into_iter().map(|form| (form, format!("[secret:{name}]"))));
        // Leftmost-longest: a longer form covers the shorter ones in it. ASCII case does not matter in hexadecimal and
        // percent-encoded forms, and hiding more spellings of the others does no harm.
        known.finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            .build(known.forms.iter().map(|(form, _)| form.as_slice()))
            .ok();
    }

    /// Whether any secret stands in the bytes.
    pub fn finds(&self, bytes: &[u8]) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.finder.as_ref().is_some_and(|finder| finder.is_match(bytes))
    }

    /// How many bytes at the end of a text may be the beginning of a secret whose rest has not come yet.
    pub fn open_end(&self, text: &str) -> usize {
        let mut end = self.open_end_of(text.as_bytes());
        while !text.is_char_boundary(text.len() - end) {
            end += 1;
        }
        end
    }

    /// [`Self::open_end`] of bytes.
    pub fn open_end_of(&self, bytes: &[u8]) -> usize {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let open = |form: &[u8]| {
            let longest = bytes.len().min(form.len().saturating_sub(1));
            (1..=longest).rev().find(|n| bytes[bytes.len() - n..].eq_ignore_ascii_case(&form[..*n])).unwrap_or(0)
        };
        known.forms.iter().map(|(form, _)| open(form)).max().unwrap_or(0)
    }

    /// The bytes without secrets.
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let Some(finder) = known.finder.as_ref().filter(|finder| finder.is_match(bytes)) else {
            return Cow::Borrowed(bytes);
        };
        let mut out = Vec::with_capacity(bytes.len());
        finder.replace_all_with_bytes(bytes, &mut out, |found, _, out| {
            out.extend_from_slice(known.forms[found.pattern().as_usize()].1.as_bytes());
            true
        });
        Cow::Owned(out)
    }

    /// The text without secrets.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            // Forms are ASCII or whole characters, so what is left is text.
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// Takes secrets out of a value: its texts, the names of its fields, and numbers that are one.
    pub fn value(&self, value: &mut Value) {
        if self.known.read().unwrap_or_else(PoisonError::into_inner).finder.is_some() {
            self.walk(value);
        }
    }

    /// [`Scrubber::value`] of the fields of an object.
    pub fn map(&self, map: &mut Map<String, Value>) {
        if map.keys().any(|name| self.finds(name.as_bytes())) {
            *map = std::mem::take(map).into_iter().map(|(name, v)| (self.text(&name).into_owned(), v)).collect();
        }
        map.values_mut().for_each(|value| self.value(value));
    }

    fn walk(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.text(text) {
                    *text = clean;
                }
            }
            Value::Number(number) => {
                if let Cow::Owned(clean) = self.text(&number.to_string()) {
                    *value = clean.into();
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|value| self.walk(value)),
            Value::Object(map) => self.map(map),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Whether [`Scrubber::value`] would change it: asked first where changing means copying.
    pub fn finds_in(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.finds(text.as_bytes()),
            Value::Number(number) => self.finds(number.to_string().as_bytes()),
            Value::Array(list) => list.iter().any(|value| self.finds_in(value)),
            Value::Object(map) => map.iter().any(|(name, value)| self.finds(name.as_bytes()) || self.finds_in(value)),
            Value::Null | Value::Bool(_) => false,
        }
    }
}

/// Every spelling of a value that is looked for.
fn forms(kind: Option<&CredentialKind>, value: &str) -> Vec<Zeroizing<Vec<u8>>> {
    let mut all: Vec<Zeroizing<Vec<u8>>> = Vec::new();
    let mut add = |form: Vec<u8>| {
        let form = Zeroizing::new(form);
        if form.len() >= SHORTEST_FORM && all.iter().all(|known| **known != *form) {
            all.push(form);
        }
    };
    // The header of `basic` is base64 of more than the value, so the whole of it is a form as well.
    let pair = match kind {
        Some(CredentialKind::Basic { user }) => Some(Zeroizing::new(format!("{user}:{value}"))),
        // The signature alone is what matters of it.
        Some(CredentialKind::Sas) => signature(value).map(Zeroizing::new),
        _ => None,
    };
    for text in std::iter::once(value).chain(pair.as_ref().map(|pair| pair.as_str())) {
        let bytes = text.as_bytes();
        add(bytes.to_vec());
        add(escaped_json(text).into_bytes());
        add(escaped_ascii(text).into_bytes());
        add(html(text).into_bytes());
        // UTF-8 read as Latin-1, which is what headers are, and the other way round.
        add(bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes());
        add(text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect());
        add(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into_bytes());
        // Of encodeURIComponent, of a form, of a careful program, and of one that encodes everything.
        add(percent(bytes, b"-_.!~*'()", false));
        add(percent(bytes, b"*-._", true));
        add(percent(bytes, b"-_.~", false));
        add(percent(bytes, b"", false));
        add(bytes.iter().flat_map(|byte| format!("%{byte:02x}").into_bytes()).collect());
        for shift in 0..3 {
            add(base64_inside(bytes, shift, &STANDARD_NO_PAD));
            add(base64_inside(bytes, shift, &URL_SAFE_NO_PAD));
        }
    }
    all
}

/// The signature of a shared access signature, decoded.
fn signature(value: &str) -> Option<String> {
    let text = value.trim().trim_start_matches('?').replace('+', "%2B");
    let found = url::form_urlencoded::parse(text.as_bytes()).find(|(name, value)| name == "sig" && !value.is_empty());
    found.map(|(_, value)| value.into_owned())
}

/// Whether a text is a shared access signature.
pub fn has_signature(value: &str) -> bool {
    signature(value).is_some_and(|signature| signature.len() >= SHORTEST)
}

/// What stays of the value's base64 when `shift` bytes stand before it and anything after it.
fn base64_inside(bytes: &[u8], shift: usize, engine: &impl Engine) -> Vec<u8> {
    let mut padded = Zeroizing::new(vec![0_u8; shift]);
    padded.extend_from_slice(bytes);
    let text = Zeroizing::new(engine.encode(padded.as_slice()));
    let first = (shift * 8).div_ceil(6);
    let last = padded.len() * 8 / 6;
    text.as_bytes()[first.min(last)..last].to_vec()
}

fn percent(bytes: &[u8], plain: &[u8], plus: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() * 3);
    for byte in bytes {
        if (byte.is_ascii_alphanumeric() && !plain.is_empty()) || plain.contains(byte) {
            out.push(*byte);
        } else if plus && *byte == b' ' {
            out.push(b'+');
        } else {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
    out
}

fn escaped_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// JSON of programs that write ASCII only.
fn escaped_ascii(text: &str) -> String {
    let mut units = [0; 2];
    let escape = |c: char| -> String {
        if c.is_ascii() {
            return c.into();
        }
        c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
    };
    escaped_json(text).chars().map(escape).collect()
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::{Scrubber, percent};
    use crate::secret::{CredentialKind, Secret};
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use serde_json::json;

    const VALUE: &str = "cAn4ry\"& ké?y/+0123456789";

    #[test]
    fn ts_166_every_form_of_a_secret_is_hidden() {
        let scrubber = Scrubber::default();
        scrubber.add("erp", Some(&CredentialKind::Basic { user: "ada".into() }), &Secret::new(VALUE));
        let hex: String = VALUE.bytes().map(|byte| format!("{byte:02X}")).collect();
        let basic = STANDARD.encode(format!("ada:{VALUE}"));
        let mut texts = vec![
            VALUE.to_owned(),
            format!("before{VALUE}after"),
            VALUE.to_ascii_uppercase(),
            json!({ "key": VALUE }).to_string(),
            hex.to_lowercase(),
            hex,
            format!("Basic {basic}"),
            String::from_utf8_lossy(&percent(VALUE.as_bytes(), b"-_.~", false)).into_owned(),
            String::from_utf8_lossy(&percent(VALUE.as_bytes(), b"*-._", true)).to_lowercase(),
            "https://h/?k=cAn4ry%22%26%20k%C3%a9%3Fy%2F%2B0123456789&x=1".to_owned(),
            r#"{"k":"cAn4ry\"& k\u00e9?y/+0123456789"}"#.to_owned(),
            "cAn4ry\"& kÃ©?y/+0123456789".to_owned(),
        ];
        // Base64 of the value with anything before and after it.
        for before in ["", "a", "ab", "abc", "user:"] {
            for after in ["", "z", "\r\n\r\n"] {
                texts.push(STANDARD.encode(format!("{before}{VALUE}{after}")));
                texts.push(URL_SAFE.encode(format!("{before}{VALUE}{after}")));
            }
        }
        for text in texts {
            let clean = scrubber.text(&text);
            assert!(clean.contains("[secret:erp]"), "{text} → {clean}");
            assert!(!clean.contains("0123456789") && !clean.contains("MDEyMzQ1Njc4"), "{text} → {clean}");
        }
        assert_eq!(scrubber.text("the canary sings"), "the canary sings");
    }

    #[test]
    fn values_of_every_kind_are_cleaned() {
        let scrubber = Scrubber::default();
        let mut value = json!({ "list": ["12345678", 12_345_678, { "12345678": true }], "n": 1 });
        let before = value.clone();
        scrubber.value(&mut value);
        assert_eq!(value, before, "nothing is known yet");
        scrubber.add("pin", None, &Secret::new("12345678"));
        assert!(scrubber.finds_in(&value));
        scrubber.value(&mut value);
        assert_eq!(value, json!({ "list": ["[secret:pin]", "[secret:pin]", { "[secret:pin]": true }], "n": 1 }));
        assert!(!scrubber.finds_in(&value));
        // A second secret does not replace the first.
        scrubber.add("other", None, &Secret::new("abcdefgh"));
        assert_eq!(scrubber.text("12345678 abcdefgh"), "[secret:pin] [secret:other]");
    }
}
