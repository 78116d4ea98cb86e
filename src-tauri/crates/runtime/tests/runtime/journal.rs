//! Runs that a journal drives: cut anywhere and followed again, they end the same and nothing that was finished is done again.

use crate::people::{answer, asks, intact};
use crate::support::{chain, lines, runtime, start, trace};
use serde_json::{Value, json};
use signalbox_model::event::EventBody;
use signalbox_model::{RunStatus, TaskAction};
use signalbox_runtime::{Beginning, Error, HandedRun, JournalEntry, JournaledRun, NextEntry, RunHost, Runtime};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Hears which runs are handed over.
#[derive(Default)]
struct Host(Mutex<Vec<HandedRun>>);

impl RunHost for Host {
    fn name(&self) -> &'static str {
        "test"
    }

    fn begin(&self, run: HandedRun) {
        self.0.lock().expect("no panic").push(run);
    }

    fn go_on(&self, _runs: Vec<HandedRun>) {}
}

/// A journal as a durable engine keeps it: names and texts.
#[derive(Debug, Default, Clone)]
struct Journal {
    begins: Option<String>,
    entries: Vec<(String, String)>,
}

/// Where an attempt ends although the run goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cut {
    Never,
    /// Before its n-th new entry is made.
    Before(usize),
    /// After it was made, before it was kept.
    Lost(usize),
    /// After it was kept, before anything follows from it.
    Kept(usize),
}

fn handing(folder: &Path) -> (Runtime, Arc<Host>) {
    let (runtime, host) = (runtime(folder), Arc::new(Host::default()));
    runtime.hand_runs_to(Arc::<Host>::clone(&host));
    (runtime, host)
}

async fn claimed(runtime: &Runtime, run: &str, journal: &mut Journal) -> JournaledRun {
    if journal.begins.is_none() {
        let beginning = runtime.journal_beginning(run).await.expect("it is there");
        journal.begins = Some(Beginning::text(beginning.as_ref()).expect("a text"));
    }
    let text = journal.begins.as_deref().expect("written above");
    let beginning = Beginning::of_text(text).expect("readable").expect("it has not ended");
    runtime.journaled(run, beginning).await.expect("it is taken")
}

/// The next new entry; none while the run waits for a person alone.
async fn made(driven: &mut JournaledRun, next: &NextEntry) -> Option<JournalEntry> {
    match next {
        NextEntry::Calls { .. } => Some(driven.carry_out().await.expect("it is driven")),
        NextEntry::Rests { due_ms, .. } => {
            let asked = driven.asked();
            if asked.is_empty() { due_ms.map(|due| driven.due(due)) } else { Some(asked) }
        }
        NextEntry::Ended(_) | NextEntry::Overtaken => None,
    }
}

/// One attempt: follows the journal and goes on from there. The status when the run has ended.
async fn attempt(runtime: &Runtime, run: &str, journal: &mut Journal, cut: Cut) -> Result<Option<RunStatus>, Error> {
    let mut driven = claimed(runtime, run, journal).await;
    let mut next = driven.begin().await?;
    let mut new = 0;
    for at in 0.. {
        let name = match &next {
            NextEntry::Ended(status) => return Ok(Some(*status)),
            NextEntry::Overtaken => return Ok(None),
            NextEntry::Calls { name } | NextEntry::Rests { name, .. } => name.clone(),
        };
        let entry = match journal.entries.get(at) {
            Some((was, text)) => {
                assert_eq!(*was, name, "the names follow from the entries");
                JournalEntry::of_text(text)?
            }
            None => {
                new += 1;
                if cut == Cut::Before(new) {
                    return Ok(None);
                }
                let Some(entry) = made(&mut driven, &next).await else { return Ok(None) };
                if cut == Cut::Lost(new) {
                    return Ok(None);
                }
                journal.entries.push((name, entry.text()?));
                if cut == Cut::Kept(new) {
                    return Ok(None);
                }
                entry
            }
        };
        next = driven.advance(entry).await?;
    }
    Ok(None)
}

