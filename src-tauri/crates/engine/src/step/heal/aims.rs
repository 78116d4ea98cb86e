//! What a model's repair never changes (TRUST, ADR 52): whom a step turns to, and who gets something.

use super::super::start::node_scope;
use super::{Deciding, Healing};
use crate::{config, fold};
use serde_json::Value;
use std::{collections::BTreeSet, sync::Arc};

/// Names of such fields, at any depth of the settings and of the input, in the form of [`plain`]; their plurals too.
const AIMS: [&str; 23] = [
    "account",
    "address",
    "assignee",
    "bcc",
    "cc",
    "channel",
    "credential",
    "email",
    "header",
    "host",
    "iban",
    "method",
    "model",
    "path",
    "phone",
    "provider",
    "recipient",
    "server",
    "to",
    "tool",
    "uri",
    "url",
    "workflow",
];
static NOTHING: Value = Value::Null;

/// A name without case and separators.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The aim that a field of this name is.
fn aim(name: &str) -> Option<&'static str> {
    let name = plain(name);
    let is = |aim: &&str| name.strip_prefix(*aim).is_some_and(|rest| matches!(rest, "" | "s" | "es"));
    AIMS.into_iter().find(is)
}

/// The aim that differs between two values, at any depth. What is absent is like null.
fn moved(old: &Value, new: &Value) -> Option<&'static str> {
    let mut open = vec![(old, new)];
    while let Some((old, new)) = open.pop() {
        if old == new {
            continue;
        }
        let names: BTreeSet<&String> =
            [old, new].into_iter().filter_map(Value::as_object).flat_map(|map| map.keys()).collect();
        for name in names {
            let pair = (old.get(name).unwrap_or(&NOTHING), new.get(name).unwrap_or(&NOTHING));
            match aim(name) {
                Some(aim) if pair.0 != pair.1 => return Some(aim),
                _ => open.push(pair),
            }
        }
        let length = [old, new].into_iter().filter_map(Value::as_array).map(Vec::len).max().unwrap_or_default();
        open.extend((0..length).map(|at| (old.get(at).unwrap_or(&NOTHING), new.get(at).unwrap_or(&NOTHING))));
    }
    None
}

impl Deciding<'_> {
    /// The aim of the failed step, or of what it hands on, that this input would change.
    pub(super) fn aimed_elsewhere(&self, healing: &Healing, fixed: &Arc<Value>) -> Option<&'static str> {
        moved(&healing.original, fixed).or_else(|| self.set_elsewhere(healing, fixed))
    }

    /// The same, of the settings: they may make an aim of any field.
    fn set_elsewhere(&self, &Healing { node, slot, .. }: &Healing, fixed: &Arc<Value>) -> Option<&'static str> {
        let this = &self.compiled.nodes[node];
        if this.config_is_static {
            return None;
        }
        let now = fold::slot_ref(self.state, node, slot).map(|known| known.input.clone()).unwrap_or_default();
        let then = match fixed.as_ref() {
            Value::Array(list) if now.len() != 1 => list.iter().map(|data| Arc::new(data.clone())).collect(),
            _ => vec![Arc::clone(fixed)],
        };
        let before = node_scope(self.compiled, self.state, node, slot, &now, None);
        let after = node_scope(self.compiled, self.state, node, slot, &then, None);
        let mut open = vec![(this.config.as_ref(), Some(&this.descriptor.config))];
        while let Some((setting, schema)) = open.pop() {
            for (name, raw, schema) in config::parts(setting, schema) {
                let made = |scope| config::evaluate(raw, schema, scope).ok();
                if let Some(aim) = name.and_then(aim) {
                    if made(&before) != made(&after) {
                        return Some(aim);
                    }
                } else if raw.is_string() {
                    // What could not be made before had no aim that could stay.
                    let found = moved(&made(&before).unwrap_or_default(), &made(&after).unwrap_or_default());
                    if found.is_some() {
                        return found;
                    }
                } else {
                    open.push((raw, schema));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{aim, moved};
    use serde_json::json;

    #[test]
    fn an_aim_is_known_in_any_spelling() {
        for name in ["to", "To", "_to_", "CC", "recipients", "Addresses", "e-mail", "E_Mail", "phone", "URL", "headers"]
        {
            assert!(aim(name).is_some(), "{name}");
        }
        for name in ["num", "amount", "total", "name", "note", "price", "customer", "tone", "valid_to"] {
            assert_eq!(aim(name), None, "{name}");
        }
    }

    #[test]
    fn a_repair_never_changes_who_gets_something() {
        let order = json!({ "to": "anna@firm.example", "cc": [], "amount": "12,x" });
        assert_eq!(moved(&order, &json!({ "to": "anna@firm.example", "cc": [], "amount": 12 })), None);
        let cases = [
            (json!({ "to": "eve@evil.example", "cc": [], "amount": 12 }), "to"),
            (json!({ "to": "anna@firm.example", "cc": ["eve@evil.example"], "amount": 12 }), "cc"),
            (json!({ "to": "anna@firm.example", "cc": [], "Bcc": "eve@evil.example", "amount": 12 }), "bcc"),
            (json!({ "cc": [], "amount": 12 }), "to"),
            (json!([{ "to": "eve@evil.example" }]), "cc"),
        ];
        for (fixed, field) in cases {
            assert_eq!(moved(&order, &fixed), Some(field), "{fixed}");
        }
        let deep = |iban: &str, amount: i32| json!({ "rows": [{ "pay": { "IBAN": iban }, "amount": amount }] });
        assert_eq!(moved(&deep("DE1", 1), &deep("DE1", 2)), None);
        assert_eq!(moved(&deep("DE1", 1), &deep("DE2", 1)), Some("iban"));
        assert_eq!(moved(&json!("{\"to\": "), &json!({ "to": "eve@evil.example" })), Some("to"));
    }
}
