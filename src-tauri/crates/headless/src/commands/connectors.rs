//! `connectors list | show | add | check | remove`. A store is opened only for what leaves a record.

use super::Done;
use crate::args::Connectors;
use crate::output::{INVALID, OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::connectors::{self, Added, Entry, Source, Wanted, in_order, output_schema, params_schema};
use signalbox_app::{ApiError, App, Caller};
use signalbox_model::{Connector, Operation};
use std::path::Path;
use std::sync::Arc;

pub(crate) fn connectors(output: &Output, command: &Connectors, data: &Path) -> Done {
    match command {
        Connectors::List => list(output, data),
        Connectors::Show { name, operation, file } => show(output, data, name, operation.as_deref(), *file),
        Connectors::Check { files } => {
            let mut results = Vec::new();
            for file in files {
                let checked = connectors::check(file)?;
                results.push(json!({
                    "file": file, "ok": checked.diagnostics.is_empty(), "diagnostics": checked.diagnostics,
                    "operations": checked.connector.map(|connector| connector.operations.len()),
                    "findings": checked.findings,
                }));
            }
            let all_ok = results.iter().all(|result| result["ok"] == true);
            if output.json {
                output.value(&Value::Array(results));
            } else {
                results.iter().for_each(|result| checked(output, result));
            }
            Ok(if all_ok { OK } else { INVALID })
        }
        // They leave a record, for which the store is open.
        Connectors::Add { .. } | Connectors::Remove { .. } => Ok(OK),
    }
}

/// `add` and `remove`.
pub(crate) async fn change(app: &Arc<App>, output: &Output, command: &Connectors) -> Done {
    let caller = Caller::terminal(None)?;
    match command {
        Connectors::Add { file, graphql, address, credential, name, replace } => {
            let (name, credential, replace) = (name.clone(), credential.clone(), *replace);
            let source = source(file.as_deref(), graphql.as_deref(), address.as_deref())?;
            let added = app.blocking(move |app| {
                let wanted = Wanted { name: name.as_deref(), credential: credential.as_deref(), replace };
                app.connector_add(&caller, &source, &wanted)
            });
            tell(output, &added.await?);
        }
        Connectors::Remove { name } => {
            let removed = name.clone();
            let file = app.blocking(move |app| app.connector_remove(&caller, &removed)).await?;
            if output.json {
                output.value(&json!({ "removed": name, "file": file }));
            } else {
                output.line(&format!("Removed: {}", plain(&file.display().to_string())));
            }
        }
        Connectors::List | Connectors::Show { .. } | Connectors::Check { .. } => {}
    }
    Ok(OK)
}

fn source(file: Option<&Path>, graphql: Option<&str>, address: Option<&str>) -> Result<Source, ApiError> {
    match (file, graphql) {
        (_, Some(url)) if url.starts_with("https://") || url.starts_with("http://") => {
            Ok(Source::Endpoint { address: url.to_owned() })
        }
        (Some(file), _) => Ok(Source::Text(connectors::text_of(file)?)),
        (None, file) => {
            let text = connectors::text_of(Path::new(file.unwrap_or_default()))?;
            let address = address.map(str::to_owned);
            Ok(address.map_or(Source::Text(text.clone()), |address| Source::Introspection { text, address }))
        }
    }
}

fn checked(output: &Output, result: &Value) {
    let word = if result["ok"] == true { output.paint("ok", Tone::Good) } else { output.paint("errors", Tone::Bad) };
    output.line(&format!("{}: {word}", plain(result["file"].as_str().unwrap_or_default())));
    for diagnostic in result["diagnostics"].as_array().into_iter().flatten() {
        output.line(&output.diagnostic(diagnostic));
    }
    for finding in result["findings"].as_array().into_iter().flatten() {
        let text = |name: &str| plain(finding[name].as_str().unwrap_or_default());
        output.line(&format!("  {} {}\n    {}", output.paint("differs", Tone::Quiet), text("path"), text("message")));
    }
}

fn row(entry: &Entry) -> Value {
    let own = entry.file.is_some();
    match &entry.connector {
        Ok(connector) => json!({
            "name": entry.name, "title": connector.title, "description": connector.description,
            "operations": connector.operations.len(), "own": own, "file": entry.file,
        }),
        Err(why) => json!({ "name": entry.name, "own": own, "file": entry.file, "problem": why }),
    }
}

fn list(output: &Output, data: &Path) -> Done {
    let entries = connectors::all(Some(data));
    if output.json {
        output.value(&Value::Array(entries.iter().map(row).collect()));
        return Ok(OK);
    }
    for entry in &entries {
        let own = if entry.file.is_some() { "own" } else { "" };
        let line = match &entry.connector {
            Ok(connector) => format!(
                "{:<20} {:>5} {:<4} {}: {}",
                entry.name,
                connector.operations.len(),
                own,
                plain(&connector.title),
                plain(&connector.description)
            ),
            Err(why) => {
                format!(
                    "{:<20} {:>5} {own:<4} {} {}",
                    entry.name,
                    "-",
                    output.paint("cannot be used:", Tone::Bad),
                    plain(why)
                )
            }
        };
        output.line(line.trim_end());
    }
    Ok(OK)
}

fn show(output: &Output, data: &Path, name: &str, operation: Option<&str>, file: bool) -> Done {
    let entry = connectors::find(Some(data), name).ok_or_else(|| {
        ApiError::not_found(format!("There is no connector {name}; `signalbox connectors list` shows all."))
    })?;
    if file {
        output.line(connectors::file_text(&entry)?.trim_end());
        return Ok(OK);
    }
    let connector = entry.connector.as_ref().map_err(|why| {
        ApiError::bad_request(format!("The connector {name} cannot be used: {why}."), "Correct its file.")
    })?;
    let Some(wanted) = operation else {
        if output.json {
            output.value(&json!(connector));
        } else {
            overview(output, connector, &entry);
        }
        return Ok(OK);
    };
    let found = connector.operations.get(wanted).ok_or_else(|| {
        ApiError::not_found(format!(
            "{} has no operation {wanted}; `signalbox connectors show {name}` lists all.",
            connector.title
        ))
    })?;
    if output.json {
        output.value(&json!({
            "connector": name, "operation": wanted, "title": found.title, "effects": found.effect(),
            "params": params_schema(connector, found), "output": output_schema(connector, found),
        }));
    } else {
        details(output, wanted, found);
    }
    Ok(OK)
}

fn overview(output: &Output, connector: &Connector, entry: &Entry) {
    output.line(&format!("{} — {}", plain(&connector.title), plain(&connector.description)));
    if let Some(docs) = &connector.docs {
        output.line(&format!("API: {}", plain(docs)));
    }
    if let Some(file) = &entry.file {
        output.line(&format!("File: {}", plain(&file.display().to_string())));
    }
    for server in &connector.servers {
        output.line(&format!("Address: {}", plain(&server.url)));
        for (name, variable) in &server.variables {
            output.line(&format!("  {name}: {}", plain(variable.description.as_deref().unwrap_or_default())));
        }
    }
    for scheme in &connector.auth {
        output.line(&format!("Credential: {}", plain(scheme.description.as_deref().unwrap_or("a secret"))));
    }
    for (group, names) in connectors::groups(connector) {
        output.line("");
        if !group.is_empty() {
            output.line(&output.paint(&plain(&group), Tone::Quiet));
        }
        for name in names {
            let title = connector.operations.get(name).map_or("", |operation| operation.title.as_str());
            output.line(&format!("  {name:<32} {}", plain(title)));
        }
    }
}

fn details(output: &Output, name: &str, operation: &Operation) {
    output.line(&format!("{name} — {}", plain(&operation.title)));
    if !operation.description.is_empty() {
        output.line(&plain(&operation.description));
    }
    output.line(&format!("{} {}", operation.method, plain(&operation.path)));
    for parameter in in_order(operation) {
        let kind = match &parameter.schema["type"] {
            Value::String(kind) => kind.clone(),
            _ => "any".to_owned(),
        };
        let needed = if parameter.required { "required" } else { "" };
        output.line(
            format!("  {:<24} {kind:<8} {needed:<8} {}", plain(&parameter.name), plain(&parameter.description))
                .trim_end(),
        );
    }
    if let Some(body) = operation.body.as_ref().filter(|body| !body.schema.is_null()) {
        let needed = if body.required { "required" } else { "" };
        output.line(format!("  {:<24} {:<8} {needed:<8} {}", "body", "", plain(&body.description)).trim_end());
    }
}

fn tell(output: &Output, added: &Added) {
    let Added { connector, file, findings, more, left_out, .. } = added;
    if output.json {
        output.value(&json!({
            "name": connector.name, "title": connector.title, "operations": connector.operations.len(),
            "file": file, "leftOut": left_out, "findings": findings, "moreFindings": more,
        }));
        return;
    }
    output.line(&format!(
        "{}: {} operations of {}",
        connector.name,
        connector.operations.len(),
        plain(&connector.title)
    ));
    output.line(&format!("File: {}", plain(&file.display().to_string())));
    if *left_out > 0 {
        output.line(&format!("Left out: {left_out}"));
    }
    for finding in findings {
        output.line(&format!(
            "  {} {}\n    {}",
            output.paint("differs", Tone::Quiet),
            plain(&finding.path),
            plain(&finding.message)
        ));
    }
    if *more > 0 {
        output.line(&format!("  … and {more} more."));
    }
}
