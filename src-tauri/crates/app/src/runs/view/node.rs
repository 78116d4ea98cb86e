//! What happened to one node of a run.

use indexmap::IndexMap;
use serde_json::Value;
use signalbox_engine::scope::Context;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{ErrorPayload, EventBody, Item, RunEvent, wire};
use std::collections::HashMap;
use std::sync::Arc;

/// A value and how it is fetched whole.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    seq: u64,
    pointer: String,
}

/// What happened to one node.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeData {
    pub(super) input: IndexMap<usize, (Arc<Value>, Place)>,
    pub(super) output: IndexMap<String, Vec<(Item, Place)>>,
    error: Option<(Arc<ErrorPayload>, Place)>,
    pub(super) config: Option<(Arc<Value>, Place)>,
    /// The variables as each item of a call found them.
    pub(super) began: HashMap<usize, Context>,
    /// The variables as the last call found them when it ended, without what it wrote itself.
    pub(super) ended: Option<Context>,
    /// What a call writes stands before its end.
    pub(super) writes: bool,
}

/// So many items of a port are looked at; nobody scrolls through more, and there may be millions.
const MOST_ITEMS: usize = 50_000;

impl NodeData {
    /// The next event of the node.
    pub(crate) fn take(&mut self, event: &RunEvent, seq: u64, prefix: &str) {
        match &event.body {
            EventBody::StepStart(start) => {
                self.config =
                    Some((Arc::clone(&start.config), Place { seq, pointer: format!("{prefix}/payload/config") }));
                let room = MOST_ITEMS.saturating_sub(self.input.len());
                for (index, item) in start.input.iter().enumerate().take(room) {
                    let place = Place { seq, pointer: format!("{prefix}/payload/input/{index}/data") };
                    self.input.insert(item.item, (item.data.value(), place));
                }
            }
            EventBody::StepDone(done) => {
                for (port, items) in &done.items {
                    let list = self.output.entry(port.clone()).or_default();
                    let room = MOST_ITEMS.saturating_sub(list.len());
                    for (index, item) in items.iter().enumerate().take(room) {
                        let pointer = format!("{prefix}/payload/items/{}/{index}/data", pointer_token(port));
                        list.push((item.into_owned(), Place { seq, pointer }));
                    }
                }
            }
            EventBody::StepError(failed) => {
                let place = Place { seq, pointer: format!("{prefix}/payload/error") };
                self.error = Some((Arc::clone(&failed.error), place));
            }
            _ => {}
        }
    }

    /// The variables as an event of the node found them.
    pub(super) fn finds(&mut self, event: &RunEvent, found: &Context) {
        let EventBody::StepStart(start) = &event.body else { return self.ends(found) };
        self.writes = false;
        for input in &*start.input {
            // A retry sends what the first call made of them.
            if event.attempt.unwrap_or_default() == 0 || !self.began.contains_key(&input.item) {
                self.began.insert(input.item, Arc::clone(found));
            }
        }
    }

    pub(super) fn ends(&mut self, found: &Context) {
        if !self.writes {
            self.ended = Some(Arc::clone(found));
        }
        self.writes = false;
    }

    /// Nothing was said about the node.
    pub(crate) fn is_empty(&self) -> bool {
        self.config.is_none()
    }

    /// `[{item, data}]`, large values cut.
    pub(crate) fn input(&self, run: &str) -> Value {
        let mut rows: Vec<_> = self.input.iter().collect();
        rows.sort_by_key(|(index, _)| **index);
        let row = |(index, (data, place)): (&usize, &(Arc<Value>, Place))| serde_json::json!({ "item": index, "data": cut(data, run, place) });
        rows.into_iter().map(row).collect()
    }

    /// Port → items, large data cut.
    pub(crate) fn output(&self, run: &str) -> Value {
        let ports = self.output.iter().map(|(port, items)| {
            let items = items.iter().map(|(item, place)| {
                let mut value = serde_json::to_value(item).unwrap_or_default();
                value["data"] = cut(&item.data, run, place);
                value
            });
            (port.clone(), items.collect())
        });
        Value::Object(ports.collect())
    }

    /// Port → data, whole; without the error port.
    pub(crate) fn whole_output(&self) -> IndexMap<String, Vec<Value>> {
        let ports = self.output.iter().filter(|(port, _)| *port != "error");
        ports
            .map(|(port, items)| (port.clone(), items.iter().map(|(item, _)| (*item.data).clone()).collect()))
            .collect()
    }

    /// The last error, its details cut.
    pub(crate) fn error(&self, run: &str) -> Option<Value> {
        let (error, place) = self.error.as_ref()?;
        let mut value = serde_json::to_value(&**error).ok()?;
        if let Some(input) = value.pointer_mut("/details/input") {
            let inner = Place { seq: place.seq, pointer: format!("{}/details/input", place.pointer) };
            *input = cut(input, run, &inner);
        }
        Some(value)
    }

    /// Evaluated config of the last call.
    pub(crate) fn config(&self, run: &str) -> Value {
        self.config.as_ref().map(|(config, place)| cut(config, run, place)).unwrap_or_default()
    }
}

fn cut(value: &Value, run: &str, place: &Place) -> Value {
    let reference = format!("{run}/{}{}", place.seq, place.pointer);
    wire::truncate(value, &reference).unwrap_or_else(|| value.clone())
}
