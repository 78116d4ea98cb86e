//! The arguments of `signalbox`. Every command's help ends with an example.

mod audit;
mod debug;
mod models;
mod tools;
mod triggers;
mod webhook;

pub(crate) use audit::{Anchor, Audit, ExportProfile, SigningKeyPlace, Sink};
pub(crate) use debug::{Breaks, RunsDebug};
pub(crate) use models::{ModelKind, Models};
pub(crate) use tools::{Said, SignIn, Tools};
pub(crate) use triggers::Triggers;
pub(crate) use webhook::Webhook;

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
    /// Logs to standard error what happens in the runs of this process, a line of JSON each (docs/formats.md): `error`, `info`
    /// or `debug`. Without it warnings are told in words.
    #[arg(long, global = true, value_name = "LEVEL")]
    pub(crate) log: Option<LogLevel>,
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
    /// Makes a workflow of a file of another program, and says what became of it.
    #[command(
        after_help = "Without -o the workflow goes to standard output, the report to standard error. What cannot be translated stands \
                      in the workflow as a placeholder that says why; such a workflow does not run before it is replaced.\n\nExit: 0 \
                      all translated, 1 with placeholders, 2 refused.\n\nExample:\n  signalbox import build.json -o \
                      build.signalbox.json --tool-server files"
    )]
    Import(Import),
    /// The history of runs.
    #[command(subcommand, after_help = "Example:\n  signalbox runs list --status failed --limit 5")]
    Runs(Runs),
    /// Continues runs that a crash or a shutdown left waiting and that no other process drives.
    #[command(
        after_help = "Exit: as run; without RUN 0 when nothing was to do; 1 also when a run could not be taken up.\n\nExample:\n  signalbox resume 0199a1b2-…"
    )]
    Resume {
        /// One run; all when absent.
        run: Option<String>,
    },
    /// Starts a new run at a step of another one: what that step does not lead to is kept and not executed.
    #[command(
        after_help = "An original that waits for a person is cancelled, its tasks are superseded. Steps that execute again and \
                      change something outside are listed with --look.\n\nExit: as run; 2 also when the original is \
                      running.\n\nExamples:\n  signalbox rerun 0199a1b2-… --from send --set '$total=12'\n  signalbox rerun \
                      0199a1b2-… --from 'each[17]/fetch' --definition current --look"
    )]
    Rerun(Rerun),
    /// Cancels a run.
    #[command(after_help = "Example:\n  signalbox cancel 0199a1b2-…")]
    Cancel {
        /// The run.
        run: String,
    },
    /// What people are asked: the inbox.
    #[command(subcommand, after_help = "Example:\n  signalbox tasks list --json")]
    Tasks(Tasks),
    /// The audit chain.
    #[command(subcommand, after_help = "Example:\n  signalbox audit verify")]
    Audit(Audit),
    /// Secrets of this machine: what steps may send as their credential. Values go in and never come out.
    #[command(
        subcommand,
        after_help = "The passphrase of the secrets is asked for, or read from SIGNALBOX_SECRETS_PASSPHRASE_FILE or \
                      SIGNALBOX_SECRETS_PASSPHRASE; SIGNALBOX_SECRETS_IDENTITY names a key file.\n\nExample:\n  signalbox secret set \
                      erp --kind bearer --host api.example.com"
    )]
    Secret(Secret),
    /// Addresses that hear when a task is made, overdue, escalated, answered or closed.
    #[command(
        subcommand,
        after_help = "Example:\n  signalbox webhook add https://desk.example/hook --secret secret://desk"
    )]
    Webhook(Webhook),
    /// Providers of language models, and the model of steps that name none.
    #[command(
        subcommand,
        after_help = "Example:\n  signalbox models set local --kind ollama --url http://127.0.0.1:11434"
    )]
    Models(Models),
    /// Servers of tools (MCP) that steps may call.
    #[command(
        subcommand,
        after_help = "Example:\n  signalbox tools set files -- npx -y @modelcontextprotocol/server-filesystem /srv/data"
    )]
    Tools(Tools),
    /// Activates a workflow: its triggers start runs by themselves, with this version, until it is activated again or deactivated.
    #[command(
        after_help = "A workflow with errors, or one that lacks a folder, a secret, a model or a tool on this machine, is refused. A host \
                      that stays (the window, serve) fires the triggers.\n\nExit: 0 active, 2 refused.\n\nExamples:\n  signalbox activate \
                      daily.signalbox.json\n  signalbox activate daily-report --version 9f86d081…"
    )]
    Activate {
        /// A workflow file, or the id of a workflow of the library.
        #[arg(value_name = "FILE|ID")]
        workflow: String,
        /// A version that was active before, instead of what the file holds now.
        #[arg(long, value_name = "HASH")]
        version: Option<String>,
    },
    /// Deactivates a workflow: it starts no runs by itself any more; runs under way go on.
    #[command(after_help = "Exit: 0, 2 it was never active.\n\nExample:\n  signalbox deactivate daily-report")]
    Deactivate {
        /// Id of the workflow.
        #[arg(value_name = "ID")]
        workflow: String,
    },
    /// What starts active workflows, and when.
    #[command(subcommand, after_help = "Example:\n  signalbox triggers next daily.signalbox.json --count 10")]
    Triggers(Triggers),
    /// Lists the versions of a workflow that are active, or were.
    #[command(after_help = "Exit: 0, 2 it was never active.\n\nExample:\n  signalbox versions daily-report --json")]
    Versions {
        /// Id of the workflow.
        #[arg(value_name = "ID")]
        workflow: String,
    },
    /// The node kinds.
    #[command(subcommand, after_help = "Example:\n  signalbox catalog show http.request")]
    Catalog(CatalogCommand),
    /// Serves REST and events on this machine, with --ui also the web UI.
    #[command(
        after_help = "Prints {\"url\":…,\"tokenFile\":…} when ready. The token file holds one token per line: TOKEN \
                      (builder), or ROLE TOKEN, or ROLE TOKEN NAME; a role is builder, operator or viewer, NAME is \
                      the person whose token it is.\n\nExample:\n  signalbox serve \
                      --addr 127.0.0.1:9160 --ui"
    )]
    Serve(Serve),
}

