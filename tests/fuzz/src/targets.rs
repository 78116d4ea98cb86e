//! The readers of what comes from outside. Each gets bytes and must give an answer: a panic, a hang, a stack that is too small
//! or a broken promise (the `assert`s) is a fault. Those of documents are in a program by themselves (`documents.rs`).

use crate::values;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use signalbox_audit::{line, pack, verify};
use signalbox_engine::expr::Expr;
use signalbox_engine::form::Form;
use signalbox_engine::webhook::Webhook;
use signalbox_engine::{Compiled, RunState, fold, imported_checkpoint, json, validate};
use signalbox_fuzz::harness::{Shape, Target, target};
use signalbox_guardrails::{Finder, allowed, find_in, mask, signals};
use signalbox_import::{Format, Options};
use signalbox_model::Connector;
use signalbox_model::bundle::{Bundle, FOOTER, Footer};
use signalbox_model::{RunEvent, Workflow};
use signalbox_nodes::{Kind, connector};
use signalbox_runtime::triggers::{read_submission, webhook};
use std::io::{Cursor, Write};
use std::sync::{Arc, LazyLock};

/// In the order in which the task runs them; it reads the names from here.
pub(crate) static TARGETS: [Target; 18] = [
    target("workflow", Shape::Json, workflow),
    target("cel", Shape::Bytes, cel),
    target("events", Shape::Lines, events),
    target("csv", Shape::Bytes, csv),
    target("texts", Shape::Bytes, texts),
    target("bundle", Shape::Json, bundle),
    target("pack", Shape::Bytes, evidence_pack),
    target("audit", Shape::Lines, audit_lines),
    target("n8n", Shape::Json, |data| import(data, Format::N8n)),
    target("asl", Shape::Json, |data| import(data, Format::Asl)),
    target("curl", Shape::Bytes, |data| import(data, Format::Curl)),
    target("vl", Shape::Json, |data| import(data, Format::Vl)),
    target("openapi", Shape::Json, openapi),
    target("connector", Shape::Bytes, connector_file),
    target("webhook", Shape::Bytes, webhook_body),
    target("form", Shape::Json, form_body),
    target("graphql", Shape::Json, graphql),
    target("guardrails", Shape::Bytes, guardrails),
];

fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

fn workflow(data: &[u8]) {
    let checked = validate::check_bytes(data, signalbox_nodes::built_in());
    let Some(workflow) = &checked.workflow else { return };
    let written = serde_json::to_vec(workflow).expect("a workflow is JSON");
    let again = validate::read(&written).workflow.expect("what was written can be read");
    assert_eq!(serde_json::to_vec(&again).expect("JSON"), written, "a file is written as it was read");
    if checked.is_ok() {
        drop(signalbox_import::asl_export::export(workflow));
        drop(Compiled::new(Arc::new(workflow.clone()), "0", signalbox_nodes::built_in()));
    }
}

fn cel(data: &[u8]) {
    static SCOPE: LazyLock<signalbox_engine::scope::Scope> = LazyLock::new(|| values::scope(values::item()));
    let text = text(data);
    match Expr::compile(&text) {
        Ok(expr) => drop(expr.eval(&SCOPE).map(|value| value.to_string()).map_err(|error| error.failure("f"))),
        Err(error) => drop(error.failure("f")),
    }
    drop(signalbox_engine::expr::value(&Value::String(text), &SCOPE));
}

fn events(data: &[u8]) {
    let mut state = RunState::new(&values::WORKFLOW, "00000000-0000-7000-8000-000000000001", None);
    for line in text(data).lines() {
        let Ok(event) = serde_json::from_str::<RunEvent>(line) else { continue };
        let written = serde_json::to_string(&event).expect("an event is JSON");
        let again: RunEvent = serde_json::from_str(&written).expect("what was written can be read");
        assert_eq!(serde_json::to_string(&again).expect("JSON"), written);
        if fold(&values::WORKFLOW, &mut state, &event).is_err() {
            return;
        }
    }
    let snapshot = signalbox_engine::snapshot::encode(&values::WORKFLOW, &state);
    drop(signalbox_engine::snapshot::decode(&values::WORKFLOW, &snapshot));
}

fn step(kind: &str, config: Value, text: &str) {
    if let Some(Kind::Pure(code)) = signalbox_nodes::kind(kind) {
        drop(code(&values::slot(config, text)));
    }
}

/// The first byte chooses the settings.
fn csv(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let separator = ["auto", "comma", "semicolon", "tab", "pipe"][usize::from(first % 5)];
    let config = json!({ "format": "csv", "from": "item", "separator": separator, "header": first & 0x40 == 0 });
    step("data.parse", config, &text(rest));
}

/// JSON, XML, YAML and TOML as data; the first byte chooses.
fn texts(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let format = ["json", "xml", "yaml", "toml"][usize::from(first % 4)];
    let namespaces = if first & 0x40 == 0 { "keep" } else { "remove" };
    step("data.parse", json!({ "format": format, "from": "item", "namespaces": namespaces }), &text(rest));
}

/// The data of an exported program, with a footer that fits: it is a checksum and keeps nobody out.
fn bundle(data: &[u8]) {
    if let Some(last) = data.len().checked_sub(FOOTER) {
        drop(Footer::read(&data[last..], data.len() as u64));
    }
    let footer = Footer { length: data.len() as u64, sha256: Sha256::digest(data).into() };
    if let Ok(bundle) = Bundle::read(data, &footer) {
        let written = bundle.to_bytes().expect("a bundle is JSON");
        let (section, last) = written.split_at(written.len() - FOOTER);
        let footer = Footer::read(last, written.len() as u64).expect("whole").expect("there");
        Bundle::read(section, &footer).expect("what was written can be read");
    }
}

