//! Servers of tools: registered by a person on this machine, asked what they are, and approved as they were shown. The
//! approval holds for exactly that: one changed character of how a server is started, or of what it says of its tools, and
//! nothing is called until a person approves it again (TRUST, "MCP client side").

mod approval;
mod available_tools;
mod capabilities;
mod exfiltration;
mod for_export;
mod mcp_json;
mod missing_tools;
mod registry;
mod sign_in;
mod sign_in_state;
mod sign_in_store;
mod skills;
mod start;
mod unusable;

use crate::app::App;
use crate::audit::facts::STORE_LEVEL;
use crate::caller::Caller;
use crate::dto::{Empty, ToolServer, ToolServerState, ToolServerTrouble, ToolServersImported};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::{credential_lint, outgoing};
use approval::{Approved, Seen};
use serde_json::{Value, json};
use signalbox_adapters::mcp::{PASSED_ON, ToolServerDefinition};
use signalbox_model::{AuditEvent, secret_ref, time};
use signalbox_store::ToolServerRow;
use signalbox_store::audit::{Actor, Level, RUN_LEVEL, Record};

pub(crate) use exfiltration::named;
pub(crate) use for_export::Approvals;
pub(crate) use missing_tools::server_of;
pub(crate) use registry::{BookOnThread, ToolBook};

/// Servers of one store.
const MOST: usize = 100;
/// Longest text of a definition.
const LONGEST: usize = 8 * 1024;

fn unknown(name: &str) -> ApiError {
    ApiError::not_found(format!("There is no tool server '{name}'. `signalbox tools list` shows all."))
}

fn meanwhile(name: &str) -> ApiError {
    let message = format!("The tool server '{name}' was changed while it was asked what it is.");
    ApiError::new(Class::Conflict, "CONFLICT", message, "Look at how it is started or reached now, and ask again.")
}

fn name_of(given: &str) -> ApiResult<String> {
    let name = given.trim();
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
    if first && name.len() <= 64 && name.chars().all(good) {
        return Ok(name.to_owned());
    }
    let message = format!("'{}' is no name for a tool server.", name.chars().take(80).collect::<String>());
    Err(ApiError::bad_request(message, "Use letters, digits, '.', '_' and '-', at most 64, a letter or digit first."))
}

fn definition_of(row: &ToolServerRow) -> Option<ToolServerDefinition> {
    serde_json::from_value(row.definition.clone()).ok()
}

/// Keeps what a server says of itself now. A server that is not what was approved is blocked from here on, and the first time
/// that this is seen is recorded.
fn see(row: &mut ToolServerRow, seen: Seen) -> Option<Record> {
    let before = Approved::of(row).filter(|before| before.hash != approval::hash(&row.definition, &seen.tools));
    let record = before.filter(|_| row.blocked.is_none()).map(|before| {
        let hash = approval::hash(&row.definition, &seen.tools);
        let changes = approval::named(&approval::changes(&before, &row.definition, &seen.tools));
        let facts = json!({ "name": row.name, "hash": hash, "approved": before.hash, "changes": changes });
        row.blocked = Some(hash);
        let at = time::format(seen.at_ms);
        Record::new(at, STORE_LEVEL, RUN_LEVEL, AuditEvent::ToolServerBlocked, Level::Warn, Actor::system())
            .with_metadata(facts.as_object().cloned().unwrap_or_default())
    });
    row.seen = Some(seen.kept());
    record
}

/// Refuses who is not on this machine: a server runs here, as the person who works here.
fn here(caller: &Caller) -> ApiResult<()> {
    if caller.here {
        return Ok(());
    }
    Err(ApiError::forbidden(
        "Tool servers are registered and approved by a person on this machine.",
        "Do it in the window, with `signalbox tools`, or through an address of this machine.",
    ))
}

