//! Against a collector of our own on loopback, which takes what comes.

use crate::caller::Caller;
use crate::dto::{CallerRole, Host, RunTraceOf, TelemetryProtocol, TelemetrySet};
use crate::{App, Options};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

fn opened(folder: &tempfile::TempDir) -> Arc<App> {
    let options = Options { host: Host::Http, allow: Vec::new(), stays: false, reads: false };
    App::open(folder.path(), options).expect("opens")
}

fn to(endpoint: Option<&str>) -> TelemetrySet {
    TelemetrySet {
        on: endpoint.is_some(),
        endpoint: endpoint.map(str::to_owned),
        protocol: TelemetryProtocol::Http,
        credential: None,
        link: None,
    }
}

/// Tells the first line of each request, and answers with this status.
fn collector(status: &'static str) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("http://{}", listener.local_addr().expect("it has an address"));
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = Vec::new();
            let mut part = [0; 4096];
            loop {
                let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
                let length: Option<usize> =
                    text.split("content-length: ").nth(1).and_then(|rest| rest.split('\r').next()?.parse().ok());
                let body = text.find("\r\n\r\n").map(|at| at + 4);
                if let (Some(length), Some(body)) = (length, body)
                    && request.len() >= body + length
                {
                    break;
                }
                match stream.read(&mut part) {
                    Ok(0) | Err(_) => return,
                    Ok(read) => request.extend_from_slice(&part[..read]),
                }
            }
            let first = String::from_utf8_lossy(&request).lines().next().unwrap_or_default().to_owned();
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            if stream.write_all(answer.as_bytes()).is_err() || sender.send(first).is_err() {
                return;
            }
        }
    });
    (address, receiver)
}

#[test]
fn one_span_is_sent_to_the_collector_of_the_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = opened(&folder);
    assert!(!app.telemetry_now().expect("read").on, "off by default");
    let (address, requests) = collector("200 OK");
    app.telemetry_set(&Caller::here(), to(Some(&address))).expect("taken");
    let done = app.telemetry_test().expect("tried");
    assert_eq!((done.ok, done.error), (true, None));
    assert_eq!(done.trace_id.len(), 32);
    assert_eq!(requests.recv().expect("it came"), "POST /v1/traces HTTP/1.1");
}

#[test]
fn a_collector_that_refuses_or_is_not_there_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = opened(&folder);
    let (address, _requests) = collector("401 Unauthorized");
    app.telemetry_set(&Caller::here(), to(Some(&address))).expect("taken");
    let done = app.telemetry_test().expect("tried");
    assert!(!done.ok && done.error.as_deref().is_some_and(|why| why.contains("401")), "{:?}", done.error);
    let gone = TcpListener::bind("127.0.0.1:0").expect("a port is free").local_addr().expect("an address");
    app.telemetry_set(&Caller::here(), to(Some(&format!("http://{gone}")))).expect("taken");
    let done = app.telemetry_test().expect("tried");
    assert!(!done.ok && done.error.is_some());
}

#[test]
fn spans_begin_and_end_with_the_setting() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = opened(&folder);
    app.trace_runs(|_| ()).expect("nothing hinders it");
    assert!(!app.telemetry_now().expect("read").sending);
    let (address, _requests) = collector("200 OK");
    assert!(app.telemetry_set(&Caller::here(), to(Some(&address))).expect("taken").sending);
    let off = TelemetrySet { on: false, ..to(Some(&address)) };
    let now = app.telemetry_set(&Caller::here(), off).expect("taken");
    assert!(!now.sending && now.endpoint.as_deref() == Some(&*address), "the address is kept");
    let query = signalbox_store::AuditQuery { event: Some("TELEMETRY_CHANGED".into()), ..Default::default() };
    assert_eq!(app.store.audit_page(&query).expect("read").total, 2, "who changed it is recorded");
}

#[test]
fn what_cannot_be_used_is_refused_and_nothing_is_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = opened(&folder);
    let elsewhere = Caller::http(CallerRole::Builder, false, "anna");
    assert!(app.telemetry_set(&elsewhere, to(Some("https://collector.example"))).is_err());
    let link = |text: &str| TelemetrySet { link: Some(text.to_owned()), ..to(Some("https://collector.example")) };
    for wrong in [
        TelemetrySet { on: true, ..to(None) },
        to(Some("collector:4318")),
        to(Some("https://anna:pw@collector.example")),
        TelemetrySet { credential: Some("nobody".into()), ..to(Some("https://collector.example")) },
        link("https://traces.example/"),
        link("javascript:alert('{traceId}')"),
        link("https://traces.example/{traceId}/{other}"),
    ] {
        assert!(app.telemetry_set(&Caller::here(), wrong.clone()).is_err(), "{wrong:?}");
    }
    let now = app.telemetry_now().expect("read");
    assert!(!now.on && now.endpoint.is_none() && now.variables.is_empty());
}

#[test]
fn a_run_that_is_not_there_has_no_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = opened(&folder);
    let of = RunTraceOf { run_id: "none".into(), step_id: None, path: None, item: None };
    assert!(app.run_trace(&of).is_err());
}
