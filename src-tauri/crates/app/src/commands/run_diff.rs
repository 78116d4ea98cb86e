//! Two runs beside each other (ADR 80).

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{
    Aspect, CallerRole, ComparedRun, ComparedStep, DefinitionChange, DefinitionDifference, DefinitionStep,
    RunComparison, RunDiff, RunDiffStep, StepComparison, StepDifference, StepValueDifference, StepValues,
    ValueDifference,
};
use crate::error::{ApiError, ApiResult};
use crate::runs::comparison::{Compared, Leaf, PARTS, Part, StepTold, without_numbers};
use crate::runs::summary::{Places, head};
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_engine::compare::{Change, Difference, Stand, definitions, differences, wires_into};
use signalbox_model::base::parted;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{NodeState, wire};
use std::collections::HashMap;

/// Places of one list, and of one part of a step.
const MOST: usize = 100;
/// Steps that are listed.
const MOST_STEPS: usize = 500;
/// Places of all steps together.
const MOST_CHANGES: usize = 1_000;
/// Values of a part that are shown of one step.
const SHOWN: usize = 200;

pub(crate) fn run_diff(app: &App, caller: &Caller, request: RunDiff) -> ApiResult<RunComparison> {
    let (a, b, masked) = both(app, caller, &request.run_id, &request.with)?;
    let mut left_out = IndexMap::new();
    let mut listed = |name: &str, a: Option<&Value>, b: Option<&Value>, from: &str| {
        let (found, more) = differences(a, b, MOST);
        count(&mut left_out, name, more);
        let at = |run: &str| format!("{run}/{from}");
        let (a, b) = (at(&request.run_id), at(&request.with));
        found.into_iter().map(|one| cut(one, &a, &b)).collect::<Vec<_>>()
    };
    let params = listed("params", Some(&a.params), Some(&b.params), "1/payload/params");
    let context = listed("context", a.summary.get("context"), b.summary.get("context"), "summary/context");
    let output = listed("output", a.summary.get("output"), b.summary.get("output"), "summary/output");
    let (steps, more) = steps(&a, &b);
    count(&mut left_out, "steps", more);
    let definition = definition(app, caller, &a, &b, masked);
    let same_workflow = a.row.workflow_id == b.row.workflow_id;
    let same = same_workflow
        && a.row.status == b.row.status
        && definition.steps.is_empty()
        && definition.parts.is_empty()
        && steps.is_empty()
        && [&params, &context, &output].into_iter().all(Vec::is_empty);
    Ok(RunComparison {
        a: compared(app, &a),
        b: compared(app, &b),
        same,
        same_workflow,
        masked,
        definition,
        params,
        steps,
        context,
        output,
        left_out,
    })
}

pub(crate) fn run_diff_step(app: &App, caller: &Caller, request: RunDiffStep) -> ApiResult<StepComparison> {
    let (a, b, masked) = both(app, caller, &request.run_id, &request.with)?;
    let name = &request.step_id;
    if ![&a, &b].iter().any(|run| run.stands.contains_key(name) || run.steps.contains_key(name)) {
        return Err(ApiError::not_found(format!("Neither run has a step '{name}'.")));
    }
    let differs = step(&a, &b, name, &mut 0).map(|step| step.differs).unwrap_or_default();
    Ok(StepComparison { a: values(&a, name), b: values(&b, name), differs, masked })
}

/// Both runs, masked when the caller sees one of them with masks: what one of them hides, the other must not tell.
fn both(app: &App, caller: &Caller, one: &str, other: &str) -> ApiResult<(Compared, Compared, bool)> {
    for run in [one, other] {
        app.store.run(run)?;
    }
    let masked = app.masks(caller, one) || app.masks(caller, other);
    Ok((app.compared(one, masked)?, app.compared(other, masked)?, masked))
}

fn count(left_out: &mut IndexMap<String, usize>, name: &str, more: usize) {
    if more > 0 {
        left_out.insert(name.to_owned(), more);
    }
}

fn compared(app: &App, run: &Compared) -> ComparedRun {
    ComparedRun { head: head(app, &Places::default(), &run.row), values_until: run.values_until }
}

