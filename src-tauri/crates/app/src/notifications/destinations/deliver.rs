//! The outbox of tasks: what is to stand at a service and does not yet is sent until it does. A creation whose outcome is not
//! known looks first whether the entry is there (ADR 147).

use super::exchange::{Deed, Exchange, Remote};
use super::{Destination, LINKS};
use crate::app::App;
use crate::error::ApiResult;
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, NodeFailure};
use signalbox_store::audit::{Actor, Level};
use signalbox_store::{self as store, TaskCopy, TaskCopyTried, WEBHOOK_REST_MS};
use std::sync::Arc;
use std::time::Duration;

/// How often a host that stays looks for what is due.
const LOOK: Duration = Duration::from_secs(2);
/// Tasks to one destination in a row, before others have their turn.
const IN_A_ROW: usize = 50;
const SECOND: i64 = 1_000;
const HOUR: i64 = 3_600 * SECOND;
/// For one attempt: several requests.
const ATTEMPT: i64 = 240 * SECOND;
/// What was not taken for so long is given up.
const GIVEN_UP: i64 = 24 * HOUR;
/// A task is tried at least so often while a host is there.
const AWAKE: i64 = 2 * HOUR;

/// How long after a failed attempt the next one comes: 10 s, 20 s, 40 s … up to `most`, and not before the service wants it.
fn pause(failures: u32, most: i64, wanted_ms: Option<i64>) -> i64 {
    let usual = (10 * SECOND).saturating_mul(1 << failures.min(20)).min(most);
    usual.max(wanted_ms.unwrap_or(0).clamp(0, GIVEN_UP))
}

/// What a service says in `Retry-After`, also when it is more than a step would wait.
fn asked_to_wait(failure: &NodeFailure) -> Option<i64> {
    let told = failure.details.get("retryAfterMs").and_then(Value::as_i64);
    told.or_else(|| failure.retry_after_ms.and_then(|ms| i64::try_from(ms).ok()))
}

/// What is known after an attempt.
#[derive(Default)]
struct Reached {
    remote: Remote,
    /// Whether an entry was created is not known.
    unknown: bool,
    closed: bool,
    /// It is looked for again then, because the service may not find it yet.
    postponed_ms: Option<i64>,
}

impl Reached {
    fn known(&self) -> Option<(String, String)> {
        let id = self.remote.get("id")?.as_str()?.to_owned();
        Some((Value::Object(self.remote.clone()).to_string(), id))
    }
}

/// What follows from an attempt.
fn follows(
    destination: &store::TaskDestination,
    one: &TaskCopy,
    at_ms: i64,
    reached: &Reached,
    failed: Option<&NodeFailure>,
) -> TaskCopyTried {
    let tried = TaskCopyTried {
        at_ms,
        remote: reached.known(),
        unknown: reached.unknown,
        closed: reached.closed && failed.is_none(),
        ..TaskCopyTried::default()
    };
    let Some(failure) = failed else {
        let sent = Some(one.wanted.clone()).filter(|_| reached.postponed_ms.is_none());
        return TaskCopyTried { sent, again_ms: reached.postponed_ms, ..tried };
    };
    let wanted_ms = asked_to_wait(failure);
    // A machine that slept has not tried meanwhile, and its network comes back after it does.
    let was_awake = one.tried_ms.is_some_and(|last| at_ms.saturating_sub(last) <= AWAKE);
    let stale = was_awake && one.since_ms.is_some_and(|since| at_ms.saturating_sub(since) >= GIVEN_UP);
    TaskCopyTried {
        error: Some(format!("{} ({})", failure.message.trim_end_matches('.'), failure.code)),
        again_ms: (!stale).then(|| at_ms.saturating_add(pause(one.attempts, HOUR, wanted_ms))),
        next_ms: Some(at_ms.saturating_add(pause(destination.failures, WEBHOOK_REST_MS, None).max(
            // The limit of a service is one for all tasks.
            wanted_ms.unwrap_or(0).min(WEBHOOK_REST_MS),
        ))),
        ..tried
    }
}

/// Names of the facts that differ.
fn changes(sent: Option<&str>, wanted: &Value) -> Vec<String> {
    let Some(sent) = sent.and_then(|text| serde_json::from_str::<Value>(text).ok()) else { return Vec::new() };
    let names = wanted.as_object().into_iter().flatten();
    names.filter(|(name, value)| sent.get(name) != Some(value)).map(|(name, _)| name.clone()).collect()
}

impl App {
    /// What templates see of a copy.
    pub(super) fn task_facts(&self, destination: &Destination, one: &TaskCopy) -> Value {
        let mut task: Value = serde_json::from_str(&one.wanted).unwrap_or_default();
        // As lists show it: the usual patterns are masked once more.
        for name in ["title", "errorMessage"] {
            if let Some(text) = task[name].as_str() {
                task[name] = crate::tasks::answer::plain(text).into();
            }
        }
        let link = match &destination.config.public_url {
            Some(base) => format!("{}{LINKS}{}", base.trim_end_matches('/'), one.id),
            None => format!("signalbox://task/{}", one.task),
        };
        let changed = changes(one.sent.as_deref(), &task);
        let allowed: Vec<Value> = destination
            .decision_values()
            .into_iter()
            .filter(|(_, action)| task["actions"].as_array().is_some_and(|all| all.contains(&json!(action))))
            .map(|(value, action)| json!({ "value": value, "action": action }))
            .collect();
        let words = super::mail_texts::words(destination.config.mail.as_ref(), &task, &changed);
        json!({
            "words": words, "task": task, "settings": destination.settings(), "text": {}, "remote": {}, "answer": null,
            "marker": marker(one), "link": link, "changes": changed, "decisions": allowed,
        })
    }

