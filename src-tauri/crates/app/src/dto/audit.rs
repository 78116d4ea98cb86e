//! The audit chain as people see it.

use crate::dto::AuditAnchorLine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_model::Level;

/// Which entries to list.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditList {
    /// `actor: event: run: workflow: workspace: node: level: error.type: tag: since: until: text:` and free words; all must hold. A minus
    /// before a qualifier, a quoted text or a word leaves out what it names; it may stand as often as one likes.
    #[serde(default)]
    pub query: Option<String>,
    /// Only entries before this one.
    #[serde(default)]
    pub before: Option<u64>,
    /// Only entries after this one; the page is then the oldest of them, still newest first.
    #[serde(default)]
    pub after: Option<u64>,
    /// At most this many, 100 when absent, 1,000 at most.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Who acted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuditActor {
    /// `system`, `human`, `agent`.
    #[serde(rename = "type")]
    #[schemars(with = "AuditActorType")]
    pub kind: String,
    /// Which one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// In which role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// The kind of an actor.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are the definition")]
pub enum AuditActorType {
    System,
    Human,
    Agent,
}

/// One entry as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// Its place in the chain.
    pub seq: u64,
    /// RFC 3339.
    pub timestamp: String,
    /// How grave.
    pub level: Level,
    /// Its name.
    pub event: String,
    /// Who acted.
    pub actor: AuditActor,
    /// Id of the run's workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<String>,
    /// Its name when the run started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_name: Option<String>,
    /// The run.
    pub run_id: String,
    /// The node, `$run` for the run as a whole.
    pub node_id: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_title: Option<String>,
    /// In plain words.
    pub summary: String,
    /// It has a signature.
    pub signed: bool,
    /// Its hash.
    pub hash: String,
    /// Hash of the entry before.
    pub prev_hash: String,
    /// It is the last one that a checkpoint seals.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sealed: bool,
    /// How it stands with what it keeps apart; absent when it keeps nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<AuditPayloadState>,
}

/// How it stands with what an entry keeps apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditPayloadState {
    /// It is the one that was sealed.
    Kept,
    /// It was erased; that is recorded.
    Erased,
    /// It is gone without a record.
    Lost,
    /// It is not the one that was sealed.
    Changed,
}

/// What is kept apart from an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditApartKind {
    /// The context snapshot of a record from outside.
    Snapshot,
    /// The correction and its patch, in the task.
    Decision,
}

/// What is kept apart from an entry under its hash.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditApart {
    /// What it is.
    pub kind: AuditApartKind,
    /// How it stands with it.
    pub state: AuditPayloadState,
    /// The hash that was sealed.
    pub sealed_hash: String,
    /// The hash of what is there now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_hash: Option<String>,
    /// The entry that tells of the erasure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told_by: Option<u64>,
    /// A snapshot that is there, masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// A page of entries.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AuditPage {
    /// Newest first.
    pub entries: Vec<AuditRow>,
    /// How many match; with a query counted up to 2,000.
    pub total: u64,
    /// There are more than `total`.
    pub more: bool,
    /// Where the chain stands.
    pub head: AuditHead,
}

/// Where the chain stands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AuditHead {
    /// Entries.
    pub size: u64,
    /// Hash of the last one.
    pub hash: String,
}

/// What to count.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditFacetsRequest {
    /// As in `audit_list`.
    #[serde(default)]
    pub query: Option<String>,
}

/// How many of the newest 10,000 matching entries have which value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditFacets {
    /// Names.
    pub event: Vec<AuditCount>,
    /// Levels.
    pub level: Vec<AuditCount>,
    /// Actors: their id, else their type.
    pub actor: Vec<AuditCount>,
    /// Types of errors.
    pub error_type: Vec<AuditCount>,
    /// Names of workflows.
    pub workflow: Vec<AuditCount>,
    /// There are more: only so many of the newest were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<u64>,
}

/// How many entries have a value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AuditCount {
    /// The value.
    pub value: String,
    /// How many.
    pub count: u64,
}

/// Names an entry.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditGet {
    /// Its place.
    pub seq: u64,
}

