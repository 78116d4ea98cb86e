//! Healers (SEMANTICS 4, ADR 52): repair by rules first, then questions to a model. The engine asks, counts and judges;
//! the model only proposes, and only an input.

mod protected_fields;

use super::{Deciding, StepError};
use crate::{
    effect::{CallOutput, Effect},
    fold::{self, case},
    patch, repair, route,
    schema::Schema,
    state::Intent,
};
use serde_json::{Value, json};
use signalbox_model::{
    ErrorPayload, ErrorType, EventBody, Item, NodeFailure, SuggestedAction,
    call_progress::UNASKED,
    task::{AutoFixAttempt, ModelTry},
};
use std::sync::Arc;

/// Name of the rules where a model's would stand.
const RULES: &str = "deterministic";
/// Questions to a model where the step says nothing.
const TRIES: u64 = 2;
/// Breaches of an answer's form: told to the model, it may answer better (K-32).
const BREACHES: [&str; 3] = ["NON_JSON", "NO_STRUCTURED_OUTPUT", "SCHEMA_MISMATCH"];

/// Why there is no repair.
#[derive(Default)]
struct Unhealed {
    why: Option<String>,
    violations: Vec<String>,
}

impl Unhealed {
    fn because(why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), violations: Vec::new() }
    }
}

/// A failed slot in the hands of a healer.
struct Healing {
    node: usize,
    slot: usize,
    healer: usize,
    error: Arc<ErrorPayload>,
    config: Arc<Value>,
    /// What the input should look like.
    schema: Option<Value>,
    original: Value,
}

