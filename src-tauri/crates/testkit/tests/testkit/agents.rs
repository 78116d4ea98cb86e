//! What agent steps leave behind.

use serde_json::{Value, json};
use signalbox_testkit::scenario::{Scenario, drive};

/// docs/formats.md, Agents: the example is what a run leaves.
#[test]
fn ts_122_the_conversation_on_the_page_is_one_that_a_run_leaves() {
    let page = include_str!("../../../../../docs/formats.md");
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

/// A server that goes away in the middle of an answer ends the step; what the tools before it did stays in the conversation, by
/// which a person decides.
#[test]
fn ts_122_what_was_done_before_a_server_went_away_stays_in_the_conversation() {
    let uses = json!([{ "name": "find", "input": { "q": "lamp" } }, { "name": "pay", "input": {} }]);
    let scenario: Scenario = serde_json::from_value(json!({
        "name": "a server goes away",
        "workflow": { "nodes": { "work": {
            "type": "agent.task", "config": { "prompt": "Buy it", "model": "small", "tools": ["shop/find", "bank/pay"] }
        } } },
        "llm": [{ "tools": uses }],
        "tools": {
            "shop": [{ "name": "find", "answers": [{ "text": "aisle 7" }] }],
            "bank": [{ "name": "pay", "answers": [{ "fail": "not_approved" }] }],
        },
        "expect": {}
    }))
    .expect("a scenario");
    let driver = drive(&scenario).expect("runs");
    let file = "artifact:/agents/00000000-0000-7000-8000-000000000001/workstreams/work-0/conversation.json";
    let bytes = driver.test.files.get(file).expect("it was written");
    let found: Value = serde_json::from_slice(&bytes).expect("JSON");
    let messages = found["messages"].as_array().expect("messages");
    assert!(messages.last().is_some_and(|last| last.to_string().contains("aisle 7")), "{found:#}");
}
