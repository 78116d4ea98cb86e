//! Runs on Restate (ADR 228): a server hands them over by its ingress, and workers that are registered with it carry them out.
//! Each run is a virtual object whose journal is the list of the run's inputs; the history stays in the store.
#![deny(missing_docs)]

pub mod deployment;
pub mod pace;

#[cfg(feature = "sdk")]
mod admin;
#[cfg(feature = "sdk")]
mod ingress;
#[cfg(feature = "sdk")]
mod object;
#[cfg(feature = "sdk")]
mod worker;

#[cfg(feature = "sdk")]
pub use admin::Admin;
#[cfg(feature = "sdk")]
pub use ingress::{Ingress, RestateServer};
#[cfg(feature = "sdk")]
pub use worker::{Bound, Listen, Registering, WorkerError, bind};

/// The virtual object of a run; its key is the id of the run.
#[cfg(feature = "sdk")]
const OBJECT: &str = "SignalboxRun";

/// Takes a line for whoever operates this process.
#[cfg(feature = "sdk")]
pub type Log = std::sync::Arc<dyn Fn(&str) + Send + Sync>;
