//! Arguments of `webhook`.

use clap::{Subcommand, ValueEnum};

/// Events of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum News {
    Created,
    Overdue,
    Escalated,
    Answered,
    Closed,
}

impl News {
    /// The part after `task.`.
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
    /// Lists the webhooks.
    #[command(after_help = "Example:\n  signalbox webhook list --json")]
    List,
    /// Adds a webhook: an address to notify about tasks. Messages are signed (docs/formats.md).
    #[command(after_help = "The secret must allow the host of the address.\n\nExample:\n  signalbox webhook add \
                      https://desk.example/hook --event created --event answered --secret secret://desk")]
    Add {
        /// The address.
        url: String,
        /// Event to send; default: all.
        #[arg(long, value_name = "EVENT")]
        event: Vec<News>,
        /// The signing secret.
        #[arg(long, value_name = "secret://NAME")]
        secret: String,
        /// Allow an address on this machine.
        #[arg(long)]
        allow_local: bool,
    },
    /// Removes a webhook and its waiting messages.
    #[command(after_help = "Example:\n  signalbox webhook remove 0199a1b2-…")]
    Remove {
        /// Id of the webhook.
        id: String,
    },
    /// Lists messages, newest first.
    #[command(after_help = "Example:\n  signalbox webhook log --limit 5 --json")]
    Log {
        /// Only messages of this webhook.
        id: Option<String>,
        /// Maximum number of entries.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = super::limit)]
        limit: u32,
    },
    /// Sends a message again, even if it was delivered or has failed.
    #[command(after_help = "Exit: 0 delivered, 1 not delivered.\n\nExample:\n  signalbox webhook again msg_0199a1b2…")]
    Again {
        /// Id of the message, as shown by `webhook log`.
        id: String,
    },
    /// Sends due messages now; a long-running host (the window, serve) does this automatically.
    #[command(after_help = "Example:\n  signalbox webhook send")]
    Send,
}
