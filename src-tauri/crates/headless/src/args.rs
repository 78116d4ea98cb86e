//! The arguments of `signalbox`. Every command's help ends with an example.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Runs workflows that are drawn in Signalbox.
#[derive(Debug, Parser)]
#[command(
    name = "signalbox",
    version,
    about = "Runs, checks and serves workflows drawn in Signalbox.",
    after_help = "Example:\n  signalbox run greet.signalbox.json --set 'name=\"Ada\"'",
    propagate_version = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Data folder (history, library, grants); the platform's app-data folder when absent.
    #[arg(long, global = true, env = "SIGNALBOX_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Print every result as one compact JSON line.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Lets file steps use a folder in this process; `:rw` also lets them write.
    #[arg(long = "allow-dir", global = true, value_name = "DIR[:rw]")]
    pub(crate) allow_dir: Vec<String>,
    /// How much is logged to standard error.
    #[arg(long, global = true, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log: LogLevel,
    /// Colours in what people read.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a workflow file until it has ended or waits for a person.
    #[command(
        after_help = "Exit: 0 completed, 1 failed, 2 invalid file or arguments, 3 paused, 4 cancelled.\n\nExamples:\n  \
                      signalbox run first.signalbox.json --params '{\"base\":\"http://127.0.0.1:8080\"}' --events --json\n  \
                      signalbox run greet.signalbox.json --set 'name=\"Ada\"' --set '$count=0'"
    )]
    Run(Run),
    /// Says everything that is wrong with workflow files; runs nothing.
    #[command(
        after_help = "Exit: 0 no errors, 2 errors.\n\nExample:\n  signalbox validate flows/*.signalbox.json --json"
    )]
    Validate {
        /// Workflow files.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// The history of runs.
    #[command(subcommand, after_help = "Example:\n  signalbox runs list --status failed --limit 5")]
    Runs(Runs),
    /// Continues runs that a crash or a shutdown left waiting and that no other process drives.
    #[command(
        after_help = "Exit: as run; without RUN 0 when nothing was to do.\n\nExample:\n  signalbox resume 0199a1b2-…"
    )]
    Resume {
        /// One run; all when absent.
        run: Option<String>,
    },
    /// Cancels a run.
    #[command(after_help = "Example:\n  signalbox cancel 0199a1b2-…")]
    Cancel {
        /// The run.
        run: String,
    },
    /// The node kinds.
    #[command(subcommand, after_help = "Example:\n  signalbox catalog show http.request")]
    Catalog(CatalogCommand),
    /// Serves REST and events on this machine, with --ui also the web UI.
    #[command(
        after_help = "Prints {\"url\":…,\"tokenFile\":…} when ready. The token file holds one token per line: TOKEN \
                      (builder), or a role (builder, operator, viewer) and a token.\n\nExample:\n  signalbox serve \
                      --addr 127.0.0.1:9160 --ui"
    )]
    Serve(Serve),
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Workflow file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The run's input: a JSON object, or @FILE.
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) params: Option<String>,
    /// One param, or with `$` an initial context value.
    #[arg(long = "set", value_name = "NAME=JSON")]
    pub(crate) set: Vec<String>,
    /// Print every event as one JSON line while it happens.
    #[arg(long)]
    pub(crate) events: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Runs {
    /// Lists runs, newest first.
    #[command(after_help = "Example:\n  signalbox runs list --workflow invoice-intake --status failed --limit 5")]
    List {
        /// Id of a workflow.
        #[arg(long, value_name = "ID")]
        workflow: Option<String>,
        /// created, running, paused, completed, failed or cancelled.
        #[arg(long, value_name = "S")]
        status: Option<String>,
        /// At most this many.
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: u32,
    },
    /// Shows the summary of a run.
    #[command(after_help = "Example:\n  signalbox runs show 0199a1b2-… --json")]
    Show {
        /// The run.
        run: String,
    },
    /// Prints the events of a run, one JSON line each.
    #[command(after_help = "Example:\n  signalbox runs events 0199a1b2-… --after 10")]
    Events {
        /// The run.
        run: String,
        /// Only events with a larger seq.
        #[arg(long, value_name = "SEQ", default_value_t = 0)]
        after: u64,
    },
    /// Deletes a run that has ended, with everything that nothing else refers to.
    #[command(after_help = "Example:\n  signalbox runs delete 0199a1b2-…")]
    Delete {
        /// The run.
        run: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum CatalogCommand {
    /// Lists the node kinds.
    #[command(after_help = "Example:\n  signalbox catalog list --json")]
    List,
    /// Shows the descriptor of a kind.
    #[command(after_help = "Example:\n  signalbox catalog show flow.if")]
    Show {
        /// The kind, for example http.request.
        kind: String,
    },
    /// Checks descriptors: the built-in ones, or YAML files.
    #[command(after_help = "Exit: 0 all fit, 2 errors.\n\nExample:\n  signalbox catalog check my-kind.yaml")]
    Check {
        /// Descriptor files.
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Address and port; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9160")]
    pub(crate) addr: std::net::SocketAddr,
    /// Also serve the web UI.
    #[arg(long)]
    pub(crate) ui: bool,
    /// Where the token stands; `serve.token` in the data folder when absent.
    #[arg(long = "token-file", value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
}
