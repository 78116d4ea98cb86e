use super::{Person, SessionKey};
use serde_json::json;
use signalbox_ports::Secret;

#[test]
fn only_the_token_of_the_session_opens_what_was_sealed() {
    let claims = json!({ "sub": "248", "groups": ["team"] }).as_object().cloned().expect("an object");
    let person =
        Person { subject: "248".into(), claims: claims.clone(), token: claims, refresh: Some(Secret::new("r-17")) };
    let key = SessionKey::of("token").expect("a key");
    let sealed = key.seal(&person).expect("sealed");
    assert_ne!(key.seal(&person).expect("sealed"), sealed, "each time with other random numbers");
    assert!(!sealed.contains("r-17") && !sealed.contains("248"));
    let opened = SessionKey::of("token").expect("a key").open(&sealed).expect("opened");
    assert_eq!((opened.subject.as_str(), opened.refresh.expect("kept").expose()), ("248", "r-17"));
    assert_eq!(opened.claims["groups"], json!(["team"]));
    assert!(SessionKey::of("other").expect("a key").open(&sealed).is_none());
    let cut = &sealed[..sealed.len() - 4];
    for wrong in [cut, "", "AAAA", "no base64!"] {
        assert!(key.open(wrong).is_none(), "{wrong}");
    }
}
