//! Masks of values that may be personal or secret (TS-052). They are put on here, behind the border to every host, so that
//! no UI and no program sees the values without asking for them with a reason.
//!
//! A mask is `•••N•`; the same value has the same number. A masked value that comes back in a corrected input stands for
//! the value that it hides, so that who must not see it can still correct the rest.

use regex::{Captures, Regex};
use serde_json::{Map, Value};
use signalbox_model::diagnostic::pointer_token;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Shorter values are not looked for elsewhere: they would stand everywhere by chance.
const LOOKED_FOR: usize = 4;

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

/// `text` with a mask wherever `value` stands as a word of its own.
fn replaced(text: String, value: &str, mask: &str) -> String {
    if !text.contains(value) {
        return text;
    }
    let part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (mut out, mut rest) = (String::with_capacity(text.len()), text.as_str());
    while let Some(at) = rest.find(value) {
        let (before, after) = (&rest[..at], &rest[at + value.len()..]);
        let last = before.chars().next_back().or_else(|| out.chars().next_back());
        let inside = (part(last) && part(value.chars().next()))
            || (part(after.chars().next()) && part(value.chars().next_back()));
        out.push_str(before);
        out.push_str(if inside { value } else { mask });
        rest = after;
    }
    out + rest
}

/// The masks of one task: which value has which number.
#[derive(Debug, Default)]
pub(crate) struct Masks {
    hidden: Vec<Value>,
    pointers: Vec<String>,
}

impl Masks {
    /// Masks with more to hide than the usual names: the JSON Pointers of the task's author, into its input.
    pub(crate) fn new(pointers: &[String]) -> Self {
        Self { hidden: Vec::new(), pointers: pointers.to_vec() }
    }

    fn mask(&mut self, value: &Value) -> String {
        let at = self.hidden.iter().position(|hidden| hidden == value).unwrap_or_else(|| {
            self.hidden.push(value.clone());
            self.hidden.len() - 1
        });
        format!("•••{}•", at + 1)
    }

    /// The input of the task, masked, and the pointers of what is masked in it.
    pub(crate) fn input(&mut self, input: &Value) -> (Value, Vec<String>) {
        let mut places = Vec::new();
        let masked = self.walk(input, "", false, true, &mut places);
        (masked, places)
    }

    /// A JSON Patch of the input: what its operations put somewhere is masked as it would be there.
    pub(crate) fn patch(&mut self, patch: &Value) -> Value {
        let operation = |masks: &mut Self, operation: &Value| {
            let mut masked = operation.clone();
            if let (Some(path), Some(value)) = (operation["path"].as_str(), operation.get("value")) {
                let name = path.rsplit('/').next().unwrap_or_default();
                let hide = is_hidden_name(name, value);
                masked["value"] = masks.walk(value, path, hide, true, &mut Vec::new());
            }
            masked
        };
        patch.as_array().into_iter().flatten().map(|one| operation(self, one)).collect()
    }

    /// Any other value around the task.
    pub(crate) fn value(&mut self, value: &Value) -> Value {
        self.walk(value, "", false, false, &mut Vec::new())
    }

    /// A text around the task.
    pub(crate) fn text(&mut self, text: &str) -> String {
        let mut out = text.to_owned();
        // What was hidden elsewhere is hidden here, long ones first: one may be part of another.
        let mut known: Vec<(String, String)> = Vec::new();
        for (at, hidden) in self.hidden.iter().enumerate() {
            let text = hidden.as_str().map_or_else(|| hidden.to_string(), str::to_owned);
            if !hidden.is_object() && !hidden.is_array() && text.chars().count() >= LOOKED_FOR {
                known.push((text, format!("•••{}•", at + 1)));
            }
        }
        known.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        for (text, mask) in known {
            out = replaced(out, &text, &mask);
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

    fn walk(&mut self, value: &Value, path: &str, hide: bool, own: bool, places: &mut Vec<String>) -> Value {
        let hide = hide || (own && self.pointers.iter().any(|pointer| pointer == path));
        match value {
            Value::Object(map) => Value::Object(
                map.iter()
                    .map(|(name, value)| {
                        let place = format!("{path}/{}", pointer_token(name));
                        let hide = hide || is_hidden_name(name, value);
                        (name.clone(), self.walk(value, &place, hide, own, places))
                    })
                    .collect::<Map<_, _>>(),
            ),
            Value::Array(list) => list
                .iter()
                .enumerate()
                .map(|(index, value)| self.walk(value, &format!("{path}/{index}"), hide, own, places))
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
    pub(crate) fn lift(&self, value: Value) -> Value {
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
                "customer": { "name": "•••1•", "email": "•••2•", "note": "call •••3• or •••2•" },
                "iban": "•••4•", "amount": 12.5, "apiKey": "•••5•", "pin": "•••6•",
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
