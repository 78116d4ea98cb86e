//! The arguments of `signalbox`. Every command's help ends with an example.

mod audit;
mod connectors;
mod debug;
mod destinations;
mod export;
mod failures;
mod import;
mod index;
mod maintain;
mod models;
mod plan;
mod prune;
#[cfg(feature = "restate")]
mod restate;
mod runs;
mod secret;
mod serve;
mod service;
mod test;
mod token;
mod tools;
mod triggers;
mod webhook;
mod workspace;

pub(crate) use audit::{Anchor, Audit, ExportProfile, SigningKeyPlace, Sink, SinkKind};
pub(crate) use connectors::Connectors;
pub(crate) use debug::{Breaks, RunsDebug};
pub(crate) use destinations::{DestinationAdd, Destinations};
pub(crate) use export::{AuditFormat, Export, ExportFormat, Human};
pub(crate) use failures::{Failures, ReplayArgs};
pub(crate) use import::{Import, ImportFormat};
pub(crate) use index::Index;
pub(crate) use maintain::{Backup, CheckData, Daily, Doctor, Restore, Shell, Version};
pub(crate) use models::{ModelKind, Models};
pub(crate) use plan::Plan;
pub(crate) use prune::Prune;
#[cfg(feature = "restate")]
pub(crate) use restate::{DeploymentsCommand, HandOver, RestateArgs, Worker};
pub(crate) use runs::{CheckpointFormat, Runs};
pub(crate) use secret::{Grant, OAuth, Secret, SecretKey, SecretKind};
pub(crate) use serve::{People, Serve, ServeSignIn};
pub(crate) use service::{Service, ServiceInstall};
pub(crate) use test::Test;
pub(crate) use token::Token;
pub(crate) use tools::{SignIn, Statement, Tools};
pub(crate) use triggers::Triggers;
pub(crate) use webhook::Webhook;
pub(crate) use workspace::{Quota, Workspace};

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Runs workflows drawn in Signalbox.
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
    /// Data folder (history, library, grants); default: the platform's app-data folder.
    #[arg(long, global = true, env = "SIGNALBOX_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// History of several hosts in one PostgreSQL database: `postgres://user@host/database?sslmode=require`. The password is
    /// better given as PGPASSWORD.
    #[arg(long, global = true, env = "SIGNALBOX_HISTORY", hide_env_values = true, value_name = "URL")]
    pub(crate) history: Option<String>,
    /// Print every result as one compact JSON line.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Let file steps of this process read a folder; `:rw` also lets them write.
    #[arg(long = "allow-dir", global = true, value_name = "DIR[:rw]")]
    pub(crate) allow_dir: Vec<String>,
    /// Log the runs of this process to standard error, one JSON line per entry (docs/formats.md): `error`, `info` or `debug`.
    /// Default: warnings only, as text.
    #[arg(long, global = true, value_name = "LEVEL")]
    pub(crate) log: Option<LogLevel>,
    /// Colours in text output.
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
    /// Runs a workflow file until it ends or waits for a person.
    #[command(
        after_help = "Exit: 0 completed, 1 failed, 2 invalid file or arguments, 3 paused, 4 cancelled.\n\nExamples:\n  \
                      signalbox run first.signalbox.json --params '{\"base\":\"http://127.0.0.1:8080\"}' --events --json\n  \
                      signalbox run greet.signalbox.json --set 'name=\"Ada\"' --set '$count=0'"
    )]
    Run(Run),
    /// Checks workflow files and lists all problems; runs nothing.
    #[command(
        after_help = "Exit: 0 no errors, 2 errors.\n\nExample:\n  signalbox validate flows/*.signalbox.json --json"
    )]
    Validate {
        /// Workflow files.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Imports a workflow file of another program and reports how each step was translated.
    #[command(
        after_help = "Without -o the workflow goes to standard output and the report to standard error. Steps that cannot be translated \
                      become placeholders that say why; the workflow does not run until they are replaced.\n\nExit: 0 \
                      all translated, 1 with placeholders, 2 refused.\n\nExamples:\n  signalbox import build.json -o \
                      build.signalbox.json --tool-server files\n  signalbox import - -o request.signalbox.json   (paste a cURL command)"
    )]
    Import(Import),
    /// Exports a workflow as one program that runs it without Signalbox.
    #[command(
        after_help = "Prints what the program is made of and what it will need, then writes it. Workflows with errors, with steps that \
                      ask people, models or tools, with triggers, and with credentials in plain text are refused with their \
                      place.\n\nExit: 0 written, 2 refused.\n\nExamples:\n  signalbox export orders.signalbox.json --out \
                      dist\n  ./dist/orders run --params '{\"day\":\"2026-01-31\"}'\n  signalbox export orders.signalbox.json --format asl --out orders.asl.json"
    )]
    Export(Export),
    /// Runs tests of workflows in memory: recorded answers, simulated time, nothing outside.
    #[command(
        after_help = "A test is a file NAME.signalbox-test.yaml in the folder of its workflow; `runs save-test` makes one, and Help, Tests and proofs, in the app lists its fields.\n\nExit: \
                      0 all pass, 1 some do not, 2 no test was found, or wrong arguments.\n\nExamples:\n  signalbox test\n  signalbox test \
                      flows --coverage --junit tests.xml"
    )]
    Test(Test),
    /// Proves the error handling of a workflow: runs it in memory once for each fault that its steps may have.
    #[command(
        after_help = "Starts from the runs that the workflow's tests recorded; without tests, answers are made up. Nothing outside is \
                      called.\n\nExit: 0 every fault that was tried is handled, 1 some are not, 2 invalid file.\n\nExample:\n  signalbox prove \
                      orders.signalbox.json --json"
    )]
    Prove {
        /// Workflow file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Most pairs of faults in one run that are tried, at most 1000.
        #[arg(long, value_name = "N", default_value_t = signalbox_app::saved_tests::PAIRS)]
        pairs: usize,
    },
    /// Shows how workflows do: success, errors, durations, cost, open tasks, proof score.
    #[command(
        after_help = "Counts ended runs by day (UTC); tries of builders do not count.\n\nExamples:\n  signalbox health --days 7\n  signalbox \
                      health orders --json"
    )]
    Health {
        /// Id of a workflow; default: all, one line each.
        #[arg(value_name = "WORKFLOW")]
        workflow: Option<String>,
        /// So many days, today included.
        #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=366))]
        days: u32,
    },
    /// Has a model draft a workflow from a description; with --try the draft is run and corrected.
    #[command(
        after_help = "Needs a model: the default model, or --provider and --model. Trying calls real services; --allow-write names the \
                      steps that may change something.\n\nExit: 0 saved, 1 the draft does not run, 2 no valid draft, 4 \
                      cancelled.\n\nExample:\n  signalbox plan 'fetch the user torvalds from GitHub and keep name and biography' \
                      --out user.signalbox.json --try"
    )]
    Plan(Plan),
    /// Lists, shows and controls runs.
    #[command(subcommand, after_help = "Example:\n  signalbox runs list --status failed --limit 5")]
    Runs(Runs),
    /// Failed runs and open error tasks by what makes them alike: one correction for all of a group.
    #[command(subcommand, after_help = "Example:\n  signalbox failures list")]
    Failures(Failures),
    /// Resumes interrupted runs that no other process is executing.
    #[command(
        after_help = "Exit: as run; without RUN 0 when there was nothing to resume; 1 also when a run could not be resumed.\n\nExample:\n  signalbox resume 0199a1b2-…"
    )]
    Resume {
        /// The run; default: all.
        run: Option<String>,
    },
    /// Starts a new run from a step of another one: results that do not depend on that step are reused.
    #[command(
        after_help = "An original run that waits for a person is cancelled and its tasks are superseded. --look lists the steps with \
                      side effects that would run again.\n\nExit: as run; 2 also when the original is \
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
    /// Lists and answers tasks: the inbox.
    #[command(subcommand, after_help = "Example:\n  signalbox tasks list --json")]
    Tasks(Tasks),
    /// Verifies, reads and exports the audit chain.
    #[command(subcommand, after_help = "Example:\n  signalbox audit verify")]
    Audit(Audit),
    /// Manages the secrets that steps send as credentials. Values are never shown.
    #[command(
        subcommand,
        after_help = "The passphrase is prompted for, or read from SIGNALBOX_SECRETS_PASSPHRASE_FILE or \
                      SIGNALBOX_SECRETS_PASSPHRASE; SIGNALBOX_SECRETS_IDENTITY names a key file.\n\nExample:\n  signalbox secret set \
                      erp --kind bearer --host api.example.com"
    )]
    Secret(Secret),
    /// Manages indexes of documents.
    #[command(subcommand, after_help = "Example:\n  signalbox index search manuals 'how long do refunds take'")]
    Index(Index),
    /// Manages webhooks: addresses notified when a task is created, overdue, escalated, answered or closed.
    #[command(
        subcommand,
        after_help = "Example:\n  signalbox webhook add https://desk.example/hook --secret secret://desk"
    )]
    Webhook(Webhook),
    /// Shows whether and where spans of runs are sent (OpenTelemetry), and tries it.
    #[command(
        after_help = "Set in the window or in a browser (Settings, Telemetry), or by SIGNALBOX_OTEL and the OTEL_… variables, which come \
                      first.\n\nExit: 0; with --test 1 when the span did not arrive.\n\nExample:\n  signalbox telemetry --test"
    )]
    Telemetry {
        /// Sends one span, and says what became of it.
        #[arg(long)]
        test: bool,
    },
    /// Manages the providers of language models and the default model.
    #[command(
        subcommand,
        after_help = "Example:\n  signalbox models set local --kind ollama --url http://127.0.0.1:11434"
    )]
    Models(Models),
    /// Manages the tool servers (MCP) that steps can call.
    #[command(
        subcommand,
        after_help = "Example:\n  signalbox tools set files -- npx -y @modelcontextprotocol/server-filesystem /srv/data"
    )]
    Tools(Tools),
    /// Activates a workflow: its triggers start runs by themselves, with this version, until it is activated again or deactivated.
    #[command(
        disable_version_flag = true,
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
    /// Deactivates a workflow: its triggers start no more runs; running ones continue.
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
    /// Serves active workflows, or tools that plan workflows, to another program (MCP over standard input and output).
    #[command(
        after_help = "A workflow is a tool while it is active and its manual start is marked 'Offer as a tool'. A program that \
                      speaks MCP starts this command itself; `signalbox serve` has the same at /mcp, and what --author gives at /mcp/author.\n\nExample (the settings of \
                      such a program):\n  {\"mcpServers\": {\"signalbox\": {\"command\": \"signalbox\", \"args\": [\"mcp\"]}}}"
    )]
    Mcp {
        /// Serves the tools with which an agent reads the catalog and workflows and proposes changes; a person accepts them.
        #[arg(long)]
        author: bool,
    },
    /// Lists, shows and checks step kinds.
    #[command(subcommand, after_help = "Example:\n  signalbox catalog show http.request")]
    Catalog(CatalogCommand),
    /// Lists, shows, adds, checks and removes connectors: services whose operations steps call.
    #[command(subcommand, after_help = "Example:\n  signalbox connectors add openapi.json --name shop")]
    Connectors(Connectors),
    /// Serves the REST API and events on this machine, with --ui also the web UI.
    #[command(
        after_help = "Prints {\"url\":…,\"tokenFile\":…} when ready. The token file holds one token per line: TOKEN \
                      (builder), or ROLE TOKEN, or ROLE TOKEN NAME. A role is builder, operator or viewer; NAME is \
                      the owner of the token. With --tls-cert it speaks HTTPS; with --oidc-issuer people sign in by their \
                      identity provider.\n\nExamples:\n  signalbox serve --addr 127.0.0.1:9160 --ui\n  signalbox serve --ui --addr \
                      10.0.0.5:443 --tls-cert server.pem --tls-key server.key --public-url https://signalbox.example.com \
                      --oidc-issuer https://id.example.com --oidc-client-id signalbox --oidc-role builder=automation --oidc-role \
                      'viewer=*'"
    )]
    Serve(Box<Serve>),
    /// Carries out runs that servers hand to Restate, a durable engine.
    #[cfg(feature = "restate")]
    #[command(
        after_help = "Prints {\"listening\":…} when it can be called, and registers with the Restate server. Needs --history, the \
                      database that the servers use, too.\n\nExample:\n  signalbox worker --restate http://127.0.0.1:8080 \
                      --history postgres://signalbox@db.example/signalbox"
    )]
    Worker(Box<Worker>),
    /// Lists the releases whose workers a Restate server knows, and removes old ones.
    #[cfg(feature = "restate")]
    #[command(
        subcommand,
        after_help = "Restate gives new runs to the release that was registered last; runs go on with the one that began \
                      them.\n\nExample:\n  signalbox deployments list --restate http://127.0.0.1:8080"
    )]
    Deployments(DeploymentsCommand),
    /// Shows people who signed in to a server by an identity provider, ends their sessions and frees their names.
    #[command(
        subcommand,
        after_help = "A person keeps the name of the first sign-in, and nobody else gets it. Free it when somebody else is to have \
                      it, for example when the account was made anew at the provider.\n\nExample:\n  signalbox people list"
    )]
    People(People),
    /// Makes, lists and revokes access tokens of the server, for programs.
    #[command(subcommand, after_help = "Example:\n  signalbox token add nightly-import --role operator --days 90")]
    Token(Token),
    /// Divides the workflows of a server into workspaces, for access and quotas.
    #[command(
        subcommand,
        after_help = "A token or a person can be limited to workspaces: other workflows and their runs do not exist for them. \
                      Help, Workspaces and quotas, in the app says what limited access can do.\n\nExample:\n  signalbox workspace set sales --per-day 5000"
    )]
    Workspace(Workspace),
    /// Installs `serve` as a service of this user (systemd), so that active workflows run without the window.
    #[command(subcommand, after_help = "Example:\n  signalbox service install --addr 127.0.0.1:9160")]
    Service(Service),
    /// Writes a backup of the data folder to one file, while Signalbox runs.
    #[command(
        after_help = "Holds the history, the audit chain, settings, grants, indexes, the library and the files of runs; secrets only with \
                      --with-secrets. The passphrase is prompted for, or read from SIGNALBOX_BACKUP_PASSPHRASE_FILE or \
                      SIGNALBOX_BACKUP_PASSPHRASE. The archive is read again before it gets its name.\n\nExit: 0 written and verified, \
                      2 refused.\n\nExample:\n  signalbox backup /mnt/backup/signalbox-2026-11-29.tar.gz --with-secrets\n  signalbox backup \
                      --every 24 --keep 14 /mnt/backup"
    )]
    Backup(Backup),
    /// Restores a backup into a data folder.
    #[command(
        after_help = "Checks the whole archive first; nothing is changed when it is damaged, edited or from a newer release. A data folder that \
                      is not empty is refused without --replace. The audit chain is verified afterwards.\n\nExit: 0 restored, 1 \
                      restored but the audit chain is broken, 2 refused.\n\nExample:\n  signalbox restore \
                      /mnt/backup/signalbox-2026-11-29.tar.gz --data /srv/signalbox"
    )]
    Restore(Restore),
    /// Checks the data folder: database, events, values, audit chain, indexes, library, leftovers and permissions.
    #[command(
        after_help = "Reads everything, which takes as long as the data folder is large.\n\nExit: 0 nothing is wrong or all is repaired, \
                      1 problems, 2 refused.\n\nExample:\n  signalbox check-data --repair"
    )]
    CheckData(CheckData),
    /// Checks whether this machine is ready: folder, disk, clock, key store, ports, providers, tool servers.
    #[command(
        after_help = "Each problem comes with a fix.\n\nExit: 0 no problems (warnings are allowed), 1 problems.\n\nExample:\n  signalbox \
                      doctor --json"
    )]
    Doctor(Doctor),
    /// Shows the version and how it was installed; with --check whether there is a newer release.
    #[command(
        after_help = "The list of releases must be signed by the key of the settings (Settings, About). Without --check nothing is sent.\n\n\
                      Exit: 0 up to date or not asked, 1 there is a newer release, 2 refused.\n\nExamples:\n  signalbox version --check\n  \
                      signalbox version --daily on --list https://example.org/releases.json --key signalbox.pub"
    )]
    Version(Version),
    /// Prints a completion script for a shell.
    #[command(
        after_help = "Examples:\n  signalbox completions bash > ~/.local/share/bash-completion/completions/signalbox\n  signalbox completions \
                      fish > ~/.config/fish/completions/signalbox.fish"
    )]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Writes the man pages, one for each command.
    #[command(after_help = "Example:\n  signalbox man --out ~/.local/share/man/man1")]
    Man {
        /// The folder; it is created if missing.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

impl Command {
    /// Whether the command changes nothing except the record of the access.
    pub(crate) fn only_reads(&self) -> bool {
        match self {
            Self::Runs(command) => matches!(
                command,
                Runs::List { .. }
                    | Runs::Show { .. }
                    | Runs::Usage { .. }
                    | Runs::Events { .. }
                    | Runs::Snapshot { .. }
                    | Runs::SaveTest { .. }
                    | Runs::Diff { .. }
            ),
            Self::Validate { .. } | Self::Export(_) | Self::Test(_) | Self::Prove { .. } => true,
            Self::Tasks(command) => matches!(command, Tasks::List { .. } | Tasks::Stats { .. } | Tasks::Show { .. }),
            Self::Audit(command) => matches!(command, Audit::Verify { .. } | Audit::Status | Audit::List { .. }),
            Self::Failures(command) => matches!(command, Failures::List { .. } | Failures::Show { .. }),
            Self::Triggers(command) => matches!(command, Triggers::List { .. } | Triggers::Show { .. }),
            Self::Index(command) => matches!(command, Index::List | Index::Show { .. }),
            Self::Versions { .. } | Self::Health { .. } => true,
            _ => false,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Workflow file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Input of the run: a JSON object, or @FILE.
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) params: Option<String>,
    /// Set one param, or with `$` an initial variable.
    #[arg(long = "set", value_name = "NAME=JSON")]
    pub(crate) set: Vec<String>,
    /// Start from a checkpoint of another program (vl_workflow_checkpoint); --params and --set override its values.
    #[arg(long, value_name = "FILE")]
    pub(crate) from_checkpoint: Option<PathBuf>,
    /// Print only events, one JSON line each, as they happen; with --json the last line is the summary.
    #[arg(long)]
    pub(crate) events: bool,
    #[command(flatten)]
    pub(crate) breaks: Breaks,
    /// Stop before the first call.
    #[arg(long)]
    pub(crate) paused: bool,
    /// End after this step; steps that do not lead to it do not run.
    #[arg(long, value_name = "STEP")]
    pub(crate) until: Option<String>,
    /// Do not call steps whose output is pinned; use that output.
    #[arg(long)]
    pub(crate) pinned: bool,
    /// Idempotency key: for 24 hours the same key, workflow and params follow the existing run, and resume it if it was
    /// interrupted. Other params with the same key are refused.
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
    /// The step to start from; inside a loop with the iteration: loop[17]/step.
    #[arg(long, value_name = "STEP")]
    pub(crate) from: String,
    /// End after this step; with the step of --from, only that step runs.
    #[arg(long, value_name = "STEP")]
    pub(crate) until: Option<String>,
    /// Set one param, or with `$` a variable.
    #[arg(long = "set", value_name = "NAME=JSON")]
    pub(crate) set: Vec<String>,
    /// Input of the step: a JSON list with one element per item, or @FILE.
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) input: Option<String>,
    /// The definition of the original run, or the current workflow in the library.
    #[arg(long, value_name = "WHICH", default_value = "original")]
    pub(crate) definition: RerunDefinition,
    /// Reuse people's answers where the same question is asked about the same data.
    #[arg(long)]
    pub(crate) keep_answers: bool,
    /// Start nothing; show which results would be reused, which steps would run again, and what changed.
    #[arg(long)]
    pub(crate) look: bool,
    /// Print only events, one JSON line each, as they happen; with --json the last line is the summary.
    #[arg(long)]
    pub(crate) events: bool,
}

/// Maximum number of entries in a list.
pub(crate) fn limit(text: &str) -> Result<u32, String> {
    let limit = text.parse().ok().filter(|limit| *limit > 0);
    limit.ok_or_else(|| "the limit must be a whole number of at least 1".to_owned())
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
    /// Lists tasks: open ones by urgency, others by latest decision.
    #[command(after_help = "Example:\n  signalbox tasks list --status all --limit 5 --json")]
    List {
        /// Status of the tasks.
        #[arg(long, value_name = "S", default_value = "open")]
        status: TaskStatus,
        /// Order of open tasks.
        #[arg(long, value_name = "ORDER", default_value = "urgent")]
        sort: TaskSort,
        /// Maximum number of entries.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = limit)]
        limit: u32,
    },
    /// Shows statistics of a period: tasks received, decisions and times by workflow, cause and person.
    #[command(after_help = "Example:\n  signalbox tasks stats --since 2026-11-01T00:00:00Z --json")]
    Stats {
        /// Start of the period (RFC 3339); default: 30 days ago.
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Only tasks of this workflow.
        #[arg(long, value_name = "ID")]
        workflow: Option<String>,
    },
    /// Shows a task with its error, input and attempts. Values that may be personal are masked.
    #[command(after_help = "Example:\n  signalbox tasks show 0199a1b2-… --json")]
    Show {
        /// The task.
        task: String,
    },
    /// Answers a task; only the first answer counts.
    #[command(
        after_help = "Exit: 0 answered, 2 refused, 5 already answered, expired or claimed by somebody else.\n\nExamples:\n  \
                      signalbox tasks complete 0199a1b2-… --action retry\n  signalbox tasks complete 0199a1b2-… --action \
                      correct --input '{\"age\":36}' --notes 'typing error' --as user:anna"
    )]
    Complete(Complete),
    /// Claims a task for 15 minutes, so that others see who works on it.
    #[command(after_help = "Exit: 0, 2, 5 claimed by somebody else.\n\nExample:\n  signalbox tasks claim 0199a1b2-…")]
    Claim {
        /// The task.
        task: String,
        /// Person; default: the system account.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Asks the default model for a correction. This costs money and is recorded; apply it with `tasks complete`.
    #[command(
        after_help = "Exit: 0, 2, 5 already answered, or a model is being asked.\n\nExample:\n  signalbox tasks suggest 0199a1b2-…"
    )]
    Suggest {
        /// The task.
        task: String,
        /// Person; default: the system account.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Puts a task on hold: its deadline pauses until `tasks continue`. Anybody can still answer it.
    #[command(
        after_help = "Exit: 0, 2, 5 already answered or expired.\n\nExample:\n  signalbox tasks hold 0199a1b2-… \
                      --notes 'The supplier calls back'"
    )]
    Hold(Hold),
    /// Continues a task that is on hold: its deadline runs again.
    #[command(
        after_help = "Exit: 0, 2, 5 already answered or expired.\n\nExample:\n  signalbox tasks continue 0199a1b2-…"
    )]
    Continue(Hold),
    /// Manages destinations: services that tasks are copied to.
    #[command(subcommand, after_help = "Example:\n  signalbox tasks destinations kinds")]
    Destinations(Destinations),
    /// Lets another person answer your tasks for a time.
    #[command(
        after_help = "Example:\n  signalbox tasks delegate --to user:bob --until 2026-12-01T00:00:00Z --workflow invoices"
    )]
    Delegate(Delegate),
    /// Lists your delegations: who answers for you, and for whom you answer.
    #[command(after_help = "Example:\n  signalbox tasks delegations --json")]
    Delegations {
        /// Person; default: the system account.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Ends a delegation now.
    #[command(after_help = "Example:\n  signalbox tasks undelegate 0199a1b2-…")]
    Undelegate {
        /// Id, as shown by `tasks delegations`.
        id: String,
        /// Person; default: the system account.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Reopens an ended task: a new run reuses all earlier results and asks again.
    #[command(
        after_help = "The failed step is not called again before somebody decides; steps that followed the first decision \
                      run again. A run that waits for another answer is cancelled and its tasks are superseded.\n\nExit: 0 \
                      reopened, 2, 5 still open or already reopened.\n\nExample:\n  signalbox tasks reopen t0199a1b2… \
                      --reason 'the wrong customer'"
    )]
    Reopen {
        /// The task.
        task: String,
        /// Reason; it is recorded.
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Person; default: the system account.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Releases a claimed task.
    #[command(after_help = "Example:\n  signalbox tasks release 0199a1b2-…")]
    Release {
        /// The task.
        task: String,
        /// Person; default: the system account.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Hold {
    /// The task.
    pub(crate) task: String,
    /// Whom or what the task waits for.
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
    /// Person; default: the system account.
    #[arg(long = "as", value_name = "user:NAME")]
    pub(crate) person: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Delegate {
    /// The person who may answer.
    #[arg(long, value_name = "user:NAME")]
    pub(crate) to: String,
    /// Start (RFC 3339); default: now.
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<String>,
    /// End (RFC 3339).
    #[arg(long, value_name = "TIME")]
    pub(crate) until: String,
    /// Only tasks of this workflow.
    #[arg(long, value_name = "ID")]
    pub(crate) workflow: Option<String>,
    /// Reason; it is recorded.
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
    /// Person; the system account is recorded as well.
    #[arg(long = "as", value_name = "user:NAME")]
    pub(crate) person: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Complete {
    /// The task.
    pub(crate) task: String,
    /// The decision; `tasks show` lists the possible ones.
    #[arg(long, value_name = "ACTION")]
    pub(crate) action: Action,
    /// With correct: the complete corrected input. With submit: the values.
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) input: Option<String>,
    /// With alternative: the step.
    #[arg(long, value_name = "NODE")]
    pub(crate) target: Option<String>,
    /// With retry, when a budget is used up: additional amount for the run.
    #[arg(long, value_name = "AMOUNT")]
    pub(crate) budget: Option<f64>,
    /// With approve of a tool call: only this call, or all calls in this run that the same rule asks about.
    #[arg(long, value_name = "once|run")]
    pub(crate) grant: Option<String>,
    /// Reason; it is recorded.
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
    /// Idempotency key: repeating the id returns the first answer.
    #[arg(long = "request-id", value_name = "ID")]
    pub(crate) request_id: Option<String>,
    /// Person; the system account is recorded as well.
    #[arg(long = "as", value_name = "user:NAME")]
    pub(crate) person: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CatalogCommand {
    /// Lists the step kinds.
    #[command(after_help = "Example:\n  signalbox catalog list --json")]
    List,
    /// Shows the descriptor of a step kind.
    #[command(after_help = "Example:\n  signalbox catalog show flow.if")]
    Show {
        /// The kind, for example http.request.
        kind: String,
    },
    /// Checks descriptors: the built-in ones, or YAML files.
    #[command(after_help = "Exit: 0 all valid, 2 errors.\n\nExample:\n  signalbox catalog check my-kind.yaml")]
    Check {
        /// Descriptor files.
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}
