//! `data.limit`: the first or last items of a list, or what comes after some of them.

use crate::fields::choice;
use crate::support::{chosen, whole};
use crate::{Kind, Outcome};
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let most = u64::from(u32::MAX);
    let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let count = whole(slot, "count", 0, most)?.map(place);
    let skip = whole(slot, "skip", 0, most)?.map_or(0, place);
    let from_end = choice(slot, "from", &["first", "last"])? == "last";
    let all = slot.input.len();
    let left = all.saturating_sub(skip);
    let taken = count.map_or(left, |count| count.min(left));
    let kept = if from_end { left - taken..left } else { all - left..all - left + taken };
    Ok(chosen(slot, "success", "rest", |index| kept.contains(&index)))
}
