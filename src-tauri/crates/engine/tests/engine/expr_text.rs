//! Expressions over data that is text (ADR 95) see what they see over its values.

use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_engine::expr::Expr;
use signalbox_engine::scope::Scope;
use signalbox_model::Data;

fn over(item: Data) -> Scope {
    let mut scope = Scope::empty();
    scope.items = std::sync::Arc::new(vec![item.clone(), json!({ "n": 2 }).into()]);
    scope.item = item;
    scope
}

fn told(text: &str, item: Data) -> Result<String, (String, Vec<String>)> {
    let found = Expr::compile(text).expect("an expression").eval(&over(item));
    found.map(|value| value.to_string()).map_err(|error| (error.message, error.available))
}

/// Texts and names with everything that is escaped in JSON, long ones among them.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{0,6}", r#"[\\"\]\}\[\{,:é😀\n\t ]{0,8}"#, Just("x".repeat(3_000)), Just("a".to_owned()),]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no others", |n| n.is_finite()).prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..8).prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

const EXPRESSIONS: &[&str] = &[
    "item",
    "items",
    "item.a",
    "item.a.a",
    "item[0]",
    "item[1]",
    "item['a']",
    "has(item.a)",
    "item.size()",
    "size(item)",
    "item.map(x, x)",
    "item.filter(x, type(x) == string)",
    "item.map(x, type(x))",
    "item.exists(x, x == item)",
    "items.exists(x, x == item)",
    "'a' in item",
    "item == items[0]",
    "item + item",
    "[item, {'a': item}]",
    "item.map(x, item[x])",
    "string(item)",
    "item > 5",
    "items.map(x, x.n)",
    "put(item, ['a'], 7)",
    "item.join(',')",
    "item.a.map(r, r.a)",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn a_text_is_what_its_values_are(value in any_json()) {
        for text in EXPRESSIONS {
            let as_text = told(text, Data::written(value.to_string()));
            prop_assert_eq!(as_text, told(text, value.clone().into()), "{}", text);
        }
    }

    #[test]
    fn parts_of_a_text_are_its_values(value in any_json()) {
        let mut parts = Vec::new();
        let of = |item| {
            let mut all = Vec::new();
            let other = Expr::compile("item").expect("an expression").eval_each(&over(item), &mut |one| all.push(one));
            (other.map_err(|error| error.message), all)
        };
        let (text, values) = (of(Data::written(value.to_string())), of(value.into()));
        prop_assert_eq!(&text, &values);
        parts.extend(text.1);
        for (part, value) in parts.into_iter().zip(values.1) {
            prop_assert_eq!(serde_json::to_string(&part).expect("text"), value.value().to_string());
        }
    }
}

#[test]
fn a_member_of_a_wide_object_is_found_by_its_name() {
    let name = |n: usize| ["a", "\"", "é\\", "x\n"][n % 4].repeat(n % 3 + 1) + &n.to_string();
    let wide: serde_json::Map<String, Value> = (0..2_000).map(|n| (name(n), json!({ "n": [n, "}"] }))).collect();
    let item = || Data::written(json!({ "wide": wide, "n": 0 }).to_string());
    for n in [0, 1, 2, 3, 997, 1_998, 1_999] {
        let text = format!("item.wide[{}].n[0]", Value::from(name(n)));
        assert_eq!(told(&text, item()), Ok(n.to_string()), "{text}");
    }
    assert_eq!(told("'a' in item.wide || 'x' in item.wide", item()), Ok("false".into()));
    assert_eq!(told("item.wide == items[0].wide && item.wide.size() == 2000", item()), Ok("true".into()));
}

