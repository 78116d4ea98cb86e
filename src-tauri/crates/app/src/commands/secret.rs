//! Secrets of this machine. No command gives a value back.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::Via;
use crate::dto::{
    Empty, SecretChoose, SecretEntry, SecretKeyPlace, SecretKind, SecretName, SecretSet, SecretSignInFinish,
    SecretSignedOut, SecretSigningIn, SecretState, SecretStatus, SecretTest, SecretTested, SecretTrust, SecretUnlock,
    SecretUse,
};
use crate::error::{ApiError, ApiResult};
use crate::secrets::{entry_told, reachable};
use serde_json::{Value, json};
use signalbox_adapters::oauth::service_account;
use signalbox_adapters::vault::{Entry, KeyPlace, Trouble, VaultError};
use signalbox_model::oauth::{OAuthClient, OAuthGrant};
use signalbox_model::{AuditEvent, time};
use signalbox_ports::CredentialKind;
use signalbox_ports::secret::AllowedHost;
use signalbox_store::audit::Level;
use std::path::Path;

pub(crate) fn secret_status(app: &App, _: &Caller, _: Empty) -> ApiResult<SecretStatus> {
    let status = app.secrets.vault.status();
    let state = match status.trouble.as_ref().map(|error| error.trouble) {
        None => SecretState::Ready,
        Some(Trouble::NotChosen) => SecretState::NotChosen,
        Some(Trouble::Locked | Trouble::WrongPassphrase) => SecretState::Locked,
        Some(_) => SecretState::Unavailable,
    };
    let (message, hint) = status.trouble.map(|error| (error.message, error.hint)).unzip();
    Ok(SecretStatus {
        state,
        key: status.key.map(|key| match key {
            KeyPlace::System => SecretKeyPlace::System,
            KeyPlace::Passphrase => SecretKeyPlace::Passphrase,
            KeyPlace::File => SecretKeyPlace::File,
        }),
        key_at: status.key_at,
        file: status.file.display().to_string(),
        message,
        hint,
        system: status.system.to_owned(),
        system_trouble: status.system_trouble,
    })
}

pub(crate) fn secret_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<SecretEntry>> {
    Ok(app.secrets.vault.list()?.into_iter().map(|entry| entry_told(app, entry)).collect())
}

pub(crate) fn secret_set(app: &App, caller: &Caller, request: SecretSet) -> ApiResult<SecretEntry> {
    let bad = |message: String| ApiError::bad_request(message, "Nothing was kept. Correct it and send it again.");
    let field = |what: &str| {
        let given = request.field.clone().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        given.ok_or_else(|| bad(format!("The {what} is missing.")))
    };
    let part = |what: &str, given: Option<&String>| {
        let given = given.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        given.ok_or_else(|| bad(format!("The {what} is missing.")))
    };
    let kind = match request.kind {
        SecretKind::Bearer if request.field.is_some() => return Err(bad("A bearer token has no 'field'.".into())),
        SecretKind::Bearer => CredentialKind::Bearer,
        SecretKind::Basic => CredentialKind::Basic { user: field("user")? },
        SecretKind::Header => CredentialKind::Header { name: field("name of the header")? },
        SecretKind::Query => CredentialKind::Query { name: field("name of the parameter")? },
        SecretKind::Oauth2 => {
            let client = request.oauth.as_ref().ok_or_else(|| bad("The client of the service is missing.".into()))?;
            reachable(caller, client)?;
            CredentialKind::AccessToken { user: client.user.clone() }
        }
        SecretKind::Aws => CredentialKind::Aws {
            access_key: field("access key id")?,
            region: part("region", request.region.as_ref())?,
            service: part("service", request.service.as_ref())?,
        },
        SecretKind::Certificate => CredentialKind::ClientCertificate,
        SecretKind::Azure => CredentialKind::AzureKey { account: field("storage account")? },
        SecretKind::Sas => CredentialKind::Sas,
        SecretKind::Google => CredentialKind::AccessToken { user: None },
        SecretKind::Ssh => {
            CredentialKind::Ssh { user: field("user")?, host_key: part("fingerprint", request.host_key.as_ref()).ok() }
        }
    };
    if request.host_key.is_some() && request.kind != SecretKind::Ssh {
        return Err(bad("A server key belongs to secrets of the type ssh.".into()));
    }
    let (oauth, value) = match request.kind {
        SecretKind::Google if request.oauth.is_none() => {
            let scopes = request.field.as_deref().unwrap_or_default();
            let scopes: Vec<String> =
                scopes.split([' ', ',']).filter(|one| !one.is_empty()).map(str::to_owned).collect();
            let read = service_account(&request.value.0, &scopes);
            let (client, key) = read.map_err(|why| bad(format!("{why}.")))?;
            reachable(caller, &client)?;
            (Some(client), key)
        }
        _ => (request.oauth, request.value.0),
    };
    if kind.is_token() != oauth.is_some() || (request.kind == SecretKind::Oauth2 && is_service_account(oauth.as_ref()))
    {
        return Err(bad("A client of a service belongs to secrets of the type oauth2.".into()));
    }
    let mut hosts = request
        .hosts
        .iter()
        .map(|host| AllowedHost::parse(host).map_err(|why| bad(format!("{why}."))))
        .collect::<ApiResult<Vec<_>>>()?;
    let mut seen = Vec::new();
    hosts.retain(|host| {
        !seen.contains(host) && {
            seen.push(host.clone());
            true
        }
    });
    let now = time::format(app.now_ms());
    let entry =
        Entry { name: request.name, kind, hosts, created_at: now.clone(), updated_at: now, oauth, session: None };
    let facts = |replaced: bool| {
        let hosts: Vec<String> = entry.hosts.iter().map(ToString::to_string).collect();
        json!({ "name": entry.name, "kind": request.kind, "hosts": hosts, "replaced": replaced })
    };
    app.secrets
        .vault
        .set(entry.clone(), value, |replaced| record(app, caller, AuditEvent::SecretSet, facts(replaced)))?;
    // The proxy may be asked with it.
    app.follow_network();
    let kept = app.secrets.vault.list()?.into_iter().find(|kept| kept.name == entry.name);
    Ok(entry_told(app, kept.unwrap_or(entry)))
}

