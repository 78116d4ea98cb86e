//! What a re-run has of its original (SEMANTICS 9): enough for its own log to rebuild it alone.

use crate::event::RunEventWire;
use crate::{ErrorPayload, EventBody, Item, Items, Map, RunEvent, task::Answer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeSet, sync::Arc};

/// The base of a re-run, part of its `workflow_start`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Base {
    /// Events of the original that stand, in their order. Folded, they are the state before the step.
    #[serde(default)]
    #[schemars(with = "Vec<RunEventWire>")]
    pub events: Vec<RunEvent>,
    /// Variables that were given at the start of the first run.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub given: Map,
    /// Steps that were begun by name and not by their wires; the last one is where this run begins again, unless `asks`
    /// or `sent` says that a person decides first.
    pub begun: Vec<Begun>,
    /// In a re-opening: the task of the original that is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<AskedAgain>,
    /// The original failed and was sent to the inbox: a person decides about the call that failed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<Box<Sent>>,
    /// Answers that people gave to steps that execute again, and that are given again when the same is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<KeptAnswer>,
    /// The run, or the one that this one was re-run from, began at a checkpoint of another program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign: Option<Box<Foreign>>,
}

impl Base {
    /// A person decides before anything is called: no step is begun by name.
    pub fn begins_with_a_person(&self) -> bool {
        self.asks.is_some() || self.sent.is_some()
    }

    /// Hashes of the bytes that it names: the new run needs them, too.
    pub fn binaries(&self) -> BTreeSet<&str> {
        let made = self.events.iter().flat_map(|event| match &event.body {
            EventBody::StepDone(done) => done.items.values().flat_map(Items::binaries).collect(),
            EventBody::HumanTaskCreated(created) => created.binary.iter().collect(),
            _ => Vec::new(),
        });
        let begun = self.begun.iter().flat_map(|begun| &begun.input).filter_map(|item| item.binary.as_ref());
        made.chain(begun).flat_map(|binary| binary.values()).map(|bytes| bytes.sha256.as_str()).collect()
    }
}

/// What a checkpoint of another program says of the run that it was taken of (K-30, ADR 38).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Foreign {
    /// Where it came from.
    pub source: ImportedFrom,
    /// The step at the top where the run begins.
    pub step: String,
    /// Data of the item that the run begins with: what the step before it made, as far as the checkpoint says.
    #[schemars(with = "Value")]
    pub item: Arc<Value>,
    /// Steps that ended there. They have no results here, only what they left in the variables.
    pub completed: Vec<String>,
    /// First steps of the branches of `step` that ended there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<String>,
    /// How many iterations of `step` ended there, from the first one on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub iterations: usize,
    /// Other iterations of `step` that ended there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<usize>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The checkpoint that a run began at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportedFrom {
    /// Its `_type`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its `_version`.
    pub version: u64,
    /// The run that it was taken of, as the other program names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// When, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Its fields that are not taken over, as JSON Pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A step that a re-run began at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Begun {
    /// `loop[17]/step`, or the step's id alone.
    pub step: String,
    /// The items that it was activated with.
    pub input: Vec<Item>,
    /// Variables that were changed before it began.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub context: Map,
}

/// A decision that is asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskedAgain {
    /// The task of the original.
    pub task_id: String,
    /// The step that asked, with its path; of a default task the failed step.
    pub step: String,
    /// The failed step, when a recovery node asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Index of the item that was asked about.
    #[serde(default)]
    pub item: usize,
    /// Why, in the words of who re-opened it.
    pub reason: String,
    /// Who re-opened it: `user:…`.
    pub by: String,
}

/// The call that failed a run, about which a person is asked in a new run (ADR 58).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sent {
    /// The failed run.
    pub run_id: String,
    /// The failed step, with its path.
    pub step: String,
    /// Index of the item that failed.
    #[serde(default)]
    pub item: usize,
    /// What failed it.
    pub error: Arc<ErrorPayload>,
    /// Why it was sent, in the words of who sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who sent it: `user:…`.
    pub by: String,
}

/// One answer that is given again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeptAnswer {
    /// The step that asked, with its path; of a default task the failed step.
    pub step: String,
    /// The failed step, when a recovery node asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Index of the item that was asked about.
    #[serde(default)]
    pub item: usize,
    /// The answer.
    pub answer: Answer,
    /// The run in which it was given.
    pub run_id: String,
    /// Digest of what was asked. The answer is given again only to the same question about the same data; absent in runs
    /// that began with an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
}

/// The name of a step at a path.
pub fn named(path: Option<&str>, step: &str) -> String {
    path.map_or_else(|| step.to_owned(), |path| format!("{path}/{step}"))
}

/// [`named`] backwards.
pub fn parted(name: &str) -> (Option<&str>, &str) {
    name.rsplit_once('/').map_or((None, name), |(path, step)| (Some(path), step))
}
