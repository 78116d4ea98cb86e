//! Time limits, Retry and Catch.

use super::graph::Builder;
use super::jsonata;
use super::states::{State, cel_of, reference};
use crate::cel::{Cel, Ty};
use crate::report::Level;
use serde_json::{Value, json};
use signalbox_model::workflow::{Backoff, ErrorHandling, RetryPolicy};
use signalbox_model::{Map, Node as Step};

/// Longest time that a step may be given, in milliseconds: a file that says more is refused.
const LONGEST_STEP_MS: u64 = u32::MAX as u64;
/// Longest wait before a retry, in milliseconds: a day, as the validator has it.
const LONGEST_DELAY_MS: f64 = 86_400_000.0;

impl Builder<'_> {
    pub(super) fn timeout(&mut self, state: &State<'_>) -> Option<u64> {
        let seconds = state.raw.get("TimeoutSeconds")?;
        match seconds.as_u64() {
            Some(seconds) if seconds.saturating_mul(1_000) > LONGEST_STEP_MS => {
                let message = format!("\"{}\" may take {seconds} seconds; here a step may take 49 days.", state.name);
                self.tell(Level::Warning, "TIMEOUT", state, "TimeoutSeconds", message, "Nothing, if that is enough.");
                Some(LONGEST_STEP_MS)
            }
            Some(seconds) => Some((seconds * 1_000).max(1)),
            None => {
                let message = format!("The time limit of \"{}\" is computed; it is left out.", state.name);
                self.tell(Level::Warning, "TIMEOUT", state, "TimeoutSeconds", message, "Set a fixed limit.");
                None
            }
        }
    }

    /// How often and after which delays a step is called again; for which errors, its handler says.
    pub(super) fn retry(&mut self, state: &State<'_>) -> Option<ErrorHandling> {
        let rows = rows(state, "Retry");
        let row = rows.iter().find(|row| attempts(row) > 0)?;
        let number = |name: &str| row.get(name).and_then(Value::as_f64);
        let rate = number("BackoffRate").unwrap_or(2.0);
        let waits = |row: &&&Map| {
            ["IntervalSeconds", "BackoffRate", "MaxDelaySeconds", "JitterStrategy"].map(|name| row.get(name).cloned())
        };
        if rows.iter().any(|other| waits(&other) != waits(&row)) {
            let message =
                format!("The retries of \"{}\" wait differently by the error; here they wait alike.", state.name);
            self.tell(
                Level::Warning,
                "RETRY",
                state,
                "Retry",
                message,
                "Nothing, if the first delays suit all errors.",
            );
        }
        #[allow(clippy::float_cmp)]
        let known = rate == 1.0 || rate == 2.0;
        if !known {
            let message = format!("The delay of \"{}\" grows by {rate}; here it doubles.", state.name);
            self.tell(Level::Warning, "BACKOFF", state, "Retry", message, "Nothing, if that is close enough.");
        }
        for field in ["IntervalSeconds", "MaxDelaySeconds"] {
            if let Some(seconds) = number(field).filter(|seconds| *seconds > LONGEST_DELAY_MS / 1_000.0) {
                let message =
                    format!("A retry of \"{}\" may wait {seconds} seconds; here it waits at most a day.", state.name);
                self.tell(Level::Warning, "RETRY", state, "Retry", message, "Nothing, if a day is enough.");
            }
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let ms = |seconds: f64| (seconds * 1_000.0).clamp(1.0, LONGEST_DELAY_MS) as u64;
        let policy = RetryPolicy {
            max_attempts: rows.iter().map(|row| attempts(row)).sum::<u64>().min(100) as u32,
            backoff: if rate > 1.0 { Backoff::Exponential } else { Backoff::Fixed },
            initial_delay_ms: ms(number("IntervalSeconds").unwrap_or(1.0)),
            max_delay_ms: number("MaxDelaySeconds").map_or(86_400_000, ms),
            jitter: row.get("JitterStrategy").and_then(Value::as_str) == Some("FULL"),
        };
        Some(ErrorHandling { retry_policy: Some(policy), ..ErrorHandling::default() })
    }

    /// The rules by which a step is called again, each as often as its retrier says. The first that names the error decides.
    fn retriers(state: &State<'_>) -> Vec<Value> {
        let rows = rows(state, "Retry");
        let mut rules = Vec::new();
        let mut before = Vec::new();
        for (n, row) in rows.iter().enumerate().take(40) {
            let tests: Vec<String> = names(row).iter().map(|name| error_test(name, &error_name("error"))).collect();
            if tests.is_empty() {
                continue;
            }
            let test = format!("({})", tests.join(" || "));
            let earlier: String = before.iter().map(|test| format!("!{test} && ")).collect();
            let most = attempts(row);
            if most > 0 {
                let when = format!("{earlier}{test} && error.attempt < {most}");
                rules.push(json!({ "name": format!("retry {}", n + 1), "when": when, "action": "retry" }));
            }
            before.push(test);
        }
        rules
    }

    /// Where errors of a step go, by their names.
    pub(super) fn catch(&mut self, state: &State<'_>, work: &[String]) {
        let rows = rows(state, "Catch");
        let mut rules = Self::retriers(state);
        let mut begins: Vec<(String, &str)> = work.iter().map(|id| (id.clone(), "error")).collect();
        if !rules.is_empty() {
            let action = if rows.is_empty() { "abort" } else { "fallback" };
            rules.push(json!({ "name": "otherwise", "when": "true", "action": action }));
            let step = Step {
                kind: "builtin.error_handler".into(),
                title: Some(format!("{}: again?", state.name)),
                config: Some(json!({ "rules": rules })),
                ..Step::default()
            };
            let id = self.step(state, "_retry", step);
            for (from, port) in &begins {
                self.edge(from, port, &id);
            }
            begins = vec![(id, "fallback")];
        }
        if rows.is_empty() {
            return;
        }
        // Errors of the expressions of a state are caught where a catcher names them.
        let own = |row: &&Map| names(row).iter().any(|name| RUNTIME.contains(name));
        if rows.iter().any(own) {
            let id = format!("{}_in", state.id);
            if self.has(&id) {
                begins.push((id, "error"));
            }
        }
        // What failed, in the words of the other program.
        let told = format!("{{'Error': {}, 'Cause': {}}}", error_name("item"), error_cause("item"));
        let step = Step {
            kind: "data.transform".into(),
            title: Some(format!("{}: error", state.name)),
            config: Some(json!({ "expression": told })),
            ..Step::default()
        };
        let told = self.step(state, "_error", step);
        for (from, port) in &begins {
            self.edge(from, port, &told);
        }
        let mut cases = Vec::new();
        let mut all = None;
        for (n, row) in rows.iter().enumerate().take(49) {
            let tests: Vec<String> = names(row).iter().map(|name| error_test(name, "item.Error")).collect();
            if tests.iter().any(|test| test == "true") {
                all = Some(n);
                break;
            }
            cases.push(json!({ "when": tests.join(" || "), "port": format!("catch{}", n + 1) }));
        }
        if let Some(first) = all.map(|all| all + 1).filter(|first| *first < rows.len()) {
            let message = format!(
                "\"{}\" has {} error rules, and rule {first} takes every error: those after it are left out.",
                state.name,
                rows.len()
            );
            self.tell(
                Level::Warning,
                "CATCH",
                state,
                "Catch",
                message,
                "Put the rule for all errors last in the original.",
            );
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
            self.edge(&told, "success", &id);
            Some(id)
        };
        for (n, row) in rows.iter().enumerate().take(49) {
            if all.is_some_and(|all| n > all) {
                break;
            }
            let error = "item";
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
                out: self.assigned(state, row, &Cel::new(error, Ty::Map)),
                ..Step::default()
            };
            let id = self.step(state, &suffix, step);
            match &from {
                None => self.edge(&told, "success", &id),
                Some(from) if all == Some(n) => self.edge(from, "default", &id),
                Some(from) => self.edge(from, &format!("catch{}", n + 1), &id),
            }
            let next = row.get("Next").and_then(Value::as_str).unwrap_or_default().to_owned();
            self.next(state, &id, "success", &next);
        }
        if let (Some(from), None) = (&from, all) {
            // What no catcher takes stays an error.
            let config = json!({ "error": { "type": "UnknownError", "message": "{{ item.Cause }}", "details": { "error": "=item.Error" } } });
            let id = self.step(
                state,
                "_uncaught",
                Step { kind: "flow.fail".into(), config: Some(config), ..Step::default() },
            );
            self.edge(from, "default", &id);
        }
    }
}

