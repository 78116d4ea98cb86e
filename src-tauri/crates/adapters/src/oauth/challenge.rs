//! What a server says with its refusal: the challenge in `WWW-Authenticate` (RFC 9110, RFC 6750, RFC 9728).

use serde::{Deserialize, Serialize};

/// Longest header that is read.
const LONGEST: usize = 8 * 1024;
/// Scopes that one challenge may name, and the longest of them.
const MOST_SCOPES: usize = 100;
const LONGEST_SCOPE: usize = 200;

/// What a server wants of somebody who signs in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Challenge {
    /// Where it tells who signs people in; absent: at the usual places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_metadata: Option<String>,
    /// The rights that it wants.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// It knows the token, and wants more rights than that has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

impl Challenge {
    /// The challenge of a header. `None`: it asks for something else than a token.
    pub fn parse(header: &str) -> Option<Self> {
        let header = header.get(..LONGEST.min(header.len()))?;
        let mut found: Option<Self> = None;
        let mut bearer = false;
        let mut rest = Reader(header);
        while let Some(word) = rest.word() {
            let Some(value) = rest.value() else {
                bearer = word.eq_ignore_ascii_case("bearer");
                if bearer && found.is_none() {
                    found = Some(Self::default());
                }
                continue;
            };
            let Some(challenge) = found.as_mut().filter(|_| bearer) else { continue };
            match word.to_ascii_lowercase().as_str() {
                "resource_metadata" => challenge.resource_metadata = Some(value),
                "scope" => challenge.scopes = scopes(&value),
                "error" => challenge.more = value == "insufficient_scope",
                _ => {}
            }
        }
        found
    }
}

/// The scopes of a text, each once, in their order; what cannot be one is left out.
pub(super) fn scopes(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for scope in text.split(' ').filter(|scope| is_scope(scope)) {
        if all.len() < MOST_SCOPES && !all.iter().any(|known| known == scope) {
            all.push(scope.to_owned());
        }
    }
    all
}

/// RFC 6749, 3.3.
fn is_scope(text: &str) -> bool {
    let good = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    !text.is_empty() && text.len() <= LONGEST_SCOPE && text.bytes().all(good)
}

struct Reader<'a>(&'a str);

impl Reader<'_> {
    /// The next name; what is between is skipped.
    fn word(&mut self) -> Option<String> {
        self.0 = self.0.trim_start_matches(|c: char| !is_token(c));
        let end = self.0.find(|c: char| !is_token(c)).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// What stands behind `=`, when the name has a value.
    fn value(&mut self) -> Option<String> {
        self.0 = self.0.trim_start_matches([' ', '\t']).strip_prefix('=')?.trim_start_matches([' ', '\t']);
        if let Some(quoted) = self.0.strip_prefix('"') {
            let (mut text, mut escaped) = (String::new(), false);
            for (at, c) in quoted.char_indices() {
                match c {
                    _ if escaped => {
                        text.push(c);
                        escaped = false;
                    }
                    '\\' => escaped = true,
                    '"' => {
                        self.0 = &quoted[at + 1..];
                        return Some(text);
                    }
                    c => text.push(c),
                }
            }
            // It was cut off: nothing in it can be relied on.
            self.0 = "";
            return Some(String::new());
        }
        let end = self.0.find([',', ' ']).unwrap_or(self.0.len());
        let (text, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(text.to_owned())
    }
}

/// A letter of a token (RFC 9110).
fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

#[cfg(test)]
mod tests;
