//! `code.javascript` with the real program: what scripts give, and what they cannot do.

use crate::support;

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use support::{TestHome, workflow};

fn script(source: &str, more: &Value) -> Value {
    let mut config = json!({ "source": source });
    for (name, value) in more.as_object().expect("an object") {
        config[name] = value.clone();
    }
    json!({ "type": "code.javascript", "config": config })
}

fn one(place: &TestHome, name: &str, source: &str, more: &Value) -> String {
    let mut step = script(source, more);
    step["print"] = json!("=_meta");
    saved(place, name, json!({ "s": step }), json!([]))
}

fn saved(place: &TestHome, name: &str, nodes: Value, edges: Value) -> String {
    place.file(&format!("{name}.json"), workflow(nodes, edges).to_string()).display().to_string()
}

#[test]
fn what_it_returns_is_the_item_and_what_it_prints_is_told() {
    let place = TestHome::new();
    let nodes = json!({
            "list": { "type": "data.transform", "config": { "expression": "[1, 2, 3]", "split": true } },
            "each": { "type": "code.javascript", "config": { "source": "console.log('item', item);\nreturn { n: item * params.by }" } },
            "all": { "type": "code.javascript", "mode": "all", "out": { "$sum": "=_result" },
                     "config": { "source": "return items.reduce((sum, one) => sum + one.n, 0)" } },
    });
    let edges = json!([{ "from": "list.success", "to": "each" }, { "from": "each.success", "to": "all" }]);
    let file = saved(&place, "sum", nodes, edges);
    let done = place.run(&["run", &file, "--params", r#"{"by": 10}"#, "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let summary = done.json();
    assert_eq!((&summary["output"], &summary["context"]["sum"]), (&json!([60]), &json!(60)));

    let file = one(&place, "printed", "console.log('hello', { a: 1 }); return 1", &json!({}));
    let events = place.run(&["run", &file, "--events", "--json"]).lines();
    let printed = events.iter().find(|event| event["type"] == "step_print").expect("printed");
    assert_eq!(printed["payload"]["value"], json!({ "console": ["hello {\"a\":1}"] }));
}

#[test]
fn each_way_to_fail_is_an_error_on_the_red_port() {
    let place = TestHome::new();
    let many = "const all = []; for (;;) all.push('x'.repeat(1000) + all.length)";
    for (name, source, more, kind, code, words) in [
        ("syntax", "const a = 1;\nconst = 2", json!({}), "ToolError", "SCRIPT_SYNTAX", "Line 2: "),
        ("throws", "throw new Error('no such customer')", json!({}), "ToolError", "SCRIPT_ERROR", "no such customer"),
        ("endless", "for (;;) {}", json!({ "timeoutMs": 50 }), "Timeout", "TIMEOUT", "within 50 ms"),
        (
            "regex",
            "return /(a+)+$/.test('a'.repeat(99) + 'b')",
            json!({ "timeoutMs": 50 }),
            "Timeout",
            "TIMEOUT",
            "50 ms",
        ),
        ("memory", many, json!({ "memoryMb": 8, "timeoutMs": 60000 }), "ToolError", "MEMORY_LIMIT", "8 MB"),
        ("nan", "return { rate: 0 / 0 }", json!({}), "ValidationError", "BAD_RESULT", "'rate' of the result is NaN"),
        ("waits", "await new Promise(() => {})", json!({}), "ToolError", "SCRIPT_ERROR", "no timers"),
        ("file", "return await import('/etc/passwd')", json!({}), "ToolError", "SCRIPT_ERROR", "could not load module"),
    ] {
        let file = one(&place, name, source, &more);
        let done = place.run(&["run", &file, "--json"]);
        assert_eq!(done.code, 1, "{name}: {}{}", done.out, done.err);
        let error = &done.json()["error"];
        assert_eq!((&error["type"], &error["details"]["code"]), (&json!(kind), &json!(code)), "{name}: {error}");
        assert!(error["message"].as_str().expect("words").contains(words), "{name}: {error}");
    }
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<u32> {
    let is_child = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace().collect::<Vec<_>>());
        fields.and_then(|fields| fields.get(1)?.parse::<u32>().ok()) == Some(of)
    };
    let all = fs::read_dir("/proc").expect("proc").flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_child).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_is_killed_in_a_script_takes_nothing_with_it() {
    let place = TestHome::new();
    let mut step = script("for (;;) {}", &json!({ "timeoutMs": 60_000 }));
    step["errorHandling"] = json!({ "retryPolicy": { "maxAttempts": 0 } });
    let nodes =
        json!({ "s": step, "after": { "type": "data.set", "config": { "assign": { "said": "=error.message" } } } });
    let file = saved(&place, "endless", nodes, json!([{ "from": "s.error", "to": "after" }]));
    let mut run = place.spawn(&["run", &file, "--events", "--json"]);
    let mut lines = BufReader::new(run.stdout.take().expect("piped")).lines();
    let started = lines.by_ref().map(|line| line.expect("text")).find(|line| line.contains("step_start"));
    assert!(started.is_some_and(|line| line.contains("code.javascript")));
    // Between fork and exec a child still shows the command line and the environment of its parent.
    let command_of = |pid: u32| fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let parent = command_of(run.id());
    let worker = loop {
        if let [one] = children(run.id())[..]
            && ![parent.as_slice(), b""].contains(&command_of(one).as_slice())
        {
            break one;
        }
    };
    let environment = fs::read(format!("/proc/{worker}/environ")).expect("readable");
    assert_eq!(environment, b"", "a script's process inherits nothing");
    assert!(std::process::Command::new("kill").args(["-9", &worker.to_string()]).status().expect("kill").success());
    let last = lines.map(|line| line.expect("text")).last().expect("a summary");
    let summary: Value = serde_json::from_str(&last).expect("json");
    assert_eq!(run.wait().expect("ended").code(), Some(0), "{summary}");
    assert_eq!(summary["steps"]["s"]["state"], "ERROR_HANDLED");
    assert_eq!(summary["output"][0]["said"], "The process that ran the script ended before it answered");
}

/// Ctrl-C in a terminal goes to the program and all that it started: a script under way ends with its process, and is no
/// failure of the run.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_in_a_script_leaves_a_run_that_goes_on() {
    use std::os::unix::process::CommandExt;
    let place = TestHome::new();
    let file = one(&place, "long", "for (;;) {}", &json!({ "timeoutMs": 60_000 }));
    let mut command = place.command(&["run", &file, "--events", "--json"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).process_group(0);
    let mut run = command.spawn().expect("it starts");
    let mut lines = BufReader::new(run.stdout.take().expect("piped")).lines().map(|line| line.expect("text"));
    let started = lines.by_ref().find(|line| line.contains("step_start")).expect("a start");
    let started: Value = serde_json::from_str(&started).expect("json");
    let run_id = started["runId"].as_str().expect("an id").to_owned();
    while children(run.id()).is_empty() {}
    let group = format!("-{}", run.id());
    assert!(std::process::Command::new("kill").args(["-INT", "--", &group]).status().expect("kill").success());
    assert_eq!(run.wait().expect("ended").code(), Some(130));
    let events = place.run(&["runs", "events", &run_id]).lines();
    let types: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert!(!types.iter().any(|kind| ["step_error", "workflow_failed"].contains(kind)), "{types:?}");
}

/// Cases js-big-ids and big-id-as-text: an id is the same one behind every kind of step, and an address shows its digits.
#[test]
fn large_ids_keep_their_digits_through_a_run() {
    let place = TestHome::new();
    let json = r#"{"id": 9007199254740993, "rows": [{"ref": 7615917337495251231}], "order": 12345678901234567890}"#;
    let nodes = json!({
        "text": { "type": "data.set", "config": { "assign": { "json": json } } },
        "parse": { "type": "data.parse", "config": { "format": "json", "from": "item.json" } },
        "script": script("return { ...item, seen: true }", &json!({})),
        "check": { "type": "data.set", "config": { "assign": {
            "sameId": "=item.id == nodes.parse.output.id", "path": "/orders/{{item.order}}", "asText": "=string(item.order)", "again": "=item.order"
        } } },
    });
    let wires = [("text", "parse"), ("parse", "script"), ("script", "check")];
    let edges = wires.map(|(from, to)| json!({ "from": format!("{from}.success"), "to": to }));
    let file = saved(&place, "ids", nodes, json!(edges));
    let done = place.run(&["run", &file, "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let output = done.json()["output"][0].to_string();
    for part in [
        r#""id":9007199254740993"#,
        r#""ref":7615917337495251231"#,
        r#""order":12345678901234567890"#,
        r#""sameId":true"#,
        r#""path":"/orders/12345678901234567890""#,
        r#""asText":"12345678901234567890""#,
        r#""again":12345678901234567890"#,
    ] {
        assert!(output.contains(part), "{part} in {output}");
    }
}

/// What no value holds is refused where it comes in, with the name of the field.
#[test]
fn a_number_that_would_lose_digits_is_refused_where_it_comes_in() {
    let place = TestHome::new();
    let file = one(&place, "given", "return params", &json!({}));
    for (given, path) in [
        (r#"{"rows": [{"id": 12345678901234567890123}]}"#, "rows[0].id"),
        (r#"{"price": 0.1234567890123456789}"#, "price"),
    ] {
        let done = place.run(&["run", &file, "--params", given, "--json"]);
        assert_ne!(done.code, 0, "{}", done.out);
        let told = format!("{}{}", done.out, done.err);
        assert!(told.contains(path) && told.contains("would lose digits"), "{told}");
    }
    let set = place.run(&["run", &file, "--set", "id=18446744073709551616", "--json"]);
    assert!(set.code != 0 && format!("{}{}", set.out, set.err).contains("18446744073709551616 would lose digits"));
    let done =
        place.run(&["run", &file, "--params", r#"{"id": 18446744073709551615, "at": 13.377704000000001}"#, "--json"]);
    assert!(done.out.contains("18446744073709551615") && done.out.contains("13.377704000000001"), "{}", done.out);
}

/// Case script-locale-zone: another time in another form is not what was asked for.
#[test]
fn a_script_that_asks_for_a_language_or_a_time_zone_fails() {
    let place = TestHome::new();
    let source = "const d = new Date('2026-07-01T22:30:00Z');\nreturn { berlin: d.toLocaleString('de-DE', { timeZone: 'Europe/Berlin' }) };";
    let done = place.run(&["run", &one(&place, "zone", source, &json!({})), "--json"]);
    assert_ne!(done.code, 0, "{}", done.out);
    let error = &done.json()["error"];
    assert!(
        error.to_string().contains("Line 2: TypeError: toLocaleString cannot follow a locale or options"),
        "{error}"
    );
}

/// ADR 217: a number of the source that JavaScript reads as another one is an error before the run, with its line.
#[test]
fn a_number_of_a_script_that_would_change_is_an_error_of_the_file() {
    let place = TestHome::new();
    let file = one(&place, "literal", "const id =\n  9007199254740993;\nreturn {id}", &json!({}));
    for args in [["validate", &file, "--json"], ["run", &file, "--json"]] {
        let told = place.run(&args);
        assert_ne!(told.code, 0, "{args:?}: {}", told.out);
        assert!(
            told.out.contains("9007199254740993 (line 2, column 3), which JavaScript reads as 9007199254740992"),
            "{}",
            told.out
        );
        assert!(told.out.contains("9007199254740993n"), "{}", told.out);
    }
    for (source, shown) in [
        ("return {id: 9007199254740993n}", r#""id":9007199254740993"#),
        ("return {id: '9007199254740993'}", r#""id":"9007199254740993""#),
    ] {
        let done = place.run(&["run", &one(&place, "literal", source, &json!({})), "--json"]);
        assert!(done.code == 0 && done.out.contains(shown), "{source}: {}{}", done.out, done.err);
    }
}
