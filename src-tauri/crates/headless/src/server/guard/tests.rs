use super::Names;
use axum::http::{HeaderMap, HeaderValue, header};

fn check(host: &str, origin: Option<&str>) -> bool {
    let names = Names::of("127.0.0.1:9160".parse().expect("address"));
    let mut headers = HeaderMap::new();
    headers.insert(header::HOST, HeaderValue::from_str(host).expect("header"));
    if let Some(origin) = origin {
        headers.insert(header::ORIGIN, HeaderValue::from_str(origin).expect("header"));
    }
    names.check(&headers).is_ok()
}

#[test]
fn only_this_server_s_names_and_its_own_page_pass() {
    for host in ["127.0.0.1:9160", "localhost:9160", "LOCALHOST:9160", "[::1]:9160"] {
        assert!(check(host, None), "{host}");
    }
    for host in [
        "",
        "evil.com",
        "evil.com:9160",
        "127.0.0.1",
        "127.0.0.1:80",
        "0.0.0.0:9160",
        "localhost.:9160",
        "localhost:9160.evil.com",
    ] {
        assert!(!check(host, None), "{host}");
    }
    assert!(check("127.0.0.1:9160", Some("http://localhost:9160")));
    for origin in [
        "null",
        "http://evil.com",
        "http://localhost:9161",
        "https://localhost:9160",
        "http://localhost:9160.evil.com",
        "",
    ] {
        assert!(!check("127.0.0.1:9160", Some(origin)), "{origin}");
    }
}
