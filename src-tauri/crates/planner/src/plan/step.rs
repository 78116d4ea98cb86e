//! One step of the loop.

use super::{Attempt, Checker, Effect, Event, MAX_CORRECTIONS, MAX_REPAIRS, Outcome, Plan, Stage, Trial};
use crate::answer::object_in;
use crate::draft::Draft;
use crate::finding::{Finding, MAX_FINDINGS, short};
use crate::intent::changes_of_intent;
use crate::issue::{Issue, Route, route, signature};
use crate::patch;
use crate::prompt::{Material, Purpose, question};
use crate::search::{search, trigger_named};
use serde_json::{Map, Value};

/// Kinds that an outline may choose.
const KINDS: usize = 12;
/// Steps of an outline that are kept.
const STEPS: usize = 30;
/// Kinds that are shown to a person whose request cannot be served.
const OFFERED: usize = 8;

/// What follows an event. Answers to questions that are not open any more change nothing.
pub fn plan(mut state: Plan, event: &Event, checker: &dyn Checker) -> (Plan, Vec<Effect>) {
    if state.stage == Stage::Ended {
        return (state, Vec::new());
    }
    let effects = match event {
        Event::Started if state.stage == Stage::New && state.valid.is_some() => {
            let document = state.document(checker.catalog()).unwrap_or_default();
            try_it(&mut state, document)
        }
        Event::Started if state.stage == Stage::New => {
            state.stage = Stage::Outline;
            vec![ask(&mut state, Purpose::Outline, checker)]
        }
        Event::Answered { question, text, usage } if *question == state.question && is_asking(state.stage) => {
            state.usage.add(*usage);
            answered(&mut state, text, checker)
        }
        Event::Unanswered { question, code, message } if *question == state.question && is_asking(state.stage) => {
            unanswered(&mut state, code, message)
        }
        Event::Tried { trial, issues } if *trial == state.trial && state.stage == Stage::Try => {
            tried(&mut state, issues, checker)
        }
        Event::NotTried { trial, message } if *trial == state.trial && state.stage == Stage::Try => {
            end(&mut state, Outcome::FailedRuntime, message)
        }
        Event::Cancelled => end(&mut state, Outcome::Cancelled, "The plan was cancelled"),
        _ => Vec::new(),
    };
    (state, effects)
}

fn is_asking(stage: Stage) -> bool {
    matches!(stage, Stage::Outline | Stage::Generate | Stage::Correct | Stage::Metadata)
}

fn end(state: &mut Plan, outcome: Outcome, why: &str) -> Vec<Effect> {
    state.stage = Stage::Ended;
    state.outcome = Some(outcome);
    state.reason = Some(why.to_owned()).filter(|why| !why.is_empty());
    vec![Effect::Finish(outcome)]
}

fn ask(state: &mut Plan, purpose: Purpose, checker: &dyn Checker) -> Effect {
    state.question += 1;
    let issues = state.attempts.last().map(|attempt| attempt.issues.as_slice()).unwrap_or_default();
    Effect::Ask(question(
        state.question,
        purpose,
        &Material {
            request: &state.request,
            catalog: checker.catalog(),
            kinds: &state.kinds,
            steps: &state.steps,
            draft: state.draft.as_ref(),
            findings: &state.findings,
            issues,
        },
    ))
}

/// Asks again with what is wrong, as often as it may be.
fn again(state: &mut Plan, purpose: Purpose, findings: Vec<Finding>, checker: &dyn Checker) -> Vec<Effect> {
    state.findings = findings.into_iter().take(MAX_FINDINGS).collect();
    if state.repairs >= MAX_REPAIRS {
        let first = state.findings.first().map(|finding| finding.message.clone()).unwrap_or_default();
        let why = format!("The model gave no valid draft after {MAX_REPAIRS} repairs: {first}");
        // A correction that is not valid leaves the draft that was tried.
        let outcome = if state.stage == Stage::Correct { Outcome::FailedRuntime } else { Outcome::Invalid };
        return end(state, outcome, &why);
    }
    state.repairs += 1;
    vec![ask(state, purpose, checker)]
}

fn unanswered(state: &mut Plan, code: &str, message: &str) -> Vec<Effect> {
    match state.stage {
        // The draft is there; it only has the name that its request gives it.
        Stage::Metadata => ready(state, ""),
        Stage::Correct => end(state, Outcome::FailedRuntime, &format!("The draft could not be corrected: {message}")),
        _ => end(state, Outcome::NoModel, &format!("{message} ({code})")),
    }
}

