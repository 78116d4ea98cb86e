//! `people`.

use super::Done;
use crate::args::People;
use crate::output::{OK, Output, plain};
use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller, Class};
use std::sync::Arc;

pub(crate) async fn people(app: &Arc<App>, output: &Output, command: &People) -> Done {
    match command {
        People::List => {
            let all = app.blocking(|app| app.named_people()).await?;
            let all = serde_json::to_value(all).unwrap_or_default();
            for one in output.rows(&all, "Nobody has signed in.") {
                let text = |key: &str| plain(one[key].as_str().unwrap_or_default());
                output.line(&format!(
                    "{}  {} at {}, since {}",
                    text("name"),
                    text("subject"),
                    text("issuer"),
                    text("since")
                ));
            }
        }
        People::Sessions => {
            let all = app.dispatch(&Caller::terminal(None)?, "session_list", json!({})).await?;
            for one in output.rows(&all, "Nobody is signed in.") {
                let text = |key: &str| plain(one[key].as_str().unwrap_or_default());
                output.line(&format!(
                    "{}  {}  since {}, last used {}",
                    text("person"),
                    text("role"),
                    text("since"),
                    text("usedAt")
                ));
            }
        }
        People::SignOut { name, person } => {
            let caller = Caller::terminal(person.as_deref())?;
            let wanted = format!("user:{}", name.trim_start_matches("user:")).to_lowercase();
            let all = app.dispatch(&caller, "session_list", json!({})).await?;
            let is_theirs = |one: &&Value| one["person"].as_str().is_some_and(|name| name.to_lowercase() == wanted);
            let theirs: Vec<&Value> = all.as_array().into_iter().flatten().filter(is_theirs).collect();
            if theirs.is_empty() {
                let message = format!("{} is not signed in.", plain(name));
                let hint = "signalbox people sessions lists who is.";
                return Err(ApiError::new(Class::NotFound, "NOT_FOUND", message, hint));
            }
            for one in &theirs {
                app.dispatch(&caller, "session_end", json!({ "id": one["id"] })).await?;
            }
            if output.json {
                output.value(&json!({ "ended": theirs.len() }));
            } else {
                output.line(&format!("Sessions ended: {}.", theirs.len()));
            }
        }
        People::Forget { name, person } => {
            let (caller, name) = (Caller::terminal(person.as_deref())?, name.clone());
            let gone = app.blocking(move |app| app.forget_person(&caller, &name)).await?;
            if output.json {
                output.value(&json!({ "forgotten": gone }));
            } else {
                output.line(&format!("The name {} is free.", plain(&gone.name)));
            }
        }
    }
    Ok(OK)
}
