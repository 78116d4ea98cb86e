//! Operators, equality and the way back to JSON.

use super::budget::{BLOCK, Budget, ENTRY, HELD, SLOT, TABLE};
use super::error::{Code, ExprError};
use super::eval::{Out, fail};
use super::lower::Op;
use super::time;
use super::val::{Key, V};
use crate::value_size;
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;
use std::sync::Arc;

#[inline(never)]
pub(super) fn binary<'a>(budget: &Budget<'_>, op: Op, left: V<'a>, right: V<'a>) -> Out<V<'a>> {
    match op {
        Op::Eq => equal(budget, &left, &right, 0).map(V::Bool),
        Op::Ne => equal(budget, &left, &right, 0).map(|same| V::Bool(!same)),
        Op::Lt | Op::Le | Op::Gt | Op::Ge => ordered(budget, op, &left, &right).map(V::Bool),
        Op::In => contains(budget, &left, &right).map(V::Bool),
        Op::Add => add(budget, left, right),
        Op::Sub | Op::Mul | Op::Div | Op::Rem => arithmetic(op, &left, &right),
    }
}

fn refused<T>(op: Op, left: &V<'_>, right: &V<'_>) -> Out<T> {
    for side in [left, right] {
        if let V::Large(large) = side {
            return fail(format!(
                "`{}` cannot compute with {large}: integers are computed with up to {}. Use `uint(…)` on both sides, `double(…)` for a \
                 value that is near it, or `string(…)` for its digits.",
                op.sign(),
                i64::MAX
            ));
        }
    }
    let hint = match (op, left.text().is_some(), right.text().is_some()) {
        (Op::Add, true, false) | (Op::Add, false, true) => " Turn the other side into a text with `string(…)`.",
        (Op::Sub | Op::Mul | Op::Div | Op::Rem | Op::Lt | Op::Le | Op::Gt | Op::Ge, true, false)
        | (Op::Sub | Op::Mul | Op::Div | Op::Rem | Op::Lt | Op::Le | Op::Gt | Op::Ge, false, true) => {
            " Turn the text into a number with `int(…)` or `double(…)`."
        }
        _ => "",
    };
    fail(format!(
        "`{}` cannot be used between {} and {}.{hint}",
        op.sign(),
        left.kind_with_article(),
        right.kind_with_article()
    ))
}

#[allow(clippy::cast_precision_loss)]
fn double(value: &V<'_>) -> Option<f64> {
    match value {
        V::Int(v) => Some(*v as f64),
        V::Uint(v) => Some(*v as f64),
        V::Double(v) => Some(*v),
        _ => None,
    }
}

fn add<'a>(budget: &Budget<'_>, left: V<'a>, right: V<'a>) -> Out<V<'a>> {
    if let (Some(a), Some(b)) = (left.text(), right.text()) {
        budget.text(a.len() + b.len())?;
        let mut made = String::with_capacity(a.len() + b.len());
        made.push_str(a);
        made.push_str(b);
        return Ok(V::MadeText(made.into()));
    }
    if let (V::Bytes(a), V::Bytes(b)) = (&left, &right) {
        budget.text(a.len() + b.len())?;
        return Ok(V::Bytes([a.as_ref(), b.as_ref()].concat().into()));
    }
    if left.kind() == "list" && right.kind() == "list" {
        let total = left.len().unwrap_or(0) + right.len().unwrap_or(0);
        budget.made(BLOCK + total * HELD)?;
        let mut made = Vec::with_capacity(total);
        for side in [&left, &right] {
            made.extend((0..side.len().unwrap_or(0)).filter_map(|place| side.nth(place)));
        }
        return Ok(V::List(Arc::new(made)));
    }
    arithmetic(Op::Add, &left, &right)
}