fn answered(state: &mut Plan, text: &str, checker: &dyn Checker) -> Vec<Effect> {
    match (state.stage, object_in(text)) {
        (Stage::Outline, Ok(answer)) => outlined(state, &answer, checker),
        (Stage::Outline, Err(finding)) => again(state, Purpose::Outline, vec![finding], checker),
        (Stage::Generate, Ok(answer)) => drafted(state, &answer, checker),
        (Stage::Correct, Ok(answer)) => drafted(state, &answer, checker),
        (Stage::Generate, Err(finding)) => again(state, Purpose::Repair, vec![finding], checker),
        (Stage::Correct, Err(finding)) => again(state, Purpose::RuntimeFix, vec![finding], checker),
        (Stage::Metadata, Ok(answer)) => named(state, &answer, checker),
        // A name is no reason to lose a draft.
        (_, _) => ready(state, ""),
    }
}

fn outlined(state: &mut Plan, answer: &Map<String, Value>, checker: &dyn Checker) -> Vec<Effect> {
    let catalog = checker.catalog();
    if let Some(why) = answer.get("unsupported").and_then(Value::as_str) {
        let offered: Vec<String> = search(catalog, &state.request, OFFERED).into_iter().map(|hit| hit.kind).collect();
        let instead = answer.get("instead").and_then(Value::as_str).map(|text| format!(" Possible: {}.", short(text)));
        let why = format!(
            "{}.{} Kinds that come near: {}",
            short(why).trim_end_matches('.'),
            instead.unwrap_or_default(),
            offered.join(", ")
        );
        return end(state, Outcome::Unsupported, &why);
    }
    let texts = |name: &str, most: usize| -> Vec<String> {
        let list = answer.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(Value::as_str).take(most).map(short).collect()
    };
    let kinds = texts("kinds", KINDS);
    let names = || catalog.iter().map(|kind| kind.kind.as_str());
    let unknown = kinds.iter().enumerate().filter(|(_, kind)| catalog.get(kind).is_none());
    let mut findings: Vec<Finding> = unknown
        .map(|(index, kind)| {
            let message = format!("There is no kind '{kind}'");
            Finding::new("UNKNOWN_TYPE", format!("/kinds/{index}"), message).got(kind).names(kind, names())
        })
        .collect();
    if kinds.is_empty() {
        findings.push(
            Finding::new("BAD_OUTLINE", "/kinds", "The outline names no kinds")
                .expected("\"kinds\": [\"http.request\", …]"),
        );
    }
    if !findings.is_empty() {
        return again(state, Purpose::Outline, findings, checker);
    }
    state.kinds = kinds;
    if let Some(trigger) = trigger_named(&state.request).filter(|trigger| catalog.get(trigger).is_some())
        && !state.kinds.iter().any(|kind| kind.starts_with("trigger.") && kind != "trigger.manual")
    {
        state.kinds.insert(0, trigger.to_owned());
    }
    state.steps = texts("steps", STEPS);
    (state.repairs, state.findings) = (0, Vec::new());
    state.stage = Stage::Generate;
    vec![ask(state, Purpose::Generate, checker)]
}

fn drafted(state: &mut Plan, answer: &Map<String, Value>, checker: &dyn Checker) -> Vec<Effect> {
    let correcting = state.stage == Stage::Correct;
    // A correction always begins at the draft that was tried.
    let base = if correcting { state.valid.clone() } else { state.draft.clone() };
    let base = if correcting && state.repairs > 0 { state.draft.clone().or(base) } else { base };
    let read = match (answer.get("patch"), base) {
        (Some(Value::Array(patch)), Some(base)) => patch::apply(&base, patch).map(|(draft, _)| draft),
        (Some(_), Some(_)) => Err(vec![Finding::new("BAD_PATCH", "/patch", "A patch is a list of changes")]),
        (Some(_), None) => {
            Err(vec![Finding::new("BAD_PATCH", "/patch", "There is no draft yet that a patch could change")])
        }
        (None, _) => Draft::read(answer),
    };
    let next = if correcting { Purpose::RuntimeFix } else { Purpose::Repair };
    let draft = match read {
        Ok(draft) => draft,
        Err(findings) => return again(state, next, findings, checker),
    };
    if correcting && state.valid.as_ref() == Some(&draft) {
        return end(
            state,
            Outcome::FailedRuntime,
            "The correction changed nothing, so another try would fail the same way",
        );
    }
    if state.first.is_none() {
        state.first = Some(draft.clone());
    }
    state.draft = Some(draft.clone());
    let document = state.document_of(&draft, checker.catalog());
    let mut findings = checker.check(&document);
    if findings.is_empty() {
        findings.extend(trigger_missing(state, &draft));
    }
    if !findings.is_empty() {
        return again(state, Purpose::Repair, findings, checker);
    }
    if let Some(first) = &state.first {
        state.intent = changes_of_intent(first, &draft, |kind| checker.catalog().get(kind).is_some());
    }
    if let (true, Some(before), Some(attempt)) = (correcting, &state.valid, state.attempts.last_mut()) {
        attempt.changes = patch::between(before, &draft);
    }
    state.valid = Some(draft);
    (state.repairs, state.findings) = (0, Vec::new());
    if state.tries { try_it(state, document) } else { name_it(state, checker) }
}

