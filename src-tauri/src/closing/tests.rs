use super::{Asked, Closing, Next, PageReply, next};
use serde_json::json;

#[test]
fn a_window_is_asked_about_only_while_workflows_are_active() {
    assert_eq!(next(0, None), Next::Quit);
    assert_eq!(next(0, Some(Closing::Background)), Next::Quit);
    assert_eq!(next(2, None), Next::Ask(2));
    assert_eq!(next(2, Some(Closing::Background)), Next::Hide);
    assert_eq!(next(2, Some(Closing::Quit)), Next::Quit);
}

#[test]
fn page_and_shell_use_the_same_words() {
    let said: Vec<PageReply> =
        serde_json::from_value(json!(["ready", "shown", "stay", "background", "quit"])).expect("all of them");
    assert_eq!(said, [PageReply::Ready, PageReply::Shown, PageReply::Stay, PageReply::Background, PageReply::Quit]);
    let asked = serde_json::to_value(Asked { active: 1, tray: true }).expect("JSON");
    assert_eq!(asked, json!({ "active": 1, "tray": true }));
}
