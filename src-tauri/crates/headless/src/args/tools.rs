//! Arguments of `tools`.

use clap::{Subcommand, ValueEnum};
use std::path::PathBuf;

/// As whom this program signs in to a server. What is not given is asked of the authorization server.
#[derive(Debug, clap::Args)]
pub(crate) struct SignIn {
    /// The client that the authorization server knows this program as.
    #[arg(long, value_name = "ID", requires = "url")]
    pub(crate) client_id: Option<String>,
    /// The secret of that client.
    #[arg(long, value_name = "secret://NAME", requires = "client_id", conflicts_with = "client_key")]
    pub(crate) client_secret: Option<String>,
    /// The private key of that client, PKCS #8 on one line.
    #[arg(long, value_name = "secret://NAME", requires = "client_id")]
    pub(crate) client_key: Option<String>,
    /// The https address of a client id metadata document.
    #[arg(long, value_name = "URL", requires = "url")]
    pub(crate) client_metadata: Option<String>,
    /// The only authorization server that may be used; it may stand in the own network then.
    #[arg(long, value_name = "URL", requires = "url")]
    pub(crate) issuer: Option<String>,
    /// Signs in as the client itself, without a person.
    #[arg(long, requires = "client_id")]
    pub(crate) unattended: bool,
}

/// A person's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Said {
    Yes,
    No,
    Guess,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Tools {
    /// Lists the servers and where each stands.
    #[command(after_help = "Example:\n  signalbox tools list --json")]
    List,
    /// Lists the tools that steps may call.
    #[command(after_help = "Example:\n  signalbox tools available --json")]
    Available,
    /// Calls a tool of an approved server once, as a run of one step: it stands in the history and the audit log.
    #[command(
        after_help = "Exit: 0 it answered, 1 it failed, 2 no such call.\n\nExample:\n  signalbox tools call files read_file \
                      --args '{\"path\": \"/srv/data/a.txt\"}' --json"
    )]
    Call {
        /// The server.
        server: String,
        /// The tool, as its server names it.
        tool: String,
        /// Its arguments.
        #[arg(long, value_name = "JSON|@FILE")]
        args: Option<String>,
    },
    /// Registers a server, or changes how it is started or reached. It is approved afterwards.
    #[command(
        after_help = "No shell reads the program and its arguments. Write secret://NAME for a variable that is a secret.\n\n\
                      Examples:\n  signalbox tools set files -- npx -y @modelcontextprotocol/server-filesystem /srv/data\n  \
                      signalbox tools set erp --env ERP_TOKEN=secret://erp -- erp-mcp --read-only\n  \
                      signalbox tools set crm --url https://crm.example/mcp --credential secret://crm\n  \
                      signalbox tools set desk --url https://desk.example/mcp --client-id signalbox"
    )]
    Set {
        /// Its name; steps name it.
        name: String,
        /// The address of a server that is reached over HTTP.
        #[arg(long, value_name = "URL", conflicts_with_all = ["env", "cwd", "command"])]
        url: Option<String>,
        /// The secret that goes along to that address.
        #[arg(long, value_name = "secret://NAME", requires = "url")]
        credential: Option<String>,
        #[command(flatten)]
        sign_in: SignIn,
        /// A variable of its process.
        #[arg(long, value_name = "NAME=TEXT")]
        env: Vec<String>,
        /// The folder that its process works in.
        #[arg(long, value_name = "DIR")]
        cwd: Option<String>,
        /// The program and its arguments.
        #[arg(last = true, required_unless_present = "url", value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Registers the servers of an mcp.json. None of them is approved by that.
    #[command(after_help = "Example:\n  signalbox tools import mcp.json")]
    Import {
        /// The file; - is standard input.
        file: PathBuf,
    },
    /// Starts or reaches a server, asks what it is, and shows what differs from what was approved.
    #[command(after_help = "Exit: 0 it answered, 1 it did not.\n\nExample:\n  signalbox tools connect files --json")]
    Connect {
        /// Its name.
        name: String,
    },
    /// Approves a server as it is now: how it is started or reached, and its tools with every word about them.
    #[command(
        after_help = "Without --hash the server is shown and you are asked.\n\nExample:\n  signalbox tools approve files \
                      --hash 5f1d…"
    )]
    Approve {
        /// Its name.
        name: String,
        /// The hash that `tools connect --json` showed.
        #[arg(long, value_name = "HASH")]
        hash: Option<String>,
    },
    /// Signs in to a server at an address: prints where, and waits for the browser to come back.
    #[command(
        after_help = "Open the address in a browser of this machine. With a browser elsewhere, paste the address that it is \
                      sent to, and press Enter.\n\nExit: 0 signed in, 2 not.\n\nExample:\n  signalbox tools sign-in crm"
    )]
    SignIn {
        /// Its name.
        name: String,
    },
    /// Signs out of a server: its tokens are forgotten, and taken back where that is offered.
    #[command(after_help = "Example:\n  signalbox tools sign-out crm")]
    SignOut {
        /// Its name.
        name: String,
    },
    /// Says what a tool of an approved server does with data: what models may do with it goes by that. What is not said is guessed.
    #[command(
        after_help = "yes or no is your word; guess takes it back. It is forgotten, where it makes the rules looser, when the tool \
                      changes.\n\nExamples:\n  signalbox tools say files read_file --private yes\n  signalbox tools say files \
                      write_file --sends no --understood"
    )]
    Say {
        /// The server.
        server: String,
        /// The tool, as its server names it.
        tool: String,
        /// It reads private data.
        #[arg(long, value_name = "yes|no|guess")]
        private: Option<Said>,
        /// It can send data out.
        #[arg(long, value_name = "yes|no|guess")]
        sends: Option<Said>,
        /// It brings text from outside.
        #[arg(long, value_name = "yes|no|guess")]
        outside: Option<Said>,
        /// You know what it means to say less than is guessed.
        #[arg(long)]
        understood: bool,
    },
    /// Deletes a server and its approval.
    #[command(after_help = "Example:\n  signalbox tools delete files")]
    Delete {
        /// Its name.
        name: String,
    },
}
