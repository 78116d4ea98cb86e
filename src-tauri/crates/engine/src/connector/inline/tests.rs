use super::inlined;
use serde_json::json;

#[test]
fn references_are_put_in_place_and_circles_end() {
    let schema = json!({
        "type": "object", "required": ["pet"],
        "properties": { "pet": { "$ref": "#/$defs/Pet", "description": "Yours" }, "note": { "anyOf": [{ "type": "string" }, { "type": "null" }] } },
        "$defs": { "Pet": { "allOf": [
            { "$ref": "#/$defs/Animal" },
            { "type": "object", "required": ["owner"], "properties": { "owner": { "type": "string" }, "parent": { "$ref": "#/$defs/Pet" } } },
        ] }, "Animal": { "type": "object", "required": ["name"], "properties": { "name": { "type": "string" } } } },
    });
    let made = inlined(&schema, 6);
    assert_eq!(made.get("$defs"), None);
    let pet = &made["properties"]["pet"];
    assert_eq!(pet["description"], "Yours");
    assert_eq!(pet["required"], json!(["name", "owner"]));
    assert_eq!(pet["properties"]["name"], json!({ "type": "string" }));
    assert_eq!(pet["properties"]["parent"], json!({}));
    assert_eq!(made["properties"]["note"], json!({ "type": "string" }));
}

/// Twenty levels of two references each would be a million schemas.
#[test]
fn what_would_grow_without_end_is_cut() {
    let mut defs = serde_json::Map::new();
    for level in 0..20 {
        let next = json!({ "$ref": format!("#/$defs/L{}", level + 1) });
        defs.insert(format!("L{level}"), json!({ "type": "object", "properties": { "a": next, "b": next } }));
    }
    let made = inlined(&json!({ "$ref": "#/$defs/L0", "$defs": defs }), 30);
    assert!(made.to_string().len() < 1_000_000);
}
