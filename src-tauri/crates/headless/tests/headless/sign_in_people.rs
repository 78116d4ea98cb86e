//! People who sign in to the real program by a scripted identity provider: who they are in the record, what the page has to know, and
//! how sessions end.

use crate::support;

use serde_json::{Value, json};
use signalbox_model::hash::sha256_hex;
use signalbox_testkit::identity_provider::{CLIENT, IdentityProvider};
use support::{Answer, Serving, TestHome};

const BINDING: &str = "what the page keeps";

struct Place {
    provider: IdentityProvider,
    serving: Serving,
    home: TestHome,
}

impl Place {
    fn start(claims: Value) -> Self {
        let (home, provider) = (TestHome::new(), IdentityProvider::start(claims));
        let serving = Self::serve(&home, &provider);
        Self { provider, serving, home }
    }

    fn serve(home: &TestHome, provider: &IdentityProvider) -> Serving {
        Self::serve_with(home, provider, &["--oidc-role", "builder=team", "--oidc-role", "operator=desk"])
    }

    fn serve_with(home: &TestHome, provider: &IdentityProvider, roles: &[&str]) -> Serving {
        let issuer = provider.issuer.clone();
        let sign_in = ["--oidc-issuer", &issuer, "--oidc-client-id", CLIENT, "--oidc-name", "Example ID"];
        Serving::start(home, &[&["--ui"], &sign_in[..], roles].concat())
    }

    /// Kills the server and starts another one with the same data folder.
    fn restart(&mut self) {
        self.serving.child.kill().expect("killed");
        self.serving.child.wait().expect("gone");
        self.serving = Self::serve(&self.home, &self.provider);
    }

    fn post(&self, path: &str, token: &str, body: &Value) -> Answer {
        self.serving.ask_as(token, "POST", path, body, &[])
    }

    /// The page begins, and the browser comes back; the path that it comes back to.
    fn come_back(&self) -> String {
        let hash = sha256_hex(BINDING.as_bytes());
        let begun = self.post("/sign-in/begin", "", &json!({ "bindingHash": hash })).json();
        let back = self.provider.browse(begun["address"].as_str().expect("an address"));
        back.strip_prefix(&self.serving.url).expect("it comes back here").to_owned()
    }

    fn handover(&self, back: &str) -> String {
        let come = self.serving.raw("GET", back, &[("host", self.serving.host())], "");
        assert_eq!(come.status, 303, "{}", come.head);
        assert!(!come.head.to_lowercase().contains("set-cookie"), "{}", come.head);
        let place = come.head.lines().find_map(|line| line.strip_prefix("location: /#signed-in=")).expect("a place");
        place.to_owned()
    }

    fn finish(&self, binding: &str, handover: &str) -> Answer {
        self.post("/sign-in/finish", "", &json!({ "binding": binding, "handover": handover }))
    }

    fn sign_in(&self) -> Answer {
        self.finish(BINDING, &self.handover(&self.come_back()))
    }

    fn session(&self) -> String {
        let signed = self.sign_in();
        assert_eq!(signed.status, 200, "{}", signed.body);
        signed.json()["token"].as_str().expect("a token").to_owned()
    }

    fn who(&self, token: &str) -> Answer {
        self.post("/rpc/who", token, &json!({}))
    }

    /// Entries of the chain, in order.
    fn entries(&self, event: &str) -> Vec<Value> {
        let listed = self.home.run(&["audit", "list", "--query", &format!("event:{event}"), "--json"]);
        listed.json().as_array().expect("a list").clone()
    }
}

fn ada(groups: &[&str]) -> Value {
    json!({ "sub": "248", "email": "Ada@example.org", "email_verified": true, "name": "Ada Lovelace", "groups": groups })
}

