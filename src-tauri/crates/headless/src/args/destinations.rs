//! Arguments of `tasks destinations`.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum Destinations {
    /// Lists the destinations.
    #[command(after_help = "Example:\n  signalbox tasks destinations list --json")]
    List,
    /// Lists the connectors that take tasks, with their settings.
    #[command(after_help = "Example:\n  signalbox tasks destinations kinds")]
    Kinds,
    /// Adds a destination: tasks are created there when they open, changed with them, and closed when they end.
    #[command(
        after_help = "The credential must allow the host of the service.\n\nExamples:\n  signalbox tasks destinations add Jira \
                      --connector jira --var site=acme --set project=ABC --credential secret://jira\n  signalbox tasks \
                      destinations add Desk --connector github --set owner=acme --set repo=desk --credential \
                      secret://github --decide approved=approve --decide-secret secret://github-hook\n  signalbox tasks \
                      destinations add Mail --mail-host smtp.example.org --from signalbox@example.org --to \
                      desk@example.org --credential secret://mailbox"
    )]
    Add(Box<DestinationAdd>),
    /// Removes a destination; what stands at the service stays there.
    #[command(after_help = "Example:\n  signalbox tasks destinations remove 0199a1b2-…")]
    Remove {
        /// Id of the destination.
        id: String,
    },
    /// Tests a destination: reads from the service, or sends a test mail.
    #[command(
        after_help = "Exit: 0 it can be used, 1 it cannot.\n\nExample:\n  signalbox tasks destinations test 0199a1b2-…"
    )]
    Test {
        /// Id of the destination.
        id: String,
    },
    /// Lists where tasks stand, newest first.
    #[command(after_help = "Example:\n  signalbox tasks destinations log --limit 5 --json")]
    Log {
        /// Only this destination.
        id: Option<String>,
        /// Maximum number of entries.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = super::limit)]
        limit: u32,
    },
    /// Sends a task to its destination again, also when that was given up.
    #[command(
        after_help = "Exit: 0 it stands there, 1 it does not.\n\nExample:\n  signalbox tasks destinations again 5f1c…"
    )]
    Again {
        /// Id, as shown by `tasks destinations log`.
        id: String,
    },
    /// Sends due tasks now; a long-running host (the window, serve) does this automatically.
    #[command(after_help = "Example:\n  signalbox tasks destinations send")]
    Send,
}

#[derive(Debug, Args)]
pub(crate) struct DestinationAdd {
    /// What people call it.
    pub(crate) name: String,
    /// A connector that takes tasks.
    #[arg(long, value_name = "NAME", conflicts_with = "mail_host", required_unless_present = "mail_host")]
    pub(crate) connector: Option<String>,
    /// Variable of the connector's address.
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) variables: Vec<(String, String)>,
    /// Setting of the connector.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) settings: Vec<(String, String)>,
    /// Another text.
    #[arg(long = "text", value_name = "NAME=TEMPLATE", value_parser = pair)]
    pub(crate) templates: Vec<(String, String)>,
    /// Another address of the service.
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Who Signalbox is there.
    #[arg(long, value_name = "secret://NAME")]
    pub(crate) credential: Option<String>,
    /// Only tasks of this workflow.
    #[arg(long, value_name = "ID")]
    pub(crate) workflow: Vec<String>,
    /// Only tasks of this person or group.
    #[arg(long, value_name = "user:NAME|group:NAME")]
    pub(crate) assignee: Vec<String>,
    /// Only tasks of at least this priority.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_priority: u8,
    /// A value of the service that is an answer, such as Done=approve; the connector's own when none is given.
    #[arg(long = "decide", value_name = "VALUE=ANSWER", value_parser = pair, requires = "decide_secret")]
    pub(crate) decide: Vec<(String, String)>,
    /// Takes decisions: the secret that signs the webhooks of the service, or is sent with them.
    #[arg(long, value_name = "secret://NAME")]
    pub(crate) decide_secret: Option<String>,
    /// Address of this program for people; links lead to its inbox.
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// SMTP server, instead of a connector.
    #[arg(long, value_name = "HOST", requires = "from", requires = "to")]
    pub(crate) mail_host: Option<String>,
    /// How the connection is encrypted; default: tls.
    #[arg(long, value_name = "HOW", requires = "mail_host", value_parser = ["tls", "starttls", "none"])]
    pub(crate) mail_security: Option<String>,
    /// Port; default: the usual one.
    #[arg(long, value_name = "N", requires = "mail_host")]
    pub(crate) mail_port: Option<u16>,
    /// User of the mail server; default: the one that is kept with the credential.
    #[arg(long, value_name = "USER", requires = "mail_host")]
    pub(crate) mail_user: Option<String>,
    /// Language of mails; default: en.
    #[arg(long, value_name = "LANGUAGE", requires = "mail_host", value_parser = ["en", "zh"])]
    pub(crate) mail_language: Option<String>,
    /// Sender of mails.
    #[arg(long, value_name = "ADDRESS", requires = "mail_host")]
    pub(crate) from: Option<String>,
    /// Recipient of mails.
    #[arg(long, value_name = "ADDRESS", requires = "mail_host")]
    pub(crate) to: Vec<String>,
    /// Allow an address on this machine.
    #[arg(long)]
    pub(crate) allow_local: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}