impl Deciding<'_> {
    /// A healer: one try by rules in each visit of the origin, then a model, as its strategy says.
    pub(super) fn heal(
        &mut self,
        node: usize,
        slot: usize,
        healer: usize,
        error: &Arc<ErrorPayload>,
    ) -> Result<(), StepError> {
        let (config, broken) = match self.recovery_config(node, slot, healer, error) {
            Ok(config) => (config, None),
            Err(error) => (Arc::new(Value::Null), Some(error.failure("config"))),
        };
        // Repaired before: by another healer, or by this one before it was cut off. Nothing is tried twice.
        let before = case::case_of(self.state, node, slot).and_then(|case| case.intent.clone());
        self.recovery_start(node, slot, healer, Arc::clone(&config))?;
        if let Some(failure) = broken {
            let told = self.recovery_error(node, slot, healer, &failure);
            return self.recovery_failed(node, slot, healer, told);
        }
        let healing = self.healing(node, slot, healer, error, config);
        if let Some(Intent::Fixed(fixed)) = before {
            let delta = patch::diff(&healing.original, &fixed).len();
            // Its own record says who repaired it.
            return self.healed(&healing, &fixed, (None, None, delta));
        }
        let Some(schema) = &healing.schema else {
            return self.unhealed(&healing, Unhealed::because("nothing says what the input should look like"));
        };
        let strategy = Strategy::of(&healing.config);
        let mut unhealed = Unhealed::default();
        if strategy.rules && fold::slot_ref(self.state, node, slot).map_or(0, |s| s.heals) > 0 {
            unhealed = Unhealed::because("it was repaired once already in this round");
        } else if strategy.rules {
            let tried =
                AutoFixAttempt { origin: Some(self.origin_of(node, slot)), ..by_rules(&healing.original, schema) };
            let (accepted, fixed, delta) = (tried.accepted, tried.fixed_input.clone(), tried.delta);
            unhealed.violations.clone_from(&tried.violations);
            let key = self.recovery_key(node, slot, healer, false);
            self.emit(Some(key), EventBody::AutoFixAttempt(tried))?;
            if let (true, Some(fixed)) = (accepted, fixed) {
                return self.healed(&healing, &fixed, (Some(RULES), None, delta));
            }
        }
        if strategy.model { self.ask_model(&healing, unhealed) } else { self.unhealed(&healing, unhealed) }
    }

    fn healing(
        &self,
        node: usize,
        slot: usize,
        healer: usize,
        error: &Arc<ErrorPayload>,
        config: Arc<Value>,
    ) -> Healing {
        let named = &self.compiled.file(healer).schemas;
        let own = config.get("validationSchema").and_then(|schema| named.meant(schema));
        let schema = own.or_else(|| route::known_schema(self.compiled, node, error));
        let original = fold::input_value(self.compiled, self.state, node, slot);
        Healing { node, slot, healer, error: Arc::clone(error), config, schema, original }
    }

    /// The next question, while one is left.
    fn ask_model(&mut self, healing: &Healing, unhealed: Unhealed) -> Result<(), StepError> {
        let Healing { node, slot, healer, .. } = *healing;
        let (tries, most) = (self.tries(node, slot, healer), most(&healing.config));
        if tries >= most {
            let why = Some(format!("the model was asked {} in this round", times(tries)));
            return self.unhealed(healing, Unhealed { why, ..unhealed });
        }
        if !self.may_start(healer) {
            return self.unhealed(healing, Unhealed { why: Some("the run is about to end".into()), ..unhealed });
        }
        let asked = fold::slot_ref(self.state, node, slot).and_then(|slot| slot.asked_by(healer));
        let question = json!({
            "payload": healing.original,
            "schema": healing.schema,
            "refused": asked.map_or_else(Vec::new, |asked| asked.refused.clone()),
        });
        let item = Item { error: Some(Arc::clone(&healing.error)), ..Item::new("1", question) };
        let key = self.recovery_key(node, slot, healer, false);
        let call = self.recovery_call((node, slot), key, &healing.error, Arc::clone(&healing.config), item);
        self.out.effects.push(Effect::Call(Box::new(call)));
        Ok(())
    }

    /// A model has answered, or could not.
    pub(super) fn answered_by_model(
        &mut self,
        node: usize,
        slot: usize,
        healer: usize,
        error: &Arc<ErrorPayload>,
        result: Result<CallOutput, NodeFailure>,
    ) -> Result<(), StepError> {
        let config = match self.recovery_config(node, slot, healer, error) {
            Ok(config) => config,
            // Variables have changed since it was asked: nothing says any more what the answer should be.
            Err(broken) => {
                let told = self.recovery_error(node, slot, healer, &broken.failure("config"));
                return self.recovery_failed(node, slot, healer, told);
            }
        };
        let healing = self.healing(node, slot, healer, error, config);
        // Nobody was asked: no try was made, and another would end like this one.
        if let Err(failure) = &result
            && UNASKED.contains(&failure.code.as_str())
        {
            let why = failure.message.trim_end_matches('.').to_owned();
            return self.unhealed(&healing, Unhealed::because(why));
        }
        let question = ModelTry {
            number: self.tries(node, slot, healer) + 1,
            of: most(&healing.config),
            tokens: None,
            answer: None,
            retry_after_ms: None,
        };
        let final_word = result.as_ref().is_err_and(|failure| !worth_another(failure));
        let tried = match result {
            Ok(output) => self.proposed(&healing, output, question),
            Err(failure) => no_answer(failure, question),
        };
        let model = if tried.model.is_empty() { named(&healing.config) } else { tried.model.clone() };
        let tried = AutoFixAttempt { origin: Some(self.origin_of(node, slot)), model, ..tried };
        let (model, fixed, delta) = (tried.model.clone(), tried.fixed_input.clone(), tried.delta);
        let (violations, tokens) = (tried.violations.clone(), tried.asked.as_ref().and_then(|asked| asked.tokens));
        let key = self.recovery_key(node, slot, healer, false);
        self.emit(Some(key), EventBody::AutoFixAttempt(tried))?;
        if let Some(fixed) = fixed {
            return self.healed(&healing, &fixed, (Some(&model), tokens, delta));
        }
        let unhealed = Unhealed { why: None, violations };
        if final_word {
            self.unhealed(&healing, unhealed)
        } else if self.is_stopped() {
            // A stopped run asks nobody; when it goes on, the healer begins where it is.
            self.cut_recovery(node, slot, healer)
        } else {
            self.ask_model(&healing, unhealed)
        }
    }

    /// Judges what a model proposes.
    fn proposed(&self, healing: &Healing, output: CallOutput, question: ModelTry) -> AutoFixAttempt {
        let meta = output.meta.unwrap_or_default();
        let data = output.ports.values().find_map(|items| items.data(0)).unwrap_or_default();
        let patch = patch::diff(&healing.original, &data);
        let schema = Schema::compile(healing.schema.as_ref().unwrap_or(&Value::Bool(true)));
        let mut violations = match schema.map(|schema| schema.validate(&data)) {
            Ok(Ok(())) => Vec::new(),
            Ok(Err(found)) => repair::words(&found),
            Err(why) => vec![why],
        };
        if patch.is_empty() {
            violations.push("It is the input that failed".into());
        }
        if violations.is_empty()
            && let Some(field) = self.aimed_elsewhere(healing, &data)
        {
            violations.push(format!("It would change '{field}', which a model's repair never does"));
        }
        let accepted = violations.is_empty();
        AutoFixAttempt {
            model: meta.get("model").and_then(Value::as_str).unwrap_or_default().to_owned(),
            accepted,
            delta: patch.len(),
            patch: (!patch.is_empty()).then(|| serde_json::to_value(&patch).unwrap_or_default()),
            fixed_input: accepted.then_some(data),
            asked: Some(ModelTry { tokens: meta["usage"]["total_tokens"].as_u64(), ..question }),
            ..refused(violations)
        }
    }

    /// The failed step runs again with the fixed input (K-11).
    fn healed(
        &mut self,
        healing: &Healing,
        fixed: &Value,
        (model, tokens, delta): (Option<&str>, Option<u64>, usize),
    ) -> Result<(), StepError> {
        let original = &healing.original;
        let data =
            json!({ "fixedInput": fixed, "original": original, "model": model, "tokens": tokens, "delta": delta });
        let binary = self.bytes_of(healing.node, healing.slot);
        let item = Item { binary, paired_item: Some(healing.slot), ..Item::new("1", data) };
        self.recovery_done(healing.node, healing.slot, healing.healer, "success", item)
    }

    /// Used up, or impossible.
    fn unhealed(&mut self, healing: &Healing, Unhealed { why, violations }: Unhealed) -> Result<(), StepError> {
        let Healing { node, slot, healer, .. } = *healing;
        let message = match why {
            Some(why) => format!("The input could not be repaired: {why}"),
            None => "The input could not be repaired so that it fits".to_owned(),
        };
        let mut failure = NodeFailure::validation("HEAL_EXHAUSTED", message)
            .suggest(SuggestedAction::HumanReview)
            .detail("originalError", serde_json::to_value(healing.error.as_ref()).unwrap_or_default());
        if !violations.is_empty() {
            failure = failure.detail("violations", violations);
        }
        if let Some(schema) = &healing.schema {
            failure = failure.detail("schema", schema.clone());
        }
        let told = self.recovery_error(node, slot, healer, &failure);
        self.recovery_failed(node, slot, healer, told)
    }
}