    /// Has the service have the task as it is. Gives what is known of the entry, and why it failed.
    fn bring_over(&self, destination: &Destination, one: &TaskCopy) -> ApiResult<(Reached, Result<(), NodeFailure>)> {
        let kept = one.remote.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let mut reached = Reached { remote: kept.unwrap_or_default(), ..Reached::default() };
        let facts = self.task_facts(destination, one);
        let open = facts["task"]["open"] == true;
        let mut exchange = Exchange { app: self, destination, facts, marker: marker(one) };
        if let Some(problem) = &destination.problem {
            reached.unknown = one.creating_ms.is_some();
            return Ok((reached, Err(NodeFailure::validation("NOT_USABLE", problem.as_str()))));
        }
        if let Err(failure) = exchange.write_texts() {
            reached.unknown = one.creating_ms.is_some();
            return Ok((reached, Err(failure)));
        }
        let mut created = false;
        if !reached.remote.contains_key("id") {
            if let Some(since) = one.creating_ms {
                reached.unknown = true;
                let until = since.saturating_add(destination.find_after_ms());
                if self.now_ms() < until {
                    reached.postponed_ms = Some(until);
                    return Ok((reached, Ok(())));
                }
                if let Err(failure) = exchange.carry_out(Deed::Find, &mut reached.remote)? {
                    reached.remote.clear();
                    return Ok((reached, Err(failure)));
                }
            }
            if !reached.remote.contains_key("id") {
                if !open {
                    // It ended before it was created, or nothing of it can be found there.
                    reached.closed = true;
                    reached.unknown = false;
                    return Ok((reached, Ok(())));
                }
                self.store.task_copy_creating(&one.id, self.now_ms())?;
                if let Err(failure) = exchange.carry_out(Deed::Create, &mut reached.remote)? {
                    reached.unknown = !reached.remote.contains_key("id") && failure.may_have_happened;
                    return Ok((reached, Err(failure)));
                }
                created = true;
            }
        }
        reached.unknown = false;
        if !open {
            let closed = exchange.carry_out(Deed::Close, &mut reached.remote)?;
            // Somebody removed it there: there is nothing to close.
            reached.closed = matches!(&closed, Ok(())) || closed.as_ref().is_err_and(|why| why.code == "NOT_FOUND");
            return Ok(if reached.closed { (reached, Ok(())) } else { (reached, closed) });
        }
        if created {
            return Ok((reached, Ok(())));
        }
        let updated = exchange.carry_out(Deed::Update, &mut reached.remote)?;
        Ok((reached, updated))
    }

    /// Sends the next task that is due to a destination. False when there is none, or another one is under way.
    pub(super) fn task_copy_next(&self, id: &str, only: Option<&str>) -> ApiResult<bool> {
        let now = self.now_ms();
        let Some((row, one)) = self.store.task_copy_take(id, only, now, now.saturating_add(ATTEMPT))? else {
            return Ok(false);
        };
        let destination = self.destination_of(row);
        let (reached, done) = self.bring_over(&destination, &one)?;
        let tried = follows(&destination.row, &one, self.now_ms(), &reached, done.as_ref().err());
        let facts = json!({
            "name": destination.row.name, "taskId": one.task, "externalId": one.external_id, "reason": tried.error,
        });
        let record = self.fact(AuditEvent::TaskCopyFailed, Level::Error, Actor::system(), facts);
        self.store.task_copy_tried(one, tried, record)?;
        Ok(true)
    }

    fn task_copies_send_to(&self, id: &str) -> ApiResult<u64> {
        let mut tried = 0;
        for _ in 0..IN_A_ROW {
            if !self.task_copy_next(id, None)? {
                break;
            }
            tried += 1;
        }
        Ok(tried)
    }

    /// Sends what is due to every destination; says how many tasks were tried.
    pub(crate) fn task_copies_send(&self) -> ApiResult<u64> {
        let mut tried = 0;
        for id in self.store.task_destinations_due(self.now_ms())? {
            tried += self.task_copies_send_to(&id)?;
        }
        Ok(tried)
    }

    /// A host that keeps running sends tasks automatically, to each destination on its own, so that one that hangs delays
    /// no other.
    pub(crate) fn task_copies_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        let handle = threads.clone();
        self.again_and_again(threads, LOOK, move |app| {
            let handle = handle.clone();
            async move {
                let due = app.blocking(|app| Ok(app.store.task_destinations_due(app.now_ms())?)).await;
                for id in due.unwrap_or_default() {
                    let app = Arc::clone(&app);
                    handle.spawn(async move { drop(app.blocking(move |app| app.task_copies_send_to(&id)).await) });
                }
                Some(LOOK)
            }
        });
    }
}

/// What marks the entry of a copy at a service.
pub(super) fn marker(one: &TaskCopy) -> String {
    format!("signalbox-{}", one.id)
}

#[cfg(test)]
mod tests;
