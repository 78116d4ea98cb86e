//! As whom this program comes to an authorization server: as the client that a person registered there, by a document at an
//! address of the person's, or as one that it registers itself.

use super::discovery::Found;
use super::net::Net;
use super::{Fault, ToolSignIn, token};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Longest id or secret of a client.
const LONGEST: usize = 4 * 1024;

/// How a client says who it is at the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Method {
    None,
    ClientSecretBasic,
    ClientSecretPost,
    PrivateKeyJwt,
}

impl Method {
    fn of(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "client_secret_basic" => Some(Self::ClientSecretBasic),
            "client_secret_post" => Some(Self::ClientSecretPost),
            "private_key_jwt" => Some(Self::PrivateKeyJwt),
            _ => None,
        }
    }
    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ClientSecretBasic => "client_secret_basic",
            Self::ClientSecretPost => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }
}

/// What proves that it is this client.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Proof {
    /// Nothing.
    Nothing,
    /// A secret that the authorization server gave.
    Given(#[serde(with = "token::plain")] signalbox_ports::Secret),
    /// A secret, or a key, of this machine, by its name.
    Named(String),
}

/// A client.
#[derive(Serialize, Deserialize)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) method: Method,
    pub(super) proof: Proof,
}

/// The method for a secret: what is offered, the header first.
fn with_secret(methods: &[String]) -> Option<Method> {
    // RFC 8414: nothing told means the header.
    if methods.is_empty() {
        return Some(Method::ClientSecretBasic);
    }
    [Method::ClientSecretBasic, Method::ClientSecretPost]
        .into_iter()
        .find(|one| methods.iter().any(|m| m == one.name()))
}

/// The client that a person registered.
pub(super) fn registered(settings: &ToolSignIn, found: &Found) -> Result<Option<Client>, Fault> {
    let Some(id) = settings.client_id.clone() else { return Ok(None) };
    if let Some(key) = &settings.private_key {
        return Ok(Some(Client { id, method: Method::PrivateKeyJwt, proof: Proof::Named(key.clone()) }));
    }
    let Some(secret) = &settings.client_secret else {
        return Ok(Some(Client { id, method: Method::None, proof: Proof::Nothing }));
    };
    let method = with_secret(&found.methods).ok_or_else(|| {
        Fault::refused(format!("{} takes no secret of a client in a way that is known here", found.issuer))
    })?;
    Ok(Some(Client { id, method, proof: Proof::Named(secret.clone()) }))
}

/// As whom this program comes.
pub(super) async fn find(
    net: &Net,
    settings: &ToolSignIn,
    found: &Found,
    redirect: &str,
    scopes: &[String],
) -> Result<Client, Fault> {
    if let Some(client) = registered(settings, found)? {
        return Ok(client);
    }
    if let Some(document) = settings.client_metadata.clone().filter(|_| found.reads_documents) {
        return Ok(Client { id: document, method: Method::None, proof: Proof::Nothing });
    }
    let endpoint = found.registration_endpoint.as_ref().ok_or_else(|| {
        let words = format!(
            "{} does not know this program, and lets none register itself. Register it there by hand (redirect address {}), and set \
             the client id for the server",
            found.issuer,
            redirect
        );
        Fault::refused(words)
    })?;
    // A program on a person's machine keeps no secret of all its copies, so it wants none when it can do without.
    let method = [Method::None, Method::ClientSecretBasic, Method::ClientSecretPost]
        .into_iter()
        .find(|method| found.methods.is_empty() || found.methods.iter().any(|name| name == method.name()))
        .unwrap_or(Method::None);
    let mut wish = json!({
        "client_name": "Signalbox", "redirect_uris": [redirect], "application_type": "native",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "token_endpoint_auth_method": method.name(),
    });
    if !scopes.is_empty() {
        wish["scope"] = scopes.join(" ").into();
    }
    let answer = net.json(endpoint, &wish).await?;
    let body = answer.body.as_ref().unwrap_or(&Value::Null);
    if !answer.is_good() {
        let said = body["error"].as_str().map_or_else(|| format!("it answered {}", answer.status), token::code);
        return Err(Fault::refused(format!("{} did not register this program: {said}", found.issuer)));
    }
    let text = |key: &str| body[key].as_str().filter(|text| !text.is_empty() && text.len() <= LONGEST);
    let id = text("client_id")
        .ok_or_else(|| Fault::refused(format!("{} registered this program without telling as whom", found.issuer)))?;
    let secret = text("client_secret");
    let told = text("token_endpoint_auth_method").map(Method::of);
    let method = match (told, secret) {
        (Some(Some(Method::PrivateKeyJwt) | None), _) => {
            return Err(Fault::refused(format!(
                "{} wants a way to prove who this is that was not asked for",
                found.issuer
            )));
        }
        (Some(Some(method)), _) => method,
        (None, Some(_)) => with_secret(&found.methods).unwrap_or(Method::None),
        (None, None) => Method::None,
    };
    let proof = match (method, secret) {
        (Method::None, _) => Proof::Nothing,
        (_, Some(secret)) => Proof::Given(signalbox_ports::Secret::new(secret)),
        (_, None) => {
            return Err(Fault::refused(format!("{} gave this program no secret, and wants one", found.issuer)));
        }
    };
    Ok(Client { id: id.to_owned(), method, proof })
}
