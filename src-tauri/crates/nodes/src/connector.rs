//! Calls of operations of connectors: what a step's parameters become in a request, and what the response means.

pub(crate) mod address;
pub(crate) mod errors;
pub mod file;
mod graphql;
pub(crate) mod pace;
pub(crate) mod pages;
pub(crate) mod request;
mod styles;
pub(crate) mod token;

use serde_json::{Map, Value, json};
use signalbox_engine::effect::CallSlot;
use signalbox_engine::scope::Scope;
use signalbox_model::{Connector, NodeFailure};
use std::sync::Arc;

/// The address of the service: `server`, or the connector's own with its variables.
///
/// # Errors
/// A variable is missing, or has a value that it cannot have.
pub fn server_address(
    connector: &Connector,
    server: Option<&str>,
    variables: Map<String, Value>,
) -> Result<String, NodeFailure> {
    let mut config = json!({ "variables": variables });
    if let Some(server) = server {
        config["server"] = server.into();
    }
    let slot = CallSlot {
        item: 0,
        config: Arc::new(config),
        input: Arc::default(),
        scope: Scope::empty(),
        sources: Vec::new(),
    };
    address::server(&slot, connector)
}
