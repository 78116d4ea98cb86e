use super::{DEFAULT_RULES, Decider, Facts, Wired, dry_run};
use serde_json::{Value, json};
use signalbox_model::{ErrorPayload, Level, workflow::Rule};

fn rules(action: &str) -> Decider {
    Decider::Rules(vec![Rule { name: "one".into(), when: "true".into(), action: action.into() }])
}

fn error(value: Value) -> ErrorPayload {
    let mut base = json!({
        "type": "NetworkError", "message": "m", "retryable": true, "originNode": "a", "attempt": 0,
        "maxAttempts": 3, "timestamp": "2026-01-01T00:00:00Z",
    });
    if let (Some(all), Some(more)) = (base.as_object_mut(), value.as_object()) {
        all.extend(more.clone());
    }
    serde_json::from_value(base).expect("a payload")
}

/// What is done, and what the rule wanted instead.
fn done(decider: &Decider, payload: Value, facts: Facts) -> (String, Option<String>) {
    let outcome = dry_run(decider, &error(payload), &Value::Null, &facts, None);
    (outcome.action, outcome.wanted)
}

fn invalid(details: Value) -> Value {
    json!({ "type": "ValidationError", "retryable": false, "details": details })
}

#[test]
fn ts_007_the_first_rule_that_fits_decides() {
    let facts = Facts { may_retry: true, wired: Wired { auto_fix: true, ..Wired::default() }, ..Facts::default() };
    let of = |value: Value, facts: Facts| {
        let o = dry_run(&Decider::Rules(DEFAULT_RULES.clone()), &error(value), &Value::Null, &facts, None);
        (o.rule, o.action, o.wanted)
    };
    assert_eq!(of(json!({}), facts), ("retry-if-transient".into(), "retry".into(), None));
    let used_up = Facts { may_retry: false, ..facts };
    assert_eq!(of(json!({"attempt": 3}), used_up), ("abort-default".into(), "abort".into(), None));
    assert_eq!(of(invalid(json!({})), facts), ("auto-fix-validation".into(), "auto_fix".into(), None));
    let asks = Facts { threshold: Some(Level::Error), ..used_up };
    let asked = ("abort-default".into(), "human_review".into(), Some("abort".into()));
    assert_eq!(of(json!({"attempt": 3}), asks), asked);
}

#[test]
fn a_retry_beyond_the_bound_is_an_abort() {
    let outcome = dry_run(&rules("retry"), &error(json!({})), &Value::Null, &Facts::default(), None);
    assert_eq!((outcome.index, outcome.action.as_str(), outcome.wanted.as_deref()), (Some(0), "abort", Some("retry")));
}

#[test]
fn what_cannot_be_repaired_is_asked() {
    let unknown = || invalid(json!({}));
    let known = invalid(json!({ "schema": { "type": "object" } }));
    let plain = Facts::default();
    let asks = ("human_review".to_owned(), Some("auto_fix".to_owned()));
    assert_eq!(done(&rules("auto_fix"), unknown(), plain), asks);
    assert_eq!(done(&rules("auto_fix"), known.clone(), plain), ("auto_fix".into(), None));
    let healer = Facts { wired: Wired { auto_fix: true, ..Wired::default() }, ..plain };
    assert_eq!(done(&rules("auto_fix"), unknown(), healer), ("auto_fix".into(), None));
    assert_eq!(done(&Decider::Safe, unknown(), plain), ("human_review".into(), None));
    assert_eq!(done(&Decider::Safe, known, plain), ("auto_fix".into(), None));
    let of_kind = json!({ "type": "object" });
    let outcome = dry_run(&Decider::Safe, &error(unknown()), &Value::Null, &plain, Some(&of_kind));
    assert_eq!(outcome.action, "auto_fix");
}

#[test]
fn what_leads_nowhere_is_an_abort() {
    let plain = Facts::default();
    for action in ["fallback", "error_as_context"] {
        assert_eq!(done(&rules(action), json!({}), plain), ("abort".into(), Some(action.into())));
    }
    let wired = Facts { wired: Wired { fallback: true, context: true, auto_fix: false }, ..plain };
    for action in ["fallback", "error_as_context"] {
        assert_eq!(done(&rules(action), json!({}), wired), (action.into(), None));
    }
}

#[test]
fn k_53_whoever_collects_errors_asks_nobody() {
    let facts = Facts { unasked: true, threshold: Some(Level::Info), ..Facts::default() };
    for action in ["human_review", "escalate", "auto_fix"] {
        assert_eq!(done(&rules(action), json!({}), facts), ("abort".into(), Some(action.into())));
    }
    assert_eq!(done(&Decider::Fail, json!({}), facts), ("abort".into(), None));
}
