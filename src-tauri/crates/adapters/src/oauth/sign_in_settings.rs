//! The settings of a sign-in: as which client this program comes to an authorization server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// As whom this program signs in (OAuth). What is absent is asked of the authorization server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ToolSignIn {
    /// The client that the authorization server knows this program as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Its secret: `secret://name`, allowed for the host of the authorization server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// Its private key instead of a secret (`private_key_jwt`): `secret://name`, PKCS #8 on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_key: Option<String>,
    /// The https address of a client id metadata document, for authorization servers that read them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_metadata: Option<String>,
    /// The only authorization server that may be used, by its issuer; it may stand in the own network then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The program signs in as itself (client credentials): no person is asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unattended: bool,
}
