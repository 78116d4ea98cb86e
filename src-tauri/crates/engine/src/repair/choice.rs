//! `anyOf` and `oneOf`: each branch is tried on a copy.

use super::fixer::{Fixer, MAX_LEVEL, Place, View, kinds};
use super::{Change, Note};
use crate::value_size::size;
use serde_json::Value;

/// What a branch made of the value.
struct Attempt {
    value: Value,
    changes: Vec<Change>,
    notes: Vec<Note>,
    fits: bool,
    /// The branch is about this kind of value, and its constants agree.
    meant: bool,
}

impl<'s> Fixer<'s> {
    /// Takes the branch that becomes valid with the fewest changes, the first of equals. When none does and only one
    /// can be meant, what that one can mend is mended.
    pub(super) fn choices(&mut self, value: &mut Value, place: Place<'_, 's>, view: &View<'s>) {
        if place.level > MAX_LEVEL {
            return;
        }
        for map in view {
            for word in ["anyOf", "oneOf"] {
                let Some(group @ Value::Array(branches)) = map.get(word) else { continue };
                let key = std::ptr::from_ref(group);
                if place.chosen.contains(&key) || self.checker.fits_group(word, group, value) {
                    continue;
                }
                let mut chosen = place.chosen.to_vec();
                chosen.push(key);
                // Tagged variants: `"kind": "circle"` is a circle, whatever else is wrong with it.
                let views: Vec<View<'s>> = branches.iter().map(|branch| self.view(&[branch], value)).collect();
                let tags: Vec<Option<bool>> = views.iter().map(|view| tagged(view, value)).collect();
                let known = tags.contains(&Some(true));
                let mut attempts: Vec<Attempt> = Vec::new();
                for ((branch, view), tag) in branches.iter().zip(&views).zip(tags) {
                    if known && tag == Some(false) {
                        continue;
                    }
                    let meant = tag != Some(false) && kinds(view).is_none_or(|kinds| kinds & self.kind(value) != 0);
                    let Some(made) = self.attempt(value, Place { chosen: &chosen, ..place }, branch) else { return };
                    let fits = self.checker.fits_group(word, group, &made.value);
                    let best = fits && made.changes.len() == 1;
                    attempts.push(Attempt { fits, meant, ..made });
                    if best {
                        break;
                    }
                }
                if self.settle(value, attempts) {
                    return;
                }
            }
        }
    }

    fn attempt(&mut self, value: &Value, place: Place<'_, 's>, branch: &'s Value) -> Option<Attempt> {
        if !self.spend(size(value)) {
            return None;
        }
        let mut schemas = place.schemas.to_vec();
        schemas.push(branch);
        let mark = self.mark();
        let mut copy = value.clone();
        self.node(&mut copy, Place { schemas: &schemas, level: place.level + 1, ..place });
        let (changes, notes) = self.since(mark);
        Some(Attempt { value: copy, changes, notes, fits: false, meant: false })
    }

    fn settle(&mut self, value: &mut Value, attempts: Vec<Attempt>) -> bool {
        let best = (0..attempts.len())
            .filter(|at| attempts.get(*at).is_some_and(|one| one.fits && !one.changes.is_empty()))
            .min_by_key(|at| attempts.get(*at).map_or(usize::MAX, |one| one.changes.len()));
        let mut meant = (0..attempts.len()).filter(|at| attempts.get(*at).is_some_and(|one| one.meant));
        let only = match (meant.next(), meant.next()) {
            (Some(one), None) => Some(one),
            _ => None,
        };
        let Some(taken) = best.or(only).and_then(|at| attempts.into_iter().nth(at)) else { return false };
        self.notes.extend(taken.notes);
        if taken.changes.is_empty() {
            return false;
        }
        self.changes.extend(taken.changes);
        *value = taken.value;
        true
    }
}

/// Whether the members that a branch fixes to one value say that this branch is meant; `None` when there are none.
fn tagged(view: &View<'_>, value: &Value) -> Option<bool> {
    let Value::Object(members) = value else { return None };
    let mut out = None;
    for (name, schema) in view.iter().filter_map(|map| map.get("properties").and_then(Value::as_object)).flatten() {
        let only =
            schema.get("enum").and_then(Value::as_array).filter(|list| list.len() == 1).and_then(|list| list.first());
        if let (Some(wanted), Some(found)) = (schema.get("const").or(only), members.get(name)) {
            out = Some(out.unwrap_or(true) && wanted == found);
        }
    }
    out
}
