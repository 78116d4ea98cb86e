//! What is inside `vault.age`: JSON, so that a person with the key can read it with any age program.

use super::{Trouble, VaultError};
use crate::oauth::SignedIn;
use serde::{Deserialize, Serialize};
use signalbox_model::secret_ref::{MAX_NAME, is_name};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{CredentialKind, Secret, is_of_connection, scrub};
use std::collections::BTreeMap;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The newest that can be read. What has no sign-ins is written as the first, which older programs read, too.
const VERSION: u32 = 2;
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
        let long = value.chars().count();
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
        if value.trim() != value || value.chars().any(char::is_control) {
            return wrong(
                "The secret begins or ends with a space, or has a line break in it.".into(),
                "Paste it again, without the space around it.",
            );
        }
        match &self.kind {
            CredentialKind::Basic { user } if user.contains(':') || user.chars().any(char::is_control) => {
                wrong("The user name has a colon or a line break in it.".into(), "Such a name cannot be sent.")
            }
            CredentialKind::Header { name } if !is_token(name) || is_of_connection(name) => wrong(
                format!("'{}' is no header that can be set.", name.chars().take(100).collect::<String>()),
                "Write a name like X-Api-Key.",
            ),
            CredentialKind::Query { name } if name.is_empty() || name.len() > 200 => {
                wrong("The parameter of the address has no name.".into(), "Write a name like api_key.")
            }
            _ => Ok(()),
        }
    }
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
    secrets: Vec<(Entry, Secret)>,
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
    /// The user of `basic`, the name of `header` and `query`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    hosts: Vec<String>,
    created_at: String,
    updated_at: String,
    value: Zeroized,
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
            let kind = kind_from(&row.kind, row.field)?;
            let hosts = row.hosts.iter().map(|host| AllowedHost::parse(host)).collect::<Result<_, _>>()?;
            let Row { name, created_at, updated_at, value, .. } = row;
            Ok((Entry { name, kind, hosts, created_at, updated_at }, Secret::new(value.0.as_str())))
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
        let rows = self.secrets.iter().map(|(entry, value)| {
            let (kind, field) = kind_to(&entry.kind);
            Row {
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
        let version = if sign_ins.is_empty() { 1 } else { VERSION };
        let document = Written { version, secrets: rows.collect(), sign_ins };
        // Texts and numbers only: nothing that JSON could not hold.
        Zeroizing::new(serde_json::to_vec(&document).unwrap_or_default())
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&Entry, &Secret)> {
        self.secrets.iter().map(|(entry, value)| (entry, value))
    }

    pub(super) fn find(&self, name: &str) -> Option<(&Entry, &Secret)> {
        self.all().find(|(entry, _)| entry.name == name)
    }

    pub(super) fn take(self, name: &str) -> Option<(Entry, Secret)> {
        self.secrets.into_iter().find(|(entry, _)| entry.name == name)
    }

    pub(super) fn put(&mut self, entry: Entry, value: Secret) {
        self.remove(&entry.name);
        let at = self.secrets.partition_point(|(known, _)| known.name < entry.name);
        self.secrets.insert(at, (entry, value));
    }

    pub(super) fn remove(&mut self, name: &str) -> bool {
        let before = self.secrets.len();
        self.secrets.retain(|(entry, _)| entry.name != name);
        self.secrets.len() < before
    }
}

fn kind_from(kind: &str, field: Option<String>) -> Result<CredentialKind, String> {
    match (kind, field) {
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
    }
}

#[cfg(test)]
mod tests;
