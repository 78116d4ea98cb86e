//! Lists that come piece by piece: rows of a database, pages and lines of an answer. What is long lies in files (ADR 157), so a list
//! takes little memory, however long it is; where it cannot lie there, it ends before the memory is spent.

use serde_json::Value;
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::blob::BLOB_LIMIT;
use signalbox_model::items::PART;
use signalbox_model::{Data, Item, Items, NodeFailure};
use std::mem::take;
use std::sync::Arc;

/// A list is not longer.
pub(crate) const MOST_ITEMS: u64 = 50_000_000;
/// Memory that a list may take while it comes, bytes: what a step may hand on.
const MOST_MEMORY: usize = 1024 * 1024 * 1024;
/// The memory is looked at after so many bytes of text.
const LOOK: usize = 16 * 1024 * 1024;

/// The items so far.
pub(crate) struct Listing {
    items: Items,
    /// Texts of rows that become items when they are as many as a part of a list, one after the other, and where each ends.
    rows: String,
    ends: Vec<u32>,
    origin: Option<usize>,
    /// Bytes of text since the memory was looked at.
    since: usize,
    most: usize,
}

impl Listing {
    /// None yet; they will come from the first item of the slot.
    pub(crate) fn of(slot: &CallSlot) -> Self {
        Self::within(crate::support::origin(slot), MOST_MEMORY)
    }

    fn within(origin: Option<usize>, most: usize) -> Self {
        Self { items: Items::new(), rows: String::new(), ends: Vec::new(), origin, since: 0, most }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.items.len() + self.ends.len()
    }

    /// Adds one that is compact JSON, and copies it: many of them share a text.
    pub(crate) fn push_row(&mut self, json: &str) -> Result<(), NodeFailure> {
        if json.len() > BLOB_LIMIT {
            return self.push_text(json.to_owned());
        }
        self.rows.push_str(json);
        // A thousand of them are some MiB.
        self.ends.push(u32::try_from(self.rows.len()).unwrap_or(u32::MAX));
        if self.ends.len() >= PART {
            self.flush();
        }
        self.counted(json.len())
    }

    fn flush(&mut self) {
        let (rows, ends) = (take(&mut self.rows), take(&mut self.ends));
        self.items.push_stretch(rows, &ends, self.origin);
    }

    /// Adds one that is compact JSON.
    pub(crate) fn push_text(&mut self, json: String) -> Result<(), NodeFailure> {
        let bytes = json.len();
        self.push(Data::written(json), bytes)
    }

    /// Adds the elements of a page whose text has so many bytes, up to a limit. Whether there were more.
    pub(crate) fn push_page(&mut self, page: Vec<Value>, bytes: usize, limit: usize) -> Result<bool, NodeFailure> {
        let room = limit.saturating_sub(self.len());
        let (each, more) = (bytes / page.len().max(1), page.len() > room);
        for element in page.into_iter().take(room) {
            self.push(Data::Value(Arc::new(element)), each)?;
        }
        Ok(more)
    }

    /// The same of elements that are text.
    pub(crate) fn push_entries(
        &mut self,
        entries: impl Iterator<Item = Data>,
        limit: usize,
    ) -> Result<bool, NodeFailure> {
        for entry in entries {
            if self.len() >= limit {
                return Ok(true);
            }
            let bytes = entry.length();
            self.push(entry, bytes)?;
        }
        Ok(false)
    }

    fn push(&mut self, data: Data, bytes: usize) -> Result<(), NodeFailure> {
        self.flush();
        let id = (self.items.len() + 1).to_string();
        self.items.push_data(Item { id, paired_item: self.origin, ..Item::default() }, data);
        self.counted(bytes)
    }

    fn counted(&mut self, bytes: usize) -> Result<(), NodeFailure> {
        self.since += bytes;
        if self.since < LOOK.min(self.most) {
            return Ok(());
        }
        self.since = 0;
        let bytes = self.items.memory(|value| value.to_string().len());
        if bytes <= self.most {
            return Ok(());
        }
        let words = format!(
            "The first {} items take more than {} MiB of memory, and the list goes on. Ask for less, or for fewer fields",
            self.len(),
            self.most >> 20
        );
        Err(NodeFailure::validation("TOO_LARGE", words).detail("items", self.len()).detail("limit", self.most))
    }

    /// All of them, through `success`.
    pub(crate) fn done(mut self) -> CallOutput {
        self.flush();
        CallOutput::list("success", self.items)
    }
}

#[cfg(test)]
mod tests;
