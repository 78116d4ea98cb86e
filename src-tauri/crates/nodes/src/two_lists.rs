//! Steps that work on two lists: which items are the first one, and which the second.

use crate::fields::{Field, field, settings_rows};
use crate::keys::Rule;
use crate::support::{flag, setting, wrong_setting};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::hash::digest_of_parts;
use signalbox_model::{Data, Items, NodeFailure, SuggestedAction};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// Bytes of text of a list that is looked up in any order: it is in memory.
const MOST_IN_MEMORY: usize = 1 << 30;

/// An item of one of the lists.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// As it is kept: a row of a long list is text until it is looked at.
    pub(crate) data: Data,
    /// Its place in the slot's input; none when the list stands in the settings.
    pub(crate) paired: Option<usize>,
    /// Its place in its list.
    pub(crate) index: usize,
}

/// The two lists of a step.
pub(crate) struct Lists<'a> {
    pub(crate) first: List<'a>,
    pub(crate) second: List<'a>,
}

/// One of the lists. It is read where it lies.
pub(crate) struct List<'a> {
    rows: Rows<'a>,
    /// How it is called in messages.
    name: &'static str,
}

enum Rows<'a> {
    /// Ranges of the slot's input.
    Input(&'a Items, Vec<Range<usize>>),
    /// In the settings.
    Given(&'a [Value]),
}

/// By which fields items of both lists belong together.
pub(crate) struct Keys {
    first: Vec<Field>,
    second: Vec<Field>,
    pub(crate) rule: Rule,
}

impl<'a> Lists<'a> {
    /// From the wires: the step called `second`, or the last one that is wired; or from the setting `list`.
    pub(crate) fn of(slot: &'a CallSlot) -> Result<Self, NodeFailure> {
        let input = &*slot.input;
        let list = |name, rows| List { rows, name };
        if let Some(given) = setting(slot, "list") {
            let Value::Array(given) = given else { return Err(wrong_setting("list", "a list", given)) };
            let all = Range { start: 0, end: input.len() };
            return Ok(Self {
                first: list("first", Rows::Input(input, vec![all])),
                second: list("second", Rows::Given(given)),
            });
        }
        let second = second_step(slot)?;
        let (mut one, mut other) = (Vec::new(), Vec::new());
        let mut at = 0;
        for source in &slot.sources {
            let range = at..input.len().min(at + source.items);
            at = range.end;
            if *source.step == *second { other.push(range) } else { one.push(range) }
        }
        // What no wire brought.
        one.push(at..input.len());
        Ok(Self { first: list("first", Rows::Input(input, one)), second: list("second", Rows::Input(input, other)) })
    }
}

impl List<'_> {
    pub(crate) fn len(&self) -> usize {
        match &self.rows {
            Rows::Input(_, ranges) => ranges.iter().map(Range::len).sum(),
            Rows::Given(list) => list.len(),
        }
    }

    /// One after the other.
    pub(crate) fn rows(&self) -> Box<dyn Iterator<Item = Row> + '_> {
        match &self.rows {
            Rows::Input(items, ranges) => {
                let row = move |(index, place): (usize, usize)| Row {
                    data: items.kept(place).unwrap_or_default(),
                    paired: Some(place),
                    index,
                };
                Box::new(ranges.iter().cloned().flatten().enumerate().map(row))
            }
            Rows::Given(list) => {
                let row = |(index, data): (usize, &Value)| Row { data: data.clone().into(), paired: None, index };
                Box::new(list.iter().enumerate().map(row))
            }
        }
    }

    /// All of them, for a step that looks them up in any order. Long rows stay text.
    pub(crate) fn collect(&self) -> Result<Vec<Row>, NodeFailure> {
        let (mut all, mut bytes) = (Vec::with_capacity(self.len()), 0);
        for row in self.rows() {
            bytes += row.data.length();
            if bytes > MOST_IN_MEMORY {
                let words = format!(
                    "The {} list has more than {} MB of text, and this step needs all of it at once. Connect the shorter list as the \
                     second one, keep fewer fields, or filter earlier",
                    self.name,
                    MOST_IN_MEMORY >> 20
                );
                let failure = NodeFailure::validation("STEP_TOO_LARGE", words).suggest(SuggestedAction::HumanReview);
                return Err(failure.detail("list", self.name).detail("limit", MOST_IN_MEMORY));
            }
            all.push(row);
        }
        Ok(all)
    }
}

/// Where items stand by their keys: of a key there is a digest, because the texts of all keys may be as long as the list.
#[derive(Default)]
pub(crate) struct Index {
    /// The first and the last item with a key.
    ends: HashMap<u128, (u32, u32)>,
    /// The next item with the same key; itself when there is none.
    next: Vec<u32>,
}

