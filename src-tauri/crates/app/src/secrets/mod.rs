//! Secrets: what steps get of them, when they were used, and what is wrong with a workflow that names them.

mod credential_test;
mod server_address;
mod server_key;
mod sign_in;
mod uses;

pub use sign_in::CALLBACK as SIGN_IN_CALLBACK;
pub(crate) use sign_in::reachable;

use crate::app::App;
use crate::audit::facts::fact_at;
use crate::dto::{SecretEntry, SecretKind};
use crate::error::{ApiError, Class};
use async_trait::async_trait;
use serde_json::{Value, json};
use signalbox_adapters::vault::{Entry, Trouble, VaultError};
use signalbox_adapters::{TokenSource, Vault};
use signalbox_engine::webhook;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::oauth::OAuthGrant;
use signalbox_model::{AuditEvent, Code, Diagnostic, Workflow, secret_ref, time};
use signalbox_ports::secret::allows;
use signalbox_ports::{Clock, Credential, CredentialKind, Scrubber, Secret, SecretError, Secrets};
use signalbox_store::Store;
use signalbox_store::audit::{Actor, Level};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::runtime::Handle;
use url::Url;

/// Uses of one secret closer together than this count as one.
const USED_MS: i64 = 60_000;

fn used(name: &str) -> String {
    format!("secret.used.{name}")
}

/// The secrets as steps get them.
pub(crate) struct KnownSecrets {
    pub(crate) vault: Arc<Vault>,
    tokens: TokenSource,
    store: Store,
    clock: Arc<dyn Clock>,
    noted: Mutex<HashMap<String, i64>>,
}

impl KnownSecrets {
    /// Of a vault; tokens are asked for on `threads`.
    pub(crate) fn new(vault: Arc<Vault>, store: Store, clock: Arc<dyn Clock>, threads: Handle) -> Self {
        let (records, now) = (store.clone(), Arc::clone(&clock));
        let on_end = Box::new(move |name: &str, why: &str| {
            let facts = json!({ "name": name, "why": why });
            let record = fact_at(now.now_ms(), AuditEvent::SecretSignInEnded, Level::Warn, Actor::system(), facts);
            // The step says so, too.
            drop(records.audit_append(record, None, true));
        });
        let tokens = TokenSource::new(Arc::clone(&vault), threads, on_end);
        Self { vault, tokens, store, clock, noted: Mutex::default() }
    }

    /// Writes an entry of the audit chain before the act: what cannot be recorded does not happen.
    pub(crate) fn record(&self, event: AuditEvent, level: Level, actor: Actor, facts: Value) -> Result<(), VaultError> {
        let entry = fact_at(self.clock.now_ms(), event, level, actor, facts);
        self.store.audit_append(entry, None, true).map(drop).map_err(|error| {
            let told = ApiError::from(error);
            VaultError { trouble: Trouble::Unavailable, message: told.message, hint: told.hint }
        })
    }

    /// The credential of a name. Waits for the disk and the key store, which may ask a person.
    pub(crate) fn credential(&self, name: &str) -> Result<Arc<Credential>, VaultError> {
        self.found(name, true)
    }

    /// [`Self::credential`] for background work: no window opens before a person who asked for nothing.
    pub(crate) fn credential_unasked(&self, name: &str) -> Result<Arc<Credential>, VaultError> {
        self.found(name, false)
    }

    fn found(&self, name: &str, may_ask: bool) -> Result<Arc<Credential>, VaultError> {
        let found = self.tokens.credential(name, may_ask)?;
        self.note(name);
        Ok(found)
    }

    fn note(&self, name: &str) {
        let now = self.clock.now_ms();
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.get(name).is_none_or(|before| now - before >= USED_MS) {
            noted.insert(name.to_owned(), now);
            // For people only: a store that cannot be written now says so to the run itself.
            drop(self.store.setting_set(&used(name), Some(json!({ "at": time::format(now) }))));
        }
    }
}

/// Steps see the secrets through this.
pub(crate) struct StepSecrets(pub(crate) Arc<KnownSecrets>);

#[async_trait]
impl Secrets for StepSecrets {
    async fn credential(&self, name: &str) -> Result<Arc<Credential>, SecretError> {
        let (known, name) = (Arc::clone(&self.0), name.to_owned());
        // The key store may ask a person.
        let found = tokio::task::spawn_blocking(move || known.credential(&name));
        match found.await {
            Ok(found) => Ok(found?),
            Err(_) => Err(SecretError::Unavailable { message: "Signalbox is closing".into() }),
        }
    }
    async fn renewed(&self, refused: &Credential) -> Result<Option<Arc<Credential>>, SecretError> {
        let (known, name) = (Arc::clone(&self.0), refused.name.clone());
        let (kind, hosts, scrubber) = (refused.kind.clone(), refused.hosts.clone(), Arc::clone(&refused.scrubber));
        let value = Secret::new(refused.value.expose());
        let refused = Credential { name, kind, hosts, value, scrubber };
        let found = tokio::task::spawn_blocking(move || known.tokens.renewed(&refused));
        match found.await {
            Ok(found) => Ok(found?),
            Err(_) => Err(SecretError::Unavailable { message: "Signalbox is closing".into() }),
        }
    }
    fn scrubber(&self) -> Arc<Scrubber> {
        self.0.vault.scrubber()
    }
}

