//! Where the secret of a call goes: the connector says how it is sent, never to which host.

use crate::common::{self, FakeHttp, answer};
use async_trait::async_trait;
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use signalbox_engine::effect::CallOutput;
use signalbox_model::connector::KIND;
use signalbox_model::{Connector, Effects, NodeFailure};
use signalbox_nodes::{kind, run_call};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{Credential, CredentialKind, HttpRequest, Scrubber, Secret, SecretError, Secrets};
use std::sync::Arc;

/// One secret.
struct OneSecret {
    kind: CredentialKind,
    value: &'static str,
    scrubber: Arc<Scrubber>,
}

#[async_trait]
impl Secrets for OneSecret {
    async fn credential(&self, name: &str) -> Result<Arc<Credential>, SecretError> {
        let value = Secret::new(self.value);
        self.scrubber.add(name, Some(&self.kind), &value);
        let hosts = vec![AllowedHost::parse("api.example.com").expect("a host")];
        let (kind, scrubber) = (self.kind.clone(), Arc::clone(&self.scrubber));
        Ok(Arc::new(Credential { name: name.to_owned(), kind, hosts, value, scrubber }))
    }
    async fn renewed(&self, refused: &Credential) -> Result<Option<Arc<Credential>>, SecretError> {
        match refused.value.expose() {
            "revoked-1" => Err(SecretError::Expired { message: "The sign-in has ended. Sign in again".into() }),
            _ => {
                let (kind, hosts) = (refused.kind.clone(), refused.hosts.clone());
                let (name, scrubber) = (refused.name.clone(), Arc::clone(&self.scrubber));
                Ok(Some(Arc::new(Credential { name, kind, hosts, value: Secret::new("newer-7654321"), scrubber })))
            }
        }
    }
    fn scrubber(&self) -> Arc<Scrubber> {
        Arc::clone(&self.scrubber)
    }
}

fn connector(auth: &Value) -> Arc<Connector> {
    let file = json!({
        "connector": 1, "name": "x", "title": "X", "servers": [{ "url": "https://api.example.com" }], "auth": auth,
        "operations": { "get": { "title": "Get", "method": "GET", "path": "/things" } },
    });
    Arc::new(serde_json::from_value(file).expect("a connector"))
}

fn call(
    auth: &Value,
    kind_of: CredentialKind,
    value: &'static str,
    http: &Arc<FakeHttp>,
) -> Result<CallOutput, NodeFailure> {
    let config = json!({ "connector": "x", "operation": "get", "credential": "secret://mine" });
    call_with(config, auth, kind_of, value, http)
}

fn call_with(
    config: Value,
    auth: &Value,
    kind_of: CredentialKind,
    value: &'static str,
    http: &Arc<FakeHttp>,
) -> Result<CallOutput, NodeFailure> {
    let mut world = common::world(Arc::clone(http));
    world.secrets = Arc::new(OneSecret { kind: kind_of, value, scrubber: Arc::default() });
    let mut call = common::call(KIND, Effects::Read, common::slot(config, &[json!({})]));
    call.connector = Some(connector(auth));
    let code = kind(KIND).expect("a kind of this program");
    let results = run_call(code, &call, &world, &signalbox_ports::Unheard).now_or_never().expect("nothing waits");
    results.into_iter().next().expect("one slot").1
}

/// Kind and value of what a request carries.
fn sent(request: &HttpRequest) -> (CredentialKind, String) {
    let credential = request.credential.as_ref().expect("a credential");
    (credential.kind.clone(), credential.value.expose().to_owned())
}

fn plain() -> Arc<FakeHttp> {
    FakeHttp::new(|_| Ok(answer(200, &[("content-type", "application/json")], "{}")))
}

#[test]
fn the_connector_says_how_a_secret_is_sent() {
    let header = |name: &str| CredentialKind::Header { name: name.into() };
    let basic = || CredentialKind::Basic { user: "ada".into() };
    for (auth, stored, kind, value) in [
        (json!([{ "type": "bearer" }]), CredentialKind::Bearer, CredentialKind::Bearer, "k-1234567"),
        (json!([{ "type": "header", "name": "X-Key" }]), CredentialKind::Bearer, header("X-Key"), "k-1234567"),
        (json!([{ "type": "header", "name": "x-key" }]), header("X-Key"), header("X-Key"), "k-1234567"),
        (
            json!([{ "type": "header", "name": "Authorization", "prefix": "Bot " }]),
            CredentialKind::Bearer,
            header("Authorization"),
            "Bot k-1234567",
        ),
        (json!([{ "type": "path" }]), CredentialKind::Bearer, CredentialKind::Path, "k-1234567"),
        (
            json!([{ "type": "basic" }, { "type": "bearer" }]),
            CredentialKind::Bearer,
            CredentialKind::Bearer,
            "k-1234567",
        ),
        (json!([{ "type": "bearer" }, { "type": "basic" }]), basic(), basic(), "k-1234567"),
        (json!([]), header("X-Own"), header("X-Own"), "k-1234567"),
    ] {
        let http = plain();
        call(&auth, stored, "k-1234567", &http).expect("succeeds");
        let asked = http.asked.lock().expect("not poisoned");
        assert_eq!(sent(&asked[0]), (kind, value.to_owned()), "{auth}");
        let hosts = &asked[0].credential.as_ref().expect("a credential").hosts;
        assert_eq!(hosts.iter().map(ToString::to_string).collect::<Vec<_>>(), ["api.example.com"], "{auth}");
    }
}

