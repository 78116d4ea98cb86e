//! `name.signalbox-test.yaml`: what a test starts with, what the outside answers, and what must come out. docs/workflow-tests.md
//! describes it for people.

use crate::test_bytes::TestBytes;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::base::Base;
use signalbox_model::{Binaries, ErrorType, Map, SuggestedAction, ToolGrant};
use std::collections::BTreeMap;
use std::fmt;

/// What the names of test files end with.
pub const ENDING: &str = ".signalbox-test.yaml";
/// The version of the format that this program writes and reads.
pub const FORMAT: u32 = 1;
/// What stands for a hidden value, whole or as a part of a text.
pub(crate) const MASK: &str = "•••";
/// Largest test file.
pub const FILE_LIMIT: usize = 16 * 1024 * 1024;

/// One test of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestFile {
    /// Version of the format, 1.
    pub signalbox_test: u32,
    /// What it shows.
    pub name: String,
    /// File name of the workflow, in the folder of the test.
    pub workflow: String,
    /// SHA-256 of the definition that was recorded. Another one is no failure; differences then say what no longer fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// Time at the start of the run, RFC 3339.
    pub started_at: String,
    /// 16 hex digits from which every delay of a retry is computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// Input of the run.
    #[serde(default)]
    pub params: Map,
    /// Initial variables besides those of the file.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub context: Map,
    /// Step that the run ends after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The run begins in the middle of the workflow, as the re-run did that was saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun: Option<RerunStart>,
    /// Answers of the outside, by step and call. Each is used once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallReply>,
    /// What people do, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<PersonAction>,
    /// The run is cancelled so many milliseconds after its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_after_ms: Option<i64>,
    /// Replies that take the place of the recorded ones, and of the code of steps without effects. The first that fits is used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mocks: Vec<CallReply>,
    /// What must come out; what is absent is not checked.
    #[serde(default)]
    pub expect: Expectations,
    /// Base64 by SHA-256: the bytes that `binary` of the calls and mocks names.
    #[serde(default, skip_serializing_if = "TestBytes::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub bytes: TestBytes,
}

/// What a re-run has of its original. `context` of the test then holds all variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RerunStart {
    /// The step that it begins at, with its path.
    pub from: String,
    /// Events of the original that stand, and the input of the step: `base` of the first event of the re-run.
    #[schemars(with = "Map")]
    pub base: Box<Base>,
}

/// How a call ends. Exactly one of `output`, `pass`, `error`, `crash` and `never` is given; a mock may have `afterMs` alone: the
/// call then ends as without the mock, so much later.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CallReply {
    /// The step.
    pub step: String,
    /// Where in nested containers: `loop[3]`, `par/branch`, the id of a sub-workflow step. Left out at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Index of the item, from 0, when a step is called once for each item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    /// In a recorded call: after so many corrections or retries by a person, from 1. Left out: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visit: Option<u32>,
    /// In a recorded call: after so many automatic retries. Left out: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// In a mock: the n-th call only, from 1. Left out: every call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
    /// How long the call takes, milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub after_ms: i64,
    /// Port → data of the items that leave there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<IndexMap<String, Vec<Value>>>,
    /// Port → for each item of `output` the bytes that come with it, by their names.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub binary: IndexMap<String, Vec<Binaries>>,
    /// Port through which the input leaves as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<String>,
    /// The call fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CallError>,
    /// The program stops during the call and starts again; the call's result is lost.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub crash: bool,
    /// No answer comes. The time limit of the step ends the call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub never: bool,
    /// For steps that make one list of all items: for each item of the port `success`, the index of the input item it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paired: Option<Vec<Option<usize>>>,
    /// What `_meta` is in `out` and `print`. A run does not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
    /// Variables that the step itself writes.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub writes: Map,
}

impl CallReply {
    /// How many ends of the call are given.
    fn ends(&self) -> usize {
        let given = [self.output.is_some(), self.pass.is_some(), self.error.is_some(), self.crash, self.never];
        given.iter().filter(|given| **given).count()
    }

    /// It says only that the call takes longer.
    #[must_use]
    pub fn is_delay(&self) -> bool {
        self.ends() == 0 && self.after_ms > 0
    }
}

