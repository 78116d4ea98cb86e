//! What guards do with the data of a call.

use super::question::{self, Decided, Verdict};
use super::settings::{Check, Guard};
use crate::{effect::CallOutput, expr::Expr, scope::Scope};
use serde_json::{Value, json};
use signalbox_guardrails::{Hit, allowed, mask_in, signals, texts};
use signalbox_model::{Data, Items, NodeFailure, SuggestedAction, event::MaskedData};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most findings that an error lists.
const MOST_TOLD: usize = 20;

/// What the guards of one place look at.
pub(crate) struct Seen<'a> {
    /// `before` or `after`.
    pub(crate) place: &'static str,
    /// The input after `in`, or what the code made.
    pub(crate) data: &'a [Data],
    /// Before the code: its settings as evaluated, and as written. What is the same in both was written by a person.
    pub(crate) settings: Option<(&'a Value, &'a Value)>,
}

impl Seen<'_> {
    /// Each value with its place, and what of it a person wrote.
    fn each(&self, see: &mut dyn FnMut(&str, &Value, Option<&Value>)) {
        let name = if self.place == "before" { "item" } else { "_result" };
        for (at, one) in self.data.iter().enumerate() {
            let value = one.value();
            let path = if self.data.len() == 1 { format!("/{name}") } else { format!("/{name}/{at}") };
            see(&path, &value, None);
        }
        if let Some((settings, written)) = self.settings {
            see("/config", settings, Some(written));
        }
    }

    fn bytes(&self) -> usize {
        let size = |data: &Data| match data {
            Data::Text(text) => text.length(),
            Data::Value(value) => value.to_string().len(),
        };
        self.data.iter().map(size).sum()
    }
}

/// The first guard that refuses, or asks a person. One that cannot be evaluated refuses too: a guard fails closed. What a person
/// has released is not asked about again; what they refused is blocked, also where a model had found it.
pub(crate) fn refusal(
    guards: &[Guard],
    seen: &Seen<'_>,
    scope: &Scope,
    decided: &[Decided],
    output: impl Fn() -> Option<CallOutput>,
) -> Option<NodeFailure> {
    guards.iter().enumerate().find_map(|(index, guard)| {
        let at = format!("/{}/{index}", seen.place);
        let verdict = question::verdict(decided, &at);
        if matches!(verdict, Some(Verdict::Release | Verdict::Mask)) {
            return None;
        }
        let failure = match guard.check {
            Check::Rule => by_rule(guard, seen.place, scope),
            Check::PersonalData if guard.masks() => None,
            Check::PersonalData => by_personal_data(guard, seen),
            Check::Size => by_size(guard, seen),
            Check::AllowList => by_allow_list(guard, seen.place, scope),
            Check::PromptInjection => by_signs(guard, seen),
            // The call itself asks the model.
            Check::Policy | Check::Names => verdict.map(|_| blocked(guard, seen.place, None)),
        };
        match (failure?, verdict) {
            (failure, Some(_)) => Some(question::refused_by_person(failure)),
            // What cannot be evaluated is no finding that a person could judge.
            (failure, None) if guard.asks() && !failure.details.contains_key("reason") => {
                let can_mask = guard.check == Check::PersonalData;
                Some(question::asking(failure, vec![at], can_mask, output()))
            }
            (failure, None) => Some(failure),
        }
    })
}

fn by_rule(guard: &Guard, place: &str, scope: &Scope) -> Option<NodeFailure> {
    match Expr::compile(guard.refuse.as_deref().unwrap_or("true")).and_then(|e| e.eval_bool(scope)) {
        Ok(false) => None,
        Ok(true) => Some(blocked(guard, place, None)),
        Err(error) => Some(broken(guard, place, "refuse", &error)),
    }
}

fn broken(guard: &Guard, place: &str, field: &str, error: &crate::expr::ExprError) -> NodeFailure {
    let broken = error.failure(&format!("guardrails/{place}/{field}"));
    let mut failure = blocked(guard, place, None).detail("reason", broken.details_with_code());
    failure.message = format!("The safety check '{}' could not be evaluated: {}", guard.name, error.message);
    failure
}

fn by_personal_data(guard: &Guard, seen: &Seen<'_>) -> Option<NodeFailure> {
    let finder = guard.finder();
    let mut found = Vec::new();
    seen.each(&mut |path, value, written| {
        let hits = mask_in(&mut value.clone(), &finder, written);
        found.extend(hits.into_iter().map(|hit| Hit { path: format!("{path}{}", hit.path), ..hit }));
    });
    if found.is_empty() {
        return None;
    }
    let kinds = counts(&found).into_iter().map(|(kind, count)| format!("{count} × {kind}"));
    let why = format!("personal data was found ({})", kinds.collect::<Vec<_>>().join(", "));
    let told = found.iter().take(MOST_TOLD).map(|hit| {
        let mut told = json!({ "kind": hit.kind.name(), "path": hit.path, "sample": hit.sample });
        if let Some(country) = hit.country {
            told["country"] = country.code().into();
        }
        told
    });
    let told: Vec<Value> = told.collect();
    // Other steps and people see the error: it does not carry what was blocked.
    let input = seen.data.first().filter(|_| seen.place == "before").map(|first| {
        let mut input = match seen.data {
            [_] => Arc::unwrap_or_clone(first.value()),
            all => Value::Array(all.iter().map(|one| Arc::unwrap_or_clone(one.value())).collect()),
        };
        mask_in(&mut input, &finder, None);
        input
    });
    let failure = blocked(guard, seen.place, Some(&why)).detail("found", told).detail("count", found.len());
    Some(match input {
        Some(input) => failure.detail("input", input),
        None => failure,
    })
}