impl App {
    fn tool_server_told(&self, row: ToolServerRow) -> ApiResult<ToolServer> {
        let definition = definition_of(&row).ok_or_else(|| {
            let message = format!("The tool server '{}' cannot be read.", row.name);
            ApiError::unavailable("STORE_DAMAGED", message, "Delete it and add it again.")
        })?;
        let (approved, seen) = (Approved::of(&row), Seen::of(&row));
        let tools: &[Value] = seen.as_ref().map_or(&[], |seen| &seen.tools);
        let hash = seen.as_ref().map(|seen| approval::hash(&row.definition, &seen.tools));
        // Of what is shown: what an approval of it would keep.
        let words = approved.as_ref().map(|approved| approval::words_kept(approved, &row.definition, tools));
        let words = words.unwrap_or_default();
        let changes = match (&approved, &seen) {
            (Some(approved), Some(seen)) => approval::changes(approved, &row.definition, &seen.tools),
            (Some(approved), None) => approval::changes(approved, &row.definition, &approved.tools),
            _ => Vec::new(),
        };
        let state = match &approved {
            None => ToolServerState::New,
            Some(_) if row.blocked.is_none() && changes.is_empty() => ToolServerState::Approved,
            Some(_) => ToolServerState::Changed,
        };
        Ok(ToolServer {
            state,
            server: seen.as_ref().and_then(|seen| seen.server.clone()),
            seen_at: seen.as_ref().map(|seen| time::format(seen.at_ms)),
            tools: hash
                .as_deref()
                .map_or_else(Vec::new, |hash| available_tools::told(&row, &definition, &words, hash, tools)),
            hash,
            changes,
            approved_by: approved.as_ref().map(|approved| approved.by.clone()),
            approved_at: approved.as_ref().map(|approved| time::format(approved.at_ms)),
            trouble: row.trouble.and_then(|trouble| serde_json::from_value::<ToolServerTrouble>(trouble).ok()),
            sign_in: sign_in::told(&self.sign_ins, &row.name, row.sign_in.as_ref()),
            passed_on: match definition {
                ToolServerDefinition::Stdio { .. } => PASSED_ON.iter().map(|name| (*name).to_owned()).collect(),
                ToolServerDefinition::Http { .. } => Vec::new(),
            },
            definition,
            name: row.name,
            made_by: row.made_by,
            made_at: time::format(row.made_ms),
        })
    }

    /// All servers.
    pub(crate) fn tool_servers_now(&self) -> ApiResult<Vec<ToolServer>> {
        self.store.tool_servers()?.into_iter().map(|row| self.tool_server_told(row)).collect()
    }

    /// Registers a server or changes how it is started or reached.
    pub(crate) fn tool_server_set(
        &self,
        caller: &Caller,
        name: &str,
        definition: ToolServerDefinition,
    ) -> ApiResult<ToolServer> {
        here(caller)?;
        let name = name_of(name)?;
        self.tool_server_good(&definition)?;
        let others = self.store.tool_servers()?;
        if others.len() >= MOST && !others.iter().any(|row| row.name == name) {
            let message = format!("There are {MOST} tool servers already.");
            return Err(ApiError::new(Class::Conflict, "TOO_MANY_TOOL_SERVERS", message, "Delete one first."));
        }
        let kept = json!(definition);
        // Texts of variables and arguments stay out of the chain: it is shown to many, and forgets nothing.
        let shown = match &definition {
            ToolServerDefinition::Stdio { command, args, env, cwd } => {
                json!({ "transport": "stdio", "command": command, "args": args.len(), "env": env.keys().collect::<Vec<_>>(), "cwd": cwd })
            }
            ToolServerDefinition::Http { url, credential, sign_in } => {
                json!({ "transport": "http", "url": outgoing::shown(url), "credential": credential, "signIn": sign_in })
            }
        };
        let (by, now, own) = (caller.principal.clone(), self.now_ms(), name.clone());
        let facts = |replaced: bool| caller.signed(json!({ "name": name, "server": shown, "replaced": replaced }));
        let records = [false, true]
            .map(|replaced| self.fact(AuditEvent::ToolServerSet, Level::Info, caller.actor(), facts(replaced)));
        let before = others.into_iter().find(|row| row.name == name);
        let row = self.store.tool_server_change(&name, move |before| {
            let [added, replaced] = records;
            Ok::<_, ApiError>(match before {
                Some(before) if before.definition == kept => (before, None),
                Some(before) => (
                    ToolServerRow { definition: kept, seen: None, trouble: None, sign_in: None, ..before },
                    Some(replaced),
                ),
                None => {
                    let row = ToolServerRow {
                        name: own,
                        definition: kept,
                        approved: None,
                        seen: None,
                        blocked: None,
                        trouble: None,
                        sign_in: None,
                        made_by: by,
                        made_ms: now,
                    };
                    (row, Some(added))
                }
            })
        })??;
        self.wait_for(self.tools.forget(&name))?;
        // Whoever signed in did so at the address that was there.
        if before.is_some_and(|before| before.definition != row.definition) {
            self.sign_in_dropped(&name);
        }
        self.tool_server_told(row)
    }

