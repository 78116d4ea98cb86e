//! The deterministic ladder of self-healing: an input that does not fit its schema is mended by small rungs, each of
//! which does one thing, without loss and without a guess between two meanings.
//!
//! A rung acts only where the schema is violated, so a valid input comes back as it is. The result is checked by the
//! engine's own validator and is accepted only when it is valid and something changed. `docs/repair.md` shows each rung.
//!
//! Callers pass the **payload** of a call alone: url, credential, tool name and recipient live in the config, which
//! never comes here, so no rung can change them. Nothing is dropped either: a key that a closed schema does not know
//! stays and is reported. Deliberately not here: splitting of texts into lists, rounding, invented time zones, the
//! choice between several readings of one text.

mod answer;
mod checker;
mod choice;
mod date;
mod fixer;
mod lenient;
mod members;
mod names;
mod number;
mod shape;
mod text;

use crate::patch::{Operation, diff};
use crate::schema::{Schema, Violation};
pub use answer::{Answered, Unanswered, answered, numbered};
use fixer::Place;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One kind of mending, in the order in which they are tried at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// A code fence around the value is taken away.
    StripFences,
    /// Sentences around the one value are taken away.
    StripProse,
    /// Slips in JSON: quotes, commas, comments, closing brackets.
    JsonRepair,
    /// JSON inside a text becomes the value.
    DoubleEncoded,
    /// A list of one is opened, or a value is put into a list.
    UnwrapSingle,
    /// A key gets the name that the schema knows.
    KeyMatch,
    /// Another type with the same meaning.
    CoerceType,
    /// A number with separators or a currency.
    NumberFormat,
    /// Blanks at the ends are taken away.
    Trim,
    /// The value of an enum that is meant.
    EnumMatch,
    /// A date in another spelling.
    DateFormat,
    /// A missing member gets the default of the schema.
    DefaultValue,
}

impl Rung {
    /// Every rung, in order.
    pub const ALL: [Self; 12] = [
        Self::StripFences,
        Self::StripProse,
        Self::JsonRepair,
        Self::DoubleEncoded,
        Self::UnwrapSingle,
        Self::KeyMatch,
        Self::CoerceType,
        Self::NumberFormat,
        Self::Trim,
        Self::EnumMatch,
        Self::DateFormat,
        Self::DefaultValue,
    ];

    /// The stable name, as in events and in the documentation.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::StripFences => "strip_fences",
            Self::StripProse => "strip_prose",
            Self::JsonRepair => "json_repair",
            Self::DoubleEncoded => "double_encoded",
            Self::UnwrapSingle => "unwrap_single",
            Self::KeyMatch => "key_match",
            Self::CoerceType => "coerce_type",
            Self::NumberFormat => "number_format",
            Self::Trim => "trim",
            Self::EnumMatch => "enum_match",
            Self::DateFormat => "date_format",
            Self::DefaultValue => "default_value",
        }
    }
}

/// What one rung did at one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The rung.
    pub rung: Rung,
    /// JSON pointer of the place; the whole is empty.
    pub path: String,
    /// What stood there; for `key_match` the old name.
    pub from: Option<Value>,
    /// What stands there now; for `key_match` the new name.
    pub to: Option<Value>,
    /// Plain words for the operator.
    pub note: String,
}

/// What a rung looked at and left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The rung.
    pub rung: Rung,
    /// JSON pointer of the place.
    pub path: String,
    /// Why it is left alone, in plain words.
    pub reason: String,
}

/// The outcome of [`repair()`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repair {
    /// The input after all changes. When it is not valid it is mended as far as possible.
    pub fixed: Value,
    /// What was done, in order.
    pub changes: Vec<Change>,
    /// Whether `fixed` fits the schema.
    pub valid: bool,
    /// What still does not fit, with pointers.
    pub violations: Vec<String>,
    /// What was tried and left alone, and why.
    pub notes: Vec<Note>,
    /// Number of operations of `patch`.
    pub delta: usize,
    /// From the input to `fixed`.
    pub patch: Vec<Operation>,
}

impl Repair {
    /// Valid, and not the input that failed: running the same input again would fail again.
    #[must_use]
    pub fn accepted(&self) -> bool {
        self.valid && self.delta > 0
    }
}

