//! `runs diff`: what two runs differ in.

use super::Done;
use crate::output::{OK, Output, Tone, duration, plain};
use serde_json::{Value, json};
use signalbox_app::{App, Caller};
use signalbox_model::base::named;
use std::sync::Arc;

/// Letters of a value on a line.
const SHORT: usize = 60;
/// Places of one step or list that are written out for people.
const PLACES: usize = 10;

pub(super) async fn diff(app: &Arc<App>, output: &Output, run: &str, with: &str) -> Done {
    let request = json!({ "runId": run, "with": with });
    let found = app.dispatch(&Caller::terminal(None)?, "run_diff", request).await?;
    if output.json {
        output.value(&found);
    } else {
        tell(output, &found);
    }
    Ok(OK)
}

fn tell(output: &Output, found: &Value) {
    for name in ["a", "b"] {
        head(output, name, &found[name]);
    }
    if found["sameWorkflow"] == false {
        output.line("The runs belong to different workflows: steps with the same id are compared.");
    }
    for name in ["a", "b"] {
        if let Some(seq) = found[name]["valuesUntil"].as_u64() {
            output.line(&format!("Run {name} is very long: values were compared up to event {seq}."));
        }
    }
    if found["same"] == true {
        output.line("These runs do not differ.");
        return;
    }
    definition(output, &found["definition"]);
    values(output, "param", &found["params"]);
    for step in list(&found["steps"]) {
        steps(output, step);
    }
    values(output, "variable", &found["context"]);
    values(output, "output", &found["output"]);
    for (name, count) in found["leftOut"].as_object().into_iter().flatten() {
        output.line(&output.paint(&format!("… {count} more {name} not listed"), Tone::Quiet));
    }
}

fn head(output: &Output, name: &str, run: &Value) {
    let text = |key: &str| run[key].as_str().unwrap_or_default();
    let tone = match text("status") {
        "completed" => Tone::Good,
        "failed" => Tone::Bad,
        _ => Tone::Warn,
    };
    let failed = run["failedStepId"].as_str().map_or_else(String::new, |step| format!("  (at {})", plain(step)));
    let parent = run["parentRunId"].as_str().map_or_else(String::new, |parent| format!("  (re-run of {parent})"));
    output.line(&format!(
        "{name}  {}  {} {:>12}  {}  {}{failed}{parent}",
        text("runId"),
        output.paint(&format!("{:<10}", text("status")), tone),
        duration(run["durationMs"].as_i64().unwrap_or_default()),
        text("startedAt"),
        plain(text("workflowName"))
    ));
}

fn definition(output: &Output, found: &Value) {
    let (steps, parts) = (list(&found["steps"]), list(&found["parts"]));
    if found["same"] == false && steps.is_empty() && parts.is_empty() {
        output.line("The definitions differ only in names, notes and positions.");
    }
    for part in parts {
        row(output, "definition", part.as_str().unwrap_or_default(), "changed");
    }
    for step in steps {
        let word = match step["change"].as_str().unwrap_or_default() {
            "added" => "only in b",
            "removed" => "only in a",
            "inside" => "the called workflow changed",
            _ => "changed",
        };
        row(output, "definition", step["stepId"].as_str().unwrap_or_default(), word);
        list(&step["changes"]).iter().take(PLACES).for_each(|change| place(output, "", change));
        more(output, list(&step["changes"]).len().saturating_sub(PLACES));
    }
}

fn values(output: &Output, what: &str, changes: &Value) {
    for change in list(changes).iter().take(PLACES) {
        row(output, what, change["pointer"].as_str().unwrap_or_default(), &both(change));
    }
    more(output, list(changes).len().saturating_sub(PLACES));
}

fn steps(output: &Output, step: &Value) {
    let name = named(step["path"].as_str(), step["stepId"].as_str().unwrap_or_default());
    let differs = |aspect: &str| list(&step["differs"]).iter().any(|one| one == aspect);
    let mut words = Vec::new();
    if differs("ran") {
        words.push(format!("only in {}", if step.get("a").is_some() { "a" } else { "b" }));
    }
    for aspect in ["state", "ports", "visits", "attempts"] {
        if differs(aspect) {
            words.push(format!("{aspect} {} → {}", short(&step["a"][aspect]), short(&step["b"][aspect])));
        }
    }
    row(output, "step", &name, &words.join(", "));
    let changes = list(&step["changes"]);
    for change in changes.iter().take(PLACES) {
        place(output, change["part"].as_str().unwrap_or_default(), change);
    }
    let left_out = step["leftOut"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or_default();
    more(output, changes.len().saturating_sub(PLACES) + left_out);
}

fn more(output: &Output, count: usize) {
    if count > 0 {
        output.line(&output.paint(&format!("              … {count} more places"), Tone::Quiet));
    }
}

/// A place in a step.
fn place(output: &Output, part: &str, change: &Value) {
    let pointer = plain(change["pointer"].as_str().unwrap_or_default());
    output.line(&format!("              {part}{pointer}  {}", both(change)));
}

fn row(output: &Output, what: &str, name: &str, words: &str) {
    output.line(format!("{what:<12}  {}  {words}", plain(name)).trim_end());
}

fn both(change: &Value) -> String {
    let side = |name: &str| change.get(name).map_or_else(|| "nothing".to_owned(), short);
    format!("{} → {}", side("a"), side("b"))
}

/// A value on a line. What the wire has cut says its first letters.
fn short(value: &Value) -> String {
    let text = match value {
        Value::String(word) if word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') => word.clone(),
        Value::Object(cut) if cut.get("_truncated") == Some(&json!(true)) && cut.contains_key("ref") => {
            cut["preview"].as_str().unwrap_or_default().to_owned()
        }
        other => other.to_string(),
    };
    let text = plain(&text);
    if text.chars().count() <= SHORT {
        return text;
    }
    text.chars().take(SHORT - 1).chain(['…']).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
