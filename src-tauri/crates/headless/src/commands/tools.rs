//! `tools list | available | call | set | import | connect | approve | say | sign-in | sign-out | delete`: servers of tools on
//! this machine.

use super::run::follow;
use super::sign_in::wait;
use super::{Done, input};
use crate::args::{SignIn, Statement, Tools};
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller};
use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// Longest file of servers, in bytes.
const LONGEST: u64 = 1024 * 1024;

pub(crate) async fn tools(app: &Arc<App>, output: &Output, command: &Tools) -> Done {
    let caller = Caller::terminal(None)?;
    let run = |name: &'static str, request: Value| {
        let caller = caller.clone();
        async move { app.dispatch(&caller, name, request).await }
    };
    match command {
        Tools::List => list(output, &run("tool_server_list", json!({})).await?),
        Tools::Available => available(output, &run("tool_list", json!({})).await?),
        Tools::Call { server, tool, args } => {
            let arguments = args.as_deref().map_or(Ok(json!({})), |given| input::value("--args", given))?;
            if !arguments.is_object() {
                let hint = "Write it like --args '{\"path\": \"a.txt\"}'.";
                return Err(ApiError::bad_request("The arguments of a tool must be a JSON object.", hint));
            }
            // As data of the run: nothing in them is read as an expression.
            let config = json!({ "server": server, "tool": tool, "arguments": "=params" });
            let document = json!({
                "signalbox": 1, "id": "tools-call", "name": format!("Call {tool}"),
                "settings": { "errorPolicy": "fail" }, "nodes": { "call": { "type": "mcp.tool", "config": config } }, "edges": [],
            });
            let started = run("run_start", json!({ "document": document, "params": arguments })).await?;
            return follow(app, output, started["runId"].as_str().unwrap_or_default(), false).await;
        }
        Tools::Set { name, url, credential, sign_in, env, cwd, command } => {
            let definition = definition(url.as_deref(), credential.as_deref(), sign_in, env, cwd.as_deref(), command)?;
            let kept = run("tool_server_set", json!({ "name": name, "definition": definition })).await?;
            told(output, &kept, &format!("Saved. Review and approve it: signalbox tools approve {name}"));
        }
        Tools::Import { file } => {
            let done = run("tool_server_import", json!({ "text": text(file)? })).await?;
            if output.json {
                output.value(&done);
            } else {
                for name in words(&done["added"]) {
                    output.line(&format!("{name} was added; it is not approved yet."));
                }
                for note in words(&done["notes"]) {
                    output.line(&output.paint(&note, Tone::Warn));
                }
            }
        }
        Tools::Connect { name } => {
            let found = run("tool_server_connect", start(&run("tool_server_list", json!({})).await?, name)).await?;
            if output.json {
                output.value(&found);
            } else {
                show(output, &found);
            }
            return Ok(if found["trouble"].is_null() { OK } else { FAILED });
        }
        Tools::Approve { name, hash } => {
            let hash = match hash {
                Some(hash) => hash.clone(),
                // One line of JSON holds no question.
                None if output.json => return Err(nobody_asked()),
                None => {
                    let all = run("tool_server_list", json!({})).await?;
                    let found = run("tool_server_connect", start(&all, name)).await?;
                    show(output, &found);
                    if !found["trouble"].is_null() || !agreed()? {
                        return Ok(FAILED);
                    }
                    found["hash"].as_str().unwrap_or_default().to_owned()
                }
            };
            let kept = run("tool_server_approve", json!({ "name": name, "hash": hash })).await?;
            told(output, &kept, &format!("{name} was approved. Steps can call its tools."));
        }
        Tools::SignIn { name } => sign_in(app, &caller, output, name).await?,
        Tools::SignOut { name } => {
            let done = run("tool_server_sign_out", json!({ "name": name })).await?;
            let taken = if done["revoked"] == true { " Its tokens were revoked." } else { "" };
            told(output, &done, &format!("Signed out of {name}.{taken}"));
            if let Some(note) = done["note"].as_str().filter(|_| !output.json) {
                output.line(&output.paint(&plain(note), Tone::Warn));
            }
        }
        Tools::Say { server, tool, private, sends, outside, understood } => {
            let all = run("tool_server_list", json!({})).await?;
            let known = all.as_array().into_iter().flatten().find(|one| one["name"] == server.as_str());
            let known = known.ok_or_else(|| no_server(server))?;
            let tools = known["tools"].as_array().into_iter().flatten();
            let mut word = tools.filter(|one| one["name"] == tool.as_str()).map(|one| one["said"].clone()).next();
            let word = word.get_or_insert_default();
            if word.is_null() {
                *word = json!({});
            }
            for (field, said) in [("bearsSecrets", private), ("isEgress", sends), ("isUntrusted", outside)] {
                match said {
                    None => {}
                    Some(Statement::Guess) => drop(word.as_object_mut().and_then(|word| word.remove(field))),
                    Some(said) => word[field] = json!(*said == Statement::Yes),
                }
            }
            let request =
                json!({ "name": server, "hash": known["hash"], "tool": tool, "word": word, "understood": understood });
            let kept = run("tool_server_say", request).await?;
            told(output, &kept, &format!("Saved. {server}/{tool} is treated as you stated."));
        }
        Tools::Delete { name } => {
            run("tool_server_delete", json!({ "name": name })).await?;
            told(output, &json!({ "name": name, "deleted": true }), &format!("{name} was deleted."));
        }
    }
    Ok(OK)
}

