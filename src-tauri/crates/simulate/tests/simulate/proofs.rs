//! What a proof says about faults.

use crate::support::{CATALOG, compile, kinds, orders, read, workflow};
use serde_json::{Value, json};
use signalbox_engine::Compiled;
use signalbox_engine::connector::KnownConnectors;
use signalbox_engine::validate::Called;
use signalbox_model::{Role, Workflow};
use signalbox_nodes::connector::file::shipped;
use signalbox_simulate::compatibility::definition_hash;
use signalbox_simulate::prove::{FaultName, FaultResult, Outcome, ProofReport, fault_test, prove, prove_watched};
use signalbox_simulate::{TestFile, run_test};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn result<'r>(report: &'r ProofReport, step: &str, fault: &str, once: bool) -> &'r FaultResult {
    let found = report.results.iter().find(|result| {
        result.step == step && result.first_call_only == once && result.faults.iter().any(|name| name == fault)
    });
    found.unwrap_or_else(|| panic!("{step} {fault}: {report:#?}"))
}

fn recorded() -> Vec<signalbox_simulate::TestFile> {
    vec![read(
        "calls:
- { step: fetch, output: { success: [ { response: { amount: 250 } } ] } }
- { step: pay, output: { success: [ { ok: true } ] } }
",
    )]
}

#[test]
fn every_declared_error_is_tried_and_routes_are_told() {
    let report = prove(&compile(orders()), kinds(), &recorded());
    assert_eq!(report.base[0].status, "completed");
    let outcome = |step: &str, fault: &str, once: bool| result(&report, step, fault, once).outcome;
    // fetch retries, then the default policy asks a person; the first call alone recovers.
    assert_eq!(outcome("fetch", "NetworkError CONNECTION", false), Outcome::AsksPerson);
    assert_eq!(outcome("fetch", "NetworkError CONNECTION", true), Outcome::Recovered);
    assert_eq!(outcome("fetch", "ToolError AUTH", false), Outcome::AsksPerson);
    assert_eq!(outcome("fetch", "crash", false), Outcome::Recovered);
    assert_eq!(outcome("fetch", "cancel", false), Outcome::Cancelled);
    // An empty amount breaks the condition, about which a person is asked.
    assert_eq!(outcome("fetch", "huge result", false), Outcome::NoEffect);
    // pay has a red wire.
    let told = result(&report, "pay", "ToolError AUTH", false);
    assert_eq!((told.outcome, told.route.join(" ")), (Outcome::Handled, "told".to_owned()));
    assert_eq!(outcome("pay", "Timeout TIMEOUT", false), Outcome::Handled);
    assert_eq!(outcome("pay", "crash", false), Outcome::AsksPerson);
    // What no run reaches is said.
    let skipped = report.not_tried.iter().find(|one| one.step.as_deref() == Some("small")).expect("said");
    assert!(skipped.reason.contains("No run without a fault reaches this step"), "{skipped:?}");
    // Each declared error is in exactly one group for every call.
    let all: usize = report
        .results
        .iter()
        .filter(|one| one.step == "fetch" && !one.first_call_only)
        .map(|one| one.faults.len())
        .sum();
    let declared = CATALOG.get("http.request").expect("a kind").errors.len();
    assert_eq!(all, declared + 4);
    assert!(report.runs < report.tried, "groups: {} runs for {} faults", report.runs, report.tried);
}

#[test]
fn failures_lost_items_and_repeated_writes_are_found() {
    let mut flow = orders();
    flow.settings.as_mut().expect("settings").error_policy = None;
    let report = prove(&compile(flow), kinds(), &recorded());
    assert_eq!(result(&report, "fetch", "ToolError AUTH", false).outcome, Outcome::EndsFailed);
    assert!(report.score.expect("a score") < 100);
    // The error path drops the item.
    let mut flow = orders();
    flow.nodes["told"] =
        serde_json::from_value(json!({ "type": "data.filter", "config": { "when": "false" } })).expect("a node");
    let report = prove(&compile(flow), kinds(), &recorded());
    assert_eq!(result(&report, "pay", "ToolError AUTH", false).outcome, Outcome::LosesItems);
    // A rule retries whatever happened: the payment may be made twice.
    let nodes = json!({
        "pay": { "type": "http.request", "config": { "method": "POST", "url": "https://example.org/pay" } },
        "again": { "type": "builtin.error_handler", "config": { "rules": [ { "name": "always", "when": "true", "action": "retry" } ] } },
        "done": { "type": "flow.noop" },
    });
    let flow = workflow(&nodes, &[("pay.success", "done"), ("pay.error", "again"), ("again.retry", "pay")]);
    let report = prove(&compile(flow), kinds(), &[]);
    let repeated = result(&report, "pay", "Timeout TIMEOUT", false);
    assert_eq!(repeated.outcome, Outcome::RepeatsWrite, "{repeated:#?}");
    let safe = result(&report, "pay", "NetworkError SERVICE_UNAVAILABLE", true);
    assert_eq!(safe.outcome, Outcome::Recovered, "{safe:#?}");
}

