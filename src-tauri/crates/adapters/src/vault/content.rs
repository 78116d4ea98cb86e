//! What is inside `vault.age`: JSON, so that a person with the key can read it with any age program.

use super::{Trouble, VaultError};
use crate::azure_signature;
use crate::oauth::{self, SignedIn};
use crate::{sftp, tls};
use serde::{Deserialize, Serialize};
use signalbox_model::oauth::{OAuthClient, OAuthGrant};
use signalbox_model::secret_ref::{MAX_NAME, is_name};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{CredentialKind, Secret, is_of_connection, scrub};
use std::collections::BTreeMap;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The newest that can be read. What has no sign-ins is written as the first, what has no typed credentials as the second, what
/// has none of SSH as the third, and what has none of Azure and no service account as the fourth, which older programs read, too.
const VERSION: u32 = 5;
const LONGEST: usize = 16 * 1024;
const MOST_HOSTS: usize = 50;

/// A secret without its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name in `secret://name`.
    pub name: String,
    /// How it is sent.
    pub kind: CredentialKind,
    /// Where it may be sent.
    pub hosts: Vec<AllowedHost>,
    /// When it was first set.
    pub created_at: String,
    /// When it was last set.
    pub updated_at: String,
    /// How its tokens are got, when the kind is an access token; the value is the client's secret then.
    pub oauth: Option<OAuthClient>,
    /// Who is signed in. Told, never set.
    pub session: Option<SessionFacts>,
}

/// A sign-in, without its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFacts {
    /// Who signed in; empty when the program did as itself.
    pub by: String,
    /// When, milliseconds since 1970.
    pub at_ms: i64,
    /// When the token runs out, as far as that was told.
    pub expires_ms: Option<i64>,
    /// The rights that it has.
    pub scopes: Vec<String>,
    /// It is renewed without a person.
    pub renews: bool,
    /// Why it holds no more, without a full stop.
    pub ended: Option<String>,
}

/// A sign-in with its tokens.
#[derive(Clone)]
pub struct Session {
    /// The tokens.
    pub signed: Arc<SignedIn>,
    /// Who signed in; empty when the program did as itself.
    pub by: String,
    /// When, milliseconds since 1970.
    pub at_ms: i64,
    /// Why it holds no more, without a full stop.
    pub ended: Option<String>,
}

/// A secret with everything that belongs to it.
pub struct Stored {
    /// What is told of it.
    pub entry: Entry,
    /// The value.
    pub value: Secret,
    /// Who is signed in.
    pub session: Option<Session>,
}

impl Stored {
    /// The entry with who is signed in.
    pub(super) fn told(&self) -> Entry {
        let unattended = self.entry.oauth.as_ref().is_some_and(|client| client.grant.is_unattended());
        let session = self.session.as_ref().map(|session| SessionFacts {
            by: session.by.clone(),
            at_ms: session.at_ms,
            expires_ms: session.signed.expires_ms,
            scopes: session.signed.scopes.clone(),
            renews: session.signed.renews() || unattended,
            ended: session.ended.clone(),
        });
        Entry { session, ..self.entry.clone() }
    }

    /// Whether a sign-in holds on when this replaces `before`: its tokens go where they went, to the same client.
    fn continues(&self, before: &Self) -> bool {
        let (Some(new), Some(old)) = (&self.entry.oauth, &before.entry.oauth) else { return false };
        new.grant == old.grant
            && new.client_id == old.client_id
            && new.service.token_url == old.service.token_url
            && new.service.scopes == old.service.scopes
            && self.entry.hosts.iter().all(|host| before.entry.hosts.contains(host))
    }
}

