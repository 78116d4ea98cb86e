//! `data.summarise`: counts, sums and other statistics of all items, or of each group of them.

use crate::decimal::Decimal;
use crate::fields::{Field, misfit, settings_rows, too_long};
use crate::groups::groups;
use crate::keys::Rule;
use crate::support::wrong_setting;
use crate::{Kind, Outcome};
use serde_json::Value;
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::{Items, Map, NodeFailure};
use std::cmp::Ordering;
use std::collections::HashSet;

pub(crate) const KIND: Kind = Kind::Pure(run);

const FIGURES: [&str; 9] = ["count", "sum", "average", "min", "max", "first", "last", "list", "distinct"];

/// One figure that is asked for.
struct Figure {
    what: &'static str,
    field: Option<Field>,
    name: String,
}

fn run(slot: &CallSlot) -> Outcome {
    let statistics = statistics(slot)?;
    let rule = Rule::of(slot)?;
    let mut made = Items::new();
    for mut group in groups(slot)? {
        for figure in &statistics {
            let value = figure.of(slot, &group.members, rule)?;
            group.head.insert(figure.name.clone(), value);
        }
        group.push(slot, &mut made);
    }
    Ok(CallOutput::list("success", made))
}

fn statistics(slot: &CallSlot) -> Result<Vec<Figure>, NodeFailure> {
    let mut found: Vec<Figure> = Vec::new();
    for row in settings_rows(slot, "statistics")? {
        let figure = figure(row)?;
        if found.iter().any(|other| other.name == figure.name) {
            let words = format!("Two statistics are called '{}'; give one of them another name", figure.name);
            return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "statistics"));
        }
        found.push(figure);
    }
    Ok(found)
}

fn figure(row: &Map) -> Result<Figure, NodeFailure> {
    let text = |key: &str| row.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let asked = text("what").unwrap_or("count");
    let Some(what) = FIGURES.into_iter().find(|known| *known == asked) else {
        return Err(wrong_setting("statistics", &format!("one of {}", FIGURES.join(", ")), &Value::from(asked)));
    };
    let field = text("field").map(Field::new);
    if field.is_none() && what != "count" {
        let words = format!("The figure '{what}' needs a field: choose one");
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "statistics"));
    }
    let name = text("name").map(str::to_owned).unwrap_or_else(|| match &field {
        Some(field) => format!("{what}_{}", field.name.replace(['.', ' '], "_")),
        None => what.to_owned(),
    });
    Ok(Figure { what, field, name })
}

impl Figure {
    /// Null is no value: it is neither counted nor added.
    fn of(&self, slot: &CallSlot, members: &[usize], rule: Rule) -> Result<Value, NodeFailure> {
        let Some(field) = &self.field else { return Ok(members.len().into()) };
        // Of each item only the field is kept.
        let mut own: Vec<(usize, Value)> = Vec::new();
        for index in members {
            let data = slot.input.data(*index).unwrap_or_default();
            let found = rule.values(std::slice::from_ref(field), &data, *index)?;
            own.extend(found.into_iter().filter(|value| !value.is_null()).map(|value| (*index, value.clone())));
        }
        let values: Vec<(usize, &Value)> = own.iter().map(|(index, value)| (*index, value)).collect();
        let plain = || values.iter().map(|(_, value)| (*value).clone());
        Ok(match self.what {
            "sum" => self.sum(&values)?.value().ok_or_else(|| too_long(&format!("The sum of '{}'", field.name)))?,
            "average" => match i128::try_from(values.len()).map(Decimal::whole) {
                Ok(count) if count != Decimal::ZERO => self
                    .sum(&values)?
                    .over(count)
                    .and_then(Decimal::nearest)
                    .ok_or_else(|| too_long(&format!("The average of '{}'", field.name)))?,
                _ => Value::Null,
            },
            "min" => self.extreme(&values, Ordering::Less)?,
            "max" => self.extreme(&values, Ordering::Greater)?,
            "first" => plain().next().unwrap_or_default(),
            "last" => plain().next_back().unwrap_or_default(),
            "list" => plain().collect(),
            "distinct" => {
                let mut seen = HashSet::new();
                let fresh = values.iter().filter(|(_, value)| seen.insert(rule.key([*value])));
                fresh.map(|(_, value)| (*value).clone()).collect()
            }
            _ => values.len().into(),
        })
    }

    fn field_name(&self) -> &str {
        self.field.as_ref().map_or("", |field| &field.name)
    }

    fn sum(&self, values: &[(usize, &Value)]) -> Result<Decimal, NodeFailure> {
        values.iter().try_fold(Decimal::ZERO, |sum, (index, value)| {
            let wanted = "a number. Text like '1.234,50' becomes one with the step 'Number'";
            let number = Decimal::of(value).ok_or_else(|| misfit(self.field_name(), wanted, value, *index))?;
            sum.plus(number).ok_or_else(|| too_long(&format!("The sum of '{}'", self.field_name())))
        })
    }

    /// Numbers by value, also where they are written as texts; other texts in the order of their letters.
    fn extreme(&self, values: &[(usize, &Value)], wanted: Ordering) -> Result<Value, NodeFailure> {
        let numbers: Option<Vec<Decimal>> = values.iter().map(|(_, value)| Decimal::of(value)).collect();
        if let Some(numbers) = numbers {
            let best = (0..numbers.len())
                .reduce(|best, next| if numbers[next].order(numbers[best]) == wanted { next } else { best });
            return Ok(best.map_or(Value::Null, |best| values[best].1.clone()));
        }
        let mut best: Option<&str> = None;
        for (index, value) in values {
            let Value::String(text) = value else {
                return Err(misfit(self.field_name(), "a number or a text, the same in all items", value, *index));
            };
            if best.is_none_or(|best| text.as_str().cmp(best) == wanted) {
                best = Some(text);
            }
        }
        Ok(best.map_or(Value::Null, Value::from))
    }
}
