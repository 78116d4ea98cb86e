//! What one evaluation may cost. Without a clock the only honest measure is counting: the same expression over the same
//! data is refused on every machine or on none. A preview has an [`Allowance`] besides, which may look at a clock.

use super::allowance::Allowance;
use super::error::{Code, ExprError};
use serde_json::Value;
use std::cell::Cell;

/// What a value takes in the place where it is kept: in a list, in an object.
pub(super) const SLOT: usize = size_of::<Value>();
/// What an entry of an object takes besides its value and the letters of its key: the key, its hash, its place in the table.
pub(super) const ENTRY: usize = size_of::<String>() + 40;
/// What an object takes without its entries: its table.
pub(super) const TABLE: usize = 64;
/// What a text or a list takes on the heap besides its contents.
pub(super) const BLOCK: usize = 24;
/// What an entry of a list takes while the expression runs.
pub(super) const HELD: usize = size_of::<super::val::V<'static>>();

/// Turns of all loops together.
pub(super) const TURNS: u64 = 10_000;
/// Longest text that an operation may make, in bytes.
pub(super) const TEXT: u64 = 1024 * 1024;
/// Bytes of texts, lists and objects that all operations together may make.
pub(super) const MADE: u64 = 64 * 1024 * 1024;
/// Comparisons and scanned bytes / 16.
pub(super) const WORK: u64 = 20_000_000;
/// Size of the result as JSON, roughly.
pub(super) const RESULT: u64 = 64 * 1024 * 1024;
/// Memory that the result takes as values: a list of small objects takes nine times its JSON, and whoever gets a result has a
/// copy of it. What is longer has to stay text (ADR 186).
pub(super) const MEMORY: u64 = 32 * 1024 * 1024;
/// Memory of all results together where each is a result of its own: what a step may put out at most.
pub(super) const RESULTS: u64 = 1024 * 1024 * 1024;
/// What to do instead of making values of a whole table.
const INSTEAD: &str = ". Select less, or work through a large list row by row: make items of it with Split a list, then use Filter, \
                       Set fields, Pick fields, Group by or Sort.";
/// Calls between two looks at the allowance's clock.
const LOOK: u32 = 256;

pub(super) struct Budget<'a> {
    allowance: Option<&'a Allowance>,
    calls: Cell<u32>,
    memory: Cell<u64>,
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

impl<'a> Budget<'a> {
    pub(super) fn new(allowance: Option<&'a Allowance>) -> Self {
        Self {
            allowance,
            calls: Cell::new(0),
            memory: Cell::new(MEMORY),
            turns: Cell::new(TURNS),
            made: Cell::new(MADE),
            work: Cell::new(WORK),
            result: Cell::new(RESULT),
            results: Cell::new(RESULTS),
        }
    }

    /// Looks at the clock of the allowance every now and then, at once before much work.
    fn look(&self, much: bool) -> Out {
        let Some(allowance) = self.allowance else { return Ok(()) };
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if much || calls.is_multiple_of(LOOK) { allowance.look() } else { Ok(()) }
    }

    pub(super) fn turn(&self) -> Out {
        self.look(true)?;
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

    /// Texts, lists or objects of so many bytes are made. They are held while the expression runs.
    pub(super) fn made(&self, amount: usize) -> Out {
        if let Some(allowance) = self.allowance {
            allowance.take(amount)?;
        }
        self.look(amount > 4096)?;
        take(
            &self.made,
            amount as u64,
            "The expression makes more than 64 MiB of texts and lists. Split it into several steps.",
        )
    }

    pub(super) fn work(&self, amount: usize) -> Out {
        self.look(amount > 64)?;
        take(&self.work, amount as u64, "The expression compares and searches too much. Split it into several steps.")
    }

    /// What comes is a result of its own, beside those before it.
    pub(super) fn next_result(&self) -> Out {
        self.result.set(RESULT);
        let before = MEMORY - self.memory.replace(MEMORY);
        take(&self.results, before, "The results of the expression are larger than 1 GiB together. Select less.")
    }

    /// A part of the result that is so long as JSON and takes so much memory: counted for all of it before any of it is made.
    pub(super) fn result(&self, length: usize, memory: usize) -> Out {
        if let Some(allowance) = self.allowance {
            allowance.take(memory)?;
        }
        self.look(false)?;
        take(&self.result, length as u64, "The result of the expression is larger than 64 MiB. Select less.")?;
        take(
            &self.memory,
            memory as u64,
            &format!("The values of the expression would take more than {} MiB of memory{INSTEAD}", MEMORY >> 20),
        )
    }

    /// A result that is so long as text and has not been counted yet: what is far too large says how large it is.
    pub(super) fn whole(&self, memory: usize) -> Out {
        if self.allowance.is_some() || memory as u64 <= MEMORY {
            return Ok(());
        }
        Err(Box::new(ExprError::new(
            Code::Limit,
            format!(
                "The values of the expression would take about {} MiB of memory; at most {} MiB are allowed{INSTEAD}",
                memory.div_ceil(1 << 20),
                MEMORY >> 20
            ),
        )))
    }
}
