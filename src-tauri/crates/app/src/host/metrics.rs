//! Numbers for a monitoring program, in the text format of Prometheus. Of the whole store; what
//! concerns this process alone says so. No names of workflows, tasks or people: who may count need not be who may look.

pub(crate) mod collector;
mod text;

use crate::app::App;
use crate::error::ApiResult;
use signalbox_model::RunStatus;
use signalbox_store::TaskQuery;
use std::sync::Arc;
use text::{Kind, family};

/// Media type of the text.
pub const MEDIA: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What runs may be.
const STATUSES: [RunStatus; 7] = [
    RunStatus::Created,
    RunStatus::Queued,
    RunStatus::Running,
    RunStatus::Paused,
    RunStatus::Completed,
    RunStatus::Failed,
    RunStatus::Cancelled,
];

impl App {
    /// The numbers as they are now.
    pub async fn metrics(self: &Arc<Self>) -> ApiResult<String> {
        self.blocking(|app| app.numbers()).await
    }

    fn numbers(&self) -> ApiResult<String> {
        let mut out = String::new();
        let version = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
        family(&mut out, Kind::Gauge, "signalbox_info", "The program.", &[(version, 1)]);
        let known = self.store.run_counts()?;
        let of = |status: &str| known.iter().find(|(name, _)| name == status).map_or(0, |(_, count)| *count);
        let runs = STATUSES.map(|status| (format!("{{status=\"{}\"}}", status.as_str()), of(status.as_str())));
        family(&mut out, Kind::Gauge, "signalbox_runs", "Runs in the store, by status.", &runs);
        let driven = self.runtime.driven().len() as u64;
        family(
            &mut out,
            Kind::Gauge,
            "signalbox_runs_driven",
            "Runs that this process drives.",
            &[(String::new(), driven)],
        );
        let waiting = [(String::new(), self.store.handed_queue()?.len() as u64)];
        let help = "Runs of all hosts that wait for a worker.";
        family(&mut out, Kind::Gauge, "signalbox_runs_waiting_for_worker", help, &waiting);
        // Nobody's tasks in particular: the views of a person are not counted here.
        let now_ms = self.now_ms();
        let tasks = self.store.task_counts(&TaskQuery { now_ms, day_end_ms: now_ms, ..TaskQuery::default() })?;
        let open = [(String::new(), tasks.open)];
        family(&mut out, Kind::Gauge, "signalbox_tasks_open", "Tasks that wait for a person.", &open);
        let late = [(String::new(), tasks.overdue)];
        family(&mut out, Kind::Gauge, "signalbox_tasks_overdue", "Open tasks whose time has ended.", &late);
        let chain = self.store.audit_state()?;
        let sealed = chain.checkpoint.map_or(0, |sealed| sealed.checkpoint.size);
        let entries = [(String::new(), chain.head.size)];
        family(
            &mut out,
            Kind::Gauge,
            "signalbox_audit_entries",
            "Entries of the audit chain, removed ones too.",
            &entries,
        );
        let left = [(String::new(), chain.head.size.saturating_sub(sealed))];
        family(&mut out, Kind::Gauge, "signalbox_audit_unsealed", "Entries after the last checkpoint.", &left);
        let alarms = [(String::new(), self.store.alarms().len() as u64)];
        family(
            &mut out,
            Kind::Gauge,
            "signalbox_store_alarms",
            "What was wrong with the store when it was opened.",
            &alarms,
        );
        if let Some(collector) = self.collector.get() {
            collector.write(&mut out, driven);
        }
        if self.telemetry.is_on() {
            let (sent, dropped) = self.telemetry.counts();
            let sent = [(String::new(), sent)];
            family(&mut out, Kind::Counter, "signalbox_spans_sent_total", "Spans that the collector took.", &sent);
            let dropped = [(String::new(), dropped)];
            let about = "Spans that did not arrive, and commits that found the queue of spans full.";
            family(&mut out, Kind::Counter, "signalbox_spans_dropped_total", about, &dropped);
        }
        Ok(out)
    }
}
