//! The time of a task (UX D2.8): reminders, expiry, and waiting for somebody else.

use super::{Deciding, EventKey, StepError};
use crate::{
    calendar::Calendar,
    effect::{CallOutput, Effect, Timer},
    fold,
    state::OpenTask,
};
use signalbox_model::{
    ErrorPayload, ErrorType, EventBody, NodeFailure, TaskKind,
    task::{Escalated, ExpiryAction, HumanTaskContinued, HumanTaskHeld, HumanTaskReminded, OnExpiry, PauseTimeout},
    time::{self, Millis},
};

/// How long a task may take, and by which clock.
#[derive(Clone, Copy)]
pub(super) struct Limit<'a> {
    pub(super) ttl: Option<Millis>,
    /// Only working time passes.
    pub(super) calendar: Option<&'a Calendar>,
}

impl Limit<'_> {
    fn after(&self, from: Millis, ms: Millis) -> Millis {
        self.calendar.map_or_else(|| from.saturating_add(ms), |calendar| calendar.after(from, ms))
    }

    fn between(&self, from: Millis, until: Millis) -> Millis {
        self.calendar.map_or_else(|| until.saturating_sub(from).max(0), |calendar| calendar.between(from, until))
    }

    /// When the time is over that begins now.
    pub(super) fn expires(&self, now: Millis) -> Option<String> {
        self.ttl.map(|ms| time::format(self.after(now, ms)))
    }

    /// At half and at nine tenths of it.
    pub(super) fn reminders(&self, now: Millis) -> Vec<String> {
        let at = |ttl: Millis| [ttl / 2, ttl - ttl / 10].map(|ms| time::format(self.after(now, ms)));
        self.ttl.into_iter().flat_map(at).collect()
    }
}

