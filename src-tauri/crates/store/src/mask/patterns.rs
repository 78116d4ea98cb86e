//! What tells that a value may be personal or secret: the name that it stands under, and what it looks like.

use regex::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::sync::OnceLock;

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

/// What else must be true of what a pattern finds.
type Holds = fn(&str) -> bool;

/// What a text may hold: a pattern, and what else must be true of what it finds.
pub(super) struct Pattern {
    pub(super) regex: Regex,
    pub(super) holds: Holds,
}

/// What may be found in `text`. The patterns mean the same wherever all letters and digits are ASCII, and are made much faster when they need not
/// know those of all scripts: most processes make them for a few texts.
pub(super) fn patterns(text: &str) -> &'static [Pattern] {
    static PLAIN: OnceLock<Vec<Pattern>> = OnceLock::new();
    static ALL: OnceLock<Vec<Pattern>> = OnceLock::new();
    // A mask holds bullets, which are neither letters nor digits.
    if text.chars().all(|c| c.is_ascii() || c == '•') {
        PLAIN.get_or_init(|| made(false))
    } else {
        ALL.get_or_init(|| made(true))
    }
}

fn made(unicode: bool) -> Vec<Pattern> {
    let made = |(pattern, holds)| {
        let regex = RegexBuilder::new(pattern).unicode(unicode).build().ok()?;
        Some(Pattern { regex, holds })
    };
    sources().into_iter().filter_map(made).collect()
}

fn sources() -> [(&'static str, Holds); 10] {
    let any: Holds = |_| true;
    [
        // E-mail.
        (r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}", any),
        // Bearer and basic credentials, JSON Web Tokens, keys of well-known services.
        (r"(?i)\b(?:bearer|basic)\s+[A-Za-z0-9+/._~-]{8,}=*", any),
        (r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", any),
        (r"\b(?:sk|pk|ghp|gho|xox[bap])[-_][A-Za-z0-9_-]{16,}", any),
        // IBAN, in groups or not.
        (r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b", is_iban as Holds),
        // Cards.
        (r"\b\d(?:[ -]?\d){12,18}\b", is_card),
        // Phone numbers in the international form, and in the North American one.
        (r"\+\d(?:[ ().-]{0,2}\d){6,14}\b", any),
        (r"\b00[1-9](?: ?\d){7,13}\b", any),
        (r"(?:\(\d{3}\) ?|\b\d{3}[-. ])\d{3}[-. ]\d{4}\b", any),
        // Social security number of the United States.
        (r"\b\d{3}-\d{2}-\d{4}\b", any),
    ]
}

/// Whether a pattern can find anything: most texts are short names and need no look at all.
pub(super) fn may_hold(text: &str) -> bool {
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

pub(super) fn is_hidden_name(name: &str, is_string: bool) -> bool {
    // Asked for every fact of every audit entry, and nearly every name is written like those in the lists.
    let plain: Cow<'_, str> = if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        name.into()
    } else {
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    NAMES.contains(&&*plain) || (is_string && PARTS.iter().any(|part| plain.contains(part)))
}

#[cfg(test)]
mod tests;
