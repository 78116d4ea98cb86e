//! Places of runs: at most as many as the limit, in the order of arrival, and flat however many wait.

use crate::support::{T0, begin, end, finish, new_run, open, started};
use proptest::prelude::*;
use serde_json::json;
use signalbox_model::{DurableInput, RunStatus};
use signalbox_store::{Limited, NewRun, Owner, RunCommit, RunEnd, RunLimits, Store, StoreError, Waits};
use std::collections::{BTreeMap, VecDeque};

const MOST: u64 = 10_000;

fn limits(key: &str, max: u32) -> RunLimits {
    RunLimits { key: key.into(), max: Some(max), rate: None }
}

/// A start as the runtime makes it: now when there is room, else into the queue. Gives whether it began.
fn start(store: &Store, run: &str, limits: &RunLimits, now_ms: i64) -> Result<bool, StoreError> {
    if store.run_has_room("wf", limits, now_ms).expect("is read") {
        let new = NewRun { started_ms: now_ms, limited: Some(Limited::Now(limits.clone())), ..new_run(run) };
        store.create_run(new).map_err(StoreError::from)?;
        return Ok(true);
    }
    let waits = Waits { start: json!({ "params": {} }).to_string(), most: MOST, replaces: None };
    let new = NewRun {
        started_ms: now_ms,
        status: RunStatus::Queued,
        events: Vec::new(),
        rests: true,
        limited: Some(Limited::Waits(limits.clone(), Box::new(waits))),
        ..new_run(run)
    };
    store.create_run(new).map_err(StoreError::from)?;
    Ok(store.run(run).expect("is there").status != RunStatus::Queued)
}

/// Takes up a run whose turn has come, as the runtime does: its log begins now.
fn begun(store: &Store, run: &str, now_ms: i64) -> Owner {
    let owner = store.take_over(run).expect("is read").expect("is nobody's");
    let mut first = begin(run);
    first.ts = signalbox_model::time::format(now_ms);
    let commit = RunCommit { status: Some(RunStatus::Running), ..RunCommit::new(run, owner.clone(), vec![first]) };
    store.commit(commit).expect("begins");
    owner
}

fn ended(store: &Store, run: &str, owner: &Owner, now_ms: i64) {
    let commit = RunCommit {
        status: Some(RunStatus::Completed),
        end: Some(RunEnd { ended_ms: now_ms, ..RunEnd::default() }),
        ..RunCommit::new(run, owner.clone(), vec![finish(run, 2)])
    };
    store.commit(commit).expect("ends");
}

fn status(store: &Store, run: &str) -> RunStatus {
    store.run(run).expect("is there").status
}

#[test]
fn a_run_waits_for_a_place_of_its_key_and_gets_it_in_the_transaction_that_frees_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path());
    for (run, key, begins) in [("a1", "a", true), ("a2", "a", false), ("b1", "b", true), ("a3", "a", false)] {
        assert_eq!(start(&store, run, &limits(key, 1), T0), Ok(begins), "{run}");
    }
    assert_eq!(store.run_place("a2"), Ok(Some(1)));
    assert_eq!(store.run_place("a3"), Ok(Some(2)));
    assert_eq!(store.run_place("a1"), Ok(None));
    assert_eq!(store.workflow_activity("wf", 0).map(|all| (all.runs, all.waiting)), Ok((2, 2)));
    // Nobody takes up what waits, and nobody is told to.
    assert_eq!(store.take_over("a2"), Ok(None));
    let first = Owner { instance: store.instance().into(), epoch: 1 };
    end(&store, "a1", &first, 2);
    assert_eq!((status(&store, "a2"), status(&store, "a3")), (RunStatus::Running, RunStatus::Queued));
    assert_eq!(store.unowned_active_runs(), Ok(vec!["a2".to_owned()]));
    assert_eq!(store.run_start("a2"), Ok(Some(json!({ "params": {} }))));
    let owner = begun(&store, "a2", T0 + 500);
    assert_eq!(store.run("a2").map(|row| row.started_ms), Ok(T0 + 500), "its time counts from its turn on");
    assert_eq!(store.run_start("a2"), Ok(None), "its log has it");
    ended(&store, "a2", &owner, T0 + 600);
    assert_eq!(status(&store, "a3"), RunStatus::Running);
    assert_eq!(store.workflow_activity("wf", 0).map(|all| all.waiting), Ok(0));
}

