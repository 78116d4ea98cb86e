use super::{AGAIN, IDLE, LONGEST, MOST_OF_ONE, RENEWED, SILENT, Sessions, UNRENEWED, until_end};
use crate::server::people::PeopleRules;
use axum::body::Body;
use axum::response::Response;
use serde_json::{Value, json};
use signalbox_adapters::oauth::{CallbackParams, OpenIdClient, OpenIdProvider, Person};
use signalbox_app::dto::{CallerRole, Host};
use signalbox_app::{App, Caller, Options, SignedInPerson};
use signalbox_testkit::identity_provider::{CLIENT, IdentityProvider};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

struct Place {
    host: IdentityProvider,
    provider: Arc<OpenIdProvider>,
    rules: PeopleRules,
    app: Arc<App>,
    sessions: Sessions,
    _folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options { host: Host::Http, allow: Vec::new(), stays: false, reads: false };
        let host = IdentityProvider::start(json!({ "sub": "248", "groups": ["team"] }));
        let issuer = host.issuer.parse().expect("an address");
        let client = OpenIdClient { issuer, client_id: CLIENT.into(), secret: None, scopes: vec!["openid".into()] };
        let roles = ["builder=team", "viewer=staff"].map(|text| text.parse().expect("a rule")).into();
        Self {
            host,
            provider: Arc::new(OpenIdProvider::new(client).expect("safe to ask")),
            rules: PeopleRules { role_claim: "groups".into(), name_claim: None, roles },
            app: App::open(folder.path(), options).expect("opens"),
            sessions: Sessions::default(),
            _folder: folder,
        }
    }

    async fn vouched(&self) -> Person {
        let pending = self.provider.begin("https://signalbox.example/sign-in/callback").await.expect("begun");
        let back = self.host.browse(pending.address.as_str());
        let params = CallbackParams::of_query(back.split_once('?').expect("a query").1);
        self.provider.finish(pending, params).await.expect("signed in")
    }

    async fn begin(&self) -> String {
        let person = SignedInPerson {
            name: "ada".into(),
            issuer: self.host.issuer.clone(),
            subject: "248".into(),
            shown: None,
            email: None,
            role: CallerRole::Builder,
            role_by: ("groups".into(), "team".into()),
        };
        self.sessions.begin(person, self.vouched().await).expect("a session").0
    }

    async fn look(&self, after: Duration) {
        self.sessions.look(&self.app, &self.provider, &self.rules, Instant::now() + after).await;
    }

    fn role(&self, token: &str) -> Option<CallerRole> {
        self.sessions.find(token).map(|session| session.person().role)
    }

    /// The newest entry of an event.
    async fn entry(&self, event: &str) -> Value {
        let caller = Caller::http(CallerRole::Viewer, false, "auditor");
        let request = json!({ "query": format!("event:{event}"), "limit": 10 });
        self.app.dispatch(&caller, "audit_list", request).await.expect("listed")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_is_asked_again_and_decides() {
    let place = Place::new();
    let token = place.begin().await;
    assert_eq!(place.role(&token), Some(CallerRole::Builder));
    place.look(Duration::ZERO).await;
    place.host.script().claims = json!({ "sub": "248", "groups": ["staff"] });
    place.look(RENEWED).await;
    assert_eq!(place.role(&token), Some(CallerRole::Viewer));
    assert!(place.entry("USER_ROLE_CHANGED").await.to_string().contains("no longer builder"));
    // A provider that is silent for a while ends nothing; one that stays silent does.
    place.host.script().refuses = Some((503, "busy"));
    place.look(RENEWED * 2).await;
    place.look(RENEWED * 2 + AGAIN).await;
    assert!(place.role(&token).is_some());
    place.look(RENEWED * 2 + SILENT).await;
    assert_eq!(place.role(&token), None);
    assert!(place.entry("USER_SIGNED_OUT").await.to_string().contains("answered 503"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_was_removed_or_has_no_role_is_signed_out_with_what_is_open() {
    let place = Place::new();
    for (refuses, groups, told) in
        [(Some((400, "invalid_grant")), "team", "invalid_grant"), (None, "guests", "does not give the person a role")]
    {
        let token = place.begin().await;
        let session = place.sessions.find(&token).expect("it is there");
        let stream = Body::from_stream(tokio_stream::pending::<Result<&str, std::io::Error>>());
        let open = until_end(Response::new(stream), &session);
        let read = tokio::spawn(axum::body::to_bytes(open.into_body(), 100));
        place.host.script().refuses = refuses;
        place.host.script().claims = json!({ "sub": "248", "groups": [groups] });
        place.look(RENEWED).await;
        assert_eq!(place.role(&token), None);
        assert!(read.await.expect("it ends").is_err(), "the stream breaks off");
        assert!(place.entry("USER_SIGNED_OUT").await.to_string().contains(told));
        place.host.script().refuses = None;
        place.host.script().claims = json!({ "sub": "248", "groups": ["team"] });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_end_by_themselves_and_one_person_has_so_many() {
    let place = Place::new();
    let token = place.begin().await;
    place.look(IDLE - Duration::from_secs(1)).await;
    assert!(place.role(&token).is_some());
    place.look(IDLE + Duration::from_secs(1)).await;
    assert_eq!(place.role(&token), None);
    place.host.script().renews = false;
    let token = place.begin().await;
    place.look(UNRENEWED).await;
    assert_eq!(place.role(&token), None);
    assert!(LONGEST > UNRENEWED);
    let first = place.begin().await;
    for _ in 1..MOST_OF_ONE {
        place.begin().await;
    }
    assert!(place.role(&first).is_some());
    place.begin().await;
    assert_eq!(place.role(&first), None, "the oldest makes room");
    assert_eq!(place.role(""), None);
}
