//! Replays: start, look, pause, resume, stop, take back.

use crate::app::{App, closing};
use crate::audit::facts::fact_at;
use crate::caller::Caller;
use crate::commands::failures::{Tried, sample, signature};
use crate::commands::task::text;
use crate::dto::{
    Correction, Replay, ReplayItem, ReplayItemPage, ReplayItems, ReplayList, ReplayRef, ReplayStart, ReplayStatus,
    ReplayStop, RerunDefinition,
};
use crate::error::{ApiError, ApiResult, Class};
use crate::runs::replay::correction::Rule;
use crate::runs::replay::job::{Kept, started_by};
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, time};
use signalbox_runtime::Definition;
use signalbox_store::audit::{Level, Record};
use signalbox_store::{NewReplay, ReplayRow, ReplayState};
use tokio::task::JoinSet;

const RATE: u32 = 50;
const MOST_RATE: u32 = 10_000;
const CONCURRENCY: u32 = 20;
const MOST_CONCURRENCY: u32 = 500;
/// Failures that can be named one by one.
const MOST_NAMED: usize = 10_000;

fn within(given: Option<u32>, usual: u32, most: u32, name: &str) -> ApiResult<u32> {
    match given.unwrap_or(usual) {
        found if (1..=most).contains(&found) => Ok(found),
        found => Err(ApiError::bad_request(
            format!("{name} is {found}; it may be 1 to {most}."),
            "Give a number in this range, or leave it out.",
        )),
    }
}

pub(crate) fn replay_start(app: &App, caller: &Caller, request: ReplayStart) -> ApiResult<Replay> {
    let reason = text(Some(request.reason), "reason")?.ok_or_else(|| {
        ApiError::bad_request("A replay needs a reason.", "Say why: it stands in the audit chain with each run.")
    })?;
    let rate = within(request.rate, RATE, MOST_RATE, "rate")?;
    let concurrency = within(request.concurrency, CONCURRENCY, MOST_CONCURRENCY, "concurrency")?;
    if request.only.as_ref().is_some_and(|only| only.is_empty() || only.len() > MOST_NAMED) {
        return Err(ApiError::bad_request(
            format!("`only` names 1 to {MOST_NAMED} failures."),
            "Leave it out to replay the whole group.",
        ));
    }
    let group = app.store.failure_group(&request.group)?;
    let sample = sample(app, &request.group, request.sample)?;
    let tried = Tried::of(app, caller, &request.correction, &sample)?;
    let signature = signature(app, &tried, &sample)?;
    // Another process may have changed the grants.
    app.grants_changed()?;
    let edits = match &tried.rule {
        Rule::Patch { operations, literal: true } => Some(operations.clone()),
        _ => None,
    };
    let kept = Kept {
        correction: Correction { edited: None, ..request.correction },
        edits,
        keep_answers: request.keep_answers,
        include_different: request.include_different,
        rate,
        concurrency,
        signature,
        actor: caller.actor(),
        started_by: started_by(caller),
        via: caller.via.as_str().to_owned(),
    };
    let definition = match &tried.definition {
        Definition::Original => None,
        Definition::Other(pinned) => {
            for (hash, text) in &pinned.files {
                app.store.definition_put(hash, text)?;
            }
            Some((pinned.compiled.definition_hash.clone(), pinned.definition.clone()))
        }
    };
    let id = uuid::Uuid::now_v7().to_string();
    let now = app.now_ms();
    let new = NewReplay {
        id: id.clone(),
        group: request.group,
        rule: tried.rule.kind(),
        correction: serde_json::to_string(&kept).map_err(|error| crate::response::not_json(&error))?,
        reason: reason.clone(),
        person: caller.principal.clone(),
        made_ms: now,
        definition: definition.as_ref().map(|(hash, _)| hash.clone()),
        only: request.only,
    };
    let facts = json!({
        "replayId": id, "group": new.group, "workflowId": group.workflow_id, "workflowName": group.workflow_name,
        "step": group.step, "code": group.code, "rule": word_of(&kept), "definition": word(kept.correction.definition),
        "keepAnswers": kept.keep_answers, "rate": rate, "concurrency": concurrency, "reason": reason,
    });
    let (facts, actor) = (caller.signed(facts), caller.actor());
    let record = move |count: u64| {
        let mut facts = facts;
        facts["failures"] = count.into();
        fact_at(now, AuditEvent::ReplayStarted, Level::Info, actor, facts)
    };
    app.store.replay_add(new, definition, record)?;
    app.drive_replay(&id)?;
    shown(app, app.store.replay(&id)?)
}

