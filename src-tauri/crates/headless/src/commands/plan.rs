//! `plan`: a model drafts a workflow.

use super::{Done, told_to_stop};
use crate::args::{LogLevel, ModelKind, Plan};
use crate::output::{CANCELLED, FAILED, INVALID, OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::dto::ModelKind as Kind;
use signalbox_app::planner::{CallMode, Outcome};
use signalbox_app::{ApiError, App, Caller, PlanProgress, PlanReport, PlanRequest};
use signalbox_model::money;
use std::sync::Arc;

pub(crate) async fn plan(app: &Arc<App>, output: &Output, args: &Plan) -> Done {
    if args.out.exists() {
        let message = format!("{} exists. A plan never changes a workflow that is saved.", args.out.display());
        return Err(ApiError::bad_request(message, "Name a new file with --out."));
    }
    let caller = Caller::terminal(None)?;
    let request = PlanRequest {
        text: args.text.clone(),
        tries: args.tries,
        allowed: args.allow_write.iter().cloned().collect(),
        provider: args.provider.as_ref().map(|provider| {
            let kind = match provider.kind {
                ModelKind::Anthropic => Kind::Anthropic,
                ModelKind::Openai => Kind::Openai,
                ModelKind::Ollama => Kind::Ollama,
            };
            (kind, provider.url.clone())
        }),
        model: args.model.clone(),
        watched: false,
    };
    let out = *output;
    let progress = move |step: PlanProgress<'_>| match step {
        PlanProgress::Asking(question, tokens) => {
            let purpose = json!(question.purpose);
            let purpose = purpose.as_str().unwrap_or_default().replace('_', " ");
            out.log(LogLevel::Info, &format!("Asking the model ({purpose}): up to {tokens} tokens."));
        }
        PlanProgress::Trying(calls) if !out.json => {
            out.aside("Trying the draft:");
            for call in calls {
                let how = if call.mode == CallMode::Real { "runs" } else { "sample" };
                out.aside(&format!("  {how:<6} {:<5} {}  {}", call.effect, call.title, call.target));
            }
        }
        PlanProgress::Trying(_) | PlanProgress::Writing(_) | PlanProgress::Stands(_) => {}
    };
    let report = app.plan_workflow(&caller, request, &progress, told_to_stop()).await?;
    let accepted = match report.outcome {
        Outcome::Ready => true,
        Outcome::IntentChanged => args.accept_changes,
        _ => false,
    };
    if accepted {
        app.save_plan(&caller, &report, &args.out).await?;
    }
    let saved = accepted.then(|| args.out.display().to_string());
    if output.json {
        let mut told = json!(report);
        told["saved"] = json!(saved);
        output.value(&told);
    } else {
        print(output, &report, saved.as_deref());
    }
    Ok(match report.outcome {
        _ if accepted => OK,
        Outcome::FailedRuntime => FAILED,
        Outcome::Cancelled => CANCELLED,
        _ => INVALID,
    })
}

fn print(output: &Output, report: &PlanReport, saved: Option<&str>) {
    for attempt in &report.attempts {
        let issues = attempt.issues.len();
        let words = if issues == 0 { "no errors".to_owned() } else { format!("{issues} errors") };
        output.line(&format!("Try {}: {words}", attempt.number));
        for issue in &attempt.issues {
            output.line(&format!("  {}: {}", plain(&issue.step), plain(&issue.message)));
            if issue.attempted.len() > 1 {
                output.line(&format!("    guessed: {}", plain(&issue.attempted.join(", "))));
            }
        }
        for change in &attempt.changes {
            let text = |value: &Option<Value>| {
                value.as_ref().map_or_else(|| "nothing".into(), |value| plain(&value.to_string()))
            };
            output.line(&format!("    {}: {} → {}", plain(&change.at), text(&change.before), text(&change.after)));
        }
    }
    for finding in &report.findings {
        output.line(&format!("  {} at {}: {}", finding.code, plain(&finding.at), plain(&finding.message)));
        if !finding.available.is_empty() {
            output.line(&format!("    available: {}", plain(&finding.available.join(", "))));
        }
    }
    for change in &report.intent_changes {
        output.line(&output.paint(&plain(&change.message), Tone::Warn));
    }
    if !report.unchecked.is_empty() {
        output
            .line(&format!("Not checked, because they follow from a sample: {}", plain(&report.unchecked.join(", "))));
    }
    if let Some(step) = &report.waits_at {
        output.line(&format!("The try ended at '{}', which waits for a person.", plain(step)));
    }
    let usage = &report.usage;
    let cost = usage.cost_micros.map(|micros| format!(", cost {}", money::words(micros))).unwrap_or_default();
    let tokens = usage.input_tokens + usage.output_tokens;
    output.line(&format!("{} questions, {tokens} tokens{cost}", usage.questions));
    let (words, tone) = match report.outcome {
        Outcome::Ready => ("The draft is ready.", Tone::Good),
        Outcome::IntentChanged => ("The draft does something else than was asked for.", Tone::Warn),
        Outcome::FailedRuntime => ("The draft does not run.", Tone::Bad),
        Outcome::Invalid => ("There is no valid draft.", Tone::Bad),
        Outcome::Unsupported => ("The step kinds cannot do this.", Tone::Bad),
        Outcome::NoModel => ("The model gave no answer.", Tone::Bad),
        Outcome::Cancelled => ("Cancelled.", Tone::Warn),
    };
    let reason = report.reason.as_deref().map(|why| format!(" {}", plain(why))).unwrap_or_default();
    output.line(&format!("{}{reason}", output.paint(words, tone)));
    match saved {
        Some(file) => output.line(&format!("Saved: {}", plain(file))),
        None if report.outcome == Outcome::IntentChanged => {
            output.line("Not saved. Say it again with more detail, or accept the changes with --accept-changes.");
        }
        None => output.line("Not saved."),
    }
}