impl Entry {
    pub(super) fn check(&self, value: &Secret) -> Result<(), VaultError> {
        let wrong = |message: String, hint: &str| Err(VaultError::new(Trouble::Invalid, message, hint));
        let value = value.expose();
        if !is_name(&self.name) {
            return wrong(
                format!("'{}' is no name for a secret.", self.name.chars().take(100).collect::<String>()),
                &format!("Use up to {MAX_NAME} letters, digits, '.', '_' and '-', beginning with a letter or a digit."),
            );
        }
        if self.hosts.is_empty() || self.hosts.len() > MOST_HOSTS {
            return wrong(
                format!("'{}' names {} hosts.", self.name, self.hosts.len()),
                &format!("Name at least one host that it may be sent to, and at most {MOST_HOSTS}."),
            );
        }
        let (public, pem) = match (&self.kind, &self.oauth) {
            (CredentialKind::AccessToken { .. }, Some(client)) => {
                let secret = Secret::new(value);
                if let Err(why) = oauth::check_client(client, &secret, &self.hosts) {
                    return wrong(format!("{why}."), "Correct it and send it again.");
                }
                (value.is_empty(), false)
            }
            (CredentialKind::AccessToken { .. }, None) | (_, Some(_)) => {
                return wrong(
                    "An OAuth client belongs to secrets of the kind oauth2, and to no others.".into(),
                    "Name both.",
                );
            }
            (CredentialKind::ClientCertificate, None) => {
                if reqwest::Identity::from_pem(value.as_bytes()).is_err() {
                    let hint = "Give both in one PEM file: the certificate with those that it hangs on, and the private key without a passphrase.";
                    return wrong("It holds no certificate and private key that can be read.".into(), hint);
                }
                if tls::is_of_another_key(value) {
                    let hint =
                        "Put the private key behind the certificate that was made for it, the one of the client first.";
                    return wrong("The private key does not belong to the certificate.".into(), hint);
                }
                (false, true)
            }
            (CredentialKind::Ssh { host_key, .. }, None) => {
                let wrong_print = |part: &&str| !is_fingerprint(part);
                if let Some(part) = sftp::fingerprints(host_key.as_deref().unwrap_or_default()).find(wrong_print) {
                    let shown: String = part.chars().take(100).collect();
                    let hint = "Write it as servers are known by: SHA256: and 43 characters, several with spaces between them. \
                                `ssh-keygen -lf` shows it for a file of the server, and Test for the server itself.";
                    return wrong(format!("'{shown}' is no fingerprint of a server key."), hint);
                }
                let is_key = sftp::is_key(value);
                if is_key && let Err((why, hint)) = sftp::check_key(value) {
                    return wrong(format!("{why}."), hint);
                }
                (false, is_key)
            }
            _ => (false, false),
        };
        let long = value.chars().count();
        if public {
            return Ok(());
        }
        if long < scrub::SHORTEST {
            return wrong(
                format!("The secret has {long} characters; at least {} are needed.", scrub::SHORTEST),
                "A shorter one stands in ordinary data by chance, so it could not be hidden in what the service answers. \
                 Ask the service for a longer one.",
            );
        }
        if value.len() > LONGEST {
            return wrong(format!("The secret has more than {LONGEST} bytes."), "Check what was pasted.");
        }
        if !pem && (value.trim() != value || value.chars().any(char::is_control)) {
            return wrong(
                "The secret begins or ends with a space, or has a line break in it.".into(),
                "Paste it again, without the space around it.",
            );
        }
        match &self.kind {
            CredentialKind::Basic { user } if user.contains(':') || user.chars().any(char::is_control) => {
                wrong("The user name has a colon or a line break in it.".into(), "Such a name cannot be sent.")
            }
            CredentialKind::Ssh { user, .. } if user.chars().any(char::is_control) => {
                wrong("The user name has a line break in it.".into(), "Such a name cannot be sent.")
            }
            CredentialKind::Header { name } if !is_token(name) || is_of_connection(name) => wrong(
                format!("'{}' is no header that can be set.", name.chars().take(100).collect::<String>()),
                "Write a name like X-Api-Key.",
            ),
            CredentialKind::Query { name } if name.is_empty() || name.len() > 200 => {
                wrong("The parameter of the address has no name.".into(), "Write a name like api_key.")
            }
            CredentialKind::AzureKey { account } => {
                let is_account = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
                if account.is_empty() || !account.bytes().all(is_account) {
                    let hint = "It is the first part of the address: ada of https://ada.blob.core.windows.net.";
                    return wrong(
                        "The storage account is missing, or has other characters than small letters and digits.".into(),
                        hint,
                    );
                }
                match azure_signature::key_bytes(&Secret::new(value)) {
                    Ok(_) => Ok(()),
                    Err(why) => wrong(
                        format!("The secret cannot be used: {why}."),
                        "Copy one of the two keys under Access keys of the storage account.",
                    ),
                }
            }
            CredentialKind::Sas if !scrub::has_signature(value) => wrong(
                "It is no shared access signature: it has no part 'sig='.".into(),
                "Copy the SAS token, which begins with sv= or sp=, without the address before it.",
            ),
            CredentialKind::Aws { access_key, region, service } => {
                let plain = |text: &str| {
                    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
                };
                if [access_key, region, service].into_iter().all(|text| plain(text)) {
                    return Ok(());
                }
                let hint = "Write them like AKIAIOSFODNN7EXAMPLE, eu-central-1 and s3.";
                wrong("The access key id, the region or the service is missing, or has other characters than letters and digits.".into(), hint)
            }
            _ => Ok(()),
        }
    }
}