#[test]
fn a_person_acts_under_the_name_of_the_account_until_the_sign_out() {
    let place = Place::start(ada(&["team"]));
    let about = |token: &str| place.serving.ask_as(token, "GET", "/sign-in", &Value::Null, &[]).json();
    assert_eq!(about("x"), json!({ "provider": "Example ID", "person": null }));
    let token = place.session();
    let who = place.who(&token).json();
    assert_eq!((&who["operatorId"], &who["role"]), (&json!("user:ada@example.org"), &json!("builder")));
    assert_eq!(about(&token)["person"]["shownName"], "Ada Lovelace");
    let record = json!({
        "timestamp": "2020-01-01T00:00:00.000Z", "runId": "r-1", "nodeId": "n-1", "event": "DOOR_OPENED", "level": "INFO",
        "actor": { "type": "human", "id": "user:ceo", "role": "operator" }, "metadata": {},
    });
    let recorded = place.post("/audit/record", &token, &record);
    assert_eq!(recorded.status, 200, "{}", recorded.body);
    // Tokens of the file go on, as themselves.
    assert_eq!(place.who(&place.serving.token).status, 200);
    assert_eq!(place.post("/sign-in/end", &place.serving.token, &json!({})).status, 401, "a program has no session");
    let out = place.post("/sign-in/end", &token, &json!({})).json();
    assert!(out["providerAddress"].as_str().expect("an address").contains("/end?client_id="), "{out}");
    assert_eq!(place.who(&token).status, 401);
    for event in ["DOOR_OPENED", "USER_SIGNED_IN", "USER_SIGNED_OUT"] {
        let entries = place.entries(event);
        assert_eq!(entries.len(), 1, "{event}: {entries:?}");
        assert_eq!(entries[0]["actor"]["id"], "user:ada@example.org", "{event}");
    }
    let started = &place.entries("SERVER_STARTED")[0];
    let text = started.to_string();
    assert!(text.contains(&place.provider.issuer) && !text.contains(&place.serving.token), "{text}");
    let signed = place.entries("USER_SIGNED_IN")[0].to_string();
    for told in [
        "\"subject\":\"248\"",
        "\"roleClaim\":\"groups\"",
        "\"roleValue\":\"team\"",
        "\"person\":\"user:ada@example.org\"",
    ] {
        assert!(signed.contains(told), "{told}: {signed}");
    }
}

/// A claim gives roles in workspaces, and for everything besides; a changed rule ends the session at the restart.
#[test]
fn a_claim_names_the_workspaces_of_a_person() {
    let (home, provider) = (TestHome::new(), IdentityProvider::start(ada(&["sales-desk", "hr"])));
    let serve = |home: &TestHome, provider: &IdentityProvider, sales: &str| {
        Place::serve_with(home, provider, &["--oidc-role", sales, "--oidc-role", "viewer@hr=hr"])
    };
    let serving = serve(&home, &provider, "operator@sales=sales-desk");
    let mut place = Place { provider, serving, home };
    let boss = |command: &str, body: Value| {
        let answer = place.post(&format!("/rpc/{command}"), &place.serving.token, &body);
        assert_eq!(answer.status, 200, "{command}: {}", answer.body);
        answer.json()
    };
    for name in ["sales", "hr", "secret"] {
        let mut document = support::workflow(json!({ "end": { "type": "flow.noop" } }), json!([]));
        document["id"] = json!(name);
        let put = place.serving.ask("PUT", &format!("/workflows/{name}"), &document);
        assert_eq!(put.status, 200, "{}", put.body);
        boss("workspace_put", json!({ "name": name }));
        boss("workspace_assign", json!({ "workflowId": name, "workspace": name }));
    }
    let token = place.session();
    let who = place.who(&token).json();
    let roles = json!([{ "name": "hr", "role": "viewer" }, { "name": "sales", "role": "operator" }]);
    assert_eq!(who["workspaces"], json!({ "limited": true, "roles": roles }), "{who}");
    let listed = place.serving.ask_as(&token, "GET", "/workflows", &Value::Null, &[]).json();
    let mut ids: Vec<&str> = listed.as_array().into_iter().flatten().filter_map(|one| one["id"].as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["hr", "sales"]);
    // In each workspace the role that holds there.
    let start = |workflow: &str| place.post("/workflow/run", &token, &json!({ "workflow": workflow })).status;
    assert_eq!([start("sales"), start("hr"), start("secret")], [200, 403, 404]);
    let sessions = boss("session_list", json!({}));
    assert_eq!(
        (&sessions[0]["limited"], &sessions[0]["workspaces"][0]["role"].is_string()),
        (&json!(true), &true),
        "{sessions}"
    );
    assert_eq!(place.post("/rpc/session_list", &token, &json!({})).status, 403);
    place.serving.child.kill().expect("killed");
    place.serving.child.wait().expect("gone");
    place.serving = serve(&place.home, &place.provider, "operator@sales=others");
    assert_eq!(place.who(&token).status, 401, "the rule of one of the workspaces is another");
    assert!(place.entries("USER_SIGNED_OUT")[0].to_string().contains("The rules for roles were changed"));
}

