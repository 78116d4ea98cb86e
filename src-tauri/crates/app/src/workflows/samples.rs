//! The gallery: workflows that work offline, with the demo service and the sample files of this program, and some that
//! say what has to be set up on this machine first.

use crate::app::App;
use crate::dto::{Sample, SampleNeed, SampleNeedKind};
use serde_json::Value;

struct Entry {
    text: &'static str,
    traits: &'static [&'static str],
    needs: &'static [Need],
}

/// What a sample does not run without.
#[derive(Clone, Copy)]
enum Need {
    /// A default model.
    Model,
    /// A default model that a person gave a price.
    PricedModel,
    /// An approved tool server of this name.
    ToolServer(&'static str),
}

/// In the order of the gallery: each shows one thing more than the one before.
const ENTRIES: &[Entry] = &[
    Entry {
        text: include_str!("../../samples/an-order-that-mends-itself.signalbox.json"),
        traits: &["retry", "repair", "asks a person", "demo service"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/retry-that-tells-you-why.signalbox.json"),
        traits: &["retry", "demo service"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/errors-take-another-way.signalbox.json"),
        traits: &["error port", "join", "demo service"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/a-list-item-by-item.signalbox.json"),
        traits: &["items", "filter", "sort", "errors per item"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/orders-by-a-connector.signalbox.json"),
        traits: &["connector", "errors per item", "demo service"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/one-loop-two-branches.signalbox.json"),
        traits: &["loop", "parallel branches", "demo service"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/orders-to-a-report.signalbox.json"),
        traits: &["transform", "csv", "no network"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/unpaid-invoices.signalbox.json"),
        traits: &["spreadsheet", "filter", "no network"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/invoices-from-a-template.signalbox.json"),
        traits: &["spreadsheet", "template", "no network"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/shipped-orders.signalbox.json"),
        traits: &["parquet", "statistics", "no network"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/monthly-report.signalbox.json"),
        traits: &["pdf", "report", "no network"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/orders-in-a-database.signalbox.json"),
        traits: &["database", "sql", "no network"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/ask-another-source.signalbox.json"),
        traits: &["index", "error as context", "no network"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/sort-the-mail.signalbox.json"),
        traits: &["switch", "multiple ends", "no network"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/daily-report.signalbox.json"),
        traits: &["schedule", "csv", "no network"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/vacation-request.signalbox.json"),
        traits: &["form page", "asks a person", "no network"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/order-webhook.signalbox.json"),
        traits: &["webhook", "asks a person", "no network"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/inbox-folder.signalbox.json"),
        traits: &["file watch", "csv", "no network"],
        needs: &[],
    },
    Entry {
        text: include_str!("../../samples/extract-validate-heal.signalbox.json"),
        traits: &["model repair", "validation"],
        needs: &[Need::Model],
    },
    Entry {
        text: include_str!("../../samples/triage-with-a-gate.signalbox.json"),
        traits: &["agent", "decision", "asks a person"],
        needs: &[Need::Model],
    },
    Entry {
        text: include_str!("../../samples/files-by-a-tool-server.signalbox.json"),
        traits: &["MCP tools", "error port"],
        needs: &[Need::ToolServer("files")],
    },
    Entry {
        text: include_str!("../../samples/a-budget-that-asks.signalbox.json"),
        traits: &["budget", "asks a person"],
        needs: &[Need::PricedModel],
    },
];

/// All samples, with what is set up of what they need; what cannot be read is not set up.
pub(crate) fn all(app: &App) -> Vec<Sample> {
    let (providers, default) = app.models_now().map(|models| (models.providers, models.default)).unwrap_or_default();
    let tools = app.tools_approved().unwrap_or_default();
    let priced = default.as_ref().is_some_and(|default| {
        let provider = providers.iter().find(|one| one.name == default.provider);
        let mut entries = provider.into_iter().flat_map(|one| &one.models);
        // A model that costs nothing never uses a budget up.
        let costs = |price: Option<f64>| price.is_some_and(|price| price > 0.0);
        entries.any(|one| one.name == default.model && (costs(one.input_price) || costs(one.output_price)))
    });
    let state = |need: &Need| match need {
        Need::Model => SampleNeed { kind: SampleNeedKind::Model, name: None, ready: default.is_some() },
        Need::PricedModel => SampleNeed { kind: SampleNeedKind::PricedModel, name: None, ready: priced },
        Need::ToolServer(name) => SampleNeed {
            kind: SampleNeedKind::ToolServer,
            name: Some((*name).to_owned()),
            ready: tools.iter().any(|tool| tool.server == *name),
        },
    };
    ENTRIES.iter().filter_map(|entry| sample(entry, &state)).collect()
}

/// Their workflows.
pub fn documents() -> impl Iterator<Item = Value> {
    ENTRIES.iter().filter_map(document)
}

/// The workflow of one sample.
pub(crate) fn find(id: &str) -> Option<Value> {
    documents().find(|document| document["id"] == id)
}

fn document(entry: &Entry) -> Option<Value> {
    // A test opens every sample, so none is dropped here.
    serde_json::from_str(entry.text).ok()
}

fn sample(entry: &Entry, state: &dyn Fn(&Need) -> SampleNeed) -> Option<Sample> {
    let document = document(entry)?;
    let text = |key: &str| document[key].as_str().unwrap_or_default().to_owned();
    Some(Sample {
        id: text("id"),
        title: text("name"),
        description: text("description"),
        steps: document["nodes"].as_object().map_or(0, serde_json::Map::len),
        traits: entry.traits.iter().map(|word| (*word).to_owned()).collect(),
        needs: entry.needs.iter().map(state).collect(),
        document,
    })
}
