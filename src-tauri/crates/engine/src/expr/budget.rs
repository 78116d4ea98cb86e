//! What one evaluation may cost. Without a clock the only honest measure is counting.

use super::error::{Code, ExprError};
use std::cell::Cell;

/// Turns of all loops together.
pub(super) const TURNS: u64 = 10_000;
/// Longest text that an operation may make, in bytes.
pub(super) const TEXT: u64 = 1024 * 1024;
/// Bytes and list entries that all operations together may make.
pub(super) const MADE: u64 = 16 * 1024 * 1024;
/// Comparisons and scanned bytes / 16.
pub(super) const WORK: u64 = 20_000_000;
/// Size of the result as JSON, roughly.
pub(super) const RESULT: u64 = 64 * 1024 * 1024;
/// Size of all results together where each is a result of its own: what a step may put out at most.
pub(super) const RESULTS: u64 = 1024 * 1024 * 1024;

pub(super) struct Budget {
    turns: Cell<u64>,
    made: Cell<u64>,
    work: Cell<u64>,
    result: Cell<u64>,
    results: Cell<u64>,
}

type Out = Result<(), Box<ExprError>>;

fn take(from: &Cell<u64>, amount: u64, what: &str) -> Out {
    match from.get().checked_sub(amount) {
        Some(left) => {
            from.set(left);
            Ok(())
        }
        None => Err(Box::new(ExprError::new(Code::Limit, what))),
    }
}

impl Budget {
    pub(super) fn new() -> Self {
        Self {
            turns: Cell::new(TURNS),
            made: Cell::new(MADE),
            work: Cell::new(WORK),
            result: Cell::new(RESULT),
            results: Cell::new(RESULTS),
        }
    }

    pub(super) fn turn(&self) -> Out {
        take(
            &self.turns,
            1,
            "The expression goes round its loops more than 10,000 times. Use a step such as data.filter or \
             data.aggregate for long lists.",
        )
    }

    /// A text of this length is made.
    pub(super) fn text(&self, bytes: usize) -> Out {
        self.length(bytes)?;
        self.made(bytes)
    }

    /// A text that is being made has this length.
    pub(super) fn length(&self, bytes: usize) -> Out {
        if bytes as u64 <= TEXT {
            return Ok(());
        }
        Err(Box::new(ExprError::new(
            Code::Limit,
            "The expression makes a text of more than 1 MiB. Make it in a step instead.",
        )))
    }

    pub(super) fn made(&self, amount: usize) -> Out {
        take(
            &self.made,
            amount as u64,
            "The expression makes more than 16 MiB of texts and lists. Split it over several steps.",
        )
    }

    pub(super) fn work(&self, amount: usize) -> Out {
        take(&self.work, amount as u64, "The expression compares and searches too much. Split it over several steps.")
    }

    /// What comes is a result of its own, beside those before it.
    pub(super) fn next_result(&self) -> Out {
        let before = RESULT - self.result.replace(RESULT);
        take(&self.results, before, "The results of the expression are larger than 1 GiB together. Select less.")
    }

    pub(super) fn result(&self, bytes: usize) -> Out {
        take(&self.result, bytes as u64, "The result of the expression is larger than 64 MiB. Select less.")
    }
}