/// A request that says when to run gets a draft that runs then.
fn trigger_missing(state: &Plan, draft: &Draft) -> Option<Finding> {
    let wanted = trigger_named(&state.request)?;
    let has = draft.nodes.values().any(|node| node.kind.starts_with("trigger.") && node.kind != "trigger.manual");
    let message = format!("The request says when the workflow runs, but the draft has no {wanted}");
    (!has && state.kinds.iter().any(|kind| kind == wanted)).then(|| {
        Finding::new("TRIGGER_MISSING", "/nodes", message).expected(format!("A first node of the kind {wanted}"))
    })
}

fn try_it(state: &mut Plan, document: Value) -> Vec<Effect> {
    state.stage = Stage::Try;
    state.trial += 1;
    vec![Effect::Try(Trial { number: state.trial, document })]
}

fn name_it(state: &mut Plan, checker: &dyn Checker) -> Vec<Effect> {
    if !state.names() {
        // A workflow that is changed has its name.
        return ready(state, "");
    }
    state.stage = Stage::Metadata;
    state.draft.clone_from(&state.valid);
    vec![ask(state, Purpose::Metadata, checker)]
}

fn tried(state: &mut Plan, issues: &[Issue], checker: &dyn Checker) -> Vec<Effect> {
    let next = route(issues, state.corrections, MAX_CORRECTIONS);
    let attempt = Attempt { number: state.trial, issues: issues.to_vec(), route: next, changes: Vec::new() };
    state.attempts.push(attempt);
    let words = issues.first().map(|issue| format!("{}: {}", issue.step, issue.message)).unwrap_or_default();
    match next {
        Route::Default => name_it(state, checker),
        Route::FailedRuntime => end(state, Outcome::FailedRuntime, &words),
        Route::RuntimeFix => {
            let signature = signature(issues);
            if state.signatures.contains(&signature) {
                if let Some(attempt) = state.attempts.last_mut() {
                    attempt.route = Route::FailedRuntime;
                }
                let why = format!("The same error came again after a correction: {words}");
                return end(state, Outcome::FailedRuntime, &why);
            }
            state.signatures.push(signature);
            state.corrections += 1;
            state.stage = Stage::Correct;
            (state.repairs, state.findings) = (0, Vec::new());
            state.draft.clone_from(&state.valid);
            vec![ask(state, Purpose::RuntimeFix, checker)]
        }
    }
}

fn named(state: &mut Plan, answer: &Map<String, Value>, checker: &dyn Checker) -> Vec<Effect> {
    let text = |value: Option<&Value>, most: usize| -> Option<String> {
        let text = value.and_then(Value::as_str).map(short)?;
        Some(text.trim().chars().take(most).collect()).filter(|text: &String| !text.is_empty())
    };
    let (name, description) = (text(answer.get("name"), 60), text(answer.get("description"), 400));
    let mut draft = state.valid.clone().unwrap_or_default();
    for (id, title) in answer.get("titles").and_then(Value::as_object).into_iter().flatten() {
        if let (Some(node), Some(title)) = (draft.nodes.get_mut(id), text(Some(title), 60)) {
            node.fields.insert("title".into(), title.into());
        }
    }
    let (old_name, old_description) = (state.name.clone(), state.description.clone());
    state.name = name.unwrap_or_else(|| old_name.clone());
    state.description = description.unwrap_or_else(|| old_description.clone());
    let document = state.document_of(&draft, checker.catalog());
    if checker.check(&document).is_empty() {
        state.valid = Some(draft);
    } else {
        (state.name, state.description) = (old_name, old_description);
    }
    ready(state, "")
}

fn ready(state: &mut Plan, why: &str) -> Vec<Effect> {
    match state.intent.first() {
        None => end(state, Outcome::Ready, why),
        Some(first) => {
            let why = first.message.clone();
            end(state, Outcome::IntentChanged, &why)
        }
    }
}