/// One entry with everything about it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecordView {
    /// As in lists.
    pub row: AuditRow,
    /// As it was hashed.
    pub entry: Map<String, Value>,
    /// The bytes that were hashed, without the domain prefix.
    pub canonical: String,
    /// Their hash, computed now.
    pub computed_hash: String,
    /// It is the stored one.
    pub matches: bool,
    /// The signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// What is kept apart and belongs to it, masked: `error`, `patch`, `before`, `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Map<String, Value>>,
    /// What is kept apart under its hash, and how it stands with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apart: Option<AuditApart>,
    /// From the error to its outcome, in their order.
    pub related: Vec<AuditRelated>,
}

/// An entry of the same chain of causes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AuditRelated {
    /// Its place.
    pub seq: u64,
    /// Its name.
    pub event: String,
    /// In plain words.
    pub label: String,
    /// What it is in the chain.
    pub kind: AuditRelation,
    /// It did not help: an error, or a repair that did not fit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// What an entry is in a chain of causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are the definition")]
pub enum AuditRelation {
    Error,
    Rule,
    Retry,
    Heal,
    Human,
    Outcome,
}

/// How to verify.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditVerify {
    /// From the first entry, not from the last verification that ended well.
    #[serde(default)]
    pub full: Option<bool>,
    /// Also whether all entries of this run are there.
    #[serde(default)]
    pub run: Option<String>,
}

/// What the last verification found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditCondition {
    /// All entries are what was sealed.
    Intact,
    /// The first bad one is in `broken`.
    Broken,
    /// There are no entries.
    Empty,
    /// It was never verified.
    Unknown,
}

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditVerdict {
    /// In one word.
    pub state: AuditCondition,
    /// Entries that are known to be good.
    pub checked: u64,
    /// When, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Entries after the last checkpoint: cutting them would not show.
    pub unsealed_tail: u64,
    /// The last checkpoint is signed by a key that the caller gave, or that the pack brings.
    pub signed: bool,
    /// What seals the entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_checkpoint: Option<AuditCheckpoint>,
    /// The first bad entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<AuditBroken>,
    /// Entries that a checkpoint kept outside was compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchored_up_to: Option<u64>,
    /// Entries that a retention removed; a signed one stands for them.
    #[serde(default)]
    pub removed: u64,
    /// Where the clock was put back between two entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_back: Option<AuditClockBack>,
    /// Lines of anchor files that were passed over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchor_lines: Vec<AuditAnchorLine>,
    /// What is kept apart from the chain; only a verification from the beginning looks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payloads: Option<AuditPayloads>,
    /// Why the verdict could not be recorded: verifying needs no room and no right to write. It stands until this host ends or
    /// verifies again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_recorded: Option<String>,
    /// The run that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<AuditOfRun>,
}

/// Whether all entries of a run are there, by what its last one says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditOfRun {
    /// The run.
    pub run_id: String,
    /// Entries that are there.
    pub entries: u64,
    /// Entries up to its end, as it says itself; absent while it has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_count: Option<u64>,
    /// All of them are there; absent while it has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// Entries of it that a retention removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
}

/// Entries that are dated more than five seconds before the one that they follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditClockBack {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: Vec<u64>,
}

/// What seals the entries before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditCheckpoint {
    /// Entries.
    pub size: u64,
    /// RFC 6962 root over them.
    pub root_hash: String,
    /// RFC 3339.
    pub timestamp: String,
}

/// The first bad entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditBroken {
    /// Its place.
    pub seq: u64,
    /// `MODIFIED`, `MISSING`, `REORDERED`, `DUPLICATED`, `INSERTED`, `TRUNCATED`, `WRONG_SIGNER`, `ANCHOR_MISMATCH`,
    /// `MALFORMED`.
    pub kind: String,
    /// What should be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// In a sentence.
    pub message: String,
    /// A person may say why with `audit_accept_cut`: the end is missing, and only this host knew of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub acceptable: bool,
}

