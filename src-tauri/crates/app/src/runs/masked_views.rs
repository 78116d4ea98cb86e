//! Runs as those see them who may not see all of their data: with the masks of `runtime::run_masks`. A builder's answers never
//! pass here.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{CallerRole, Steps};
use crate::error::{ApiError, ApiResult};
use serde_json::{Value, json};
use signalbox_model::data::Detached;
use signalbox_model::{EventBody, RunEvent};
use signalbox_runtime::run_masks::RunMasks;
use signalbox_store::mask::{self, Masks};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How long somebody who said why sees a run as it is.
const REVEALED_MS: i64 = 15 * 60 * 1_000;
/// Runs whose masks are kept.
const KEPT: usize = 64;

/// Who was shown what until when, and the masks of the runs that were looked at last.
#[derive(Debug, Default)]
pub(crate) struct Masked {
    revealed: Mutex<HashMap<(String, String), i64>>,
    runs: Mutex<Vec<(String, Arc<Mutex<RunMasks>>)>>,
}

/// A workflow file for those who may not see what somebody wrote into it: configs and first values are masked, the rest
/// keeps its names.
pub(crate) fn definition(masks: &mut Masks, file: &Value) -> Value {
    let mut file = file.clone();
    for (_, node) in file.get_mut("nodes").and_then(Value::as_object_mut).into_iter().flatten() {
        for (field, value) in node.as_object_mut().into_iter().flatten() {
            *value = match field.as_str() {
                "config" | "in" | "pinned" | "fault" => masks.inside(value, 0),
                _ => masks.texts(value),
            };
        }
    }
    if let Some(initial) = file.pointer_mut("/context/initial") {
        *initial = masks.inside(initial, 0);
    }
    file
}

impl App {
    /// Whether a caller sees data only with masks. A builder makes the workflows that handle it; everybody else sees it as
    /// in the inbox, and an operator may say why and look.
    pub(crate) fn masks(&self, caller: &Caller, run_id: &str) -> bool {
        if caller.role >= CallerRole::Builder {
            return false;
        }
        let revealed = self.masked.revealed.lock().unwrap_or_else(PoisonError::into_inner);
        let until = revealed.get(&(caller.principal.clone(), run_id.to_owned()));
        caller.role < CallerRole::Operator || until.is_none_or(|until| *until <= self.now_ms())
    }

    /// From now on, and for a while, the caller sees a run as it is; until when, in milliseconds since 1970.
    pub(crate) fn reveal_run(&self, caller: &Caller, run_id: &str) -> i64 {
        let now = self.now_ms();
        let mut revealed = self.masked.revealed.lock().unwrap_or_else(PoisonError::into_inner);
        revealed.retain(|_, until| *until > now);
        revealed.insert((caller.principal.clone(), run_id.to_owned()), now + REVEALED_MS);
        now + REVEALED_MS
    }

    /// Does something with the masks of a run that know its events up to `to`.
    pub(crate) fn with_masks<T>(&self, run_id: &str, to: u64, work: impl FnOnce(&mut RunMasks) -> T) -> ApiResult<T> {
        let mut kept = self.masked.runs.lock().unwrap_or_else(PoisonError::into_inner);
        // What is looked at goes to the end: the first is the one that goes.
        let found = kept.iter().position(|(run, _)| run == run_id).map(|at| {
            let one = kept.remove(at);
            let masks = Arc::clone(&one.1);
            kept.push(one);
            masks
        });
        drop(kept);
        let masks = match found {
            Some(masks) => masks,
            None => {
                let masks = Arc::new(Mutex::new(RunMasks::new(&self.pinned_all(&self.store.run(run_id)?)?)));
                let mut kept = self.masked.runs.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() >= KEPT {
                    kept.remove(0);
                }
                kept.push((run_id.to_owned(), Arc::clone(&masks)));
                masks
            }
        };
        let mut masks = masks.lock().unwrap_or_else(PoisonError::into_inner);
        masks.advance(&self.store, run_id, to)?;
        Ok(work(&mut masks))
    }

