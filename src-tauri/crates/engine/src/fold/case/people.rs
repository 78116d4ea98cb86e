//! Cases with people: a task asks, an answer or its policy decides.

use super::{carry_out, come_back, fail_run, leave, move_to, open_error, pass, plain_item, red_item};
use crate::compiled::{Compiled, Way};
use crate::fold::deadline::moments;
use crate::fold::{slot_mut, tool_call};
use crate::state::{At, Intent, OpenTask, Phase, RunState};
use signalbox_model::task::{Answer, Escalated, ExpiryAction, HumanTaskCreated};
use signalbox_model::{NodeState, TaskAction, TaskKind, time};

/// A person is asked.
pub(in crate::fold) fn asked(
    state: &mut RunState,
    node: usize,
    slot: usize,
    human: Option<usize>,
    created: &HumanTaskCreated,
    now: i64,
) {
    let expires_ms = created.expires_at.as_deref().and_then(time::parse);
    let task = state.tasks.entry(created.task_id.clone()).or_insert_with(|| OpenTask {
        kind: created.kind,
        cases: Vec::new(),
        asks: human,
        fingerprint: created.fingerprint.clone(),
        many: created.cases.is_some(),
        created_ms: now,
        ttl_ms: created.business_ttl_ms.and_then(|ms| ms.try_into().ok()).or(expires_ms.map(|at| at - now)),
        expires_ms,
        on_expiry: created.on_expiry.clone(),
        level: 0,
        remind_every_ms: created.remind_every_ms.and_then(|ms| i64::try_from(ms).ok()),
        reminders: 0,
        remind_at: moments(&created.remind_at),
        business: created.business_ttl_ms.is_some(),
        held: None,
        waited_ms: 0,
    });
    task.cases.push((node, slot));
    state.work.waits_for_person((node, slot));
    match created.kind {
        TaskKind::Decision => {
            move_to(state, node, slot, At::Asked, None);
            if let Some(human) = human {
                state.nodes[human].state = NodeState::AwaitingHitl;
            }
        }
        TaskKind::Approval | TaskKind::Form | TaskKind::Pause => {
            if let Some(known) = slot_mut(state, node, slot) {
                known.phase = Phase::Asking { task: created.task_id.clone() };
            }
        }
    }
    refresh_waiting(state, node);
}

/// A person answered: the task is closed, and each of its cases goes on.
pub(in crate::fold) fn completed(compiled: &Compiled, state: &mut RunState, task_id: &str, answer: &Answer, now: i64) {
    let Some(task) = state.tasks.remove(task_id) else { return };
    if let Some(more) = answer.budget_micros {
        approved(state, &task.cases, more);
    }
    for (node, slot) in task.cases {
        if tool_call::is_waiting(state, node, slot) {
            tool_call::answered(compiled, state, (node, slot), answer);
        }
        match (task.kind, task.asks) {
            (TaskKind::Decision, Some(human)) => {
                move_to(state, node, slot, At::Answered { node: human, answer: answer.clone() }, None);
            }
            (TaskKind::Decision, None) => answered(compiled, state, (node, slot), None, answer, now),
            // The node's own `step_done` follows.
            (TaskKind::Approval | TaskKind::Form | TaskKind::Pause, _) => running_again(state, node, slot),
        }
    }
}

/// A person lets the run spend `more` than it had when its budget was used up; what was approved before stays approved.
fn approved(state: &mut RunState, cases: &[(usize, usize)], more: u64) {
    let spent = |(node, slot): &(usize, usize)| {
        open_error(state, *node, *slot)?.details.as_ref()?.get("runSpentMicros")?.as_u64()
    };
    let spent = cases.iter().filter_map(spent).max().unwrap_or_default();
    state.approved_to = state.approved_to.max(spent).saturating_add(more);
}

/// A slot is taken out of its task; a task without cases is gone.
pub(in crate::fold) fn no_longer_asked(state: &mut RunState, place: (usize, usize)) {
    state.tasks.retain(|_, task| {
        task.cases.retain(|case| *case != place);
        !task.cases.is_empty()
    });
}

fn running_again(state: &mut RunState, node: usize, slot: usize) {
    state.nodes[node].state = NodeState::Running;
    if let Some(known) = slot_mut(state, node, slot) {
        known.phase = Phase::Running;
        state.work.calls_node((node, slot));
    }
}

