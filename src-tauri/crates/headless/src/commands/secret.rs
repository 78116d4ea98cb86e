//! `secret list | status | set | sign-in | sign-out | test | uses | delete | choose`.

use super::Done;
use super::sign_in::wait;
use crate::args::{Grant, OAuth, Secret, SecretKey, SecretKind};
use crate::output::{INVALID, OK, Output, Tone, plain};
use clap::ValueEnum;
use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller};
use std::io::{IsTerminal, Read};
use std::path::Path;
use std::sync::Arc;

/// Longest secret, in bytes.
const LONGEST: u64 = 64 * 1024;

pub(crate) async fn secret(app: &Arc<App>, output: &Output, command: &Secret) -> Done {
    let caller = Caller::terminal(None)?;
    let run = |name: &'static str, request: Value| {
        let caller = caller.clone();
        async move { app.dispatch(&caller, name, request).await }
    };
    match command {
        Secret::Status => {
            let status = run("secret_status", json!({})).await?;
            let ready = status["state"] == "ready";
            show_status(output, &status);
            Ok(if ready { OK } else { INVALID })
        }
        Secret::List => {
            unlock(app, &caller).await?;
            let list = run("secret_list", json!({})).await?;
            show_list(output, &list);
            Ok(OK)
        }
        Secret::Set { name, kind, field, region, service, host_keys, oauth, hosts } => {
            unlock(app, &caller).await?;
            let mut hosts = hosts.clone();
            let client = match kind {
                SecretKind::Oauth2 => Some(client_of(app, &caller, oauth, &mut hosts).await?),
                _ => None,
            };
            let value = asked(&format!("Value of secret '{name}': "))?;
            let mut request = json!({ "name": name, "kind": word(*kind), "hosts": hosts, "value": value });
            for (key, given) in [("field", field), ("region", region), ("service", service)] {
                if let Some(given) = given {
                    request[key] = json!(given);
                }
            }
            if !host_keys.is_empty() {
                request["hostKey"] = json!(host_keys.join(" "));
            }
            if let Some(client) = client {
                request["oauth"] = client;
            }
            let kept = run("secret_set", request).await?;
            if output.json {
                output.value(&kept);
            } else {
                output.line(&format!("Saved. Steps refer to it as secret://{name}."));
                if kept["signIn"]["state"] == "wanted" {
                    output.line(&format!("Sign in with it: signalbox secret sign-in {name}"));
                }
            }
            Ok(OK)
        }
        Secret::SignIn { name } => {
            unlock(app, &caller).await?;
            let begun = run("secret_sign_in", json!({ "name": name })).await?;
            wait((app, &caller, output), &begun, "secret_sign_in_finish", app.secret_signed_in(name)).await?;
            let list = run("secret_list", json!({})).await?;
            let entry =
                list.as_array().into_iter().flatten().find(|one| one["name"] == *name).cloned().unwrap_or_default();
            let until =
                entry["signIn"]["expires"].as_str().map_or_else(String::new, |at| format!(" until {}", plain(at)));
            let renews = if entry["signIn"]["renews"] == true { "; it is renewed automatically" } else { "" };
            told(output, &entry, &format!("Signed in with {name}{until}{renews}."));
            Ok(OK)
        }
        Secret::SignOut { name } => {
            unlock(app, &caller).await?;
            let done = run("secret_sign_out", json!({ "name": name })).await?;
            let revoked = if done["revoked"] == true { " The service revoked the tokens." } else { "" };
            let note = done["note"].as_str().map_or_else(String::new, |note| format!(" {}", plain(note)));
            told(output, &done, &format!("Signed out of {name}.{revoked}{note}"));
            Ok(OK)
        }
        Secret::Test { name, url, root_certificate } => {
            unlock(app, &caller).await?;
            let certificate = root_certificate.as_deref().map(certificate).transpose()?;
            let request = json!({ "name": name, "url": url, "rootCertificate": certificate });
            let tested = run("secret_test", request).await?;
            let part = |name: &str| tested[name].as_str().map(plain);
            let code = part("code").map(|code| format!("{code}: "));
            let words = [code, part("message"), part("hint").map(|hint| format!(" {hint}"))];
            told(output, &tested, &words.into_iter().flatten().collect::<String>());
            Ok(if tested["good"] == true { OK } else { INVALID })
        }
        Secret::Trust { name, host_key } => {
            unlock(app, &caller).await?;
            let kept = run("secret_trust", json!({ "name": name, "hostKey": host_key })).await?;
            told(output, &kept, &format!("The secret {name} trusts this server key."));
            Ok(OK)
        }
        Secret::Uses { name } => {
            let uses = run("secret_uses", json!({ "name": name })).await?;
            for row in output.rows(&uses, "No workflow of the library and no active one uses it.") {
                let steps = words(&row["steps"]).join(", ");
                let active = if row["ref"].is_null() { " (active, not in the library)" } else { "" };
                output.line(&format!("{:<32} {steps}{active}", plain(row["name"].as_str().unwrap_or_default())));
            }
            Ok(OK)
        }
        Secret::Delete { name } => {
            unlock(app, &caller).await?;
            run("secret_delete", json!({ "name": name })).await?;
            if output.json {
                output.value(&json!({ "name": name, "deleted": true }));
            } else {
                output.line(&format!("The secret {name} was deleted."));
            }
            Ok(OK)
        }
        Secret::Choose { key, identity, discard } => {
            if !discard {
                unlock(app, &caller).await?;
            }
            let mut request = json!({ "key": word(*key), "discard": discard });
            if *key == SecretKey::Passphrase {
                request["passphrase"] = json!(new_passphrase()?);
            }
            if let Some(identity) = identity {
                request["identityFile"] = json!(identity);
            }
            let status = run("secret_choose", request).await?;
            show_status(output, &status);
            Ok(OK)
        }
    }
}

