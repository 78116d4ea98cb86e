//! What a start, an end and an admission cost in a long queue: counted in steps of SQLite's machine, not in time.

use crate::schema;
use crate::sql::Connection;
use crate::table::run_limit::{RunLimits, admit, ended, enter, has_room, require_queue, wait};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const WORKFLOW: &str = "wf";

fn connection() -> (Connection, Arc<AtomicU64>) {
    let mut connection = rusqlite::Connection::open_in_memory().expect("opens");
    schema::migrate(&connection, Path::new("memory")).expect("is made");
    let steps = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&steps);
    let count = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        false
    };
    connection.progress_handler(1, Some(count)).expect("is heard");
    (Connection::File(connection), steps)
}

fn cost(steps: &AtomicU64, work: impl FnOnce()) -> u64 {
    let before = steps.load(Ordering::Relaxed);
    work();
    steps.load(Ordering::Relaxed) - before
}

/// Starts, ends and admissions with so many waiting: (a start that waits, an end that admits the next, a look of the rate).
fn costs(limits: &RunLimits, waiting: usize) -> (u64, u64, u64) {
    let (connection, steps) = connection();
    enter(&connection, "first", WORKFLOW, limits, 0).expect("begins");
    for index in 0..waiting {
        wait(&connection, &format!("w{index}"), WORKFLOW, limits, "{}", 0).expect("waits");
    }
    let start = |run: &str| {
        assert!(!has_room(&connection, WORKFLOW, limits, 0).expect("is read"));
        require_queue(&connection, WORKFLOW, 1_000_000).expect("has room");
        assert_eq!(wait(&connection, run, WORKFLOW, limits, "{}", 0).expect("waits"), Vec::<String>::new());
    };
    // The first time the statements are made.
    start("warm");
    let started = cost(&steps, || start("next"));
    admit(&connection, 0).expect("looks");
    let looked = cost(&steps, || drop(admit(&connection, 0).expect("looks")));
    ended(&connection, "first", 0).expect("ends");
    let next = if limits.max.is_some() { "w0" } else { "first" };
    let left = cost(&steps, || drop(ended(&connection, next, 0).expect("ends")));
    (started, left, looked)
}

#[test]
fn a_start_an_end_and_a_look_cost_the_same_with_ten_thousand_waiting() {
    let places = RunLimits { key: "k".into(), max: Some(1), rate: None };
    let rate = RunLimits { key: String::new(), max: None, rate: Some((1, 60_000)) };
    for limits in [places, rate] {
        let (few, many) = (costs(&limits, 100), costs(&limits, 10_000));
        let flat = |few: u64, many: u64| many * 10 <= few * 12;
        assert!(flat(few.0, many.0), "a start: {few:?} with 100 waiting, {many:?} with 10,000");
        assert!(flat(few.1, many.1), "an end: {few:?} with 100 waiting, {many:?} with 10,000");
        assert!(flat(few.2, many.2), "a look: {few:?} with 100 waiting, {many:?} with 10,000");
    }
}