#[test]
fn a_start_that_was_overtaken_writes_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path());
    assert_eq!(start(&store, "one", &limits("", 1), T0), Ok(true));
    let late = NewRun { limited: Some(Limited::Now(limits("", 1))), ..new_run("late") };
    assert_eq!(
        store.create_run(late).map_err(StoreError::from),
        Err(StoreError::LimitReached { workflow: "wf".into() })
    );
    assert_eq!(store.run("late").map(drop), Err(StoreError::UnknownRun { run: "late".into() }));
    // A person who repeats a part of a run does not wait, and is counted.
    let again = NewRun { limited: Some(Limited::Always(limits("", 1))), ..new_run("again") };
    store.create_run(again).expect("is created");
    assert_eq!(start(&store, "next", &limits("", 2), T0), Ok(false));
}

#[test]
fn the_queue_has_an_end() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path());
    assert_eq!(start(&store, "one", &limits("", 1), T0), Ok(true));
    let waits = Waits { start: "{}".into(), most: 1, replaces: None };
    let queued = |run: &str| NewRun {
        status: RunStatus::Queued,
        events: Vec::new(),
        rests: true,
        limited: Some(Limited::Waits(limits("", 1), Box::new(waits.clone()))),
        ..new_run(run)
    };
    store.create_run(queued("two")).expect("waits");
    let full = StoreError::QueueFull { workflow: "wf".into(), waiting: 1 };
    assert_eq!(store.create_run(queued("three")).map_err(StoreError::from), Err(full));
}

#[test]
fn a_rate_holds_by_the_clock_also_when_it_is_put_back() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path());
    let limits = RunLimits { key: String::new(), max: None, rate: Some((2, 1_000)) };
    assert_eq!(start(&store, "r1", &limits, T0), Ok(true));
    assert_eq!(start(&store, "r2", &limits, T0 + 400), Ok(true));
    assert_eq!(start(&store, "r3", &limits, T0 + 500), Ok(false));
    assert_eq!(start(&store, "r4", &limits, T0 + 999), Ok(false));
    let admit = |now| store.runs_admit(now).expect("is written");
    assert_eq!((admit(T0 + 999).runs, admit(T0 + 999).next_ms), (vec![], Some(T0 + 1_000)));
    assert_eq!((admit(T0 + 1_000).runs, admit(T0 + 1_000).next_ms), (vec!["r3".to_owned()], Some(T0 + 1_400)));
    // An hour back: no start is held up for longer than the time of the rate.
    let back = T0 - 3_600_000;
    assert_eq!((admit(back).runs, admit(back).next_ms), (vec![], Some(back + 1_000)));
    assert_eq!((admit(back + 1_000).runs, admit(back + 1_000).next_ms), (vec!["r4".to_owned()], None));
}

#[test]
fn a_newer_start_replaces_the_oldest_of_its_key() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path());
    assert_eq!(start(&store, "one", &limits("k", 1), T0), Ok(true));
    let record = signalbox_store::audit::Record::new(
        "2026-01-01T00:00:00.000Z",
        "",
        signalbox_store::audit::RUN_LEVEL,
        signalbox_model::AuditEvent::RunCancelled,
        signalbox_store::audit::Level::Warn,
        signalbox_store::audit::Actor::system(),
    );
    for (run, asked) in [("two", "one"), ("three", "two")] {
        let waits = Waits { start: "{}".into(), most: MOST, replaces: Some(record.clone()) };
        let new = NewRun {
            status: RunStatus::Queued,
            events: Vec::new(),
            rests: true,
            limited: Some(Limited::Waits(limits("k", 1), Box::new(waits))),
            ..new_run(run)
        };
        store.create_run(new).expect("waits");
        let inputs = store.pending_inputs(asked).expect("is read");
        assert_eq!(
            inputs.into_iter().map(|input| input.body).collect::<Vec<_>>(),
            [Some(DurableInput::Cancel { superseded_by: None })],
            "{asked}"
        );
        assert_eq!(store.pending_inputs(run).map(|all| all.len()), Ok(0), "{run}");
    }
    // One that waits and is to end is taken up for that.
    assert!(store.take_over("two").expect("is read").is_some());
}

#[derive(Debug, Clone)]
enum Act {
    Start(u8),
    End(u8),
    Cancel(u8),
    /// The process dies and another one begins; with the time that passes.
    Crash,
    Wait(u16),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (0..3_u8).prop_map(Act::Start),
        5 => any::<u8>().prop_map(Act::End),
        2 => any::<u8>().prop_map(Act::Cancel),
        1 => Just(Act::Crash),
        2 => (0..1_500_u16).prop_map(Act::Wait),
    ]
}

