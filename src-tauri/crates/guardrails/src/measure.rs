//! Precision and recall of the detection on labelled texts.

use crate::{Finder, Kind, signals};
use std::collections::BTreeMap;

/// How often one kind was right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Found and there.
    pub right: usize,
    /// Found and not there.
    pub wrong: usize,
    /// There and not found.
    pub missed: usize,
}

impl Score {
    /// Of what was found, how much is right.
    pub fn precision(self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    /// Of what is there, how much was found.
    pub fn recall(self) -> f64 {
        share(self.right, self.right + self.missed)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a test set")]
fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 1.0 } else { part as f64 / all as f64 }
}

/// Lines of `kinds<TAB>text`, where `-` is none and `\n` a line break: the score of each kind, and the lines that were not
/// right.
pub fn measure(labelled: &str) -> (BTreeMap<&'static str, Score>, Vec<String>) {
    let names = Kind::ALL.map(Kind::name);
    let mut scores: BTreeMap<&'static str, Score> =
        names.into_iter().chain(["injection"]).map(|n| (n, Score::default())).collect();
    let mut lines = Vec::new();
    for line in labelled.lines().filter(|line| !line.starts_with('#')) {
        let Some((labels, text)) = line.split_once('\t') else { continue };
        let text = text.replace("\\n", "\n");
        let mut found: Vec<&str> = Finder::default().find(&text).iter().map(|found| found.kind.name()).collect();
        if !signals(&text).is_empty() {
            found.push("injection");
        }
        found.sort_unstable();
        found.dedup();
        let told: Vec<&str> = labels.split(',').filter(|label| *label != "-").collect();
        for (name, score) in &mut scores {
            match (told.contains(name), found.contains(name)) {
                (true, true) => score.right += 1,
                (true, false) => score.missed += 1,
                (false, true) => score.wrong += 1,
                (false, false) => {}
            }
        }
        if told.len() != found.len() || !told.iter().all(|label| found.contains(label)) {
            lines.push(format!("{labels} / {}: {text}", found.join(",")));
        }
    }
    (scores, lines)
}
