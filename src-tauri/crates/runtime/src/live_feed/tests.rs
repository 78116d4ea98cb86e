use super::{BYTES, LiveFeed};
use serde_json::json;
use signalbox_model::RunEvent;
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[test]
fn what_nobody_takes_is_bounded_in_bytes_and_who_takes_it_is_sent_to_the_store() {
    let event = json!({
        "runId": "r", "seq": 2, "ts": "2026-11-28T00:00:00.000Z", "type": "step_skipped", "stepId": "a",
        "payload": { "condition": "false" }
    });
    let event: RunEvent = serde_json::from_value(event).expect("an event");
    let batch = || Some(Arc::from([event.clone()]));
    let ring = LiveFeed::default();
    let (mut slow, quick) = (ring.subscribe(), ring.subscribe());
    for _ in 0..100 {
        ring.send(batch(), BYTES / 10);
        assert!(ring.kept.load(Ordering::Relaxed) <= BYTES);
    }
    drop(quick);
    let mut taken = Vec::new();
    while let Ok(batch) = slow.try_recv() {
        taken.push(batch.len());
    }
    assert_eq!(taken, [vec![1; 10], vec![0; 90]].concat(), "what does not fit is an empty batch");
    assert_eq!(ring.kept.load(Ordering::Relaxed), 0);
    // There is room again.
    ring.send(batch(), BYTES);
    ring.send(batch(), 1);
    assert_eq!((slow.try_recv().map(|batch| batch.len()), slow.try_recv().map(|batch| batch.len())), (Ok(1), Ok(0)));
    // What is larger than all of it is sent when nothing else waits.
    ring.send(batch(), BYTES + 1);
    ring.send(batch(), BYTES + 1);
    assert_eq!((slow.try_recv().map(|batch| batch.len()), slow.try_recv().map(|batch| batch.len())), (Ok(1), Ok(0)));
    ring.send(batch(), BYTES);
    drop(slow);
    assert_eq!(ring.kept.load(Ordering::Relaxed), 0, "who goes takes nothing along");
}
