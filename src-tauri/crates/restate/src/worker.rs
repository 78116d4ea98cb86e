//! The service that a Restate server calls, and how the server gets to know it.

use crate::Log;
use crate::ingress::{RestateServer, below, root};
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

/// Listens, says where, and answers the Restate server until `stop` is over. Runs under way are left to other workers then.
pub async fn serve(
    runtime: Runtime,
    listen: &Listen,
    log: Log,
    listens: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> Result<(), WorkerError> {
    let address = |error: std::io::Error| WorkerError::Address(error.to_string());
    let listener = TcpListener::bind(listen.addr).await.map_err(address)?;
    let addr = listener.local_addr().map_err(address)?;
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
    if let Some(key) = &listen.identity_key {
        endpoint = endpoint.identity_key(key).map_err(|error| WorkerError::IdentityKey(error.to_string()))?;
    }
    listens(addr);
    HttpServer::new(endpoint.build()).serve_with_cancel(listener, stop).await;
    Ok(())
}

/// Registers the workers at `uri` with the server, again and again until it is done.
pub async fn register(server: RestateServer, uri: Url, log: Log) {
    let mut told = false;
    loop {
        match registered(&server, &uri).await {
            Ok(()) => {
                log(&format!("Registered {uri} with Restate at {}.", server.admin));
                return;
            }
            Err(why) if !told => {
                told = true;
                log(&format!(
                    "{uri} is not registered with Restate at {} yet: {why}. It is tried again.",
                    server.admin
                ));
            }
            Err(_) => {}
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn registered(server: &RestateServer, uri: &Url) -> Result<(), String> {
    let client = server.client()?;
    let body = serde_json::json!({ "uri": uri }).to_string();
    let request =
        client.post(below(&server.admin, &["deployments"])).header("content-type", "application/json").body(body);
    let answer = server.signed(request).send().await.map_err(|error| root(&error))?;
    let status = answer.status();
    if status.is_success() {
        return Ok(());
    }
    let text = answer.text().await.unwrap_or_default();
    Err(format!("it answered {status}: {}", text.chars().take(500).collect::<String>()))
}
