//! Scripts, and steps that read bytes of their items, run their code in tests and proofs.

use crate::support::{CATALOG, compile, kinds, messages, read, workflow};
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use signalbox_model::hash::sha256_hex;
use signalbox_model::{BinaryRef, Data, RunEvent, Workflow};
use signalbox_nodes::Outcome;
use signalbox_ports::scripts::{Bound, ScriptAnswer, ScriptCall, ScriptFailure, ScriptFault};
use signalbox_ports::{Documents, NoDocuments, Scripts};
use signalbox_simulate::check::{propose, simulate};
use signalbox_simulate::prove::prove;
use signalbox_simulate::record::record;
use signalbox_simulate::sandbox::{Sandbox, Work};
use signalbox_simulate::{Kinds, TestFile, TestResult, run_test};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Doubles `item.n`, and tells the time that it sees; fails with an item that has none.
struct Doubling;

#[async_trait]
impl Scripts for Doubling {
    async fn run(&self, call: ScriptCall) -> Result<ScriptAnswer, ScriptFailure> {
        let failure =
            |fault, message: &str| ScriptFailure { fault, message: message.into(), line: None, printed: Vec::new() };
        if call.source.starts_with("for") {
            return Err(failure(ScriptFault::Timeout, "late"));
        }
        let item = call.bound.iter().find_map(|(name, bound)| match bound {
            Bound::One(data) if *name == "item" => Some(data.value()),
            _ => None,
        });
        let Some(n) = item.and_then(|item| item["n"].as_i64()) else {
            return Err(failure(ScriptFault::Thrown, "no n"));
        };
        let fixed = call.fixed.expect("a test has its own time");
        let value = json!({ "n": 2 * n, "at": fixed.now_ms, "random": fixed.seed.to_string() });
        Ok(ScriptAnswer { value: Data::from(value), printed: Vec::new() })
    }
}

struct InMemory;

impl Sandbox for InMemory {
    fn scripts(&self) -> Arc<dyn Scripts> {
        Arc::new(Doubling)
    }

    fn documents(&self) -> Arc<dyn Documents> {
        Arc::new(NoDocuments)
    }

    fn wait(&self, mut work: Work<'_>) -> Outcome {
        match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => panic!("nothing here waits"),
        }
    }
}

fn code() -> Kinds<'static> {
    Kinds::with_code(&CATALOG, &InMemory)
}

/// `fetch` → `double` (a script) → `done`; a failing script leads to `told`.
fn doubled() -> Workflow {
    let nodes = json!({
        "fetch": { "type": "http.request", "config": { "url": "https://example.org/n" } },
        "pick": { "type": "data.transform", "config": { "expression": "item.response" } },
        "double": { "type": "code.javascript", "config": { "source": "return item" } },
        "told": { "type": "data.set", "config": { "assign": { "problem": "=error.details.code" }, "keep": false } },
        "done": { "type": "data.transform", "config": { "expression": "{'n': item.n, 'at': item.at}" } },
    });
    let edges =
        [("fetch.success", "pick"), ("pick.success", "double"), ("double.success", "done"), ("double.error", "told")];
    workflow(&nodes, &edges)
}

fn ran(flow: Workflow, text: &str) -> TestResult {
    run_test(&read(text), &compile(flow), code())
}

const FETCHED: &str = "mocks:\n- { step: fetch, afterMs: 1000, output: { success: [ { response: { n: 4 } } ] } }\n";

#[test]
fn a_script_runs_its_code_at_the_time_of_the_test() {
    let result = ran(doubled(), &format!("{FETCHED}expect: {{ output: [ {{ n: 8, at: 1767603601000 }} ] }}\n"));
    assert!(result.passed, "{:#?}", messages(&result));
    // Another call of the test gives the same numbers.
    let output = |text: &str| {
        let test = read(text);
        let events = simulate(&test, &compile(doubled()), code()).events;
        serde_json::to_string(&events).expect("json")
    };
    assert_eq!(output(FETCHED), output(FETCHED));
    assert_ne!(output(FETCHED), output(&format!("seed: '00000000000000ff'\n{FETCHED}")));
}

