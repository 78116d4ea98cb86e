//! The ladder of self-healing: E-38, E-42, K-11, K-25. The table of `docs/repair.md` is run as well.

use crate::driver::cases;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use signalbox_engine::patch::apply;
use signalbox_engine::repair::{Repair, Rung, repair, suggestions};
use signalbox_engine::schema::Schema;

fn rungs(found: &Repair) -> Vec<&'static str> {
    found.changes.iter().map(|change| change.rung.name()).collect()
}

/// The input becomes valid by these rungs.
#[track_caller]
fn mends(input: Value, schema: Value, fixed: Value, by: &[&str]) {
    let found = repair(&input, &schema);
    assert_eq!(found.fixed, fixed, "{:?} {:?}", found.violations, found.notes);
    assert_eq!(rungs(&found), by, "{:?}", found.changes);
    assert!(found.valid && found.accepted() && found.violations.is_empty(), "{:?}", found.violations);
    assert_eq!(found.delta, found.patch.len());
    assert_eq!(apply(&input, &found.patch), Ok(fixed));
    assert!(found.changes.iter().all(|change| change.note.ends_with('.')), "{:?}", found.changes);
}

/// Nothing is done, and the reasons contain these words.
#[track_caller]
fn leaves(input: Value, schema: Value, reason: &str) {
    let found = repair(&input, &schema);
    assert_eq!((&found.fixed, found.delta, found.valid), (&input, 0, false), "{:?}", found.changes);
    assert!(found.changes.is_empty() && !found.accepted() && !found.violations.is_empty());
    let said = serde_json::to_string(&(&found.notes, &found.violations)).expect("JSON");
    assert!(said.contains(reason), "{said}");
}

fn object(properties: Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

#[test]
fn a_valid_input_is_never_touched() {
    for (input, schema) in [
        (json!({ "n": "42", "N": 1 }), object(json!({ "n": { "type": "string" } }))),
        (json!("```json\n{}\n```"), json!({ "type": ["string", "object"] })),
        (json!([1]), json!({})),
        (json!({ "extra": " x " }), json!({ "required": [], "properties": { "Extra": { "default": 1 } } })),
    ] {
        let found = repair(&input, &schema);
        assert_eq!((found.fixed, found.valid, found.delta), (input, true, 0));
        assert!(found.changes.is_empty() && found.notes.is_empty());
    }
}

#[test]
fn texts_that_hold_the_value() {
    let schema = json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "integer" } } });
    for (input, by) in [
        ("```json\n{\"a\": 1}\n```", &["strip_fences"][..]),
        ("```\n{\"a\": 1}\n```", &["strip_fences"]),
        ("Sure!\n```JSON\n{\"a\": 1}\n```\nBye.", &["strip_fences"]),
        ("```json\n{\"a\": 1}", &["strip_fences"]),
        ("```json\n{'a': 1,}\n```", &["strip_fences", "json_repair"]),
        ("The answer is {\"a\": 1}.", &["strip_prose"]),
        ("The answer is {a: 1,}.", &["strip_prose", "json_repair"]),
        ("The answer is [{\"a\": 1}].", &["strip_prose"]),
        ("{\"a\": 1,}", &["json_repair"]),
        ("{“a”: 1}", &["json_repair"]),
        ("{\"a\": 1 /* one */", &["json_repair"]),
        ("{\"a\": 1}", &["double_encoded"]),
        ("\"{\\\"a\\\": 1}\"", &["double_encoded"]),
        ("[{\"a\": 1}]", &["double_encoded", "unwrap_single"]),
        ("{\"a\": \"1\"}", &["double_encoded", "coerce_type"]),
        ("```json\n{\"A\": \"1\"}\n```", &["strip_fences", "key_match", "coerce_type"]),
    ] {
        mends(json!(input), schema.clone(), json!({ "a": 1 }), by);
    }
    leaves(json!("{\"a\": 1} or {\"a\": 2}"), schema.clone(), "several values");
    leaves(json!("```\n{\"a\": 1}\n```\n```\n{\"a\": 2}\n```"), schema.clone(), "several code fences");
    leaves(json!("{\"a\": NaN}"), schema.clone(), "no number `NaN`");
    leaves(json!("no value at all"), schema.clone(), "Must be ");
    leaves(json!(format!("{{\"a\": 1, \"b\": \"{}\"}}", "x".repeat(300_000))), schema, "not looked into");
    // Strict JSON whose texts look like a fence.
    mends(
        json!("{\"code\": \"```x```\"}"),
        json!({ "type": "object" }),
        json!({ "code": "```x```" }),
        &["double_encoded"],
    );
    // A sentence can be an element itself.
    mends(
        json!("see [1]"),
        json!({ "type": "array", "items": { "type": "string" } }),
        json!(["see [1]"]),
        &["unwrap_single"],
    );
}

