//! Arguments of `tools`.

use clap::{Subcommand, ValueEnum};
use std::path::PathBuf;

/// The client identity for signing in to a server. Missing values are requested from the authorization server.
#[derive(Debug, clap::Args)]
pub(crate) struct SignIn {
    /// Client id of this program at the authorization server.
    #[arg(long, value_name = "ID", requires = "url")]
    pub(crate) client_id: Option<String>,
    /// Client secret.
    #[arg(long, value_name = "secret://NAME", requires = "client_id", conflicts_with = "client_key")]
    pub(crate) client_secret: Option<String>,
    /// Private key of the client, PKCS #8 on one line.
    #[arg(long, value_name = "secret://NAME", requires = "client_id")]
    pub(crate) client_key: Option<String>,
    /// The https address of a client metadata document.
    #[arg(long, value_name = "URL", requires = "url")]
    pub(crate) client_metadata: Option<String>,
    /// The only authorization server to use; it may be in your own network.
    #[arg(long, value_name = "URL", requires = "url")]
    pub(crate) issuer: Option<String>,
    /// Sign in as the client itself, without a person.
    #[arg(long, requires = "client_id")]
    pub(crate) unattended: bool,
}

/// A person's statement about a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Statement {
    Yes,
    No,
    Guess,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Tools {
    /// Lists the tool servers and their state.
    #[command(after_help = "Example:\n  signalbox tools list --json")]
    List,
    /// Lists the tools that steps can call.
    #[command(after_help = "Example:\n  signalbox tools available --json")]
    Available,
    /// Calls a tool of an approved server as a run of one step, recorded in the run history and the audit chain.
    #[command(
        after_help = "Exit: 0 succeeded, 1 failed, 2 the call is not possible.\n\nExample:\n  signalbox tools call files read_file \
                      --args '{\"path\": \"/srv/data/a.txt\"}' --json"
    )]
    Call {
        /// The server.
        server: String,
        /// The tool, by the name used by its server.
        tool: String,
        /// Arguments of the tool.
        #[arg(long, value_name = "JSON|@FILE")]
        args: Option<String>,
    },
    /// Adds or changes a tool server. Approve it afterwards.
    #[command(
        after_help = "The program is started without a shell. For a variable that is a secret write secret://NAME.\n\n\
                      Examples:\n  signalbox tools set files -- npx -y @modelcontextprotocol/server-filesystem /srv/data\n  \
                      signalbox tools set erp --env ERP_TOKEN=secret://erp -- erp-mcp --read-only\n  \
                      signalbox tools set crm --url https://crm.example/mcp --credential secret://crm\n  \
                      signalbox tools set desk --url https://desk.example/mcp --client-id signalbox"
    )]
    Set {
        /// Name; steps refer to it.
        name: String,
        /// Address of an HTTP server.
        #[arg(long, value_name = "URL", conflicts_with_all = ["env", "cwd", "command"])]
        url: Option<String>,
        /// The secret to send as the credential.
        #[arg(long, value_name = "secret://NAME", requires = "url")]
        credential: Option<String>,
        #[command(flatten)]
        sign_in: SignIn,
        /// Environment variable of its process.
        #[arg(long, value_name = "NAME=TEXT")]
        env: Vec<String>,
        /// Working folder of its process.
        #[arg(long, value_name = "DIR")]
        cwd: Option<String>,
        /// The program and its arguments.
        #[arg(last = true, required_unless_present = "url", value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Adds the servers of an mcp.json, without approving them.
    #[command(after_help = "Example:\n  signalbox tools import mcp.json")]
    Import {
        /// The file; `-` for standard input.
        file: PathBuf,
    },
    /// Connects to a tool server and shows what differs from what was approved.
    #[command(after_help = "Exit: 0 it responded, 1 it did not.\n\nExample:\n  signalbox tools connect files --json")]
    Connect {
        /// Name of the server.
        name: String,
    },
    /// Approves a tool server as it is now: its command or address, and all texts about its tools.
    #[command(
        after_help = "Without --hash the server is shown and you are asked to confirm.\n\nExample:\n  signalbox tools approve files \
                      --hash 5f1d…"
    )]
    Approve {
        /// Name of the server.
        name: String,
        /// The hash shown by `tools connect --json`.
        #[arg(long, value_name = "HASH")]
        hash: Option<String>,
    },
    /// Signs in to an HTTP tool server: prints an address and waits for the browser.
    #[command(
        after_help = "Open the address in a browser on this machine. If your browser is on another machine, paste the address it \
                      ends at and press Enter.\n\nExit: 0 signed in, 2 not.\n\nExample:\n  signalbox tools sign-in crm"
    )]
    SignIn {
        /// Name of the server.
        name: String,
    },
    /// Signs out of a tool server: its tokens are deleted, and revoked if the server supports it.
    #[command(after_help = "Example:\n  signalbox tools sign-out crm")]
    SignOut {
        /// Name of the server.
        name: String,
    },
    /// States what a tool does with data, which decides what models may do with it. Anything not stated is guessed.
    #[command(
        after_help = "yes or no is your statement; guess removes it. A statement that loosens the rules is dropped when the tool \
                      changes.\n\nExamples:\n  signalbox tools say files read_file --private yes\n  signalbox tools say files \
                      write_file --sends no --understood"
    )]
    Say {
        /// The server.
        server: String,
        /// The tool, by the name used by its server.
        tool: String,
        /// It reads private data.
        #[arg(long, value_name = "yes|no|guess")]
        private: Option<Statement>,
        /// It can send data out.
        #[arg(long, value_name = "yes|no|guess")]
        sends: Option<Statement>,
        /// It returns untrusted text.
        #[arg(long, value_name = "yes|no|guess")]
        outside: Option<Statement>,
        /// Confirm a statement that is looser than the guess.
        #[arg(long)]
        understood: bool,
    },
    /// Deletes a server and its approval.
    #[command(after_help = "Example:\n  signalbox tools delete files")]
    Delete {
        /// Name of the server.
        name: String,
    },
}
