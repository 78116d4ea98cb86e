//! Arguments of `audit`.

use clap::{Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SigningKeyPlace {
    /// The system key store.
    System,
    /// A file in the data folder that only its owner can read.
    File,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Verifies the chain of this data folder, an evidence pack, or a complete copy of the entries (.jsonl).
    #[command(
        after_help = "Exit: 0 intact, 1 broken, 2 cannot be verified.\n\nA pack contains the key it was signed with. `pinned` \
                      is true if that is the key of --key, or one that this data folder knows: only then it proves \
                      who signed.\n\nExamples:\n  signalbox audit verify\n  signalbox audit verify evidence.zip --key \
                      key.pub\n  signalbox audit verify copy.jsonl\n  signalbox audit verify --anchor /mnt/backup/anchors.jsonl"
    )]
    Verify {
        /// An evidence pack, or a JSON lines file written by `audit sink` or `audit export`.
        #[arg(value_name = "FILE", conflicts_with = "run")]
        file: Option<PathBuf>,
        /// The public key that must have signed it.
        #[arg(long, value_name = "FILE", requires = "file")]
        key: Option<PathBuf>,
        /// Also check that all entries of this run are present.
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// Checkpoints kept elsewhere, one per line; the chain must match them.
        #[arg(long, value_name = "FILE", conflicts_with = "file")]
        anchor: Option<PathBuf>,
    },
    /// Shows the state of the chain: the last verification, the signing key and where it is kept.
    Status,
    /// Shows where the signing key is kept, or moves it.
    #[command(
        after_help = "`system` is the system key store, which may ask you to unlock it; `file` is the data folder, for \
                      services and machines without one. The desktop window moves a key into the key store automatically \
                      when that is open, unless it was moved to `file` here.\n\nExamples:\n  signalbox audit key\n  signalbox audit key \
                      system\n  signalbox audit key file"
    )]
    Key {
        /// Keep it there from now on.
        #[arg(value_enum, value_name = "PLACE")]
        place: Option<SigningKeyPlace>,
        /// Create a new key and sign with it from now on. Old signatures still verify. Running programs use the old key
        /// until they end.
        #[arg(long, requires = "place")]
        new: bool,
    },
    /// Manages anchors: places where the writer of the chain cannot change signed checkpoints.
    #[command(subcommand)]
    Anchor(Anchor),
    /// Manages copies of the chain: files, databases, object stores, search engines, loggers; the chain itself stays here.
    #[command(subcommand, visible_alias = "sinks")]
    Sink(Sink),
    /// Shows or changes how long entries are kept. A signed entry replaces removed ones, so the rest still verifies.
    #[command(
        after_help = "A long-running host (the window, serve) removes old entries once an hour; --now does it immediately. \
                      Entries of a run that has not ended, and those after its first, are kept.\n\nExamples:\n  \
                      signalbox audit retention\n  signalbox audit retention --keep-days 365\n  signalbox audit \
                      retention --now"
    )]
    Retention {
        /// From now on, remove entries older than this many days.
        #[arg(long, value_name = "DAYS", conflicts_with = "forever")]
        keep_days: Option<u32>,
        /// From now on, keep everything.
        #[arg(long)]
        forever: bool,
        /// Remove old entries now.
        #[arg(long)]
        now: bool,
    },
    /// Accepts that the end of the chain is missing, with a reason that is recorded. From then on the chain is judged by the
    /// entries it has.
    #[command(after_help = "Example:\n  signalbox audit accept-cut --reason 'power cut of 3 May, checked by Ada'")]
    AcceptCut {
        /// Reason.
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Erases the payload of an entry; the chain stays valid. The erasure is recorded.
    #[command(after_help = "Example:\n  signalbox audit erase 120 --reason 'request of the person, ticket 7'")]
    Erase {
        /// Number of the entry.
        #[arg(value_name = "SEQ")]
        seq: u64,
        /// Reason.
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Prints entries, oldest first.
    #[command(after_help = "Example:\n  signalbox audit list --run 0199a1b2-… --json")]
    List {
        /// Only entries of this run.
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// Only entries that match: actor: event: run: workflow: workspace: node: level: error.type: tag: since: until: text:
        /// and words. A leading minus excludes: -event:NODE_START -"two words".
        #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
        query: Option<String>,
        /// Maximum number of entries; the newest ones are printed.
        #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = super::limit)]
        limit: u32,
    },
    /// Exports entries to a file: .zip (evidence pack), .csv or .jsonl. The export is recorded.
    #[command(
        after_help = "A profile hides values. A shortened entry keeps its hash, and the pack still proves its place.\n\nExamples:\n  signalbox audit export --run 0199a1b2-… --out evidence.zip\n  signalbox audit \
                      export --profile masked --hide /nodeId --out evidence.zip"
    )]
    Export {
        /// Only entries of this run.
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// Only entries that match, as for list.
        #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
        query: Option<String>,
        /// How much of each entry is exported.
        #[arg(long, value_enum, value_name = "PROFILE", default_value = "full")]
        profile: ExportProfile,
        /// Also hide this part of each entry, a JSON Pointer with * for any member: /actor/id, /actor/role,
        /// /runId, /nodeId, /tags, /contextSnapshotHash, /metadata and its parts. Repeatable.
        #[arg(long, value_name = "POINTER")]
        hide: Vec<String>,
        /// Output file.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportProfile {
    /// Every entry as sealed.
    Full,
    /// People become numbers; texts by people or tools are hidden.
    Masked,
    /// Only what happened, where and when.
    Minimal,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Anchor {
    /// Lists the anchors and their state.
    #[command(
        after_help = "Exit: 0 no problems, 1 an anchor has a problem.\n\nExample:\n  signalbox audit anchor list --json"
    )]
    List,
    /// Adds an anchor and sends the current checkpoint to it.
    #[command(
        after_help = "A long-running host (the window, serve) sends checkpoints automatically; `audit anchor now` sends one \
                      immediately.\n\nExamples:\n  signalbox audit anchor add --file /mnt/backup/anchors.jsonl\n  signalbox audit \
                      anchor add --url https://log.example/signalbox --every 15 --credential secret://log"
    )]
    #[command(group = clap::ArgGroup::new("place").required(true).args(["file", "url"]))]
    Add {
        /// A file to append each checkpoint to; best on another disk or machine.
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// An address to send each checkpoint to (POST).
        #[arg(long, value_name = "URL")]
        url: Option<String>,
        /// The secret to send as the credential; it must allow the host of the address.
        #[arg(long, value_name = "secret://NAME", requires = "url")]
        credential: Option<String>,
        /// Interval.
        #[arg(long, value_name = "MINUTES")]
        every: Option<u32>,
        /// Allow an address on this machine.
        #[arg(long, requires = "url")]
        allow_local: bool,
    },
    /// Removes an anchor; checkpoints already there are kept.
    #[command(after_help = "Example:\n  signalbox audit anchor remove 0199a1b2-…")]
    Remove {
        /// Id of the anchor, as printed by `list`.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Sends a checkpoint to every anchor now.
    #[command(after_help = "Exit: 0 all succeeded, 1 at least one failed.\n\nExample:\n  signalbox audit anchor now")]
    Now,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SinkKind {
    /// A table of PostgreSQL: postgresql://user@host:5432/database?table=audit_events
    Postgres,
    /// A bucket of S3 or a compatible store: https://host/bucket/prefix?region=eu-central-1
    S3,
    /// An index of Elasticsearch or OpenSearch: https://host:9200/index
    Elasticsearch,
    /// A logger, RFC 5424 over TLS: syslog://host:6514
    Syslog,
    /// A topic of Kafka: kafka://host:9092/topic?sasl=scram-sha-512
    Kafka,
}

impl SinkKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::S3 => "s3",
            Self::Elasticsearch => "elasticsearch",
            Self::Syslog => "syslog",
            Self::Kafka => "kafka",
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Sink {
    /// Lists the sinks, how far each is, and what went wrong.
    #[command(
        after_help = "Exit: 0 no problems, 1 a sink has a problem.\n\nExample:\n  signalbox audit sinks list --json"
    )]
    List,
    /// Adds a sink and copies all entries to it, from the first one.
    #[command(
        after_help = "A long-running host (the window, serve) copies new entries automatically; `audit sinks now` copies them \
                      immediately. A file that was moved away is created again. `serve --audit-stdout` writes the same \
                      lines to standard output. Entries go to other machines over TLS only.\n\nExamples:\n  signalbox audit sinks add --file \
                      /var/log/signalbox/audit.jsonl\n  signalbox audit sinks add --kind postgres --url \
                      postgresql://signalbox@db.example/audit --credential secret://audit-db"
    )]
    #[command(group = clap::ArgGroup::new("where").required(true).args(["file", "url"]))]
    Add {
        /// A dedicated file; created if missing.
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// How the Audit step names it; default: its kind.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// What stands at the address.
        #[arg(long, value_enum, value_name = "KIND", requires = "url")]
        kind: Option<SinkKind>,
        /// The address of a server.
        #[arg(long, value_name = "URL", requires = "kind")]
        url: Option<String>,
        /// The secret to sign in with; it must allow the host of the address.
        #[arg(long, value_name = "secret://NAME", requires = "url")]
        credential: Option<String>,
        /// A PEM file with the authority that signed the certificate of the server; without it, those of the system count.
        #[arg(long, value_name = "FILE", requires = "url")]
        ca: Option<PathBuf>,
        /// Allow an address of this machine.
        #[arg(long, requires = "url")]
        allow_local: bool,
    },
    /// Checks whether a sink would take entries now; sends none.
    #[command(after_help = "Exit: 0 it would, 1 it would not.\n\nExample:\n  signalbox audit sinks test 0199a1b2-…")]
    Test {
        /// Id of the sink, as printed by `list`.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Pauses copying to a sink. Entries wait in the chain.
    #[command(after_help = "Example:\n  signalbox audit sinks pause 0199a1b2-…")]
    Pause {
        /// Id of the sink, as printed by `list`.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Continues copying to a paused sink where it stopped.
    #[command(after_help = "Example:\n  signalbox audit sinks resume 0199a1b2-…")]
    Resume {
        /// Id of the sink, as printed by `list`.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Stops copying to a sink; what it holds is kept.
    #[command(after_help = "Example:\n  signalbox audit sinks remove 0199a1b2-…")]
    Remove {
        /// Id of the sink, as printed by `list`.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Copies waiting entries now.
    #[command(after_help = "Exit: 0 all succeeded, 1 at least one failed.\n\nExample:\n  signalbox audit sinks now")]
    Now,
}