fn counts(found: &[Hit]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for hit in found {
        *counts.entry(hit.kind.name()).or_default() += 1;
    }
    counts
}

fn by_size(guard: &Guard, seen: &Seen<'_>) -> Option<NodeFailure> {
    let (most, bytes) = (guard.max_bytes.unwrap_or_default(), seen.bytes());
    if u64::try_from(bytes).is_ok_and(|bytes| bytes <= most) {
        return None;
    }
    let why = format!("the data has {bytes} bytes, and at most {most} are allowed");
    Some(blocked(guard, seen.place, Some(&why)).detail("bytes", bytes).detail("maxBytes", most))
}

fn by_allow_list(guard: &Guard, place: &str, scope: &Scope) -> Option<NodeFailure> {
    let found = Expr::compile(guard.value.as_deref().unwrap_or("null")).and_then(|e| e.eval(scope));
    let found = match found {
        Ok(found) => found,
        Err(error) => return Some(broken(guard, place, "value", &error)),
    };
    let list = match found {
        Value::Array(list) => list,
        one => vec![one],
    };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let other = list.iter().map(text).find(|text| !allowed(text, &guard.allow))?;
    let short: String = other.chars().take(80).collect();
    let why = format!("'{short}' is not on the allow-list");
    Some(blocked(guard, place, Some(&why)).detail("value", short).detail("allow", guard.allow.clone()))
}

fn by_signs(guard: &Guard, seen: &Seen<'_>) -> Option<NodeFailure> {
    let mut found = Vec::new();
    let mut places = Vec::new();
    seen.each(&mut |path, value, written| {
        for text in texts(value, written) {
            let signs = signals(&text);
            if !signs.is_empty() && !places.iter().any(|known| known == path) {
                places.push(path.to_owned());
            }
            found.extend(signs);
        }
    });
    found.sort_unstable();
    found.dedup();
    let words: Vec<&str> = found.iter().map(|sign| sign.words()).collect();
    let first = words.first()?;
    let why = format!("the text may try to take over a model: it {first}");
    Some(blocked(guard, seen.place, Some(&why)).detail("signs", words).detail("paths", places))
}

/// The refusal of a guard; `why` says what it found.
pub fn blocked(guard: &Guard, place: &str, why: Option<&str>) -> NodeFailure {
    let message = guard.message.clone().unwrap_or_else(|| {
        let what = if place == "before" { "this step" } else { "the result of this step" };
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        format!("The safety check '{}' blocked {what}{why}", guard.name)
    });
    NodeFailure::validation("GUARDRAIL_BLOCKED", message)
        .suggest(SuggestedAction::HumanReview)
        .detail("guard", guard.name.as_str())
        .detail("place", place)
}

/// The guards of one place that put placeholders: by their setting, or because a person decided so.
pub(crate) struct Masker<'a>(Vec<&'a Guard>);

impl<'a> Masker<'a> {
    /// `place` is `before` or `after`.
    pub(crate) fn of(guards: &'a [Guard], place: &str, decided: &[Decided]) -> Self {
        let masks = |(index, guard): &(usize, &'a Guard)| {
            let by_person = || question::verdict(decided, &format!("/{place}/{index}")) == Some(Verdict::Mask);
            guard.masks() || (!decided.is_empty() && guard.check == Check::PersonalData && by_person())
        };
        Self(guards.iter().enumerate().filter(masks).map(|(_, guard)| guard).collect())
    }

    /// Nothing is masked.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Masks a value; `written` is what a person wrote in its place.
    pub(crate) fn value(&self, value: &mut Arc<Value>, written: Option<&Value>, masked: &mut Vec<MaskedData>) {
        for guard in &self.0 {
            // Most data has nothing in it: it stays shared.
            let mut copy = Value::clone(value);
            let hits = mask_in(&mut copy, &guard.finder(), written);
            if hits.is_empty() {
                continue;
            }
            *value = Arc::new(copy);
            for (kind, count) in counts(&hits) {
                match masked.iter_mut().find(|one| one.check == guard.name && one.kind == kind) {
                    Some(known) => known.count += count,
                    None => masked.push(MaskedData { check: guard.name.clone(), kind: kind.to_owned(), count }),
                }
            }
        }
    }

    /// The same for the input of a call.
    pub(crate) fn input(&self, input: &mut [Data], masked: &mut Vec<MaskedData>) {
        for data in input.iter_mut().filter(|_| !self.is_empty()) {
            let before = data.value();
            let mut value = Arc::clone(&before);
            self.value(&mut value, None, masked);
            if !Arc::ptr_eq(&before, &value) {
                *data = Data::Value(value);
            }
        }
    }

    /// The same for items that a call made.
    pub(crate) fn items(&self, items: &mut Items, masked: &mut Vec<MaskedData>) {
        if !self.is_empty() {
            items.change(|_| true, |data| self.value(data, None, masked));
        }
    }
}
