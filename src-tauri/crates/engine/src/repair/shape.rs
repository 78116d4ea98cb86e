//! Rungs that look at one value: its type, and how it is written.

use super::fixer::{ARR, BOOL, Fixer, INT, NULL, NUM, OBJ, Place, STR, View, element_schemas, kinds, shown};
use super::text::{Found, MAX_TEXT, Wanted};
use super::{Rung, date, names, number, text};
use crate::patch::pointer;
use serde_json::Value;

/// A rung that reads a text.
type Reader = fn(&str, Wanted) -> Found;

impl<'s> Fixer<'s> {
    pub(super) fn shape(&mut self, value: &mut Value, place: Place<'_, 's>, view: &View<'s>) {
        let Some(wanted) = kinds(view).filter(|wanted| wanted & self.kind(value) == 0) else {
            self.refine(value, view, place.path);
            return;
        };
        let _ = self.read_text(value, view, wanted, place.path)
            || self.open_single(value, place, wanted)
            || self.coerce(value, view, wanted, place.path)
            || self.put_into_list(value, place, view, wanted);
    }

    /// Rungs for a text that holds a container.
    fn read_text(&mut self, value: &mut Value, view: &View<'s>, wanted: u8, path: &str) -> bool {
        const READERS: [(Rung, Reader); 4] = [
            (Rung::StripFences, text::fences),
            (Rung::StripProse, text::prose),
            (Rung::JsonRepair, text::mend),
            (Rung::DoubleEncoded, text::decode),
        ];
        let Value::String(original) = &*value else { return false };
        let want = Wanted { object: wanted & OBJ != 0, list: wanted & ARR != 0 };
        if !(want.object || want.list) || !original.contains(['{', '[']) {
            return false;
        }
        if original.len() > MAX_TEXT {
            self.left(
                Rung::JsonRepair,
                path,
                format!("The text has more than {MAX_TEXT} bytes and is not looked into."),
            );
            return false;
        }
        if !self.spend(original.len() / 256 + 1) {
            return false;
        }
        // `see [1]` can itself be an element of a list of texts.
        let elements = element_schemas(view, 0);
        let sentence = want.list && {
            let inner = self.view(&elements, &Value::Null);
            kinds(&inner).is_none_or(|kinds| kinds & STR != 0)
        };
        let mark = self.mark();
        let mut now = original.clone();
        for (rung, reader) in READERS {
            if sentence && rung == Rung::StripProse {
                continue;
            }
            match reader(&now, want) {
                Found::Value(made, how) => {
                    let how = if how.is_empty() { String::new() } else { format!(": {how}") };
                    self.changed(rung, path, &Value::String(now), &made, format!("{}{how}.", does(rung)));
                    *value = made;
                    return true;
                }
                Found::Text(shorter) if shorter != now => {
                    let (from, to) = (Value::String(now), Value::String(shorter.clone()));
                    self.changed(rung, path, &from, &to, format!("{}.", does(rung)));
                    now = shorter;
                }
                Found::Refused(reason) => self.left(rung, path, format!("Not done: {reason}.")),
                Found::Text(_) | Found::Nothing => {}
            }
        }
        self.back(mark, true);
        false
    }

    /// `unwrap_single` for a list of one.
    fn open_single(&mut self, value: &mut Value, place: Place<'_, 's>, wanted: u8) -> bool {
        let path = place.path;
        if wanted & ARR != 0 {
            return false;
        }
        let Value::Array(list) = &*value else { return false };
        let [only] = list.as_slice() else {
            let reason = format!("The list has {} elements; one value is wanted and none is chosen.", list.len());
            self.left(Rung::UnwrapSingle, path, reason);
            return false;
        };
        let mark = self.mark();
        let mut inner = only.clone();
        self.changed(Rung::UnwrapSingle, path, value, &inner, "The list of one is opened.".into());
        self.node(&mut inner, Place { level: place.level + 1, ..place });
        if wanted & self.kind(&inner) == 0 {
            self.back(mark, true);
            return false;
        }
        *value = inner;
        true
    }

