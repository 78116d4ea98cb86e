use super::{AllowedHost, Secret, allows};
use std::fmt::{Debug, Display};
use url::Url;

/// Fails to compile as soon as `Secret` can be printed, written or copied: the call would be ambiguous.
#[test]
fn a_secret_cannot_be_printed_or_copied() {
    trait Unless<A> {
        fn holds() {}
    }
    impl<T> Unless<()> for T {}
    struct CanDebug;
    impl<T: Debug> Unless<CanDebug> for T {}
    struct CanDisplay;
    impl<T: Display> Unless<CanDisplay> for T {}
    struct CanClone;
    impl<T: Clone> Unless<CanClone> for T {}
    struct CanSerialize;
    impl<T: serde::Serialize> Unless<CanSerialize> for T {}
    <Secret as Unless<_>>::holds();
}

#[test]
fn a_credential_goes_to_its_hosts_only() {
    for (allowed, url, want) in [
        ("api.example.com", "https://api.example.com/a", true),
        ("API.example.com.", "https://api.example.com:8443/a", true),
        ("api.example.com", "https://api.example.com.evil.example/", false),
        ("api.example.com", "https://evil.example/?api.example.com", false),
        ("api.example.com", "https://api.example.com@evil.example/", false),
        ("api.example.com", "http://api.example.com/", false),
        ("http://api.example.com", "http://api.example.com/", true),
        ("https://api.example.com/", "https://api.example.com/", true),
        ("api.example.com:8443", "https://api.example.com/", false),
        ("api.example.com:443", "https://api.example.com/", true),
        ("*.example.com", "https://a.b.example.com/", true),
        ("*.example.com", "https://example.com/", false),
        ("*.api.example.com", "https://badapi.example.com/", false),
        ("127.0.0.1", "http://127.0.0.1:40123/x", true),
        ("127.0.0.1", "http://127.1:40123/x", true),
        ("::1", "http://[::1]:8080/", true),
        ("[::1]:8081", "http://[::1]:8080/", false),
        ("nas.lan", "http://nas.lan/", false),
        ("bücher.example", "https://xn--bcher-kva.example/", true),
    ] {
        let hosts = [AllowedHost::parse(allowed).expect(allowed)];
        assert_eq!(allows(&hosts, &Url::parse(url).expect(url)).is_ok(), want, "{allowed} {url}");
    }
    for wrong in ["", "*", "*.com", "a/b", "http://", "a b", "x@y", "*.1.2.3.4", "ex*mple.com"] {
        assert!(AllowedHost::parse(wrong).is_err(), "{wrong}");
    }
    for (text, shown) in [("HTTP.example.com:80", "http.example.com:80"), ("http://[::1]:9", "http://[::1]:9")] {
        assert_eq!(AllowedHost::parse(text).expect(text).to_string(), shown);
    }
}

#[test]
fn a_refusal_names_the_port_that_is_the_reason() {
    for (allowed, url, words) in [
        ("api.example.com", "http://127.0.0.1:40123/x", "may be sent to api.example.com only, not to 127.0.0.1:40123"),
        ("api.example.com", "https://a.example/x", "may be sent to api.example.com only, not to a.example"),
        ("127.0.0.1:8080", "http://127.0.0.1:8081/", "may be sent to 127.0.0.1:8080 only, not to 127.0.0.1:8081"),
        ("a.example:8443", "https://a.example/", "may be sent to a.example:8443 only, not to a.example:443"),
        ("[::1]:8081", "http://[::1]:8080/", "may be sent to [::1]:8081 only, not to [::1]:8080"),
    ] {
        let hosts = [AllowedHost::parse(allowed).expect(allowed)];
        assert_eq!(allows(&hosts, &Url::parse(url).expect(url)), Err(format!("it {words}")));
    }
}
