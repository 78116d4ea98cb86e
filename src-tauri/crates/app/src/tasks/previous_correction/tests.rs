use super::over;
use serde_json::{Value, json};
use signalbox_engine::patch::diff;

/// What `now` becomes when `was` became `changed`.
fn carried(was: &Value, changed: &Value, now: &Value, schema: &Value, redact: &[&str]) -> Option<Value> {
    let redact = redact.iter().map(|place| (*place).to_owned()).collect();
    over(&diff(was, changed), was, now, &[schema], redact)
}

#[test]
fn only_what_was_changed_comes_along_and_only_where_it_was_the_same() {
    let was = json!({ "name": "Ada", "count": 0, "rows": [1, 2], "note": "old" });
    let open = |changed: Value, now: &Value| carried(&was, &changed, now, &json!(true), &[]);
    let now = json!({ "name": "Bob", "count": 0, "rows": [1, 2], "note": "old" });
    let four = json!({ "name": "Ada", "count": 4, "rows": [1, 2], "note": "old" });
    assert_eq!(open(four.clone(), &now), Some(json!({ "name": "Bob", "count": 4, "rows": [1, 2], "note": "old" })));
    for other in [json!({ "name": "Bob", "count": 1 }), json!({ "name": "Bob" }), json!([0]), Value::Null] {
        assert_eq!(open(four.clone(), &other), None, "{other}");
    }
    // One change that does not fit leaves out all.
    let both = json!({ "name": "Eve", "count": 4, "rows": [1, 2], "note": "old" });
    assert_eq!(open(both, &now), None);
    // Members and elements that come and go.
    let less = json!({ "name": "Ada", "count": 0, "rows": [1], "unit": "kg" });
    assert_eq!(open(less.clone(), &now), Some(json!({ "name": "Bob", "count": 0, "rows": [1], "unit": "kg" })));
    let other = json!({ "name": "Bob", "count": 0, "rows": [3, 2], "note": "old" });
    assert_eq!(open(less.clone(), &other), None, "another list");
    let other = json!({ "name": "Bob", "count": 0, "rows": [1, 2], "note": "old", "unit": "g" });
    assert_eq!(open(less, &other), None, "it has one");
    // The whole.
    let whole = |now: &Value| carried(&json!("a"), &json!("b"), now, &json!(true), &[]);
    assert_eq!((whole(&json!("a")), whole(&json!("c"))), (Some(json!("b")), None));
}

#[test]
fn nothing_that_is_hidden_is_changed_or_comes_along() {
    let marked = json!({ "type": "object", "properties": {
        "bank": { "type": "object", "properties": { "place": { "$ref": "#/$defs/place" } } },
        "rows": { "type": "array", "items": { "properties": { "place": { "$ref": "#/$defs/place" } } } } },
        "$defs": { "place": { "anyOf": [{ "type": "string", "x-secret": true }, { "type": "null" }] } } });
    let value = |count: u32, place: Value| json!({ "count": count, "bank": { "place": place }, "rows": [] });
    let (was, now) = (value(0, json!("one")), value(0, json!("one")));
    let of = |changed: Value, schema: &Value, redact: &[&str]| carried(&was, &changed, &now, schema, redact);
    assert!(of(value(4, json!("one")), &marked, &["/bank/place"]).is_some(), "beside it");
    for changed in [
        value(4, json!("two")),
        value(4, Value::Null),
        value(4, json!("")),
        json!({ "count": 4, "bank": {}, "rows": [] }),
        json!({ "count": 4, "bank": "none", "rows": [] }),
        json!({ "count": 4, "rows": [] }),
        json!({ "count": 0, "bank": { "place": "one" }, "rows": [{ "place": "seven" }] }),
    ] {
        assert_eq!(of(changed.clone(), &marked, &[]), None, "{changed}");
    }
    // Without the mark all this may be.
    assert!(of(value(4, json!("two")), &json!(true), &[]).is_some());
    assert_eq!(of(value(4, json!("two")), &json!(true), &["/bank"]), None, "below what the author hides");
    assert_eq!(of(json!({ "count": 0, "rows": [] }), &json!(true), &["/bank/place"]), None, "around it");
    // A name, what a text looks like, and what is hidden elsewhere.
    let named = |field: &str, new: &str| {
        let (was, now) =
            (json!({ "iban": "DE99 0000", "note": "", "to": "x" }), json!({ "iban": "other", "note": "", "to": "x" }));
        let mut changed = was.clone();
        changed[field] = new.into();
        carried(&was, &changed, &now, &json!(true), &[])
    };
    assert!(named("note", "call again").is_some());
    assert_eq!(named("note", "to ada@example.org"), None);
    assert_eq!(named("to", "DE99 0000"), None);
    assert_eq!(named("apiKey", "a"), None);
    // A schema that leads nowhere or for ever hides all.
    for schema in
        [json!({ "$ref": "#/nowhere" }), json!({ "$ref": "#" }), json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] })]
    {
        assert_eq!(of(value(4, json!("one")), &schema, &[]), None, "{schema}");
    }
}

#[test]
fn what_either_hides_is_hidden_in_both() {
    let marked = json!({ "properties": { "place": { "x-secret": true } } });
    let open = json!({ "properties": { "place": { "type": "string" } } });
    let (was, now) = (json!({ "place": "one", "n": 1 }), json!({ "place": "one", "n": 1 }));
    let changed = json!({ "place": "two", "n": 1 });
    let of = |schemas: &[&Value]| over(&diff(&was, &changed), &was, &now, schemas, Vec::new());
    assert!(of(&[&open, &open]).is_some() && of(&[]).is_some());
    assert_eq!((of(&[&marked, &open]), of(&[&open, &marked])), (None, None));
}
