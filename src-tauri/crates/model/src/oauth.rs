//! OAuth 2 as data: how a service gives tokens, and as which client a person registered there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a service gives tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OAuthService {
    /// Where a person signs in (authorization code with PKCE).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_url: Option<String>,
    /// Where a code for another device is requested (RFC 8628).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_url: Option<String>,
    /// Where tokens are given.
    pub token_url: String,
    /// Where tokens are taken back (RFC 7009).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revocation_url: Option<String>,
    /// The issuer that the browser must come back from (RFC 9207); without it, the host of the authorization address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The rights to ask for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// What separates scopes; a space when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_separator: Option<String>,
    /// Further parameters of the sign-in, or of the token request where no person signs in; none of them is secret.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// How the client proves who it is at the token endpoint.
    #[serde(default, skip_serializing_if = "is_default")]
    pub client_authentication: ClientAuthentication,
}

fn is_default(given: &ClientAuthentication) -> bool {
    *given == ClientAuthentication::default()
}

/// How a client proves who it is at the token endpoint. A client without a secret sends its id only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClientAuthentication {
    /// The header `Authorization: Basic`.
    #[default]
    Basic,
    /// Fields of the request's body.
    Body,
}

/// How tokens are got for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OAuthGrant {
    /// A person signs in with a browser (authorization code, PKCE).
    AuthorizationCode,
    /// A person enters a code on any device.
    DeviceCode,
    /// The program signs in as itself.
    ClientCredentials,
    /// The program signs in as a service account of Google, with a signed assertion (RFC 7523).
    ServiceAccount,
}

impl OAuthGrant {
    /// Whether no person signs in.
    pub fn is_unattended(self) -> bool {
        matches!(self, Self::ClientCredentials | Self::ServiceAccount)
    }
}

/// A client that a person registered at a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OAuthClient {
    /// How tokens are got.
    pub grant: OAuthGrant,
    /// The client id.
    pub client_id: String,
    /// The service.
    pub service: OAuthService,
    /// The redirect address on this machine that was registered, for example `http://localhost:8400/callback`; without it, a free
    /// port of 127.0.0.1, or the address of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<String>,
    /// The user of a mailbox (XOAUTH2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

/// How a person signs in to the service of a connector.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectorSignIn {
    /// The service.
    pub oauth: OAuthService,
    /// Hosts that tokens are sent to, beside the host of the token endpoint.
    pub hosts: Vec<String>,
    /// Where a client is registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub register: Option<String>,
    /// The redirect address that is registered, where the service takes no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<String>,
    /// What to know when registering one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// An address that answers 200 to a GET with a good token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_url: Option<String>,
}
