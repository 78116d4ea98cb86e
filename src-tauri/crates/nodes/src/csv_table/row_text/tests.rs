use super::super::{Layout, TableText};
use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_model::{Data, NodeFailure};

/// A table of rows, each as values or as text.
fn table(rows: &[Value], make: impl Fn(&Value) -> Data) -> Result<String, NodeFailure> {
    let mut table = TableText::new(Layout::default(), "The list");
    for (at, row) in rows.iter().enumerate() {
        table.look(at, &make(row))?;
    }
    rows.iter().try_for_each(|row| table.row(&make(row)))?;
    Ok(table.take())
}

/// What the values give, after their texts gave the same.
fn same(rows: &[Value]) -> Result<String, NodeFailure> {
    let of_values = table(rows, |row| Data::from(row.clone()));
    let of_texts = table(rows, |row| Data::written(row.to_string()));
    assert_eq!(of_texts, of_values, "{}", Value::from(rows));
    of_values
}

#[test]
fn odd_values_are_written_as_their_values_are() {
    let odd = json!([
        { "a": "plain", "b": null, "c": true }, { "a": "", "b": 1, "c": false },
        { "a": "quo\"te", "b": -5, "c": "line\nbreak" }, { "a": " blank", "b": "blank ", "c": "\u{a0}x" },
        { "a": "sep=;", "b": "sep=é", "c": "\u{feff}x" }, { "a": "a;b", "b": "a|b", "c": "a\tb" },
        { "a": "é\\", "b": "\u{1}", "c": "日本, 語" }, { "a": 0.5, "b": 1e300, "c": 1e-7 },
        { "a": 0.0, "b": -0.0, "c": 1.0 }, { "a": u64::MAX, "b": i64::MIN, "c": 123_456_789_012_345_678_i64 },
        { "a": 0.001, "b": 0.000_1, "c": 12_345_678_901.234_5 }, { "a": [1, "x", { "y": null }], "b": {}, "c": [] },
        { "b": 1, "a": 2, "c": 3 }, { "a": 1 }, {}, { "a": 1, "b": 2, "c": 3, "d\"": "more" }, { "c": 1, "d\"": [[]] },
    ]);
    let text = same(odd.as_array().expect("rows")).expect("a table");
    assert!(
        text.starts_with("a,b,c,\"d\"\"\"\nplain,,true,\n,1,false,\n\"quo\"\"te\",-5,\"line\nbreak\",\n"),
        "{text}"
    );
    for numbers in ["1.50", "1E3", "-0", "0.000", "100000000000000000000", "0.10", "1.0", "0.0000001", "12e-1"] {
        let row = format!("{{\"a\":{numbers}}}");
        let of_values = table(&[serde_json::from_str(&row).expect("JSON")], |row| Data::from(row.clone()));
        assert_eq!(table(&[Value::Null], |_| Data::written(row.clone())), of_values, "{numbers}");
    }
    assert_eq!(same(&[json!({ "one": "" }), json!({ "one": "x" })]).as_deref(), Ok("one\n\"\"\nx\n"));
    assert_eq!(same(&[json!({}), json!({})]).as_deref(), Ok(""));
}

#[test]
fn what_cannot_be_a_row_is_refused_as_values_are() {
    for rows in
        [json!([{ "a": 1 }, 5]), json!([{ "a": "x\u{0}" }]), json!([{ "": 1 }]), json!([{ "a": 1 }, { "a": 2, "": 1 }])]
    {
        assert_eq!(same(rows.as_array().expect("rows")).expect_err("refused").code, "SCHEMA_MISMATCH", "{rows}");
    }
}

fn cell() -> impl Strategy<Value = Value> {
    let part = prop_oneof![
        Just("\""),
        Just(","),
        Just("\\"),
        Just("\n"),
        Just(" "),
        Just("é"),
        Just("sep="),
        Just("x"),
        Just("}")
    ];
    let text = prop::collection::vec(part, 0..4).prop_map(|parts| Value::from(parts.concat()));
    let number = prop_oneof![any::<i64>().prop_map(Value::from), any::<f64>().prop_map(Value::from)];
    let decimal = (-99_999_i64..99_999, 0_u32..9).prop_map(|(n, scale)| json!(n as f64 / 10_f64.powi(scale as i32)));
    let leaf = prop_oneof![text, number, decimal, Just(Value::Null), any::<bool>().prop_map(Value::from)];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::hash_map("[a-c\"]", inner, 0..3).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn texts_give_what_values_give(
        rows in prop::collection::vec(prop::collection::vec((prop::sample::select(vec!["a", "b,", "c\"", "é"]), cell()), 0..5), 0..6)
    ) {
        let rows: Vec<Value> = rows.into_iter().map(|row| row.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()).collect();
        same(&rows).expect("a table");
    }
}
