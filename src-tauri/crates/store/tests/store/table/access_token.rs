use crate::people::record;
use crate::support::{T0, open, temporary};
use serde_json::json;
use signalbox_store::{AccessToken, Quota};

fn token(hash: &str, name: &str) -> AccessToken {
    AccessToken {
        hash: hash.into(),
        name: name.into(),
        role: "viewer".into(),
        person: "user:anna".into(),
        made_ms: T0,
        expires_ms: Some(T0 + 1_000),
        used_ms: None,
        workspaces: None,
        quota: Quota::default(),
    }
}

#[test]
fn a_token_is_kept_once_by_name_and_is_gone_when_it_is_revoked() {
    let (folder, store) = temporary();
    let made = || record("TOKEN_CREATED", "$store", json!({}));
    assert_eq!(store.access_token_add(token("h1", "nightly"), made()), Ok(true));
    assert_eq!(store.access_token_add(token("h2", "NIGHTLY"), made()), Ok(false), "capitals make no other name");
    assert_eq!(store.access_token_add(token("h3", "other"), made()), Ok(true));
    store.access_token_used("h1", T0 + 5).expect("writes");
    drop(store);
    let store = open(folder.path());
    let kept = store.access_token_named("Nightly").expect("reads").expect("is there");
    assert_eq!(kept, AccessToken { used_ms: Some(T0 + 5), ..token("h1", "nightly") });
    let quota = Quota { per_minute: Some(30), ..Quota::default() };
    let limited = AccessToken { workspaces: Some(vec!["hr".into(), "sales".into()]), quota, ..token("h4", "portal") };
    assert_eq!(store.access_token_add(limited.clone(), made()), Ok(true));
    assert_eq!(store.access_token("h4"), Ok(Some(limited)));
    let nowhere = AccessToken { workspaces: Some(Vec::new()), ..token("h5", "nowhere") };
    assert_eq!(store.access_token_add(nowhere.clone(), made()), Ok(true));
    assert_eq!(store.access_token("h5"), Ok(Some(nowhere)), "limited to nothing is not unlimited");
    for hash in ["h4", "h5"] {
        assert_eq!(store.access_token_delete(hash, record("TOKEN_REVOKED", "$store", json!({}))), Ok(true));
    }
    let ended = || record("TOKEN_REVOKED", "$store", json!({}));
    assert_eq!(store.access_token_delete("h1", ended()), Ok(true));
    assert_eq!(store.access_token_delete("h1", ended()), Ok(false));
    assert_eq!(store.access_tokens(), Ok(vec![token("h3", "other")]));
    assert!(store.audit_page(&Default::default()).is_ok_and(|page| page.total == 7), "what happened, and no more");
    assert_eq!(store.access_clear(), Ok(1));
    assert_eq!(store.access_tokens(), Ok(Vec::new()));
}
