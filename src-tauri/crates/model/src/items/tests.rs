use super::{Items, PART};
use crate::data::Data;
use crate::{ErrorPayload, Item};
use serde_json::{Value, json};
use std::sync::Arc;

fn item(index: usize, data: Value) -> Item {
    Item { paired_item: Some(index), ..Item::new((index + 1).to_string(), data) }
}

fn many(count: usize) -> Vec<Item> {
    (0..count).map(|n| item(n, json!({ "n": n, "who": format!("person {n}"), "part": n as f64 / 7.0 }))).collect()
}

#[test]
fn a_long_list_is_kept_as_text_and_is_the_same_list() {
    let plain = many(2 * PART + 3);
    let items = Items::from(plain.clone());
    assert_eq!((items.len(), items.as_text()), (plain.len(), 2 * PART));
    assert!(items.iter().map(std::borrow::Cow::into_owned).eq(plain.iter().cloned()));
    assert_eq!(items.get(PART + 7).as_deref(), Some(&plain[PART + 7]));
    assert_eq!(items.data(2 * PART).as_ref(), Some(&plain[2 * PART].data));
    assert_eq!(items.get(plain.len()), None);
    assert_eq!(serde_json::to_string(&items).expect("text"), serde_json::to_string(&plain).expect("text"));
    let text = serde_json::to_string(&plain).expect("text");
    let read: Items = serde_json::from_str(&text).expect("items");
    assert_eq!((read.as_text(), read == items), (2 * PART, true));
}

#[test]
fn a_short_list_stays_as_it_is_and_is_shared() {
    let items = Items::from(many(PART - 1));
    assert_eq!(items.as_text(), 0);
    let (one, copy) = (items.data(5).expect("data"), items.clone().data(5).expect("data"));
    assert!(Arc::ptr_eq(&one, &copy));
}

#[test]
fn a_part_with_an_error_bytes_a_large_value_or_a_foreign_id_stays_as_it_is() {
    let error: ErrorPayload = serde_json::from_value(json!({
        "type": "ValidationError", "message": "no", "retryable": false, "originNode": "a", "timestamp": "2026-01-01T00:00:00Z"
    }))
    .expect("an error");
    let strange: [fn(&mut Item, ErrorPayload); 4] = [
        |item, error| item.error = Some(Arc::new(error)),
        |item, _| item.binary = Some(crate::Binaries::new()),
        |item, _| item.data = Arc::new("x".repeat(9_000).into()),
        |item, _| item.id = "0017".into(),
    ];
    for change in strange {
        let mut plain = many(2 * PART);
        change(&mut plain[17], error.clone());
        let items = Items::from(plain.clone());
        assert_eq!(items.as_text(), PART);
        assert!(items.iter().map(std::borrow::Cow::into_owned).eq(plain));
    }
}

#[test]
fn ids_become_places() {
    let mut items: Items = (0..PART + 2).map(|n| Item::new("1", json!(n))).collect();
    items.number();
    assert_eq!((items.as_text(), items.get(PART).expect("one").id.as_str()), (PART, "1001"));
    let mut both = Items::from(many(PART + 1));
    both.append_numbered(&items);
    assert_eq!((both.len(), both.as_text()), (2 * PART + 3, 2 * PART));
    assert_eq!(both.get(2 * PART + 2).expect("the last").id, "2003");
    assert_eq!(both.data(PART + 1).as_deref(), Some(&json!(0)));
}

#[test]
fn depth_and_numbers_come_back_as_they_were() {
    let deep = (0..300).fold(json!(0.1), |inner, _| json!([inner]));
    let data =
        [deep, json!(-0.0), json!(u64::MAX), json!(i64::MIN), json!(5e-324), json!(1e300), json!({ "b": 1, "a": 2 })];
    let plain: Vec<Item> = (0..PART).map(|n| item(n, data[n % data.len()].clone())).collect();
    let items = Items::from(plain.clone());
    assert_eq!(items.as_text(), PART);
    for (index, plain) in plain.iter().enumerate() {
        let made = items.get(index).expect("one");
        assert_eq!(made.data.to_string(), plain.data.to_string());
        assert_eq!(made.paired_item, Some(index));
    }
}

