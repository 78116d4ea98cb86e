//! Keys that a step wants to know whether earlier runs have seen them.

/// The keys of one call of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyClaim {
    /// Id of the workflow.
    pub workflow: String,
    /// Keys with the same name are in different scopes of a workflow different ones.
    pub scope: String,
    /// Digests of the keys, in the order of the items.
    pub keys: Vec<String>,
    /// The run.
    pub run: String,
    /// Names the step and its place in the run: the same for every attempt, and after a crash.
    pub step: String,
    /// Keys that the scope remembers, the latest ones.
    pub most: usize,
    /// How long a key is remembered after it was seen last, milliseconds.
    pub kept_ms: i64,
    /// The present, milliseconds since 1970.
    pub now_ms: i64,
}
