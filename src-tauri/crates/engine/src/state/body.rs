//! Bodies of containers that run: frames, and what a container keeps of those that have ended (SEMANTICS 6).

use super::Context;
use crate::{json, value_size};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::data::Read;
use signalbox_model::{Data, ErrorPayload, Item, blob::BLOB_LIMIT, present::present};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The open frames of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Frames {
    /// How many were opened so far; their numbers begin at 1 and never come again.
    opened: usize,
    open: BTreeMap<usize, Frame>,
    by_path: BTreeMap<Arc<str>, usize>,
    /// Frames that were cut off.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    cut: BTreeSet<usize>,
}

impl Frames {
    pub(crate) fn is_empty(&self) -> bool {
        self.opened == 0
    }
    pub(crate) fn get(&self, frame: usize) -> Option<&Frame> {
        self.open.get(&frame)
    }
    pub(crate) fn get_mut(&mut self, frame: usize) -> Option<&mut Frame> {
        self.open.get_mut(&frame)
    }
    pub(crate) fn at(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }
    pub(crate) fn push(&mut self, frame: Frame) -> usize {
        self.opened += 1;
        self.by_path.insert(Arc::clone(&frame.path), self.opened);
        self.open.insert(self.opened, frame);
        self.opened
    }
    pub(crate) fn remove(&mut self, frame: usize) -> Option<Frame> {
        let gone = self.open.remove(&frame)?;
        self.by_path.remove(&gone.path);
        Some(gone)
    }
    /// Those that were opened after one: what is in it is among them, and what is outside comes before what is inside.
    pub(crate) fn after(&self, frame: usize) -> impl Iterator<Item = (usize, &Frame)> {
        self.open.range(frame + 1..).map(|(number, frame)| (*number, frame))
    }
    pub(crate) fn mark_cut(&mut self, frame: usize) {
        self.cut.insert(frame);
    }
    pub(crate) fn cut(&self) -> Vec<usize> {
        self.cut.iter().copied().collect()
    }
    pub(crate) fn reaped(&mut self, frame: usize) {
        self.cut.remove(&frame);
    }
    pub(crate) fn clear(&mut self) {
        self.open.clear();
        self.by_path.clear();
        self.cut.clear();
    }
}

/// One iteration, branch or sub-workflow under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Frame {
    /// The container's number, and its slot.
    pub(crate) container: usize,
    pub(crate) slot: usize,
    /// Which iteration or branch.
    pub(crate) index: usize,
    pub(crate) region: usize,
    pub(crate) path: Arc<str>,
    /// Visit of the slots that are opened here: the container's number (SEMANTICS 11).
    pub(crate) visit: u32,
    /// Nodes that have not settled.
    pub(crate) open: usize,
    /// `_item` of an iteration; one of a list may be null, and hides those of loops around it.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub(crate) item: Option<Arc<Value>>,
    /// What a sub-workflow has of its own.
    pub(crate) own: Option<Box<Own>>,
    /// (node, item) of what left through an unwired `success`, in time.
    pub(crate) leaves: Vec<(usize, Item)>,
    /// Nothing new starts here.
    pub(crate) cut: Option<Cut>,
}

/// Why a frame is cut off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Cut {
    /// A child failed, and nobody handled it.
    Failed(Arc<ErrorPayload>),
    /// Another child failed.
    Sibling,
    /// A Stop ended the sub-workflow.
    Stopped,
}

/// Params and context of a sub-workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Own {
    pub(crate) params: Arc<Value>,
    pub(crate) context: Context,
}

/// How one iteration, branch or sub-workflow ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// Result of an iteration.
    Result(Aside),
    /// (node, item) of what a branch or a sub-workflow put out.
    Leaves(Vec<(usize, Item)>),
    Rejected(Arc<ErrorPayload>),
    /// It ended well in another program; what it came to is not known.
    Elsewhere,
}

