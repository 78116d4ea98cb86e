//! `webhook list | add | remove | log | again | send`: addresses that hear of tasks.

use super::Done;
use crate::args::Webhook;
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::{App, Caller};
use std::sync::Arc;

pub(crate) async fn webhook(app: &Arc<App>, output: &Output, command: &Webhook) -> Done {
    let caller = Caller::terminal(None)?;
    match command {
        Webhook::List => list(output, &app.dispatch(&caller, "webhook_list", json!({})).await?),
        Webhook::Add { url, event, secret, allow_local } => {
            let mut request = json!({ "url": url, "secret": secret, "allowLocal": allow_local });
            if !event.is_empty() {
                request["events"] =
                    json!(event.iter().map(|event| format!("task.{}", event.word())).collect::<Vec<_>>());
            }
            list(output, &app.dispatch(&caller, "webhook_add", request).await?);
        }
        Webhook::Remove { id } => list(output, &app.dispatch(&caller, "webhook_remove", json!({ "id": id })).await?),
        Webhook::Log { id, limit } => {
            let mut request = json!({ "limit": limit });
            if let Some(id) = id {
                request["id"] = id.as_str().into();
            }
            log(output, &app.dispatch(&caller, "webhook_log", request).await?);
        }
        Webhook::Again { id } => {
            let done = app.dispatch(&caller, "webhook_again", json!({ "id": id })).await?;
            if output.json {
                output.value(&done);
            } else {
                log(output, &json!([done]));
            }
            return Ok(if done["state"] == "taken" { OK } else { FAILED });
        }
        Webhook::Send => {
            let done = app.dispatch(&caller, "webhook_send", json!({})).await?;
            if output.json {
                output.value(&done);
            } else {
                output.line(&format!("Tried {} messages.", done["tried"]));
            }
        }
    }
    Ok(OK)
}

fn list(output: &Output, all: &Value) {
    for one in output.rows(all, "No webhooks.") {
        let text = |key: &str| plain(one[key].as_str().unwrap_or_default());
        let events: Vec<String> =
            one["events"].as_array().into_iter().flatten().filter_map(Value::as_str).map(plain).collect();
        output.line(&format!("{}  {}  {}  signed with {}", text("id"), text("url"), events.join(", "), text("secret")));
        output.line(&format!("  {} waiting, {} failed", one["waiting"], one["failed"]));
    }
}

fn log(output: &Output, all: &Value) {
    for one in output.rows(all, "No messages yet.") {
        let text = |key: &str| plain(one[key].as_str().unwrap_or_default());
        let tone = match text("state").as_str() {
            "taken" => Tone::Good,
            "failed" => Tone::Bad,
            _ => Tone::Quiet,
        };
        let why = one["error"].as_str().map(|why| format!("  {}", plain(why))).unwrap_or_default();
        let state = output.paint(&format!("{:<7}", text("state")), tone);
        output.line(&format!("{}  {state} {}  {}  {}{why}", text("id"), text("madeAt"), text("event"), text("taskId")));
    }
}
