//! Starts that are named by a key: one run for the same start, for a day by the host's clock.

use crate::support::{Die, chain, new_run, options, store, trace, with_clock, workflow};
use serde_json::json;
use signalbox_model::RunStatus;
use signalbox_runtime::{Error, Runtime, StartOutcome};
use signalbox_store::{RUN_KEY_MS, RunKey, StoreError};
use signalbox_testkit::ManualClock;
use std::sync::Arc;

fn key(hash: &str) -> RunKey {
    RunKey { scope: "rest user:anna".into(), key: "order-77".into(), request_hash: hash.into() }
}

async fn start(runtime: &Runtime, hash: &str) -> Result<StartOutcome, Error> {
    let new = new_run(runtime, workflow(chain(1)), json!({})).await;
    runtime.start_once(new, None, key(hash)).await
}

#[tokio::test]
async fn the_same_start_gives_the_same_run_for_a_day() {
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(ManualClock::default());
    let runtime = with_clock(dir.path(), store(dir.path()), Die::Never, options(dir.path()), clock.clone());
    assert_eq!(runtime.started_with(&key("a")).await, Ok(None));
    let Ok(StartOutcome::New(run)) = start(&runtime, "a").await else { panic!("a new run") };
    assert_eq!(start(&runtime, "a").await, Ok(StartOutcome::Existing(run.clone())));
    let reused = Error::Store(StoreError::KeyReused { key: "order-77".into(), run: run.clone() });
    assert_eq!(start(&runtime, "b").await, Err(reused));
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
    clock.advance(RUN_KEY_MS - 1);
    assert_eq!(start(&runtime, "a").await, Ok(StartOutcome::Existing(run.clone())));
    assert_eq!(trace(dir.path()), ["/1"], "it was done once");
    clock.advance(1);
    let Ok(StartOutcome::New(next)) = start(&runtime, "b").await else { panic!("the day is over") };
    assert_ne!(next, run);
    assert_eq!(runtime.wait(&next).await, Ok(RunStatus::Completed));
    assert_eq!(runtime.driven(), Vec::<String>::new());
}

#[tokio::test]
async fn starts_at_once_with_one_key_give_one_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(ManualClock::default());
    let runtime = with_clock(dir.path(), store(dir.path()), Die::Never, options(dir.path()), clock);
    let (one, two, three, four) =
        tokio::join!(start(&runtime, "a"), start(&runtime, "a"), start(&runtime, "a"), start(&runtime, "a"));
    let all: Vec<StartOutcome> = [one, two, three, four].into_iter().map(|one| one.expect("a run")).collect();
    assert_eq!(all.iter().filter(|one| matches!(one, StartOutcome::New(_))).count(), 1, "{all:?}");
    let run = all[0].clone().run_id();
    assert!(all.into_iter().all(|one| one.run_id() == run));
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
    assert_eq!(trace(dir.path()), ["/1"]);
}
