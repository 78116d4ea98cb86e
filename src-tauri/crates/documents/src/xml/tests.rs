use super::{ReadOptions, format, parse};
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(text: &str) -> Value {
    parse(text, &ReadOptions::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused(text: &str) -> String {
    let error = parse(text, &ReadOptions::default()).expect_err(text);
    assert_eq!(error.code, "BAD_XML");
    error.message
}

#[test]
fn elements_attributes_text_and_namespaces() {
    let text = "\u{feff}<?xml version=\"1.0\"?>\n<!-- c --><i:invoice xmlns:i=\"urn:x\" no='7'>\n  <i:line qty=\"2\">A &amp; B&#33;</i:line>\n  <i:line/>\n  <total><![CDATA[<1>]]></total>\n</i:invoice>";
    let wanted = json!({ "i:invoice": {
        "@xmlns:i": "urn:x", "@no": "7", "i:line": [{ "@qty": "2", "#text": "A & B!" }, ""], "total": "<1>",
    } });
    assert_eq!(read(text), wanted);
    let options = ReadOptions { strip_namespaces: true, lists: vec!["total".into()] };
    let plain = parse(text, &options).expect("XML");
    assert_eq!(plain["invoice"]["total"], json!(["<1>"]));
    assert!(plain["invoice"].get("@xmlns:i").is_none());
}

#[test]
fn entities_of_the_document_and_damaged_texts_are_refused() {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE b [<!ENTITY a \"aaaa\"><!ENTITY c \"&a;&a;\">]>\n<b>&c;</b>";
    assert!(refused(bomb).contains("document type") && refused(bomb).contains("line 2"));
    assert!(refused("<a>&x;</a>").contains("'&x;'"));
    assert!(refused("<a b=\"&x;\"/>").contains("line 1"));
    for text in
        ["", "  ", "text", "<a>", "<a></b>", "<a/><b/>", "<a/>x", "<a b=1/>", "<a b='1' b='2'/>", "</a>", "<a>&#0;</a>"]
    {
        refused(text);
    }
    assert!(refused(&"<a>".repeat(200)).contains("deeper"));
    assert!(refused(&"<a>".repeat(2_000_000)).contains("deeper"));
}

#[test]
fn values_become_xml() {
    let value = json!({ "order": { "@id": 7, "line": [{ "#text": "a<b", "@q": "\"" }, null], "paid": true } });
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<order id=\"7\">\n  <line q=\"&quot;\">a&lt;b</line>\n  <line/>\n  <paid>true</paid>\n</order>\n";
    assert_eq!(format(&value).expect("XML"), text);
    for value in [
        json!([]),
        json!({ "a": 1, "b": 2 }),
        json!({ "a": [1] }),
        json!({ "a b": 1 }),
        json!({ "a": { "b": [[1]] } }),
        json!({ "a": { "@b": {} } }),
        json!({ "a": "\u{1}" }),
    ] {
        assert_eq!(format(&value).expect_err("no XML").code, "SCHEMA_MISMATCH", "{value}");
    }
}

fn text() -> impl Strategy<Value = String> {
    "[a-z<>&'\"\\n\\r\\t äß€😀;]{0,10}".prop_map(|text| text)
}

fn elements() -> impl Strategy<Value = Value> {
    text().prop_map(Value::from).prop_recursive(3, 20, 4, |inner| {
        let field = prop_oneof![
            3 => inner.clone().prop_map(|one| one),
            1 => prop::collection::vec(inner, 2..4).prop_map(Value::from),
        ];
        // An object without a field is an empty element, which is a text.
        (prop::collection::btree_map("[a-z_][a-zA-Z0-9_.-]{0,5}", field, 1..4), prop::option::of(text())).prop_map(
            |(map, attribute)| {
                let mut map: serde_json::Map<String, Value> =
                    map.into_iter().filter(|(_, one)| !is_nested(one)).collect();
                map.insert("@at".into(), attribute.unwrap_or_default().into());
                Value::Object(map)
            },
        )
    })
}

fn is_nested(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().any(Value::is_array))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn what_is_written_reads_back(value in elements()) {
        let value = json!({ "root": value });
        let text = format(&value).expect("XML");
        let back = read(&text);
        // Fields are written attributes first.
        prop_assert_eq!(format(&back).expect("XML"), text);
        prop_assert_eq!(back, value);
    }

    #[test]
    fn nothing_panics(text in "[<>/a-c =\"'&;!\\[\\]?-]{0,40}") {
        let _ = parse(&text, &ReadOptions::default());
    }
}
