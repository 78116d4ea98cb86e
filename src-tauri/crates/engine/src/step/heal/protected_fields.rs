//! What a model's repair never changes (TRUST, ADR 52): whom a step turns to, and who gets something.

use super::{Deciding, Healing};
use crate::{config, fold, prepare::node_scope};
use serde_json::Value;
use std::{collections::BTreeSet, sync::Arc};

/// Words that make a field such a one wherever they stand in its name, at any depth of the settings and of the input; their
/// plurals too.
const TELLING: [&str; 16] = [
    "account",
    "address",
    "assignee",
    "bcc",
    "beneficiary",
    "callback",
    "cc",
    "credential",
    "email",
    "iban",
    "payee",
    "phone",
    "recipient",
    "uri",
    "url",
    "webhook",
];
/// Such names as they stand, in the form of [`plain`]: as a part of a name they say nothing (`valid_to`).
const WHOLE: [&str; 10] = ["channel", "header", "host", "method", "model", "path", "provider", "server", "to", "tool"];
/// The same; those of [`TELLING`] are looked for as a whole, too: some are written in two, or in odd capitals.
const ALSO: [&str; 1] = ["workflow"];
static NOTHING: Value = Value::Null;

/// A name without case and separators.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The words of a name: at other signs than letters and digits, between letters and digits, where a capital begins one, and
/// where capitals end (`IBANNumber`, but not `IBANs`).
fn words(name: &str) -> Vec<String> {
    let signs: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, c) in signs.iter().copied().enumerate() {
        if !c.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before = at.checked_sub(1).map(|at| signs[at]).filter(|c| c.is_alphanumeric());
        let begins = before.is_some_and(|before| {
            let small = |at: usize| signs.get(at).is_some_and(|c| c.is_lowercase());
            let ends = || small(at + 1) && (signs[at + 1] != 's' || small(at + 2));
            before.is_numeric() != c.is_numeric() || (c.is_uppercase() && (!before.is_uppercase() || ends()))
        });
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    // One word that is written in two. `mail` alone is no aim: a whole letter may be called so.
    if let Some(at) = words.windows(2).position(|pair| pair[0] == "e" && pair[1].starts_with("mail")) {
        let rest = words.remove(at + 1);
        words[at].push_str(&rest);
    }
    words
}

/// The aim that a field of this name is.
fn aim(name: &str) -> Option<&'static str> {
    fn is(aim: &str, word: &str) -> bool {
        word.strip_prefix(aim).is_some_and(|rest| matches!(rest, "" | "s" | "es"))
            || aim.strip_suffix('y').is_some_and(|stem| word.strip_prefix(stem) == Some("ies"))
    }
    let (whole, words) = (plain(name), words(name));
    let told = TELLING.into_iter().find(|aim| words.iter().any(|word| is(aim, word)));
    told.or_else(|| WHOLE.into_iter().chain(ALSO).chain(TELLING).find(|aim| is(aim, &whole)))
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
            Value::Array(list) if now.len() != 1 => list.iter().map(|data| data.clone().into()).collect(),
            _ => vec![Arc::clone(fixed).into()],
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
        let names = "to To _to_ CC recipients Addresses e-mail E_Mail phone URL headers recipientIban recipient_email \
                     toAddress webhookUrl web_hook callback_uri accountNumber bank_account email_to payee Beneficiaries \
                     email2 address1 phone2 iban2 url1 IBANNumber URLTarget CCList e_mail_to EMailAddress targetURL2 URLs \
                     IBANs iBan";
        for name in names.split_whitespace() {
            assert!(aim(name).is_some(), "{name}");
        }
        for name in [
            "num",
            "amount",
            "total",
            "name",
            "note",
            "price",
            "customer",
            "tone",
            "valid_to",
            "curl",
            "hosted",
            "method_of_sale",
            "mail",
            "mail_body",
        ] {
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
