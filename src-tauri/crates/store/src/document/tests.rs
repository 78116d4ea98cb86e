use super::{Document, fill, take_out};
use serde_json::{Value, json};
use std::collections::HashMap;

/// What a document was made of.
fn whole(document: Document) -> Value {
    let blobs: HashMap<_, _> = document.blobs.into_iter().map(|b| (b.hash, b.data)).collect();
    let mut value: Value = serde_json::from_str(&document.text).expect("JSON");
    fill(&mut value, &document.references.expect("references"), &mut |h| Ok(blobs[h].clone().into_bytes()))
        .expect("fills");
    value
}

#[test]
fn the_length_is_that_of_the_compact_text() {
    for value in
        [json!({"a": [1, -2, 1.5, 1e300, null, true, false], "\n\"": "\u{1}é😀\\"}), json!([]), json!({}), json!(0)]
    {
        let text = value.to_string();
        assert_eq!(take_out(&mut value.clone(), true, &mut Vec::new(), &mut |_| true), text.len(), "{text}");
    }
}

#[test]
fn nested_large_values_come_back_and_look_alikes_stay() {
    let big = "x".repeat(9_000);
    let value = json!({"a/b~": [{"deep": big, "list": vec!["y".repeat(100); 100]}], "_ref": ["/a", "hash"], "n": null});
    let document = Document::of(&value).expect("splits");
    assert_eq!(document.blobs.len(), 2);
    assert!(document.text.len() < 200, "{}", document.text);
    assert_eq!(whole(document), value);
}

#[test]
fn the_rest_of_a_value_may_be_large_itself() {
    let value = json!({"data": {"inner": "i".repeat(9_000), "a": "a".repeat(5_000), "b": "b".repeat(5_000)}});
    let document = Document::split(value.clone(), &mut |_| true);
    assert_eq!(document.blobs.len(), 2);
    assert_eq!(whole(document), value);
}

#[test]
fn too_deep_is_refused_before_sqlite_does() {
    let text = format!("{}1{}", "[".repeat(901), "]".repeat(901));
    let value: Value = super::parse(&text).expect("JSON");
    assert_eq!(Document::of(&value).expect_err("too deep").code(), "INVALID_DATA");
}
