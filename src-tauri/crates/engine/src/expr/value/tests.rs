use super::{object, value};
use crate::scope::Scope;
use serde_json::{Map, Value, json};
use signalbox_model::Data;
use signalbox_model::data::{Read, TEXT_FROM, Text};

fn table() -> Value {
    (0..9_000).map(|row| json!({ "id": row, "name": format!("person \"{row}\" é"), "city": "Lisbon" })).collect()
}

fn over(item: Value) -> Scope {
    Scope { item: Data::written(item.to_string()), ..Scope::empty() }
}

fn map(of: Value) -> Map<String, Value> {
    of.as_object().expect("an object").clone()
}

fn text(data: &Data) -> &Text {
    let Data::Text(text) = data else { panic!("{data:?} is no text") };
    text
}

/// A table and a text with a table in it are there once: the first shares the item, the other is JSON as soon as it is written.
#[test]
fn an_object_with_long_members_is_composed_of_them() {
    let scope = over(json!({ "content": table(), "note": "a\nb" }));
    let of = map(json!({
        "again": "=item.content", "text": "Rows: {{ item.content }}, {{ item.note }}", "note": "{{ item.note }}", "n": "=1 + 1",
        "deep": { "er": { "rows": "=item.content" }, "list": ["=item.note", "{{ item.note }}!"] }, "plain": "==x", "none": null,
    }));
    let made = object(&of, &scope).expect("an object");
    assert_eq!(*made.value(), value(&Value::Object(of), &scope).expect("values"), "the same as its values");
    let Read::Object(fields) = text(&made).read() else { panic!("an object") };
    let shared = |data: &Data| text(data).shares(text(&scope.item));
    let member =
        |wanted: &str| fields.member_texts().find(|(name, _)| *name == format!("\"{wanted}\"")).map(|(_, data)| data);
    assert!(member("again").is_some_and(|again| shared(&again)), "no copy was made");
    let deep = member("deep").expect("a member");
    let Read::Object(deep) = text(&deep).read() else { panic!("an object") };
    let Some(Read::Object(inner)) = deep.member("er") else { panic!("an object") };
    assert!(inner.member_texts().any(|(_, rows)| shared(&rows)), "nor deeper inside");
    assert!(member("text").is_some_and(|text| text.length() > TEXT_FROM));
}

#[test]
fn an_object_of_short_members_is_made_of_values() {
    let made =
        object(&map(json!({ "n": "=item.n", "list": ["=item.n"] })), &over(json!({ "n": 7 }))).expect("an object");
    assert!(matches!(&made, Data::Value(value) if **value == json!({ "n": 7, "list": [7] })), "{made:?}");
}

#[test]
fn what_is_wrong_names_its_field() {
    let error =
        object(&map(json!({ "a": { "b": "=item.nothing.at.all" } })), &over(json!({ "n": 7 }))).expect_err("refused");
    assert_eq!(error.more.pointer, "/a/b");
}