/// A node with several slots waits for a person when none of them runs and one is with a person.
pub(in crate::fold) fn refresh_waiting(state: &mut RunState, node: usize) {
    if state.tasks.is_empty() || state.work.is_in_flight(node) {
        return;
    }
    if state.tasks.values().any(|task| task.cases.iter().any(|(n, _)| *n == node)) {
        state.nodes[node].state = NodeState::AwaitingHitl;
    }
}

/// Nobody answered in time.
pub(in crate::fold) fn escalated(compiled: &Compiled, state: &mut RunState, event: &Escalated, now: i64) {
    let action = match event.action {
        ExpiryAction::Escalate => {
            if let Some(task) = state.tasks.get_mut(&event.task_id) {
                task.level = event.level;
                task.expires_ms = event.expires_at.as_deref().and_then(time::parse);
                task.remind_at = moments(&event.remind_at);
                task.on_expiry.clone_from(&event.on_expiry);
            }
            return;
        }
        ExpiryAction::Abort => None,
        ExpiryAction::Retry => Some(TaskAction::Retry),
        ExpiryAction::Skip => Some(TaskAction::Skip),
    };
    if let Some(action) = action {
        let answer = Answer::by_policy(action);
        completed(compiled, state, &event.task_id, &answer, now);
        return;
    }
    let Some(task) = state.tasks.remove(&event.task_id) else { return };
    for (node, slot) in task.cases {
        match (task.kind, task.asks) {
            (TaskKind::Decision, Some(human)) => {
                move_to(state, node, slot, At::Expired { node: human }, None);
            }
            (TaskKind::Decision, None) => {
                if let Some(error) = open_error(state, node, slot) {
                    fail_run(compiled, state, node, slot, error, Some("ttl_expired".into()), now);
                }
            }
            (TaskKind::Approval | TaskKind::Form | TaskKind::Pause, _) => running_again(state, node, slot),
        }
    }
}

/// Nobody resumed a pause in time; what follows is the node's own event.
pub(in crate::fold) fn pause_over(state: &mut RunState, node: usize, slot: usize) {
    let task = state.tasks.iter().find(|(_, task)| task.cases.contains(&(node, slot))).map(|(id, _)| id.clone());
    if let Some(id) = task {
        state.tasks.remove(&id);
        running_again(state, node, slot);
    }
}

/// SEMANTICS 5: what each answer does. `human` is the node that asked, none for a default task.
pub(super) fn answered(
    compiled: &Compiled,
    state: &mut RunState,
    place: (usize, usize),
    human: Option<usize>,
    answer: &Answer,
    now: i64,
) {
    let (node, slot) = place;
    let Some(error) = open_error(state, node, slot) else { return };
    let way = |port: &str| human.map_or(Way::Unwired, |human| compiled.way(human, port, node));
    let red = |state: &RunState| vec![red_item(compiled, state, node, slot, &error)];
    match answer.action {
        TaskAction::Retry | TaskAction::Approve | TaskAction::Reject | TaskAction::Submit => match way("retry") {
            Way::Recovery(next) => pass(compiled, state, place, error, next, Some(Intent::Again)),
            way => come_back(compiled, state, place, Some(Intent::Again), &way),
        },
        TaskAction::Correct => {
            let input = answer.corrected_input.clone().unwrap_or_default();
            match way("corrected") {
                Way::Recovery(next) => pass(compiled, state, place, error, next, Some(Intent::Corrected(input))),
                Way::Exit(edges) => {
                    let item = plain_item(compiled, state, node, slot, &input);
                    leave(compiled, state, node, slot, edges, vec![item], false);
                }
                way @ (Way::Reentry(_) | Way::Unwired) => {
                    come_back(compiled, state, place, Some(Intent::Corrected(input)), &way);
                }
            }
        }
        TaskAction::Skip => {
            let way = way("skip");
            carry_out(compiled, state, place, error, ("skip", None), way, now);
        }
        TaskAction::Alternative => {
            let target = answer.target_node_id.as_deref();
            let edges = match way("alternative") {
                Way::Exit(edges) => edges,
                Way::Recovery(_) | Way::Reentry(_) | Way::Unwired => Vec::new(),
            };
            let chosen: Vec<usize> = edges
                .into_iter()
                .filter(|e| target.is_none_or(|target| *compiled.nodes[compiled.edges[*e].to].id == *target))
                .take(1)
                .collect();
            let items = red(state);
            leave(compiled, state, node, slot, chosen, items, false);
        }
        TaskAction::Abort => {
            let (way, reason) = (way("abort"), Some("aborted_by_operator".to_owned()));
            carry_out(compiled, state, place, error, ("abort", reason), way, now);
        }
    }
}
