//! Cases: failed calls on their way through recovery nodes and people (SEMANTICS 2.4, 4, 5).

mod people;

use people::answered;
pub(super) use people::{asked, completed, escalated, no_longer_asked, pause_over, refresh_waiting};

use super::{abort, activation_input, bytes_of, close, error_item, input_value, slot_mut, slot_ref};
use crate::{
    compiled::{Compiled, Way},
    error_codes::ON_EXPIRY,
    recovery::RecoveryKind,
    state::{Asked, At, Case, Intent, Phase, Refused, RunState, Slot},
};
use serde_json::{Value, json};
use signalbox_model::{
    ErrorPayload, Item, Mode, NodeState,
    event::ErrorHandled,
    task::{AutoFixAttempt, ModelTry, Origin},
};
use std::{borrow::Cow, sync::Arc};

/// The slot that an event of a recovery node is about.
pub(crate) fn origin_slot(compiled: &Compiled, state: &RunState, origin: &Origin) -> Option<(usize, usize)> {
    let node = super::place::known(compiled, state, origin.path.as_deref(), &origin.step_id)?;
    let slot = origin.item.unwrap_or(0);
    slot_ref(state, node, slot).map(|_| (node, slot))
}

pub(crate) fn case_of(state: &RunState, node: usize, slot: usize) -> Option<&Case> {
    match &slot_ref(state, node, slot)?.phase {
        Phase::Case(case) => Some(case),
        _ => None,
    }
}

/// Opens a case, or moves it; what comes next has to be decided.
pub(crate) fn put(
    state: &mut RunState,
    node: usize,
    slot: usize,
    error: Arc<ErrorPayload>,
    at: At,
    intent: Option<Intent>,
) {
    let waits = matches!(at, At::Asked | At::Running(_));
    if let Some(known) = slot_mut(state, node, slot) {
        known.phase = Phase::Case(Box::new(Case { error, at, intent }));
        state.work.set_undecided((node, slot), !waits);
    }
}

/// A case goes along a wire to a recovery node.
pub(super) fn pass(
    compiled: &Compiled,
    state: &mut RunState,
    (node, slot): (usize, usize),
    error: Arc<ErrorPayload>,
    wire: usize,
    intent: Option<Intent>,
) {
    put(state, node, slot, error, At::Node(compiled.beside(node, compiled.edges[wire].to)), intent);
    went(state, node, slot, wire);
}

/// The wire along which a case went last.
fn went(state: &mut RunState, node: usize, slot: usize, wire: usize) {
    if let Some(known) = slot_mut(state, node, slot) {
        known.along = Some(wire);
    }
}

fn move_to(state: &mut RunState, node: usize, slot: usize, at: At, intent: Option<Intent>) {
    if let Some(case) = case_of(state, node, slot) {
        let error = Arc::clone(&case.error);
        put(state, node, slot, error, at, intent);
    }
}

/// A handler or a policy decided.
pub(super) fn handled(
    compiled: &Compiled,
    state: &mut RunState,
    place: (usize, usize),
    from: Option<usize>,
    handled: &ErrorHandled,
    now: i64,
) {
    let (node, slot) = place;
    let Some(error) = open_error(state, node, slot) else { return };
    if let Some(handler) = from {
        ran(state, node, slot, handler, NodeState::Succeeded);
    }
    let port = match handled.action.as_str() {
        "error_as_context" => "context",
        "retry" | "auto_fix" | "human_review" | "fallback" => &handled.action,
        _ => "abort",
    };
    let way = from.map_or(Way::Unwired, |handler| compiled.way(handler, port, node));
    let reason = match handled.rule.as_str() {
        ON_EXPIRY if from.is_none() => Some("ttl_expired".to_owned()),
        _ => super::abort_reason(handled.wanted.as_deref()),
    };
    carry_out(compiled, state, place, error, (&handled.action, reason), way, now);
    // A policy asks nobody about a child whose errors are collected: a repair that does not help is the end of it.
    if from.is_none()
        && super::body::is_collected(compiled, state, node)
        && let Some(Case { error, at: At::BuiltInFix, .. }) = case_of(state, node, slot).cloned()
    {
        let intent = Intent::Decided { action: "abort".into(), reason: None };
        put(state, node, slot, error, At::BuiltInFix, Some(intent));
    }
}