/// The last verification, and who signs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditStatus {
    /// The last verification.
    #[serde(flatten)]
    pub verdict: AuditVerdict,
    /// One is under way.
    pub running: bool,
    /// The key that signs; absent = entries are unsigned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<AuditKey>,
    /// Why there is no key; absent = there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsigned: Option<AuditUnsigned>,
    /// Where the chain stands now.
    pub head: AuditHead,
    /// Places outside that keep checkpoints; one with an error needs a person.
    pub anchors: Vec<crate::dto::AuditAnchor>,
}

/// The key that signs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditKey {
    /// Its short name.
    pub key_id: String,
    /// SHA-256 of the public key: compare it with what somebody else reads out.
    pub fingerprint: String,
    /// Where the secret is.
    #[serde(rename = "where")]
    pub place: KeyPlace,
    /// That place, for people.
    pub at: String,
}

/// Why entries are unsigned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditUnsigned {
    /// Where the key should be.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub place: Option<KeyPlace>,
    /// What happened and why.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// The key store is there and locked: it can be unlocked.
    pub locked: bool,
    /// The key is not there any more: only a new one signs again.
    pub lost: bool,
}

/// Where the key that signs is kept from now on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditKeyChoose {
    /// The place.
    #[serde(rename = "where")]
    pub place: KeyPlace,
    /// Another key signs from now on. What the old one signed still verifies.
    #[serde(default)]
    pub new: bool,
}

/// Where a secret key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyPlace {
    /// In a file of the data folder that only its owner can read.
    File,
    /// In the key store of the system.
    System,
}

/// What to export.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditExport {
    /// Only this run.
    #[serde(default)]
    pub run_id: Option<String>,
    /// Only what matches, as in `audit_list`.
    #[serde(default)]
    pub query: Option<String>,
    /// As what.
    pub format: ExportFormat,
    /// What it shows, `full` when absent.
    #[serde(default)]
    pub profile: Option<AuditProfile>,
    /// Places of an entry that it hides besides: JSON Pointers, `*` for any member.
    #[serde(default)]
    pub hide: Vec<String>,
}

/// What an export shows of the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditProfile {
    /// Every entry as it was sealed.
    Full,
    /// People by number, and without texts that people or tools wrote.
    Masked,
    /// What happened where and when, and nothing else.
    Minimal,
}

/// As what entries are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// An evidence pack: entries, proofs, checkpoints and the public key in one zip.
    Pack,
    /// A table.
    Csv,
    /// One entry per line, as hashed, with its hash and signature.
    Jsonl,
}

/// An export.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditExported {
    /// A name for the file.
    pub file_name: String,
    /// Its content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_base64: Option<String>,
    /// Or where it was written, because it is large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// After so many days it is removed from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_days: Option<u32>,
    /// Entries in it.
    pub entries: u64,
    /// Ends of the chain that are missing or were, whatever is in the export: a pack says so, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<AuditMissingEnd>,
}

/// An end of the chain that was found missing (ADR 77).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditMissingEnd {
    /// Entries that there were.
    pub expected: u64,
    /// Entries that there were when it was noticed.
    pub found: u64,
    /// The entry in which a person says why; absent until somebody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<u64>,
    /// In words, without a full stop.
    pub message: String,
}

/// A record from outside (source 000, III.2). Who acts is the caller; a given actor is kept as claimed.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct AuditRecord(pub Map<String, Value>);

/// It was recorded.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AuditRecorded {
    /// `ok`.
    pub status: String,
    /// Its place in the chain.
    pub seq: u64,
}

/// How it stands with what is kept apart from the chain under its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditPayloads {
    /// Entries whose payload is the one that was sealed.
    pub kept: u64,
    /// Entries whose payload was erased; that is recorded.
    pub erased: Vec<u64>,
    /// Entries whose payload is gone without a record.
    pub lost: Vec<u64>,
    /// Entries whose payload is not the one that was sealed.
    pub changed: Vec<u64>,
}

/// A person knows that the end of the chain is missing.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditAcceptCut {
    /// Why it is missing; it is recorded.
    pub reason: String,
}

/// Erases what an entry keeps apart.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditErase {
    /// The entry.
    pub seq: u64,
    /// Why; it is recorded.
    pub reason: String,
}
