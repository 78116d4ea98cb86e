//! Secrets that get their tokens by OAuth, against a real authorization server on loopback.

use crate::authorization_server::{AuthorizationServer, CLIENT, SECRET};
use reqwest::header::LOCATION;
use serde_json::json;
use signalbox_adapters::TokenSource;
use signalbox_adapters::Vault;
use signalbox_adapters::keyring::{KeyRing, Look};
use signalbox_adapters::oauth::{CallbackParams, ConfiguredClient, Fault, SignedIn, Trouble as Denied};
use signalbox_adapters::vault::{Entry, Given, KeyPlace, Session, Trouble};
use signalbox_model::oauth::{OAuthClient, OAuthGrant, OAuthService};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{CredentialKind, NoSecrets, Secret, Secrets};
use std::fs;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

struct NoKeyRing;

impl KeyRing for NoKeyRing {
    fn name(&self) -> &'static str {
        "None"
    }
    fn probe(&self) -> Result<(), String> {
        Err("there is none".into())
    }
    fn look(&self, _account: &str) -> Result<Look, String> {
        Ok(Look::Nothing)
    }
    fn get(&self, _account: &str) -> Result<Option<Secret>, String> {
        Ok(None)
    }
    fn set(&self, _account: &str, _secret: &Secret) -> Result<(), String> {
        self.probe()
    }
    fn delete(&self, _account: &str) -> Result<(), String> {
        Ok(())
    }
}

/// A data folder with the secret `erp`, and the server that gives its tokens.
struct SignInTest {
    folder: TempDir,
    server: AuthorizationServer,
    client: OAuthClient,
    vault: Arc<Vault>,
}

fn hosts() -> Vec<AllowedHost> {
    vec![AllowedHost::parse("127.0.0.1").expect("a host")]
}

fn entry(client: &OAuthClient) -> Entry {
    Entry {
        name: "erp".into(),
        kind: CredentialKind::AccessToken { user: None },
        hosts: hosts(),
        created_at: "2026-11-29T10:00:00.000Z".into(),
        updated_at: "2026-11-29T10:00:00.000Z".into(),
        oauth: Some(client.clone()),
        session: None,
    }
}

impl SignInTest {
    async fn new(grant: OAuthGrant) -> Self {
        let folder = TempDir::new().expect("a folder");
        let server = AuthorizationServer::start().await;
        let client = OAuthClient {
            grant,
            client_id: CLIENT.into(),
            service: OAuthService {
                authorization_url: Some(server.at("/authorize")),
                device_url: Some(server.at("/device")),
                token_url: server.at("/token"),
                revocation_url: Some(server.at("/revoke")),
                scopes: vec!["read".into(), "write".into()],
                parameters: [("access_type".to_owned(), "offline".to_owned())].into(),
                ..OAuthService::default()
            },
            redirect: None,
            user: None,
        };
        let desk = Self { vault: vault(&folder), folder, server, client };
        desk.vault.choose(KeyPlace::File, None, None, || Ok(())).expect("chosen");
        desk.vault.set(entry(&desk.client), Secret::new(SECRET), |_| Ok(())).expect("is kept");
        desk
    }

    fn configured<'a>(&'a self, secret: &'a Secret, hosts: &'a [AllowedHost]) -> ConfiguredClient<'a> {
        ConfiguredClient { name: "erp", client: &self.client, secret, hosts }
    }

    /// Signs in as a person does: the browser goes to the server and comes back with a code.
    async fn signs_in(&self) -> Result<SignedIn, Fault> {
        let (secret, hosts) = (Secret::new(SECRET), hosts());
        let pending = self.configured(&secret, &hosts).begin("http://127.0.0.1:9/callback")?;
        let back = browse(pending.address().as_str()).await;
        let params = CallbackParams::of_address(&back).expect("a code");
        let nobody: Arc<dyn Secrets> = Arc::new(NoSecrets);
        pending.finish(params, &nobody).await
    }

    async fn signed_in(&self) {
        let signed = Arc::new(self.signs_in().await.expect("signs in"));
        let session = Session { signed, by: "ada".into(), at_ms: 1, ended: None };
        self.vault.session_set("erp", &self.client, session, || Ok(())).expect("is kept");
    }

    /// Another process on the same folder.
    fn source(&self) -> (Arc<TokenSource>, Arc<Mutex<Vec<String>>>) {
        let ended: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Arc::clone(&ended);
        let on_end =
            Box::new(move |name: &str, why: &str| heard.lock().expect("a lock").push(format!("{name}: {why}")));
        let source = TokenSource::new(vault(&self.folder), tokio::runtime::Handle::current(), on_end);
        (Arc::new(source), ended)
    }
}

