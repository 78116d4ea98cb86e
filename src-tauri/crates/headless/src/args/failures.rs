//! Arguments of `failures`.

use super::{RerunDefinition, limit};
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum Failures {
    /// Lists groups of failed runs and open error tasks that are alike, those that failed last first.
    #[command(after_help = "Example:\n  signalbox failures list --workflow invoice-intake --json")]
    List {
        /// Only of this workflow id.
        #[arg(long, value_name = "ID")]
        workflow: Option<String>,
        /// Maximum number of groups, at most 200.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = limit)]
        limit: u32,
    },
    /// Shows a group: its failures, its replays, and the step that three corrections of one kind suggest.
    #[command(after_help = "Example:\n  signalbox failures show 5f3a0c11d2e9 --limit 20")]
    Show {
        /// The group: its id, or the beginning of it.
        group: String,
        /// Maximum number of failures, at most 500.
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = limit)]
        limit: u32,
    },
    /// Replays the failures of a group from their failed step with one correction, and follows it. With --preview it only shows
    /// what the correction would do.
    #[command(
        after_help = "A failure that the correction does not fit stays in the group. Ctrl-C ends this command; a program that \
                      stays (the window, serve) continues the replay.\n\nExit: 0 everything was dealt with, 1 the replay was \
                      paused, stopped or taken back, 2 refused.\n\nExamples:\n  signalbox failures replay 5f3a0c11d2e9 --patch \
                      '[{\"op\":\"replace\",\"path\":\"/currency\",\"value\":\"EUR\"}]' --preview\n  signalbox failures replay \
                      5f3a0c11d2e9 --expression \"{'id': item.id, 'amount': double(item.amount)}\" --reason \"amounts came as \
                      text\"\n  signalbox failures replay 5f3a0c11d2e9 --definition current --reason \"step fixed\""
    )]
    Replay(ReplayArgs),
    /// Pauses a replay: no more runs begin until it is resumed.
    Pause {
        /// The replay.
        replay: String,
    },
    /// Resumes a paused replay and follows it.
    Resume {
        /// The replay.
        replay: String,
    },
    /// Stops a replay: no more runs begin.
    Stop {
        /// The replay.
        replay: String,
        /// Also cancel the runs that it has begun and that have not ended.
        #[arg(long)]
        cancel_runs: bool,
    },
    /// Takes back what a replay has not begun; what has begun goes on.
    Undo {
        /// The replay.
        replay: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The group: its id, or the beginning of it.
    pub(crate) group: String,
    /// JSON Patch over the data of each item, or @FILE; a text value that begins with = is an expression over item.
    #[arg(long, value_name = "JSON|@FILE", conflicts_with = "expression")]
    pub(crate) patch: Option<String>,
    /// Expression that gives the new data of each item.
    #[arg(long, value_name = "CEL")]
    pub(crate) expression: Option<String>,
    /// Which definition the new runs use.
    #[arg(long, value_enum, default_value = "original")]
    pub(crate) definition: RerunDefinition,
    /// Reason; stands in the audit chain.
    #[arg(long, value_name = "TEXT", required_unless_present = "preview")]
    pub(crate) reason: Option<String>,
    /// Only show what the correction would do; nothing is started.
    #[arg(long)]
    pub(crate) preview: bool,
    /// The failure (number) that the correction was made for; default: the newest.
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<i64>,
    /// Also failures for which the correction gives something different than for the sample.
    #[arg(long)]
    pub(crate) include_different: bool,
    /// Reuse answers by people where the same question is asked about the same data.
    #[arg(long)]
    pub(crate) keep_answers: bool,
    /// Most runs that begin in a second.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) rate: u32,
    /// Most runs of the replay under way at once.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) concurrency: u32,
    /// In whose name: `user:NAME`.
    #[arg(long = "as", value_name = "user:NAME")]
    pub(crate) person: Option<String>,
}
