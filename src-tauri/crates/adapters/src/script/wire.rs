//! What the program and a process that runs scripts say to each other: one line of JSON each.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_ports::scripts::{ScriptCall, ScriptFault};

/// The longest line of either side, bytes.
pub(super) const LARGEST: usize = 256 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) source: String,
    pub(super) names: Vec<String>,
    /// A JSON array, in the order of `names`.
    pub(super) values: String,
    pub(super) timeout_ms: u64,
    pub(super) memory_mb: u32,
}

impl Request {
    pub(super) fn of(call: &ScriptCall) -> Self {
        let values: Vec<&Value> = call.bound.iter().map(|(_, value)| value.as_ref()).collect();
        Self {
            source: call.source.clone(),
            names: call.bound.iter().map(|(name, _)| (*name).to_owned()).collect(),
            values: serde_json::to_string(&values).unwrap_or_default(),
            timeout_ms: u64::try_from(call.timeout.as_millis()).unwrap_or(u64::MAX),
            memory_mb: call.memory_mb,
        }
    }

    pub(super) fn line(&self) -> Vec<u8> {
        line(self)
    }
}

/// Faults by name.
const FAULTS: [(&str, ScriptFault); 7] = [
    ("syntax", ScriptFault::Syntax),
    ("thrown", ScriptFault::Thrown),
    ("waits", ScriptFault::Waits),
    ("timeout", ScriptFault::Timeout),
    ("memory", ScriptFault::Memory),
    ("not_json", ScriptFault::NotJson),
    ("crashed", ScriptFault::Crashed),
];

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) fault: Option<ScriptFault>,
    /// The result as JSON, or what went wrong.
    pub(super) text: String,
    pub(super) line: Option<u32>,
    pub(super) printed: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct AnswerLine {
    fault: Option<String>,
    text: String,
    line: Option<u32>,
    printed: Vec<String>,
}

impl Answer {
    pub(super) fn line(self) -> Vec<u8> {
        let Self { fault, text, line: at, printed } = self;
        let name = |fault| FAULTS.iter().find(|(_, one)| *one == fault).map(|(name, _)| (*name).to_owned());
        line(&AnswerLine { fault: fault.and_then(name), text, line: at, printed })
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let AnswerLine { fault, text, line, printed } = serde_json::from_slice(bytes).ok()?;
        let fault = match fault {
            None => None,
            Some(name) => Some(FAULTS.iter().find(|(known, _)| *known == name)?.1),
        };
        Some(Self { fault, text, line, printed })
    }
}

fn line(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
