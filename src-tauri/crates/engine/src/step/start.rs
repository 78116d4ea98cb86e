//! Starting calls: `if`, `in`, `config`, input schema, `step_start`.

use super::{Deciding, EventKey, StepError};
use crate::{
    compiled::Compiled,
    effect::{Call, CallKey, CallOutput, CallSlot, Effect, Permits, Source, Timer},
    error_codes::{INTERRUPTED, MAY_HAVE_HAPPENED},
    expr, fold,
    prepare::{Prepared, begins, node_scope, prepare, raw_input},
    state::{Activation, EdgeState, Phase, RunState},
};
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_model::budget::Budget;
use signalbox_model::{
    Data, Effects, ErrorPayload, ErrorType, EventBody, Item, Items, Mode, NodeFailure, Role, SuggestedAction,
    event::{InputItem, MaskedData, StepError as StepErrorEvent, StepSkipped, StepStart},
    hash::sha256_parts,
    item::together,
    time,
};
use std::{collections::BTreeSet, sync::Arc};

impl Deciding<'_> {
    /// A node whose join has fired.
    pub(super) fn start_node(&mut self, node: usize) -> Result<(), StepError> {
        let this = &self.compiled.nodes[node];
        let Some(activation) = &self.state.nodes[node].activation else {
            self.state.work.begun(node);
            return Ok(());
        };
        let slots = activation.slots.len();
        match begins(self.compiled, self.state, node) {
            Ok(true) => {}
            Ok(false) => {
                let condition = this.node.condition.as_deref().filter(|_| this.node.disabled != Some(true));
                return self.skip(node, condition.unwrap_or("disabled"));
            }
            Err(error) => {
                let failure = error.failure("if");
                let all: Vec<usize> = (0..slots).collect();
                return self.start_failed(node, &all, &failure);
            }
        }
        if this.pure && slots > 1 {
            let part = self.next_part(node);
            return self.start_slots(node, &part);
        }
        self.start_slots(node, &[0])
    }

    /// Starts the next fresh slot of a node when its concurrency allows; false when it does not.
    pub(super) fn start_more(&mut self, node: usize) -> Result<bool, StepError> {
        let Some(activation) = &self.state.nodes[node].activation else { return Ok(false) };
        let next = activation.next_fresh;
        if next >= activation.slots.len() || !self.has_room(node) {
            return Ok(false);
        }
        // One that begins again by itself, in a re-run, is a call of its own.
        let untouched = activation.slots.is_untouched(next);
        if self.compiled.nodes[node].pure && self.many(node) && untouched {
            let part = self.next_part(node);
            self.start_slots(node, &part)?;
        } else {
            self.start_slots(node, &[next])?;
        }
        Ok(true)
    }

    /// The next items of a step without effects: so many at once, that what is made for their calls and what is recorded of
    /// them has a bound (ADR 62). One item alone is no batch: it goes with those before it.
    fn next_part(&self, node: usize) -> Vec<usize> {
        let most = self.compiled.part;
        let Some(activation) = &self.state.nodes[node].activation else { return Vec::new() };
        let mut part: Vec<usize> = activation.slots.fresh(activation.next_fresh).take(most + 2).collect();
        if part.len() > most + 1 {
            part.truncate(most);
        }
        part
    }

    fn skip(&mut self, node: usize, condition: &str) -> Result<(), StepError> {
        let key = EventKey { node: Some(node), item: None, visit: None, attempt: None };
        self.emit(Some(key), EventBody::StepSkipped(StepSkipped { condition: condition.to_owned() }))
    }

    /// `if` could not be evaluated: every slot fails before its code.
    fn start_failed(&mut self, node: usize, slots: &[usize], failure: &NodeFailure) -> Result<(), StepError> {
        let prepared = slots
            .iter()
            .map(|slot| Prepared {
                config: Arc::new(Value::Null),
                input: raw_input(self.compiled, self.state, node, *slot),
                resolved: None,
                failure: Some(failure.clone()),
                masked: Vec::new(),
                list: false,
            })
            .collect();
        self.start_prepared(node, slots, prepared)
    }

    /// Starts one call over the given slots.
    pub(super) fn start_slots(&mut self, node: usize, slots: &[usize]) -> Result<(), StepError> {
        if let [slot] = slots
            && let Some(output) = fold::tool_call::kept_output(self.state, node, *slot)
        {
            return self.start_kept(node, *slot, output);
        }
        if let Some(pinned) = &self.compiled.nodes[node].pinned {
            return self.start_pinned(node, slots, pinned);
        }
        let prepared = slots.iter().map(|slot| prepare(self.compiled, self.state, node, *slot)).collect();
        self.start_prepared(node, slots, prepared)
    }

    /// A person has decided about what a call made: it is recorded again as it began, and nothing is called.
    fn start_kept(&mut self, node: usize, slot: usize, output: CallOutput) -> Result<(), StepError> {
        let this = &self.compiled.nodes[node];
        let Some(known) = fold::slot_ref(self.state, node, slot) else { return Ok(()) };
        let (visit, attempt) = (known.visit, known.attempt);
        let item = self.many(node).then_some(slot);
        let key = EventKey { node: Some(node), item, visit: Some(visit), attempt: Some(attempt) };
        let each = this.mode == Mode::Each;
        let data = known.input.iter().enumerate();
        let input = data.map(|(i, data)| InputItem { item: if each { slot } else { i }, data: data.clone() }).collect();
        let start = StepStart {
            kind: this.kind.to_string(),
            meta: this.meta.clone(),
            resolved_inputs: None,
            config: known.config.clone().unwrap_or_default(),
            configs: None,
            input,
            input_items: None,
            idempotency_key: known.idempotency_key.clone(),
            due_ms: None,
            origin: None,
            pinned: this.pinned.is_some(),
            faulted: false,
            masked: Vec::new(),
        };
        self.emit(Some(key), EventBody::StepStart(start))?;
        let path = fold::place::path_of(self.compiled, self.state, node).unwrap_or_default();
        let call = CallKey { path, node, item, visit, attempt, origin: None };
        self.finished(&call, vec![(slot, Ok(output))])
    }

    fn start_prepared(&mut self, node: usize, slots: &[usize], prepared: Vec<Prepared>) -> Result<(), StepError> {
        let compiled = self.compiled;
        let this = &compiled.nodes[node];
        let (Some(first_slot), Some(first)) = (slots.first().copied(), prepared.first()) else { return Ok(()) };
        let several = slots.len() > 1;
        let slot = fold::slot_ref(self.state, node, first_slot);
        let (visit, attempt) = slot.map_or((1, 0), |s| (s.visit, s.attempt));
        let item = (!several && self.many(node)).then_some(first_slot);
        let key = EventKey { node: Some(node), item, visit: Some(visit), attempt: Some(attempt) };
        let inputs: Vec<&[Data]> = prepared.iter().map(|prepared| prepared.input.as_slice()).collect();
        if self.stops_before(key, node, slots, &inputs)? {
            return Ok(());
        }
        let config = Arc::clone(&first.config);
        let mut configs = IndexMap::new();
        for (slot, p) in slots.iter().zip(&prepared).skip(1) {
            if p.config != config {
                configs.insert(*slot, Arc::clone(&p.config));
            }
        }
        let mut masked: Vec<MaskedData> = Vec::new();
        for one in prepared.iter().flat_map(|prepared| &prepared.masked) {
            match masked.iter_mut().find(|known| known.check == one.check && known.kind == one.kind) {
                Some(known) => known.count += one.count,
                None => masked.push(one.clone()),
            }
        }
        let each = this.mode == Mode::Each;
        let input = slots
            .iter()
            .zip(&prepared)
            .flat_map(|(slot, p)| {
                let slot = *slot;
                p.input
                    .iter()
                    .enumerate()
                    .map(move |(i, data)| InputItem { item: if each { slot } else { i }, data: data.clone() })
            })
            .collect();
        let resolved_inputs = if several && this.node.input.is_some() {
            Some(list_of(prepared.iter().map(|prepared| prepared.resolved.clone().unwrap_or_default())))
        } else {
            first.resolved.clone()
        };
        let mut effects = this.descriptor.effects.of(&config);
        if effects == Effects::None && this.guards.ask_model() {
            effects = Effects::Read;
        }
        let write = matches!(effects, Effects::Write);
        // Code that runs inside the burst knows no outside that could ask for one.
        let unasked = this.pure && effects == Effects::None && this.node.idempotency_key.is_none();
        let idempotency_key = match unasked {
            true => Ok(String::new()),
            false => self.idempotency_key(node, first_slot, &first.seen(self.state, node)),
        };
        let mut early: Vec<(usize, NodeFailure)> =
            slots.iter().zip(&prepared).filter_map(|(slot, p)| p.failure.clone().map(|f| (*slot, f))).collect();
        let (idempotency_key, key_failure) = match idempotency_key {
            Ok(key) => (key, None),
            Err(failure) => (String::new(), Some(failure)),
        };
        if let (Some(failure), true) = (key_failure, early.is_empty()) {
            early.push((first_slot, failure));
        }
        let mut due_ms = None;
        if this.role == Role::Wait && early.is_empty() {
            match wait_until(&config, self.now) {
                Ok(due) => due_ms = Some(due),
                Err(failure) => early.push((first_slot, failure)),
            }
        }
        if early.is_empty()
            && let Some(failure) = super::body::refused(self.compiled, node, &config, &first.input)
        {
            early.push((first_slot, failure));
        }
        let asks = matches!(this.role, Role::Approval | Role::Form | Role::Pause);
        if asks && early.is_empty() && self.state.is_given_up() {
            early.push((first_slot, nobody_is_asked()));
        }
        self.out.durable |= write;
        // What the engine finds before a call is no fault of the call.
        let fault = this
            .fault
            .clone()
            .filter(|fault| early.is_empty() && !(fault.first_call_only && (visit, attempt) != (1, 0)));
        self.emit(
            Some(key),
            EventBody::StepStart(StepStart {
                kind: this.kind.to_string(),
                meta: this.meta.clone(),
                resolved_inputs,
                config,
                configs: (!configs.is_empty()).then_some(configs),
                input,
                input_items: first.list.then(|| fold::activation_input(self.state, node).len()),
                idempotency_key: write.then(|| idempotency_key.clone()),
                due_ms,
                origin: None,
                pinned: false,
                faulted: fault.is_some(),
                masked,
            }),
        )?;
        for (slot, failure) in &early {
            self.fail_slot(node, *slot, failure)?;
        }
        let failed: BTreeSet<usize> = early.iter().map(|(slot, _)| *slot).collect();
        if asks {
            return if failed.is_empty() { self.ask_self(node, key) } else { Ok(()) };
        }
        // What follows is what its body does.
        if this.role.is_container() {
            return Ok(());
        }
        let path = fold::place::path_of(compiled, self.state, node).unwrap_or_default();
        let call_key = CallKey { path, node, item, visit, attempt, origin: None };
        if let Some(due_ms) = due_ms {
            self.out.effects.push(Effect::Timer { timer: Timer::Wait(call_key), due_ms });
            return Ok(());
        }
        let live: Vec<CallSlot> = slots
            .iter()
            .zip(prepared)
            .filter(|(slot, _)| !failed.contains(slot))
            .map(|(slot, p)| call_slot(compiled, self.state, node, *slot, p))
            .collect();
        if live.is_empty() {
            return Ok(());
        }
        if let Some(failure) = crate::payload::violation(self.state, live.iter().map(|slot| &*slot.input)) {
            return live.iter().try_for_each(|slot| self.fail_slot(node, slot.item, &failure));
        }
        let launch_id = self.launch_id(node, &call_key.path, slots.len());
        self.out.effects.push(Effect::Call(Box::new(Call {
            key: call_key,
            node_id: Arc::clone(&this.id),
            kind: Arc::clone(&this.kind),
            mode: this.mode,
            effects,
            slots: live,
            timeout_ms: this.node.timeout_ms.or(this.descriptor.timeout_ms),
            idempotency_key,
            loopback_allowed: self.state.is_started_here() && !this.host_from_data,
            model: this.model.clone(),
            connector: this.connector.clone(),
            workflow: Arc::clone(&compiled.file(node).workflow),
            launch_id,
            budget: self.budget(),
            permits: Permits {
                granted: self.state.granted.clone(),
                held: fold::begun_slot(self.state, node, first_slot)
                    .and_then(|slot| slot.suspended.as_deref().cloned()),
                decided: crate::prepare::decided(self.state, node, first_slot).to_vec(),
            },
            fault,
            run_id: Arc::clone(&self.state.run_id),
            workflow_id: Arc::from(compiled.file(node).workflow.id.as_str()),
        })));
        Ok(())
    }

    /// What questions of this run to models may cost now.
    pub(super) fn budget(&self) -> Budget {
        Budget {
            run_id: Arc::clone(&self.state.run_id),
            workflow_id: Arc::from(self.compiled.workflow.id.as_str()),
            limits: self.compiled.budget,
            approved_to_micros: self.state.approved_to,
        }
    }

    /// Records the failure of one slot.
    pub(super) fn fail_slot(&mut self, node: usize, slot: usize, failure: &NodeFailure) -> Result<(), StepError> {
        let mut error = complete(self.compiled, self.state, node, slot, failure, self.now);
        let key = self.event_key(node, Some(slot), slot);
        let held = failure.held.clone();
        // A question to a person is no failure, and has no entry as one.
        error.provenance_ref = held.is_none().then(|| self.next_event_ref());
        self.emit(Some(key), EventBody::StepError(StepErrorEvent { error: Arc::new(error), origin: None, held }))
    }

    /// Third interruption of one call.
    pub(super) fn crash_loop(&mut self, node: usize, slot: usize) -> Result<(), StepError> {
        let failure = NodeFailure::new(
            ErrorType::UnknownError,
            "CRASH_LOOP",
            "The program stopped three times while this step was under way; it is not started a fourth time",
        );
        self.fail_slot(node, slot, &failure)
    }

    /// A call that may have happened was cut off, and no person can say whether it did.
    pub(super) fn unasked(&mut self, node: usize, slot: usize) -> Result<(), StepError> {
        let failure = NodeFailure::new(ErrorType::UnknownError, INTERRUPTED, MAY_HAVE_HAPPENED);
        let failure = failure.suggest(SuggestedAction::HumanReview).detail("effect", "unknown");
        self.fail_slot(node, slot, &failure)
    }

    /// The activation has several items that are executed one by one.
    pub(super) fn many(&self, node: usize) -> bool {
        self.state.nodes[node].activation.as_ref().is_some_and(|a| a.slots.len() > 1)
    }

    /// Effect-free calls over several items run as one batch.
    pub(super) fn is_batch(&self, node: usize) -> bool {
        // In a container that was entered again the first visit is not 1.
        let began = self.state.frames.get(self.compiled.nodes.frame(node)).map_or(1, |frame| frame.visit);
        // Those that are under way or were cut off: parts before them have ended, and may have been tried again.
        let first = |a: &Activation| {
            let mut open = a.slots.open().filter(|(_, s)| matches!(s.phase, Phase::Running | Phase::Interrupted));
            open.all(|(_, s)| s.attempt == 0 && s.visit == began)
        };
        self.compiled.nodes[node].pure
            && self.many(node)
            && self.state.nodes[node].activation.as_ref().is_some_and(first)
    }

    pub(super) fn interrupted_slots(&self, node: usize) -> Vec<usize> {
        let slots = self.state.nodes[node].activation.iter().flat_map(|a| a.slots.open());
        slots.filter(|(_, s)| s.phase == Phase::Interrupted).map(|(i, _)| i).collect()
    }

    /// Key of an event of a slot; `item` is told only when there are several.
    pub(super) fn event_key(&self, node: usize, item: Option<usize>, slot: usize) -> EventKey {
        let (visit, attempt) = fold::slot_ref(self.state, node, slot).map_or((1, 0), |s| (s.visit, s.attempt));
        EventKey {
            node: Some(node),
            item: item.filter(|_| self.many(node)),
            visit: Some(visit),
            attempt: Some(attempt),
        }
    }

    /// Key of the slot's present (or next) call.
    pub(super) fn call_key(&self, node: usize, slot: usize) -> CallKey {
        let key = self.event_key(node, Some(slot), slot);
        CallKey {
            path: fold::place::path_of(self.compiled, self.state, node).unwrap_or_default(),
            node,
            item: key.item,
            visit: key.visit.unwrap_or(1),
            attempt: key.attempt.unwrap_or(0),
            origin: None,
        }
    }

    /// Names this call of a node (K-56). A container that is entered again has the path that it had.
    fn launch_id(&self, node: usize, path: &str, slots: usize) -> String {
        let id = &self.compiled.nodes[node].id;
        let calls = self.state.nodes.get(node).map_or(0, |run| run.calls as usize);
        let own = format!("{id}-{}", calls.saturating_sub(slots));
        let round = self.state.frames.get(self.compiled.nodes.frame(node)).map_or(1, |frame| frame.visit);
        match (path, round) {
            ("", _) => own,
            (path, 1) => format!("{path}/{own}"),
            (path, round) => format!("{path}@{round}/{own}"),
        }
    }

    fn idempotency_key(&self, node: usize, slot: usize, input: &[Data]) -> Result<String, NodeFailure> {
        let this = &self.compiled.nodes[node];
        if let Some(known) = fold::begun_slot(self.state, node, slot).and_then(|s| s.idempotency_key.clone()) {
            return Ok(known);
        }
        if let Some(template) = &this.node.idempotency_key {
            let scope = node_scope(self.compiled, self.state, node, slot, input, None);
            let value = expr::value(&Value::String(template.clone()), &scope);
            return key_of(value.map_err(|e| e.failure("idempotencyKey"))?);
        }
        let (visit, fixes) = fold::slot_ref(self.state, node, slot).map_or((1, 0), |s| (s.visit, s.fixes));
        Ok(sha256_parts(&[
            self.state.run_id.as_bytes(),
            fold::place::path_of(self.compiled, self.state, node).unwrap_or_default().as_bytes(),
            this.id.as_bytes(),
            &(slot as u64).to_be_bytes(),
            &visit.to_be_bytes(),
            &fixes.to_be_bytes(),
        ]))
    }
}

