use super::{is_telling, shown};

#[test]
fn an_address_is_shown_without_what_may_be_secret() {
    assert_eq!(shown("https://anna:pw@log.example:8443/a/b?token=x#y"), "https://log.example:8443/a/b");
    assert_eq!(shown("http://log.example"), "http://log.example");
}

#[test]
fn a_credential_in_an_address_is_seen() {
    for telling in [
        "https://anna:pw@log.example/a",
        "https://token@log.example/a",
        "https://log.example/a?x=1&access_token=short",
        "https://log.example/a?code=1",
        "https://log.example/a?where=a1b2c3d4e5f6a7b8c9d0e1",
    ] {
        assert!(is_telling(telling), "{telling}");
    }
    for plain in ["https://log.example/a", "https://log.example/a?tenant=5&kind=anchor", "log"] {
        assert!(!is_telling(plain), "{plain}");
    }
}
