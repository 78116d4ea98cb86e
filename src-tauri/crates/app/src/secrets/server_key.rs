//! Secrets for SSH: tried at a server, and the key by which the server is known.

use super::entry_told;
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{SecretEntry, SecretTested, SecretTrust};
use crate::error::{ApiError, ApiResult};
use serde_json::json;
use signalbox_adapters::SftpServers;
use signalbox_adapters::vault::Entry;
use signalbox_model::{AuditEvent, time};
use signalbox_ports::remote_files::{FileServer, RemoteFault};
use signalbox_ports::{Credential, CredentialKind, RemoteFiles as _};
use signalbox_store::audit::Level;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// How long a test waits for the server.
const WAITS: Duration = Duration::from_secs(20);
const PORT: u16 = 22;

impl App {
    /// Signs in to a server, and opens the folder of the address.
    pub(super) fn test_ssh(
        &self,
        caller: &Caller,
        credential: Arc<Credential>,
        address: &str,
    ) -> ApiResult<SecretTested> {
        let url = Url::parse(address).ok().filter(|url| url.scheme() == "sftp" && url.host_str().is_some());
        let Some(url) = url else {
            let hint = "Write it like sftp://files.example.com or sftp://files.example.com:2222/inbox.";
            return Err(ApiError::bad_request(format!("'{address}' is no address of an SFTP server."), hint));
        };
        let server = FileServer {
            host: url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned(),
            port: url.port().unwrap_or(PORT),
            credential: Some(credential),
            timeout: WAITS,
            loopback_allowed: caller.here,
        };
        let folder = url.path().trim_start_matches("/~/").to_owned();
        let folder = if folder == "/" { String::new() } else { folder };
        let told = |good, message: String, host_key| SecretTested { good, status: None, message, host_key };
        Ok(match self.wait_for(SftpServers.check(server, &folder))? {
            Ok(()) => told(true, "The server accepted it.".into(), None),
            Err(error) => {
                let message = self.secrets.vault.scrubber().text(&format!("{}.", error.message)).into_owned();
                match error.fault {
                    RemoteFault::HostKeyUnknown(key) => {
                        let message = format!(
                            "The server shows the key {key}. Nothing was sent. Trust it only if the administrator of the server \
                             tells you the same."
                        );
                        told(false, message, Some(key))
                    }
                    _ => told(false, message, None),
                }
            }
        })
    }

    /// Notes the key of a server in a secret that knew none. A known key is replaced by setting the secret again only.
    pub(crate) fn secret_trust(&self, caller: &Caller, request: SecretTrust) -> ApiResult<SecretEntry> {
        let stored = self.secrets.vault.stored(&request.name, true)?;
        let bad = |message: String, hint: &str| Err(ApiError::bad_request(message, hint));
        let CredentialKind::Ssh { user, host_key } = stored.entry.kind else {
            return bad(format!("The secret '{}' is not of the type ssh.", request.name), "Name one that is.");
        };
        if let Some(known) = host_key.filter(|known| *known != request.host_key) {
            let message = format!("The secret '{}' knows the server by the key {known} already.", request.name);
            return bad(message, "If the server has a new key, replace the secret, and enter the new key there.");
        }
        let kind = CredentialKind::Ssh { user, host_key: Some(request.host_key.clone()) };
        let entry = Entry { kind, updated_at: time::format(self.now_ms()), ..stored.entry };
        let facts = json!({ "name": entry.name, "kind": "ssh", "hostKey": request.host_key, "replaced": true });
        let record = |_replaced: bool| self.secrets.record(AuditEvent::SecretSet, Level::Info, caller.actor(), facts);
        self.secrets.vault.set(entry.clone(), stored.value, record)?;
        Ok(entry_told(self, entry))
    }
}
