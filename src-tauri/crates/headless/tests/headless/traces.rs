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
use support::{Serving, TestHome, eventually, workflow};

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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A server that keeps the heads of its requests, in lower case, and sends those to `/away` to another origin.
struct Web {
    base: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Web {
    fn start(away: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("its address"));
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&heads);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let mut reader = BufReader::new(stream.try_clone().expect("one more"));
                let mut head = String::new();
                while reader.read_line(&mut head).is_ok_and(|read| read > 2) {}
                let answer = if head.starts_with("GET /away ") {
                    format!("HTTP/1.1 302 Found\r\nlocation: {away}/end\r\n")
                } else {
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n".to_owned()
                };
                kept.lock().expect("nobody panicked").push(head.to_lowercase());
                let rest = "content-length: 2\r\nconnection: close\r\n\r\n{}";
                stream.write_all(format!("{answer}{rest}").as_bytes()).expect("it listens");
            }
        });
        Self { base, heads }
    }

    /// The `traceparent` headers of the request to a path.
    fn parents(&self, path: &str) -> Vec<String> {
        let heads = self.heads.lock().expect("nobody panicked");
        let head = heads.iter().find(|head| head.starts_with(&format!("get {path} "))).expect("it was asked");
        head.lines().filter_map(|line| Some(line.strip_prefix("traceparent:")?.trim().to_owned())).collect()
    }
}

/// A server whose spans go to the collector.
fn serving(place: &TestHome, collector: &Collector) -> Serving {
    let mut command = traced(place, &["serve", "--addr", "127.0.0.1:0"], &collector.address);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    Serving::of(child.expect("it starts"))
}

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

/// The spans of runs, when there are so many.
fn runs(collector: &Collector, many: usize) -> Vec<Span> {
    let mut found = Vec::new();
    eventually("the spans arrive", || {
        found = collector.spans();
        found.retain(|span| span.name == "workflow.run");
        found.len() >= many
    });
    found
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

/// the tenant of a machine that has one goes along.
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
    let trace = hex(&run.trace_id);
    let log = String::from_utf8_lossy(&done.stderr).into_owned();
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let events: Vec<Value> = lines.filter(|line| line["seq"].is_u64()).collect();
    assert!(!events.is_empty() && events.iter().all(|line| line["traceId"] == json!(trace)), "{log}");
}

#[test]
fn o_01_a_request_names_the_span_of_its_step_and_no_other_origin_hears_of_it() {
    let (place, collector) = (TestHome::new(), Collector::start());
    let other = Web::start(String::new());
    let web = Web::start(other.base.clone());
    let author = format!("00-{TRACE}-{CALLER}-00");
    let get = |path: &str| json!({ "method": "GET", "url": format!("{}{path}", web.base) });
    let mut own = get("/own");
    own["headers"] = json!({ "Traceparent": author });
    let nodes = json!({
        "plain": { "type": "http.request", "config": get("/plain") },
        "own": { "type": "http.request", "config": own },
        "away": { "type": "http.request", "config": get("/away") },
    });
    let edges = json!([{ "from": "plain.success", "to": "own" }, { "from": "own.success", "to": "away" }]);
    let file = place.file("w.signalbox.json", workflow(nodes, edges).to_string());
    let args = ["run", &file.display().to_string(), "--events", "--json"];
    let done = traced(&place, &args, &collector.address).stdin(Stdio::null()).output().expect("it runs");
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(done.status.code(), Some(0), "{out}{}", String::from_utf8_lossy(&done.stderr));
    let spans = collector.spans();
    let of =
        |node: &str| spans.iter().find(|span| attribute(span, "node.id").as_deref() == Some(node)).expect("a span");
    for node in ["plain", "away"] {
        let named = format!("00-{}-{}-01", hex(&of(node).trace_id), hex(&of(node).span_id));
        assert_eq!(web.parents(&format!("/{node}")), [named], "{node}");
    }
    assert_eq!(web.parents("/own"), [author], "what the step says itself stays");
    assert_eq!(other.parents("/end"), [] as [String; 0]);
    // O-10: the same id stands in the events and in the audit chain.
    let trace = hex(&of("plain").trace_id);
    let told: Vec<Value> = out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let events: Vec<&Value> = told.iter().filter(|line| line["stepId"] == "plain").collect();
    assert!(!events.is_empty() && events.iter().all(|event| event["traceId"] == json!(trace)), "{out}");
    let listed = place.run(&["audit", "list", "--json"]);
    let entry = |event: &str| {
        let all = listed.json();
        let found = all.as_array().expect("a list").iter().find(|entry| entry["event"] == event).cloned();
        found.unwrap_or_else(|| panic!("no {event} in {}", listed.out))
    };
    assert_eq!(entry("WORKFLOW_STARTED")["metadata"]["traceId"], json!(trace));
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}

