//! Error routing (SEMANTICS 4): what one failed call leads to.

use crate::{
    compiled::{Compiled, Policy, Way},
    expr::Expr,
    fold,
    retry::{self, DelayKey},
    schema::Schema,
    scope::Scope,
    state::RunState,
    step::failed_scope,
};
use serde_json::{Value, json};
use signalbox_model::{
    ErrorPayload, ErrorType, Level, RetryPolicy,
    event::{ErrorHandled, RetryScheduled},
    workflow::Rule,
};
use std::sync::{Arc, LazyLock};

/// The rules of a handler that has none of its own (E-28…E-31).
pub static DEFAULT_RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let rule =
        |name: &str, when: &str, action: &str| Rule { name: name.into(), when: when.into(), action: action.into() };
    vec![
        rule("retry-if-transient", "error.retryable == true && error.attempt < error.maxAttempts", "retry"),
        rule("auto-fix-validation", "error.type == 'ValidationError'", "auto_fix"),
        rule("escalate-to-human", "error.type == 'LLMError' && error.attempt >= 1", "human_review"),
        rule("abort-default", "true", "abort"),
    ]
});

/// Rules of a handler's config, or the default ones.
pub fn rules_of(config: &Value) -> Vec<Rule> {
    config
        .get("rules")
        .filter(|rules| rules.as_array().is_some_and(|list| !list.is_empty()))
        .and_then(|rules| serde_json::from_value(rules.clone()).ok())
        .unwrap_or_else(|| DEFAULT_RULES.clone())
}

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

/// How bad an error is (K-06).
pub fn severity(error: &ErrorPayload) -> Level {
    let details = error.details.as_ref();
    if let Some(level) = details.and_then(|d| d.get("severity")).and_then(Value::as_str).and_then(Level::parse) {
        return level;
    }
    let grave = matches!(error.error_type, ErrorType::LLMError | ErrorType::ToolError);
    if !error.retryable && grave { Level::Critical } else { Level::Error }
}

/// What the failed input should have looked like: the error's own schema, else that of the kind.
pub(crate) fn known_schema(compiled: &Compiled, node: usize, error: &ErrorPayload) -> Option<Value> {
    let details = error.details.as_ref()?;
    let original = details.get("originalError").and_then(|e| e.get("details"));
    let told = [details.get("schema"), original.and_then(|d| d.get("schema"))];
    let told = told.into_iter().flatten().find(|s| s.as_object().is_some_and(|o| !o.is_empty()));
    told.filter(|schema| Schema::compile(schema).is_ok())
        .cloned()
        .or_else(|| compiled.nodes[node].descriptor.input_schema.clone())
}

/// Line 4: the workflow's policy decides.
pub(crate) fn by_policy(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    error: &ErrorPayload,
) -> ErrorHandled {
    let this = &compiled.nodes[node];
    let known = fold::slot_ref(state, node, slot);
    let may_retry = known.map_or(0, |s| s.attempt) < this.max_attempts;
    let fresh = known.is_none_or(|s| s.heals == 0);
    let fixable =
        || error.error_type == ErrorType::ValidationError && fresh && known_schema(compiled, node, error).is_some();
    let choice = match &compiled.file(node).policy {
        Policy::Safe if error.retryable && may_retry => Choice::plain("policy:safe", "retry"),
        Policy::Safe if this.auto_fix != Some(false) && fixable() => Choice::plain("policy:safe", "auto_fix"),
        Policy::Safe if this.fallback => Choice::plain("policy:safe", "fallback"),
        Policy::Safe => Choice::plain("policy:safe", "human_review"),
        Policy::Fail if this.auto_fix == Some(true) && fixable() => Choice::plain("policy:fail", "auto_fix"),
        Policy::Fail if this.fallback => Choice::plain("policy:fail", "fallback"),
        Policy::Fail => Choice { default: true, ..Choice::plain("policy:fail", "abort") },
        Policy::Rules(rules) => by_rules(rules, &failed_scope(compiled, state, node, slot, error), "policy:"),
    };
    really(compiled, state, (node, slot), error, None, choice)
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
    let rules = rules_of(&compiled.nodes[handler].config);
    let choice = by_rules(&rules, &failed_scope(compiled, state, node, slot, error), "");
    really(compiled, state, (node, slot), error, Some(handler), choice)
}

