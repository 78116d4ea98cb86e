//! `cargo xtask bench`: measures the performance goals and prints a table for `docs/benchmarks.md`. Figures are ratios inside
//! one process run wherever the compared sides can run alternately.
//!
//! `cargo xtask bench P3 P4` measures only these. A bench reports; tests assert.

// Without these nothing can be measured.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod backup;
mod chains;
mod compare;
mod containers;
mod databases;
mod failures;
mod followers;
mod history;
mod memory;
mod models;
mod people;
mod process;
mod programs;
mod pure;
mod served;
mod triggers;

use std::fmt::Write as _;
use std::path::Path;

/// One line of the table.
pub(crate) struct Row {
    /// Goal, for example `P1`.
    pub(crate) id: &'static str,
    /// What was measured.
    pub(crate) what: String,
    /// What came out.
    pub(crate) found: String,
    /// What it should reach.
    pub(crate) reach: &'static str,
}

/// RFC 3339 in UTC, with milliseconds.
pub(crate) fn time_text(ms: i64) -> String {
    signalbox_model::time::format(ms)
}

type Part = fn(&Path) -> Vec<Row>;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap_or_else(|| Path::new("."));
    let mut rows = Vec::new();
    let only: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |id: &str| only.is_empty() || only.iter().any(|name| name == id);
    if only.first().is_some_and(|name| name == people::CHILD) {
        return people::child(Path::new(only.get(1).map_or(".", String::as_str)));
    }
    if only.first().is_some_and(|name| name == compare::NAME) {
        return compare::compare(only.get(1..).unwrap_or_default());
    }
    if only.first().is_some_and(|name| name == models::CHILD) {
        return models::child(Path::new(only.get(1).map_or(".", String::as_str)));
    }
    if only.first().is_some_and(|name| name == containers::CHILD) {
        let number = |index: usize| only.get(index).and_then(|count| count.parse().ok());
        return containers::child(only.get(1).map_or("", String::as_str), number(2).unwrap_or(1_000));
    }
    let parts: [(&str, Part); 27] = [
        ("P1", |_| chains::durable()),
        ("P2", |_| chains::side_by_side()),
        ("P3", |_| chains::carried()),
        ("P4", |_| chains::growth()),
        ("P5", |_| people::errors()),
        ("P6", |_| people::paused()),
        ("P7", |_| containers::loops()),
        ("items", |_| containers::many_items()),
        ("audit", people::audit),
        ("models", |_| models::calls()),
        ("agents", |_| models::at_once()),
        ("P8", process::start),
        ("programs", programs::programs),
        ("P9", |_| history::history()),
        ("failures", |_| failures::failures()),
        ("memory", memory::memory),
        ("followers", followers::followers),
        ("databases", databases::databases),
        ("rows", databases::rows),
        ("backup", backup::backup),
        ("P10", process::canvas),
        ("log", process::log),
        ("inbox", process::inbox),
        ("triggers", |root| process::server(root).map(|binary| triggers::triggers(&binary)).unwrap_or_default()),
        ("P11", |_| pure::expressions()),
        ("P12", |_| pure::validation()),
        ("P13", |_| pure::planning()),
    ];
    for (_, part) in parts.iter().filter(|(id, _)| wanted(id)) {
        rows.extend(part(root));
    }
    let mut table = String::from("| goal | what | found | reach |\n|---|---|---|---|\n");
    for row in &rows {
        let _ = writeln!(table, "| {} | {} | {} | {} |", row.id, row.what, row.found, row.reach);
    }
    println!("{}\n\n{table}", process::machine());
}
