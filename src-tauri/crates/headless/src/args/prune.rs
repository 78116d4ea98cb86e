//! Arguments of `runs prune`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Prune {
    /// Runs that ended before so many days.
    #[arg(long, value_name = "DAYS")]
    pub(crate) older_than: Option<u32>,
    /// All but the N runs that ended last.
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<u32>,
    /// The oldest runs, until the others take at most so many megabytes.
    #[arg(long, value_name = "MB")]
    pub(crate) max_size: Option<u32>,
    /// Only runs of this workflow.
    #[arg(long, value_name = "ID")]
    pub(crate) workflow: Option<String>,
    /// Delete them.
    #[arg(long)]
    pub(crate) delete: bool,
}
