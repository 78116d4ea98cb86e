//! JSON Patch (RFC 6902): what a repair or a person changed in an input, as a list that can be read, stored and applied
//! again. The number of its operations is the `delta` of an auto-fix.
//!
//! [`diff()`] writes `add`, `remove` and `replace` only; [`apply()`] knows all six operations. A patch can come from a
//! file or a model, so `apply` bounds what the patch can build.

mod apply;
mod diff;
pub mod pointer;

pub use apply::{MAX_DEPTH, MAX_GROWTH, PatchError, apply};
pub use diff::diff;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One operation of a patch, as RFC 6902 writes it: `{"op": "replace", "path": "/a/0", "value": 5}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Operation {
    /// Puts a member into an object, or an element into a list before the index (`-`: at the end).
    Add {
        /// JSON pointer of the place.
        path: String,
        /// What is put there.
        value: Value,
    },
    /// Takes away what is there.
    Remove {
        /// JSON pointer of the place.
        path: String,
    },
    /// Puts something else in the place of what is there.
    Replace {
        /// JSON pointer of the place.
        path: String,
        /// What stands there afterwards.
        value: Value,
    },
    /// Takes a value from one place to another.
    Move {
        /// JSON pointer of where it is.
        from: String,
        /// JSON pointer of where it goes, as `add` reads it.
        path: String,
    },
    /// Puts a value of one place also at another.
    Copy {
        /// JSON pointer of where it is.
        from: String,
        /// JSON pointer of where it goes, as `add` reads it.
        path: String,
    },
    /// Refuses the whole patch unless the place holds this value.
    Test {
        /// JSON pointer of the place.
        path: String,
        /// What must stand there; numbers are compared by value (`1` is `1.0`).
        value: Value,
    },
}

impl Operation {
    /// The place that the operation changes or tests.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Add { path, .. }
            | Self::Remove { path }
            | Self::Replace { path, .. }
            | Self::Move { path, .. }
            | Self::Copy { path, .. }
            | Self::Test { path, .. } => path,
        }
    }
}
