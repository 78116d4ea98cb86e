//! Secrets for SSH: the key by which the server is known.

use super::entry_told;
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{SecretEntry, SecretTrust};
use crate::error::{ApiError, ApiResult};
use serde_json::json;
use signalbox_adapters::vault::Entry;
use signalbox_model::{AuditEvent, time};
use signalbox_ports::CredentialKind;
use signalbox_store::audit::Level;

impl App {
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
        let record = |_replaced: bool| {
            self.secrets.record(AuditEvent::SecretSet, Level::Info, caller.actor(), caller.signed(facts))
        };
        self.secrets.vault.set(entry.clone(), stored.value, record)?;
        Ok(entry_told(self, entry))
    }
}
