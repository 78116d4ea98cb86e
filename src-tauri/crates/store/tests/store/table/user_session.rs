use crate::people::record;
use crate::support::{T0, open, temporary};
use serde_json::json;
use signalbox_store::UserSession;

fn session(hash: &str) -> UserSession {
    UserSession {
        hash: hash.into(),
        id: format!("id-{hash}"),
        person: "{}".into(),
        since_ms: T0,
        used_ms: T0,
        renew_ms: Some(T0 + 300),
        sealed: Some("sealed".into()),
    }
}

#[test]
fn a_session_survives_the_process_and_does_not_come_back_once_it_has_ended() {
    let (folder, store) = temporary();
    store.session_begin(session("a"), record("USER_SIGNED_IN", "$store", json!({}))).expect("begins");
    store.session_begin(session("b"), record("USER_SIGNED_IN", "$store", json!({}))).expect("begins");
    let used = UserSession { used_ms: T0 + 60, renew_ms: None, sealed: None, ..session("a") };
    assert_eq!(store.session_update(used.clone()), Ok(true));
    drop(store);
    let store = open(folder.path());
    assert_eq!(store.sessions(), Ok(vec![used.clone(), session("b")]));
    let ended = || record("USER_SIGNED_OUT", "$store", json!({}));
    assert_eq!(store.session_end("a", ended()), Ok(true));
    assert_eq!(store.session_end("a", ended()), Ok(false));
    assert_eq!(store.session_update(used), Ok(false), "an update does not bring it back");
    assert_eq!(store.sessions(), Ok(vec![session("b")]));
    assert!(store.audit_page(&Default::default()).is_ok_and(|page| page.total == 3), "what happened, and no more");
    assert_eq!(store.access_clear(), Ok(1));
}
