//! Arguments of `token`.

use super::Quota;
use clap::{Subcommand, ValueEnum};
use signalbox_app::dto::CallerRole;

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TokenRole {
    /// Sees runs, tasks, workflows and the audit chain, masked.
    Viewer,
    /// Also starts and cancels runs and answers tasks.
    Operator,
    /// Also changes workflows and settings.
    Builder,
}

impl From<TokenRole> for CallerRole {
    fn from(role: TokenRole) -> Self {
        match role {
            TokenRole::Viewer => Self::Viewer,
            TokenRole::Operator => Self::Operator,
            TokenRole::Builder => Self::Builder,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Lists the tokens with role, owner, expiry and last use.
    #[command(after_help = "Example:\n  signalbox token list --json")]
    List,
    /// Makes a token and prints it once. It acts in the name of whoever makes it.
    #[command(
        after_help = "A server that runs with this data folder takes it at once.\n\nExit: 0, 2 refused.\n\nExamples:\n  signalbox token add \
                      nightly-import --role operator --days 90\n  signalbox token add dashboard --role viewer --as user:anna\n  \
                      signalbox token add sales-portal --role operator --workspace sales --per-minute 30"
    )]
    Add {
        /// Name; no other token has it.
        #[arg(value_name = "NAME")]
        name: String,
        /// What it may do.
        #[arg(long, value_enum)]
        role: TokenRole,
        /// Workspace that it is limited to; may be given several times. Everything else does not exist for it.
        #[arg(long = "workspace", value_name = "NAME")]
        workspaces: Vec<String>,
        #[command(flatten)]
        quota: Quota,
        /// Days that it lasts; without this it lasts until it is revoked.
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
        /// Person; the system account is recorded as well.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Revokes a token. A running server refuses it within 5 seconds and breaks off what it still answers to it.
    #[command(after_help = "Exit: 0, 2 there is no such token.\n\nExample:\n  signalbox token revoke nightly-import")]
    Revoke {
        /// Name.
        #[arg(value_name = "NAME")]
        name: String,
        /// Person; the system account is recorded as well.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
}
