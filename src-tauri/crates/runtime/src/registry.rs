//! What kinds there are: their descriptors for the engine, their code for the loop.

use signalbox_engine::catalog::Catalog;
use signalbox_nodes::Kind;

/// Descriptors and code of the node kinds.
#[derive(Clone)]
pub struct Registry {
    /// Descriptors.
    pub catalog: Catalog,
    /// Code of a kind by its name.
    pub code: fn(&str) -> Option<Kind>,
}

impl Registry {
    /// All kinds.
    pub fn built_in() -> Self {
        Self::with(signalbox_nodes::kind)
    }

    /// Without the code of kinds that reach models, tools, indexes, databases, mail and brokers.
    pub fn large() -> Self {
        Self::with(signalbox_nodes::large_kind)
    }

    /// Without the code of documents and scripts, either.
    pub fn small() -> Self {
        Self::with(signalbox_nodes::small_kind)
    }

    fn with(code: fn(&str) -> Option<Kind>) -> Self {
        Self { catalog: signalbox_nodes::built_in().clone(), code }
    }
}
