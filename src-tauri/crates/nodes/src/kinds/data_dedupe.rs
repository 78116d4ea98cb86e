//! `data.dedupe`: of items that are the same, one goes on; the others leave through `duplicates`.

use crate::fields::{choice, fields, rows};
use crate::keys::Rule;
use crate::{Kind, Outcome};
use signalbox_engine::effect::{CallOutput, CallSlot, OutItem};
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let by = fields(slot, "by")?;
    let keeps_last = choice(slot, "keep", &["first", "last"])? == "last";
    let rule = Rule::of(slot)?;
    let items = rows(slot);
    let mut kept: HashMap<String, usize> = HashMap::new();
    let mut is_kept = vec![true; items.len()];
    for (index, data) in items.iter().enumerate() {
        let values = if by.is_empty() { vec![&**data] } else { rule.values(&by, data, index)? };
        let known = kept.entry(rule.key(values)).or_insert(index);
        if *known != index {
            let other = if keeps_last { std::mem::replace(known, index) } else { index };
            is_kept[other] = false;
        }
    }
    let through = |wanted: bool| {
        let list = items.iter().enumerate().filter(|(index, _)| is_kept[*index] == wanted);
        list.map(|(index, data)| OutItem::new(Arc::clone(data), Some(index))).collect::<Vec<_>>()
    };
    let mut output = CallOutput::items("success", through(true));
    output.ports.extend(CallOutput::items("duplicates", through(false)).ports);
    Ok(output)
}
