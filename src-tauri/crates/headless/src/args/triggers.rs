//! Arguments of `triggers`.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Triggers {
    /// Lists the triggers of active workflows, and when they fire next.
    #[command(after_help = "Example:\n  signalbox triggers list --json")]
    List {
        /// Only of this workflow.
        #[arg(long, value_name = "ID")]
        workflow: Option<String>,
    },
    /// Shows one trigger and its last firings.
    #[command(after_help = "Example:\n  signalbox triggers show daily-report.every_morning")]
    Show {
        /// The trigger: WORKFLOW.STEP.
        trigger: String,
    },
    /// Prints when the schedules of a workflow file would fire, in UTC and in their time zone. Nothing has to be active.
    #[command(
        after_help = "Exit: 0, 2 the file has no schedule, or one that cannot be used.\n\nExample:\n  signalbox triggers next \
                            daily.signalbox.json --count 10 --from 2026-12-24T00:00:00Z"
    )]
    Next {
        /// Workflow file.
        file: PathBuf,
        /// So many times of each schedule.
        #[arg(long, value_name = "N", default_value_t = 5, value_parser = super::limit)]
        count: u32,
        /// After this moment; now when absent.
        #[arg(long, value_name = "RFC3339")]
        from: Option<String>,
    },
    /// Fires a trigger now, beside its schedule, with the active version of its workflow, and follows the run.
    #[command(
        after_help = "Exit: as run.\n\nExample:\n  signalbox triggers fire daily-report.every_morning --payload \
                            '{\"scheduledAt\":\"2026-12-24T07:00:00Z\"}'"
    )]
    Fire {
        /// The trigger: WORKFLOW.STEP.
        trigger: String,
        /// Replaces fields of the event: a JSON object, or @FILE.
        #[arg(long, value_name = "JSON|@FILE")]
        payload: Option<String>,
    },
}