#[test]
fn lists_of_one() {
    mends(
        json!([[["5"]]]),
        json!({ "type": "integer" }),
        json!(5),
        &["unwrap_single", "unwrap_single", "unwrap_single", "coerce_type"],
    );
    mends(
        json!({ "to": "a@example.com" }),
        object(json!({ "to": { "type": "array", "items": { "type": "string", "format": "email" } } })),
        json!({ "to": ["a@example.com"] }),
        &["unwrap_single"],
    );
    mends(
        json!("7"),
        json!({ "type": "array", "items": { "type": "integer" } }),
        json!([7]),
        &["unwrap_single", "coerce_type"],
    );
    leaves(json!("x"), json!({ "type": "array", "items": { "type": "object" } }), "does not fit as its element");
    leaves(json!("1"), json!({ "type": "array", "items": { "type": "array" } }), "does not fit as its element");
    leaves(json!(null), json!({ "type": "array" }), "Must be ");
    leaves(json!([]), json!({ "type": "string" }), "0 elements");
    leaves(json!([[1, 2]]), json!({ "type": "integer" }), "2 elements");
}

#[test]
fn keys() {
    let schema = json!({
        "type": "object", "required": ["customerName", "zip_code"], "additionalProperties": false,
        "properties": {
            "customerName": { "type": "string" }, "zip_code": { "type": "string" }, "quantity": { "type": "integer" }
        }
    });
    mends(
        json!({ "Customer Name": "Ann", "zipCode": "53111", "quantitiy": 2 }),
        schema.clone(),
        json!({ "customerName": "Ann", "zip_code": "53111", "quantity": 2 }),
        &["key_match", "key_match", "key_match"],
    );
    // The member keeps its place.
    let found = repair(&json!({ "customer_name": "Ann", "zip_code": "1" }), &schema);
    assert_eq!(found.fixed.as_object().expect("object").keys().collect::<Vec<_>>(), ["customerName", "zip_code"]);
    leaves(json!({ "customer_name": "A", "CustomerName": "B", "zip_code": "1" }), schema.clone(), "none is renamed");
    leaves(json!({ "customerName": "A", "zip_code": "1", "color": 1 }), schema, "nothing is dropped");
    // An open schema: an unknown key is no violation when nothing is missing.
    let open = json!({ "required": ["id"], "properties": { "id": {}, "name": {} } });
    let found = repair(&json!({ "id": 1, "Name": 2 }), &open);
    assert!(found.valid && found.delta == 0);
    // A key that another branch knows is not strange.
    leaves(
        json!({ "color": 1 }),
        json!({ "required": ["colors"], "properties": { "colors": {} }, "anyOf": [{ "properties": { "color": {} } }] }),
        "colors",
    );
    // Patterns are names, too.
    leaves(
        json!({ "line-1": 1 }),
        json!({ "required": ["line1"], "properties": { "line1": {} }, "patternProperties": { "^line-": {} } }),
        "line1",
    );
}

#[test]
fn types_without_loss() {
    let number = |kind: &str| object(json!({ "v": { "type": kind } }));
    for (kind, input, wanted) in [
        ("integer", json!("42"), json!(42)),
        ("integer", json!(" -7 "), json!(-7)),
        ("integer", json!("42.0"), json!(42)),
        ("number", json!("3.50"), json!(3.5)),
        ("number", json!("1e3"), json!(1000.0)),
        ("boolean", json!("TRUE"), json!(true)),
        ("boolean", json!("no"), json!(false)),
        ("boolean", json!("1"), json!(true)),
        ("boolean", json!(0), json!(false)),
        ("string", json!(42), json!("42")),
        ("string", json!(1.5), json!("1.5")),
        ("string", json!(true), json!("true")),
        ("null", json!("null"), json!(null)),
    ] {
        mends(json!({ "v": input }), number(kind), json!({ "v": wanted }), &["coerce_type"]);
    }
    for (kind, input, reason) in [
        ("integer", json!("3.7"), "nothing is rounded"),
        ("integer", json!(3.7), "nothing is rounded"),
        ("integer", json!("12abc"), "letters"),
        ("integer", json!("0042"), "leading zeros"),
        ("integer", json!("123456789012345678901234"), "more digits"),
        ("boolean", json!("maybe"), "neither yes nor no"),
        ("boolean", json!(2), "Must be "),
        ("string", json!(null), "Must be "),
        ("integer", json!(true), "Must be "),
        ("number", json!(""), "groups"),
    ] {
        leaves(json!({ "v": input }), number(kind), reason);
    }
    // In draft 4, 1.0 is no integer.
    let old = json!({ "$schema": "http://json-schema.org/draft-04/schema#", "type": "integer" });
    mends(json!(1.0), old, json!(1), &["coerce_type"]);
    // An enum without a type says what is wanted.
    mends(json!("2"), json!({ "enum": [1, 2] }), json!(2), &["coerce_type"]);
    leaves(json!("3"), json!({ "enum": [1, 2] }), "Must be one of 1, 2");
}

