//! Applying recorded events: the only place where a run's state changes. `step` decides events and applies them;
//! replay is the same function repeated.

mod base;
pub(crate) mod body;
pub(crate) mod cancel_scope;
pub(crate) mod case;
mod deadline;
mod debug;
pub(crate) mod descent;
mod ending;
mod failed;
pub(crate) mod imported_checkpoint;
pub(crate) mod input_shape;
mod interrupted;
mod long_list;
pub(crate) mod place;
mod settle_edges;
pub(crate) mod tool_call;
pub(crate) mod until;

use crate::compiled::Compiled;
use crate::limit;
use crate::state::{Activation, Ending, Made, Phase, RunState, Slot};
use crate::trigger;
use crate::value_size;
use ending::{finish, settle_ending};
pub(crate) use failed::bytes_of;
use failed::error_item;
pub(crate) use interrupted::{asks, call_asks};
use interrupted::{interrupted, interrupted_error};
pub(crate) use long_list::reads_list;
use serde_json::Value;
use settle_edges::{end_activation, route};
use signalbox_model::{
    Data, ErrorPayload, EventBody, Item, Items, Mode, NodeState, Role, RunEvent, RunStatus,
    blob::BLOB_LIMIT,
    event::{StepDone, StepError, StepStart, WorkflowStart},
    time,
};
use std::{collections::BTreeMap, sync::Arc};

/// An event that does not belong to this run or this state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// `seq` is not the next one.
    #[error("event {found} cannot follow event {last}")]
    Gap {
        /// Seq of the state.
        last: u64,
        /// Seq of the event.
        found: u64,
    },
    /// The event names a node the definition does not have.
    #[error("event {seq} names the step '{step}', which the pinned definition does not have")]
    UnknownStep {
        /// Seq of the event.
        seq: u64,
        /// The step.
        step: String,
    },
    /// The event cannot happen in this state.
    #[error("event {seq} ({event}) cannot happen here: {why}")]
    Impossible {
        /// Seq of the event.
        seq: u64,
        /// Its type.
        event: &'static str,
        /// Why.
        why: &'static str,
    },
}

/// Applies one recorded event.
pub fn fold(compiled: &Compiled, state: &mut RunState, event: &RunEvent) -> Result<(), FoldError> {
    let seq = event.seq.unwrap_or_default();
    if seq != state.seq + 1 {
        return Err(FoldError::Gap { last: state.seq, found: seq });
    }
    apply(compiled, state, event, seq)
}