fn arithmetic<'a>(op: Op, left: &V<'_>, right: &V<'_>) -> Out<V<'a>> {
    if let (V::Int(a), V::Int(b)) = (left, right) {
        if *b == 0 && matches!(op, Op::Div | Op::Rem) {
            return fail(format!("Division by zero: `{a} {} 0`.", op.sign()));
        }
        let made = match op {
            Op::Add => a.checked_add(*b),
            Op::Sub => a.checked_sub(*b),
            Op::Mul => a.checked_mul(*b),
            Op::Div => a.checked_div(*b),
            _ => a.checked_rem(*b),
        };
        return match made {
            Some(made) => Ok(V::Int(made)),
            None => fail(format!("`{a} {} {b}` is too large for a 64-bit integer.", op.sign())),
        };
    }
    if let (V::Uint(a), V::Uint(b)) = (left, right) {
        return unsigned(op, *a, *b);
    }
    // Together with an integer it is one, as it is a decimal number together with one.
    if let (V::Uint(v), V::Int(_)) | (V::Int(_), V::Uint(v)) = (left, right) {
        return match i64::try_from(*v) {
            Ok(v) if matches!(left, V::Uint(_)) => arithmetic(op, &V::Int(v), right),
            Ok(v) => arithmetic(op, left, &V::Int(v)),
            Err(_) => fail(format!(
                "`{}` cannot compute with {v} and an integer: integers end at {}. Use `uint(…)` on both sides.",
                op.sign(),
                i64::MAX
            )),
        };
    }
    if let (Some(a), Some(b)) = (double(left), double(right)) {
        return match op {
            Op::Add => Ok(V::Double(a + b)),
            Op::Sub => Ok(V::Double(a - b)),
            Op::Mul => Ok(V::Double(a * b)),
            Op::Div => Ok(V::Double(a / b)),
            _ => fail("`%` works on whole numbers only. Use `int(…)`."),
        };
    }
    if matches!(left, V::Time(_)) && matches!(right, V::Time(_)) && matches!(op, Op::Add | Op::Sub) {
        return time::computed(op == Op::Sub, left, right);
    }
    refused(op, left, right)
}

fn unsigned<'a>(op: Op, a: u64, b: u64) -> Out<V<'a>> {
    if b == 0 && matches!(op, Op::Div | Op::Rem) {
        return fail(format!("Division by zero: `{a}u {} 0u`.", op.sign()));
    }
    let made = match op {
        Op::Add => a.checked_add(b),
        Op::Sub => a.checked_sub(b),
        Op::Mul => a.checked_mul(b),
        Op::Div => a.checked_div(b),
        _ => a.checked_rem(b),
    };
    match made {
        Some(made) => Ok(V::Uint(made)),
        None => fail(format!("`{a}u {} {b}u` is not between 0 and {}.", op.sign(), u64::MAX)),
    }
}

/// Exact: 2^53 + 1 is not equal to 2^53 as a double.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
fn int_double(a: i64, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    if b >= 9_223_372_036_854_775_808.0 {
        return Some(Ordering::Less);
    }
    if b < -9_223_372_036_854_775_808.0 {
        return Some(Ordering::Greater);
    }
    let whole = b.trunc() as i64;
    Some(a.cmp(&whole).then_with(|| 0.0_f64.partial_cmp(&b.fract()).unwrap_or(Ordering::Equal)))
}

/// The same for what is above every `i64`.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn large_double(a: u64, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    if b >= 18_446_744_073_709_551_616.0 {
        return Some(Ordering::Less);
    }
    // Up there no double has a fraction; what is smaller is smaller, with or without one.
    Some(if b < 9_223_372_036_854_775_808.0 { Ordering::Greater } else { a.cmp(&(b as u64)) })
}

/// A number by its value, as one that is not unsigned: what is below 2^63 is an integer.
fn by_value<'a>(value: &V<'_>) -> Option<V<'a>> {
    Some(match value {
        V::Int(v) => V::Int(*v),
        V::Uint(v) | V::Large(v) => i64::try_from(*v).map_or(V::Large(*v), V::Int),
        V::Double(v) => V::Double(*v),
        _ => return None,
    })
}