#[test]
fn numbers_dates_and_enums() {
    let sum = object(json!({ "sum": { "type": "number", "minimum": 0 } }));
    for (input, wanted) in [("1,234.56", json!(1234.56)), ("12,5", json!(12.5)), ("EUR 1.234,50", json!(1234.5))] {
        mends(json!({ "sum": input }), sum.clone(), json!({ "sum": wanted }), &["number_format"]);
    }
    leaves(json!({ "sum": "1,234" }), sum, "1234 or 1.234");
    let due = object(json!({ "due": { "type": "string", "format": "date" } }));
    for input in ["31.12.2025", "2025/12/31", "Dec 31, 2025", " 31 December 2025"] {
        mends(json!({ "due": input }), due.clone(), json!({ "due": "2025-12-31" }), &["date_format"]);
    }
    mends(json!({ "due": " 2025-12-31 " }), due.clone(), json!({ "due": "2025-12-31" }), &["trim"]);
    leaves(json!({ "due": "01/02/2025" }), due.clone(), "2025-01-02 or 2025-02-01");
    leaves(json!({ "due": "30.02.2025" }), due, "no such day");
    let at = json!({ "type": "string", "format": "date-time" });
    mends(json!(1_767_225_599), at.clone(), json!("2025-12-31T23:59:59Z"), &["date_format"]);
    mends(json!("2025-12-31 23:59:59 GMT"), at, json!("2025-12-31T23:59:59Z"), &["date_format"]);
    let state = json!({ "type": "string", "enum": ["open", "in_progress", "closed"] });
    for (input, wanted, by) in [
        ("Open", "open", "enum_match"),
        ("IN-PROGRESS", "in_progress", "enum_match"),
        ("clsoed", "closed", "enum_match"),
        (" open\n", "open", "trim"),
    ] {
        mends(json!(input), state.clone(), json!(wanted), &[by]);
    }
    leaves(json!("done"), state, "close");
    leaves(json!("AUD"), json!({ "enum": ["EUR", "USD"] }), "close");
    mends(json!("V-1"), json!({ "const": "v1" }), json!("v1"), &["enum_match"]);
}

#[test]
fn defaults_for_what_is_missing_and_required_only() {
    let schema = json!({
        "type": "object", "required": ["unit"],
        "properties": { "unit": { "$ref": "#/$defs/unit" }, "note": { "default": "-" } },
        "$defs": { "unit": { "type": "string", "default": "pcs" } }
    });
    mends(json!({}), schema.clone(), json!({ "unit": "pcs" }), &["default_value"]);
    mends(json!({ "Unit": "kg" }), schema, json!({ "unit": "kg" }), &["key_match"]);
    leaves(json!({}), json!({ "required": ["x"], "properties": { "x": { "type": "string" } } }), "'x' is missing");
}

