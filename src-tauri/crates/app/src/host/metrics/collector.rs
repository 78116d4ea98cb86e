//! Counts of the runs that this process drives: started, ended, executions of steps and how long they took (O-02 to O-04,
//! O-08). Counters begin at 0 with the process, as Prometheus expects. Labels are kinds of steps and outcomes, so that their
//! number is bounded.

use super::text::{Kind, family, sample};
use crate::App;
use signalbox_model::{EventBody, RunEvent, RunStatus, time};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Upper bounds in seconds, from 1 ms to 10 min.
const BUCKETS: [f64; 17] =
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0];

/// Calls that are remembered at once: each run that waits for a person has one or more. The duration of a call above that is
/// not measured.
const CALLS: usize = 50_000;

/// A call within its run. Attempts follow one another, so that they share a place.
#[derive(PartialEq, Eq, Hash)]
struct Place {
    step: String,
    path: Option<String>,
    item: Option<usize>,
    visit: Option<u32>,
}

impl Place {
    fn of(event: &RunEvent) -> Option<Self> {
        let step = event.step_id.clone()?;
        Some(Self { step, path: event.path.clone(), item: event.item, visit: event.visit })
    }
}

struct Call {
    kind: Arc<str>,
    began_ms: Option<i64>,
    items: usize,
}

#[derive(Default)]
struct Histogram {
    /// Of each bucket alone; sums are made when they are shown. The last one is above all bounds.
    counts: [u64; BUCKETS.len() + 1],
    sum_ms: u64,
}

impl Histogram {
    fn add(&mut self, ms: u64) {
        #[expect(clippy::cast_precision_loss, reason = "a duration of a call is far below 2^53 ms")]
        let seconds = ms as f64 / 1_000.0;
        let bucket = BUCKETS.iter().position(|bound| seconds <= *bound).unwrap_or(BUCKETS.len());
        self.counts[bucket] += 1;
        self.sum_ms = self.sum_ms.saturating_add(ms);
    }
}

#[derive(Default)]
struct Counts {
    started: u64,
    ended: BTreeMap<&'static str, u64>,
    executions: BTreeMap<(Arc<str>, &'static str), u64>,
    durations: BTreeMap<Arc<str>, Histogram>,
    runs: HashMap<String, HashMap<Place, Call>>,
    calls: usize,
}

/// What the runs of this process did since it began to count.
#[derive(Default)]
pub(crate) struct Collector(Mutex<Counts>);

impl Collector {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `kind_of` is asked for the kind of a step that began in another process.
    fn count(&self, events: &[RunEvent], kind_of: impl Fn(&RunEvent) -> Option<Arc<str>>) {
        let mut counts = self.counts();
        for event in events {
            match &event.body {
                EventBody::WorkflowStart(_) => counts.started += 1,
                EventBody::StepStart(start) => counts.begin(event, Arc::from(start.kind.as_str()), start.input.len()),
                EventBody::StepDone(_) => counts.end(event, "ok", &kind_of),
                EventBody::StepError(_) => counts.end(event, "error", &kind_of),
                EventBody::StepInterrupted(_) => counts.end(event, "interrupted", &kind_of),
                EventBody::WorkflowDone(_) => counts.close(event, RunStatus::Completed),
                EventBody::WorkflowFailed(_) => counts.close(event, RunStatus::Failed),
                EventBody::WorkflowCancelled(_) => counts.close(event, RunStatus::Cancelled),
                _ => {}
            }
        }
    }

