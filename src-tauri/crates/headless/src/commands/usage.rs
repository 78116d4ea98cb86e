//! `runs usage`, `models usage`: tokens and money.

use super::Done;
use crate::output::{OK, Output, plain};
use serde_json::{Value, json};
use signalbox_app::{App, Caller};
use signalbox_model::money;
use std::sync::Arc;

pub(crate) async fn of_run(app: &Arc<App>, output: &Output, run: &str) -> Done {
    let usage = app.dispatch(&Caller::terminal(None)?, "run_usage", json!({ "runId": run })).await?;
    if output.json {
        output.value(&usage);
        return Ok(OK);
    }
    if usage["total"]["calls"] == 0 {
        output.line("This run used no language model.");
        return Ok(OK);
    }
    table(output, &usage["steps"], "stepId");
    output.line(&row("All", &usage["total"]));
    Ok(OK)
}

pub(crate) async fn of_days(app: &Arc<App>, output: &Output, days: u32) -> Done {
    let usage = app.dispatch(&Caller::terminal(None)?, "model_usage", json!({ "days": days })).await?;
    if output.json {
        output.value(&usage);
        return Ok(OK);
    }
    if usage["total"]["calls"] == 0 {
        let since = usage["since"].as_str().unwrap_or_default();
        output.line(&format!("No language model was used since {since} (UTC)."));
        return Ok(OK);
    }
    for (title, rows, key) in
        [("Day (UTC)", "days", "day"), ("Workflow", "workflows", "workflowId"), ("Model", "models", "model")]
    {
        output.line(title);
        table(output, &usage[rows], key);
    }
    output.line(&row("All", &usage["total"]));
    Ok(OK)
}

fn table(output: &Output, rows: &Value, key: &str) {
    for one in rows.as_array().into_iter().flatten() {
        output.line(&row(&plain(one[key].as_str().unwrap_or_default()), &one["usage"]));
    }
}

fn row(name: &str, usage: &Value) -> String {
    let count = |key: &str| usage[key].as_u64().unwrap_or_default();
    let (calls, unpriced) = (count("calls"), count("unpriced"));
    let cost = match unpriced {
        0 => money::words(count("costMicros")),
        _ if unpriced == calls => "no price".into(),
        _ => format!("{} and {unpriced} calls without a price", money::words(count("costMicros"))),
    };
    format!("  {name:<28} {calls:>5} calls {:>10} in {:>10} out  {cost}", count("inputTokens"), count("outputTokens"))
}
