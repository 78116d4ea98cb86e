//! `token`.

use super::Done;
use crate::args::Token;
use crate::output::{OK, Output, plain};
use serde_json::{Value, json};
use signalbox_app::dto::CallerRole;
use signalbox_app::{App, Caller};
use std::sync::Arc;

pub(crate) async fn token(app: &Arc<App>, output: &Output, command: &Token) -> Done {
    match command {
        Token::List => {
            let all = app.dispatch(&Caller::terminal(None)?, "token_list", json!({})).await?;
            for one in output.rows(&all, "There are no tokens besides those of the token file.") {
                output.line(&line(one));
            }
        }
        Token::Add { name, role, workspaces, quota, days, person } => {
            let workspaces = (!workspaces.is_empty()).then_some(workspaces);
            let quota = json!({ "perMinute": quota.per_minute, "perDay": quota.per_day });
            let request = json!({
                "name": name, "role": CallerRole::from(*role), "workspaces": workspaces, "quota": quota, "expiresDays": days,
            });
            let made = app.dispatch(&Caller::terminal(person.as_deref())?, "token_add", request).await?;
            if output.json {
                output.value(&made);
            } else {
                // Alone on standard output, for a program that keeps it.
                eprintln!("{}", line(&made["entry"]));
                eprintln!("Keep the token now: it is not shown again.");
                output.line(made["token"].as_str().unwrap_or_default());
            }
        }
        Token::Revoke { name, person } => {
            app.dispatch(&Caller::terminal(person.as_deref())?, "token_revoke", json!({ "name": name })).await?;
            if output.json {
                output.value(&json!({ "revoked": name }));
            } else {
                output.line(&format!("The token {} is revoked.", plain(name)));
            }
        }
    }
    Ok(OK)
}

fn line(one: &Value) -> String {
    let text = |key: &str| plain(one[key].as_str().unwrap_or_default());
    let ends = match (one["expiresAt"].as_str(), one["expired"] == true) {
        (Some(at), true) => format!("expired {}", plain(at)),
        (Some(at), false) => format!("until {}", plain(at)),
        (None, _) => "until it is revoked".to_owned(),
    };
    let used = one["usedAt"].as_str().map_or_else(|| "never used".to_owned(), |at| format!("last used {}", plain(at)));
    let inside: Vec<String> =
        one["workspaces"].as_array().into_iter().flatten().filter_map(Value::as_str).map(plain).collect();
    let inside = if inside.is_empty() { String::new() } else { format!(" in {}", inside.join(", ")) };
    format!("{}  {}{inside}  {}, {ends}, {used}", text("name"), text("role"), text("person"))
}
