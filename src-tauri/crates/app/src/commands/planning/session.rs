//! The planner of the window and of REST: one conversation for each workflow, one plan at a time, and a proposal that a person
//! accepts. The editor shows the workflow; nothing here changes a file.

use super::{PlanPlace, PlanProgress, PlanReport, PlanRequest, explain};
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{
    ByRef, Empty, PlanAttempt, PlanCall, PlanChange, PlanExplain, PlanExplanation, PlanIssue, PlanMessage,
    PlanProposal, PlanSettle, PlanStart, PlanTry, PlanUsage, PlanView,
};
use crate::error::{ApiError, ApiResult};
use crate::workflows::proposals::{Kept, Proposal, Under, revision_of, stale};
use crate::workflows::{canonical, check};
use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_engine::validate::check_bytes;
use signalbox_model::{AuditEvent, Workflow, time};
use signalbox_planner::{
    Attempt, Call, CallMode, Draft, Event, Outcome, Plan, Usage, answer_about, calls, question_about, tokens,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The name under which a planner proposes.
const PLANNER: &str = "planner";

pub(super) fn usage_of(usage: Usage) -> PlanUsage {
    PlanUsage {
        questions: usage.questions,
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cost_micros: usage.cost_micros,
    }
}

fn call_of(call: &Call) -> PlanCall {
    PlanCall {
        step: call.step.clone(),
        title: call.title.clone(),
        effect: call.effect.clone(),
        target: call.target.clone(),
        real: call.mode == CallMode::Real,
    }
}

fn attempt_of(attempt: &Attempt) -> PlanAttempt {
    let issues = attempt.issues.iter().map(|issue| PlanIssue {
        step: issue.step.clone(),
        code: issue.code.clone(),
        message: issue.message.clone(),
        attempted: issue.attempted.clone(),
        available: issue.available.clone(),
    });
    let changes = attempt.changes.iter().map(|change| PlanChange {
        at: change.at.clone(),
        before: change.before.clone(),
        after: change.after.clone(),
    });
    PlanAttempt { number: attempt.number, issues: issues.collect(), changes: changes.collect() }
}

/// What a try of a document calls, when nobody allows a write.
pub(super) fn calls_of(document: &Value) -> Vec<Call> {
    let checked = check_bytes(document.to_string().as_bytes(), check::catalog());
    let workflow = checked.workflow;
    workflow.map(|workflow| calls(&workflow, check::catalog(), &BTreeSet::new())).unwrap_or_default()
}

fn message(app: &App, by: &str, text: &str) -> PlanMessage {
    PlanMessage { by: by.into(), at: time::format(app.now_ms()), text: text.into(), ..PlanMessage::default() }
}

pub(crate) fn plan_get(app: &App, _: &Caller, request: ByRef) -> ApiResult<PlanView> {
    app.path_of(&request.reference)?;
    view(app, &request.reference)
}

fn view(app: &App, reference: &str) -> ApiResult<PlanView> {
    // First: a plan that ends meanwhile is then in neither, and the next look finds it.
    let working = app.planning.working(reference);
    let kept = app.kept_plan(reference)?;
    Ok(PlanView {
        model: app.models_now()?.default,
        working,
        messages: kept.messages,
        proposal: kept.proposal.map(|proposal| PlanProposal {
            revision: revision_of(&proposal.document),
            calls: calls_of(&proposal.document).iter().map(call_of).collect(),
            base: proposal.base,
            document: proposal.document,
            by: proposal.by,
            at: proposal.at,
        }),
    })
}

pub(crate) fn plan_start(app: &App, caller: &Caller, request: PlanStart) -> ApiResult<PlanView> {
    app.path_of(&request.reference)?;
    super::fitting_text(&request.text)?;
    app.has_model()?;
    if let Some(run_id) = &request.run_id {
        app.store.run(run_id)?;
    }
    let under = app.planning.begin(&request.reference)?;
    let reference = request.reference.clone();
    app.keep_plan(&reference, |kept| {
        kept.messages
            .push(PlanMessage { run_id: request.run_id.clone(), ..message(app, "person", request.text.trim()) });
        Ok(())
    })?;
    let (host, caller) = (app.planning.app()?, caller.clone());
    app.in_background(async move {
        let name = request.reference.clone();
        let ended = if request.asks {
            answer(&host, &caller, &request, &under).await
        } else {
            change(&host, &caller, request, &under).await
        };
        keep_failure(&host, &name, ended);
        drop(under);
    })?;
    view(app, &reference)
}

pub(crate) fn plan_try(app: &App, caller: &Caller, request: PlanTry) -> ApiResult<PlanView> {
    app.path_of(&request.reference)?;
    let kept = app.kept_plan(&request.reference)?;
    let proposal = current(&kept, &request.revision)?;
    let known: BTreeSet<String> = calls_of(&proposal.document).into_iter().map(|call| call.step).collect();
    if let Some(unknown) = request.allowed.iter().find(|step| !known.contains(*step)) {
        let text = format!("The proposal has no step '{unknown}' that could be allowed to write.");
        return Err(ApiError::bad_request(text, "Look at the list of calls again."));
    }
    let asked = kept.messages.iter().rev().find(|one| one.by == "person").map(|one| one.text.clone());
    let under = app.planning.begin(&request.reference)?;
    let (host, caller, base) = (app.planning.app()?, caller.clone(), proposal.base.clone());
    let document = proposal.document.clone();
    let reference = request.reference.clone();
    app.in_background(async move {
        let text = asked.unwrap_or_else(|| "Keep what the workflow does".to_owned());
        let plan = Plan::trying(&text, &document);
        let allowed = request.allowed.into_iter().collect();
        let asked = PlanRequest { text, tries: true, allowed, watched: true, ..PlanRequest::default() };
        let ended = work(&host, &caller, &request.reference, &asked, plan, &base, &under).await;
        keep_failure(&host, &request.reference, ended);
        drop(under);
    })?;
    view(app, &reference)
}

pub(crate) fn plan_cancel(app: &App, _: &Caller, request: ByRef) -> ApiResult<PlanView> {
    app.path_of(&request.reference)?;
    app.planning.stop(&request.reference);
    view(app, &request.reference)
}

pub(crate) fn plan_forget(app: &App, _: &Caller, request: ByRef) -> ApiResult<Empty> {
    app.path_of(&request.reference)?;
    if app.planning.working(&request.reference).is_some() {
        let text = "The planner is at work on this workflow.";
        return Err(ApiError::bad_request(text, "Cancel it first."));
    }
    app.forget_plan(&request.reference)?;
    Ok(Empty {})
}

pub(crate) fn plan_explain(app: &App, caller: &Caller, request: PlanExplain) -> ApiResult<PlanExplanation> {
    if let Err(error) = Workflow::deserialize(&request.document) {
        let message = format!("The document is no workflow: {error}.");
        return Err(ApiError::bad_request(message, "Correct the file, then ask again."));
    }
    match &request.run_id {
        None => Ok(explain::workflow(&request.document)),
        Some(run_id) => explain::run(app, caller, &request.document, run_id),
    }
}

pub(crate) fn plan_settle(app: &App, caller: &Caller, request: PlanSettle) -> ApiResult<PlanView> {
    app.path_of(&request.reference)?;
    let accepted = !canonical::same(&request.before, &request.after);
    app.keep_plan(&request.reference, |kept| {
        let proposal = current(kept, &request.revision)?.clone();
        kept.proposal = request.rest.clone().map(|document| Proposal { document, ..proposal });
        Ok(())
    })?;
    if accepted {
        let facts = json!({
            "workflowId": request.after["id"],
            "name": request.after["name"],
            "before": revision_of(&request.before),
            "after": revision_of(&request.after),
            "revision": request.revision,
            "partly": request.rest.is_some(),
        });
        let level = signalbox_store::audit::Level::Info;
        let facts = caller.signed(facts);
        let record = app.fact(AuditEvent::PlanAccepted, level, caller.actor(), facts);
        app.store.audit_append(record, None, true)?;
    }
    view(app, &request.reference)
}

/// The proposal that somebody has seen.
fn current<'k>(kept: &'k Kept, revision: &str) -> ApiResult<&'k Proposal> {
    let Some(proposal) = &kept.proposal else {
        return Err(ApiError::bad_request("There is no proposal any more.", "Ask for a change first."));
    };
    let now = revision_of(&proposal.document);
    if now == revision { Ok(proposal) } else { Err(stale(&now)) }
}