#[test]
fn a_task_without_a_time_limit_waits_for_good() {
    let nodes = json!({
        "ask": { "type": "builtin.human_approval", "config": { "title": "OK?" } },
        "limited": { "type": "builtin.human_approval", "config": { "title": "OK?", "ttlMs": 1000, "onExpiry": "abort" } },
        "late": { "type": "flow.noop" }, "done": { "type": "flow.noop" },
    });
    let flow =
        workflow(&nodes, &[("ask.approved", "limited"), ("limited.approved", "done"), ("limited.error", "late")]);
    let report = prove(&compile(flow), kinds(), &[]);
    assert_eq!(result(&report, "ask", "nobody answers", false).outcome, Outcome::NeverEnds);
    assert_eq!(result(&report, "limited", "nobody answers", false).outcome, Outcome::Handled);
}

/// A rule that compares a code keeps that code in a group of its own.
#[test]
fn codes_that_a_rule_names_are_tried_alone() {
    let mut flow = orders();
    flow.edges.retain(|edge| edge.from.as_str() != "pay.error");
    let handler = json!({ "type": "builtin.error_handler", "config": { "rules": [
        { "name": "auth", "when": "error.details.code == 'AUTH'", "action": "fallback" }, { "name": "rest", "when": "true", "action": "abort" } ] } });
    flow.nodes.insert("eh".to_owned(), serde_json::from_value(handler).expect("a node"));
    let edge = |from: &str, to: &str| serde_json::from_value(json!({ "from": from, "to": to })).expect("an edge");
    flow.edges.extend([edge("pay.error", "eh"), edge("eh.fallback", "told")]);
    let report = prove(&compile(flow), kinds(), &recorded());
    let named = result(&report, "pay", "ToolError AUTH", false);
    assert_eq!((named.faults.len(), named.outcome), (1, Outcome::Handled), "{named:#?}");
    assert_eq!(result(&report, "pay", "ToolError HTTP_STATUS", false).outcome, Outcome::EndsFailed);
}

/// A result of a proof is a mock that shows the same in a test.
#[test]
fn a_fault_can_be_put_into_a_test() {
    let report = prove(&compile(orders()), kinds(), &recorded());
    let mock = result(&report, "pay", "ToolError AUTH", false).mock.clone().expect("a mock");
    let mut test = recorded().remove(0);
    test.mocks.push(mock);
    test.expect.output = Some(vec![json!({ "problem": "AUTH" })]);
    let ran = signalbox_simulate::run_test(&test, &compile(orders()), kinds());
    assert!(ran.passed, "{:#?}", ran.differences);
}

/// The error path that fails as well, and a fault after a retry; what is left out is counted.
#[test]
fn chosen_pairs_of_faults_are_tried() {
    let report = prove(&compile(orders()), kinds(), &recorded());
    let pair = |first: &str, second: &str| {
        let both = report
            .pairs
            .results
            .iter()
            .find(|result| result.step == first && result.also.as_ref().is_some_and(|also| also.step == second));
        both.unwrap_or_else(|| panic!("{first} {second}: {:#?}", report.pairs)).clone()
    };
    // `told` runs only after `pay` failed; the default policy takes its errors.
    assert_eq!(pair("pay", "told").outcome, Outcome::AsksPerson);
    // `fetch` is repeated, then the next step fails.
    let after_retry = pair("fetch", "check");
    assert!(after_retry.first_call_only, "{after_retry:#?}");
    assert_eq!(report.pairs.handled, report.pairs.results.len());
    assert!(report.pairs.left_out > report.pairs.results.len(), "{}", report.pairs.left_out);
    let said = report.not_tried.iter().any(|one| one.reason.contains("pairs of faults in one run"));
    assert!(said, "{:?}", report.not_tried);
    // Without a policy the second fault fails the run.
    let mut flow = orders();
    flow.settings.as_mut().expect("settings").error_policy = None;
    let report = prove(&compile(flow), kinds(), &recorded());
    assert!(!report.is_good());
    let told = report.pairs.results.iter().find(|one| one.also.as_ref().is_some_and(|also| also.step == "told"));
    let told = told.expect("tried");
    assert_eq!((told.outcome, told.failed_step.as_deref()), (Outcome::EndsFailed, Some("told")));
    assert_eq!(told.fixes[0].port.as_deref(), Some("told.error"));
}

