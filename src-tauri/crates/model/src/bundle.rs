//! What an exported program carries behind its own bytes: a section of JSON (manifest and files) and a footer with its length and
//! hash. The program reads it from its own file and never unpacks it.
//!
//! ```text
//! program | section (JSON) | length of the section (8 bytes, big-endian) | SHA-256 of the section (32) | MAGIC (16)
//! ```

use crate::hash::sha256_hex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;

/// Last bytes of a program that carries a section.
pub const MAGIC: &[u8; 16] = b"SIGNALBOX-BUNDLE";
/// Bytes of the footer.
pub const FOOTER: usize = 8 + 32 + MAGIC.len();
/// Version of the section that this program writes and reads.
pub const FORMAT: u32 = 3;
/// Largest section: no workflow comes near it.
pub const LARGEST: u64 = 256 * 1024 * 1024;

/// The secret that signs messages about tasks, and the one that answers carry (`--human callback=URL`).
pub const CALLBACK_SECRETS: [&str; 2] = ["human-review-callback", "human-review-token"];

/// Where the audit chain is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditKeeping {
    /// In the database of the data folder.
    #[default]
    Sqlite,
    /// There, and as a file of JSON lines beside it.
    Jsonl,
    /// In the database, which keeps the newest entries only.
    Ring,
}

impl AuditKeeping {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Jsonl => "jsonl",
            Self::Ring => "ring",
        }
    }
}

/// How the steps of an exported program ask people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HumanReview {
    /// Not at all.
    #[default]
    None,
    /// By its command `tasks`.
    Terminal,
    /// By its command `tasks` and the page of its command `serve`.
    Ui,
    /// By its command `tasks`, and by signed messages to an address, which answers through the command `serve`.
    Callback,
}

impl HumanReview {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Terminal => "terminal",
            Self::Ui => "ui",
            Self::Callback => "callback",
        }
    }
}

/// A part of the program that the workflow needs, and the kinds of steps that need it. `core` is in every program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Module {
    /// `core`, `files`, `http`, `people`, `script`, `connectors`, `databases`, `mail`, `model`, `retrieval`, `tools`, `triggers`.
    pub name: String,
    /// Kinds of steps, in alphabetical order.
    pub kinds: Vec<String>,
}

/// A secret that steps send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeededSecret {
    /// `erp` of `secret://erp`.
    pub name: String,
    /// Hosts of the fixed addresses that it is sent to; empty when an address is known only in the run.
    pub hosts: Vec<String>,
    /// `workflow/step` of those that send it.
    pub steps: Vec<String>,
    /// It is compared with what comes in, and sent nowhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stays: bool,
}

/// A step that starts runs by itself while the program serves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeededTrigger {
    /// Its kind, `trigger.webhook`.
    pub kind: String,
    /// When or by what: times, a path of the server, a folder, an address.
    pub by: String,
    /// `workflow/step`.
    pub step: String,
    /// It is reached through the port of the program.
    pub listens: bool,
}

/// A folder that a step uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeededFolder {
    /// A path as the step names it.
    pub path: String,
    /// The workflow of the step.
    pub workflow: String,
    /// `workflow/step`.
    pub step: String,
    /// The step writes.
    pub write: bool,
}

/// A host that steps send requests to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeededAddress {
    /// Scheme, host and port of a fixed address; absent when the address is known only in the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// `workflow/step` of those that use it.
    pub steps: Vec<String>,
}

/// A language model that steps ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeededModel {
    /// The provider that the configuration must have; absent: that of the default model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model; absent: the default model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `workflow/step` of those that ask it.
    pub steps: Vec<String>,
}

/// A tool server that steps call, as a person approved it on the machine that exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeededToolServer {
    /// Its name in the configuration.
    pub name: String,
    /// SHA-256 of what it said of each of its tools, by the name of the tool: another server, or another version, is not called.
    pub tools: BTreeMap<String, String>,
    /// What a person said of its tools, by the name of the tool.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub words: BTreeMap<String, serde_json::Value>,
    /// `workflow/step` of those that call it.
    pub steps: Vec<String>,
}

/// An index of documents that steps search and that none of them makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeededIndex {
    /// Its name.
    pub name: String,
    /// `workflow/step` of those that search it.
    pub steps: Vec<String>,
}

/// What the machine must have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Needs {
    /// Params that a run cannot do without.
    pub params: Vec<String>,
    /// Secrets.
    pub secrets: Vec<NeededSecret>,
    /// Folders of fixed paths.
    pub folders: Vec<NeededFolder>,
    /// Addresses.
    pub addresses: Vec<NeededAddress>,
    /// Language models.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<NeededModel>,
    /// Tool servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_servers: Vec<NeededToolServer>,
    /// Indexes of documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<NeededIndex>,
    /// Steps that start runs by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<NeededTrigger>,
}