/// A correction that a person can take with one click.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestion {
    /// Who proposes it: always `rule` here.
    pub source: &'static str,
    /// The input to run again.
    pub corrected_input: Value,
    /// Why, in plain words.
    pub rationale: String,
    /// What was done.
    pub changes: Vec<Change>,
    /// Whether the input fits the schema; if not, it is a start for a correction by hand.
    pub valid: bool,
}

/// Most notes that are kept.
const MAX_NOTES: usize = 50;
/// Rounds over the whole input.
const MAX_PASSES: usize = 16;

/// Mends an input against a schema. Deterministic: the same input and schema give the same result everywhere.
///
/// A schema that cannot be used, or an input too large to be looked through, comes back unchanged with the reason among
/// the violations.
#[must_use]
pub fn repair(input: &Value, schema: &Value) -> Repair {
    climb(input, schema, true)
}

/// Corrections for the person who decides: the whole repair first, then, if it differs, the one without typos and
/// defaults. Nothing when no rung applies.
#[must_use]
pub fn suggestions(input: &Value, schema: &Value) -> Vec<Suggestion> {
    let mut out: Vec<Suggestion> = Vec::new();
    for (guess, extra) in [(true, ""), (false, " Typos are not corrected and no defaults are put in.")] {
        let found = climb(input, schema, guess);
        if found.delta == 0 || out.iter().any(|one| one.corrected_input == found.fixed) {
            continue;
        }
        let count = match found.changes.len() {
            1 => "One change".to_owned(),
            many => format!("{many} changes"),
        };
        let left =
            Schema::compile(schema).ok().and_then(|schema| schema.validate(&found.fixed).err()).unwrap_or_default();
        let end = match (found.valid, left.first()) {
            (true, _) => "the input then fits the schema.".to_owned(),
            (false, Some(first)) => format!("some of the input still does not fit. {}.", first.said()),
            (false, None) => "some of the input still does not fit.".to_owned(),
        };
        out.push(Suggestion {
            source: "rule",
            corrected_input: found.fixed,
            rationale: format!("{count}; {end}{extra}"),
            changes: found.changes,
            valid: found.valid,
        });
    }
    out
}

fn climb(input: &Value, schema: &Value, guess: bool) -> Repair {
    let untouched = |violations: Vec<String>| Repair {
        fixed: input.clone(),
        changes: Vec::new(),
        valid: violations.is_empty(),
        violations,
        notes: Vec::new(),
        delta: 0,
        patch: Vec::new(),
    };
    let whole = match Schema::compile(schema) {
        Ok(whole) => whole,
        Err(reason) => return untouched(vec![format!("The schema cannot be used, so nothing was repaired: {reason}")]),
    };
    match whole.validate(input) {
        Ok(()) => return untouched(Vec::new()),
        Err(found) if found.iter().any(|one| one.keyword == "depth") => return untouched(words(&found)),
        Err(_) => {}
    }
    let mut fixer = fixer::Fixer::new(schema, input, guess);
    let mut fixed = input.clone();
    let mut settled = false;
    for _ in 0..MAX_PASSES {
        let before = fixer.changes.len();
        fixer.notes.clear();
        fixer.node(&mut fixed, Place { schemas: &[schema], chosen: &[], path: "", level: 0 });
        settled = fixer.changes.len() == before || whole.validate(&fixed).is_ok();
        if settled {
            break;
        }
    }
    let remaining = whole.validate(&fixed).err().unwrap_or_default();
    if !remaining.is_empty() && (!settled || fixer.exhausted()) {
        let mut violations = words(&whole.validate(input).err().unwrap_or_default());
        violations
            .push("The repair was given up: input and schema are too large or the schema contradicts itself.".into());
        return untouched(violations);
    }
    let patch = diff(input, &fixed);
    let mut notes = fixer.notes;
    notes.dedup();
    notes.truncate(MAX_NOTES);
    Repair {
        changes: if patch.is_empty() { Vec::new() } else { fixer.changes },
        valid: remaining.is_empty(),
        violations: words(&remaining),
        notes,
        delta: patch.len(),
        patch,
        fixed,
    }
}

pub(crate) fn words(found: &[Violation]) -> Vec<String> {
    found.iter().map(Violation::told).collect()
}
