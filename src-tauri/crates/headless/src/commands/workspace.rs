//! `workspace`.

use super::Done;
use crate::args::Workspace;
use crate::output::{OK, Output, plain};
use serde_json::{Value, json};
use signalbox_app::{App, Caller};
use std::sync::Arc;

pub(crate) async fn workspace(app: &Arc<App>, output: &Output, command: &Workspace) -> Done {
    let (name, request, person) = match command {
        Workspace::List => ("workspace_list", json!({}), &None),
        Workspace::Set { name, quota, at_once, person_per_minute, person_per_day, person } => {
            let quota = json!({
                "perMinute": quota.per_minute, "perDay": quota.per_day, "atOnce": at_once,
                "personPerMinute": person_per_minute, "personPerDay": person_per_day,
            });
            ("workspace_put", json!({ "name": name, "quota": quota }), person)
        }
        Workspace::Assign { workflow, name, person } => {
            ("workspace_assign", json!({ "workflowId": workflow, "workspace": name }), person)
        }
        Workspace::Remove { name, person } => ("workspace_remove", json!({ "name": name }), person),
    };
    let all = app.dispatch(&Caller::terminal(person.as_deref())?, name, request).await?;
    for one in output.rows(&all, "There are no workspaces.") {
        output.line(&line(one));
    }
    Ok(OK)
}

fn line(one: &Value) -> String {
    let workflows: Vec<String> =
        one["workflows"].as_array().into_iter().flatten().filter_map(Value::as_str).map(plain).collect();
    let count = |started: &str, most: &str| match &one["quota"][most] {
        Value::Null => one["started"][started].to_string(),
        most => format!("{} of {most}", one["started"][started]),
    };
    let each = |most: &str, words: &str| match &one["quota"][most] {
        Value::Null => String::new(),
        most => format!(", {most} {words} by one person"),
    };
    format!(
        "{}  {} this minute, {} today, {} under way{}{}  {}",
        plain(one["name"].as_str().unwrap_or_default()),
        count("minute", "perMinute"),
        count("day", "perDay"),
        count("open", "atOnce"),
        each("personPerMinute", "a minute"),
        each("personPerDay", "a day"),
        if workflows.is_empty() { "no workflows".to_owned() } else { workflows.join(", ") },
    )
}
