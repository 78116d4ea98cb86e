//! A key file of a Google service account: what it says, without keeping the file.

use super::assertion;
use serde::Deserialize;
use signalbox_model::oauth::{ClientAuthentication, OAuthClient, OAuthGrant, OAuthService};
use signalbox_ports::Secret;

/// What is asked for where nothing else is said: objects are read and written.
const SCOPE: &str = "https://www.googleapis.com/auth/devstorage.read_write";

#[derive(Deserialize)]
struct KeyFile {
    #[serde(rename = "type")]
    kind: String,
    client_email: String,
    token_uri: String,
    private_key: String,
}

/// The client and the private key, on one line, of a key file; the error says what is wrong, without a full stop.
pub fn service_account(file: &Secret, scopes: &[String]) -> Result<(OAuthClient, Secret), String> {
    // No words of the parser: they might quote the key.
    let wrong =
        || "It is no key file of a service account: JSON with client_email, private_key and token_uri".to_owned();
    let file: KeyFile = serde_json::from_str(file.expose().trim()).map_err(|_| wrong())?;
    if file.kind != "service_account" {
        let kind: String = file.kind.chars().take(50).collect();
        return Err(format!("It is a key file of the type '{kind}', not of a service account"));
    }
    let key = assertion::on_one_line(&Secret::new(file.private_key));
    assertion::usable(&key).map_err(|fault| fault.message)?;
    let scopes = if scopes.is_empty() { vec![SCOPE.to_owned()] } else { scopes.to_vec() };
    let service = OAuthService {
        token_url: file.token_uri,
        scopes,
        client_authentication: ClientAuthentication::Body,
        ..OAuthService::default()
    };
    let grant = OAuthGrant::ServiceAccount;
    Ok((OAuthClient { grant, client_id: file.client_email, service, redirect: None, user: None }, key))
}
