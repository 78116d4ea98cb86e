//! Ending a run after one step (UX C16, ADR 75): which steps that can be.

use crate::{compiled::Compiled, fold::until};
use std::collections::BTreeSet;

/// Why a run cannot end after a step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UntilError {
    /// No such step.
    #[error("The workflow has no step '{step}' that a run could end after")]
    Unknown {
        /// As it was named.
        step: String,
    },
    /// Its iterations and branches end together.
    #[error("The step '{step}' stands inside '{container}': a run ends after the whole of it")]
    Inside {
        /// The step.
        step: String,
        /// What it stands in, at the top.
        container: String,
    },
    /// It works on failures of other steps, or runs after an abort.
    #[error("The step '{step}' only runs when something has failed")]
    Aside {
        /// The step.
        step: String,
    },
    /// The run begins behind it.
    #[error("The run begins at '{from}', and nothing leads from there to '{step}'")]
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
            Self::Inside { .. } | Self::Aside { .. } | Self::Before { .. } => "STEP_NOT_AN_END",
        }
    }

    /// What a person does next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "Name one of its steps by its id.",
            Self::Inside { .. } => "Name the step of the top that it stands in.",
            Self::Aside { .. } => "Name a step that runs when all goes well.",
            Self::Before { .. } => "Name the step that the run begins at, or one behind it.",
        }
    }
}

/// Whether a run of this definition can end after a step. `from`: the step that it begins at, with its path; its entries
/// when absent.
pub fn check(compiled: &Compiled, step: &str, from: Option<&str>) -> Result<(), UntilError> {
    ending(compiled, step, from).map(|_| ())
}

/// What runs when the run ends after a step: nodes of the top.
pub(crate) fn ending(compiled: &Compiled, step: &str, from: Option<&str>) -> Result<BTreeSet<usize>, UntilError> {
    let node = compiled.node_index(step).ok_or_else(|| UntilError::Unknown { step: step.to_owned() })?;
    let container = outermost(compiled, node);
    if container != node {
        return Err(UntilError::Inside { step: step.to_owned(), container: compiled.node_id(container).to_owned() });
    }
    if compiled.nodes[node].recovery.is_some() || compiled.abort_region[node] {
        return Err(UntilError::Aside { step: step.to_owned() });
    }
    let runs = until::runs(compiled, node);
    if let Some(from) = from {
        let first = compiled.node_index(from.split(['/', '[']).next().unwrap_or_default());
        if first.is_none_or(|first| !runs.contains(&first)) {
            return Err(UntilError::Before { step: step.to_owned(), from: from.to_owned() });
        }
    }
    Ok(runs)
}

/// The container at the top that a step stands in, or the step.
pub(crate) fn outermost(compiled: &Compiled, mut node: usize) -> usize {
    while let Some(parent) = compiled.nodes[node].node.parent.as_deref().and_then(|id| compiled.node_index(id)) {
        node = parent;
    }
    node
}
