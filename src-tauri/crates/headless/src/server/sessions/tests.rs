use super::{AGAIN, IDLE, LONGEST, MOST_OF_ONE, RENEWED, SILENT, Session, Sessions, UNRENEWED, until_end};
use crate::server::people::PeopleRules;
use axum::body::Body;
use axum::response::Response;
use serde_json::{Value, json};
use signalbox_adapters::oauth::{CallbackParams, OpenIdClient, OpenIdProvider, Person};
use signalbox_app::dto::{CallerRole, Host};
use signalbox_app::{App, Caller, GivenWorkspace, Options, SignedInPerson};
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
        self.begin_in(&[]).await
    }

    /// A person who is limited to these workspaces, if there are any.
    async fn begin_in(&self, workspaces: &[&str]) -> String {
        let inside = |name: &&str| GivenWorkspace {
            name: (*name).to_owned(),
            role: CallerRole::Operator,
            by: (*name).to_owned(),
        };
        let person = SignedInPerson {
            name: "ada".into(),
            issuer: self.host.issuer.clone(),
            subject: "248".into(),
            shown: None,
            email: None,
            role: CallerRole::Builder,
            role_by: ("groups".into(), "team".into()),
            workspaces: workspaces.iter().map(inside).collect(),
            limited: !workspaces.is_empty(),
        };
        self.sessions.begin(&self.app, person, self.vouched().await).await.expect("a session").0
    }

    async fn look(&self, after: Duration) {
        self.sessions.look(&self.app, &self.provider, &self.rules, Instant::now() + after).await;
    }

    async fn session(&self, token: &str) -> Option<Arc<Session>> {
        self.sessions.admit(&self.app, &self.provider, &self.rules, token).await
    }

    async fn role(&self, token: &str) -> Option<CallerRole> {
        self.session(token).await.map(|session| session.person().role)
    }

    /// The server ends and begins anew.
    async fn restart(&mut self) -> usize {
        self.sessions = Sessions::default();
        self.sessions.restore(&self.app, |_| None).await.expect("reads")
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
    assert_eq!(place.role(&token).await, Some(CallerRole::Builder));
    place.look(Duration::ZERO).await;
    place.host.script().claims = json!({ "sub": "248", "groups": ["staff"] });
    place.look(RENEWED).await;
    assert_eq!(place.role(&token).await, Some(CallerRole::Viewer));
    assert!(place.entry("USER_ROLE_CHANGED").await.to_string().contains("no longer builder"));
    // A provider that is silent for a while ends nothing; one that stays silent does.
    place.host.script().refuses = Some((503, "busy"));
    place.look(RENEWED * 2).await;
    place.look(RENEWED * 2 + AGAIN).await;
    assert!(place.role(&token).await.is_some());
    place.look(RENEWED * 2 + SILENT).await;
    assert_eq!(place.role(&token).await, None);
    assert!(place.entry("USER_SIGNED_OUT").await.to_string().contains("answered 503"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_was_removed_or_has_no_role_is_signed_out_with_what_is_open() {
    let place = Place::new();
    for (refuses, groups, told) in
        [(Some((400, "invalid_grant")), "team", "invalid_grant"), (None, "guests", "does not give the person a role")]
    {
        let token = place.begin().await;
        let session = place.session(&token).await.expect("it is there");
        let stream = Body::from_stream(tokio_stream::pending::<Result<&str, std::io::Error>>());
        let open = until_end(Response::new(stream), session.ended.subscribe());
        let read = tokio::spawn(axum::body::to_bytes(open.into_body(), 100));
        place.host.script().refuses = refuses;
        place.host.script().claims = json!({ "sub": "248", "groups": [groups] });
        place.look(RENEWED).await;
        assert_eq!(place.role(&token).await, None);
        assert!(read.await.expect("it ends").is_err(), "the stream breaks off");
        assert!(place.entry("USER_SIGNED_OUT").await.to_string().contains(told));
        place.host.script().refuses = None;
        place.host.script().claims = json!({ "sub": "248", "groups": ["team"] });
    }
}

/// Open streams would show what the person may not see any more.
#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_loses_a_workspace_is_signed_out_and_one_who_gets_another_is_not() {
    let mut place = Place::new();
    place.rules.roles =
        ["builder=team", "operator@sales=sales", "operator@hr=hr"].map(|text| text.parse().expect("a rule")).into();
    let gives = |place: &Place, groups: &[&str]| place.host.script().claims = json!({ "sub": "248", "groups": groups });
    let token = place.begin_in(&["sales"]).await;
    gives(&place, &["sales", "hr"]);
    place.look(RENEWED).await;
    let person = place.session(&token).await.expect("it goes on").person();
    let roles = person.workspace_roles().expect("roles in workspaces");
    assert_eq!((roles.everywhere, roles.roles.keys().collect::<Vec<_>>().len()), (None, 2));
    gives(&place, &["hr"]);
    place.look(RENEWED * 2).await;
    assert!(place.session(&token).await.is_none());
    assert!(place.entry("USER_SIGNED_OUT").await.to_string().contains("fewer workspaces"));
    // The whole server is more than one workspace.
    let token = place.begin().await;
    place.look(RENEWED).await;
    assert!(place.session(&token).await.is_none(), "limited to hr now");
    gives(&place, &["sales"]);
    let token = place.begin_in(&["sales"]).await;
    gives(&place, &["team"]);
    place.look(RENEWED).await;
    let person = place.session(&token).await.expect("it goes on").person();
    assert_eq!((person.role, person.workspace_roles()), (CallerRole::Builder, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_end_by_themselves_and_one_person_has_so_many() {
    let place = Place::new();
    let token = place.begin().await;
    place.look(IDLE - Duration::from_secs(1)).await;
    assert!(place.role(&token).await.is_some());
    place.look(IDLE + Duration::from_secs(1)).await;
    assert_eq!(place.role(&token).await, None);
    place.host.script().renews = false;
    let token = place.begin().await;
    place.look(UNRENEWED).await;
    assert_eq!(place.role(&token).await, None);
    assert!(LONGEST > UNRENEWED);
    let first = place.begin().await;
    for _ in 1..MOST_OF_ONE {
        place.begin().await;
    }
    assert!(place.role(&first).await.is_some());
    place.begin().await;
    assert_eq!(place.role(&first).await, None, "the oldest makes room");
    assert_eq!(place.role("").await, None);
}

/// The store has what a session needs to go on, and nothing by which somebody else could go on with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_after_a_restart_for_the_page_that_has_its_token() {
    let mut place = Place::new();
    let token = place.begin().await;
    let refresh = place.vouched().await.refresh.expect("renewed");
    assert_eq!(place.restart().await, 1);
    for wrong in ["", "0", &token[1..]] {
        assert!(place.session(wrong).await.is_none(), "{wrong}");
    }
    assert_eq!(place.role(&token).await, Some(CallerRole::Builder));
    // The provider is asked as before, with what was sealed, and what it gives is sealed for the next restart.
    place.host.script().claims = json!({ "sub": "248", "groups": ["staff"] });
    place.look(RENEWED).await;
    assert_eq!(place.restart().await, 1);
    assert_eq!(place.role(&token).await, Some(CallerRole::Viewer));
    let kept = place.app.kept_sessions().expect("reads").remove(0);
    let text = format!("{kept:?}");
    assert!(!text.contains(&token) && !text.contains(refresh.expose()), "{text}");
    // Nobody can renew it without the page: it is left alone until it is idle.
    place.restart().await;
    place.look(RENEWED * 3).await;
    assert_eq!(place.app.kept_sessions().expect("reads").len(), 1);
    place.look(IDLE + Duration::from_secs(1)).await;
    assert!(place.app.kept_sessions().expect("reads").is_empty());
    assert_eq!(place.role(&token).await, None);
}

/// Who was removed while the server was not running does not get in for a moment.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_due_during_a_restart_waits_for_the_provider() {
    let mut place = Place::new();
    let token = place.begin().await;
    let mut kept = place.app.kept_sessions().expect("reads").remove(0);
    kept.renew_ms = kept.renew_ms.map(|ms| ms - 600_000);
    assert!(place.app.session_changed(kept).await.expect("kept"));
    place.host.script().refuses = Some((400, "invalid_grant"));
    assert_eq!(place.restart().await, 1);
    assert_eq!(place.role(&token).await, None);
    assert!(place.app.kept_sessions().expect("reads").is_empty());
    assert!(place.entry("USER_SIGNED_OUT").await.to_string().contains("invalid_grant"));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_come_in_any_more_is_signed_out_at_the_restart_or_by_a_person() {
    let mut place = Place::new();
    place.begin().await;
    place.sessions = Sessions::default();
    let refused = place.sessions.restore(&place.app, |_| Some("The rules for roles were changed".into())).await;
    assert_eq!(refused.expect("reads"), 0);
    assert!(place.app.kept_sessions().expect("reads").is_empty());
    assert!(place.entry("USER_SIGNED_OUT").await.to_string().contains("The rules for roles were changed"));

    let token = place.begin().await;
    let session = place.session(&token).await.expect("it is there");
    let boss = Caller::http(CallerRole::Builder, false, "boss");
    let listed = place.app.dispatch(&boss, "session_list", json!({})).await.expect("listed");
    assert_eq!((&listed[0]["person"], &listed[0]["own"]), (&json!("user:ada"), &json!(false)));
    let by_token = boss.clone().with_token(Some("ci".into()));
    let request = json!({ "id": listed[0]["id"] });
    let refused = place.app.dispatch(&by_token, "session_end", request.clone()).await.expect_err("a token");
    assert_eq!(refused.code, "FORBIDDEN");
    place.app.dispatch(&boss, "session_end", request.clone()).await.expect("ended");
    assert_eq!(place.app.dispatch(&boss, "session_end", request).await.expect_err("once").code, "NOT_FOUND");
    assert_eq!(place.sessions.ended_elsewhere(&place.app).expect("reads").len(), 1);
    assert!(*session.ended.borrow(), "what is open breaks off");
    assert_eq!(place.role(&token).await, None);
    assert!(place.entry("USER_SIGNED_OUT").await.to_string().contains("boss ended the session of ada"));
}