fn word(definition: RerunDefinition) -> &'static str {
    match definition {
        RerunDefinition::Original => "original",
        RerunDefinition::Current => "current",
    }
}

fn word_of(kept: &Kept) -> &'static str {
    let correction = &kept.correction;
    match (&kept.edits, &correction.patch, &correction.expression) {
        (Some(_), _, _) => "edited",
        (_, Some(_), _) => "patch",
        (_, _, Some(_)) => "expression",
        _ => "recorded",
    }
}

/// A replay as it is told.
pub(super) fn shown(app: &App, row: ReplayRow) -> ApiResult<Replay> {
    let kept = Kept::read(&row)?;
    let counts = app.store.replay_counts(&row.id)?;
    let outcomes = app.store.replay_outcomes(&row.id)?;
    let of = |statuses: &[&str]| {
        outcomes.iter().filter(|(status, _)| statuses.contains(&status.as_str())).map(|(_, count)| count).sum()
    };
    Ok(Replay {
        status: match row.state {
            ReplayState::Running => ReplayStatus::Running,
            ReplayState::Paused => ReplayStatus::Paused,
            ReplayState::Done => ReplayStatus::Done,
            ReplayState::Stopped => ReplayStatus::Stopped,
            ReplayState::Undone => ReplayStatus::Undone,
        },
        rule: word_of(&kept).into(),
        definition: kept.correction.definition,
        rate: kept.rate,
        concurrency: kept.concurrency,
        keep_answers: kept.keep_answers,
        include_different: kept.include_different,
        replay: row.id,
        group: row.group,
        reason: row.reason,
        by: row.person,
        started_at: time::format(row.made_ms),
        ended_at: row.ended_ms.map(time::format),
        problem: row.problem,
        waiting: counts.waiting,
        started: counts.started,
        skipped: counts.skipped,
        refused: counts.refused,
        removed: counts.removed,
        completed: of(&["completed"]),
        failed: of(&["failed"]),
        paused: of(&["paused"]),
        running: of(&["created", "queued", "running"]),
        cancelled: of(&["cancelled"]),
    })
}

/// Replays that are listed.
const LISTED: usize = 100;

pub(crate) fn replay_list(app: &App, _: &Caller, request: ReplayList) -> ApiResult<Vec<Replay>> {
    app.store.replays(request.group.as_deref(), LISTED)?.into_iter().map(|row| shown(app, row)).collect()
}

pub(crate) fn replay_get(app: &App, _: &Caller, request: ReplayRef) -> ApiResult<Replay> {
    shown(app, app.store.replay(&request.replay)?)
}

pub(crate) fn replay_items(app: &App, caller: &Caller, request: ReplayItems) -> ApiResult<ReplayItemPage> {
    let limit = super::page_size(request.limit, 100, 500)?;
    app.store.replay(&request.replay)?;
    let mut found = app.store.replay_items(
        &request.replay,
        request.state.as_str(),
        request.after.unwrap_or_default(),
        limit + 1,
    )?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|item| item.failure);
    let items = found.into_iter().map(|item| {
        let masked = app.masks(caller, &item.run_id);
        ReplayItem {
            failure: item.failure,
            run_id: item.run_id,
            new_run_id: item.new_run,
            why: item.why.map(|why| if masked { crate::tasks::answer::plain(&why) } else { why }),
        }
    });
    Ok(ReplayItemPage { items: items.collect(), next })
}

