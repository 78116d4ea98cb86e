//! `compare BEFORE AFTER PAIRS [WORKLOAD…]`: two builds of the program, turn about, as `cargo xtask bench --compare` calls it. All is asked
//! through the command line and REST, as an old build knows them too.

mod workloads;

use std::fmt::Write as _;
use std::path::Path;
use workloads::{Measure, Workload};

/// The first argument.
pub(crate) const NAME: &str = "compare";

/// Measures of one build, in the order in which the workload gives them.
#[derive(Default)]
struct Side {
    rounds: Vec<Vec<Measure>>,
}

impl Side {
    fn add(&mut self, found: Option<Vec<Measure>>) {
        self.rounds.extend(found);
    }

    /// The medians of a measure, by its place, and how the last round of it ended.
    fn median(&self, place: usize) -> Option<(f64, String)> {
        let all = self.rounds.iter().filter_map(|round| round.get(place));
        let ended = all.clone().next_back()?.ended.clone();
        let mut values: Vec<f64> = all.map(|measure| measure.value).collect();
        values.sort_by(f64::total_cmp);
        Some((values.get(values.len() / 2).copied()?, ended))
    }
}

/// Compares, and prints the table.
pub(crate) fn compare(args: &[String]) {
    let [before, after, pairs, only @ ..] = args else {
        eprintln!("{NAME} takes two programs and a number of pairs.");
        return;
    };
    let pairs: usize = pairs.parse().unwrap_or(1);
    let known = workloads::all();
    let unknown = |name: &&String| known.iter().all(|workload| workload.name != name.as_str());
    if let Some(name) = only.iter().find(unknown) {
        let names: Vec<&str> = known.iter().map(|workload| workload.name).collect();
        eprintln!("There is no workload '{name}'. There are: {}.", names.join(", "));
        return;
    }
    let mut table = String::from("| workload | measure | before | after | ratio |\n|---|---|---|---|---|\n");
    for workload in known.iter().filter(|workload| only.is_empty() || only.iter().any(|name| name == workload.name)) {
        let (mut old, mut new) = (Side::default(), Side::default());
        for pair in 0..pairs {
            eprintln!("{}: pair {} of {pairs}", workload.name, pair + 1);
            // What a build finds warm, the other one finds warm as often.
            if pair % 2 == 0 {
                old.add((workload.run)(Path::new(before)));
                new.add((workload.run)(Path::new(after)));
            } else {
                new.add((workload.run)(Path::new(after)));
                old.add((workload.run)(Path::new(before)));
            }
        }
        rows(workload, &old, &new, &mut table);
    }
    println!("{}\nMedians of {pairs}, turn about.\n\n{table}", crate::process::machine());
}

/// A line for each measure.
fn rows(workload: &Workload, old: &Side, new: &Side, table: &mut String) {
    let Some(measures) = new.rounds.first().or_else(|| old.rounds.first()) else {
        let _ = writeln!(table, "| {} | nothing: neither build could be measured | | | |", workload.name);
        return;
    };
    for (place, measure) in measures.iter().enumerate() {
        let (before, after) = (old.median(place), new.median(place));
        let shown = |side: &Option<(f64, String)>| match side {
            Some((value, ended)) if ended.is_empty() => format!("{value:.*}", measure.digits),
            Some((value, ended)) => format!("{value:.*} ({ended})", measure.digits),
            None => "not measured".to_owned(),
        };
        let ratio = match (&before, &after) {
            (Some((before, _)), Some((after, _))) if *before > 0.0 => format!("{:.3}", after / before),
            _ => String::new(),
        };
        let what = format!("{}, {}", measure.what, measure.unit);
        let _ = writeln!(table, "| {} | {what} | {} | {} | {ratio} |", workload.name, shown(&before), shown(&after));
    }
}
