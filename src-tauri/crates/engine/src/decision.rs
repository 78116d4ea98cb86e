//! The table of SEMANTICS 4: which rule or policy decides about an error, and what is really done. A run and a dry run ask
//! the same functions; what a run knows and a dry run is told is in [`Facts`].

use crate::{expr::Expr, schema::Schema, schemas::Schemas, scope::Scope};
use serde_json::{Value, json};
use signalbox_model::{ErrorPayload, ErrorType, Level, workflow::Rule};
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
pub(crate) fn rules_of(config: &Value) -> Vec<Rule> {
    config
        .get("rules")
        .filter(|rules| rules.as_array().is_some_and(|list| !list.is_empty()))
        .and_then(|rules| serde_json::from_value(rules.clone()).ok())
        .unwrap_or_else(|| DEFAULT_RULES.clone())
}

/// Who decides: a policy, or the rules of a handler.
#[derive(Debug, Clone)]
pub enum Decider {
    /// The policy `safe`.
    Safe,
    /// The policy `fail`.
    Fail,
    /// Rules, in order.
    Rules(Vec<Rule>),
}

/// What a decision depends on besides the rules and the error.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts {
    /// The step may be called again.
    pub may_retry: bool,
    /// From this severity on a person is asked instead of an abort by default.
    pub threshold: Option<Level>,
    /// The step's switch.
    pub auto_fix: Option<bool>,
    /// The step has a fallback of its own.
    pub fallback: bool,
    /// Ports of the handler that lead somewhere.
    pub wired: Wired,
    /// Nobody is asked: the container around the step collects errors (line 5), or the run was given up.
    pub unasked: bool,
    /// It was cut off and may have happened: only a person may have it called again, with whatever input.
    pub uncertain: bool,
}

/// Ports of a handler that lead somewhere; none for a policy.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wired {
    /// To a healer.
    pub auto_fix: bool,
    /// Out, with the failed item.
    pub fallback: bool,
    /// Out, with the error as data.
    pub context: bool,
}

/// How bad an error is (K-06).
pub(crate) fn severity(error: &ErrorPayload) -> Level {
    let details = error.details.as_ref();
    if let Some(level) = details.and_then(|d| d.get("severity")).and_then(Value::as_str).and_then(Level::parse) {
        return level;
    }
    let grave = matches!(error.error_type, ErrorType::LLMError | ErrorType::ToolError);
    if !error.retryable && grave { Level::Critical } else { Level::Error }
}

/// What the failed input should have looked like: the error's own schema, else that of the kind.
pub(crate) fn known_schema(error: &ErrorPayload, of_kind: Option<&Value>, named: &Schemas) -> Option<Value> {
    let details = error.details.as_ref();
    let original = details.and_then(|d| d.get("originalError")).and_then(|e| e.get("details"));
    let told = [details.and_then(|d| d.get("schema")), original.and_then(|d| d.get("schema"))];
    let mut told = told.into_iter().flatten().filter_map(|schema| named.meant(schema));
    let told = told.find(|schema| schema.as_object().is_some_and(|o| !o.is_empty()));
    told.filter(|schema| Schema::compile(schema).is_ok()).or_else(|| of_kind.cloned())
}

/// What was chosen, before it is known whether it can be done.
pub(crate) struct Choice {
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

/// What is done about an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    /// Name of the rule, `policy:safe`, `policy:fail`, or `default`.
    pub(crate) rule: String,
    /// What is really done.
    pub(crate) action: String,
    /// What the rule says, when that is something else.
    pub(crate) wanted: Option<String>,
    /// Why an earlier rule could not be asked.
    pub(crate) rule_error: Option<String>,
}

/// Line 4: a policy chooses. `fixable`: what the input should look like is known, and no repair was tried yet.
pub(crate) fn chosen(
    policy: &Decider,
    error: &ErrorPayload,
    facts: &Facts,
    fixable: &dyn Fn() -> bool,
    by_rules: &mut dyn FnMut(&[Rule]) -> Choice,
) -> Choice {
    let fixes = |on: bool| on && error.error_type == ErrorType::ValidationError && fixable();
    match policy {
        Decider::Safe if error.retryable && facts.may_retry => Choice::plain("policy:safe", "retry"),
        Decider::Safe if fixes(facts.auto_fix != Some(false)) => Choice::plain("policy:safe", "auto_fix"),
        Decider::Safe if facts.fallback => Choice::plain("policy:safe", "fallback"),
        Decider::Safe => Choice::plain("policy:safe", "human_review"),
        Decider::Fail if fixes(facts.auto_fix == Some(true)) => Choice::plain("policy:fail", "auto_fix"),
        Decider::Fail if facts.fallback => Choice::plain("policy:fail", "fallback"),
        Decider::Fail => Choice { default: true, ..Choice::plain("policy:fail", "abort") },
        Decider::Rules(rules) => by_rules(rules),
    }
}