fn entry(app: &App, caller: &Caller, id: &str, change: &str, more: Value) -> Record {
    let mut facts = json!({ "replayId": id, "change": change });
    if let (Some(facts), Some(more)) = (facts.as_object_mut(), more.as_object()) {
        facts.extend(more.clone());
    }
    fact_at(app.now_ms(), AuditEvent::ReplayChanged, Level::Info, caller.actor(), caller.signed(facts))
}

/// Changes where a replay stands, and refuses it when that is not possible any more.
fn change(
    app: &App,
    caller: &Caller,
    id: &str,
    from: &'static [ReplayState],
    to: ReplayState,
    (word, more): (&str, Value),
) -> ApiResult<()> {
    let record = entry(app, caller, id, word, more);
    if app.store.replay_change(id, from, to, None, app.now_ms(), move |_| record)? {
        return Ok(());
    }
    let now = app.store.replay(id)?.state;
    Err(ApiError::new(
        Class::Conflict,
        "REPLAY_STATE",
        format!("The replay is {}: it cannot be {word}.", now.as_str()),
        if now.is_over() { "Start another replay." } else { "Look at it again." },
    ))
}

const OPEN: &[ReplayState] = &[ReplayState::Running, ReplayState::Paused];

pub(crate) fn replay_pause(app: &App, caller: &Caller, request: ReplayRef) -> ApiResult<Replay> {
    change(app, caller, &request.replay, &[ReplayState::Running], ReplayState::Paused, ("paused", json!({})))?;
    replay_get(app, caller, request)
}

pub(crate) fn replay_resume(app: &App, caller: &Caller, request: ReplayRef) -> ApiResult<Replay> {
    change(app, caller, &request.replay, &[ReplayState::Paused], ReplayState::Running, ("resumed", json!({})))?;
    app.drive_replay(&request.replay)?;
    replay_get(app, caller, request)
}

pub(crate) fn replay_stop(app: &App, caller: &Caller, request: ReplayStop) -> ApiResult<Replay> {
    let more = json!({ "cancelRuns": request.cancel_runs });
    change(app, caller, &request.replay, OPEN, ReplayState::Stopped, ("stopped", more))?;
    if request.cancel_runs {
        let facts = caller.signed(json!({ "replayId": request.replay, "reason": "replay_stopped" }));
        let under_way = app.store.replay_under_way(&request.replay)?;
        let cancelled = |run: &str| {
            let (at, level) = (time::format(app.now_ms()), signalbox_store::audit::RUN_LEVEL);
            let record = Record::new(at, run, level, AuditEvent::RunCancelled, Level::Warn, caller.actor());
            record.with_metadata(facts.as_object().cloned().unwrap_or_default())
        };
        app.wait_for(async {
            // Side by side: their commits go to the disk together.
            let mut tasks = JoinSet::new();
            for run in under_way {
                let (runtime, record) = (app.runtime.clone(), cancelled(&run));
                tasks.spawn(async move { runtime.cancel_by(&run, record).await });
            }
            while let Some(done) = tasks.join_next().await {
                match done {
                    Ok(Ok(()) | Err(signalbox_runtime::Error::Ended { .. })) => {}
                    Ok(Err(error)) => return Err(ApiError::from(error)),
                    Err(ended) => match ended.try_into_panic() {
                        Ok(fault) => std::panic::resume_unwind(fault),
                        Err(_) => return Err(closing()),
                    },
                }
            }
            Ok(())
        })??;
    }
    replay_get(app, caller, ReplayRef { replay: request.replay })
}

pub(crate) fn replay_undo(app: &App, caller: &Caller, request: ReplayRef) -> ApiResult<Replay> {
    change(app, caller, &request.replay, OPEN, ReplayState::Undone, ("taken back", json!({})))?;
    replay_get(app, caller, request)
}
