//! `tasks destinations list | kinds | add | remove | test | log | again | send`: services that tasks are copied to.

use super::Done;
use crate::args::{DestinationAdd, Destinations};
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde_json::{Map, Value, json};
use signalbox_app::{App, Caller};
use std::sync::Arc;

pub(crate) async fn destinations(app: &Arc<App>, output: &Output, command: &Destinations) -> Done {
    let caller = Caller::terminal(None)?;
    let ask = async |name: &str, request: Value| app.dispatch(&caller, name, request).await;
    match command {
        Destinations::List => list(output, &ask("task_destination_list", json!({})).await?),
        Destinations::Kinds => kinds(output, &ask("task_destination_kinds", json!({})).await?),
        Destinations::Add(args) => list(output, &ask("task_destination_add", request(args)).await?),
        Destinations::Remove { id } => list(output, &ask("task_destination_remove", json!({ "id": id })).await?),
        Destinations::Test { id } => {
            let done = ask("task_destination_test", json!({ "id": id })).await?;
            if output.json {
                output.value(&done);
            } else {
                output.line(&plain(done["error"].as_str().unwrap_or("It can be used.")));
            }
            return Ok(if done["ok"] == true { OK } else { FAILED });
        }
        Destinations::Log { id, limit } => {
            let mut request = json!({ "limit": limit });
            if let Some(id) = id {
                request["id"] = id.as_str().into();
            }
            log(output, &ask("task_copy_log", request).await?);
        }
        Destinations::Again { id } => {
            let done = ask("task_copy_again", json!({ "id": id })).await?;
            if output.json {
                output.value(&done);
            } else {
                log(output, &json!([done]));
            }
            let stands = done["state"] == "current" || done["state"] == "closed";
            return Ok(if stands { OK } else { FAILED });
        }
        Destinations::Send => {
            let done = ask("task_copy_send", json!({})).await?;
            if output.json {
                output.value(&done);
            } else {
                output.line(&format!("Tried {} tasks.", done["tried"]));
            }
        }
    }
    Ok(OK)
}

fn map(pairs: &[(String, String)]) -> Value {
    pairs.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect::<Map<_, _>>().into()
}

fn request(args: &DestinationAdd) -> Value {
    let mut request = json!({
        "name": args.name, "variables": map(&args.variables), "settings": map(&args.settings),
        "templates": map(&args.templates), "workflows": args.workflow, "assignees": args.assignee,
        "minPriority": args.min_priority, "allowLocal": args.allow_local,
    });
    let texts = [
        ("connector", &args.connector),
        ("server", &args.server),
        ("credential", &args.credential),
        ("publicUrl", &args.public_url),
    ];
    for (name, value) in texts {
        if let Some(value) = value {
            request[name] = value.as_str().into();
        }
    }
    if let Some(secret) = &args.decide_secret {
        request["decisions"] = json!({ "secret": secret, "values": map(&args.decide) });
    }
    if let Some(host) = &args.mail_host {
        let mut mail = json!({ "host": host, "from": args.from.as_deref().unwrap_or_default(), "to": args.to });
        for (name, value) in
            [("security", &args.mail_security), ("user", &args.mail_user), ("language", &args.mail_language)]
        {
            if let Some(value) = value {
                mail[name] = value.as_str().into();
            }
        }
        if let Some(port) = args.mail_port {
            mail["port"] = port.into();
        }
        request["mail"] = mail;
    }
    request
}

fn text(one: &Value, key: &str) -> String {
    plain(one[key].as_str().unwrap_or_default())
}

fn list(output: &Output, all: &Value) {
    for one in output.rows(all, "No destinations.") {
        output.line(&format!(
            "{}  {}  {}  {}",
            text(one, "id"),
            text(one, "name"),
            text(one, "service"),
            text(one, "place")
        ));
        output.line(&format!("  {} open there, {} waiting, {} failed", one["open"], one["waiting"], one["failed"]));
        if let Some(problem) = one["problem"].as_str() {
            output.line(&output.paint(&format!("  {}", plain(problem)), Tone::Bad));
        }
        if let Some(path) = one["decisionsPath"].as_str() {
            let values = one["decisions"].as_object().into_iter().flatten();
            let values: Vec<String> = values
                .map(|(value, answer)| plain(&format!("{value} = {}", answer.as_str().unwrap_or_default())))
                .collect();
            output.line(&format!("  decisions at {}: {}", plain(path), values.join(", ")));
        }
    }
}

fn kinds(output: &Output, all: &Value) {
    for one in output.rows(all, "No connector takes tasks.") {
        output.line(&format!("{}  {}", text(one, "connector"), text(one, "description")));
        for (list, option) in [("variables", "--var"), ("settings", "--set")] {
            for field in one[list].as_array().into_iter().flatten() {
                let usual = field["default"].as_str().map(|usual| format!(" (default: {})", plain(usual)));
                let name = text(field, "name");
                output.line(&format!(
                    "  {option} {name}=…  {}{}",
                    text(field, "description"),
                    usual.unwrap_or_default()
                ));
            }
        }
        if let Some(how) = one["decisions"].as_str() {
            output.line(&format!("  Decisions: {}", plain(how)));
        }
    }
}

fn log(output: &Output, all: &Value) {
    for one in output.rows(all, "No tasks yet.") {
        let tone = match one["state"].as_str() {
            Some("failed") => Tone::Bad,
            Some("current" | "closed") => Tone::Good,
            _ => Tone::Quiet,
        };
        let state = output.paint(&format!("{:<7}", text(one, "state")), tone);
        let place = one["externalId"].as_str().map_or_else(|| "not created".to_owned(), plain);
        output.line(&format!("{}  {state} {}: {place}  {}", text(one, "id"), text(one, "name"), text(one, "title")));
        for key in ["link", "error", "note"] {
            if let Some(told) = one[key].as_str() {
                output.line(&format!("  {}", plain(told)));
            }
        }
        if let Some(at) = one["againAt"].as_str() {
            output.line(&format!("  tried again at {at}"));
        }
    }
}
