use super::{MARK, marked};
use serde_json::{Value, json};

#[test]
fn arguments_that_would_change_are_marked_and_others_are_not() {
    let call = |arguments: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{arguments}}}}}"#)
    };
    for good in [r#"{"id":18446744073709551615}"#, r#"{"a":{"b":1},"c":{"b":2}}"#, r#"{"a":1,"a":1}"#] {
        assert_eq!(marked(&call(good)), None, "{good}");
    }
    for (bad, path) in [
        (r#"{"id":18446744073709551617}"#, "params.arguments.id"),
        (r#"{"rows":[{"a":1,"a":2}]}"#, "params.arguments.rows[0].a"),
    ] {
        let told: Value = serde_json::from_str(&marked(&call(bad)).expect("marked")).expect("JSON");
        assert_eq!((&told["id"], &told["params"]["arguments"]), (&json!(1), &json!({})));
        let why = told["params"]["_meta"][MARK].as_str().expect("words");
        assert!(why.contains(path), "{why}");
    }
    assert_eq!(marked(r#"{"id":1,"id":2,"method":"ping"}"#), None);
}
