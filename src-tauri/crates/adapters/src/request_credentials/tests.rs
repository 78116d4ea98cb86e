use super::attach;
use reqwest::header::HeaderMap;
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
