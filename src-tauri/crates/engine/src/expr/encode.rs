//! Functions that make lists, put objects together and encode texts (ADR 156).

use super::budget::{BLOCK, HELD};
use super::eval::{Out, Run, fail};
use super::funcs::made_of;
use super::val::V;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256, Sha384, Sha512};
use signalbox_model::hash::hex;
use std::sync::Arc;

/// Longest list that `range` makes.
const MOST_RANGE: i128 = 100_000;

/// The fields of both; those of the second win.
pub(super) fn merge<'a>(run: &Run<'a>, first: &V<'a>, second: &V<'a>) -> Option<Out<V<'a>>> {
    if !first.is_map() || !second.is_map() {
        return None;
    }
    Some(run.json(first).and_then(|first| Ok((first, run.json(second)?))).map(|both| match both {
        (Value::Object(mut first), Value::Object(second)) => {
            first.extend(second);
            made_of(Value::Object(first))
        }
        (first, _) => made_of(first),
    }))
}

/// Lists of so many entries; the last one may be shorter.
pub(super) fn chunks<'a>(run: &Run<'a>, list: &V<'a>, size: &V<'a>) -> Option<Out<V<'a>>> {
    let total = list.len().filter(|_| !list.is_map() && list.text().is_none())?;
    let size = match size {
        V::Int(size) => usize::try_from(*size).ok().filter(|size| *size > 0)?,
        _ => return None,
    };
    let parts = total.div_ceil(size);
    Some(run.budget.made((BLOCK + HELD) * (parts + 1) + total * HELD).map(|()| {
        let part = |at: usize| (at * size..total.min((at + 1) * size)).filter_map(|place| list.nth(place)).collect();
        V::List(Arc::new((0..parts).map(|at| V::List(Arc::new(part(at)))).collect()))
    }))
}

/// Whole numbers from one to another, both included where the step reaches them.
pub(super) fn range<'a>(run: &Run<'a>, from: &V<'a>, to: &V<'a>, step: Option<&V<'a>>) -> Option<Out<V<'a>>> {
    let whole = |value: &V<'_>| if let V::Int(value) = value { Some(i128::from(*value)) } else { None };
    let (from, to, step) = (whole(from)?, whole(to)?, step.map_or(Some(1), whole)?);
    if step == 0 {
        return Some(fail("`range` needs a step that is not 0."));
    }
    let count = ((to - from) / step + 1).max(0);
    let count = if (to - from).signum() * step.signum() < 0 { 0 } else { count };
    if count > MOST_RANGE {
        return Some(fail(format!("`range` makes at most {MOST_RANGE} numbers; here are {count}.")));
    }
    let count = usize::try_from(count).unwrap_or(0);
    Some(run.budget.made(BLOCK + count * HELD).map(|()| {
        let mut at = from;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            // Between two numbers of 64 bits.
            list.push(V::Int(i64::try_from(at).unwrap_or_default()));
            at += step;
        }
        V::List(Arc::new(list))
    }))
}

pub(super) fn to_base64<'a>(run: &Run<'a>, text: &str) -> Out<V<'a>> {
    run.budget.work(text.len() / 16 + 1)?;
    run.budget.text(text.len().div_ceil(3) * 4)?;
    Ok(V::MadeText(STANDARD.encode(text).into()))
}

pub(super) fn from_base64<'a>(run: &Run<'a>, text: &str) -> Out<V<'a>> {
    run.budget.work(text.len() / 16 + 1)?;
    run.budget.text(text.len())?;
    match STANDARD.decode(text.trim()).map(String::from_utf8) {
        Ok(Ok(text)) => Ok(V::MadeText(text.into())),
        Ok(Err(_)) => fail("`fromBase64`: the bytes are no text in UTF-8."),
        Err(error) => fail(format!("`fromBase64`: the text is not Base64: {error}.")),
    }
}

/// As lowercase hex digits.
pub(super) fn hash<'a>(run: &Run<'a>, text: &str, name: &str) -> Out<V<'a>> {
    run.budget.work(text.len() / 4 + 8)?;
    run.budget.made(128)?;
    Ok(V::MadeText(match name {
        "SHA-256" => hex(&Sha256::digest(text)).into(),
        "SHA-384" => hex(&Sha384::digest(text)).into(),
        "SHA-512" => hex(&Sha512::digest(text)).into(),
        other => {
            let name = super::error::quote(other);
            return fail(format!("`hash` knows SHA-256, SHA-384 and SHA-512, not {name}."));
        }
    }))
}
