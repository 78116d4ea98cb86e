//! Arguments of `backup`, `restore`, `check-data`, `doctor`, `completions` and `man`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The archive to write; an existing file is refused. With --every the folder for the archives.
    #[arg(value_name = "OUT", required_unless_present_any = ["off", "schedule"])]
    pub(crate) out: Option<PathBuf>,
    /// Make a backup every so many hours, 1 to 744, while the window or `serve` runs; without secrets.
    #[arg(long, value_name = "HOURS", conflicts_with = "with_secrets")]
    pub(crate) every: Option<u32>,
    /// How many of those are kept; 7 if it was never said.
    #[arg(long, value_name = "N", requires = "every")]
    pub(crate) keep: Option<u32>,
    /// Make no more backups by schedule.
    #[arg(long, conflicts_with_all = ["out", "every"])]
    pub(crate) off: bool,
    /// Show the schedule, and what became of the last backup.
    #[arg(long, conflicts_with_all = ["out", "every", "off"])]
    pub(crate) schedule: bool,
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

#[derive(Debug, Args)]
pub(crate) struct Version {
    /// Ask the list of releases now.
    #[arg(long)]
    pub(crate) check: bool,
    /// Turn the daily check on or off.
    #[arg(long, value_name = "WHEN")]
    pub(crate) daily: Option<Daily>,
    /// Address of the signed list of releases.
    #[arg(long, value_name = "URL", requires = "daily")]
    pub(crate) list: Option<String>,
    /// File with the public key of who signs the list (PEM, or 64 hexadecimal digits).
    #[arg(long, value_name = "FILE", requires = "daily")]
    pub(crate) key: Option<PathBuf>,
    /// The address may be one of this machine.
    #[arg(long, requires = "list")]
    pub(crate) allow_local: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Daily {
    On,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}
