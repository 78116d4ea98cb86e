//! The workflow file (`*.signalbox.json`): what a person owns (INTERFACES 4).
//!
//! Unknown fields are kept in `extra` so that a newer file survives an older program; the validator warns about them.
//!
//! `x-ref` says where a file names steps: `step` (an id), `port` (`id.port`), `step-keys` (the names of its fields are ids),
//! `cel` and `value` (expressions may name steps), `config` (as the schema of the kind says). `x-refs` says the same for
//! places inside a field that has no type of its own. Renaming, copying and pasting go by these words alone (ADR 89).

use crate::{Map, descriptor::Mode};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::fmt;

/// The newest file version this program writes and reads.
pub const FILE_VERSION: u32 = 1;

/// One workflow file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workflow {
    /// File version, 1.
    pub signalbox: u32,
    /// `[A-Za-z0-9][A-Za-z0-9._-]{0,99}`.
    pub id: String,
    /// Shown to people.
    pub name: String,
    /// What the workflow is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the run's input. A property with `x-practice: true` is filled by the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Value>,
    /// The run-wide variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextDeclaration>,
    /// JSON Schemas by name, such as `/schemas/order.schema.json`: for `has_schema`, and for settings that take a schema by
    /// its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schemas: Option<IndexMap<String, Value>>,
    /// Policies of the whole workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Settings>,
    /// Node id → node, in the order of the file (which decides every tie).
    #[schemars(extend("x-ref" = "step-keys"))]
    pub nodes: IndexMap<String, Node>,
    /// Wires, in the order of the file.
    pub edges: Vec<Edge>,
    /// View state: node id → `[x, y]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ref" = "step-keys", "x-refs" = { "$view/*/*": "step" }))]
    pub layout: Option<Map>,
    /// Fields this version does not know, kept as they are.
    #[serde(flatten)]
    pub extra: Map,
}

/// `context`: schema and initial values of the run-wide variables.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextDeclaration {
    /// JSON Schema (type object); every write is checked against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Values before the first step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Map>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Map,
}

/// `settings` of a workflow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// What an unwired red port does. Absent means `fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_policy: Option<ErrorPolicy>,
    /// Default model name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Value>,
    /// Tools that its agents have unless they name others (K-40): `server/tool`, `learn_name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Rules over the tools that its models call (ADR 51): [`crate::ToolRule`]s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-refs" = { "*/when": "cel" }))]
    pub tool_rules: Option<Value>,
    /// Folder of its skills, one Markdown file each (K-59), inside a granted folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills: Option<String>,
    /// What its questions to language models may cost: `{perRun, perDay}`, in the unit of the prices (ADR 50).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Value>,
    /// How many of its runs are under way at once: `{max, key, onLimit: queue|skip|cancel_oldest}` (ADR 93).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-refs" = { "key": "cel" }))]
    pub concurrency: Option<Value>,
    /// How many of its runs start in a time: `{count, perMs}` (ADR 93).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<Value>,
    /// How many megabytes of memory the items may take that one step needs at once or hands on: 16 to 65,536; 1,024 when it is not
    /// said (ADR 165).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_memory_mb: Option<Value>,
    /// Node id of a chain that runs once after an abort.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ref" = "step"))]
    pub on_abort: Option<String>,
    /// Audit rules (K-60).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-refs" = { "*/when": "cel" }))]
    pub audit_rules: Option<Value>,
    /// Working time: `{timezone, hours: {mon: ["09:00-17:00"]}, holidays: ["2026-12-25"]}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub business_hours: Option<Value>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Map,
}

/// `settings.errorPolicy` (SEMANTICS 4, line 4).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ErrorPolicy {
    /// `safe` or `fail`.
    Named(NamedPolicy),
    /// Rules of its own.
    Rules(RuleList),
}

/// The two named policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NamedPolicy {
    /// Retry transient errors, repair, fall back, else ask a person.
    Safe,
    /// Fall back when a node says so, else fail.
    Fail,
}

/// `{rules: […]}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleList {
    /// Rules in order; the first whose `when` is true decides.
    pub rules: Vec<Rule>,
}

/// One routing rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Shown in the log.
    pub name: String,
    /// CEL over `error`, `err`, `ctx`, `item`, `items`, `context`, `params`, `run`, `workflow`, `nodes`.
    #[schemars(extend("x-ref" = "cel"))]
    pub when: String,
    /// `retry`, `auto_fix`, `human_review`, `escalate`, `fallback`, `abort`, `error_as_context`.
    pub action: String,
}

