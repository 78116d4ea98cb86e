//! Arguments of `service`.

use super::Serve;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum Service {
    /// Writes a systemd user unit that runs `serve`, then enables and starts it.
    #[command(
        after_help = "The unit uses the data folder of --data and the folders of --allow-dir. An earlier unit of this command is replaced; \
                      any other file is left alone. Certificate, key and the other options of `serve` are checked \
                      first; files are named by their full path.\n\nExit: 0 the service runs, 1 the unit is written but systemd did not start \
                      it, 2 refused.\n\nExamples:\n  signalbox service install --ui\n  signalbox service install --addr \
                      127.0.0.1:9200 --print\n  signalbox service install --ui --addr 10.0.0.5:8443 --tls-cert server.pem --tls-key \
                      server.key --public-url https://signalbox.example.com:8443"
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
    #[command(flatten)]
    pub(crate) serve: Box<Serve>,
    /// Print the unit and change nothing.
    #[arg(long)]
    pub(crate) print: bool,
}
