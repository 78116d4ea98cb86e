use super::{CHINESE, ENGLISH, WORDS, words};
use crate::dto::TaskMail;
use serde_json::json;
use signalbox_model::{TaskAction, TaskState};

#[test]
fn u_24_both_languages_have_the_same_texts_and_words_for_every_state() {
    assert_eq!(ENGLISH.map(|(name, _)| name), CHINESE.map(|(name, _)| name));
    let word = |value: &str| WORDS.iter().any(|(name, _, _)| *name == value);
    for state in [TaskState::Open, TaskState::Done, TaskState::Expired, TaskState::Cancelled, TaskState::Superseded] {
        assert!(word(state.as_str()), "{state:?}");
    }
    use TaskAction::{Abort, Alternative, Approve, Correct, Reject, Retry, Skip, Submit};
    for action in [Abort, Alternative, Approve, Correct, Reject, Retry, Skip, Submit] {
        assert!(word(action.as_str()), "{action:?}");
    }
    let mail: TaskMail =
        serde_json::from_value(json!({ "host": "h", "from": "f", "to": [], "language": "zh" })).expect("a mail");
    let task = json!({ "state": "done", "action": "approve", "overdue": false });
    let changes = ["priority".to_owned(), "another".to_owned()];
    let expected = json!({ "state": "已完成", "action": "已批准", "overdue": "否", "changes": "优先级、another" });
    assert_eq!(words(Some(&mail), &task, &changes), expected);
}
