use super::read;
use serde_json::json;

#[test]
fn slips_are_mended() {
    for (text, wanted) in [
        ("{'a': 'it is', b_c: [1, 2,],}", json!({ "a": "it is", "b_c": [1, 2] })),
        ("{\"a\": {\"b\": [true", json!({ "a": { "b": [true] } })),
        ("{“a”: „x“, \"n\": None, t: True} // end", json!({ "a": "x", "n": null, "t": true })),
        ("/* c */ [1 # one\n, +2, .5, -3e2]", json!([1, 2, 0.5, -300.0])),
        ("{\"a\": \"x\ny\", \"u\": \"\\ud83d\\ude00\\u00e9\\'\"}", json!({ "a": "x\ny", "u": "😀é'" })),
        ("[]", json!([])),
        ("{", json!({})),
    ] {
        assert_eq!(read(text).map(|(value, _)| value), Ok(wanted), "{text}");
    }
}

#[test]
fn what_is_cut_or_unclear_is_refused() {
    for (text, reason) in [
        ("{\"a\": \"cut", "cut off"),
        ("{\"amount\": 12", "may be longer"),
        ("{\"a\": tr", "cut off"),
        ("{\"a\": 1,", "behind a comma"),
        ("{\"a\":", "cut off"),
        ("{\"a\"", "colon"),
        ("{\"a\": 1, \"a\": 2}", "twice"),
        ("[NaN]", "no number"),
        ("[-Infinity]", "no number"),
        ("[1 2]", "comma"),
        ("[abc]", "without quotes"),
        ("['it's']", "comma"),
        ("[1] x", "more behind"),
        ("[007]", "no number"),
        ("[1,,2]", "without quotes"),
        ("/* x", "does not end"),
        ("[\"\\q\"]", "escape"),
        ("[\"\\ud83d\"]", "escape"),
        ("", "cut off"),
        ("}", "without quotes"),
    ] {
        let error = read(text).expect_err(text);
        assert!(error.contains(reason), "{text}: {error}");
    }
    assert!(read(&"[".repeat(5_000)).expect_err("deep").contains("128"));
}
