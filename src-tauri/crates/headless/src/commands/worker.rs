//! `worker`, and the runs that `serve` hands to workers.

use super::{Done, told_to_stop};
use crate::args::{HandOver, LogLevel, Worker};
use crate::output::{OK, Output};
use serde_json::json;
use signalbox_app::{ApiError, ApiResult, App, Class};
use signalbox_restate::{Ingress, Listen, Log, RestateServer, WorkerError};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::runtime::Handle;
use url::Url;

fn refused(message: impl Into<String>, hint: &str) -> ApiError {
    ApiError::new(Class::BadRequest, "BAD_WORKER", message, hint)
}

/// What can be known before the history is opened.
pub(crate) fn check(args: &Worker) -> ApiResult<()> {
    for url in [Some(&args.restate), args.restate_admin.as_ref(), args.worker_url.as_ref()].into_iter().flatten() {
        check_url(url)?;
    }
    if !args.listen.ip().is_loopback() && args.identity_key.is_none() {
        let message = format!("Anybody who reaches {} could write the results of runs.", args.listen);
        let hint = "Give --restate-identity-key the public key of the Restate server, or listen on 127.0.0.1.";
        return Err(refused(message, hint));
    }
    Ok(())
}

fn check_url(url: &Url) -> ApiResult<()> {
    if matches!(url.scheme(), "http" | "https") && url.has_host() && url.password().is_none() {
        return Ok(());
    }
    let hint = "Write it like http://127.0.0.1:8080; a token is given as SIGNALBOX_RESTATE_TOKEN.";
    Err(refused("An address of Restate or of a worker is not usable.", hint))
}

fn server(ingress: &Url, admin: Option<&Url>) -> RestateServer {
    RestateServer {
        ingress: ingress.clone(),
        admin: admin.cloned().unwrap_or_else(|| RestateServer::admin_beside(ingress)),
        token: std::env::var("SIGNALBOX_RESTATE_TOKEN").ok().filter(|token| !token.is_empty()),
    }
}

/// Runs that begin in this process are handed to Restate.
pub(crate) fn hand_over(app: &Arc<App>, output: &Output, args: &HandOver) -> ApiResult<()> {
    let Some(ingress) = &args.restate else { return Ok(()) };
    check_url(ingress)?;
    hand_to(app, server(ingress, None), log(output, LogLevel::Warn))
}

fn hand_to(app: &Arc<App>, server: RestateServer, log: Log) -> ApiResult<()> {
    if app.history().is_none() {
        let hint = "Give --history the PostgreSQL database that the servers and the workers share.";
        return Err(refused("Runs are handed over only with a history that workers share.", hint));
    }
    let ingress = Ingress::new(server, Handle::current(), log)
        .map_err(|why| refused(format!("Requests to Restate are not possible: {why}."), ""))?;
    app.runtime().hand_runs_to(Arc::new(ingress));
    Ok(())
}

fn log(output: &Output, level: LogLevel) -> Log {
    let output = *output;
    Arc::new(move |line| output.log(level, line))
}

pub(crate) async fn worker(app: &Arc<App>, output: &Output, args: &Worker) -> Done {
    let server = server(&args.restate, args.restate_admin.as_ref());
    hand_to(app, server.clone(), log(output, LogLevel::Warn))?;
    app.count_runs();
    let listen = Listen { addr: args.listen, identity_key: args.identity_key.clone() };
    let mut registering = None;
    let listens = |addr: SocketAddr| {
        output.value(&json!({ "listening": addr.to_string() }));
        let uri = args.worker_url.clone().or_else(|| Url::parse(&format!("http://{addr}")).ok());
        let told = log(output, LogLevel::Info);
        registering = uri.map(|uri| tokio::spawn(signalbox_restate::register(server, uri, told)));
    };
    let stop = async {
        told_to_stop().await;
        // What carries runs out here ends where nothing that changes the outside is under way.
        app.runtime().shutdown().await;
    };
    let runtime = app.runtime().clone();
    let served = signalbox_restate::serve(runtime, &listen, log(output, LogLevel::Error), listens, stop).await;
    if let Some(registering) = registering {
        registering.abort();
    }
    served.map(|()| OK).map_err(|error| match error {
        WorkerError::Address(why) => refused(
            format!("The worker cannot listen on {}: {why}.", args.listen),
            "Choose another address with --listen.",
        ),
        WorkerError::IdentityKey(why) => {
            refused(format!("--restate-identity-key is not usable: {why}."), "It looks like publickeyv1_…")
        }
    })
}