fn context(runtime: &Runtime, run: &str) -> Value {
    runtime.store().summary::<Value>(run).expect("readable").expect("ended")["context"].clone()
}

#[tokio::test]
async fn cut_anywhere_a_run_ends_the_same_and_only_the_call_whose_end_nobody_knows_is_made_again() {
    let undisturbed = {
        let dir = tempfile::tempdir().expect("a folder");
        let (runtime, host) = handing(dir.path());
        let run = start(&runtime, chain(10)).await;
        let handed = HandedRun { run_id: run.clone(), epoch: 1, is_driven: false, is_asked: false };
        assert_eq!(*host.0.lock().expect("no panic"), [handed]);
        let mut journal = Journal::default();
        let ended = attempt(&runtime, &run, &mut journal, Cut::Never).await;
        assert_eq!(ended, Ok(Some(RunStatus::Completed)));
        assert_eq!(journal.entries.len(), 5, "one for each call: {journal:?}");
        assert!(journal.entries[0].0.ends_with(":s1"), "{journal:?}");
        assert_eq!(trace(dir.path()), ["/1", "/3", "/5", "/7", "/9"]);
        intact(runtime.store());
        context(&runtime, &run)
    };
    let cuts = (1..=5).flat_map(|n| [Cut::Before(n), Cut::Lost(n), Cut::Kept(n)]);
    for cut in cuts {
        let dir = tempfile::tempdir().expect("a folder");
        let (runtime, _host) = handing(dir.path());
        let run = start(&runtime, chain(10)).await;
        let mut journal = Journal::default();
        assert_eq!(attempt(&runtime, &run, &mut journal, cut).await, Ok(None), "{cut:?}");
        let before = runtime.store().events(&run, 0, 1_000).expect("readable");
        let ended = attempt(&runtime, &run, &mut journal, Cut::Never).await;
        assert_eq!(ended, Ok(Some(RunStatus::Completed)), "{cut:?}");
        assert_eq!(context(&runtime, &run), undisturbed, "{cut:?}");
        let events = runtime.store().events(&run, 0, 1_000).expect("readable");
        assert_eq!(events[..before.len()], before[..], "{cut:?}: what was recorded stays");
        let mut wrong = Vec::new();
        signalbox_testkit::scenario::oracles(&events, &mut wrong);
        assert_eq!(wrong, Vec::<String>::new(), "{cut:?}: {:#?}", lines(&events));
        let requests = trace(dir.path()).len();
        assert_eq!(requests, if matches!(cut, Cut::Lost(_)) { 6 } else { 5 }, "{cut:?}");
        // Once more to the end: nothing is left to do, and nothing is written.
        assert_eq!(attempt(&runtime, &run, &mut journal, Cut::Never).await, Ok(Some(RunStatus::Completed)), "{cut:?}");
        assert_eq!(trace(dir.path()).len(), requests, "{cut:?}");
        intact(runtime.store());
    }
}

#[tokio::test]
async fn a_write_whose_end_nobody_knows_is_not_made_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let (runtime, _host) = handing(dir.path());
    let config = json!({ "method": "POST", "url": "http://api.example/pay", "body": {} });
    let run = start(&runtime, json!({ "nodes": { "pay": { "type": "http.request", "config": config } } })).await;
    let mut journal = Journal::default();
    assert_eq!(attempt(&runtime, &run, &mut journal, Cut::Lost(1)).await, Ok(None));
    let ended = attempt(&runtime, &run, &mut journal, Cut::Never).await.expect("it is driven");
    assert_ne!(ended, Some(RunStatus::Completed));
    assert_eq!(trace(dir.path()), ["/pay"]);
    let events = runtime.store().events(&run, 0, 100).expect("readable");
    let unknown = |event: &signalbox_model::RunEvent| matches!(&event.body, EventBody::StepInterrupted(cut) if cut.effect.as_deref() == Some("unknown"));
    assert!(events.iter().any(unknown), "{:#?}", lines(&events));
}

