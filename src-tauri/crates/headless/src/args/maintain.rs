//! Arguments of `backup`, `restore`, `check-data`, `doctor`, `completions` and `man`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The archive to write; an existing file is refused.
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// Include the secrets, the signing key and the server's tokens, encrypted with a passphrase.
    #[arg(long)]
    pub(crate) with_secrets: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The archive.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Set aside what the data folder holds, in a folder inside it.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Do not restore the secrets of the archive.
    #[arg(long)]
    pub(crate) without_secrets: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckData {
    /// Repair what can be repaired: leftovers, wrong indexes, interrupted deletions, permissions.
    #[arg(long)]
    pub(crate) repair: bool,
    /// Rewrite the database without free space; no other process may use it meanwhile.
    #[arg(long)]
    pub(crate) compact: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Address that `serve` is to use.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9160")]
    pub(crate) addr: std::net::SocketAddr,
    /// Do not connect to model providers.
    #[arg(long)]
    pub(crate) offline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}
