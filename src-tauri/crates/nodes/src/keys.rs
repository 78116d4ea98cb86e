//! What makes two items the same: a key over some of their fields, or over all of them.

use crate::decimal::Decimal;
use crate::fields::{Field, choice};
use crate::support::flag;
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;
use std::fmt::Write as _;

/// How values are compared.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rule {
    /// Capital and small letters are the same, and blanks at either end do not count.
    pub(crate) ignore_case: bool,
    /// A number and the text that it is written as are the same.
    pub(crate) as_text: bool,
    /// A missing field counts as null instead of being an error.
    pub(crate) missing_is_null: bool,
}

impl Rule {
    /// As the settings `ignoreCase` and `missing` say it.
    pub(crate) fn of(slot: &CallSlot) -> Result<Self, NodeFailure> {
        Ok(Self {
            ignore_case: flag(slot, "ignoreCase", false)?,
            as_text: false,
            missing_is_null: choice(slot, "missing", &["error", "empty"])? == "empty",
        })
    }

    /// The values of an item that its key is made of.
    pub(crate) fn values<'a>(
        self,
        fields: &[Field],
        data: &'a Value,
        index: usize,
    ) -> Result<Vec<&'a Value>, NodeFailure> {
        const NULL: &Value = &Value::Null;
        fields
            .iter()
            .map(|field| match self.missing_is_null {
                true => Ok(field.find(data).unwrap_or(NULL)),
                false => field.require(data, index),
            })
            .collect()
    }

    /// The key of these values: equal exactly when they are the same under this rule.
    pub(crate) fn key<'a>(self, values: impl IntoIterator<Item = &'a Value>) -> String {
        let mut key = String::new();
        for value in values {
            self.write(value, &mut key);
            key.push(',');
        }
        key
    }

    fn write(self, value: &Value, key: &mut String) {
        match value {
            Value::Null => key.push_str("null"),
            Value::Bool(flag) => key.push_str(if *flag { "true" } else { "false" }),
            Value::Number(number) => {
                let text = Decimal::of(value).map_or_else(|| number.to_string(), |decimal| decimal.to_string());
                if self.as_text { self.text(&text, key) } else { key.push_str(&text) }
            }
            Value::String(text) => self.text(text, key),
            Value::Array(list) => {
                key.push('[');
                for one in list {
                    self.write(one, key);
                    key.push(',');
                }
                key.push(']');
            }
            Value::Object(map) => {
                let mut sorted: Vec<_> = map.iter().collect();
                sorted.sort_by_key(|(name, _)| *name);
                key.push('{');
                for (name, one) in sorted {
                    let _ = write!(key, "{name:?}:");
                    self.write(one, key);
                    key.push(',');
                }
                key.push('}');
            }
        }
    }

    fn text(self, text: &str, key: &mut String) {
        // The length first, so that no text can look like the end of another.
        let plain = if self.ignore_case { text.trim().to_lowercase() } else { text.to_owned() };
        let _ = write!(key, "\"{}:{plain}\"", plain.len());
    }
}