/// [`fold`] of an event wherever it stands: in the base of a re-run the numbers are those of the original.
fn apply(compiled: &Compiled, state: &mut RunState, event: &RunEvent, seq: u64) -> Result<(), FoldError> {
    let now = time::parse(&event.ts).unwrap_or(state.last_ms);
    let node = match &event.step_id {
        Some(step) => Some(
            body::number(compiled, state, event.path.as_deref(), step)
                .ok_or_else(|| FoldError::UnknownStep { seq, step: step.clone() })?,
        ),
        None => None,
    };
    let impossible = |why| FoldError::Impossible { seq, event: event.body.type_name(), why };
    let need_node = || node.ok_or_else(|| impossible("it names no step"));
    // An event of a recovery node names the slot it works on.
    let place = match event.body.origin() {
        Some(origin) => Some(
            case::origin_slot(compiled, state, origin).ok_or_else(|| impossible("the failed step is not active"))?,
        ),
        None => None,
    };
    state.seq = seq;
    state.last_ms = now;
    match &event.body {
        EventBody::WorkflowStart(start) => {
            workflow_start(compiled, state, start, now);
            base::fold(compiled, state, start)?;
        }
        EventBody::WorkflowDone(done) => {
            state.stop_id.clone_from(&done.stop_id);
            finish(compiled, state, RunStatus::Completed);
        }
        EventBody::WorkflowFailed(failed) => {
            state.error = Some(Arc::clone(&failed.error));
            state.failed_step = Some(failed.failed_step_id.clone());
            finish(compiled, state, RunStatus::Failed);
        }
        EventBody::WorkflowCancelled(_) => finish(compiled, state, RunStatus::Cancelled),
        EventBody::WorkflowResumed(_) => state.status = RunStatus::Running,
        EventBody::BreakpointsSet(set) => debug::breakpoints_set(state, set),
        EventBody::WorkflowPaused(paused) => debug::paused(state, event, paused),
        EventBody::WorkflowContinued(continued) => debug::continued(state, continued),
        EventBody::InputEdited(edited) => {
            let node = need_node()?;
            let slot = slot_index(state, node, event).ok_or_else(|| impossible("the step is not active"))?;
            debug::edited(compiled, state, node, slot, edited);
        }
        EventBody::StepStart(start) => {
            debug::began(state, event);
            if let Some(place) = place {
                case::started(state, place, need_node()?);
                return settled(compiled, state);
            }
            step_start(compiled, state, need_node()?, event, start).map_err(impossible)?;
        }
        EventBody::StepDone(done) => {
            if let Some(place) = place {
                case::done(compiled, state, place, need_node()?, now);
                return settled(compiled, state);
            }
            step_done(compiled, state, need_node()?, event, done).map_err(impossible)?;
        }
        EventBody::StepError(error) => {
            let node = need_node()?;
            if let Some(place) = place {
                case::failed(compiled, state, place, node, &error.error, now);
                return settled(compiled, state);
            }
            let slot = slot_index(state, node, event).ok_or_else(|| impossible("the step is not active"))?;
            failed(compiled, state, node, slot, error);
        }
        EventBody::StepInterrupted(cut) => match place {
            Some(place) => {
                case::interrupted(state, place, need_node()?);
                if place::is_cut(compiled, state, place.0) {
                    state.work.set_undecided(place, false);
                }
            }
            None => interrupted(compiled, state, need_node()?, event, cut.effect.is_some()),
        },
        EventBody::StepSkipped(_) => skipped(compiled, state, need_node()?),
        EventBody::VarChanged(change) => {
            let node = need_node()?;
            let activation =
                state.nodes[node].activation.as_mut().ok_or_else(|| impossible("the step is not active"))?;
            let name = change.name.strip_prefix('$').unwrap_or(&change.name);
            activation.staged.push((name.to_owned(), Arc::clone(&change.new_value)));
        }
        EventBody::RetryScheduled(retry) => {
            let node = need_node()?;
            let slot = slot_index(state, node, event).ok_or_else(|| impossible("the step is not active"))?;
            let due_ms = now.saturating_add(i64::try_from(retry.delay_ms).unwrap_or(i64::MAX));
            state.work.set_undecided((node, slot), false);
            state.work.waits_for_timer((node, slot));
            state.nodes[node].state = NodeState::Retrying;
            if let Some(slot) = slot_mut(state, node, slot) {
                slot.phase = Phase::RetryAt { due_ms };
                slot.attempt = retry.attempt;
                slot.interruptions = 0;
            }
        }
        EventBody::ErrorHandled(handled) => {
            if handled.origin.is_some() {
                debug::began(state, event);
            }
            let node = need_node()?;
            let (place, from) = match place {
                Some(place) => (place, Some(node)),
                None => {
                    let slot = slot_index(state, node, event).ok_or_else(|| impossible("the step is not active"))?;
                    ((node, slot), None)
                }
            };
            case::handled(compiled, state, place, from, handled, now);
        }
        EventBody::AutoFixAttempt(tried) => {
            let node = need_node()?;
            let (place, healer) = match place {
                Some(place) => (place, Some(node)),
                None => {
                    let slot = slot_index(state, node, event).ok_or_else(|| impossible("the step is not active"))?;
                    ((node, slot), None)
                }
            };
            case::fix_tried(compiled, state, place, healer, tried, now);
        }
        EventBody::HumanTaskCreated(created) => {
            let node = need_node()?;
            let ((node, slot), human) = match place {
                Some(place) => (place, Some(node)),
                None => {
                    let slot = slot_index(state, node, event).ok_or_else(|| impossible("the step is not active"))?;
                    ((node, slot), None)
                }
            };
            case::asked(state, node, slot, human, created, now);
            if created.reopens.is_some() {
                state.reopens = None;
            }
            if created.sent_from.is_some() {
                state.sent = None;
            }
        }
        EventBody::HumanTaskCompleted(done) => {
            if done.kept_from.is_some() {
                base::given_again(state, event, done);
            }
            case::completed(compiled, state, &done.task_id, &done.answer, now);
        }
        EventBody::HumanTaskReminded(reminded) => deadline::reminded(state, reminded, now),
        EventBody::HumanTaskHeld(event) => deadline::held(state, event),
        EventBody::HumanTaskContinued(event) => deadline::continued(state, event),
        EventBody::HumanTaskClosed(closed) => cancel_scope::task_closed(state, &closed.task_id),
        EventBody::Escalated(event) => case::escalated(compiled, state, event, now),
        EventBody::PauseTimeout(_) => {
            let node = need_node()?;
            let slot = slot_index(state, node, event).ok_or_else(|| impossible("the step is not active"))?;
            case::pause_over(state, node, slot);
        }
        EventBody::Telemetry(_) => {}
    }
    settled(compiled, state)
}

