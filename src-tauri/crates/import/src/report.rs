//! What an import says: what became of each step, what was read differently, what is missing, what could not be translated.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;

/// Findings that are listed; `more` counts the others.
pub(crate) const MOST: usize = 1_000;
/// Longest sentences of a finding, in letters: names in them are as long as a file makes them.
const LONGEST: usize = 1_000;

/// A text that people read, not longer than anybody reads.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text of a workflow that may be long.
pub(crate) fn long(text: &str) -> String {
    match text.char_indices().nth(20_000) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ImportLevel")]
pub enum Level {
    /// The workflow cannot run before it is mended: a placeholder stands for what could not be translated, or a step that was
    /// made has a setting that is refused here.
    Problem,
    /// The file does not have what the step needs on this machine.
    Missing,
    /// It was read differently from what the format says, or works a little differently here.
    Warning,
}

/// Something about one place of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ImportFinding")]
pub struct Finding {
    /// How much it matters.
    pub level: Level,
    /// What kind of finding, as in docs/formats.md.
    pub code: String,
    /// Id of the foreign step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// JSON Pointer into the foreign file.
    pub path: String,
    /// What, one sentence.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

/// What became of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ImportedStep")]
pub struct Translated {
    /// Id in the foreign file.
    pub step: String,
    /// Ids of the steps that do its work here; none when nothing leads to it.
    pub nodes: Vec<String>,
    /// The kind of the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether it can run as it is.
    pub status: Status,
}

impl Translated {
    pub(crate) fn new(step: &str, nodes: Vec<String>, kind: Option<String>) -> Self {
        Self { step: step.to_owned(), nodes, kind, status: Status::Green }
    }
}

/// Whether a step that was imported can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ImportStatus")]
pub enum Status {
    /// As it did.
    Green,
    /// Something has to be filled in, or it works a little differently.
    Yellow,
    /// It has to be mended: when a run comes to it, it takes its red port or does not start.
    Red,
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ImportReport")]
pub struct Report {
    /// The format that was read: `vl`.
    pub format: String,
    /// Its version, as the file says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Steps of the foreign file.
    pub steps: usize,
    /// Steps of the workflow that was made.
    pub nodes: usize,
    /// Step by step, in the order of the foreign file.
    pub translated: Vec<Translated>,
    /// What a person should know: problems first.
    pub findings: Vec<Finding>,
    /// Findings beyond those that are listed.
    pub more: usize,
    /// What is to be known of the whole, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Groups of the canvas, until the steps are placed.
    #[serde(skip)]
    pub(crate) groups: Option<signalbox_model::Map>,
}

impl Report {
    /// Says of each step whether it can run, by what was found.
    pub(crate) fn mark(&mut self) {
        let mut worst: std::collections::HashMap<&str, Level> = std::collections::HashMap::new();
        for found in &self.findings {
            if let Some(step) = &found.step {
                let level = worst.entry(step).or_insert(found.level);
                *level = (*level).min(found.level);
            }
        }
        for one in &mut self.translated {
            one.status = match worst.get(one.step.as_str()) {
                Some(Level::Problem) => Status::Red,
                Some(Level::Missing | Level::Warning) => Status::Yellow,
                None => Status::Green,
            };
        }
    }

    /// Steps of a status.
    pub fn steps_of(&self, status: Status) -> usize {
        self.translated.iter().filter(|one| one.status == status).count()
    }

    /// Findings of a level.
    pub fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|found| found.level == level).count()
    }
}

/// Collects findings: as many of each level as are ever listed, so that a file of nothing but mistakes stays small.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    /// A step that stands in several branches says the same again.
    seen: HashSet<(String, String, String)>,
    kept: [usize; 3],
    more: usize,
}

impl Findings {
    pub(crate) fn add(
        &mut self,
        level: Level,
        code: &str,
        step: Option<&str>,
        path: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let (path, message) = (path.into(), short(&message.into()));
        if self.seen.contains(&(code.to_owned(), path.clone(), message.clone())) {
            return;
        }
        let kept = &mut self.kept[level as usize];
        if *kept == MOST {
            self.more += 1;
            return;
        }
        *kept += 1;
        self.seen.insert((code.to_owned(), path.clone(), message.clone()));
        let (code, step) = (code.to_owned(), step.map(str::to_owned));
        self.list.push(Finding { level, code, step, path, message, hint: short(&hint.into()) });
    }

    /// Problems first, then in the order in which they were met; how many are not listed.
    pub(crate) fn sorted(mut self) -> (Vec<Finding>, usize) {
        self.list.sort_by_key(|found| found.level);
        let more = self.more + self.list.len().saturating_sub(MOST);
        self.list.truncate(MOST);
        (self.list, more)
    }
}
