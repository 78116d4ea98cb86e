//! Files of another program (source 003) from outside: imported at the terminal and over REST, then run, and gone on with at
//! a checkpoint of that program.

use crate::support;

use serde_json::{Value, json};
use std::path::Path;
use support::{OPERATOR, TestHome, with_roles};

fn corpus(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/tests/vl").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn foreign(steps: Value) -> Value {
    json!({
        "version": "3.16", "name": "From elsewhere",
        "registry": { "params": ["who(STRING) = \"Ada\"", "rows([STRING]) = []"],
                      "vars": ["$a(INT)", "$b(INT)", "$ok(BOOL)", "$text(STRING)", "$list([OBJECT])", "$plan(OBJECT)"] },
        "steps": steps,
    })
}

fn set(id: &str, target: &str, value: &str, next: &str) -> Value {
    json!({ "id": id, "target": target, "value": value, "next": next })
}

/// Imports a file and gives the path of the workflow.
fn imported(place: &TestHome, file: &Value) -> String {
    let from = place.file("foreign.json", file.to_string()).display().to_string();
    let to = place.dir.path().join("ours.signalbox.json").display().to_string();
    let done = place.run(&["import", &from, "-o", &to, "--force", "--json"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    assert_eq!(place.run(&["validate", &to, "--json"]).code, 0, "what was translated whole can run");
    to
}

/// Runs a workflow: its events, then its summary.
fn run(place: &TestHome, file: &str, more: &[&str]) -> (Vec<Value>, Value) {
    let mut args = vec!["run", file, "--events", "--json"];
    args.extend(more);
    let done = place.run(&args);
    let mut lines = done.lines();
    let summary = lines.pop().unwrap_or_else(|| panic!("nothing was printed\n{}", done.err));
    (lines, summary)
}

fn of<'a>(events: &'a [Value], kind: &'a str, step: &'a str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind && event["stepId"] == step).collect()
}

#[test]
fn ts_072_what_is_only_shown_does_not_stop_a_step() {
    let place = TestHome::new();
    let mut shown = set("Set_a", "$a", "=1", "Stop_end");
    shown["in"] = json!({ "seen": "=$plan.nothing.there", "bad": "=1 +" });
    let file = imported(&place, &foreign(json!([shown, { "id": "Stop_end" }])));
    let (events, summary) = run(&place, &file, &[]);
    assert_eq!((&summary["status"], &summary["context"]["a"]), (&json!("completed"), &json!(1)));
    assert_eq!(of(&events, "step_start", "Set_a")[0]["payload"]["resolvedInputs"], Value::Null);
    assert_eq!(of(&events, "workflow_done", "").len(), 0);
    assert_eq!(events.last().expect("an event")["payload"]["stop_id"], "Stop_end");
}

#[test]
fn ts_074_ts_075_ts_076_a_branch_goes_the_chosen_way_or_on() {
    let place = TestHome::new();
    let mut skipped = json!({ "id": "Noop_fork", "if": "=$ok", "children": ["Set_in"], "next": "Branch_hit" });
    skipped["meta"] = json!({ "title": "Only when it is in order" });
    let file = imported(
        &place,
        &foreign(json!([
            set("Set_a", "$a", "=2", "Noop_fork"),
            skipped,
            set("Set_in", "$text", "never", "RETURN"),
            { "id": "Branch_hit", "cases": [["=$a == 1", "Set_one"], ["=$a == 2", "Set_two"], ["ELSE", "Set_else"]], "next": "Branch_miss" },
            set("Set_one", "$text", "one", "RETURN"),
            set("Set_two", "$text", "two", "RETURN"),
            set("Set_else", "$text", "else", "RETURN"),
            { "id": "Branch_miss", "cases": [["=$a == 7", "Set_seven"]], "next": "Set_after" },
            set("Set_seven", "$text", "seven", "RETURN"),
            set("Set_after", "$b", "=$a + 1", "RETURN"),
        ])),
    );
    let (events, summary) = run(&place, &file, &[]);
    assert_eq!(summary["status"], "completed");
    assert_eq!(summary["context"]["text"], "two");
    assert_eq!(summary["context"]["b"], 3, "what follows a Branch runs when no case is true");
    assert_eq!(of(&events, "step_skipped", "Noop_fork").len(), 1);
    assert_eq!(of(&events, "step_done", "Branch_hit")[0]["payload"]["selected"], "Set_two");
    assert_eq!(of(&events, "step_done", "Branch_miss")[0]["payload"]["selected"], Value::Null);
    for never in ["Set_in", "Set_one", "Set_else", "Set_seven"] {
        assert_eq!(of(&events, "step_start", never).len(), 0, "{never}");
    }
}

