//! The functions of an expression. None of them reads or writes anything outside its arguments.

use super::budget::{BLOCK, ENTRY, HELD, SLOT};
use super::error::{Code, ExprError};
use super::eval::{Out, Run, fail};
use super::library::{self, Library};
use super::lower::Node;
use super::ops;
use super::references::push_key;
use super::time;
use super::val::{Key, V, whole, whole_unsigned};
use crate::lineage::Unpaired;
use crate::schema::Schema;
use crate::template::percent;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A function, found at compile time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fun {
    Size,
    Contains,
    StartsWith,
    EndsWith,
    Matches,
    Text,
    Int,
    Uint,
    Double,
    Bool,
    Bytes,
    Type,
    Dyn,
    Lower,
    Upper,
    Trim,
    Split,
    Join,
    Replace,
    UrlEncode,
    Put,
    HasSchema,
    /// The item of an earlier step that the current one descends from.
    Paired,
    /// A function of the crate on times and durations.
    Time,
    /// The first argument that exists and is not null.
    Coalesce,
    /// A function of [`library`].
    Library(Library),
}

/// Name, function, written as `f(x)`, written as `x.f()`, how it is used.
const TABLE: &[(&str, Fun, bool, bool, &str)] = &[
    ("size", Fun::Size, true, true, "size(x): letters of a text, entries of a list or an object"),
    ("contains", Fun::Contains, false, true, "text.contains(part)"),
    ("startsWith", Fun::StartsWith, false, true, "text.startsWith(part)"),
    ("endsWith", Fun::EndsWith, false, true, "text.endsWith(part)"),
    ("matches", Fun::Matches, true, true, "text.matches(pattern): regular expression"),
    ("lower", Fun::Lower, true, true, "text.lower()"),
    ("upper", Fun::Upper, true, true, "text.upper()"),
    ("lowerAscii", Fun::Lower, false, true, "text.lowerAscii()"),
    ("upperAscii", Fun::Upper, false, true, "text.upperAscii()"),
    ("trim", Fun::Trim, true, true, "text.trim(): without spaces at both ends"),
    ("split", Fun::Split, false, true, "text.split(','): a list of texts"),
    ("join", Fun::Join, false, true, "list.join(', '): a text"),
    ("replace", Fun::Replace, false, true, "text.replace(old, new)"),
    (
        "urlEncode",
        Fun::UrlEncode,
        true,
        true,
        "urlEncode(text): percent-encoded for a part of an address or a form, as in 'a=' + urlEncode(item.name)",
    ),
    (
        "put",
        Fun::Put,
        true,
        false,
        "put(x, ['rows', 0, 'id'], 7): x with a value at a place in it; what is missing is made",
    ),
    ("string", Fun::Text, true, false, "string(x): as text"),
    ("int", Fun::Int, true, false, "int(x): as a whole number"),
    ("uint", Fun::Uint, true, false, "uint(x): as a whole number without a sign"),
    ("double", Fun::Double, true, false, "double(x): as a decimal number"),
    ("bool", Fun::Bool, true, false, "bool(x): from 'true' or 'false'"),
    ("bytes", Fun::Bytes, true, false, "bytes(text)"),
    ("type", Fun::Type, true, false, "type(x) == string"),
    ("dyn", Fun::Dyn, true, false, "dyn(x): the value itself"),
    ("has_schema", Fun::HasSchema, true, false, "has_schema(x): true for a usable JSON Schema or the name of one"),
    (
        "paired",
        Fun::Paired,
        true,
        false,
        "paired('orders').id: of the item of the step `orders` that this item comes from",
    ),
    (
        "coalesce",
        Fun::Coalesce,
        true,
        false,
        "coalesce(item.name, 'unknown'): the first that exists and is not null; null without any",
    ),
    ("json", Fun::Library(Library::Json), true, false, "json(x): as JSON text; json(x, 2) over several lines"),
    ("fromJson", Fun::Library(Library::FromJson), true, false, "fromJson(text): the value of a JSON text"),
    (
        "slice",
        Fun::Library(Library::Slice),
        true,
        true,
        "text.slice(0, 10): a part of a text or a list; negative places count from the end",
    ),
    ("indexOf", Fun::Library(Library::IndexOf), false, true, "text.indexOf(part): its place from 0, or -1"),
    ("round", Fun::Library(Library::Round), true, true, "round(x, 2): to two decimals; halves away from zero"),
    ("floor", Fun::Library(Library::Floor), true, true, "floor(x): the next whole number below"),
    ("ceil", Fun::Library(Library::Ceil), true, true, "ceil(x): the next whole number above"),
    ("abs", Fun::Library(Library::Abs), true, true, "abs(x): without its sign"),
    ("fixed", Fun::Library(Library::Fixed), true, true, "fixed(x, 2): as text with two decimals"),
    ("sum", Fun::Library(Library::Sum), true, true, "list.sum(): of numbers"),
    ("min", Fun::Library(Library::Min), true, true, "list.min(): the smallest number; null of an empty list"),
    ("max", Fun::Library(Library::Max), true, true, "list.max(): the largest number; null of an empty list"),
    ("reverse", Fun::Library(Library::Reverse), true, true, "list.reverse()"),
    ("unique", Fun::Library(Library::Unique), true, true, "list.unique(): each value once"),
    (
        "replacePattern",
        Fun::Library(Library::ReplacePattern),
        false,
        true,
        "text.replacePattern('[0-9]+', '#'): every match; $1 is the first group",
    ),
    (
        "findPattern",
        Fun::Library(Library::FindPattern),
        false,
        true,
        "text.findPattern('([0-9]+)'): the match and its groups, or null",
    ),
    (
        "formatTime",
        Fun::Library(Library::FormatTime),
        true,
        true,
        "formatTime(time, 'yyyy-MM-dd HH:mm', 'Europe/Berlin'): as text; UTC without a zone",
    ),
    ("merge", Fun::Library(Library::Merge), true, true, "merge(a, b): the fields of both objects; those of b win"),
    ("chunks", Fun::Library(Library::Chunks), true, true, "list.chunks(100): lists of at most 100 entries"),
    ("range", Fun::Library(Library::Range), true, false, "range(1, 5): [1, 2, 3, 4, 5]; range(0, 10, 5): [0, 5, 10]"),
    ("base64", Fun::Library(Library::Base64), true, true, "base64(text): the text in Base64"),
    ("fromBase64", Fun::Library(Library::FromBase64), true, true, "fromBase64(text): the text that is in Base64"),
    ("hash", Fun::Library(Library::Hash), true, true, "hash(text, 'SHA-256'): in hex digits; also SHA-384 and SHA-512"),
    ("flatten", Fun::Library(Library::Flatten), true, true, "list.flatten(): the entries of the lists in it"),
    (
        "findAllPattern",
        Fun::Library(Library::FindAllPattern),
        false,
        true,
        "text.findAllPattern('([0-9]+)'): a list of all matches, each with its groups",
    ),
    (
        "addTime",
        Fun::Library(Library::AddTime),
        true,
        true,
        "addTime(time, 1, 'month', 'Europe/Berlin'): by the calendar; also year, week, day, hour, minute, second",
    ),
    (
        "formatNumber",
        Fun::Library(Library::FormatNumber),
        true,
        true,
        "formatNumber(1234.5, 2): 1,234.50; with at least and at most so many decimals",
    ),
    ("urlDecode", Fun::Library(Library::UrlDecode), true, true, "urlDecode(text): the text that is percent-encoded"),
    ("sqrt", Fun::Library(Library::Sqrt), true, true, "sqrt(x): the square root"),
    ("pow", Fun::Library(Library::Pow), true, true, "pow(x, 2): x to a power"),
    (
        "untranslated",
        Fun::Library(Library::Untranslated),
        true,
        false,
        "untranslated(expression, reason): what an import could not translate; always an error",
    ),
    ("timestamp", Fun::Time, true, false, "timestamp('2026-01-31T09:30:00Z')"),
    ("duration", Fun::Time, true, false, "duration('1h30m')"),
    ("getFullYear", Fun::Time, false, true, "time.getFullYear()"),
    ("getMonth", Fun::Time, false, true, "time.getMonth(): from 0"),
    ("getDate", Fun::Time, false, true, "time.getDate(): from 1"),
    ("getDayOfMonth", Fun::Time, false, true, "time.getDayOfMonth(): from 0"),
    ("getDayOfWeek", Fun::Time, false, true, "time.getDayOfWeek(): Sunday is 0"),
    ("getDayOfYear", Fun::Time, false, true, "time.getDayOfYear(): from 0"),
    ("getHours", Fun::Time, false, true, "time.getHours()"),
    ("getMinutes", Fun::Time, false, true, "time.getMinutes()"),
    ("getSeconds", Fun::Time, false, true, "time.getSeconds()"),
    ("getMilliseconds", Fun::Time, false, true, "time.getMilliseconds()"),
];