/// A zip as it is, or the files of a pack, divided by `\n--\n`, in a zip that fits.
fn evidence_pack(data: &[u8]) {
    let zip = if data.starts_with(b"PK") { data.to_vec() } else { packed(&text(data)) };
    drop(pack::verify(&zip, None, &[], &[], pack::Limits::default()));
}

fn packed(text: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in pack::FILES.iter().zip(text.split("\n--\n")) {
        zip.start_file(*name, options).expect("in memory");
        zip.write_all(content.as_bytes()).expect("in memory");
    }
    zip.finish().expect("in memory").into_inner()
}

fn audit_lines(data: &[u8]) {
    let text = text(data);
    text.lines().map(line::Line::read).for_each(drop);
    let _ = line::is_lines(data);
    let rows = text.lines().filter_map(|one| line::from_line(one).ok());
    drop(verify::verify(rows, &verify::Expect::default()));
}

/// What is imported is a workflow file.
fn import(data: &[u8], format: Format) {
    let text = text(data);
    let _ = signalbox_import::recognise(&text);
    let options = Options { format: Some(format), ..Options::default() };
    let Ok(imported) = signalbox_import::import(&text, &options) else { return };
    let imported = imported.checked(signalbox_nodes::built_in());
    is_file(&imported.workflow);
    drop(serde_json::to_string(&imported.report).expect("a report is JSON"));
}

fn is_file(workflow: &Workflow) {
    let written = serde_json::to_vec(workflow).expect("a workflow is JSON");
    let checked = validate::read(&written);
    assert!(checked.workflow.is_some(), "an imported workflow cannot be opened: {:?}", checked.diagnostics);
}

fn openapi(data: &[u8]) {
    let text = text(data);
    let Ok(value) = json::parse(&text).or_else(|_| connector::file::read_value(&text).map_err(drop)) else { return };
    let checkpoint = imported_checkpoint::read(&value);
    drop(checkpoint);
    let options = signalbox_import::openapi::Options::default();
    let Ok(compiled) = signalbox_import::openapi::compile(&value, &options) else { return };
    is_connector(&compiled.connector);
}

fn is_connector(connector: &Connector) {
    let written = connector::file::write(connector).expect("a connector can be written");
    let (again, diagnostics) = connector::file::read(&written);
    assert!(again.is_some(), "a compiled connector cannot be read: {diagnostics:?}");
}

/// What a GraphQL service says about itself becomes a connector.
fn graphql(data: &[u8]) {
    let Ok(value) = json::parse(&text(data)) else { return };
    let _ = signalbox_import::graphql::knows_one_of(&value);
    let address = Some("https://api.example.com/graphql".to_owned());
    let options = signalbox_import::graphql::Options { address, ..Default::default() };
    let Ok(compiled) = signalbox_import::graphql::compile(&value, &options) else { return };
    is_connector(&compiled.connector);
}

fn connector_file(data: &[u8]) {
    let (read, _) = connector::file::read(&text(data));
    if let Some(connector) = read {
        drop(connector::file::write(&connector));
    }
}

/// Three lines (content type, query, more headers) and the body.
fn webhook_body(data: &[u8]) {
    static HOOK: LazyLock<Webhook> = LazyLock::new(|| Webhook::read(&json!({ "path": "in" })).expect("a webhook"));
    let mut parts = data.splitn(4, |byte| *byte == b'\n');
    let mut next = || text(parts.next().unwrap_or_default());
    let (kind, query, more) = (next(), next(), next());
    let mut headers = vec![("content-type".to_owned(), kind)];
    headers.extend(more.split(';').filter_map(|one| one.split_once(':')).map(|(n, v)| (n.to_owned(), v.to_owned())));
    let body = parts.next().unwrap_or_default().to_vec();
    let request = webhook::HookRequest { method: "POST".into(), query, headers, body };
    drop(webhook::body::read(&HOOK, &request));
}

fn form_body(data: &[u8]) {
    static FORM: LazyLock<Form> = LazyLock::new(|| {
        let fields = json!({ "type": "object", "required": ["name"], "properties": {
            "name": { "type": "string", "maxLength": 20, "pattern": "^[a-z ]+$" }, "age": { "type": "integer", "minimum": 0 },
            "kind": { "enum": ["a", "b"] }, "paper": { "type": "string", "format": "binary" } } });
        Form::read(&json!({ "path": "f", "title": "F", "schema": fields })).expect("a form")
    });
    drop(read_submission(&FORM, data));
}

/// A pattern of an allow-list in the first line, then a text.
fn guardrails(data: &[u8]) {
    let text = text(data);
    let (pattern, text) = text.split_once('\n').unwrap_or(("", &text));
    drop(signals(text));
    let _ = allowed(text, &[pattern.to_owned()]);
    let some = Finder { except: vec![pattern.to_owned()], ..Finder::default() };
    drop(some.find(text));
    let all = Finder::default();
    let found = all.find(text);
    let is_apart = found.windows(2).all(|two| two[0].range.end <= two[1].range.start);
    assert!(is_apart, "findings are in order and do not overlap: {found:?}");
    let masked = mask(text, &found);
    // A placeholder such as `[phone]` may be the word that makes a number behind it one.
    drop(mask(&masked, &all.find(&masked)));
    let hits = find_in(&json!({ "t": text }), &all);
    assert_eq!(hits.is_empty(), masked == text, "what is found in a value is masked");
}
