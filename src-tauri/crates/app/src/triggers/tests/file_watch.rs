//! `trigger.file_watch` on real folders, with the clock of the test.

use super::*;
use crate::dto::{Access, Folder};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

const SETTLE: i64 = 1_000;

/// A place with an inbox that may be read.
fn with_inbox() -> (Place, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let inbox = folder.path().join("inbox");
    fs::create_dir(&inbox).expect("is created");
    let allow = Folder { folder: inbox.display().to_string(), workflow_id: None, access: Access::Ro, library: false };
    let options = Options { host: Host::Desktop, allow: vec![allow], stays: false, reads: false };
    let app = App::open(&folder.path().join("data"), options).expect("opens");
    let begin = (app.now_ms() / HOUR + 1) * HOUR;
    let clock = ManualClock::default();
    clock.set(begin);
    (Place { _folder: folder, app, clock, scheduler: Scheduler::default(), begin }, inbox)
}

fn watching(mut config: Value, inbox: &Path) -> Value {
    config["path"] = json!(inbox);
    config["settleMs"] = json!(SETTLE);
    json!({
        "signalbox": 1, "id": "daily", "name": "Inbox",
        "nodes": { "t": { "type": "trigger.file_watch", "config": config }, "a": { "type": "flow.noop" } },
        "edges": [{ "from": "t.success", "to": "a" }],
    })
}

/// Writes a file whose time is so many milliseconds after 1970.
fn write(path: PathBuf, text: &str, modified_ms: u64) {
    fs::write(&path, text).expect("is written");
    let file = fs::File::options().write(true).open(&path).expect("opens");
    file.set_modified(UNIX_EPOCH + Duration::from_millis(modified_ms)).expect("is set");
}

impl Place {
    /// What the runs were started with: name and event, in the order of the firings' keys.
    fn taken(&self) -> Vec<(String, String)> {
        let rows = self.app.store.trigger_firings("daily.t", 1_000).expect("reads");
        let mut taken: Vec<(i64, String, String)> = rows
            .into_iter()
            .filter_map(|row| {
                let item = self.whole_output(row.run.as_deref()?).pop()?;
                let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
                Some((row.fired_ms, text("name"), text("event")))
            })
            .collect();
        taken.sort();
        taken.into_iter().map(|(_, name, event)| (name, event)).collect()
    }

    fn problem(&self) -> Option<String> {
        self.app.store.trigger("daily.t").expect("reads").expect("is active").problem
    }
}

fn told(taken: &[(String, String)]) -> Vec<(&str, &str)> {
    taken.iter().map(|(name, event)| (name.as_str(), event.as_str())).collect()
}

#[test]
fn a_file_starts_one_run_when_it_has_been_still() {
    let (mut place, inbox) = with_inbox();
    write(inbox.join("old.csv"), "old", 1_000);
    place.ok(watching(json!({ "glob": "*.csv" }), &inbox));
    place.at(0);
    write(inbox.join("a.csv"), "1", 2_000);
    write(inbox.join("b.txt"), "1", 2_000);
    write(inbox.join("c.csv.part"), "whole", 2_000);
    place.at(10_000);
    write(inbox.join("a.csv"), "12", 2_500);
    place.at(20_000);
    assert!(place.taken().is_empty(), "it has just changed");
    fs::rename(inbox.join("c.csv.part"), inbox.join("c.csv")).expect("renames");
    place.at(30_000);
    assert_eq!(told(&place.taken()), [("a.csv", "created")]);
    // As after a crash: another scheduler with the lock of the dead one.
    place.scheduler = Scheduler::default();
    place.at(40_000);
    place.at(50_000);
    assert_eq!(told(&place.taken()), [("a.csv", "created"), ("c.csv", "created")]);
    write(inbox.join("a.csv"), "123", 3_000);
    place.at(70_000);
    place.at(80_000);
    assert_eq!(told(&place.taken())[2..], [("a.csv", "changed")]);
}

#[test]
fn files_that_are_there_already_and_changes_are_taken_as_it_was_chosen() {
    let (mut place, inbox) = with_inbox();
    write(inbox.join("old.csv"), "old", 1_000);
    place.ok(watching(json!({ "existing": "process", "events": "created" }), &inbox));
    place.at(0);
    place.at(10_000);
    assert_eq!(told(&place.taken()), [("old.csv", "created")]);
    write(inbox.join("old.csv"), "other", 2_000);
    place.at(20_000);
    place.at(30_000);
    assert_eq!(place.taken().len(), 1, "changes were not asked for");
    place.ok(watching(json!({ "existing": "process" }), &inbox));
    place.at(40_000);
    place.at(50_000);
    assert_eq!(place.taken().len(), 1, "what was passed over is known");
}

