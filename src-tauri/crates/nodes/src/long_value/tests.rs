use super::{JsonString, LongValue};
use serde_json::{Value, json};
use signalbox_model::Data;

fn text(data: &Data) -> String {
    let mut all = String::new();
    data.append(&mut all);
    all
}

fn as_json(text: &str) -> String {
    serde_json::to_string(text).expect("JSON")
}

fn bytes(value: LongValue) -> String {
    let mut next = value.pieces();
    let mut all = Vec::new();
    while let Some(piece) = next() {
        all.extend(piece.expect("a piece"));
    }
    String::from_utf8(all).expect("text")
}

/// Escapes, letters of several bytes and of two escapes, at each place where a stretch may end.
fn awkward() -> String {
    let mut all = String::new();
    for index in 0..40_000 {
        all.push_str(["a", "\"", "\\", "\n", "ü", "日", "😀", "\u{1}"][index % 8]);
    }
    all
}

#[test]
fn words_are_written_without_quotes_and_escapes() {
    let (long, table) = (awkward(), json!([{ "a": awkward() }]));
    let escaped = serde_json::to_string(&long).expect("JSON").replace('😀', "\\ud83d\\ude00");
    let parts = || {
        let json = Data::written(table.to_string());
        LongValue::Words(vec![Value::from("x ").into(), Data::written(escaped.clone()), json, Value::from(" y").into()])
    };
    let whole = format!("x {long}{table} y");
    assert!(bytes(parts()) == whole, "as bytes");
    assert!(parts().value().as_str() == Some(&*whole), "as a value");
    assert!(text(&parts().data()) == as_json(&whole), "as JSON");
}

#[test]
fn json_is_written_as_it_stands() {
    let table = json!([{ "a": awkward() }]).to_string();
    let object =
        Data::object(vec![("\"size\"".into(), json!(3).into()), ("\"again\"".into(), Data::written(table.clone()))]);
    assert!(bytes(LongValue::of(Data::written(table.clone()))) == table);
    assert!(bytes(LongValue::of(object)) == format!("{{\"size\":3,\"again\":{table}}}"));
}

#[test]
fn a_string_is_escaped_piece_by_piece() {
    let (long, mut json) = (awkward().repeat(3), JsonString::new(0));
    long.split_inclusive('日').for_each(|piece| json.push(piece));
    json.push(&long);
    assert!(text(&json.data()) == as_json(&long.repeat(2)));
}
