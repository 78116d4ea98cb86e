//! What one step may hand on (ADR 62). Items of a run are in memory: before there are too many of them, it is said in words.

use crate::effect::CallOutput;
use crate::error_codes::CHILD_ERRORS;
use crate::value_size;
use signalbox_model::{Data, ErrorPayload, Map, NodeFailure, SuggestedAction, Workflow};
use std::ops::RangeInclusive;

/// Code of the error of a step, or of a container, that would hand on more than it may.
pub(crate) const STEP_TOO_LARGE: &str = "STEP_TOO_LARGE";

/// Megabytes that `settings.stepMemoryMb` may say.
const MEGABYTES: RangeInclusive<u64> = 16..=65_536;
/// Bytes of a megabyte.
const MEGA: usize = 1024 * 1024;

/// How many bytes the items of a step may take, where a workflow says it.
///
/// # Errors
/// What is wrong with what it says.
pub(crate) fn step_memory(workflow: &Workflow) -> Option<Result<usize, String>> {
    let said = workflow.settings.as_ref()?.step_memory_mb.as_ref()?;
    let mega = said.as_u64().filter(|mega| MEGABYTES.contains(mega)).and_then(|mega| usize::try_from(mega).ok());
    Some(mega.map(|mega| mega.saturating_mul(MEGA)).ok_or_else(|| {
        format!("The memory of a step is not a whole number from {} to {}", MEGABYTES.start(), MEGABYTES.end())
    }))
}

/// About how many bytes of memory the items take that a call puts out.
pub(crate) fn weight(output: &CallOutput) -> usize {
    output.ports.values().map(|items| items.memory(value_size::of_item)).sum()
}

/// The same when the items are kept as values, as a body keeps what leaves it.
pub(crate) fn weight_as_values(output: &CallOutput) -> usize {
    output.ports.values().map(|items| items.memory_as_values(value_size::of_item)).sum()
}

/// Why the items of a call are not made into values: a long list is text, and takes ten times as much then (ADR 95).
pub(crate) fn refused_as_values(input: &[Data], most: usize) -> Option<NodeFailure> {
    let of = |data: &Data| match data {
        Data::Value(_) => 0,
        Data::Text(text) => text.pieces().map(value_size::of_text).sum(),
    };
    let bytes = input.iter().map(of).sum();
    let what = || format!("Values of all {} items, which this step needs at once,", input.len());
    (bytes > most).then(|| refused(bytes, most, &what()))
}

/// Why it does not go on: `what` is told to a person.
pub(crate) fn refused(bytes: usize, most: usize, what: &str) -> NodeFailure {
    let mega = |bytes: usize| bytes.div_ceil(MEGA);
    let message = format!(
        "{what} would take about {} MB of memory; a step may hand on {} MB. Keep fewer fields, filter earlier, work through \
         the list in parts, or allow more in the settings of the workflow",
        mega(bytes),
        mega(most)
    );
    NodeFailure::validation(STEP_TOO_LARGE, message)
        .suggest(SuggestedAction::HumanReview)
        .detail("bytes", bytes)
        .detail("limit", most)
}

/// One of many items of a step found no room. The others would find none either: nobody is asked about each of them, and
/// nothing is routed; the step is over.
pub(crate) fn ends_step(error: &ErrorPayload, slots: usize) -> bool {
    // A container takes over the code of its child, and a step may fail with any code: those go on as errors do.
    let is_own = |details: &Map| details.contains_key("limit") && !details.contains_key(CHILD_ERRORS);
    slots > 1 && error.code() == STEP_TOO_LARGE && error.details.as_ref().is_some_and(is_own)
}

#[cfg(test)]
mod tests;
