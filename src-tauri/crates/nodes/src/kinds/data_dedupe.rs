//! `data.dedupe`: of items that are the same, one goes on; the others leave through `duplicates`.

use crate::fields::{choice, fields};
use crate::keys::Rule;
use crate::support::chosen;
use crate::{Kind, Outcome};
use signalbox_engine::effect::CallSlot;
use signalbox_model::hash::digest_of_parts;
use std::collections::HashMap;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let by = fields(slot, "by")?;
    let keeps_last = choice(slot, "keep", &["first", "last"])? == "last";
    let rule = Rule::of(slot)?;
    // One item is there at a time, and of the others a digest of what makes them the same.
    let mut kept: HashMap<[u8; 32], usize> = HashMap::new();
    let mut is_kept = vec![true; slot.input.len()];
    for index in 0..slot.input.len() {
        let data = slot.input.data(index).unwrap_or_default();
        let values = if by.is_empty() { vec![&*data] } else { rule.values(&by, &data, index)? };
        let known = kept.entry(digest_of_parts(&[rule.key(values).as_bytes()])).or_insert(index);
        if *known != index {
            let other = if keeps_last { std::mem::replace(known, index) } else { index };
            is_kept[other] = false;
        }
    }
    Ok(chosen(slot, "success", "duplicates", |index| is_kept[index]))
}
