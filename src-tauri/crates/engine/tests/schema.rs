//! Foreign schemas: limits, references, formats, messages.

use serde_json::{Value, json};
use signalbox_engine::schema::{MAX_VIOLATIONS, Schema};

#[track_caller]
fn refused(schema: &Value, part: &str) {
    let error = Schema::compile(schema).map(|_| ()).unwrap_err();
    assert!(error.contains(part), "{error}");
}

#[test]
fn validates_with_paths_and_keywords() {
    let schema = Schema::compile(&json!({
        "type": "object", "required": ["email", "age"],
        "properties": { "email": { "type": "string", "format": "email" }, "age": { "type": "integer", "minimum": 0 } }
    }))
    .unwrap();
    assert_eq!(schema.validate(&json!({ "email": "a@example.com", "age": 3 })), Ok(()));
    let found = schema.validate(&json!({ "email": "no", "age": -1 })).unwrap_err();
    let shown: Vec<(&str, &str)> = found.iter().map(|v| (v.path.as_str(), v.keyword.as_str())).collect();
    assert_eq!(shown, [("/email", "format"), ("/age", "minimum")]);
    let found = schema.validate(&json!({ "email": "a@example.com" })).unwrap_err();
    assert_eq!((found[0].path.as_str(), found[0].keyword.as_str()), ("", "required"));
    assert!(found[0].message.contains("age"), "{}", found[0].message);
}

#[test]
fn long_values_are_masked_and_violations_bounded() {
    let schema = Schema::compile(&json!({ "items": { "type": "integer" }, "maxItems": 5 })).unwrap();
    let secret = "s3cret".repeat(50);
    let list: Vec<Value> = (0..100).map(|_| json!(secret)).collect();
    let found = schema.validate(&json!(list)).unwrap_err();
    assert_eq!(found.len(), MAX_VIOLATIONS);
    for one in found {
        assert!(!one.message.contains("s3cret"), "{}", one.message);
        assert!(one.message.chars().count() < 401);
    }
}

#[test]
fn nothing_is_fetched() {
    for target in ["https://example.com/x.json", "file:///etc/passwd", "other.json", "x#/a", "//host/x"] {
        refused(&json!({ "$ref": target }), "leads out of the schema");
        refused(&json!({ "properties": { "a": { "items": { "$ref": target } } } }), "leads out of the schema");
    }
    refused(&json!({ "$ref": "#/$defs/nope" }), "leads to nothing");
    refused(&json!({ "properties": { "a": { "$id": "https://x.org/y", "type": "string" } } }), "$id");
    assert!(Schema::compile(&json!({ "$schema": "https://example.com/own-meta-schema" })).is_err());
    // Data that only looks like a reference.
    assert!(Schema::compile(&json!({ "const": { "$ref": "https://x.org" }, "default": { "$ref": "x" } })).is_ok());
    assert!(
        Schema::compile(&json!({ "properties": { "$ref": { "type": "string" }, "id": { "type": "string" } } })).is_ok()
    );
    for draft in ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"] {
        assert!(Schema::compile(&json!({ "$schema": draft, "type": "string" })).is_ok(), "{draft}");
    }
}

