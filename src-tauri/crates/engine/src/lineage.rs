//! Which item of an earlier step an item descends from: `paired('step')` (ADR 107). Each step notes where the items of its
//! input came from; the way back is followed when an expression asks.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// Items that are looked at for one answer at most.
const MOST: usize = 10_000;

/// Where the input of a step came from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Lineage {
    /// One for each wire that brought something, in the order of the input.
    pub wires: Vec<Wire>,
    /// For each item of the input: the item of the sender's input that it was made of. None: of all of them, or of nothing.
    pub paired: Vec<Option<u32>>,
}

/// What one wire brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wire {
    /// Number of the sending step.
    pub step: usize,
    /// The port that it left through.
    pub port: Arc<str>,
    /// How many items.
    pub items: usize,
}

impl Lineage {
    /// The wire of an item, and its place among what the wire brought.
    fn wire(&self, index: usize) -> Option<(&Wire, usize)> {
        let mut before = 0;
        for wire in &self.wires {
            if index < before + wire.items {
                return Some((wire, index - before));
            }
            before += wire.items;
        }
        None
    }
}

/// What is known about the steps of a run.
pub trait Steps {
    /// Where the input of a step came from; nothing where no wire brought it.
    fn lineage(&self, step: usize) -> Option<&Lineage>;
    /// The step did not run, and handed its items on as they came.
    fn passed_on(&self, step: usize) -> bool;
    /// For an item that a container handed to the first step of its body: the container, and which item of its input it is; no
    /// item where it was made of all of them.
    fn entered(&self, step: usize, index: usize) -> Option<(usize, Option<usize>)>;
}

/// An item of a step's output: its port, and its place there.
pub type OutputAt = (Arc<str>, usize);

/// Why there is no such item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpaired {
    /// The item comes from elsewhere, or the step has no result.
    Unrelated,
    /// It was made of several items of the step.
    Several,
    /// It left the step through the error port.
    Failed,
    /// It was made of so many items that they are not followed.
    TooMany,
}

/// The item of `target` that these items of the input of `step` descend from. `only`: the target put out one item, so the first
/// way that leads there is enough.
///
/// # Errors
/// There is none, or not one alone.
pub fn trace(
    steps: &impl Steps,
    step: usize,
    items: Range<usize>,
    target: usize,
    only: bool,
) -> Result<OutputAt, Unpaired> {
    let mut open: Vec<(usize, usize)> = items.rev().map(|index| (step, index)).collect();
    let mut seen = HashSet::new();
    let mut found: Option<OutputAt> = None;
    let mut failed = false;
    while let Some((at, index)) = open.pop() {
        if !seen.insert((at, index)) {
            continue;
        }
        if seen.len() > MOST {
            return Err(Unpaired::TooMany);
        }
        let all_of = |step: usize| (0..steps.lineage(step).map_or(0, |known| known.paired.len())).rev();
        let Some((lineage, (wire, place))) = steps.lineage(at).and_then(|known| Some((known, known.wire(index)?)))
        else {
            match steps.entered(at, index) {
                Some((container, Some(item))) => open.push((container, item)),
                Some((container, None)) => open.extend(all_of(container).map(|item| (container, item))),
                None => {}
            }
            continue;
        };
        if wire.step == target {
            if &*wire.port == "error" {
                failed = true;
                continue;
            }
            let here = (Arc::clone(&wire.port), place);
            match &found {
                Some(known) if *known != here => return Err(Unpaired::Several),
                Some(_) => {}
                None if only => return Ok(here),
                None => found = Some(here),
            }
            continue;
        }
        let made_of = match steps.passed_on(wire.step) {
            true => Some(place),
            false => lineage.paired.get(index).copied().flatten().map(|item| item as usize),
        };
        match made_of {
            Some(item) => open.push((wire.step, item)),
            None => open.extend(all_of(wire.step).map(|item| (wire.step, item))),
        }
    }
    found.ok_or(if failed { Unpaired::Failed } else { Unpaired::Unrelated })
}
