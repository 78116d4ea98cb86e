//! `runs`: the runs of the data folder.

use crate::failure::Failure;
use crate::host::Host;
use crate::output::{OK, Output};
use serde_json::{Value, json};
use signalbox_model::bundle::Bundle;
use signalbox_model::time;
use signalbox_store::RunQuery;

pub(crate) fn runs(host: &Host, bundle: &Bundle, output: &Output) -> Result<u8, Failure> {
    let query = RunQuery { workflow: Some(bundle.name.clone()), limit: 1_000, ..RunQuery::default() };
    let page = host.store.runs(&query)?;
    let rows: Vec<Value> = page
        .runs
        .iter()
        .map(|row| {
            json!({
                "runId": row.run_id, "status": row.status, "startedAt": time::format(row.started_ms),
                "endedAt": row.ended_ms.map(time::format), "failedStepId": row.failed_step, "errorCode": row.error_code,
            })
        })
        .collect();
    if output.json {
        output.value(&Value::Array(rows));
        return Ok(OK);
    }
    if rows.is_empty() {
        output.line("No runs.");
    }
    for row in &rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let line = format!("{}  {:<10} {}  {}", text("runId"), text("status"), text("startedAt"), text("errorCode"));
        output.line(line.trim_end());
    }
    Ok(OK)
}
