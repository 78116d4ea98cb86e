//! The `mcp.json` that other programs use: `{"mcpServers": {"name": {"command", "args", "env"} | {"url", "headers"}}}`.

use super::name_of;
use crate::error::{ApiError, ApiResult};
use crate::host::credential_lint;
use serde_json::{Map, Value};
use signalbox_adapters::mcp::ToolServerDefinition;
use signalbox_engine::json;
use signalbox_model::secret_ref::{self, SCHEME};
use signalbox_model::text::without_bom;
use std::collections::BTreeMap;

/// Longest text.
const LONGEST: usize = 256 * 1024;

/// A server of the text.
pub(super) struct Found {
    pub(super) name: String,
    /// Or why it is left out.
    pub(super) definition: Result<ToolServerDefinition, String>,
    /// What has to be done.
    pub(super) notes: Vec<String>,
}

/// The servers of a text.
pub(super) fn servers(text: &str) -> ApiResult<Vec<Found>> {
    let wrong = |why: &str| {
        ApiError::bad_request(
            format!("This is no list of tool servers: {why}."),
            "Paste the text of an mcp.json: {\"mcpServers\": {\"files\": {\"command\": \"npx\", \"args\": [\"…\"]}}}.",
        )
    };
    if text.len() > LONGEST {
        return Err(wrong("it is too long"));
    }
    let unread =
        |error: json::JsonError| wrong(&format!("in line {}, column {}, {}", error.line, error.column, error.message));
    let value = json::parse(without_bom(text)).map_err(unread)?;
    let named = ["mcpServers", "servers"].iter().find_map(|key| value.get(key)?.as_object());
    let servers = named.ok_or_else(|| wrong("it has no \"mcpServers\""))?;
    if servers.is_empty() {
        return Err(wrong("\"mcpServers\" is empty"));
    }
    Ok(servers.iter().map(|(name, given)| found(name, given)).collect())
}

fn found(given_name: &str, given: &Value) -> Found {
    // Names of other programs may have spaces.
    let name: String = given_name.trim().chars().map(|c| if c.is_whitespace() || c == '/' { '-' } else { c }).collect();
    let mut notes = Vec::new();
    let definition = match (name_of(&name), given.as_object()) {
        (Err(error), _) => Err(error.message),
        (_, None) => Err("it is not a JSON object.".to_owned()),
        (Ok(name), Some(fields)) => read(&name, fields, &mut notes),
    };
    Found { name, definition, notes }
}

fn read(name: &str, fields: &Map<String, Value>, notes: &mut Vec<String>) -> Result<ToolServerDefinition, String> {
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    let says = |key: &str, what: bool| fields.get(key).and_then(Value::as_bool) == Some(what);
    for (key, what) in [("disabled", true), ("enabled", false)] {
        if says(key, what) {
            return Err(format!(
                "it is switched off there (\"{key}\": {what}). Paste it without that, or add it by hand, if you want it here."
            ));
        }
    }
    if let Some(url) = text("url").or_else(|| text("serverUrl")) {
        if fields.get("type").and_then(Value::as_str) == Some("sse") {
            return Err(
                "the old SSE transport is not spoken here; ask the server for its streamable HTTP address.".into()
            );
        }
        if fields.get("headers").and_then(Value::as_object).is_some_and(|headers| !headers.is_empty()) {
            notes.push(format!(
                "'{name}': its headers were left out. Keep the credential as a secret, and choose it for the server."
            ));
        }
        return Ok(ToolServerDefinition::Http { url, credential: None, sign_in: None });
    }
    let command = text("command").ok_or("it has neither a \"command\" nor a \"url\".")?;
    let args = match fields.get("args") {
        None => Vec::new(),
        Some(Value::Array(args)) => args
            .iter()
            .map(|arg| arg.as_str().map(str::to_owned).ok_or_else(|| "an argument is no text.".to_owned()))
            .collect::<Result<_, _>>()?,
        Some(_) => return Err("its \"args\" are no list.".into()),
    };
    let mut env = BTreeMap::new();
    for (variable, value) in fields.get("env").and_then(Value::as_object).into_iter().flatten() {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return Err(format!("the variable '{variable}' is no text.")),
        };
        if secret_ref::reference(&value).is_none()
            && (credential_lint::variable(variable, &value) || value.contains("${"))
        {
            notes.push(format!(
                "'{name}': the text of '{variable}' was left out, because it is a credential. Keep it as a secret, and write \
                 {SCHEME}NAME for the variable."
            ));
            continue;
        }
        env.insert(variable.clone(), value);
    }
    Ok(ToolServerDefinition::Stdio { command, args, env, cwd: text("cwd") })
}
