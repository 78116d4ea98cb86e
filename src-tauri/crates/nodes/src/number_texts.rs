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
mod tests {
    use super::{Loss, lost};
    use crate::formats::read_yaml;
    use signalbox_documents::toml_text;

    #[test]
    fn numbers_of_yaml_and_toml_keep_their_digits_or_are_named() {
        for number in
            ["12345678901234567890123", "-12345678901234567890123", "+18446744073709551617", "0.1234567890123456789"]
        {
            let yaml = format!("rows:\n  - id: {number}\n");
            let Some(Loss::Number(found)) = lost(&yaml, &read_yaml(&yaml).expect("YAML")) else { panic!("{number}") };
            assert_eq!((found.written.as_str(), found.line), (number.trim_start_matches('+'), 2));
        }
        let toml = "a = 1\nb = 0.1234567890123456789\n";
        assert!(lost(toml, &toml_text::parse(toml).expect("TOML")).is_some());
        for kept in [
            "a: 9007199254740993\nb: 18446744073709551615\nc: -9223372036854775808\nd: 0.1\ne: 1e22\n",
            "a: '12345678901234567890123'\nb: \"0.1234567890123456789\"\nc: x12345678901234567890123\n",
            "# 12345678901234567890123\na: 3.3333333333333335\n",
        ] {
            assert_eq!(lost(kept, &read_yaml(kept).expect("YAML")), None, "{kept}");
        }
    }
}
