//! Keys of steps: who sees one as new.

use crate::support::{T0, new_run, temporary};
use signalbox_model::KeyClaim;
use signalbox_store::{NewRun, Store};

const DAY: i64 = 86_400_000;

fn claim(run: &str, step: &str, keys: &[&str]) -> KeyClaim {
    KeyClaim {
        workflow: "wf".into(),
        scope: String::new(),
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        run: run.into(),
        step: step.into(),
        most: 3,
        kept_ms: 90 * DAY,
        now_ms: T0,
    }
}

fn new(store: &Store, one: KeyClaim) -> Vec<bool> {
    store.remember(&one).expect("is kept")
}

fn run(store: &Store, id: &str, parent: Option<&str>) {
    store.create_run(NewRun { parent_run_id: parent.map(str::to_owned), ..new_run(id) }).expect("is created");
}

#[test]
fn a_key_is_new_once_whatever_is_repeated_after_a_crash() {
    let (_folder, store) = temporary();
    run(&store, "r1", None);
    run(&store, "r2", None);
    assert_eq!(new(&store, claim("r1", "/n", &["a", "b", "a"])), [true, true, false]);
    assert_eq!(new(&store, claim("r1", "/n", &["a", "b", "a"])), [true, true, false], "the step is done again");
    assert_eq!(new(&store, claim("r1", "/later", &["a"])), [false], "another step of the same run");
    assert_eq!(new(&store, claim("r2", "/n", &["b", "c"])), [false, true]);
    let other = KeyClaim { scope: "other".into(), ..claim("r2", "/n", &["a"]) };
    assert_eq!(new(&store, other), [true], "another scope");
    let elsewhere = KeyClaim { workflow: "wf2".into(), ..claim("r2", "/n", &["a"]) };
    assert_eq!(new(&store, elsewhere), [true], "another workflow");
}

#[test]
fn a_re_run_sees_what_its_original_saw_and_leaves_the_others_as_they_are() {
    let (_folder, store) = temporary();
    run(&store, "r1", None);
    run(&store, "r2", None);
    run(&store, "again", Some("r1"));
    run(&store, "once-more", Some("again"));
    assert_eq!(new(&store, claim("r1", "/n", &["a"])), [true]);
    assert_eq!(new(&store, claim("r2", "/n", &["b"])), [true]);
    assert_eq!(new(&store, claim("again", "/n", &["a", "b"])), [true, false]);
    assert_eq!(new(&store, claim("again", "/later", &["a"])), [false]);
    assert_eq!(new(&store, claim("once-more", "/n", &["a", "b"])), [true, false]);
    assert_eq!(new(&store, claim("r2", "/n", &["a", "b"])), [false, true]);
}

#[test]
fn the_keys_that_were_seen_last_are_kept() {
    let (_folder, store) = temporary();
    run(&store, "r1", None);
    run(&store, "r2", None);
    let at =
        |run: &str, day: i64, keys: &[&str]| new(&store, KeyClaim { now_ms: T0 + day * DAY, ..claim(run, "/n", keys) });
    at("r1", 0, &["a"]);
    at("r1", 1, &["b"]);
    at("r2", 2, &["a"]);
    at("r1", 3, &["c", "d"]);
    assert_eq!(at("r2", 4, &["a", "c", "d"]), [false; 3], "a was seen after b");
    assert_eq!(at("r2", 5, &["b"]), [true], "there was room for three");
    assert_eq!(at("r1", 200, &["d"]), [true], "its time is over");
    store.trigger_firings_sweep(T0 + 400 * DAY).expect("is swept");
    assert_eq!(at("r2", 201, &["d"]), [true]);
}
