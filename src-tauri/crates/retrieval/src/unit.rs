//! The pieces that passages are put together from.

use std::ops::Range;

/// Longest heading that is kept, in characters.
const HEADING: usize = 300;

/// The smallest piece that is not divided unless it is too long: a sentence, a row, a line of a list.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// Bytes of the text.
    pub(crate) at: Range<usize>,
    /// A paragraph begins here.
    pub(crate) opens: bool,
}

/// What stands below one heading.
#[derive(Debug, Clone, Default)]
pub(crate) struct Section {
    pub(crate) heading: Option<String>,
    pub(crate) units: Vec<Unit>,
}

/// A heading as it is kept.
pub(crate) fn cut(text: &str) -> String {
    text.chars().take(HEADING).collect()
}
