//! Drafts of workflows by a model (ADR 103): a pure loop that asks, checks, tries and corrects. It makes no call itself: the
//! host answers its effects with events, so that a plan can be replayed and tested without a model.
#![deny(missing_docs)]

mod about;
mod answer;
mod brief;
mod draft;
#[cfg(test)]
#[path = "evaluation/tests.rs"]
mod evaluation;
mod expression;
mod finding;
mod intent;
mod issue;
mod patch;
mod plan;
mod prompt;
mod references;
mod search;
mod so_far;
mod trial;

pub use about::{Explained, answer_about, question_about};
pub use answer::{MAX_ANSWER, object_in};
pub use brief::{about, schema_in_brief};
pub use draft::{Draft, DraftNode, MAX_EDGES, MAX_NODES};
pub use expression::{ExpressionPlan, ExpressionStep, Refused, Wanted};
pub use finding::{Finding, MAX_FINDINGS, from_diagnostics};
pub use intent::{IntentChange, changes_of_intent};
pub use issue::{Category, Issue, Route, body_error, issue_of_error, issue_of_result, route, signature};
pub use patch::{Change, apply, between};
pub use plan::{Attempt, Checker, Effect, Event, MAX_CORRECTIONS, MAX_REPAIRS, Outcome, Plan, Trial, Usage, plan};
pub use prompt::{MAX_PROMPT_TOKENS, Purpose, Question, tokens};
pub use references::{Recorded, missing_references};
pub use search::{Hit, search};
pub use so_far::{draft_so_far, patch_so_far};
pub use trial::{Call, CallMode, calls, example, not_consented, resume_from, sample_of, trial_document};
