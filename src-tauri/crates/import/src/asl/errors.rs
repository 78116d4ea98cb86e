//! Time limits, Retry and Catch.

use super::graph::Builder;
use super::jsonata;
use super::states::{State, cel_of, reference};
use crate::cel::{Cel, Ty};
use crate::report::Level;
use serde_json::{Value, json};
use signalbox_model::workflow::{Backoff, ErrorHandling, RetryPolicy};
use signalbox_model::{Map, Node as Step};

impl Builder<'_> {
    pub(super) fn timeout(&mut self, state: &State<'_>) -> Option<u64> {
        let seconds = state.raw.get("TimeoutSeconds")?;
        match seconds.as_u64() {
            Some(seconds) => Some(seconds.saturating_mul(1_000).clamp(1, 31_622_400_000)),
            None => {
                let message = format!("The time limit of \"{}\" is computed; it is left out.", state.name);
                self.tell(Level::Warning, "TIMEOUT", state, "TimeoutSeconds", message, "Set a fixed limit.");
                None
            }
        }
    }

    pub(super) fn retry(&mut self, state: &State<'_>) -> Option<ErrorHandling> {
        let rows: Vec<&Map> =
            state.raw.get("Retry").and_then(Value::as_array)?.iter().filter_map(Value::as_object).collect();
        let is_all = |row: &&&Map| {
            row.get("ErrorEquals").and_then(Value::as_array).is_some_and(|all| {
                all.iter().any(|name| matches!(name.as_str(), Some("States.ALL" | "States.TaskFailed")))
            })
        };
        let row = rows.iter().find(is_all).or_else(|| rows.first())?;
        if rows.len() > 1 || !is_all(&row) {
            let message =
                format!("\"{}\" retries by the name of the error; here errors that may pass are retried.", state.name);
            self.tell(
                Level::Warning,
                "RETRY",
                state,
                "Retry",
                message,
                "Add an error handler with rules, if names matter.",
            );
        }
        let number = |name: &str| row.get(name).and_then(Value::as_f64);
        let rate = number("BackoffRate").unwrap_or(2.0);
        #[allow(clippy::float_cmp)]
        let known = rate == 1.0 || rate == 2.0;
        if !known {
            let message = format!("The delay of \"{}\" grows by {rate}; here it doubles.", state.name);
            self.tell(Level::Warning, "BACKOFF", state, "Retry", message, "Nothing, if that is close enough.");
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let ms = |seconds: f64| (seconds * 1_000.0).clamp(1.0, 31_622_400_000.0) as u64;
        let policy = RetryPolicy {
            max_attempts: row.get("MaxAttempts").and_then(Value::as_u64).unwrap_or(3).min(100) as u32,
            backoff: if rate > 1.0 { Backoff::Exponential } else { Backoff::Fixed },
            initial_delay_ms: ms(number("IntervalSeconds").unwrap_or(1.0)),
            max_delay_ms: number("MaxDelaySeconds").map_or(86_400_000, ms),
            jitter: row.get("JitterStrategy").and_then(Value::as_str) == Some("FULL"),
        };
        Some(ErrorHandling { retry_policy: Some(policy), ..ErrorHandling::default() })
    }

    /// Where errors of a step go, by their names.
    pub(super) fn catch(&mut self, state: &State<'_>, work: &str) {
        let rows: Vec<&Map> = state
            .raw
            .get("Catch")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_object)
            .collect();
        if rows.is_empty() {
            return;
        }
        let mut cases = Vec::new();
        let mut all = None;
        for (n, row) in rows.iter().enumerate().take(49) {
            let names: Vec<&str> = row
                .get("ErrorEquals")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let tests: Vec<String> = names.iter().map(|name| error_test(name)).collect();
            if tests.iter().any(|test| test == "true") {
                all = Some(n);
                break;
            }
            cases.push(json!({ "when": tests.join(" || "), "port": format!("catch{}", n + 1) }));
        }
        let from = if cases.is_empty() {
            None
        } else {
            let step = Step {
                kind: "flow.switch".into(),
                title: Some(format!("{}: which error", state.name)),
                config: Some(json!({ "cases": cases })),
                ..Step::default()
            };
            let id = self.step(state, "_catch", step);
            self.edge(work, "error", &id);
            Some(id)
        };
        for (n, row) in rows.iter().enumerate().take(49) {
            if all.is_some_and(|all| n > all) {
                break;
            }
            let error = "{'Error': coalesce(item.details.error, item.details.code, item.type), 'Cause': item.message}";
            let value = if state.jsonata {
                match row.get("Output").map(|output| jsonata::template(output, &state.here(Cel::new(error, Ty::Map)))) {
                    Some(Ok(value)) => cel_of(&value),
                    Some(Err(why)) => self.kept(state, "Catch", &Value::Object((*row).clone()), &why),
                    None => error.to_owned(),
                }
            } else {
                match row.get("ResultPath") {
                    Some(Value::Null) => state.input().text,
                    Some(Value::String(text)) if text != "$" => match reference(text) {
                        Some(steps) => format!("put({}, [{steps}], {error})", state.input().text),
                        None => self.kept(state, "Catch", &json!(text), "it is no reference path"),
                    },
                    _ => error.to_owned(),
                }
            };
            let suffix = if n == 0 { "_caught".to_owned() } else { format!("_caught{}", n + 1) };
            let step = Step {
                kind: "data.transform".into(),
                title: Some("Error as data".into()),
                config: Some(json!({ "expression": value })),
                ..Step::default()
            };
            let id = self.step(state, &suffix, step);
            match &from {
                None => self.edge(work, "error", &id),
                Some(from) if all == Some(n) => self.edge(from, "default", &id),
                Some(from) => self.edge(from, &format!("catch{}", n + 1), &id),
            }
            let next = row.get("Next").and_then(Value::as_str).unwrap_or_default().to_owned();
            self.next(state, &id, "success", &next);
        }
        if let (Some(from), None) = (&from, all) {
            // What no catcher takes stays an error.
            let config = json!({ "error": { "type": "UnknownError", "message": "{{ item.message }}", "details": { "error": "=item" } } });
            let id = self.step(
                state,
                "_uncaught",
                Step { kind: "flow.fail".into(), config: Some(config), ..Step::default() },
            );
            self.edge(from, "default", &id);
        }
    }
}

/// Whether an error of ours is what a name of theirs means.
fn error_test(name: &str) -> String {
    match name {
        "States.ALL" => "true".into(),
        "States.TaskFailed" => "item.type != 'Timeout'".into(),
        "States.Timeout" | "States.HeartbeatTimeout" => "item.type == 'Timeout'".into(),
        _ => {
            let quoted = crate::text::quoted(name);
            format!("coalesce(item.details.error, '') == {quoted} || coalesce(item.details.code, '') == {quoted}")
        }
    }
}