/// A fingerprint of a key, as `ssh-keygen -l` writes it.
fn is_fingerprint(text: &str) -> bool {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    text.strip_prefix("SHA256:").is_some_and(|rest| rest.len() == 43 && rest.bytes().all(base64))
}

/// A header name (RFC 9110).
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 200
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// All secrets of a vault.
#[derive(Default)]
pub(super) struct Content {
    secrets: Vec<Stored>,
    /// Who is signed in at tool servers. They are not secrets that steps can name.
    pub(super) sign_ins: BTreeMap<SignInKey, Arc<SignedIn>>,
}

/// Tool server, and the id of the sign-in.
pub(super) type SignInKey = (String, String);

pub(super) fn sign_in_key(server: &str, id: &str) -> SignInKey {
    (server.to_owned(), id.to_owned())
}

/// One secret as it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    kind: String,
    /// The user of `basic`, the name of `header` and `query`, the access key id of `aws`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    service: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    oauth: Option<OAuthClient>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionRow>,
    hosts: Vec<String>,
    created_at: String,
    updated_at: String,
    value: Zeroized,
}

/// A sign-in as it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionRow {
    signed: Arc<SignedIn>,
    by: String,
    at_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended: Option<String>,
}

/// Wiped when it goes, written as the text that it is.
#[derive(Deserialize)]
#[serde(from = "String")]
struct Zeroized(Zeroizing<String>);

impl From<String> for Zeroized {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl Serialize for Zeroized {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    version: u32,
    secrets: Vec<Row>,
    #[serde(default)]
    sign_ins: BTreeMap<String, SignedIn>,
}

/// [`Document`] on its way out.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    version: u32,
    secrets: Vec<Row>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    sign_ins: BTreeMap<String, &'a SignedIn>,
}

impl Content {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        // No words of the parser: they might quote a value.
        let document: Document =
            serde_json::from_slice(bytes).map_err(|_| "what is in it is not a list of secrets".to_owned())?;
        if document.version > VERSION {
            return Err("a newer Signalbox has written it".into());
        }
        let rows = document.secrets.into_iter().map(|row| {
            let user = row.oauth.as_ref().and_then(|client| client.user.clone());
            let kind = kind_from(&row.kind, row.field, (row.region, row.service), user, row.host_key)?;
            let hosts = row.hosts.iter().map(|host| AllowedHost::parse(host)).collect::<Result<_, _>>()?;
            let Row { name, created_at, updated_at, value, oauth, session, .. } = row;
            let session = session.map(|row| {
                let SessionRow { signed, by, at_ms, ended } = row;
                Session { signed, by, at_ms, ended }
            });
            let entry = Entry { name, kind, hosts, created_at, updated_at, oauth, session: None };
            Ok(Stored { entry, value: Secret::new(value.0.as_str()), session })
        });
        let secrets = rows.collect::<Result<_, String>>()?;
        let sign_ins = document.sign_ins.into_iter().map(|(key, signed)| {
            // No name of a server has a slash in it. A key without one was written before there could be two.
            let server = key.split_once('/').map_or(key.as_str(), |(server, _)| server);
            (sign_in_key(server, &signed.kept.id), Arc::new(signed))
        });
        let sign_ins = sign_ins.collect();
        Ok(Self { secrets, sign_ins })
    }

    pub(super) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let rows = self.secrets.iter().map(|Stored { entry, value, session }| {
            let (kind, field) = kind_to(&entry.kind);
            let (region, service) = match &entry.kind {
                CredentialKind::Aws { region, service, .. } => (Some(region.clone()), Some(service.clone())),
                _ => (None, None),
            };
            let host_key = match &entry.kind {
                CredentialKind::Ssh { host_key, .. } => host_key.clone(),
                _ => None,
            };
            Row {
                region,
                service,
                host_key,
                oauth: entry.oauth.clone(),
                session: session.as_ref().map(|session| SessionRow {
                    signed: Arc::clone(&session.signed),
                    by: session.by.clone(),
                    at_ms: session.at_ms,
                    ended: session.ended.clone(),
                }),
                name: entry.name.clone(),
                kind: kind.to_owned(),
                field,
                hosts: entry.hosts.iter().map(ToString::to_string).collect(),
                created_at: entry.created_at.clone(),
                updated_at: entry.updated_at.clone(),
                value: Zeroized(Zeroizing::new(value.expose().to_owned())),
            }
        });
        let sign_ins: BTreeMap<String, &SignedIn> =
            self.sign_ins.iter().map(|((server, id), signed)| (format!("{server}/{id}"), signed.as_ref())).collect();
        let typed = |stored: &Stored| {
            let kind = &stored.entry.kind;
            matches!(
                kind,
                CredentialKind::AccessToken { .. } | CredentialKind::Aws { .. } | CredentialKind::ClientCertificate
            )
        };
        let is_ssh = |stored: &Stored| matches!(stored.entry.kind, CredentialKind::Ssh { .. });
        let is_newest = |stored: &Stored| {
            matches!(stored.entry.kind, CredentialKind::AzureKey { .. } | CredentialKind::Sas)
                || stored.entry.oauth.as_ref().is_some_and(|client| client.grant == OAuthGrant::ServiceAccount)
        };
        let version = match (self.secrets.iter().any(typed), sign_ins.is_empty()) {
            _ if self.secrets.iter().any(is_newest) => VERSION,
            _ if self.secrets.iter().any(is_ssh) => 4,
            (true, _) => 3,
            (false, false) => 2,
            (false, true) => 1,
        };
        let document = Written { version, secrets: rows.collect(), sign_ins };
        // Texts and numbers only: nothing that JSON could not hold.
        Zeroizing::new(serde_json::to_vec(&document).unwrap_or_default())
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&Entry, &Secret)> {
        self.secrets.iter().map(|stored| (&stored.entry, &stored.value))
    }

    pub(super) fn stored(&self) -> impl Iterator<Item = &Stored> {
        self.secrets.iter()
    }

    pub(super) fn find(&self, name: &str) -> Option<(&Entry, &Secret)> {
        self.all().find(|(entry, _)| entry.name == name)
    }

    pub(super) fn find_mut(&mut self, name: &str) -> Option<&mut Stored> {
        self.secrets.iter_mut().find(|stored| stored.entry.name == name)
    }

    pub(super) fn take(self, name: &str) -> Option<Stored> {
        self.secrets.into_iter().find(|stored| stored.entry.name == name)
    }

    pub(super) fn put(&mut self, entry: Entry, value: Secret) {
        let mut new = Stored { entry, value, session: None };
        if let Some(old) = self.find_mut(&new.entry.name)
            && new.continues(old)
        {
            // Another secret of the client may be what was missing.
            new.session = old.session.take().map(|session| Session { ended: None, ..session });
        }
        self.remove(&new.entry.name);
        let at = self.secrets.partition_point(|known| known.entry.name < new.entry.name);
        self.secrets.insert(at, new);
    }

    pub(super) fn remove(&mut self, name: &str) -> bool {
        let before = self.secrets.len();
        self.secrets.retain(|stored| stored.entry.name != name);
        self.secrets.len() < before
    }
}

