//! `cargo xtask bench --compare COMMIT --goals [GOAL…]`: the benches of both commits, each built from its own example `bench`, which works
//! with its own store in one process. What they print is read again: figures belong together by the goal, the order of its rows and the words
//! around the number.
//!
//! `WHAT=COUNT` (as `loop=10000`) takes one measurement of P7 alone, by the process that P7 starts for it.

use crate::{Failure, shell};
use std::path::Path;

/// What is compared where nothing is named: what needs no other program and less than a minute.
pub(super) const MOST_USED: [&str; 8] =
    ["P1", "P2", "P5", "P6", "loop=10000", "list=100000", "while=100000", "map=1000"];
/// The process of P7 (`containers.rs`).
const CONTAINERS: &str = "containers-child";

/// One number of a row.
#[derive(Debug, Clone, PartialEq)]
struct Figure {
    /// Which row of the goal.
    row: usize,
    /// The words around it, with `N` in the place of the number and `…` for others.
    words: String,
    value: f64,
}

/// What a goal came to in one run of one build.
#[derive(Debug, Default, PartialEq)]
struct Found {
    /// What each row measures.
    rows: Vec<String>,
    figures: Vec<Figure>,
}

/// Runs both turn about and prints the ratios.
pub(super) fn compare(before: &Path, after: &Path, pairs: usize, goals: &[String]) -> Result<(), Failure> {
    println!("Load at the beginning {}. {pairs} pairs, turn about; the ratio is the median of the pairs.\n", load());
    println!("| goal | what | figure | before | after | ratio (from to) |\n|---|---|---|---|---|---|");
    for goal in goals {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for pair in 0..pairs {
            eprintln!("{goal}: pair {} of {pairs}", pair + 1);
            // What a build finds warm, the other one finds warm as often.
            if pair % 2 == 0 {
                old.push(measured(before, goal)?);
                new.push(measured(after, goal)?);
            } else {
                new.push(measured(after, goal)?);
                old.push(measured(before, goal)?);
            }
        }
        print!("{}", table(goal, &old, &new));
    }
    println!("\nLoad at the end {}.", load());
    Ok(())
}

/// One run of one build.
fn measured(bench: &Path, goal: &str) -> Result<Found, Failure> {
    let child = goal.split_once('=');
    let args = child.map_or_else(|| vec![goal], |(what, count)| vec![CONTAINERS, what, count]);
    let shown = format!("`{} {}`", bench.display(), args.join(" "));
    let output = shell::command(bench)
        .args(&args)
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| format!("{shown} did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("{shown} failed ({}); see above.", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let found = match child {
        Some((what, count)) => of_process(&text, what, count),
        None => of_table(&text, goal),
    };
    if found.figures.is_empty() {
        return Err(format!("{shown} printed no figure of {goal}. It printed: {}", text.trim()));
    }
    Ok(found)
}

/// Reads the rows of a goal in the table that a bench prints.
fn of_table(text: &str, goal: &str) -> Found {
    let mut found = Found::default();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", id, what, told, ..] = cells.as_slice()
            && *id == goal
        {
            found.figures.extend(figures(found.rows.len(), told));
            found.rows.push((*what).to_owned());
        }
    }
    found
}

/// Reads the line of JSON that the process of P7 prints.
fn of_process(text: &str, what: &str, count: &str) -> Found {
    let line = text.lines().rev().find(|line| line.starts_with('{')).unwrap_or_default();
    let number = |name: &str| {
        let (_, rest) = line.split_once(&format!("\"{name}\":"))?;
        rest.split([',', '}']).next()?.trim().parse::<f64>().ok()
    };
    let mut found = Found::default();
    if !line.contains("\"status\":\"completed\"") {
        return found;
    }
    found.rows.push(format!("{what} of {count}"));
    for (name, words) in [("cpu", "N s CPU"), ("seconds", "N s"), ("peak", "N MB at most"), ("written", "N MB written")]
    {
        found.figures.extend(number(name).map(|value| Figure { row: 0, words: words.into(), value }));
    }
    found
}

/// The numbers in a text. A comma, a semicolon or a bracket ends the words that belong to one.
fn figures(row: usize, text: &str) -> Vec<Figure> {
    let mut all = Vec::new();
    for piece in text.split([',', ';', '(', ')']).map(str::trim) {
        let words: Vec<&str> = piece.split_whitespace().collect();
        let number = |word: &&str| word.parse::<f64>().ok();
        for (place, value) in words.iter().enumerate().filter_map(|(place, word)| Some((place, number(word)?))) {
            let shown = words.iter().enumerate().map(|(at, word)| match number(word) {
                Some(_) if at == place => "N",
                Some(_) => "…",
                None => word,
            });
            all.push(Figure { row, words: shown.collect::<Vec<_>>().join(" "), value });
        }
    }
    all
}

