use super::step_memory;
use serde_json::{Value, json};
use signalbox_model::Workflow;

fn said(settings: Value) -> Option<Result<usize, String>> {
    let file = json!({ "signalbox": 1, "id": "a", "name": "A", "settings": settings, "nodes": {}, "edges": [] });
    step_memory(&serde_json::from_value::<Workflow>(file).expect("a workflow"))
}

#[test]
fn a_workflow_says_how_much_its_steps_may_take() {
    assert_eq!(said(json!({})), None);
    assert_eq!(said(json!({ "stepMemoryMb": 16 })), Some(Ok(16 << 20)));
    for wrong in [json!(15), json!(65_537), json!("512"), json!(20.5), json!(-1)] {
        let told = said(json!({ "stepMemoryMb": wrong })).expect("said").expect_err("not accepted");
        assert!(told.contains("a whole number from 16 to 65536"), "{told}");
    }
}
