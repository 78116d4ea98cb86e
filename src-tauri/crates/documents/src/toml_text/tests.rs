use super::{format, parse};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

#[test]
fn toml_is_read_with_its_types() {
    let text = "title = 'x'\n[owner]\nborn = 1979-05-27T07:32:00-08:00\nn = 1_000\nratio = 1.5\nflags = [true, false]\n[[p]]\na = 1\n[[p]]\na = 2\n";
    let wanted = json!({
        "title": "x",
        "owner": { "born": "1979-05-27T07:32:00-08:00", "n": 1000, "ratio": 1.5, "flags": [true, false] },
        "p": [{ "a": 1 }, { "a": 2 }],
    });
    assert_eq!(parse(text), Ok(wanted));
}

#[test]
fn what_is_no_toml_is_told_with_its_line() {
    for (text, line) in [("a = 1\nb = \n", 2), ("a = 1\na = 2", 2), ("[a\n", 1)] {
        let error = parse(text).expect_err("no TOML");
        assert_eq!((error.code.as_str(), error.details["line"].as_u64()), ("BAD_TOML", Some(line)), "{error}");
    }
    assert_eq!(parse("[x]\na = nan").expect_err("no number").details["path"], "x.a");
    assert!(parse(&"[".repeat(100_000)).is_err());
    assert!(parse(&format!("a = {}", "[".repeat(100_000))).is_err());
}

#[test]
fn what_toml_cannot_hold_is_an_error_with_its_path() {
    for (value, path) in [(json!({ "a": { "b": null } }), "a.b"), (json!({ "n": u64::MAX }), "n")] {
        let error = format(&value).expect_err("no TOML");
        assert_eq!((error.code.as_str(), error.details["path"].as_str()), ("SCHEMA_MISMATCH", Some(path)));
    }
    assert_eq!(format(&json!([1])).expect_err("a list").code, "SCHEMA_MISMATCH");
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e12..1e12).prop_map(|n: f64| Value::from(n + 0.5)),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// TOML writes plain values before tables, so the order of fields is another one.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut all: Vec<_> = map.iter().map(|(name, one)| (name.clone(), sorted(one))).collect();
            all.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(Map::from_iter(all))
        }
        Value::Array(list) => Value::Array(list.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn what_is_written_reads_back(map in prop::collection::btree_map(".{0,6}", values(), 0..5)) {
        let value = Value::Object(map.into_iter().collect());
        let text = format(&value).expect("TOML");
        prop_assert_eq!(sorted(&parse(&text).expect("reads back")), sorted(&value));
    }

    #[test]
    fn nothing_panics(text in "[\\[\\]a-z0-9.=\"'\\n#\\-: T]{0,60}") {
        let _ = parse(&text);
    }
}
