//! What is looked for in a text, what was found, and how it is masked.

use crate::country::Country;
use crate::{allow, contact, national_id, payment};
use std::ops::Range;

/// A kind of personal data that code finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A bank account: IBAN with its check digits.
    Iban,
    /// A payment card: issuer and Luhn check digit.
    Card,
    /// A number that a state gave to a person.
    NationalId,
}

impl Kind {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 5] = [Self::Email, Self::Phone, Self::Iban, Self::Card, Self::NationalId];

    /// Its name in a workflow file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Iban => "iban",
            Self::Card => "card",
            Self::NationalId => "nationalId",
        }
    }

    /// The kind of a name in a workflow file.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub kind: Kind,
    /// Of a national number: whose.
    pub country: Option<Country>,
    /// Bytes of the text.
    pub range: Range<usize>,
}

/// What is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finder {
    /// Empty: all kinds.
    pub kinds: Vec<Kind>,
    /// Empty: all countries.
    pub countries: Vec<Country>,
    /// Patterns that are allowed, such as `*@example.com`.
    pub except: Vec<String>,
}

impl Finder {
    /// Everything in a text, in its order; nothing overlaps. Where two kinds fit, the one with the stronger check digits
    /// wins: an IBAN holds digits that would pass for a telephone number.
    pub fn find(&self, text: &str) -> Vec<Found> {
        let mut all: Vec<Found> = Vec::new();
        for kind in [Kind::Iban, Kind::Card, Kind::NationalId, Kind::Email, Kind::Phone] {
            if !self.kinds.is_empty() && !self.kinds.contains(&kind) {
                continue;
            }
            let plain = |ranges: Vec<Range<usize>>| ranges.into_iter().map(|range| (None, range)).collect();
            let found: Vec<(Option<Country>, Range<usize>)> = match kind {
                Kind::Email => plain(contact::emails(text)),
                Kind::Phone => plain(contact::phones(text)),
                Kind::Iban => plain(payment::ibans(text)),
                Kind::Card => plain(payment::cards(text)),
                Kind::NationalId => national_id::find(text, &self.countries),
            };
            for (country, range) in found {
                let is_free = |other: &Found| range.end <= other.range.start || range.start >= other.range.end;
                if all.iter().all(is_free) && !allow::allowed(&text[range.clone()], &self.except) {
                    all.push(Found { kind, country, range });
                }
            }
        }
        all.sort_by_key(|found| found.range.start);
        all
    }
}

/// The text with a placeholder for each finding, such as `[email]` or `[nationalId DE]`.
pub fn mask(text: &str, found: &[Found]) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for one in found {
        masked.push_str(&text[from..one.range.start]);
        masked.push('[');
        masked.push_str(one.kind.name());
        if let Some(country) = one.country {
            masked.push(' ');
            masked.push_str(country.code());
        }
        masked.push(']');
        from = one.range.end;
    }
    masked.push_str(&text[from..]);
    masked
}

/// A finding as people may see it: the first character of an e-mail address and its top-level domain, of numbers the last two
/// characters.
pub fn sample(text: &str, kind: Kind) -> String {
    if kind == Kind::Email {
        let first = text.chars().next().unwrap_or_default();
        let end = text.rsplit('.').next().unwrap_or_default();
        return format!("{first}…@….{end}");
    }
    let all: Vec<char> = text.chars().collect();
    let last: String = all[all.len().saturating_sub(2)..].iter().collect();
    format!("…{last}")
}
