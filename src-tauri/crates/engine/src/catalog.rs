//! The node kinds a program knows.

use crate::edit_distance::distance;
use indexmap::IndexMap;
use signalbox_model::NodeDescriptor;
use std::sync::Arc;

/// What stands for a step of another program that an import could not translate: `NOT_TRANSLATED`, with the words of its
/// description.
pub const PLACEHOLDER_KIND: &str = "foreign.step";

/// Node kinds by name, in catalog order.
#[derive(Debug, Clone, Default)]
pub struct Catalog(IndexMap<String, Arc<NodeDescriptor>>);

impl Catalog {
    /// A catalog of the newest version of each kind.
    pub fn new(descriptors: Vec<NodeDescriptor>) -> Self {
        let mut kinds: IndexMap<String, Arc<NodeDescriptor>> = IndexMap::new();
        for descriptor in descriptors {
            let newer = kinds.get(&descriptor.kind).is_none_or(|known| known.version < descriptor.version);
            if newer {
                kinds.insert(descriptor.kind.clone(), Arc::new(descriptor));
            }
        }
        Self(kinds)
    }

    /// The descriptor of a kind.
    pub fn get(&self, kind: &str) -> Option<&Arc<NodeDescriptor>> {
        self.0.get(kind)
    }

    /// All kinds in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<NodeDescriptor>> {
        self.0.values()
    }
}

/// The nearest of several names by edit distance, when it is near enough to be a typo.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (wanted.chars().count() / 3).clamp(1, 4);
    let wanted = wanted.to_ascii_lowercase();
    names
        .into_iter()
        .map(|name| (distance(&wanted, &name.to_ascii_lowercase()), name))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, name)| name)
}
