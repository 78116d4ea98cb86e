//! The slots of an activation. There may be a million, and most of them have not begun or have ended plainly: the first
//! cost nothing, the others only what they put out (ADR 62).

use super::slot_outputs::PutOut;
use super::{Made, Phase, Slot};
use crate::value_size;
use serde::{Deserialize, Serialize};
use signalbox_model::{ErrorPayload, Items};
use std::collections::VecDeque;

/// All slots of an activation, by their number from 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Slots {
    count: usize,
    /// With which each begins.
    visit: u32,
    /// Those that have begun and not ended plainly, by number.
    open: VecDeque<(usize, Slot)>,
    /// Which have ended plainly: a bit for each, up to the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ended: Vec<u64>,
    /// The ports that these used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ports: Vec<String>,
    /// What these put out, in the order in which they ended.
    #[serde(default, skip_serializing_if = "PutOut::is_empty")]
    put_out: PutOut,
    /// About how many bytes of memory that takes, and what failed. Counted when there are several.
    #[serde(default, skip_serializing_if = "Weight::is_none")]
    weight: Weight,
    /// What failed of it.
    #[serde(default, skip_serializing_if = "Weight::is_none")]
    failed: Weight,
    /// One that has not begun, and one that has ended, to look at.
    #[serde(skip)]
    fresh: Made<Box<Slot>>,
    #[serde(skip)]
    over: Made<Box<Slot>>,
}

/// Bytes of memory. They depend on where a list lies, so they are no part of equality.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Weight(usize);

impl Weight {
    fn is_none(&self) -> bool {
        self.0 == 0
    }
}

impl PartialEq for Weight {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What an activation came to.
pub(crate) struct Results {
    /// Those that did not end plainly, by number.
    pub(crate) others: VecDeque<(usize, Slot)>,
    /// Ports of the plain ones.
    pub(crate) ports: Vec<String>,
    /// What the plain ones put out.
    pub(crate) put_out: PutOut,
}

impl Slots {
    pub(crate) fn new(count: usize, visit: u32) -> Self {
        let mut open = VecDeque::new();
        // By far the most steps have one: looked at before it begins, it is there.
        if count == 1 {
            open = VecDeque::with_capacity(1);
            open.push_back((0, Slot::fresh(visit)));
        }
        Self {
            count,
            visit,
            open,
            ended: Vec::new(),
            ports: Vec::new(),
            put_out: PutOut::default(),
            weight: Weight::default(),
            failed: Weight::default(),
            fresh: Made::default(),
            over: Made::default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn get(&self, slot: usize) -> Option<&Slot> {
        if slot >= self.count {
            return None;
        }
        Some(match self.place(slot) {
            Ok(place) => &self.open[place].1,
            Err(_) if self.has_ended(slot) => self
                .over
                .0
                .get_or_init(|| Box::new(Slot { phase: Phase::Done { ports: Vec::new() }, ..Slot::fresh(self.visit) })),
            Err(_) => self.fresh.0.get_or_init(|| Box::new(Slot::fresh(self.visit))),
        })
    }

    /// One that is under way: it has begun, and has not ended plainly.
    pub(crate) fn begun(&self, slot: usize) -> Option<&Slot> {
        self.place(slot).ok().map(|place| &self.open[place].1)
    }

    /// To change it; one that has ended plainly does not change any more.
    pub(crate) fn get_mut(&mut self, slot: usize) -> Option<&mut Slot> {
        let place = match self.place(slot) {
            Ok(place) => place,
            Err(_) if slot >= self.count || self.has_ended(slot) => return None,
            Err(place) => {
                self.open.insert(place, (slot, Slot::fresh(self.visit)));
                place
            }
        };
        self.open.get_mut(place).map(|(_, slot)| slot)
    }

    /// It has left through ports, and that is all there is to know of it. False when it has been over before.
    pub(crate) fn end(&mut self, slot: usize, ports: Vec<(String, Items)>) -> bool {
        match self.place(slot) {
            Ok(place) if self.open[place].1.phase.is_closed() => return false,
            Ok(place) => drop(self.open.remove(place)),
            Err(_) if slot >= self.count || self.has_ended(slot) => return false,
            Err(_) => {}
        }
        if self.ended.len() <= slot / 64 {
            self.ended.resize(slot / 64 + 1, 0);
        }
        self.ended[slot / 64] |= 1 << (slot % 64);
        let several = self.count > 1;
        let mut packed = false;
        for (port, items) in ports {
            let known = self.ports.iter().position(|known| *known == port);
            let port = known.unwrap_or_else(|| {
                self.ports.push(port);
                self.ports.len() - 1
            });
            if self.count > 1 {
                self.weight.0 += items.memory(value_size::of_item);
            }
            packed |= self.put_out.add(slot, port, &items);
        }
        // What is packed takes less, and in a file nearly nothing.
        if several && packed {
            self.weight.0 = self.failed.0 + self.put_out.memory(value_size::of_item);
        }
        true
    }

    /// A slot has failed and its error is kept.
    pub(crate) fn failed(&mut self, error: &ErrorPayload) {
        if self.count > 1 {
            let bytes = value_size::of_error(error);
            self.weight.0 += bytes;
            self.failed.0 += bytes;
        }
    }

    /// About how many bytes of memory it takes what the slots came to so far.
    pub(crate) fn weight(&self) -> usize {
        self.weight.0
    }

    /// Bytes of text of lists that these put out of which some lies in files.
    pub(crate) fn paged(&self) -> usize {
        self.put_out.paged()
    }

    /// Bytes of text of lists that these put out.
    pub(crate) fn texts(&self) -> usize {
        self.put_out.texts()
    }

    /// Those that have begun and not ended plainly.
    pub(crate) fn open(&self) -> impl Iterator<Item = (usize, &Slot)> {
        self.open.iter().map(|(number, slot)| (*number, slot))
    }

    /// Those that have not begun, from a number on.
    pub(crate) fn fresh(&self, from: usize) -> impl Iterator<Item = usize> {
        (from..self.count).filter(|slot| self.is_fresh(*slot))
    }

    pub(crate) fn is_fresh(&self, slot: usize) -> bool {
        match self.place(slot) {
            Ok(place) => self.open[place].1.phase == Phase::Fresh,
            Err(_) => slot < self.count && !self.has_ended(slot),
        }
    }

    /// It has never begun, and nobody has changed what it gets.
    pub(crate) fn is_untouched(&self, slot: usize) -> bool {
        slot < self.count && self.place(slot).is_err() && !self.has_ended(slot)
    }

    /// None has begun.
    pub(crate) fn untouched(&self) -> bool {
        self.ended.is_empty() && self.open.iter().all(|(_, slot)| slot.phase == Phase::Fresh)
    }

    pub(crate) fn into_results(self) -> Results {
        Results { others: self.open, ports: self.ports, put_out: self.put_out }
    }

    fn has_ended(&self, slot: usize) -> bool {
        self.ended.get(slot / 64).is_some_and(|bits| bits & (1 << (slot % 64)) != 0)
    }

    fn place(&self, slot: usize) -> Result<usize, usize> {
        self.open.binary_search_by_key(&slot, |(number, _)| *number)
    }
}

#[cfg(test)]
mod tests;
