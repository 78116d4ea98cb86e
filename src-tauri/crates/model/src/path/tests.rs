use super::{parse, resolve};
use serde_json::json;

#[test]
fn ts_148_a_null_at_an_existing_key_is_found() {
    let value = json!({"a": {"b": [null, {"odd key": 1}]}});
    for (path, want) in [("$", value.clone()), ("$.a.b[0]", json!(null)), ("a.b[1]['odd key']", json!(1))] {
        assert_eq!(resolve(&value, path, &parse(path).expect(path)).expect(path), &want);
    }
    let missing = resolve(&value, "$.a.c", &parse("$.a.c").expect("parses")).expect_err("missing");
    assert_eq!((missing.available, missing.available_at.as_str()), (vec!["b".to_owned()], "$.a"));
}

#[test]
fn wrong_paths_say_where() {
    for (path, at) in [("", 1), ("$a", 2), ("a..b", 3), ("a[-1]", 3), ("a[*]", 3), ("a[0", 2), ("$.*", 3), ("a['x]", 2)]
    {
        assert_eq!(parse(path).expect_err(path).at, at, "{path}");
    }
}
