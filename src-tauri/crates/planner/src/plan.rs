//! The loop: outline, generate, static validation, runtime validation, metadata (K-45). Pure: the same events give the same
//! plan, and it ends within its bounds whatever the model answers.

mod step;

use crate::draft::Draft;
use crate::finding::Finding;
use crate::intent::IntentChange;
use crate::issue::{Issue, Route};
use crate::patch::Change;
use crate::prompt::Question;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_engine::Catalog;
pub use step::plan;

/// Repairs of an answer that is not valid.
pub const MAX_REPAIRS: usize = 3;
/// Corrections of a draft that failed when it was tried (P-13).
pub const MAX_CORRECTIONS: usize = 3;

/// Says what is wrong with a workflow file; the validator of the engine, or a scripted one in tests.
pub trait Checker {
    /// The kinds there are.
    fn catalog(&self) -> &Catalog;
    /// The errors of a document, at most five.
    fn check(&self, document: &Value) -> Vec<Finding>;
}

/// A try that is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// Its number; the report names it.
    pub number: u32,
    /// The workflow file.
    pub document: Value,
}

/// What the questions cost so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Questions that were answered.
    pub questions: u32,
    /// Tokens of the questions.
    pub input_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
    /// Money in millionths, where the price of the model is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

impl Usage {
    /// One more answer. A price that is not known makes the sum unknown.
    pub fn add(&mut self, one: Self) {
        let known = self.questions == 0 || self.cost_micros.is_some();
        let before = self.cost_micros.unwrap_or_default();
        let cost = one.cost_micros.filter(|_| known).map(|cost| cost.saturating_add(before));
        *self = Self {
            questions: self.questions + 1,
            input_tokens: self.input_tokens.saturating_add(one.input_tokens),
            output_tokens: self.output_tokens.saturating_add(one.output_tokens),
            cost_micros: cost,
        };
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The plan begins.
    Started,
    /// The model answered.
    Answered {
        /// [`Question::number`].
        question: u32,
        /// What it said.
        text: String,
        /// What this answer cost.
        usage: Usage,
    },
    /// There is no answer: no model, no money, a network error.
    Unanswered {
        /// [`Question::number`].
        question: u32,
        /// A code for programs.
        code: String,
        /// Plain words with the next step.
        message: String,
    },
    /// A draft was tried.
    Tried {
        /// [`Trial::number`].
        trial: u32,
        /// What was found.
        issues: Vec<Issue>,
    },
    /// A draft could not be tried.
    NotTried {
        /// [`Trial::number`].
        trial: u32,
        /// Plain words.
        message: String,
    },
    /// A person stopped it.
    Cancelled,
}

/// What the host is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the model.
    Ask(Question),
    /// Try the draft.
    Try(Trial),
    /// It is over.
    Finish(Outcome),
}

/// How a plan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The draft is valid, and it ran if it was tried.
    Ready,
    /// The draft is valid and runs, but it is not what was asked for: a person decides.
    IntentChanged,
    /// The draft is valid and does not run.
    FailedRuntime,
    /// There is no valid draft.
    Invalid,
    /// The catalog cannot do what is asked.
    Unsupported,
    /// The model could not be asked.
    NoModel,
    /// A person stopped it.
    Cancelled,
}

/// One try, and what it led to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// From 1 on.
    pub number: u32,
    /// What was found.
    pub issues: Vec<Issue>,
    /// Where the planner went from here.
    pub route: Route,
    /// What the correction changed.
    pub changes: Vec<Change>,
}

