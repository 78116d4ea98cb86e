//! Containers (SEMANTICS 6): what begins next in a body, what a body came to, what is cut off.

use super::finish::after;
use super::{Deciding, StepError};
use crate::limit;
use crate::{
    compiled::Compiled,
    config,
    effect::{CallKey, CallOutput, Effect, OutItem},
    error_codes,
    expr::Expr,
    fold,
    kept_input::KeptInput,
    params,
    prepare::node_scope,
    route,
    scope::Scope,
    state::{Body, Outcome, Phase},
};
use serde_json::{Value, json};
use signalbox_model::{
    Data, ErrorPayload, EventBody, Item, Items, NodeFailure, Role, SuggestedAction, event::StepInterrupted,
    item::together, task::HumanTaskClosed,
};
use std::{collections::BTreeSet, sync::Arc};

/// Iterations that no loop may exceed.
const MOST_ITERATIONS: u64 = 1_000_000;
/// Iterations of a `while` that does not say how many.
const WHILE_ITERATIONS: u64 = 10_000;
/// Iterations at the same time that no loop may exceed.
const MOST_AT_ONCE: u64 = 100;
/// Errors of children that an error tells.
const MOST_TOLD: usize = 100;

impl Deciding<'_> {
    /// One decision about a container whose body runs.
    pub(super) fn decide_body(&mut self, node: usize, slot: usize) -> Result<(), StepError> {
        let known = fold::slot_ref(self.state, node, slot);
        let Some(body) = known.and_then(|slot| slot.body.as_deref()) else {
            self.state.work.set_body_undecided((node, slot), false);
            return Ok(());
        };
        let cut = |frame: &usize| self.state.frames.get(*frame).is_some_and(|frame| frame.cut.is_some());
        if body.live.iter().any(cut) {
            return self.cut_off(node, slot);
        }
        if let Some((error, _)) = &body.failed {
            let failure = child_failure(error, &body.errors);
            return self.fail_slot(node, slot, &failure);
        }
        if body.weight > self.compiled.most && self.compiled.nodes[node].role == Role::Loop {
            let ended = body.done.iter().flatten().count();
            let failure =
                limit::refused(body.weight, self.compiled.most, &format!("The results of {ended} iterations"));
            return self.fail_slot(node, slot, &failure);
        }
        let next = body.upcoming();
        let more = !body.broken
            && match body.total {
                Some(total) => next < total,
                None => match self.goes_on(node, slot, body, next) {
                    Ok(more) => more,
                    Err(failure) => return self.fail_slot(node, slot, &failure),
                },
            };
        if more { self.begin(node, slot, next) } else { self.body_done(node, slot) }
    }

    /// `while` of a loop before its next iteration.
    fn goes_on(&self, node: usize, slot: usize, body: &Body, next: usize) -> Result<bool, NodeFailure> {
        let text = body.config.get("while").and_then(Value::as_str).unwrap_or("false");
        let before = next.checked_sub(1).and_then(|index| body.outcome(index));
        let result = match before {
            Some(Outcome::Result(result)) => result.value(),
            Some(Outcome::Leaves(leaves)) => data_of(leaves),
            Some(Outcome::Rejected(_) | Outcome::Elsewhere) | None => Arc::default(),
        };
        let scope = with(self.container_scope(node, slot), &[("_index", Arc::new(next.into())), ("_result", result)]);
        let more = Expr::compile(text).and_then(|e| e.eval_bool(&scope)).map_err(|e| e.failure("while"))?;
        let limit = limit(&body.config);
        if more && next as u64 >= limit {
            let message = format!("The condition still holds after {limit} iterations");
            return Err(NodeFailure::validation("LOOP_LIMIT", message)
                .suggest(SuggestedAction::HumanReview)
                .detail("maxIterations", limit));
        }
        Ok(more)
    }

    /// Opens the next iteration or branch, and starts its first step: the event of that step is what tells of it.
    fn begin(&mut self, node: usize, slot: usize, index: usize) -> Result<(), StepError> {
        let frame = fold::body::open(self.compiled, self.state, node, slot, index);
        let region = self.state.frames.get(frame).map_or(0, |frame| frame.region);
        match self.compiled.regions[region].entries.first() {
            Some(entry) => self.start_node(self.compiled.nodes.number(frame, *entry)),
            None => Ok(()),
        }
    }

    fn container_scope(&self, node: usize, slot: usize) -> Scope {
        let input = fold::slot_ref(self.state, node, slot).map(|s| s.input.clone()).unwrap_or_default();
        node_scope(self.compiled, self.state, node, slot, &input, None)
    }

    /// Nothing in the body is open: the container ends.
    fn body_done(&mut self, node: usize, slot: usize) -> Result<(), StepError> {
        let output = match self.made(node, slot) {
            Ok(output) => output,
            Err(failure) => return self.fail_slot(node, slot, &failure),
        };
        let mut scratch = Arc::clone(fold::place::context(self.compiled, self.state, node));
        let bytes = limit::weight(&output);
        if bytes > self.compiled.most {
            let failure = limit::refused(bytes, self.compiled.most, "What this step hands on of its body");
            return self.fail_slot(node, slot, &failure);
        }
        match after(self.compiled, self.state, node, slot, output, &mut scratch) {
            Ok(outcome) => {
                let item = self.many(node).then_some(slot);
                self.done(node, item, vec![outcome])
            }
            Err(failure) => self.fail_slot(node, slot, &failure),
        }
    }

    /// The items that a container puts out.
    fn made(&self, node: usize, slot: usize) -> Result<CallOutput, NodeFailure> {
        let none = || Ok(CallOutput::items("success", []));
        let Some(known) = fold::slot_ref(self.state, node, slot) else { return none() };
        let Some(body) = known.body.as_deref() else { return none() };
        let role = self.compiled.nodes[node].role;
        let collects = fold::body::collects(&body.config) && role != Role::Subworkflow;
        if role != Role::Loop && !collects {
            let mut leaves: Vec<(usize, OutItem)> = Vec::new();
            for (index, outcome) in body.done.iter().enumerate() {
                match outcome {
                    Some(Outcome::Leaves(made)) => {
                        let own = |item: &Item| OutItem { binary: item.binary.clone(), ..plain(&item.data) };
                        leaves.extend(made.iter().map(|(node, item)| (*node, own(item))));
                    }
                    // A branch of which only the end is known hands on what it got.
                    Some(Outcome::Elsewhere) => {
                        let region = self.compiled.nodes[node].bodies.get(index);
                        let entry = region.and_then(|region| self.compiled.regions[*region].entries.first());
                        leaves.extend(
                            known.input.iter().map(|data| (entry.copied().unwrap_or(node), plain(&data.value()))),
                        );
                    }
                    Some(Outcome::Result(_) | Outcome::Rejected(_)) | None => {}
                }
            }
            leaves.sort_by_key(|(node, _)| *node);
            let made = leaves.into_iter().map(|(_, made)| made);
            if role == Role::Subworkflow
                && let Some(kept) = KeptInput::of(&body.config, || known.input.iter().map(Data::value).collect())?
            {
                let around = |made: OutItem| OutItem { data: Arc::new(kept.with(&made.data)), paired: Some(0), ..made };
                return Ok(CallOutput::items("success", made.map(around)));
            }
            return Ok(CallOutput::items("success", made));
        }
        let collect = body.config.get("collect").and_then(Value::as_str);
        let collect = match collect.map(Expr::compile) {
            Some(Ok(collect)) => Some((collect, self.container_scope(node, slot))),
            Some(Err(error)) => return Err(error.failure("collect")),
            None => None,
        };
        let has_source = body.config.get("source").is_some();
        let several = known.input.len() > 1;
        // One value is there at a time, and the list as its text.
        let mut made = Items::new();
        for (index, outcome) in body.done.iter().enumerate() {
            let result = match outcome {
                None => continue,
                Some(Outcome::Rejected(_) | Outcome::Elsewhere) => Arc::default(),
                Some(Outcome::Result(result)) => result.value(),
                Some(Outcome::Leaves(leaves)) => data_of(leaves),
            };
            let binary = match outcome {
                Some(Outcome::Leaves(leaves)) => together(leaves.iter().filter_map(|(_, item)| item.binary.as_ref())),
                Some(Outcome::Result(_) | Outcome::Rejected(_) | Outcome::Elsewhere) | None => None,
            };
            let error = match outcome {
                Some(Outcome::Rejected(error)) => Some(error),
                Some(_) | None => None,
            };
            let result = match &collect {
                Some((collect, scope)) if error.is_none() && *outcome != Some(Outcome::Elsewhere) => {
                    let item = match body.element(index) {
                        Some(element) => Some(Arc::new(element)),
                        None if has_source => None,
                        None if body.total.is_none() => known.input.first().map(Data::value),
                        None => known.input.get(index).map(Data::value),
                    };
                    let bound = [
                        ("_result", result),
                        ("_item", item.unwrap_or_default()),
                        ("_index", Arc::new(Value::from(index))),
                    ];
                    let value = collect.eval(&with(scope.clone(), &bound)).map_err(|e| e.failure("collect"))?;
                    Arc::new(value)
                }
                Some(_) | None => result,
            };
            let data = if collects {
                Arc::new(json!({
                    "status": if error.is_some() { "rejected" } else { "fulfilled" },
                    "index": index,
                    "itemId": self.item_id(node, index),
                    "output": *result,
                    "error": error.map(|error| serde_json::to_value(error.as_ref()).unwrap_or_default()),
                }))
            } else {
                result
            };
            // Iterations over the input come from its items; those of one item all come from that one.
            let own = !has_source && body.total.is_some() && role == Role::Loop;
            let paired = if own { Some(index) } else { (!several && !known.input.is_empty()).then_some(0) };
            made.push_numbered(Item { data, binary, paired_item: paired, ..Item::default() });
        }
        Ok(CallOutput::list("success", made))
    }

    /// Names an element of a container: a branch by its entry, an iteration by its place, from 1.
    fn item_id(&self, node: usize, index: usize) -> String {
        let this = &self.compiled.nodes[node];
        let entry = this.bodies.get(index).filter(|_| this.role == Role::Parallel);
        let entry = entry.and_then(|body| self.compiled.regions[*body].entries.first());
        entry.map_or_else(|| (index + 1).to_string(), |entry| self.compiled.nodes[*entry].id.to_string())
    }

    /// Ends what has begun in the frames of a container that were cut off: nobody has to answer there any more, and
    /// calls under way are stopped at once.
    fn cut_off(&mut self, node: usize, slot: usize) -> Result<(), StepError> {
        for id in fold::cancel_scope::tasks_cut_off(self.compiled, self.state, node, slot) {
            let Some(task) = self.state.tasks.get(&id).cloned() else { continue };
            let (key, origin) = self.task_key(&task);
            self.out.durable = true;
            self.emit(Some(key), EventBody::HumanTaskClosed(HumanTaskClosed { task_id: id, origin }))?;
        }
        let mut told = BTreeSet::new();
        for (child, at, recovery) in fold::cancel_scope::calls_cut_off(self.compiled, self.state, node, slot) {
            let running = fold::slot_ref(self.state, child, at).is_some_and(|s| s.phase == Phase::Running);
            match recovery {
                None => {
                    let batch = if running { self.as_batch(child, &mut told) } else { Some(false) };
                    let Some(batch) = batch else { continue };
                    if running {
                        self.out.effects.push(Effect::CancelCall(self.call_key(child, at)));
                    }
                    let effect = (running && !self.compiled.nodes[child].pure).then(|| "unknown".to_owned());
                    let key = self.event_key(child, if batch { None } else { Some(at) }, at);
                    self.emit(Some(key), EventBody::StepInterrupted(StepInterrupted { effect, origin: None }))?;
                }
                Some(recovery) => {
                    let key = self.recovery_key(child, at, recovery, false);
                    self.out.effects.push(Effect::CancelCall(CallKey {
                        path: fold::place::path_of(self.compiled, self.state, child).unwrap_or_default(),
                        node: recovery,
                        item: None,
                        visit: key.visit.unwrap_or(1),
                        attempt: 0,
                        origin: Some((child, at)),
                    }));
                    let origin = Some(self.origin_of(child, at));
                    self.emit(Some(key), EventBody::StepInterrupted(StepInterrupted { effect: None, origin }))?;
                }
            }
        }
        Ok(())
    }

    /// The run ends: so do containers whose body runs, the innermost first.
    pub(super) fn interrupt_bodies(&mut self) -> Result<(), StepError> {
        for (node, slot) in self.state.work.inside().clone().into_iter().rev() {
            let key = self.event_key(node, Some(slot), slot);
            self.emit(Some(key), EventBody::StepInterrupted(StepInterrupted { effect: None, origin: None }))?;
        }
        Ok(())
    }
}