#[test]
fn without_telemetry_no_request_tells_of_a_trace() {
    let place = TestHome::new();
    let web = Web::start(String::new());
    let nodes =
        json!({ "a": { "type": "http.request", "config": { "method": "GET", "url": format!("{}/plain", web.base) } } });
    let file = place.file("w.signalbox.json", workflow(nodes, json!([])).to_string());
    let done = place.run(&["run", &file.display().to_string(), "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert_eq!(web.parents("/plain"), [] as [String; 0]);
}

#[test]
fn o_01_a_run_continues_the_trace_of_its_caller_also_after_kill_9() {
    let (place, collector) = (TestHome::new(), Collector::start());
    let mut first = serving(&place, &collector);
    let mut document = workflow(json!({ "w": { "type": "flow.wait", "config": { "ms": 3_600_000 } } }), json!([]));
    document["id"] = json!("waits");
    assert_eq!(first.ask("PUT", "/workflows/waits", &document).status, 200);
    let parent = format!("00-{TRACE}-{CALLER}-01");
    let headers = [("traceparent", parent.as_str()), ("tracestate", "vendor=1")];
    let body = json!({ "workflow": "waits", "params": {} });
    let started = first.ask_as(&first.token, "POST", "/workflow/run", &body, &headers);
    assert_eq!(started.status, 200, "{}", started.body);
    let run = started.json()["runId"].as_str().expect("a run").to_owned();
    first.child.kill().expect("kill -9");
    first.child.wait().expect("it ends");
    let second = serving(&place, &collector);
    // The span of before is told when the run is taken up again.
    runs(&collector, 1);
    assert_eq!(second.ask("POST", &format!("/workflow/{run}/abort"), &Value::Null).status, 200);
    let spans = runs(&collector, 2);
    for span in &spans {
        assert_eq!((hex(&span.trace_id), hex(&span.parent_span_id)), (TRACE.to_owned(), CALLER.to_owned()));
        assert_eq!(span.trace_state, "vendor=1");
    }
    let status = |span: &Span| attribute(span, "status").expect("a status");
    assert_eq!((status(&spans[0]).as_str(), status(&spans[1]).as_str()), ("interrupted", "cancelled"));
    assert_eq!(spans[1].links[0].span_id, spans[0].span_id, "the next part links to the one before");
}

#[test]
fn o_01_a_webhook_continues_the_trace_of_its_sender_and_ignores_what_is_none() {
    let (place, collector) = (TestHome::new(), Collector::start());
    let serving = serving(&place, &collector);
    let document = json!({
        "signalbox": 1, "id": "hook", "name": "hook", "settings": { "errorPolicy": "fail" },
        "nodes": { "t": { "type": "trigger.webhook", "config": { "path": "traced" } } },
        "edges": [],
    });
    assert_eq!(serving.ask("PUT", "/workflows/hook", &document).status, 200);
    let active = serving.ask("POST", "/workflows/hook/activation", &Value::Null);
    assert_eq!(active.status, 200, "{}", active.body);
    let send = |parent: &str| {
        let headers = [("host", serving.host()), ("content-type", "application/json"), ("traceparent", parent)];
        let told = serving.raw("POST", "/hooks/traced", &headers, "{}");
        assert_eq!(told.status, 202, "{}", told.body);
    };
    send(&format!("00-{TRACE}-{CALLER}-01"));
    let continued = runs(&collector, 1).remove(0);
    assert_eq!((hex(&continued.trace_id), hex(&continued.parent_span_id)), (TRACE.to_owned(), CALLER.to_owned()));
    send(&format!("00-{TRACE}-{CALLER}"));
    let own = runs(&collector, 2).remove(1);
    assert!(own.parent_span_id.is_empty() && hex(&own.trace_id) != TRACE);
}

#[test]
fn a_collector_that_is_down_is_told_once_and_fails_no_run() {
    let place = TestHome::new();
    let file = place.file("w.signalbox.json", failing());
    // Nothing listens there, and no test does: the port of a listener that is gone may be given to the collector of another test.
    let gone = "127.0.0.1:1";
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