fn numbers(left: &V<'_>, right: &V<'_>) -> Option<Option<Ordering>> {
    Some(match (left, right) {
        (V::Large(a), V::Large(b)) => Some(a.cmp(b)),
        (V::Large(_), V::Int(_)) => Some(Ordering::Greater),
        (V::Int(_), V::Large(_)) => Some(Ordering::Less),
        (V::Large(a), V::Double(b)) => large_double(*a, *b),
        (V::Double(a), V::Large(b)) => large_double(*b, *a).map(Ordering::reverse),
        (V::Int(a), V::Int(b)) => Some(a.cmp(b)),
        (V::Double(a), V::Double(b)) => a.partial_cmp(b),
        (V::Int(a), V::Double(b)) => int_double(*a, *b),
        (V::Double(a), V::Int(b)) => int_double(*b, *a).map(Ordering::reverse),
        (V::Uint(_), _) | (_, V::Uint(_)) => return numbers(&by_value(left)?, &by_value(right)?),
        _ => return None,
    })
}

fn ordered(budget: &Budget<'_>, op: Op, left: &V<'_>, right: &V<'_>) -> Out<bool> {
    let order = if let Some(order) = numbers(left, right) {
        order
    } else {
        match (left, right) {
            (V::Bool(a), V::Bool(b)) => Some(a.cmp(b)),
            (V::Bytes(a), V::Bytes(b)) => Some(a.cmp(b)),
            (V::Time(a), V::Time(b)) if left.kind() == right.kind() => a.partial_cmp(b),
            _ => match (left.text(), right.text()) {
                (Some(a), Some(b)) => {
                    budget.work(a.len().min(b.len()) / 16 + 1)?;
                    Some(a.cmp(b))
                }
                _ => return refused(op, left, right),
            },
        }
    };
    Ok(match op {
        Op::Lt => order == Some(Ordering::Less),
        Op::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Op::Gt => order == Some(Ordering::Greater),
        _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    })
}