#[test]
fn growth_depth_and_size_are_bounded() {
    let mut defs = serde_json::Map::new();
    for level in 0..28 {
        let next = format!("#/$defs/a{}", level + 1);
        defs.insert(format!("a{level}"), json!({ "allOf": [{ "$ref": next }, { "$ref": next }] }));
    }
    defs.insert("a28".into(), json!({ "type": "string" }));
    refused(&json!({ "$ref": "#/$defs/a0", "$defs": defs }), "grows to more than");
    refused(&json!({ "$ref": "#" }), "refers to itself");
    refused(&json!({ "allOf": [{ "$ref": "#" }, { "$ref": "#" }] }), "refers to itself");
    refused(
        &json!({ "$ref": "#/$defs/a", "$defs": { "a": { "anyOf": [{ "$ref": "#/$defs/b" }] }, "b": { "$ref": "#/$defs/a" } } }),
        "refers to itself",
    );
    let mut deep = json!({ "type": "string" });
    for _ in 0..100 {
        deep = json!({ "not": deep });
    }
    refused(&deep, "deeper than");
    refused(&json!({ "description": "x".repeat(300_000) }), "at most");
    refused(&json!("Order"), "is an object");
    refused(&json!({ "type": 5 }), "not valid");
    refused(&json!({ "pattern": "(?=x)" }), "not valid");
    refused(&json!({ "pattern": "((a{1000}){1000}){1000}" }), "not valid");
    // A tree is fine.
    let tree = Schema::compile(&json!({
        "type": "object", "properties": { "children": { "type": "array", "items": { "$ref": "#" } } }
    }))
    .unwrap();
    assert_eq!(tree.validate(&json!({ "children": [{ "children": [] }] })), Ok(()));
    assert!(tree.validate(&json!({ "children": [{ "children": 5 }] })).is_err());
    let mut deep = json!({});
    for _ in 0..200 {
        deep = json!({ "children": [deep] });
    }
    assert_eq!(tree.validate(&deep).unwrap_err()[0].keyword, "depth");
    let slow = Schema::compile(&json!({ "pattern": "^(a+)+$" })).unwrap();
    assert!(slow.validate(&json!(format!("{}!", "a".repeat(50_000)))).is_err());
}

/// Two alternatives that both lead back for the same member: every level doubles the checks.
fn doubling(word: &str) -> Value {
    let branch = |kind: &str| json!({ "properties": { "next": { "$ref": "#" }, "k": { "type": kind } } });
    json!({ "type": "object", word: [branch("string"), branch("integer")] })
}

fn chain(depth: usize, last: &Value) -> Value {
    (0..depth).fold(last.clone(), |inner, _| json!({ "next": inner, "k": true }))
}

#[test]
fn alternatives_that_all_refer_back_are_bounded() {
    for word in ["anyOf", "oneOf", "allOf"] {
        let schema = Schema::compile(&doubling(word)).unwrap();
        assert_eq!(schema.validate(&json!({ "next": { "k": "x" } })).is_ok(), word == "anyOf", "{word}");
        for depth in [10, 14, 18, 24, 60, 100] {
            let found = schema.validate(&chain(depth, &json!({ "k": true }))).unwrap_err();
            assert!(!found.is_empty(), "{word} {depth}");
        }
        let found = schema.validate(&chain(60, &json!({}))).unwrap_err();
        assert!(found[0].message.contains("refer back"), "{word}: {}", found[0].message);
    }
}

#[test]
fn recursive_schemas_of_every_day_check_large_values() {
    let tree = Schema::compile(&json!({
        "type": "object", "required": ["name"], "additionalProperties": false,
        "properties": { "name": { "type": "string" }, "left": { "$ref": "#" }, "right": { "$ref": "#" },
                        "children": { "type": "array", "items": { "$ref": "#" } } }
    }))
    .unwrap();
    let mut full = json!({ "name": "leaf" });
    for _ in 0..12 {
        full = json!({ "name": "n", "left": full, "right": full });
    }
    assert_eq!(tree.validate(&full), Ok(()));
    let wide: Vec<Value> = (0..20_000).map(|i| json!({ "name": i.to_string() })).collect();
    assert_eq!(tree.validate(&json!({ "name": "root", "children": wide })), Ok(()));
    full["left"]["right"]["name"] = json!(1);
    assert_eq!(tree.validate(&full).unwrap_err()[0].path, "/left/right/name");
    // An expression: one of several kinds of nodes, each with parts of its own.
    let expression = Schema::compile(&json!({ "$ref": "#/$defs/e", "$defs": { "e": { "oneOf": [
        { "type": "number" },
        { "type": "object", "required": ["op"], "properties": { "op": { "const": "not" }, "a": { "$ref": "#/$defs/e" } } },
        { "type": "object", "required": ["op"], "properties": { "op": { "const": "add" },
          "a": { "$ref": "#/$defs/e" }, "b": { "$ref": "#/$defs/e" } } }
    ] } } }))
    .unwrap();
    let sum = (0..8).fold(json!(1), |inner, _| json!({ "op": "add", "a": inner, "b": 2 }));
    assert_eq!(expression.validate(&sum), Ok(()));
}
