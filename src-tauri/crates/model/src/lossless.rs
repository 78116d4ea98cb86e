//! What reading a JSON text into values would change without a word: digits of numbers (ADR 84), and members that an object
//! has twice (ADR 216). Every entrance of data in JSON asks here.

use crate::digits::{self, Lost};
use crate::repeated_members::{self, Repeated};

/// The first change that there would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// A number would become another number.
    Number(Lost),
    /// One of two values of a member would be gone.
    Member(Repeated),
}

impl Loss {
    /// What is wrong and why: a sentence that begins in small letters and has no full stop.
    pub fn told(&self) -> String {
        match self {
            Self::Number(lost) => lost.told(),
            Self::Member(repeated) => repeated.told(),
        }
    }
}

/// The first loss in a valid JSON text.
pub fn loss(text: &str) -> Option<Loss> {
    digits::lost(text).map(Loss::Number).or_else(|| repeated_members::repeated(text).map(Loss::Member))
}

/// The first one below `path`, in a message of which other parts do not matter.
pub fn loss_below(text: &str, path: &str) -> Option<Loss> {
    let number = digits::lost_below(text, path).map(Loss::Number);
    number.or_else(|| repeated_members::repeated_below(text, path).map(Loss::Member))
}