/// A workflow file as it was exported, or a connector with the operations that are called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BundledFile {
    /// Id of the workflow, or name of the connector.
    pub id: String,
    /// SHA-256 of the text, lowercase hex.
    pub sha256: String,
    /// The text of the file.
    pub text: String,
}

impl BundledFile {
    /// A file with its hash.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { id: id.into(), sha256: sha256_hex(text.as_bytes()), text }
    }
}

/// Everything that an exported program carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bundle {
    /// [`FORMAT`].
    pub format: u32,
    /// Name of the program.
    pub name: String,
    /// Title of the workflow.
    pub title: String,
    /// Version of Signalbox that exported it.
    pub made_by: String,
    /// System and processor that it runs on, `linux-x86_64`.
    pub platform: String,
    /// Where the audit chain is written.
    pub audit: AuditKeeping,
    /// How steps ask people.
    #[serde(default)]
    pub human: HumanReview,
    /// Where tasks are sent to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callback: Option<String>,
    /// Parts that the steps need.
    pub modules: Vec<Module>,
    /// What the machine must have.
    pub needs: Needs,
    /// The workflow, then the workflows that its steps call.
    pub files: Vec<BundledFile>,
    /// Connectors as JSON, with the operations that steps call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connectors: Vec<BundledFile>,
}

/// Why a section is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BundleError {
    /// The footer is whole and its length points outside the file.
    Cut,
    /// The bytes are not those that were exported.
    Hash,
    /// Written by a later version.
    Newer(u32),
    /// The hash is right and the content is no bundle.
    Content(String),
}

impl fmt::Display for BundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut => f.write_str("a part of it is missing"),
            Self::Hash => f.write_str("its hash does not match"),
            Self::Newer(format) => {
                write!(f, "it has format {format}, and this program reads format {FORMAT}")
            }
            Self::Content(why) => write!(f, "it cannot be read: {why}"),
        }
    }
}

/// Where a section is, by the footer of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footer {
    /// Bytes of the section.
    pub length: u64,
    /// SHA-256 of the section.
    pub sha256: [u8; 32],
}

impl Footer {
    /// Reads the last [`FOOTER`] bytes of a file of `size` bytes; `None` = it carries nothing.
    pub fn read(last: &[u8], size: u64) -> Result<Option<Self>, BundleError> {
        let Some(length) = last.strip_suffix(MAGIC).filter(|rest| rest.len() == 40) else { return Ok(None) };
        let (length, hash) = length.split_at(8);
        let (Ok(length), Ok(sha256)) = (length.try_into().map(u64::from_be_bytes), hash.try_into()) else {
            return Ok(None);
        };
        if length > LARGEST || length > size.saturating_sub(FOOTER as u64) {
            return Err(BundleError::Cut);
        }
        Ok(Some(Self { length, sha256 }))
    }
}

impl Bundle {
    /// Whether the command `serve` of the program has something to do.
    pub fn serves(&self) -> bool {
        !self.needs.triggers.is_empty() || matches!(self.human, HumanReview::Ui | HumanReview::Callback)
    }

    /// The section and its footer: what is appended to a program.
    pub fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        let hash = Sha256::digest(&bytes);
        let length = bytes.len() as u64;
        bytes.extend(length.to_be_bytes());
        bytes.extend(hash);
        bytes.extend(MAGIC);
        Ok(bytes)
    }

    /// Reads a section; refuses one that was changed.
    pub fn read(section: &[u8], footer: &Footer) -> Result<Self, BundleError> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let hash: [u8; 32] = Sha256::digest(section).into();
        if hash != footer.sha256 {
            return Err(BundleError::Hash);
        }
        let content = |error: serde_json::Error| BundleError::Content(error.to_string());
        let Format { format } = serde_json::from_slice(section).map_err(content)?;
        if format > FORMAT {
            return Err(BundleError::Newer(format));
        }
        let bundle: Self = serde_json::from_slice(section).map_err(content)?;
        if bundle.files.is_empty() {
            return Err(BundleError::Content("it holds no workflow".into()));
        }
        // Each file is named by its hash in the manifest, whoever made the section.
        match bundle.files.iter().chain(&bundle.connectors).find(|file| sha256_hex(file.text.as_bytes()) != file.sha256)
        {
            Some(file) => Err(BundleError::Content(format!("the hash of '{}' does not match", file.id))),
            None => Ok(bundle),
        }
    }
}

#[cfg(test)]
mod tests;
