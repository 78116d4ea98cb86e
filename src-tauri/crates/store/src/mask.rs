//! Masks of values that may be personal or secret (TS-052). They are put on behind the border to every host, so that no UI
//! and no program sees the values without asking for them with a reason, and before anything is sealed into the audit
//! chain, which can never forget.
//!
//! A mask is `•••N•`; the same value has the same number. A masked value that comes back in a corrected input stands for
//! the value that it hides, so that who must not see it can still correct the rest.

use regex::{Captures, Regex};
use serde_json::{Map, Value};
use signalbox_audit::Record;
use signalbox_model::Workflow;
use signalbox_model::diagnostic::pointer_token;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Shorter values are not looked for elsewhere: they would stand everywhere by chance.
const LOOKED_FOR: usize = 4;
/// So many values have a number; later ones are hidden without one, so that the memory of a long run stays bounded.
const NUMBERED: usize = 20_000;
/// Above so many values they are looked for with one automaton instead of one after the other.
const ONE_BY_ONE: usize = 16;
/// What hides a value without a number.
const NAMELESS: &str = "•••";

/// Names whose whole value is hidden.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "clientsecret",
    "token",
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authorization",
    "cookie",
    "setcookie",
    "sessionid",
    "ssn",
    "socialsecuritynumber",
    "taxid",
    "passportnumber",
    "nationalid",
    "iban",
    "bankaccount",
    "accountnumber",
    "creditcard",
    "cardnumber",
    "cvv",
    "cvc",
    "pin",
    "email",
    "emailaddress",
    "mail",
    "phone",
    "phonenumber",
    "telephone",
    "mobile",
    "dateofbirth",
    "birthdate",
    "birthday",
];
/// Words in a longer name that hide its text.
const PARTS: &[&str] = &["password", "secret", "apikey", "privatekey", "accesstoken"];

/// What a text may hold: a pattern, and what else must be true of what it finds.
struct Pattern {
    regex: Regex,
    holds: fn(&str) -> bool,
}

fn patterns() -> &'static [Pattern] {
    static PATTERNS: OnceLock<Vec<Pattern>> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        let any: fn(&str) -> bool = |_| true;
        let all = [
            // E-mail.
            (r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}", any),
            // Bearer and basic credentials, JSON Web Tokens, keys of well-known services.
            (r"(?i)\b(?:bearer|basic)\s+[A-Za-z0-9+/._~-]{8,}=*", any),
            (r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", any),
            (r"\b(?:sk|pk|ghp|gho|xox[bap])[-_][A-Za-z0-9_-]{16,}", any),
            // IBAN, in groups or not.
            (r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b", is_iban as fn(&str) -> bool),
            // Cards.
            (r"\b\d(?:[ -]?\d){12,18}\b", is_card),
            // Phone numbers in the international form, and in the North American one.
            (r"\+\d(?:[ ().-]{0,2}\d){6,14}\b", any),
            (r"\b00[1-9](?: ?\d){7,13}\b", any),
            (r"(?:\(\d{3}\) ?|\b\d{3}[-. ])\d{3}[-. ]\d{4}\b", any),
            // Social security number of the United States.
            (r"\b\d{3}-\d{2}-\d{4}\b", any),
        ];
        all.into_iter()
            .filter_map(|(pattern, holds)| Some(Pattern { regex: Regex::new(pattern).ok()?, holds }))
            .collect()
    })
}

