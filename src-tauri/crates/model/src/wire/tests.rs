use super::{WIRE_LIMIT, truncate, truncate_event};
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

fn event(data: Value) -> Value {
    let items = json!({ "success": [{ "id": "1", "data": data }, { "id": "2", "data": 1 }] });
    json!({ "runId": "r", "seq": 3, "payload": { "items": items } })
}

#[test]
fn k_28_one_large_part_of_a_value_is_cut_alone() {
    let mut cut = event(json!({ "small": 1, "large": "x".repeat(WIRE_LIMIT) }));
    truncate_event(&mut cut);
    let data = &cut["payload"]["items"]["success"][0]["data"];
    assert_eq!(data["small"], 1);
    assert_eq!(data["large"]["ref"], "r/3/payload/items/success/0/data/large");
}

#[test]
fn k_28_a_value_of_many_small_parts_is_cut_whole() {
    let many: serde_json::Map<String, Value> = (0..3_000).map(|n| (format!("field{n}"), json!(n))).collect();
    let length = Value::Object(many.clone()).to_string().len();
    let mut cut = event(Value::Object(many));
    truncate_event(&mut cut);
    let list = cut["payload"]["items"]["success"].as_array().expect("the list of items stays");
    assert_eq!((list.len(), &list[0]["id"], &list[1]["data"]), (2, &json!("1"), &json!(1)));
    let data = &list[0]["data"];
    assert_eq!((&data["type"], &data["length"]), (&json!("object"), &json!(length)));
    assert_eq!(data["ref"], "r/3/payload/items/success/0/data");
}
