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

/// E-46 to E-49: the context is `{error, data}`, and a later step chooses by it.
#[test]
fn ts_042_a_failed_retrieval_is_the_context_in_which_another_source_is_asked() {
    let place = TestHome::new();
    let (events, summary) = run(&place, SAMPLE, &json!({}));
    assert_eq!(summary["status"], "completed", "{summary}");
    assert_eq!(summary["output"][0]["source"], "ferry", "{summary}");
    let context =
        &done(&events, "context").expect("the error went on as data")["payload"]["items"]["success"][0]["data"];
    assert_eq!(context["error"]["originNode"], "askHandbook");
    assert_eq!(context["error"]["type"], "ToolError");
    let details = &context["error"]["details"];
    assert!(["RETRIEVAL_EMPTY", "RETRIEVAL_WEAK"].contains(&details["code"].as_str().unwrap_or_default()), "{details}");
    assert_eq!(
        (&details["index"], &details["query"]),
        (&json!("sample-handbook"), &json!("When does the ferry sail in winter?"))
    );
    assert!(context["data"].is_object(), "the input that failed goes along: {context}");
    assert!(done(&events, "fromHandbook").is_none());

    // The first source answers: the other one is not asked.
    let (events, summary) = run(&place, SAMPLE, &json!({ "question": "How many days of holidays?" }));
    assert_eq!(
        (&summary["status"], &summary["output"][0]["source"]),
        (&json!("completed"), &json!("holidays")),
        "{summary}"
    );
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
        let mode = || std::fs::metadata(&file).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600, "and so is each index");
        // One of an older version is closed when it is written to.
        std::fs::remove_file(&file).expect("removed");
        run(&place, SAMPLE, &json!({}));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("opened");
        run(&place, SAMPLE, &json!({}));
        assert_eq!(mode(), 0o600);
    }
}

/// What a text is about: a model that knows boats and money.
fn vector(text: &str) -> Value {
    let about = |words: &[&str]| words.iter().filter(|word| text.to_lowercase().contains(*word)).count() as f64 + 0.05;
    json!([about(&["ferry", "vessel", "sail"]), about(&["refund", "money", "reimburse"])])
}

/// Answers as an OpenAI-compatible server, in another order than asked, or as Ollama.
fn embeddings(head: &str, body: &[u8]) -> (&'static str, Value) {
    let asked: Value = serde_json::from_slice(body).expect("JSON");
    let texts: Vec<&str> = asked["input"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    if head.starts_with("POST /api/embed ") {
        return ("200 OK", json!({ "embeddings": texts.iter().map(|text| vector(text)).collect::<Vec<_>>() }));
    }
    assert!(head.starts_with("POST /v1/embeddings "), "{head}");
    let data = texts.iter().enumerate().rev();
    let data: Vec<Value> = data.map(|(at, text)| json!({ "index": at, "embedding": vector(text) })).collect();
    ("200 OK", json!({ "data": data, "usage": { "prompt_tokens": 7 } }))
}

/// Indexes three texts, then asks for what none of them has a word of.
fn meaning(place: &TestHome, index_at: &Value, ask_at: &Value, on_failure: &str) -> Value {
    let documents = r#"=[{"id": "ferry", "text": "The ferry sails at nine."}, {"id": "refunds", "text": "Customers get their money back."}, {"id": "other", "text": "Nothing of it is here."}]"#;
    let workflow = json!({
        "signalbox": 1, "id": "meaning", "name": "Meaning",
        "settings": { "errorPolicy": "safe" },
        "nodes": {
            "start": { "type": "trigger.manual" },
            "texts": { "type": "data.set", "config": { "assign": { "documents": documents }, "keep": false } },
            "each": { "type": "data.split", "config": { "field": "documents" } },
            "index": { "type": "rag.index", "config": {
                "index": "meaning", "id": "item.id", "embeddingModel": "concepts", "embeddingProvider": index_at } },
            "ask": { "type": "rag.retrieve", "config": {
                "index": "meaning", "query": "vessel at nine", "top": 1, "embeddingModel": "concepts",
                "embeddingProvider": ask_at, "onEmbeddingFailure": on_failure } },
            "told": { "type": "data.set", "config": { "assign": { "code": "=error.details.code" }, "keep": false } },
            "join": { "type": "flow.noop" },
            "end": { "type": "flow.stop", "config": { "stopId": "done" } },
        },
        "edges": [
            { "from": "start.success", "to": "texts" },
            { "from": "texts.success", "to": "each" },
            { "from": "each.success", "to": "index" },
            { "from": "index.success", "to": "ask" },
            { "from": "ask.error", "to": "told" },
            { "from": "ask.success", "to": "join" },
            { "from": "told.success", "to": "join" },
            { "from": "join.success", "to": "end" },
        ],
    });
    let (events, summary) = run(place, &workflow.to_string(), &json!({}));
    assert_eq!(summary["status"], "completed", "{summary}");
    let indexed = &done(&events, "index").expect("it is indexed")["payload"]["items"]["success"][0]["data"];
    assert_eq!(indexed["chunks"], 3, "{indexed}");
    let mut found = summary["output"][0].clone();
    found["embedded"] = indexed["embedded"].clone();
    found
}

#[test]
fn s_14_passages_are_found_by_meaning_and_by_words_without_a_model() {
    let base = crate::provider::listen(embeddings);
    for (kind, base) in [("openai", format!("{base}/v1")), ("ollama", base.clone())] {
        let place = TestHome::new();
        let peer = json!({ "kind": kind, "baseUrl": base });
        let found = meaning(&place, &peer, &peer, "fail");
        assert_eq!((&found["source"]["id"], &found["method"]), (&json!("ferry"), &json!("hybrid")), "{kind}: {found}");
        assert_eq!(found["embedded"], 3, "{found}");
        // Nobody listens at port 1.
        let gone = json!({ "kind": kind, "baseUrl": "http://127.0.0.1:1" });
        let found = meaning(&place, &peer, &gone, "words");
        assert_eq!((&found["source"]["id"], &found["method"]), (&json!("ferry"), &json!("words")), "{kind}: {found}");
        assert_eq!(found["embeddingError"]["code"], "CONNECTION", "{found}");
        assert_eq!(found["embedded"], 0, "each passage is sent once: {found}");
    }
}