/// Errors of the expressions of a state.
const RUNTIME: [&str; 5] = [
    "States.Runtime",
    "States.ParameterPathFailure",
    "States.ResultPathMatchFailure",
    "States.IntrinsicFailure",
    "States.QueryEvaluationError",
];

fn rows<'a>(state: &State<'a>, field: &str) -> Vec<&'a Map> {
    let list = state.raw.get(field).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_object).collect()
}

fn names(row: &Map) -> Vec<&str> {
    let list = row.get("ErrorEquals").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn attempts(row: &Map) -> u64 {
    row.get("MaxAttempts").and_then(Value::as_u64).unwrap_or(3).min(100)
}

/// The name that an error of ours has there. That of a loop or of branches is the one of what failed inside.
fn error_name(of: &str) -> String {
    let inside = ".details.childErrors[0]";
    format!(
        "coalesce({of}.details.error, {of}{inside}.details.error, {of}{inside}{inside}.details.error, \
         {of}.type == 'Timeout' ? 'States.Timeout' : {of}.type == 'ValidationError' ? 'States.Runtime' : {of}.details.code, {of}.type)"
    )
}

fn error_cause(of: &str) -> String {
    let inside = ".details.childErrors[0]";
    format!("coalesce({of}{inside}{inside}.message, {of}{inside}.message, {of}.message)")
}

/// Whether the name of an error, as an expression, is meant by a name of a retrier or a catcher.
fn error_test(name: &str, of: &str) -> String {
    match name {
        "States.ALL" => "true".into(),
        "States.TaskFailed" => format!("{of} != 'States.Timeout'"),
        _ if RUNTIME.contains(&name) && name != "States.Runtime" => {
            format!("{of} in [{}, 'States.Runtime']", crate::text::quoted(name))
        }
        _ => format!("{of} == {}", crate::text::quoted(name)),
    }
}