#[test]
fn loops_forks_breaks_and_places_in_lists_run_as_they_did() {
    let place = TestHome::new();
    let file = imported(
        &place,
        &foreign(json!([
            { "id": "Loop_none", "mode": "serial", "source": "=$list", "children": ["Set_never"], "next": "Branch_a" },
            set("Set_never", "$text", "never", "RETURN"),
            { "id": "Branch_a", "cases": [["=$ok", "Set_never2"]], "next": "Loop_rows" },
            set("Set_never2", "$text", "never", "RETURN"),
            { "id": "Loop_rows", "mode": "parallel", "source": "=rows", "children": ["Set_slot", "Set_slot2"], "next": "Loop_stop" },
            set("Set_slot", "$list[_index].name", "=_item", "RETURN"),
            set("Set_slot2", "$list[_index].at", "=_index", "RETURN"),
            { "id": "Loop_stop", "mode": "serial", "while": "=_index < 100", "maxIterations": 100, "children": ["Set_count"], "next": "Fork_b" },
            set("Set_count", "$a", "=_index", "Branch_enough"),
            { "id": "Branch_enough", "cases": [["=$a == 3", "Set_text"]], "next": "RETURN" },
            set("Set_text", "$text", "='stopped at ' + $a", "BREAK"),
            { "id": "Fork_b", "children": ["Set_b", "Set_ok"], "next": "Set_plan" },
            set("Set_b", "$b", "=10", "RETURN"),
            set("Set_ok", "$ok", "=true", "RETURN"),
            set("Set_plan", "$plan.deep.sum", "=$a + $b", "Done_all"),
            { "id": "Done_all" },
        ])),
    );
    let (events, summary) = run(&place, &file, &["--set", "rows=[\"x\",\"y\",\"z\"]"]);
    assert_eq!(summary["status"], "completed", "{summary}");
    let context = &summary["context"];
    assert_eq!(context["list"], json!([{ "name": "x", "at": 0 }, { "name": "y", "at": 1 }, { "name": "z", "at": 2 }]));
    assert_eq!((&context["text"], &context["a"]), (&json!("stopped at 3"), &json!(3)));
    assert_eq!((&context["ok"], &context["plan"]), (&json!(true), &json!({ "deep": { "sum": 13 } })));
    assert_eq!(of(&events, "step_start", "Set_plan").len(), 1, "a fork is joined once");
    assert_eq!(of(&events, "step_start", "Set_count").len(), 4, "BREAK leaves the loop");
    assert_eq!(events.last().expect("an event")["payload"]["stop_id"], "Done_all");
}

