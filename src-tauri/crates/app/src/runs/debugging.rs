//! How a run begins that somebody looks into (ADR 33).

use crate::error::{ApiError, ApiResult, Class};
use serde_json::json;
use signalbox_engine::Compiled;
use signalbox_engine::debug::{BreakpointRefused, check};
use signalbox_model::debug::{Breakpoint, DebugStart};

pub(crate) fn checked(compiled: &Compiled, breakpoints: &[Breakpoint]) -> ApiResult<()> {
    check(compiled, breakpoints).map_err(|BreakpointRefused { node, reason }| {
        // What an expression is refused for is a sentence.
        let reason = reason.trim_end_matches('.');
        let message = if node.is_empty() {
            format!("The breakpoints cannot be set: {reason}.")
        } else {
            format!("The breakpoint at '{node}' cannot be set: {reason}.")
        };
        let hint = if node.is_empty() {
            "Take some away; a breakpoint on a step of a loop stops in each of its iterations."
        } else {
            "Name a step of the workflow, or PATH/STEP, a wire that leads to it, and a CEL condition over its item."
        };
        ApiError::new(Class::Invalid, "BAD_BREAKPOINT", message, hint).with(json!({ "node": node }))
    })
}

/// How a run begins that somebody looks into; nothing when nobody does.
pub(crate) fn watched(
    compiled: &Compiled,
    breakpoints: Vec<Breakpoint>,
    paused: bool,
    person: Option<&str>,
) -> ApiResult<Option<DebugStart>> {
    checked(compiled, &breakpoints)?;
    let watched = paused || !breakpoints.is_empty();
    Ok(watched.then(|| DebugStart { breakpoints, paused, operator_id: person.map(str::to_owned) }))
}
