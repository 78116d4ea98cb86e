//! Every shipped connector against a peer with recorded shapes: what an operation sends, by the public documentation of the
//! service, and what becomes of the answer. The cases are in `tests/connectors/`.

use crate::common::{self, FakeHttp};
use futures_util::FutureExt as _;
use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_model::NodeFailure;
use signalbox_model::connector::KIND;
use signalbox_nodes::connector::file::{read, shipped};
use signalbox_nodes::{kind, run_call};
use signalbox_ports::HttpRequest;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

/// One call of an operation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The operation.
    op: String,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    variables: Value,
    #[serde(default)]
    limit: Option<u64>,
    /// Method and address of the request.
    #[serde(default)]
    sends: String,
    /// The body: JSON, or the text of a form.
    #[serde(default)]
    body: Value,
    /// Status of the answer.
    #[serde(default = "ok")]
    status: u16,
    /// Headers of the answer.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// The answer.
    #[serde(default)]
    answers: Value,
    /// Further requests and answers.
    #[serde(default)]
    then: Vec<Page>,
    /// Data of the items that come out.
    #[serde(default)]
    gives: Option<Vec<Value>>,
    /// Code of the error.
    #[serde(default)]
    fails: Option<String>,
}

/// A further page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    sends: String,
    #[serde(default)]
    body: Value,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    answers: Value,
}

fn ok() -> u16 {
    200
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/connectors")
}

