//! What many items take (ADR 72): a process of its own for each number of them, because the most memory that a process ever
//! had is known for its whole life only. Compared, not timed: what each further item takes.

use crate::support::{runtime, start};
use serde_json::{Value, json};
use std::process::Command;

/// Most memory of this process so far, bytes; nothing where the system does not tell it.
pub(crate) fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<usize>().ok()? * 1024)
}

/// One item for each number, a field, a filter that leaves ten.
fn item_by_item(count: usize) -> Value {
    json!({
        "nodes": {
            "list": { "type": "data.set", "config": { "assign": { "all": (0..count).collect::<Vec<_>>() }, "keep": false } },
            "split": { "type": "data.transform", "config": { "expression": "item.all", "split": true } },
            "set": { "type": "data.set", "config": { "assign": {
                "n": "=item", "who": "a person", "where": "a place", "what": "a thing" }, "keep": false } },
            "keep": { "type": "data.filter", "config": { "when": "item.n < 10" } },
            "end": { "type": "flow.stop" }
        },
        "edges": [
            { "from": "list.success", "to": "split" }, { "from": "split.success", "to": "set" },
            { "from": "set.success", "to": "keep" }, { "from": "keep.success", "to": "end" }
        ]
    })
}

/// Runs in the child only.
#[test]
fn a_process_that_measures_and_no_test_of_its_own() {
    let Some(count) = std::env::var("SIGNALBOX_TEST_ITEMS").ok().and_then(|count| count.parse().ok()) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
    let told = waiting.block_on(async {
        let runtime = runtime(folder.path());
        let run = start(&runtime, item_by_item(count)).await;
        let _ = runtime.wait(&run).await;
        runtime.store().summary::<Value>(&run).expect("readable").expect("it has ended")
    });
    println!("\nfound {} {}", told["output"].as_array().map_or(0, Vec::len), peak().unwrap_or_default());
}

fn measured(count: usize) -> Option<usize> {
    let out = Command::new(std::env::current_exe().expect("the test binary has a path"))
        .args(["--exact", "memory::a_process_that_measures_and_no_test_of_its_own", "--nocapture"])
        .env("SIGNALBOX_TEST_ITEMS", count.to_string())
        .output()
        .expect("the child starts");
    let text = String::from_utf8_lossy(&out.stdout);
    let found = text.lines().find_map(|line| line.strip_prefix("found ")).expect("an answer");
    let (items, peak) = found.split_once(' ').expect("two numbers");
    assert_eq!(items, "10", "the run did what it says");
    Some(peak.parse().expect("a number")).filter(|peak| *peak > 0)
}

/// As values in memory a further item of these steps takes 2.7 KB, as text 0.8 to 1.5 KB, what is written of it included: more on
/// a busy machine, where more is still to be written. It never takes less than what must be held, so the least of a few
/// measurements is what counts.
#[test]
fn items_that_go_step_by_step_take_little_more_than_their_text() {
    let (few, many) = (5_000, 20_000);
    let mut found = Vec::new();
    while found.len() < 5 && found.iter().all(|each| *each >= 1_500) {
        let (Some(at_few), Some(at_many)) = (measured(few), measured(many)) else { return };
        found.push(at_many.saturating_sub(at_few) / (many - few));
    }
    println!("each further item takes {found:?} bytes");
    assert!(found.iter().any(|each| *each < 1_500), "each further item takes {found:?} bytes");
}
