//! What one step may hand on (ADR 62). Items of a run are in memory: before there are too many of them, it is said in words.

use crate::effect::CallOutput;
use crate::error_codes::CHILD_ERRORS;
use crate::value_size;
use signalbox_model::{Data, ErrorPayload, Map, NodeFailure, SuggestedAction};

/// Code of the error of a step, or of a container, that would hand on more than it may.
pub(crate) const STEP_TOO_LARGE: &str = "STEP_TOO_LARGE";

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
        Data::Text(text) => value_size::of_text(text.text()),
    };
    let bytes = input.iter().map(of).sum();
    let what = || format!("Values of all {} items, which this step needs at once,", input.len());
    (bytes > most).then(|| refused(bytes, most, &what()))
}

/// Why it does not go on: `what` is told to a person.
pub(crate) fn refused(bytes: usize, most: usize, what: &str) -> NodeFailure {
    let mega = |bytes: usize| bytes.div_ceil(1024 * 1024);
    let message = format!(
        "{what} would take about {} MB of memory; a step may hand on {} MB. Keep fewer fields, filter earlier, or work through \
         the list in parts",
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