pub(crate) fn vault(folder: &TempDir) -> Arc<Vault> {
    Arc::new(Vault::new(folder.path(), Given::default(), Arc::new(NoKeyRing)))
}

/// Where a browser is sent to.
async fn browse(address: &str) -> String {
    let _provider = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
    let answer = client.get(address).send().await.expect("it answers");
    answer.headers()[LOCATION].to_str().expect("text").to_owned()
}

/// On a thread that may wait, as steps do.
async fn token(source: &Arc<TokenSource>) -> Result<String, (Trouble, String)> {
    let source = Arc::clone(source);
    let got = tokio::task::spawn_blocking(move || source.credential("erp", false)).await.expect("no panic");
    got.map(|credential| credential.value.expose().to_owned())
        .map_err(|error| (error.trouble, format!("{} {}", error.message, error.hint)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_with_pkce_and_the_token_is_renewed() {
    let desk = SignInTest::new(OAuthGrant::AuthorizationCode).await;
    let (source, _) = desk.source();
    let (trouble, words) = token(&source).await.expect_err("nobody is signed in");
    assert_eq!(trouble, Trouble::Expired);
    assert!(words.contains("signalbox secret sign-in erp"), "{words}");
    desk.server.known().lasts = vec![0];
    desk.signed_in().await;
    let asked = desk.server.known().asked[0].clone();
    assert!(!asked.contains_key("resource") && asked["code_verifier"].len() >= 43, "{asked:?}");
    // It was over at once, so the first step renews it, and the next one has it.
    let first = token(&source).await.expect("renewed");
    assert_eq!(token(&source).await, Ok(first));
    assert_eq!(desk.server.known().grants("refresh_token"), 1);
    let told = desk.vault.list().expect("lists").remove(0).session.expect("somebody");
    assert_eq!((told.by.as_str(), told.renews, told.ended), ("ada", true, None));
    let sealed = fs::read(desk.folder.path().join("secrets/vault.age")).expect("reads");
    assert!(!String::from_utf8_lossy(&sealed).contains("refresh-"));
}

/// Property: however many steps find a token over, in however many processes, it is renewed once.
#[tokio::test(flavor = "multi_thread")]
async fn many_steps_that_find_a_token_over_renew_it_once() {
    for (processes, steps) in [(1, 1), (1, 2), (1, 16), (2, 8), (3, 5)] {
        let desk = SignInTest::new(OAuthGrant::AuthorizationCode).await;
        desk.server.known().lasts = vec![0];
        desk.signed_in().await;
        let mut waiting = Vec::new();
        for _ in 0..processes {
            let (source, _) = desk.source();
            for _ in 0..steps {
                let source = Arc::clone(&source);
                waiting.push(tokio::spawn(async move { token(&source).await }));
            }
        }
        let mut tokens = Vec::new();
        for one in waiting {
            tokens.push(one.await.expect("no panic").expect("a token"));
        }
        tokens.dedup();
        assert_eq!((tokens.len(), desk.server.known().grants("refresh_token")), (1, 1), "{processes} × {steps}");
    }
}

/// The same for a token that a service refuses before its time.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_a_service_refused_is_renewed_once() {
    let desk = SignInTest::new(OAuthGrant::AuthorizationCode).await;
    desk.signed_in().await;
    let (source, _) = desk.source();
    desk.server.known().forget_access();
    let first = Arc::clone(&source);
    let refused = tokio::task::spawn_blocking(move || first.credential("erp", false).expect("a token"));
    let refused = refused.await.expect("no panic");
    let waiting: Vec<_> = (0..8)
        .map(|_| {
            let (source, refused) = (Arc::clone(&source), Arc::clone(&refused));
            tokio::task::spawn_blocking(move || {
                let newer = source.renewed(&refused).expect("renewed").expect("a newer one");
                newer.value.expose().to_owned()
            })
        })
        .collect();
    let mut tokens = Vec::new();
    for one in waiting {
        tokens.push(one.await.expect("no panic"));
    }
    tokens.dedup();
    assert_eq!((tokens.len(), desk.server.known().grants("refresh_token")), (1, 1));
}

/// The program dies after the service has given new tokens and before they are written: the person is told.
#[tokio::test(flavor = "multi_thread")]
async fn tokens_that_are_lost_on_the_way_end_the_sign_in_with_words() {
    let desk = SignInTest::new(OAuthGrant::AuthorizationCode).await;
    desk.server.known().lasts = vec![0];
    desk.signed_in().await;
    let before = desk.vault.stored("erp", false).expect("is there").session.expect("somebody").signed;
    let (secret, hosts) = (Secret::new(SECRET), hosts());
    // What a process that dies here leaves: the service has rotated, the file has the old token.
    drop(desk.configured(&secret, &hosts).renew(&before).await.expect("renewed"));
    let (source, ended) = desk.source();
    let (trouble, words) = token(&source).await.expect_err("the old token is of no use");
    assert_eq!(trouble, Trouble::Expired);
    assert!(words.contains("invalid_grant") && words.contains("sign-in erp"), "{words}");
    assert_eq!(ended.lock().expect("a lock").len(), 1);
    // Nobody asks the service again, also after a restart.
    let (again, _) = desk.source();
    assert_eq!(token(&again).await.expect_err("has ended").0, Trouble::Expired);
    assert_eq!(desk.server.known().grants("refresh_token"), 2);
    let told = desk.vault.list().expect("lists").remove(0).session.expect("somebody");
    assert!(told.ended.expect("why").contains("invalid_grant"));
    desk.signed_in().await;
    assert!(token(&source).await.is_ok(), "and who signs in again gets on");
}

/// A disk that takes nothing: the new tokens are used, and written as soon as that is possible.
#[tokio::test(flavor = "multi_thread")]
async fn tokens_that_cannot_be_written_are_not_lost() {
    let desk = SignInTest::new(OAuthGrant::AuthorizationCode).await;
    desk.server.known().lasts = vec![0];
    desk.signed_in().await;
    let (source, _) = desk.source();
    let secrets = desk.folder.path().join("secrets");
    // A folder where the new file would be made: it cannot be written, whoever runs this.
    let blocked = secrets.join(format!("vault.{}.new", std::process::id()));
    fs::create_dir(&blocked).expect("made");
    let first = token(&source).await.expect("a token all the same");
    assert_eq!(token(&source).await, Ok(first.clone()));
    fs::remove_dir(&blocked).expect("gone");
    assert_eq!(token(&source).await, Ok(first.clone()));
    // Another process reads what was written meanwhile.
    let (other, _) = desk.source();
    assert_eq!(token(&other).await, Ok(first));
    assert_eq!(desk.server.known().grants("refresh_token"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_sign_in_says_so_and_a_service_that_is_down_ends_nothing() {
    let desk = SignInTest::new(OAuthGrant::AuthorizationCode).await;
    desk.server.known().lasts = vec![0, 0];
    desk.signed_in().await;
    let (source, _) = desk.source();
    desk.server.known().instead = Some((503, json!({})));
    assert_eq!(token(&source).await.expect_err("is down").0, Trouble::Unreachable);
    // A wall in between that says "no" in its own words ends nothing either.
    desk.server.known().instead = Some((403, json!({ "message": "blocked" })));
    assert_eq!(token(&source).await.expect_err("a wall").0, Trouble::Unreachable);
    desk.server.known().instead = None;
    assert!(token(&source).await.is_ok());
    desk.server.known().revoke_all();
    assert_eq!(token(&source).await.expect_err("is revoked").0, Trouble::Expired);
    // Services that refuse with status 200 and a custom error name.
    desk.server.known().lasts = vec![0];
    desk.signed_in().await;
    desk.server.known().instead = Some((200, json!({ "ok": false, "error": "token_revoked" })));
    let (trouble, words) = token(&source).await.expect_err("is revoked");
    assert!(trouble == Trouble::Expired && words.contains("token_revoked"), "{words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_back_from_the_browser_is_checked() {
    let desk = SignInTest::new(OAuthGrant::AuthorizationCode).await;
    let (secret, hosts) = (Secret::new(SECRET), hosts());
    let nobody: Arc<dyn Secrets> = Arc::new(NoSecrets);
    let begin = || desk.configured(&secret, &hosts).begin("http://127.0.0.1:9/callback").expect("begins");
    // Another state, the state of another sign-in, and a declined one.
    let other = browse(begin().address().as_str()).await;
    for (back, words) in [
        ("http://127.0.0.1:9/callback?code=x&state=y".to_owned(), "belongs to no sign-in"),
        (other, "belongs to no sign-in"),
    ] {
        let params = CallbackParams::of_address(&back).expect("a code");
        let fault = begin().finish(params, &nobody).await.map(drop).expect_err("refused");
        assert!(fault.message.contains(words), "{}", fault.message);
    }
    let pending = begin();
    let declined = format!("http://127.0.0.1:9/callback?error=access_denied&state={}", pending.state().expose());
    let fault = pending.finish(CallbackParams::of_address(&declined).expect("there"), &nobody).await.map(drop);
    assert!(fault.expect_err("declined").message.contains("declined"));
    assert_eq!(desk.server.known().asked.len(), 0, "no code was sent anywhere");
    // Another server's answer (RFC 9207).
    desk.server.known().iss = Some("https://other.example".into());
    assert!(desk.signs_in().await.map(drop).expect_err("mix-up").message.contains("another authorization server"));
    assert_eq!(desk.server.known().asked.len(), 0);
    desk.server.known().iss = Some(desk.server.base.clone());
    assert!(desk.signs_in().await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_signs_in_as_itself_and_a_wrong_secret_is_told() {
    let desk = SignInTest::new(OAuthGrant::ClientCredentials).await;
    desk.server.known().lasts = vec![3600, 0];
    let (source, _) = desk.source();
    let first = token(&source).await.expect("a token");
    assert_eq!(token(&source).await, Ok(first.clone()), "it is kept");
    let asked = desk.server.known().asked[0].clone();
    assert_eq!((asked["scope"].as_str(), asked["access_type"].as_str()), ("read write", "offline"));
    let refused = tokio::task::spawn_blocking({
        let source = Arc::clone(&source);
        move || source.renewed(&source.credential("erp", false).expect("a token")).expect("renewed").expect("newer")
    });
    assert_ne!(refused.await.expect("no panic").value.expose(), first);
    desk.vault.set(entry(&desk.client), Secret::new("another-secret"), |_| Ok(())).expect("is kept");
    let (trouble, words) = token(&source).await.expect_err("is wrong");
    assert!(trouble == Trouble::Expired && words.contains("invalid_client") && words.contains("client id"), "{words}");
    // The client's secret is replaced, and no workflow is touched.
    desk.vault.set(entry(&desk.client), Secret::new(SECRET), |_| Ok(())).expect("is kept");
    assert!(token(&source).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_entered_on_another_device_or_runs_out() {
    let desk = SignInTest::new(OAuthGrant::DeviceCode).await;
    let (secret, hosts) = (Secret::new(SECRET), hosts());
    let client = desk.configured(&secret, &hosts);
    let mut device = client.begin_device().await.expect("a code");
    assert_eq!((device.user_code.as_str(), device.interval().as_secs()), ("WDJB-MJHT", 7));
    assert!(device.page_with_code.as_ref().expect("an address").as_str().ends_with("user_code=WDJB-MJHT"));
    desk.server.known().device = vec!["authorization_pending", "slow_down"];
    assert!(device.poll().await.expect("waits").is_none());
    assert!(device.poll().await.expect("waits").is_none());
    assert_eq!(device.interval().as_secs(), 12);
    assert!(device.poll().await.expect("entered").expect("tokens").renews());
    for (error, words) in [("expired_token", "ran out"), ("access_denied", "declined")] {
        let mut device = client.begin_device().await.expect("a code");
        desk.server.known().device = vec![error];
        let fault = device.poll().await.map(drop).expect_err("is over");
        assert!(fault.trouble == Denied::Refused && fault.message.contains(words), "{}", fault.message);
    }
    let mut late = client.begin_device().await.expect("a code");
    late.until_ms = 0;
    assert!(late.poll().await.map(drop).expect_err("is over").message.contains("ran out"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_secret_goes_to_a_host_that_is_not_allowed() {
    let desk = SignInTest::new(OAuthGrant::AuthorizationCode).await;
    let elsewhere = vec![AllowedHost::parse("api.example.com").expect("a host")];
    let refused =
        desk.vault.set(Entry { hosts: elsewhere.clone(), ..entry(&desk.client) }, Secret::new(SECRET), |_| Ok(()));
    assert!(refused.expect_err("refused").message.contains("do not include the service that gives tokens"));
    let secret = Secret::new(SECRET);
    assert!(desk.configured(&secret, &elsewhere).begin("http://127.0.0.1:9/callback").is_err());
    for token_url in ["http://login.example.com/token", "https://10.0.0.1/token", "https://169.254.169.254/token", "x"]
    {
        let mut client = desk.client.clone();
        client.service.token_url = token_url.into();
        let all = ["login.example.com", "10.0.0.1", "169.254.169.254", "127.0.0.1"];
        let hosts = all.map(|host| AllowedHost::parse(host).expect("a host")).to_vec();
        let kept = desk.vault.set(Entry { hosts, ..entry(&client) }, secret_again(), |_| Ok(()));
        assert!(kept.is_err(), "{token_url}");
    }
    // Replaced with other hosts, the sign-in goes: its tokens were for the hosts that were there.
    desk.signed_in().await;
    let both =
        vec![AllowedHost::parse("127.0.0.1").expect("a host"), AllowedHost::parse("api.example.com").expect("a host")];
    desk.vault.set(Entry { hosts: both, ..entry(&desk.client) }, secret_again(), |_| Ok(())).expect("is kept");
    assert_eq!(desk.vault.list().expect("lists").remove(0).session, None);
}

fn secret_again() -> Secret {
    Secret::new(SECRET)
}
