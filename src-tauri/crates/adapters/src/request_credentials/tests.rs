use super::{attach, authenticate};
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderValue};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{Credential, CredentialKind, HttpError, Secret};
use std::sync::Arc;
use url::Url;

fn attached(value: &str, address: &str) -> Result<String, HttpError> {
    let credential = Credential {
        name: "bot".into(),
        kind: CredentialKind::Path,
        hosts: vec![AllowedHost::parse("api.example.com").expect("a host")],
        value: Secret::new(value),
        scrubber: Arc::default(),
    };
    let mut url = Url::parse(address).expect("an address");
    attach(&credential, &mut url, &mut HeaderMap::new()).map(|()| url.into())
}

#[test]
fn a_secret_takes_its_place_in_the_path() {
    let sent = attached("123:ABC-d_e", "https://api.example.com/bot{credential}/send?q={credential}");
    assert_eq!(sent.as_deref(), Ok("https://api.example.com/bot123:ABC-d_e/send?q={credential}"));
}

/// It must stay a part of the path, and go nowhere else.
#[test]
fn a_secret_that_would_be_another_path_or_host_is_not_sent() {
    for value in ["a/b", "..", "a?b", "a#b", "a%2fb", "a b", ""] {
        let refused = attached(value, "https://api.example.com/bot{credential}/send").expect_err("refused");
        assert!(matches!(refused, HttpError::CredentialRefused { .. }), "{value}: {refused:?}");
    }
    let refused = attached("123:ABC", "https://evil.example/bot{credential}/send").expect_err("refused");
    assert!(matches!(refused, HttpError::CredentialRefused { .. }), "{refused:?}");
}

#[test]
fn a_shared_access_signature_goes_into_the_address_and_that_of_a_copy_of_the_same_account() {
    let credential = Credential {
        name: "share".into(),
        kind: CredentialKind::Sas,
        hosts: vec![AllowedHost::parse("ada.blob.core.windows.net").expect("a host")],
        value: Secret::new("?sv=2021-12-02&sp=rw&sig=a%2Bb%2Fc%3D"),
        scrubber: Arc::default(),
    };
    let sent = |address: &str, source: &str| {
        let mut url = Url::parse(address).expect("an address");
        let mut headers =
            HeaderMap::from_iter([("x-ms-copy-source".parse().expect("a name"), source.parse().expect("a value"))]);
        authenticate(&credential, &Method::PUT, &mut url, &mut headers, b"").map(|()| {
            let source: &HeaderValue = &headers["x-ms-copy-source"];
            (url.to_string(), source.to_str().expect("text").to_owned(), source.is_sensitive())
        })
    };
    let at = "https://ada.blob.core.windows.net/c";
    let signature = "sv=2021-12-02&sp=rw&sig=a%2Bb%2Fc%3D";
    let own = sent(&format!("{at}/b?comp=block"), &format!("{at}/a")).expect("sent");
    assert_eq!(own, (format!("{at}/b?comp=block&{signature}"), format!("{at}/a?{signature}"), true));
    let other = sent(&format!("{at}/b"), "https://eve.example/a").expect("sent");
    assert_eq!((other.1.as_str(), other.2), ("https://eve.example/a", false));
    assert!(sent("https://eve.example/b", "x").is_err());
}
