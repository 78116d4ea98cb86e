//! Numbers of YAML and TOML. Their readers hand on doubles and not what is written, so a number that lost digits is found by looking
//! for its text.

use serde_json::Value;
use signalbox_model::digits::{self, Lost};
use signalbox_model::lossless::Loss;
use std::collections::HashSet;

/// The first number of the text that is another one in what was read from it.
pub(crate) fn lost(text: &str, read: &Value) -> Option<Loss> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    let mut doubles = None;
    let mut rest = 0;
    while let Some(start) = text[rest..].find(is_part).map(|found| rest + found) {
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |found| start + found);
        rest = end;
        let word = text[start..end].trim_start_matches('+');
        let Some(double) = changed(word) else { continue };
        let doubles = doubles.get_or_insert_with(|| {
            let mut all = HashSet::new();
            collect(read, &mut all);
            all
        });
        if doubles.contains(&double.to_bits()) {
            let (line, column) = digits::place(text, start);
            return Some(Loss::Number(Lost {
                path: String::new(),
                written: word.chars().take(60).collect(),
                line,
                column,
            }));
        }
    }
    None
}

/// The double that a number is read as, when that is another number.
fn changed(word: &str) -> Option<f64> {
    if word.len() < 16 || !word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let plain = word.replace('_', "");
    let double = plain.parse::<f64>().ok().filter(|double| double.is_finite())?;
    (!digits::keeps(&plain)).then_some(double)
}

fn collect(value: &Value, doubles: &mut HashSet<u64>) {
    match value {
        Value::Number(number) if number.is_f64() => doubles.extend(number.as_f64().map(f64::to_bits)),
        Value::Array(list) => list.iter().for_each(|one| collect(one, doubles)),
        Value::Object(fields) => fields.values().for_each(|one| collect(one, doubles)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