fn contains(budget: &Budget<'_>, left: &V<'_>, right: &V<'_>) -> Out<bool> {
    if right.is_map() {
        return Ok(right.entry(left).is_some());
    }
    let Some(total) = right.len() else {
        if right.text().is_some() && left.text().is_some() {
            return fail("`in` looks into lists and objects. For a part of a text write `text.contains('part')`.");
        }
        return refused(Op::In, left, right);
    };
    for place in 0..total {
        if let Some(one) = right.nth(place)
            && equal(budget, left, &one, 0)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Values of different types are different; numbers compare by value.
pub(super) fn equal(budget: &Budget<'_>, left: &V<'_>, right: &V<'_>, depth: usize) -> Out<bool> {
    budget.work(1)?;
    if depth > 200 {
        return Err(Box::new(ExprError::new(Code::Limit, "The values are nested too deep to be compared.")));
    }
    if let Some(order) = numbers(left, right) {
        return Ok(order == Some(Ordering::Equal));
    }
    if let (Some(a), Some(b)) = (left.text(), right.text()) {
        budget.work(a.len().min(b.len()) / 16)?;
        return Ok(a == b);
    }
    match (left, right) {
        (V::Null, V::Null) => return Ok(true),
        (V::Bool(a), V::Bool(b)) => return Ok(a == b),
        (V::Bytes(a), V::Bytes(b)) => return Ok(a == b),
        (V::Type(a), V::Type(b)) => return Ok(a == b),
        (V::Time(a), V::Time(b)) => return Ok(left.kind() == right.kind() && a == b),
        _ => {}
    }
    if left.kind() != right.kind() || left.len().is_none() || left.len() != right.len() {
        return Ok(false);
    }
    if left.is_map() {
        for key in left.keys() {
            let (Some(a), Some(b)) = (left.entry(&key), right.entry(&key)) else { return Ok(false) };
            if !equal(budget, &a, &b, depth + 1)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    for place in 0..left.len().unwrap_or(0) {
        let (Some(a), Some(b)) = (left.nth(place), right.nth(place)) else { return Ok(false) };
        if !equal(budget, &a, &b, depth + 1)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn mismatch<T>(message: impl Into<String>) -> Out<T> {
    Err(Box::new(ExprError::new(Code::SchemaMismatch, message)))
}

/// A value as JSON (K-08). What lies in the scope is copied here and nowhere else. All of it is counted first, as large as it
/// is when it is written out: parts that the expression shares are made once for each place, so nothing is made of a value
/// that is too large.
pub(super) fn json(budget: &Budget<'_>, found: &V<'_>, depth: usize) -> Out<Value> {
    if let V::TextList(text) | V::TextObject(text) = found {
        budget.whole(text.pieces().map(value_size::of_text).sum())?;
    }
    weigh(budget, found, depth)?;
    build(found)
}

/// Counts what the value takes as JSON.
fn weigh(budget: &Budget<'_>, found: &V<'_>, depth: usize) -> Out<()> {
    if depth > 128 {
        return mismatch("The result is nested deeper than 128 levels.");
    }
    match found {
        V::LongText(text) => {
            let length = text.part.length();
            budget.result(16 + length, SLOT + BLOCK + length)
        }
        V::Text(_) | V::MadeText(_) => {
            let length = found.text().unwrap_or_default().len();
            budget.result(16 + length, SLOT + BLOCK + length)
        }
        V::Bytes(v) => budget.result(16 + v.len() * 2, SLOT + BLOCK + v.len() * 2),
        V::Object(v) => {
            budget.result(16, SLOT + TABLE)?;
            v.iter().try_for_each(|(key, one)| {
                budget.result(key.len(), ENTRY + BLOCK + key.len())?;
                weigh(budget, &V::of(one), depth + 1)
            })
        }
        V::MadeObject(v) => {
            budget.result(16, SLOT + TABLE)?;
            v.iter().try_for_each(|(key, one)| {
                let length = if let Key::Text(key) = key { key.len() } else { 0 };
                budget.result(length, ENTRY + BLOCK + length)?;
                weigh(budget, one, depth + 1)
            })
        }
        V::Context(_) | V::Nodes(_) | V::Node(_) | V::Ctx(_) => {
            budget.result(16, SLOT + TABLE)?;
            for key in found.keys() {
                let length = key.text().map_or(0, str::len);
                budget.result(length, ENTRY + BLOCK + length)?;
                if let Some(one) = found.entry(&key) {
                    weigh(budget, &one, depth + 1)?;
                }
            }
            Ok(())
        }
        V::TextObject(v) => {
            budget.result(16, SLOT + TABLE)?;
            v.entries().try_for_each(|(key, one)| {
                budget.result(key.len(), ENTRY + BLOCK + key.len())?;
                weigh(budget, &V::of_text(one), depth + 1)
            })
        }
        V::TextList(v) => {
            budget.result(16, SLOT + BLOCK)?;
            v.entries().try_for_each(|(_, one)| weigh(budget, &V::of_text(one), depth + 1))
        }
        V::Array(_) | V::Items(_) | V::List(_) => {
            budget.result(16, SLOT + BLOCK)?;
            (0..found.len().unwrap_or(0))
                .filter_map(|place| found.nth(place))
                .try_for_each(|one| weigh(budget, &one, depth + 1))
        }
        V::Null | V::Bool(_) | V::Int(_) | V::Uint(_) | V::Large(_) | V::Double(_) | V::Type(_) | V::Time(_) => {
            budget.result(16, SLOT)
        }
    }
}

/// Makes the JSON of a value that has been counted.
fn build(found: &V<'_>) -> Out<Value> {
    Ok(match found {
        V::Null => Value::Null,
        V::Bool(v) => Value::Bool(*v),
        V::Int(v) => Value::Number((*v).into()),
        V::Uint(v) | V::Large(v) => Value::Number((*v).into()),
        V::Double(v) => match Number::from_f64(*v) {
            Some(v) => Value::Number(v),
            None => {
                return mismatch(format!("The result is {v}, which JSON cannot say. Check for a division by zero."));
            }
        },
        V::LongText(text) => Value::String(text.part.unquoted()),
        V::Text(_) | V::MadeText(_) => Value::String(found.text().unwrap_or_default().to_owned()),
        V::Bytes(v) => Value::String(base64(v)),
        V::Type(name) => Value::String((*name).to_owned()),
        V::Time(v) => v.json(),
        // Data that goes through untouched keeps its numbers as they were written.
        V::Array(v) => Value::Array(v.to_vec()),
        V::Object(v) => Value::Object((*v).clone()),
        V::TextList(v) | V::TextObject(v) => v.value(),
        V::Items(v) => Value::Array(v.iter().map(|one| Arc::unwrap_or_clone(one.value())).collect()),
        V::List(v) => Value::Array(v.iter().map(build).collect::<Out<_>>()?),
        V::MadeObject(v) => {
            let mut made = Map::with_capacity(v.len());
            for (key, one) in v.iter() {
                let Key::Text(key) = key else {
                    return mismatch(format!(
                        "The result is an object with the key {}, but JSON has only texts as keys. Use `string(…)`.",
                        plain(&key.value()).unwrap_or_default()
                    ));
                };
                made.insert(key.to_string(), build(one)?);
            }
            Value::Object(made)
        }
        V::Context(_) | V::Nodes(_) | V::Node(_) | V::Ctx(_) => {
            let mut made = Map::new();
            for key in found.keys() {
                if let (Some(one), Some(key)) = (found.entry(&key), key.text()) {
                    made.insert(key.to_owned(), build(&one)?);
                }
            }
            Value::Object(made)
        }
    })
}

/// A scalar as text, as `string(x)` gives it.
pub(super) fn plain(value: &V<'_>) -> Option<String> {
    Some(match value {
        V::Bool(v) => v.to_string(),
        V::Int(v) => v.to_string(),
        V::Uint(v) | V::Large(v) => v.to_string(),
        V::Double(v) => v.to_string(),
        V::Text(v) => (*v).to_owned(),
        V::MadeText(v) => v.to_string(),
        V::LongText(v) => v.part.unquoted(),
        V::Bytes(v) => String::from_utf8(v.to_vec()).ok()?,
        V::Type(v) => (*v).to_owned(),
        _ => return None,
    })
}

/// RFC 4648 with padding.
fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let all = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4u32 {
            let sign = SIGNS[(all >> (18 - 6 * at) & 63) as usize];
            out.push(if at as usize > chunk.len() { '=' } else { char::from(sign) });
        }
    }
    out
}

/// Types of a value without its contents, at most 2,000 characters (K-51).
pub(super) fn structure(value: &V<'_>) -> String {
    let mut out = String::new();
    sketch(value, 0, &mut out);
    if out.chars().count() > 2000 {
        out = out.chars().take(1999).collect();
        out.push('…');
    }
    out
}

fn sketch(value: &V<'_>, depth: usize, out: &mut String) {
    if out.len() > 2000 {
        return;
    }
    if depth > 3 {
        out.push('…');
    } else if value.is_map() {
        out.push('{');
        for (place, key) in value.key_texts(20).iter().enumerate() {
            if place > 0 {
                out.push_str(", ");
            }
            out.extend(key.chars().take(60));
            out.push_str(": ");
            if let Some(one) = value.member(key) {
                sketch(&one, depth + 1, out);
            }
        }
        if value.len().unwrap_or(0) > 20 {
            out.push_str(", …");
        }
        out.push('}');
    } else if let Some(total) = value.len() {
        out.push('[');
        if let Some(one) = value.nth(0) {
            sketch(&one, depth + 1, out);
            if total > 1 {
                out.push_str(&format!(" × {total}"));
            }
        }
        out.push(']');
    } else {
        out.push_str(match value.kind() {
            "null_type" => "null",
            kind => kind,
        });
    }
}
