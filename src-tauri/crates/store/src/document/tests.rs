use super::{Document, filled};
use serde_json::{Map, Value, json};
use signalbox_model::blob::BLOB_LIMIT;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::hash::sha256_hex;
use std::borrow::Cow;
use std::collections::HashMap;

/// What a document was made of.
fn whole(document: Document) -> Value {
    let blobs: HashMap<_, _> =
        document.blobs.iter().map(|b| (&*b.hash, b.data().expect("written").expect("its text"))).collect();
    let references = document.references.expect("references");
    let text = filled("before ".into(), &document.text, &references, &mut |h| Ok(blobs[h].as_bytes().to_vec()));
    serde_json::from_str(text.expect("fills").strip_prefix("before ").expect("it stands there")).expect("JSON")
}

/// The rule in other words: the smallest value above the limit is taken out, inner ones first.
fn by_the_rule(value: &mut Value, pointer: &str, taken: &mut Vec<(String, String)>, wanted: &dyn Fn(&str) -> bool) {
    match value {
        Value::Array(list) => {
            for (index, child) in list.iter_mut().enumerate() {
                by_the_rule(child, &format!("{pointer}/{index}"), taken, wanted);
            }
        }
        Value::Object(map) => {
            for (key, child) in map.iter_mut() {
                by_the_rule(child, &format!("{pointer}/{}", pointer_token(key)), taken, wanted);
            }
        }
        _ => {}
    }
    let text = value.to_string();
    if !pointer.is_empty() && text.len() > BLOB_LIMIT && wanted(&sha256_hex(text.as_bytes())) {
        taken.push((pointer.to_owned(), text));
        *value = Value::Null;
    }
}

/// Values of all kinds and depths, some of them large, with names and texts that look like the text around them.
fn made_up(seed: &mut u64, depth: usize) -> Value {
    let mut next = |below: u64| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*seed >> 33) % below
    };
    match if depth == 0 { next(6) } else { next(9) } {
        0 => json!(null),
        1 => json!(next(2) == 0),
        2 => json!(next(1_000_000)),
        3 => json!(0.5 - next(1_000) as f64),
        4 => json!("\"],{}:[\\\n\u{1}é😀".repeat(usize::try_from(next(40)).expect("small"))),
        5 => json!("x\"".repeat(usize::try_from(next(5_000)).expect("small"))),
        6 => (0..next(12)).map(|_| made_up(seed, depth - 1)).collect(),
        _ => {
            let names = ["a", "b/c", "~d", "e\"f", "", "é:", "0"];
            let count = usize::try_from(next(7)).expect("small");
            names
                .iter()
                .take(count)
                .map(|name| ((*name).to_owned(), made_up(seed, depth - 1)))
                .collect::<Map<_, _>>()
                .into()
        }
    }
}

#[test]
fn what_is_taken_out_of_a_text_is_what_the_rule_says() {
    let mut seed = 7;
    let mut large = 0;
    for _ in 0..400 {
        let value = json!([made_up(&mut seed, 4), made_up(&mut seed, 4)]);
        let (mut left, mut taken) = (value.clone(), Vec::new());
        by_the_rule(&mut left, "", &mut taken, &|_| true);
        let document = Document::split(value.to_string(), &mut |_| true);
        assert_eq!(document.text, left.to_string());
        let found: Vec<(String, String)> =
            document.references.as_deref().map(|text| serde_json::from_str(text).expect("a list")).unwrap_or_default();
        let expected: Vec<_> = taken.iter().map(|(at, text)| (at.clone(), sha256_hex(text.as_bytes()))).collect();
        assert_eq!(found, expected);
        assert_eq!(
            document.blobs.iter().map(|blob| blob.data().expect("written")).collect::<Vec<_>>(),
            taken.iter().map(|t| Some(Cow::Borrowed(&*t.1))).collect::<Vec<_>>()
        );
        large += usize::from(!taken.is_empty());
        if !taken.is_empty() {
            assert_eq!(whole(document), value);
        }
    }
    assert!(large > 100, "{large}");
}

