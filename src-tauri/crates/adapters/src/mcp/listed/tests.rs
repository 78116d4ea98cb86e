use super::{LARGEST, kept, unusable};
use serde_json::{Value, json};

fn wide(properties: usize) -> Value {
    let all: serde_json::Map<String, Value> =
        (0..properties).map(|at| (format!("property{at}"), json!({ "type": "string" }))).collect();
    json!({ "type": "object", "properties": all })
}

#[test]
fn what_is_checked_against_fits_what_is_kept() {
    assert_eq!(LARGEST, signalbox_engine::schema::MAX_SIZE);
}

#[test]
fn a_tool_is_kept_as_it_is_told_without_what_is_unknown() {
    let tool = json!({ "name": "pay", "description": "Pays.", "inputSchema": wide(1_000), "_meta": {} });
    let kept = kept(&tool);
    assert_eq!(kept, json!({ "name": "pay", "description": "Pays.", "inputSchema": wide(1_000) }));
    assert_eq!(unusable(&kept), None);
}

#[test]
fn of_a_part_that_is_too_large_its_size_alone_is_kept() {
    for (part, value, told) in [
        ("inputSchema", wide(100_000), "schema of its arguments"),
        ("outputSchema", wide(100_000), "schema of its answer"),
        ("description", "long ".repeat(100_000).into(), "description"),
    ] {
        let size = value.to_string().len();
        let mut tool = json!({ "name": "pay" });
        tool[part] = value;
        let kept = kept(&tool);
        assert_eq!(kept, json!({ "name": "pay", "leftOut": { part: size } }));
        let why = unusable(&kept).expect("a reason");
        assert!(why.contains(told) && why.ends_with("at most 256 KiB are looked at"), "{why}");
    }
}
