//! Numbers that are written as text. Nothing is rounded and nothing is guessed: where a separator or a sign has two
//! meanings, the text stays and the reason says why.

use serde_json::{Number, Value};

/// Digits that a float keeps.
const EXACT_DIGITS: usize = 15;
/// Largest integer below which a float has no gaps.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Signs and codes of currencies that may stand before or behind.
const CURRENCIES: &[&str] = &["€", "$", "£", "¥", "EUR", "USD", "GBP", "CHF", "JPY"];

/// What became of a text.
pub(super) enum Reading {
    /// The number, and what was left out.
    Is(Value, String),
    /// Why it is none, or which one is unclear.
    Refused(String),
}

/// A number as JSON writes it (also with a `+` before).
pub(super) fn plain(text: &str, integer: bool) -> Reading {
    let text = text.trim();
    let body = text.strip_prefix('+').unwrap_or(text);
    let unsigned = body.strip_prefix('-').unwrap_or(body);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let signless = exponent.map(|e| e.strip_prefix(['+', '-']).unwrap_or(e));
    if !digits(whole) || !fraction.is_none_or(digits) || !signless.is_none_or(digits) || body.starts_with('+') {
        return Reading::Refused("it is not written as a number".into());
    }
    if whole.len() > 1 && whole.starts_with('0') {
        return Reading::Refused("its leading zeros would be lost; it may be an identifier".into());
    }
    if fraction.is_none() && exponent.is_none() {
        if let Ok(number) = body.parse::<i64>() {
            return Reading::Is(Value::from(number), String::new());
        }
        return match body.parse::<u64>() {
            Ok(number) => Reading::Is(Value::from(number), String::new()),
            Err(_) => Reading::Refused("it has more digits than a number keeps".into()),
        };
    }
    let kept = mantissa.replace('.', "");
    let kept = kept.trim_start_matches('0');
    if kept.len() > EXACT_DIGITS {
        return Reading::Refused("it has more digits than a number keeps".into());
    }
    let Some(number) =
        body.parse::<f64>().ok().filter(|number| number.is_finite() && (*number != 0.0 || kept.is_empty()))
    else {
        return Reading::Refused("it is too large or too small for a number".into());
    };
    if integer {
        return match whole_number(number) {
            Some(number) => Reading::Is(number, String::new()),
            None => Reading::Refused("it has a fraction and a whole number is wanted; nothing is rounded".into()),
        };
    }
    // `3.50` becomes 3.5, and `42.0` stays a float.
    Number::from_f64(number).map_or_else(
        || Reading::Refused("it is no finite number".into()),
        |number| Reading::Is(Value::Number(number), String::new()),
    )
}

/// The integer of a float without a fraction.
pub(super) fn whole_number(number: f64) -> Option<Value> {
    #[expect(clippy::cast_possible_truncation, reason = "below 2^53 and without a fraction")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then(|| Value::from(number as i64))
}

/// A number with separators of thousands, a decimal comma or a currency.
pub(super) fn formatted(text: &str, integer: bool) -> Reading {
    let mut rest = text.trim();
    if rest.ends_with('%') || rest.starts_with('%') {
        return Reading::Refused("a percentage can mean 12 or 0.12".into());
    }
    let mut negative = false;
    let mut currency = None;
    // A sign and a currency stand before the digits in either order.
    for _ in 0..2 {
        if let Some(after) = rest.strip_prefix(['-', '−']).filter(|_| !negative) {
            negative = true;
            rest = after.trim_start();
        } else if currency.is_none()
            && let Some((sign, after)) = CURRENCIES.iter().find_map(|sign| Some((*sign, rest.strip_prefix(sign)?)))
        {
            currency = Some(sign);
            rest = after.trim_start();
        }
    }
    if currency.is_none()
        && let Some((sign, before)) = CURRENCIES.iter().find_map(|sign| Some((*sign, rest.strip_suffix(sign)?)))
    {
        currency = Some(sign);
        rest = before.trim_end();
    }
    if let Some(other) = rest.chars().find(|c| !(c.is_ascii_digit() || separator(*c))) {
        let what = if other.is_alphabetic() {
            "it has letters; leaving them out could change its meaning"
        } else {
            "it is not written as a number"
        };
        return Reading::Refused(what.into());
    }
    let (whole, fraction) = match split(rest) {
        Ok(parts) => parts,
        Err(reason) => return Reading::Refused(reason),
    };
    let sign = if negative { "-" } else { "" };
    let number = if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") };
    match plain(&number, integer) {
        Reading::Is(value, _) => {
            let left = currency.map(|sign| format!("; `{sign}` is left out")).unwrap_or_default();
            Reading::Is(value, left)
        }
        refused => refused,
    }
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn separator(c: char) -> bool {
    matches!(c, ',' | '.') || group_only(c)
}

/// Separators that are never a decimal sign.
fn group_only(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '’')
}

