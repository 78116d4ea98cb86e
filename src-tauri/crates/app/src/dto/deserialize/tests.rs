use super::fitting;
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read into")]
struct Asked {
    run: String,
    step: String,
    #[serde(default)]
    overrides: Map<String, Value>,
    #[serde(default)]
    points: Vec<Point>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only read into")]
struct Point {
    node: String,
}

fn why(request: &Value) -> String {
    fitting::<Asked>(request).expect_err("does not fit")
}

#[test]
fn what_does_not_fit_is_told_with_its_field() {
    assert!(fitting::<Asked>(&json!({ "run": "r", "step": "s" })).is_ok());
    let list = why(&json!({ "run": "r", "step": "s", "overrides": [] }));
    assert_eq!(list, "'overrides': invalid type: sequence, expected a map");
    assert_eq!(why(&json!({ "run": 1, "step": "s" })), "'run': invalid type: integer `1`, expected a string");
    assert_eq!(why(&json!({ "run": "r", "step": "s", "points": [{}] })), "'points': missing field `node`");
    assert_eq!(why(&json!({ "run": "r" })), "missing field `step`");
    assert!(why(&json!({ "run": "r", "step": "s", "typo": 1 })).starts_with("unknown field `typo`"));
    for other in [json!(["r", "s", {}, []]), json!([]), json!("r"), json!(null)] {
        assert_eq!(why(&other), "it is not a JSON object");
    }
}