/// A key that is the same for every call, or none at all, keeps no call from being made twice.
fn key_of(value: Value) -> Result<String, NodeFailure> {
    let what = match value {
        Value::String(text) if !text.trim().is_empty() => return Ok(text),
        Value::Number(number) => return Ok(number.to_string()),
        Value::String(_) => "empty",
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    let words = format!(
        "The idempotency key is {what}, so the service could not know a repeated call by it; let it name this one piece of \
         work, with a text or a number"
    );
    Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "idempotencyKey"))
}

/// A list of what the calls of a batch get by `in`; text where one of them is.
fn list_of(all: impl Iterator<Item = Data> + Clone) -> Data {
    if all.clone().any(|one| matches!(one, Data::Text(_))) {
        let mut text = String::new();
        Data::append_list(all, &mut text);
        return Data::written(text);
    }
    Value::Array(all.map(|one| Arc::unwrap_or_clone(one.value())).collect()).into()
}

fn call_slot(compiled: &Compiled, state: &RunState, node: usize, slot: usize, prepared: Prepared) -> CallSlot {
    let scope = node_scope(compiled, state, node, slot, &prepared.seen(state, node), None);
    if prepared.list
        && let Some(activation) = fold::activation(state, node)
    {
        let sources = sources(compiled, state, node, activation.input.len());
        return CallSlot { item: slot, config: prepared.config, input: Arc::clone(&activation.input), scope, sources };
    }
    let input = fold::activation_input(state, node);
    // Without their data: that of the call takes its place.
    let (first, came) = match compiled.nodes[node].mode {
        Mode::Each => (slot, usize::from(slot < input.len())),
        Mode::All => (0, input.len()),
    };
    // Several items became fewer by `in` or by a repair: what came with them is with the first.
    let is_fewer = prepared.input.len() < came;
    let all = if is_fewer { together((first..first + came).filter_map(|index| input.binary(index))) } else { None };
    let mut replaced = Items::new();
    for (i, data) in prepared.input.into_iter().enumerate() {
        let own = if i < came { input.bare(first + i) } else { None };
        let mut item = own.unwrap_or_else(|| Item { id: (i + 1).to_string(), ..Item::default() });
        if let Some(all) = &all {
            item.binary = (i == 0).then(|| all.clone());
        }
        replaced.push_data(item, data);
    }
    let sources = sources(compiled, state, node, replaced.len());
    CallSlot { item: slot, config: prepared.config, input: Arc::new(replaced), scope, sources }
}

