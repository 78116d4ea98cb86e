//! The node kinds a program knows.

use crate::edit_distance::distance;
use crate::schema::Schema;
use indexmap::IndexMap;
use signalbox_model::NodeDescriptor;
use std::sync::{Arc, OnceLock};

/// What stands for a step of another program that an import could not translate: `NOT_TRANSLATED`, with the words of its
/// description.
pub const PLACEHOLDER_KIND: &str = "foreign.step";

/// Node kinds by name, in catalog order.
#[derive(Debug, Clone, Default)]
pub struct Catalog(IndexMap<String, Entry>);

/// A kind, and the schema of its settings once it was asked for.
#[derive(Debug, Clone)]
struct Entry {
    descriptor: Arc<NodeDescriptor>,
    settings: OnceLock<Option<Arc<Schema>>>,
}

impl Catalog {
    /// A catalog of the newest version of each kind.
    pub fn new(descriptors: Vec<NodeDescriptor>) -> Self {
        let mut kinds: IndexMap<String, Entry> = IndexMap::new();
        for descriptor in descriptors {
            let newer = kinds.get(&descriptor.kind).is_none_or(|known| known.descriptor.version < descriptor.version);
            if newer {
                let kind = descriptor.kind.clone();
                kinds.insert(kind, Entry { descriptor: Arc::new(descriptor), settings: OnceLock::new() });
            }
        }
        Self(kinds)
    }

    /// The descriptor of a kind.
    pub fn get(&self, kind: &str) -> Option<&Arc<NodeDescriptor>> {
        self.0.get(kind).map(|entry| &entry.descriptor)
    }

    /// The schema of the settings of a kind: found by its name, while [`Schema::compile`] reads all of it to know it again.
    pub(crate) fn settings_schema(&self, kind: &str) -> Option<&Arc<Schema>> {
        let entry = self.0.get(kind)?;
        entry.settings.get_or_init(|| Schema::compile(&entry.descriptor.config).ok()).as_ref()
    }

    /// All kinds in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<NodeDescriptor>> {
        self.0.values().map(|entry| &entry.descriptor)
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