fn body_of(request: &HttpRequest) -> Value {
    let Some(bytes) = &request.body else { return Value::Null };
    let text = String::from_utf8_lossy(bytes).into_owned();
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// Runs a case; what differs from it, in a line.
fn run(name: &str, case: &Case) -> Result<(), String> {
    let mut pages =
        vec![(case.sends.clone(), case.body.clone(), case.status, case.headers.clone(), case.answers.clone())];
    pages.extend(
        case.then
            .iter()
            .map(|page| (page.sends.clone(), page.body.clone(), 200, page.headers.clone(), page.answers.clone())),
    );
    let (asked, wrong) = (Mutex::new(0_usize), std::sync::Arc::new(Mutex::new(Vec::new())));
    let told = std::sync::Arc::clone(&wrong);
    let count = pages.len();
    let http = FakeHttp::new(move |request| {
        let mut asked = asked.lock().expect("not poisoned");
        let Some((sends, body, status, headers, answers)) = pages.get(*asked) else {
            told.lock().expect("not poisoned").push(format!("one request too many: {}", request.url));
            return Ok(common::answer(500, &[], ""));
        };
        *asked += 1;
        let sent = format!("{} {}", request.method, request.url);
        if sent != *sends {
            told.lock().expect("not poisoned").push(format!("sent {sent}, not {sends}"));
        }
        if body_of(request) != *body {
            told.lock().expect("not poisoned").push(format!("the body was {}, not {body}", body_of(request)));
        }
        let mut lines: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let text = match answers {
            Value::Null => String::new(),
            other => {
                lines.push(("content-type", "application/json; charset=utf-8"));
                other.to_string()
            }
        };
        Ok(common::answer(*status, &lines, &text))
    });
    let mut config = json!({ "connector": name, "operation": case.op });
    for (field, value) in [("params", &case.params), ("variables", &case.variables)] {
        if !value.is_null() {
            config[field] = value.clone();
        }
    }
    if let Some(limit) = case.limit {
        config["limit"] = limit.into();
    }
    let operation = shipped()[name].operations.get(&case.op).ok_or("the connector has no such operation")?;
    let mut call = common::call(KIND, operation.effect(), common::slot(config, &[json!({})]));
    call.idempotency_key = String::new();
    let world = common::impatient_world(std::sync::Arc::clone(&http));
    let code = kind(KIND).expect("a kind of this program");
    let mut results = run_call(code, &call, &world, &signalbox_ports::Unheard).now_or_never().expect("nothing waits");
    let (_, result) = results.pop().expect("one slot");
    let result: Result<Vec<Value>, NodeFailure> =
        result.map(|output| output.ports["success"].iter().map(|item| (*item.data).clone()).collect());
    let wrong = wrong.lock().expect("not poisoned");
    if let Some(first) = wrong.first() {
        return Err(first.clone());
    }
    match (result, &case.gives, &case.fails) {
        (Ok(data), Some(wanted), None) if data == *wanted => {}
        (Ok(data), Some(wanted), None) => return Err(format!("gave {}, not {}", json!(data), json!(wanted))),
        (Ok(_), None, None) => {}
        (Err(failure), _, Some(code)) if failure.code == *code => {}
        (Err(failure), _, _) => return Err(format!("failed with {}: {}", failure.code, failure.message)),
        (Ok(data), _, Some(code)) => return Err(format!("gave {} instead of {code}", json!(data))),
    }
    let sent = http.asked.lock().expect("not poisoned").len();
    if case.fails.is_none() && sent != count { Err(format!("{sent} requests of {count}")) } else { Ok(()) }
}

#[test]
fn every_operation_sends_what_its_service_documents() {
    let mut wrong = Vec::new();
    for (name, connector) in shipped() {
        let file = folder().join(format!("{name}.yaml"));
        let Ok(text) = std::fs::read_to_string(&file) else {
            wrong.push(format!("{name}: {} is missing", file.display()));
            continue;
        };
        let cases: Vec<Case> = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let tried: BTreeSet<&str> = cases.iter().map(|case| case.op.as_str()).collect();
        for operation in connector.operations.keys().filter(|operation| !tried.contains(operation.as_str())) {
            wrong.push(format!("{name} {operation}: no case"));
        }
        if !cases.iter().any(|case| case.fails.is_some()) {
            wrong.push(format!("{name}: no case of an error"));
        }
        for (at, case) in cases.iter().enumerate() {
            if let Err(why) = run(name, case) {
                wrong.push(format!("{name} {} (case {}): {why}", case.op, at + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_shipped_file_is_valid() {
    let connectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../connectors");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(connectors).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let (connector, found) = read(&text);
        assert!(found.is_empty(), "{}: {found:#?}", path.display());
        let connector = connector.expect("a connector");
        assert_eq!(path.file_stem().and_then(|stem| stem.to_str()), Some(connector.name.as_str()));
        assert!((3..=12).contains(&connector.operations.len()), "{}: 3 to 12 operations", connector.name);
        names.push(connector.name);
    }
    names.sort();
    assert_eq!(names, shipped().keys().cloned().collect::<Vec<_>>());
}

/// Services that publish no number of requests in a time for all operations, and what they have instead.
const NO_RATE: [(&str, &str); 9] = [
    ("demo", "this program answers"),
    ("dropbox", "429 with Retry-After, no number"),
    ("mailchimp", "10 requests at a time"),
    ("salesforce", "a number for each day"),
    ("servicenow", "what its administrators set"),
    ("sharepoint", "by licences of the organisation"),
    ("supabase", "the size of the database"),
    ("teams", "other numbers for each operation"),
    ("twilio", "by the number that sends"),
];

#[test]
fn every_connector_says_what_comes_out_what_an_error_means_and_how_fast_it_may_ask() {
    let mut wrong = Vec::new();
    for (name, connector) in shipped() {
        let without = NO_RATE.iter().any(|(known, _)| known == name);
        if connector.rate_limit.is_some() == without {
            wrong.push(format!("{name}: either a rate limit or a reason why there is none"));
        }
        if connector.errors.is_empty() && name != "demo" {
            wrong.push(format!("{name}: no errors"));
        }
        for (operation, what) in &connector.operations {
            if what.response.as_ref().is_none_or(|response| response.schema.is_null()) {
                wrong.push(format!("{name} {operation}: no output schema"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