/// Steps that differ, and how many more there are.
fn steps(a: &Compared, b: &Compared) -> (Vec<StepDifference>, usize) {
    let mut names: Vec<(usize, String)> = names(a, b).into_iter().enumerate().collect();
    // Of many iterations some are left out, not the steps that come after them.
    names.sort_by_key(|(_, name)| name.matches('/').count());
    let (mut found, mut more, mut changes) = (Vec::new(), 0, MOST_CHANGES);
    for (place, name) in names {
        let Some(step) = step(a, b, &name, &mut changes) else { continue };
        if found.len() < MOST_STEPS { found.push((place, step)) } else { more += 1 }
    }
    found.sort_by_key(|(place, _)| *place);
    (found.into_iter().map(|(_, step)| step).collect(), more)
}

/// Names of all steps: as the first run came to them, then what only the second one came to, then those that never began.
fn names(a: &Compared, b: &Compared) -> Vec<String> {
    let mut names: IndexMap<&String, ()> = IndexMap::new();
    names.extend(a.steps.keys().chain(b.steps.keys()).map(|name| (name, ())));
    names.extend(a.stands.keys().chain(b.stands.keys()).map(|name| (name, ())));
    names.into_keys().cloned().collect()
}

/// What a step differs in; `None` when it does not. `changes` is how many places may still be listed.
fn step(a: &Compared, b: &Compared, name: &str, changes: &mut usize) -> Option<StepDifference> {
    let (one, other) = (a.stands.get(name), b.stands.get(name));
    let (path, step_id) = parted(name);
    let mut found = StepDifference {
        step_id: step_id.to_owned(),
        path: path.map(str::to_owned),
        a: one.map(|stand| stood(a, name, stand)),
        b: other.map(|stand| stood(b, name, stand)),
        differs: Vec::new(),
        changes: Vec::new(),
        left_out: 0,
    };
    let (told_a, told_b) = (a.steps.get(name), b.steps.get(name));
    // Of a very long run it is not known what was not looked at.
    let long = a.values_until.is_some() || b.values_until.is_some();
    match (&found.a, &found.b) {
        (Some(a), Some(b)) => {
            // A run that stands still or was cut off says of what it did not come to that it waits or was cancelled.
            let states = a.state != b.state && !(never_ran(a) && never_ran(b));
            let aspects = [
                (Aspect::State, states),
                (Aspect::Ports, !long && a.ports != b.ports),
                (Aspect::Visits, a.visits != b.visits),
                (Aspect::Attempts, a.attempts != b.attempts),
            ];
            found.differs.extend(aspects.into_iter().filter(|(_, differs)| *differs).map(|(aspect, _)| aspect));
        }
        // What was not called in one run is not missed in the other.
        (Some(only), None) | (None, Some(only)) => {
            return (!never_ran(only)).then(|| StepDifference { differs: vec![Aspect::Ran], ..found });
        }
        (None, None) => return None,
    }
    for part in PARTS {
        let leaves = |told: Option<&StepTold>| told.map(|told| told.leaves(part, usize::MAX)).unwrap_or_default();
        let (one, other) = (leaves(told_a), leaves(told_b));
        if long && (one.is_empty() || other.is_empty()) {
            continue;
        }
        let (places, more) = part_of(part, (&one, &a.row.run_id), (&other, &b.row.run_id), MOST.min(*changes));
        if !places.is_empty() || more > 0 {
            found.differs.push(part.aspect());
        }
        *changes -= places.len();
        found.changes.extend(places);
        found.left_out += more;
    }
    (!found.differs.is_empty()).then_some(found)
}

/// It was not called, and its end says nothing else.
fn never_ran(step: &ComparedStep) -> bool {
    step.attempts == 0 && matches!(step.state, NodeState::Skipped | NodeState::Pending | NodeState::Cancelled)
}

fn stood(run: &Compared, name: &str, stand: &Stand) -> ComparedStep {
    let ports = run.steps.get(name).map(StepTold::ports).unwrap_or_default();
    ComparedStep { state: stand.state, visits: stand.visits, attempts: stand.calls, ports }
}

