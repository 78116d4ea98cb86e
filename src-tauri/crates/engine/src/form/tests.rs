use super::{FileField, Form, KIND, MOST_BYTES, Respond, sample_answers};
use crate::schema::Schema;
use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_model::Code;

fn config(path: &str, schema: Value) -> Value {
    json!({ "path": path, "title": "A form", "schema": schema })
}

fn problems(config: &Value) -> Vec<(Code, String)> {
    let found = Form::read(config).expect_err("is refused");
    assert!(found.iter().all(|one| !one.message.is_empty() && !one.hint.is_empty()), "{found:?}");
    found.into_iter().map(|one| (one.code, one.path)).collect()
}

fn name() -> Value {
    json!({ "type": "object", "properties": { "name": { "type": "string" } } })
}

#[test]
fn a_form_says_what_is_left_out() {
    assert_eq!(KIND, "trigger.form");
    let form = Form::read(&config("vacation-request_2", name())).expect("reads");
    assert_eq!((form.respond, form.max_bytes, form.files.len()), (Respond::Thanks, 5 * 1024 * 1024, 0));
    let given = json!({ "path": "a", "schema": name(), "respond": "result", "maxBytes": u64::MAX });
    let form = Form::read(&given).expect("reads");
    assert_eq!((form.respond, form.max_bytes), (Respond::Result, MOST_BYTES));
}

#[test]
fn a_path_is_one_word_of_an_address() {
    for path in
        ["", ".", "..", "../a", "a/b", "/a", "a.html", "A", "a b", "a%2fb", "ä", "a?b", "a#b", "a\0", "a\\b", "assets"]
    {
        assert_eq!(problems(&config(path, name())), [(Code::BadFormPath, "/path".to_owned())], "{path:?}");
    }
    assert_eq!(problems(&config(&"a".repeat(81), name())).len(), 1);
    assert!(Form::read(&config(&"a".repeat(80), name())).is_ok());
}

#[test]
fn a_schema_that_cannot_be_a_form_is_told_with_its_place() {
    let fields = |fields: Value| json!({ "type": "object", "properties": fields });
    let file = json!({ "type": "string", "format": "binary" });
    for (schema, place) in [
        (Value::Null, "/schema"),
        (json!(true), "/schema"),
        (json!("text"), "/schema"),
        (json!({ "type": "object" }), "/schema"),
        (fields(json!({})), "/schema"),
        (json!({ "type": "array", "properties": { "a": {} } }), "/schema/type"),
        (fields(json!({ "a": { "type": "strin" } })), "/schema"),
        (fields(json!({ "a": { "pattern": "(" } })), "/schema"),
        (fields(json!({ "a": { "$ref": "https://example.org/schema" } })), "/schema"),
        (json!({ "properties": { "a": {} }, "required": ["b"] }), "/schema/required"),
        (fields(json!({ "a": { "format": "binary", "type": "object" } })), "/schema/properties/a"),
        (fields(json!({ "a/b": { "type": "object", "properties": { "c": file } } })), "/schema/properties/a~1b"),
    ] {
        assert_eq!(problems(&config("a", schema.clone())), [(Code::BadForm, place.to_owned())], "{schema}");
    }
    // Both at once.
    assert_eq!(problems(&config("..", Value::Null)).len(), 2);
}

#[test]
fn files_are_fields_at_the_top() {
    let schema = json!({ "type": "object", "properties": {
        "receipt": { "type": "string", "format": "binary", "contentMediaType": "application/pdf" },
        "photos": { "type": "array", "items": { "type": "string", "format": "binary" } },
        "name": { "type": "string" },
    } });
    let form = Form::read(&config("a", schema)).expect("reads");
    let field =
        |name: &str, many, media: Option<&str>| FileField { name: name.into(), many, media: media.map(str::to_owned) };
    assert_eq!(form.files, [field("receipt", false, Some("application/pdf")), field("photos", true, None)]);
}

#[test]
fn a_sample_fits_usual_schemas() {
    let schema = json!({ "type": "object", "required": ["name", "days", "kind", "from", "tags", "place"], "properties": {
        "name": { "type": "string", "title": "Your name" },
        "days": { "type": "integer", "minimum": 3 },
        "kind": { "enum": ["paid", "unpaid"] },
        "from": { "type": "string", "format": "date" },
        "mail": { "type": "string", "format": "email" },
        "sure": { "type": "boolean" },
        "tags": { "type": "array", "minItems": 1, "items": { "type": "string" } },
        "place": { "oneOf": [{ "const": "home", "title": "At home" }, { "const": "away" }] },
        "address": { "type": "object", "properties": { "city": { "type": "string", "default": "Oslo" } } },
        "receipt": { "type": "string", "format": "binary" },
    } });
    let sample = sample_answers(&schema);
    assert_eq!((&sample["name"], &sample["days"]), (&json!("Your name"), &json!(3)));
    assert_eq!((&sample["place"], &sample["address"]), (&json!("home"), &json!({ "city": "Oslo" })));
    assert!(!sample.contains_key("receipt"));
    assert_eq!(Schema::compile(&schema).expect("compiles").validate(&Value::Object(sample)), Ok(()));
}

proptest! {
    /// Whatever stands in a file: it is read or refused, and a path that is taken is one part of an address.
    #[test]
    fn any_path_is_one_part_or_refused(path in "\\PC{0,12}") {
        if let Ok(form) = Form::read(&config(&path, name())) {
            prop_assert!(!form.path.is_empty() && form.path.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'));
        }
    }
}
