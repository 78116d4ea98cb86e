//! A replay as it is driven: its correction, its limits, and who started it.

use super::correction::{Corrected, Rule};
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{Correction, RerunDefinition};
use crate::error::{ApiError, ApiResult};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use signalbox_engine::patch::Operation;
use signalbox_engine::rerun::{Overrides, Plan};
use signalbox_model::RunOrigin;
use signalbox_runtime::{Again, Correct, Definition, Pinned, ReplayOf, definition};
use signalbox_store::audit::Actor;
use signalbox_store::{FailureRow, ReplayRow, Replayed, RunRow};
use std::sync::Arc;

/// What is stored of a replay besides its rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Kept {
    pub(crate) correction: Correction,
    /// What an edited input comes to. The input itself is data of a run, which may be deleted, and is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) edits: Option<Vec<Operation>>,
    pub(crate) keep_answers: bool,
    pub(crate) include_different: bool,
    pub(crate) rate: u32,
    pub(crate) concurrency: u32,
    /// What the correction gives for the failure that it was made for.
    pub(crate) signature: String,
    pub(crate) actor: Actor,
    #[serde(default)]
    pub(crate) started_by: Option<String>,
    pub(crate) via: String,
}

/// A replay that is driven.
pub(crate) struct Job {
    pub(crate) id: String,
    pub(crate) kept: Kept,
    rule: Rule,
    definition: Definition,
    reason: String,
    person: String,
}

impl Kept {
    pub(crate) fn rule(&self) -> ApiResult<Rule> {
        match &self.edits {
            Some(edits) => Ok(Rule::Patch { operations: edits.clone(), literal: true }),
            None => Rule::of(&self.correction, |_| Ok(Vec::new())),
        }
    }

    pub(crate) fn read(row: &ReplayRow) -> ApiResult<Self> {
        serde_json::from_str(&row.correction).map_err(|error| {
            let message = format!("The replay {} cannot be read: {error}.", row.id);
            ApiError::unavailable("REPLAY_UNREADABLE", message, "Take it back, and start another one.")
        })
    }
}

/// Who starts runs for a caller.
pub(crate) fn started_by(caller: &Caller) -> Option<String> {
    caller.origin(None).started_by
}

impl Job {
    pub(crate) fn load(app: &App, id: &str) -> ApiResult<Self> {
        let row = app.store.replay(id)?;
        let kept = Kept::read(&row)?;
        let rule = kept.rule()?;
        let definition = match &row.definition {
            None => Definition::Original,
            Some(hash) => Definition::Other(stored(app, &row, hash)?),
        };
        Ok(Self { id: row.id, kept, rule, definition, reason: row.reason, person: row.person })
    }

    /// The re-run of a failure, and what corrects its input.
    pub(crate) fn again(&self, failure: &FailureRow, row: &RunRow) -> (Again, ReplayOf) {
        let mut told = Map::new();
        told.insert("replayId".into(), self.id.as_str().into());
        told.insert("reason".into(), self.reason.as_str().into());
        let current = self.kept.correction.definition == RerunDefinition::Current;
        told.insert("definition".into(), if current { "current" } else { "original" }.into());
        told.insert("keepAnswers".into(), self.kept.keep_answers.into());
        told.insert("inputChanged".into(), (!matches!(self.rule, Rule::Recorded)).into());
        told.insert("via".into(), self.kept.via.as_str().into());
        let again = Again {
            run_id: failure.run_id.clone(),
            from: failure.place.clone(),
            until: None,
            person: None,
            definition: self.definition.clone(),
            overrides: Overrides { keep_answers: self.kept.keep_answers, ..Overrides::default() },
            origin: RunOrigin {
                trial: false,
                started_by: self.kept.started_by.clone(),
                person: Some(self.person.clone()),
                token: None,
                workspace: None,
                client_run_token: None,
                trace: None,
            },
            debug: None,
            actor: self.kept.actor.clone(),
            told,
        };
        let (rule, error) = (self.rule.clone(), error_of(row));
        let (signature, different) = (self.kept.signature.clone(), self.kept.include_different);
        let correct: Correct = Box::new(move |plan: &Plan| {
            let Corrected { input, signature: found } = rule.apply(plan, &error, current)?;
            if !different && found != signature {
                return Err(different_words(&signature, &found));
            }
            Ok(input)
        });
        (again, ReplayOf { item: Replayed { replay: self.id.clone(), failure: failure.id }, correct })
    }
}

/// What an expression knows of the error of a run.
pub(crate) fn error_of(row: &RunRow) -> Value {
    json!({ "code": row.error_code, "message": row.error_message })
}

/// What is different, in words: places that one has and the other has not.
pub(crate) fn different_words(expected: &str, found: &str) -> String {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    let (expected, found) = (lines(expected), lines(found));
    let shown = |mut all: Vec<String>| {
        let more = all.len().saturating_sub(3);
        all.truncate(3);
        let text = all.iter().map(|one| one.trim_start_matches('!').to_owned()).collect::<Vec<_>>().join(", ");
        if more > 0 { format!("{text} and {more} more") } else { text }
    };
    let added: Vec<String> = found.difference(&expected).cloned().collect();
    let missing: Vec<String> = expected.difference(&found).cloned().collect();
    match (added.is_empty(), missing.is_empty()) {
        (false, false) => format!("It gives {} instead of {}.", shown(added), shown(missing)),
        (false, true) => format!("It also gives {}.", shown(added)),
        _ => format!("It does not give {}.", shown(missing)),
    }
}

/// A definition that was stored when the replay was started.
fn stored(app: &App, row: &ReplayRow, hash: &str) -> ApiResult<Pinned> {
    let of = app.store.replay_items(&row.id, "waiting", 0, 1)?;
    let lost = || {
        let message = format!("The definition of the replay {} is not in the store.", row.id);
        ApiError::unavailable("DEFINITION_UNUSABLE", message, "Take it back, and start another one.")
    };
    let run = app.store.run(&of.first().ok_or_else(lost)?.run_id)?;
    let pinned = RunRow { definition_hash: hash.to_owned(), ..run };
    let compiled = definition(&app.store, app.runtime.registry(), &pinned)?;
    let text = app.store.definition_get(hash)?.ok_or_else(lost)?;
    Ok(Pinned { compiled: Arc::new(compiled), definition: text, files: Vec::new() })
}
