use super::{becomes_get, forget_body, keep_harmless, stays_on_host};
use crate::http::headers;
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use url::Url;

fn map(names: &[&str]) -> HeaderMap {
    let pairs: Vec<_> = names.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect();
    headers(&pairs).expect("headers")
}

fn names(map: &HeaderMap) -> Vec<&str> {
    let mut names: Vec<&str> = map.keys().map(|name| name.as_str()).collect();
    names.sort_unstable();
    names
}

#[test]
fn what_a_step_sets_stays_at_home() {
    let mut map = map(&[
        "Authorization",
        "Cookie",
        "X-Api-Key",
        "X-Auth",
        "X-Session",
        "X-Signature",
        "X-Other",
        "Origin",
        "Referer",
        "Idempotency-Key",
        "Accept",
        "Accept-Language",
        "User-Agent",
    ]);
    keep_harmless(&mut map);
    assert_eq!(names(&map), ["accept", "accept-language", "user-agent"]);
}

#[test]
fn a_get_that_was_a_post_describes_no_body() {
    let mut map = map(&["Content-Type", "Content-Language", "Content-MD5", "Digest", "Idempotency-Key", "X-Auth"]);
    forget_body(&mut map);
    assert_eq!(names(&map), ["x-auth"]);
}

#[test]
fn methods_change_as_rfc_9110_says() {
    for (status, method, get) in [
        (301, Method::POST, true),
        (302, Method::POST, true),
        (301, Method::PUT, false),
        (302, Method::DELETE, false),
        (303, Method::POST, true),
        (303, Method::PUT, true),
        (303, Method::DELETE, true),
        (303, Method::HEAD, false),
        (307, Method::POST, false),
        (308, Method::POST, false),
    ] {
        let status = StatusCode::from_u16(status).expect("a status");
        assert_eq!(becomes_get(status, &method), get, "{status} {method}");
    }
}

#[test]
fn the_same_host_is_the_same_place() {
    for (from, to, same) in [
        ("http://a.example/x", "http://a.example/y", true),
        ("http://a.example/", "http://A.example:80/", true),
        ("http://a.example/", "https://a.example/", true),
        ("https://a.example/", "http://a.example/", false),
        ("http://a.example:8080/", "https://a.example/", false),
        ("http://a.example:8080/", "http://a.example:8081/", false),
        ("http://a.example/", "http://b.a.example/", false),
        ("http://a.example/", "http://a.example.evil.example/", false),
    ] {
        let url = |text: &str| Url::parse(text).expect("an address");
        assert_eq!(stays_on_host(&url(from), &url(to)), same, "{from} {to}");
    }
}