/// Whether a pattern can find anything: most texts are short names and need no look at all.
fn may_hold(text: &str) -> bool {
    let bytes = text.as_bytes();
    let starts = |at: usize, word: &str| {
        bytes.get(at..at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
    };
    bytes.len() > 5
        && (bytes.contains(&b'@')
            || bytes.iter().filter(|byte| byte.is_ascii_digit()).count() > 6
            || (0..bytes.len()).any(|at| match bytes[at] | 0x20 {
                b'b' => starts(at, "bearer") || starts(at, "basic"),
                b'e' => starts(at, "eyj"),
                b's' => starts(at, "sk-") || starts(at, "sk_"),
                b'p' => starts(at, "pk-") || starts(at, "pk_"),
                b'g' => starts(at, "ghp") || starts(at, "gho"),
                b'x' => starts(at, "xox"),
                _ => false,
            }))
}

fn is_iban(text: &str) -> bool {
    let text: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let Some((head, rest)) = text.split_at_checked(4) else { return false };
    let remainder = format!("{rest}{head}").chars().fold(0_u32, |sum, c| match c.to_digit(36) {
        Some(digit) if digit < 10 => (sum * 10 + digit) % 97,
        Some(letter) => (sum * 100 + letter) % 97,
        None => sum,
    });
    (15..=34).contains(&text.len()) && remainder == 1
}

fn is_card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let sum: u32 = digits.iter().rev().enumerate().fold(0, |sum, (at, digit)| {
        sum + match (at % 2 == 1, digit * 2) {
            (false, _) => *digit,
            (true, twice) if twice > 9 => twice - 9,
            (true, twice) => twice,
        }
    });
    digits.len() >= 13 && digits.iter().any(|digit| *digit != digits[0]) && sum.is_multiple_of(10)
}

fn is_hidden_name(name: &str, value: &Value) -> bool {
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect();
    NAMES.contains(&plain.as_str()) || (value.is_string() && PARTS.iter().any(|part| plain.contains(part)))
}

/// Whether `value` stands in `text` from `at` as a word of its own.
fn is_word(text: &str, at: usize, value: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (before, after) = (text[..at].chars().next_back(), text[at + value.len()..].chars().next());
    let (first, last) = (part(value.chars().next()), part(value.chars().next_back()));
    !(first && part(before) || last && part(after))
}

/// `text` with a mask wherever `value` stands as a word of its own.
fn replaced(text: String, value: &str, mask: &str) -> String {
    if !text.contains(value) {
        return text;
    }
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (at, _) in text.match_indices(value) {
        if is_word(&text, at, value) {
            out.push_str(&text[done..at]);
            out.push_str(mask);
            done = at + value.len();
        }
    }
    out + &text[done..]
}

/// A JSON Schema names fields and holds none of their values.
fn is_schema(name: &str, value: &Value) -> bool {
    name == "schema" && value.is_object()
}

/// Where a value stands: what its author's pointers mean there.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// The pointers lead into it.
    Input,
    /// They lead into something inside it, after at least so many names of its frame, which are nobody's data.
    Inside(usize),
}

/// The masks of one task or run: which value has which number.
#[derive(Debug, Default)]
pub struct Masks {
    hidden: Vec<Value>,
    numbers: HashMap<String, usize>,
    pointers: Vec<String>,
    /// Finds the first so many of `hidden` in texts.
    known: Option<(usize, Regex)>,
}

impl Masks {
    /// Masks with more to hide than the usual names: JSON Pointers of the author, into what [`Self::input`] gets.
    pub fn new(pointers: &[String]) -> Self {
        Self { pointers: pointers.to_vec(), ..Self::default() }
    }

    fn mask(&mut self, value: &Value) -> String {
        let key = value.to_string();
        let next = self.hidden.len();
        if next >= NUMBERED && !self.numbers.contains_key(&key) {
            return NAMELESS.to_owned();
        }
        let at = *self.numbers.entry(key).or_insert_with(|| {
            self.hidden.push(value.clone());
            next
        });
        format!("•••{}•", at + 1)
    }

    /// The input of the task, masked, and the pointers of what is masked in it.
    pub fn input(&mut self, input: &Value) -> (Value, Vec<String>) {
        let whole = self.is_hidden_place("", Place::Input);
        self.learn_at(input, "", whole, Place::Input);
        self.remember();
        let mut places = Vec::new();
        let masked = self.walk(input, "", whole, Place::Input, &mut places);
        (masked, places)
    }

    /// Remembers what its names and the pointers hide in a value, so that other texts do not tell it. The pointers may
    /// lead into any part of it behind the first `frame` names.
    pub fn learn(&mut self, value: &Value, frame: usize) {
        let whole = self.is_hidden_place("", Place::Inside(frame));
        self.learn_at(value, "", whole, Place::Inside(frame));
    }