/// Asks a server what it is: whoever names it at the terminal approves how it is started now.
fn start(all: &Value, name: &str) -> Value {
    let known = all.as_array().into_iter().flatten().find(|one| one["name"] == name);
    json!({ "name": name, "start": known.map(|one| &one["definition"]) })
}

/// Begins a sign-in and waits for its end: the browser comes back, or somebody pastes where it was sent to.
async fn sign_in(app: &Arc<App>, caller: &Caller, output: &Output, name: &str) -> Result<(), ApiError> {
    let begun = app.dispatch(caller, "tool_server_sign_in", json!({ "name": name })).await?;
    wait((app, caller, output), &begun, "tool_server_sign_in_finish", app.signed_in(name)).await?;
    let all = app.dispatch(caller, "tool_server_list", json!({})).await?;
    let server = all.as_array().into_iter().flatten().find(|one| one["name"] == name).cloned().unwrap_or_default();
    let issuer = plain(server["signIn"]["issuer"].as_str().unwrap_or_default());
    told(
        output,
        &server,
        &format!("Signed in to {name} at {issuer}. Review and approve it: signalbox tools approve {name}"),
    );
    Ok(())
}

fn told(output: &Output, value: &Value, words: &str) {
    if output.json {
        output.value(value);
    } else {
        output.line(words);
    }
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(plain).collect()
}

fn definition(
    url: Option<&str>,
    credential: Option<&str>,
    sign_in: &SignIn,
    env: &[String],
    cwd: Option<&str>,
    command: &[String],
) -> Result<Value, ApiError> {
    if let Some(url) = url {
        let mut definition = json!({ "transport": "http", "url": url });
        if let Some(credential) = credential {
            definition["credential"] = json!(credential);
        }
        let told = [
            ("clientId", &sign_in.client_id),
            ("clientSecret", &sign_in.client_secret),
            ("privateKey", &sign_in.client_key),
            ("clientMetadata", &sign_in.client_metadata),
            ("issuer", &sign_in.issuer),
        ];
        for (key, value) in told {
            if let Some(value) = value {
                definition["signIn"][key] = json!(value);
            }
        }
        if sign_in.unattended {
            definition["signIn"]["unattended"] = json!(true);
        }
        return Ok(definition);
    }
    let mut variables = serde_json::Map::new();
    for pair in env {
        let (name, text) = pair.split_once('=').ok_or_else(|| {
            ApiError::bad_request(
                format!("'{pair}' has no variable name."),
                "Write --env NAME=TEXT or NAME=secret://NAME.",
            )
        })?;
        variables.insert(name.to_owned(), text.into());
    }
    let (program, args) = command.split_first().ok_or_else(|| {
        ApiError::bad_request("The program is missing.", "Write it after --, or pass an address with --url.")
    })?;
    let mut definition = json!({ "transport": "stdio", "command": program, "args": args, "env": variables });
    if let Some(cwd) = cwd {
        definition["cwd"] = json!(cwd);
    }
    Ok(definition)
}

fn text(file: &Path) -> Result<String, ApiError> {
    let mut text = String::new();
    // One more than may be: what was cut would be told as broken JSON.
    let read = if file.as_os_str() == "-" {
        std::io::stdin().take(LONGEST + 1).read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|opened| opened.take(LONGEST + 1).read_to_string(&mut text))
    };
    read.map_err(|error| {
        let message = format!("{} cannot be read: {error}.", file.display());
        ApiError::bad_request(message, "Pass an existing mcp.json, or - for standard input.")
    })?;
    if text.len() as u64 > LONGEST {
        let message = format!("{} is longer than {} KiB.", file.display(), LONGEST >> 10);
        return Err(ApiError::bad_request(message, "Keep only the servers that you need."));
    }
    Ok(text)
}

fn no_server(name: &str) -> ApiError {
    ApiError::bad_request(format!("There is no tool server '{name}'."), "`signalbox tools list` shows all.")
}

fn nobody_asked() -> ApiError {
    ApiError::bad_request(
        "There is no terminal to ask for confirmation.",
        "Pass the hash of what you approve: --hash HASH, as shown by `signalbox tools connect NAME --json`.",
    )
}

