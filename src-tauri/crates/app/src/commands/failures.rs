//! Failures by what makes them alike: groups, what a correction would do, and the rule for the author.

use crate::app::App;
use crate::caller::Caller;
use crate::commands::failure_replay::shown;
use crate::commands::run_rerun::definition_of;
use crate::dto::{
    CallerRole, Correction, CorrectionFit, Failure, FailureGroup, FailureGroupDetails, FailureGroupGet,
    FailureGroupList, FailureGroupPage, FailureList, FailurePage, FailurePreview, FailurePreviewOne,
    FailurePreviewPage, FailurePreviewed, FailureProposed, FailureSuggestion, FailureTried, RerunDefinition,
};
use crate::error::{ApiError, ApiResult, Class};
use crate::runs::replay::correction::{Corrected, Rule};
use crate::runs::replay::job::{Kept, different_words, error_of};
use crate::runs::replay::suggestion::{TIMES, patch_before, step_of};
use serde_json::{Value, json};
use signalbox_engine::rerun::{Plan, StepDisposition};
use signalbox_model::{Effects, time};
use signalbox_runtime::Definition;
use signalbox_store::{FailureQuery, FailureRow, FailureState, ReplayState, RunRow};

pub(crate) fn failure_groups(app: &App, caller: &Caller, request: FailureGroupList) -> ApiResult<FailureGroupPage> {
    let limit = super::page_size(request.limit, 50, 200)?;
    let bad =
        || ApiError::bad_request("`after` is not the end of a page.", "Give the value of `next` of the page before.");
    let after = match request.after {
        Some(text) => {
            let (at, id) = text.split_once('-').ok_or_else(bad)?;
            Some((at.parse().map_err(|_| bad())?, id.parse().map_err(|_| bad())?))
        }
        None => None,
    };
    let page = app.store.failure_groups(&FailureQuery { workflow: request.workflow, limit, after })?;
    Ok(FailureGroupPage {
        groups: page.groups.into_iter().map(|one| seen(app, caller, one)).collect::<ApiResult<_>>()?,
        next: page.next.map(|(at, id)| format!("{at}-{id}")),
        total: page.total,
        filling: page.filling,
    })
}

fn group(one: signalbox_store::FailureGroup) -> FailureGroup {
    FailureGroup {
        group: one.key,
        workflow_id: one.workflow_id,
        workflow_name: one.workflow_name,
        step_id: one.step,
        step_title: None,
        code: one.code,
        message: one.message,
        sample: one.sample,
        open: one.open,
        total: one.total,
        first_at: time::format(one.first_ms),
        last_at: time::format(one.last_ms),
    }
}

/// A group as the caller may see it. Whoever sees masks gets the message of the newest failure, masked as its run is: the one
/// that is kept with the group knows nothing of the paths that an author marks.
fn seen(app: &App, caller: &Caller, one: signalbox_store::FailureGroup) -> ApiResult<FailureGroup> {
    let mut shown = group(one);
    let newest = app.store.failures(&shown.group, None, 1)?.pop();
    if let Some(newest) = &newest {
        shown.step_title = title_of(app, &newest.run_id, &shown.step_id);
    }
    if caller.role >= CallerRole::Builder {
        return Ok(shown);
    }
    let text = match newest {
        Some(newest) => message_of(app, &newest)?,
        None => String::new(),
    };
    shown.message.clone_from(&text);
    shown.sample = text;
    Ok(shown)
}

/// The masked message of a failure.
fn message_of(app: &App, one: &FailureRow) -> ApiResult<String> {
    if let Some(task) = &one.task_id {
        // Tasks are masked when they are stored.
        return Ok(app.store.task(task)?.and_then(|task| task.error_message).unwrap_or_default());
    }
    let row = app.store.run(&one.run_id)?;
    let text = row.error_message.unwrap_or_default();
    let masked = app.with_masks(&one.run_id, row.last_seq, |masks| masks.data(&Value::String(text)))?;
    Ok(masked.as_str().unwrap_or_default().to_owned())
}

fn failure(one: FailureRow) -> Failure {
    Failure {
        failure: one.id,
        run_id: one.run_id,
        task_id: one.task_id,
        step_id: one.place,
        at: time::format(one.at_ms),
    }
}

/// Replays that are shown of a group.
const REPLAYS: usize = 20;

pub(crate) fn failure_group(app: &App, caller: &Caller, request: FailureGroupGet) -> ApiResult<FailureGroupDetails> {
    let one = app.store.failure_group(&request.group)?;
    let newest = app.store.failures(&request.group, None, 1)?.pop();
    let replays = app.store.replays(Some(&request.group), REPLAYS)?;
    let suggestion = suggestion(app, &one.kind)?;
    let replays = replays.into_iter().map(|row| shown(app, row)).collect::<ApiResult<Vec<_>>>()?;
    let shape = one.shape.lines().map(str::to_owned).collect();
    // Who may only look sees no settings that were made of values.
    let suggestion = suggestion.filter(|_| caller.role >= CallerRole::Builder).map(|(suggestion, _)| suggestion);
    Ok(FailureGroupDetails { group: seen(app, caller, one)?, shape, newest: newest.map(failure), replays, suggestion })
}

