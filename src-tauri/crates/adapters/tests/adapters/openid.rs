//! Signing in by a scripted identity provider: the whole way, what is wrong on it, changed keys, and renewals.

use serde_json::{Value, json};
use signalbox_adapters::oauth::{CallbackParams, OpenIdClient, OpenIdProvider, Person, Trouble};
use signalbox_testkit::identity_provider::{CLIENT, IdentityProvider};
use url::Url;

const REDIRECT: &str = "https://signalbox.example/sign-in/callback";

fn client(issuer: &str) -> OpenIdProvider {
    let scopes = vec!["openid".to_owned()];
    let issuer = Url::parse(issuer).expect("an address");
    OpenIdProvider::new(OpenIdClient { issuer, client_id: CLIENT.into(), secret: None, scopes }).expect("safe to ask")
}

/// From the page to the person.
async fn sign_in(provider: &IdentityProvider, client: &OpenIdProvider) -> Result<Person, String> {
    let pending = client.begin(REDIRECT).await.map_err(|fault| fault.message)?;
    let back = provider.browse(pending.address.as_str());
    let (place, query) = back.split_once('?').expect("a query");
    assert_eq!(place, REDIRECT);
    let params = CallbackParams::of_query(query);
    assert!(pending.is_for(&params) && !pending.is_for(&CallbackParams::of_query("state=x&code=y")));
    client.finish(pending, params).await.map_err(|fault| fault.message)
}

#[tokio::test]
async fn a_person_comes_from_the_token_and_from_what_userinfo_adds() {
    let provider = IdentityProvider::start(json!({ "sub": "248", "email": "ada@example.org" }));
    provider.script().userinfo = json!({ "groups": ["staff"], "email": "other@example.org" });
    let client = client(&provider.issuer);
    client.check().await.expect("it answers");
    let person = sign_in(&provider, &client).await.expect("signed in");
    assert_eq!(person.subject, "248");
    assert_eq!((&person.claims["email"], &person.claims["groups"]), (&json!("ada@example.org"), &json!(["staff"])));
    assert!(person.refresh.is_some());
    // Asked once: about itself, for its keys.
    let asked = provider.script().asked.clone();
    assert_eq!(asked, ["/.well-known/openid-configuration", "/keys", "/token", "/userinfo"]);
    let end = client.sign_out_address().await.expect("it says so");
    assert_eq!(end.as_str(), format!("{}/end?client_id={CLIENT}", provider.issuer));
    provider.script().userinfo = json!({ "sub": "other" });
    assert!(sign_in(&provider, &client).await.err().expect("refused").contains("another person"));
}

#[tokio::test]
async fn what_the_provider_may_not_say_signs_nobody_in() {
    let provider = IdentityProvider::start(json!({ "sub": "248" }));
    let client = client(&provider.issuer);
    for (flaw, told) in [
        (json!({ "aud": "other" }), "another client"),
        (json!({ "iss": "https://id.example" }), "another issuer"),
        (json!({ "nonce": "n" }), "nonce"),
        (json!({ "exp": 1 }), "expired"),
        (json!({ "sub": null }), "whose"),
    ] {
        provider.script().flaw = flaw.clone();
        let why = sign_in(&provider, &client).await.err().expect("refused");
        assert!(why.contains(told), "{flaw}: {why}");
    }
    provider.script().flaw = json!({});
    provider.script().algorithm = "HS256";
    assert!(sign_in(&provider, &client).await.err().expect("refused").contains("only RS256"));
    provider.script().algorithm = "ES256";
    for (refuses, told) in [((400, "invalid_client"), "invalid_client"), ((503, "busy"), "answered 503")] {
        provider.script().refuses = Some(refuses);
        let why = sign_in(&provider, &client).await.err().expect("refused");
        assert!(why.contains(told), "{why}");
    }
    provider.script().refuses = None;
    // The answer of another provider, one without its name, one without a code, a "no".
    for (query, told) in [
        ("iss=https%3A%2F%2Fid.example&code=x", "another provider"),
        ("code=x", "does not name its issuer"),
        ("iss=ISSUER", "no code"),
        ("iss=ISSUER&error=access_denied", "declined"),
        ("iss=ISSUER&error=login_required", "login_required"),
    ] {
        let pending = client.begin(REDIRECT).await.expect("begun");
        let params = CallbackParams::of_query(&query.replace("ISSUER", &provider.issuer));
        let why = client.finish(pending, params).await.err().expect("refused").message;
        assert!(why.contains(told), "{query}: {why}");
    }
    assert!(sign_in(&provider, &client).await.is_ok());
}

#[tokio::test]
async fn an_issuer_is_what_it_calls_itself() {
    let provider = IdentityProvider::start(json!({ "sub": "248" }));
    for (issuer, told) in [
        (provider.issuer.replace("127.0.0.1", "localhost"), "name it as it calls itself"),
        (format!("{}/other", provider.issuer), "without a discovery document"),
    ] {
        let why = client(&issuer).check().await.expect_err("it is another one").message;
        assert!(why.contains(told), "{why}");
    }
    for unsafe_one in ["http://id.example", "https://169.254.169.254", "https://id.example/?x=1"] {
        let issuer = Url::parse(unsafe_one).expect("an address");
        let settings = OpenIdClient { issuer, client_id: CLIENT.into(), secret: None, scopes: Vec::new() };
        assert!(OpenIdProvider::new(settings).is_err(), "{unsafe_one}");
    }
}

#[tokio::test]
async fn a_renewal_tells_whether_the_provider_still_vouches_for_the_person() {
    let provider = IdentityProvider::start(json!({ "sub": "248", "groups": ["staff"] }));
    let client = client(&provider.issuer);
    let person = sign_in(&provider, &client).await.expect("signed in");
    provider.script().claims = json!({ "sub": "248", "groups": ["desk"] });
    let renewed = client.renew(&person).await.expect("renewed");
    assert_eq!(renewed.claims["groups"], json!(["desk"]));
    let trouble = |refuses: Option<(u16, &'static str)>, claims: Value| {
        provider.script().refuses = refuses;
        provider.script().claims = claims;
    };
    trouble(Some((503, "busy")), json!({ "sub": "248" }));
    assert_eq!(client.renew(&renewed).await.err().expect("silent").trouble, Trouble::Unreachable);
    trouble(Some((400, "invalid_grant")), json!({ "sub": "248" }));
    assert_eq!(client.renew(&renewed).await.err().expect("removed").trouble, Trouble::Ended);
    trouble(None, json!({ "sub": "other" }));
    assert!(client.renew(&renewed).await.err().expect("another one").message.contains("another person"));
    trouble(None, json!({ "sub": "248" }));
    client.revoke(&renewed).await;
    assert_eq!(provider.script().asked.last().map(String::as_str), Some("/revoke"));
    provider.script().renews = false;
    let unrenewed = sign_in(&provider, &client).await.expect("signed in");
    assert_eq!(client.renew(&unrenewed).await.err().expect("nothing to renew it with").trouble, Trouble::Ended);
}

#[tokio::test]
async fn changed_keys_are_fetched_but_not_without_end() {
    let provider = IdentityProvider::start(json!({ "sub": "248" }));
    let client = client(&provider.issuer);
    for _ in 0..5 {
        assert!(sign_in(&provider, &client).await.is_ok());
        provider.rotate();
    }
    assert!(sign_in(&provider, &client).await.is_ok());
    provider.rotate();
    assert!(sign_in(&provider, &client).await.err().expect("too often").contains("no key of the provider"));
    assert_eq!(provider.script().asked.iter().filter(|path| *path == "/keys").count(), 6);
}