    /// Events as a caller may see them, not cut.
    pub(crate) fn events_for(&self, caller: &Caller, run_id: &str, events: &[RunEvent]) -> ApiResult<Vec<Value>> {
        if !self.masks(caller, run_id) {
            return Ok(events.iter().filter_map(|event| serde_json::to_value(event).ok()).collect());
        }
        self.masked_events(run_id, events)
    }

    /// Events with masks, not cut.
    pub(crate) fn masked_events(&self, run_id: &str, events: &[RunEvent]) -> ApiResult<Vec<Value>> {
        let last = events.iter().filter_map(|event| event.seq).max().unwrap_or_default();
        self.with_masks(run_id, last, |masks| events.iter().map(|event| masks.event(event)).collect())
    }

    /// [`Self::masked_events`] as they are shown to people; their long data stays text, for which marks stand.
    pub(crate) fn masked_texts(&self, run_id: &str, events: &[RunEvent]) -> ApiResult<Vec<Detached<Value>>> {
        let last = events.iter().filter_map(|event| event.seq).max().unwrap_or_default();
        let all = |masks: &mut RunMasks| events.iter().map(|event| masks.event_with_texts(&event.shown())).collect();
        self.with_masks(run_id, last, all)
    }

    /// [`Self::masked_events`] of a whole run, with what a re-run has of its original.
    pub(crate) fn masked_whole(&self, run_id: &str, events: &[RunEvent]) -> ApiResult<Vec<Value>> {
        let mut masked = self.masked_events(run_id, events)?;
        let base = events.first().and_then(|event| match &event.body {
            EventBody::WorkflowStart(start) => start.base.as_deref(),
            _ => None,
        });
        if let (Some(base), Some(first)) = (base, masked.first_mut()) {
            let last = self.store.run(run_id)?.last_seq;
            first["payload"]["base"] = self.with_masks(run_id, last, |masks| masks.base(base))?;
        }
        Ok(masked)
    }

    /// Events that a re-run has of its original, with masks, not cut.
    pub(crate) fn masked_kept(&self, run_id: &str, kept: &[RunEvent]) -> ApiResult<Vec<Value>> {
        let last = self.store.run(run_id)?.last_seq;
        self.with_masks(run_id, last, |masks| masks.kept(kept))
    }

    /// The summary as a caller may see it, not cut.
    pub(crate) fn summary_for(&self, caller: &Caller, run_id: &str) -> ApiResult<Value> {
        let (mut summary, steps) = self.summary_and_steps(caller, run_id)?;
        summary["steps"] = json!(steps);
        Ok(summary)
    }

    /// The same with the steps by themselves, where nothing is hidden: of a long run they are nearly all of it.
    pub(crate) fn summary_and_steps(&self, caller: &Caller, run_id: &str) -> ApiResult<(Value, Steps)> {
        let mut summary = self.summary_now(run_id)?;
        let steps = std::mem::take(&mut summary.steps);
        let mut summary = json!(summary);
        if let Some(fields) = summary.as_object_mut() {
            fields.shift_remove("steps");
        }
        if self.masks(caller, run_id) {
            let last = self.store.run(run_id)?.last_seq;
            self.with_masks(run_id, last, |masks| masks.summary(&mut summary))?;
        }
        Ok((summary, steps))
    }

    /// A workflow file as a caller may see it.
    pub(crate) fn file_for(&self, caller: &Caller, file: Value) -> Value {
        if caller.role >= CallerRole::Builder {
            return file;
        }
        let pointers = serde_json::from_value(file.clone()).map(|workflow| mask::pointers(&workflow));
        definition(&mut Masks::new(&pointers.unwrap_or_default()), &file)
    }
}

/// Somebody put a mask where its value could be read afterwards.
pub(crate) fn mask_moved() -> ApiError {
    let hint = "Leave masks where they were, write another value, or say why and look at the values first.";
    ApiError::bad_request("A mask is in a place where its value could be read.", hint)
}

/// Why a value cannot be shown.
pub(crate) fn no_reason() -> ApiError {
    ApiError::bad_request("A reason is missing.", "Say why you need to see the values.")
}
