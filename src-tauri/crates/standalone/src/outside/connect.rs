//! The whole outside.

use super::providers::ConfiguredProviders;
use super::tool_book::CarriedBook;
use super::{Ends, Inside, Outside};
use async_trait::async_trait;
use signalbox_adapters::{MailServers, McpTools, Models, PooledDatabases, RealClock, mcp};
use signalbox_ports::{Secrets, Tools};
use signalbox_retrieval::IndexFolder;
use std::sync::Arc;
use tokio::runtime::Handle;

struct Servers(Arc<McpTools>);

#[async_trait]
impl Ends for Servers {
    async fn end(&self) {
        self.0.shut_down().await;
    }
}

/// Connects nothing yet: each is reached when a step needs it. Called on the executor on which the connections of tools live.
pub(crate) fn connect(inside: Inside<'_>) -> Outside {
    let Inside { bundle, configuration, store, files, http, secrets, indexes } = inside;
    let secrets: Arc<dyn Secrets> = secrets;
    let providers = ConfiguredProviders::new(Arc::clone(&configuration), store, Arc::new(RealClock));
    let book = Arc::new(CarriedBook::new(bundle, configuration));
    let tools = Arc::new(McpTools::new(book, Arc::clone(&secrets), Handle::current(), mcp::Limits::default()));
    Outside {
        llm: Arc::new(Models::new(http, Arc::new(providers), secrets)),
        tools: Arc::<McpTools>::clone(&tools) as Arc<dyn Tools>,
        databases: Arc::new(PooledDatabases::new(files)),
        mail: Arc::new(MailServers::new(&[])),
        retrieval: Arc::new(IndexFolder::new(indexes)),
        ends: Some(Arc::new(Servers(tools))),
    }
}