/// The first rule whose `when` is true; a rule that cannot be evaluated does not match (K-10).
pub(crate) fn of_rules(rules: &[Rule], verdicts: impl Iterator<Item = RuleVerdict>, prefix: &str) -> Choice {
    let mut rule_error = None;
    for (index, (rule, verdict)) in rules.iter().zip(verdicts).enumerate() {
        if verdict.matched {
            let default = index + 1 == rules.len() && rule.action == "abort" && always(&rule.when);
            return Choice { rule_error, default, ..Choice::plain(&format!("{prefix}{}", rule.name), &rule.action) };
        }
        if let Some(why) = verdict.error {
            rule_error.get_or_insert_with(|| format!("{}: {why}", rule.name));
        }
    }
    Choice { rule_error, default: true, ..Choice::plain(&format!("{prefix}default"), "abort") }
}

/// What is really done of what was chosen (the table of actions).
pub(crate) fn really(choice: Choice, error: &ErrorPayload, facts: &Facts, fixable: &dyn Fn() -> bool) -> Decision {
    let asks = if facts.unasked { "abort" } else { "human_review" };
    let instead = match choice.action.as_str() {
        "human_review" if facts.unasked => Some(asks),
        "escalate" => Some(asks),
        "abort" if choice.default && facts.threshold.is_some_and(|t| severity(error) >= t) => {
            Some(asks).filter(|asks| *asks != "abort")
        }
        "retry" | "auto_fix" if facts.uncertain => Some("abort"),
        "retry" if !facts.may_retry => Some("abort"),
        "auto_fix" if !facts.wired.auto_fix && !fixable() => Some(asks),
        "fallback" if !facts.wired.fallback && !facts.fallback => Some("abort"),
        "error_as_context" if !facts.wired.context => Some("abort"),
        "retry" | "auto_fix" | "human_review" | "fallback" | "error_as_context" | "abort" => None,
        _ => Some("abort"),
    };
    Decision {
        rule: choice.rule,
        action: instead.map_or_else(|| choice.action.clone(), str::to_owned),
        wanted: instead.map(|_| choice.action),
        rule_error: choice.rule_error,
    }
}

/// A condition that every error fits.
pub(crate) fn always(when: &str) -> bool {
    when.trim().trim_start_matches('=').trim() == "true"
}

/// What one rule says of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleVerdict {
    /// Name of the rule.
    pub rule: String,
    /// `when` is true.
    pub matched: bool,
    /// Why `when` could not be evaluated.
    pub error: Option<String>,
}

/// Asks rules one after the other.
pub(crate) fn verdicts(rules: &[Rule], scope: &Scope) -> impl Iterator<Item = RuleVerdict> {
    rules.iter().map(|rule| match Expr::compile(&rule.when).and_then(|e| e.eval_bool(scope)) {
        Ok(matched) => RuleVerdict { rule: rule.name.clone(), matched, error: None },
        Err(error) => RuleVerdict { rule: rule.name.clone(), matched: false, error: Some(error.message) },
    })
}

/// What a dry run came to.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Which rule, when one of the list fits.
    pub index: Option<usize>,
    /// Its name, `policy:safe`, `policy:fail` or `default`.
    pub rule: String,
    /// What is really done.
    pub action: String,
    /// What the rule says, when that is something else.
    pub wanted: Option<String>,
    /// All rules in order, also those after the one that decides.
    pub why: Vec<RuleVerdict>,
}

/// What happens with an error, without a run. `of_kind`: the input schema of the step's kind.
pub fn dry_run(
    decider: &Decider,
    error: &ErrorPayload,
    input: &Value,
    facts: &Facts,
    of_kind: Option<&Value>,
) -> Outcome {
    let fixable = || known_schema(error, of_kind, &Schemas::default()).is_some();
    let mut why = Vec::new();
    let choice = chosen(decider, error, facts, &fixable, &mut |rules| {
        let mut scope = Scope::empty();
        scope.item = input.clone().into();
        scope.items = Arc::new(vec![scope.item.clone()]);
        scope.data = scope.item.clone();
        scope.error = Arc::new(serde_json::to_value(error).unwrap_or_default());
        scope.workflow = Arc::new(json!({}));
        why = verdicts(rules, &scope).collect();
        of_rules(rules, why.iter().cloned(), "")
    });
    let index = why.iter().position(|verdict: &RuleVerdict| verdict.matched);
    let Decision { rule, action, wanted, rule_error: _ } = really(choice, error, facts, &fixable);
    Outcome { index, rule, action, wanted, why }
}

#[cfg(test)]
mod tests;
