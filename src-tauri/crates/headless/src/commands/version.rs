//! `version`: what this program is, and whether there is a newer release.

use super::Done;
use crate::args::{Daily, Version};
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller};
use std::sync::Arc;

pub(crate) async fn version(app: &Arc<App>, output: &Output, args: &Version) -> Done {
    let caller = Caller::terminal(None)?;
    let mut now = app.dispatch(&caller, "updates_get", json!({})).await?;
    if let Some(daily) = args.daily {
        let key = match &args.key {
            None => now["key"].clone(),
            Some(file) => {
                let text = std::fs::read_to_string(file).map_err(|error| {
                    ApiError::bad_request(
                        format!("{} cannot be read: {error}.", file.display()),
                        "Name the file with the public key.",
                    )
                })?;
                Value::String(text)
            }
        };
        let (address, local) = match &args.list {
            None => (now["address"].clone(), now["local"] == true),
            Some(list) => (json!(list), args.allow_local),
        };
        let settings = json!({ "on": daily == Daily::On, "address": address, "key": key, "local": local });
        now = app.dispatch(&caller, "updates_set", settings).await?;
    }
    if args.check {
        now = app.dispatch(&caller, "updates_check", json!({})).await?;
    }
    if output.json {
        output.value(&now);
    } else {
        show(output, args, &now);
    }
    // A list that was refused is no answer to the question.
    if args.check
        && let Some(trouble) = now.get("trouble")
    {
        return Err(ApiError::unavailable(text(trouble, "code"), text(trouble, "message"), text(trouble, "hint")));
    }
    Ok(if args.check && now.get("update").is_some() { FAILED } else { OK })
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn show(output: &Output, args: &Version, now: &Value) {
    output.line(&format!("Signalbox {} ({})", text(now, "version"), text(now, "installation")));
    match (now["on"] == true, now["address"].as_str()) {
        (true, Some(address)) => {
            output.line(&format!("Newer releases are looked for once a day at {}.", plain(address)))
        }
        _ => output.line("Newer releases are not looked for by themselves."),
    }
    if let Some(at) = now["checkedAt"].as_str() {
        output.line(&format!("Last list of releases: {at}."));
    }
    if let (Some(trouble), false) = (now.get("trouble"), args.check) {
        output.line(&output.paint(&plain(text(trouble, "message")), Tone::Bad));
    }
    let Some(update) = now.get("update") else {
        if args.check && now.get("trouble").is_none() {
            output.line("There is no newer release.");
        }
        return;
    };
    let security = if update["security"] == true { ", with security fixes" } else { "" };
    let found = format!("Signalbox {} of {} is available{security}.", text(update, "version"), text(update, "date"));
    output.line(&output.paint(&found, Tone::Warn));
    let notes = update["notes"]["en"].as_str().or_else(|| update["notes"].as_object()?.values().next()?.as_str());
    if let Some(notes) = notes {
        notes.lines().for_each(|line| output.line(&format!("  {}", plain(line))));
    }
    for command in update["commands"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        output.line(&format!("    {}", plain(command)));
    }
    if let Some(page) = update["page"].as_str() {
        output.line(&plain(page));
    }
}
