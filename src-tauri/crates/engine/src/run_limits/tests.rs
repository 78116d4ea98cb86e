use super::{OnLimit, RunLimits};
use serde_json::{Value, json};

fn read(concurrency: Value, rate: Value) -> Result<Option<RunLimits>, (String, String)> {
    let given = |value: &Value| (!value.is_null()).then(|| value.clone());
    RunLimits::read(given(&concurrency).as_ref(), given(&rate).as_ref()).map_err(|bad| (bad.path, bad.what))
}

#[test]
fn limits_are_read_with_their_defaults() {
    assert_eq!(read(json!(null), json!(null)), Ok(None));
    let limits = read(json!({ "max": 3 }), json!(null)).expect("is read").expect("is there");
    assert_eq!((limits.max, limits.on_limit, limits.rate), (Some(3), OnLimit::Queue, None));
    let limits = read(json!({ "max": 1, "onLimit": "cancel_oldest" }), json!({ "count": 10, "perMs": 60_000 }));
    let limits = limits.expect("is read").expect("is there");
    assert_eq!((limits.on_limit, limits.rate), (OnLimit::CancelOldest, Some((10, 60_000))));
}

#[test]
fn what_is_wrong_with_limits_is_told_with_its_place() {
    let place = |concurrency, rate| read(concurrency, rate).expect_err("is refused").0;
    assert_eq!(place(json!([]), json!(null)), "/concurrency");
    assert_eq!(place(json!({}), json!(null)), "/concurrency/max");
    for max in [json!(0), json!(-1), json!(1.5), json!("2"), json!(1001), json!(null)] {
        assert_eq!(place(json!({ "max": max }), json!(null)), "/concurrency/max");
    }
    assert_eq!(place(json!({ "max": 1, "onLimit": "drop" }), json!(null)), "/concurrency/onLimit");
    assert_eq!(place(json!({ "max": 1, "key": 7 }), json!(null)), "/concurrency/key");
    assert_eq!(place(json!({ "max": 1, "key": " " }), json!(null)), "/concurrency/key");
    assert_eq!(place(json!({ "max": 1, "keys": "x" }), json!(null)), "/concurrency/keys");
    assert_eq!(place(json!(null), json!({ "count": 1 })), "/rateLimit/perMs");
    assert_eq!(place(json!(null), json!({ "count": 0, "perMs": 1 })), "/rateLimit/count");
    assert_eq!(place(json!(null), json!({ "count": 1, "perMs": 604_800_001 })), "/rateLimit/perMs");
}

#[test]
fn a_key_is_text_whatever_the_expression_gives() {
    let limits = |key: &str| RunLimits { key: Some(key.to_owned()), ..RunLimits::default() };
    let params = json!({
        "customer": "Ada", "order": { "b": 1, "a": [true] }, "_trigger": { "payload": { "path": "/in/a.csv" } }
    });
    assert_eq!(limits("params.customer").key_of(&params), Ok("Ada".to_owned()));
    assert_eq!(limits("event.path").key_of(&params), Ok("/in/a.csv".to_owned()));
    assert_eq!(limits("params.order").key_of(&params), Ok(r#"{"a":[true],"b":1}"#.to_owned()));
    assert_eq!(limits("'_trigger' in params").key_of(&params), Ok("false".to_owned()));
    assert_eq!(RunLimits::default().key_of(&params), Ok(String::new()));
    let long = json!({ "customer": "x".repeat(300) });
    assert_eq!(limits("params.customer").key_of(&long).map(|key| key.len()), Ok(64));
    assert!(limits("params.missing.field").key_of(&params).is_err());
}
