//! What the outside must do for a run. Effects are carried out only after the commit of the events that decided them.

use crate::scope::Scope;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::budget::Budget;
use signalbox_model::{Binaries, Connector, Data, Effects, Item, Items, Map, Mode, StepFault, Workflow};
use std::sync::Arc;

/// One execution of a kind's code: the key under which its result comes back.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallKey {
    /// Where in nested containers; empty at the top.
    pub path: Arc<str>,
    /// Number of the node at its path; [`crate::Compiled::node_id`] names it.
    pub node: usize,
    /// Item index of an effectful slot; `None` for a batch or `mode: all`.
    pub item: Option<usize>,
    /// Round of the slot, from 1.
    pub visit: u32,
    /// Automatic re-executions before, from 0.
    pub attempt: u32,
    /// The failed slot (node, slot) that a recovery node works on.
    pub origin: Option<(usize, usize)>,
}

/// One thing the outside must do.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Run a kind's code and report `Input::NodeFinished`. Pure calls run inside the burst.
    Call(Box<Call>),
    /// Report `Input::TimerFired` at `due_ms`, or at once when it is past.
    Timer {
        /// Names the timer.
        timer: Timer,
        /// Milliseconds since 1970.
        due_ms: i64,
    },
    /// Stop calls in flight: drop their futures after the grace of SEMANTICS 8.
    CancelCalls,
    /// Stop one call: drop its future.
    CancelCall(CallKey),
    /// Write an artifact file of the run.
    WriteArtifact {
        /// Path inside the run's artifact folder.
        path: String,
        /// Its text.
        content: Arc<Value>,
    },
}

/// Which timer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Timer {
    /// Delay before a re-execution; the key is that of the next attempt.
    Retry(CallKey),
    /// `flow.wait`.
    Wait(CallKey),
    /// A task's next reminder or its expiry.
    Task(String),
    /// The five seconds that calls in flight get after an abort or a cancel.
    Grace,
}

/// A call to carry out.
#[derive(Debug, Clone)]
pub struct Call {
    /// Key of the result.
    pub key: CallKey,
    /// Node id.
    pub node_id: Arc<str>,
    /// Node kind.
    pub kind: Arc<str>,
    /// `each` or `all`.
    pub mode: Mode,
    /// What it does outside.
    pub effects: Effects,
    /// One entry per slot of the call: exactly one, but for the first batch of an effect-free `each` node.
    pub slots: Vec<CallSlot>,
    /// Time limit in milliseconds.
    pub timeout_ms: Option<u64>,
    /// The same for every attempt and after a crash, new after a correction (SEMANTICS 8).
    pub idempotency_key: String,
    /// The address rules of TRUST: loopback is allowed because a person on this machine started the run and the
    /// authority of the address does not come from data.
    pub loopback_allowed: bool,
    /// `settings.model` of the workflow that the step stands in: a model's name, or `{provider, model}`.
    pub model: Option<Arc<Value>>,
    /// The connector whose operation the step calls.
    pub connector: Option<Arc<Connector>>,
    /// The workflow that the step stands in.
    pub workflow: Arc<Workflow>,
    /// `<path>/<node>-<n>`, n = earlier calls of the node there (K-56): no two calls of a run have the same.
    pub launch_id: String,
    /// What its questions to models may cost.
    pub budget: Budget,
    /// What people said about its calls of tools.
    pub permits: Permits,
    /// What happens instead of, or before, its code.
    pub fault: Option<Arc<StepFault>>,
    /// The run.
    pub run_id: Arc<str>,
    /// Id of the workflow, for folder grants.
    pub workflow_id: Arc<str>,
}

/// What people said about calls of tools (ADR 51).
#[derive(Debug, Clone, Default)]
pub struct Permits {
    /// What they allowed for the whole run.
    pub granted: Vec<Granted>,
    /// Where this call goes on that waited for one of them.
    pub held: Option<Suspended>,
    /// What they decided about findings of safety checks.
    pub decided: Vec<Decided>,
}

/// What a person decided about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// The data goes on as it is.
    Release,
    /// Placeholders take the place of what was found.
    Mask,
    /// It is blocked.
    Refuse,
}

