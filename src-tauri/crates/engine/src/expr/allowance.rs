//! What somebody who waits allows an evaluation besides what every evaluation may cost: memory for all expressions of one
//! value together, and an end that the caller decides, for example by a clock. Runs have none: a clock must not decide
//! what a run comes to.

use super::error::{Code, ExprError};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory and time of one preview.
pub struct Allowance {
    bytes: u64,
    left: AtomicU64,
    is_over: Box<dyn Fn() -> bool + Send + Sync>,
}

impl Allowance {
    /// So many bytes, and as long as `is_over` says no; it is asked often and has to be quick.
    pub fn new(bytes: u64, is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { bytes, left: AtomicU64::new(bytes), is_over: Box::new(is_over) }
    }

    /// Bytes that have been counted so far.
    pub fn taken(&self) -> u64 {
        self.bytes - self.left.load(Ordering::Relaxed)
    }

    pub(crate) fn take(&self, bytes: usize) -> Result<(), Box<ExprError>> {
        let bytes = bytes as u64;
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        if taken.is_ok() {
            return Ok(());
        }
        Err(limit(format!(
            "The value would take more than {} MiB of memory, which is more than a preview may. Look at a part of it.",
            self.bytes / (1024 * 1024)
        )))
    }

    pub(crate) fn look(&self) -> Result<(), Box<ExprError>> {
        if !(self.is_over)() {
            return Ok(());
        }
        Err(limit(
            "The preview takes too long and was ended. A run goes on for as long as its limits allow.".to_owned(),
        ))
    }
}

fn limit(message: String) -> Box<ExprError> {
    Box::new(ExprError::new(Code::Limit, message))
}

impl fmt::Debug for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allowance").field("bytes", &self.bytes).field("left", &self.left).finish_non_exhaustive()
    }
}