#[test]
fn a_secret_without_a_user_is_not_sent_where_one_is_needed() {
    let http = plain();
    let failure = call(&json!([{ "type": "basic" }]), CredentialKind::Bearer, "k-1234567", &http).expect_err("refused");
    assert_eq!(failure.code, "CREDENTIAL_REFUSED");
    assert!(!failure.message.contains("k-1234567"), "{}", failure.message);
    assert!(http.asked.lock().expect("not poisoned").is_empty());
}

#[test]
fn client_credentials_are_exchanged_once_and_a_refused_token_is_forgotten() {
    let http = FakeHttp::new(|request| {
        let json = [("content-type", "application/json")];
        if request.url.ends_with("/token") {
            return Ok(answer(200, &json, r#"{"access_token":"token-99887766","expires_in":3600}"#));
        }
        let bearer = request.credential.as_ref().is_some_and(|one| one.kind == CredentialKind::Bearer);
        Ok(if bearer { answer(401, &json, r#"{"echo":"token-99887766"}"#) } else { answer(500, &json, "{}") })
    });
    let auth =
        json!([{ "type": "clientCredentials", "tokenUrl": "https://api.example.com/token", "scopes": ["a", "b"] }]);
    let user = || CredentialKind::Basic { user: "client-1".into() };
    let failure = call(&auth, user(), "s-client-secret", &http).expect_err("the token is refused");
    assert_eq!(failure.code, "AUTH");
    // What the service sends back of the token is hidden like the secret itself.
    assert_eq!(failure.details["response"]["echo"], "[secret:mine]");
    let asked = http.asked.lock().expect("not poisoned").clone();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].body.as_deref(), Some(&b"grant_type=client_credentials&scope=a+b"[..]));
    assert_eq!(sent(&asked[0]), (user(), "s-client-secret".to_owned()));
    assert_eq!(sent(&asked[1]), (CredentialKind::Bearer, "token-99887766".to_owned()));
    // It was refused: the next call asks for another one.
    call(&auth, user(), "s-client-secret", &http).expect_err("refused again");
    assert_eq!(http.asked.lock().expect("not poisoned").len(), 4);
}

/// A service that takes the newer token only.
fn takes_newer() -> Arc<FakeHttp> {
    FakeHttp::new(|request| {
        let json = [("content-type", "application/json")];
        let newer = request.credential.as_ref().is_some_and(|one| one.value.expose() == "newer-7654321");
        Ok(if newer { answer(200, &json, "{}") } else { answer(401, &json, "{}") })
    })
}

#[test]
fn a_token_that_is_refused_is_renewed_and_the_request_is_sent_once_more() {
    let token = || CredentialKind::AccessToken { user: None };
    for auth in [json!([{ "type": "bearer" }]), json!([{ "type": "header", "name": "X-Key" }])] {
        let http = takes_newer();
        call(&auth, token(), "older-1234567", &http).expect("the newer one is taken");
        let asked = http.asked.lock().expect("not poisoned");
        let values: Vec<String> = asked.iter().map(|request| sent(request).1).collect();
        assert_eq!(values, ["older-1234567", "newer-7654321"], "{auth}");
    }
    // Once only, and never for what cannot be renewed.
    let always = FakeHttp::new(|_| Ok(answer(401, &[], "")));
    let failure = call(&json!([{ "type": "bearer" }]), token(), "older-1234567", &always).expect_err("refused");
    assert_eq!((failure.code.as_str(), always.asked.lock().expect("not poisoned").len()), ("AUTH", 2));
    let plain = takes_newer();
    call(&json!([{ "type": "bearer" }]), CredentialKind::Bearer, "older-1234567", &plain).expect_err("refused");
    assert_eq!(plain.asked.lock().expect("not poisoned").len(), 1);
    let ended = takes_newer();
    let failure = call(&json!([{ "type": "bearer" }]), token(), "revoked-1", &ended).expect_err("has ended");
    assert_eq!((failure.code.as_str(), failure.retryable), ("CREDENTIAL_EXPIRED", false));
}

#[test]
fn an_error_says_whether_a_credential_was_sent() {
    let none = json!({ "connector": "x", "operation": "get" });
    let some = json!({ "connector": "x", "operation": "get", "credential": "secret://mine" });
    for (config, message) in [
        (none, "X wants a credential, and this step has none (status 401)"),
        (some, "X refuses the credential (status 401)"),
    ] {
        let http = FakeHttp::new(|_| Ok(answer(401, &[], "")));
        let auth = json!([{ "type": "bearer" }]);
        let failure = call_with(config, &auth, CredentialKind::Bearer, "k-1234567", &http).expect_err("refused");
        assert_eq!((&*failure.code, &*failure.message), ("AUTH", message));
    }
}
