use super::{Data, Written, compact};
use serde_json::{Value, json};
use std::sync::Arc;

fn made(text: &str) -> Option<String> {
    let mut out = "before ".to_owned();
    let done = compact(text, &mut out);
    assert_eq!(done, out != "before ");
    done.then(|| out["before ".len()..].to_owned())
}

#[test]
fn compact_text_is_what_the_values_are_written_as() {
    for text in [
        "null",
        " [ 1 , -2, 18446744073709551615, 1.50, 1e3, -0.0, true ] ",
        r#"{"b": {"a": []}, "a": {}, "é\u00e9\n": "\u0041\"\\ \ud83d\ude00"}"#,
        "123456789012345678901234567890",
    ] {
        let value: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(made(text), Some(value.to_string()), "{text}");
    }
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for text in ["", "[1,]", "{\"a\":1,\"a\":1}", "[{\"b\":{\"x\":1,\"x\":2}}]", "1 2", &deep(128)] {
        assert_eq!(made(text), None, "{text}");
    }
    assert_eq!(made(&deep(127)), Some(deep(127)));
}

#[test]
fn text_is_read_as_values_and_written_as_it_stands() {
    let value = json!({ "rows": [{ "a": 1.5, "b": "x\"é" }, null, 18_446_744_073_709_551_615_u64] });
    let text = Data::written(value.to_string());
    assert_eq!(text, Data::Value(Arc::new(value.clone())));
    assert_eq!(*text.value(), value);
    assert_eq!(serde_json::to_string(&text).expect("text"), value.to_string());
    assert_eq!(serde_json::to_value(&text).expect("a value"), value);
}

/// Counted, not timed: values are there once, and only while somebody holds them.
#[test]
fn values_of_a_text_are_there_while_they_are_held() {
    let written = Written::new("[1,2]".into());
    assert!(!written.is_made());
    let (one, another) = (written.value(), written.value());
    assert!(Arc::ptr_eq(&one, &another) && written.is_made());
    drop((one, another));
    assert!(!written.is_made());
}
