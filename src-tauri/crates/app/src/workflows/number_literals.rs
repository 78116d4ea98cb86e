//! Numbers that an editor has rewritten: JSON in a page knows no difference between 3.0 and 3, expressions do.

use serde_json::{Number, Value};

/// What was sent, with each number as it is recorded at the same place when both are the same number.
pub(crate) fn as_recorded(recorded: &Value, sent: Value) -> Value {
    match (recorded, sent) {
        (Value::Number(recorded), Value::Number(sent)) if same(recorded, &sent) => Value::Number(recorded.clone()),
        (Value::Array(recorded), Value::Array(sent)) => {
            let mut recorded = recorded.iter();
            sent.into_iter().map(|value| as_recorded(recorded.next().unwrap_or(&Value::Null), value)).collect()
        }
        (Value::Object(recorded), Value::Object(sent)) => {
            let own = |name: &String| recorded.get(name).unwrap_or(&Value::Null);
            Value::Object(
                sent.into_iter().map(|(name, value)| (name.clone(), as_recorded(own(&name), value))).collect(),
            )
        }
        (_, sent) => sent,
    }
}

/// One is written as a whole number, the other is not. Without loss: a large whole number is no number with a point.
fn same(one: &Number, other: &Number) -> bool {
    let (whole, point) = if one.is_f64() { (other, one) } else { (one, other) };
    let whole = whole.as_i64().map(i128::from).or_else(|| whole.as_u64().map(i128::from));
    match (whole, point.as_f64().filter(|_| point.is_f64())) {
        (Some(whole), Some(point)) => point.fract() == 0.0 && point as i128 == whole,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::as_recorded;
    use serde_json::json;

    #[test]
    fn a_number_that_is_the_same_stays_as_it_was_written() {
        let recorded = json!({ "half": 3.0, "whole": 3, "list": [1.0, { "deep": -2.0 }], "text": "3.0" });
        let sent = json!({ "half": 3, "whole": 3.0, "list": [1, { "deep": -2 }, 7], "text": 3, "new": 5 });
        let meant = json!({ "half": 3.0, "whole": 3, "list": [1.0, { "deep": -2.0 }, 7], "text": 3, "new": 5 });
        assert_eq!(as_recorded(&recorded, sent).to_string(), meant.to_string());
        let changed = json!({ "half": 3.5, "whole": 4 });
        assert_eq!(as_recorded(&recorded, changed.clone()), changed);
        let large = json!(9_007_199_254_740_993_i64);
        assert_eq!(as_recorded(&json!(9_007_199_254_740_992.0), large.clone()).to_string(), large.to_string());
    }
}
