use super::{ALWAYS, fits, most, object, of_json, text};

#[test]
fn small_parts_are_counted_and_texts_are_not() {
    let numbers = format!("[{}0]", "0,".repeat(9_000_000));
    assert!(of_json(&numbers) > 9_000_000 * size_of::<serde_json::Value>());
    let failure = fits(of_json(&numbers), numbers.len(), "The text").expect_err("too many values");
    let limit = most(numbers.len()) as u64;
    assert_eq!((failure.code.as_str(), failure.details["limit"].as_u64()), ("TOO_LARGE", Some(limit)));
    let text = format!("[\"{}\\\",[{{\"]", ",".repeat(8_000_000));
    assert!(of_json(&text) < text.len() + 1_000, "what stands in a text is no value");
}

/// Rows of five short values, 49 bytes each, fit whatever the length of the table; rows of empty cells do not.
#[test]
fn a_longer_text_may_take_more() {
    assert_eq!((most(0), most(4_000_000), most(20_000_000)), (ALWAYS, ALWAYS, 480_000_000));
    let ordinary = object([2, 4, 4, 6, 3].into_iter()) + [7, 12, 7, 6, 10].into_iter().map(text).sum::<usize>();
    let empty = object([5; 2_000].into_iter()) + 2_000 * text(0);
    for length in [1_000_000, 20_000_000, 60_000_000] {
        assert!(fits(length / 49 * ordinary, length, "The table").is_ok(), "{length}");
    }
    assert!(fits(2_000 * empty, 2_000 * 2_000, "The table").is_err());
    assert!(fits(15_000 * empty, 15_000 * 2_000, "The table").is_err());
}
