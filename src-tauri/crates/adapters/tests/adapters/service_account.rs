//! Key files of Google service accounts: what is kept of one, and tokens in exchange for what its key signs.

use crate::authorization_server::AuthorizationServer;
use crate::oauth_secrets::vault;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use serde_json::{Value, json};
use signalbox_adapters::TokenSource;
use signalbox_adapters::oauth::service_account;
use signalbox_adapters::vault::{Entry, KeyPlace};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{CredentialKind, Secret};
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

/// A private key as Google writes it (PKCS #8).
fn key(folder: &TempDir) -> String {
    let path = folder.path().join("key");
    let mut keygen = Command::new("ssh-keygen");
    keygen.args(["-q", "-t", "rsa", "-b", "2048", "-m", "PKCS8", "-N", "", "-f"]).arg(&path);
    assert!(keygen.status().expect("ssh-keygen runs").success());
    std::fs::read_to_string(path).expect("a key")
}

fn key_file(key: &str, token_url: &str) -> Secret {
    let file = json!({
        "type": "service_account", "project_id": "p", "private_key_id": "k1", "private_key": key,
        "client_email": "robot@p.iam.gserviceaccount.com", "client_id": "1", "token_uri": token_url,
    });
    Secret::new(serde_json::to_string_pretty(&file).expect("JSON"))
}

fn entry(client: &signalbox_model::oauth::OAuthClient, host: &str) -> Entry {
    Entry {
        name: "cloud".into(),
        kind: CredentialKind::AccessToken { user: None },
        hosts: vec![AllowedHost::parse(host).expect("a host")],
        created_at: "2026-11-30T10:00:00.000Z".into(),
        updated_at: "2026-11-30T10:00:00.000Z".into(),
        oauth: Some(client.clone()),
        session: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_account_signs_in_by_itself_once_for_all_steps() {
    let (folder, server) = (TempDir::new().expect("a folder"), AuthorizationServer::start().await);
    let pem = key(&folder);
    let (client, key) = service_account(&key_file(&pem, &server.at("/token")), &[]).expect("a key file");
    let vault = vault(&folder);
    vault.choose(KeyPlace::File, None, None, || Ok(())).expect("chosen");
    // The place that gives tokens is one that it may be sent to.
    let refused = vault.set(entry(&client, "storage.googleapis.com"), Secret::new(key.expose()), |_| Ok(()));
    assert!(refused.expect_err("refused").message.contains("allowed hosts"));
    vault.set(entry(&client, "127.0.0.1"), Secret::new(key.expose()), |_| Ok(())).expect("is kept");
    server.known().instead =
        Some((200, json!({ "access_token": "ya29.token-1", "token_type": "Bearer", "expires_in": 3599 })));
    let source =
        |vault| Arc::new(TokenSource::new(vault, tokio::runtime::Handle::current(), Box::new(|_: &str, _: &str| {})));
    let sources = [source(Arc::clone(&vault)), source(crate::oauth_secrets::vault(&folder))];
    let waiting: Vec<_> = (0..8)
        .map(|n: usize| {
            let source = Arc::clone(&sources[n % 2]);
            tokio::task::spawn_blocking(move || {
                source.credential("cloud", false).map(|one| one.value.expose().to_owned())
            })
        })
        .collect();
    for one in waiting {
        assert_eq!(one.await.expect("no panic").map_err(|error| error.message), Ok("ya29.token-1".to_owned()));
    }
    let asked = server.known().asked.clone();
    assert_eq!((asked.len(), asked[0]["grant_type"].as_str()), (1, "urn:ietf:params:oauth:grant-type:jwt-bearer"));
    assert!(!asked[0].contains_key("client_secret"), "the key is never sent");
    let parts: Vec<&str> = asked[0]["assertion"].split('.').collect();
    let part =
        |text: &str| -> Value { serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).expect("base64")).expect("JSON") };
    let claims = part(parts[1]);
    assert_eq!(part(parts[0]), json!({ "alg": "RS256", "typ": "JWT" }));
    assert_eq!(
        (&claims["iss"], &claims["aud"], &claims["scope"]),
        (
            &json!("robot@p.iam.gserviceaccount.com"),
            &json!(server.at("/token")),
            &json!("https://www.googleapis.com/auth/devstorage.read_write")
        )
    );
    let der = base64::engine::general_purpose::STANDARD.decode(key.expose()).expect("base64");
    let pair = RsaKeyPair::from_pkcs8(&der).expect("a key");
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public_key().as_ref());
    let signature = URL_SAFE_NO_PAD.decode(parts[2]).expect("base64");
    public.verify(format!("{}.{}", parts[0], parts[1]).as_bytes(), &signature).expect("signed by the key");
}

#[test]
fn a_file_that_is_no_key_of_a_service_account_is_refused_without_being_quoted() {
    let user =
        json!({ "type": "authorized_user", "client_email": "a", "private_key": "hunter2hunter2", "token_uri": "x" });
    for (text, words) in [
        ("{", "no key file"),
        ("{\"type\": \"service_account\"}", "no key file"),
        (&user.to_string(), "'authorized_user'"),
        (key_file("hunter2hunter2", "https://oauth2.googleapis.com/token").expose(), "private key"),
    ] {
        let why = service_account(&Secret::new(text), &[]).map(|_| ()).expect_err(words);
        assert!(why.contains(words) && !why.contains("hunter2"), "{why}");
    }
}
