use super::StartKey;
use crate::caller::Caller;
use crate::dto::CallerRole;
use crate::runs::new_run::NewRun;
use serde_json::{Value, json};

fn named(caller: &Caller, params: Value) -> NewRun {
    let params = params.as_object().cloned().expect("an object");
    NewRun { params, key: Some(StartKey::new(caller, "order-77").expect("a key")), ..NewRun::default() }
}

#[test]
fn a_key_is_short_visible_ascii() {
    let caller = Caller::here();
    for good in ["a", "order-77", "8e03978e-40d5-43dd-bc93-6894a57f9324", "~!\"'{}\\", &"k".repeat(255)] {
        assert!(StartKey::new(&caller, good).is_ok(), "{good}");
    }
    for (bad, why) in [
        ("", "The idempotency key is empty."),
        ("two words", "The idempotency key holds ' ', which is no visible ASCII character."),
        ("order\n", "The idempotency key holds '\\n', which is no visible ASCII character."),
        ("größe", "The idempotency key holds 'ö', which is no visible ASCII character."),
        (&"k".repeat(256), "The idempotency key has 256 characters; at most 255 are taken."),
    ] {
        let refused = StartKey::new(&caller, bad).expect_err(bad);
        assert_eq!((refused.code.as_str(), refused.message.as_str()), ("BAD_REQUEST", why));
    }
}

#[test]
fn whose_a_key_is_and_what_it_starts_is_told_apart() {
    let caller = Caller::http(CallerRole::Operator, true, "anna");
    let other = Caller::http(CallerRole::Operator, true, "ben");
    let terminal = Caller::terminal(Some("user:anna")).expect("a name");
    let id = json!({ "id": "flow" });
    let key = |new: NewRun, workflow: &Value| new.run_key(workflow).expect("a key");
    let first = key(named(&caller, json!({ "a": 1, "b": { "c": 2, "d": 3 } })), &id);
    assert_eq!(first, key(named(&caller, json!({ "b": { "d": 3, "c": 2 }, "a": 1 })), &id), "the order says nothing");
    let with_token = NewRun {
        origin: caller.origin(Some("t".into())),
        ..named(&caller, json!({ "a": 1, "b": { "c": 2, "d": 3 } }))
    };
    assert_eq!(first, key(with_token, &id), "the client's token is no part of what is started");
    for who in [&other, &terminal] {
        let theirs = key(named(who, json!({ "a": 1, "b": { "c": 2, "d": 3 } })), &id);
        assert_eq!(theirs.request_hash, first.request_hash);
        assert_ne!(theirs.scope, first.scope);
    }
    let base = || named(&caller, json!({ "n": 9_007_199_254_740_993_u64 }));
    let whole = key(base(), &id).request_hash;
    for changed in [
        key(named(&caller, json!({ "n": 9_007_199_254_740_992_u64 })), &id),
        key(base(), &json!({ "id": "other" })),
        key(NewRun { paused: true, ..base() }, &id),
        key(NewRun { until: Some("a".into()), ..base() }, &id),
        key(NewRun { checkpoint: Some(json!({})), ..base() }, &id),
        key(NewRun { context: [("n".to_owned(), json!(1))].into_iter().collect(), ..base() }, &id),
        key(NewRun { overrides: [("n".to_owned(), json!(1))].into_iter().collect(), ..base() }, &id),
    ] {
        assert_ne!(changed.request_hash, whole);
    }
    assert_eq!(NewRun::default().run_key(&id), None);
}