/// Who repairs.
struct Strategy {
    rules: bool,
    model: bool,
}

impl Strategy {
    fn of(config: &Value) -> Self {
        match config.get("strategy").and_then(Value::as_str) {
            Some("llm") => Self { rules: false, model: true },
            Some("both") => Self { rules: true, model: true },
            _ => Self { rules: true, model: false },
        }
    }
}

/// So many questions a healer may ask in each visit of the origin.
fn most(config: &Value) -> u32 {
    let most = config.get("maxAttempts").and_then(Value::as_u64).unwrap_or(TRIES);
    most.try_into().unwrap_or(u32::MAX)
}

/// Whom the settings name, where nobody answered.
fn named(config: &Value) -> String {
    let text = |field: &str| config.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    text("model").or_else(|| text("provider")).unwrap_or("default").to_owned()
}

fn times(count: u32) -> String {
    if count == 1 { "once".into() } else { format!("{count} times") }
}

/// The next question may get another answer; what was cut off would be as long again.
fn worth_another(failure: &NodeFailure) -> bool {
    (failure.retryable && failure.code != "TRUNCATED") || BREACHES.contains(&failure.code.as_str())
}

/// A question that brought nothing to judge.
fn no_answer(failure: NodeFailure, question: ModelTry) -> AutoFixAttempt {
    let detail = |name: &str| failure.details.get(name);
    let more = detail("violations").and_then(Value::as_array).into_iter().flatten().skip(1).map(|one| {
        format!("{}: {}", one["path"].as_str().unwrap_or_default(), one["message"].as_str().unwrap_or_default())
    });
    let mut violations = vec![failure.message.clone()];
    violations.extend(more);
    // A time that is over is no fault of the form.
    if failure.error_type == ErrorType::Timeout {
        violations.truncate(1);
    }
    let model = detail("model").and_then(Value::as_str).unwrap_or_default().to_owned();
    let asked = ModelTry {
        tokens: detail("tokens").and_then(Value::as_u64),
        answer: detail("answer").and_then(Value::as_str).map(str::to_owned),
        retry_after_ms: failure.retry_after_ms,
        ..question
    };
    AutoFixAttempt { model, asked: Some(asked), ..refused(violations) }
}

/// One repair by rules.
pub(super) fn by_rules(input: &Value, schema: &Value) -> AutoFixAttempt {
    let repaired = repair::repair(input, schema);
    let accepted = repaired.accepted();
    AutoFixAttempt {
        accepted,
        delta: repaired.delta,
        fixed_input: accepted.then(|| Arc::new(repaired.fixed)),
        patch: (repaired.delta > 0).then(|| serde_json::to_value(&repaired.patch).unwrap_or_default()),
        changes: repaired.changes.into_iter().map(|change| change.note).collect(),
        ..refused(repaired.violations)
    }
}

/// A try that came to nothing.
pub(super) fn refused(violations: Vec<String>) -> AutoFixAttempt {
    AutoFixAttempt {
        model: RULES.into(),
        origin: None,
        accepted: false,
        delta: 0,
        fixed_input: None,
        patch: None,
        changes: Vec::new(),
        violations,
        asked: None,
    }
}
