use super::Slots;
use crate::state::Phase;
use serde_json::json;
use signalbox_model::{Item, Items};

fn out(data: usize) -> Vec<(String, Items)> {
    vec![("success".into(), vec![Item::new("1", json!(data))].into())]
}

/// Counted, not timed: a slot is there while it is under way.
#[test]
fn slots_that_have_not_begun_or_have_ended_are_not_kept() {
    let mut slots = Slots::new(1_000_000, 1);
    assert_eq!(slots.open().count(), 0);
    for slot in 0..1_000 {
        slots.get_mut(slot).expect("one of them").phase = Phase::Running;
    }
    assert_eq!(slots.open().count(), 1_000);
    for slot in 0..1_000 {
        assert!(slots.end(slot, out(slot)));
    }
    assert_eq!(slots.open().count(), 0);
    assert_eq!(slots.fresh(0).next(), Some(1_000));
    assert!(!slots.end(7, out(7)), "it has ended before");
    assert!(slots.get(7).expect("it was one").phase.is_closed() && slots.get_mut(7).is_none());
    assert_eq!(slots.get(1_000_000), None);
}

#[test]
fn what_ended_in_any_order_comes_out_by_number_and_a_failed_one_stays() {
    let mut slots = Slots::new(5, 2);
    slots.get_mut(1).expect("one of them").phase = Phase::Failed;
    for slot in [3, 0, 4, 2] {
        assert!(slots.end(slot, out(slot)));
    }
    assert!(!slots.end(1, out(1)), "it has ended otherwise");
    let found = slots.into_results();
    assert_eq!(found.put_out.by_slot().map(|(slot, _, _)| slot).collect::<Vec<_>>(), [0, 2, 3, 4]);
    assert_eq!(found.others.iter().map(|(slot, _)| *slot).collect::<Vec<_>>(), [1]);
}
