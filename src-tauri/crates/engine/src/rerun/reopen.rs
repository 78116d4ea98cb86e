//! Re-opening an ended task (UX D2.15): what stands of the step that the task was about. The answer and all that followed
//! from it go; what the step did before stays, so a call that may have happened does not happen again.

use super::{Original, RerunError, belongs, place};
use signalbox_model::{
    EventBody, RunEvent,
    base::{AskedAgain, Sent, named},
    task::ExpiryAction,
};
use std::collections::BTreeSet;

/// An ended task that is to be asked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reopen {
    /// The task.
    pub task_id: String,
    /// Why.
    pub reason: String,
    /// Who wants it: `user:…`.
    pub by: String,
}

/// What is kept of the step that a person decides about.
#[derive(Debug)]
pub(super) struct Asking {
    pub(super) why: Why,
    /// The step, with its path.
    pub(super) about: String,
    /// Items that are asked about; none of a step that is called once for all its items.
    pub(super) items: BTreeSet<Option<usize>>,
    /// From here on in the events nothing of these items stands: the answer, or what follows the failed call.
    pub(super) until: usize,
}

/// Why a person decides before anything is called.
#[derive(Debug)]
pub(super) enum Why {
    /// An ended task is asked again.
    Again(AskedAgain),
    /// A failed run was sent to the inbox.
    Sent(Box<Sent>),
}

impl Asking {
    /// Whether an event that would happen again stands: those before `until`, and those of other items of the step. It
    /// cannot have ended before, so nothing after it had begun.
    pub(super) fn keeps(&self, index: usize, event: &RunEvent) -> bool {
        if !belongs(event, &self.about) {
            return false;
        }
        let own = place(event).is_some_and(|(path, step)| named(path, step) == self.about);
        index < self.until || (own && !self.items.contains(&item_of(event)))
    }
}

/// The item that an event is about, the first where it names none.
pub(super) fn item(event: &RunEvent) -> usize {
    item_of(event).unwrap_or(0)
}

/// The item that an event names. What several items did together names none.
pub(super) fn item_of(event: &RunEvent) -> Option<usize> {
    let origin = match &event.body {
        EventBody::HumanTaskCompleted(done) => done.origin.as_ref(),
        EventBody::Escalated(change) => change.origin.as_ref(),
        body => body.origin(),
    };
    origin.map_or(event.item, |origin| origin.item)
}

/// The step that a task of a run was about, with its path, and what stands of it.
pub(super) fn asking(original: &Original<'_>, wanted: &Reopen) -> Result<(String, Asking), RerunError> {
    let earlier = original.events.first().and_then(|event| match &event.body {
        EventBody::WorkflowStart(start) => start.base.as_deref(),
        _ => None,
    });
    // As `plan_with` counts them; a task belongs to the run that asked it.
    let before = earlier.map_or(0, |base| base.events.len());
    let own = original.events.iter().skip(1);
    let mut found: Option<(String, AskedAgain)> = None;
    let (mut items, mut until) = (BTreeSet::new(), None);
    for (index, event) in own.enumerate() {
        match &event.body {
            EventBody::HumanTaskCreated(created) if created.task_id == wanted.task_id => {
                items.insert(item_of(event));
                let Some(step) = event.step_id.as_deref().filter(|_| found.is_none()) else { continue };
                let step = named(event.path.as_deref(), step);
                let origin = created.origin.as_ref().map(|origin| named(origin.path.as_deref(), &origin.step_id));
                let about = origin.clone().unwrap_or_else(|| step.clone());
                let again = AskedAgain {
                    task_id: wanted.task_id.clone(),
                    step,
                    origin,
                    item: item(event),
                    reason: wanted.reason.clone(),
                    by: wanted.by.clone(),
                };
                found = Some((about, again));
            }
            EventBody::HumanTaskCompleted(done) if done.task_id == wanted.task_id => {
                until.get_or_insert(before + index);
            }
            EventBody::HumanTaskClosed(closed) if closed.task_id == wanted.task_id => {
                until.get_or_insert(before + index);
            }
            // Its policy answered.
            EventBody::Escalated(change)
                if change.task_id == wanted.task_id && change.action != ExpiryAction::Escalate =>
            {
                until.get_or_insert(before + index);
            }
            EventBody::PauseTimeout(over) if over.task_id == wanted.task_id => {
                until.get_or_insert(before + index);
            }
            _ => {}
        }
    }
    let (about, again) = found.ok_or_else(|| RerunError::NeverAsked { task: wanted.task_id.clone() })?;
    Ok((about.clone(), Asking { why: Why::Again(again), about, items, until: until.unwrap_or(usize::MAX) }))
}