/// A large item stays text through whatever the engine does with a list, and reads as its values.
#[test]
fn an_item_that_is_text_stays_text() {
    let data = json!({ "rows": [1, 2] });
    let Data::Text(text) = Data::written(data.to_string()) else { panic!("it is text") };
    let mut items = Items::from(many(2));
    items.push_data(Item { id: "9".into(), paired_item: Some(1), ..Item::default() }, Data::Text(text.clone()));
    items.number();
    let mut joined = Items::from(many(1));
    joined.append_numbered(&items);
    let written = serde_json::to_string(&joined).expect("text");
    assert_eq!(
        (joined.weight(|_| 0), joined.memory(|_| 0)),
        (text.text().len(), size_of::<Item>() + text.text().len())
    );
    joined.change(|text| text.contains("secret"), |_| {});
    assert!(matches!(joined.piece(3), Some((item, Data::Text(_))) if item.id == "4" && item.paired_item == Some(1)));
    let made = text.clone();
    let whole = joined.get(3).expect("the last").into_owned();
    assert_eq!(whole, Item { paired_item: Some(1), ..Item::new("4", data) });
    assert_eq!(written, serde_json::to_string(&joined.iter().collect::<Vec<_>>()).expect("text"));
    assert!(made.made(&whole.data) && !made.made(&Arc::new((*whole.data).clone())));
    joined.change(|text| text.contains("rows"), |data| *data = Arc::new(json!("changed")));
    assert_eq!(joined.data(3).as_deref(), Some(&json!("changed")));
}

/// Parts in files are the same list, and few of them are in memory at a time.
#[test]
fn parts_in_files_are_the_same_list() {
    let plain = many(40 * PART + 7);
    let in_memory = Items::from(plain.clone());
    assert_eq!((in_memory.in_files(), in_memory.is_paged(), in_memory.paged_weight()), (0, false, 0));
    let folder = std::env::temp_dir().join(format!("signalbox-lists-{}", std::process::id()));
    let two = in_memory.begin(2 * PART).weight(|_| 0);
    super::pages::keep_in(&folder, two).expect("a folder");
    let items: Items = plain.iter().cloned().collect();
    assert_eq!((items.len(), items.as_text(), items.in_files()), (plain.len(), 40 * PART, 38 * PART));
    assert!(items == in_memory && items.memory(|_| 0) < in_memory.memory(|_| 0) / 10);
    assert_eq!(items.weight(|_| 0), in_memory.weight(|_| 0));
    assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 0, "no file has a name");
    let text = serde_json::to_string(&plain).expect("text");
    assert_eq!(serde_json::to_string(&items).expect("text"), text);
    assert_eq!(items.slice_text(0..usize::MAX).expect("text"), text);
    let slice = serde_json::to_string(&plain[PART - 2..7 * PART + 3]).expect("text");
    assert_eq!(items.slice_text(PART - 2..7 * PART + 3).expect("text"), slice);
    assert_eq!(items.begin(PART + 1).iter().count(), PART + 1);
    let (one, other) = (items.kept(39 * PART + 3), in_memory.kept(39 * PART + 3));
    assert!(one == other && items.paired(PART) == Some(PART) && items.get(40 * PART + 6).as_deref() == plain.last());
    let mut joined = items.packed_begin();
    assert_eq!(joined.len(), 40 * PART);
    joined.append(&Items::from(plain[40 * PART..].to_vec()));
    assert!(joined == items);
    let mut numbered = Items::from(many(3));
    numbered.append_numbered(&items);
    assert_eq!((numbered.len(), numbered.data(PART + 3)), (plain.len() + 3, Some(Arc::clone(&plain[PART].data))));
    let mut changed = items.clone();
    changed.change(|text| text.contains("\"person 17017\""), |data| *data = Arc::new(json!("hidden")));
    assert_eq!((changed.data(17_017).as_deref(), changed.data(17_018)), (Some(&json!("hidden")), items.data(17_018)));
    let read: Items = serde_json::from_str(&text).expect("items");
    assert!(read.is_paged() && read == items);
    let order: Vec<usize> = (0..items.len()).map(|place| place * 7919 % items.len()).collect();
    let (sorted, plain_sorted) = (items.reordered_by(&order, two / 2), in_memory.reordered(&order));
    assert!(sorted.is_paged() && !in_memory.is_paged() && sorted == plain_sorted);
    assert_eq!((sorted.paired(PART), sorted.data(PART)), (Some(order[PART]), items.data(order[PART])));
    assert!(super::pages::most_loaded() <= 24, "{} parts were in memory", super::pages::most_loaded());
    let _ = std::fs::remove_dir_all(folder);
}