/// Loops and `has`, which are no functions but look like some.
const MACROS: &[(&str, &str)] = &[
    ("has", "has(item.name): true when the field exists"),
    ("map", "list.map(x, x.name): one entry for each"),
    ("filter", "list.filter(x, x.age > 17): the entries that pass"),
    ("all", "list.all(x, x > 0)"),
    ("exists", "list.exists(x, x > 0)"),
    ("exists_one", "list.exists_one(x, x > 0)"),
];

pub(super) fn find(name: &str, member: bool) -> Option<Fun> {
    TABLE.iter().find(|row| row.0 == name && if member { row.3 } else { row.2 }).map(|row| row.1)
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.0).chain(MACROS.iter().map(|row| row.0))
}

/// Name and how it is used, for the editor.
pub(super) fn described() -> impl Iterator<Item = (&'static str, &'static str)> {
    MACROS.iter().copied().chain(TABLE.iter().map(|row| (row.0, row.4)))
}

/// The types that `type(x)` can give. Numbers of the data are never `uint` (K-08): `1u` and `uint(x)` are.
pub(super) const TYPES: [&str; 12] = [
    "int",
    "uint",
    "double",
    "string",
    "bool",
    "bytes",
    "list",
    "map",
    "null_type",
    "type",
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
];

/// `int`, `string` … as values, for `type(x) == int`.
pub(super) fn type_name(name: &str) -> Option<&'static str> {
    TYPES.into_iter().find(|known| *known == name)
}