    /// Appends the counters, in the text format of Prometheus. `inflight`: runs that this process executes now.
    pub(super) fn write(&self, out: &mut String, inflight: u64) {
        let counts = self.counts();
        let started = [(String::new(), counts.started)];
        family(out, Kind::Counter, "agent_runs_started_total", "Runs that this process started.", &started);
        let ended = [RunStatus::Completed, RunStatus::Failed, RunStatus::Cancelled].map(|status| {
            let status = status.as_str();
            (format!("{{status=\"{status}\"}}"), counts.ended.get(status).copied().unwrap_or_default())
        });
        family(out, Kind::Counter, "agent_runs_completed_total", "Runs that ended here, by outcome.", &ended);
        let executions: Vec<_> = counts
            .executions
            .iter()
            .map(|((kind, status), count)| (format!("{{nodeType=\"{kind}\",status=\"{status}\"}}"), *count))
            .collect();
        let about = "Calls of steps that ended here, each attempt, by kind and outcome.";
        family(out, Kind::Counter, "agent_node_executions_total", about, &executions);
        counts.write_durations(out);
        let inflight = [(String::new(), inflight)];
        family(out, Kind::Gauge, "agent_runs_inflight", "Runs that this process executes now.", &inflight);
        let items: usize = counts.runs.values().flat_map(HashMap::values).map(|call| call.items).sum();
        let items = [(String::new(), items as u64)];
        let about = "Items in calls of steps that have begun and not ended, waiting ones too.";
        family(out, Kind::Gauge, "agent_items_queue_length", about, &items);
    }
}

impl Counts {
    fn begin(&mut self, event: &RunEvent, kind: Arc<str>, items: usize) {
        let Some(place) = Place::of(event) else { return };
        if self.calls >= CALLS {
            return;
        }
        let call = Call { kind, began_ms: time::parse(&event.ts), items };
        // A person who is asked again begins the same call once more.
        if self.runs.entry(event.run_id.clone()).or_default().insert(place, call).is_none() {
            self.calls += 1;
        }
    }

    fn end(&mut self, event: &RunEvent, outcome: &'static str, kind_of: impl Fn(&RunEvent) -> Option<Arc<str>>) {
        let Some(place) = Place::of(event) else { return };
        let call = self.runs.get_mut(&event.run_id).and_then(|calls| calls.remove(&place));
        self.calls -= usize::from(call.is_some());
        let began_ms = call.as_ref().and_then(|call| call.began_ms);
        let Some(kind) = call.map(|call| call.kind).or_else(|| kind_of(event)) else { return };
        if let Some(ms) = began_ms.zip(time::parse(&event.ts)).map(|(began, ended)| ended.saturating_sub(began)) {
            // A clock that was set back took no time.
            self.durations.entry(Arc::clone(&kind)).or_default().add(u64::try_from(ms).unwrap_or_default());
        }
        *self.executions.entry((kind, outcome)).or_default() += 1;
    }

    fn close(&mut self, event: &RunEvent, status: RunStatus) {
        *self.ended.entry(status.as_str()).or_default() += 1;
        self.calls -= self.runs.remove(&event.run_id).map_or(0, |calls| calls.len());
    }

    fn write_durations(&self, out: &mut String) {
        const NAME: &str = "agent_node_duration_seconds";
        let about = "How long calls of steps took, each attempt, by kind.";
        family(out, Kind::Histogram, NAME, about, &[]);
        for (kind, histogram) in &self.durations {
            let mut total = 0;
            for (at, count) in histogram.counts.iter().enumerate() {
                total += count;
                let bound = BUCKETS.get(at).map_or_else(|| "+Inf".to_owned(), f64::to_string);
                sample(out, &format!("{NAME}_bucket"), &format!("{{nodeType=\"{kind}\",le=\"{bound}\"}}"), total);
            }
            let labels = format!("{{nodeType=\"{kind}\"}}");
            let (seconds, rest) = (histogram.sum_ms / 1_000, histogram.sum_ms % 1_000);
            // Writing to a string does not fail.
            let _ = writeln!(out, "{NAME}_sum{labels} {seconds}.{rest:03}");
            sample(out, &format!("{NAME}_count"), &labels, total);
        }
    }
}

impl App {
    /// From now on the runs that this process executes are counted for [`App::metrics`]. Once for a process.
    pub fn count_runs(self: &Arc<Self>) {
        let collector = Arc::new(Collector::default());
        if self.collector.set(Arc::clone(&collector)).is_err() {
            return;
        }
        let app = Arc::downgrade(self);
        self.runtime.observe(move |events| collector.count(events, |event| kind_of(&app, event)));
    }
}

fn kind_of(app: &Weak<App>, event: &RunEvent) -> Option<Arc<str>> {
    let app = app.upgrade()?;
    let row = app.store.run(&event.run_id).ok()?;
    let compiled = app.compiled_of(&row).ok()?;
    Some(Arc::from(compiled.node_at(event.path.as_deref(), event.step_id.as_deref()?)?.kind))
}

#[cfg(test)]
mod tests;