impl Command {
    /// It changes nothing but what is noted about having looked.
    pub(crate) fn only_reads(&self) -> bool {
        match self {
            Self::Runs(command) => matches!(
                command,
                Runs::List { .. }
                    | Runs::Show { .. }
                    | Runs::Usage { .. }
                    | Runs::Events { .. }
                    | Runs::Snapshot { .. }
                    | Runs::Diff { .. }
            ),
            Self::Tasks(command) => matches!(command, Tasks::List { .. } | Tasks::Stats { .. } | Tasks::Show { .. }),
            Self::Audit(command) => matches!(command, Audit::Verify { .. } | Audit::Status | Audit::List { .. }),
            Self::Triggers(command) => matches!(command, Triggers::List { .. } | Triggers::Show { .. }),
            Self::Versions { .. } => true,
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    Auto,
    Vl,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// File of the other program.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Format of the file; by its content when absent.
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub(crate) format: ImportFormat,
    /// Where the workflow goes.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// A file that is there is replaced.
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// Tool server of this machine that its tool steps call.
    #[arg(long, value_name = "NAME")]
    pub(crate) tool_server: Option<String>,
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
    /// Begin where a checkpoint of another program (vl_workflow_checkpoint) stands; --params and --set change what it says.
    #[arg(long, value_name = "FILE")]
    pub(crate) from_checkpoint: Option<PathBuf>,
    /// Print every event as one JSON line while it happens, and nothing else; with --json the summary is the last line.
    #[arg(long)]
    pub(crate) events: bool,
    #[command(flatten)]
    pub(crate) breaks: Breaks,
    /// Stop before the first call.
    #[arg(long)]
    pub(crate) paused: bool,
    /// End after this step; what does not lead to it does not run.
    #[arg(long, value_name = "STEP")]
    pub(crate) until: Option<String>,
    /// Start once: for 24 hours the same command with the same key, workflow and params follows the run that is there, and
    /// takes it up if it was cut off. Other params with the same key are refused.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RerunDefinition {
    Original,
    Current,
}

#[derive(Debug, Args)]
pub(crate) struct Rerun {
    /// The original run.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The step to begin at; inside a loop with the iteration: loop[17]/step.
    #[arg(long, value_name = "STEP")]
    pub(crate) from: String,
    /// End after this step; the step of --from itself runs alone.
    #[arg(long, value_name = "STEP")]
    pub(crate) until: Option<String>,
    /// With `$` a variable, without a param.
    #[arg(long = "set", value_name = "NAME=JSON")]
    pub(crate) set: Vec<String>,
    /// Data of the items that the step gets: a JSON list with one element per item, or @FILE.
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) input: Option<String>,
    /// The definition that the original ran with, or the workflow of the library as it is now.
    #[arg(long, value_name = "WHICH", default_value = "original")]
    pub(crate) definition: RerunDefinition,
    /// Give the answers of people again where they fit, instead of asking again.
    #[arg(long)]
    pub(crate) keep_answers: bool,
    /// Start nothing; say what would be kept, what would execute again, and what has changed.
    #[arg(long)]
    pub(crate) look: bool,
    /// Print every event as one JSON line while it happens, and nothing else; with --json the summary is the last line.
    #[arg(long)]
    pub(crate) events: bool,
}

/// How many a list shows at most.
pub(crate) fn limit(text: &str) -> Result<u32, String> {
    let limit = text.parse().ok().filter(|limit| *limit > 0);
    limit.ok_or_else(|| "a limit is a whole number, 1 or more".to_owned())
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
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = limit)]
        limit: u32,
    },
    /// Shows the summary of a run.
    #[command(after_help = "Example:\n  signalbox runs show 0199a1b2-… --json")]
    Show {
        /// The run.
        run: String,
    },
    /// Shows what the questions of a run to language models cost, by step.
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
        /// Only events with a larger seq.
        #[arg(long, value_name = "SEQ", default_value_t = 0)]
        after: u64,
    },
    /// Saves bytes that an item of a run names: an answer or a file that a step read as binary.
    #[command(
        after_help = "`sha256` stands in the item's data and in its `binary`; `runs events` shows them.\n\nExample:\n  \
                      signalbox runs binary 0199a1b2-… 9f86d081884c… --out logo.png"
    )]
    Binary {
        /// The run.
        run: String,
        /// Their SHA-256, in hex.
        sha256: String,
        /// Where they go.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// A file that is there is replaced.
        #[arg(long)]
        force: bool,
    },
    /// Sends a failed run to the inbox: a new run keeps what was done and asks a person about the call that failed. The answer
    /// goes on from there, with the definition that the run had.
    #[command(after_help = "Who sends it twice is told where it stands.\n\nExit: 0 it is in the inbox, 2 it has not \
                      failed.\n\nExample:\n  signalbox runs send 0199a1b2-… --reason \"the address has changed\"")]
    Send {
        /// The run.
        run: String,
        /// Why, for who answers.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// Who sends it: `user:NAME`.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Prints where a run stands: the next step, what is done, variables and files.
    #[command(after_help = "Example:\n  signalbox runs snapshot 0199a1b2-… --at 10 --json")]
    Snapshot {
        /// The run.
        run: String,
        /// As it stood after this event; the last one when absent.
        #[arg(long, value_name = "SEQ")]
        at: Option<u64>,
    },
    /// Says what two runs differ in: definition, params, steps with their values, variables and output.
    #[command(
        after_help = "Only what differs is listed. Steps in loops and branches are compared by their paths, kept steps of a re-run \
                      with the values that they stand with.\n\nExit: 0, 2 unknown run.\n\nExample:\n  signalbox runs diff \
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
    /// Deletes a run that has ended, with everything that nothing else refers to.
    #[command(after_help = "Example:\n  signalbox runs delete 0199a1b2-…")]
    Delete {
        /// The run.
        run: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskSort {
    Urgent,
    Due,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskStatus {
    Open,
    Done,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Action {
    Retry,
    Correct,
    Skip,
    Alternative,
    Abort,
    Approve,
    Reject,
    Submit,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Tasks {
    /// Lists tasks: open ones by urgency, others last decided first.
    #[command(after_help = "Example:\n  signalbox tasks list --status all --limit 5 --json")]
    List {
        /// Which tasks.
        #[arg(long, value_name = "S", default_value = "open")]
        status: TaskStatus,
        /// In which order open ones.
        #[arg(long, value_name = "ORDER", default_value = "urgent")]
        sort: TaskSort,
        /// At most this many.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = limit)]
        limit: u32,
    },
    /// Counts and times of a period: what came, what was decided and how fast, by workflow, cause and person.
    #[command(after_help = "Example:\n  signalbox tasks stats --since 2026-11-01T00:00:00Z --json")]
    Stats {
        /// Since when (RFC 3339); the last 30 days when absent.
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Only tasks of this workflow.
        #[arg(long, value_name = "ID")]
        workflow: Option<String>,
    },
    /// Shows a task with its error, its input and what was tried. Values that may be personal are masked.
    #[command(after_help = "Example:\n  signalbox tasks show 0199a1b2-… --json")]
    Show {
        /// The task.
        task: String,
    },
    /// Answers a task; the first answer stands.
    #[command(
        after_help = "Exit: 0 answered, 2 refused, 5 answered already, expired or claimed by somebody else.\n\nExamples:\n  \
                      signalbox tasks complete 0199a1b2-… --action retry\n  signalbox tasks complete 0199a1b2-… --action \
                      correct --input '{\"age\":36}' --notes 'typing error' --as user:anna"
    )]
    Complete(Complete),
    /// Works on a task: others see it for the next 15 minutes.
    #[command(after_help = "Exit: 0, 2, 5 claimed by somebody else.\n\nExample:\n  signalbox tasks claim 0199a1b2-…")]
    Claim {
        /// The task.
        task: String,
        /// In whose name; the account of the system when absent.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Asks the default model for a correction. It costs, is recorded, and changes nothing: `tasks complete` takes it.
    #[command(
        after_help = "Exit: 0, 2, 5 it is answered, or a model is being asked.\n\nExample:\n  signalbox tasks suggest 0199a1b2-…"
    )]
    Suggest {
        /// The task.
        task: String,
        /// In whose name; the account of the system when absent.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Says that a task waits for somebody else: its time stands still until `tasks continue`, and anybody may still
    /// answer it.
    #[command(
        after_help = "Exit: 0, 2, 5 it is answered, or its time is over.\n\nExample:\n  signalbox tasks hold 0199a1b2-… \
                      --notes 'The supplier calls back'"
    )]
    Hold(Hold),
    /// Says that a task on hold waits no more: its time goes on.
    #[command(
        after_help = "Exit: 0, 2, 5 it is answered, or its time is over.\n\nExample:\n  signalbox tasks continue 0199a1b2-…"
    )]
    Continue(Hold),
    /// Lets somebody answer in your name from one day to another.
    #[command(
        after_help = "Example:\n  signalbox tasks delegate --to user:bob --until 2026-12-01T00:00:00Z --workflow invoices"
    )]
    Delegate(Delegate),
    /// Lists who answers for you, and for whom you answer.
    #[command(after_help = "Example:\n  signalbox tasks delegations --json")]
    Delegations {
        /// In whose name; the account of the system when absent.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Ends a delegation now.
    #[command(after_help = "Example:\n  signalbox tasks undelegate 0199a1b2-…")]
    Undelegate {
        /// Its id, as `tasks delegations` shows it.
        id: String,
        /// In whose name; the account of the system when absent.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Has an ended task asked again, by a new run that keeps what stands before it.
    #[command(
        after_help = "The failed step is not called again before somebody decides; what followed from the first decision \
                      happens again. A run that waits for another answer is cancelled, its tasks are superseded.\n\nExit: 0 \
                      asked again, 2, 5 still open or opened again already.\n\nExample:\n  signalbox tasks reopen t0199a1b2… \
                      --reason 'the wrong customer'"
    )]
    Reopen {
        /// The task.
        task: String,
        /// Why; it is recorded.
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// In whose name; the account of the system when absent.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Works on a task no more.
    #[command(after_help = "Example:\n  signalbox tasks release 0199a1b2-…")]
    Release {
        /// The task.
        task: String,
        /// In whose name; the account of the system when absent.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Hold {
    /// The task.
    pub(crate) task: String,
    /// For whom it waits, or why.
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
    /// In whose name; the account of the system when absent.
    #[arg(long = "as", value_name = "user:NAME")]
    pub(crate) person: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Delegate {
    /// Who answers, too.
    #[arg(long, value_name = "user:NAME")]
    pub(crate) to: String,
    /// From when (RFC 3339); now when absent.
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<String>,
    /// Until when (RFC 3339).
    #[arg(long, value_name = "TIME")]
    pub(crate) until: String,
    /// Only tasks of this workflow.
    #[arg(long, value_name = "ID")]
    pub(crate) workflow: Option<String>,
    /// Why; it is recorded.
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
    /// In whose name; the account of the system is recorded with it.
    #[arg(long = "as", value_name = "user:NAME")]
    pub(crate) person: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Complete {
    /// The task.
    pub(crate) task: String,
    /// What is chosen; `tasks show` says what the task offers.
    #[arg(long, value_name = "ACTION")]
    pub(crate) action: Action,
    /// With correct: the whole corrected input. With submit: the values.
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) input: Option<String>,
    /// With alternative: the step.
    #[arg(long, value_name = "NODE")]
    pub(crate) target: Option<String>,
    /// With retry of a step whose budget is used up: what the run may spend more.
    #[arg(long, value_name = "AMOUNT")]
    pub(crate) budget: Option<f64>,
    /// With approve of a call of a tool: this call, or in this run all for which the same rule asks.
    #[arg(long, value_name = "once|run")]
    pub(crate) grant: Option<String>,
    /// Why; it is recorded.
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
    /// The same id again gives the first answer again.
    #[arg(long = "request-id", value_name = "ID")]
    pub(crate) request_id: Option<String>,
    /// In whose name; the account of the system is recorded with it.
    #[arg(long = "as", value_name = "user:NAME")]
    pub(crate) person: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SecretKind {
    /// Authorization: Bearer …
    Bearer,
    /// Authorization: Basic … of --field USER and the secret as the password
    Basic,
    /// A header, --field NAME
    Header,
    /// A parameter of the address, --field NAME
    Query,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SecretKey {
    /// In the key store of the system (Secret Service, Keychain, Credential Manager)
    System,
    /// In a file under a passphrase
    Passphrase,
    /// In a file that only its owner can read
    File,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Secret {
    /// Lists names, kinds and hosts; never a value.
    #[command(after_help = "Example:\n  signalbox secret list --json")]
    List,
    /// Says where the key of the secrets is kept, and whether they can be used.
    #[command(after_help = "Exit: 0 usable, 2 not.\n\nExample:\n  signalbox secret status")]
    Status,
    /// Keeps a secret, or replaces it whole. The value is asked for, or read from standard input.
    #[command(
        after_help = "Examples:\n  signalbox secret set erp --kind bearer --host api.example.com\n  signalbox secret set erp \
                      --kind header --field X-Api-Key --host '*.example.com' < erp.key"
    )]
    Set {
        /// The name in secret://NAME.
        name: String,
        /// How it is sent.
        #[arg(long, value_name = "KIND", default_value = "bearer")]
        kind: SecretKind,
        /// The user of basic, the name of a header or a parameter.
        #[arg(long, value_name = "NAME")]
        field: Option<String>,
        /// Where it may be sent: api.example.com, *.example.com, host:port, or http://host for one without encryption.
        #[arg(long = "host", value_name = "HOST", required = true)]
        hosts: Vec<String>,
    },
    /// Deletes a secret.
    #[command(after_help = "Example:\n  signalbox secret delete erp")]
    Delete {
        /// The name in secret://NAME.
        name: String,
    },
    /// Chooses where the key of the secrets is kept; what is there already is encrypted anew.
    #[command(
        after_help = "Examples:\n  signalbox secret choose system\n  signalbox secret choose passphrase\n  signalbox secret choose \
                      file --identity /run/keys/signalbox.txt"
    )]
    Choose {
        /// The place.
        key: SecretKey,
        /// With file: the key file; made when it is not there.
        #[arg(long, value_name = "FILE")]
        identity: Option<PathBuf>,
        /// Give up secrets that cannot be opened. Their file is kept under another name.
        #[arg(long)]
        discard: bool,
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
    /// Also write every entry of the audit chain to the standard output, one line each, as it comes.
    #[arg(long = "audit-stdout")]
    pub(crate) audit_stdout: bool,
}