#[inline(never)]
pub(super) fn call<'a>(run: &Run<'a>, fun: Fun, name: &str, member: bool, args: &'a [Node]) -> Out<V<'a>> {
    if fun == Fun::HasSchema {
        return has_schema(run, args);
    }
    if fun == Fun::Paired {
        return paired(run, args);
    }
    if fun == Fun::Coalesce {
        return coalesce(run, args);
    }
    let mut found = Vec::with_capacity(args.len());
    for arg in args {
        found.push(run.eval(arg)?);
    }
    if let Fun::Library(fun) = fun {
        let usage = described().find(|row| row.0 == name).map_or("", |row| row.1);
        return library::call(run, fun, name, usage, &found);
    }
    if fun == Fun::Time {
        if found.is_empty() || found.len() > 3 {
            return arity(name, member, found.len());
        }
        return time::call(name, &found.iter().collect::<Vec<_>>());
    }
    match found.as_slice() {
        [one] => single(run, fun, name, member, one),
        [one, two] => double(run, fun, name, member, one, two),
        [one, two, three] if fun == Fun::Replace => replace(run, one, two, three),
        [one, two, three] if fun == Fun::Put => put(run, one, two, three),
        other => arity(name, member, other.len()),
    }
}

/// The step is written as a text: the compiler sees to it.
fn paired<'a>(run: &Run<'a>, args: &'a [Node]) -> Out<V<'a>> {
    let [Node::Text(step)] = args else { return arity("paired", false, args.len()) };
    let why = match run.paired(step) {
        Some(Ok(data)) => return Ok(V::of_data(data)),
        Some(Err(why)) => *why,
        None => {
            return Err(Box::new(ExprError::new(
                Code::PairedNone,
                format!("`paired('{step}')` has no value in this place: it is known in the settings of a step."),
            )));
        }
    };
    let mut all = "nodes".to_owned();
    push_key(&mut all, step);
    let (code, message) = match why {
        Unpaired::Several => (
            Code::PairedSeveral,
            format!(
                "`paired('{step}')`: this item was made of several items of the step `{step}`. Use `{all}.items` for all of \
                 them, or `paired` before they are put together."
            ),
        ),
        Unpaired::TooMany => (
            Code::PairedSeveral,
            format!(
                "`paired('{step}')`: this item was made of more items than are followed back. Use `{all}.items` for all \
                 items of the step."
            ),
        ),
        Unpaired::Failed => (
            Code::PairedNone,
            format!(
                "`paired('{step}')`: this item left the step `{step}` through its error port, so the step has no result for \
                 it. What failed is in `ctx.data`."
            ),
        ),
        Unpaired::Unrelated => (
            Code::PairedNone,
            format!(
                "`paired('{step}')`: this item does not come from an item of the step `{step}`. Use `{all}.output` or \
                 `{all}.items`."
            ),
        ),
    };
    Err(Box::new(ExprError::new(code, message)))
}