/// One step of a workflow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Node kind, for example `http.request`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Version of the kind; the newest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub type_version: Option<u32>,
    /// Shown on the card; the kind's name when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Note for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Not executed; items pass through `success`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
    /// CEL; false = skipped, items pass through `success`.
    #[serde(rename = "if", default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ref" = "cel"))]
    pub condition: Option<String>,
    /// Value shown in the log after the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ref" = "value"))]
    pub print: Option<Value>,
    /// Name → value; when present the item data becomes that object.
    #[serde(rename = "in", default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ref" = "value"))]
    pub input: Option<Map>,
    /// Settings of the kind, checked against the descriptor's schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ref" = "config"))]
    pub config: Option<Value>,
    /// `$name[.path]` writes the context, `/path` an artifact of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ref" = "value"))]
    pub out: Option<Map>,
    /// Context names the node may write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<Vec<String>>,
    /// Own retry policy, fallback, thresholds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_handling: Option<ErrorHandling>,
    /// Time limit of one call in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Template; makes POST and PATCH safe to repeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ref" = "value"))]
    pub idempotency_key: Option<String>,
    /// Guard settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-refs" = { "before/*/refuse": "cel", "before/*/value": "cel", "after/*/refuse": "cel", "after/*/value": "cel" }))]
    pub guardrails: Option<Value>,
    /// Id of the container the node stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ref" = "step"))]
    pub parent: Option<String>,
    /// Pinned output, port → list of data. Only in the definition that a test run is pinned to; a file with it is refused
    /// (ADR 102).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<Value>,
    /// A fault that a person put in for one run, a [`crate::StepFault`]. Only in the definition that such a run is pinned to; a file
    /// with it is refused (ADR 144).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Value>,
    /// `each` or `all`; the kind's default when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Map,
}

impl Node {
    /// Its calls tell the service a key by which it knows a repeated one. Other kinds have the key in their record only.
    #[must_use]
    pub fn sends_key(&self) -> bool {
        self.idempotency_key.is_some() && self.kind == "http.request"
    }
}

/// `errorHandling` of a node.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorHandling {
    /// The node's own retry; acts before everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_policy: Option<RetryPolicy>,
    /// Node that takes over when the policy says fallback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ref" = "step"))]
    pub fallback_node_id: Option<String>,
    /// Repair of a ValidationError before anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_fix: Option<bool>,
    /// `INFO`, `WARN`, `ERROR`, `CRITICAL`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_review_threshold: Option<String>,
}

/// Retry arithmetic of K-13. All fields optional in a file; the defaults are of K-13.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RetryPolicy {
    /// Automatic re-executions allowed per visit; 0 to 100.
    pub max_attempts: u32,
    /// Shape of the delay.
    pub backoff: Backoff,
    /// First delay in milliseconds.
    pub initial_delay_ms: u64,
    /// Cap of the delay in milliseconds.
    pub max_delay_ms: u64,
    /// Full jitter: uniform from 0 to the delay, from the run's seed.
    pub jitter: bool,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 3,
            backoff: Backoff::Exponential,
            initial_delay_ms: 500,
            max_delay_ms: 30_000,
            jitter: true,
        }
    }
}

/// Shape of the delay between attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Backoff {
    /// d
    Fixed,
    /// d · 2^n
    Exponential,
    /// d · (n + 1)
    Linear,
}

/// A wire from a port to a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Edge {
    /// `node.port`; the last dot separates.
    #[schemars(extend("x-ref" = "port"))]
    pub from: PortRef,
    /// Target node id.
    #[schemars(extend("x-ref" = "step"))]
    pub to: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Map,
}

/// `node.port`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, JsonSchema)]
#[schemars(transparent)]
pub struct PortRef(#[schemars(regex(pattern = r"^[A-Za-z_][A-Za-z0-9_-]*\.[A-Za-z0-9_-]+$"))] String);

impl PortRef {
    /// Joins a node id and a port name.
    pub fn new(node: &str, port: &str) -> Self {
        Self(format!("{node}.{port}"))
    }
    /// The node id (all of the text when there is no dot).
    pub fn node(&self) -> &str {
        self.split().map_or(self.0.as_str(), |(node, _)| node)
    }
    /// The port name; `success` when the text has no dot.
    pub fn port(&self) -> &str {
        self.split().map_or("success", |(_, port)| port)
    }

    /// At the last dot. A search for it as a pattern costs several times as much, and wires are asked for their ends very often.
    fn split(&self) -> Option<(&str, &str)> {
        let dot = self.0.bytes().rposition(|byte| byte == b'.')?;
        Some((self.0.get(..dot)?, self.0.get(dot + 1..)?))
    }
    /// The text as written in the file.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PortRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for PortRef {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for PortRef {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d).map(Self)
    }
}

impl Workflow {
    /// An empty workflow as the editor writes it: safe by default.
    pub fn empty(id: &str, name: &str) -> Self {
        Self {
            signalbox: FILE_VERSION,
            id: id.to_owned(),
            name: name.to_owned(),
            description: None,
            params: None,
            context: None,
            schemas: None,
            settings: Some(Settings {
                error_policy: Some(ErrorPolicy::Named(NamedPolicy::Safe)),
                ..Settings::default()
            }),
            nodes: IndexMap::new(),
            edges: Vec::new(),
            layout: Some(Map::new()),
            extra: Map::new(),
        }
    }

    /// The initial context.
    pub fn initial_context(&self) -> Map {
        self.context.as_ref().and_then(|c| c.initial.clone()).unwrap_or_default()
    }
}