async fn change(app: &Arc<App>, caller: &Caller, request: PlanStart, under: &Under) -> ApiResult<()> {
    let plan = Plan::changing(request.text.trim(), request.from.as_ref().unwrap_or(&request.document));
    let asked = PlanRequest { text: request.text, watched: true, ..PlanRequest::default() };
    work(app, caller, &request.reference, &asked, plan, &request.document, under).await
}

/// Drives a plan, and keeps what came of it.
async fn work(
    app: &Arc<App>,
    caller: &Caller,
    reference: &str,
    request: &PlanRequest,
    plan: Plan,
    before: &Value,
    under: &Under,
) -> ApiResult<()> {
    let shape = plan.clone();
    let told = |step: PlanProgress<'_>| {
        app.planning.tell(reference, |working| match step {
            PlanProgress::Asking(question, tokens) => {
                let purpose = json!(question.purpose);
                working.stage = purpose.as_str().unwrap_or_default().to_owned();
                working.question_tokens = tokens as u64;
            }
            PlanProgress::Trying(calls) => {
                working.stage = "try".into();
                working.calls = calls.iter().map(call_of).collect();
            }
            PlanProgress::Writing(draft) => working.draft = Some(shape.document_of(draft, check::catalog())),
            PlanProgress::Stands(plan) => {
                working.steps.clone_from(&plan.steps);
                working.attempts = plan.attempts.iter().map(attempt_of).collect();
                working.usage = usage_of(plan.usage);
                let drawn = plan.valid.as_ref().map(|draft| plan.document_of(draft, check::catalog()));
                working.draft = drawn.or_else(|| working.draft.take());
            }
        });
    };
    let report = Box::pin(app.drive_plan(caller, request, plan, &told, under.stop.notified())).await?;
    let (hash, base) = (revision_of(before), before.clone());
    let place = PlanPlace { before: Some(&hash), file: None };
    app.record_plan(caller, AuditEvent::PlanProposed, &report, place).await?;
    let (name, told) = (reference.to_owned(), message_of(app, &report));
    app.blocking(move |app| {
        app.keep_plan(&name, |kept| {
            kept.messages.push(told);
            if let Some(document) = report.workflow {
                kept.proposal = Some(Proposal { base, document, by: PLANNER.into(), at: time::format(app.now_ms()) });
            }
            Ok(())
        })
    })
    .await
}

