use super::{Auth, Respond, Signing, Webhook};
use serde_json::{Value, json};

fn problems(config: &Value) -> Vec<(String, &'static str)> {
    let found = Webhook::read(config).err().unwrap_or_default();
    found.into_iter().map(|one| (one.code.as_str(), one.path)).collect()
}

#[test]
fn a_path_alone_is_a_webhook() {
    let hook = Webhook::read(&json!({ "path": "orders/new" })).expect("reads");
    assert_eq!((hook.path.as_str(), hook.methods, hook.auth), ("orders/new", vec!["POST".to_owned()], Auth::None));
    assert_eq!((hook.respond, hook.timeout_ms, hook.max_bytes), (Respond::Accepted, 30_000, 1024 * 1024));
}

#[test]
fn no_other_spelling_of_a_path_is_taken() {
    for path in ["", "/", "/orders", "orders/", "a//b", "..", "a/../b", "a/.", "a b", "a%2e", "ä", "a?b", "a#b", "a\\b"]
    {
        assert_eq!(problems(&json!({ "path": path })), [("BAD_HOOK_PATH".to_owned(), "/path")], "{path}");
    }
    assert_eq!(problems(&json!({ "path": "x".repeat(201) })), [("BAD_HOOK_PATH".to_owned(), "/path")]);
    assert_eq!(problems(&json!({})), [("MISSING_CONFIG".to_owned(), "/path")]);
    for path in ["a", "A-b_c.d", "v1/orders", "..."] {
        assert!(problems(&json!({ "path": path })).is_empty(), "{path}");
    }
}

#[test]
fn authentication_needs_a_secret_by_reference_and_a_preset_that_exists() {
    let auth = |auth: Value| problems(&json!({ "path": "a", "auth": auth }));
    let one = |code: &str, path: &'static str| vec![(code.to_owned(), path)];
    assert_eq!(auth(json!({ "type": "hmac", "preset": "github" })), one("MISSING_CONFIG", "/auth/secret"));
    assert_eq!(auth(json!({ "type": "secret", "secret": "hunter2" })), one("BAD_CONFIG", "/auth/secret"));
    assert_eq!(auth(json!({ "type": "token", "secret": "secret://a" })), one("BAD_CONFIG", "/auth/type"));
    let hmac = |more: Value| {
        let mut all = json!({ "type": "hmac", "secret": "secret://a" });
        all.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
        all
    };
    assert_eq!(auth(hmac(json!({ "preset": "gitlab" }))), one("BAD_CONFIG", "/auth/preset"));
    assert_eq!(auth(hmac(json!({}))), one("MISSING_CONFIG", "/auth/header"));
    assert_eq!(auth(hmac(json!({ "header": "X: y" }))), one("BAD_CONFIG", "/auth/header"));
    assert_eq!(auth(hmac(json!({ "header": "X-Sig", "encoding": "utf8" }))), one("BAD_CONFIG", "/auth/encoding"));
    let read = Webhook::read(&json!({ "path": "a", "auth": hmac(json!({ "header": "X-Sig", "prefix": "sha256=" })) }));
    let signing = Signing::Generic { header: "x-sig".into(), prefix: "sha256=".into(), base64: false };
    assert_eq!(read.expect("reads").auth, Auth::Hmac { secret: "a".into(), signing });
}

#[test]
fn every_problem_is_told_at_once() {
    let config = json!({
        "path": "..", "methods": ["TRACE"], "respond": "later", "timeoutMs": 1, "maxBytes": 0, "dedupe": "a b",
    });
    let places: Vec<&str> = problems(&config).into_iter().map(|(_, path)| path).collect();
    assert_eq!(places, ["/path", "/methods", "/respond", "/timeoutMs", "/maxBytes", "/dedupe"]);
}
