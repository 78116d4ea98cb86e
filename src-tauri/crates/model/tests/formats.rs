//! The examples of `docs/formats.md` read and write as what they are.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde_json::Value;
use signalbox_model::{Node, RunEvent, Workflow, workflow::Settings};

#[test]
fn every_example_is_read_and_written_back() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/formats.md");
    let text = std::fs::read_to_string(page).expect("the page");
    let (mut events, mut schemas) = (0, 0);
    for block in text.split("```json ").skip(1) {
        let (kind, rest) = block.split_once('\n').expect("a kind");
        let example = rest.split("```").next().expect("an end").trim();
        match kind {
            // One event a line.
            "event" => {
                for line in example.lines() {
                    let event: RunEvent = serde_json::from_str(line).expect(line);
                    assert_eq!(serde_json::to_string(&event).expect("writes"), line);
                    events += 1;
                }
            }
            "schema" => {
                let value: Value = serde_json::from_str(example).expect(example);
                assert!(value["properties"].is_object());
                schemas += 1;
            }
            "node" => {
                let node: Node = serde_json::from_str(example).expect(example);
                assert_eq!(serde_json::to_string(&node).expect("writes"), example);
            }
            "settings" => {
                let settings: Settings = serde_json::from_str(example).expect(example);
                assert!(settings.extra.is_empty(), "{example}");
                assert_eq!(serde_json::to_string(&settings).expect("writes"), example);
            }
            "definition" => {
                let file: Workflow = serde_json::from_str(example).expect(example);
                assert_eq!(serde_json::to_string(&file).expect("writes"), example);
            }
            "workflow" => {
                let workflow: Workflow = serde_json::from_str(example).expect(example);
                let written = serde_json::to_value(&workflow).expect("writes");
                assert_eq!(written, serde_json::from_str::<Value>(example).expect(example));
            }
            // Read by the tests of the crate that writes them.
            "vault" | "secrets" | "manifest" | "shown" | "webhook" | "checkpoint" | "tools" | "workflow-model"
            | "import" | "diff" => {}
            other => panic!("unknown kind of example: {other}"),
        }
    }
    assert!(events >= 6 && schemas >= 1);
}