impl Index {
    /// Adds the next item of a list, which has this key; gives the place of the first one that has the same.
    pub(crate) fn push(&mut self, key: Option<u128>) -> Option<usize> {
        let place = u32::try_from(self.next.len()).unwrap_or(u32::MAX);
        self.next.push(place);
        match self.ends.entry(key?) {
            Entry::Vacant(entry) => {
                entry.insert((place, place));
                None
            }
            Entry::Occupied(mut entry) => {
                let (first, last) = *entry.get();
                self.next[last as usize] = place;
                entry.insert((first, place));
                Some(first as usize)
            }
        }
    }

    /// The items with a key, in order.
    pub(crate) fn places(&self, key: u128) -> impl Iterator<Item = usize> + '_ {
        self.behind(self.ends.get(&key).map(|(first, _)| *first))
    }

    /// The items with the same key as the one at this place, which is the first of them.
    pub(crate) fn from(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        self.behind(u32::try_from(first).ok())
    }

    fn behind(&self, first: Option<u32>) -> impl Iterator<Item = usize> + '_ {
        let next = |place: &u32| self.next.get(*place as usize).copied().filter(|next| next != place);
        std::iter::successors(first, next).map(|place| place as usize)
    }
}

fn second_step(slot: &CallSlot) -> Result<String, NodeFailure> {
    let wrong = |words: String| Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "second"));
    let mut steps: Vec<&str> = slot.sources.iter().map(|source| &*source.step).collect();
    steps.dedup();
    let told = steps.join(", ");
    match setting(slot, "second") {
        Some(Value::String(step)) if steps.contains(&step.as_str()) => Ok(step.clone()),
        Some(Value::String(step)) if !step.is_empty() => wrong(format!(
            "The second list is to come from '{step}', but no wire leads from there to this step. Wired: {told}"
        )),
        Some(Value::String(_)) | None => match steps.as_slice() {
            [_, second] => Ok((*second).to_owned()),
            [] | [_] => wrong(
                "This step needs two lists: connect a second step to its input, or write the second list into its settings".to_owned(),
            ),
            _ => wrong(format!("More than two steps are connected ({told}): choose which one gives the second list")),
        },
        Some(other) => Err(wrong_setting("second", "the id of a step", other)),
    }
}

impl Keys {
    /// From the setting `keys`: rows of `field` and `otherField`.
    pub(crate) fn of(slot: &CallSlot) -> Result<Self, NodeFailure> {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for row in settings_rows(slot, "keys")? {
            let name = |key: &str| row.get(key).and_then(Value::as_str).filter(|name| !name.is_empty());
            let Some(own) = name("field") else {
                return Err(wrong_setting("keys", "a list of fields, each with its name", &Value::Null));
            };
            first.push(Field::new(own));
            second.push(Field::new(name("otherField").unwrap_or(own)));
        }
        if first.is_empty() {
            return Err(wrong_setting("keys", "a list with at least one field", &Value::Null));
        }
        let mut rule = Rule::of(slot)?;
        rule.as_text = !flag(slot, "exactTypes", false)?;
        Ok(Self { first, second, rule })
    }

    /// The key of an item of the first list; none when a part of it is null.
    pub(crate) fn first(&self, row: &Row) -> Result<Option<u128>, NodeFailure> {
        self.key(&self.first, row, "first")
    }

    /// The key of an item of the second list.
    pub(crate) fn second(&self, row: &Row) -> Result<Option<u128>, NodeFailure> {
        self.key(&self.second, row, "second")
    }

    fn key(&self, fields: &[Field], row: &Row, list: &str) -> Result<Option<u128>, NodeFailure> {
        let data = row.data.value();
        let values = self.rule.values(fields, &data, row.index).map_err(|mut failure| {
            failure.message = format!("In the {list} list: {}", failure.message);
            failure.detail("list", list)
        })?;
        if values.iter().any(|value| value.is_null()) {
            return Ok(None);
        }
        let digest = digest_of_parts(&[self.rule.key(values).as_bytes()]);
        Ok(digest.first_chunk().map(|half| u128::from_le_bytes(*half)))
    }

    /// A field of the first list that is part of the key.
    pub(crate) fn is_first_key(&self, name: &str) -> bool {
        self.first.iter().any(|field| field.name == name)
    }

    /// A field of the second list that is part of the key.
    pub(crate) fn is_second_key(&self, name: &str) -> bool {
        self.second.iter().any(|field| field.name == name)
    }
}

/// A field whose name is fixed unless a setting names another one.
pub(crate) fn named(slot: &CallSlot, setting: &str) -> Result<Option<String>, NodeFailure> {
    Ok(field(slot, setting)?.map(|field| field.name))
}
