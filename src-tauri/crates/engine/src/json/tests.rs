use super::parse;

#[test]
fn duplicates_depth_and_garbage_say_where() {
    assert_eq!(parse("{\"a\":1}").expect("fine")["a"], 1);
    let error = parse("{\"a\":{\"b\":1,\n \"b\":2}}").expect_err("duplicate");
    assert_eq!(error.line, 2);
    assert!(error.message.contains("\"b\""));
    let deep = "[".repeat(3_000);
    assert!(parse(&deep).expect_err("deep").message.contains("128"));
    let cut = parse("{\"a\": [1, 2").expect_err("cut");
    assert_eq!((cut.message.as_str(), cut.ends_early()), ("it ends in the middle of a list", true));
    assert!(parse("{} x").expect_err("more").message.contains("after its end"));
    assert!(parse("[1e400]").is_err());
}
