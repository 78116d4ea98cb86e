//! Arguments of `webhook`.

use clap::{Subcommand, ValueEnum};

/// What an address hears of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum News {
    Created,
    Overdue,
    Escalated,
    Answered,
    Closed,
}

impl News {
    /// Behind `task.`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Overdue => "overdue",
            Self::Escalated => "escalated",
            Self::Answered => "answered",
            Self::Closed => "closed",
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Webhook {
    /// Lists the addresses.
    #[command(after_help = "Example:\n  signalbox webhook list --json")]
    List,
    /// Tells an address of tasks from now on. Each message is signed (docs/formats.md).
    #[command(
        after_help = "The host of the address must be one that the secret is for.\n\nExample:\n  signalbox webhook add \
                      https://desk.example/hook --event created --event answered --secret secret://desk"
    )]
    Add {
        /// The address.
        url: String,
        /// What it hears of; everything when absent.
        #[arg(long, value_name = "EVENT")]
        event: Vec<News>,
        /// The secret that signs.
        #[arg(long, value_name = "secret://NAME")]
        secret: String,
        /// The address may be one of this machine.
        #[arg(long)]
        allow_local: bool,
    },
    /// Tells an address of no tasks any more; what it was to be told is forgotten.
    #[command(after_help = "Example:\n  signalbox webhook remove 0199a1b2-…")]
    Remove {
        /// Its id.
        id: String,
    },
    /// Shows what was told, the newest first.
    #[command(after_help = "Example:\n  signalbox webhook log --limit 5 --json")]
    Log {
        /// Only to this address.
        id: Option<String>,
        /// At most this many.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = super::limit)]
        limit: u32,
    },
    /// Sends one message again, also one that was taken or given up.
    #[command(after_help = "Exit: 0 it was taken, 1 it was not.\n\nExample:\n  signalbox webhook again msg_0199a1b2…")]
    Again {
        /// Its id, as `webhook log` shows it.
        id: String,
    },
    /// Sends now what is due; a host that stays (the window, serve) does so by itself.
    #[command(after_help = "Example:\n  signalbox webhook send")]
    Send,
}