/// A missing field is like null here, and only here.
fn coalesce<'a>(run: &Run<'a>, args: &'a [Node]) -> Out<V<'a>> {
    if args.is_empty() {
        return arity("coalesce", false, 0);
    }
    for arg in args {
        match run.eval(arg) {
            Ok(V::Null) => {}
            Ok(value) => return Ok(value),
            Err(error) if error.code == Code::MissingField => {}
            Err(error) => return Err(error),
        }
    }
    Ok(V::Null)
}

fn arity<T>(name: &str, member: bool, count: usize) -> Out<T> {
    let given = if member { count.saturating_sub(1) } else { count };
    let usage = described().find(|row| row.0 == name).map_or("", |row| row.1);
    fail(format!("`{name}` does not take {given} arguments. It is used as `{usage}`."))
}

fn unfit<'a, T>(name: &str, value: &V<'a>) -> Out<T> {
    let usage = described().find(|row| row.0 == name).map_or("", |row| row.1);
    fail(format!("`{name}` does not work with {}. It is used as `{usage}`.", value.kind_with_article()))
}

fn single<'a>(run: &Run<'a>, fun: Fun, name: &str, member: bool, value: &V<'a>) -> Out<V<'a>> {
    if let Some(length) = value.text_length() {
        run.budget.work(length / 16)?;
    }
    if let (Fun::Size, V::LongText(text)) = (fun, value) {
        return Ok(length(text.letters()));
    }
    match fun {
        Fun::Size => match (value, value.text(), value.len()) {
            (_, Some(text), _) => Ok(length(text.chars().count())),
            (V::Bytes(bytes), ..) => Ok(length(bytes.len())),
            (_, _, Some(total)) => Ok(length(total)),
            _ => unfit(name, value),
        },
        Fun::Dyn => Ok(value.clone()),
        Fun::Type => Ok(V::Type(value.kind())),
        Fun::Text => match value {
            V::Text(_) | V::MadeText(_) | V::LongText(_) => Ok(value.clone()),
            V::Time(_) => time::call("string", &[value]),
            V::Null => fail("`string(null)`: null has no text. Test with `== null` first."),
            V::Bytes(_) => match ops::plain(value) {
                Some(text) => made(run, text),
                None => fail("The bytes are not UTF-8 text."),
            },
            // As a value it is refused as well: JSON cannot say it.
            V::Double(v) if !v.is_finite() => {
                fail(format!("`string({v})` is no number. Check for a division by zero."))
            }
            V::Bool(_) | V::Int(_) | V::Uint(_) | V::Large(_) | V::Double(_) | V::Type(_) => {
                made(run, ops::plain(value).unwrap_or_default())
            }
            _ => fail(format!(
                "`string(…)` does not work with {}. Use `{{{{ }}}}` in a text to write it as JSON.",
                value.kind_with_article()
            )),
        },
        Fun::Int => int(value),
        Fun::Uint => uint(value),
        Fun::Double => float(value),
        Fun::Bool => match (value, value.text()) {
            (V::Bool(v), _) => Ok(V::Bool(*v)),
            (_, Some("true" | "True" | "TRUE" | "t" | "1")) => Ok(V::Bool(true)),
            (_, Some("false" | "False" | "FALSE" | "f" | "0")) => Ok(V::Bool(false)),
            (_, Some(_)) => fail("`bool(…)` takes the texts 'true' and 'false' only."),
            _ => unfit(name, value),
        },
        Fun::Bytes => match (value, value.text()) {
            (V::Bytes(_), _) => Ok(value.clone()),
            (_, Some(text)) => {
                run.budget.text(text.len())?;
                Ok(V::Bytes(text.as_bytes().into()))
            }
            _ => unfit(name, value),
        },
        Fun::Lower | Fun::Upper | Fun::Trim => {
            let Some(text) = value.text() else { return unfit(name, value) };
            let ascii = name.ends_with("Ascii");
            made(
                run,
                match (fun, ascii) {
                    (Fun::Trim, _) => text.trim().to_owned(),
                    (Fun::Lower, true) => text.to_ascii_lowercase(),
                    (Fun::Lower, false) => text.to_lowercase(),
                    (_, true) => text.to_ascii_uppercase(),
                    (_, false) => text.to_uppercase(),
                },
            )
        }
        Fun::UrlEncode => match value {
            V::Double(v) if !v.is_finite() => unfit(name, value),
            V::Bool(_)
            | V::Int(_)
            | V::Uint(_)
            | V::Large(_)
            | V::Double(_)
            | V::Text(_)
            | V::MadeText(_)
            | V::LongText(_) => {
                let text = ops::plain(value).unwrap_or_default();
                let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
                // The size is known before anything is made: a byte that is encoded takes three.
                run.budget.text(text.len() + 2 * text.bytes().filter(|byte| !plain(byte)).count())?;
                Ok(V::MadeText(percent(&text).into()))
            }
            _ => unfit(name, value),
        },
        Fun::Join => join(run, value, ""),
        _ => arity(name, member, 1),
    }
}