/// Where the values of a part differ.
fn part_of(
    part: Part,
    (one, a): (&[Leaf], &str),
    (other, b): (&[Leaf], &str),
    most: usize,
) -> (Vec<StepValueDifference>, usize) {
    let in_b: HashMap<&str, &Leaf> = other.iter().map(|leaf| (leaf.at.as_str(), leaf)).collect();
    let in_a: HashMap<&str, &Leaf> = one.iter().map(|leaf| (leaf.at.as_str(), leaf)).collect();
    let pairs = one.iter().map(|leaf| (Some(leaf), in_b.get(leaf.at.as_str()).copied()));
    let only_b = other.iter().filter(|leaf| !in_a.contains_key(leaf.at.as_str())).map(|leaf| (None, Some(leaf)));
    let (mut places, mut left_out) = (Vec::new(), 0);
    for (one, other) in pairs.chain(only_b) {
        let value = |leaf: Option<&Leaf>| leaf.map(|leaf| leaf.value.clone());
        let (found, more) = differences(value(one).as_deref(), value(other).as_deref(), most - places.len());
        left_out += more;
        let from = |leaf: Option<&Leaf>, run: &str| leaf.map(|leaf| leaf.reference(run, "")).unwrap_or_default();
        let (a, b) = (from(one, a), from(other, b));
        let at = one.or(other).map(|leaf| leaf.at.as_str()).unwrap_or_default();
        places.extend(found.into_iter().map(|found| {
            let mut change = cut(found, &a, &b);
            change.pointer = format!("{at}{}", change.pointer);
            StepValueDifference { part: part.aspect(), change }
        }));
    }
    (places, left_out)
}

/// A place as it travels; `a` and `b` are where the values stand whose places are told.
fn cut(found: Difference, a: &str, b: &str) -> ValueDifference {
    let short = |value: Option<Value>, from: &str| {
        value.map(|value| wire::shortened(value, &format!("{from}{}", found.pointer)))
    };
    ValueDifference { a: short(found.a, a), b: short(found.b, b), pointer: found.pointer }
}

fn values(run: &Compared, name: &str) -> Option<StepValues> {
    let stand = run.stands.get(name)?;
    let told = run.steps.get(name).cloned().unwrap_or_default();
    let shown = |part| {
        told.leaves(part, SHOWN).into_iter().map(|leaf| {
            let whole = leaf.reference(&run.row.run_id, "");
            (leaf.at, wire::shortened((*leaf.value).clone(), &whole))
        })
    };
    let listed = |part| shown(part).map(|(_, value)| value).collect();
    let mut output: IndexMap<String, Vec<Value>> = told.ports().into_keys().map(|port| (port, Vec::new())).collect();
    for (at, value) in shown(Part::Output) {
        let port = at.trim_start_matches('/').rsplit_once('/').map_or("", |(port, _)| port);
        if let Some((_, list)) = output.iter_mut().find(|(name, _)| pointer_token(name) == port) {
            list.push(value);
        }
    }
    Some(StepValues {
        step: stood(run, name, stand),
        input: listed(Part::Input),
        config: listed(Part::Config),
        error: listed(Part::Error),
        output,
    })
}

/// What two definitions do differently, as the caller may see them.
fn definition(app: &App, caller: &Caller, a: &Compared, b: &Compared, masked: bool) -> DefinitionDifference {
    let same = a.row.definition_hash == b.row.definition_hash;
    if same {
        return DefinitionDifference { same, steps: Vec::new(), parts: Vec::new() };
    }
    let file = |run: &Compared| {
        let file = app.file_for(caller, json!(*run.compiled.workflow));
        if masked || caller.role < CallerRole::Builder { without_numbers(file) } else { file }
    };
    let (one, other) = (file(a), file(b));
    let node = |file: &Value, run: &Compared, id: &str| {
        let mut node = file["nodes"][id].clone();
        // What people read does nothing.
        for words in ["title", "description", "pinned", "typeVersion"] {
            if let Some(node) = node.as_object_mut() {
                node.remove(words);
            }
        }
        node["wires"] = json!(wires_into(&run.compiled, id));
        node
    };
    let found = definitions(&a.compiled, &b.compiled);
    let steps = found.steps.into_iter().map(|(id, change)| {
        let mut changes = Vec::new();
        if change == Change::Changed {
            let places = differences(Some(&node(&one, a, &id)), Some(&node(&other, b, &id)), MOST).0;
            let from = |run: &Compared| format!("{}/definition/nodes/{}", run.row.run_id, pointer_token(&id));
            changes = places.into_iter().map(|place| cut(place, &from(a), &from(b))).collect();
        }
        let change = match change {
            Change::Added => DefinitionChange::Added,
            Change::Removed => DefinitionChange::Removed,
            Change::Changed => DefinitionChange::Changed,
            Change::Inside => DefinitionChange::Inside,
        };
        DefinitionStep { step_id: id, change, changes }
    });
    let steps = steps.collect();
    DefinitionDifference { same, steps, parts: found.parts.into_iter().map(str::to_owned).collect() }
}
