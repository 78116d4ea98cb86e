//! `health`: how workflows do.

use super::Done;
use crate::output::{OK, Output, plain};
use serde_json::{Value, json};
use signalbox_app::{App, Caller};
use signalbox_model::money;
use std::sync::Arc;

pub(crate) async fn health(app: &Arc<App>, output: &Output, workflow: Option<&str>, days: u32) -> Done {
    let caller = Caller::terminal(None)?;
    match workflow {
        Some(id) => {
            let found = app.dispatch(&caller, "health_get", json!({ "workflowId": id, "days": days })).await?;
            if output.json {
                output.value(&found);
            } else {
                one(output, &found);
            }
        }
        None => {
            let found = app.dispatch(&caller, "health_list", json!({ "days": days })).await?;
            if output.json {
                output.value(&found);
            } else {
                all(output, &found);
            }
        }
    }
    Ok(OK)
}

fn count(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_default()
}

fn text(value: &Value, field: &str) -> String {
    plain(value[field].as_str().unwrap_or_default())
}

fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        60_000..3_600_000 => format!("{} min", ms / 60_000),
        3_600_000..172_800_000 => format!("{} h", ms / 3_600_000),
        _ => format!("{} d", ms / 86_400_000),
    }
}

fn percent(part: u64, of: u64) -> String {
    (part * 100).checked_div(of).map_or_else(|| "no runs".to_owned(), |percent| format!("{percent} %"))
}

fn numbers(of: &Value) -> String {
    let (runs, open) = (count(of, "runs"), count(of, "openTasks"));
    let mut words = vec![
        format!("{runs} runs, {} completed", percent(count(of, "completed"), runs)),
        format!("median {}, 95 % within {}", duration(count(of, "p50Ms")), duration(count(of, "p95Ms"))),
    ];
    if count(of, "costMicros") > 0 {
        words.push(money::words(count(of, "costMicros")));
    }
    if open > 0 {
        words.push(format!("{open} open tasks, the oldest {}", duration(count(of, "oldestTaskMs"))));
    }
    if let Some(score) = of["proofScore"].as_u64() {
        words.push(format!("proof {score} %"));
    }
    words.join("; ")
}

fn all(output: &Output, found: &Value) {
    let rows: Vec<&Value> = found["workflows"].as_array().into_iter().flatten().collect();
    if rows.is_empty() {
        output.line(&format!("No run has ended since {} (UTC).", text(found, "since")));
    }
    for row in rows {
        output.line(&format!("{} ({})", text(row, "workflowName"), text(row, "workflowId")));
        output.line(&format!("  {}", numbers(&row["numbers"])));
        for alert in row["alerts"].as_array().into_iter().flatten() {
            output.line(&format!("  alert: {}", plain(alert.as_str().unwrap_or_default())));
        }
    }
}

fn one(output: &Output, found: &Value) {
    output.line(&format!("{} ({})", text(found, "workflowName"), text(found, "workflowId")));
    output.line(&format!("  {}", numbers(&found["numbers"])));
    for alert in found["alerts"].as_array().into_iter().flatten() {
        output.line(&format!("  alert: {} ({})", text(alert, "name"), text(alert, "expression")));
    }
    let days = found["days"].as_array().into_iter().flatten();
    let ran = |day: &&Value| ["completed", "failed", "cancelled"].iter().any(|field| count(day, field) > 0);
    for day in days.filter(ran) {
        let counts = ["completed", "failed", "cancelled"].map(|field| format!("{:>6} {field}", count(day, field)));
        let within = day["p95Ms"].as_u64().map_or_else(String::new, |ms| format!("  95 % within {}", duration(ms)));
        output.line(&format!("  {}{}{within}", text(day, "day"), counts.concat()));
    }
    for error in found["errors"].as_array().into_iter().flatten() {
        let (errors, failed) = (count(error, "errors"), count(error, "failed"));
        let place = format!("{} {}", text(error, "stepId"), text(error, "code"));
        output.line(&format!("  {place}: {errors} failed calls, {failed} failed runs"));
    }
}
