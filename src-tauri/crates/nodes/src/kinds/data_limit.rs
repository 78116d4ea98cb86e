//! `data.limit`: the first or last items of a list, or what comes after some of them.

use crate::fields::{choice, rows};
use crate::support::whole;
use crate::{Kind, Outcome};
use signalbox_engine::effect::{CallOutput, CallSlot, OutItem};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let most = u64::from(u32::MAX);
    let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let count = whole(slot, "count", 0, most)?.map(place);
    let skip = whole(slot, "skip", 0, most)?.map_or(0, place);
    let from_end = choice(slot, "from", &["first", "last"])? == "last";
    let items = rows(slot);
    let all = items.len();
    let left = all.saturating_sub(skip);
    let taken = count.map_or(left, |count| count.min(left));
    let kept = if from_end { left - taken..left } else { all - left..all - left + taken };
    let through = |wanted: bool| {
        let list = items.iter().enumerate().filter(|(index, _)| kept.contains(index) == wanted);
        list.map(|(index, data)| OutItem::new(Arc::clone(data), Some(index))).collect::<Vec<_>>()
    };
    let mut output = CallOutput::items("success", through(true));
    output.ports.extend(CallOutput::items("rest", through(false)).ports);
    Ok(output)
}
