use super::{answer_about, question_about};
use crate::Draft;
use serde_json::json;

#[test]
fn an_answer_links_only_to_steps_and_events_that_exist() {
    let draft = Draft::of_document(&json!({ "nodes": { "fetch": { "type": "http.request" } }, "edges": [] }));
    let text = r#"{"answer": "It fetches.", "steps": ["fetch", "nowhere"], "events": [7, 9]}"#;
    let told = answer_about(text, &draft, &[7]).expect("an answer");
    assert_eq!((told.steps, told.events), (vec!["fetch".to_owned()], vec![7]));
    for bad in ["It fetches.", "{\"answer\": 3}", "<html>", "{\"answer\": \""] {
        assert!(answer_about(bad, &draft, &[]).is_none(), "{bad}");
    }
    let asked = question_about("why?", &draft, &["event 7: fetch failed".into()]);
    assert!(asked.text.contains("<data>event 7: fetch failed</data>"), "{}", asked.text);
}
