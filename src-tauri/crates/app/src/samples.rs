//! The gallery: workflows that work offline, with the practice service and the sample files of this program.

use crate::dto::Sample;
use serde_json::Value;

struct Entry {
    text: &'static str,
    traits: &'static [&'static str],
}

/// Said of samples that do not run before a model is chosen.
pub const NEEDS_MODEL: &str = "needs a model";

/// In the order of the gallery: each shows one thing more than the one before.
const ENTRIES: &[Entry] = &[
    Entry {
        text: include_str!("../samples/an-order-that-mends-itself.signalbox.json"),
        traits: &["retry", "repair", "asks you once", "practice service"],
    },
    Entry {
        text: include_str!("../samples/retry-that-tells-you-why.signalbox.json"),
        traits: &["retry", "practice service"],
    },
    Entry {
        text: include_str!("../samples/errors-take-another-way.signalbox.json"),
        traits: &["error port", "join", "practice service"],
    },
    Entry {
        text: include_str!("../samples/a-list-item-by-item.signalbox.json"),
        traits: &["items", "filter", "sort", "errors per item"],
    },
    Entry {
        text: include_str!("../samples/one-loop-two-branches.signalbox.json"),
        traits: &["loop", "branches side by side", "practice service"],
    },
    Entry {
        text: include_str!("../samples/orders-to-a-report.signalbox.json"),
        traits: &["transform", "csv", "no network"],
    },
    Entry {
        text: include_str!("../samples/sort-the-mail.signalbox.json"),
        traits: &["switch", "several ends", "no network"],
    },
    Entry {
        text: include_str!("../samples/extract-validate-heal.signalbox.json"),
        traits: &[NEEDS_MODEL, "repair by a model", "validation"],
    },
];

/// All samples.
pub fn all() -> Vec<Sample> {
    ENTRIES.iter().filter_map(sample).collect()
}

/// One sample.
pub fn find(id: &str) -> Option<Sample> {
    all().into_iter().find(|sample| sample.id == id)
}

fn sample(entry: &Entry) -> Option<Sample> {
    // A test opens every sample, so none is dropped here.
    let document: Value = serde_json::from_str(entry.text).ok()?;
    let text = |key: &str| document[key].as_str().unwrap_or_default().to_owned();
    Some(Sample {
        id: text("id"),
        title: text("name"),
        description: text("description"),
        steps: document["nodes"].as_object().map_or(0, serde_json::Map::len),
        traits: entry.traits.iter().map(|word| (*word).to_owned()).collect(),
        document,
    })
}
