//! Follows a run to its end and reports its progress.

use crate::failure::Failure;
use crate::host::Host;
use crate::output::{CANCELLED, FAILED, OK, Output, PAUSED, STOPPED, duration};
use serde_json::{Value, json};
use signalbox_engine::summary;
use signalbox_model::EventBody;
use signalbox_model::wire::WireEvent;
use signalbox_runtime::{definition, state};
use std::sync::OnceLock;

/// Hears of steps that fail.
pub(crate) static ON_ERROR: OnceLock<fn(&Value)> = OnceLock::new();

/// Expressions are compiled and evaluated on this program's threads as well.
pub(crate) const STACK: usize = 32 * 1024 * 1024;

/// So many items of the output are shown.
const SHOWN: usize = 100;

/// Prints what happens in a run until it has ended or waits.
pub(crate) async fn follow(host: &Host, run_id: &str, print_events: bool, output: &Output) -> Result<u8, Failure> {
    let mut events = host.runtime.subscribe(run_id, 0).await?;
    let mut interrupted = std::pin::pin!(told_to_stop());
    let mut waiting = std::pin::pin!(host.runtime.wait(run_id));
    let mut ended = false;
    loop {
        tokio::select! {
            biased;
            batch = events.next() => {
                let Some(batch) = batch else { break };
                let handler = ON_ERROR.get();
                for event in batch.map_err(Failure::from)?.iter().filter(|_| print_events || handler.is_some()) {
                    let Ok(told) = WireEvent::of(event) else { continue };
                    if print_events {
                        output.json_line(&told.text);
                    }
                    if let (Some(handler), EventBody::StepError(_)) = (handler, &event.body)
                        && let Ok(told) = serde_json::from_str(&told.text)
                    {
                        handler(&told);
                    }
                }
            }
            status = &mut waiting, if !ended => {
                ended = true;
                if !status?.is_terminal() {
                    events.end_with_what_is_stored();
                }
            }
            () = &mut interrupted => {
                output.aside(&format!("Stopped. Nothing is lost; go on with: resume {run_id}"));
                if output.json {
                    output.value(&json!({ "runId": run_id, "stopped": true }));
                }
                return Ok(STOPPED);
            }
        }
    }
    if !ended {
        waiting.await?;
    }
    let summary = summary_of(host, run_id)?;
    if output.json {
        output.value(&summary);
    } else if !print_events {
        outcome(host, output, &summary);
    }
    Ok(exit_of(&summary))
}

/// Ctrl-C or SIGTERM. Runs stay as they stand.
pub(crate) async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    tokio::signal::ctrl_c().await.ok();
}

/// The summary of a run as it stands.
pub(crate) fn summary_of(host: &Host, run_id: &str) -> Result<Value, Failure> {
    if let Some(kept) = host.store.summary::<Value>(run_id)? {
        return Ok(kept);
    }
    let row = host.store.run(run_id)?;
    let compiled = definition(&host.store, host.runtime.registry(), &row)?;
    let state = state(&host.store, &compiled, &row)?;
    Ok(json!(summary::of(&compiled, &state)))
}

/// Exit code of a summary.
pub(crate) fn exit_of(summary: &Value) -> u8 {
    match summary["status"].as_str() {
        Some("completed") => OK,
        Some("cancelled") => CANCELLED,
        Some("paused" | "queued" | "running" | "created") => PAUSED,
        _ => FAILED,
    }
}

/// The last lines for people.
pub(crate) fn outcome(host: &Host, output: &Output, summary: &Value) {
    let text = |key: &str| summary[key].as_str().unwrap_or_default();
    let time = duration(summary["durationMs"].as_i64().unwrap_or_default());
    let run_id = text("runId");
    match text("status") {
        "completed" => {
            output.line(&format!("Completed in {time}  ({run_id})"));
            let items = summary["output"].as_array().map_or(&[][..], Vec::as_slice);
            items.iter().take(SHOWN).for_each(|item| output.line(&format!("  {item}")));
            if items.len() > SHOWN {
                output.line(&format!("  and {} more: --json has all", items.len() - SHOWN));
            }
        }
        "failed" => {
            let error = &summary["error"];
            output.line(&format!("Failed after {time}  ({run_id})"));
            let message = error["message"].as_str().unwrap_or("no message");
            output.line(&format!("  {}: {message}", text("failedStepId")));
            if let Some(code) = error["details"]["code"].as_str() {
                output.line(&format!("  {} {code}", error["type"].as_str().unwrap_or_default()));
            }
            if error["details"]["effect"] == "unknown" {
                output.line("  The request may still have succeeded: check before you run it again.");
            }
        }
        "cancelled" => output.line(&format!("Cancelled after {time}  ({run_id})")),
        status => {
            output.line(&format!("{status} after {time}: waits for a person  ({run_id})"));
            let tasks = summary["openTasks"].as_array().into_iter().flatten().filter_map(Value::as_str);
            tasks.take(5).for_each(|task| {
                output.line(&format!("  Look at it: {} tasks show {task}", host.name));
            });
        }
    }
}
