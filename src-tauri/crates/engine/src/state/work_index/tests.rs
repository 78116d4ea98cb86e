use super::WorkIndex;
use serde_json::json;

#[test]
fn a_snapshot_keeps_its_sets_beside_the_other_fields() {
    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct State {
        before: u32,
        #[serde(flatten)]
        work: WorkIndex,
        after: u32,
    }
    let mut work = WorkIndex::default();
    work.fired(3);
    work.waits_for_timer((1, 2));
    let state = State { before: 1, work, after: 2 };
    let text = r#"{"before":1,"ready":[3],"startable":[],"undecided":[],"in_flight":[],"timed":[[1,2]],"auditing":[],"after":2}"#;
    assert_eq!(serde_json::to_string(&state).expect("is JSON"), text);
    assert_eq!(serde_json::from_str::<State>(text).expect("is read"), state);
}

#[test]
fn a_range_of_nodes_is_forgotten_and_the_others_stay() {
    let mut work = WorkIndex::default();
    for node in 0..4 {
        work.fired(node);
        work.set_undecided((node, 1), true);
        work.body_begins((node, 0));
        work.set_body_undecided((node, 0), true);
    }
    work.forget_starts(1..3);
    work.forget_bodies(1..3);
    assert_eq!(
        serde_json::to_value(&work).expect("is JSON"),
        json!({
            "ready": [0, 3], "startable": [], "undecided": [[0, 1], [3, 1]], "in_flight": [], "timed": [],
            "auditing": [], "inside": [[0, 0], [3, 0]], "bodies": [[0, 0], [3, 0]]
        })
    );
    assert!(work.body_ended((0, 0)) && !work.body_ended((0, 0)));
    work.retain(|node| node == 0);
    assert!(work.inside().is_empty() && work.bodies().is_empty());
    assert_eq!((work.ready().len(), work.undecided().len(), work.has_decisions()), (1, 1, true));
}