/// The state that a re-run would begin with; `told` hears of every event of the base before it is folded.
pub(crate) fn look(
    compiled: &Compiled,
    run_id: &str,
    start: &WorkflowStart,
    told: &mut dyn FnMut(&RunEvent),
) -> Result<RunState, FoldError> {
    let mut state = RunState::new(compiled, run_id, None);
    state.seq = 1;
    workflow_start(compiled, &mut state, start, 0);
    base::fold_watched(compiled, &mut state, start, &mut |event, after| {
        if after.is_none() {
            told(event);
        }
    })?;
    Ok(state)
}

/// Folds a whole log; `seen` hears of every state after an event, those of a base too.
pub(crate) fn follow(
    compiled: &Compiled,
    events: &[RunEvent],
    seen: &mut dyn FnMut(&RunEvent, &RunState),
) -> Result<(), FoldError> {
    let Some(first) = events.first() else { return Ok(()) };
    let mut state = RunState::new(compiled, &first.run_id, None);
    if let EventBody::WorkflowStart(start) = &first.body {
        state.seq = 1;
        workflow_start(compiled, &mut state, start, time::parse(&first.ts).unwrap_or_default());
        base::fold_watched(compiled, &mut state, start, &mut |event, after| {
            if let Some(after) = after {
                seen(event, after);
            }
        })?;
    }
    for event in &events[1..] {
        fold(compiled, &mut state, event)?;
        seen(event, &state);
    }
    Ok(())
}

/// What follows from a state without an event.
fn settled(compiled: &Compiled, state: &mut RunState) -> Result<(), FoldError> {
    cancel_scope::reap(compiled, state);
    settle_ending(compiled, state);
    if matches!(state.status, RunStatus::Running | RunStatus::Paused) {
        state.status = if state.is_paused() { RunStatus::Paused } else { RunStatus::Running };
    }
    Ok(())
}

/// Why a rule's wish ended in an abort (SEMANTICS 4, table of actions).
pub(crate) fn abort_reason(wanted: Option<&str>) -> Option<String> {
    match wanted {
        Some("retry") => Some("max_attempts_exceeded".into()),
        Some("fallback") => Some("no_fallback".into()),
        Some(_) | None => None,
    }
}

fn workflow_start(compiled: &Compiled, state: &mut RunState, start: &WorkflowStart, now: i64) {
    state.status = RunStatus::Running;
    state.started_ms = now;
    state.run_seen = Made::default();
    state.params = Arc::clone(&start.params);
    state.seed = u64::from_str_radix(&start.seed, 16).unwrap_or_default();
    state.started_by.clone_from(&start.started_by);
    state.parent_run_id.clone_from(&start.parent_run_id);
    let mut context: indexmap::IndexMap<String, Arc<Value>> =
        compiled.workflow.initial_context().into_iter().map(|(k, v)| (k, Arc::new(v))).collect();
    for (name, value) in start.context.iter().flatten() {
        context.insert(name.clone(), Arc::new(value.clone()));
    }
    state.context = Arc::new(context);
    // In the base of a re-run everything begins as it began in the original.
    if start.base.is_none() {
        until::begins(compiled, state, start);
    }
    let first = Item { id: "1".into(), data: Arc::clone(&start.params), binary: None, error: None, paired_item: None };
    let left_out = trigger::left_out(compiled, &start.params);
    for entry in &compiled.regions[0].entries {
        if left_out.contains(entry) {
            until::skip_silently(compiled, state, *entry);
        } else {
            activate(compiled, state, *entry, vec![first.clone()].into());
        }
    }
    until::begins(compiled, state, start);
}

