//! `data.text`: everyday work on a text field: fill in, split, replace, trim, change case, pad.

use crate::fields::{choice, field, misfit, one_field};
use crate::slug::slug;
use crate::support::{first, made, setting, text, text_or, whole, wrong_setting};
use crate::two_lists::named;
use crate::{Kind, Outcome};
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;

pub(crate) const KIND: Kind = Kind::Pure(run);

const ACTIONS: [&str; 14] = [
    "template",
    "trim",
    "upper",
    "lower",
    "capitalize",
    "replace",
    "replacePattern",
    "findPattern",
    "split",
    "join",
    "padStart",
    "padEnd",
    "cut",
    "slug",
];
/// Characters of a text after padding.
const LONGEST: u64 = 100_000;
/// Bytes of a compiled pattern.
const PATTERN_SIZE: usize = 1 << 20;

fn run(slot: &CallSlot) -> Outcome {
    let action = choice(slot, "action", &ACTIONS)?;
    let data = first(slot);
    let mut whole_item = if data.is_object() { (*data).clone() } else { Value::Object(serde_json::Map::new()) };
    if action == "template" {
        let target = field(slot, "into")?;
        let target = target.ok_or_else(|| wrong_setting("into", "the name of a field", &Value::Null))?;
        target.put(&mut whole_item, Value::from(text(slot, "template")?))?;
        return Ok(made(slot, whole_item));
    }
    let source = one_field(slot, "field")?;
    let value = source.require(&data, slot.item)?;
    let result = match (action, value) {
        ("join", Value::Array(list)) => Value::String(joined(slot, &source.name, list)?),
        ("join", other) => return Err(misfit(&source.name, "a list", other, slot.item)),
        (_, value) => changed(slot, action, &written(&source.name, value, slot.item)?)?,
    };
    let target = named(slot, "into")?.map_or_else(|| source.clone(), |name| crate::fields::Field::new(&name));
    target.put(&mut whole_item, result)?;
    Ok(made(slot, whole_item))
}

/// Numbers and truth values count as the text that JSON writes for them.
fn written(name: &str, value: &Value, index: usize) -> Result<String, NodeFailure> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(flag) => Ok(flag.to_string()),
        other => Err(misfit(name, "a text", other, index)),
    }
}

fn changed(slot: &CallSlot, action: &str, given: &str) -> Result<Value, NodeFailure> {
    let replacement = || text_or(slot, "with", "");
    Ok(match action {
        "trim" => given.trim().into(),
        "upper" => given.to_uppercase().into(),
        "lower" => given.to_lowercase().into(),
        "capitalize" => capitalized(given).into(),
        "replace" => given.replace(wanted(slot)?, replacement()?).into(),
        "replacePattern" => pattern(slot)?.replace_all(given, replacement()?).into(),
        "findPattern" => found(&pattern(slot)?, given),
        "split" => split(slot, given)?,
        "padStart" | "padEnd" => padded(slot, given, action == "padStart")?.into(),
        "cut" => cut(slot, given)?.into(),
        _ => slug(given).into(),
    })
}

fn capitalized(given: &str) -> String {
    let mut made = String::with_capacity(given.len());
    let mut begins = true;
    for letter in given.chars() {
        if begins {
            made.extend(letter.to_uppercase())
        } else {
            made.extend(letter.to_lowercase())
        }
        begins = !letter.is_alphanumeric() && letter != '\'' && letter != '\u{2019}';
    }
    made
}

/// What is looked for: nothing would be found everywhere.
fn wanted(slot: &CallSlot) -> Result<&str, NodeFailure> {
    let find = text(slot, "find")?;
    if find.is_empty() {
        Err(wrong_setting("find", "a text with at least one character", &Value::Null))
    } else {
        Ok(find)
    }
}

fn pattern(slot: &CallSlot) -> Result<Regex, NodeFailure> {
    let source = wanted(slot)?;
    RegexBuilder::new(source).size_limit(PATTERN_SIZE).build().map_err(|error| {
        let words = error.to_string();
        let why = words.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let why = why.trim().trim_start_matches("error: ");
        NodeFailure::validation("BAD_PATTERN", format!("The pattern '{source}' cannot be read: {why}"))
            .detail("field", "find")
    })
}

/// The first group, or all that fits; null when nothing does.
fn found(pattern: &Regex, given: &str) -> Value {
    let Some(captures) = pattern.captures(given) else { return Value::Null };
    captures.get(1).or_else(|| captures.get(0)).map_or(Value::Null, |part| part.as_str().into())
}

fn split(slot: &CallSlot, given: &str) -> Result<Value, NodeFailure> {
    let separator = text_or(slot, "separator", ",")?;
    if given.is_empty() {
        return Ok(Value::Array(Vec::new()));
    }
    let parts: Vec<&str> = match separator {
        "" => return Err(wrong_setting("separator", "a text with at least one character", &Value::Null)),
        "\\n" => given.lines().collect(),
        "\\t" => given.split('\t').collect(),
        other => given.split(other).collect(),
    };
    Ok(parts.into_iter().map(|part| Value::from(part.trim())).collect())
}

fn joined(slot: &CallSlot, name: &str, list: &[Value]) -> Result<String, NodeFailure> {
    let separator = match text_or(slot, "separator", ",")? {
        "\\n" => "\n",
        "\\t" => "\t",
        other => other,
    };
    let parts = list.iter().map(|one| written(name, one, slot.item)).collect::<Result<Vec<_>, _>>()?;
    Ok(parts.join(separator))
}

fn length(slot: &CallSlot) -> Result<usize, NodeFailure> {
    let length = whole(slot, "length", 0, LONGEST)?;
    let length = length.ok_or_else(|| wrong_setting("length", "a number of characters", &Value::Null))?;
    Ok(usize::try_from(length).unwrap_or(usize::MAX))
}

fn padded(slot: &CallSlot, given: &str, at_start: bool) -> Result<String, NodeFailure> {
    let with = setting(slot, "with").map_or(Ok("0"), |_| text(slot, "with"))?;
    let mut letters = with.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        return Err(wrong_setting("with", "one character", &Value::from(with)));
    };
    let missing = length(slot)?.saturating_sub(given.chars().count());
    let more: String = std::iter::repeat_n(letter, missing).collect();
    Ok(if at_start { more + given } else { given.to_owned() + &more })
}

fn cut(slot: &CallSlot, given: &str) -> Result<String, NodeFailure> {
    Ok(given.chars().take(length(slot)?).collect())
}