/// Digits before and after the decimal sign.
fn split(text: &str) -> Result<(String, String), String> {
    let marks: Vec<char> = text.chars().filter(|c| separator(*c)).collect();
    let spaced = marks.iter().any(|c| group_only(*c));
    let last = marks.last().copied().filter(|c| !group_only(*c));
    let decimal = match last {
        None => None,
        Some(mark) => {
            let times = marks.iter().filter(|c| **c == mark).count();
            let others = marks.len() > times;
            if times > 1 {
                if others {
                    return Err("its separators do not follow one rule".into());
                }
                None
            } else if others || spaced {
                Some(mark)
            } else {
                let (before, after) = text.split_once(mark).unwrap_or((text, ""));
                if after.len() == 3 && (1..=3).contains(&before.len()) && !before.starts_with('0') {
                    let (one, two) = (format!("{before}{after}"), format!("{before}.{after}"));
                    return Err(format!("it can mean {one} or {two}"));
                }
                Some(mark)
            }
        }
    };
    let (whole, fraction) = match decimal {
        Some(mark) => text.rsplit_once(mark).unwrap_or((text, "")),
        None => (text, ""),
    };
    if decimal.is_some() && !digits(fraction) {
        return Err("it is not written as a number".into());
    }
    let mut groups = whole.split(separator);
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    let one_kind = {
        let mut kinds: Vec<char> = whole.chars().filter(|c| separator(*c)).collect();
        kinds.dedup();
        kinds.len() <= 1
    };
    let regular = rest.is_empty() || (first.len() <= 3 && !first.starts_with('0'));
    if !digits(first) || !regular || !one_kind || rest.iter().any(|group| group.len() != 3 || !digits(group)) {
        return Err("its groups of digits are not groups of three".into());
    }
    Ok((format!("{first}{}", rest.concat()), fraction.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{Reading, formatted, plain};
    use serde_json::json;

    #[test]
    fn numbers_are_read_or_refused() {
        for (text, wanted) in [
            ("1,234.56", json!(1234.56)),
            ("1.234,56", json!(1234.56)),
            ("1 234,567", json!(1234.567)),
            ("1'234'567", json!(1_234_567)),
            ("1,234,567", json!(1_234_567)),
            ("12,5", json!(12.5)),
            ("0,125", json!(0.125)),
            ("1234,567", json!(1234.567)),
            ("€ 12", json!(12)),
            ("-€ 1.234.567", json!(-1_234_567)),
            ("12.50 USD", json!(12.5)),
        ] {
            assert!(matches!(formatted(text, false), Reading::Is(value, _) if value == wanted), "{text}");
        }
        for text in [
            "1,234",
            "€ 1.234",
            "12 %",
            "12 kg",
            "12abc",
            "1,2,3",
            "1.2.3",
            "1,23,456",
            "01,234",
            "(12)",
            "",
            "€",
            ",5",
            "5,",
            "1.234,567.8",
            "--1",
        ] {
            assert!(matches!(formatted(text, false), Reading::Refused(_)), "{text}");
        }
        for text in [
            "007",
            "1e999",
            "1e-999",
            "12345678901234567890123",
            "0.12345678901234567",
            "++1",
            "0x10",
            ".5",
            "5.",
            "NaN",
            "٣",
        ] {
            assert!(matches!(plain(text, false), Reading::Refused(_)), "{text}");
        }
        assert!(matches!(plain("3.7", true), Reading::Refused(_)));
        assert!(matches!(plain("4.0", true), Reading::Is(value, _) if value == json!(4)));
        assert!(matches!(plain("18446744073709551615", true), Reading::Is(..)));
    }
}
