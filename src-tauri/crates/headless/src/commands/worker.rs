//! `worker`, and the runs that `serve` hands to workers.

use super::{Done, told_to_stop};
use crate::args::{HandOver, LogLevel, RestateArgs, Worker};
use crate::output::{OK, Output};
use serde_json::json;
use signalbox_app::{ApiError, ApiResult, App, Class};
use signalbox_restate::{Admin, Ingress, Listen, Log, Registering, RestateServer, WorkerError};
use std::sync::{Arc, OnceLock};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use url::Url;

pub(crate) fn refused(message: impl Into<String>, hint: &str) -> ApiError {
    ApiError::new(Class::BadRequest, "BAD_WORKER", message, hint)
}

/// What can be known before the history is opened.
pub(crate) fn check(args: &Worker) -> ApiResult<()> {
    args.restate.check()?;
    args.worker_url.as_ref().map_or(Ok(()), check_url)?;
    if !args.listen.ip().is_loopback() && args.identity_key.is_none() {
        let message = format!("Anybody who reaches {} could write the results of runs.", args.listen);
        let hint = "Give --restate-identity-key the public key of the Restate server, or listen on 127.0.0.1.";
        return Err(refused(message, hint));
    }
    Ok(())
}

impl RestateArgs {
    pub(crate) fn check(&self) -> ApiResult<()> {
        [Some(&self.restate), self.restate_admin.as_ref()].into_iter().flatten().try_for_each(check_url)
    }
}

fn check_url(url: &Url) -> ApiResult<()> {
    if matches!(url.scheme(), "http" | "https") && url.has_host() && url.password().is_none() {
        return Ok(());
    }
    let hint = "Write it like http://127.0.0.1:8080; a token is given as SIGNALBOX_RESTATE_TOKEN.";
    Err(refused("An address of Restate or of a worker is not usable.", hint))
}

pub(crate) fn server(ingress: &Url, admin: Option<&Url>) -> RestateServer {
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
    let ingress = Ingress::new(server, Handle::current(), log).map_err(no_requests)?;
    app.runtime().hand_runs_to(Arc::new(ingress));
    Ok(())
}

fn log(output: &Output, level: LogLevel) -> Log {
    let output = *output;
    Arc::new(move |line| output.log(level, line))
}

pub(crate) async fn worker(app: &Arc<App>, output: &Output, args: &Worker) -> Done {
    let server = server(&args.restate.restate, args.restate.restate_admin.as_ref());
    hand_to(app, server.clone(), log(output, LogLevel::Warn))?;
    app.count_runs();
    let listen = Listen { addr: args.listen, identity_key: args.identity_key.clone() };
    let failed = |error| match error {
        WorkerError::Address(why) => refused(
            format!("The worker cannot listen on {}: {why}.", args.listen),
            "Choose another address with --listen.",
        ),
        WorkerError::IdentityKey(why) => {
            refused(format!("--restate-identity-key is not usable: {why}."), "It looks like publickeyv1_…")
        }
    };
    let bound = signalbox_restate::bind(&listen).await.map_err(failed)?;
    let url = match &args.worker_url {
        Some(url) => url.clone(),
        None => Url::parse(&format!("http://{}", bound.addr)).map_err(|error| refused(error.to_string(), ""))?,
    };
    let admin = Admin::new(server).map_err(no_requests)?;
    let registering = Registering { admin, url, release: args.release.clone(), log: log(output, LogLevel::Info) };
    registering.check().await.map_err(other_release)?;
    output.value(&json!({ "listening": bound.addr.to_string(), "release": args.release }));
    let (refusal, refused_later) = oneshot::channel();
    let registering = tokio::spawn(async move {
        if let Err(why) = registering.register().await {
            // Who listens has stopped otherwise.
            let _ = refusal.send(why);
        }
    });
    let why = OnceLock::new();
    let stop = async {
        tokio::select! {
            () = told_to_stop() => {}
            Ok(found) = refused_later => {
                let _ = why.set(found);
            }
        }
        // What carries runs out here ends where nothing that changes the outside is under way.
        app.runtime().shutdown().await;
    };
    let served = bound.serve(app.runtime().clone(), log(output, LogLevel::Error), stop).await;
    registering.abort();
    served.map_err(failed)?;
    why.into_inner().map_or(Ok(OK), |why| Err(other_release(why)))
}

pub(crate) fn no_requests(why: String) -> ApiError {
    refused(format!("Requests to Restate are not possible: {why}."), "")
}

/// The address belongs to another release.
fn other_release(why: String) -> ApiError {
    let hint = "Runs go on with workers of the release that began them: start this worker at another address (--listen, \
                --worker-url), and keep the old ones until `signalbox deployments list` says that they can be stopped.";
    ApiError::new(Class::Conflict, "OTHER_RELEASE", why, hint)
}
