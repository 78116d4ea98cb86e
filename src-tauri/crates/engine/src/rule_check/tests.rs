use super::{Decider, Facts, check, decide};
use crate::route::DEFAULT_RULES;
use serde_json::{Value, json};
use signalbox_model::{ErrorPayload, Level, workflow::Rule};

fn rule(name: &str, when: &str, action: &str) -> Rule {
    Rule { name: name.into(), when: when.into(), action: action.into() }
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

#[test]
fn k_49_the_default_rules_are_all_reachable() {
    assert_eq!(check(&DEFAULT_RULES, None), []);
}

#[test]
fn k_49_a_rule_behind_a_wider_one_never_decides() {
    let found = check(
        &[
            rule("net", "error.type in ['NetworkError', 'Timeout']", "retry"),
            rule("slow", "error.type == 'Timeout' && error.attempt >= 2", "human_review"),
            rule("fix", "error.type == 'ValidationError' && error.retryable", "retry"),
            rule("data", "item.total > 100", "abort"),
        ],
        None,
    );
    let said: Vec<(usize, &str)> = found.iter().map(|f| (f.index, f.diagnostic.message.as_str())).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(said[0].0, 1);
    assert!(said[0].1.contains("'net' comes first"), "{said:?}");
    assert_eq!(said[1].0, 2);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let found = check(&[rule("a", "eror.retryable", "retry"), rule("b", "error.type ==", "abort")], None);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].index, found[0].position), (0, Some(0)));
    assert!(found[0].diagnostic.hint.contains("'error'"));
    assert_eq!(found[1].index, 1);
    assert!(found[1].position.is_some());
}

#[test]
fn ts_007_the_first_rule_that_fits_decides() {
    let rules = Decider::Rules(Vec::new());
    let facts = Facts::default();
    let of = |value: Value| {
        let o = decide(&rules, &error(value), &Value::Null, &facts);
        (o.rule, o.action, o.wanted)
    };
    assert_eq!(of(json!({})), ("retry-if-transient".into(), "retry", None));
    assert_eq!(of(json!({"attempt": 3})), ("abort-default".into(), "abort", None));
    assert_eq!(
        of(json!({"type": "ValidationError", "retryable": false})),
        ("auto-fix-validation".into(), "auto_fix", None)
    );
    let asks = Facts { threshold: Some(Level::Error), ..Facts::default() };
    let o = decide(&rules, &error(json!({"attempt": 3})), &Value::Null, &asks);
    assert_eq!((o.action, o.wanted.as_deref()), ("human_review", Some("abort")));
}

#[test]
fn a_retry_beyond_the_bound_is_an_abort() {
    let rules = Decider::Rules(vec![rule("again", "true", "retry")]);
    let o = decide(&rules, &error(json!({"attempt": 3})), &Value::Null, &Facts::default());
    assert_eq!((o.index, o.action, o.wanted.as_deref()), (Some(0), "abort", Some("retry")));
}