impl<'a> Deciding<'a> {
    /// The calendar of a task whose time is working time.
    fn calendar(&self, task: &OpenTask) -> Option<&'a Calendar> {
        let asking = task.asks.or(task.cases.first().map(|(node, _)| *node)).filter(|_| task.business)?;
        self.compiled.file(asking).calendar.as_ref()
    }

    /// Runs the clock of a task: reminders and expiry.
    pub(super) fn task_timer(&mut self, task: &str) {
        if let Some(due_ms) = self.state.tasks.get(task).and_then(OpenTask::due_ms) {
            self.out.effects.push(Effect::Timer { timer: Timer::Task(task.to_owned()), due_ms });
        }
    }

    /// A person says that a task waits for somebody else, or that it does no more.
    pub(super) fn hold(&mut self, task_id: &str, held: bool, operator_id: String, at: Millis) -> Result<(), StepError> {
        let Some(task) = self.state.tasks.get(task_id).cloned() else { return Ok(()) };
        if held == task.held.is_some() {
            return Ok(());
        }
        let limit = Limit { ttl: None, calendar: self.calendar(&task) };
        let (key, origin) = self.task_key(&task);
        let task_id = task_id.to_owned();
        self.out.durable = true;
        let Some(stood) = task.held else {
            let remaining_ms = task.expires_ms.map(|expires| limit.between(at, expires));
            let held_at = time::format(at);
            let body = HumanTaskHeld { task_id, origin, held_at, remaining_ms, operator_id };
            return self.emit(Some(key), EventBody::HumanTaskHeld(body));
        };
        let at = at.max(stood.since);
        let left = |reminder: &Millis| time::format(limit.after(at, limit.between(stood.since, *reminder)));
        let body = HumanTaskContinued {
            task_id: task_id.clone(),
            origin,
            continued_at: time::format(at),
            expires_at: stood.remaining.map(|ms| time::format(limit.after(at, ms))),
            remind_at: task.remind_at.iter().map(left).collect(),
            waited_ms: task.waited_ms + (at - stood.since),
            operator_id,
        };
        self.emit(Some(key), EventBody::HumanTaskContinued(body))?;
        self.task_timer(&task_id);
        Ok(())
    }

    /// A task's timer: expiry first, then a reminder.
    pub(super) fn task_due(&mut self, task_id: &str) -> Result<(), StepError> {
        let Some(task) = self.state.tasks.get(task_id).cloned() else { return Ok(()) };
        if task.held.is_some() {
            // A timer from before.
            return Ok(());
        }
        if task.expires_ms.is_some_and(|at| at <= self.now) {
            self.expire(task_id, &task)?;
        } else if task.next_reminder().is_some_and(|at| at <= self.now) {
            // What was missed while nobody ran is told once.
            let reminder = match task.remind_every_ms.filter(|every| *every > 0) {
                Some(every) => u32::try_from((self.now - task.remind_from()) / every).unwrap_or(u32::MAX),
                None => {
                    let due = task.remind_at.iter().filter(|at| **at <= self.now).count();
                    task.reminders.saturating_add(u32::try_from(due).unwrap_or(u32::MAX))
                }
            };
            let (key, origin) = self.task_key(&task);
            let body = HumanTaskReminded { task_id: task_id.to_owned(), origin, reminder };
            self.emit(Some(key), EventBody::HumanTaskReminded(body))?;
        }
        self.task_timer(task_id);
        Ok(())
    }

    pub(super) fn expire(&mut self, task_id: &str, task: &OpenTask) -> Result<(), StepError> {
        let (key, origin) = self.task_key(task);
        let first = task.cases.first().copied();
        if task.kind == TaskKind::Pause {
            let Some((node, slot)) = first else { return Ok(()) };
            return self.pause_over(node, slot, key, task_id);
        }
        let policy = match &task.on_expiry {
            Some(OnExpiry::Policy(policy)) => Some(policy.as_ref().clone()),
            Some(OnExpiry::Action(_)) | None => None,
        };
        let mut action = task.on_expiry.as_ref().map_or(ExpiryAction::Escalate, OnExpiry::action);
        if task.kind != TaskKind::Decision && action != ExpiryAction::Escalate {
            action = ExpiryAction::Abort;
        }
        let ttl: Option<Millis> = match action {
            ExpiryAction::Escalate => policy
                .as_ref()
                .and_then(|p| p.ttl_ms)
                .and_then(|ms| i64::try_from(ms).ok())
                .or(task.ttl_ms)
                // Without a next policy the task just stays.
                .filter(|_| policy.as_ref().is_some_and(|p| p.then.is_some())),
            ExpiryAction::Abort | ExpiryAction::Retry | ExpiryAction::Skip => None,
        };
        let limit = Limit { ttl, calendar: self.calendar(task) };
        let event = Escalated {
            task_id: task_id.to_owned(),
            origin,
            level: task.level + 1,
            action,
            to: policy.as_ref().and_then(|p| p.to.clone()),
            expires_at: limit.expires(self.now),
            remind_at: if task.remind_every_ms.is_some() { Vec::new() } else { limit.reminders(self.now) },
            on_expiry: policy.and_then(|p| p.then),
        };
        self.out.durable = true;
        self.emit(Some(key), EventBody::Escalated(event))?;
        if let (Some((node, slot)), true) = (first, task.kind != TaskKind::Decision && action != ExpiryAction::Escalate)
        {
            self.fail_slot(node, slot, &expired())?;
        }
        Ok(())
    }

    /// Nobody resumed a pause in time: through `timeout` when it is wired, else it is an error.
    fn pause_over(&mut self, node: usize, slot: usize, key: EventKey, task_id: &str) -> Result<(), StepError> {
        let this = &self.compiled.nodes[node];
        let wired = this.out_edges.iter().any(|e| &*self.compiled.edges[*e].port == "timeout");
        let body = PauseTimeout {
            task_id: task_id.to_owned(),
            node_id: this.id.to_string(),
            expired_at: time::format(self.now),
            timeout_action: if wired { "timeout" } else { "error" }.into(),
        };
        self.out.durable = true;
        self.emit(Some(key), EventBody::PauseTimeout(body))?;
        if !wired {
            return self.fail_slot(node, slot, &expired());
        }
        let input = fold::slot_ref(self.state, node, slot).map(|s| s.input.clone()).unwrap_or_default();
        self.end_self(node, slot, CallOutput::pass("timeout", &input), None)
    }
}

/// Whether a step that asks has ended because nobody answered: its author said what is then to happen, and the workflow's
/// policy is not asked (SEMANTICS 5). A pause without a way out of its own is an error like others.
pub(super) fn is_over(kind: &str, error: &ErrorPayload) -> bool {
    matches!(kind, "builtin.human_approval" | "builtin.human_form") && error.code() == "TTL_EXPIRED"
}

pub(super) fn expired() -> NodeFailure {
    NodeFailure::new(ErrorType::Timeout, "TTL_EXPIRED", "Nobody answered in time")
}
