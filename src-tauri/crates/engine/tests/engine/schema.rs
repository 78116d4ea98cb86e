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

/// Words of our own for every keyword: they name the field by its title, say what is needed, and never quote the value.
#[test]
fn what_does_not_fit_is_said_in_plain_words() {
    let schema = json!({
        "type": "object", "required": ["num", "other/part"], "additionalProperties": false, "minProperties": 2,
        "properties": {
            "num": { "title": "Order number", "type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2 },
            "over": { "exclusiveMinimum": 0, "exclusiveMaximum": 1 },
            "kind": { "enum": ["new", "old", 3] }, "one": { "enum": ["a"] }, "fixed": { "const": true },
            "day": { "format": "date" }, "mail": { "format": "email" }, "odd": { "format": "ipv6" },
            "name": { "minLength": 1, "maxLength": 3, "pattern": "^[a-c]+$" }, "long": { "minLength": 4 },
            "list": { "minItems": 1, "maxItems": 2, "uniqueItems": true, "items": { "type": ["string", "null"] } },
            "has": { "contains": { "const": 1 } }, "pair": { "prefixItems": [{}], "items": false },
            "any": { "anyOf": [{ "type": "string" }, { "type": "null" }] }, "not": { "not": { "type": "string" } },
            "both": { "oneOf": [{ "minimum": 1 }, { "minimum": 2 }] }, "never": false,
            "names": { "propertyNames": { "maxLength": 2 } }, "small": { "maxProperties": 1 },
            "open": { "unevaluatedProperties": false }, "other/part": {},
        },
    });
    let compiled = Schema::compile(&schema).unwrap();
    let told =
        |value: Value| -> Vec<String> { compiled.validate(&value).unwrap_err().iter().map(|one| one.told()).collect() };
    let mut found = told(json!({ "x": 1 }));
    found.sort();
    assert_eq!(
        found,
        ["'other/part' is missing", "Must have at least 2 fields", "Must not have 'x'", "“Order number” is missing"]
    );
    let missing = compiled.validate(&json!({ "num": 2, "any": null })).unwrap_err();
    assert_eq!((missing[0].place().as_str(), missing[0].path.as_str()), ("/other~1part", ""));
    let whole = json!({ "num": 2, "other/part": 1 });
    for (name, value, words) in [
        ("num", json!("hunter2"), "“Order number” (/num): Must be a whole number, not a text"),
        ("num", json!(0), "“Order number” (/num): Must be at least 1"),
        ("num", json!(10), "“Order number” (/num): Must be at most 9"),
        ("num", json!(3), "“Order number” (/num): Must be a multiple of 2"),
        ("over", json!(0), "/over: Must be more than 0"),
        ("over", json!(1), "/over: Must be less than 1"),
        ("kind", json!("hunter2"), "/kind: Must be one of \"new\", \"old\", 3"),
        ("one", json!("hunter2"), "/one: Must be \"a\""),
        ("fixed", json!(false), "/fixed: Must be true"),
        ("day", json!("hunter2"), "/day: Needs a date such as 2026-11-22"),
        ("mail", json!("hunter2"), "/mail: Needs an e-mail address"),
        ("odd", json!("hunter2"), "/odd: Needs an IPv6 address"),
        ("name", json!(""), "/name: Must not be empty"),
        ("name", json!("aaaa"), "/name: Must have at most 3 characters"),
        ("name", json!("hun"), "/name: Must match the pattern ^[a-c]+$"),
        ("long", json!("hun"), "/long: Must have at least 4 characters"),
        ("list", json!([]), "/list: Must have at least 1 entry"),
        ("list", json!(["a", "b", "c"]), "/list: Must have at most 2 entries"),
        ("list", json!(["a", "a"]), "/list: Contains the same entry twice"),
        ("list", json!([7]), "/list/0: Must be nothing or a text, not a number"),
        ("has", json!([2]), "/has: Contains too few or too many entries of the required kind"),
        ("any", json!(7), "/any: Matches none of the alternatives"),
        ("not", json!("hunter2"), "/not: Matches a form that is not allowed"),
        ("both", json!(2), "/both: Matches several alternatives, but must match exactly one"),
        ("never", json!(1), "/never: No value is allowed here"),
        ("names", json!({ "hunter2": 1 }), "/names: Has a field with an invalid name: Must have at most 2 characters"),
        ("small", json!({ "a": 1, "b": 2 }), "/small: Must have at most 1 field"),
        ("open", json!({ "a": 1 }), "/open: Must not have 'a'"),
    ] {
        let mut wrong = whole.clone();
        wrong[name] = value.clone();
        let found = told(wrong);
        assert!(found.iter().any(|one| one == words), "{name} {value}: {found:?}");
        assert!(!found.iter().any(|one| one.contains("hunter2")), "{name}: {found:?}");
    }
    let mut pair = whole.clone();
    pair["pair"] = json!([1, 2]);
    assert!(told(pair)[0].starts_with("/pair"));
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
        refused(&json!({ "$ref": target }), "refers to another document");
        refused(&json!({ "properties": { "a": { "items": { "$ref": target } } } }), "refers to another document");
    }
    refused(&json!({ "$ref": "#/$defs/nope" }), "refers to nothing");
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
    refused(&json!({ "$ref": "#/$defs/a0", "$defs": defs }), "expands to more than");
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
    refused(&json!("Order"), "must be an object");
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

#[test]
fn a_list_of_many_is_told_what_compiling_would_say() {
    let many = |pattern: &str| {
        let all: serde_json::Map<String, Value> =
            (0..500).map(|at| (format!("p{at}"), json!({ "type": "string", "pattern": pattern }))).collect();
        json!({ "properties": all })
    };
    for schema in [
        json!({ "type": "object" }),
        json!({ "$ref": "https://example.com/a.json" }),
        json!({ "type": 5 }),
        json!({ "pattern": "(" }),
        json!("no schema"),
        many("^a+$"),
    ] {
        assert_eq!(Schema::refusal(&schema), Schema::compile(&schema).err(), "{schema}");
        assert_eq!(Schema::refusal(&schema), Schema::compile(&schema).err(), "kept: {schema}");
    }
    // Of very many patterns none is compiled for a list.
    assert_eq!(Schema::refusal(&many("(")), None);
    let mut out = many("(");
    out["$ref"] = json!("https://example.com/a.json");
    assert!(Schema::refusal(&out).expect("its structure").contains("refers to another document"));
}
