//! The part of the outside world that not every program has: models, tools, databases, mail, indexes. What a program does not name
//! is not in its file.

mod connect;
#[cfg(feature = "model")]
mod providers;
#[cfg(feature = "tools")]
mod tool_book;

pub(crate) use connect::connect;

use crate::configuration::Configuration;
use crate::secrets::GivenSecrets;
use async_trait::async_trait;
use signalbox_adapters::{FolderFiles, WebHttp};
use signalbox_model::bundle::Bundle;
use signalbox_ports::{Databases, Llm, Mail, NoDatabases, NoLlm, NoMail, NoRetrieval, NoTools, Retrieval, Tools};
use signalbox_store::Store;
use std::path::PathBuf;
use std::sync::Arc;

/// What the outside is made of.
pub(crate) struct Inside<'a> {
    pub(crate) bundle: &'a Bundle,
    pub(crate) configuration: Arc<Configuration>,
    pub(crate) store: Store,
    pub(crate) files: FolderFiles,
    pub(crate) http: Arc<WebHttp>,
    pub(crate) secrets: Arc<GivenSecrets>,
    pub(crate) indexes: PathBuf,
}

/// Something that ends with the program.
#[async_trait]
pub(crate) trait Ends: Send + Sync {
    async fn end(&self);
}

/// Ports of the outside.
pub(crate) struct Outside {
    pub(crate) llm: Arc<dyn Llm>,
    pub(crate) tools: Arc<dyn Tools>,
    pub(crate) databases: Arc<dyn Databases>,
    pub(crate) mail: Arc<dyn Mail>,
    pub(crate) retrieval: Arc<dyn Retrieval>,
    pub(crate) ends: Option<Arc<dyn Ends>>,
}

impl Outside {
    /// Nothing of it.
    pub(crate) fn none() -> Self {
        Self {
            llm: Arc::new(NoLlm),
            tools: Arc::new(NoTools),
            databases: Arc::new(NoDatabases),
            mail: Arc::new(NoMail),
            retrieval: Arc::new(NoRetrieval),
            ends: None,
        }
    }
}
