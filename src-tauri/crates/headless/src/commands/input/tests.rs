use super::parse;
use serde_json::json;

#[test]
fn params_and_context_values_are_told_apart_by_the_dollar() {
    let sets = ["name=\"Ada\"".to_owned(), "$n=1".to_owned(), "eq=\"a=b\"".to_owned()];
    let (params, context) = parse(Some("{\"name\":\"x\",\"k\":2}"), &sets).expect("fits");
    assert_eq!(json!(params), json!({"name": "Ada", "k": 2, "eq": "a=b"}));
    assert_eq!(json!(context), json!({"n": 1}));
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "\u{feff}{\"name\":\"x\"}").expect("written");
    let (params, _) =
        parse(Some(&format!("@{}", file.path().display())), &[]).expect("a byte order mark is passed over");
    assert_eq!(json!(params), json!({"name": "x"}));
    for bad in ["name", "name=Ada", "=1", "$=1"] {
        assert!(parse(None, &[bad.to_owned()]).is_err(), "{bad}");
    }
    for bad in ["[]", "{", "@/no/such/file"] {
        assert!(parse(Some(bad), &[]).is_err(), "{bad}");
    }
}