fn kind_from(
    kind: &str,
    field: Option<String>,
    aws: (Option<String>, Option<String>),
    user: Option<String>,
    host_key: Option<String>,
) -> Result<CredentialKind, String> {
    match (kind, field) {
        ("azure", Some(account)) => Ok(CredentialKind::AzureKey { account }),
        ("sas", _) => Ok(CredentialKind::Sas),
        ("ssh", Some(user)) => Ok(CredentialKind::Ssh { user, host_key }),
        ("oauth2", _) => Ok(CredentialKind::AccessToken { user }),
        ("certificate", _) => Ok(CredentialKind::ClientCertificate),
        ("aws", Some(access_key)) => match aws {
            (Some(region), Some(service)) => Ok(CredentialKind::Aws { access_key, region, service }),
            _ => Err("a key of AWS in it has no region or no service".into()),
        },
        ("bearer", _) => Ok(CredentialKind::Bearer),
        ("basic", Some(user)) => Ok(CredentialKind::Basic { user }),
        ("header", Some(name)) => Ok(CredentialKind::Header { name }),
        ("query", Some(name)) => Ok(CredentialKind::Query { name }),
        _ => Err("it holds a kind of secret that this program does not know".into()),
    }
}

fn kind_to(kind: &CredentialKind) -> (&'static str, Option<String>) {
    match kind {
        // The place in a path is a connector's; what is stored is the secret alone.
        CredentialKind::Bearer | CredentialKind::Path => ("bearer", None),
        CredentialKind::Basic { user } => ("basic", Some(user.clone())),
        CredentialKind::Header { name } => ("header", Some(name.clone())),
        CredentialKind::Query { name } => ("query", Some(name.clone())),
        CredentialKind::AccessToken { .. } => ("oauth2", None),
        CredentialKind::ClientCertificate => ("certificate", None),
        CredentialKind::AzureKey { account } => ("azure", Some(account.clone())),
        CredentialKind::Sas => ("sas", None),
        CredentialKind::Ssh { user, .. } => ("ssh", Some(user.clone())),
        CredentialKind::Aws { access_key, .. } => ("aws", Some(access_key.clone())),
    }
}

#[cfg(test)]
mod tests;
