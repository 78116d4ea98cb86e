//! The bodies of the commands of the command line: they translate between arguments, the use cases of `app`, and
//! printed lines.

pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod catalog;
pub(crate) mod check_data;
pub(crate) mod connectors;
mod debug;
#[cfg(feature = "restate")]
pub(crate) mod deployments;
mod destinations;
mod diff;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod failures;
pub(crate) mod health;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod input;
pub(crate) mod manual;
pub(crate) mod mcp;
pub(crate) mod models;
pub(crate) mod people;
pub(crate) mod plan;
mod prune;
pub(crate) mod rerun;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod secret;
pub(crate) mod serve;
pub(crate) mod service;
mod sign_in;
pub(crate) mod tasks;
pub(crate) mod telemetry;
pub(crate) mod test;
pub(crate) mod token;
pub(crate) mod tools;
pub(crate) mod triggers;
mod usage;
pub(crate) mod validate;
pub(crate) mod version;
pub(crate) mod webhook;
#[cfg(feature = "restate")]
pub(crate) mod worker;
pub(crate) mod workspace;

use crate::output::Output;
use signalbox_app::ApiError;

/// How a command ended: an exit code, or an error that is printed and exits with 2.
pub(crate) type Done = Result<u8, ApiError>;

/// Exit code of a result.
pub(crate) fn finish(output: &Output, done: Done) -> u8 {
    done.unwrap_or_else(|error| output.error(&error))
}

/// Ctrl-C or SIGTERM. Runs stay as they stand and go on at the next start.
async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    tokio::signal::ctrl_c().await.ok();
}
