//! `runs prune`.

use super::Done;
use crate::args::Prune;
use crate::output::{OK, Output, Tone, plain};
use serde_json::json;
use signalbox_app::{App, Caller, PruneRules};
use std::sync::Arc;

/// Rows of a preview for people.
const SHOWN: usize = 20;

pub(crate) async fn prune(app: &Arc<App>, output: &Output, args: &Prune) -> Done {
    let rules = PruneRules {
        older_than_days: args.older_than,
        keep: args.keep,
        most_bytes: args.max_size.map(|size| u64::from(size) * 1_000_000),
        workflow: args.workflow.clone(),
    };
    let report = app.prune_runs(&Caller::terminal(None)?, rules, args.delete).await?;
    if output.json {
        output.value(&json!(report));
        return Ok(OK);
    }
    for run in report.runs.iter().take(SHOWN) {
        let name = plain(&run.workflow_name);
        output.line(&format!("{}  {}  {:<10} {:>12} bytes  {name}", run.run_id, run.ended_at, run.status, run.bytes));
    }
    if report.runs.len() > SHOWN {
        output.line(&format!("and {} more", report.runs.len() - SHOWN));
    }
    let what = format!("{} of {} ended runs, about {} bytes", report.runs.len(), report.ended, report.bytes);
    if args.delete {
        output.line(&output.paint(&format!("Deleted: {what}."), Tone::Good));
        output.line(&format!("The database file became {} bytes shorter.", report.freed_bytes));
    } else if report.runs.is_empty() {
        output.line("No run matches.");
    } else {
        output.line(&format!("Would be deleted: {what}. Add --delete to delete them."));
    }
    Ok(OK)
}
