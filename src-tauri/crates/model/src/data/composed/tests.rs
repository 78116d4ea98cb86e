use crate::data::{Data, Detached, Read, TEXT_FROM, Text, detached, mark, put_back, with_texts, write};
use serde::Deserialize;
use serde_json::{Value, json};

/// A table whose text is long.
fn table() -> Value {
    (0..5_000).map(|row| json!({ "id": row, "name": format!("person \"{row}\" é"), "city": "Lisbon" })).collect()
}

fn text(data: &Data) -> Text {
    match data {
        Data::Text(text) => text.clone(),
        Data::Value(value) => panic!("{value} is no text"),
    }
}

fn object(members: &[(&str, Data)]) -> Data {
    Data::object(members.iter().map(|(name, data)| (Value::from(*name).to_string(), data.clone())).collect())
}

#[test]
fn an_object_shares_its_members() {
    let long = Data::written(table().to_string());
    let made = object(&[("size", json!(7).into()), ("a \"b\"", long.clone()), ("text", json!("x\n").into())]);
    let value = json!({ "size": 7, "a \"b\"": table(), "text": "x\n" });
    let composed = text(&made);
    let Read::Object(fields) = composed.read() else { panic!("an object") };
    assert_eq!(fields.names().collect::<Vec<_>>(), ["size", "a \"b\"", "text"]);
    assert_eq!(fields.len(), 3);
    assert!(matches!(fields.member("size"), Some(Read::Number(size)) if size == 7.into()));
    assert!(matches!(fields.member("text"), Some(Read::Text(text)) if text == "x\n"));
    assert!(fields.member("other").is_none());
    let Some(Read::List(rows)) = fields.member("a \"b\"") else { panic!("a list") };
    assert_eq!(rows.get(4_999).map(|row| row.value()), Some(table()[4_999].clone()));
    let Data::Text(shared) = rows.data() else { panic!("text") };
    assert!(shared.shares(&text(&long)), "no copy was made");
    // What is known of it is known without its text.
    assert_eq!(composed.length(), value.to_string().len());
    assert_eq!(composed.pieces().collect::<String>(), value.to_string());
    assert_eq!(serde_json::to_string(&made).expect("text"), value.to_string());
    assert_eq!(write(&made).expect("text"), value.to_string());
    assert_eq!(*made.value(), value);
    assert_eq!(made, Data::written(value.to_string()));
    assert_eq!(composed.text(), value.to_string());
}

#[test]
fn objects_are_composed_of_objects() {
    let long = Data::written(table().to_string());
    let inner = object(&[("rows", long.clone())]);
    let outer = object(&[("inner", inner), ("again", long)]);
    let value = json!({ "inner": { "rows": table() }, "again": table() });
    assert_eq!(text(&outer).pieces().collect::<String>(), value.to_string());
    assert_eq!(*outer.value(), value);
    let Data::Text(composed) = &outer else { panic!("text") };
    let at = |at: usize| String::from_utf8(composed.bytes_at(at, 20)).expect("text");
    assert_eq!((at(0).as_str(), at(9).as_str()), ("{\"inner\":", "{\"rows\":"));
    assert!(composed.bytes_at(composed.length(), 20).is_empty());
}

#[test]
fn a_small_object_is_one_text() {
    let made = object(&[("a", json!([1]).into()), ("b", json!(null).into())]);
    assert_eq!(text(&made).pieces().collect::<Vec<_>>(), [r#"{"a":[1],"b":null}"#]);
    assert_eq!(*object(&[]).value(), json!({}));
}

/// An event is written without the texts of its tables, and read again with them.
#[test]
fn members_are_left_out_and_taken_over() {
    let long = Data::written(table().to_string());
    let made = object(&[("size", json!(7).into()), ("rows", long.clone())]);
    let Detached { written, texts } = detached(|| serde_json::to_string(&made).expect("text"));
    let short = put_back(written, &texts, TEXT_FROM);
    assert!(short.len() < 100 && short.contains(mark()), "{short}");
    let read = |json: &str, texts: Vec<Text>| {
        with_texts(texts, || Data::deserialize(&mut serde_json::Deserializer::from_str(json)))
    };
    let again = read(&short, texts).expect("data");
    assert_eq!(again, made);
    let whole = text(&again);
    let Read::Object(fields) = whole.read() else { panic!("an object") };
    assert!(fields.member_texts().any(|(_, data)| text(&data).shares(&text(&long))), "no copy was made");
    let alone = read(&format!("\"{}0\"", mark()), vec![text(&long)]).expect("data");
    assert!(alone.same(&long));
    let nested = format!("{{\"a\":[1,\"{0}0\"],\"b\":\"{0}0\"}}", mark());
    assert_eq!(*read(&nested, vec![text(&long)]).expect("data").value(), json!({ "a": [1, table()], "b": table() }));
    let list = format!("[\"{0}0\",\"{0}0\"]", mark());
    assert_eq!(*read(&list, vec![text(&long)]).expect("data").value(), json!([table(), table()]));
    // A mark that stands for nothing is a string like any other.
    assert_eq!(*read("\"sb1-0\"", vec![text(&long)]).expect("data").value(), json!("sb1-0"));
}

/// Escapes are read stretch by stretch.
#[test]
fn a_long_string_is_read_as_it_is_written() {
    let letters: String = (0..180_000).map(|index| ["a", "\"", "\\", "\n", "é", "😀"][index % 6]).collect();
    for json in [
        Value::from(letters.as_str()).to_string(),
        Value::from(letters.as_str()).to_string().replace('😀', "\\uD83D\\uDE00"),
    ] {
        let long = text(&Data::written(json));
        assert!(long.is_string() && matches!(long.read(), Read::LongText(_)));
        assert_eq!(long.stretches().collect::<String>(), letters);
        let (mut at, mut all) = (0, String::new());
        loop {
            let (stretch, next) = long.stretch_at(at);
            if stretch.is_empty() {
                break;
            }
            all.push_str(&stretch);
            at = next;
        }
        assert_eq!(all, letters);
    }
}
