//! `runs`.

use super::{Prune, RunsDebug, limit};
use clap::Subcommand;
use std::path::PathBuf;

/// What a run can be.
const STATUSES: [&str; 7] = ["created", "queued", "running", "paused", "completed", "failed", "cancelled"];

#[derive(Debug, Subcommand)]
pub(crate) enum Runs {
    /// Lists runs, newest first.
    #[command(after_help = "Example:\n  signalbox runs list --workflow invoice-intake --status failed --limit 5")]
    List {
        /// Only runs of this workflow id.
        #[arg(long, value_name = "ID")]
        workflow: Option<String>,
        /// Only runs with this status.
        #[arg(long, value_name = "STATUS", value_parser = STATUSES)]
        status: Option<String>,
        /// Maximum number of entries.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = limit)]
        limit: u32,
    },
    /// Shows the summary of a run.
    #[command(after_help = "Example:\n  signalbox runs show 0199a1b2-… --json")]
    Show {
        /// The run.
        run: String,
    },
    /// Shows the model usage of a run: tokens and costs by step.
    #[command(after_help = "Example:\n  signalbox runs usage 0199a1b2-… --json")]
    Usage {
        /// The run.
        run: String,
    },
    /// Prints the events of a run, one JSON line each.
    #[command(after_help = "Example:\n  signalbox runs events 0199a1b2-… --after 10")]
    Events {
        /// The run.
        run: String,
        /// Only events after this sequence number.
        #[arg(long, value_name = "SEQ", default_value_t = 0)]
        after: u64,
    },
    /// Saves a binary value of a run: a response or file that a step read as binary.
    #[command(
        after_help = "`sha256` is in the item's data and in its `binary`; `runs events` shows both.\n\nExample:\n  \
                      signalbox runs binary 0199a1b2-… 9f86d081884c… --out logo.png"
    )]
    Binary {
        /// The run.
        run: String,
        /// SHA-256 of the value, in hex.
        sha256: String,
        /// Output file.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Replace an existing file.
        #[arg(long)]
        force: bool,
    },
    /// Lists the files that a run wrote.
    #[command(after_help = "Example:\n  signalbox runs files 0199a1b2-…")]
    Files {
        /// The run.
        run: String,
    },
    /// Saves a copy of a file that a run wrote.
    #[command(
        after_help = "`runs files` shows the numbers.\n\nExample:\n  signalbox runs file 0199a1b2-… 14 --out report.csv"
    )]
    File {
        /// The run.
        run: String,
        /// The number of the event that says so.
        seq: u64,
        /// Output file.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Replace an existing file.
        #[arg(long)]
        force: bool,
        /// Take the file as it is now, even if it was changed after the run wrote it.
        #[arg(long)]
        changed: bool,
    },
    /// Sends a failed run to the inbox: a new run reuses the completed steps and asks a person about the failed call, with the
    /// definition of the original run.
    #[command(
        after_help = "If it was sent already, the existing task is shown.\n\nExit: 0 it is in the inbox, 2 it has not \
                      failed.\n\nExample:\n  signalbox runs send 0199a1b2-… --reason \"the address has changed\""
    )]
    Send {
        /// The run.
        run: String,
        /// Reason, shown to whoever answers.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// Sender: `user:NAME`.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Saves a run as a test: its input, the answers of the outside world, people's decisions, and what must come out.
    #[command(
        after_help = "Write it into the folder of the workflow. Hidden values are saved as masks.\n\nExit: 0 saved, 2 refused.\n\nExample:\n  \
                      signalbox runs save-test 0199a1b2-… --out flows/orders.two-lines.signalbox-test.yaml"
    )]
    SaveTest {
        /// The run.
        run: String,
        /// Output file; its name ends with .signalbox-test.yaml.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// What the test shows; default: the name of the workflow.
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
        /// Replace an existing file.
        #[arg(long)]
        force: bool,
        /// Save personal data and other hidden values as they are. Secrets of this machine are never saved.
        #[arg(long)]
        unmasked: bool,
        /// Save the files of the run that have at most 256 KiB, so that steps read them in the test. Nothing in them is masked.
        #[arg(long)]
        files: bool,
    },
    /// Prints the state of a run: the next step, completed steps, variables and files.
    #[command(
        after_help = "With --format vl, the state is a checkpoint of the VL workflow format: `signalbox run FILE --from-checkpoint` \
                      starts a run from it.\n\nExample:\n  signalbox runs snapshot 0199a1b2-… --at 10 --json"
    )]
    Snapshot {
        /// The run.
        run: String,
        /// State after this event; default: the last one.
        #[arg(long, value_name = "SEQ")]
        at: Option<u64>,
        /// Shape of the state.
        #[arg(long, value_enum, default_value_t)]
        format: CheckpointFormat,
    },
    /// Compares two runs: definition, params, steps with their values, variables and output.
    #[command(
        after_help = "Only differences are listed. Steps in loops and branches are matched by path; reused steps of a re-run \
                      are compared with their reused values.\n\nExit: 0, 2 unknown run.\n\nExample:\n  signalbox runs diff \
                      0199a1b2-… 0199a1c7-… --json"
    )]
    Diff {
        /// The first run.
        run: String,
        /// The second run.
        with: String,
    },
    #[command(flatten)]
    Debug(RunsDebug),
    /// Deletes ended runs by age, number or size. Without --delete it only shows which ones.
    #[command(
        after_help = "A run goes when one of the rules says so. Audit entries stay.\n\nExamples:\n  signalbox runs prune --older-than \
                      90\n  signalbox runs prune --keep 10000 --max-size 2000 --delete"
    )]
    Prune(Prune),
    /// Deletes an ended run and all data that only it uses.
    #[command(after_help = "Example:\n  signalbox runs delete 0199a1b2-…")]
    Delete {
        /// The run.
        run: String,
    },
}

/// The shape of a checkpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CheckpointFormat {
    /// The own one.
    #[default]
    Signalbox,
    /// `vl_workflow_checkpoint`, version 2.
    Vl,
}