#[test]
fn an_error_of_a_script_is_expected_and_a_mock_or_a_recorded_answer_goes_first() {
    let bad = "mocks: [ { step: fetch, output: { success: [ { response: {} } ] } } ]\n";
    let result = ran(
        doubled(),
        &format!("{bad}expect: {{ output: [ {{ problem: SCRIPT_ERROR }} ], steps: {{ double: ERROR_HANDLED }} }}\n"),
    );
    assert!(result.passed, "{:#?}", messages(&result));
    let mocked = format!(
        "{FETCHED}- {{ step: double, error: {{ code: MEMORY_LIMIT }} }}\nexpect: {{ output: [ {{ problem: MEMORY_LIMIT }} ] }}\n"
    );
    let result = ran(doubled(), &mocked);
    assert!(result.passed, "{:#?}", messages(&result));
    let recorded = format!(
        "{FETCHED}calls: [ {{ step: double, output: {{ success: [ {{ n: 1, at: 2 }} ] }} }} ]\nexpect: {{ output: [ {{ n: 1, at: 2 }} ] }}\n"
    );
    let result = ran(doubled(), &recorded);
    assert!(result.passed, "{:#?}", messages(&result));
    // Where no scripts run it needs an answer, and says so.
    let result = run_test(&read(&format!("{FETCHED}expect: {{ status: completed }}\n")), &compile(doubled()), kinds());
    assert!(messages(&result)[0].starts_with("'double' (code.javascript) would call"), "{:#?}", messages(&result));
}

/// Events of a run, as they come from a store.
fn events(flow: &Workflow, world: &str) -> Vec<RunEvent> {
    let mut events = simulate(&read(world), &compile(flow.clone()), code()).events;
    for event in &mut events {
        *event = serde_json::from_value(serde_json::to_value(&*event).expect("json")).expect("an event");
    }
    events
}

/// Records a run with these bytes at hand, and runs the test that was written and read again.
fn saved(flow: &Workflow, world: &str, bytes_of: &dyn Fn(&str) -> Option<Vec<u8>>) -> (TestFile, Vec<String>) {
    let events = events(flow, world);
    let compiled = compile(flow.clone());
    let recorded = record("Saved", "orders.signalbox.json", &events, &[flow], &CATALOG, bytes_of).expect("recorded");
    let (mut test, mut notes) = (recorded.test, recorded.notes);
    notes.extend(propose(&mut test, &events, &compiled, code()));
    let again = TestFile::read(&test.write().expect("written")).expect("read");
    assert_eq!(again, test);
    let result = run_test(&again, &compiled, code());
    assert!(result.passed, "{:#?}", messages(&result));
    (test, notes)
}

fn steps(test: &TestFile) -> Vec<&str> {
    test.calls.iter().map(|call| call.step.as_str()).collect()
}

#[test]
fn what_a_script_gave_is_not_recorded_but_that_it_took_too_long() {
    let (test, notes) = saved(&doubled(), FETCHED, &|_| None);
    assert_eq!((steps(&test), notes), (vec!["fetch"], Vec::new()));
    let mut flow = doubled();
    flow.nodes["double"].config = Some(json!({ "source": "for (;;) item" }));
    let (test, _) = saved(&flow, FETCHED, &|_| None);
    assert_eq!(steps(&test), ["fetch", "double"]);
    assert_eq!(test.expect.output, Some(vec![json!({ "problem": "TIMEOUT" })]));
}

/// `load` gives a file as bytes, `rows` reads it, `count` counts.
fn table() -> Workflow {
    let nodes = json!({
        "load": { "type": "file.read", "config": { "path": "in/a.csv", "as": "binary" } },
        "rows": { "type": "sheet.read", "config": { "binary": "content" } },
        "pick": { "type": "data.transform", "config": { "expression": "{'name': item.name}" } },
    });
    workflow(&nodes, &[("load.success", "rows"), ("rows.success", "pick")])
}

const TABLE: &[u8] = b"id,name\n1,Ada\n2,Grace\n";

