//! Arguments about Restate, a durable engine that the user runs.

use clap::{Args, Subcommand};
use std::net::SocketAddr;
use url::Url;

/// Where the Restate server is.
#[derive(Debug, Args)]
pub(crate) struct RestateArgs {
    /// Ingress of the Restate server. SIGNALBOX_RESTATE_TOKEN is sent to it as a bearer token.
    #[arg(long, env = "SIGNALBOX_RESTATE", value_name = "URL")]
    pub(crate) restate: Url,
    /// Admin API of the Restate server; default: port 9070 of the same machine.
    #[arg(long = "restate-admin", env = "SIGNALBOX_RESTATE_ADMIN", value_name = "URL")]
    pub(crate) restate_admin: Option<Url>,
}

/// Arguments of `worker`.
#[derive(Debug, Args)]
pub(crate) struct Worker {
    #[command(flatten)]
    pub(crate) restate: RestateArgs,
    /// Address on which the Restate server calls this worker; port 0 chooses a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9170")]
    pub(crate) listen: SocketAddr,
    /// Address under which the Restate server reaches the workers, when it is not the one that this worker listens on: that of a
    /// load balancer before all of them.
    #[arg(long = "worker-url", env = "SIGNALBOX_WORKER_URL", value_name = "URL")]
    pub(crate) worker_url: Option<Url>,
    /// Public key of the Restate server's requests (publickeyv1_…); others are refused. Needed when --listen is not on this machine.
    #[arg(long = "restate-identity-key", env = "SIGNALBOX_RESTATE_IDENTITY_KEY", value_name = "KEY")]
    pub(crate) identity_key: Option<String>,
    /// Name of the release of this worker, for builds and connectors that differ under one version. Runs go on with workers of the
    /// release that began them.
    #[arg(
        long,
        env = "SIGNALBOX_RELEASE",
        value_name = "NAME",
        default_value = env!("CARGO_PKG_VERSION"),
        value_parser = clap::builder::NonEmptyStringValueParser::new()
    )]
    pub(crate) release: String,
}

/// Workers of several releases at one Restate server.
#[derive(Debug, Subcommand)]
pub(crate) enum DeploymentsCommand {
    /// Lists them, the newest first, with the runs that each has begun and that have not ended.
    #[command(after_help = "Example:\n  signalbox deployments list --restate http://127.0.0.1:8080")]
    List {
        #[command(flatten)]
        restate: RestateArgs,
    },
    /// Forgets a deployment whose workers nothing needs any more.
    #[command(
        after_help = "Exit: 0, 2 there is no such deployment, or its workers are needed.\n\nExample:\n  signalbox deployments remove \
                      dp_15VqmTOnXH3Vv2pl5HOG7Ua --restate http://127.0.0.1:8080"
    )]
    Remove {
        /// Its id.
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        restate: RestateArgs,
    },
    /// Moves the runs of a deployment to the one that takes new runs, where its workers cannot be kept. Stop them before.
    #[command(
        after_help = "Each run goes on where the history stands. Calls under way count as cut off, as after a crash: reads are made \
                      again, and writes that are not safe to repeat go to the inbox.\n\nExit: 0, 2 there is no such deployment, or new \
                      runs go to it.\n\nExample:\n  signalbox deployments move dp_15VqmTOnXH3Vv2pl5HOG7Ua --restate http://127.0.0.1:8080"
    )]
    Move {
        /// Its id.
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        restate: RestateArgs,
    },
}

/// Where `serve` hands runs over.
#[derive(Debug, Args)]
pub(crate) struct HandOver {
    /// Hand runs to the Restate server with this ingress; `signalbox worker` carries them out. Needs --history.
    /// SIGNALBOX_RESTATE_TOKEN is sent to it as a bearer token.
    #[arg(long, env = "SIGNALBOX_RESTATE", value_name = "URL")]
    pub(crate) restate: Option<Url>,
}
