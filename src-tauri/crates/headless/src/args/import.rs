//! The arguments of `import`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    Auto,
    N8n,
    Asl,
    Curl,
    Vl,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The file to import; `-` reads standard input, such as a pasted cURL command.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Format of the file; `auto` detects it from the content.
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub(crate) format: ImportFormat,
    /// Output file for the workflow.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// Replace an existing file.
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// Tool server on this machine for the imported tool steps.
    #[arg(long, value_name = "NAME")]
    pub(crate) tool_server: Option<String>,
}
