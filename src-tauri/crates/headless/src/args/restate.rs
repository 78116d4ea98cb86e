//! Arguments about Restate, a durable engine that the user runs.

use clap::Args;
use std::net::SocketAddr;
use url::Url;

/// Arguments of `worker`.
#[derive(Debug, Args)]
pub(crate) struct Worker {
    /// Ingress of the Restate server. SIGNALBOX_RESTATE_TOKEN is sent to it as a bearer token.
    #[arg(long, env = "SIGNALBOX_RESTATE", value_name = "URL")]
    pub(crate) restate: Url,
    /// Admin API of the Restate server; default: port 9070 of the same machine.
    #[arg(long = "restate-admin", env = "SIGNALBOX_RESTATE_ADMIN", value_name = "URL")]
    pub(crate) restate_admin: Option<Url>,
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
}

/// Where `serve` hands runs over.
#[derive(Debug, Args)]
pub(crate) struct HandOver {
    /// Hand runs to the Restate server with this ingress; `signalbox worker` carries them out. Needs --history.
    /// SIGNALBOX_RESTATE_TOKEN is sent to it as a bearer token.
    #[arg(long, env = "SIGNALBOX_RESTATE", value_name = "URL")]
    pub(crate) restate: Option<Url>,
}
