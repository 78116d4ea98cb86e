//! A list in another order. Of one that lies in files no part is read for a single item: it is gone through once for each stretch of
//! the new list.

use super::Items;
use crate::data::{Data, Text, Written};
use crate::item::Item;
use std::ops::Range;

/// Bytes of text of a stretch, of a list that is not gone through more than [`PASSES`] times then.
const STRETCH: usize = 2 * 1024 * 1024;
/// So often a list is gone through at most.
const PASSES: usize = 64;

impl Items {
    /// The data of the items at these places, in this order. Each new item is numbered, and comes from its place.
    #[must_use]
    pub fn reordered(&self, order: &[usize]) -> Self {
        self.reordered_by(order, STRETCH.max(self.weight(|_| 0).div_ceil(PASSES)))
    }

    pub(super) fn reordered_by(&self, order: &[usize], stretch: usize) -> Self {
        let mut made = Self::new();
        if !self.is_paged() {
            for place in order {
                if let Some(data) = self.kept(*place) {
                    made.push_from(*place, data);
                }
            }
            return made;
        }
        // One pass for the lengths: a stretch must not be longer because its items are.
        let lengths: Vec<u32> = self.lengths();
        for range in stretches(order, &lengths, stretch) {
            let mut places: Vec<(usize, usize)> = order[range].iter().copied().zip(0..).collect();
            places.sort_unstable();
            let mut text = String::new();
            let mut rows: Vec<Option<(usize, Data, Range<u32>)>> = vec![None; places.len()];
            for (place, to) in places {
                let Some(data) = self.kept(place) else { continue };
                rows[to] = Some(match data {
                    Data::Text(row) => {
                        let start = text.len();
                        text.push_str(row.text());
                        let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                        (place, Data::default(), short(start)..short(text.len()))
                    }
                    value @ Data::Value(_) => (place, value, 0..0),
                });
            }
            let text = Written::new(text);
            for (place, value, range) in rows.into_iter().flatten() {
                let data = if range.is_empty() { value } else { Data::Text(Text::part(&text, range.start, range.end)) };
                made.push_from(place, data);
            }
        }
        made
    }

    fn push_from(&mut self, place: usize, data: Data) {
        let id = (self.len() + 1).to_string();
        self.push_data(Item { id, paired_item: Some(place), ..Item::default() }, data);
    }

    /// Bytes of text of each; 0 of values.
    fn lengths(&self) -> Vec<u32> {
        let length = |place| self.kept(place).map_or(0, |data| data.length());
        (0..self.len()).map(|place| u32::try_from(length(place)).unwrap_or(u32::MAX)).collect()
    }
}

/// Ranges of the new order that have at most so many bytes of text each, or one item.
fn stretches(order: &[usize], lengths: &[u32], most: usize) -> Vec<Range<usize>> {
    let (mut found, mut start, mut bytes) = (Vec::new(), 0, 0_usize);
    for (at, place) in order.iter().enumerate() {
        let length = lengths.get(*place).copied().unwrap_or_default() as usize;
        if bytes + length > most && at > start {
            found.push(start..at);
            (start, bytes) = (at, 0);
        }
        bytes += length;
    }
    found.push(start..order.len());
    found
}