fn message_of(app: &App, report: &PlanReport) -> PlanMessage {
    let outcome = json!(report.outcome).as_str().map(str::to_owned);
    // What is wrong with an answer is of interest when there is nothing else.
    let findings = report.findings.iter().filter(|_| report.outcome == Outcome::Invalid);
    PlanMessage {
        outcome,
        attempts: report.attempts.iter().map(attempt_of).collect(),
        findings: findings.map(|found| format!("{} {}: {}", found.code, found.at, found.message)).collect(),
        intent_changes: report.intent_changes.iter().map(|change| change.message.clone()).collect(),
        unchecked: report.unchecked.clone(),
        steps: report.waits_at.iter().cloned().collect(),
        run_id: report.runs.last().cloned(),
        usage: Some(usage_of(report.usage)),
        ..message(app, PLANNER, report.reason.as_deref().unwrap_or_default())
    }
}

/// Answers a question about the workflow or the run.
async fn answer(app: &Arc<App>, caller: &Caller, request: &PlanStart, under: &Under) -> ApiResult<()> {
    let draft = Draft::of_document(&request.document);
    let (caller, document, run_id) = (caller.clone(), request.document.clone(), request.run_id.clone());
    let facts = match run_id {
        None => Vec::new(),
        Some(run_id) => app.blocking(move |app| Ok(explain::run(app, &caller, &document, &run_id)?.lines)).await?,
    };
    let lines: Vec<String> = facts
        .iter()
        .map(|line| {
            let step = line.step.as_deref().unwrap_or("the run");
            format!(
                "event {}: {step}: {} {}",
                line.seq.unwrap_or_default(),
                line.code.as_deref().unwrap_or(""),
                line.text
            )
        })
        .collect();
    let events: Vec<u64> = facts.iter().filter_map(|line| line.seq).collect();
    let question = question_about(request.text.trim(), &draft, &lines);
    app.planning.tell(&request.reference, |working| {
        working.stage = "explain".into();
        working.question_tokens = (tokens(&question.system) + tokens(&question.text)) as u64;
    });
    let asked = PlanRequest::default();
    let answered = tokio::select! {
        biased;
        () = under.stop.notified() => Event::Cancelled,
        answered = app.ask_planner(&asked, &question, None, &|_| {}) => answered?,
    };
    let told = match answered {
        Event::Answered { text, usage, .. } => {
            let usage = Some(usage_of(usage));
            match answer_about(&text, &draft, &events) {
                Some(told) => PlanMessage {
                    steps: told.steps,
                    run_id: request.run_id.clone().filter(|_| !told.events.is_empty()),
                    events: told.events,
                    usage,
                    ..message(app, PLANNER, &told.text)
                },
                None => PlanMessage { outcome: Some("invalid".into()), usage, ..message(app, PLANNER, "") },
            }
        }
        Event::Unanswered { message: why, .. } => {
            PlanMessage { outcome: Some("no_model".into()), ..message(app, PLANNER, &why) }
        }
        _ => PlanMessage { outcome: Some("cancelled".into()), ..message(app, PLANNER, "") },
    };
    app.keep_plan(&request.reference, |kept| {
        kept.messages.push(told);
        Ok(())
    })
}

/// An error of this program, told where the person looks.
fn keep_failure(app: &Arc<App>, reference: &str, ended: ApiResult<()>) {
    let Err(error) = ended else { return };
    let told = PlanMessage {
        outcome: Some("failed".into()),
        ..message(app, PLANNER, &format!("{} {}", error.message, error.hint))
    };
    // A full disk keeps this one, too; the working state goes away, which the person sees.
    drop(app.keep_plan(reference, |kept| {
        kept.messages.push(told);
        Ok(())
    }));
}