impl Outcome {
    fn weight(&self) -> usize {
        match self {
            Self::Result(result) => result.weight(),
            Self::Leaves(leaves) => leaves.iter().map(|(_, item)| value_size::of_item(&item.data)).sum(),
            Self::Rejected(error) => value_size::of_error(error),
            Self::Elsewhere => 0,
        }
    }
}

/// A result that nobody reads before its loop has ended. A small one is kept as its text, which takes a tenth of the
/// memory; a large one stays as it is, shared with whoever else has it, and stored once by snapshots (ADR 62).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Aside {
    /// The text, and about how many bytes of memory it takes as an item.
    Text(Box<str>, usize),
    Value(Arc<Value>),
}

impl Aside {
    pub(crate) fn of(value: Arc<Value>) -> Self {
        match serde_json::to_string(&value) {
            Ok(text) if text.len() <= BLOB_LIMIT => Self::Text(text.into(), value_size::of_item(&value)),
            Ok(_) | Err(_) => Self::Value(value),
        }
    }
    pub(crate) fn value(&self) -> Arc<Value> {
        match self {
            // It was written by `of`: it can be read.
            Self::Text(text, _) => Arc::new(json::unbounded(text).unwrap_or_default()),
            Self::Value(value) => Arc::clone(value),
        }
    }
    fn weight(&self) -> usize {
        match self {
            Self::Text(_, weight) => *weight,
            Self::Value(value) => value_size::of_item(value),
        }
    }
}

/// What a container keeps while its body runs, and for being entered again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Body {
    /// What it was entered with: another input or config starts over.
    pub(crate) config: Arc<Value>,
    pub(crate) input: Vec<Data>,
    /// The list of a loop where its settings do not have it, because it is long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Data>,
    /// How each ended; `None` = not, or not yet.
    pub(crate) done: Vec<Option<Outcome>>,
    /// First index that was not begun since the container was entered last.
    pub(crate) next: usize,
    /// How many there are; unknown with `while`.
    pub(crate) total: Option<usize>,
    /// Open frames.
    pub(crate) live: BTreeSet<usize>,
    pub(crate) broken: bool,
    /// The first child's error, which becomes the container's, and the step that failed.
    pub(crate) failed: Option<(Arc<ErrorPayload>, String)>,
    /// Errors of all children, in time.
    pub(crate) errors: Vec<Arc<ErrorPayload>>,
    /// Highest visit of a slot inside so far.
    pub(crate) highest: u32,
    /// About how many bytes of memory `done` takes when it is handed on, and `errors`.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub(crate) weight: usize,
}

impl Body {
    /// An element of the list in the settings of a loop; nothing when the list is not there.
    pub(crate) fn element(&self, index: usize) -> Option<Value> {
        let Some(Data::Text(source)) = &self.source else {
            return self.config.get("source")?.as_array()?.get(index).cloned();
        };
        let Read::List(list) = source.read() else { return None };
        Some(list.get(index)?.value())
    }
    pub(crate) fn outcome(&self, index: usize) -> Option<&Outcome> {
        self.done.get(index)?.as_ref()
    }
    pub(crate) fn ended(&mut self, index: usize, outcome: Outcome) {
        if self.done.len() <= index {
            self.done.resize(index + 1, None);
        }
        self.weight += outcome.weight();
        self.done[index] = Some(outcome);
    }
    /// Entered again with the same input: what failed runs again, and what it weighed is given back.
    pub(crate) fn again(&mut self) {
        self.next = 0;
        self.broken = false;
        self.failed = None;
        self.errors.clear();
        self.live.clear();
        for outcome in &mut self.done {
            if matches!(outcome, Some(Outcome::Rejected(_))) {
                self.weight = self.weight.saturating_sub(outcome.take().map_or(0, |gone| gone.weight()));
            }
        }
    }
    /// The next index that has to run.
    pub(crate) fn upcoming(&self) -> usize {
        let done = |index: &usize| self.outcome(*index).is_none();
        (self.next..).find(done).unwrap_or(self.next)
    }
}
