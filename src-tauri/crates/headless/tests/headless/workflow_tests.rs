//! `runs save-test`, `test` and `prove` of the real program.

use crate::support::{Loopback, TestHome, workflow};
use serde_json::{Value, json};

const FIRST: &str = include_str!("../../../../../tests/workflows/first.signalbox.json");
const TEST: &str = "first.adult.signalbox-test.yaml";

/// A home with a run of the first workflow, whose service failed twice; its id.
fn with_run() -> (TestHome, String) {
    let home = TestHome::new();
    let server = Loopback::start();
    let file = home.file("first.signalbox.json", FIRST);
    let params = json!({ "base": server.base }).to_string();
    let done = home.run(&["run", &file.display().to_string(), "--params", &params, "--json"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let run = done.last()["runId"].as_str().expect("an id").to_owned();
    (home, run)
}

#[test]
fn a_run_becomes_a_test_that_passes_without_its_service() {
    let (home, run) = with_run();
    let saved = home.run(&["runs", "save-test", &run, "--out", TEST, "--name", "An adult", "--json"]);
    assert_eq!(saved.code, 0, "{}", saved.out);
    assert_eq!(saved.json()["notes"], json!([]), "{}", saved.out);
    // The service is gone: the loopback server of the run is not asked again.
    let passed = home.run(&["test", "--coverage", "--junit", "tests.xml"]);
    assert_eq!(passed.code, 0, "{}\n{}", passed.out, passed.err);
    assert!(
        passed.out.contains("1 passed, 0 failed") && passed.out.contains("ports not reached: adult.false"),
        "{}",
        passed.out
    );
    let xml = std::fs::read_to_string(home.dir.path().join("tests.xml")).expect("written");
    assert!(xml.contains("<testsuites tests=\"1\" failures=\"0\"") && xml.contains("name=\"An adult\""), "{xml}");
    // The workflow changes: the difference is told.
    home.file("first.signalbox.json", FIRST.replace(">= 18", ">= 40"));
    let failed = home.run(&["test", TEST, "--json"]);
    assert_eq!(failed.code, 1);
    let result = failed.json();
    let first = &result["tests"][0]["result"]["differences"][0];
    assert_eq!(
        first,
        &json!({ "field": "output/0/verdict", "expected": "adult", "actual": "minor", "message": "output/0/verdict: expected \"adult\", got \"minor\"." })
    );
    // Nothing is overwritten.
    let again = home.run(&["runs", "save-test", &run, "--out", TEST, "--json"]);
    assert_eq!((again.code, again.json()["error"]["code"].as_str()), (2, Some("EXISTS")));
}

#[test]
fn bad_tests_are_refused_with_their_place() {
    let (home, run) = with_run();
    let code = |args: &[&str]| {
        let done = home.run(args);
        (done.code, done.out)
    };
    let (exit, out) = code(&["test", "--json"]);
    assert!(exit == 2 && out.contains("NO_TESTS"), "{out}");
    let (exit, out) = code(&["runs", "save-test", &run, "--out", "first.yaml", "--json"]);
    assert!(exit == 2 && out.contains("does not end with .signalbox-test.yaml"), "{out}");
    let (exit, out) = code(&["runs", "save-test", "nobody", "--out", TEST, "--json"]);
    assert!(exit == 2 && out.contains("NOT_FOUND"), "{out}");
    home.file(TEST, "signalboxTest: 1\nname: cut\nworkflow: [");
    home.file(
        "other.signalbox-test.yaml",
        "signalboxTest: 1\nname: T\nworkflow: ../x.json\nstartedAt: 2026-01-05T09:00:00Z\n",
    );
    let head = "signalboxTest: 1\nname: T\nworkflow: first.signalbox.json\nstartedAt: 2026-01-05T09:00:00Z\n";
    let whole = format!("{head}params: {{ base: 'http://127.0.0.1:9' }}\nexpect: {{ status: completed }}\n");
    home.file("mine.signalbox-test.yaml", whole);
    home.file("nothing.signalbox-test.yaml", head);
    let (exit, out) = code(&["test"]);
    assert_eq!(exit, 1, "{out}");
    for wanted in [
        "no valid YAML",
        "'../x.json' is no file name",
        "'fetch' (http.request) would call the outside world",
        "The test expects nothing, so it would always pass.",
        "params: A required param is missing",
        "0 passed, 4 failed",
    ] {
        assert!(out.contains(wanted), "{wanted}\n{out}");
    }
}

#[test]
fn a_proof_exits_by_what_it_found() {
    let (home, run) = with_run();
    assert_eq!(home.run(&["runs", "save-test", &run, "--out", TEST]).code, 0);
    let proved = home.run(&["prove", "first.signalbox.json", "--json"]);
    let report = proved.json();
    assert_eq!(
        (proved.code, &report["score"], &report["base"][0]["status"]),
        (0, &json!(100), &json!("completed")),
        "{}",
        proved.out
    );
    home.file("first.signalbox.json", FIRST.replace("\"safe\"", "\"fail\""));
    let found = home.run(&["prove", "first.signalbox.json"]);
    assert!(found.code == 1 && found.out.contains("endsFailed") && found.out.contains("Not tried:"), "{}", found.out);
    home.file("broken.signalbox.json", "{");
    assert_eq!(home.run(&["prove", "broken.signalbox.json"]).code, 2);
}

/// `load` gives a workbook as bytes, `rows` reads it, `sum` is a script that looks at the clock.
fn invoices(script: &str) -> String {
    let nodes = json!({
        "load": { "type": "file.read", "config": { "path": "sample:invoices.xlsx", "as": "binary" } },
        "rows": { "type": "sheet.read", "config": { "binary": "content" } },
        "sum": { "type": "code.javascript", "mode": "all", "config": { "source": script } },
    });
    workflow(nodes, json!([{ "from": "load.success", "to": "rows" }, { "from": "rows.success", "to": "sum" }]))
        .to_string()
}

const SUM: &str = "const at = new Date(); return { total: items.reduce((sum, one) => sum + one.amount, 0), \
                   hour: at.getHours() === at.getUTCHours(), dice: Math.random(), then: Date.now() };";

#[test]
fn a_script_and_a_workbook_are_read_again_by_the_test() {
    let home = TestHome::new();
    let file = home.file("invoices.signalbox.json", invoices(SUM)).display().to_string();
    let done = home.run(&["run", &file, "--json"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let run = done.json()["runId"].as_str().expect("an id").to_owned();
    let save = |out: &str, more: &[&str]| {
        let saved = home.run(&[&["runs", "save-test", &run, "--out", out, "--json"][..], more].concat());
        assert_eq!(saved.code, 0, "{}{}", saved.out, saved.err);
        saved.json()["notes"].to_string()
    };
    let notes = save("invoices.with.signalbox-test.yaml", &["--files"]);
    assert!(notes.contains("KiB of files. Nothing in them is masked."), "{notes}");
    let test = std::fs::read_to_string(home.dir.path().join("invoices.with.signalbox-test.yaml")).expect("written");
    assert!(!test.contains("- step: rows") && !test.contains("- step: sum") && test.contains("\nbytes:\n"), "{test}");
    // Without the files the rows are those that were recorded; the script runs all the same.
    let notes = save("invoices.without.signalbox-test.yaml", &[]);
    assert!(notes.contains("The test does not hold 1 file of the run"), "{notes}");
    let passed = home.run(&["test", "--json"]);
    assert_eq!(passed.code, 0, "{}", passed.out);
    let output = |done: &Value| done["tests"][0]["result"]["differences"].to_string();
    // Another script: both tests tell.
    home.file("invoices.signalbox.json", invoices(&SUM.replace("+ one.amount", "+ 2 * one.amount")));
    let failed = home.run(&["test", "--json"]);
    assert_eq!((failed.code, &failed.json()["failed"]), (1, &json!(2)), "{}", failed.out);
    assert!(output(&failed.json()).contains("output/0/total"), "{}", failed.out);
    // One that never ends is stopped, and what it threw can be expected.
    let endless = invoices("for (;;) {}").replace("\"source\"", "\"timeoutMs\":50,\"source\"");
    home.file("invoices.signalbox.json", endless);
    let stopped = home.run(&["test", "invoices.with.signalbox-test.yaml", "--json"]);
    assert!(stopped.code == 1 && stopped.out.contains("TIMEOUT"), "{}", stopped.out);
}
