//! Spans of runs, as a collector of OpenTelemetry gets them (O-01, O-07).

use crate::support;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use support::{TestHome, workflow};

/// A collector on loopback that keeps what comes in.
struct Collector {
    address: String,
    requests: Arc<Mutex<Vec<ExportTraceServiceRequest>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("its address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || serve(&stream, &kept));
            }
        });
        Self { address, requests }
    }

    fn spans(&self) -> Vec<Span> {
        let requests = self.requests.lock().expect("nobody panicked");
        let scopes = requests.iter().flat_map(|request| &request.resource_spans).flat_map(|of| &of.scope_spans);
        scopes.flat_map(|scope| scope.spans.clone()).collect()
    }

    fn service(&self) -> String {
        let requests = self.requests.lock().expect("nobody panicked");
        let resource = requests[0].resource_spans[0].resource.clone().expect("a resource");
        let name = resource.attributes.iter().find(|attribute| attribute.key == "service.name").expect("a name");
        text(name.value.clone().and_then(|value| value.value))
    }
}

/// Answers each request of a connection with 200.
fn serve(stream: &TcpStream, kept: &Mutex<Vec<ExportTraceServiceRequest>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut length, mut line, mut first) = (0, String::new(), String::new());
        while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
            let lower = line.to_lowercase();
            if first.is_empty() {
                first.clone_from(&line);
            }
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            line.clear();
        }
        if first.is_empty() {
            return;
        }
        assert!(first.starts_with("POST /v1/traces "), "{first}");
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        kept.lock().expect("nobody panicked").push(ExportTraceServiceRequest::decode(&body[..]).expect("spans"));
        let mut writer = stream;
        let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
        writer.write_all(answer.as_bytes()).expect("it listens");
    }
}

fn text(value: Option<Any>) -> String {
    match value {
        Some(Any::StringValue(text)) => text,
        Some(Any::IntValue(number)) => number.to_string(),
        other => panic!("neither text nor number: {other:?}"),
    }
}

fn attribute(span: &Span, name: &str) -> Option<String> {
    let found = span.attributes.iter().find(|attribute| attribute.key == name)?;
    Some(text(found.value.clone().and_then(|value| value.value)))
}

fn traced(place: &TestHome, args: &[&str], endpoint: &str) -> Command {
    let mut command = place.command(args);
    command.env("SIGNALBOX_OTEL", "on").env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
    for unset in ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"] {
        command.env_remove(unset);
    }
    command
}

fn failing() -> String {
    let nodes = json!({
        "set": { "type": "data.set", "config": { "assign": { "customer": "Ada" } } },
        "fail": { "type": "flow.fail", "config": { "error": { "message": "Ada owes 7" } } }
    });
    workflow(nodes, json!([{ "from": "set.success", "to": "fail" }])).to_string()
}

#[test]
fn o_01_o_07_a_collector_gets_a_span_of_the_run_and_of_each_call() {
    let (place, collector) = (TestHome::new(), Collector::start());
    let file = place.file("w.signalbox.json", failing());
    let args = ["run", &file.display().to_string(), "--log", "debug", "--json"];
    let done = traced(&place, &args, &collector.address).stdin(Stdio::null()).output().expect("it runs");
    assert_eq!(done.status.code(), Some(1));
    let spans = collector.spans();
    assert_eq!(collector.service(), "signalbox");
    assert_eq!(spans.len(), 3, "{spans:#?}");
    let run = spans.iter().find(|span| span.name == "workflow.run").expect("the span of the run");
    assert!(run.parent_span_id.is_empty());
    assert_eq!(attribute(run, "status").as_deref(), Some("failed"));
    for (node, kind, status) in [("set", "data.set", "ok"), ("fail", "flow.fail", "error")] {
        let of = |span: &&Span| attribute(span, "node.id").as_deref() == Some(node);
        let call = spans.iter().find(of).expect("a span of the call");
        assert_eq!(call.name, "node.execute");
        assert_eq!((&call.trace_id, &call.parent_span_id), (&run.trace_id, &run.span_id));
        for (name, value) in [("node.type", kind), ("status", status), ("itemCount", "1"), ("tenant.id", "default")] {
            assert_eq!(attribute(call, name).as_deref(), Some(value), "{node} {name}");
        }
        assert_eq!(attribute(call, "run.id"), attribute(run, "run.id"));
        assert!(call.start_time_unix_nano >= run.start_time_unix_nano);
        assert!(call.end_time_unix_nano <= run.end_time_unix_nano);
    }
    assert!(!format!("{spans:?}").contains("Ada"), "no data of people leaves with a span");
    // The structured log names the same trace.
    let trace: String = run.trace_id.iter().map(|byte| format!("{byte:02x}")).collect();
    let log = String::from_utf8_lossy(&done.stderr).into_owned();
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let events: Vec<Value> = lines.filter(|line| line["seq"].is_u64()).collect();
    assert!(!events.is_empty() && events.iter().all(|line| line["traceId"] == json!(trace)), "{log}");
}

#[test]
fn a_collector_that_is_down_is_told_once_and_fails_no_run() {
    let place = TestHome::new();
    let file = place.file("w.signalbox.json", failing());
    // Nothing listens on the port of a listener that is gone.
    let gone = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address");
    let args = ["run", &file.display().to_string(), "--json"];
    let done = traced(&place, &args, &format!("http://{gone}")).stdin(Stdio::null()).output().expect("it runs");
    assert_eq!(done.status.code(), Some(1), "the workflow fails by itself, as without a collector");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(told.matches("Spans do not reach the collector").count(), 1, "{told}");
}

#[test]
fn what_cannot_be_a_collector_is_refused_before_anything_runs() {
    let place = TestHome::new();
    let file = place.file("w.signalbox.json", failing());
    let args = ["run", &file.display().to_string(), "--json"];
    let done = traced(&place, &args, "collector:4318").stdin(Stdio::null()).output().expect("it starts");
    let told = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(told.contains("TELEMETRY") && told.contains("collector:4318"), "{told}");
    assert!(!told.contains("workflow_"), "{told}");
    let mut wrong = traced(&place, &args, "http://127.0.0.1:1");
    let done = wrong.env("SIGNALBOX_OTEL", "yes").stdin(Stdio::null()).output().expect("it starts");
    let told = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(told.contains("SIGNALBOX_OTEL is 'yes'") && told.contains("'on' or 'off'"), "{told}");
}
