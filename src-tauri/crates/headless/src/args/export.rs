//! The arguments of `export`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditFormat {
    Sqlite,
    Jsonl,
    Ring,
}

/// How steps ask people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Human {
    None,
    Terminal,
    Ui,
    Callback(String),
}

impl FromStr for Human {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("callback=")) {
            ("none", _) => Ok(Self::None),
            ("terminal", _) => Ok(Self::Terminal),
            ("ui", _) => Ok(Self::Ui),
            (_, Some(url)) if !url.is_empty() => Ok(Self::Callback(url.to_owned())),
            _ => Err("write none, terminal, ui or callback=URL".to_owned()),
        }
    }
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
    /// What is written: `bundle`, one executable file; `container`, an OCI image of it as a tar file (on Linux);
    /// `source`, a Cargo project that builds it.
    #[arg(long, value_name = "TARGET", default_value = "bundle")]
    pub(crate) target: String,
    /// With `--target bundle`, on Linux: a file of about a third of the size, which is decompressed into memory at each start.
    #[arg(long)]
    pub(crate) compress: bool,
    /// With `--target source`: a checkout of Signalbox in the same version; default: the folder `source` beside signalbox.
    #[arg(long, value_name = "DIR")]
    pub(crate) source_of_signalbox: Option<PathBuf>,
    /// Where the program writes its audit chain: `sqlite`, its database; `jsonl`, also a file of JSON lines;
    /// `ring`, its database, which keeps the newest 10,000 entries or a few more.
    #[arg(long, value_name = "FORMAT", default_value = "sqlite")]
    pub(crate) audit: AuditFormat,
    /// How steps ask people: `none`, not at all; `terminal`, with the program's command `tasks`; `ui`, also with the page of its
    /// command `serve`; `callback=URL`, also by signed messages to an address, which answers through its command `serve`.
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub(crate) human: Human,
}