impl From<VaultError> for ApiError {
    fn from(error: VaultError) -> Self {
        let (class, code) = match error.trouble {
            Trouble::NotChosen => (Class::Conflict, "SECRETS_NOT_CHOSEN"),
            Trouble::Locked => (Class::Conflict, "SECRETS_LOCKED"),
            Trouble::WrongPassphrase => (Class::Forbidden, "WRONG_PASSPHRASE"),
            Trouble::Unavailable => (Class::Unavailable, "SECRETS_UNAVAILABLE"),
            Trouble::Missing => return Self::not_found(format!("{} {}", error.message, error.hint)),
            Trouble::Invalid => (Class::BadRequest, "BAD_REQUEST"),
            Trouble::Expired => (Class::Conflict, "CREDENTIAL_EXPIRED"),
            Trouble::Unreachable => (Class::Unavailable, "CONNECTION"),
        };
        Self::new(class, code, error.message, error.hint)
    }
}

/// What people see of a secret.
pub(crate) fn entry_told(app: &App, entry: Entry) -> SecretEntry {
    let last_used_at = app.secret_used(&entry.name);
    let sign_in = sign_in::told(app, &entry);
    let (mut aws, mut host_key) = (None, None);
    let (kind, field) = match entry.kind {
        // No secret is stored as a part of a path.
        CredentialKind::Bearer | CredentialKind::Path => (SecretKind::Bearer, None),
        CredentialKind::Basic { user } => (SecretKind::Basic, Some(user)),
        CredentialKind::Header { name } => (SecretKind::Header, Some(name)),
        CredentialKind::Query { name } => (SecretKind::Query, Some(name)),
        CredentialKind::AccessToken { .. } => match &entry.oauth {
            Some(client) if client.grant == OAuthGrant::ServiceAccount => {
                (SecretKind::Google, Some(client.service.scopes.join(" ")))
            }
            _ => (SecretKind::Oauth2, None),
        },
        CredentialKind::AzureKey { account } => (SecretKind::Azure, Some(account)),
        CredentialKind::Sas => (SecretKind::Sas, None),
        CredentialKind::ClientCertificate => (SecretKind::Certificate, None),
        CredentialKind::Ssh { user, host_key: known } => {
            host_key = known;
            (SecretKind::Ssh, Some(user))
        }
        CredentialKind::Aws { access_key, region, service } => {
            aws = Some((region, service));
            (SecretKind::Aws, Some(access_key))
        }
    };
    let (region, service) = aws.unzip();
    SecretEntry {
        name: entry.name,
        kind,
        field,
        region,
        service,
        host_key,
        oauth: entry.oauth,
        sign_in,
        hosts: entry.hosts.iter().map(ToString::to_string).collect(),
        created_at: entry.created_at,
        updated_at: entry.updated_at,
        last_used_at,
    }
}

impl App {
    /// An error as it may leave this process: what was sent may stand in it, and hold a secret.
    #[must_use]
    pub fn without_secrets(&self, mut error: ApiError) -> ApiError {
        let scrubber = self.secrets.vault.scrubber();
        error.message = scrubber.text(&error.message).into_owned();
        error.hint = scrubber.text(&error.hint).into_owned();
        error.details.iter_mut().for_each(|details| scrubber.value(details));
        error
    }

    /// When a secret was last given to a step.
    pub(crate) fn secret_used(&self, name: &str) -> Option<String> {
        let kept = self.store.setting_get(&used(name)).ok().flatten()?;
        kept["at"].as_str().map(str::to_owned)
    }

    /// Forgets that.
    pub(crate) fn secret_unused(&self, name: &str) {
        drop(self.store.setting_set(&used(name), None));
    }