    /// `unwrap_single` the other way round: a value where a list is wanted.
    fn put_into_list(&mut self, value: &mut Value, place: Place<'_, 's>, view: &View<'s>, wanted: u8) -> bool {
        let path = place.path;
        if wanted & ARR == 0 || value.is_array() || value.is_null() {
            return false;
        }
        if self.wrapped.last().is_some_and(|place| place == path) {
            return false;
        }
        let mark = self.mark();
        let schemas = element_schemas(view, 0);
        let mut inner = value.clone();
        self.changed(
            Rung::UnwrapSingle,
            path,
            value,
            &Value::Array(vec![inner.clone()]),
            "The one value is put into a list.".into(),
        );
        let first = pointer::push(path, "0");
        self.wrapped.push(first.clone());
        self.node(&mut inner, place.part(&schemas, &first));
        self.wrapped.pop();
        let fits = schemas.iter().all(|schema| self.checker.fits(schema, &inner));
        if !fits {
            self.back(mark, true);
            self.left(Rung::UnwrapSingle, path, "A list is wanted, and the value does not fit as its element.".into());
            return false;
        }
        *value = Value::Array(vec![inner]);
        true
    }

    /// Rungs for a scalar of another type.
    fn coerce(&mut self, value: &mut Value, view: &View<'s>, wanted: u8, path: &str) -> bool {
        let Some((rung, made, left)) = self.converted(value, view, wanted, path) else { return false };
        let (before, after) = (self.broken(view, value), self.broken(view, &made));
        if !after.is_empty() && !before.iter().any(|word| word == "type") {
            return false;
        }
        let note = format!("{} is written as {}{left}.", shown(value), shown(&made));
        self.changed(rung, path, value, &made, note);
        *value = made;
        true
    }

    fn converted(&mut self, value: &Value, view: &View<'s>, wanted: u8, path: &str) -> Option<(Rung, Value, String)> {
        match value {
            Value::String(text) => {
                let trimmed = text.trim();
                let mut refused = None;
                if wanted & (INT | NUM) != 0 {
                    let integer = wanted & NUM == 0;
                    if let number::Reading::Is(made, left) = number::plain(trimmed, integer) {
                        return Some((Rung::CoerceType, made, left));
                    }
                    match number::formatted(trimmed, integer) {
                        number::Reading::Is(made, left) => return Some((Rung::NumberFormat, made, left)),
                        number::Reading::Refused(reason) => refused = Some(reason),
                    }
                }
                if wanted & BOOL != 0 {
                    match trimmed.to_lowercase().as_str() {
                        "true" | "yes" | "on" | "1" => {
                            return Some((Rung::CoerceType, Value::Bool(true), String::new()));
                        }
                        "false" | "no" | "off" | "0" => {
                            return Some((Rung::CoerceType, Value::Bool(false), String::new()));
                        }
                        _ => {
                            refused.get_or_insert_with(|| "it is neither yes nor no".into());
                        }
                    }
                }
                if wanted & NULL != 0 && matches!(trimmed, "null" | "None") {
                    return Some((Rung::CoerceType, Value::Null, String::new()));
                }
                if let Some(reason) = refused {
                    let rung = if wanted & (INT | NUM) == 0 { Rung::CoerceType } else { Rung::NumberFormat };
                    self.left(rung, path, format!("{} is left: {reason}.", shown(value)));
                }
                None
            }
            Value::Number(found) => {
                if wanted & INT != 0 && found.is_f64() {
                    let whole = found.as_f64().and_then(number::whole_number);
                    if whole.is_none() {
                        let reason = format!("{found} is left: a whole number is wanted and nothing is rounded.");
                        self.left(Rung::CoerceType, path, reason);
                    }
                    return whole.map(|made| (Rung::CoerceType, made, String::new()));
                }
                if wanted & STR != 0 {
                    if formats(view).any(|format| format == "date-time")
                        && let Ok(made) = date::date_time(&found.to_string())
                    {
                        return Some((Rung::DateFormat, Value::String(made), String::new()));
                    }
                    return Some((Rung::CoerceType, Value::String(found.to_string()), String::new()));
                }
                match found.as_u64() {
                    Some(bit @ (0 | 1)) if wanted & BOOL != 0 => {
                        Some((Rung::CoerceType, Value::Bool(bit == 1), String::new()))
                    }
                    _ => None,
                }
            }
            Value::Bool(found) if wanted & STR != 0 => {
                Some((Rung::CoerceType, Value::String(found.to_string()), String::new()))
            }
            _ => None,
        }
    }

