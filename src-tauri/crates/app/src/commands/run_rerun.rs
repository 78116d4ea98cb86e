//! Re-run from a step.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::Via;
use crate::dto::{
    CallerRole, RerunAnswer, RerunDefinition, RerunLook, RerunPlan, RerunStarted, RerunStep, RunRerun, StepChange,
    StepEffect, StepFate,
};
use crate::error::{ApiError, ApiResult, Class};
use crate::runs::debugging::watched;
use crate::runs::lifecycle::run_token;
use crate::runs::masked_views::mask_moved;
use crate::workflows::library::load;
use crate::workflows::number_literals::as_recorded;
use crate::workflows::{check, faults, pins};
use serde_json::{Map, Value, json};
use signalbox_engine::rerun::{Change, Overrides, Plan, StepDisposition, StepPlan};
use signalbox_engine::validate::{check_bytes, check_called};
use signalbox_model::{Effects, RunOrigin, RunStatus};
use signalbox_runtime::run_masks::hides_again;
use signalbox_runtime::{Again, Definition, Person, pinned_files};
use signalbox_store::RunRow;
use std::sync::Arc;

pub(crate) fn rerun_look(app: &App, caller: &Caller, request: RerunLook) -> ApiResult<RerunPlan> {
    let row = app.store.run(&request.run_id)?;
    let definition = definition(app, caller, &row, request.definition, request.document, request.pins)?;
    let same = match &definition {
        Definition::Original => true,
        Definition::Other(pinned) => pinned.compiled.definition_hash == row.definition_hash,
    };
    let of = plan_of(&row, &definition);
    let made = app.wait_for(app.runtime.rerun_plan(&row.run_id, &request.step_id, request.until, definition))??;
    let masked = app.masks(caller, &row.run_id);
    let Plan { from, params, context, input, steps, answers, .. } = made;
    let mut data = json!({
        "context": context, "params": *params, "input": input.iter().map(|item| &item.data).collect::<Vec<_>>(),
    });
    if masked {
        data = app.with_masks(&row.run_id, row.last_seq, |masks| masks.data(&data))?;
    }
    Ok(RerunPlan {
        step_id: from,
        waits: row.status == RunStatus::Paused,
        same_definition: same,
        context: data["context"].as_object().cloned().unwrap_or_default(),
        params: data["params"].take(),
        input: data["input"].as_array().cloned().unwrap_or_default(),
        steps: steps.into_iter().map(step).collect(),
        answers: answers
            .into_iter()
            .map(|kept| RerunAnswer {
                step_id: kept.origin.unwrap_or(kept.step),
                action: kept.answer.action.as_str().to_owned(),
                operator_id: kept.answer.operator_id,
            })
            .collect(),
        masked,
        of,
    })
}

/// What a plan is made of: as far as the original has come, and the definition with the files that it calls.
fn plan_of(row: &RunRow, definition: &Definition) -> String {
    let mut of = row.last_seq.to_string();
    if let Definition::Other(pinned) = definition {
        let files = pinned.files.iter().map(|(hash, _)| hash.as_str());
        for hash in std::iter::once(pinned.compiled.definition_hash.as_str()).chain(files) {
            of.push('-');
            of.extend(hash.chars().take(16));
        }
    }
    of
}