    /// What keeps the secrets that a workflow names from being sent: told before it runs.
    pub(crate) fn secret_findings(&self, workflow: &Workflow) -> Vec<Diagnostic> {
        let named: Vec<(&String, &Value, &str, &str)> = workflow
            .nodes
            .iter()
            .filter_map(|(id, node)| {
                let config = node.config.as_ref()?;
                if node.kind == webhook::KIND {
                    return Some((id, config, webhook::secret_of(config)?, "auth/secret"));
                }
                Some((id, config, secret_ref::reference(config.get("credential")?.as_str()?)?, "credential"))
            })
            .collect();
        if named.is_empty() {
            return Vec::new();
        }
        let listed = self.secrets.vault.list();
        let mut found = Vec::new();
        for (id, config, name, place) in named {
            let at = format!("/nodes/{}/config", pointer_token(id));
            let entry = match &listed {
                Ok(entries) => entries.iter().find(|entry| entry.name == name),
                Err(error) => {
                    let message = format!("The secret '{name}' cannot be looked up. {}", error.message);
                    let path = format!("{at}/{place}");
                    found.push(Diagnostic::warning(Code::SecretMissing, path, message, error.hint.clone()));
                    continue;
                }
            };
            match entry {
                None => found.push(Diagnostic::warning(
                    Code::SecretMissing,
                    format!("{at}/{place}"),
                    format!("There is no secret '{name}' on this machine"),
                    format!("Choose another one, or add it in Settings, Secrets (`signalbox secret set {name}`)"),
                )),
                Some(entry) => {
                    if !is_signed_in(entry) {
                        found.push(Diagnostic::warning(
                            Code::SecretMissing,
                            format!("{at}/{place}"),
                            format!("Nobody is signed in with the secret '{name}'"),
                            format!("Sign in in Settings, Secrets (`signalbox secret sign-in {name}`)"),
                        ));
                    }
                    let url = config.get("url").and_then(Value::as_str).and_then(fixed_host).map(|url| (url, "url"));
                    let url = url.or_else(|| database_host(config).map(|url| (url, "host")));
                    if let Some((field, why)) =
                        url.and_then(|(url, field)| Some((field, allows(&entry.hosts, &url).err()?)))
                    {
                        found.push(Diagnostic::warning(
                            Code::SecretHost,
                            format!("{at}/{field}"),
                            format!("The secret '{name}' will not be sent: {why}"),
                            "Choose another credential, or set the secret again with this host",
                        ));
                    }
                }
            }
        }
        found
    }
}

/// Whether a secret can be used without a person who signs in first.
fn is_signed_in(entry: &Entry) -> bool {
    let Some(client) = &entry.oauth else { return true };
    let holds = entry.session.as_ref().is_some_and(|session| session.ended.is_none());
    holds || (entry.session.is_none() && client.grant.is_unattended())
}

/// The server of a step for databases as an address of the web, when it is written.
fn database_host(config: &Value) -> Option<Url> {
    let setting = |name: &str| config.get(name).and_then(Value::as_str);
    let usual = match setting("system")? {
        "postgres" => 5432,
        "mysql" => 3306,
        _ => return None,
    };
    let host = setting("host").map(str::trim).filter(|host| !host.starts_with('=') && !host.contains("{{"))?;
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let port = config.get("port").and_then(Value::as_u64).unwrap_or(usual);
    let scheme = if setting("tls") == Some("off") { "http" } else { "https" };
    Url::parse(&format!("{scheme}://{host}:{port}")).ok()
}

/// The address as far as it is written, when its host is.
fn fixed_host(text: &str) -> Option<Url> {
    let text = text.trim();
    let written = text.split("{{").next().unwrap_or_default();
    let host = written.split_once("//")?.1;
    (written.len() == text.len() || host.contains(['/', '?', '#'])).then(|| Url::parse(written).ok())?
}

#[cfg(test)]
mod tests {
    use super::{database_host, fixed_host};
    use serde_json::json;

    #[test]
    fn the_server_of_a_database_is_compared_when_it_is_written() {
        let url = |config: serde_json::Value| database_host(&config).map(|url| url.to_string());
        assert_eq!(url(json!({ "system": "postgres", "host": "db.lan" })).as_deref(), Some("https://db.lan:5432/"));
        let plain = json!({ "system": "mysql", "host": "::1", "port": 3307, "tls": "off" });
        assert_eq!(url(plain).as_deref(), Some("http://[::1]:3307/"));
        assert_eq!(url(json!({ "system": "postgres", "host": "{{params.host}}" })), None);
        assert_eq!(url(json!({ "system": "sqlite", "file": "a.db" })), None);
    }

    #[test]
    fn only_a_written_host_is_compared() {
        for (text, want) in [
            ("https://a.example/x", Some("a.example")),
            ("https://a.example", Some("a.example")),
            ("https://a.example/{{item.id}}", Some("a.example")),
            ("https://a.example{{item.rest}}/", None),
            ("{{params.base}}/x", None),
            ("=params.base", None),
        ] {
            assert_eq!(fixed_host(text).as_ref().and_then(|url| url.host_str()), want, "{text}");
        }
    }
}
