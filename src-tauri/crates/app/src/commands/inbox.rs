//! What a person keeps about their inbox: views of their own, and who answers for them.

use super::task::{is_name, moment, text};
use crate::Caller;
use crate::app::App;
use crate::dto::{
    CallerRole, Delegation, DelegationCreate, DelegationEnd, Empty, TaskFilter, TaskViewForget, TaskViewSave,
};
use crate::error::{ApiError, ApiResult};
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, time};
use signalbox_store::audit::Level;

/// Views of one person.
const VIEWS: usize = 50;
/// Letters of a view's name.
const NAME: usize = 60;
/// Longest delegation, milliseconds.
const YEAR: i64 = 366 * 24 * 60 * 60 * 1_000;

fn key(caller: &Caller) -> String {
    format!("inbox.views/{}", caller.principal)
}

/// The caller's own views.
pub(super) fn saved(app: &App, caller: &Caller) -> ApiResult<Vec<TaskViewSave>> {
    Ok(read(app.store.setting_get(&key(caller))?))
}

/// A view of a newer version is left out, not an error.
fn read(kept: Option<Value>) -> Vec<TaskViewSave> {
    let kept = kept.and_then(|views| views.as_array().cloned()).unwrap_or_default();
    kept.into_iter().filter_map(|view| serde_json::from_value(view).ok()).collect()
}

fn change(
    app: &App,
    caller: &Caller,
    work: impl FnOnce(&mut Vec<TaskViewSave>) -> ApiResult<()> + Send + 'static,
) -> ApiResult<Empty> {
    let changed = app.store.setting_change(&key(caller), move |kept| {
        let mut views = read(kept);
        work(&mut views)?;
        Ok((!views.is_empty()).then(|| json!(views)))
    })?;
    changed.map(|()| Empty {})
}

pub(crate) fn task_view_save(app: &App, caller: &Caller, request: TaskViewSave) -> ApiResult<Empty> {
    let name = request.name.trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME || name.chars().any(char::is_control) {
        let message = format!("A view needs a name of 1 to {NAME} letters.");
        return Err(ApiError::bad_request(message, "Choose another name."));
    }
    if request.filter == TaskFilter::default() {
        return Err(ApiError::bad_request("This view would show everything.", "Set a filter first."));
    }
    change(app, caller, move |views| {
        match views.iter().position(|view| view.name == name) {
            Some(at) => views[at].filter = request.filter,
            None if views.len() >= VIEWS => {
                let message = format!("There are {VIEWS} views of yours already.");
                return Err(ApiError::bad_request(message, "Forget one that you do not need."));
            }
            None => views.push(TaskViewSave { name, filter: request.filter }),
        }
        Ok(())
    })
}

pub(crate) fn task_view_forget(app: &App, caller: &Caller, request: TaskViewForget) -> ApiResult<Empty> {
    change(app, caller, move |views| {
        let before = views.len();
        views.retain(|view| view.name != request.name.trim());
        if views.len() == before {
            return Err(ApiError::not_found(format!("You have no view '{}'.", request.name)));
        }
        Ok(())
    })
}

fn shown(one: signalbox_store::Delegation, now_ms: i64) -> Delegation {
    Delegation {
        active: one.starts_ms <= now_ms && now_ms < one.ends_ms,
        starts_at: time::format(one.starts_ms),
        ends_at: time::format(one.ends_ms),
        id: one.id,
        from: one.from,
        to: one.to,
        workflow: one.workflow_id,
        notes: one.notes,
        made_by: one.made_by,
    }
}

pub(crate) fn delegation_list(app: &App, caller: &Caller, _: Empty) -> ApiResult<Vec<Delegation>> {
    let now = app.now_ms();
    Ok(app.store.delegations_of(&caller.principal, now)?.into_iter().map(|one| shown(one, now)).collect())
}

fn facts(one: &signalbox_store::Delegation, caller: &Caller) -> Value {
    let facts = json!({
        "delegationId": one.id, "from": one.from, "to": one.to, "startsAt": time::format(one.starts_ms),
        "endsAt": time::format(one.ends_ms), "workflowId": one.workflow_id, "notes": one.notes,
    });
    caller.signed(facts)
}

pub(crate) fn delegation_create(app: &App, caller: &Caller, request: DelegationCreate) -> ApiResult<Delegation> {
    let from = request.from.unwrap_or_else(|| caller.principal.clone());
    if from != caller.principal {
        caller.require(CallerRole::Builder)?;
    }
    if let Some(wrong) = [&from, &request.to].into_iter().find(|name| !is_name(name, "user:")) {
        return Err(ApiError::bad_request(format!("'{wrong}' names no person."), "Write user:NAME, without spaces."));
    }
    if from == request.to {
        return Err(ApiError::bad_request("Nobody answers for themselves.", "Name another person."));
    }
    let now = app.now_ms();
    let starts_ms = request.starts_at.as_deref().map(moment).transpose()?.unwrap_or(now);
    let ends_ms = moment(&request.ends_at)?;
    if ends_ms <= starts_ms.max(now) || ends_ms.saturating_sub(starts_ms) > YEAR {
        return Err(ApiError::bad_request(
            format!("From {} until {} is no time in which to answer.", time::format(starts_ms), request.ends_at),
            "The end comes after the start and after now, and at most a year after the start.",
        ));
    }
    let one = signalbox_store::Delegation {
        id: uuid::Uuid::now_v7().to_string(),
        from,
        to: request.to,
        starts_ms,
        ends_ms,
        workflow_id: text(request.workflow, "workflow")?,
        notes: text(request.notes, "notes")?,
        made_by: caller.principal.clone(),
        made_ms: now,
    };
    let record = app.fact(AuditEvent::DelegationCreated, Level::Info, caller.operator(), facts(&one, caller));
    app.store.delegate(one.clone(), record)?;
    Ok(shown(one, now))
}

pub(crate) fn delegation_end(app: &App, caller: &Caller, request: DelegationEnd) -> ApiResult<Empty> {
    let unknown = || ApiError::not_found("There is no such delegation, or it is over.");
    let one = app.store.delegation(&request.id)?.ok_or_else(unknown)?;
    // Both sides may end it.
    if one.from != caller.principal && one.to != caller.principal {
        caller.require(CallerRole::Builder)?;
    }
    let record = app.fact(AuditEvent::DelegationEnded, Level::Info, caller.operator(), facts(&one, caller));
    if app.store.end_delegation(&request.id, app.now_ms(), record)? { Ok(Empty {}) } else { Err(unknown()) }
}