#[test]
fn only_the_page_that_began_gets_the_session_and_only_once() {
    let place = Place::start(ada(&["desk"]));
    let back = place.come_back();
    let handover = place.handover(&back);
    let again = place.serving.raw("GET", &back, &[("host", place.serving.host())], "");
    assert_eq!(again.status, 400, "the way back holds once");
    // Somebody else's page, which may have sent the person there; then the own one.
    assert_eq!(place.finish("another page", &handover).code(), "SIGN_IN_UNKNOWN");
    assert_eq!(place.finish(BINDING, &handover).status, 200);
    assert_eq!(place.finish(BINDING, &handover).code(), "SIGN_IN_UNKNOWN");
    for (path, body) in [("/sign-in/begin", json!({ "bindingHash": "x" })), ("/sign-in/finish", json!({}))] {
        assert_eq!(place.post(path, "", &body).status, 400, "{path}");
        let elsewhere = place.serving.ask_as("", "POST", path, &body, &[("origin", "http://evil.example")]);
        assert_eq!(elsewhere.code(), "BAD_ORIGIN");
        let plain = [("host", place.serving.host()), ("content-type", "text/plain")];
        assert_eq!(place.serving.raw("POST", path, &plain, "{}").status, 415);
        assert_eq!(place.serving.raw("GET", path, &[("host", place.serving.host())], "").status, 405);
    }
}

#[test]
fn who_has_no_role_or_somebody_else_s_name_is_refused_in_words_and_recorded() {
    let place = Place::start(ada(&["guests"]));
    let refused = place.sign_in();
    assert_eq!((refused.status, refused.code().as_str()), (403, "SIGN_IN_NO_ROLE"));
    assert!(refused.body.contains("ada@example.org is known to Example ID"), "{}", refused.body);
    place.provider.script().claims = ada(&["desk"]);
    assert_eq!(place.who(&place.session()).json()["role"], "operator");
    // The claim changes, the account does not: still the same name. Another account does not get it.
    place.provider.script().claims = json!({ "sub": "248", "preferred_username": "boss", "groups": ["desk"] });
    assert_eq!(place.who(&place.session()).json()["operatorId"], "user:ada@example.org");
    place.provider.script().claims =
        json!({ "sub": "twin", "preferred_username": "ADA@example.org", "groups": ["desk"] });
    assert_eq!(place.sign_in().code(), "NAME_TAKEN");
    let account = signalbox_app::os_user();
    let account = account.trim_start_matches("user:");
    place.provider.script().claims = json!({ "sub": "9", "preferred_username": account, "groups": ["desk"] });
    assert_eq!(place.sign_in().code(), "NAME_TAKEN", "tokens have that name");
    place.provider.script().flaw = json!({ "aud": "other" });
    assert_eq!(place.sign_in().code(), "SIGN_IN_FAILED");
    let entries = place.entries("USER_SIGN_IN_REFUSED");
    let reasons: Vec<bool> = ["noRole", "nameTaken", "nameTaken", "signInFailed"]
        .iter()
        .zip(&entries)
        .map(|(reason, entry)| entry.to_string().contains(reason))
        .collect();
    assert_eq!(reasons, [true; 4], "{entries:?}");
    // Whoever runs the server sees whose a name is, and frees it.
    let listed = place.home.run(&["people", "list", "--json"]).json();
    assert_eq!((listed[0]["name"].as_str(), listed[0]["subject"].as_str()), (Some("ada@example.org"), Some("248")));
    assert_eq!(place.home.run(&["people", "forget", "user:Ada@example.org", "--as", "user:admin"]).code, 0);
    assert_eq!(place.home.run(&["people", "forget", "ada@example.org"]).code, 2);
    assert_eq!(place.entries("PERSON_FORGOTTEN")[0]["actor"]["id"], "user:admin");
}