/// A join fires.
fn activate(compiled: &Compiled, state: &mut RunState, node: usize, mut input: Items) {
    // In a base everything stands as it stood in the original.
    if state.basing.is_none() && until::leaves_out(compiled, state, node) {
        return until::leave_out(compiled, state, node);
    }
    // Ids are unique in the list that a node receives (D-08, TS-162).
    input.number();
    let slots = match compiled.nodes[node].mode {
        Mode::Each => input.len(),
        Mode::All => 1,
    };
    let visit = place::first_visit(compiled, state, node);
    state.nodes[node].lineage = descent::note(compiled, state, node, &input);
    state.nodes[node].visits += u32::try_from(slots).unwrap_or(u32::MAX);
    state.nodes[node].activation = Some(Activation::new(input, slots, visit));
    if slots == 0 {
        end_activation(compiled, state, node);
    } else {
        state.work.fired(node);
    }
}

pub(crate) fn slot_mut(state: &mut RunState, node: usize, slot: usize) -> Option<&mut Slot> {
    state.nodes.get_mut(node)?.activation.as_mut()?.slots.get_mut(slot)
}

pub(crate) fn slot_ref(state: &RunState, node: usize, slot: usize) -> Option<&Slot> {
    state.nodes.get(node)?.activation.as_ref()?.slots.get(slot)
}

/// One that is under way; cheaper than [`slot_ref`] for what only such a one has.
pub(crate) fn begun_slot(state: &RunState, node: usize, slot: usize) -> Option<&Slot> {
    state.nodes.get(node)?.activation.as_ref()?.slots.begun(slot)
}

fn slot_index(state: &RunState, node: usize, event: &RunEvent) -> Option<usize> {
    let slot = event.item.unwrap_or(0);
    state.nodes[node].activation.as_ref().filter(|a| slot < a.slots.len()).map(|_| slot)
}

fn step_start(
    compiled: &Compiled,
    state: &mut RunState,
    node: usize,
    event: &RunEvent,
    start: &StepStart,
) -> Result<(), &'static str> {
    let each = compiled.nodes[node].mode == Mode::Each;
    state.work.begun(node);
    state.nodes[node].state = NodeState::Running;
    let mut inputs: BTreeMap<usize, Vec<Data>> = BTreeMap::new();
    if each {
        for input in &*start.input {
            inputs.entry(input.item).or_default().push(input.data.clone());
        }
    } else {
        inputs.insert(0, start.input.iter().map(|input| input.data.clone()).collect());
    }
    state.nodes[node].calls += u32::try_from(inputs.len()).unwrap_or(u32::MAX);
    for (index, input) in inputs {
        state.work.starts((node, index));
        let activation = state.nodes[node].activation.as_mut().ok_or("the join has not fired")?;
        let slot = activation.slots.get_mut(index).ok_or("the item does not exist")?;
        if slot.phase.is_closed() {
            return Err("the slot has ended");
        }
        tool_call::begins(slot);
        slot.visit = event.visit.unwrap_or(1);
        slot.attempt = event.attempt.unwrap_or(0);
        let own = start.configs.as_ref().and_then(|c| c.get(&index));
        slot.config = Some(Arc::clone(own.unwrap_or(&start.config)));
        slot.idempotency_key.clone_from(&start.idempotency_key);
        slot.input = input;
        if let Some(due_ms) = start.due_ms {
            slot.phase = Phase::Sleeping { due_ms };
            state.work.waits_for_timer((node, index));
        } else if compiled.is_container(node) && !start.pinned {
            body::entered(compiled, state, node, index);
        } else {
            slot.phase = Phase::Running;
            state.work.calls_node((node, index));
        }
    }
    refresh_startable(state, node);
    Ok(())
}