/// The decision about one safety check of a step; it holds for the data that was asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decided {
    /// JSON Pointer of the check below `guardrails`: `/before/0`.
    pub at: String,
    /// The decision.
    pub verdict: Verdict,
}

/// Calls of one tool for which one rule asks are allowed for the rest of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Granted {
    /// Id of the workflow in which the rule stands.
    pub workflow: String,
    /// Where it stands there: a JSON Pointer.
    pub rule: String,
    /// The registered server.
    pub server: String,
    /// The tool at its server.
    pub tool: String,
}

/// A step that waits for a person, or goes on after one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Suspended {
    /// What it goes on with, as it said it.
    pub conversation: Arc<Value>,
    /// What the person said; nothing yet while the task is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<ToolAnswer>,
}

/// What a person said about a call of a tool, or to a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnswer {
    /// It may be made.
    pub allowed: bool,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// To a question: what was filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Arc<Value>>,
    /// Nobody answered in time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
}

/// One slot of a call.
#[derive(Debug, Clone)]
pub struct CallSlot {
    /// Index in the activation's input; 0 in `mode: all`.
    pub item: usize,
    /// Evaluated config; expression fields (`x-cel`) are still source text.
    pub config: Arc<Value>,
    /// The input: one item in `each`, all items in `all`. Data is what came out of `in`.
    pub input: Arc<Items>,
    /// For expression fields.
    pub scope: Scope,
    /// In `mode: all`, where the input came from: one entry per wire in the order of the input, with how many items it
    /// brought. Together they are as many as the input; empty when that is not so (`in`, a corrected input).
    pub sources: Vec<Source>,
}

/// What one wire brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Id of the step that the wire comes from.
    pub step: Arc<str>,
    /// How many items.
    pub items: usize,
}

/// An item as a kind makes it; the engine gives it its id and lineage.
#[derive(Debug, Clone, PartialEq)]
pub struct OutItem {
    /// Its data.
    pub data: Arc<Value>,
    /// Bytes that the kind made or gathered. What a kind without effects makes of one item keeps that item's.
    pub binary: Option<Binaries>,
    /// Index into the slot's `input` it came from.
    pub paired: Option<usize>,
}

/// Data of a slot's input, one after the other, as items that are numbered and know where they come from.
pub fn passed(input: impl IntoIterator<Item = Data>) -> Items {
    let mut made = Items::new();
    for (index, data) in input.into_iter().enumerate() {
        let id = (index + 1).to_string();
        made.push_data(Item { id, paired_item: Some(index), ..Item::default() }, data);
    }
    made
}

impl OutItem {
    /// An item without bytes of its own.
    pub fn new(data: Arc<Value>, paired: Option<usize>) -> Self {
        Self { data, binary: None, paired }
    }
}

/// What a slot's code returned.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CallOutput {
    /// Port → items in order.
    pub ports: IndexMap<String, Items>,
    /// Bound as `_meta` in `out` and `print`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Arc<Value>>,
    /// Variables that the step itself writes, before its `out`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub writes: Map,
}

impl CallOutput {
    /// One item through `success`.
    pub fn success(data: Value) -> Self {
        Self::port("success", data)
    }
    /// One item through a port, paired with the slot's first input item.
    pub fn port(port: &str, data: Value) -> Self {
        Self::items(port, [OutItem::new(Arc::new(data), Some(0))])
    }
    /// A slot's input data through one port, unchanged.
    pub(crate) fn pass(port: &str, input: &[Data]) -> Self {
        Self::list(port, passed(input.iter().cloned()))
    }
    /// Items through one port.
    pub fn items(port: &str, items: impl IntoIterator<Item = OutItem>) -> Self {
        let mut made = Items::new();
        for OutItem { data, binary, paired } in items {
            made.push_numbered(Item { data, binary, paired_item: paired, ..Item::default() });
        }
        Self::list(port, made)
    }
    /// A list through one port, as it was made.
    pub fn list(port: &str, items: Items) -> Self {
        Self { ports: IndexMap::from([(port.to_owned(), items)]), ..Self::default() }
    }
}
