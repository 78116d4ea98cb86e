//! How connections leave this machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which proxy requests go through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProxyChoice {
    /// The one of the variables `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, where they are set.
    #[default]
    Environment,
    /// None.
    None,
    /// The one of the settings.
    Address,
}

/// Which proxy requests go through, and which authorities are trusted in addition to those of the system.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkSet {
    /// Which proxy.
    pub proxy: ProxyChoice,
    /// Its address, such as `http://proxy.example.org:3128`.
    #[serde(default)]
    #[schemars(length(max = 2048))]
    pub address: Option<String>,
    /// Hosts and networks that are asked without it: `intranet.example.org`, `10.0.0.0/8`.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub exceptions: Vec<String>,
    /// `secret://NAME`: user and password for the proxy. The secret must allow its host.
    #[serde(default)]
    pub credential: Option<String>,
    /// Certificates of authorities in PEM.
    #[serde(default)]
    #[schemars(length(max = 1_000_000))]
    pub authorities: Option<String>,
}

/// How connections leave this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkView {
    /// Which proxy.
    pub proxy: ProxyChoice,
    /// Its address, as a person set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Hosts and networks that are asked without it.
    pub exceptions: Vec<String>,
    /// The secret that the proxy gets, `secret://NAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// Certificates of authorities in PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorities: Option<String>,
    /// SHA-256 of each of them.
    pub fingerprints: Vec<String>,
    /// `host:port` of the proxy that this process uses now; absent: it uses none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_use: Option<String>,
    /// Why the settings or the variables cannot be used as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// An address to try the settings with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkTest {
    /// An http or https address.
    #[schemars(length(max = 2048))]
    pub url: String,
}

/// What became of a request that was sent to try the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkTested {
    /// An answer came, whatever its status.
    pub ok: bool,
    /// `host:port` of the proxy that it went through; absent: the host was asked directly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// Status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why none came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
