//! A step whose output is pinned (ADR 102): it is recorded like a call that ended at once, and nothing is called.

use super::{Deciding, EventKey, StepError};
use crate::{
    compiled::Pins,
    effect::{CallKey, CallOutput, OutItem},
    fold,
    prepare::raw_input,
};
use serde_json::Value;
use signalbox_model::{
    Data, EventBody, Items, Mode, NodeFailure,
    event::{InputItem, StepStart},
};
use std::sync::Arc;

impl Deciding<'_> {
    /// The items of a step are put out as they are pinned, all at once: what arrives decides only whether the step begins.
    pub(super) fn start_pinned(&mut self, node: usize, slots: &[usize], pinned: &Pins) -> Result<(), StepError> {
        let compiled = self.compiled;
        let this = &compiled.nodes[node];
        let Some(first) = slots.first().copied() else { return Ok(()) };
        let Some(activation) = &self.state.nodes[node].activation else { return Ok(()) };
        // One that is tried again, because a guard refused what is pinned, is tried alone.
        let slots: Vec<usize> = if activation.slots.is_untouched(first) {
            activation.slots.fresh(activation.next_fresh).collect()
        } else {
            slots.to_vec()
        };
        let several = slots.len() > 1;
        let (visit, attempt) = fold::slot_ref(self.state, node, first).map_or((1, 0), |s| (s.visit, s.attempt));
        let item = (!several && self.many(node)).then_some(first);
        let key = EventKey { node: Some(node), item, visit: Some(visit), attempt: Some(attempt) };
        let inputs: Vec<_> = slots.iter().map(|slot| raw_input(compiled, self.state, node, *slot)).collect();
        let seen: Vec<&[Data]> = inputs.iter().map(Vec::as_slice).collect();
        if self.stops_before(key, node, &slots, &seen)? {
            return Ok(());
        }
        let each = this.mode == Mode::Each;
        let input = slots.iter().zip(inputs).flat_map(|(slot, data)| {
            let slot = *slot;
            let index = move |i| if each { slot } else { i };
            data.into_iter().enumerate().map(move |(i, data)| InputItem { item: index(i), data })
        });
        let input = input.collect();
        self.emit(
            Some(key),
            EventBody::StepStart(StepStart {
                kind: this.kind.to_string(),
                meta: this.meta.clone(),
                resolved_inputs: None,
                config: Arc::new(Value::Null),
                configs: None,
                input,
                input_items: None,
                idempotency_key: None,
                due_ms: None,
                origin: None,
                pinned: true,
                faulted: false,
                masked: Vec::new(),
            }),
        )?;
        let path = fold::place::path_of(compiled, self.state, node).unwrap_or_default();
        let call = CallKey { path, node, item, visit, attempt, origin: None };
        self.finished(&call, share(&slots, pinned))
    }
}

/// As many items as came stand for these, one by one; any other number is put out for the first.
fn share(slots: &[usize], pinned: &Pins) -> Vec<(usize, Result<CallOutput, NodeFailure>)> {
    let items =
        |list: &[Arc<Value>]| list.iter().map(|data| OutItem::new(Arc::clone(data), Some(0))).collect::<Vec<_>>();
    if let Some((port, list)) = pinned.first().filter(|(_, list)| pinned.len() == 1 && list.len() == slots.len()) {
        let one = |(slot, data): (&usize, &Arc<Value>)| {
            (*slot, Ok(CallOutput::items(port, items(std::slice::from_ref(data)))))
        };
        return slots.iter().zip(list).map(one).collect();
    }
    let mut all = CallOutput::default();
    for (port, list) in pinned {
        let made: Items = CallOutput::items(port, items(list)).ports.shift_remove(port).unwrap_or_default();
        all.ports.insert(port.clone(), made);
    }
    let mut results = Vec::with_capacity(slots.len());
    results.extend(slots.first().map(|slot| (*slot, Ok(all))));
    results.extend(slots.iter().skip(1).map(|slot| (*slot, Ok(CallOutput::default()))));
    results
}