/// Keeps the index of startable nodes in step with the slots of a node.
pub(crate) fn refresh_startable(state: &mut RunState, node: usize) {
    let Some(activation) = state.nodes[node].activation.as_mut() else {
        state.work.set_startable(node, false);
        return;
    };
    while activation.next_fresh < activation.slots.len() && !activation.slots.is_fresh(activation.next_fresh) {
        activation.next_fresh += 1;
    }
    let fresh = activation.next_fresh < activation.slots.len() && !state.work.ready().contains(&node);
    state.work.set_startable(node, fresh);
}

fn step_done(
    compiled: &Compiled,
    state: &mut RunState,
    node: usize,
    event: &RunEvent,
    done: &StepDone,
) -> Result<(), &'static str> {
    let each = compiled.nodes[node].mode == Mode::Each;
    state.executed(&compiled.nodes[node].id);
    let activation = state.nodes[node].activation.as_mut().ok_or("the step is not active")?;
    let staged = std::mem::take(&mut activation.staged);
    let slots: Vec<usize> = match event.item {
        Some(item) => vec![item],
        // A batch, or a part of one: what is under way.
        None => activation
            .slots
            .open()
            .filter(|(_, slot)| matches!(slot.phase, Phase::Running | Phase::Sleeping { .. } | Phase::Inside))
            .map(|(slot, _)| slot)
            .collect(),
    };
    if !staged.is_empty() {
        let context = Arc::make_mut(place::context_mut(compiled, state, node));
        for (name, value) in staged {
            context.insert(name, value);
        }
    }
    if compiled.nodes[node].role == Role::Stop {
        let entered = self::activation(state, node).map(|known| Arc::clone(&known.input)).unwrap_or_default();
        if base::is_open(compiled, state, node) {
            // What the original stopped at does not stop what is done again.
            state.output.extend(entered.pieces().map(|(_, data)| data));
        } else if !cancel_scope::stopped(compiled, state, node, &entered) {
            state.stop_id = Some(stop_id(compiled, state, node));
            state.ending.get_or_insert(Ending::Stop);
            state.output.extend(entered.pieces().map(|(_, data)| data));
        }
    }
    if compiled.nodes[node].role == Role::Break {
        body::broken(compiled, state, node);
    }
    let mut own = if each && slots.len() > 1 { by_slot(done) } else { BTreeMap::new() };
    let container = compiled.is_container(node);
    for slot in slots.iter().copied() {
        let ports = if each && slots.len() > 1 {
            own.remove(&slot).unwrap_or_default()
        } else {
            let items = done.items.iter().map(|(port, items)| (port.clone(), items.clone()));
            items.filter(|(_, items)| container || !items.is_empty()).collect()
        };
        close(compiled, state, node, slot, Phase::Done { ports });
    }
    Ok(())
}

/// Port and items of each slot of a batch, in one pass: there may be very many.
fn by_slot(done: &StepDone) -> BTreeMap<usize, Vec<(String, Items)>> {
    let mut slots: BTreeMap<usize, Vec<(String, Items)>> = BTreeMap::new();
    for (port, items) in &done.items {
        for (item, data) in items.pieces() {
            let Some(slot) = item.paired_item else { continue };
            // Wide rows take twenty times their text as values.
            let data = match data {
                Data::Text(text) if text.length() <= BLOB_LIMIT => text.value().into(),
                data => data,
            };
            let ports = slots.entry(slot).or_default();
            if ports.last().is_none_or(|(last, _)| last != port) {
                ports.push((port.clone(), Items::new()));
            }
            if let Some((_, list)) = ports.last_mut() {
                list.push_data(item, data);
            }
        }
    }
    slots
}

fn stop_id(compiled: &Compiled, state: &RunState, node: usize) -> String {
    let config = slot_ref(state, node, 0).and_then(|s| s.config.as_ref());
    config
        .and_then(|c| c.get("stopId"))
        .and_then(Value::as_str)
        .map_or_else(|| compiled.nodes[node].id.to_string(), str::to_owned)
}