    /// Rungs for a text of the right type.
    fn refine(&mut self, value: &mut Value, view: &View<'s>, path: &str) {
        let Value::String(text) = &*value else { return };
        let before = self.broken(view, value);
        if before.is_empty() {
            return;
        }
        let text = text.clone();
        let trimmed = text.trim();
        if trimmed != text && self.better(view, trimmed.into(), before.len()) {
            let note = "Blanks at the ends are taken away.".to_owned();
            self.take(Rung::Trim, value, trimmed.into(), path, note);
            return;
        }
        if before.iter().any(|word| word == "enum" || word == "const") {
            let options: Vec<&str> = options(view);
            match names::only(&text, &options, self.guess) {
                Some((meant, guess)) if self.better(view, meant.into(), before.len()) => {
                    let how = if guess { "is read as a typo of" } else { "is" };
                    let note = format!("{} {how} {}.", shown(value), shown(&Value::from(meant)));
                    self.take(Rung::EnumMatch, value, meant.into(), path, note);
                    return;
                }
                _ => {
                    let reason =
                        format!("{} is left: none, or more than one, of the allowed values is close.", shown(value));
                    self.left(Rung::EnumMatch, path, reason);
                }
            }
        }
        if before.iter().any(|word| word == "format") {
            let read = formats(view).find_map(|format| match format {
                "date" => Some(date::date(&text)),
                "date-time" => Some(date::date_time(&text)),
                _ => None,
            });
            match read {
                Some(Ok(made)) if self.better(view, made.as_str().into(), before.len()) => {
                    let note = format!("{} is written as {made}.", shown(value));
                    self.take(Rung::DateFormat, value, made.into(), path, note);
                }
                Some(Err(reason)) => {
                    self.left(Rung::DateFormat, path, format!("{} is left: {reason}.", shown(value)));
                }
                _ => {}
            }
        }
    }

    fn better(&mut self, view: &View<'s>, made: Value, before: usize) -> bool {
        self.broken(view, &made).len() < before
    }

    fn take(&mut self, rung: Rung, value: &mut Value, made: Value, path: &str, note: String) {
        self.changed(rung, path, value, &made, note);
        *value = made;
    }
}

fn does(rung: Rung) -> &'static str {
    match rung {
        Rung::StripFences => "The code fence is taken away",
        Rung::StripProse => "The text around the value is taken away",
        Rung::JsonRepair => "The JSON is mended",
        _ => "The JSON inside the text is read",
    }
}

fn formats<'v>(view: &'v View<'_>) -> impl Iterator<Item = &'v str> {
    view.iter().filter_map(|map| map.get("format").and_then(Value::as_str))
}

/// The texts among the allowed values of all schemas.
fn options<'s>(view: &View<'s>) -> Vec<&'s str> {
    let mut out: Vec<&str> = Vec::new();
    for map in view {
        let listed = map.get("enum").and_then(Value::as_array).into_iter().flatten();
        for option in listed.chain(map.get("const")).filter_map(Value::as_str) {
            if !out.contains(&option) {
                out.push(option);
            }
        }
    }
    out
}
