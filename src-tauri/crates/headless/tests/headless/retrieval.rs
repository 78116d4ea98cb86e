//! Indexes of documents with the real program: made by a workflow, asked by others, damaged and missing.

use crate::support::TestHome;
use serde_json::{Value, json};

const SAMPLE: &str = include_str!("../../../app/samples/ask-another-source.signalbox.json");

/// Runs a workflow: its events, then its summary.
fn run(place: &TestHome, workflow: &str, params: &Value) -> (Vec<Value>, Value) {
    let file = place.file("asked.signalbox.json", workflow).display().to_string();
    let done = place.run(&["run", &file, "--params", &params.to_string(), "--events", "--json"]);
    let mut lines = done.lines();
    let summary = lines.pop().unwrap_or_else(|| panic!("nothing was printed\n{}", done.err));
    (lines, summary)
}

fn done<'a>(events: &'a [Value], step: &str) -> Option<&'a Value> {
    events.iter().find(|event| event["type"] == "step_done" && event["stepId"] == step)
}

#[test]
fn ts_042_a_failed_retrieval_is_the_context_in_which_another_source_is_asked() {
    let place = TestHome::new();
    let (events, summary) = run(&place, SAMPLE, &json!({}));
    assert_eq!(summary["status"], "completed", "{summary}");
    assert_eq!(summary["output"][0]["source"], "ferry", "{summary}");
    let context = &done(&events, "context").expect("the error went on as data")["payload"]["items"]["success"][0]["data"];
    assert_eq!(context["error"]["originNode"], "askHandbook");
    assert_eq!(context["error"]["type"], "ToolError");
    let details = &context["error"]["details"];
    assert!(["RETRIEVAL_EMPTY", "RETRIEVAL_WEAK"].contains(&details["code"].as_str().unwrap_or_default()), "{details}");
    assert_eq!((&details["index"], &details["query"]), (&json!("sample-handbook"), &json!("When does the ferry sail in winter?")));
    assert!(context["data"].is_object(), "the input that failed goes along: {context}");
    assert!(done(&events, "fromHandbook").is_none());

    // The first source answers: the other one is not asked.
    let (events, summary) = run(&place, SAMPLE, &json!({ "question": "How many days of holidays?" }));
    assert_eq!((&summary["status"], &summary["output"][0]["source"]), (&json!("completed"), &json!("holidays")), "{summary}");
    assert!(done(&events, "askArchive").is_none());
    let again = &done(&events, "indexHandbook").expect("indexed again")["payload"]["items"]["success"][0]["data"];
    assert_eq!((&again["unchanged"], &again["added"], &again["documents"]), (&json!(2), &json!(0), &json!(2)));
}

/// Asks one index; the code of the error, if it fails.
fn code(place: &TestHome, index: &str) -> Value {
    let workflow = json!({
        "signalbox": 1, "id": "ask", "name": "Ask",
        "settings": { "errorPolicy": "safe" },
        "nodes": {
            "start": { "type": "trigger.manual" },
            "ask": { "type": "rag.retrieve", "config": { "index": index, "query": "holidays" } },
            "told": { "type": "data.set", "config": { "assign": { "code": "=error.details.code" }, "keep": false } },
            "end": { "type": "flow.stop", "config": { "stopId": "done" } },
        },
        "edges": [
            { "from": "start.success", "to": "ask" },
            { "from": "ask.error", "to": "told" },
            { "from": "told.success", "to": "end" },
        ],
    });
    let (_, summary) = run(place, &workflow.to_string(), &json!({}));
    summary["output"][0]["code"].clone()
}

#[test]
fn e_17_a_missing_and_a_damaged_index_take_the_red_port() {
    let place = TestHome::new();
    assert_eq!(code(&place, "sample-handbook"), "INDEX_MISSING");
    run(&place, SAMPLE, &json!({}));
    assert_eq!(code(&place, "sample-handbook"), Value::Null);
    let file = place.data().join("indexes/index-sample-handbook.sqlite");
    let size = std::fs::metadata(&file).expect("it is there").len();
    std::fs::write(&file, vec![0x55; usize::try_from(size).expect("small")]).expect("written");
    assert_eq!(code(&place, "sample-handbook"), "INDEX_DAMAGED");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = std::fs::metadata(place.data().join("indexes")).expect("it is there");
        assert_eq!(folder.permissions().mode() & 0o777, 0o700, "documents are for their owner only");
    }
}