#[tokio::test]
async fn a_journal_that_contradicts_the_history_is_refused_and_writes_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let (runtime, _host) = handing(dir.path());
    let run = start(&runtime, chain(10)).await;
    let mut journal = Journal::default();
    assert_eq!(attempt(&runtime, &run, &mut journal, Cut::Before(3)).await, Ok(None));
    let last = runtime.store().run(&run).expect("listed").last_seq;
    let mut other = journal.clone();
    other.entries[0].1 = other.entries[0].1.replace("\"/1\"", "\"/x\"");
    assert_ne!(other.entries[0].1, journal.entries[0].1);
    let refused = attempt(&runtime, &run, &mut other, Cut::Never).await.expect_err("it is refused").to_string();
    assert!(refused.contains("of the history is not the var_changed that follows from its journal"), "{refused}");
    assert_eq!(runtime.store().run(&run).expect("listed").last_seq, last);
    assert_eq!(trace(dir.path()).len(), 2, "nothing was called");
    let ended = attempt(&runtime, &run, &mut journal, Cut::Never).await;
    assert_eq!(ended, Ok(Some(RunStatus::Completed)), "the right one goes on");
}

#[tokio::test]
async fn who_took_the_run_last_drives_it_and_hosts_leave_it_alone() {
    let dir = tempfile::tempdir().expect("a folder");
    let (runtime, host) = handing(dir.path());
    let run = start(&runtime, chain(10)).await;
    assert_eq!(runtime.resume_all().await.expect("readable"), []);
    let mut journal = Journal::default();
    let mut first = claimed(&runtime, &run, &mut journal).await;
    assert!(matches!(first.begin().await, Ok(NextEntry::Calls { .. })));
    assert_eq!(runtime.resume(&run).await, Err(Error::DrivenElsewhere { run: run.clone() }));
    assert_eq!(host.0.lock().expect("no panic").last().map(|run| (run.is_driven, run.is_asked)), Some((true, true)));
    let ended = attempt(&runtime, &run, &mut journal, Cut::Never).await;
    assert_eq!(ended, Ok(Some(RunStatus::Completed)));
    let late = first.carry_out().await.expect("its call ends");
    assert_eq!(first.advance(late).await, Err(Error::DrivenElsewhere { run: run.clone() }));
    let other = Beginning::of_text(&Beginning::text(None).expect("a text")).expect("readable");
    assert_eq!(runtime.journal_beginning(&run).await, Ok(other), "an ended run has no further journal");
}

#[tokio::test]
async fn an_answer_of_a_person_reaches_the_run_in_its_journal() {
    let dir = tempfile::tempdir().expect("a folder");
    let (runtime, host) = handing(dir.path());
    let run = start(&runtime, asks(&json!({ "ttlMs": 600_000 }))).await;
    let mut journal = Journal::default();
    let mut driven = claimed(&runtime, &run, &mut journal).await;
    let mut next = driven.begin().await.expect("it is driven");
    while let NextEntry::Calls { name } = &next {
        let entry = driven.carry_out().await.expect("it is driven");
        journal.entries.push((name.clone(), entry.text().expect("a text")));
        next = driven.advance(entry).await.expect("it is driven");
    }
    assert!(matches!(next, NextEntry::Rests { due_ms: Some(_), .. }), "{next:?}");
    drop(driven);
    let row = runtime.store().run(&run).expect("listed");
    assert_eq!((row.status, row.owner), (RunStatus::Paused, None), "it is nobody's while it waits");
    let task = runtime.store().open_tasks_of(&run).expect("readable").pop().expect("a task");
    answer(runtime.store(), &task, TaskAction::Skip);
    runtime.wake(&run).await.expect("it is told");
    assert!(host.0.lock().expect("no panic").last().is_some_and(|run| run.is_asked && !run.is_driven));
    let handed = runtime.store().handed_runs().expect("readable");
    assert_eq!(handed.iter().map(|run| (run.is_asked, run.is_driven)).collect::<Vec<_>>(), [(true, false)]);
    // Cut after the answer is in the journal, too.
    assert_eq!(attempt(&runtime, &run, &mut journal, Cut::Kept(1)).await, Ok(None));
    assert_eq!(attempt(&runtime, &run, &mut journal, Cut::Never).await, Ok(Some(RunStatus::Completed)));
    assert_eq!(trace(dir.path()), ["/1"]);
    assert_eq!(runtime.store().pending_inputs(&run).expect("readable").len(), 0);
    intact(runtime.store());
}