fn agreed() -> Result<bool, ApiError> {
    if !std::io::stdin().is_terminal() {
        return Err(nobody_asked());
    }
    print!("Approve it? [y/N] ");
    // A question that cannot be shown is answered with no.
    drop(std::io::stdout().flush());
    let mut answer = String::new();
    Ok(std::io::stdin().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn state(output: &Output, server: &Value) -> String {
    let state = server["state"].as_str().unwrap_or_default();
    let tone = match state {
        "approved" => Tone::Good,
        "changed" => Tone::Bad,
        _ => Tone::Warn,
    };
    output.paint(&format!("{state:<8}"), tone)
}

fn how(server: &Value) -> String {
    let definition = &server["definition"];
    match definition["url"].as_str() {
        Some(url) => plain(url),
        None => {
            let program = definition["command"].as_str().unwrap_or_default();
            let all = std::iter::once(plain(program)).chain(words(&definition["args"]));
            all.map(|word| if word.contains(' ') || word.is_empty() { format!("'{word}'") } else { word })
                .collect::<Vec<_>>()
                .join(" ")
        }
    }
}

fn list(output: &Output, all: &Value) {
    if output.json {
        output.value(all);
        return;
    }
    let all = all.as_array().map(Vec::as_slice).unwrap_or_default();
    if all.is_empty() {
        output.line("No tool servers. Add one with `signalbox tools set NAME -- COMMAND`.");
    }
    for one in all {
        let name = plain(one["name"].as_str().unwrap_or_default());
        let tools = one["tools"].as_array().map_or(0, Vec::len);
        output.line(&format!("{name:<20} {} {tools} tools  {}", state(output, one), how(one)));
        trouble(output, one);
    }
}

fn trouble(output: &Output, server: &Value) {
    if let Some(message) = server["trouble"]["message"].as_str() {
        output.line(&output.paint(&format!("  {}", plain(message)), Tone::Bad));
    }
    for line in server["trouble"]["stderr"].as_str().unwrap_or_default().lines() {
        output.line(&format!("  | {}", plain(line)));
    }
}

fn show(output: &Output, server: &Value) {
    let definition = &server["definition"];
    output.line(&format!("{}  {}", plain(server["name"].as_str().unwrap_or_default()), state(output, server)));
    output.line(&format!("  {}", how(server)));
    for (name, value) in definition["env"].as_object().into_iter().flatten() {
        output.line(&format!("  {}={}", plain(name), plain(value.as_str().unwrap_or_default())));
    }
    for key in ["cwd", "credential"] {
        if let Some(text) = definition[key].as_str() {
            output.line(&format!("  {key}: {}", plain(text)));
        }
    }
    if let Some(state) = server["signIn"]["state"].as_str() {
        let known = ["by", "issuer", "at"].into_iter().filter_map(|key| server["signIn"][key].as_str()).map(plain);
        let rights = words(&server["signIn"]["scopes"]).join(" ");
        let facts: Vec<String> = known.chain((!rights.is_empty()).then_some(rights)).collect();
        output.line(&format!("  sign-in: {}", [vec![state.to_owned()], facts].concat().join(", ")));
        if let Some(why) = server["signIn"]["message"].as_str() {
            output.line(&output.paint(&format!("  {}", plain(why)), Tone::Bad));
        }
    }
    trouble(output, server);
    for tool in server["tools"].as_array().into_iter().flatten() {
        let text = |key: &str| plain(tool[key].as_str().unwrap_or_default());
        output.line(&format!("  {}: {}", text("name"), text("description")));
        for line in beside(tool) {
            output.line(&format!("    {line}"));
        }
    }
    for change in server["changes"].as_array().into_iter().flatten() {
        let what = [&change["tool"], &change["field"]].into_iter().filter_map(Value::as_str).map(plain);
        output.line(&output.paint(&format!("  changed: {}", what.collect::<Vec<_>>().join(", ")), Tone::Warn));
        for (sign, side) in [("-", "before"), ("+", "after")] {
            for line in change[side].as_str().unwrap_or_default().lines() {
                output.line(&format!("    {sign} {}", plain(line)));
            }
        }
    }
    if let Some(hash) = server["hash"].as_str() {
        output.line(&format!("  hash: {}", plain(hash)));
    }
}

/// What else an approval of a tool holds. Words that steer a model hide in descriptions of parameters, too.
fn beside(tool: &Value) -> Vec<String> {
    let mut lines: Vec<String> =
        tool["title"].as_str().map(|title| format!("title: {}", plain(title))).into_iter().collect();
    let hints = ["readOnly", "idempotent", "destructive"].into_iter().filter(|hint| tool[*hint] == true);
    let hints = hints.collect::<Vec<_>>().join(", ");
    if !hints.is_empty() {
        lines.push(format!("declared: {hints}"));
    }
    for (key, name) in [("inputSchema", "takes"), ("outputSchema", "answers")] {
        if let Some(schema) = tool.get(key).filter(|schema| schema.is_object()) {
            lines.push(format!("{name}:"));
            let text = serde_json::to_string_pretty(schema).unwrap_or_default();
            lines.extend(text.lines().map(|line| format!("  {}", plain(line))));
        }
    }
    lines
}

fn available(output: &Output, all: &Value) {
    if output.json {
        output.value(all);
        return;
    }
    let all = all.as_array().map(Vec::as_slice).unwrap_or_default();
    if all.is_empty() {
        output.line("No tools. Approve a server first: `signalbox tools list` shows them.");
    }
    for tool in all {
        let text = |key: &str| plain(tool[key].as_str().unwrap_or_default());
        output.line(&format!("{}/{}  {}", text("server"), text("name"), text("description")));
    }
}
