//! Servers of tools, and their tools. Every text of a server is text from outside: it is shown, never obeyed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_adapters::mcp::{ToolServerDefinition, ToolWord};

/// Registers a server, or changes how it is started or reached; it is asked and approved afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolServerSet {
    /// A new name, or one that is there.
    pub name: String,
    /// How it is started or reached.
    pub definition: ToolServerDefinition,
}

/// Asks for the skills of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillList {
    /// Id of the workflow that is granted the folder.
    pub workflow_id: String,
    /// `settings.skills`.
    pub folder: String,
}

/// A skill that agents of a workflow may unlock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillEntry {
    /// The tool that unlocks it: `learn_…`.
    pub name: String,
    /// Its description, or its heading and first words.
    pub about: String,
    /// Why it cannot be read: a model that unlocks it learns nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
}

/// Registers the servers of a pasted `mcp.json`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolServerImport {
    /// The text: `{"mcpServers": {…}}`.
    pub text: String,
}

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolServersImported {
    /// Names of the servers that are registered now. None of them is approved.
    pub added: Vec<String>,
    /// What was left out, or has to be done, a sentence each.
    pub notes: Vec<String>,
}

/// Names a server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolServerName {
    /// Its name.
    pub name: String,
}

/// Starts or reaches a server and asks what it is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolServerConnect {
    /// Its name.
    pub name: String,
    /// How it is started or reached, as the person saw it: this approves exactly that, in the window or at the terminal. Not
    /// needed when that was approved before.
    #[serde(default)]
    pub start: Option<ToolServerDefinition>,
}

/// Approves a server as it was shown.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolServerApprove {
    /// Its name.
    pub name: String,
    /// The hash of what was shown.
    pub hash: String,
}

/// Where a server stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolServerState {
    /// Nobody approved it yet.
    New,
    /// Steps may call its tools.
    Approved,
    /// It is not what was approved; steps may not call it.
    Changed,
}

/// A difference between what was approved and what a server is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolServerChange {
    /// The tool; absent for the server itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What of it: `command`, `args`, `description`, `inputSchema` …
    pub field: String,
    /// As it was approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// As it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The registered server.
    pub server: String,
    /// The tool at its server.
    pub name: String,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the server says of it.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// JSON Schema of the structured answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// It says that it changes nothing.
    pub read_only: bool,
    /// It says that twice is as once.
    pub idempotent: bool,
    /// It says that it may destroy.
    pub destructive: bool,
    /// It says that it reaches out into the world.
    pub open_world: bool,
    /// What it answers may be private.
    pub bears_secrets: bool,
    /// What it is given may leave this machine, or reach others.
    pub is_egress: bool,
    /// What it answers may be written by others.
    pub is_untrusted: bool,
    /// Why it is never called, whatever was approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
    /// What is guessed of the three, whatever a person says.
    pub guess: ToolGuess,
    /// What a person on this machine says of them; what is absent is guessed.
    #[serde(default, skip_serializing_if = "ToolWord::is_empty")]
    pub said: ToolWord,
}

/// What is guessed of a tool by the credential of its server, its place, and its hints (ADR 41).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolGuess {
    /// Its server was given a credential.
    pub bears_secrets: bool,
    /// Its server is far, or does not say that it keeps to its own.
    pub is_egress: bool,
    /// Always: nothing that a server says makes its answers an instruction.
    pub is_untrusted: bool,
}

/// Says of a tool of an approved server what it does with data (ADR 64).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolServerSay {
    /// The server.
    pub name: String,
    /// The hash of what was approved.
    pub hash: String,
    /// The tool, as its server names it.
    pub tool: String,
    /// All that is said of it from now on; what is absent is guessed.
    pub word: ToolWord,
    /// Whoever makes the rules looser than what is guessed has read what that means.
    #[serde(default)]
    pub understood: bool,
}

/// A registered server.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolServer {
    /// Its name; steps name it.
    pub name: String,
    /// How it is started or reached.
    pub definition: ToolServerDefinition,
    /// Where it stands.
    pub state: ToolServerState,
    /// The hash of how it is now, for an approval; absent before it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Its name and version, as it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// When it was asked last, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<String>,
    /// The tools that it had then.
    pub tools: Vec<Tool>,
    /// What differs from what was approved.
    pub changes: Vec<ToolServerChange>,
    /// Who approved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// When, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_at: Option<String>,
    /// Why it could not be asked last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<ToolServerTrouble>,
    /// Signing in there; absent when nobody was asked to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<ToolServerSignIn>,
    /// Variables of this program that its process gets besides its own.
    pub passed_on: Vec<String>,
    /// Who registered it.
    pub made_by: String,
    /// RFC 3339.
    pub made_at: String,
}

/// Where signing in to a server stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ToolServerSignInState {
    /// The server wants somebody to sign in.
    Wanted,
    /// Somebody is in the browser now.
    Waiting,
    /// Somebody is signed in.
    SignedIn,
    /// Somebody is signed in, and the server wants further rights.
    More,
    /// The sign-in holds no more.
    Ended,
}

/// Signing in to a server. Tokens are never told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolServerSignIn {
    /// Where it stands.
    pub state: ToolServerSignInState,
    /// Why it ended, or why the last attempt came to nothing; without a full stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The rights (scopes) that the server wants.
    pub wants: Vec<String>,
    /// Until when the browser is waited for, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_until: Option<String>,
    /// Who signed in here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// At which authorization server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The rights (scopes) that it has, as far as they were told.
    pub scopes: Vec<String>,
    /// When the token that there is runs out, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// It is renewed without a person.
    pub renews: bool,
}

/// A sign-in that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolServerSigningIn {
    /// The server.
    pub name: String,
    /// For the person's browser; absent when the program signed in as itself, which is done then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Until when the browser is waited for, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The browser was opened with it.
    pub opened: bool,
}

/// Takes what the browser came back with, from whoever copied it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolServerSignInFinish {
    /// The server.
    pub name: String,
    /// The address that the browser was sent to: `http://127.0.0.1:…/callback?code=…&state=…`.
    pub address: String,
}

/// Somebody signed out.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolServerSignedOut {
    /// The server as it stands now.
    pub server: ToolServer,
    /// The authorization server has taken the tokens back.
    pub revoked: bool,
    /// Why it has not, when it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Why a server could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolServerTrouble {
    /// Plain words.
    pub message: String,
    /// Last lines of its error output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// RFC 3339.
    pub at: String,
}
