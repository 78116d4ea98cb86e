//! Where a run stands.

use crate::error::Trouble;
use signalbox_model::RunStatus;

/// Where a run stands that this process drives or drove last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// It goes on.
    Driving,
    /// It is suspended until something outside is corrected, then continues automatically.
    Suspended(Trouble),
    /// It has ended.
    Ended(RunStatus),
    /// It has not ended but is not driven here any more: another process has it, the runtime closes, or a fault.
    Left(Option<Trouble>),
}