/// Which wire brought how many of the items of a step that takes all together.
fn sources(compiled: &Compiled, state: &RunState, node: usize, items: usize) -> Vec<Source> {
    let this = &compiled.nodes[node];
    if this.mode == Mode::Each {
        return Vec::new();
    }
    let brought = |edge: &usize| {
        let items = match state.edges.get(compiled.wire(node, *edge)) {
            Some(EdgeState::Consumed(items)) => *items,
            Some(EdgeState::Open | EdgeState::Dead | EdgeState::Taken(_)) | None => 0,
        };
        Source { step: Arc::clone(&compiled.nodes[compiled.edges[*edge].from].id), items }
    };
    let sources: Vec<Source> = this.in_edges.iter().map(brought).collect();
    let all = sources.iter().map(|source| source.items).sum::<usize>();
    if all == items { sources } else { Vec::new() }
}

/// When a `flow.wait` is over.
fn wait_until(config: &Value, now: time::Millis) -> Result<time::Millis, NodeFailure> {
    if let Some(until) = config.get("until").filter(|v| !v.is_null()) {
        return until.as_str().and_then(time::parse).ok_or_else(|| {
            NodeFailure::validation("BAD_TIME", format!("'until' is not a time such as 2026-11-21T18:00:00Z: {until}"))
        });
    }
    let ms = config.get("ms").and_then(Value::as_f64).filter(|ms| *ms >= 0.0 && *ms <= 1e14);
    #[expect(clippy::cast_possible_truncation, reason = "bounded by the filter above")]
    ms.map(|ms| now + ms as i64).ok_or_else(|| {
        NodeFailure::validation("BAD_TIME", "A wait needs 'ms' (milliseconds, 0 or more) or 'until' (a time)")
    })
}