fn plain(data: &Arc<Value>) -> OutItem {
    OutItem::new(Arc::clone(data), None)
}

/// What left a body, as the result of an iteration.
fn data_of(leaves: &[(usize, Item)]) -> Arc<Value> {
    let data: Vec<Data> = leaves.iter().map(|(_, item)| Arc::clone(&item.data).into()).collect();
    fold::one_or_list(&data).value()
}

fn with(mut scope: Scope, bound: &[(&'static str, Arc<Value>)]) -> Scope {
    scope.locals.retain(|(name, _)| bound.iter().all(|(own, _)| own != name));
    scope.locals.extend(bound.iter().map(|(name, value)| (*name, Arc::clone(value).into())));
    scope
}

fn limit(config: &Value) -> u64 {
    let wanted = config.get("maxIterations").and_then(Value::as_u64);
    let otherwise = if config.get("while").is_some() { WHILE_ITERATIONS } else { MOST_ITERATIONS };
    wanted.unwrap_or(otherwise).min(MOST_ITERATIONS)
}

/// The container's error is the first child's (K-53). What could be tried again was tried inside: it is not retryable.
fn child_failure(error: &ErrorPayload, errors: &[Arc<ErrorPayload>]) -> NodeFailure {
    let told: Vec<Value> =
        errors.iter().take(MOST_TOLD).map(|e| serde_json::to_value(e.as_ref()).unwrap_or_default()).collect();
    let failure = NodeFailure::new(error.error_type, error.code(), error.message.clone())
        .suggest(SuggestedAction::HumanReview)
        .detail(error_codes::CHILD_ERRORS, told);
    // To begin the container again would repeat that call.
    if errors.iter().any(|error| route::tells_cut_off(error)) { failure.detail("effect", "unknown") } else { failure }
}

/// Why a container cannot begin, whatever its settings came to.
pub(super) fn refused(compiled: &Compiled, node: usize, config: &Value, input: &[Data]) -> Option<NodeFailure> {
    match compiled.nodes[node].role {
        Role::Loop => {}
        Role::Subworkflow => {
            return refused_params(compiled, node, config)
                .or_else(|| KeptInput::of(config, || input.iter().map(Data::value).collect()).err());
        }
        _ => return None,
    }
    let bad = |field: &str, message: String| {
        Some(
            NodeFailure::validation("BAD_CONFIG", message).suggest(SuggestedAction::HumanReview).detail("field", field),
        )
    };
    for (field, most) in [("maxIterations", MOST_ITERATIONS), ("maxConcurrency", MOST_AT_ONCE)] {
        let value = config.get(field).filter(|value| !value.is_null());
        if let Some(value) = value.filter(|value| !value.as_u64().is_some_and(|n| (1..=most).contains(&n))) {
            return bad(field, format!("{field} is {value}; it needs a whole number from 1 to {most}"));
        }
    }
    if config.get("while").is_some() {
        return None;
    }
    let count = match config.get("source") {
        Some(_) if let Some(entries) = config::entries(config) => entries,
        Some(other) => {
            let kind = match other {
                Value::Null => "null",
                Value::Bool(_) => "true or false",
                Value::Number(_) => "a number",
                Value::String(_) => "a text",
                Value::Array(_) | Value::Object(_) => "an object",
            };
            return bad("source", format!("A loop iterates over a list, but its source is {kind}"));
        }
        None => input.len(),
    };
    let limit = limit(config);
    (count as u64 > limit).then(|| {
        let message = format!("The list has {count} elements; this loop may run {limit} times");
        NodeFailure::validation("LOOP_LIMIT", message)
            .suggest(SuggestedAction::HumanReview)
            .detail("maxIterations", limit)
    })
}

/// The params of a sub-workflow do not fit its file.
fn refused_params(compiled: &Compiled, node: usize, config: &Value) -> Option<NodeFailure> {
    let region = compiled.nodes[node].bodies.first()?;
    let first = compiled.regions[*region].nodes.first()?;
    let file = &compiled.file(*first).workflow;
    let given = fold::body::given_params(file, config);
    let wrong = params::check(file, &given);
    let message = wrong.first()?.message.clone();
    let told: Vec<Value> = wrong.iter().map(|d| json!({ "path": d.path, "message": d.message })).collect();
    Some(NodeFailure::validation("BAD_PARAM", message).suggest(SuggestedAction::HumanReview).detail("violations", told))
}
