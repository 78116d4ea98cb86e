//! What agent steps leave behind.

use serde_json::{Value, json};
use signalbox_testkit::scenario::{Scenario, drive};

/// docs/formats.md, Agents: the example is what a run leaves.
#[test]
fn ts_122_the_conversation_on_the_page_is_one_that_a_run_leaves() {
    let page = include_str!("../../../../docs/formats.md");
    let section = page.split("\n## Agents\n").nth(1).expect("the section");
    let example = section.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the example");
    let mut wanted: Value = serde_json::from_str(example).expect("JSON");

    let scenario: Scenario = serde_json::from_value(json!({
        "name": "a conversation",
        "workflow": { "nodes": { "work": {
            "type": "agent.task", "config": { "prompt": "Look it up", "model": "small", "tools": ["shop/find"] }
        } } },
        "llm": [{ "tools": [{ "name": "find", "input": { "q": "lamp" } }] }, { "text": "In aisle 7." }],
        "tools": { "shop": [{ "name": "find", "description": "Finds.", "answers": [{ "text": "aisle 7" }] }] },
        "expect": {}
    }))
    .expect("a scenario");
    let driver = drive(&scenario).expect("runs");
    let folder = "artifact:/agents/00000000-0000-7000-8000-000000000001/workstreams/work-0";
    let read = |name: &str| {
        let bytes = driver.test.files.get(&format!("{folder}/{name}")).expect("it was written");
        serde_json::from_slice::<Value>(&bytes).expect("JSON")
    };
    let found = read("conversation.json");
    let system = found["system"].as_str().expect("instructions");
    assert!(system.contains("no tool does any of this"), "{system}");
    wanted["system"] = system.into();
    assert_eq!(found, wanted);
    let schema = json!({ "type": "object" });
    let offered =
        json!([{ "name": "find", "description": "Finds.", "schema": schema, "server": "shop", "tool": "find" }]);
    assert_eq!(read("tools.json"), offered);
}