/// A call failed: what the own retry policy and a red wire decide is known at once, the rest waits for a decision.
fn failed(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize, event: &StepError) {
    let error = &event.error;
    state.work.call_ended((node, slot));
    state.executed(&compiled.nodes[node].id);
    cancel_scope::left(compiled, state, node, slot);
    if let Some(activation) = state.nodes[node].activation.as_mut() {
        activation.staged.clear();
    }
    if nothing_new(state, compiled, node) {
        close(compiled, state, node, slot, Phase::Cancelled);
        return;
    }
    if let Some(conversation) = &event.held {
        return tool_call::waits(state, (node, slot), error, conversation);
    }
    tool_call::is_over(state, node, slot);
    let slots = activation(state, node).map_or(0, |activation| activation.slots.len());
    if limit::ends_step(error, slots) {
        state.work.set_undecided((node, slot), true);
        if let Some(slot) = slot_mut(state, node, slot) {
            slot.along = None;
            slot.phase = Phase::Undecided { error: Arc::clone(error) };
        }
        return;
    }
    let attempt = slot_ref(state, node, slot).map_or(0, |s| s.attempt);
    let retries = own_retry_applies(compiled, node, error, attempt);
    if let Some(wire) = compiled.nodes[node].handled_by.filter(|_| !retries) {
        case::pass(compiled, state, (node, slot), Arc::clone(error), wire, None);
        return;
    }
    if !retries && compiled.nodes[node].error_wired && until::red_leads_on(compiled, state, node) {
        close(compiled, state, node, slot, Phase::OnError { error: Arc::clone(error) });
        return;
    }
    state.work.set_undecided((node, slot), true);
    if let Some(slot) = slot_mut(state, node, slot) {
        slot.along = None;
        slot.phase = Phase::Undecided { error: Arc::clone(error) };
    }
}

/// SEMANTICS 4, line 1.
pub(crate) fn own_retry_applies(compiled: &Compiled, node: usize, error: &ErrorPayload, attempt: u32) -> bool {
    let policy = compiled.nodes[node].own_retry.as_ref();
    policy.is_some_and(|p| error.retryable && attempt < p.max_attempts)
}

/// The run is ending, so a result of this node is recorded but starts nothing.
pub(crate) fn nothing_new(state: &RunState, compiled: &Compiled, node: usize) -> bool {
    match &state.ending {
        None => place::is_cut(compiled, state, node),
        Some(Ending::Stop) => true,
        Some(Ending::Abort { chain, chain_over, .. }) => {
            !*chain || *chain_over || !in_chain(compiled, node) || place::is_cut(compiled, state, node)
        }
    }
}

/// Only the `onAbort` chain leads to it.
fn in_chain(compiled: &Compiled, node: usize) -> bool {
    compiled.abort_region[compiled.nodes.local(node)]
}

fn abort(
    compiled: &Compiled,
    state: &mut RunState,
    node: usize,
    step: String,
    error: Arc<ErrorPayload>,
    reason: Option<String>,
    now: i64,
) {
    match &mut state.ending {
        // Only a failure of the chain ends it; one answer may abort many steps before it has begun.
        Some(Ending::Abort { chain, chain_over, .. }) => *chain_over |= *chain && in_chain(compiled, node),
        Some(Ending::Stop) => {}
        None => {
            let error = with_reason(error, reason.as_deref());
            state.ending = Some(Ending::Abort { error, step, reason, since: now, chain: false, chain_over: false });
        }
    }
}

/// An error that says why nothing more was done about it.
fn with_reason(error: Arc<ErrorPayload>, reason: Option<&str>) -> Arc<ErrorPayload> {
    let Some(reason) = reason else { return error };
    let mut told = (*error).clone();
    told.details.get_or_insert_default().insert("reason".into(), reason.into());
    Arc::new(told)
}