fn double<'a>(run: &Run<'a>, fun: Fun, name: &str, member: bool, one: &V<'a>, two: &V<'a>) -> Out<V<'a>> {
    if fun == Fun::Join {
        let Some(between) = two.text() else { return unfit(name, two) };
        return join(run, one, between);
    }
    let wanted = matches!(fun, Fun::Contains | Fun::StartsWith | Fun::EndsWith | Fun::Matches | Fun::Split);
    if !wanted {
        return arity(name, member, 2);
    }
    let Some(text) = one.text() else {
        if fun == Fun::Contains && one.len().is_some() {
            return fail("`contains` looks into texts. For a list or an object write `value in list`.");
        }
        return unfit(name, one);
    };
    let Some(part) = two.text() else { return unfit(name, two) };
    run.budget.work((text.len() + part.len()) / 16 + 1)?;
    Ok(match fun {
        Fun::Contains => V::Bool(text.contains(part)),
        Fun::StartsWith => V::Bool(text.starts_with(part)),
        Fun::EndsWith => V::Bool(text.ends_with(part)),
        Fun::Matches => V::Bool(pattern(run, part)?.is_match(text)),
        _ => {
            let mut list = Vec::new();
            if part.is_empty() {
                return fail("`split` needs a text to split at.");
            }
            for piece in text.split(part) {
                run.budget.made(HELD + BLOCK + piece.len())?;
                list.push(V::MadeText(piece.into()));
            }
            V::List(Arc::new(list))
        }
    })
}

fn replace<'a>(run: &Run<'a>, text: &V<'a>, old: &V<'a>, new: &V<'a>) -> Out<V<'a>> {
    let (Some(text), Some(old), Some(new)) = (text.text(), old.text(), new.text()) else {
        return fail("`replace` works on texts: `text.replace('old', 'new')`.");
    };
    if old.is_empty() {
        return fail("`replace` needs a text to look for.");
    }
    run.budget.work(text.len() / 16 + 1)?;
    let count = text.matches(old).count();
    // The size is known before anything is made.
    run.budget.text(text.len() + count.saturating_mul(new.len()))?;
    Ok(V::MadeText(text.replace(old, new).into()))
}

/// Longest list that `put` fills up with nulls.
const MOST_PUT: usize = 1_000_000;
/// As deep as a value may be.
const DEEPEST_PUT: usize = 128;