#[test]
fn a_folder_that_vanishes_is_a_problem_until_it_is_back() {
    let (mut place, inbox) = with_inbox();
    let away = inbox.with_file_name("away");
    place.ok(watching(json!({}), &inbox));
    place.at(0);
    fs::rename(&inbox, &away).expect("renames");
    place.at(10_000);
    assert!(place.problem().is_some_and(|problem| problem.contains("is not there")), "{:?}", place.problem());
    write(away.join("a.csv"), "1", 2_000);
    fs::rename(&away, &inbox).expect("renames");
    place.at(30_000);
    place.at(40_000);
    assert_eq!((place.problem(), told(&place.taken())), (None, vec![("a.csv", "created")]));
}

#[test]
fn a_file_whose_run_cannot_start_is_tried_less_and_less_often() {
    let (mut place, inbox) = with_inbox();
    let mut document = watching(json!({}), &inbox);
    document["settings"] = json!({ "concurrency": { "max": 1, "key": "event.missing" } });
    place.ok(document);
    place.at(0);
    write(inbox.join("a.csv"), "1", 2_000);
    place.at(10_000);
    let tried = |place: &mut Place, from: i64, seconds: i64| {
        let mut tries = Vec::new();
        for second in 0..seconds {
            let before = place.scheduler.folder_tries();
            place.at(from + second * 1_000);
            if place.scheduler.folder_tries() > before {
                tries.push(second);
            }
        }
        tries
    };
    let tries = tried(&mut place, 20_000, 100);
    let distances: Vec<i64> = tries.windows(2).map(|two| two[1] - two[0]).collect();
    assert!(distances.windows(2).all(|two| two[1] >= 2 * two[0] - 4) && tries.len() <= 4, "{tries:?}");
    assert!(place.problem().is_some() && place.taken().is_empty(), "{:?}", place.problem());
    // Another version may start it.
    place.ok(watching(json!({}), &inbox));
    place.at(200_000);
    place.at(210_000);
    assert_eq!((place.problem(), told(&place.taken())), (None, vec![("a.csv", "created")]));
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_of_the_folder_are_passed_over() {
    let (mut place, inbox) = with_inbox();
    write(inbox.with_file_name("secret.csv"), "1", 2_000);
    place.ok(watching(json!({ "existing": "process" }), &inbox));
    std::os::unix::fs::symlink(inbox.with_file_name("secret.csv"), inbox.join("link.csv")).expect("links");
    place.at(0);
    place.at(10_000);
    assert!(place.taken().is_empty());
}

#[test]
fn a_folder_that_cannot_be_watched_is_told_before() {
    let (place, inbox) = with_inbox();
    let code = |config: Value, folder: &Path| {
        let error = place.activate(watching(config, folder)).expect_err("cannot be watched");
        let first = error.details.expect("says why")["diagnostics"][0].clone();
        (first["code"].as_str().unwrap_or_default().to_owned(), first["path"].as_str().unwrap_or_default().to_owned())
    };
    let at = |code: &str, path: &str| (code.to_owned(), format!("/nodes/t/config/{path}"));
    assert_eq!(code(json!({}), &inbox.with_file_name("other")), at("MISSING_GRANT", "path"));
    assert_eq!(code(json!({}), &inbox.join("missing")), at("BAD_CONFIG", "path"));
    assert_eq!(code(json!({ "glob": "in/*.csv" }), &inbox), at("BAD_CONFIG", "glob"));
    assert_eq!(code(json!({}), Path::new("sample:")), at("BAD_CONFIG", "path"));
    assert_eq!(code(json!({ "existing": "all" }), &inbox), at("BAD_CONFIG", "existing"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    /// Whatever happens to the files, and however often the process dies: no version of a file starts two runs, and each that
    /// stays long enough starts one.
    #[test]
    fn each_version_of_a_file_starts_one_run(steps in prop::collection::vec((0_u8..5, 0_usize..3), 1..25)) {
        let (mut place, inbox) = with_inbox();
        place.ok(watching(json!({}), &inbox));
        place.at(0);
        let (mut now, mut modified, mut there) = (0, 10_000, BTreeMap::new());
        let mut expected = Vec::new();
        for (what, file) in steps.into_iter().chain([(3, 0)]) {
            let name = format!("{file}.csv");
            match what {
                0 | 1 => {
                    modified += 1;
                    write(inbox.join(&name), "same", modified);
                    there.insert(name, modified);
                }
                2 => {
                    fs::remove_file(inbox.join(&name)).ok();
                    there.remove(&name);
                }
                3 => {
                    // Twice: the first look sees how they are, the second one that they stayed so.
                    for _ in 0..2 {
                        now += 5_000;
                        place.at(now);
                    }
                    expected.extend(there.iter().map(|(name, at)| format!("{name} {}", time::format(*at as i64))));
                }
                _ => place.scheduler = Scheduler::default(),
            }
        }
        expected.sort();
        expected.dedup();
        let rows = place.app.store.trigger_firings("daily.t", 1_000).expect("reads");
        let mut fired: Vec<String> = rows
            .iter()
            .filter_map(|row| {
                let item = place.whole_output(row.run.as_deref()?).pop()?;
                Some(format!("{} {}", item["name"].as_str()?, item["modified"].as_str()?))
            })
            .collect();
        fired.sort();
        prop_assert_eq!(fired, expected);
    }
}
