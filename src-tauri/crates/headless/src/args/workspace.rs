//! Arguments of `workspace`.

use clap::{Args, Subcommand};

/// How many runs may be started.
#[derive(Debug, Clone, Args)]
pub(crate) struct Quota {
    /// Runs that may start in a minute of the clock; without this as many as there is room for.
    #[arg(long, value_name = "RUNS")]
    pub(crate) per_minute: Option<u32>,
    /// Runs that may start in a day of UTC.
    #[arg(long, value_name = "RUNS")]
    pub(crate) per_day: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Workspace {
    /// Lists the workspaces with their workflows, quotas, and what they have started.
    #[command(after_help = "Example:\n  signalbox workspace list --json")]
    List,
    /// Makes a workspace, or gives it another quota. A number that is left out is no limit.
    #[command(
        after_help = "Exit: 0, 2 refused.\n\nExamples:\n  signalbox workspace set sales\n  signalbox workspace set sales --per-minute 60 \
                      --per-day 5000 --at-once 20 --person-per-day 100"
    )]
    Set {
        /// Name: small letters, digits and hyphens.
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        quota: Quota,
        /// Runs that may be under way at the same time.
        #[arg(long, value_name = "RUNS")]
        at_once: Option<u32>,
        /// Runs that one person may start in a minute of the clock.
        #[arg(long, value_name = "RUNS")]
        person_per_minute: Option<u32>,
        /// Runs that one person may start in a day of UTC.
        #[arg(long, value_name = "RUNS")]
        person_per_day: Option<u32>,
        /// Person; the system account is recorded as well.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Moves a workflow into a workspace, or out of all without NAME. Its earlier runs stay where they are.
    #[command(
        after_help = "Exit: 0, 2 there is no such workspace.\n\nExamples:\n  signalbox workspace assign quotes sales\n  signalbox workspace \
                      assign quotes"
    )]
    Assign {
        /// Id of the workflow.
        #[arg(value_name = "WORKFLOW")]
        workflow: String,
        /// Name of the workspace.
        #[arg(value_name = "NAME")]
        name: Option<String>,
        /// Person; the system account is recorded as well.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Removes a workspace that has no workflows. Its runs keep its name.
    #[command(
        after_help = "Exit: 0, 2 it has workflows or is not there.\n\nExample:\n  signalbox workspace remove sales"
    )]
    Remove {
        /// Name.
        #[arg(value_name = "NAME")]
        name: String,
        /// Person; the system account is recorded as well.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
}
