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
    /// The kinds of the program.
    pub fn built_in() -> Self {
        Self { catalog: signalbox_nodes::built_in().clone(), code: signalbox_nodes::kind }
    }
}
