//! An entry as a log or a store keeps it.

/// An entry as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The number that it is stored under.
    pub seq: u64,
    /// Its canonical text.
    pub text: String,
    /// Its hash, as stored.
    pub hash: String,
    /// Its signature, as stored.
    pub signature: Option<String>,
}