#[test]
fn errors_files_and_stops_run_as_they_did() {
    let place = TestHome::new();
    // Nobody listens there any more.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let mut wanted = foreign(json!([
        { "id": "API_1_Nope", "in": { "id": "=who" }, "out": { "$plan": "=_result" }, "onError": "Set_oops", "next": "Stop_bad" },
        set("Set_oops", "$text", "=_error.type", "Noop_fork"),
        { "id": "Noop_fork", "children": ["Set_b", "Loop_files"], "next": "Stop_never" },
        set("Set_b", "$b", "=1", "RETURN"),
        { "id": "Loop_files", "mode": "serial", "source": "=[1, 2, 3]", "children": ["Check_two"], "next": "RETURN" },
        { "id": "Check_two", "if": "=_item > 1", "cases": [["=_item == 2", "Write_it"]], "next": "RETURN" },
        { "id": "Write_it", "target": "='/' + _iterDir + '.json'", "value": "={n: _item}", "next": "Done_inside" },
        { "id": "Done_inside" }, { "id": "Stop_bad" }, { "id": "Stop_never" },
    ]));
    wanted["registry"]["apis"] = json!([{ "id": "Nope", "method": "GET", "url": format!("http://{closed}/x/{{id}}") }]);
    let file = imported(&place, &wanted);
    let out = place.dir.path().join("out");
    std::fs::create_dir(&out).expect("made");
    let (events, summary) = run(&place, &file, &["--allow-dir", &format!("{}:rw", out.display())]);
    assert_eq!((&summary["status"], &summary["context"]["text"]), (&json!("completed"), &json!("connection_error")));
    assert_eq!(std::fs::read_to_string(out.join("Loop_files_1.json")).expect("written"), "{\"n\":2}");
    assert_eq!(
        events.last().expect("an event")["payload"]["stop_id"],
        "Done_inside",
        "a Stop in a branch ends the run"
    );
    assert_eq!(of(&events, "step_start", "Check_two").len(), 2, "the third round never begins");
}

#[test]
fn ts_081_a_checkpoint_of_the_other_program_goes_on_in_the_imported_workflow() {
    let place = TestHome::new();
    let file = imported(
        &place,
        &foreign(json!([
            set("Set_a", "$a", "=1", "Noop_Fork"),
            { "id": "Noop_Fork", "children": ["Set_b", "Set_c"], "next": "Set_d" },
            set("Set_b", "$b", "=2", "RETURN"),
            set("Set_c", "$text", "=who", "RETURN"),
            set("Set_d", "$list[1]", "={sum: $a + $b}", "Stop_end"),
            { "id": "Stop_end" },
        ])),
    );
    let checkpoint = json!({
        "_type": "vl_workflow_checkpoint", "_version": 2, "workflowID": "wf_1", "currentStepID": "Noop_Fork",
        "params": { "who": "Bo" }, "variables": { "$a": 1, "$b": 40 }, "completedSteps": ["Set_a", "Set_b"],
        "completedBranches": { "Noop_Fork": ["Set_b"] },
    });
    let from = place.file("checkpoint.json", checkpoint.to_string()).display().to_string();
    let (events, summary) = run(&place, &file, &["--from-checkpoint", &from]);
    assert_eq!(summary["status"], "completed", "{summary}");
    assert_eq!(summary["context"]["list"], json!([null, { "sum": 41 }]));
    assert_eq!(summary["context"]["text"], "Bo");
    for (step, times) in [("Set_a", 0), ("Set_b", 0), ("Set_c", 1), ("Set_d", 1)] {
        assert_eq!(of(&events, "step_start", step).len(), times, "{step}");
    }
}

