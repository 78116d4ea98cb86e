use crate::people::{answer, ask, asked};
use crate::support::{count, started, temporary};
use serde_json::json;
use signalbox_model::TaskAction;
use std::sync::Arc;

#[test]
fn large_inputs_are_kept_once_and_come_back_whole() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    let input = json!({"rows": "x".repeat(20_000), "n": 1.5});
    asked(&store, "r", &owner, 2, ask("t", input.clone()));
    assert_eq!(count(folder.path(), "SELECT count(*) FROM blob"), 1, "event and task share it");
    let mut fixed = answer("t", "r", "user:anna");
    fixed.answer.action = TaskAction::Correct;
    fixed.answer.corrected_input = Some(Arc::new(input.clone()));
    fixed.patch = Some(json!([]));
    fixed.request_id = Some("q1".into());
    store.answer_task(fixed).expect("answers");
    assert_eq!(count(folder.path(), "SELECT count(*) FROM blob"), 1);
    let record = store.task_record("t").expect("reads").expect("there");
    assert_eq!(*record.created.input, input);
    let decision = record.decision.expect("decided");
    assert_eq!(decision["correctedInput"], input);
    let facts = (&decision["via"], &decision["durationMs"], &decision["requestId"], &decision["patch"]);
    assert_eq!(facts, (&json!("rest"), &json!(5_000), &json!("q1"), &json!([])));
    assert_eq!(store.last_correction("same", "t").expect("reads"), None);
    assert_eq!(store.last_correction("same", "other").expect("reads"), Some("t".to_owned()));
}

/// Of a clock that was put back while the task was open, no time below nothing comes.
#[test]
fn an_answer_before_its_question_took_no_time() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    asked(&store, "r", &owner, 2, ask("t", json!({})));
    let early = answer("t", "r", "user:anna");
    store.answer_task(signalbox_store::AnswerTask { at_ms: early.at_ms - 3_600_000, ..early }).expect("answers");
    let decision = store.task_record("t").expect("reads").expect("there").decision.expect("decided");
    assert_eq!(decision["durationMs"], 0);
}
