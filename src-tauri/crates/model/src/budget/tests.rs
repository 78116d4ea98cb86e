use super::Limits;
use serde_json::json;

#[test]
fn a_budget_is_read_as_millionths() {
    let limits = Limits::parse(&json!({ "perRun": 0.5, "perDay": 20 })).expect("a budget");
    assert_eq!((limits.per_run_micros, limits.per_day_micros), (Some(500_000), Some(20_000_000)));
    assert_eq!(Limits::parse(&json!({})), Ok(Limits::default()));
}

#[test]
fn what_is_wrong_is_named() {
    for (value, at) in [
        (json!(5), ""),
        (json!({ "perRun": "2" }), "/perRun"),
        (json!({ "perDay": -1 }), "/perDay"),
        (json!({ "perMonth": 5 }), "/perMonth"),
    ] {
        assert_eq!(Limits::parse(&value).expect_err("no budget").0, at, "{value}");
    }
}