/// A failure of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CallError {
    /// One of the six types. Left out: the type that the kind of the step declares for the code.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub error_type: Option<ErrorType>,
    /// The finer cause, as in `details.code`.
    pub code: String,
    /// For people. Left out: when the kind of the step says that this error happens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whether the same call may succeed later. Left out: what the kind of the step declares for the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// The call may have reached the other side although no answer came.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_have_happened: bool,
    /// `Retry-After`, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Advice of the failing side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_action: Option<SuggestedAction>,
    /// Further details.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map,
    /// The step waits for a person who allows a call of a tool; this is what it goes on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Value>,
}

/// What a person does with a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PersonAction {
    /// The step that asks; for a task about an error without a step of its own, the step that failed.
    pub step: String,
    /// As of [`CallReply::path`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How long after the task was created, milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub after_ms: i64,
    /// An answer (`retry`, `correct`, `skip`, `alternative`, `abort`, `approve`, `reject`, `submit`), or `hold` or `continue`.
    pub action: String,
    /// With `correct`: the corrected input. With `submit`: the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// With `alternative`: the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// With `approve` of a tool call: how far it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<ToolGrant>,
    /// With `retry` of a step whose budget is used up: what the run may spend more, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_micros: Option<u64>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Who: `user:…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What must come out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expectations {
    /// Status of the run: `completed`, `failed`, `cancelled`, or `paused` (it waits for a person).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Step that ended the run with an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_step: Option<String>,
    /// Code of that error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// Output of the run, whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Vec<Value>>,
    /// Variables at the end; those that are not named are not checked.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub context: Map,
    /// Step → state at the end.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub steps: IndexMap<String, String>,
    /// Step → port → number of items that left there, over all its calls.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub ports: IndexMap<String, IndexMap<String, usize>>,
    /// Steps that must not be called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_called: Vec<String>,
    /// Conditions in CEL over `status`, `output`, `params`, `context`, `nodes`, `steps`, `calls`, `error` and `durationMs`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assertions: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// Why a text is no test file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// What is wrong and where.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.message, self.hint)
    }
}

fn refuse<T>(message: impl Into<String>, hint: &str) -> Result<T, FileError> {
    Err(FileError { message: message.into(), hint: hint.to_owned() })
}

fn options() -> serde_saphyr::Options {
    let mut options = signalbox_nodes::yaml_options();
    options.strict_booleans = true;
    options.merge_keys = serde_saphyr::MergeKeyPolicy::Error;
    options
}

impl TestFile {
    /// Reads the text of a test file.
    ///
    /// # Errors
    /// Says what is wrong, where, and what to do.
    pub fn read(text: &str) -> Result<Self, FileError> {
        if text.len() > FILE_LIMIT {
            let message = format!("The test has {} MiB; at most {} MiB are read.", text.len() >> 20, FILE_LIMIT >> 20);
            return refuse(message, "Record a run with less data.");
        }
        let raw: Value = match serde_saphyr::from_str_with_options(text, options()) {
            Ok(raw) => raw,
            Err(error) => {
                let hint = "Correct the file at this place; it may be cut off.";
                return refuse(format!("The test is no valid YAML: {}.", one_line(&error.to_string())), hint);
            }
        };
        let format = match raw.get("signalboxTest") {
            Some(format) => format,
            None if raw.get("signalbox").is_some() => {
                return refuse("This is a workflow, not a test.", "Name a file that ends with .signalbox-test.yaml.");
            }
            None => {
                let message = "This is no test of a workflow: `signalboxTest` is missing.";
                return refuse(message, "The first line of a test is `signalboxTest: 1`.");
            }
        };
        if format.as_u64() != Some(u64::from(FORMAT)) {
            let message = format!("The test has the format {format}; this program knows {FORMAT}.");
            return refuse(message, "Use a newer version of Signalbox, or save the test again.");
        }
        let test: Self = match serde_saphyr::from_str_with_options(text, options()) {
            Ok(test) => test,
            Err(error) => {
                let hint = "Help, Tests and proofs, in the app lists the fields.";
                return refuse(format!("The test cannot be read: {}.", one_line(&error.to_string())), hint);
            }
        };
        test.check()?;
        Ok(test)
    }

