//! What happened to one node of a run.

use crate::dto::StepCounts;
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_engine::config;
use signalbox_engine::scope::Context;
use signalbox_model::data::{TEXT_FROM, Text};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::event::{MOST_SHOWN, SHOWN};
use signalbox_model::{Data, ErrorPayload, EventBody, Item, RunEvent, wire};
use std::collections::HashMap;
use std::sync::Arc;

/// A value and how it is fetched whole.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    seq: u64,
    pointer: String,
}

/// An item that was put out. What is long in it stays text: values of a table take ten times as much, and a view is kept.
#[derive(Debug, Clone)]
pub(super) struct Made {
    /// Without its data.
    pub(super) item: Item,
    pub(super) data: Data,
    pub(super) place: Place,
}

/// What happened to one node.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeData {
    pub(super) input: IndexMap<usize, (Data, Place)>,
    pub(super) output: IndexMap<String, Vec<Made>>,
    error: Option<(Arc<ErrorPayload>, Place)>,
    pub(super) config: Option<(Arc<Value>, Place)>,
    /// The variables as each item of a call found them.
    pub(super) began: HashMap<usize, Context>,
    /// The variables as the last call found them when it ended, without what it wrote itself.
    pub(super) ended: Option<Context>,
    /// What a call writes stands before its end.
    pub(super) writes: bool,
    /// It is for people to look at: of a long list the beginning is enough.
    is_shown: bool,
    /// Items that came in and are not looked at,
    more_input: usize,
    /// and how many were put out by each port, looked at or not.
    left: IndexMap<String, usize>,
}

/// So many items of a port are looked at; nobody scrolls through more, and there may be millions.
const MOST_ITEMS: usize = 50_000;

impl NodeData {
    /// For people to look at: of a long list there are the items that events show of it, too.
    pub(crate) fn shown() -> Self {
        Self { is_shown: true, ..Self::default() }
    }

    /// How many of so many items are looked at, where there are some already. Of a list for people it is not known yet whether it
    /// is a long one.
    fn looked_at(&self, count: usize, known: usize) -> usize {
        let most = if self.is_shown { MOST_SHOWN.min(self.answered(count)) } else { MOST_ITEMS };
        most.saturating_sub(known)
    }

    /// How many of the items are answered with, where there are so many in all.
    fn answered(&self, count: usize) -> usize {
        if self.is_shown && count > MOST_SHOWN { SHOWN } else { MOST_ITEMS }
    }

    /// The next event of the node.
    pub(crate) fn take(&mut self, event: &RunEvent, seq: u64, prefix: &str) {
        match &event.body {
            EventBody::StepStart(start) => {
                self.config =
                    Some((Arc::clone(&start.config), Place { seq, pointer: format!("{prefix}/payload/config") }));
                let room = self.looked_at(start.input.len(), self.input.len());
                for (index, item) in start.input.iter().enumerate().take(room) {
                    let place = Place { seq, pointer: format!("{prefix}/payload/input/{index}/data") };
                    self.input.insert(item.item, (item.data.clone(), place));
                }
                // A retry sends the same.
                if event.attempt.unwrap_or_default() == 0 {
                    self.more_input += start.input.len().saturating_sub(room) + start.input_items.unwrap_or_default();
                }
            }
            EventBody::StepDone(done) => {
                for (port, count) in &done.ports {
                    *self.left.entry(port.clone()).or_default() += count;
                }
                for (port, items) in &done.items {
                    let known = self.output.get(port).map_or(0, Vec::len);
                    let room = self.looked_at(items.len(), known);
                    let list = self.output.entry(port.clone()).or_default();
                    for (index, (item, data)) in items.pieces().enumerate().take(room) {
                        let pointer = format!("{prefix}/payload/items/{}/{index}/data", pointer_token(port));
                        list.push(Made { item, data, place: Place { seq, pointer } });
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

    /// Long data that it put out and that is the same as this: a table is handed on from step to step, and each event that is read
    /// has its text again.
    pub(super) fn same(&self, text: &Text) -> Option<Data> {
        let all =
            self.output.values().flatten().map(|made| &made.data).chain(self.input.values().map(|(data, _)| data));
        all.into_iter().find(|data| matches!(data, Data::Text(known) if known.is_written_as(text))).cloned()
    }

    /// Takes the place of its long data what is the same and known already.
    pub(super) fn share(&mut self, known: impl Fn(&Text) -> Option<Data>) {
        let share = |data: &mut Data| {
            if let Data::Text(text) = &*data
                && text.length() >= TEXT_FROM
                && let Some(same) = known(text)
            {
                *data = same;
            }
        };
        self.input.values_mut().map(|(data, _)| data).for_each(share);
        self.output.values_mut().flatten().map(|made| &mut made.data).for_each(share);
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

    /// How many items there are, looked at or not.
    pub(crate) fn counts(&self) -> StepCounts {
        StepCounts { input: self.input.len() + self.more_input, output: self.left.clone() }
    }

    /// `[{item, data}]`, large values cut.
    pub(crate) fn input(&self, run: &str) -> Value {
        let mut rows: Vec<_> = self.input.iter().collect();
        rows.sort_by_key(|(index, _)| **index);
        let row = |(index, (data, place)): (&usize, &(Data, Place))| serde_json::json!({ "item": index, "data": cut_data(data, run, place) });
        rows.into_iter().take(self.answered(self.counts().input)).map(row).collect()
    }

    /// Port → items, large data cut.
    pub(crate) fn output(&self, run: &str) -> Value {
        let ports = self.output.iter().map(|(port, items)| {
            let most = self.answered(self.left.get(port).copied().unwrap_or_default());
            let items = items.iter().take(most).map(|Made { item, data, place }| {
                let mut value = serde_json::to_value(item).unwrap_or_default();
                value["data"] = cut_data(data, run, place);
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
            .map(|(port, items)| (port.clone(), items.iter().map(|made| (*made.data.value()).clone()).collect()))
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
        self.config.as_ref().map(|(value, place)| cut(&config::shown(value), run, place)).unwrap_or_default()
    }
}

/// The same of data that may be text; of one that is cut no values are made.
fn cut_data(data: &Data, run: &str, place: &Place) -> Value {
    let Data::Text(text) = data else { return cut(&data.value(), run, place) };
    let reference = || format!("{run}/{}{}", place.seq, place.pointer);
    wire::truncate_text(text, &reference()).unwrap_or_else(|| (*text.value()).clone())
}

fn cut(value: &Value, run: &str, place: &Place) -> Value {
    let reference = format!("{run}/{}{}", place.seq, place.pointer);
    wire::truncate(value, &reference).unwrap_or_else(|| value.clone())
}

#[cfg(test)]
mod tests;
