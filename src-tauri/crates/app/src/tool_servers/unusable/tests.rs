use super::super::exfiltration::tests::tool;
use super::findings;
use crate::dto::Tool;
use serde_json::{Value, json};
use signalbox_model::{Code, Severity, Workflow};

fn here() -> Vec<Tool> {
    let bad = Tool { unusable: Some("Its arguments cannot be checked: why".into()), ..tool("shop/odd", false, false) };
    vec![bad, tool("shop/good", false, false)]
}

fn found(settings: Value, nodes: Value) -> Vec<(String, String)> {
    let file: Workflow = serde_json::from_value(json!({
        "signalbox": 1, "id": "w", "name": "W", "settings": settings, "nodes": nodes, "edges": []
    }))
    .expect("a workflow");
    let found = findings(&file, &here());
    assert!(found.iter().all(|one| (one.code, one.severity) == (Code::UnusableTool, Severity::Warning)));
    found.into_iter().map(|one| (one.path, one.message)).collect()
}

#[test]
fn a_step_and_a_model_that_name_a_tool_that_cannot_be_called_are_told_before_the_run() {
    let step = |config: Value| json!({ "a": { "type": "mcp.tool", "config": config } });
    let told = found(json!({}), step(json!({ "server": "shop", "tool": "odd" })));
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, "/nodes/a/config/tool");
    assert!(
        told[0].1.contains("'shop/odd'") && told[0].1.contains("Its arguments cannot be checked: why"),
        "{}",
        told[0].1
    );

    for kind in ["llm.chat", "agent.task"] {
        let node = json!({ "a": { "type": kind, "config": { "tools": ["shop/good", "shop/odd"] } } });
        assert_eq!(found(json!({}), node)[0].0, "/nodes/a/config/tools");
    }
    // An agent has those of the workflow, too.
    let agent = |tools: Value| json!({ "a": { "type": "agent.task", "config": { "prompt": "Go", "tools": tools } } });
    assert_eq!(found(json!({ "tools": ["shop/odd"] }), agent(json!([]))).len(), 1);
    assert_eq!(found(json!({ "tools": ["shop/odd"] }), agent(json!(["-shop/odd"]))), []);
}

#[test]
fn t_10_the_tool_that_a_step_is_called_after_is_looked_at_and_one_that_can_be_called_is_no_finding() {
    assert_eq!(
        found(json!({}), json!({ "Tool_010_odd": { "type": "mcp.tool", "config": { "server": "shop" } } })).len(),
        1
    );
    for nodes in [
        json!({ "Tool_010_good": { "type": "mcp.tool", "config": { "server": "shop" } } }),
        json!({ "a": { "type": "mcp.tool", "config": { "server": "shop", "tool": "good" } } }),
        json!({ "a": { "type": "mcp.tool", "config": { "server": "other", "tool": "odd" } } }),
        json!({ "a": { "type": "mcp.tool", "config": { "server": "shop", "tool": "={{ context.tool }}" } } }),
        json!({ "a": { "type": "mcp.tool", "disabled": true, "config": { "server": "shop", "tool": "odd" } } }),
    ] {
        assert_eq!(found(json!({}), nodes), []);
    }
}
