//! A program that is killed goes on where it was.

use crate::support::{Place, Server, workflow};
use serde_json::json;
use std::process::Stdio;

#[test]
fn a_killed_run_is_resumed_and_no_step_runs_twice() {
    let server = Server::start();
    let place = Place::new();
    let ask = |path: &str| json!({ "type": "http.request", "config": { "url": format!("{}/{path}", server.base) } });
    let flow = workflow(
        "killed",
        json!({ "one": ask("one"), "two": ask("two"), "three": ask("three") }),
        &[("one", "two"), ("two", "three")],
    );
    let program = place.program(&flow, &[]);
    let mut running = program.command(&["run", "--json"]).stdout(Stdio::null()).spawn().expect("it starts");
    let next = || server.requests.recv().expect("a request");
    let first = next();
    assert_eq!(first.path, "/one");
    first.answer("{}");
    // The second call is on its way and never answered: SIGKILL on Unix.
    let second = next();
    assert_eq!(second.path, "/two");
    running.kill().expect("killed");
    running.wait().expect("ended");
    drop(second);

    let runs = program.run(&["runs", "--json"]).assert_code(0).json();
    assert_eq!(runs.as_array().map(Vec::len), Some(1));
    assert!(runs[0]["endedAt"].is_null(), "{runs}");
    let resumed = program.command(&["resume", "--json"]).stdout(Stdio::piped()).spawn().expect("it starts");
    for path in ["/two", "/three"] {
        let request = next();
        assert_eq!(request.path, path);
        request.answer("{}");
    }
    let ended = crate::support::Ended::from(resumed.wait_with_output().expect("ended")).assert_code(0).json();
    assert_eq!(ended[0]["status"], "completed", "{ended}");
    assert_eq!(ended[0]["runId"], runs[0]["runId"]);
    let seen = server.seen.lock().expect("no panic").clone();
    // A read that was cut off is asked again; a finished step is not.
    assert_eq!(seen, ["/one", "/two", "/two", "/three"]);
    assert_eq!(program.run(&["audit", "verify", "--json"]).assert_code(0).json()["intact"], true);
    let nothing = program.run(&["resume"]).assert_code(0);
    assert_eq!(nothing.out.trim(), "Nothing to resume.");
}
