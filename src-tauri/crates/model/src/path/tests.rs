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

/// What is missing at a path, of a value.
fn missing(value: &serde_json::Value, path: &str) -> super::Missing {
    resolve(value, path, &parse(path).expect("parses")).expect_err(path)
}

#[test]
fn ts_132_a_wrong_name_and_an_index_out_of_range_say_what_is_there() {
    let value = json!({"data": [{"id": 1}, {"id": 2}], "total": 2});
    let wrong = missing(&value, "$.items[0]");
    assert_eq!((wrong.available_at.as_str(), wrong.available), ("$", vec!["data".to_owned(), "total".into()]));
    let beyond = missing(&value, "$.data[2].id");
    assert_eq!((beyond.available_at.as_str(), beyond.available), ("$.data", vec!["[0]…[1]".to_owned()]));
    assert_eq!(beyond.top_level, ["data", "total"]);
}

#[test]
fn ts_143_paths_are_found_or_missing_and_each_level_says_what_it_has() {
    let value = json!({
        "user": {"name": "Ada", "mail": null, "tags": ["a", "b"], "address": {"city": "Bonn"}},
        "count": 0,
    });
    for (path, is_there) in [
        ("user.name", true),
        ("user.mail", true),
        ("user.address.city", true),
        ("user.tags[1]", true),
        ("count", true),
        ("user.username", false),
        ("user.tags[2]", false),
        ("user.name.first", false),
        ("users[0].name", false),
    ] {
        assert_eq!(resolve(&value, path, &parse(path).expect(path)).is_ok(), is_there, "{path}");
    }
    for (path, at, available) in [
        ("login", "$", vec!["user", "count"]),
        ("user.login", "$.user", vec!["name", "mail", "tags", "address"]),
        ("user.address.street", "$.user.address", vec!["city"]),
        ("user.tags.first", "$.user.tags", vec!["[0]…[1]"]),
        ("user.name.first", "$.user.name", vec![]),
    ] {
        let missing = missing(&value, path);
        assert_eq!(
            (missing.available_at.as_str(), missing.available),
            (at, available.iter().map(|one| (*one).to_owned()).collect()),
            "{path}"
        );
        assert_eq!(missing.top_level, ["user", "count"]);
    }
}
