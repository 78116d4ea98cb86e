//! The time of a task: reminders, and waiting for somebody else (UX D2.8).

use crate::state::{Held, RunState};
use signalbox_model::{
    task::{HumanTaskContinued, HumanTaskHeld, HumanTaskReminded},
    time::{self, Millis},
};

pub(super) fn moments(texts: &[String]) -> Vec<Millis> {
    texts.iter().filter_map(|text| time::parse(text)).collect()
}

/// A reminder was sent.
pub(super) fn reminded(state: &mut RunState, reminded: &HumanTaskReminded, now: i64) {
    if let Some(task) = state.tasks.get_mut(&reminded.task_id) {
        task.reminders = reminded.reminder;
        task.remind_at.retain(|at| *at > now);
    }
}

/// Its time stands still.
pub(super) fn held(state: &mut RunState, event: &HumanTaskHeld) {
    if let (Some(task), Some(since)) = (state.tasks.get_mut(&event.task_id), time::parse(&event.held_at)) {
        task.held = Some(Held { since, remaining: event.remaining_ms });
        task.expires_ms = None;
    }
}

/// Its time passes again.
pub(super) fn continued(state: &mut RunState, event: &HumanTaskContinued) {
    let Some(task) = state.tasks.get_mut(&event.task_id) else { return };
    task.held = None;
    task.waited_ms = event.waited_ms;
    task.expires_ms = event.expires_at.as_deref().and_then(time::parse);
    task.remind_at = moments(&event.remind_at);
}