    /// Makes looking for what was learned cheap. Without it the texts are masked all the same.
    pub fn remember(&mut self) {
        let covered = self.known.as_ref().map_or(0, |(covered, _)| *covered);
        if self.hidden.len() < ONE_BY_ONE || covered == self.hidden.len() {
            return;
        }
        // Long ones first: one may be part of another.
        let mut words: Vec<String> = self.hidden.iter().filter_map(looked_for).collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let all: Vec<String> = words.iter().map(|word| regex::escape(word)).collect();
        let built = regex::RegexBuilder::new(&all.join("|")).size_limit(1 << 28).build();
        self.known = built.ok().filter(|_| !words.is_empty()).map(|regex| (self.hidden.len(), regex));
    }

    /// A JSON Patch of the input: what its operations put somewhere is masked as it would be there.
    pub fn patch(&mut self, patch: &Value) -> Value {
        let operation = |masks: &mut Self, operation: &Value| {
            let mut masked = operation.clone();
            if let (Some(path), Some(value)) = (operation["path"].as_str(), operation.get("value")) {
                let name = path.rsplit('/').next().unwrap_or_default();
                let hide = is_hidden_name(name, value);
                masked["value"] = masks.walk(value, path, hide, Place::Input, &mut Vec::new());
            }
            masked
        };
        patch.as_array().into_iter().flatten().map(|one| operation(self, one)).collect()
    }

    /// A value whose first `frame` names are nobody's data; the pointers may lead into any part of it behind them.
    pub fn inside(&mut self, value: &Value, frame: usize) -> Value {
        let whole = self.is_hidden_place("", Place::Inside(frame));
        self.walk(value, "", whole, Place::Inside(frame), &mut Vec::new())
    }

    /// Texts are masked; no name hides anything.
    pub fn texts(&mut self, value: &Value) -> Value {
        self.walk(value, "", false, Place::Inside(usize::MAX), &mut Vec::new())
    }

