//! The credential of a call: where the connector wants it, and tokens that it is exchanged for.

use crate::formats;
use crate::http_answer;
use serde_json::Value;
use signalbox_model::connector::{AuthPlace, AuthScheme};
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Connector, NodeFailure, SuggestedAction};
use signalbox_ports::{Credential, CredentialKind, HttpRequest, Redirects, Secret, World};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// A token, and until when it is good.
type Token = (Arc<Credential>, i64);
/// Tokens of this process.
static TOKENS: LazyLock<Mutex<HashMap<String, Token>>> = LazyLock::new(Mutex::default);
/// Most tokens that are kept.
const KEPT: usize = 256;
/// A token is not used in its last seconds.
const MARGIN_MS: i64 = 30_000;
/// How long a token is kept whose end is not known.
const USUAL_S: i64 = 300;
/// Largest answer of a token server, bytes.
const LARGEST: usize = 256 * 1024;

/// The credential as the connector wants it.
pub(crate) async fn placed(
    connector: &Connector,
    credential: Arc<Credential>,
    world: &World,
    request: &HttpRequest,
) -> Result<Arc<Credential>, NodeFailure> {
    // A service that asks for nothing gets what the credential says, and so does one that is called through a gateway.
    let Some(first) = connector.auth.first() else { return Ok(credential) };
    if matches!(
        credential.kind,
        CredentialKind::Aws { .. }
            | CredentialKind::AzureKey { .. }
            | CredentialKind::Sas
            | CredentialKind::ClientCertificate
            | CredentialKind::Ssh { .. }
    ) {
        return Ok(credential);
    }
    let fitting = connector.auth.iter().find(|scheme| fits(scheme, &credential.kind));
    if let Some(scheme) = fitting {
        return match scheme.place {
            AuthPlace::ClientCredentials if !credential.kind.is_token() => {
                token(scheme, &credential, world, request).await
            }
            _ => Ok(credential),
        };
    }
    let placed = connector.auth.iter().find_map(|scheme| {
        let name = || scheme.name.clone().unwrap_or_default();
        match scheme.place {
            AuthPlace::Bearer => Some((scheme, CredentialKind::Bearer)),
            AuthPlace::Header => Some((scheme, CredentialKind::Header { name: name() })),
            AuthPlace::Query => Some((scheme, CredentialKind::Query { name: name() })),
            AuthPlace::Path => Some((scheme, CredentialKind::Path)),
            AuthPlace::Basic | AuthPlace::ClientCredentials => None,
        }
    });
    let Some((scheme, kind)) = placed else {
        let what = first.description.clone().unwrap_or_else(|| "a user and a password".to_owned());
        let message = format!(
            "The credential '{}' has no user, and {} needs {what}. Store it with `signalbox secret set {} --type basic --user NAME`",
            credential.name, connector.title, credential.name
        );
        return Err(NodeFailure::tool("CREDENTIAL_REFUSED", message)
            .detail("field", "credential")
            .suggest(SuggestedAction::HumanReview));
    };
    let value = match &scheme.prefix {
        Some(prefix) => Secret::new(format!("{prefix}{}", credential.value.expose())),
        None => Secret::new(credential.value.expose()),
    };
    Ok(with(&credential, kind, value))
}

fn with(credential: &Credential, kind: CredentialKind, value: Secret) -> Arc<Credential> {
    credential.scrubber.add(&credential.name, Some(&kind), &value);
    Arc::new(Credential {
        name: credential.name.clone(),
        kind,
        hosts: credential.hosts.clone(),
        value,
        scrubber: Arc::clone(&credential.scrubber),
    })
}

fn fits(scheme: &AuthScheme, kind: &CredentialKind) -> bool {
    let named = |name: &str| scheme.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name));
    match (scheme.place, kind) {
        (AuthPlace::Bearer, CredentialKind::Bearer | CredentialKind::AccessToken { .. })
        | (AuthPlace::Basic | AuthPlace::ClientCredentials, CredentialKind::Basic { .. })
        // It was exchanged already.
        | (AuthPlace::ClientCredentials, CredentialKind::AccessToken { .. }) => true,
        (AuthPlace::Header, CredentialKind::Header { name }) => named(name) && scheme.prefix.is_none(),
        (AuthPlace::Query, CredentialKind::Query { name }) => named(name),
        _ => false,
    }
}

/// A token for a client's id and secret (RFC 6749, 4.4). It may go where the credential may go, and is hidden like it.
async fn token(
    scheme: &AuthScheme,
    credential: &Arc<Credential>,
    world: &World,
    request: &HttpRequest,
) -> Result<Arc<Credential>, NodeFailure> {
    let url = scheme.token_url.clone().unwrap_or_default();
    let scopes = scheme.scopes.join(" ");
    let key = format!("{}\n{url}\n{scopes}\n{}", credential.name, sha256_hex(credential.value.expose().as_bytes()));
    let now = world.clock.now_ms();
    if let Some((known, until)) = TOKENS.lock().unwrap_or_else(PoisonError::into_inner).get(&key)
        && *until > now
        && known.hosts == credential.hosts
    {
        return Ok(Arc::clone(known));
    }
    let mut body = String::from("grant_type=client_credentials");
    if !scopes.is_empty() {
        body.push_str("&scope=");
        body.extend(url::form_urlencoded::byte_serialize(scopes.as_bytes()));
    }
    let ask = HttpRequest {
        method: "POST".into(),
        url,
        headers: vec![
            ("Content-Type".into(), "application/x-www-form-urlencoded".into()),
            ("Accept".into(), "application/json".into()),
        ],
        body: Some(body.into_bytes()),
        timeout: Duration::from_secs(30),
        loopback_allowed: request.loopback_allowed,
        redirects: Redirects::No,
        trust_redirects: false,
        cookies: Vec::new(),
        max_body: LARGEST,
        credential: Some(Arc::clone(credential)),
    };
    let scrubber = world.secrets.scrubber();
    let failed = |why: String| {
        NodeFailure::tool("AUTH", format!("No token was given for the credential '{}': {why}", credential.name))
            .suggest(SuggestedAction::HumanReview)
    };
    let answer = world.http.send(ask).await;
    let answer = answer.map_err(|error| http_answer::exchange_failure(error, 30_000, &scrubber))?;
    if answer.status >= 500 || answer.status == 429 {
        return Err(http_answer::status_failure(&answer, now));
    }
    // Nothing of the answer is repeated: it may hold the token.
    let text =
        formats::utf8(answer.body, "The answer of the token server").map_err(|_| failed("it is no text".into()))?;
    let given: Value = serde_json::from_str(&text).map_err(|_| failed(format!("status {}", answer.status)))?;
    let Some(token) = given["access_token"].as_str().filter(|token| !token.is_empty() && answer.status < 300) else {
        let why =
            given["error_description"].as_str().or_else(|| given["error"].as_str()).unwrap_or("no reason is given");
        let why: String = scrubber.text(why).chars().take(200).collect();
        return Err(failed(format!("{why} (status {})", answer.status)));
    };
    let made = with(credential, CredentialKind::Bearer, Secret::new(token));
    let lasts = given["expires_in"].as_i64().unwrap_or(USUAL_S).clamp(0, 86_400) * 1_000 - MARGIN_MS;
    let mut all = TOKENS.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() >= KEPT {
        all.clear();
    }
    all.insert(key, (Arc::clone(&made), now.saturating_add(lasts)));
    Ok(made)
}

/// A token that a service refused is not used again.
pub(crate) fn forget(credential: &Credential) {
    let mut all = TOKENS.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|_, (known, _)| known.value.expose() != credential.value.expose());
}