#[test]
fn ts_102_the_corpus_at_the_terminal() {
    let place = TestHome::new();
    for (name, steps, code) in [
        ("brochure-13.json", 13, 0),
        ("nine-files-49.json", 49, 1),
        ("gate-24.json", 24, 1),
        ("forks-15.json", 15, 0),
        ("update-6.json", 6, 0),
    ] {
        let from = place.file(name, corpus(name)).display().to_string();
        let to = place.dir.path().join(format!("{steps}.signalbox.json")).display().to_string();
        let done = place.run(&["import", &from, "-o", &to, "--json"]);
        assert_eq!(done.code, code, "{name}: {}", done.err);
        let result = done.json();
        assert_eq!((&result["report"]["steps"], &result["out"]), (&json!(steps), &json!(to)));
        assert_eq!(place.run(&["validate", &to]).code, code * 2, "placeholders, and nothing else, are errors");
        let again = place.run(&["import", &from, "-o", &to, "--json"]);
        assert_eq!((again.code, &again.json()["error"]["code"]), (2, &json!("FILE_EXISTS")));
    }
    let from = place.file("gate.json", corpus("gate-24.json")).display().to_string();
    let said = place.run(&["import", &from]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("vl 3.13: 24 steps in the file became"), "{}", said.err);
    assert!(said.err.contains("not translated NOT_TRANSLATED at /steps/17"), "{}", said.err);
    assert!(
        serde_json::from_str::<Value>(&said.out).expect("the workflow alone")["nodes"]["Service_Proof"].is_object()
    );
    for (text, code) in [("{", "BAD_JSON"), ("{\"a\":1}", "UNKNOWN_FORMAT"), ("{\"steps\":[]}", "CANNOT_IMPORT")] {
        let from = place.file("bad.json", text).display().to_string();
        let done = place.run(&["import", &from, "--json"]);
        assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some(code)));
    }
    assert_eq!(place.run(&["import", "nowhere.json"]).code, 2);
    // Standard input, as a command line that somebody pastes comes.
    let pasted = place.run_with(&["import", "-", "--json"], "curl -L https://shop.example/orders?day=1\n");
    assert_eq!(pasted.code, 0, "{}", pasted.err);
    assert_eq!(pasted.json()["workflow"]["nodes"]["request"]["config"]["url"], "https://shop.example/orders?day=1");
    let nothing = place.run_with(&["import", "-", "--json"], "hello");
    assert_eq!((nothing.code, nothing.json()["error"]["code"].as_str()), (2, Some("BAD_JSON")));
    // Running such a file says what to do.
    let from = place.file("six.json", corpus("update-6.json")).display().to_string();
    let ran = place.run(&["run", &from, "--json"]);
    assert_eq!((ran.code, ran.json()["error"]["code"].as_str()), (2, Some("FOREIGN_WORKFLOW")));
}

#[test]
fn the_library_takes_such_files_from_builders() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let wanted = json!({ "text": corpus("forks-15.json"), "toolServer": "files" });
    let refused = serving.ask_as(OPERATOR, "POST", "/rpc/workflow_import", &wanted, &[]);
    assert_eq!(refused.status, 403);
    let made = serving.ask("POST", "/rpc/workflow_import", &wanted);
    assert_eq!(made.status, 200);
    let made = made.json();
    assert_eq!(made["report"]["steps"], 15);
    assert_eq!(made["workflow"]["document"]["id"], "tour-brochure-side-by-side");
    // For a canvas that is there already: what it would be, and nothing is kept. The secret goes back to the one who sent it.
    let line = json!({ "text": "curl https://api.example.com/orders -H 'Authorization: Bearer k-canary-0123'" });
    assert_eq!(serving.ask_as(OPERATOR, "POST", "/rpc/import_preview", &line, &[]).status, 403);
    let shown = serving.ask("POST", "/rpc/import_preview", &line).json();
    assert_eq!(shown["workflow"]["nodes"]["request"]["config"]["credential"], "secret://imported-token");
    let secret =
        json!({ "name": "imported-token", "kind": "bearer", "value": "k-canary-0123", "host": "api.example.com" });
    assert_eq!(shown["secret"], secret);
    assert!(!shown["workflow"].to_string().contains("canary") && !shown["report"].to_string().contains("canary"));
    assert_eq!(serving.ask("POST", "/rpc/import_preview", &json!({ "text": "curl -H" })).code(), "CANNOT_IMPORT");
    let listed = serving.ask("POST", "/rpc/workflow_list", &json!({})).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    assert_eq!(listed[0]["name"], "Tour brochure, side by side");
    for (body, code) in [
        (json!({ "text": "{" }), "BAD_JSON"),
        (json!({}), "BAD_REQUEST"),
        (json!({ "path": "/etc/passwd" }), "FORBIDDEN"),
        (json!({ "text": "{}", "path": "x" }), "BAD_REQUEST"),
    ] {
        assert_eq!(serving.ask("POST", "/rpc/workflow_import", &body).code(), code, "{body}");
    }
}