    /// A text around the task.
    pub fn text(&mut self, text: &str) -> String {
        let mut out = text.to_owned();
        // What was hidden elsewhere is hidden here.
        let covered = match &self.known {
            None => 0,
            Some((covered, regex)) => {
                let cut = regex.replace_all(&out, |found: &Captures<'_>| {
                    let at = found.get(0).map_or(0, |found| found.start());
                    let number = self.number_of(&found[0]).filter(|_| is_word(text, at, &found[0]));
                    number.map_or_else(|| found[0].to_owned(), |number| format!("•••{}•", number + 1))
                });
                if let Cow::Owned(cut) = cut {
                    out = cut;
                }
                *covered
            }
        };
        let mut rest: Vec<(String, String)> = Vec::new();
        for (at, hidden) in self.hidden.iter().enumerate().skip(covered) {
            rest.extend(looked_for(hidden).map(|text| (text, format!("•••{}•", at + 1))));
        }
        rest.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        for (text, mask) in rest {
            out = replaced(out, &text, &mask);
        }
        if !may_hold(&out) {
            return out;
        }
        for pattern in patterns() {
            let cut = pattern.regex.replace_all(&out, |found: &Captures<'_>| {
                let text = &found[0];
                if (pattern.holds)(text) { self.mask(&Value::from(text)) } else { text.to_owned() }
            });
            if let Cow::Owned(cut) = cut {
                out = cut;
            }
        }
        out
    }

    /// The place of a hidden value by its text: a text, or a number written as one.
    fn number_of(&self, text: &str) -> Option<usize> {
        let quoted = Value::from(text).to_string();
        self.numbers.get(&quoted).or_else(|| self.numbers.get(text)).copied()
    }

    fn is_hidden_place(&self, path: &str, place: Place) -> bool {
        let depth = |path: &str| path.bytes().filter(|byte| *byte == b'/').count();
        match place {
            Place::Input => self.pointers.iter().any(|pointer| pointer == path),
            Place::Inside(frame) => {
                let behind = |pointer: &str| depth(path) - depth(pointer) >= frame;
                self.pointers.iter().any(|pointer| path.ends_with(pointer.as_str()) && behind(pointer))
            }
        }
    }

    /// Whether a member of an object is hidden, whatever it holds.
    fn hides(&self, name: &str, value: &Value, path: &str, place: Place) -> bool {
        let named = match place {
            Place::Inside(frame) => path.bytes().filter(|byte| *byte == b'/').count() > frame,
            Place::Input => true,
        };
        (named && is_hidden_name(name, value)) || self.is_hidden_place(path, place)
    }

    fn learn_at(&mut self, value: &Value, path: &str, hide: bool, place: Place) {
        match value {
            Value::Object(map) => {
                for (name, value) in map {
                    let path = format!("{path}/{}", pointer_token(name));
                    let hide = hide || self.hides(name, value, &path, place);
                    if hide || !is_schema(name, value) {
                        self.learn_at(value, &path, hide, place);
                    }
                }
            }
            Value::Array(list) => {
                for (index, value) in list.iter().enumerate() {
                    let path = format!("{path}/{index}");
                    let hide = hide || self.is_hidden_place(&path, place);
                    self.learn_at(value, &path, hide, place);
                }
            }
            Value::Null => {}
            Value::String(text) if text.is_empty() => {}
            scalar if hide => drop(self.mask(scalar)),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn walk(&mut self, value: &Value, path: &str, hide: bool, place: Place, places: &mut Vec<String>) -> Value {
        match value {
            Value::Object(map) => Value::Object(
                map.iter()
                    .map(|(name, value)| {
                        let path = format!("{path}/{}", pointer_token(name));
                        let hide = hide || self.hides(name, value, &path, place);
                        let place = if is_schema(name, value) { Place::Inside(usize::MAX) } else { place };
                        (name.clone(), self.walk(value, &path, hide, place, places))
                    })
                    .collect::<Map<_, _>>(),
            ),
            Value::Array(list) => list
                .iter()
                .enumerate()
                .map(|(index, value)| {
                    let path = format!("{path}/{index}");
                    let hide = hide || self.is_hidden_place(&path, place);
                    self.walk(value, &path, hide, place, places)
                })
                .collect(),
            Value::Null => Value::Null,
            Value::String(text) if text.is_empty() => value.clone(),
            scalar if hide => {
                places.push(path.to_owned());
                self.mask(scalar).into()
            }
            Value::String(text) => {
                let masked = self.text(text);
                if masked != *text {
                    places.push(path.to_owned());
                }
                masked.into()
            }
            Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// Puts hidden values back where their masks stand. What these masks were put on must have been masked before in the
    /// same order.
    pub fn lift(&self, value: Value) -> Value {
        match value {
            Value::Object(map) => {
                Value::Object(map.into_iter().map(|(name, value)| (name, self.lift(value))).collect())
            }
            Value::Array(list) => list.into_iter().map(|value| self.lift(value)).collect(),
            Value::String(text) => self.lift_text(text),
            other => other,
        }
    }

    fn lift_text(&self, text: String) -> Value {
        static MASK: OnceLock<Option<Regex>> = OnceLock::new();
        let Some(mask) =
            MASK.get_or_init(|| Regex::new("•••([0-9]{1,6})•").ok()).as_ref().filter(|_| text.contains("•••"))
        else {
            return text.into();
        };
        let hidden = |found: &Captures<'_>| {
            let number: usize = found[1].parse().ok()?;
            self.hidden.get(number.checked_sub(1)?)
        };
        if let Some(found) = mask.captures(&text).filter(|found| found[0] == text) {
            return hidden(&found).cloned().unwrap_or_else(|| text.clone().into());
        }
        let lifted = mask.replace_all(&text, |found: &Captures<'_>| match hidden(found) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => found[0].to_owned(),
        });
        lifted.into_owned().into()
    }
}

/// Everything that the steps of a workflow say is to be hidden (`redact` of steps that ask people).
pub fn pointers(workflow: &Workflow) -> Vec<String> {
    let lists = workflow.nodes.values().filter_map(|node| node.config.as_ref()?.get("redact")?.as_array());
    let mut all: Vec<String> = lists.flatten().filter_map(|pointer| pointer.as_str().map(str::to_owned)).collect();
    all.sort();
    all.dedup();
    all
}

/// What of a hidden value is looked for in texts.
fn looked_for(hidden: &Value) -> Option<String> {
    let text = match hidden {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    (text.chars().count() >= LOOKED_FOR).then_some(text)
}

/// Names of those who act, and what programs refer to things by: `user:…`, UUIDs, digests. They are no data of people
/// that the chain must forget, and without them it could not say who did what to which task.
fn is_reference(text: &str) -> bool {
    let plain = |c: char| !c.is_whitespace() && !c.is_control();
    let hex = |c: char| c.is_ascii_hexdigit() || c == '-' || c == '/';
    ["user:", "group:"].iter().any(|kind| text.starts_with(kind) && text.chars().all(plain))
        || (text.len() >= 32 && text.chars().all(hex) && text.chars().any(|c| c.is_ascii_alphabetic()))
}

fn for_chain(masks: &mut Masks, value: &mut Value, hide: bool) {
    match value {
        Value::Object(map) => {
            for (name, value) in map.iter_mut() {
                let hide = hide || is_hidden_name(name, value);
                for_chain(masks, value, hide);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| for_chain(masks, value, hide)),
        Value::String(text) if text.is_empty() || (!hide && is_reference(text)) => {}
        Value::String(text) if !hide => {
            if may_hold(text) || !masks.hidden.is_empty() {
                *text = masks.text(text);
            }
        }
        Value::Null => {}
        scalar if hide => *scalar = masks.mask(scalar).into(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A record as it may be kept for ever: masked by names and patterns, because the chain cannot be changed later.
pub(crate) fn record(mut record: Record) -> Record {
    let mut masks = Masks::default();
    for tag in record.tags.iter_mut().flatten() {
        *tag = masks.text(tag);
    }
    for (name, value) in record.metadata.iter_mut().flatten() {
        let hide = is_hidden_name(name, value);
        for_chain(&mut masks, value, hide);
    }
    record
}

#[cfg(test)]
mod tests {
    use super::Masks;
    use serde_json::json;

    /// TS-052.
    #[test]
    fn what_may_be_personal_is_masked_and_comes_back_whole() {
        let input = json!({
            "customer": { "name": "Ada Byron", "email": "ada@example.org", "note": "call +49 30 1234567 or ada@example.org" },
            "iban": "DE89370400440532013000", "amount": 12.5, "apiKey": "k", "pin": 1234,
            "cards": ["4111 1111 1111 1111", "4111 1111 1111 1112"], "when": "2026-11-22T10:00:00.000Z",
            "id": "0199a1b2-0000-7000-8000-000000000000", "order": "1234567890123456", "empty": { "token": "", "ssn": null },
        });
        let mut masks = Masks::new(&["/customer/name".into()]);
        let (masked, places) = masks.input(&input);
        assert_eq!(
            masked,
            json!({
                "customer": { "name": "•••1•", "email": "•••2•", "note": "call •••6• or •••2•" },
                "iban": "•••3•", "amount": 12.5, "apiKey": "•••4•", "pin": "•••5•",
                "cards": ["•••7•", "4111 1111 1111 1112"], "when": "2026-11-22T10:00:00.000Z",
                "id": "0199a1b2-0000-7000-8000-000000000000", "order": "1234567890123456",
                "empty": { "token": "", "ssn": null },
            })
        );
        assert_eq!(
            places,
            ["/customer/name", "/customer/email", "/customer/note", "/iban", "/apiKey", "/pin", "/cards/0"]
        );
        assert_eq!(masks.text("Ada Byron has no account"), "•••1• has no account", "known values are hidden elsewhere");
        assert_eq!(masks.lift(masked), input);
        assert_eq!(masks.lift(json!("•••99•")), json!("•••99•"), "a mask that was never put on");
    }

    #[test]
    fn texts_hide_what_looks_like_data_of_people_or_keys() {
        let hidden = |text: &str| Masks::default().text(text);
        for text in [
            "mail to a.b+c@mail.example.org please",
            "Authorization: Bearer abcdefghijklmnop",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
            "key sk-abcdefghijklmnopqrstuv",
            "IBAN GB82 WEST 1234 5698 7654 32",
            "card 5500-0000-0000-0004",
            "0049 170 1234567",
            "(555) 123-4567",
            "555-123-4567",
            "SSN 123-45-6789",
        ] {
            assert!(hidden(text).contains("•••1•"), "{text}: {}", hidden(text));
        }
        for text in [
            "HTTP 503 after 3 attempts",
            "run 0199a1b2-0000-7000-8000-000000000000",
            "2026-11-22 10:00:00",
            "1795300686123 ms",
            "IPv4 192.168.100.200",
            "SKU AB12CDEFGHIJKLMNOP",
            "order 1234567890123456",
        ] {
            assert_eq!(hidden(text), text);
        }
    }
}
