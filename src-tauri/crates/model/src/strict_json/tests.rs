use super::read;

#[test]
fn a_key_twice_and_a_number_beyond_a_double_are_refused() {
    assert_eq!(read("{\"a\": [1, 2.5, true, null, \"b\"]}").expect("fine")["a"][1], 2.5);
    for (text, why) in [
        ("{\"a\": 1, \"a\": 1}", "\"a\" stands twice"),
        ("[{\"b\": {\"a\": 1, \"a\": 2}}]", "\"a\" stands twice"),
        ("[1e400]", "out of range"),
        ("[-1e400]", "out of range"),
        ("{} {}", "trailing"),
    ] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}
