//! Runs as the outside sees them: rows, summaries, events cut for the wire.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{RunHead, RunRow, Usage};
use crate::error::ApiResult;
use serde_json::Value;
use signalbox_model::wire::WireEvent;
use signalbox_model::{RunEvent, RunStatus, time, wire};
use signalbox_store::HandedQueue;
use std::cell::OnceCell;
use std::sync::Arc;

impl App {
    /// Whether a living process drives a run.
    pub async fn is_driven(self: &Arc<Self>, run_id: String) -> ApiResult<bool> {
        self.blocking(move |app| Ok(app.store.is_driven(&run_id)?)).await
    }
}

/// The places of runs that wait. Those of runs that wait for a worker are looked up once for all runs of a list.
#[derive(Default)]
pub(crate) struct Places {
    for_worker: OnceCell<HandedQueue>,
}

impl Places {
    /// The place of a run in the queue of its workflow, or of those that wait for a worker. What cannot be read now is read at the
    /// next look.
    pub(crate) fn of(&self, app: &App, row: &signalbox_store::RunRow) -> Option<u64> {
        match () {
            () if row.status == RunStatus::Queued => app.store.run_place(&row.run_id).unwrap_or_default(),
            () if row.ended_ms.is_some() || row.handed_to.is_none() || app.store.drives(row) => None,
            () => self.for_worker.get_or_init(|| app.store.handed_queue().unwrap_or_default()).place(&row.run_id),
        }
    }
}

/// A row of the store as the history shows it to a caller.
pub(crate) fn row(app: &App, caller: &Caller, places: &Places, row: signalbox_store::RunRow) -> ApiResult<RunRow> {
    let error_message = match &row.error_message {
        Some(message) if app.masks(caller, &row.run_id) => {
            Some(app.with_masks(&row.run_id, row.last_seq, |masks| masks.text(message))?)
        }
        other => other.clone(),
    };
    let usage = Usage::of(&app.store.usage_of_run(&row.run_id)?);
    Ok(RunRow {
        head: head(app, places, &row),
        until: app.store.run_until(&row.run_id)?,
        usage: (usage.calls > 0).then_some(usage),
        error_message,
        error_code: row.error_code,
        open_task_count: (row.open_tasks > 0).then_some(row.open_tasks),
    })
}

pub(crate) fn head(app: &App, places: &Places, row: &signalbox_store::RunRow) -> RunHead {
    RunHead {
        run_id: row.run_id.clone(),
        workflow_id: row.workflow_id.clone(),
        workflow_name: row.workflow_name.clone(),
        status: row.status,
        place: places.of(app, row),
        started_at: time::format(row.started_ms),
        ended_at: row.ended_ms.map(time::format),
        duration_ms: time::took_ms(row.started_ms, row.ended_ms.unwrap_or_else(|| app.now_ms())),
        parent_run_id: row.parent_run_id.clone(),
        workspace: row.workspace.clone(),
        failed_step_id: row.failed_step.clone(),
    }
}

impl App {
    /// Events as they travel, with masks or as they are.
    pub(crate) fn wire_events(&self, masked: bool, run_id: &str, events: &[RunEvent]) -> ApiResult<Vec<WireEvent>> {
        let wire: Vec<WireEvent> = if masked {
            self.masked_texts(run_id, events)?.into_iter().map(WireEvent::of_detached).collect()
        } else {
            events.iter().filter_map(|event| WireEvent::of(event).ok()).collect()
        };
        Ok(match self.trace_of(run_id) {
            Some(trace) => wire.into_iter().map(|event| event.in_trace(&trace)).collect(),
            None => wire,
        })
    }
}

/// Cuts the large values of a summary: `context`, `output` and `error` one by one. `run_value` finds them again by
/// `<runId>/summary/<pointer>`.
pub(crate) fn wire_summary(summary: &mut Value) {
    let run = summary["runId"].as_str().unwrap_or_default().to_owned();
    let mut pointers = vec!["/error/details/input".to_owned(), "/error/details".to_owned()];
    for name in summary["context"].as_object().into_iter().flat_map(serde_json::Map::keys) {
        pointers.push(format!("/context/{}", signalbox_model::diagnostic::pointer_token(name)));
    }
    for (index, value) in summary["output"].as_array_mut().into_iter().flatten().enumerate() {
        if let Some(short) = wire::truncate_by(value, &|| format!("{run}/summary/output/{index}")) {
            *value = short;
        }
    }
    for pointer in pointers {
        if let Some(value) = summary.pointer_mut(&pointer)
            && let Some(short) = wire::truncate(value, &format!("{run}/summary{pointer}"))
        {
            *value = short;
        }
    }
}
