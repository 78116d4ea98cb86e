//! What slots that have ended plainly put out. There may be millions of them: the items are kept like any long list, one list for
//! each port, and beside them stands whose they are.

use serde::de::{SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use signalbox_model::{Item, Items};
use std::borrow::Cow;
use std::fmt;

/// Items by port, in the order in which their slots ended. It is written as a list of slot, port and item.
#[derive(Debug, Clone, Default)]
pub(crate) struct PutOut {
    /// Nearly all steps use one port: the first has no list of ports around it.
    first: Option<OfPort>,
    more: Vec<OfPort>,
}

#[derive(Debug, Clone)]
struct OfPort {
    port: u32,
    items: Items,
    runs: Vec<Run>,
}

/// Whose some of the items are. There cannot be so many that 32 bits do not count them.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// Where they begin among those of the port.
    start: u32,
    /// The slot of the first one, and of the last one; between them slots do not go back.
    first: u32,
    last: u32,
    /// The slot of each stands in its lineage; else all are of the first one.
    paired: bool,
}

/// More items of one slot have an entry of their own.
const LONG: usize = 1_000;

fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl OfPort {
    fn add(&mut self, slot: u32, items: &Items) {
        let own = |index| items.paired(index) == Some(slot as usize);
        // A long list is that of one slot: it is not looked through.
        let paired = items.len() <= LONG && (0..items.len()).all(own);
        self.ran(slot, paired);
        self.items.append_numbered(items);
    }

    /// The next items are those of a slot.
    fn ran(&mut self, slot: u32, paired: bool) {
        if let Some(last) = self.runs.last_mut()
            && last.paired == paired
            && (last.last == slot || (paired && last.last < slot))
        {
            last.last = slot;
            return;
        }
        self.runs.push(Run { start: short(self.items.len()), first: slot, last: slot, paired });
    }

    /// A slot ends once, so what it put out stands together.
    fn is_sorted(&self) -> bool {
        self.runs.iter().zip(self.runs.iter().skip(1)).all(|(run, next)| run.last < next.first)
    }

    /// Slot and item, in the order in which the slots ended.
    fn each(&self) -> impl Iterator<Item = (usize, Cow<'_, Item>)> {
        (0..self.runs.len()).flat_map(move |index| {
            let run = self.runs[index];
            let end = self.runs.get(index + 1).map_or_else(|| self.items.len(), |next| next.start as usize);
            (run.start as usize..end).filter_map(move |at| {
                let item = self.items.get(at)?;
                let slot = item.paired_item.filter(|_| run.paired).unwrap_or(run.first as usize);
                Some((slot, item))
            })
        })
    }

    /// Slot and place, in the order in which the slots ended.
    fn places(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.runs.len()).flat_map(move |index| {
            let run = self.runs[index];
            let end = self.runs.get(index + 1).map_or_else(|| short(self.items.len()), |next| next.start);
            (run.start..end).map(move |at| {
                let paired = || self.items.paired(at as usize).map(short);
                (if run.paired { paired().unwrap_or(run.first) } else { run.first }, at)
            })
        })
    }
}

impl PutOut {
    pub(crate) fn is_empty(&self) -> bool {
        self.ports().all(|of| of.items.is_empty())
    }

    /// Whether a part of a list was packed as text now. This is done at the end of each slot, so it must not go through the list.
    pub(crate) fn add(&mut self, slot: usize, port: usize, items: &Items) -> bool {
        if items.is_empty() {
            return false;
        }
        let of = self.of(short(port));
        let before = of.items.len();
        of.add(short(slot), items);
        of.items.is_text_behind(before)
    }

    fn of(&mut self, port: u32) -> &mut OfPort {
        let new = || OfPort { port, items: Items::new(), runs: Vec::new() };
        let first = self.first.get_or_insert_with(new);
        if first.port == port {
            return first;
        }
        let known = self.more.iter().position(|of| of.port == port).unwrap_or_else(|| {
            self.more.push(new());
            self.more.len() - 1
        });
        &mut self.more[known]
    }

    fn ports(&self) -> impl Iterator<Item = &OfPort> {
        self.first.iter().chain(&self.more)
    }

    /// About how many bytes of memory they take.
    pub(crate) fn memory(&self, memory: impl Fn(&Value) -> usize + Copy) -> usize {
        self.ports().map(|of| of.items.memory(memory)).sum()
    }

    /// Bytes of text.
    pub(crate) fn texts(&self) -> usize {
        self.ports().map(|of| of.items.weight(|_| 0)).sum()
    }

    /// Bytes of text of which some lies in files.
    pub(crate) fn paged(&self) -> usize {
        self.ports().map(|of| of.items.paged_weight()).sum()
    }

    /// All left in the order of their slots.
    pub(crate) fn is_sorted(&self) -> bool {
        self.ports().all(OfPort::is_sorted)
    }

    /// The list of each port, by the first slot that used it: as they are found when one slot is looked at after the other.
    pub(crate) fn into_lists(self) -> impl Iterator<Item = (usize, Items)> {
        let (mut first, mut more) = (self.first, self.more);
        if !more.is_empty() {
            more.extend(first.take());
            more.sort_by_key(|of| of.runs.first().map(|run| run.first));
        }
        first.into_iter().chain(more).map(|of| (of.port as usize, of.items))
    }

    /// Slot, port and item, by slot.
    pub(crate) fn by_slot(&self) -> impl Iterator<Item = (usize, usize, Cow<'_, Item>)> {
        let mut order: Vec<(u32, u32, u32)> = Vec::new();
        let ports: Vec<&OfPort> = self.ports().collect();
        for (port, of) in ports.iter().enumerate() {
            order.extend(of.places().map(|(slot, place)| (slot, short(port), place)));
        }
        // Calls side by side end in any order; a stable sort of what is nearly sorted costs little.
        order.sort_by_key(|(slot, _, _)| *slot);
        order.into_iter().filter_map(move |(slot, port, place)| {
            let of = ports.get(port as usize)?;
            Some((slot as usize, of.port as usize, of.items.get(place as usize)?))
        })
    }

    fn all(&self) -> impl Iterator<Item = (usize, usize, Cow<'_, Item>)> {
        self.ports().flat_map(|of| of.each().map(|(slot, item)| (slot, of.port as usize, item)))
    }
}

impl PartialEq for PutOut {
    fn eq(&self, other: &Self) -> bool {
        let lengths = |made: &Self| made.ports().map(|of| (of.port, of.items.len())).collect::<Vec<_>>();
        lengths(self) == lengths(other) && self.all().eq(other.all())
    }
}

impl Serialize for PutOut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.ports().map(|of| of.items.len()).sum()))?;
        for made in self.all() {
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
                    let of = made.of(port);
                    of.ran(slot, item.paired_item == Some(slot as usize));
                    of.items.push_numbered(item);
                }
                Ok(made)
            }
        }
        deserializer.deserialize_seq(List)
    }
}
