//! Recorded histories, `tests/histories/`: events of runs as an earlier build wrote them. Every later build reads them, folds
//! them, and makes the same run again to the byte. `SIGNALBOX_GEN=1` records anew; a change there is a
//! change for every run that waits in somebody's store.

use signalbox_engine::{RunState, fold};
use signalbox_model::RunEvent;
use signalbox_testkit::scenario::{self, Scenario, line};
use std::fs;
use std::path::{Path, PathBuf};

/// File → the scenario, by the beginning of its name.
const RECORDED: &[(&str, &str)] = &[
    ("retry-capped", "TS-005 a rule that always says retry"),
    ("handler-then-person", "SEMANTICS 10.A"),
    ("healer-then-person", "SEMANTICS 10.B"),
    ("skip-fallback", "TS-010 K-17"),
    ("expired-escalated", "TS-012 H-19"),
    ("abort-chain", "TS-018 H-16"),
    ("items-on-both-ports", "TS-034 of three items"),
    ("parallel-loop-cut-off", "SEMANTICS D"),
    ("loop-collects-errors", "K-53 collect_errors"),
    ("branches-cut-off", "TS-083 all branches"),
    ("nested-loops", "loops nest"),
    ("read-cut-off", "a run cut off during a read"),
    ("write-cut-off", "an interrupted write"),
    ("policy-repairs", "E-29 E-43"),
    ("cancelled", "TS-079 a cancel ends the run once"),
    ("paused-and-resumed", "TS-096 H-25"),
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests").join(name)
}

fn chosen() -> Vec<(&'static str, Scenario)> {
    let all = scenario::load(&folder("scenarios"));
    let of = |begin: &str| {
        let mut found = all.iter().filter(|(_, one)| one.name.starts_with(begin));
        let one = found.next().unwrap_or_else(|| panic!("no scenario begins with {begin}"));
        assert!(found.next().is_none(), "several scenarios begin with {begin}");
        one.1.clone()
    };
    RECORDED.iter().map(|(file, begin)| (*file, of(begin))).collect()
}

#[test]
fn gen_every_recorded_history_folds_and_is_made_again() {
    let mut wrong = Vec::new();
    for (name, scenario) in chosen() {
        let driver = scenario::drive(&scenario).unwrap_or_else(|why| panic!("{name}: {why}"));
        let mut text = String::new();
        for event in &driver.events {
            text.push_str(&serde_json::to_string(event).expect("an event is JSON"));
            text.push('\n');
        }
        let file = folder("histories").join(format!("{name}.jsonl"));
        if std::env::var_os("SIGNALBOX_GEN").is_some() {
            fs::write(&file, &text).expect("written");
        }
        let recorded = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        if let Some(at) = recorded.lines().zip(text.lines()).position(|(was, is)| was != is) {
            let (was, is) = (recorded.lines().nth(at).unwrap_or(""), text.lines().nth(at).unwrap_or(""));
            wrong.push(format!("{name}, event {}:\n  was {was}\n  is  {is}", at + 1));
        } else if recorded != text {
            wrong.push(format!("{name}: {} events were, {} are", recorded.lines().count(), text.lines().count()));
        }
        // What is in a store must be read whatever a new run would do.
        let mut state = RunState::new(&driver.compiled, "00000000-0000-7000-8000-000000000001", None);
        for event in recorded.lines() {
            let event: RunEvent =
                serde_json::from_str(event).unwrap_or_else(|error| panic!("{name}: {error}: {event}"));
            fold(&driver.compiled, &mut state, &event)
                .unwrap_or_else(|error| panic!("{name}: {error}: {}", line(&event)));
        }
        assert_eq!(state.status(), driver.state.status(), "{name}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_history_is_forgotten() {
    for entry in fs::read_dir(folder("histories")).expect("there") {
        let name = entry.expect("an entry").file_name().into_string().expect("text");
        let stem = name.trim_end_matches(".jsonl");
        // The first one is the walkthrough; the command line's tests make it again.
        assert!(stem == "first" || RECORDED.iter().any(|(file, _)| *file == stem), "{name}");
    }
}
