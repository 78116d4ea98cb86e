//! Arguments of `audit`.

use clap::{Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SigningKeyPlace {
    /// The key store of the system.
    System,
    /// A file of the data folder that only its owner can read.
    File,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Verifies the chain of this data folder, an evidence pack, or a copy of all entries (.jsonl).
    #[command(
        after_help = "Exit: 0 intact, 1 broken, 2 cannot be verified.\n\nA pack carries the key it was signed with. `pinned` \
                      says whether that key is the one of --key, or one that this data folder knows: only then it proves \
                      who signed.\n\nExamples:\n  signalbox audit verify\n  signalbox audit verify evidence.zip --key \
                      key.pub\n  signalbox audit verify copy.jsonl\n  signalbox audit verify --anchor /mnt/backup/anchors.jsonl"
    )]
    Verify {
        /// An evidence pack, or a file of lines as `audit sink` and `audit export` write it.
        #[arg(value_name = "FILE", conflicts_with = "run")]
        file: Option<PathBuf>,
        /// The public key that must have signed it.
        #[arg(long, value_name = "FILE", requires = "file")]
        key: Option<PathBuf>,
        /// Also say whether all entries of this run are there.
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// Checkpoints that were kept outside, one per line: the chain must be the one that they were taken of.
        #[arg(long, value_name = "FILE", conflicts_with = "file")]
        anchor: Option<PathBuf>,
    },
    /// Says how the chain stands: what the last verification found, who signs, and where that key is.
    Status,
    /// Says where the key that signs is kept, or moves it.
    #[command(
        after_help = "`system` is the key store of the system, which may ask you to unlock it; `file` is the data folder, for \
                      services and machines without one. The window moves a key into the key store by itself when that is \
                      open, unless it was moved to `file` here.\n\nExamples:\n  signalbox audit key\n  signalbox audit key \
                      system\n  signalbox audit key file"
    )]
    Key {
        /// Keep it there from now on.
        #[arg(value_enum, value_name = "PLACE")]
        place: Option<SigningKeyPlace>,
        /// Sign with another key from now on; what the old one signed still verifies. Programs that run already go on with
        /// the old one until they end.
        #[arg(long, requires = "place")]
        new: bool,
    },
    /// Keeps signed checkpoints outside, where the writer of the chain cannot change them.
    #[command(subcommand)]
    Anchor(Anchor),
    /// Copies every entry to files outside, line by line, for programs that collect logs; the chain of record stays here
    #[command(subcommand)]
    Sink(Sink),
    /// Says how long entries are kept, or changes that. What is removed leaves a signed entry: the rest still verifies.
    #[command(
        after_help = "A host that stays (the window, serve) removes what is old enough once an hour; --now does it by \
                      hand. A run that has not ended keeps its entries and those after its first.\n\nExamples:\n  \
                      signalbox audit retention\n  signalbox audit retention --keep-days 365\n  signalbox audit \
                      retention --now"
    )]
    Retention {
        /// Remove entries older than so many days from now on.
        #[arg(long, value_name = "DAYS", conflicts_with = "forever")]
        keep_days: Option<u32>,
        /// Keep everything from now on.
        #[arg(long)]
        forever: bool,
        /// Remove what is old enough now.
        #[arg(long)]
        now: bool,
    },
    /// Says that it is known why the end of the chain is missing, which a verification found. It is recorded; from then on
    /// the chain is judged by what is there.
    #[command(after_help = "Example:\n  signalbox audit accept-cut --reason 'power cut of 3 May, looked at by Ada'")]
    AcceptCut {
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Erases what an entry keeps apart under its hash; the chain stays valid. That is recorded.
    #[command(after_help = "Example:\n  signalbox audit erase 120 --reason 'request of the person, ticket 7'")]
    Erase {
        /// The entry.
        #[arg(value_name = "SEQ")]
        seq: u64,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Prints entries, oldest first.
    #[command(after_help = "Example:\n  signalbox audit list --run 0199a1b2-… --json")]
    List {
        /// Only of this run.
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// Only what matches: actor: event: run: workflow: node: level: error.type: tag: since: until: text:
        /// and words. A minus before leaves out: -event:NODE_START -"two words".
        #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
        query: Option<String>,
        /// The newest ones, at most this many.
        #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = super::limit)]
        limit: u32,
    },
    /// Writes entries to a file, as its ending says: .zip (evidence pack), .csv or .jsonl. That is recorded.
    #[command(
        after_help = "A profile hides values. An entry that loses some is shown in part: its hash stays, and its place is still \
                      proved.\n\nExamples:\n  signalbox audit export --run 0199a1b2-… --out evidence.zip\n  signalbox audit \
                      export --profile masked --hide /nodeId --out evidence.zip"
    )]
    Export {
        /// Only of this run.
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// Only what matches, as for list.
        #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
        query: Option<String>,
        /// What is shown.
        #[arg(long, value_enum, value_name = "PROFILE", default_value = "full")]
        profile: ExportProfile,
        /// A place of the entries that is hidden besides, a JSON Pointer with * for any member: /actor/id, /actor/role,
        /// /runId, /nodeId, /tags, /contextSnapshotHash, /metadata and its parts. Again for more.
        #[arg(long, value_name = "POINTER")]
        hide: Vec<String>,
        /// The file.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportProfile {
    /// Every entry as it was sealed.
    Full,
    /// People by number, and without texts that people or tools wrote.
    Masked,
    /// What happened where and when, and nothing else.
    Minimal,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Anchor {
    /// Lists the places, and how it stands with each.
    #[command(
        after_help = "Exit: 0 all is well, 1 a place has a problem.\n\nExample:\n  signalbox audit anchor list --json"
    )]
    List,
    /// Adds a place and anchors there at once.
    #[command(
        after_help = "A host that stays (the window, serve) anchors there from now on; `audit anchor now` does it by \
                      hand.\n\nExamples:\n  signalbox audit anchor add --file /mnt/backup/anchors.jsonl\n  signalbox audit \
                      anchor add --url https://log.example/signalbox --every 15 --credential secret://log"
    )]
    #[command(group = clap::ArgGroup::new("place").required(true).args(["file", "url"]))]
    Add {
        /// A file that each checkpoint is added to; best on another disk or machine.
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// An address that each checkpoint is sent to (POST).
        #[arg(long, value_name = "URL")]
        url: Option<String>,
        /// A secret of this machine that goes along with each request; it must allow the host of the address.
        #[arg(long, value_name = "secret://NAME", requires = "url")]
        credential: Option<String>,
        /// How often.
        #[arg(long, value_name = "MINUTES")]
        every: Option<u32>,
        /// The address may be one of this machine.
        #[arg(long, requires = "url")]
        allow_local: bool,
    },
    /// Anchors at a place no more; what it holds stays there.
    #[command(after_help = "Example:\n  signalbox audit anchor remove 0199a1b2-…")]
    Remove {
        /// Id of the place, as `list` prints it.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Anchors at every place now.
    #[command(after_help = "Exit: 0 every place took it, 1 one did not.\n\nExample:\n  signalbox audit anchor now")]
    Now,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Sink {
    /// Lists the files, and how it stands with each.
    #[command(
        after_help = "Exit: 0 all is well, 1 a file has a problem.\n\nExample:\n  signalbox audit sink list --json"
    )]
    List,
    /// Adds a file and copies to it at once, from the first entry on.
    #[command(
        after_help = "A host that stays (the window, serve) copies new entries as they come; `audit sink now` does it by \
                      hand. A file that is moved away is made anew. `serve --audit-stdout` writes the same lines to the \
                      standard output.\n\nExample:\n  signalbox audit sink add --file /var/log/signalbox/audit.jsonl"
    )]
    Add {
        /// A file of its own; it is made when it is not there.
        #[arg(long, value_name = "FILE")]
        file: PathBuf,
    },
    /// Copies to a file no more; what it holds stays.
    #[command(after_help = "Example:\n  signalbox audit sink remove 0199a1b2-…")]
    Remove {
        /// Id of the sink, as `list` prints it.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Copies what waits now.
    #[command(after_help = "Exit: 0 every file took it, 1 one did not.\n\nExample:\n  signalbox audit sink now")]
    Now,
}