/// Where a plan stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Not begun.
    New,
    /// The model chooses kinds and steps.
    Outline,
    /// The model writes the draft.
    Generate,
    /// The draft is tried.
    Try,
    /// The model corrects it.
    Correct,
    /// The model names it.
    Metadata,
    /// Over.
    Ended,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// What was asked for.
    pub request: String,
    /// The draft is tried.
    pub tries: bool,
    /// The workflow that is changed; none when a new one is drafted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Value>,
    /// Where it stands.
    pub stage: Stage,
    /// The question that is open.
    pub question: u32,
    /// The try that is open.
    pub trial: u32,
    /// Kinds that the model chose.
    pub kinds: Vec<String>,
    /// Steps that the model named.
    pub steps: Vec<String>,
    /// The draft as the model left it, valid or not.
    pub draft: Option<Draft>,
    /// The first draft that could be read.
    pub first: Option<Draft>,
    /// The last valid draft.
    pub valid: Option<Draft>,
    /// Repairs in a row.
    pub repairs: usize,
    /// Corrections so far.
    pub corrections: usize,
    /// Signatures of what the tries found.
    pub signatures: Vec<String>,
    /// The tries.
    pub attempts: Vec<Attempt>,
    /// What is wrong with the last answer.
    pub findings: Vec<Finding>,
    /// What a correction changed of what was asked for.
    pub intent: Vec<IntentChange>,
    /// The name of the workflow.
    pub name: String,
    /// Its description.
    pub description: String,
    /// What it cost.
    pub usage: Usage,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Why, in plain words.
    pub reason: Option<String>,
}

impl Plan {
    /// A plan for a request; `tries` says whether a person agreed to a try.
    pub fn new(request: &str, tries: bool) -> Self {
        let line = request.split_whitespace().collect::<Vec<_>>().join(" ");
        let name: String = line.chars().take(60).collect();
        Self {
            request: request.to_owned(),
            tries,
            base: None,
            stage: Stage::New,
            question: 0,
            trial: 0,
            kinds: Vec::new(),
            steps: Vec::new(),
            draft: None,
            first: None,
            valid: None,
            repairs: 0,
            corrections: 0,
            signatures: Vec::new(),
            attempts: Vec::new(),
            findings: Vec::new(),
            intent: Vec::new(),
            name: if name.is_empty() { "New workflow".into() } else { name },
            description: line.chars().take(400).collect(),
            usage: Usage::default(),
            outcome: None,
            reason: None,
        }
    }

    /// A plan that changes a workflow: the model sees its steps and answers with a patch.
    pub fn changing(request: &str, document: &Value) -> Self {
        let draft = Draft::of_document(document);
        let draft = (!draft.nodes.is_empty()).then_some(draft);
        Self { base: Some(document.clone()), draft, ..Self::new(request, false) }
    }

    /// A plan that begins with trying a workflow and corrects it.
    pub fn trying(request: &str, document: &Value) -> Self {
        let draft = Some(Draft::of_document(document));
        Self {
            base: Some(document.clone()),
            first: draft.clone(),
            valid: draft.clone(),
            draft,
            ..Self::new(request, true)
        }
    }

    /// The id of the workflow, from its request: it does not change while the draft is tried.
    pub fn workflow_id(&self) -> String {
        let mut id = String::new();
        for c in self.request.chars().take(200).map(|c| c.to_ascii_lowercase()) {
            match c {
                _ if id.len() >= 40 => break,
                'a'..='z' | '0'..='9' => id.push(c),
                _ if id.ends_with('-') || id.is_empty() => {}
                _ => id.push('-'),
            }
        }
        let id = id.trim_matches('-');
        if id.is_empty() { "planned-workflow".into() } else { id.to_owned() }
    }

    /// The last valid draft as a workflow file.
    pub fn document(&self, catalog: &Catalog) -> Option<Value> {
        self.valid.as_ref().map(|draft| self.document_of(draft, catalog))
    }

    /// Whether the workflow gets its name from the plan: one that has steps keeps its own.
    pub(crate) fn names(&self) -> bool {
        let steps = self.base.as_ref().and_then(|base| base["nodes"].as_object());
        steps.is_none_or(serde_json::Map::is_empty)
    }

    /// A draft of this plan as a workflow file.
    pub fn document_of(&self, draft: &Draft, catalog: &Catalog) -> Value {
        match &self.base {
            Some(base) if !self.names() => draft.onto(base, catalog),
            Some(base) => {
                let mut document = draft.onto(base, catalog);
                document["name"] = self.name.as_str().into();
                document["description"] = self.description.as_str().into();
                if document["settings"].get("errorPolicy").is_none() {
                    document["settings"]["errorPolicy"] = "safe".into();
                }
                document
            }
            None => draft.document(&self.workflow_id(), &self.name, &self.description, catalog),
        }
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod large_tests;