pub(crate) fn run_rerun(app: &App, caller: &Caller, request: RunRerun) -> ApiResult<RerunStarted> {
    let row = app.store.run(&request.run_id)?;
    let definition_word = match request.definition {
        RerunDefinition::Original => "original",
        RerunDefinition::Current => "current",
    };
    let trial = request.until.is_some() || request.pins.is_some() || !request.breakpoints.is_empty();
    let definition = definition(app, caller, &row, request.definition, request.document, request.pins)?;
    if request.seen.is_some_and(|seen| seen != plan_of(&row, &definition)) {
        return Err(ApiError::new(
            Class::Conflict,
            "PLAN_CHANGED",
            "The run or its workflow has changed since this was looked at, and nothing was started.",
            "Look at what would run now, then start it.",
        ));
    }
    let (mut overrides, mut input) = meant(app, caller, &row, request.overrides, request.input)?;
    if !overrides.is_empty() || input.is_some() {
        let plan = app.wait_for(app.runtime.rerun_plan(&row.run_id, &request.step_id, None, definition.clone()))??;
        let declared = match &definition {
            Definition::Original => app.compiled_of(&row)?.workflow.params.clone(),
            Definition::Other(pinned) => pinned.compiled.workflow.params.clone(),
        };
        no_lost_sign(&plan, declared.as_ref(), &overrides, caller.via)?;
        (overrides, input) = written(&plan, overrides, input);
    }
    let (mut context, mut params) = (Map::new(), Map::new());
    for (name, value) in overrides {
        match name.strip_prefix('$') {
            Some("") => return Err(ApiError::bad_request("'$' names no variable.", "Write $name.")),
            Some(variable) => context.insert(variable.to_owned(), value),
            None => params.insert(name, value),
        };
    }
    // Another process may have changed the grants.
    app.grants_changed()?;
    let changed: Vec<String> = context.keys().map(|name| format!("${name}")).chain(params.keys().cloned()).collect();
    let mut told = Map::new();
    told.insert("definition".into(), definition_word.into());
    told.insert("keepAnswers".into(), request.keep_answers.into());
    told.insert("changed".into(), json!(changed));
    told.insert("inputChanged".into(), input.is_some().into());
    told.insert("via".into(), caller.via.as_str().into());
    told.extend(caller.token.as_ref().map(|token| ("tokenName".to_owned(), token.as_str().into())));
    if let Some(until) = &request.until {
        caller.require(CallerRole::Builder)?;
        told.insert("until".into(), until.as_str().into());
    }
    let debug = if request.breakpoints.is_empty() {
        None
    } else {
        caller.require(CallerRole::Builder)?;
        let target = match &definition {
            Definition::Original => Arc::new(app.compiled_of(&row)?),
            Definition::Other(pinned) => Arc::clone(&pinned.compiled),
        };
        watched(&target, request.breakpoints, false, Some(&caller.principal))?
    };
    let again = Again {
        run_id: row.run_id,
        from: request.step_id,
        until: request.until,
        person: None,
        definition,
        overrides: Overrides { context, params, input, keep_answers: request.keep_answers },
        origin: RunOrigin { trial, ..caller.origin(run_token(request.client_run_token)?) },
        debug,
        actor: caller.actor(),
        told,
    };
    let run_id = app.wait_for(app.runtime.rerun(again))??;
    let status = app.store.run(&run_id)?.status;
    Ok(RerunStarted { run_id, status })
}

/// A re-run of a run as it was, in which a person decides first; `told` is what the audit entry says of it.
pub(super) fn asking(
    app: &App,
    caller: &Caller,
    run_id: String,
    from: String,
    person: Person,
    told: Value,
) -> ApiResult<Again> {
    // Another process may have changed the grants.
    app.grants_changed()?;
    Ok(Again {
        run_id,
        from,
        until: None,
        person: Some(person),
        definition: Definition::Original,
        overrides: Overrides::default(),
        origin: caller.origin(None),
        debug: None,
        actor: caller.operator(),
        told: caller.signed(told).as_object().cloned().unwrap_or_default(),
    })
}

/// Overrides and input of a re-run.
type Changes = (Map<String, Value>, Option<Vec<Value>>);

/// What is changed, as it was meant: who may see the run with masks only sends them back for what was not changed.
fn meant(
    app: &App,
    caller: &Caller,
    row: &RunRow,
    overrides: Map<String, Value>,
    input: Option<Vec<Value>>,
) -> ApiResult<Changes> {
    if caller.role >= CallerRole::Builder {
        return Ok((overrides, input));
    }
    let given = placed(&overrides, input.as_deref());
    let (overrides, input) = app.with_masks(&row.run_id, row.last_seq, |masks| -> Changes {
        let overrides = overrides.into_iter().map(|(name, value)| (name, masks.lift(value))).collect();
        (overrides, input.map(|data| data.into_iter().map(|value| masks.lift(value)).collect()))
    })?;
    let lifted = placed(&overrides, input.as_deref());
    if given != lifted && !hides_again(&app.pinned_all(row)?, &given, &lifted) {
        return Err(mask_moved());
    }
    Ok((overrides, input))
}

/// Refuses the name of a variable without its `$`: it would become a param that nothing reads.
/// `declared`: the schema of the params.
fn no_lost_sign(plan: &Plan, declared: Option<&Value>, overrides: &Map<String, Value>, via: Via) -> ApiResult<()> {
    let is_param = |name: &str| {
        plan.params.get(name).is_some() || declared.is_some_and(|schema| schema["properties"].get(name).is_some())
    };
    let is_lost = |name: &&String| plan.context.contains_key(name.as_str()) && !is_param(name);
    let Some(name) = overrides.keys().find(is_lost) else { return Ok(()) };
    let message = format!("The run has no parameter '{name}'; it has a variable of this name.");
    // A shell puts its own value, most often nothing, where it reads a name with this sign.
    let wanted = if via == Via::Cli { format!("'${name}=…', in single quotes,") } else { format!("${name}") };
    Err(ApiError::bad_request(&message, format!("Write {wanted} to change the variable.")))
}

