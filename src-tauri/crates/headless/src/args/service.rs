//! Arguments of `service`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Service {
    /// Writes a systemd user unit that runs `serve`, then enables and starts it.
    #[command(
        after_help = "The unit uses the data folder of --data and the folders of --allow-dir. An earlier unit of this command is replaced; \
                      any other file is left alone.\n\nExit: 0 the service runs, 1 the unit is written but systemd did not start \
                      it, 2 refused.\n\nExamples:\n  signalbox service install --ui\n  signalbox service install --addr \
                      127.0.0.1:9200 --print"
    )]
    Install(ServiceInstall),
    /// Shows whether the unit is installed, enabled and running.
    #[command(after_help = "Exit: 0 the service runs, 1 it does not.\n\nExample:\n  signalbox service status --json")]
    Status,
    /// Stops the service and removes its unit. Data stays.
    #[command(
        after_help = "Exit: 0 nothing of it is left, 1 the unit is removed but systemd did not answer, 2 the unit was written by \
                      something else.\n\nExample:\n  signalbox service uninstall"
    )]
    Uninstall,
}

#[derive(Debug, Args)]
pub(crate) struct ServiceInstall {
    /// Address and port of the server.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9160")]
    pub(crate) addr: std::net::SocketAddr,
    /// Also serve the web UI.
    #[arg(long)]
    pub(crate) ui: bool,
    /// Token file; default: `serve.token` in the data folder.
    #[arg(long = "token-file", value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Print the unit and change nothing.
    #[arg(long)]
    pub(crate) print: bool,
}
