//! What slots that have ended plainly put out. There may be a million of them: the items are kept like any long list, and
//! beside them stands whose they are.

use serde::de::{SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use signalbox_model::{Item, Items};
use std::borrow::Cow;
use std::fmt;

/// Items in the order in which their slots ended. It is written as a list of slot, port and item.
#[derive(Debug, Clone, Default)]
pub(crate) struct PutOut {
    items: Items,
    runs: Vec<Run>,
}

/// Whose some of the items are. There cannot be so many that 32 bits do not count them.
#[derive(Debug, Clone, Copy)]
struct Run {
    slot: u32,
    port: u32,
    /// Where they begin among all.
    start: u32,
    /// One of each slot, one slot after the other; else all of the one slot.
    apiece: bool,
}

fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl PutOut {
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(crate) fn add(&mut self, slot: usize, port: usize, items: &Items) {
        if !items.is_empty() {
            self.ran(short(slot), short(port), items.len() == 1);
            self.items.append_numbered(items);
        }
    }

    /// The next item is that of a slot, alone or as the first of several.
    fn ran(&mut self, slot: u32, port: u32, alone: bool) {
        let start = short(self.items.len());
        if self.runs.last().is_some_and(|last| (last.slot, last.port, last.apiece) == (slot, port, false)) {
            return;
        }
        if let Some(last) = self.runs.last_mut()
            && last.port == port
            && alone
            && last.slot.checked_add(start - last.start) == Some(slot)
            && (last.apiece || start - last.start == 1)
        {
            last.apiece = true;
            return;
        }
        self.runs.push(Run { slot, port, start, apiece: false });
    }

    /// A run and where it ends.
    fn run(&self, index: usize) -> Option<(Run, u32)> {
        let end = self.runs.get(index + 1).map_or_else(|| short(self.items.len()), |next| next.start);
        Some((*self.runs.get(index)?, end))
    }

    /// Slot, port and item of a run.
    fn of_run(&self, index: usize) -> impl Iterator<Item = (usize, usize, Cow<'_, Item>)> {
        let run = self.run(index);
        run.into_iter().flat_map(move |(run, end)| {
            (run.start..end).filter_map(move |at| {
                let slot = if run.apiece { run.slot + (at - run.start) } else { run.slot };
                Some((slot as usize, run.port as usize, self.items.get(at as usize)?))
            })
        })
    }

    /// All items, when they left through one port in the order of their slots.
    pub(crate) fn whole(&self) -> Option<(usize, &Items)> {
        let port = self.runs.first()?.port;
        let one = self.runs.iter().all(|run| run.port == port) && self.is_sorted();
        one.then_some((port as usize, &self.items))
    }

    /// A slot ends once: what it put out stands together, so runs of slots do not overlap unless calls side by side ended
    /// out of order, and then no run goes over the place of another.
    fn is_sorted(&self) -> bool {
        self.runs.is_sorted_by_key(|run| run.slot)
    }

    /// Slot, port and item, by slot.
    pub(crate) fn by_slot(&self) -> impl Iterator<Item = (usize, usize, Cow<'_, Item>)> {
        let mut order: Vec<u32> = (0..short(self.runs.len())).collect();
        if !self.is_sorted() {
            // Calls side by side end in any order; a stable sort of what is nearly sorted costs little.
            order.sort_by_key(|run| self.runs[*run as usize].slot);
        }
        order.into_iter().flat_map(|run| self.of_run(run as usize))
    }
}

impl PartialEq for PutOut {
    fn eq(&self, other: &Self) -> bool {
        let all = |made: &Self| (0..made.runs.len()).collect::<Vec<_>>();
        self.items.len() == other.items.len()
            && all(self)
                .into_iter()
                .flat_map(|run| self.of_run(run))
                .eq(all(other).into_iter().flat_map(|run| other.of_run(run)))
    }
}

impl Serialize for PutOut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.items.len()))?;
        for made in (0..self.runs.len()).flat_map(|run| self.of_run(run)) {
            list.serialize_element(&made)?;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for PutOut {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = PutOut;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of slot, port and item")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<PutOut, A::Error> {
                let mut made = PutOut::default();
                while let Some((slot, port, item)) = list.next_element::<(u32, u32, Item)>()? {
                    made.ran(slot, port, true);
                    made.items.push_numbered(item);
                }
                Ok(made)
            }
        }
        deserializer.deserialize_seq(List)
    }
}