/// Completes what a kind reported (SEMANTICS 4): the engine's own fields are its own.
pub(crate) fn complete(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    failure: &NodeFailure,
    now: time::Millis,
) -> ErrorPayload {
    let this = &compiled.nodes[node];
    let known = fold::slot_ref(state, node, slot);
    let config = known.and_then(|s| s.config.clone()).unwrap_or_default();
    let mut details = failure.details_with_code();
    let mut retryable = failure.retryable;
    let mut suggested = failure.suggested_action;
    if failure.may_have_happened && fold::call_asks(compiled, node, &config) {
        retryable = false;
        suggested = Some(SuggestedAction::HumanReview);
        details.insert("effect".into(), "unknown".into());
    }
    if let Some(ms) = failure.retry_after_ms {
        details.insert("retryAfterMs".into(), ms.into());
        retryable &= ms <= crate::retry::RETRY_AFTER_LIMIT_MS;
    }
    // A guard that blocked personal data tells the input without it.
    let of_guard = failure.code == "GUARDRAIL_BLOCKED" || failure.held.is_some();
    if !(of_guard && details.contains_key("input")) {
        fold::add_error_input(compiled, state, node, slot, &mut details);
    }
    if let Some(visit) = known.map(|s| s.visit).filter(|visit| *visit > 1) {
        details.insert("humanRound".into(), (visit - 1).into());
    }
    ErrorPayload {
        error_type: failure.error_type,
        message: failure.message.clone(),
        retryable,
        origin_node: this.id.to_string(),
        origin_run_id: Some(state.run_id.to_string()),
        attempt: Some(known.map_or(0, |s| s.attempt)),
        max_attempts: Some(this.max_attempts),
        timestamp: time::format(now),
        suggested_action: suggested,
        provenance_ref: None,
        trace_id: Some(state.trace_id()),
        details: Some(details),
    }
}

/// A question after an abort would be taken back as soon as it is asked.
fn nobody_is_asked() -> NodeFailure {
    let message = "The run was given up: what follows an abort asks nobody";
    NodeFailure::new(ErrorType::ToolError, "UNSUPPORTED_OPERATION", message)
}