#[test]
fn settings_that_would_let_the_wrong_people_in_are_refused_at_the_start() {
    let home = TestHome::new();
    let key = home.file("secret", "a secret");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).expect("chmod");
    }
    let secret = key.to_str().expect("text");
    let issuer = ["--oidc-issuer", "https://id.example", "--oidc-client-id", "x"];
    let role = ["--oidc-role", "viewer=*"];
    for (more, told) in [
        ([&issuer[..], &["--ui"]].concat(), "--oidc-role"),
        ([&issuer[..], &role].concat(), "Add --ui"),
        ([&issuer[..], &["--ui", "--oidc-role", "admin=x"]].concat(), "is not a role"),
        ([&issuer[..], &role, &["--ui", "--public-url", "http://signalbox.example"]].concat(), "in plain text"),
        (
            ["--ui", "--oidc-issuer", "http://id.example", "--oidc-client-id", "x", "--oidc-role", "viewer=*"].to_vec(),
            "only https",
        ),
        ([&issuer[..], &role, &["--ui", "--oidc-client-secret-file", secret]].concat(), "read by everybody"),
        ([&issuer[..], &role, &["--ui", "--oidc-client-secret-file", "gone"]].concat(), "cannot be read"),
        (["--tls-cert", "gone.pem", "--tls-key", "gone.key"].to_vec(), "gone.pem cannot be read"),
        (["--tls-cert", "gone.pem"].to_vec(), "--tls-key"),
        (["--public-url", "https://a.example/b"].to_vec(), "has a path"),
    ] {
        let done = home.run(&[&["serve", "--addr", "127.0.0.1:0"], &more[..]].concat());
        assert_eq!(done.code, 2, "{more:?}");
        assert!(done.err.contains(told), "{more:?}: {}", done.err);
    }
}

/// A restart of the server signs nobody out; a person at the terminal does.
#[test]
fn a_session_goes_on_after_a_restart_until_somebody_ends_it() {
    let mut place = Place::start(ada(&["team"]));
    let token = place.session();
    assert_eq!(place.who(&token).status, 200);
    place.restart();
    let who = place.who(&token).json();
    assert_eq!((&who["operatorId"], &who["role"]), (&json!("user:ada@example.org"), &json!("builder")));
    let listed = place.post("/rpc/session_list", &token, &json!({})).json();
    assert_eq!((listed[0]["shownName"].as_str(), &listed[0]["own"]), (Some("Ada Lovelace"), &json!(true)), "{listed}");
    let ended = place.home.run(&["people", "sign-out", "ADA@example.org", "--as", "user:boss", "--json"]);
    assert_eq!(ended.json()["ended"], 1, "{}{}", ended.out, ended.err);
    support::eventually("the session is refused", || place.who(&token).status == 401);
    assert_eq!(place.home.run(&["people", "sign-out", "ada@example.org"]).code, 2);
    let out = place.entries("USER_SIGNED_OUT");
    assert_eq!(out.len(), 1, "{out:?}");
    assert_eq!((&out[0]["actor"]["id"], &out[0]["metadata"]["reason"]), (&json!("user:boss"), &json!("ended")));
    place.restart();
    assert_eq!(place.who(&token).status, 401, "it does not come back");
    // Whoever gets the name next does not share it with a token of the one before.
    let add = ["token", "add", "cron", "--role", "viewer", "--as", "user:ada@example.org"];
    assert_eq!(place.home.run(&add).code, 0);
    assert_eq!(place.home.run(&["people", "forget", "ada@example.org"]).code, 0);
    assert_eq!(place.home.run(&["token", "list", "--json"]).json(), json!([]));
}
