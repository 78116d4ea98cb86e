//! Which nodes and slots have something to do, so that the next decision is found without looking at all of them. A place is
//! a slot of a node: (node, slot).

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Slots by place, in order.
pub(crate) type Places = BTreeSet<(usize, usize)>;

/// Nodes and slots by what they wait for. It follows from the nodes of the state; in snapshots its sets are fields of the
/// state, as they were before they stood together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkIndex {
    ready: BTreeSet<usize>,
    startable: BTreeSet<usize>,
    undecided: Places,
    in_flight: Places,
    timed: Places,
    auditing: Places,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    inside: Places,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    bodies: Places,
}

/// What waits.
impl WorkIndex {
    /// Nodes whose join has fired and that have not been decided on.
    pub(crate) fn ready(&self) -> &BTreeSet<usize> {
        &self.ready
    }
    /// Nodes with slots that may start (not started yet, or interrupted).
    pub(crate) fn startable(&self) -> &BTreeSet<usize> {
        &self.startable
    }
    /// Failed or interrupted slots that wait for a decision.
    pub(crate) fn undecided(&self) -> &Places {
        &self.undecided
    }
    /// Slots whose call is under way.
    pub(crate) fn in_flight(&self) -> &Places {
        &self.in_flight
    }
    /// Slots that wait for a timer.
    pub(crate) fn timed(&self) -> &Places {
        &self.timed
    }
    /// Slots whose case is at a recovery node whose call is under way.
    pub(crate) fn auditing(&self) -> &Places {
        &self.auditing
    }
    /// Slots of containers whose body runs.
    pub(crate) fn inside(&self) -> &Places {
        &self.inside
    }
    /// Of these, the ones about which something is to be decided.
    pub(crate) fn bodies(&self) -> &Places {
        &self.bodies
    }
    /// Calls under way, those of recovery nodes included.
    pub(crate) fn calls(&self) -> usize {
        self.in_flight.len() + self.auditing.len()
    }
    /// Whether a node or a slot may start, or waits for a decision.
    pub(crate) fn has_starts(&self) -> bool {
        !(self.ready.is_empty() && self.startable.is_empty() && self.undecided.is_empty())
    }
    /// Whether something can be decided at once, bodies of containers included.
    pub(crate) fn has_decisions(&self) -> bool {
        self.has_starts() || !self.bodies.is_empty()
    }
    /// Whether a call of this node is under way.
    pub(crate) fn is_in_flight(&self, node: usize) -> bool {
        self.in_flight.range((node, 0)..(node + 1, 0)).next().is_some()
    }
}

/// Nodes.
impl WorkIndex {
    /// The join of a node has fired: it is decided on as a whole.
    pub(crate) fn fired(&mut self, node: usize) {
        self.ready.insert(node);
    }
    /// A node was decided on.
    pub(crate) fn begun(&mut self, node: usize) {
        self.ready.remove(&node);
    }
    /// Whether slots of a node may start.
    pub(crate) fn set_startable(&mut self, node: usize, may_start: bool) {
        set(&mut self.startable, node, may_start);
    }
    /// Nothing of a node is to be started.
    pub(crate) fn ended(&mut self, node: usize) {
        self.ready.remove(&node);
        self.startable.remove(&node);
    }
}

/// Slots.
impl WorkIndex {
    /// Whether a slot waits for a decision.
    pub(crate) fn set_undecided(&mut self, place: (usize, usize), waits: bool) {
        set(&mut self.undecided, place, waits);
    }
    /// A call of a slot begins: neither a timer nor a decision is waited for.
    pub(crate) fn starts(&mut self, place: (usize, usize)) {
        self.timed.remove(&place);
        self.undecided.remove(&place);
    }
    /// A call is under way.
    pub(crate) fn calls_node(&mut self, place: (usize, usize)) {
        self.in_flight.insert(place);
    }
    /// A slot waits for a timer.
    pub(crate) fn waits_for_timer(&mut self, place: (usize, usize)) {
        self.timed.insert(place);
    }
    /// A call, or the wait of one, has ended.
    pub(crate) fn call_ended(&mut self, place: (usize, usize)) {
        self.in_flight.remove(&place);
        self.timed.remove(&place);
    }
    /// A recovery node works on a slot.
    pub(crate) fn recovery_begins(&mut self, place: (usize, usize)) {
        self.auditing.insert(place);
    }
    /// A recovery node works on a slot no more.
    pub(crate) fn recovery_ended(&mut self, place: (usize, usize)) {
        self.auditing.remove(&place);
    }
    /// A person has a slot: no call of it is under way.
    pub(crate) fn waits_for_person(&mut self, place: (usize, usize)) {
        self.auditing.remove(&place);
        self.in_flight.remove(&place);
    }
    /// Nothing of a slot is under way or waits, its body aside.
    pub(crate) fn closed(&mut self, place: (usize, usize)) {
        self.call_ended(place);
        self.undecided.remove(&place);
        self.auditing.remove(&place);
    }
    /// The body of a container runs.
    pub(crate) fn body_begins(&mut self, place: (usize, usize)) {
        self.inside.insert(place);
    }
    /// Whether something is to be decided about the body of a container.
    pub(crate) fn set_body_undecided(&mut self, place: (usize, usize), waits: bool) {
        set(&mut self.bodies, place, waits);
    }
    /// The body of a container is over; false when none ran.
    pub(crate) fn body_ended(&mut self, place: (usize, usize)) -> bool {
        self.bodies.remove(&place);
        self.inside.remove(&place)
    }
}

/// Many at once.
impl WorkIndex {
    /// Nothing is started, timed or decided any more; what is under way goes on.
    pub(crate) fn stop_starting(&mut self) {
        self.ready.clear();
        self.startable.clear();
        self.undecided.clear();
        self.timed.clear();
        self.bodies.clear();
    }
    /// No call is under way and no timer runs.
    pub(crate) fn stop_calls(&mut self) {
        self.timed.clear();
        self.in_flight.clear();
        self.auditing.clear();
    }
    /// Of nodes in `range` nothing is to be started or decided any more.
    pub(crate) fn forget_starts(&mut self, range: std::ops::Range<usize>) {
        for nodes in [&mut self.ready, &mut self.startable] {
            for node in nodes.range(range.clone()).copied().collect::<Vec<_>>() {
                nodes.remove(&node);
            }
        }
        for places in [&mut self.undecided, &mut self.timed, &mut self.bodies] {
            forget(places, &range);
        }
    }
    /// Of nodes in `range` no body runs any more.
    pub(crate) fn forget_bodies(&mut self, range: std::ops::Range<usize>) {
        forget(&mut self.inside, &range);
    }
    /// Only these nodes have something to start, to decide or a body that runs.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(usize) -> bool) {
        for nodes in [&mut self.ready, &mut self.startable] {
            nodes.retain(|node| is_kept(*node));
        }
        for places in [&mut self.undecided, &mut self.timed, &mut self.inside, &mut self.bodies] {
            places.retain(|(node, _)| is_kept(*node));
        }
    }
}

fn set<T: Ord>(all: &mut BTreeSet<T>, one: T, is_in: bool) {
    if is_in {
        all.insert(one);
    } else {
        all.remove(&one);
    }
}

fn forget(places: &mut Places, nodes: &std::ops::Range<usize>) {
    for place in places.range((nodes.start, 0)..(nodes.end, 0)).copied().collect::<Vec<_>>() {
        places.remove(&place);
    }
}

#[cfg(test)]
mod tests;
