use super::Names;
use axum::http::{HeaderMap, HeaderValue, Uri, header};

fn asked(line: &str, hosts: &[&str], origin: Option<&str>) -> bool {
    let addr = "127.0.0.1:9160".parse().expect("address");
    let names = Names::of(addr, false, &"http://127.0.0.1:9160".parse().expect("an address"));
    let mut headers = HeaderMap::new();
    for host in hosts {
        headers.append(header::HOST, HeaderValue::from_str(host).expect("header"));
    }
    if let Some(origin) = origin {
        headers.insert(header::ORIGIN, HeaderValue::from_str(origin).expect("header"));
    }
    names.check(&line.parse::<Uri>().expect("a request line"), &headers).is_ok()
}

fn check(host: &str, origin: Option<&str>) -> bool {
    asked("/workflows", &[host], origin)
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

#[test]
fn the_request_line_names_this_server_too_where_it_names_one() {
    let own = &["127.0.0.1:9160"][..];
    for line in
        ["http://127.0.0.1:9160/workflows", "HTTP://LOCALHOST:9160/", "http://[::1]:9160/?a=1", "127.0.0.1:9160"]
    {
        assert!(asked(line, own, None), "{line}");
    }
    // HTTP/2 sends no Host.
    assert!(asked("http://localhost:9160/workflows", &[], None));
    for line in [
        "http://evil.com/workflows",
        "http://evil.com:9160/",
        "http://127.0.0.1/",
        "http://127.0.0.1:80/",
        "http://user@127.0.0.1:9160/",
        "http://127.0.0.1:9160@evil.com/",
        "https://127.0.0.1:9160/",
        "ftp://127.0.0.1:9160/",
        "evil.com:443",
    ] {
        assert!(!asked(line, own, None), "{line}");
        assert!(!asked(line, &[], None), "{line}");
    }
    // Neither hides the other.
    assert!(!asked("http://127.0.0.1:9160/", &["evil.com"], None));
    assert!(!asked("http://127.0.0.1:9160/", &["127.0.0.1:9160", "127.0.0.1:9160"], None));
    assert!(!asked("/workflows", &[], None));
    assert!(!asked("/workflows", &["127.0.0.1:9160", "evil.com"], None));
}

#[test]
fn the_address_for_people_and_the_usual_port_name_this_server() {
    let addr = "10.0.0.5:443".parse().expect("address");
    let names = Names::of(addr, true, &"https://signalbox.example.com".parse().expect("an address"));
    let check = |host: &str, origin: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).expect("header"));
        headers.insert(header::ORIGIN, HeaderValue::from_str(origin).expect("header"));
        names
            .check(&Uri::from_static("/workflows"), &headers)
            .is_ok()
            .then(|| names.base_of(&Uri::from_static("/"), &headers))
    };
    let base = Some(Some("https://signalbox.example.com".to_owned()));
    assert_eq!(check("signalbox.example.com", "https://signalbox.example.com"), base);
    assert_eq!(check("10.0.0.5", "https://10.0.0.5"), Some(Some("https://10.0.0.5".to_owned())));
    for (host, origin) in [
        ("signalbox.example.com", "http://signalbox.example.com"),
        ("signalbox.example.com:8443", "https://signalbox.example.com"),
        ("signalbox.example.com", "https://evil.example.com"),
        ("localhost", "https://signalbox.example.com"),
    ] {
        assert_eq!(check(host, origin), None, "{host} {origin}");
    }
}
