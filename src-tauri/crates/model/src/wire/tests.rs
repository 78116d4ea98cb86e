use super::{WIRE_LIMIT, truncate};
use serde_json::{Value, json};

#[test]
fn ts_069_a_value_is_whole_at_the_limit_and_cut_one_above() {
    let whole = Value::String("x".repeat(WIRE_LIMIT - 2));
    assert_eq!(truncate(&whole, "r"), None);
    let cut = truncate(&Value::String("x".repeat(WIRE_LIMIT - 1)), "r").expect("above the limit");
    assert_eq!(cut["length"], json!(10_241));
    assert_eq!(cut["preview"].as_str().map(|p| p.chars().count()), Some(203));
    assert_eq!(cut["type"], "string");
}

#[test]
fn ts_070_the_preview_never_splits_a_character() {
    let text = format!("{}😀{}", "a".repeat(199), "b".repeat(10_099));
    let cut = truncate(&Value::String(text), "r").expect("above the limit");
    assert_eq!(cut["preview"], json!(format!("{}...", "a".repeat(199))));
}