/// The client that the arguments describe; a connector gives what they leave out, and the hosts.
async fn client_of(app: &Arc<App>, caller: &Caller, given: &OAuth, hosts: &mut Vec<String>) -> Result<Value, ApiError> {
    let (mut service, mut redirect) = (json!({}), None);
    if let Some(name) = &given.connector {
        let all = app.dispatch(caller, "connector_list", json!({})).await?;
        let found = all.as_array().into_iter().flatten().find(|one| one["name"] == *name);
        let sign_in = found.map(|one| &one["signIn"]).filter(|sign_in| sign_in.is_object()).ok_or_else(|| {
            let message = format!("There is no connector '{name}' that says how to sign in.");
            ApiError::bad_request(
                message,
                "`signalbox connectors list` shows all. Or give --token-url and --authorization-url.",
            )
        })?;
        service = sign_in["oauth"].clone();
        hosts.extend(words(&sign_in["hosts"]));
        redirect = sign_in["redirect"].as_str().map(str::to_owned);
        for key in ["tokenUrl", "deviceUrl", "revocationUrl"] {
            let place = service[key].as_str().and_then(|text| text.split_once("://"));
            let host = place.and_then(|(_, rest)| rest.split(['/', '?']).next()).map(str::to_owned);
            if let Some(host) = host.filter(|host| !hosts.contains(host)) {
                hosts.push(host);
            }
        }
    }
    for (key, value) in [
        ("authorizationUrl", &given.authorization_url),
        ("tokenUrl", &given.token_url),
        ("deviceUrl", &given.device_url),
        ("revocationUrl", &given.revocation_url),
    ] {
        if let Some(value) = value {
            service[key] = json!(value);
        }
    }
    if !given.scopes.is_empty() {
        service["scopes"] = json!(given.scopes);
    }
    for parameter in &given.parameters {
        let (name, value) = parameter.split_once('=').ok_or_else(|| {
            ApiError::bad_request(format!("'{parameter}' is no parameter."), "Write it as NAME=VALUE.")
        })?;
        service["parameters"][name] = json!(value);
    }
    if let Some(how) = given.client_auth {
        service["clientAuthentication"] = json!(word(how));
    }
    let missing =
        |what: &str| ApiError::bad_request(format!("{what} is missing."), "Nothing was saved. Give it and try again.");
    if !service["tokenUrl"].is_string() {
        return Err(missing("The token address (--token-url, or --connector)"));
    }
    let grant = match given.grant {
        Grant::AuthorizationCode => "authorizationCode",
        Grant::DeviceCode => "deviceCode",
        Grant::ClientCredentials => "clientCredentials",
    };
    let id = given.client_id.as_ref().ok_or_else(|| missing("The client id (--client-id)"))?;
    let mut client = json!({ "grant": grant, "clientId": id, "service": service });
    let redirect = given.redirect.clone().or(redirect);
    for (key, value) in [("redirect", &redirect), ("user", &given.user)] {
        if let Some(value) = value {
            client[key] = json!(value);
        }
    }
    Ok(client)
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(plain).collect()
}

fn told(output: &Output, value: &Value, words: &str) {
    if output.json {
        output.value(value);
    } else {
        output.line(words);
    }
}

fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Asks for the passphrase, or has the key store of the system ask, when a person is there; otherwise the command says what is
/// missing.
pub(super) async fn unlock(app: &Arc<App>, caller: &Caller) -> Result<(), ApiError> {
    if !std::io::stdin().is_terminal() {
        return Ok(());
    }
    let status = app.dispatch(caller, "secret_status", json!({})).await?;
    if status["state"] == "locked" && status["key"] == "system" {
        eprintln!(
            "{} is locked. Unlock it in the window on your desktop.",
            status["system"].as_str().unwrap_or_default()
        );
        app.dispatch(caller, "secret_unlock", json!({})).await?;
    } else if status["state"] == "locked" {
        let passphrase = asked("Passphrase of the secrets: ")?;
        app.dispatch(caller, "secret_unlock", json!({ "passphrase": passphrase })).await?;
    }
    Ok(())
}

fn unreadable(error: std::io::Error) -> ApiError {
    ApiError::bad_request(
        format!("The value cannot be read: {error}."),
        "Type it in a terminal, or pipe it to standard input.",
    )
}

/// The certificates of a file.
fn certificate(file: &Path) -> Result<String, ApiError> {
    std::fs::read_to_string(file).map_err(|error| {
        let message = format!("The certificate authority {} cannot be read: {error}.", file.display());
        ApiError::bad_request(message, "Name a readable file in PEM format.")
    })
}

/// From the terminal without showing it, or from standard input without the line's end.
fn asked(question: &str) -> Result<String, ApiError> {
    if std::io::stdin().is_terminal() {
        return rpassword::prompt_password(question).map_err(unreadable);
    }
    let mut text = String::new();
    std::io::stdin().take(LONGEST + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > LONGEST {
        let message = format!("Standard input is longer than the {LONGEST} bytes allowed for a secret.");
        return Err(ApiError::bad_request(message, "Nothing was saved. Pipe only the secret."));
    }
    text.truncate(text.trim_end_matches(['\r', '\n']).len());
    Ok(text)
}

fn new_passphrase() -> Result<String, ApiError> {
    let first = asked("New passphrase of the secrets: ")?;
    if std::io::stdin().is_terminal() && asked("Again: ")? != first {
        return Err(ApiError::bad_request("The passphrases differ.", "Nothing was changed. Try again."));
    }
    Ok(first)
}

fn show_status(output: &Output, status: &Value) {
    if output.json {
        output.value(status);
        return;
    }
    let text = |key: &str| status[key].as_str().map(plain);
    let (tone, state) = match status["state"].as_str() {
        Some("ready") => (Tone::Good, "The secrets are usable."),
        Some("notChosen") => (Tone::Warn, "No place for the encryption key is chosen yet."),
        Some("locked") => (Tone::Warn, "The secrets are locked."),
        _ => (Tone::Bad, "The secrets are not usable."),
    };
    output.line(&output.paint(state, tone));
    for line in [text("message"), text("hint")].into_iter().flatten() {
        output.line(&line);
    }
    if let (Some(key), Some(at)) = (text("key"), text("keyAt")) {
        output.line(&format!("Key:     {key}, {at}"));
    }
    output.line(&format!("Secrets: {}", text("file").unwrap_or_default()));
    let system = text("system").unwrap_or_default();
    match text("systemTrouble") {
        None => output.line(&format!("The system key store is available ({system}).")),
        Some(why) => output.line(&format!("The system key store ({system}) is not available: {why}.")),
    }
}

fn show_list(output: &Output, list: &Value) {
    for row in output.rows(list, "No secrets. Add one with `signalbox secret set NAME --host HOST`.") {
        let text = |key: &str| row[key].as_str().map(plain);
        let hosts: Vec<String> =
            row["hosts"].as_array().into_iter().flatten().filter_map(Value::as_str).map(plain).collect();
        let kind = match (text("kind"), text("field")) {
            (Some(kind), Some(field)) => format!("{kind} {field}"),
            (kind, _) => kind.unwrap_or_default(),
        };
        let signed = row["signIn"]["state"].as_str().map_or_else(String::new, |state| {
            let state = match state {
                "signedIn" => "signed in",
                "ended" => "sign-in ended",
                "waiting" => "signing in",
                _ => "not signed in",
            };
            format!("  {state}")
        });
        let used = text("lastUsedAt").map_or_else(|| "never used".to_owned(), |at| format!("used {at}"));
        output.line(&format!(
            "{:<24} {kind:<20} {}  {used}{signed}",
            text("name").unwrap_or_default(),
            hosts.join(", ")
        ));
    }
}