    /// Whether an argument names the data folder or something in it, by itself or behind `=`.
    fn leads_to_data(&self, argument: &str) -> bool {
        let paths = std::iter::once(argument).chain(argument.split_once('=').map(|(_, value)| value));
        paths.map(std::path::Path::new).any(|path| path.is_absolute() && self.is_closed(path))
    }

    /// Refuses a definition that cannot work, or would keep a secret readable.
    fn tool_server_good(&self, definition: &ToolServerDefinition) -> ApiResult<()> {
        let bad =
            |message: String| Err(ApiError::bad_request(message, "Nothing was kept. Correct it and send it again."));
        let size = json!(definition).to_string().len();
        if size > LONGEST {
            return bad(format!("The definition has {size} bytes; {LONGEST} are the most."));
        }
        match definition {
            ToolServerDefinition::Stdio { command, args, env, cwd } => {
                if command.trim().is_empty() || command.contains('\0') || args.iter().any(|arg| arg.contains('\0')) {
                    return bad("The server has no program that can be started.".into());
                }
                if cwd.as_ref().is_some_and(|cwd| !std::path::Path::new(cwd).is_absolute()) {
                    return bad("The working folder of the server must be an absolute path.".into());
                }
                if let Some(closed) = cwd.iter().chain(args).find(|text| self.leads_to_data(text)) {
                    return bad(format!(
                        "'{closed}' leads to the data folder of Signalbox, which is closed to tools: it holds the secrets, the audit key and the history of all runs."
                    ));
                }
                for (variable, value) in env {
                    if variable.is_empty() || variable.contains(['=', '\0']) || value.contains('\0') {
                        return bad(format!(
                            "'{variable}' cannot be the name of a variable, or its text cannot be passed on."
                        ));
                    }
                    match secret_ref::reference(value) {
                        Some(_) => drop(self.known_secret(value)?),
                        None if credential_lint::variable(variable, value) => return Err(plain(variable)),
                        None => {}
                    }
                }
                match credential_lint::argument(args) {
                    Some(argument) => Err(plain_argument(&argument)),
                    None => Ok(()),
                }
            }
            ToolServerDefinition::Http { url, credential, sign_in } => {
                outgoing::address(url)?;
                if let Some(credential) = credential {
                    self.known_secret(credential)?;
                    if sign_in.is_some() {
                        return bad("A server gets a credential, or somebody signs in there: both are chosen.".into());
                    }
                }
                sign_in.as_ref().map_or(Ok(()), |sign_in| self.sign_in_good(sign_in))
            }
        }
    }

    /// Registers the servers of a pasted file. What is there already stays as it is.
    pub(crate) fn tool_server_import(&self, caller: &Caller, text: &str) -> ApiResult<ToolServersImported> {
        here(caller)?;
        let mut imported = ToolServersImported { added: Vec::new(), notes: Vec::new() };
        for found in mcp_json::servers(text)? {
            imported.notes.extend(found.notes);
            let name = found.name;
            if self.store.tool_server(&name)?.is_some() {
                imported.notes.push(format!("'{name}' is there already; it was not changed."));
                continue;
            }
            match found.definition {
                Ok(definition) => match self.tool_server_set(caller, &name, definition) {
                    Ok(_) => imported.added.push(name),
                    Err(error) => imported.notes.push(format!("'{name}' was left out: {}", error.message)),
                },
                Err(why) => imported.notes.push(format!("'{name}' was left out: {why}")),
            }
        }
        Ok(imported)
    }

    /// Deletes a server and its approval.
    pub(crate) fn tool_server_delete(&self, caller: &Caller, name: &str) -> ApiResult<Empty> {
        here(caller)?;
        let facts = caller.signed(json!({ "name": name }));
        let record = self.fact(AuditEvent::ToolServerDeleted, Level::Warn, caller.actor(), facts);
        if !self.store.tool_server_delete(name, record)? {
            return Err(unknown(name));
        }
        self.wait_for(self.tools.forget(name))?;
        self.sign_in_dropped(name);
        self.start_forgotten(name)?;
        Ok(Empty {})
    }

