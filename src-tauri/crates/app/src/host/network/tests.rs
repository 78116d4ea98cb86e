//! A proxy on loopback that counts what goes through it, and settings that cannot be used. A process has one way out: the
//! runner of the tests runs each test in its own process.

use crate::caller::Caller;
use crate::dto::{CallerRole, Host, NetworkSet, NetworkTest, ProxyChoice};
use crate::{App, Options};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

fn opened(folder: &tempfile::TempDir) -> Arc<App> {
    let options = Options { host: Host::Http, allow: Vec::new(), stays: false, reads: false };
    App::open(folder.path(), options).expect("opens")
}

fn set(proxy: ProxyChoice, address: Option<&str>) -> NetworkSet {
    NetworkSet {
        proxy,
        address: address.map(str::to_owned),
        exceptions: vec!["intranet.example.org".to_owned()],
        credential: None,
        authorities: None,
    }
}

/// Tells the first line of each request and answers it itself.
fn proxy() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("http://{}", listener.local_addr().expect("it has an address"));
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().expect("a second handle")).lines();
            let first = lines.next().and_then(Result::ok).unwrap_or_default();
            for line in lines.map_while(Result::ok) {
                if line.is_empty() {
                    break;
                }
            }
            let answer = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
            if stream.write_all(answer.as_bytes()).is_err() || sender.send(first).is_err() {
                return;
            }
        }
    });
    (address, receiver)
}

#[test]
fn requests_go_through_the_proxy_of_the_settings_from_the_moment_they_are_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = opened(&folder);
    let (address, seen) = proxy();
    let now = app.network_set(&Caller::here(), set(ProxyChoice::Address, Some(&address))).expect("taken");
    assert_eq!(now.in_use.as_deref(), address.strip_prefix("http://"));
    let url = "http://host.invalid/path".to_owned();
    let tested = app.network_test(&Caller::here(), &NetworkTest { url: url.clone() }).expect("tested");
    assert_eq!((tested.ok, tested.status, tested.through), (true, Some(204), now.in_use));
    assert_eq!(seen.recv().expect("the proxy was asked"), "GET http://host.invalid/path HTTP/1.1");
    app.network_set(&Caller::here(), set(ProxyChoice::None, Some(&address))).expect("taken");
    let tested = app.network_test(&Caller::here(), &NetworkTest { url }).expect("tested");
    assert_eq!((tested.ok, tested.through), (false, None));
    assert!(tested.error.expect("why").contains("host.invalid"));
    let query = signalbox_store::AuditQuery { event: Some("NETWORK_CHANGED".into()), ..Default::default() };
    assert_eq!(app.store.audit_page(&query).expect("read").total, 2);
}

#[test]
fn what_cannot_be_used_is_refused_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = opened(&folder);
    for (address, why) in [
        ("socks5://127.0.0.1:1080", "not supported"),
        ("http://ada:pw@proxy.example.org:3128", "secret"),
        ("http://proxy.example.org:3128/path", "no path"),
        ("http://", "no address"),
    ] {
        let error = app.network_set(&Caller::here(), set(ProxyChoice::Address, Some(address))).expect_err("refused");
        assert!(error.message.contains(why) && !error.message.contains("pw"), "{address}: {}", error.message);
    }
    let mut request = set(ProxyChoice::Environment, None);
    request.exceptions = vec!["10.0.0.0/64".to_owned()];
    request.address = Some("proxy.example.org:3128".to_owned());
    let error = app.network_set(&Caller::here(), request.clone()).expect_err("no network");
    assert!(error.message.contains("10.0.0.0/64"), "{}", error.message);
    request.exceptions.clear();
    request.authorities = Some("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----".to_owned());
    let error = app.network_set(&Caller::here(), request.clone()).expect_err("no certificate");
    assert!(error.message.contains("Certificate 1"), "{}", error.message);
    let long = set(ProxyChoice::None, Some(&"0".repeat(2049)));
    let error = app.network_set(&Caller::here(), long).expect_err("too long");
    assert!(error.message.contains("2048"), "{}", error.message);
    let away = Caller::http(CallerRole::Builder, false, "anna");
    request.authorities = None;
    assert!(app.network_set(&away, request).is_err(), "from elsewhere");
    assert_eq!(app.network_now().expect("read").address, None);
}