/// The table of actions (SEMANTICS 4) once it is known where the port leads.
fn carry_out(
    compiled: &Compiled,
    state: &mut RunState,
    (node, slot): (usize, usize),
    error: Arc<ErrorPayload>,
    (action, reason): (&str, Option<String>),
    way: Way,
    now: i64,
) {
    if let Way::Reentry(wire) = way {
        went(state, node, slot, wire);
    }
    let red = || vec![red_item(compiled, state, node, slot, &error)];
    match (action, way) {
        ("retry", Way::Recovery(next)) => {
            pass(compiled, state, (node, slot), error, next, Some(Intent::Retry));
        }
        ("retry", Way::Reentry(_) | Way::Exit(_) | Way::Unwired) => put(state, node, slot, error, At::Retry, None),
        (_, Way::Recovery(next)) => {
            let intent = Intent::Decided { action: action.to_owned(), reason };
            pass(compiled, state, (node, slot), error, next, Some(intent));
        }
        ("skip", Way::Exit(edges)) => {
            let items = own_items(compiled, state, node, slot);
            leave(compiled, state, node, slot, edges, items, true);
        }
        ("error_as_context", Way::Exit(edges)) => {
            let item = context_item(compiled, state, node, slot, &error);
            leave(compiled, state, node, slot, edges, vec![item], false);
        }
        (_, Way::Exit(edges)) => {
            let items = red();
            leave(compiled, state, node, slot, edges, items, false);
        }
        ("auto_fix", Way::Reentry(_) | Way::Unwired) if !healed(state, node, slot) => {
            put(state, node, slot, error, At::BuiltInFix, None);
        }
        ("auto_fix" | "human_review", Way::Reentry(_) | Way::Unwired) => put(state, node, slot, error, At::Ask, None),
        ("skip", Way::Reentry(_) | Way::Unwired) => {
            let phase = if compiled.nodes[node].fallback {
                Phase::PersonSkipped { ports: Vec::new(), fallback: Some(error) }
            } else {
                let items = own_items(compiled, state, node, slot);
                Phase::PersonSkipped { ports: vec![("success".into(), items)], fallback: None }
            };
            close(compiled, state, node, slot, phase);
        }
        ("fallback", Way::Reentry(_) | Way::Unwired) if compiled.nodes[node].fallback => {
            close(compiled, state, node, slot, Phase::OnFallback { error });
        }
        ("fallback", Way::Reentry(_) | Way::Unwired) => {
            fail_run(compiled, state, node, slot, error, super::abort_reason(Some("fallback")), now);
        }
        (_, Way::Reentry(_) | Way::Unwired) => fail_run(compiled, state, node, slot, error, reason, now),
    }
}

/// The one deterministic try of this visit was made.
fn healed(state: &RunState, node: usize, slot: usize) -> bool {
    slot_ref(state, node, slot).is_some_and(|known| known.heals > 0)
}

fn open_error(state: &RunState, node: usize, slot: usize) -> Option<Arc<ErrorPayload>> {
    match &slot_ref(state, node, slot)?.phase {
        Phase::Undecided { error } => Some(Arc::clone(error)),
        Phase::Case(case) => Some(Arc::clone(&case.error)),
        _ => None,
    }
}

pub(super) fn fail_run(
    compiled: &Compiled,
    state: &mut RunState,
    node: usize,
    slot: usize,
    error: Arc<ErrorPayload>,
    reason: Option<String>,
    now: i64,
) {
    // The error of a container is told of the child that failed.
    let child = slot_ref(state, node, slot).and_then(|slot| slot.body.as_ref()).and_then(|body| body.failed.as_ref());
    let step = child.map_or_else(|| compiled.nodes[node].id.to_string(), |(_, step)| step.clone());
    // What a person or the policy of a task decided ends the run, from inside a container too.
    let final_word = matches!(reason.as_deref(), Some("aborted_by_operator" | "ttl_expired"));
    if state.basing.is_some() && (final_word || compiled.nodes.frame(node) == 0) {
        return super::base::again(compiled, state, node, slot);
    }
    if compiled.nodes.frame(node) != 0 && !final_word {
        let error = super::with_reason(error, reason.as_deref());
        return super::cancel_scope::child_failed(compiled, state, node, slot, error, step);
    }
    abort(compiled, state, node, step, error, reason, now);
    close(compiled, state, node, slot, Phase::Failed);
}