#[test]
fn a_step_is_proved_when_all_its_faults_are_handled() {
    let report = prove(&compile(orders()), kinds(), &recorded());
    assert!(report.steps["pay"].is_proved(), "{:?}", report.steps["pay"]);
    assert!(!report.steps["small"].is_proved() && report.steps["small"].not_reached > 0);
    let mut flow = orders();
    flow.settings.as_mut().expect("settings").error_policy = None;
    let report = prove(&compile(flow), kinds(), &recorded());
    assert!(report.steps["pay"].handled > 0 && !report.steps["fetch"].is_proved());
    let labels: Vec<&str> =
        result(&report, "fetch", "ToolError AUTH", false).fixes.iter().map(|fix| fix.label.as_str()).collect();
    assert_eq!(labels, ["Ask a person", "Use the default error handling"]);
}

#[test]
fn a_proof_says_how_far_it_is_and_stops_when_told_to() {
    let flow = compile(orders());
    let mut seen = Vec::new();
    let report = prove_watched(&flow, kinds(), &recorded(), 2, &mut |progress| {
        seen.push((progress.done, progress.total));
        true
    });
    assert_eq!(report.expect("ends").pairs.results.len(), 2);
    assert!(seen.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 <= two[1].1), "{seen:?}");
    let mut asked = 0;
    let stopped = prove_watched(&flow, kinds(), &recorded(), 2, &mut |_| {
        asked += 1;
        asked < 3
    });
    assert!(stopped.is_none() && asked == 3);
}

/// An endless repair loop is stopped by the number of its calls.
#[test]
fn many_calls_are_over_the_budget() {
    let nodes = json!({
        "fetch": { "type": "http.request", "config": { "url": "https://example.org/order" },
            "errorHandling": { "retryPolicy": { "maxAttempts": 80, "backoff": "fixed", "initialDelayMs": 1, "maxDelayMs": 1, "jitter": false } } },
        "told": { "type": "data.set", "config": { "assign": { "problem": true } } },
        "done": { "type": "flow.noop" },
    });
    let flow = workflow(&nodes, &[("fetch.success", "done"), ("fetch.error", "told")]);
    let report = prove(&compile(flow), kinds(), &[]);
    let storm = result(&report, "fetch", "NetworkError CONNECTION", false);
    assert_eq!((storm.outcome, storm.fixes[0].label.as_str()), (Outcome::OverBudget, "Never repeat it"), "{storm:#?}");
}

/// Faults of every kind become tests that pass, without a recorded run as well as with one.
#[test]
fn a_fault_becomes_a_test_that_passes() {
    let flow = compile(orders());
    for tests in [recorded(), Vec::new()] {
        let report = prove(&flow, kinds(), &tests);
        for result in report.results.iter().chain(&report.pairs.results) {
            let name = |step: &str, faults: &[String], first_call_only| FaultName {
                step: step.to_owned(),
                fault: faults.last().expect("a fault").clone(),
                first_call_only,
            };
            let fault = name(&result.step, &result.faults, result.first_call_only);
            let also = result.also.as_ref().map(|also| name(&also.step, &also.faults, false));
            let place = ("A fault", "orders.signalbox.json", &[&*flow.workflow][..]);
            let made = fault_test((&flow, kinds()), &tests, &fault, also.as_ref(), place);
            let (test, notes) = made.unwrap_or_else(|error| panic!("{fault:?}: {error:?}"));
            let again = TestFile::read(&test.write().expect("is written")).expect("is read");
            let ran = run_test(&again, &flow, kinds());
            assert!(ran.passed, "{fault:?} {also:?}: {:#?} {notes:?} {:#?}", ran.differences, test.mocks);
            if fault.fault.contains(' ') && fault.fault.chars().next().is_some_and(char::is_uppercase) {
                assert!(!test.mocks.is_empty(), "{fault:?}");
            }
        }
    }
    let gone = FaultName { step: "pay".into(), fault: "ToolError GONE".into(), first_call_only: false };
    let place = ("A fault", "orders.signalbox.json", &[&*flow.workflow][..]);
    let refused = fault_test((&flow, kinds()), &[], &gone, None, place).expect_err("is refused");
    assert!(refused.message.contains("no fault 'ToolError GONE'"), "{refused:?}");
}