fn put<'a>(run: &Run<'a>, whole: &V<'a>, way: &V<'a>, value: &V<'a>) -> Out<V<'a>> {
    let (Some(steps), false) = (way.len(), way.is_map()) else { return unfit("put", way) };
    if steps > DEEPEST_PUT {
        return fail(format!("`put` goes at most {DEEPEST_PUT} levels deep; here are {steps}."));
    }
    let mut all = run.json(whole)?;
    let mut here = &mut all;
    for at in 0..steps {
        match way.nth(at) {
            Some(V::Int(index)) => {
                let index = usize::try_from(index).ok().filter(|index| *index < MOST_PUT);
                let Some(index) = index else {
                    return fail(format!("`put` needs places in a list from 0 to {}.", MOST_PUT - 1));
                };
                if here.is_null() {
                    *here = Value::Array(Vec::new());
                }
                let Value::Array(list) = here else {
                    return fail(format!("`put` finds no list where the place {index} should be."));
                };
                if list.len() <= index {
                    run.budget.made(SLOT * (index + 1 - list.len()))?;
                    list.resize(index + 1, Value::Null);
                }
                here = &mut list[index];
            }
            Some(step) => {
                let Some(name) = step.text() else { return unfit("put", &step) };
                if here.is_null() {
                    *here = Value::Object(Map::new());
                }
                let Value::Object(fields) = here else {
                    return fail(format!("`put` finds no object where the field '{name}' should be."));
                };
                run.budget.made(name.len() + ENTRY + SLOT)?;
                here = fields.entry(name.to_owned()).or_insert(Value::Null);
            }
            None => break,
        }
    }
    *here = run.json(value)?;
    Ok(made_of(all))
}

/// JSON that an expression made.
pub(super) fn made_of<'a>(value: Value) -> V<'a> {
    match value {
        Value::Null => V::Null,
        Value::Bool(v) => V::Bool(v),
        Value::Number(n) => V::number(&n),
        Value::String(text) => V::MadeText(text.into()),
        Value::Array(list) => V::List(Arc::new(list.into_iter().map(made_of).collect())),
        Value::Object(map) => {
            V::MadeObject(Arc::new(map.into_iter().map(|(key, one)| (Key::Text(key.into()), made_of(one))).collect()))
        }
    }
}

fn join<'a>(run: &Run<'a>, list: &V<'a>, between: &str) -> Out<V<'a>> {
    let (Some(total), false) = (list.len(), list.is_map()) else { return unfit("join", list) };
    let mut out = String::new();
    for place in 0..total {
        let Some(one) = list.nth(place) else { break };
        let Some(text) = one.text() else {
            return fail(format!(
                "`join` needs a list of texts, but entry {place} is {}. Use `.map(x, string(x))` first.",
                one.kind_with_article()
            ));
        };
        if place > 0 {
            out.push_str(between);
        }
        run.budget.made(text.len() + between.len())?;
        out.push_str(text);
        run.budget.length(out.len())?;
    }
    Ok(V::MadeText(out.into()))
}

fn made<'a>(run: &Run<'a>, text: String) -> Out<V<'a>> {
    run.budget.text(text.len())?;
    Ok(V::MadeText(text.into()))
}

fn length<'a>(count: usize) -> V<'a> {
    V::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

fn int<'a>(value: &V<'a>) -> Out<V<'a>> {
    match (value, value.text()) {
        (V::Int(v), _) => Ok(V::Int(*v)),
        (V::Uint(v) | V::Large(v), _) => match i64::try_from(*v) {
            Ok(v) => Ok(V::Int(v)),
            Err(_) => fail(format!(
                "`int({v})` is out of range: integers end at {}. `uint(…)` takes it, and `string(…)` gives its digits.",
                i64::MAX
            )),
        },
        // -2^63 is refused, too (CEL): as a double it may stand for numbers below.
        (V::Double(v), _) => match whole(v.trunc()).filter(|whole| *whole != i64::MIN) {
            Some(v) => Ok(V::Int(v)),
            None => fail(format!("`int({v})` is out of range: integers are from {} to {}.", i64::MIN, i64::MAX)),
        },
        (_, Some(text)) => number_of(text, "int", "a whole number", i64::MIN, i64::MAX).map(V::Int),
        (V::Time(_), _) => time::call("int", &[value]),
        _ => unfit("int", value),
    }
}

