//! Ending a run after one step (UX C16, ADR 75): which steps that can be.

use crate::{compiled::Compiled, fold::until};
use signalbox_model::Role;
use std::collections::BTreeSet;

/// Why a run cannot end after a step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UntilError {
    /// No such step.
    #[error("The workflow has no step '{step}' to end after")]
    Unknown {
        /// As it was named.
        step: String,
    },
    /// It works on failures of other steps, or runs after an abort.
    #[error("The step '{step}' only runs after a failure")]
    Aside {
        /// The step.
        step: String,
    },
    /// The run begins behind it.
    #[error("The run starts at '{from}', and no path leads from there to '{step}'")]
    Before {
        /// The step.
        step: String,
        /// Where it begins.
        from: String,
    },
}

impl UntilError {
    /// The code that a host shows and decides by.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "UNKNOWN_STEP",
            Self::Aside { .. } | Self::Before { .. } => "STEP_NOT_AN_END",
        }
    }

    /// What a person does next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "Use the id of one of its steps.",
            Self::Aside { .. } => "Use a step that runs without failures.",
            Self::Before { .. } => "Use the step that the run starts at, or a later one.",
        }
    }
}

/// Whether a run of this definition can end after a step. `from`: the step that it begins at, with its path; its entries
/// when absent.
pub fn check(compiled: &Compiled, step: &str, from: Option<&str>) -> Result<(), UntilError> {
    ending(compiled, step, from).map(|_| ())
}

/// Which steps run when the run ends after one of them.
pub(crate) struct Way {
    runs: BTreeSet<usize>,
    through: Vec<usize>,
}

impl Way {
    /// Whether a step of the file runs, in one iteration at least.
    pub(crate) fn has(&self, compiled: &Compiled, node: usize) -> bool {
        let around = until::through(compiled, node);
        until::holds(&self.runs, &self.through, std::iter::once(node).chain(around))
    }

    /// Whether a step stands in a container of which only the iteration that a re-run begins in runs.
    pub(crate) fn is_beside(&self, compiled: &Compiled, node: usize, from: &str) -> bool {
        let begun = steps_of(compiled, from);
        let only =
            |container: &usize| self.through.contains(container) && begun.iter().rev().skip(1).any(|n| n == container);
        until::through(compiled, node).iter().any(only)
    }
}

/// What runs when the run ends after a step.
pub(crate) fn ending(compiled: &Compiled, step: &str, from: Option<&str>) -> Result<Way, UntilError> {
    let node = compiled.node_index(step).ok_or_else(|| UntilError::Unknown { step: step.to_owned() })?;
    let way = Way { runs: until::runs(compiled, node), through: until::through(compiled, node) };
    let outer = way.through.last().copied().unwrap_or(node);
    if compiled.nodes[node].recovery.is_some() || compiled.abort_region[outer] {
        return Err(UntilError::Aside { step: step.to_owned() });
    }
    if let Some(from) = from {
        let first = steps_of(compiled, from).last().copied();
        if first.is_none_or(|first| !way.has(compiled, first)) {
            return Err(UntilError::Before { step: step.to_owned(), from: from.to_owned() });
        }
    }
    Ok(way)
}

/// The steps of the file that a name with its path goes through, from the top. What a sub-workflow holds is in another file.
fn steps_of(compiled: &Compiled, name: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut parts = name.split('/');
    while let Some(part) = parts.next() {
        let Some(node) = compiled.node_index(part.split('[').next().unwrap_or_default()) else { break };
        found.push(node);
        match compiled.nodes[node].role {
            Role::Subworkflow => break,
            // A branch has the name of the step that it begins with.
            Role::Parallel => drop(parts.next()),
            _ => {}
        }
    }
    found
}

/// The container at the top that a step stands in, or the step.
pub(crate) fn outermost(compiled: &Compiled, node: usize) -> usize {
    until::through(compiled, node).last().copied().unwrap_or(node)
}
