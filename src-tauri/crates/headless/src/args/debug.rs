//! `runs pause | continue | step | break | waiting | edit`, and `--break-at` of what starts runs.

use clap::{Args, Subcommand};

/// Before which calls a run stops.
#[derive(Debug, Default, Args)]
pub(crate) struct Breaks {
    /// Stop before each call of this step, with =CEL only where that holds; inside a loop also as loop[17]/step. With
    /// FROM.PORT: only for what comes along that wire. More than once for several.
    #[arg(long = "break-at", value_name = "[FROM.PORT:]STEP[=CEL]")]
    pub(crate) break_at: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsDebug {
    /// Stops a run: what is under way ends and is kept, nothing new begins.
    #[command(after_help = "Example:\n  signalbox runs pause 0199a1b2-…")]
    Pause {
        /// The run.
        run: String,
    },
    /// Lets a stopped run go on to its next breakpoint or its end.
    #[command(after_help = "Exit: as run.\n\nExample:\n  signalbox runs continue 0199a1b2-… --json")]
    Continue {
        /// The run.
        run: String,
    },
    /// Lets a stopped run go on by one call.
    #[command(after_help = "Exit: as run.\n\nExample:\n  signalbox runs step 0199a1b2-…")]
    Step {
        /// The run.
        run: String,
    },
    /// Sets the breakpoints of a run: those named here, no others.
    #[command(after_help = "Examples:\n  signalbox runs break 0199a1b2-… --break-at 'send=item.total > 100'\n  \
                            signalbox runs break 0199a1b2-… --break-at check.false:send\n  \
                            signalbox runs break 0199a1b2-…")]
    Break {
        /// The run.
        run: String,
        #[command(flatten)]
        breaks: Breaks,
    },
    /// Shows where a run stands stopped, its breakpoints, and the calls that wait with their inputs.
    #[command(after_help = "Example:\n  signalbox runs waiting 0199a1b2-… --json")]
    Waiting {
        /// The run.
        run: String,
    },
    /// Gives a call that waits in a stopped run another input; prints what changes.
    #[command(
        after_help = "The input is the item's data, or a list of all where the step takes its items together.\n\n\
                      Example:\n  signalbox runs edit 0199a1b2-… --step send --input '{\"total\":12}'"
    )]
    Edit {
        /// The run.
        run: String,
        /// The step that waits; inside a loop as loop[17]/step.
        #[arg(long, value_name = "STEP")]
        step: String,
        /// Item index, when the step has several items.
        #[arg(long, value_name = "N")]
        item: Option<usize>,
        /// The whole new input, or @FILE with it.
        #[arg(long, value_name = "JSON|@FILE")]
        input: String,
    },
}
