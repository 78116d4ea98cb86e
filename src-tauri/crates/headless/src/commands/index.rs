//! `index list | show | search | delete`: indexes of documents.

use super::Done;
use crate::args::Index;
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::{App, Caller};
use std::sync::Arc;

pub(crate) async fn index(app: &Arc<App>, output: &Output, command: &Index) -> Done {
    let caller = Caller::terminal(None)?;
    match command {
        Index::List => list(output, &app.dispatch(&caller, "index_list", json!({})).await?),
        Index::Delete { name } => {
            list(output, &app.dispatch(&caller, "index_delete", json!({ "name": name })).await?);
        }
        Index::Show { name, after, limit } => {
            let request = json!({ "name": name, "after": after, "limit": limit });
            let found = app.dispatch(&caller, "index_show", request).await?;
            if output.json {
                output.value(&found);
                return Ok(OK);
            }
            list(output, &json!([found["index"]]));
            for one in found["documents"].as_array().into_iter().flatten() {
                let title = one["title"].as_str().map(|title| format!("  {}", plain(title))).unwrap_or_default();
                output.line(&format!("{}{title}  {} passages", text(one, "id"), one["chunks"]));
            }
            if let Some(next) = found["next"].as_str() {
                output.line(&format!("More: --after '{}'", plain(next)));
            }
        }
        Index::Search { name, query, top, model, provider } => {
            let mut request = json!({ "name": name, "query": query, "top": top });
            for (field, value) in [("embeddingModel", model), ("embeddingProvider", provider)] {
                if let Some(value) = value {
                    request[field] = value.as_str().into();
                }
            }
            let found = app.dispatch(&caller, "index_search", request).await?;
            let none = found.as_array().is_none_or(Vec::is_empty);
            for one in output.rows(&found, "No passage fits.") {
                let source = &one["source"];
                let place = [text(source, "title"), text(source, "heading")];
                let place: Vec<String> = place.into_iter().filter(|part| !part.is_empty()).collect();
                let head = format!("{}. {}  {}  {}", one["rank"], text(source, "id"), place.join(", "), one["score"]);
                output.line(&output.paint(&head, Tone::Quiet));
                output.line(&text(one, "text"));
            }
            return Ok(if none { FAILED } else { OK });
        }
    }
    Ok(OK)
}

fn text(one: &Value, key: &str) -> String {
    plain(one[key].as_str().unwrap_or_default())
}

fn list(output: &Output, all: &Value) {
    for one in output.rows(all, "No indexes.") {
        if let Some(problem) = one["problem"].as_str() {
            output.line(&format!("{}  {}", text(one, "name"), output.paint(&plain(problem), Tone::Bad)));
            continue;
        }
        let kib = one["bytes"].as_u64().unwrap_or_default().div_ceil(1024);
        let vectors = one["model"].as_str().map(|model| format!(", {} vectors of {}", one["vectors"], plain(model)));
        output.line(&format!(
            "{}  {} documents, {} passages{}  {kib} KiB  {}",
            text(one, "name"),
            one["documents"],
            one["chunks"],
            vectors.unwrap_or_default(),
            text(one, "changedAt")
        ));
    }
}
