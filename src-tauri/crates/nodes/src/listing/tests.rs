use super::{LOOK, Listing};
use serde_json::json;

#[test]
fn a_list_that_memory_has_to_hold_ends_before_it_is_full() {
    let mut list = Listing::within(None, LOOK);
    let row = json!("x".repeat(LOOK / 8)).to_string();
    let failure = (0..16).find_map(|_| list.push_text(row.clone()).err()).expect("it is too much");
    assert_eq!((failure.code.as_str(), list.len() < 16), ("TOO_LARGE", true), "{}", failure.message);
}

#[test]
fn rows_are_what_single_texts_are() {
    let row = |n: usize| match n {
        1_500 => json!({ "n": n, "long": "x".repeat(9_000) }).to_string(),
        n => json!({ "n": n, "text": "é\"" }).to_string(),
    };
    let (mut rows, mut texts) = (Listing::within(Some(3), LOOK), Listing::within(Some(3), LOOK));
    for n in 0..2_345 {
        rows.push_row(&row(n)).expect("room");
        texts.push_text(row(n)).expect("room");
        assert_eq!(rows.len(), n + 1);
    }
    let [rows, texts] = [rows, texts].map(|list| serde_json::to_string(&list.done().ports["success"]).expect("text"));
    assert!(rows == texts && rows.contains(r#"{"id":"2345","data":{"n":2344,"text":"é\""},"pairedItem":3}"#));
}

#[test]
fn a_page_ends_at_the_limit() {
    let mut list = Listing::within(Some(0), LOOK);
    assert_eq!(list.push_page(vec![json!(1), json!(2)], 4, 3), Ok(false));
    assert_eq!(list.push_page(vec![json!(3), json!(4)], 4, 3), Ok(true));
    let made = list.done();
    let values: Vec<_> = made.ports["success"].iter().map(|item| item.data.clone()).collect();
    assert_eq!(values, [json!(1).into(), json!(2).into(), json!(3).into()]);
}