    /// Starts or reaches a server and asks what it is. What is wrong with it is kept and told. `start` is what the person saw.
    pub(crate) fn tool_server_connect(
        &self,
        caller: &Caller,
        name: &str,
        start: Option<&ToolServerDefinition>,
    ) -> ApiResult<ToolServer> {
        here(caller)?;
        let row = self.store.tool_server(name)?.ok_or_else(|| unknown(name))?;
        let definition = definition_of(&row).ok_or_else(|| unknown(name))?;
        self.start_approved(caller, &row, &definition, start)?;
        let asked = self.wait_for(self.tools.inspect(name, &definition))?;
        let (now, kept, gone, changed) = (self.now_ms(), row.definition, unknown(name), meanwhile(name));
        let scrubber = self.secrets.vault.scrubber();
        let row = self.store.tool_server_change(name, move |row| {
            let mut row = row.ok_or(gone)?;
            if row.definition != kept {
                return Err(changed);
            }
            let mut record = None;
            match asked {
                Ok(found) => {
                    let (server, tools) = (found.server.clone(), found.tools.clone());
                    record = see(&mut row, Seen { server, tools, at_ms: now });
                    row.trouble = None;
                }
                Err(failure) => {
                    let trouble = ToolServerTrouble {
                        message: scrubber.text(&failure.message).into_owned(),
                        stderr: failure.stderr.map(|text| scrubber.text(&text).into_owned()),
                        at: time::format(now),
                    };
                    row.trouble = Some(json!(trouble));
                }
            }
            Ok::<_, ApiError>((row, record))
        })??;
        self.tool_server_told(row)
    }

    /// Approves a server as it was shown.
    pub(crate) fn tool_server_approve(&self, caller: &Caller, name: &str, hash: &str) -> ApiResult<ToolServer> {
        here(caller)?;
        let row = self.store.tool_server(name)?.ok_or_else(|| unknown(name))?;
        let tools = Seen::of(&row).map_or(0, |seen| seen.tools.len());
        let facts = caller.signed(json!({ "name": name, "hash": hash, "tools": tools }));
        let record = self.fact(AuditEvent::ToolServerApproved, Level::Info, caller.actor(), facts);
        let (by, now, hash, gone) = (caller.principal.clone(), self.now_ms(), hash.to_owned(), unknown(name));
        let row = self.store.tool_server_change(name, move |row| {
            let mut row = row.ok_or(gone)?;
            let seen = Seen::of(&row).filter(|seen| approval::hash(&row.definition, &seen.tools) == hash);
            let seen = seen.ok_or_else(|| {
                ApiError::new(
                    Class::Conflict,
                    "CONFLICT",
                    "The server is not what was shown any more, or it was never asked what it is.",
                    "Connect to it, look at what it is now, and approve that.",
                )
            })?;
            let words = Approved::of(&row).map(|before| approval::words_kept(&before, &row.definition, &seen.tools));
            let approved = Approved {
                hash,
                definition: row.definition.clone(),
                tools: seen.tools,
                by,
                at_ms: now,
                words: words.unwrap_or_default(),
            };
            row.approved = Some(approved.kept());
            row.blocked = None;
            Ok::<_, ApiError>((row, Some(record)))
        })??;
        self.tool_server_told(row)
    }
}

fn plain(variable: &str) -> ApiError {
    let message = format!("The variable '{variable}' holds a credential. It would be readable in the data folder.");
    let hint = "Keep it as a secret (Settings, Secrets, or `signalbox secret set NAME`), and write secret://NAME here.";
    ApiError::new(Class::BadRequest, "PLAIN_CREDENTIAL", message, hint)
}

fn plain_argument(argument: &str) -> ApiError {
    let message = format!(
        "The argument '{argument}' holds a credential. It would be readable in the data folder and in the list of processes."
    );
    let hint = "Keep it as a secret (Settings, Secrets, or `signalbox secret set NAME`), and give it to the server as a variable \
                with the text secret://NAME; most servers read one.";
    ApiError::new(Class::BadRequest, "PLAIN_CREDENTIAL", message, hint)
}

#[cfg(test)]
mod tests;