/// Changes with their numbers as the original has them, where they are the same.
fn written(plan: &Plan, overrides: Map<String, Value>, input: Option<Vec<Value>>) -> Changes {
    let null = Value::Null;
    let recorded = |name: &str| match name.strip_prefix('$') {
        Some(variable) => plan.context.get(variable).unwrap_or(&null).clone(),
        None => plan.params.get(name).unwrap_or(&null).clone(),
    };
    let overrides = overrides.into_iter().map(|(name, value)| {
        let value = as_recorded(&recorded(&name), value);
        (name, value)
    });
    let overrides = overrides.collect();
    let input = input.map(|data| {
        let before = |at: usize| plan.input.get(at).map_or(&null, |item| &*item.data);
        data.into_iter().enumerate().map(|(at, value)| as_recorded(before(at), value)).collect()
    });
    (overrides, input)
}

/// Changes by what they change, as [`rerun_look`] shows it.
fn placed(overrides: &Map<String, Value>, input: Option<&[Value]>) -> Value {
    let mut data = json!({ "context": {}, "params": {}, "input": input });
    for (name, value) in overrides {
        match name.strip_prefix('$') {
            Some(variable) => data["context"][variable] = value.clone(),
            None => data["params"][name] = value.clone(),
        }
    }
    data
}

/// The definition of a re-run without a document in the request.
pub(super) fn definition_of(
    app: &App,
    caller: &Caller,
    row: &RunRow,
    wanted: RerunDefinition,
) -> ApiResult<Definition> {
    definition(app, caller, row, wanted, None, None)
}

/// The definition that is asked for; that of the original when the workflow has not changed.
fn definition(
    app: &App,
    caller: &Caller,
    row: &RunRow,
    wanted: RerunDefinition,
    document: Option<Value>,
    pinned: Option<String>,
) -> ApiResult<Definition> {
    let (document, file) = match (wanted, document) {
        (RerunDefinition::Original, None) => {
            let (mut workflow, called) = pinned_files(&app.store, row)?;
            // Faults were for that run only.
            if !faults::has(&workflow) {
                return Ok(Definition::Original);
            }
            faults::take_from(&mut workflow);
            return Ok(Definition::Other(app.wait_for(app.runtime.pin_with(workflow, called))??));
        }
        (RerunDefinition::Original, Some(_)) => {
            return Err(ApiError::bad_request(
                "A document was sent, but the definition of the original is asked for.",
                "Ask for the current definition, or leave the document out.",
            ));
        }
        (RerunDefinition::Current, Some(document)) => {
            // Who may only operate runs what is stored, not what they send.
            caller.require(CallerRole::Builder)?;
            (document, app.by_id(&row.workflow_id).ok())
        }
        (RerunDefinition::Current, None) => {
            let path = app.by_id(&row.workflow_id).map_err(|_| {
                let id = &row.workflow_id;
                let why = app.unusable(id).unwrap_or_else(|| format!("The library has no workflow with the id {id}."));
                ApiError::not_found(format!("{why} Use the definition of the original."))
            })?;
            (check::readable(&load(&path)?.bytes)?.0, Some(path))
        }
    };
    let checked = check_bytes(document.to_string().as_bytes(), check::catalog());
    check::runnable(&checked.diagnostics)?;
    let Some(mut workflow) = checked.workflow else {
        return Err(ApiError::bad_request("The document is no workflow.", "Send a workflow."));
    };
    if workflow.id != row.workflow_id {
        return Err(ApiError::new(
            Class::Invalid,
            "OTHER_WORKFLOW",
            format!("The run is one of the workflow '{}', the document is '{}'.", row.workflow_id, workflow.id),
            "Send the workflow that the run belongs to.",
        ));
    }
    if let Some(reference) = pinned {
        caller.require(CallerRole::Builder)?;
        pins::put_into(&mut workflow, &pins::load(&app.path_of(&reference)?)?)?;
    }
    let called = app.called(&workflow, file.as_deref())?;
    app.calls_stay_inside(&workflow, &called)?;
    check::runnable(&check_called(&workflow, check::catalog(), &called))?;
    check::runnable(&app.all_model_findings(&workflow, &called))?;
    Ok(Definition::Other(app.wait_for(app.runtime.pin_with(workflow, called))??))
}

fn step(step: StepPlan) -> RerunStep {
    RerunStep {
        title: step.title.filter(|title| !title.is_empty()).unwrap_or_else(|| step.step.clone()),
        step_id: step.step,
        kind: step.kind,
        fate: match step.fate {
            StepDisposition::Kept => StepFate::Kept,
            StepDisposition::Again => StepFate::Again,
            StepDisposition::Open => StepFate::Open,
            StepDisposition::Left => StepFate::Left,
            StepDisposition::Gone => StepFate::Gone,
        },
        change: match step.change {
            Change::None => StepChange::None,
            Change::Changed => StepChange::Changed,
            Change::Added => StepChange::Added,
            Change::Removed => StepChange::Removed,
            Change::Incompatible => StepChange::Incompatible,
        },
        effect: match step.effects {
            Effects::None => StepEffect::None,
            Effects::Read => StepEffect::Read,
            Effects::Write => StepEffect::Write,
        },
        repeats: step.repeats,
        calls: step.calls as u64,
        asks: step.asks,
    }
}