    /// Whether it runs the whole workflow, and its mocks are answers without a fault, so that a proof can start from it.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        let is_good = |mock: &CallReply| {
            mock.is_delay()
                || mock.pass.as_deref().is_some_and(|port| port != "error")
                || mock.output.as_ref().is_some_and(|ports| !ports.contains_key("error"))
        };
        self.rerun.is_none() && self.mocks.iter().all(is_good)
    }

    /// What no type says.
    ///
    /// # Errors
    /// Says what is wrong, where, and what to do.
    pub fn check(&self) -> Result<(), FileError> {
        if signalbox_model::time::parse(&self.started_at).is_none() {
            let message = format!("startedAt: '{}' is no time.", self.started_at);
            return refuse(message, "Write one as 2026-11-21T18:00:00Z.");
        }
        if let Some(seed) = &self.seed
            && u64::from_str_radix(seed, 16).is_err()
        {
            return refuse(format!("seed: '{seed}' is not 16 hex digits."), "Leave it out, or save the test again.");
        }
        for (list, replies) in [("calls", &self.calls), ("mocks", &self.mocks)] {
            for (at, reply) in replies.iter().enumerate() {
                let delays = list == "mocks" && reply.is_delay();
                if reply.ends() != 1 && !delays {
                    let step = &reply.step;
                    let message =
                        format!("{list}[{at}] (step '{step}') needs exactly one of output, pass, error, crash, never.");
                    let hint = "Say how the call ends; a mock that is only late has afterMs alone.";
                    return refuse(message, hint);
                }
                if reply.call == Some(0) {
                    let message = format!("{list}[{at}] (step '{}'): call counts from 1.", reply.step);
                    return refuse(message, "Write 1 for the first call.");
                }
                let items =
                    |port: &String| reply.output.as_ref().and_then(|output| output.get(port)).map_or(0, Vec::len);
                if let Some((port, _)) = reply.binary.iter().find(|(port, named)| named.len() > items(port)) {
                    let step = &reply.step;
                    let message =
                        format!("{list}[{at}] (step '{step}'): binary has more entries for '{port}' than output.");
                    return refuse(message, "Write one entry for each item of the port; {} for an item without bytes.");
                }
                if reply.after_ms < 0 {
                    let message = format!("{list}[{at}] (step '{}'): afterMs is negative.", reply.step);
                    return refuse(message, "Write milliseconds, 0 or more.");
                }
            }
        }
        for (at, act) in self.people.iter().enumerate() {
            let known = matches!(act.action.as_str(), "hold" | "continue")
                || signalbox_model::TaskAction::parse(&act.action).is_some();
            if !known {
                let message = format!("people[{at}] (step '{}'): '{}' is no action.", act.step, act.action);
                let hint = "Use retry, correct, skip, alternative, abort, approve, reject, submit, hold or continue.";
                return refuse(message, hint);
            }
        }
        Ok(())
    }

    /// The text of the file. What it says is read back and compared, so that no value changes on the way.
    ///
    /// # Errors
    /// When a value cannot be written.
    pub fn write(&self) -> Result<String, FileError> {
        let hint = "Record a run without this value.";
        let written = match serde_saphyr::to_string(self) {
            Ok(text) => text,
            Err(error) => {
                return refuse(format!("The test cannot be written: {}.", one_line(&error.to_string())), hint);
            }
        };
        let written = match Self::read(&written) {
            Ok(again) if again == *self => written,
            // JSON is YAML as well, and has one way to write a value.
            _ => match serde_json::to_string_pretty(self) {
                Ok(text) => text + "\n",
                Err(error) => return refuse(format!("The test cannot be written: {error}."), hint),
            },
        };
        if written.len() > FILE_LIMIT {
            let message =
                format!("The test would have {} MiB; it may have {} MiB.", written.len() >> 20, FILE_LIMIT >> 20);
            return refuse(message, "Save a run with less data.");
        }
        Ok(written)
    }

    /// Time at the start, milliseconds since 1970.
    pub fn started_ms(&self) -> i64 {
        signalbox_model::time::parse(&self.started_at).unwrap_or_default()
    }

    /// The seed of the run.
    pub fn seed(&self) -> u64 {
        self.seed.as_deref().and_then(|seed| u64::from_str_radix(seed, 16).ok()).unwrap_or_default()
    }
}

/// The first line of what a parser says, without its picture of the text.
fn one_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().trim_end_matches('.').to_owned()
}