#[test]
fn hostile_files_are_refused_and_leave_nothing_behind() {
    let place = TestHome::new();
    let to = place.dir.path().join("out.signalbox.json");
    let out = to.display().to_string();
    let mut large = b"{\"steps\":[\"".to_vec();
    large.resize(50 << 20, b'a');
    let zeros = vec![0_u8; 4_096];
    let nested = "[".repeat(10_000);
    for (bytes, code, words) in [
        (&b"{\"steps\":[{\"id\":\"Set_\xff\"}]}"[..], "BAD_JSON", "is no text (UTF-8)"),
        (&zeros, "BAD_JSON", "line 1"),
        (b"{\"version\":\"3.16\",\"steps\":[{\"id\":\"Set_a\",", "BAD_JSON", "line 1"),
        (nested.as_bytes(), "BAD_JSON", "128 levels"),
        (&large, "TOO_LARGE", "50 MiB"),
        (b"", "BAD_JSON", "line 1"),
        (b"null", "UNKNOWN_FORMAT", "in no format"),
        (b"{\"steps\":[{\"id\":\"Set_a\",\"next\":\"Set_a\"}]}", "CANNOT_IMPORT", "No entry"),
    ] {
        let from = place.file("odd.json", bytes).display().to_string();
        let done = place.run(&["import", &from, "-o", &out, "--json"]);
        let error = &done.json()["error"];
        assert_eq!((done.code, error["code"].as_str()), (2, Some(code)), "{error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(words)), "{error}");
        assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{error}");
    }
    // What would come out larger than what can be opened is refused as well.
    let words: Vec<Value> = (0..1_500_000).map(|_| json!(0)).collect();
    let wide = json!([{ "id": "Tool_a", "input": { "list": words }, "next": "RETURN" }]);
    let from = place.file("wide.json", foreign(wide).to_string()).display().to_string();
    let done = place.run(&["import", &from, "-o", &out, "--json"]);
    assert_eq!((done.code, &done.json()["error"]["code"]), (2, &json!("TOO_LARGE")), "{}", done.err);
    assert!(!to.exists());
    let left: Vec<_> =
        std::fs::read_dir(place.dir.path()).expect("a folder").flatten().map(|one| one.file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains(".tmp")), "{left:?}");
    // A step that was made but could not run is told, and the file is written for its author to mend.
    let odd = json!([{ "id": "Tool_a", "tool": "t", "input": "=1 + 1", "next": "Loop_b" },
                     { "id": "Loop_b", "mode": "serial", "source": "=rows", "children": [], "next": "RETURN" }]);
    let from = place.file("odd.json", foreign(odd).to_string()).display().to_string();
    let done = place.run(&["import", &from, "-o", &out, "--tool-server", "files"]);
    assert_eq!(done.code, 1, "{}", done.err);
    assert!(done.err.contains("cannot run NOT_VALID at /steps/1"), "{}", done.err);
    assert!(to.exists());
}

#[test]
fn a_workflow_is_exported_as_a_state_machine_with_what_was_lost() {
    let place = TestHome::new();
    let flow = support::workflow(
        json!({
            "big": { "type": "flow.if", "config": { "condition": "item.total > 100" } },
            "ask": { "type": "builtin.human_approval", "config": { "title": "Pay?" } },
            "done": { "type": "data.set", "config": { "assign": { "paid": "=item.total" } } },
        }),
        json!([{ "from": "big.true", "to": "ask" }, { "from": "big.false", "to": "done" }, { "from": "ask.approved", "to": "done" }]),
    );
    let file = place.file("pay.signalbox.json", flow.to_string()).display().to_string();
    let out = place.dir.path().join("pay.asl.json").display().to_string();
    let done = place.run(&["export", &file, "--format", "asl", "--out", &out, "--json"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let told = done.json();
    assert_eq!((&told["states"], &told["lost"][0]["step"]), (&json!(3), &json!("ask")), "{told}");
    let machine: Value = serde_json::from_str(&std::fs::read_to_string(&out).expect("written")).expect("JSON");
    assert_eq!((&machine["StartAt"], &machine["States"]["big"]["Default"]), (&json!("big"), &json!("done")));
    assert_eq!(
        place.run(&["export", &file, "--format", "asl", "--out", &out, "--json"]).code,
        2,
        "it is there already"
    );
    // Our import reads it.
    let back = place.dir.path().join("back.signalbox.json").display().to_string();
    assert_eq!(place.run(&["import", &out, "-o", &back, "--json"]).code, 0);
}