fn uint<'a>(value: &V<'a>) -> Out<V<'a>> {
    match (value, value.text()) {
        (V::Uint(v) | V::Large(v), _) => Ok(V::Uint(*v)),
        (V::Int(v), _) => match u64::try_from(*v) {
            Ok(v) => Ok(V::Uint(v)),
            Err(_) => fail(format!("`uint({v})` is out of range: it is below 0.")),
        },
        (V::Double(v), _) => match whole_unsigned(v.trunc()) {
            Some(v) => Ok(V::Uint(v)),
            None => fail(format!("`uint({v})` is out of range: unsigned integers are from 0 to {}.", u64::MAX)),
        },
        (_, Some(text)) => number_of(text, "uint", "a whole number without a sign", 0, u64::MAX).map(V::Uint),
        _ => unfit("uint", value),
    }
}

/// The number that a text is in digits; the error says whether it is none or out of range, and keeps the text to itself.
fn number_of<T: FromStr<Err = ParseIntError> + Display>(text: &str, name: &str, what: &str, from: T, to: T) -> Out<T> {
    text.parse::<T>().or_else(|error| match error.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
            fail(format!("`{name}(…)`: the number of the text is out of range; it has to be from {from} to {to}."))
        }
        _ => fail(format!("`{name}(…)`: the text is not {what}.")),
    })
}

#[allow(clippy::cast_precision_loss)]
fn float<'a>(value: &V<'a>) -> Out<V<'a>> {
    match (value, value.text()) {
        (V::Int(v), _) => Ok(V::Double(*v as f64)),
        (V::Uint(v) | V::Large(v), _) => Ok(V::Double(*v as f64)),
        (V::Double(v), _) => Ok(V::Double(*v)),
        (_, Some(text)) => match text.parse::<f64>() {
            Ok(v) => Ok(V::Double(v)),
            Err(_) => fail("`double(…)`: the text is not a number."),
        },
        _ => unfit("double", value),
    }
}

/// Compiled patterns by text: a pattern in a loop is compiled once. Size and nesting are bounded, matching is linear.
pub(super) fn pattern(run: &Run<'_>, text: &str) -> Out<regex::Regex> {
    static STORE: OnceLock<Mutex<HashMap<String, regex::Regex>>> = OnceLock::new();
    if text.len() > 2000 {
        return Err(Box::new(ExprError::new(Code::Limit, "The pattern is longer than 2,000 characters.")));
    }
    let store = STORE.get_or_init(Mutex::default);
    if let Some(found) = store.lock().unwrap_or_else(PoisonError::into_inner).get(text) {
        return Ok(found.clone());
    }
    run.budget.work(200_000)?;
    let built = regex::RegexBuilder::new(text).size_limit(1 << 20).dfa_size_limit(1 << 20).nest_limit(50).build();
    match built {
        Ok(found) => {
            let mut held = store.lock().unwrap_or_else(PoisonError::into_inner);
            if held.len() >= 128 {
                held.clear();
            }
            held.insert(text.to_owned(), found.clone());
            Ok(found)
        }
        Err(regex::Error::CompiledTooBig(_)) => {
            Err(Box::new(ExprError::new(Code::Limit, "The pattern is too large. Use smaller repetitions.")))
        }
        Err(_) => fail(format!("`{}` is no valid pattern.", super::error::quote(text))),
    }
}

/// K-10: true for an object that compiles as a JSON Schema, and for a text that names one: of the workflow file, or of this
/// program. Null and absent are false, also when the path to it does not exist.
fn has_schema<'a>(run: &Run<'a>, args: &'a [Node]) -> Out<V<'a>> {
    let [arg] = args else { return arity("has_schema", false, args.len()) };
    let value = match run.eval(arg) {
        Ok(value) => value,
        Err(error) if error.code == Code::MissingField => return Ok(V::Bool(false)),
        Err(error) => return Err(error),
    };
    if let Some(name) = value.text() {
        return Ok(V::Bool(run.schemas().get(name).is_some()));
    }
    if !value.is_map() {
        return Ok(V::Bool(false));
    }
    run.budget.work(200_000)?;
    let json = run.json(&value)?;
    Ok(V::Bool(Schema::compile(&json).is_ok()))
}
