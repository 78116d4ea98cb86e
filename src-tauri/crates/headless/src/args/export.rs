//! The arguments of `export`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditFormat {
    Sqlite,
    Jsonl,
    Ring,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Human {
    None,
    Terminal,
    Ui,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    Program,
    Asl,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// Workflow file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Folder for the program; new or empty. With `--format asl` the file.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// `program`, or `asl`: a state machine of the Amazon States Language, as far as it goes (docs/import.md).
    #[arg(long, value_name = "FORMAT", default_value = "program")]
    pub(crate) format: ExportFormat,
    /// With `--format asl`: replace an existing file.
    #[arg(long)]
    pub(crate) force: bool,
    /// What is written: `bundle`, one executable file; `container`, an OCI image of it as a tar file (on Linux).
    #[arg(long, value_name = "TARGET", default_value = "bundle")]
    pub(crate) target: String,
    /// Where the program writes its audit chain: `sqlite`, its database; `jsonl`, also a file of JSON lines;
    /// `ring`, its database, which keeps the newest 10,000 entries or a few more.
    #[arg(long, value_name = "FORMAT", default_value = "sqlite")]
    pub(crate) audit: AuditFormat,
    /// How steps ask people: `none`, not at all; `terminal`, with the program's command `tasks`; `ui`, also with the page of its
    /// command `serve`.
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub(crate) human: Human,
}
