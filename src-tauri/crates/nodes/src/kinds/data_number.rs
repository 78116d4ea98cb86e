//! `data.number`: reads, rounds, writes and computes numbers with all their digits.

use crate::decimal::{Decimal, Rounding};
use crate::fields::{Field, choice, field, misfit, one_field, too_long};
use crate::support::{first, made, setting, text_or, whole};
use crate::two_lists::named;
use crate::{Kind, Outcome};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;

pub(crate) const KIND: Kind = Kind::Pure(run);

const ACTIONS: [&str; 7] = ["parse", "round", "format", "add", "subtract", "multiply", "divide"];

fn run(slot: &CallSlot) -> Outcome {
    let action = choice(slot, "action", &ACTIONS)?;
    let source = one_field(slot, "field")?;
    let data = first(slot);
    let value = source.require(&data, slot.item)?;
    let result = if action == "parse" {
        parsed(slot, &source.name, value)?
    } else {
        let number = Decimal::of(value).ok_or_else(|| misfit(&source.name, NUMBER, value, slot.item))?;
        match action {
            "round" => kept(number.rounded(places(slot)?.unwrap_or(0), rounding(slot)?), false)?,
            "format" => formatted(slot, number)?.into(),
            _ => computed(slot, action, number, &data)?,
        }
    };
    let mut whole_item = (*data).clone();
    named(slot, "into")?.map_or_else(|| source.clone(), |name| Field::new(&name)).put(&mut whole_item, result)?;
    Ok(made(slot, whole_item))
}

const NUMBER: &str = "a number. Text like '1.234,50' becomes one with 'Read a number' of this step";

fn kept(number: Decimal, divided: bool) -> Result<Value, NodeFailure> {
    let value = if divided { number.nearest() } else { number.value() };
    value.ok_or_else(|| too_long("The result"))
}

fn places(slot: &CallSlot) -> Result<Option<u32>, NodeFailure> {
    Ok(whole(slot, "digits", 0, 20)?.and_then(|digits| u32::try_from(digits).ok()))
}

fn rounding(slot: &CallSlot) -> Result<Rounding, NodeFailure> {
    Ok(match choice(slot, "rounding", &["half", "even", "up", "down"])? {
        "even" => Rounding::Even,
        "up" => Rounding::Up,
        "down" => Rounding::Down,
        _ => Rounding::Half,
    })
}

fn computed(slot: &CallSlot, action: &str, number: Decimal, data: &Value) -> Result<Value, NodeFailure> {
    let (name, other) = match field(slot, "otherField")? {
        Some(other) => (other.name.clone(), other.require(data, slot.item)?.clone()),
        None => (String::new(), setting(slot, "other").cloned().unwrap_or_default()),
    };
    let given = Decimal::of(&other).ok_or_else(|| match name.as_str() {
        "" => NodeFailure::validation("INPUT_INVALID", "Choose the field to compute with, or write a number")
            .detail("field", "other"),
        _ => misfit(&name, NUMBER, &other, slot.item),
    })?;
    let made = match action {
        "add" => number.plus(given),
        "subtract" => number.minus(given),
        "multiply" => number.times(given),
        _ if given == Decimal::ZERO => {
            let words = format!("Item {} would be divided by 0", slot.item + 1);
            return Err(NodeFailure::validation("DIVISION_BY_ZERO", words).detail("index", slot.item));
        }
        _ => number.over(given),
    };
    let made = made.ok_or_else(|| too_long("The result"))?;
    match places(slot)? {
        Some(places) => kept(made.rounded(places, rounding(slot)?), false),
        None => kept(made, action == "divide"),
    }
}

/// The sign before decimals, as people write it.
fn point(slot: &CallSlot) -> Result<char, NodeFailure> {
    Ok(if choice(slot, "decimalSign", &["point", "comma"])? == "comma" { ',' } else { '.' })
}

fn formatted(slot: &CallSlot, number: Decimal) -> Result<String, NodeFailure> {
    let places = places(slot)?;
    let number = places.map_or(Ok(number), |places| rounding(slot).map(|how| number.rounded(places, how)))?;
    let written = number.to_string();
    let (sign, digits) = written.strip_prefix('-').map_or(("", written.as_str()), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let group = text_or(slot, "groupSign", "")?;
    let mut text = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push_str(group);
        }
        text.push(digit);
    }
    let width = places.and_then(|places| usize::try_from(places).ok()).unwrap_or(fraction.len());
    if width > 0 {
        text.push(point(slot)?);
        text.push_str(&format!("{fraction:0<width$}"));
    }
    Ok(text)
}

/// A number as a person wrote it: `1.234,50 €`, `-7`, `1 000`. What could mean two numbers is refused.
fn parsed(slot: &CallSlot, name: &str, value: &Value) -> Result<Value, NodeFailure> {
    let Value::String(text) = value else {
        return if value.is_number() {
            Ok(value.clone())
        } else {
            Err(misfit(name, "a text with a number", value, slot.item))
        };
    };
    let point = point(slot)?;
    let wrong = || {
        let example = if point == ',' { "'1.234,50'" } else { "'1,234.50'" };
        let mut failure = misfit(name, &format!("a number written like {example}"), value, slot.item);
        failure.code = "BAD_NUMBER".to_owned();
        failure
    };
    let plain = text.trim().trim_matches(|letter: char| "€$£¥₹₽ \u{a0}\u{202f}".contains(letter));
    let (sign, digits) = match plain.strip_prefix(['-', '\u{2212}']) {
        Some(digits) => ("-", digits),
        None => ("", plain.strip_prefix('+').unwrap_or(plain)),
    };
    let digits = digits.trim_start_matches(|letter: char| "€$£¥₹₽ \u{a0}\u{202f}".contains(letter));
    let (whole, fraction) = digits.split_once(point).unwrap_or((digits, ""));
    let ungrouped = ungrouped(whole, if point == ',' { '.' } else { ',' }).ok_or_else(wrong)?;
    let has_fraction = digits.contains(point);
    if (has_fraction && fraction.is_empty()) || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let written = if has_fraction { format!("{sign}{ungrouped}.{fraction}") } else { format!("{sign}{ungrouped}") };
    let number = Decimal::parse(&written).ok_or_else(|| too_long(&format!("The number {written}")))?;
    kept(number, false)
}

/// Digits without the signs between groups of three; `None` for anything else.
fn ungrouped(whole: &str, other: char) -> Option<String> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_digits(whole) {
        return Some(whole.to_owned());
    }
    let sign =
        [other, ' ', '\u{a0}', '\u{202f}', '\'', '\u{2019}', '_'].into_iter().find(|sign| whole.contains(*sign))?;
    let mut groups = whole.split(sign);
    let first = groups.next().filter(|first| is_digits(first) && first.len() <= 3)?;
    let mut made = first.to_owned();
    for group in groups {
        if group.len() != 3 || !is_digits(group) {
            return None;
        }
        made.push_str(group);
    }
    Some(made)
}
