//! The form of an answer: whether a model's words are what was asked for. Endpoints ignore it silently, so it is always
//! looked at here (K-32): read the JSON, mend slips of the pen, check it, else say what is wrong.

use serde_json::{Value, json};
use signalbox_engine::agent;
use signalbox_engine::repair::{Unanswered, answered, numbered};
use signalbox_engine::schema::Schema;
use signalbox_model::NodeFailure;
use signalbox_ports::llm::AnswerForm;
use std::sync::Arc;

/// So much of an answer that is of no use stands in the error.
pub(crate) const SHOWN: usize = 2_000;

/// What an answer must be.
pub(crate) struct Form {
    schema: Value,
    compiled: Arc<Schema>,
    any_object: bool,
    /// The schema was read from a file.
    of_file: bool,
    /// Of an agent: its transitions.
    transitions: Option<Vec<String>>,
}

/// An answer in its form.
pub(crate) struct Formed {
    pub(crate) value: Value,
    /// What was mended, by the names of the rungs.
    pub(crate) mended: Vec<&'static str>,
    /// The transition that an agent takes.
    pub(crate) next: Option<String>,
}

impl Form {
    /// Some object.
    pub(crate) fn object() -> Result<Self, NodeFailure> {
        Ok(Self { any_object: true, ..Self::of(json!({ "type": "object" }))? })
    }

    /// By a schema.
    pub(crate) fn of(schema: Value) -> Result<Self, NodeFailure> {
        let compiled = Schema::compile(&schema).map_err(|why| {
            NodeFailure::validation("INPUT_INVALID", format!("The schema of the answer cannot be used: {why}"))
                .detail("field", "output")
        })?;
        Ok(Self { schema, compiled, any_object: false, of_file: false, transitions: None })
    }

    /// By a schema that was read from a file.
    pub(crate) fn read_from_file(schema: Value) -> Result<Self, NodeFailure> {
        Ok(Self { of_file: true, ..Self::of(schema)? })
    }

    /// The schema, where it was read from a file.
    pub(crate) fn of_file(&self) -> Option<&Value> {
        self.of_file.then_some(&self.schema)
    }

    /// By the contract of an agent (K-32).
    pub(crate) fn contract(schema: Value, transitions: Vec<String>) -> Result<Self, NodeFailure> {
        Ok(Self { transitions: Some(transitions), ..Self::of(schema)? })
    }

    /// As the provider is asked for it.
    pub(crate) fn wanted(&self) -> AnswerForm {
        if self.any_object { AnswerForm::JsonObject } else { AnswerForm::JsonSchema(self.schema.clone()) }
    }

    /// For models whose endpoint knows no forms.
    pub(crate) fn in_words(&self) -> String {
        if self.any_object {
            return "Answer with one JSON object and nothing else.".into();
        }
        format!("Answer with JSON of this JSON Schema and nothing else:\n{}", self.schema)
    }

    /// Reads an answer.
    pub(crate) fn read(&self, text: &str) -> Result<Formed, NodeFailure> {
        let found = answered(text).map_err(|why| {
            let failure = match why {
                Unanswered::Nothing => NodeFailure::validation(
                    "NO_STRUCTURED_OUTPUT",
                    "The model answered with words, but JSON was asked for",
                ),
                Unanswered::Broken(why) => NodeFailure::validation(
                    "NON_JSON",
                    format!("The model's answer is no JSON that can be read: {why}"),
                ),
            };
            self.told(failure, text)
        })?;
        let mut value = found.value;
        let mut mended: Vec<&'static str> = found.mended.iter().map(|rung| rung.name()).collect();
        let (numbers, violations) = numbered(&mut value, &self.compiled);
        if !numbers.is_empty() {
            mended.push("number_format");
        }
        if let Some(transitions) = &self.transitions {
            let taken = agent::take(value, &self.schema, transitions).map_err(|failure| self.told(failure, text))?;
            return Ok(Formed { value: Value::Object(taken.writes), mended, next: taken.next });
        }
        let Some(first) = violations.first() else { return Ok(Formed { value, mended, next: None }) };
        let words = format!("The model's answer does not fit the schema: {}", first.told());
        let list: Vec<Value> = violations
            .iter()
            .map(|one| json!({ "path": one.path, "message": one.message, "keyword": one.keyword }))
            .collect();
        Err(self.told(NodeFailure::validation("SCHEMA_MISMATCH", words).detail("violations", list), text))
    }

    fn told(&self, failure: NodeFailure, text: &str) -> NodeFailure {
        failure
            .detail("answer", text.chars().take(SHOWN).collect::<String>())
            .detail("answerSchema", self.schema.clone())
    }
}

/// What the model is told about its answer.
pub(crate) fn again(failure: &NodeFailure) -> String {
    let more = failure.details.get("violations").and_then(Value::as_array).into_iter().flatten().skip(1);
    let more: Vec<String> = more
        .map(|one| {
            format!("{}: {}", one["path"].as_str().unwrap_or_default(), one["message"].as_str().unwrap_or_default())
        })
        .collect();
    again_for(&failure.message, more.iter().map(String::as_str))
}

/// The same, by the reasons alone.
pub(crate) fn again_for<'a>(first: &str, more: impl Iterator<Item = &'a str>) -> String {
    let mut words = format!("Your answer cannot be used. {}.", first.trim_end_matches('.'));
    more.for_each(|one| words.push_str(&format!("\nAlso {one}")));
    words.push_str("\nAnswer again, with the JSON alone.");
    words
}