/// Counted, not timed: rows of a table are looked at where they stand.
#[test]
fn a_row_of_a_large_table_is_found_by_its_place() {
    let rows: Vec<Value> =
        (0..5_000).map(|n| json!({ "id": n, "name": format!("n\"{n}"), "amount": n as f64 / 4.0 })).collect();
    let item = Data::written(json!({ "rows": rows, "more": "x" }).to_string());
    let Data::Text(text) = item.clone() else { panic!("it is text") };
    assert_eq!(told("item.rows.size()", item.clone()), Ok("5000".into()));
    assert_eq!(told("item.rows[4999].name + item.more", item.clone()), Ok(r#""n\"4999x""#.into()));
    assert_eq!(told("item.rows.filter(r, r.amount > 1249.0)", item.clone()), {
        Ok(json!([rows[4997], rows[4998], rows[4999]]).to_string())
    });
    let error = told("item.rows[0].nam", item).expect_err("there is none");
    assert_eq!(error.1, ["id", "name", "amount"]);
    assert!(!text.is_made(), "no values were made");
}

#[test]
fn lists_objects_and_codes() {
    let item = json!({ "a": { "x": 1, "y": [1] }, "b": { "y": 2 }, "list": [1, 2, 3], "text": "Grüße" });
    for (text, wanted) in [
        ("merge(item.a, item.b)", r#"{"x":1,"y":2}"#),
        ("item.a.merge({'z': null})", r#"{"x":1,"y":[1],"z":null}"#),
        ("item.list.chunks(2)", "[[1,2],[3]]"),
        ("[].chunks(2)", "[]"),
        ("range(1, 4)", "[1,2,3,4]"),
        ("range(5, 1, -2)", "[5,3,1]"),
        ("range(5, 1)", "[]"),
        ("range(9223372036854775806, 9223372036854775807)", "[9223372036854775806,9223372036854775807]"),
        ("base64(item.text)", r#""R3LDvMOfZQ==""#),
        ("fromBase64(base64(item.text)) == item.text", "true"),
        ("hash('', 'SHA-256')", r#""e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855""#),
        ("size(hash('a', 'SHA-512'))", "128"),
    ] {
        assert_eq!(told(text, item.clone().into()), Ok(wanted.to_owned()), "{text}");
    }
    for (text, why) in [
        ("merge(item.a, item.list)", "`merge` does not work with a list"),
        ("item.list.chunks(0)", "`chunks` does not work with"),
        ("range(0, 1, 0)", "needs a step that is not 0"),
        ("range(0, 1000000000)", "at most 100000 numbers"),
        ("range(0.5, 2)", "`range` does not work with"),
        ("fromBase64('?')", "not Base64"),
        ("fromBase64('/w==')", "no text in UTF-8"),
        ("hash('a', 'MD5')", "SHA-256, SHA-384 and SHA-512, not MD5"),
    ] {
        let error = told(text, item.clone().into()).expect_err(text);
        assert!(error.0.contains(why), "{text}: {}", error.0);
    }
}

#[test]
fn matches_flat_lists_calendar_times_and_numbers_for_people() {
    let item = json!({ "list": [[1, 2], [], 3, ["a"]], "text": "a1 b22", "at": "2026-01-31T23:30:00Z" });
    for (text, wanted) in [
        ("item.list.flatten()", r#"[1,2,3,"a"]"#),
        ("item.text.findAllPattern('[a-z]([0-9]+)')", r#"[["a1","1"],["b22","22"]]"#),
        ("item.text.findAllPattern('z')", "[]"),
        ("urlDecode('a%20b+%C3%A9')", r#""a b+é""#),
        ("sqrt(16)", "4"),
        ("pow(2, -1)", "0.5"),
        ("formatNumber(1234567.891)", r#""1,234,567.891""#),
        ("formatNumber(-1234.5, 2)", r#""-1,234.50""#),
        ("formatNumber(1234.5, 2, 2)", r#""1,234.50""#),
        ("formatNumber(0.0001, 0, 3)", r#""0""#),
        ("string(addTime(item.at, 1, 'month'))", r#""2026-02-28T23:30:00Z""#),
        ("string(addTime(timestamp(item.at), -1, 'years'))", r#""2025-01-31T23:30:00Z""#),
        // The day after the clocks went forward has its hour.
        ("string(addTime('2026-03-28T12:00:00Z', 1, 'day', 'Europe/Berlin'))", r#""2026-03-29T11:00:00Z""#),
    ] {
        assert_eq!(told(text, item.clone().into()), Ok(wanted.to_owned()), "{text}");
    }
    for (text, why) in [
        ("item.text.flatten()", "`flatten` does not work with"),
        ("urlDecode('%zz')", "two hex digits"),
        ("urlDecode('%ff')", "no text in UTF-8"),
        ("sqrt(-1)", "no number"),
        ("pow(10, 400)", "no number"),
        ("formatNumber(1, 99)", "from 0 to 20"),
        ("addTime(item.at, 1, 'moon')", "knows the units"),
        ("addTime(item.at, 1.5, 'day')", "needs a whole number"),
        ("addTime(item.at, 9000, 'years')", "out of range"),
        ("addTime(item.at, 9223372036854775807, 'day')", "out of range"),
        ("addTime('soon', 1, 'day')", "needs a time like"),
        ("addTime(item.at, 1, 'day', 'Mars')", "no time zone `Mars`"),
    ] {
        let error = told(text, item.clone().into()).expect_err(text);
        assert!(error.0.contains(why), "{text}: {}", error.0);
    }
}
