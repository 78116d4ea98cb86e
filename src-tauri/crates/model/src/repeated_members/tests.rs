use super::{repeated, repeated_below};

fn told(text: &str) -> Option<(String, usize, usize)> {
    serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    repeated(text).map(|found| (found.path, found.line, found.column))
}

#[test]
fn a_member_with_two_values_is_found_wherever_it_stands() {
    for (text, path, line, column) in [
        (r#"{"a":1,"a":2}"#, "a", 1, 8),
        ("{\"rows\": [{}, {\"id\": 1,\n  \"id\": \"1\"}]}", "rows[1].id", 2, 3),
        (r#"{"a":{"b":[{"c":1}],"b":null}}"#, "a.b", 1, 21),
        (r#"{"é":1,"x":{"é":3},"\u00e9":2}"#, "é", 1, 20),
        (r#"{"":1,"":2}"#, "[\"\"]", 1, 7),
        (r#"{"a b":[1,2],"a b":[2,1]}"#, "[\"a b\"]", 1, 14),
        (r#"[{"x":"{\"x\":1,\"x\":2}","x":0}]"#, "[0].x", 1, 27),
        // A name in the value is another object's, and a value that is a text is no name.
        (r#"{"a":"b","b":{"a":"a"},"c":["a","b"],"c":[]}"#, "c", 1, 38),
    ] {
        assert_eq!(told(text), Some((path.to_owned(), line, column)), "{text}");
    }
}

#[test]
fn what_no_reader_can_lose_is_none() {
    for text in [
        "{}",
        "[]",
        "7",
        r#""{\"a\":1,\"a\":2}""#,
        r#"{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}"#,
        r#"{"a":"a","b":"a","c":["a","a"]}"#,
        r#"{"a":1,"A":2,"a ":3}"#,
        "{\"a\" : [1, {\"b\":2}] , \"a\":[1, {\"b\":2}]\n}",
    ] {
        assert_eq!(told(text), None, "{text}");
    }
}

#[test]
fn an_object_of_many_members_is_read_once() {
    let members: Vec<String> = (0..5_000).map(|n| format!("\"m{n}\":{n}")).collect();
    let all = members.join(",");
    assert_eq!(told(&format!("{{{all}}}")), None);
    for name in ["m0", "m15", "m16", "m4999"] {
        let found = told(&format!("{{{all},\"{name}\":-1}}")).expect("found");
        assert_eq!(found.0, name);
    }
}

#[test]
fn other_parts_of_a_message_do_not_matter() {
    let text = r#"{"id":1,"id":2,"result":{"a":1,"a":2}}"#;
    assert_eq!(repeated_below(text, "result").map(|found| found.path), Some("result.a".into()));
    assert_eq!(repeated_below(text, "result.b"), None);
}