/// A snapshot refers to what events have stored; what is around another large value is no such value, and is not looked for.
#[test]
fn what_nobody_stored_stays_and_is_asked_for_once() {
    let (known, new) = ("k".repeat(9_000), "n".repeat(9_000));
    let value = json!({ "state": { "nodes": [{ "v": known }, { "v": new }] } });
    let mut asked = 0;
    let stored = sha256_hex(json!(known).to_string().as_bytes());
    let document = Document::split(value.to_string(), &mut |hash| {
        asked += 1;
        hash == stored
    });
    assert_eq!((document.blobs.len(), asked), (1, 2), "the two texts, and nothing around them");
    assert_eq!(whole(document), value);
}

#[test]
fn nested_large_values_come_back_and_look_alikes_stay() {
    let big = "x".repeat(9_000);
    let value = json!({"a/b~": [{"deep": big, "list": vec!["y".repeat(100); 100]}], "_ref": ["/a", "hash"], "n": null});
    let document = Document::of(&value).expect("splits");
    assert_eq!(document.blobs.len(), 2);
    assert!(document.text.len() < 200, "{}", document.text);
    assert_eq!(whole(document), value);
}

#[test]
fn the_rest_of_a_value_may_be_large_itself() {
    let value = json!({"data": {"inner": "i".repeat(9_000), "a": "a".repeat(5_000), "b": "b".repeat(5_000)}});
    let document = Document::split(value.to_string(), &mut |_| true);
    assert_eq!(document.blobs.len(), 2);
    assert_eq!(whole(document), value);
}

#[test]
fn too_deep_is_refused_before_sqlite_does() {
    let text = format!("{}1{}", "[".repeat(901), "]".repeat(901));
    let value: Value = super::parse(&text).expect("JSON");
    assert_eq!(Document::of(&value).expect_err("too deep").code(), "INVALID_DATA");
}

/// A long text beside the document is stored as if it stood in it.
#[test]
fn a_long_text_is_not_copied_and_stored_as_before() {
    use signalbox_model::Data;
    use signalbox_model::data::TEXT_FROM;
    let rows: Vec<Value> = (0..9_000).map(|row| json!({ "id": row, "name": format!("person \"{row}\"") })).collect();
    let table = json!({ "path": "a/b~c", "content": rows, "x/y": "z".repeat(BLOB_LIMIT + 1), "empty": [] });
    let texts = [table.clone(), json!(rows), json!("é".repeat(TEXT_FROM))];
    for value in texts {
        let around = |data: Value| json!({ "before": 1, "a/b": [null, { "data": data }, "signalbox-text-0"] });
        let data = Data::written(value.to_string());
        let document = Document::of(&json_with(&data)).expect("a document");
        assert!(document.text.len() < BLOB_LIMIT, "{}", document.text.len());
        let mut plain = Document::of_text(around(value.clone()).to_string()).expect("a document");
        plain.blobs.sort_by(|one, other| one.hash.cmp(&other.hash));
        let mut hashes: Vec<_> = document.blobs.iter().map(|blob| blob.hash.clone()).collect();
        hashes.sort();
        assert_eq!(hashes, plain.blobs.iter().map(|blob| blob.hash.clone()).collect::<Vec<_>>());
        assert_eq!((&document.text, &document.references), (&plain.text, &plain.references));
        assert_eq!(whole(document), around(value));
    }
}

/// As an event has its data.
fn json_with(data: &signalbox_model::Data) -> impl serde::Serialize {
    #[derive(serde::Serialize)]
    struct Whole {
        before: u8,
        #[serde(rename = "a/b")]
        list: (Option<u8>, Around, &'static str),
    }
    #[derive(serde::Serialize)]
    struct Around {
        data: signalbox_model::Data,
    }
    Whole { before: 1, list: (None, Around { data: data.clone() }, "signalbox-text-0") }
}
