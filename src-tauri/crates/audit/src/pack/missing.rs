//! What a pack says of ends of its log that were found missing.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An end of the log that was found missing, as the exporter says. It is not signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MissingEnd {
    /// Entries that there were, by what their writer knew.
    pub expected: u64,
    /// Entries that there were when it was noticed.
    pub found: u64,
    /// The entry (`AUDIT_CUT_ACCEPTED`) in which a person says why; `None` when nobody has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<u64>,
}

impl fmt::Display for MissingEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.expected.saturating_sub(1);
        match self.found {
            found if found >= self.expected => write!(f, "entry {last} is not the one that had been written")?,
            0 => write!(f, "entry {last} was the last one known, and none was there when that was noticed")?,
            found => {
                let there = found - 1;
                write!(
                    f,
                    "entry {last} was the last one known, and entry {there} the last one there when that was noticed"
                )?;
            }
        }
        match self.accepted {
            Some(seq) => write!(f, "; entry {seq} says why"),
            None => f.write_str("; nobody has said why"),
        }
    }
}
