//! Which events end tasks, and the state that a task has then.

use crate::event::EventBody;
use crate::task::{Answer, ExpiryAction, TaskState};

/// The tasks that an event ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskEnd<'a> {
    /// The task with this id.
    One(&'a str, TaskState),
    /// Every open task of the run.
    All(TaskState),
}

impl TaskEnd<'_> {
    /// The state of the tasks from now on.
    pub fn state(self) -> TaskState {
        match self {
            Self::One(_, state) | Self::All(state) => state,
        }
    }
}

impl Answer {
    /// The state of a task that got this answer: a policy answers only when the time of the task is over.
    pub fn task_state(&self) -> TaskState {
        if self.operator_id.is_some() { TaskState::Done } else { TaskState::Expired }
    }
}

impl EventBody {
    /// The tasks that this event ends.
    pub fn task_end(&self) -> Option<TaskEnd<'_>> {
        match self {
            Self::HumanTaskCompleted(done) => Some(TaskEnd::One(&done.task_id, done.answer.task_state())),
            Self::HumanTaskClosed(closed) => Some(TaskEnd::One(&closed.task_id, TaskState::Cancelled)),
            Self::Escalated(change) if change.action != ExpiryAction::Escalate => {
                Some(TaskEnd::One(&change.task_id, TaskState::Expired))
            }
            Self::PauseTimeout(over) => Some(TaskEnd::One(&over.task_id, TaskState::Expired)),
            Self::WorkflowCancelled(cancelled) if cancelled.superseded_by.is_some() => {
                Some(TaskEnd::All(TaskState::Superseded))
            }
            body if body.is_terminal() => Some(TaskEnd::All(TaskState::Cancelled)),
            _ => None,
        }
    }
}
