//! One of two runs that are compared (ADR 80): what each of its steps came to, and the values that went in and came out,
//! as the caller may see them. Kept steps of a re-run have the values that they stand with.

mod step;

use crate::app::App;
use crate::error::ApiResult;
use crate::runs::view::base_pointer;
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_engine::Compiled;
use signalbox_engine::compare::{Follow, Stand};
use signalbox_model::base::named;
use signalbox_model::{EventBody, RunEvent};
use signalbox_store::RunRow;
use signalbox_store::mask::NAMELESS;
use std::collections::BTreeMap;

pub(crate) use step::{Leaf, PARTS, Part, StepTold};

/// Events of one read.
const PAGE: usize = 500;
/// And none after those that take so many bytes.
const PAGE_BYTES: usize = 1024 * 1024;
/// Events whose values are looked at; what steps came to is followed to the end.
const MOST_EVENTS: u64 = 100_000;

/// A run, ready to be compared.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) row: RunRow,
    pub(crate) compiled: Compiled,
    pub(crate) params: Value,
    /// `context`, `output` and `failedStepId` are of interest.
    pub(crate) summary: Value,
    pub(crate) stands: BTreeMap<String, Stand>,
    /// By name, in the order in which they began.
    pub(crate) steps: IndexMap<String, StepTold>,
    /// Values of later events were not looked at.
    pub(crate) values_until: Option<u64>,
}

impl App {
    /// A run as it stands now; `masked` hides what the caller may not see.
    pub(crate) fn compared(&self, run_id: &str, masked: bool) -> ApiResult<Compared> {
        // Before it is asked how far the run is: what the summary holds is behind nothing that the masks do not know.
        let mut summary = json!(self.summary_now(run_id)?);
        let row = self.store.run(run_id)?;
        if masked {
            // Learned to the end first, so that equal runs are hidden alike from their first event on.
            self.with_masks(run_id, row.last_seq, |masks| masks.summary(&mut summary))?;
            summary = without_numbers(summary);
        }
        let compiled = self.compiled_of(&row)?;
        let mut follow = Follow::new(&compiled, run_id);
        let (mut steps, mut params) = (IndexMap::new(), Value::Null);
        let mut seq = 0;
        while seq < row.last_seq {
            let page = self.store.event_page(run_id, seq, PAGE, PAGE_BYTES)?.events;
            let Some(last) = page.last().and_then(|event| event.seq) else { break };
            let looked_at = seq < MOST_EVENTS;
            for event in &page {
                follow.take(event).map_err(|error| crate::runs::lifecycle::damaged(run_id, &error.to_string()))?;
                if let EventBody::WorkflowStart(start) = &event.body {
                    let kept = start.base.as_ref().map_or(&[][..], |base| &base.events);
                    for (index, event) in self.kept_as(run_id, masked, kept)?.iter().enumerate() {
                        take(&mut steps, event, 1, &base_pointer(index));
                    }
                }
            }
            seq = last;
            if looked_at {
                for event in &self.numberless(run_id, masked, page)? {
                    if let EventBody::WorkflowStart(start) = &event.body {
                        params = (*start.params).clone();
                    }
                    take(&mut steps, event, event.seq.unwrap_or_default(), "");
                }
            }
        }
        let stands = follow.stands();
        let values_until = (seq > MOST_EVENTS).then_some(MOST_EVENTS);
        Ok(Compared { row, compiled, params, summary, stands, steps, values_until })
    }

    /// Events as they are, or with masks that look alike in each run.
    fn numberless(&self, run_id: &str, masked: bool, events: Vec<RunEvent>) -> ApiResult<Vec<RunEvent>> {
        if !masked {
            return Ok(events);
        }
        Ok(read(self.masked_events(run_id, &events)?).into_iter().flatten().collect())
    }

    /// What a re-run has of its original, the same way. An event that its masks make unreadable leaves its place empty: the
    /// others are found by their places.
    fn kept_as(&self, run_id: &str, masked: bool, events: &[RunEvent]) -> ApiResult<Vec<RunEvent>> {
        if !masked || events.is_empty() {
            return Ok(events.to_vec());
        }
        let seen = read(self.masked_kept(run_id, events)?);
        let said = |(seen, event): (Option<RunEvent>, &RunEvent)| {
            let nothing = || RunEvent { step_id: None, ..event.clone() };
            seen.unwrap_or_else(nothing)
        };
        Ok(seen.into_iter().zip(events).map(said).collect())
    }
}

fn read(events: Vec<Value>) -> Vec<Option<RunEvent>> {
    events.into_iter().map(|event| serde_json::from_value(without_numbers(event)).ok()).collect()
}

fn take(steps: &mut IndexMap<String, StepTold>, event: &RunEvent, seq: u64, prefix: &str) {
    if let Some(step) = &event.step_id
        && StepTold::tells(event)
    {
        steps.entry(named(event.path.as_deref(), step)).or_default().take(event, seq, prefix);
    }
}

/// The same with `•••` in the place of `•••7•`: each run counts what it hides for itself, so the number says nothing beside
/// another run.
pub(crate) fn without_numbers(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(name, value)| (name, without_numbers(value))).collect())
        }
        Value::Array(list) => list.into_iter().map(without_numbers).collect(),
        Value::String(text) if text.contains(NAMELESS) => {
            let mut parts = text.split(NAMELESS);
            let mut out = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                out.push_str(NAMELESS);
                let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
                out.push_str(if rest.len() < part.len() { rest.strip_prefix('•').unwrap_or(part) } else { part });
            }
            out.into()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
