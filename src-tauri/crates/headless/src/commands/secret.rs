//! `secret list | status | set | delete | choose`.

use super::Done;
use crate::args::{Secret, SecretKey};
use crate::output::{INVALID, OK, Output, Tone, plain};
use clap::ValueEnum;
use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller};
use std::io::{IsTerminal, Read};
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
        Secret::Set { name, kind, field, hosts } => {
            unlock(app, &caller).await?;
            let value = asked(&format!("Value of secret '{name}': "))?;
            let mut request = json!({ "name": name, "kind": word(*kind), "hosts": hosts, "value": value });
            if let Some(field) = field {
                request["field"] = json!(field);
            }
            let kept = run("secret_set", request).await?;
            if output.json {
                output.value(&kept);
            } else {
                output.line(&format!("Saved. Steps refer to it as secret://{name}."));
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
        let used = text("lastUsedAt").map_or_else(|| "never used".to_owned(), |at| format!("used {at}"));
        output.line(&format!("{:<24} {kind:<20} {}  {used}", text("name").unwrap_or_default(), hosts.join(", ")));
    }
}
