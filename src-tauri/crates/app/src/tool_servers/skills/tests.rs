use super::wanted;
use serde_json::{Value, json};
use signalbox_model::Workflow;

fn of(settings: Value, nodes: Value) -> (Vec<(String, String)>, bool) {
    let file: Workflow = serde_json::from_value(json!({
        "signalbox": 1, "id": "w", "name": "W", "settings": settings, "nodes": nodes, "edges": []
    }))
    .expect("a workflow");
    wanted(&file)
}

#[test]
fn g_19_only_what_a_model_was_given_is_read_and_an_agent_always_looks_into_the_folder() {
    let nodes = |kind: &str, tools: Value| json!({ "a": { "type": kind, "config": { "tools": tools } } });
    let at = |place: &str, name: &str| (format!("/nodes/a/config/tools{place}"), name.to_owned());
    assert_eq!(of(json!({}), nodes("llm.chat", json!(["a/b", "learn_x"]))), (vec![at("/1", "learn_x")], true));
    assert_eq!(of(json!({}), nodes("llm.chat", json!(["a/b"]))), (vec![], false));
    assert_eq!(of(json!({}), nodes("agent.task", json!([]))), (vec![], true));
    assert_eq!(
        of(json!({ "tools": ["learn_y"] }), nodes("agent.task", json!(["+learn_x"]))).0,
        [at("", "learn_y"), at("/0", "learn_x")]
    );
    assert_eq!(of(json!({ "tools": ["learn_y"] }), nodes("agent.task", json!(["-learn_y"]))).0, []);
    assert_eq!(of(json!({}), nodes("mcp.tool", json!(["learn_x"]))), (vec![], false));
    let disabled = json!({ "a": { "type": "agent.task", "disabled": true } });
    assert_eq!(of(json!({}), disabled), (vec![], false));
}