/// A step of another file fails there; the report names both files.
#[test]
fn steps_of_called_workflows_are_proved_where_they_are_called() {
    let called = |id: &str, nodes: &Value, edges: &[(&str, &str)]| {
        let mut file = workflow(nodes, edges);
        file.id = id.to_owned();
        file.settings = serde_json::from_value(json!({ "errorPolicy": "fail" })).expect("settings");
        Arc::new(file)
    };
    let send = json!({ "type": "http.request", "config": { "method": "POST", "url": "https://example.org/send" } });
    let notify = called("notify", &json!({ "fetch": send }), &[]);
    let fetch = json!({ "type": "http.request", "config": { "url": "https://example.org/a" } });
    let call = json!({ "type": "flow.subworkflow", "config": { "workflow": "notify" } });
    let collect = called(
        "collect",
        &json!({ "fetch": fetch, "call": call, "told": { "type": "data.set", "config": { "assign": { "ok": false } } } }),
        &[("fetch.success", "call"), ("call.error", "told")],
    );
    let nodes = json!({ "fetch": fetch, "call": { "type": "flow.subworkflow", "config": { "workflow": "collect" } } });
    let mut flow = workflow(&nodes, &[("fetch.success", "call")]);
    flow.settings = serde_json::from_value(json!({ "errorPolicy": "fail" })).expect("settings");
    let files: BTreeMap<String, Arc<Workflow>> =
        [("notify".to_owned(), notify), ("collect".to_owned(), collect)].into_iter().collect();
    let compiled = Compiled::with_files(Arc::new(flow), "h", &CATALOG, &files);
    let compiled = Arc::new(compiled.unwrap_or_else(|found| panic!("{found:#?}")));
    let report = prove(&compiled, kinds(), &[]);
    let steps: Vec<&str> = report.steps.keys().map(String::as_str).collect();
    assert_eq!(steps, ["fetch", "call/fetch", "call/told", "call/call/fetch"], "{:#?}", report.not_tried);
    assert!(report.steps.values().all(|step| step.not_reached == 0 || step.tried == 0), "{:#?}", report.steps);
    // The same id in three files: each has its own fault, and its own way.
    let outer = result(&report, "fetch", "NetworkError CONNECTION", false);
    assert_eq!(outer.failed_step.as_deref(), Some("fetch"), "{outer:#?}");
    let inner = result(&report, "call/fetch", "NetworkError CONNECTION", false);
    assert_eq!((inner.outcome, inner.failed_step.as_deref()), (Outcome::EndsFailed, Some("call")), "{inner:#?}");
    let mock = inner.mock.as_ref().expect("a mock");
    assert_eq!((mock.step.as_str(), mock.path.as_deref()), ("fetch", Some("call")));
    let handled = result(&report, "call/call/fetch", "ToolError AUTH", false);
    assert_eq!(
        (handled.outcome, handled.route.last().map(String::as_str)),
        (Outcome::Handled, Some("call/told")),
        "{handled:#?}"
    );
    // A write that may have happened is not repeated there either.
    let write = result(&report, "call/call/fetch", "crash", false);
    assert_eq!(write.outcome, Outcome::AsksPerson, "{write:#?}");
    // As a test the fault stands at its path.
    let name = FaultName {
        step: "call/fetch".to_owned(),
        fault: "NetworkError CONNECTION".to_owned(),
        first_call_only: false,
    };
    let (test, _) =
        fault_test((&compiled, kinds()), &[], &name, None, ("F", "orders.signalbox.json", &[])).expect("a test");
    assert_eq!(test.mocks[0].path.as_deref(), Some("call"), "{:#?}", test.mocks);
    let again = signalbox_simulate::run_test(&test, &compiled, kinds());
    assert!(again.passed, "{:#?}", again.differences);
}

/// The target: at most 20 s for 60 steps. Printed, not judged: machines differ.
#[test]
fn sixty_steps() {
    let mut nodes = serde_json::Map::new();
    let mut edges = Vec::new();
    for n in 0..60 {
        let kind = match n % 4 {
            0 => {
                json!({ "type": "http.request", "config": { "url": "https://example.org/a", "keepInput": true, "resultField": format!("r{n}") } })
            }
            1 => {
                json!({ "type": "http.request", "config": { "method": "POST", "url": "https://example.org/a", "keepInput": true, "resultField": format!("r{n}") } })
            }
            _ => json!({ "type": "data.set", "config": { "assign": { "n": n } } }),
        };
        nodes.insert(format!("s{n}"), kind);
        if n > 0 {
            edges.push((format!("s{}.success", n - 1), format!("s{n}")));
        }
    }
    let edges: Vec<(&str, &str)> = edges.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    let flow = compile(workflow(&json!(nodes), &edges));
    let began = Instant::now();
    let report = prove(&flow, kinds(), &[]);
    println!("60 steps: {} faults in {} runs: {:?}", report.tried, report.runs, began.elapsed());
    assert_eq!(report.score, Some(100), "{:?}", report.totals);
}

