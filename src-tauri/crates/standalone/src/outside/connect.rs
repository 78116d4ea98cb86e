//! The outside of a program.

#[cfg(feature = "model")]
use super::providers::ConfiguredProviders;
#[cfg(feature = "tools")]
use super::tool_book::CarriedBook;
use super::{Inside, Outside};

#[cfg(feature = "tools")]
struct Servers(std::sync::Arc<signalbox_adapters::McpTools>);

#[cfg(feature = "tools")]
#[async_trait::async_trait]
impl super::Ends for Servers {
    async fn end(&self) {
        self.0.shut_down().await;
    }
}

/// Connects nothing yet: each is reached when a step needs it. Called on the executor on which the connections of tools live.
pub(crate) fn connect(inside: &Inside<'_>) -> Outside {
    let mut outside = Outside::none();
    #[cfg(feature = "model")]
    {
        let clock = std::sync::Arc::new(signalbox_adapters::RealClock);
        let providers = ConfiguredProviders::new(inside.configuration.clone(), inside.store.clone(), clock);
        let models = signalbox_adapters::Models::new(
            inside.http.clone(),
            std::sync::Arc::new(providers),
            inside.secrets.clone(),
        );
        outside.llm = std::sync::Arc::new(models);
    }
    #[cfg(feature = "tools")]
    {
        let book = std::sync::Arc::new(CarriedBook::new(inside.bundle, inside.configuration.clone()));
        let (here, limits) = (tokio::runtime::Handle::current(), signalbox_adapters::mcp::Limits::default());
        let tools = signalbox_adapters::McpTools::new(book, inside.secrets.clone(), here, limits);
        let tools = std::sync::Arc::new(tools);
        outside.tools = tools.clone();
        outside.ends = Some(std::sync::Arc::new(Servers(tools)));
    }
    #[cfg(feature = "databases")]
    {
        outside.databases = std::sync::Arc::new(signalbox_adapters::PooledDatabases::new(inside.files.clone()));
    }
    #[cfg(feature = "mail")]
    {
        outside.mail = std::sync::Arc::new(signalbox_adapters::MailServers::new(&[]));
    }
    #[cfg(feature = "retrieval")]
    {
        outside.retrieval = std::sync::Arc::new(signalbox_retrieval::IndexFolder::new(inside.indexes.clone()));
    }
    outside
}
