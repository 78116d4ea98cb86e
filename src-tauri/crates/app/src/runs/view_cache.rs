//! The run that was looked at last, kept folded: a preview asks at every key stroke.

use crate::app::App;
use crate::caller::Caller;
use crate::error::ApiResult;
use crate::runs::view::RunView;
use serde_json::Value;
use signalbox_model::data::{Detached, with_texts};
use signalbox_model::{RunEvent, Workflow};
use std::sync::{Arc, Mutex, PoisonError};

/// Events of one read.
const EVENTS: usize = 1_000;

/// From the path that it was looked at from.
#[derive(Debug, Default)]
pub(crate) struct Viewed {
    whole: Mutex<Option<Arc<RunView>>>,
    masked: Mutex<Option<Arc<RunView>>>,
}

impl App {
    /// A run's events as they are seen from a path, folded for people.
    pub(crate) fn view(&self, run_id: &str, path: &str) -> ApiResult<Arc<RunView>> {
        self.folded(run_id, path, false)
    }

    /// [`Self::view`] as a caller may see it: folded from masked events, so that no expression finds more.
    pub(crate) fn view_for(&self, caller: &Caller, run_id: &str, path: &str) -> ApiResult<Arc<RunView>> {
        self.folded(run_id, path, self.masks(caller, run_id))
    }

    fn folded(&self, run_id: &str, path: &str, masked: bool) -> ApiResult<Arc<RunView>> {
        let place = if masked { &self.viewed.masked } else { &self.viewed.whole };
        let row = self.store.run(run_id)?;
        let kept = place.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut view = match kept {
            Some(view) if view.is_of(run_id, path) && view.seq <= row.last_seq => view,
            _ => {
                let workflow = self.pinned(&row)?;
                let initial = workflow.as_ref().map(Workflow::initial_context).unwrap_or_default();
                let initial = Value::Object(initial.into_iter().collect());
                let initial = if masked { self.with_masks(run_id, 0, |masks| masks.data(&initial))? } else { initial };
                Arc::new(RunView::new(
                    run_id,
                    path,
                    workflow.as_ref(),
                    initial.as_object().cloned().unwrap_or_default(),
                ))
            }
        };
        while view.seq < row.last_seq && !view.is_full() {
            let page = self.store.events_around(run_id, &view.paths(), view.seq, EVENTS)?;
            // What comes after the last of a page that is not full stands elsewhere.
            let seq = match page.last().and_then(|event| event.seq) {
                Some(last) if page.len() == EVENTS => last,
                _ => row.last_seq,
            };
            let next = Arc::make_mut(&mut view);
            self.seen_as(run_id, masked, page)?.iter().for_each(|event| next.take(event));
            next.seq = seq;
        }
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&view));
        Ok(view)
    }

    /// Events as they are, or with masks; a mask that stands where only a number can leaves the event out.
    pub(crate) fn seen_as(&self, run_id: &str, masked: bool, events: Vec<RunEvent>) -> ApiResult<Vec<RunEvent>> {
        if !masked {
            return Ok(events);
        }
        let events = self.masked_texts(run_id, &events)?.into_iter();
        let read = |Detached { written, texts }| with_texts(texts, || serde_json::from_value(written).ok());
        Ok(events.filter_map(read).collect())
    }
}