proptest! {
    // A crash makes connections anew, which a server takes longer for.
    #![proptest_config(ProptestConfig { cases: if crate::support::at_server() { 6 } else { 48 }, ..ProptestConfig::default() })]

    #[test]
    fn never_more_than_the_limit_in_order_none_lost_or_doubled(
        acts in proptest::collection::vec(act(), 1..80), max in 1..4_u32, rate in proptest::option::of((1..4_u32, 200..1_000_i64)),
    ) {
        let dir = tempfile::tempdir().expect("a folder");
        let mut store = open(dir.path());
        let mut now = T0;
        let mut count = 0;
        let mut waiting: BTreeMap<u8, VecDeque<String>> = BTreeMap::new();
        let mut under_way: BTreeMap<String, (u8, Owner)> = BTreeMap::new();
        let mut starts: Vec<i64> = Vec::new();
        let mut all = 0_usize;
        for act in acts {
            match act {
                Act::Start(key) => {
                    count += 1;
                    let run = format!("r{count:04}");
                    let limits = RunLimits { key: key.to_string(), max: Some(max), rate };
                    all += 1;
                    if start(&store, &run, &limits, now).expect("is taken") && store.run(&run).expect("is there").last_seq > 0 {
                        prop_assert!(waiting.get(&key).is_none_or(VecDeque::is_empty), "{run} overtook");
                        under_way.insert(run, (key, Owner { instance: store.instance().into(), epoch: 1 }));
                        starts.push(now);
                    } else {
                        waiting.entry(key).or_default().push_back(run);
                    }
                }
                Act::End(nth) => {
                    let Some(run) = under_way.keys().nth(usize::from(nth) % under_way.len().max(1)).cloned() else { continue };
                    let (_, owner) = under_way.remove(&run).expect("is there");
                    ended(&store, &run, &owner, now);
                }
                Act::Cancel(nth) => {
                    let queued: Vec<String> = waiting.values().flatten().cloned().collect();
                    let Some(run) = queued.get(usize::from(nth) % queued.len().max(1)).cloned() else { continue };
                    store.add_input(&run, &DurableInput::Cancel { superseded_by: None }).expect("is asked");
                    let owner = begun(&store, &run, now);
                    ended(&store, &run, &owner, now);
                    waiting.values_mut().for_each(|queue| queue.retain(|other| *other != run));
                }
                Act::Crash => {
                    drop(store);
                    store = open(dir.path());
                    for (run, (_, owner)) in &mut under_way {
                        *owner = store.take_over(run).expect("is read").expect("its process is dead");
                    }
                }
                Act::Wait(ms) => now += i64::from(ms),
            }
            store.runs_admit(now).expect("is written");
            // Whoever stays takes up what nobody drives.
            for run in store.unowned_active_runs().expect("is read") {
                let owner = begun(&store, &run, now);
                let key = *waiting.iter().find(|(_, queue)| queue.contains(&run)).expect("it waited").0;
                let queue = waiting.get_mut(&key).expect("is there");
                prop_assert_eq!(queue.pop_front(), Some(run.clone()), "out of order");
                under_way.insert(run, (key, owner));
                starts.push(now);
            }
            for key in 0..3_u8 {
                let running = under_way.values().filter(|(of, _)| *of == key).count();
                prop_assert!(running <= max as usize, "{running} runs of key {key} at once");
                let waits = waiting.get(&key).map_or(0, VecDeque::len);
                prop_assert!(rate.is_some() || waits == 0 || running == max as usize, "{waits} wait beside {running}");
            }
            if let Some((most, per_ms)) = rate {
                let lately = starts.iter().filter(|at| **at > now - per_ms).count();
                prop_assert!(lately <= most as usize, "{lately} starts in {per_ms} ms");
            }
            let waits: usize = waiting.values().map(VecDeque::len).sum();
            prop_assert_eq!(store.workflow_activity("wf", 0).expect("is read").waiting, waits as u64);
        }
        let listed = store.runs(&signalbox_store::RunQuery { limit: 1_000, ..Default::default() }).expect("is read");
        prop_assert_eq!(listed.runs.len(), all);
    }
}

#[test]
fn a_workflow_without_limits_leaves_no_trace() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path());
    let owner = started(&store, "plain");
    end(&store, "plain", &owner, 2);
    assert_eq!(store.run_start("plain"), Ok(None));
    assert_eq!(store.runs_admit(T0), Ok(Default::default()));
}
