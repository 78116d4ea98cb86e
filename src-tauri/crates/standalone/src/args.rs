//! The arguments of an exported program. Its name is that of the workflow.

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use signalbox_model::bundle::{Bundle, HumanReview};
use std::net::IpAddr;
use std::path::PathBuf;

/// What the environment and files may say instead of arguments.
const CONFIGURATION: &str = "Configuration:
  SIGNALBOX_DATA           as --data
  SIGNALBOX_ALLOW_DIR      as --allow-dir, several with ';' between them
  SIGNALBOX_SECRETS        as --secrets
  SIGNALBOX_CONFIG         as --config
  SIGNALBOX_INDEXES        as --indexes
  SIGNALBOX_PORT, SIGNALBOX_LISTEN, SIGNALBOX_HOSTS, SIGNALBOX_PARAMS
                           as --port, --listen, --host (several with ';' between them) and --params of serve
  SIGNALBOX_SECRET_<NAME>  one secret, its name in capital letters with '_' for what is no letter or digit: the value alone,
                           or an object as in the file of secrets

The file of secrets is a JSON object that only its owner can read (chmod 600):
  {\"erp\": {\"value\": \"…\", \"kind\": \"bearer\", \"hosts\": [\"api.example.com\"]}}
A kind is bearer, basic (with \"user\"), header or query (with \"name\"), azure (with \"account\") or sas. A value alone is sent as a bearer token to the hosts that
--describe lists; a secret without such hosts needs \"hosts\".

The configuration is a JSON object that nobody but its owner can write (chmod go-w):
  {\"models\": {\"providers\": {\"house\": {\"kind\": \"openai\", \"baseUrl\": \"https://llm.example.com/v1\", \"credential\": \"secret://house\",
                                   \"prices\": {\"small\": {\"input\": 0.5, \"output\": 2}}}},
              \"default\": {\"provider\": \"house\", \"model\": \"small\"}, \"dayBudget\": 5},
   \"tools\": {\"files\": {\"transport\": \"stdio\", \"command\": \"files-server\", \"args\": [\"/srv\"], \"env\": {\"KEY\": \"secret://files\"}},
             \"crm\": {\"transport\": \"http\", \"url\": \"https://crm.example.com/mcp\", \"credential\": \"secret://crm\"}}}
A kind is openai, anthropic or ollama. Prices are of a million tokens.

Exit: 0 completed, 1 failed, 2 refused, 3 waits, 4 cancelled, 130 stopped.";

/// Everything that was given.
#[derive(Debug, Parser)]
#[command(version, disable_help_subcommand = true, after_help = CONFIGURATION)]
pub(crate) struct Arguments {
    /// Folder of the runs and the audit chain; default: a folder of this program in the platform's app-data folder.
    #[arg(long, global = true, env = "SIGNALBOX_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Let steps read files of a folder; `:rw` also lets them write.
    #[arg(
        long = "allow-dir",
        global = true,
        env = "SIGNALBOX_ALLOW_DIR",
        value_delimiter = ';',
        value_name = "DIR[:rw]"
    )]
    pub(crate) allow_dir: Vec<String>,
    /// File of secrets.
    #[arg(long, global = true, env = "SIGNALBOX_SECRETS", value_name = "FILE")]
    pub(crate) secrets: Option<PathBuf>,
    /// Configuration: providers of models, and tool servers; a file, or the JSON itself.
    #[arg(long, global = true, env = "SIGNALBOX_CONFIG", value_name = "FILE|JSON")]
    pub(crate) config: Option<String>,
    /// Folder of the indexes of documents; default: `indexes` in the data folder.
    #[arg(long, global = true, env = "SIGNALBOX_INDEXES", value_name = "DIR")]
    pub(crate) indexes: Option<PathBuf>,
    /// Print every result as one compact JSON line.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show what this program carries and what it needs.
    #[arg(long)]
    pub(crate) describe: bool,
    #[command(subcommand)]
    pub(crate) action: Option<Action>,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Action {
    /// Starts a run and waits for its end.
    Run(Run),
    /// Goes on with runs that were interrupted, for example by a crash.
    Resume {
        /// The run; default: all.
        run: Option<String>,
    },
    /// Cancels a run.
    Cancel {
        /// The run.
        run: String,
    },
    /// Lists the runs, newest first.
    Runs,
    /// Tasks of people.
    #[command(subcommand)]
    Tasks(Tasks),
    /// Goes on with interrupted runs, fires triggers, and serves what the program has (a page for tasks, webhooks, forms) until it is stopped.
    Serve(Serve),
    /// Says whether the program serves from its data folder; exit 1 when not.
    Health,
    /// The audit chain.
    #[command(subcommand)]
    Audit(Audit),
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Tasks {
    /// Lists open tasks, the most urgent first.
    List {
        /// Also those that were decided.
        #[arg(long)]
        all: bool,
    },
    /// Shows a task.
    Show {
        /// The task.
        task: String,
    },
    /// Answers a task and goes on with its run.
    Complete(Answer),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Answer {
    /// The task.
    pub(crate) task: String,
    /// What to do; `tasks show` lists the actions of a task.
    #[arg(long)]
    pub(crate) action: String,
    /// The corrected or filled in input: JSON, or @FILE.
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) input: Option<String>,
    /// Step that the action `alternative` leads to.
    #[arg(long, value_name = "STEP")]
    pub(crate) target: Option<String>,
    /// Why, for the audit chain.
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
    /// In whose name; default: the user of this system.
    #[arg(long = "as", value_name = "user:NAME")]
    pub(crate) person: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Run {
    /// Input of the run: a JSON object, or @FILE.
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) params: Option<String>,
    /// Print the events, one JSON line each, as they happen; with --json the last line is the summary.
    #[arg(long)]
    pub(crate) events: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Serve {
    /// Port; 0 takes a free one. Needed for webhooks, forms and answers of a callback.
    #[arg(long, env = "SIGNALBOX_PORT")]
    pub(crate) port: Option<u16>,
    /// Address of this machine to listen at; default: 127.0.0.1. The page for tasks stays for this machine only.
    #[arg(long, env = "SIGNALBOX_LISTEN", value_name = "IP")]
    pub(crate) listen: Option<IpAddr>,
    /// Another name under which requests come, for example that of a server with TLS before it.
    #[arg(long, env = "SIGNALBOX_HOSTS", value_delimiter = ';', value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// Input of the runs that triggers start: a JSON object, or @FILE.
    #[arg(long, env = "SIGNALBOX_PARAMS", value_name = "JSON|@FILE")]
    pub(crate) params: Option<String>,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum Audit {
    /// Checks that no entry was changed, removed or added.
    Verify,
}

impl Arguments {
    pub(crate) fn read(bundle: &Bundle) -> Result<Self, clap::Error> {
        // Read once for a process: its name lives as long as it does.
        let name: &'static str = Box::leak(bundle.name.clone().into_boxed_str());
        let about: &'static str = Box::leak(format!("{}, exported from Signalbox.", bundle.title).into_boxed_str());
        let has_people = bundle.human != HumanReview::None;
        let command = Self::command()
            .name(name)
            .bin_name(name)
            .about(about)
            .mut_subcommand("tasks", |tasks| tasks.hide(!has_people))
            .mut_subcommand("serve", |serve| serve.hide(!bundle.serves()));
        let matches = command.try_get_matches()?;
        Self::from_arg_matches(&matches)
    }
}
