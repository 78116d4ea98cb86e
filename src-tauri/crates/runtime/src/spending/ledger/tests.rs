use super::{Known, LEFT, Ledger, RUNS};
use signalbox_model::budget::{Budget, BudgetScope, Limits};
use signalbox_store::{Store, StoreOptions};
use std::sync::Arc;

const DAY: &str = "2026-11-23";

fn store() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(dir.path(), &StoreOptions::default()).expect("a store");
    (dir, store)
}

fn budget(run: &str, per_run: u64) -> Budget {
    Budget {
        run_id: Arc::from(run),
        workflow_id: Arc::from("w"),
        limits: Limits { per_run_micros: Some(per_run), ..Limits::default() },
        approved_to_micros: 0,
    }
}

/// Eight items ask side by side with a hundredth of the budget left: one goes, the others wait for what it costs.
#[test]
fn a_question_waits_while_those_under_way_may_use_up_the_rest() {
    let (_dir, store) = store();
    let (mut ledger, one) = (Ledger::default(), budget("r", 1_000));
    ledger.spent(&store, &one, 990, DAY);
    assert_eq!(ledger.may_spend(&store, &one, None, DAY).ok(), Some(true));
    ledger.opened(&one, 500);
    assert_eq!(ledger.may_spend(&store, &one, None, DAY).ok(), Some(false), "490 more than there is");
    assert_eq!(ledger.may_spend(&store, &budget("other", 1_000), None, DAY).ok(), Some(true));
    assert_eq!(ledger.may_spend(&store, &budget("other", 1_000), Some(1_200), DAY).ok(), Some(false), "of the machine");
    // It was cheap: the next may go.
    ledger.spent(&store, &one, 5, DAY);
    ledger.closed(&one, 500);
    assert_eq!(ledger.may_spend(&store, &one, None, DAY).ok(), Some(true));
    ledger.opened(&one, 500);
    ledger.spent(&store, &one, 5, DAY);
    ledger.closed(&one, 500);
    let used_up = ledger.may_spend(&store, &one, None, DAY).expect_err("nothing is left");
    assert_eq!((used_up.scope, used_up.spent_micros), (BudgetScope::Run, 1_000));
    assert!(ledger.open_runs.is_empty() && ledger.open_days.is_empty());
}

#[test]
fn what_a_person_approved_is_a_limit_too() {
    let (_dir, store) = store();
    let mut ledger = Ledger::default();
    let more = Budget { approved_to_micros: 2_000, ..budget("r", 1_000) };
    ledger.spent(&store, &more, 1_500, DAY);
    assert_eq!(ledger.may_spend(&store, &more, None, DAY).ok(), Some(true));
    ledger.opened(&more, 600);
    assert_eq!(ledger.may_spend(&store, &more, None, DAY).ok(), Some(false));
}

/// Runs that are gone from the store, or cut off before their events were written, do not stay for ever.
#[test]
fn too_many_runs_are_not_all_looked_up_at_every_answer() {
    let (_dir, store) = store();
    let mut ledger = Ledger::default();
    for heard in 0..RUNS as u64 {
        ledger.runs.insert(format!("gone-{heard}"), Known { sum: 7, heard });
    }
    ledger.spent(&store, &budget("last", 1), 7, DAY);
    assert!(ledger.runs.len() <= LEFT + 1, "{}", ledger.runs.len());
    assert!(ledger.may_spend(&store, &budget("last", 1), None, DAY).is_err(), "what was heard last is known");
}
