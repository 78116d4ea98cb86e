//! Error routing (SEMANTICS 4): what one failed call leads to.

use crate::{
    compiled::{Compiled, Way},
    decision::{self, Choice, Decision, Facts, Wired},
    error_codes::{CHILD_ERRORS, INTERRUPTED, ON_EXPIRY},
    fold,
    prepare::failed_scope,
    retry::{self, DelayKey},
    state::RunState,
};
use serde_json::Value;
use signalbox_model::{
    ErrorPayload, RetryPolicy,
    event::{ErrorHandled, RetryScheduled},
    workflow::Rule,
};

/// The next automatic re-execution.
pub(crate) fn planned(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    error: &ErrorPayload,
    policy: &RetryPolicy,
) -> RetryScheduled {
    let known = fold::slot_ref(state, node, slot);
    let attempt = known.map_or(0, |s| s.attempt);
    let told = error.details.as_ref().and_then(|d| d.get("retryAfterMs")).and_then(Value::as_u64);
    let path = fold::place::path_of(compiled, state, node);
    let key = DelayKey {
        seed: state.seed,
        path: path.as_deref().unwrap_or_default(),
        node: &compiled.nodes[node].id,
        item: slot,
        visit: known.map_or(1, |s| s.visit),
        attempt,
    };
    RetryScheduled { attempt: attempt + 1, delay_ms: told.unwrap_or_else(|| retry::delay(policy, key)) }
}

/// What the failed input should have looked like: the error's own schema, else that of the kind.
pub(crate) fn known_schema(compiled: &Compiled, node: usize, error: &ErrorPayload) -> Option<Value> {
    let named = &compiled.file(node).schemas;
    decision::known_schema(error, compiled.nodes[node].descriptor.input_schema.as_ref(), named)
}

/// Line 4: the workflow's policy decides.
pub(crate) fn by_policy(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    error: &ErrorPayload,
) -> ErrorHandled {
    let facts = facts(compiled, state, (node, slot), error, None);
    let fixable = || fixable(compiled, state, (node, slot), error);
    let mut by_rules = |rules: &[Rule]| by_rules(compiled, state, (node, slot), error, rules, "policy:");
    let choice = decision::chosen(&compiled.file(node).policy, error, &facts, &fixable, &mut by_rules);
    handled(compiled, node, decision::really(choice, error, &facts, &fixable))
}

/// A step that would hand on more than there is room for is over, whatever the policy says.
pub(crate) fn by_limit(compiled: &Compiled, node: usize) -> ErrorHandled {
    let decision = Decision { rule: "limit".into(), action: "abort".into(), wanted: None, rule_error: None };
    handled(compiled, node, decision)
}

/// Nobody answered a step that asks, and its author wants the run to end then.
pub(crate) fn by_expiry(compiled: &Compiled, node: usize) -> ErrorHandled {
    let decision = Decision { rule: ON_EXPIRY.into(), action: "abort".into(), wanted: None, rule_error: None };
    handled(compiled, node, decision)
}

/// A person would be asked, and the run was given up: its question would be taken back as soon as it is asked.
pub(crate) fn by_nobody(compiled: &Compiled, node: usize) -> ErrorHandled {
    let wanted = Some("human_review".into());
    handled(compiled, node, Decision { rule: "onAbort".into(), action: "abort".into(), wanted, rule_error: None })
}

/// A handler decides by its rules.
pub(crate) fn by_handler(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    error: &ErrorPayload,
    handler: usize,
) -> ErrorHandled {
    let rules = decision::rules_of(&compiled.nodes[handler].config);
    let choice = by_rules(compiled, state, (node, slot), error, &rules, "");
    let facts = facts(compiled, state, (node, slot), error, Some(handler));
    let fixable = || fixable(compiled, state, (node, slot), error);
    handled(compiled, node, decision::really(choice, error, &facts, &fixable))
}

fn by_rules(
    compiled: &Compiled,
    state: &RunState,
    (node, slot): (usize, usize),
    error: &ErrorPayload,
    rules: &[Rule],
    prefix: &str,
) -> Choice {
    let scope = failed_scope(compiled, state, node, slot, error);
    decision::of_rules(rules, decision::verdicts(rules, &scope), prefix)
}

fn facts(
    compiled: &Compiled,
    state: &RunState,
    (node, slot): (usize, usize),
    error: &ErrorPayload,
    handler: Option<usize>,
) -> Facts {
    let this = &compiled.nodes[node];
    let wired = |port: &str| handler.is_some_and(|handler| compiled.way(handler, port, node) != Way::Unwired);
    Facts {
        may_retry: fold::slot_ref(state, node, slot).map_or(0, |s| s.attempt) < this.max_attempts,
        threshold: this.human_review_threshold,
        auto_fix: this.auto_fix,
        fallback: this.fallback,
        wired: Wired { auto_fix: wired("auto_fix"), fallback: wired("fallback"), context: wired("context") },
        unasked: handler.is_none() && (state.is_given_up() || fold::body::is_collected(compiled, state, node)),
        uncertain: is_cut_off(compiled, state, node, slot, error),
    }
}

/// A call was cut off and may have happened, so nothing but a person repeats it (ADR 6): one that asks after an interruption, or
/// one in this container. An author may call a failure of his own so, too; that one is none.
pub(crate) fn is_cut_off(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    error: &ErrorPayload,
) -> bool {
    if compiled.is_container(node) {
        tells_cut_off(error)
    } else {
        error.code() == INTERRUPTED && fold::asks(compiled, state, node, slot)
    }
}

/// The error is that of a call that was cut off, or of a container that has such a call in it.
#[must_use]
pub fn tells_cut_off(error: &ErrorPayload) -> bool {
    error.details.as_ref().is_some_and(|details| {
        let unknown = details.get("effect").is_some_and(|effect| effect == "unknown");
        unknown && (error.code() == INTERRUPTED || details.contains_key(CHILD_ERRORS))
    })
}

/// What the input should look like is known, and the built-in repair was not tried in this visit.
fn fixable(compiled: &Compiled, state: &RunState, (node, slot): (usize, usize), error: &ErrorPayload) -> bool {
    fold::slot_ref(state, node, slot).is_none_or(|s| s.heals == 0) && known_schema(compiled, node, error).is_some()
}

fn handled(compiled: &Compiled, node: usize, decision: Decision) -> ErrorHandled {
    let Decision { rule, action, wanted, rule_error } = decision;
    ErrorHandled { origin_step_id: compiled.nodes[node].id.to_string(), rule, action, wanted, rule_error, origin: None }
}
