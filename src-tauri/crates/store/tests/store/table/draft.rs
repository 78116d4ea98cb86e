use crate::support::temporary;
use signalbox_store::Draft;

#[test]
fn drafts_are_replaced_listed_and_dropped() {
    let (_folder, store) = temporary();
    for (reference, document, saved_ms) in [("b", "1", 1), ("a", "2", 2), ("b", "{ \"kept\": true }", 3)] {
        store.draft_put(reference, Draft { document: document.into(), saved_ms }).expect("writes");
    }
    assert_eq!(store.drafts().expect("lists"), ["a", "b"]);
    let draft = Draft { document: "{ \"kept\": true }".into(), saved_ms: 3 };
    assert_eq!(store.draft_get("b").expect("reads"), Some(draft));
    store.draft_discard("b").expect("drops");
    assert_eq!(store.draft_get("b").expect("reads"), None);
}