/// Every shipped sample is proved with made-up answers, every template with its recorded ones: it ends well without a fault, and
/// no fault loses an item, repeats a write or stops the simulation.
#[test]
fn all_samples_and_templates_are_proved() {
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("../app");
    let mut files: BTreeMap<String, Arc<Workflow>> = BTreeMap::new();
    let mut tests: BTreeMap<String, TestFile> = BTreeMap::new();
    for folder in ["samples", "templates"] {
        for entry in fs::read_dir(app.join(folder)).expect("the folder is there").flatten() {
            if entry.path().extension().is_none_or(|ending| ending != "json") {
                continue;
            }
            let text = fs::read_to_string(entry.path()).expect("read");
            let file: Value = serde_json::from_str(&text).expect("json");
            // What calls an API that a person imports is proved where tests import one (`shipped_tests` of the app).
            let needs = file["needs"].as_array().into_iter().flatten();
            if needs.into_iter().any(|need| need["kind"] == "connector") {
                continue;
            }
            let flow = if folder == "samples" { &file } else { &file["workflow"] };
            let flow: Workflow = serde_json::from_value(flow.clone()).unwrap_or_else(|error| panic!("{error} {file}"));
            if folder == "templates" {
                tests.insert(flow.id.clone(), test_of_template(&flow, &file["sample"]));
            }
            files.insert(flow.id.clone(), Arc::new(flow));
        }
    }
    assert!(files.len() >= 40, "{}", files.len());
    let connectors = KnownConnectors { used: shipped().clone(), ..KnownConnectors::default() };
    let called = Called { files: files.clone(), connectors, ..Called::default() };
    for flow in files.values() {
        let compiled = Compiled::with_called(Arc::clone(flow), &definition_hash(flow), &CATALOG, &called);
        let compiled = Arc::new(compiled.unwrap_or_else(|found| panic!("{}: {found:#?}", flow.id)));
        let test = tests.get(&flow.id);
        if let Some(test) = test {
            let result = run_test(test, &compiled, kinds());
            // Some answers are for ways that the sample does not take.
            let found = result.differences.iter().filter(|one| !one.field.starts_with("mocks/"));
            assert_eq!(found.count(), 0, "{}: {:#?} {:#?}", flow.id, result.differences, result.notes);
        }
        let report = prove(&compiled, kinds(), &test.cloned().into_iter().collect::<Vec<_>>());
        let bad = |one: &&FaultResult| {
            matches!(one.outcome, Outcome::RepeatsWrite | Outcome::LosesItems)
                || one.message.contains("simulation stopped")
        };
        let bad: Vec<&FaultResult> = report.results.iter().filter(bad).collect();
        println!(
            "{:<28} {:>4?} % of {:>4} faults, {:>4} runs; without: {:?}",
            flow.id, report.score, report.tried, report.runs, report.base[0].problem
        );
        assert!(bad.is_empty(), "{}: {bad:#?}", flow.id);
        assert!(report.tried > 0, "{}: {report:#?}", flow.id);
    }
}

/// The recorded answers of a template as mocks; people are asked for real.
fn test_of_template(flow: &Workflow, sample: &Value) -> TestFile {
    let mut test = read("");
    let output = |port: &str, items: &Value| json!({ port: items });
    for (step, answer) in sample["answers"].as_object().expect("answers") {
        let port = answer["port"].as_str().expect("a port");
        let kind = &flow.nodes[step].kind;
        let by_engine = !matches!(CATALOG.get(kind).expect("a kind").role, Role::Step | Role::Trigger);
        if kind == "builtin.human_approval" || kind == "builtin.human_form" {
            let action = match port {
                "approved" => json!({ "action": "approve" }),
                "rejected" => json!({ "action": "reject" }),
                _ => json!({ "action": "submit", "input": answer["items"][0] }),
            };
            let mut act = action;
            act["step"] = json!(step);
            test.people.push(serde_json::from_value(act).expect("an action"));
        } else if !by_engine {
            let reply = if answer["items"].is_null() {
                json!({ "step": step, "pass": port })
            } else {
                json!({ "step": step, "output": output(port, &answer["items"]) })
            };
            test.mocks.push(serde_json::from_value(reply).expect("a reply"));
        }
    }
    test.expect.status = Some("completed".to_owned());
    test
}