/// What people call a step in a run: its title, else that of its kind.
fn title_of(app: &App, run_id: &str, step: &str) -> Option<String> {
    let (path, id) = step.rsplit_once('/').map_or((None, step), |(path, id)| (Some(path), id));
    app.about_run(run_id)?.names.get(path, id).map(str::to_owned)
}

/// The newest rule that was used three times for failures of a kind, as a step.
fn suggestion(app: &App, kind: &str) -> ApiResult<Option<(FailureSuggestion, Rule)>> {
    for row in app.store.replays_of_kind(kind, REPLAYS)? {
        let times = app.store.replays_alike(kind, &row.rule)?;
        if times < TIMES || matches!(row.state, ReplayState::Running | ReplayState::Paused) {
            continue;
        }
        let Ok(rule) = Kept::read(&row).and_then(|kept| kept.rule()) else { continue };
        if let Some((kind, config)) = step_of(&rule) {
            return Ok(Some((FailureSuggestion { replay: row.id, times, kind: kind.into(), config }, rule)));
        }
    }
    Ok(None)
}

pub(crate) fn failure_members(app: &App, _: &Caller, request: FailureList) -> ApiResult<FailurePage> {
    let limit = super::page_size(request.limit, 100, 500)?;
    let mut found = app.store.failures(&request.group, request.before, limit + 1)?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|one| one.id);
    Ok(FailurePage { failures: found.into_iter().map(failure).collect(), next })
}

/// What a correction is tried with.
pub(super) struct Tried {
    pub(super) rule: Rule,
    pub(super) definition: Definition,
    other: bool,
}

impl Tried {
    /// Refuses what the caller may not do. `failure`: one that the correction is for.
    pub(super) fn of(app: &App, caller: &Caller, correction: &Correction, failure: &FailureRow) -> ApiResult<Self> {
        if correction.edited.is_some() || correction.patch.is_some() || correction.expression.is_some() {
            // A rule reads values that others see masked only.
            caller.require(CallerRole::Builder)?;
        }
        let row = app.store.run(&failure.run_id)?;
        let definition = definition_of(app, caller, &row, correction.definition)?;
        let rule = Rule::of(correction, |id| {
            let edited = open(app, id)?;
            let of = app.store.run(&edited.run_id)?;
            let plan = plan(app, &edited, definition_of(app, caller, &of, RerunDefinition::Original)?)?;
            Ok(plan.input.iter().map(|item| (*item.data).clone()).collect())
        })?;
        Ok(Self { rule, definition, other: correction.definition == RerunDefinition::Current })
    }

    /// What it gives for a failure.
    pub(super) fn give(&self, app: &App, failure: &FailureRow) -> ApiResult<Result<(Plan, Corrected), String>> {
        let row: RunRow = match app.store.run(&failure.run_id) {
            Ok(row) => row,
            Err(error) => return Ok(Err(format!("{error}."))),
        };
        let plan = match plan(app, failure, self.definition.clone()) {
            Ok(plan) => plan,
            Err(error) if error.class == Class::Unavailable && error.code == "CLOSING" => return Err(error),
            Err(error) => return Ok(Err(error.message)),
        };
        Ok(self.rule.apply(&plan, &error_of(&row), self.other).map(|corrected| (plan, corrected)))
    }
}

fn plan(app: &App, failure: &FailureRow, definition: Definition) -> ApiResult<Plan> {
    Ok(app.wait_for(app.runtime.rerun_plan(&failure.run_id, &failure.place, None, definition))??)
}

/// An open failure.
fn open(app: &App, id: i64) -> ApiResult<FailureRow> {
    let gone =
        || ApiError::not_found(format!("There is no open failure {id}; it was dealt with, or its run was deleted."));
    app.store.failure(id)?.filter(|one| one.state == FailureState::Open).ok_or_else(gone)
}

/// The failure that a correction is for.
pub(super) fn sample(app: &App, group: &str, id: Option<i64>) -> ApiResult<FailureRow> {
    match id {
        Some(id) => open(app, id),
        None => {
            let newest = app.store.failures(group, None, 1)?.pop();
            newest.ok_or_else(|| ApiError::not_found("The group has no open failure any more.".to_owned()))
        }
    }
}

