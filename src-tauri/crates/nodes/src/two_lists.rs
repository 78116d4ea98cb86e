//! Steps that work on two lists: which items are the first one, and which the second.

use crate::fields::{Field, field, rows, settings_rows};
use crate::keys::Rule;
use crate::support::{flag, setting, wrong_setting};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;
use std::sync::Arc;

/// An item of one of the lists.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) data: Arc<Value>,
    /// Its place in the slot's input; none when the list stands in the settings.
    pub(crate) paired: Option<usize>,
    /// Its place in its list.
    pub(crate) index: usize,
}

/// The two lists of a step.
pub(crate) struct Lists {
    pub(crate) first: Vec<Row>,
    pub(crate) second: Vec<Row>,
}

/// By which fields items of both lists belong together.
pub(crate) struct Keys {
    first: Vec<Field>,
    second: Vec<Field>,
    pub(crate) rule: Rule,
}

impl Lists {
    /// From the wires: the step called `second`, or the last one that is wired; or from the setting `list`.
    pub(crate) fn of(slot: &CallSlot) -> Result<Self, NodeFailure> {
        let input = rows(slot);
        if let Some(given) = setting(slot, "list") {
            let Value::Array(list) = given else { return Err(wrong_setting("list", "a list", given)) };
            let row = |(index, data): (usize, &Value)| Row { data: Arc::new(data.clone()), paired: None, index };
            return Ok(Self {
                first: numbered(input.into_iter().enumerate()),
                second: list.iter().enumerate().map(row).collect(),
            });
        }
        let second = second_step(slot)?;
        let mut from = slot.sources.iter().flat_map(|source| std::iter::repeat_n(&source.step, source.items));
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for (place, data) in input.into_iter().enumerate() {
            let is_second = from.next().is_some_and(|step| **step == *second);
            if is_second { other.push((place, data)) } else { one.push((place, data)) }
        }
        Ok(Self { first: numbered(one), second: numbered(other) })
    }
}

fn numbered(list: impl IntoIterator<Item = (usize, Arc<Value>)>) -> Vec<Row> {
    list.into_iter().enumerate().map(|(index, (place, data))| Row { data, paired: Some(place), index }).collect()
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
    pub(crate) fn first(&self, row: &Row) -> Result<Option<String>, NodeFailure> {
        self.key(&self.first, row, "first")
    }

    /// The key of an item of the second list.
    pub(crate) fn second(&self, row: &Row) -> Result<Option<String>, NodeFailure> {
        self.key(&self.second, row, "second")
    }

    fn key(&self, fields: &[Field], row: &Row, list: &str) -> Result<Option<String>, NodeFailure> {
        let values = self.rule.values(fields, &row.data, row.index).map_err(|mut failure| {
            failure.message = format!("In the {list} list: {}", failure.message);
            failure.detail("list", list)
        })?;
        Ok((!values.iter().any(|value| value.is_null())).then(|| self.rule.key(values)))
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