#[test]
fn nested_schemas_references_and_conditions() {
    let schema = json!({
        "type": "object", "required": ["order"], "properties": { "order": { "$ref": "#/definitions/order" } },
        "definitions": {
            "order": {
                "allOf": [
                    { "type": "object", "required": ["lines"], "properties": {
                        "lines": { "type": "array", "items": { "$ref": "#/definitions/line" } } } },
                    { "properties": { "paid": { "type": "boolean" } } }
                ]
            },
            "line": { "type": "object", "required": ["sku", "qty"], "properties": {
                "sku": { "type": "string" }, "qty": { "type": "integer", "minimum": 1 },
                "sub": { "$ref": "#/definitions/line" } } }
        }
    });
    mends(
        json!({ "order": { "Lines": { "sku": 17, "Qty": "3", "sub": { "sku": "x", "qty": "1" } }, "paid": "yes" } }),
        schema,
        json!({ "order": { "lines": [{ "sku": "17", "qty": 3, "sub": { "sku": "x", "qty": 1 } }], "paid": true } }),
        &["key_match", "unwrap_single", "key_match", "coerce_type", "coerce_type", "coerce_type", "coerce_type"],
    );
    let tuple = json!({ "prefixItems": [{ "type": "integer" }, { "type": "string" }], "items": { "type": "boolean" } });
    mends(json!(["1", 2, "true", true]), tuple, json!([1, "2", true, true]), &["coerce_type"; 3]);
    let old = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": [{ "type": "integer" }], "additionalItems": { "type": "string" }
    });
    mends(json!(["1", 2]), old, json!([1, "2"]), &["coerce_type"; 2]);
    let depends = json!({
        "properties": { "kind": { "enum": ["card", "cash"] } },
        "if": { "properties": { "kind": { "const": "card" } }, "required": ["kind"] },
        "then": { "properties": { "number": { "type": "string" } } },
        "else": { "properties": { "number": { "type": "integer" } } }
    });
    mends(
        json!({ "kind": "Card", "number": 4111 }),
        depends,
        json!({ "kind": "card", "number": "4111" }),
        &["enum_match", "coerce_type"],
    );
    let free =
        json!({ "patternProperties": { "^n_": { "type": "integer" } }, "additionalProperties": { "type": "string" } });
    mends(json!({ "n_a": "1", "b": 2 }), free, json!({ "n_a": 1, "b": "2" }), &["coerce_type"; 2]);
}