/// What the correction gives for the failure that it is for. It has to fit there.
pub(super) fn signature(app: &App, tried: &Tried, sample: &FailureRow) -> ApiResult<String> {
    match tried.give(app, sample)? {
        Ok((_, corrected)) => Ok(corrected.signature),
        Err(why) => Err(ApiError::new(
            Class::Invalid,
            "DOES_NOT_FIT",
            format!("The correction does not fit the run {} that it is for: {why}", sample.run_id),
            "Change the correction, or choose another failure as the sample.",
        )),
    }
}

pub(crate) fn failure_preview(app: &App, caller: &Caller, request: FailurePreview) -> ApiResult<FailurePreviewPage> {
    let limit = super::page_size(request.limit, 50, 200)?;
    let sample = sample(app, &request.group, request.sample)?;
    let tried = Tried::of(app, caller, &request.correction, &sample)?;
    let expected = signature(app, &tried, &sample)?;
    let mut found = app.store.failures(&request.group, request.before, limit + 1)?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|one| one.id);
    let mut list = Vec::with_capacity(found.len());
    for one in found {
        let (fit, why) = match tried.give(app, &one)? {
            Ok((_, corrected)) if corrected.signature == expected => (CorrectionFit::Fits, None),
            Ok((_, corrected)) => (CorrectionFit::Different, Some(different_words(&expected, &corrected.signature))),
            Err(why) => (CorrectionFit::Not, Some(why)),
        };
        // What an expression says of a value is not for those who see masks.
        let why = if app.masks(caller, &one.run_id) { why.map(|why| crate::tasks::answer::plain(&why)) } else { why };
        list.push(FailureTried { failure: one.id, run_id: one.run_id, fit, why });
    }
    Ok(FailurePreviewPage { tried: list, next })
}

pub(crate) fn failure_preview_one(
    app: &App,
    caller: &Caller,
    request: FailurePreviewOne,
) -> ApiResult<FailurePreviewed> {
    let one = open(app, request.failure)?;
    let tried = Tried::of(app, caller, &request.correction, &one)?;
    let row = app.store.run(&one.run_id)?;
    let looked = plan(app, &one, tried.definition.clone());
    let (plan, corrected) = match looked {
        Ok(plan) => {
            let corrected = tried.rule.apply(&plan, &error_of(&row), tried.other);
            (plan, corrected)
        }
        // Its values can be shown nevertheless.
        Err(error) => (self::plan(app, &one, Definition::Original)?, Err(error.message)),
    };
    let before: Vec<Value> = plan.input.iter().map(|item| (*item.data).clone()).collect();
    let (after, why) = match corrected {
        Ok(corrected) => (Some(corrected.input.unwrap_or_else(|| before.clone())), None),
        Err(why) => (None, Some(why)),
    };
    let masked = app.masks(caller, &one.run_id);
    let mut data = json!({ "before": before, "after": after });
    if masked {
        data = app.with_masks(&row.run_id, row.last_seq, |masks| masks.data(&data))?;
    }
    let repeats = plan.steps.iter().filter(|step| {
        step.effects == Effects::Write && step.repeats && step.calls > 0 && step.fate == StepDisposition::Again
    });
    Ok(FailurePreviewed {
        before: data["before"].as_array().cloned().unwrap_or_default(),
        after: data["after"].as_array().cloned(),
        why: why.map(|why| if masked { crate::tasks::answer::plain(&why) } else { why }),
        masked,
        repeats: repeats.map(|step| step.title.clone().unwrap_or_else(|| step.step.clone())).collect(),
        answers: plan.answers.len() as u64,
    })
}

pub(crate) fn failure_propose(app: &App, caller: &Caller, request: FailureGroupGet) -> ApiResult<FailureProposed> {
    let one = app.store.failure_group(&request.group)?;
    let Some((suggestion, _)) = suggestion(app, &one.kind)? else {
        let message =
            "No correction of this kind of failure was used three times, or none of them can be written as a step.";
        return Err(ApiError::new(
            Class::Conflict,
            "NO_SUGGESTION",
            message,
            "Use the same rule in three replays first.",
        ));
    };
    let path = app.by_id(&one.workflow_id)?;
    let reference = app.library.reference(&path);
    let (document, revision) = app.proposal_now(&reference)?;
    let step = one.step.rsplit('/').next().unwrap_or(&one.step);
    let place = patch_before(&document, step, "Correct the input", &suggestion.kind, &suggestion.config);
    let Some((step_id, patch)) = place else {
        let message = format!("No connection leads to the step '{step}' in the workflow as it is now.");
        return Err(ApiError::new(Class::Conflict, "NO_PLACE", message, "Add the step by hand in the builder."));
    };
    let why = "Add the correction that replays of these failures used as a step.";
    app.propose_patch(caller, &reference, &revision, &patch, why)?;
    Ok(FailureProposed { reference, step_id })
}
