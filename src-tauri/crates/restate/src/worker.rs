//! The service that a Restate server calls, and how the server gets to know it.

use crate::Log;
use crate::admin::Admin;
use crate::deployment::{Deployment, Registration};
use crate::object::RunObject;
use restate_sdk::endpoint::{HandlerOptions, ServiceOptions};
use restate_sdk::prelude::{Endpoint, HttpServer};
use restate_sdk::service::IntoServiceDefinition;
use signalbox_runtime::Runtime;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use url::Url;

/// Pause between two attempts to register.
const AGAIN: Duration = Duration::from_secs(2);
/// A run that rests is let go after so long; one with calls makes an entry more often than that.
const INACTIVE: Duration = Duration::from_secs(60);
/// A run whose store cannot be written stands still and is not broken off for so long.
const ABORT: Duration = Duration::from_secs(60 * 60);

/// Where a worker is called.
#[derive(Debug, Clone)]
pub struct Listen {
    /// The address that it listens on.
    pub addr: SocketAddr,
    /// The public key of the server's requests; others are refused then.
    pub identity_key: Option<String>,
}

/// Why a worker does not start.
#[derive(Debug)]
pub enum WorkerError {
    /// The address cannot be listened on.
    Address(String),
    /// The key is none.
    IdentityKey(String),
}

/// A worker that can be reached and answers nothing yet.
pub struct Bound {
    listener: TcpListener,
    /// Where it listens.
    pub addr: SocketAddr,
    identity_key: Option<String>,
}

/// Takes the address.
pub async fn bind(listen: &Listen) -> Result<Bound, WorkerError> {
    let address = |error: std::io::Error| WorkerError::Address(error.to_string());
    let listener = TcpListener::bind(listen.addr).await.map_err(address)?;
    let addr = listener.local_addr().map_err(address)?;
    Ok(Bound { listener, addr, identity_key: listen.identity_key.clone() })
}

impl Bound {
    /// Answers the Restate server until `stop` is over. Runs under way are left to other workers then.
    pub async fn serve(self, runtime: Runtime, log: Log, stop: impl Future<Output = ()>) -> Result<(), WorkerError> {
        let options = ServiceOptions::new()
            .inactivity_timeout(INACTIVE)
            .abort_timeout(ABORT)
            .retry_policy_initial_interval(Duration::from_millis(100))
            .retry_policy_exponentiation_factor(2.0)
            .retry_policy_max_interval(Duration::from_secs(10))
            // A run is given up by nobody but a person.
            .retry_policy_max_attempts(1_000_000_000)
            .handler("wake", HandlerOptions::new().journal_retention(Duration::ZERO));
        let object = RunObject { runtime, log }.into_service_definition().options(options);
        let mut endpoint = Endpoint::builder().bind(object);
        if let Some(key) = &self.identity_key {
            endpoint = endpoint.identity_key(key).map_err(|error| WorkerError::IdentityKey(error.to_string()))?;
        }
        HttpServer::new(endpoint.build()).serve_with_cancel(self.listener, stop).await;
        Ok(())
    }
}

/// Workers of one release that are to be known to the server.
pub struct Registering {
    /// Its admin API.
    pub admin: Admin,
    /// Where the workers are called.
    pub url: Url,
    /// Their release.
    pub release: String,
    /// Takes what becomes of it.
    pub log: Log,
}

impl Registering {
    /// Says why these workers must not be called at this address, before they are. A server that does not answer now may know
    /// no reason; it is asked again.
    pub async fn check(&self) -> Result<(), String> {
        let Ok(known) = self.admin.deployments().await else { return Ok(()) };
        match Registration::of(&known.all, self.url.as_str(), &self.release) {
            Registration::Taken(place) => Err(self.taken(&known.all[place])),
            _ => Ok(()),
        }
    }

    /// Registers the workers, again and again until it is done. They are called for it. An error is that of [`Self::check`].
    pub async fn register(self) -> Result<(), String> {
        let Self { admin, url, release, log } = &self;
        let mut told = false;
        loop {
            match admin.register(url, release).await {
                Ok((Registration::Taken(place), known)) => return Err(self.taken(&known.all[place])),
                Ok((Registration::Known(place), known)) if !known.all[place].takes_new_runs => {
                    let newest = known.all.iter().find(|one| one.takes_new_runs);
                    let newest = newest.map(Deployment::release_words).unwrap_or_default();
                    log(&format!("{url} carries on the runs that release {release} began; new runs go to {newest}."));
                    return Ok(());
                }
                Ok(_) => {
                    log(&format!("Registered {url} as release {release} with Restate at {}.", admin.url()));
                    return Ok(());
                }
                Err(why) => {
                    if !std::mem::replace(&mut told, true) {
                        let server = admin.url();
                        log(&format!(
                            "{url} is not registered with Restate at {server} yet: {why}. It is tried again."
                        ));
                    }
                }
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    fn taken(&self, other: &Deployment) -> String {
        let Self { url, release, .. } = self;
        let runs = match other.runs.all() {
            1 => "1 run has".to_owned(),
            runs => format!("{runs} runs have"),
        };
        let whose = other.release_words();
        format!("{url} is the address of {whose}, of which {runs} not ended. This worker is release {release}.")
    }
}
