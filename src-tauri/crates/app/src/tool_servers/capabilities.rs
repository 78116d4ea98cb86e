//! A person's own word on a tool of an approved server: whether it reads private data, can send data out, brings text from outside
//! (ADR 64). What makes the rules looser than what is guessed is said back in a sentence first.

use super::approval::Approved;
use super::{here, unknown};
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{Tool, ToolServer, ToolServerSay};
use crate::error::{ApiError, ApiResult, Class};
use serde_json::json;
use signalbox_adapters::mcp::{ToolServerDefinition, ToolWord};
use signalbox_model::AuditEvent;
use signalbox_store::audit::Level;

/// What a word takes away of what is guessed, a sentence each, with the name of its field.
fn loosened(tool: &Tool, word: &ToolWord, may_be_signed_in: bool) -> Vec<(&'static str, String)> {
    let name = format!("{}/{}", tool.server, tool.name);
    let guess = tool.guess;
    let mut found = Vec::new();
    if (guess.bears_secrets || may_be_signed_in) && word.bears_secrets == Some(false) {
        found.push((
            "bearsSecrets",
            format!("You say that '{name}' reads nothing private, although its server has a credential, or somebody may sign in there."),
        ));
    }
    if guess.is_egress && word.is_egress == Some(false) {
        let why = if tool.open_world {
            "its server does not say that it keeps to its own"
        } else {
            "its server is not on this machine"
        };
        found.push(("isEgress", format!("You say that '{name}' sends nothing out, although {why}.")));
    }
    if guess.is_untrusted && word.is_untrusted == Some(false) {
        let text = format!("You say that all that '{name}' answers is written by people whom you trust.");
        found.push(("isUntrusted", text));
    }
    found
}

fn not_understood(sentences: &[(&'static str, String)]) -> ApiError {
    let said: Vec<&str> = sentences.iter().map(|(_, text)| text.as_str()).collect();
    let message = format!(
        "{} A model that follows hidden instructions could then send secrets out with this tool without asking a person.",
        said.join(" ")
    );
    ApiError::new(
        Class::Conflict,
        "LOOSENS",
        message,
        "Say it again with `understood` (at a terminal: --understood) if that is so.",
    )
}

impl App {
    /// Keeps what a person says of a tool, with the approval of its server.
    pub(crate) fn tool_server_say(&self, caller: &Caller, request: ToolServerSay) -> ApiResult<ToolServer> {
        here(caller)?;
        let ToolServerSay { name, hash, tool, word, understood } = request;
        let row = self.store.tool_server(&name)?.ok_or_else(|| unknown(&name))?;
        let server = self.tool_server_told(row)?;
        let known = server.tools.iter().find(|one| one.name == tool).ok_or_else(|| {
            ApiError::not_found(format!(
                "The tool server '{name}' has no tool '{tool}'; `signalbox tools available` shows all."
            ))
        })?;
        // Who signs in later brings what is private.
        let may_be_signed_in = matches!(&server.definition, ToolServerDefinition::Http { credential: None, .. });
        let looser = loosened(known, &word, may_be_signed_in);
        if !looser.is_empty() && !understood {
            return Err(not_understood(&looser));
        }
        let fields: Vec<&str> = looser.iter().map(|(field, _)| *field).collect();
        let facts = json!({ "name": name, "tool": tool, "before": known.said, "after": word, "loosened": fields });
        let level = if looser.is_empty() { Level::Info } else { Level::Warn };
        let record = self.fact(AuditEvent::ToolWordSet, level, caller.actor(), caller.signed(facts));
        let gone = unknown(&name);
        let row = self.store.tool_server_change(&name, move |row| {
            let mut row = row.ok_or(gone)?;
            let approved = Approved::of(&row).filter(|one| row.blocked.is_none() && one.definition == row.definition);
            let mut approved = approved.filter(|one| one.hash == hash).ok_or_else(|| {
                ApiError::new(
                    Class::Conflict,
                    "CONFLICT",
                    "The server is not approved as it was shown, so the capabilities of its tools cannot be set.",
                    "Look at what it is now and approve that first.",
                )
            })?;
            let before = approved.words.get(&tool).copied().unwrap_or_default();
            if before == word {
                return Ok((row, None));
            }
            if word.is_empty() {
                approved.words.remove(&tool);
            } else {
                approved.words.insert(tool, word);
            }
            row.approved = Some(approved.kept());
            Ok::<_, ApiError>((row, Some(record)))
        })??;
        self.tool_server_told(row)
    }
}