/// What is really done of what was chosen (the table of actions).
fn really(
    compiled: &Compiled,
    state: &RunState,
    (node, slot): (usize, usize),
    error: &ErrorPayload,
    handler: Option<usize>,
    choice: Choice,
) -> ErrorHandled {
    let this = &compiled.nodes[node];
    let known = fold::slot_ref(state, node, slot);
    let may_retry = known.map_or(0, |s| s.attempt) < this.max_attempts;
    let wired = |port: &str| handler.is_some_and(|handler| compiled.way(handler, port, node) != Way::Unwired);
    let fresh = known.is_none_or(|s| s.heals == 0);
    let alone = handler.is_none() && fold::body::is_collected(compiled, state, node);
    let instead = match choice.action.as_str() {
        // Whoever collects errors asks nobody about one of them (SEMANTICS 4, line 5).
        "human_review" | "escalate" if alone => Some("abort"),
        "abort" if alone => None,
        "abort" if choice.default && this.human_review_threshold.is_some_and(|t| severity(error) >= t) => {
            Some("human_review")
        }
        "escalate" => Some("human_review"),
        "retry" if !may_retry => Some("abort"),
        "auto_fix" if alone && !(fresh && known_schema(compiled, node, error).is_some()) => Some("abort"),
        "auto_fix" if !(wired("auto_fix") || fresh && known_schema(compiled, node, error).is_some()) => {
            Some("human_review")
        }
        "fallback" if !wired("fallback") && !this.fallback => Some("abort"),
        "error_as_context" if !wired("context") => Some("abort"),
        "retry" | "auto_fix" | "human_review" | "fallback" | "error_as_context" | "abort" => None,
        _ => Some("abort"),
    };
    ErrorHandled {
        origin_step_id: this.id.to_string(),
        rule: choice.rule,
        action: instead.map_or_else(|| choice.action.clone(), str::to_owned),
        wanted: instead.map(|_| choice.action),
        rule_error: choice.rule_error,
        origin: None,
    }
}

struct Choice {
    rule: String,
    action: String,
    rule_error: Option<String>,
    /// Nothing matched before: the threshold may turn an abort into a question (K-06).
    default: bool,
}

impl Choice {
    fn plain(rule: &str, action: &str) -> Self {
        Self { rule: rule.to_owned(), action: action.to_owned(), rule_error: None, default: false }
    }
}

/// A condition that every error fits.
pub(crate) fn always(when: &str) -> bool {
    when.trim().trim_start_matches('=').trim() == "true"
}

/// The first rule whose `when` is true; a rule that cannot be evaluated does not match (K-10).
fn by_rules(rules: &[Rule], scope: &Scope, prefix: &str) -> Choice {
    let mut rule_error = None;
    for (index, rule) in rules.iter().enumerate() {
        match Expr::compile(&rule.when).and_then(|e| e.eval_bool(scope)) {
            Ok(true) => {
                let default = index + 1 == rules.len() && rule.action == "abort" && always(&rule.when);
                return Choice {
                    rule_error,
                    default,
                    ..Choice::plain(&format!("{prefix}{}", rule.name), &rule.action)
                };
            }
            Ok(false) => {}
            Err(error) => {
                rule_error.get_or_insert_with(|| format!("{}: {}", rule.name, error.message));
            }
        }
    }
    Choice { rule_error, default: true, ..Choice::plain(&format!("{prefix}default"), "abort") }
}

/// What a dry run says about one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleVerdict {
    /// Name of the rule.
    pub rule: String,
    /// `when` is true.
    pub matched: bool,
    /// Why `when` could not be evaluated.
    pub error: Option<String>,
}

/// Evaluates every rule over an error, without a run: (index of the first match, all verdicts).
pub fn dry_run(rules: &[Rule], error: &ErrorPayload, input: &Value) -> (Option<usize>, Vec<RuleVerdict>) {
    let mut scope = Scope::empty();
    let payload = Arc::new(serde_json::to_value(error).unwrap_or_default());
    scope.item = Arc::new(input.clone());
    scope.items = Arc::new(vec![Arc::clone(&scope.item)]);
    scope.data = Arc::clone(&scope.item);
    scope.error = payload;
    scope.workflow = Arc::new(json!({}));
    let verdicts: Vec<RuleVerdict> = rules
        .iter()
        .map(|rule| match Expr::compile(&rule.when).and_then(|e| e.eval_bool(&scope)) {
            Ok(matched) => RuleVerdict { rule: rule.name.clone(), matched, error: None },
            Err(error) => RuleVerdict { rule: rule.name.clone(), matched: false, error: Some(error.message) },
        })
        .collect();
    (verdicts.iter().position(|v| v.matched), verdicts)
}