#[test]
fn the_branch_with_the_fewest_changes() {
    let nullable = object(json!({ "n": { "anyOf": [{ "type": "null" }, { "type": "integer" }] } }));
    mends(json!({ "n": "5" }), nullable, json!({ "n": 5 }), &["coerce_type"]);
    let shape = json!({ "oneOf": [
        { "required": ["kind", "side"], "properties": { "kind": { "const": "square" }, "side": { "type": "number" } } },
        { "required": ["kind", "radius"], "properties": { "kind": { "const": "circle" }, "radius": { "type": "number" } } }
    ] });
    mends(
        json!({ "kind": "circle", "Radius": "2.5" }),
        shape.clone(),
        json!({ "kind": "circle", "radius": 2.5 }),
        &["key_match", "coerce_type"],
    );
    // Not valid in the end: what the one branch that is meant can mend is mended.
    let found = repair(&json!({ "kind": "circle", "Radius": "big" }), &shape);
    assert_eq!((found.fixed, found.valid), (json!({ "kind": "circle", "radius": "big" }), false));
    // The tag decides, even where another branch would need fewer changes.
    let tagged = json!({ "anyOf": [
        { "required": ["kind"], "properties": { "kind": { "const": "note" } } },
        { "required": ["kind", "n"], "properties": { "kind": { "enum": ["Note"] }, "n": { "type": "integer" } } }
    ] });
    mends(json!({ "kind": "Note", "n": "1" }), tagged, json!({ "kind": "Note", "n": 1 }), &["coerce_type"]);
    // References inside branches lead to the whole schema.
    let tree = json!({
        "$defs": { "node": { "type": "object", "required": ["value"], "properties": {
            "value": { "type": "integer" }, "next": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/node" }] } } } },
        "$ref": "#/$defs/node"
    });
    mends(
        json!({ "value": 1, "next": { "value": "2", "next": { "value": "3", "next": null } } }),
        tree,
        json!({ "value": 1, "next": { "value": 2, "next": { "value": 3, "next": null } } }),
        &["coerce_type"; 2],
    );
}

#[test]
fn what_is_mended_in_part_says_what_remains() {
    let schema = json!({
        "type": "object", "required": ["n", "who"],
        "properties": { "n": { "type": "integer" }, "who": { "type": "string" }, "m": { "type": "integer" } }
    });
    let found = repair(&json!({ "n": "1", "m": "12abc" }), &schema);
    assert_eq!((&found.fixed, found.valid, found.delta), (&json!({ "n": 1, "m": "12abc" }), false, 1));
    assert!(!found.accepted());
    assert!(found.violations.iter().any(|one| one.starts_with("/m: ")), "{:?}", found.violations);
    assert!(found.violations.iter().any(|one| one.contains("who")), "{:?}", found.violations);
    assert!(found.notes.iter().any(|note| note.path == "/m" && note.rung == Rung::NumberFormat), "{:?}", found.notes);
}

#[test]
fn suggestions_for_the_person() {
    let schema = json!({
        "type": "object", "required": ["n", "unit"],
        "properties": { "n": { "type": "integer" }, "unit": { "type": "string", "default": "pcs" } }
    });
    let found = suggestions(&json!({ "n": "1" }), &schema);
    assert_eq!(found.len(), 2);
    assert_eq!((&found[0].corrected_input, found[0].valid), (&json!({ "n": 1, "unit": "pcs" }), true));
    assert_eq!((&found[1].corrected_input, found[1].valid), (&json!({ "n": 1 }), false));
    assert!(found.iter().all(|one| one.source == "rule" && !one.rationale.is_empty() && !one.changes.is_empty()));
    assert!(suggestions(&json!({ "n": 1, "unit": "kg" }), &schema).is_empty());
    assert!(suggestions(&json!([]), &schema).is_empty());
    assert_eq!(suggestions(&json!({ "n": "1", "unit": "kg" }), &schema).len(), 1);
}

#[test]
fn names_are_stable() {
    for rung in Rung::ALL {
        assert_eq!(serde_json::to_value(rung).expect("JSON"), json!(rung.name()));
    }
    let mut sorted = Rung::ALL;
    sorted.sort();
    assert_eq!(sorted, Rung::ALL);
}

#[test]
fn bad_schemas_and_large_inputs_come_back_unchanged() {
    leaves(json!("1"), json!({ "$ref": "https://example.com/x" }), "cannot be used");
    leaves(json!("1"), json!({ "type": "integr" }), "cannot be used");
    leaves(json!("1"), json!(false), "No value is allowed here");
    let mut deep = json!("1");
    for _ in 0..120 {
        deep = json!([deep]);
    }
    assert_eq!(repair(&deep, &json!({ "type": "integer" })).fixed, json!(1), "each level is a list of one");
    for _ in 0..200 {
        deep = json!([deep]);
    }
    leaves(deep, json!({ "type": "integer" }), "deeper than 128");
    // A choice on each of forty levels.
    let schema = json!({
        "$defs": { "n": { "anyOf": [
            { "type": "object", "required": ["x"], "properties": { "x": { "$ref": "#/$defs/n" } } },
            { "type": "object", "required": ["x", "y"], "properties": { "x": { "$ref": "#/$defs/n" } } },
            { "type": "integer", "minimum": 10 }
        ] } },
        "$ref": "#/$defs/n"
    });
    let mut nest = json!("nothing");
    for _ in 0..40 {
        nest = json!({ "X": nest });
    }
    leaves(nest, schema, "given up");
    let tree = json!({ "anyOf": [{ "type": "array", "items": { "$ref": "#" } }, { "type": "integer" }] });
    let (mut nest, mut fixed) = (json!("12"), json!(12));
    for _ in 0..127 {
        (nest, fixed) = (json!([nest, 1]), json!([fixed, 1]));
    }
    let found = repair(&nest, &tree);
    assert_eq!((found.valid, found.fixed), (true, fixed), "{:?}", found.violations);
    // A schema that contradicts itself: no rung may go on for ever.
    let circle = json!({
        "if": { "type": "array" }, "then": { "type": "string" }, "else": { "type": "array", "items": { "type": "string" } }
    });
    leaves(json!("x"), circle, "x");
    let list: Vec<Value> = (0..5_000).map(|n| json!({ "Id": n.to_string() })).collect();
    let many = json!({ "items": { "required": ["id"], "properties": { "id": { "type": "integer" } } } });
    let found = repair(&json!(list), &many);
    assert!(found.valid, "{:?}", found.violations);
    assert_eq!(found.changes.len(), 10_000);
}

/// The cells of the rows of a table, without backticks.
fn rows(text: &str, head: &str) -> Vec<Vec<String>> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with(head)).skip(2);
    let mut out = Vec::new();
    for line in lines.by_ref().take_while(|line| line.starts_with('|')) {
        let cells = line.trim_start_matches("| ").trim_end_matches(" |").split(" | ");
        out.push(cells.map(plain).collect());
    }
    out
}

fn plain(cell: &str) -> String {
    let cell = cell.trim();
    let ticks = cell.len() - cell.trim_start_matches('`').len();
    cell[ticks..cell.len() - ticks].trim().to_owned()
}

#[test]
fn the_documentation_does_not_lie() {
    let text = include_str!("../../../../../docs/repair.md");
    let value = |cell: &String| serde_json::from_str::<Value>(cell).unwrap_or_else(|e| panic!("{cell}: {e}"));
    let done = rows(text, "| rung |");
    for row in &done {
        mends(value(&row[1]), value(&row[2]), value(&row[3]), &[row[0].as_str()]);
    }
    for rung in Rung::ALL {
        assert!(done.iter().any(|row| row[0] == rung.name()), "{} has no example", rung.name());
    }
    let order: Vec<usize> =
        done.iter().map(|row| Rung::ALL.iter().position(|rung| rung.name() == row[0]).expect("a rung")).collect();
    assert!(order.is_sorted(), "the rows stand in the order of the rungs");
    let left = rows(text, "| input | schema | reason |");
    assert!(left.len() > 10);
    for row in &left {
        leaves(value(&row[0]), value(&row[1]), &row[2]);
    }
}

fn schemas() -> Vec<Value> {
    let leafs = [
        json!({ "type": "integer" }),
        json!({ "type": "number", "maximum": 5 }),
        json!({ "type": "boolean" }),
        json!({ "type": "string", "pattern": "^[a-c]" }),
        json!({ "type": "string", "format": "date" }),
        json!({ "type": "string", "format": "date-time" }),
        json!({ "enum": ["alpha", "beta_two", 3, null] }),
        json!({ "const": { "a": 1 } }),
    ];
    let mut out = leafs.to_vec();
    for leaf in &leafs {
        out.push(json!({ "type": "array", "items": leaf }));
        out.push(json!({
            "type": "object", "required": ["abc", "b_c"], "additionalProperties": false,
            "properties": { "abc": leaf, "b_c": { "default": 1 }, "list": { "type": "array", "items": leaf } }
        }));
        out.push(json!({ "anyOf": [leaf, { "type": "object", "required": ["a"], "properties": { "a": leaf } }] }));
    }
    out.push(
        json!({ "type": "object", "properties": { "a": { "$ref": "#" } }, "additionalProperties": { "$ref": "#" } }),
    );
    out.push(json!({ "oneOf": [{ "type": "array", "items": { "$ref": "#" } }, { "type": "integer" }] }));
    out.push(json!({ "not": { "type": "string" }, "if": { "type": "array" }, "then": { "type": "object" } }));
    out
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[ -~]{0,12}".prop_map(Value::from),
        "[0-9,.€ %'-]{0,8}".prop_map(Value::from),
        "[0-9]{1,4}[-/. ][0-9]{1,2}[-/. ][0-9]{1,4}([T ][0-9:]{2,8}[Z+0-9:]{0,6})?".prop_map(Value::from),
        "(```)?(json)?[{\\[\"a-c:1, '\\]}]{0,16}(```)?".prop_map(Value::from),
        proptest::sample::select(vec!["Alpha", " beta-two", "3", "[1]", "{\"a\": 1}", "\"[]\"", "true"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("(a|abc|Abc|b-c|abd|list|LIST|é)", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(24), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_input_and_schema(input in any_json()) {
        for schema in schemas() {
            let compiled = Schema::compile(&schema).expect("a schema");
            let found = repair(&input, &schema);
            prop_assert_eq!(found.valid, compiled.validate(&found.fixed).is_ok());
            prop_assert_eq!(found.valid, found.violations.is_empty());
            prop_assert_eq!(apply(&input, &found.patch), Ok(found.fixed.clone()));
            prop_assert_eq!(found.delta == 0, found.fixed == input);
            if compiled.validate(&input).is_ok() {
                prop_assert_eq!(found.delta, 0);
                prop_assert!(found.changes.is_empty());
            }
            prop_assert_eq!(&repair(&input, &schema), &found, "deterministic");
            let again = repair(&found.fixed, &schema);
            prop_assert!(again.changes.is_empty(), "{} {:?} then {:?}", schema, found.changes, again.changes);
            for one in suggestions(&input, &schema) {
                prop_assert_eq!(one.valid, compiled.validate(&one.corrected_input).is_ok());
            }
        }
    }
}