fn is_service_account(client: Option<&OAuthClient>) -> bool {
    client.is_some_and(|client| client.grant == OAuthGrant::ServiceAccount)
}

pub(crate) fn secret_delete(app: &App, caller: &Caller, request: SecretName) -> ApiResult<Empty> {
    app.secrets
        .vault
        .delete(&request.name, || record(app, caller, AuditEvent::SecretDeleted, json!({ "name": request.name })))?;
    app.secret_unused(&request.name);
    app.follow_network();
    Ok(Empty {})
}

pub(crate) fn secret_sign_in(app: &App, caller: &Caller, request: SecretName) -> ApiResult<SecretSigningIn> {
    app.secret_sign_in(caller, &request.name)
}

pub(crate) fn secret_sign_in_finish(app: &App, caller: &Caller, request: SecretSignInFinish) -> ApiResult<SecretEntry> {
    app.secret_sign_in_finish(caller, &request.name, &request.address)
}

pub(crate) fn secret_sign_out(app: &App, caller: &Caller, request: SecretName) -> ApiResult<SecretSignedOut> {
    app.secret_sign_out(caller, &request.name)
}

pub(crate) fn secret_test(app: &App, caller: &Caller, request: SecretTest) -> ApiResult<SecretTested> {
    app.secret_test(caller, &request)
}

pub(crate) fn secret_trust(app: &App, caller: &Caller, request: SecretTrust) -> ApiResult<SecretEntry> {
    app.secret_trust(caller, request)
}

pub(crate) fn secret_uses(app: &App, _: &Caller, request: SecretName) -> ApiResult<Vec<SecretUse>> {
    app.secret_uses(&request.name)
}

pub(crate) fn secret_choose(app: &App, caller: &Caller, request: SecretChoose) -> ApiResult<SecretStatus> {
    if request.identity_file.is_some() && caller.via != Via::Cli {
        return Err(ApiError::forbidden(
            "A key file is named on the command line only.",
            "Run `signalbox secret choose file --identity FILE` on this machine.",
        ));
    }
    let vault = &app.secrets.vault;
    if request.discard {
        vault.discard(app.now_ms(), || record(app, caller, AuditEvent::SecretsDiscarded, json!({})))?;
    }
    let place = match request.key {
        SecretKeyPlace::System => KeyPlace::System,
        SecretKeyPlace::Passphrase => KeyPlace::Passphrase,
        SecretKeyPlace::File => KeyPlace::File,
    };
    let passphrase = request.passphrase.as_ref().map(|text| &text.0);
    vault.choose(place, passphrase, request.identity_file.as_deref().map(Path::new), || {
        record(app, caller, AuditEvent::SecretsKeyChosen, json!({ "key": request.key }))
    })?;
    secret_status(app, caller, Empty {})
}

pub(crate) fn secret_unlock(app: &App, caller: &Caller, request: SecretUnlock) -> ApiResult<SecretStatus> {
    app.secrets.vault.unlock(request.passphrase.as_ref().map(|text| &text.0))?;
    app.follow_network();
    secret_status(app, caller, Empty {})
}

/// Written before the act: what cannot be recorded does not happen.
fn record(app: &App, caller: &Caller, event: AuditEvent, facts: Value) -> Result<(), VaultError> {
    app.secrets.record(event, Level::Info, caller.actor(), caller.signed(facts))
}
