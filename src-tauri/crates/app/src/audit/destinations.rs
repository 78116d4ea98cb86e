//! Places outside that get something of the audit chain: which there are, how it stands with each, and what the chain says
//! of them. What goes there is the matter of its kind: checkpoints (`anchor`) or every entry (`sinks`).

use crate::app::App;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::io_error;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, time};
use signalbox_store::audit::{Actor, Level};
use std::path::Path;

/// Places of one kind of one store.
const MOST: usize = 16;
pub(crate) const MINUTE: i64 = 60_000;

/// A place of one kind, as it is kept in the store.
pub(crate) trait Place: Clone + PartialEq + Serialize + DeserializeOwned + Send + 'static {
    const KIND: Kind;
    fn id(&self) -> &str;
    /// Without what may be secret in it.
    fn shown(&self) -> String;
    /// Whether the same goes to the same place.
    fn is_same(&self, other: &Self) -> bool;
}

/// What is told of the places of a kind, and where they are kept.
pub(crate) struct Kind {
    /// The note that lists them.
    pub(crate) list: &'static str,
    /// How the notes begin that say how it stands with each.
    pub(crate) standing: &'static str,
    pub(crate) changed: AuditEvent,
    pub(crate) failed: AuditEvent,
    /// "Checkpoints go to".
    pub(crate) goes_to: &'static str,
    /// Codes of refusals.
    pub(crate) exists: &'static str,
    pub(crate) too_many: &'static str,
    /// The command that shows all.
    pub(crate) command: &'static str,
}

/// How it stands with a place.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Standing {
    /// Entries of the chain that it knows. Notes of before have the names of their kinds.
    #[serde(alias = "size", alias = "next")]
    pub(crate) upto: u64,
    /// When something arrived last.
    pub(crate) at: Option<String>,
    pub(crate) tried_ms: i64,
    pub(crate) failures: u32,
    pub(crate) error: Option<String>,
}

impl Standing {
    /// Whether an attempt is due: every so often, after a failure after a minute, then ever more seldom.
    pub(crate) fn is_due(&self, now: i64, every_ms: i64, longest_ms: i64) -> bool {
        let wait = match self.failures {
            0 => every_ms,
            failures => longest_ms.min(MINUTE << (failures - 1).min(10)),
        };
        // A clock that was set back stops nothing.
        now >= self.tried_ms.saturating_add(wait) || now < self.tried_ms
    }
}

fn read<P: Place>(kept: Option<Value>) -> Vec<P> {
    kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

impl App {
    pub(crate) fn places<P: Place>(&self) -> ApiResult<Vec<P>> {
        Ok(read(self.store.audit_note(P::KIND.list)?))
    }

    /// Changes the places, with the entry that says so.
    pub(crate) fn change_places<P: Place>(
        &self,
        level: Level,
        actor: Actor,
        facts: Value,
        change: impl FnOnce(&mut Vec<P>) -> ApiResult<()> + Send + 'static,
    ) -> ApiResult<()> {
        let record = self.fact(P::KIND.changed, level, actor, facts);
        self.store.change_audit_note(P::KIND.list, record, move |kept| {
            let mut places = read(kept);
            change(&mut places)?;
            Ok(serde_json::to_value(places).unwrap_or_default())
        })?
    }

    /// Adds a place. `facts` are told beside its name.
    pub(crate) fn add_place<P: Place>(&self, caller: &Caller, mut facts: Value, new: &P) -> ApiResult<()> {
        facts["added"] = new.shown().into();
        let new = new.clone();
        self.change_places(Level::Info, caller.actor(), caller.signed(facts), move |places: &mut Vec<P>| {
            may_add(places, &new)?;
            places.push(new);
            Ok(())
        })
    }

    /// Removes a place; what it holds stays there.
    pub(crate) fn remove_place<P: Place>(&self, caller: &Caller, id: &str) -> ApiResult<()> {
        let unknown = format!("No place has the id {id}; `{}` shows all.", P::KIND.command);
        let found = self.places::<P>()?.into_iter().find(|place| place.id() == id);
        let place = found.ok_or_else(|| ApiError::not_found(unknown.as_str()))?;
        let facts = caller.signed(json!({ "removed": place.shown() }));
        self.change_places(Level::Warn, caller.actor(), facts, move |places: &mut Vec<P>| {
            let at = places.iter().position(|known| known.id() == place.id());
            // Somebody else was faster.
            places.remove(at.ok_or_else(|| ApiError::not_found(unknown))?);
            Ok(())
        })?;
        Ok(self.store.set_audit_note(&note::<P>(id), &Value::Null)?)
    }

    pub(crate) fn standing<P: Place>(&self, id: &str) -> ApiResult<Standing> {
        let kept = self.store.audit_note(&note::<P>(id))?;
        Ok(kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    pub(crate) fn stand<P: Place>(&self, id: &str, standing: &Standing) -> ApiResult<()> {
        let value = serde_json::to_value(standing).unwrap_or_default();
        Ok(self.store.set_audit_note(&note::<P>(id), &value)?)
    }

    /// Something arrived.
    pub(crate) fn arrived<P: Place>(&self, id: &str, now: i64, upto: u64) -> ApiResult<()> {
        let at = Some(time::format(now));
        self.stand::<P>(id, &Standing { upto, at, tried_ms: now, failures: 0, error: None })
    }

    /// An attempt failed. The chain is told once until it works again: it is no place for the attempts of a night.
    pub(crate) fn failed_at<P: Place>(
        &self,
        id: &str,
        now: i64,
        before: Standing,
        facts: Value,
        why: String,
    ) -> ApiResult<()> {
        if before.failures == 0 {
            let record = self.fact(P::KIND.failed, Level::Error, Actor::system(), facts);
            self.store.audit_append(record, None, true)?;
        }
        let failures = before.failures.saturating_add(1);
        self.stand::<P>(id, &Standing { tried_ms: now, failures, error: Some(why), ..before })
    }
}

/// Whether a place can be added to others.
pub(crate) fn may_add<P: Place>(places: &[P], new: &P) -> ApiResult<()> {
    let Kind { goes_to, exists, too_many, .. } = P::KIND;
    if places.iter().any(|place| place.is_same(new)) {
        let message = format!("{goes_to} {} already.", new.shown());
        return Err(ApiError::new(Class::Conflict, exists, message, "Remove it first to change it or to start again."));
    }
    if places.len() >= MOST {
        let message = format!("{goes_to} {MOST} places already.");
        return Err(ApiError::new(Class::Conflict, too_many, message, "Remove one first."));
    }
    Ok(())
}

/// The place that a file is which a person at the terminal names.
pub(crate) fn named(file: &Path) -> ApiResult<String> {
    let path = std::path::absolute(file).map_err(|error| io_error(&error, file, "found"))?;
    Ok(path.display().to_string())
}

fn note<P: Place>(id: &str) -> String {
    format!("{}.{id}", P::KIND.standing)
}

#[cfg(test)]
mod tests;
