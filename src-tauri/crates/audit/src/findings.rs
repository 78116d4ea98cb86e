//! What entries themselves say about their chain: that a verification failed, and that a person accepted a missing end.
//! It does not break what is verified, and who reads the evidence should know it.

use crate::entry::Entry;
use serde::Serialize;
use serde_json::Value;

/// Events that say so.
const EVENTS: [&str; 2] = ["AUDIT_VERIFY_FAILED", "AUDIT_CUT_ACCEPTED"];
/// So many are named; the others are counted.
const NAMED: usize = 20;
/// Longer than any kind of damage; what comes from outside is not copied without end.
const LONGEST_KIND: usize = 32;

/// An entry about the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Its place.
    pub seq: u64,
    /// `AUDIT_VERIFY_FAILED` or `AUDIT_CUT_ACCEPTED`.
    pub event: String,
    /// What a verification found, `TRUNCATED` for example; `None` when it is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The first entry that it is about; `None` when it is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
}

/// Entries about the chain that were met.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Findings {
    /// All of them.
    pub count: u64,
    /// The first 20.
    pub first: Vec<Finding>,
}

impl Findings {
    /// Whether none was met.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether a text can be of such an entry; cheaper than reading it.
    #[must_use]
    pub fn may_be(text: &str) -> bool {
        EVENTS.iter().any(|event| text.contains(event))
    }

    /// Looks at an entry.
    pub fn meet(&mut self, entry: &Entry) {
        if !EVENTS.contains(&entry.event.as_str()) {
            return;
        }
        self.count += 1;
        if self.first.len() < NAMED {
            let fact = |name: &str| entry.metadata.as_ref().and_then(|facts| facts.get(name));
            let kind = fact("kind").and_then(Value::as_str).filter(|kind| kind.len() <= LONGEST_KIND);
            self.first.push(Finding {
                seq: entry.seq,
                event: entry.event.clone(),
                kind: kind.map(str::to_owned),
                at: fact("seq").and_then(Value::as_u64),
            });
        }
    }
}