fn leave(
    compiled: &Compiled,
    state: &mut RunState,
    node: usize,
    slot: usize,
    edges: Vec<usize>,
    items: Vec<Item>,
    skipped: bool,
) {
    close(compiled, state, node, slot, Phase::Exited { edges, items, skipped });
}

fn paired(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> Option<usize> {
    let several = activation_input(state, node).len() > 1;
    (compiled.nodes[node].mode == Mode::Each || !several).then_some(slot)
}

/// What the port `context` carries.
fn context_item(compiled: &Compiled, state: &RunState, node: usize, slot: usize, error: &Arc<ErrorPayload>) -> Item {
    let data = json!({ "error": error.as_ref(), "data": input_value(compiled, state, node, slot) });
    Item { data: Arc::new(data), ..red_item(compiled, state, node, slot, error) }
}

/// Counts a run of a recovery node for a slot.
fn ran(state: &mut RunState, node: usize, slot: usize, recovery: usize, now: NodeState) {
    if let Some(known) = slot_mut(state, node, slot) {
        match known.runs.iter_mut().find(|(n, _)| *n == recovery) {
            Some((_, count)) => *count += 1,
            None => known.runs.push((recovery, 1)),
        }
    }
    state.nodes[recovery].visits += 1;
    state.nodes[recovery].state = now;
}

/// A recovery node begins a call.
pub(super) fn started(state: &mut RunState, place: (usize, usize), recovery: usize) {
    let (node, slot) = place;
    ran(state, node, slot, recovery, NodeState::Running);
    state.nodes[recovery].calls += 1;
    let intent = case_of(state, node, slot).and_then(|case| case.intent.clone());
    move_to(state, node, slot, At::Running(recovery), intent);
    state.work.recovery_begins((node, slot));
}

/// Slots with a person whose step has begun and not ended: (node, slot, the human node of a case).
pub(crate) fn with_people(state: &RunState) -> Vec<(usize, usize, Option<usize>)> {
    let mut found = Vec::new();
    for (node, run) in state.nodes.all() {
        for (slot, known) in run.activation.iter().flat_map(|a| a.slots.open()) {
            match &known.phase {
                Phase::Asking { .. } => found.push((node, slot, None)),
                Phase::Case(case) => match &case.at {
                    At::Answered { node: human, .. } | At::Expired { node: human } => {
                        found.push((node, slot, Some(*human)));
                    }
                    At::Asked => {
                        let task = state.tasks.values().find(|task| task.cases.contains(&(node, slot)));
                        found.extend(task.and_then(|task| task.asks).map(|human| (node, slot, Some(human))));
                    }
                    At::Node(_) | At::Running(_) | At::BuiltInFix | At::Ask | At::Retry => {}
                },
                _ => {}
            }
        }
    }
    found
}

/// Its call was cut off: it runs again.
pub(super) fn interrupted(state: &mut RunState, place: (usize, usize), recovery: usize) {
    let (node, slot) = place;
    state.work.recovery_ended(place);
    no_longer_asked(state, place);
    let intent = case_of(state, node, slot).and_then(|case| case.intent.clone());
    move_to(state, node, slot, At::Node(recovery), intent);
}

/// Nobody answers its task any more; the call of the human node waits for its end.
pub(super) fn given_up(state: &mut RunState, node: usize, slot: usize, human: usize) {
    move_to(state, node, slot, At::Expired { node: human }, None);
    state.work.set_undecided((node, slot), false);
}

/// A recovery node ended well: the case goes on through its port.
pub(super) fn done(compiled: &Compiled, state: &mut RunState, place: (usize, usize), recovery: usize, now: i64) {
    let (node, slot) = place;
    state.work.recovery_ended(place);
    state.nodes[recovery].state = NodeState::Succeeded;
    let Some(case) = case_of(state, node, slot).cloned() else { return };
    match compiled.nodes[recovery].recovery {
        Some(RecoveryKind::Audit) => match compiled.way(recovery, "success", node) {
            Way::Recovery(next) => pass(compiled, state, place, case.error, next, case.intent),
            way => match (case.intent, way) {
                (Some(Intent::Decided { action, reason }), way) => {
                    carry_out(compiled, state, place, case.error, (&action, reason), way, now);
                }
                (Some(Intent::Fixed(data) | Intent::Corrected(data)), Way::Exit(edges)) => {
                    let item = plain_item(compiled, state, node, slot, &data);
                    leave(compiled, state, node, slot, edges, vec![item], false);
                }
                (intent, way) => come_back(compiled, state, place, intent, &way),
            },
        },
        Some(RecoveryKind::Healer) => {
            let Some(Intent::Fixed(fixed)) = case.intent else { return };
            match compiled.way(recovery, "success", node) {
                Way::Recovery(next) => pass(compiled, state, place, case.error, next, Some(Intent::Fixed(fixed))),
                Way::Exit(edges) => {
                    let item = plain_item(compiled, state, node, slot, &fixed);
                    leave(compiled, state, node, slot, edges, vec![item], false);
                }
                way @ (Way::Reentry(_) | Way::Unwired) => {
                    come_back(compiled, state, place, Some(Intent::Fixed(fixed)), &way);
                }
            }
        }
        Some(RecoveryKind::Human) => {
            let At::Answered { answer, .. } = case.at else { return };
            answered(compiled, state, place, Some(recovery), &answer, now);
        }
        Some(RecoveryKind::Handler) | None => {}
    }
}

/// A repaired or corrected input on its way out.
fn plain_item(compiled: &Compiled, state: &RunState, node: usize, slot: usize, data: &Arc<Value>) -> Item {
    Item {
        id: "1".into(),
        data: Arc::clone(data),
        binary: bytes_of(compiled, node, activation_input(state, node), slot),
        error: None,
        paired_item: paired(compiled, state, node, slot),
    }
}

/// What failed, as it leaves.
fn red_item(compiled: &Compiled, state: &RunState, node: usize, slot: usize, error: &Arc<ErrorPayload>) -> Item {
    let binary = bytes_of(compiled, node, activation_input(state, node), slot);
    error_item(error, paired(compiled, state, node, slot), binary)
}

/// A recovery node failed.
pub(super) fn failed(
    compiled: &Compiled,
    state: &mut RunState,
    place: (usize, usize),
    recovery: usize,
    error: &Arc<ErrorPayload>,
    now: i64,
) {
    let (node, slot) = place;
    state.work.recovery_ended(place);
    state.nodes[recovery].state = NodeState::Failed;
    let at_policy = case_of(state, node, slot).is_some_and(|case| matches!(case.at, At::Expired { .. }));
    match compiled.way(recovery, "error", node) {
        Way::Recovery(next) => {
            state.nodes[recovery].state = NodeState::ErrorHandled;
            // An Audit that leads no further leaves what an unwired port does.
            let healer = compiled.nodes[recovery].recovery == Some(RecoveryKind::Healer);
            let action = if healer { "human_review" } else { "abort" }.to_owned();
            let intent = Intent::Decided { action, reason: at_policy.then(|| "ttl_expired".to_owned()) };
            pass(compiled, state, place, Arc::clone(error), next, Some(intent));
        }
        Way::Exit(edges) => {
            state.nodes[recovery].state = NodeState::ErrorHandled;
            let item = red_item(compiled, state, node, slot, error);
            leave(compiled, state, node, slot, edges, vec![item], false);
        }
        Way::Reentry(_) | Way::Unwired => {
            if compiled.nodes[recovery].recovery == Some(RecoveryKind::Healer) {
                state.nodes[recovery].state = NodeState::ErrorHandled;
                put(state, node, slot, Arc::clone(error), At::Ask, None);
            } else {
                let reason = at_policy.then(|| "ttl_expired".to_owned());
                let told = case_of(state, node, slot).filter(|_| at_policy).map(|case| Arc::clone(&case.error));
                fail_run(compiled, state, node, slot, told.unwrap_or_else(|| Arc::clone(error)), reason, now);
            }
        }
    }
}

/// A repair was tried, by a healer or by the engine itself.
pub(super) fn fix_tried(
    compiled: &Compiled,
    state: &mut RunState,
    place: (usize, usize),
    healer: Option<usize>,
    tried: &AutoFixAttempt,
    now: i64,
) {
    let (node, slot) = place;
    if let Some(known) = slot_mut(state, node, slot) {
        match (&tried.asked, healer) {
            (Some(asked), Some(healer)) => note_answer(known, healer, tried, asked),
            _ => known.heals += 1,
        }
    }
    let fixed = tried.fixed_input.clone().filter(|_| tried.accepted);
    match (healer, fixed) {
        (Some(healer), fixed) => {
            let at = At::Running(healer);
            move_to(state, node, slot, at, fixed.map(Intent::Fixed));
        }
        (None, Some(fixed)) => come_back(compiled, state, place, Some(Intent::Fixed(fixed)), &Way::Unwired),
        (None, None) => match case_of(state, node, slot).cloned() {
            Some(Case { error, intent: Some(Intent::Decided { reason, .. }), .. }) => {
                fail_run(compiled, state, node, slot, error, reason, now);
            }
            Some(_) | None => move_to(state, node, slot, At::Ask, None),
        },
    }
}

/// A model was asked: the next question knows what came of this one.
fn note_answer(known: &mut Slot, healer: usize, tried: &AutoFixAttempt, question: &ModelTry) {
    let at = known.asked.iter().position(|asked| asked.healer == healer).unwrap_or_else(|| {
        known.asked.push(Asked { healer, tries: 0, refused: Vec::new() });
        known.asked.len() - 1
    });
    let asked = &mut known.asked[at];
    asked.tries += 1;
    if tried.accepted {
        asked.refused.clear();
    } else {
        asked.refused.push(Refused {
            answer: question.answer.clone(),
            why: tried.violations.clone(),
            retry_after_ms: question.retry_after_ms,
        });
    }
}

/// The case is back at its origin.
fn come_back(
    compiled: &Compiled,
    state: &mut RunState,
    (node, slot): (usize, usize),
    intent: Option<Intent>,
    way: &Way,
) {
    if let Way::Reentry(wire) = way {
        went(state, node, slot, *wire);
    }
    let (fixed, visit) = match intent {
        None | Some(Intent::Retry) => {
            move_to(state, node, slot, At::Retry, None);
            return;
        }
        // Whoever carries a decision out sends nothing back.
        Some(Intent::Decided { .. }) => return,
        Some(Intent::Fixed(fixed)) => (Some(fixed), false),
        Some(Intent::Again) => (None, true),
        Some(Intent::Corrected(input)) => (Some(input), true),
    };
    let all = state.nodes[node].activation.as_ref().is_some_and(|a| a.input.len() != 1 && a.slots.len() == 1);
    if visit {
        state.nodes[node].visits += 1;
    }
    let Some(known) = slot_mut(state, node, slot) else { return };
    if visit {
        known.visit += 1;
        known.attempt = 0;
        known.heals = 0;
        known.fixes = 0;
        known.asked.clear();
    } else {
        known.attempt += 1;
        known.fixes += 1;
    }
    known.interruptions = 0;
    known.config = None;
    known.idempotency_key = None;
    known.replaced = true;
    if let Some(input) = fixed {
        // What it said until then was about another input.
        known.suspended = None;
        known.decided.clear();
        known.input = match (all, input.as_ref()) {
            (true, Value::Array(list)) => list.iter().map(|data| data.clone().into()).collect(),
            _ => vec![input.into()],
        };
    }
    known.phase = Phase::Reenter;
    let visit = known.visit;
    super::body::visited(compiled, state, node, visit);
    state.work.set_undecided((node, slot), true);
}

/// The input items of a slot as they came.
fn own_items(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> Vec<Item> {
    let input = activation_input(state, node);
    let own = |index: usize, item: Cow<'_, Item>| Item { paired_item: Some(index), ..item.into_owned() };
    match compiled.nodes[node].mode {
        Mode::Each => input.get(slot).map(|item| own(slot, item)).into_iter().collect(),
        Mode::All => input.iter().enumerate().map(|(index, item)| own(index, item)).collect(),
    }
}

/// An origin has ended, or was never reached: its cases leave, and exits that wait for nobody else settle.
pub(super) fn origin_ended(
    compiled: &Compiled,
    state: &mut RunState,
    node: usize,
    left: Vec<(usize, Vec<usize>, Vec<Item>)>,
    todo: &mut Vec<usize>,
) {
    for local in &compiled.nodes[node].exits {
        let edge = compiled.wire(node, *local);
        let Some(exit) = state.exits.get_mut(&edge) else { continue };
        for (slot, edges, items) in &left {
            if edges.contains(local) {
                exit.items.extend(items.iter().map(|item| (node, *slot, item.clone())));
            }
        }
        exit.open -= 1;
        if exit.open > 0 {
            continue;
        }
        let Some(mut exit) = state.exits.remove(&edge) else { continue };
        exit.items.sort_by_key(|(node, slot, _)| (*node, *slot));
        let items: Vec<Item> = exit.items.into_iter().map(|(_, _, item)| item).collect();
        super::settle_edges::settle_with(compiled, state, edge, items, todo);
    }
}
