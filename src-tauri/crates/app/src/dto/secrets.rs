//! Secrets: values go in and never come out.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use signalbox_ports::Secret;

/// A secret text in a request. It has no `Debug`, and what does not fit it is not quoted.
#[derive(JsonSchema)]
#[schemars(transparent)]
pub struct SecretText(#[schemars(with = "String")] pub(crate) Secret);

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(Secret::new(text))),
            _ => Err(serde::de::Error::custom("a secret must be text")),
        }
    }
}

/// Where the key of the secrets is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SecretKeyPlace {
    /// In the key store of the system.
    System,
    /// In a file under a passphrase.
    Passphrase,
    /// In a file that its owner alone may read.
    File,
}

/// Whether secrets can be used now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SecretState {
    /// Nobody has chosen where the key is kept.
    NotChosen,
    /// They can.
    Ready,
    /// The passphrase is wanted, or the key store of the system is locked.
    Locked,
    /// The key is not there, or a file cannot be read.
    Unavailable,
}

/// How the secrets stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretStatus {
    /// Whether they can be used.
    pub state: SecretState,
    /// Where the key is kept; absent = not chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<SecretKeyPlace>,
    /// That place, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_at: Option<String>,
    /// The encrypted file.
    pub file: String,
    /// What keeps them from being used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What the system's key store is called.
    pub system: String,
    /// Why it cannot be chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_trouble: Option<String>,
}

/// How a secret is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SecretKind {
    /// `Authorization: Bearer …`.
    Bearer,
    /// `Authorization: Basic …`, with a user.
    Basic,
    /// A header.
    Header,
    /// A parameter of the address.
    Query,
}

/// A secret without its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretEntry {
    /// The name in `secret://name`.
    pub name: String,
    /// How it is sent.
    pub kind: SecretKind,
    /// The user of `basic`, the name of `header` and `query`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Where it may be sent.
    pub hosts: Vec<String>,
    /// When it was first set.
    pub created_at: String,
    /// When it was last set.
    pub updated_at: String,
    /// When a step last got it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

/// Keeps a secret, or replaces it whole: who changes where it may go has to know it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecretSet {
    /// The name in `secret://name`.
    pub name: String,
    /// How it is sent.
    pub kind: SecretKind,
    /// The user of `basic`, the name of `header` and `query`.
    #[serde(default)]
    pub field: Option<String>,
    /// Where it may be sent.
    pub hosts: Vec<String>,
    /// The secret.
    pub value: SecretText,
}

/// Names a secret.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecretName {
    /// The name in `secret://name`.
    pub name: String,
}

/// Chooses where the key is kept.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecretChoose {
    /// The place.
    pub key: SecretKeyPlace,
    /// For `passphrase`.
    #[serde(default)]
    pub passphrase: Option<SecretText>,
    /// For `file`, from the command line only: the key file, which is made when it is not there.
    #[serde(default)]
    pub identity_file: Option<String>,
    /// Give up secrets that cannot be opened; their file is kept under another name.
    #[serde(default)]
    pub discard: bool,
}

/// Opens secrets.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecretUnlock {
    /// The passphrase, for secrets under one. Without it the key store of the system is asked, which may ask the person.
    #[serde(default)]
    pub passphrase: Option<SecretText>,
}
