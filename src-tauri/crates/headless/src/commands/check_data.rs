//! `check-data`.

use super::Done;
use crate::args::CheckData;
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde_json::json;
use signalbox_app::{App, DataState};
use std::sync::Arc;

pub(crate) async fn check_data(app: &Arc<App>, output: &Output, args: &CheckData) -> Done {
    let alarms = app.alarms();
    let report = app.check_data(args.repair, args.compact).await?;
    let code = if report.is_sound() && alarms.is_empty() { OK } else { FAILED };
    if output.json {
        let mut value = json!(report);
        value["alarms"] = json!(alarms);
        output.value(&value);
        return Ok(code);
    }
    for finding in &report.findings {
        let (word, tone) = match finding.state {
            DataState::Found => ("Problem", Tone::Bad),
            DataState::Repairable => ("Repairable", Tone::Warn),
            DataState::Repaired => ("Repaired", Tone::Good),
        };
        output.line(&format!("{}: {}", output.paint(word, tone), plain(&finding.message)));
        output.line(&format!("    {}", plain(&finding.hint)));
    }
    output.line(&format!(
        "Read {} runs, {} audit entries, {} workflows, {} indexes; the database has {} bytes, {} of them free.",
        report.runs, report.audit_entries, report.workflows, report.indexes, report.store_bytes, report.free_bytes
    ));
    if report.freed_bytes > 0 {
        output.line(&format!("{} bytes were given back to the disk.", report.freed_bytes));
    }
    if report.findings.is_empty() && alarms.is_empty() {
        output.line(&output.paint("Nothing is wrong.", Tone::Good));
    } else if report.findings.iter().any(|finding| finding.state == DataState::Repairable) {
        output.line("`signalbox check-data --repair` repairs what can be repaired.");
    }
    Ok(code)
}
