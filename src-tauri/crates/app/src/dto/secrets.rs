//! Secrets: values go in and never come out.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use signalbox_model::oauth::OAuthClient;
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
    /// An access token of OAuth 2; the value is the secret of the client, and may be empty.
    Oauth2,
    /// A signature of AWS (version 4); the value is the secret access key.
    Aws,
    /// A client certificate of TLS; the value is certificate and private key (PEM).
    Certificate,
    /// SSH, for SFTP, with a user; the value is a private key (OpenSSH or PEM) or a password.
    Ssh,
    /// A signature of Azure Storage (Shared Key); the value is a key of the account.
    Azure,
    /// A shared access signature of Azure, as parameters of the address.
    Sas,
    /// A service account of Google; the value is its key file (JSON), of which the private key alone is kept.
    Google,
}

/// A secret without its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretEntry {
    /// The name in `secret://name`.
    pub name: String,
    /// How it is sent.
    pub kind: SecretKind,
    /// The user of `basic` and `ssh`, the name of `header` and `query`, the access key id of `aws`, the account of `azure`, the
    /// scopes of `google`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The region of `aws`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The service of `aws`, as it is named in signatures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Fingerprints of keys by which the server is known, of `ssh`: `SHA256:…`, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_key: Option<String>,
    /// How tokens are got, of `oauth2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<OAuthClient>,
    /// Who is signed in, of `oauth2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<SecretSignIn>,
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
    /// The user of `basic` and `ssh`, the name of `header` and `query`, the access key id of `aws`, the account of `azure`, the
    /// scopes of `google`.
    #[serde(default)]
    pub field: Option<String>,
    /// The region of `aws`.
    #[serde(default)]
    pub region: Option<String>,
    /// The service of `aws`, as it is named in signatures.
    #[serde(default)]
    pub service: Option<String>,
    /// Fingerprints of keys by which the server is known, of `ssh`: `SHA256:…`, separated by spaces. Without one a test tells it.
    #[serde(default)]
    pub host_key: Option<String>,
    /// How tokens are got, of `oauth2`.
    #[serde(default)]
    pub oauth: Option<OAuthClient>,
    /// Where it may be sent.
    pub hosts: Vec<String>,
    /// The secret.
    pub value: SecretText,
}

/// Where a sign-in with a secret stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SecretSignInState {
    /// Somebody has to sign in.
    Wanted,
    /// A browser or a code is waited for now.
    Waiting,
    /// Somebody is signed in, or the program signs in as itself.
    SignedIn,
    /// The sign-in holds no more.
    Ended,
}

/// A sign-in with a secret. Tokens are never told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretSignIn {
    /// Where it stands.
    pub state: SecretSignInState,
    /// Why it ended, or why the last attempt came to nothing; without a full stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Until when the browser or the code is waited for, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_until: Option<String>,
    /// The code that a person enters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_code: Option<String>,
    /// Where the code is entered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// Who signed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// When the access token runs out, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// The rights (scopes) that it has, as far as they were told.
    pub scopes: Vec<String>,
    /// It is renewed without a person.
    pub renews: bool,
}

/// A sign-in that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretSigningIn {
    /// The secret.
    pub name: String,
    /// For the person's browser; absent when the program signed in as itself, which is done then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Until when the browser or the code is waited for, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The code that a person enters at the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_code: Option<String>,
    /// The browser was opened with it.
    pub opened: bool,
}

/// Takes what the browser came back with, from whoever copied it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecretSignInFinish {
    /// The secret.
    pub name: String,
    /// The address at which the browser ended.
    pub address: String,
}

/// What became of signing out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretSignedOut {
    /// The secret, to which nobody is signed in.
    pub secret: SecretEntry,
    /// The service took the tokens back.
    pub revoked: bool,
    /// Why it did not, when it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Tries a secret.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecretTest {
    /// The secret.
    pub name: String,
    /// Where to send it with a GET, or the server to sign in to: `postgres://HOST/DATABASE`, `mqtts://HOST`, `imaps://HOST`,
    /// `sftp://HOST` and others (docs/secrets.md); without it, it is only looked up, and its token is got.
    #[serde(default)]
    pub url: Option<String>,
    /// The authority that signed the certificate of a database, broker or mail server (PEM), instead of those that the machine trusts.
    #[serde(default)]
    pub root_certificate: Option<String>,
}

/// What became of trying a secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretTested {
    /// It can be used.
    pub good: bool,
    /// What the service answered with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What was found, in a sentence.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The code that a step would fail with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The fingerprint of the key that the server showed, when the secret does not know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_key: Option<String>,
}

/// Trusts the key of a server from now on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecretTrust {
    /// The secret, of the type `ssh`, that knows no key yet.
    pub name: String,
    /// The fingerprint, `SHA256:…`, as the administrator of the server has confirmed it.
    pub host_key: String,
}

/// A workflow that uses a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretUse {
    /// Its id.
    pub workflow_id: String,
    /// Its name.
    pub name: String,
    /// The reference of its file in the library; absent when an active version uses the secret and no file there does.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// An active version uses it, as a workflow of its own or as a sub-workflow.
    pub active: bool,
    /// Titles of the steps, or their ids.
    pub steps: Vec<String>,
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
