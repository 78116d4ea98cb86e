use super::{Binaries, BinaryRef, Item, together};
use serde_json::{Value, json};

fn item(names: &[(&str, &str)]) -> Item {
    let bytes = |(name, hash): &(&str, &str)| ((*name).to_owned(), BinaryRef::new((*hash).to_owned(), "image/png", 1));
    let binary: Binaries = names.iter().map(bytes).collect();
    Item { binary: Some(binary).filter(|binary| !binary.is_empty()), ..Item::new("1", Value::Null) }
}

#[test]
fn d_10_names_that_meet_are_counted_on() {
    let items =
        [item(&[("photo", "a")]), item(&[]), item(&[("photo", "b"), ("photo_2", "c")]), item(&[("photo", "a")])];
    let all = together(items.iter().filter_map(|item| item.binary.as_ref())).expect("there are some");
    let told: Vec<_> = all.iter().map(|(name, bytes)| (name.as_str(), bytes.sha256.as_str())).collect();
    assert_eq!(told, [("photo", "a"), ("photo_2", "b"), ("photo_2_2", "c"), ("photo_3", "a")]);
    assert_eq!(together(item(&[]).binary.as_ref()), None);
}

#[test]
fn k_37_a_description_has_the_fields_of_the_reference() {
    let bytes = BinaryRef::new("ab".into(), "image/png", 3);
    assert_eq!(json!(bytes), bytes.description());
    assert_eq!(bytes.description(), json!({ "ref": "ab", "mime": "image/png", "size": 3, "sha256": "ab" }));
}
