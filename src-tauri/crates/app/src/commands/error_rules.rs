//! Errors as the author sees them. The engine's own functions answer; nothing is run.

use crate::Caller;
use crate::app::App;
use crate::dto::{
    ByDocument, CoverageProof, ErrorCoverage, HandlerDryRun, HandlerDryRunResult, PastError, PastErrors, RuleProblem,
    RulesCheck, StepProofState, TriedPolicy,
};
use crate::error::ApiResult;
use crate::workflows::check;
use indexmap::IndexMap;
use signalbox_engine::rules::{self, Decider, Facts, Outcome, Wired};
use signalbox_engine::{coverage, retry};
use signalbox_model::{Effects, ErrorPayload, EventBody, Level, RetryPolicy, RunEvent, time};
use signalbox_simulate::prove::StepProof;
use signalbox_store::RunQuery;

/// Runs that are looked at, the newest ones.
const RUNS: usize = 40;
/// Events of one of them.
const EVENTS: usize = 4_000;
/// Errors that are shown.
const ERRORS: usize = 50;

pub(crate) fn error_coverage(app: &App, _: &Caller, request: ByDocument) -> ApiResult<ErrorCoverage> {
    let workflow = check::workflow(request.document)?;
    let state = |proof: StepProof| {
        if proof.is_proved() {
            StepProofState::Proved
        } else if proof.handled < proof.tried {
            StepProofState::Unhandled
        } else {
            StepProofState::NotReached
        }
    };
    let proof = app.proof_of(&workflow)?.map(|(row, report)| CoverageProof {
        at: time::format(row.at_ms),
        score: row.score,
        is_current: report.is_some(),
        // Of another definition no step is proved.
        steps: report.map_or_else(IndexMap::new, |report| {
            report.steps.into_iter().map(|(step, proof)| (step, state(proof))).collect()
        }),
    });
    let found: ErrorCoverage = coverage::of(&workflow, check::catalog()).into();
    Ok(ErrorCoverage { proof, ..found })
}

pub(crate) fn rules_check(_: &App, _: &Caller, request: RulesCheck) -> ApiResult<Vec<RuleProblem>> {
    let wired: Option<Vec<&str>> = request.wired.as_ref().map(|ports| ports.iter().map(String::as_str).collect());
    Ok(rules::check(&request.rules, wired.as_deref()).into_iter().map(RuleProblem::from).collect())
}

pub(crate) fn handler_dry_run(_: &App, _: &Caller, request: HandlerDryRun) -> ApiResult<HandlerDryRunResult> {
    let tried = request.error;
    let numbers = request.retry.unwrap_or_default();
    let max_attempts = tried.max_attempts.unwrap_or(numbers.max_attempts);
    let numbers = RetryPolicy { max_attempts, ..numbers };
    let error = ErrorPayload {
        error_type: tried.error_type,
        message: tried.message,
        retryable: tried.retryable,
        origin_node: String::new(),
        origin_run_id: None,
        attempt: Some(tried.attempt),
        max_attempts: Some(max_attempts),
        timestamp: time::format(0),
        suggested_action: None,
        provenance_ref: None,
        trace_id: None,
        details: tried.details,
    };
    let kind = request.kind.and_then(|kind| check::catalog().get(&kind));
    let wired = |port: &str| request.wired.iter().any(|known| known == port);
    let facts = Facts {
        may_retry: tried.attempt < max_attempts,
        threshold: request.threshold.as_deref().and_then(Level::parse),
        auto_fix: request.auto_fix,
        fallback: request.fallback,
        wired: Wired { auto_fix: wired("auto_fix"), fallback: wired("fallback"), context: wired("context") },
        unasked: request.collected,
        // Only what may write is asked about, and a container that such a call stands in.
        uncertain: match kind.as_ref() {
            Some(kind) if kind.role.is_container() => rules::tells_cut_off(&error),
            Some(kind) => error.code() == rules::INTERRUPTED && kind.effects.may_be(Effects::Write),
            None => error.code() == rules::INTERRUPTED,
        },
    };
    let of_kind = kind.and_then(|kind| kind.input_schema.clone());
    let list = if request.rules.is_empty() { rules::DEFAULT_RULES.clone() } else { request.rules };
    let decider = match request.policy {
        Some(TriedPolicy::Safe) => Decider::Safe,
        Some(TriedPolicy::Fail) => Decider::Fail,
        None => Decider::Rules(list.clone()),
    };
    // SEMANTICS 4, line 1, as `fold::own_retry_applies` has it.
    let outcome = if request.own_retry && error.retryable && facts.may_retry {
        Outcome { rule: "own".into(), action: "retry".into(), ..Outcome::default() }
    } else {
        rules::dry_run(&decider, &error, &request.item, &facts, of_kind.as_ref())
    };
    let left = usize::try_from(tried.attempt).unwrap_or(usize::MAX);
    let delays = if outcome.action == "retry" {
        retry::timeline(&numbers).into_iter().skip(left).map(|planned| planned.delay_ms).collect()
    } else {
        Vec::new()
    };
    Ok(HandlerDryRunResult::new(outcome, &list, delays))
}

pub(crate) fn past_errors(app: &App, caller: &Caller, request: PastErrors) -> ApiResult<Vec<PastError>> {
    let query = RunQuery { workflow: Some(request.workflow_id), limit: RUNS, ..RunQuery::default() };
    let mut found = Vec::new();
    for run in app.store.runs(&query)?.runs {
        let mut of_run = Vec::new();
        let events = app.store.events(&run.run_id, 0, EVENTS)?;
        // A question about a call of a tool is none: no rule ever decides about it.
        let fails = |event: &RunEvent| matches!(&event.body, EventBody::StepError(failed) if failed.held.is_none());
        let errors: Vec<RunEvent> = events.into_iter().filter(fails).collect();
        for event in app.events_for(caller, &run.run_id, &errors)? {
            let Ok(RunEvent { step_id: Some(step_id), body: EventBody::StepError(failed), ts, .. }) =
                serde_json::from_value(event)
            else {
                continue;
            };
            if request.node_ids.as_ref().is_some_and(|ids| !ids.contains(&step_id)) {
                continue;
            }
            let error = ErrorPayload::clone(&failed.error);
            of_run.push(PastError { run_id: run.run_id.clone(), at: ts, step_id, error });
        }
        found.extend(of_run.into_iter().rev());
        if found.len() >= ERRORS {
            found.truncate(ERRORS);
            break;
        }
    }
    Ok(found)
}