/// The lines of a goal: a figure for each that both builds, or one of them, have.
fn table(goal: &str, old: &[Found], new: &[Found]) -> String {
    let mut keys: Vec<(usize, &str)> = Vec::new();
    for figure in new.iter().chain(old).flat_map(|found| &found.figures) {
        let key = (figure.row, figure.words.as_str());
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.sort_by_key(|(row, _)| *row);
    let mut text = String::new();
    for (row, words) in keys {
        let values = |side: &[Found]| -> Vec<Option<f64>> {
            let of = |found: &Found| {
                Some(found.figures.iter().find(|one| (one.row, one.words.as_str()) == (row, words))?.value)
            };
            side.iter().map(of).collect()
        };
        let (before, after) = (values(old), values(new));
        let ratios = before.iter().zip(&after).filter_map(|pair| match pair {
            (Some(before), Some(after)) if *before > 0.0 => Some(after / before),
            _ => None,
        });
        let ratios: Vec<f64> = ratios.collect();
        let ratio = median(ratios.clone()).map(|middle| {
            let least = ratios.iter().copied().fold(f64::MAX, f64::min);
            format!("{middle:.3} ({least:.3} to {:.3})", ratios.iter().copied().fold(0.0, f64::max))
        });
        let shown =
            |side: Vec<Option<f64>>| median(side.into_iter().flatten().collect()).map_or("not measured".into(), digits);
        let what = new.iter().chain(old).find_map(|found| found.rows.get(row)).map_or("", String::as_str);
        let (before, after) = (shown(before), shown(after));
        text.push_str(&format!("| {goal} | {what} | {words} | {before} | {after} | {} |\n", ratio.unwrap_or_default()));
    }
    text
}

/// The middle one; the lower one of two.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}

/// Four digits say more than runs agree in.
fn digits(value: f64) -> String {
    let behind = if value >= 1_000.0 {
        0
    } else if value >= 100.0 {
        1
    } else if value >= 10.0 {
        2
    } else {
        3
    };
    format!("{value:.behind$}")
}

fn load() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap_or_default().split(' ').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Figure, Found, digits, figures, median, of_process, of_table, table};

    const PRINTED: &str = "Machine: some, 2 processors; 2026-12-01; load at the end 1.06.\n\n\
        | goal | what | found | reach |\n|---|---|---|---|\n\
        | P1 | chain of 100 synced steps, 10 pairs | 0.38 x the raw rate (from 0.30 to 0.41), 2722 steps/s, 0.308 ms CPU a step (a raw commit: 0.072) | >= 0.8 x |\n\
        | P1 | chain of 100 pure steps | 20404 steps/s, 0.049 ms CPU a step | <= 0.05 ms CPU |\n\
        | P12 | validation of 100 nodes | 0.87 ms | <= 5 ms |\n";

    fn values(found: &Found) -> Vec<(usize, &str, f64)> {
        found.figures.iter().map(|one| (one.row, one.words.as_str(), one.value)).collect()
    }

    #[test]
    fn a_printed_table_is_read_by_goal_and_row() {
        let found = of_table(PRINTED, "P1");
        assert_eq!(found.rows, ["chain of 100 synced steps, 10 pairs", "chain of 100 pure steps"]);
        let wanted = [
            (0, "N x the raw rate", 0.38),
            (0, "from N to …", 0.30),
            (0, "from … to N", 0.41),
            (0, "N steps/s", 2722.0),
            (0, "N ms CPU a step", 0.308),
            (0, "a raw commit: N", 0.072),
            (1, "N steps/s", 20404.0),
            (1, "N ms CPU a step", 0.049),
        ];
        assert_eq!(values(&found), wanted);
        assert_eq!(of_table(PRINTED, "P7"), Found::default());
    }

    #[test]
    fn numbers_in_names_are_no_figures() {
        let found = figures(0, "400 of 400 errors recorded, p95 in 3 ms; 2.5 MB");
        let wanted: Vec<(&str, f64)> = found.iter().map(|one| (one.words.as_str(), one.value)).collect();
        let all =
            [("N of … errors recorded", 400.0), ("… of N errors recorded", 400.0), ("p95 in N ms", 3.0), ("N MB", 2.5)];
        assert_eq!(wanted, all);
    }

    #[test]
    fn the_line_of_a_process_is_read_and_one_that_did_not_complete_is_not() {
        let line =
            r#"{"before":30.5,"cpu":0.5,"peak":61.25,"seconds":0.75,"status":"completed","told":null,"written":1.5}"#;
        let found = of_process(&format!("a word\n{line}\n"), "loop", "10000");
        assert_eq!(found.rows, ["loop of 10000"]);
        assert_eq!(
            values(&found),
            [(0, "N s CPU", 0.5), (0, "N s", 0.75), (0, "N MB at most", 61.25), (0, "N MB written", 1.5)]
        );
        assert_eq!(of_process(&line.replace("completed", "failed"), "loop", "10000"), Found::default());
    }

    #[test]
    fn figures_are_paired_by_row_and_words_whatever_their_order() {
        let side = |text: &str| Found { rows: vec!["runs".into()], figures: figures(0, text) };
        let old = [
            side("100 runs/s, 4 ms CPU a run"),
            side("200 runs/s, 4 ms CPU a run"),
            side("100 runs/s, 8 ms CPU a run"),
        ];
        let new = [
            side("1 ms CPU a run, 300 runs/s"),
            side("2 ms CPU a run, 300 runs/s"),
            side("2 ms CPU a run, 300 runs/s, 5 MB"),
        ];
        assert_eq!(
            table("P2", &old, &new),
            "| P2 | runs | N ms CPU a run | 4.000 | 2.000 | 0.250 (0.250 to 0.500) |\n\
             | P2 | runs | N runs/s | 100.0 | 300.0 | 3.000 (1.500 to 3.000) |\n\
             | P2 | runs | N MB | not measured | 5.000 |  |\n"
        );
    }

    #[test]
    fn medians_and_digits() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0]), Some(1.0));
        assert_eq!(median(Vec::new()), None);
        assert_eq!([digits(2722.4), digits(0.3084), digits(61.25)], ["2722", "0.308", "61.25"]);
        let one = Figure { row: 0, words: "N ms".into(), value: 1.0 };
        assert_eq!(figures(0, "1 ms"), [one]);
    }
}
