//! `runs pause | continue | step | break | waiting | edit`, and `--break-at` of what starts runs.

use clap::{Args, Subcommand};

/// The breakpoints of a run.
#[derive(Debug, Default, Args)]
pub(crate) struct Breaks {
    /// Stop before each call of this step, with =CEL only if that is true; inside a loop also as loop[17]/step. With
    /// FROM.PORT: only for items that arrive along that wire. Repeatable.
    #[arg(long = "break-at", value_name = "[FROM.PORT:]STEP[=CEL]")]
    pub(crate) break_at: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsDebug {
    /// Pauses a run: running calls finish, no new call starts.
    #[command(after_help = "Example:\n  signalbox runs pause 0199a1b2-…")]
    Pause {
        /// The run.
        run: String,
    },
    /// Continues a stopped run to its next breakpoint or its end.
    #[command(after_help = "Exit: as run.\n\nExample:\n  signalbox runs continue 0199a1b2-… --json")]
    Continue {
        /// The run.
        run: String,
    },
    /// Continues a stopped run by one call.
    #[command(after_help = "Exit: as run.\n\nExample:\n  signalbox runs step 0199a1b2-…")]
    Step {
        /// The run.
        run: String,
    },
    /// Replaces the breakpoints of a run with those named here.
    #[command(after_help = "Examples:\n  signalbox runs break 0199a1b2-… --break-at 'send=item.total > 100'\n  \
                            signalbox runs break 0199a1b2-… --break-at check.false:send\n  \
                            signalbox runs break 0199a1b2-…")]
    Break {
        /// The run.
        run: String,
        #[command(flatten)]
        breaks: Breaks,
    },
    /// Shows where a run is stopped, its breakpoints, and the waiting calls with their inputs.
    #[command(after_help = "Example:\n  signalbox runs waiting 0199a1b2-… --json")]
    Waiting {
        /// The run.
        run: String,
    },
    /// Replaces the input of a call that waits in a stopped run; prints the changes.
    #[command(after_help = "The input is the item's data, or a list of all items if the step takes them together.\n\n\
                      Example:\n  signalbox runs edit 0199a1b2-… --step send --input '{\"total\":12}'")]
    Edit {
        /// The run.
        run: String,
        /// The waiting step; inside a loop as loop[17]/step.
        #[arg(long, value_name = "STEP")]
        step: String,
        /// Item index, if the step has several items.
        #[arg(long, value_name = "N")]
        item: Option<usize>,
        /// The complete new input, or @FILE.
        #[arg(long, value_name = "JSON|@FILE")]
        input: String,
    },
}