#[tokio::test]
async fn an_answer_that_is_faster_than_the_time_limit_of_its_task_stands() {
    let dir = tempfile::tempdir().expect("a folder");
    let (runtime, _host) = handing(dir.path());
    let config = json!({ "ttlMs": 600_000, "onExpiry": "abort" });
    let run = start(&runtime, asks(&config)).await;
    let mut journal = Journal::default();
    let mut driven = claimed(&runtime, &run, &mut journal).await;
    let mut next = driven.begin().await.expect("it is driven");
    while let NextEntry::Calls { .. } = &next {
        let entry = driven.carry_out().await.expect("it is driven");
        next = driven.advance(entry).await.expect("it is driven");
    }
    let task = runtime.store().open_tasks_of(&run).expect("readable").pop().expect("a task");
    answer(runtime.store(), &task, TaskAction::Skip);
    // Reminders come first.
    while let NextEntry::Rests { due_ms: Some(due), .. } = next {
        let late = driven.due(due);
        next = driven.advance(late).await.expect("it is driven");
    }
    assert_eq!(next, NextEntry::Overtaken);
    drop(driven);
    let ended = attempt(&runtime, &run, &mut Journal::default(), Cut::Never).await;
    assert_eq!(ended, Ok(Some(RunStatus::Completed)), "another journal goes on with the answer");
    intact(runtime.store());
}

#[tokio::test]
async fn a_run_is_cancelled_while_it_waits_and_before_it_has_begun() {
    let dir = tempfile::tempdir().expect("a folder");
    let (runtime, _host) = handing(dir.path());
    let waits = json!({ "nodes": { "w": { "type": "flow.wait", "config": { "ms": 600_000 } } } });
    let run = start(&runtime, waits.clone()).await;
    let mut journal = Journal::default();
    assert_eq!(attempt(&runtime, &run, &mut journal, Cut::Before(1)).await, Ok(None));
    runtime.cancel(&run).await.expect("it is asked");
    assert_eq!(attempt(&runtime, &run, &mut journal, Cut::Never).await, Ok(Some(RunStatus::Cancelled)));
    let unborn = start(&runtime, waits).await;
    runtime.cancel(&unborn).await.expect("it is asked");
    let ended = attempt(&runtime, &unborn, &mut Journal::default(), Cut::Never).await;
    assert_eq!(ended, Ok(Some(RunStatus::Cancelled)));
    for run in [run, unborn] {
        assert_eq!(runtime.store().pending_inputs(&run).expect("readable").len(), 0);
    }
}

#[tokio::test]
async fn a_lost_journal_is_begun_anew_where_the_history_stands() {
    let dir = tempfile::tempdir().expect("a folder");
    let (runtime, _host) = handing(dir.path());
    let run = start(&runtime, chain(10)).await;
    for cut in [Cut::Kept(1), Cut::Before(3), Cut::Before(2)] {
        assert_eq!(attempt(&runtime, &run, &mut Journal::default(), cut).await, Ok(None));
    }
    let ended = attempt(&runtime, &run, &mut Journal::default(), Cut::Never).await;
    assert_eq!(ended, Ok(Some(RunStatus::Completed)));
    let requests = trace(dir.path());
    let finished: Vec<&String> = requests.iter().filter(|path| *path != "/1").collect();
    assert_eq!(
        finished,
        ["/3", "/5", "/7", "/9"],
        "only the call whose end was in the lost journal alone: {requests:?}"
    );
}
