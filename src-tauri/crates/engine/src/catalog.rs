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
pub struct Catalog(Arc<IndexMap<String, Held>>);

/// A descriptor, or the text that it is read from when it is first asked for: most runs use a few kinds, and reading all takes
/// longer than anything else at the start of a program.
#[derive(Debug)]
struct Held {
    packed: &'static [u8],
    unpack: Unpack,
    read: OnceLock<Option<Arc<NodeDescriptor>>>,
    /// The schema of its settings once it was asked for.
    settings: OnceLock<Option<Arc<Schema>>>,
}

/// The JSON of a descriptor.
type Unpack = fn(&'static [u8]) -> Option<String>;

impl Held {
    fn of(packed: &'static [u8], unpack: Unpack) -> Self {
        Self { packed, unpack, read: OnceLock::new(), settings: OnceLock::new() }
    }

    fn descriptor(&self) -> Option<&Arc<NodeDescriptor>> {
        let read = || serde_json::from_str(&(self.unpack)(self.packed)?).ok().map(Arc::new);
        self.read.get_or_init(read).as_ref()
    }
}

impl Catalog {
    /// A catalog of the newest version of each kind.
    pub fn new(descriptors: Vec<NodeDescriptor>) -> Self {
        let mut kinds: IndexMap<String, Held> = IndexMap::new();
        for descriptor in descriptors {
            let known = kinds.get(&descriptor.kind).and_then(Held::descriptor);
            if known.is_none_or(|known| known.version < descriptor.version) {
                let name = descriptor.kind.clone();
                let held = Held { read: OnceLock::from(Some(Arc::new(descriptor))), ..Held::of(&[], |_| None) };
                kinds.insert(name, held);
            }
        }
        Self(Arc::new(kinds))
    }

    /// A catalog of kinds by name with what their descriptors are made of. What gives no descriptor is no kind; who packs them
    /// checks them.
    pub fn of_packed(kinds: impl IntoIterator<Item = (&'static str, &'static [u8])>, unpack: Unpack) -> Self {
        let held = |(name, packed): (&str, _)| (name.to_owned(), Held::of(packed, unpack));
        Self(Arc::new(kinds.into_iter().map(held).collect()))
    }

    /// The descriptor of a kind.
    pub fn get(&self, kind: &str) -> Option<&Arc<NodeDescriptor>> {
        self.0.get(kind).and_then(Held::descriptor)
    }

    /// The schema of the settings of a kind: found by its name, while [`Schema::compile`] reads all of it to know it again.
    pub(crate) fn settings_schema(&self, kind: &str) -> Option<&Arc<Schema>> {
        let held = self.0.get(kind)?;
        held.settings.get_or_init(|| Schema::compile(&held.descriptor()?.config).ok()).as_ref()
    }

    /// All kinds in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<NodeDescriptor>> {
        self.0.values().filter_map(Held::descriptor)
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

#[cfg(test)]
mod tests {
    use super::Catalog;

    #[test]
    fn what_gives_no_descriptor_is_no_kind() {
        let packed: [(&str, &[u8]); 2] = [("a", b"{}"), ("b", b"x")];
        let catalog = Catalog::of_packed(packed, |packed| (packed == b"{}").then(|| "{}".to_owned()));
        assert!(catalog.get("a").is_none() && catalog.get("b").is_none() && catalog.iter().next().is_none());
    }
}
