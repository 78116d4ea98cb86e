use super::without_numbers;
use serde_json::json;

#[test]
fn masks_of_two_runs_look_alike() {
    let masked =
        json!({ "who": "•••12•", "text": "for •••1• and •••2•: •••", "list": ["•••", "••• 3•", "•••4"], "n": 1 });
    let alike = json!({ "who": "•••", "text": "for ••• and •••: •••", "list": ["•••", "••• 3•", "•••4"], "n": 1 });
    assert_eq!(without_numbers(masked), alike);
}