/// The input of a slot as one value: the item's data in `each`, a list in `all`.
pub(crate) fn input_value(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> Value {
    if reads_list(compiled, state, node, slot) {
        return Value::Null;
    }
    let data = slot_ref(state, node, slot).map(|s| s.input.clone()).unwrap_or_default();
    match compiled.nodes[node].mode {
        Mode::Each => data.first().map(|d| Arc::unwrap_or_clone(d.value())).unwrap_or_default(),
        Mode::All if data.len() == 1 => Arc::unwrap_or_clone(data[0].value()),
        // What cannot be made into values is in the event of the call.
        Mode::All if limit::refused_as_values(&data, compiled.most).is_some() => Value::Null,
        Mode::All => list_of(&data),
    }
}

/// Longest input, as JSON, that an error carries along.
const ERROR_INPUT: usize = 1024 * 1024;

/// Adds to an error the input that failed. A long one is not copied into it, because each copy of an error would then hold it: it is
/// in the event of the call's start, and the error has its length (ADR 149).
pub(crate) fn add_error_input(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    details: &mut signalbox_model::Map,
) {
    let length = match reads_list(compiled, state, node, slot) {
        true => activation_input(state, node).weight(value_size::memory).max(ERROR_INPUT + 1),
        false => slot_ref(state, node, slot).map_or(0, |slot| written_length(&slot.input)),
    };
    if length <= ERROR_INPUT {
        details.insert("input".into(), input_value(compiled, state, node, slot));
    } else {
        details.insert("input".into(), Value::Null);
        details.insert("inputBytes".into(), length.into());
    }
}

/// Bytes of their JSON; 0 when they cannot be too long, which is found without writing them.
fn written_length(input: &[Data]) -> usize {
    /// What a sign takes at most: `\u0000`.
    const MOST_A_BYTE: usize = 6;
    let sum = |weight: fn(&Value) -> usize| input.iter().map(|data| data.weight(weight)).sum::<usize>();
    if sum(value_size::memory).saturating_mul(MOST_A_BYTE) <= ERROR_INPUT {
        return 0;
    }
    sum(|value| value.to_string().len())
}

/// `if` false or disabled: the items go on unchanged.
fn skipped(compiled: &Compiled, state: &mut RunState, node: usize) {
    state.work.begun(node);
    let Some(activation) = state.nodes[node].activation.take() else { return };
    state.nodes[node].state = NodeState::Skipped;
    state.nodes[node].visits = 0;
    let has_success = compiled.nodes[node].descriptor.port_ids(Some(&compiled.nodes[node].config));
    let items =
        if has_success.iter().any(|p| p == "success") { activation.input.as_ref().clone() } else { Items::new() };
    route(compiled, state, node, vec![("success".into(), items)], Vec::new(), Vec::new());
}

fn close(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize, phase: Phase) {
    state.work.closed((node, slot));
    cancel_scope::left(compiled, state, node, slot);
    let cut = place::is_cut(compiled, state, node);
    let Some(activation) = state.nodes[node].activation.as_mut() else { return };
    match phase {
        Phase::Done { ports } => {
            if !activation.slots.end(slot, ports) {
                return;
            }
        }
        phase => {
            let Some(slot) = activation.slots.get_mut(slot) else { return };
            if slot.phase.is_closed() {
                return;
            }
            slot.phase = phase;
            // Only an open slot needs what a retry would send.
            slot.config = None;
            slot.body = None;
            slot.suspended = None;
            match &slot.phase {
                Phase::OnError { error } | Phase::OnFallback { error } => {
                    let error = Arc::clone(error);
                    activation.slots.failed(&error);
                }
                _ => slot.input = Vec::new(),
            }
        }
    }
    activation.open -= 1;
    // What is cut goes with its frame: nothing leaves it.
    if cut {
        return;
    }
    if activation.open == 0 {
        end_activation(compiled, state, node);
    } else {
        case::refresh_waiting(state, node);
    }
}

pub(crate) fn activation(state: &RunState, node: usize) -> Option<&Activation> {
    state.nodes.get(node)?.activation.as_ref()
}

/// The items that a step which has not ended was activated with.
pub(crate) fn activation_input(state: &RunState, node: usize) -> &Items {
    static NONE: Items = Items::new();
    activation(state, node).map_or(&NONE, |activation| &activation.input)
}

/// Data of one item, a list of several, null of none.
pub(crate) fn one_or_list(data: &[Data]) -> Data {
    match data {
        [] => Data::default(),
        [one] => one.clone(),
        // As values a long list would take ten times its text.
        many if many.iter().any(|one| matches!(one, Data::Text(_))) => Data::written(Data::list(many)),
        many => list_of(many).into(),
    }
}

/// All of them as values.
pub(crate) fn list_of(data: &[Data]) -> Value {
    Value::Array(data.iter().map(|one| Arc::unwrap_or_clone(one.value())).collect())
}
