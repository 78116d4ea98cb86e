//! `people`.

use super::Done;
use crate::args::People;
use crate::output::{OK, Output, plain};
use serde_json::json;
use signalbox_app::{App, Caller};
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
