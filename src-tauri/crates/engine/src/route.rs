//! Error routing (SEMANTICS 4): what one failed call leads to.

use crate::{
    compiled::{Compiled, Policy},
    expr::Expr,
    fold,
    retry::{self, DelayKey},
    scope::Scope,
    state::RunState,
    step::failed_scope,
};
use serde_json::Value;
use signalbox_model::{
    ErrorPayload, RetryPolicy,
    event::{ErrorHandled, RetryScheduled},
    workflow::Rule,
};
use std::sync::Arc;

/// One route.
pub(crate) struct Route {
    /// The decision of a rule or policy; absent for a node's own retry.
    pub(crate) handled: Option<ErrorHandled>,
    /// The retry that follows.
    pub(crate) retry: Option<RetryScheduled>,
}

/// Decides. Line 3 (a red wire) is settled by the state before anybody asks.
pub(crate) fn decide(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    error: &Arc<ErrorPayload>,
) -> Route {
    let this = &compiled.nodes[node];
    let attempt = fold::slot_ref(state, node, slot).map_or(0, |s| s.attempt);
    let planned = |policy: &RetryPolicy| {
        let told = error.details.as_ref().and_then(|d| d.get("retryAfterMs")).and_then(Value::as_u64);
        let key = DelayKey {
            seed: state.seed,
            path: "",
            node: &this.id,
            item: slot,
            visit: fold::slot_ref(state, node, slot).map_or(1, |s| s.visit),
            attempt,
        };
        RetryScheduled { attempt: attempt + 1, delay_ms: told.unwrap_or_else(|| retry::delay(policy, key)) }
    };
    if let Some(own) = &this.own_retry
        && fold::own_retry_applies(compiled, node, error, attempt)
    {
        return Route { handled: None, retry: Some(planned(own)) };
    }
    let may_retry = attempt < this.max_attempts;
    let choice = match &compiled.policy {
        Policy::Safe if error.retryable && may_retry => Choice::plain("policy:safe", "retry"),
        Policy::Safe if this.fallback => Choice::plain("policy:safe", "fallback"),
        // Repair and the inbox belong to a later release: here the policy fails where it would ask.
        Policy::Safe => Choice { wanted: Some("human_review".into()), ..Choice::plain("policy:safe", "abort") },
        Policy::Fail if this.fallback => Choice::plain("policy:fail", "fallback"),
        Policy::Fail => Choice::plain("policy:fail", "abort"),
        Policy::Rules(rules) => by_rules(rules, &failed_scope(compiled, state, node, slot, error)),
    };
    let (action, wanted) = match choice.action.as_str() {
        "retry" if !may_retry => ("abort".to_owned(), Some("retry".to_owned())),
        "fallback" if !this.fallback => ("abort".to_owned(), Some("fallback".to_owned())),
        "retry" | "fallback" | "abort" => (choice.action.clone(), choice.wanted.clone()),
        other => ("abort".to_owned(), Some(other.to_owned())),
    };
    let retry = (action == "retry").then(|| planned(&this.retry_numbers));
    Route {
        handled: Some(ErrorHandled {
            origin_step_id: this.id.to_string(),
            rule: choice.rule,
            action,
            wanted,
            rule_error: choice.rule_error,
            origin: None,
        }),
        retry,
    }
}

struct Choice {
    rule: String,
    action: String,
    wanted: Option<String>,
    rule_error: Option<String>,
}

impl Choice {
    fn plain(rule: &str, action: &str) -> Self {
        Self { rule: rule.to_owned(), action: action.to_owned(), wanted: None, rule_error: None }
    }
}

/// The first rule whose `when` is true; a rule that cannot be evaluated does not match (K-10).
fn by_rules(rules: &[Rule], scope: &Scope) -> Choice {
    let mut rule_error = None;
    for rule in rules {
        match Expr::compile(&rule.when).and_then(|e| e.eval_bool(scope)) {
            Ok(true) => {
                return Choice { rule_error, ..Choice::plain(&format!("policy:{}", rule.name), &rule.action) };
            }
            Ok(false) => {}
            Err(error) => {
                rule_error.get_or_insert_with(|| format!("{}: {}", rule.name, error.message));
            }
        }
    }
    Choice { rule_error, ..Choice::plain("policy:default", "abort") }
}