/// A world in which `load` gives [`TABLE`].
fn with_table() -> String {
    let sha256 = sha256_hex(TABLE);
    let file = BinaryRef::new(sha256.clone(), "text/csv", TABLE.len() as u64);
    let mock = json!({
        "step": "load", "output": { "success": [{ "path": "in/a.csv", "content": file }] },
        "binary": { "success": [{ "content": file }] },
    });
    let bytes = json!({ sha256: STANDARD.encode(TABLE) });
    format!("mocks: [ {mock} ]\nbytes: {bytes}\n")
}

#[test]
fn bytes_are_kept_with_the_test_and_read_by_its_steps() {
    let world = with_table();
    let result = ran(table(), &format!("{world}expect: {{ output: [ {{ name: Ada }}, {{ name: Grace }} ] }}\n"));
    assert!(result.passed, "{:#?}", messages(&result));
    let (test, notes) = saved(&table(), &world, &|sha256| (sha256 == sha256_hex(TABLE)).then(|| TABLE.to_vec()));
    assert_eq!(steps(&test), ["load"], "the rows are read again");
    assert_eq!(test.calls[0].binary["success"][0]["content"].size, TABLE.len() as u64);
    assert_eq!(notes, ["The test holds 1 KiB of files. Nothing in them is masked."]);
    // The reader is changed: the test tells.
    let mut flow = table();
    flow.nodes["rows"].config = Some(json!({ "binary": "content", "header": false }));
    let result = run_test(&test, &compile(flow), code());
    assert!(!result.passed, "{:#?}", result.notes);
}

#[test]
fn bytes_that_are_not_kept_are_told_and_their_readers_recorded() {
    let (test, notes) = saved(&table(), &with_table(), &|_| None);
    assert_eq!(steps(&test), ["load", "rows"]);
    assert!(notes[0].starts_with("The test does not hold 1 file of the run ('load' gave or got some)."), "{notes:?}");
    let mut without = test;
    without.calls.retain(|call| call.step == "load");
    let events = simulate(&without, &compile(table()), code()).events;
    let told = serde_json::to_string(&events).expect("json");
    assert!(told.contains("the test does not have them. Mock this step"), "{told}");
}

#[test]
fn bytes_of_a_test_that_are_not_what_they_say_are_refused() {
    let head = "signalboxTest: 1\nname: T\nworkflow: w.json\nstartedAt: 2026-01-05T09:00:00Z\n";
    for (text, words) in [
        ("bytes: { abc: 'YWJj' }\n", "bytes 'abc' are others: their SHA-256 is ba7816bf"),
        ("bytes: { abc: '%%' }\n", "bytes 'abc' are not Base64"),
        (
            "calls: [ { step: a, output: { success: [] }, binary: { success: [ {} ] } } ]\n",
            "binary has more entries for 'success'",
        ),
    ] {
        let error = TestFile::read(&format!("{head}{text}")).expect_err("refused");
        assert!(error.message.contains(words), "{error}");
    }
}

/// In a proof without a recorded run the made-up answers are none that the script takes: its result is made up as well. With a
/// recorded one its code meets the faults of the steps before it.
#[test]
fn a_proof_runs_scripts_where_they_take_what_comes() {
    let report = prove(&compile(doubled()), code(), &[]);
    assert_eq!(report.base[0].problem, None, "{:#?}", report.base);
    let test = read("calls: [ { step: fetch, output: { success: [ { response: { n: 4, rows: [ 1 ] } } ] } } ]\n");
    let report = prove(&compile(doubled()), code(), &[test]);
    assert_eq!(report.base[0].problem, None, "{:#?}", report.base);
    let route = |fault: &str| {
        let found = report
            .results
            .iter()
            .find(|one| one.step == "double" && one.faults.iter().any(|name| name.contains(fault)));
        found.map(|one| one.outcome.as_str().to_owned())
    };
    assert_eq!(route("SCRIPT_ERROR").as_deref(), Some("handled"), "{:#?}", report.results);
    let value: Value = json!(report.totals);
    assert_eq!(value.get("losesItems"), None, "{value}");
}
