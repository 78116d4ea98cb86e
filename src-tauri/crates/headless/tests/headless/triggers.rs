//! Workflows that run by themselves: the commands of the terminal, a server that fires, one that dies and one that takes over.

use crate::support;

use serde_json::{Value, json};
use std::collections::BTreeSet;
use support::{OPERATOR, Serving, TestHome, VIEWER, eventually, with_roles};

const TRIGGER: &str = "often.t";

fn flow(config: &Value) -> Value {
    json!({
        "signalbox": 1, "id": "often", "name": "Often",
        "nodes": {
            "t": { "type": "trigger.schedule", "title": "Now and then", "config": config },
            "a": { "type": "data.set", "config": { "assign": { "seen": "=item.scheduledAt" } } },
        },
        "edges": [{ "from": "t.success", "to": "a" }],
    })
}

fn file(place: &TestHome, config: &Value) -> String {
    place.file("often.signalbox.json", flow(config).to_string()).display().to_string()
}

/// What a database query gives, each row as JSON.
fn rows(place: &TestHome, sql: &str) -> Vec<Value> {
    let connection = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
    let mut statement = connection.prepare(sql).expect(sql);
    let rows = statement.query_map([], |row| row.get::<_, String>(0)).expect(sql);
    rows.map(|row| serde_json::from_str(&row.expect("a text")).expect("json")).collect()
}

fn firings(place: &TestHome) -> Vec<Value> {
    rows(
        place,
        "SELECT json_object('at', scheduled_ms, 'run', run, 'count', count) FROM trigger_firing ORDER BY scheduled_ms",
    )
}

fn fired(place: &TestHome) -> usize {
    firings(place).iter().filter(|row| row["run"].is_string()).count()
}

/// Every tick since the activation is there once: it fired, with one run, or it is counted as skipped.
fn each_tick_once(place: &TestHome) {
    let all = firings(place);
    let begun = rows(place, "SELECT json_object('at', at_ms) FROM activation")[0]["at"].as_i64().expect("a number");
    let last = all.last().expect("one")["at"].as_i64().expect("a number");
    let counted: i64 = all.iter().filter_map(|row| row["count"].as_i64()).sum();
    assert_eq!(counted, last / 1_000 - begun / 1_000, "{all:?}");
    let runs: BTreeSet<&str> = all.iter().filter_map(|row| row["run"].as_str()).collect();
    let stored = rows(place, "SELECT json_object('id', id) FROM run");
    assert_eq!(runs.len(), fired(place), "a run has one tick");
    assert_eq!(runs, stored.iter().filter_map(|row| row["id"].as_str()).collect(), "a tick has one run");
    let told = rows(place, "SELECT json_object('seq', seq) FROM audit_entry WHERE entry LIKE '%\"TRIGGER_FIRED\"%'");
    assert_eq!(told.len(), runs.len(), "and one entry");
}

#[test]
fn next_shows_both_times_and_says_what_is_wrong() {
    let place = TestHome::new();
    let path = file(&place, &json!({ "cron": "30 2 * * *", "timezone": "Europe/Berlin" }));
    let command = ["triggers", "next", &path, "--count", "2", "--from", "2026-03-28T12:00:00Z"];
    let told = place.run(&[&command[..], &["--json"]].concat()).json();
    assert_eq!(
        told[0]["next"],
        json!([
            { "utc": "2026-03-29T01:00:00.000Z", "local": "2026-03-29T03:00:00+02:00[Europe/Berlin]" },
            { "utc": "2026-03-30T00:30:00.000Z", "local": "2026-03-30T02:30:00+02:00[Europe/Berlin]" },
        ])
    );
    assert_eq!((&told[0]["nodeId"], &told[0]["title"]), (&json!("t"), &json!("Now and then")));
    let words = place.run(&command);
    assert!(words.out.contains("2026-03-29T01:00:00.000Z  2026-03-29T03:00:00+02:00[Europe/Berlin]"), "{}", words.out);
    for (config, code, path) in [
        (json!({ "cron": "0 0 30 2 *" }), "NEVER_FIRES", "/nodes/t/config/cron"),
        (json!({ "cron": "0 0 * * *", "timezone": "Berlin" }), "UNKNOWN_TIMEZONE", "/nodes/t/config/timezone"),
        (json!({ "cron": "99 * * * *" }), "BAD_CRON", "/nodes/t/config/cron"),
    ] {
        let path_of_file = file(&place, &config);
        let wrong = place.run(&["triggers", "next", &path_of_file, "--json"]);
        let found = wrong.json()["error"]["details"]["diagnostics"][0].clone();
        assert_eq!((wrong.code, &found["code"], &found["path"]), (2, &json!(code), &json!(path)), "{config}");
        let checked = place.run(&["validate", &path_of_file, "--json"]).json();
        assert_eq!(checked[0]["diagnostics"][0]["code"], code, "{checked}");
    }
    let none =
        place.file("none.json", support::workflow(json!({ "a": { "type": "flow.noop" } }), json!([])).to_string());
    let none = place.run(&["triggers", "next", &none.display().to_string(), "--json"]);
    assert_eq!((none.code, &none.json()["error"]["code"]), (2, &json!("NO_TRIGGER")));
    assert!(!place.data().exists(), "nothing was opened");
}

#[test]
fn the_terminal_activates_fires_and_deactivates() {
    let place = TestHome::new();
    let path = file(&place, &json!({ "cron": "0 8 * * 1-5", "timezone": "Europe/Berlin" }));
    // A run by hand gets a sample.
    let sample = place.run(&["run", &path, "--json"]).json();
    assert_eq!((&sample["status"], &sample["output"][0]["manual"]), (&json!("completed"), &json!(true)), "{sample}");
    assert_eq!(place.run(&["deactivate", "often", "--json"]).code, 2);
    let active = place.run(&["activate", &path, "--json"]).json();
    let version = active["version"].as_str().expect("a hash").to_owned();
    assert_eq!((&active["active"], &active["triggers"]), (&json!(true), &json!([TRIGGER])));
    let list = place.run(&["triggers", "list", "--json"]).json();
    assert_eq!((list[0]["next"].as_array().map(Vec::len), &list[0]["version"]), (Some(5), &json!(version)));
    assert!(place.run(&["triggers", "list"]).out.contains("often.t  Now and then  of Often"));
    let payload = json!({ "scheduledAt": "2026-12-24T07:00:00.000Z" }).to_string();
    let done = place.run(&["triggers", "fire", TRIGGER, "--payload", &payload, "--json"]);
    let summary = done.json();
    assert_eq!((done.code, &summary["output"][0]["seen"]), (0, &json!("2026-12-24T07:00:00.000Z")), "{summary}");
    let shown = place.run(&["triggers", "show", TRIGGER, "--json"]).json();
    assert_eq!(shown["firings"][0]["runId"], summary["runId"]);
    assert_eq!(
        (&shown["firings"][0]["outcome"], &shown["firings"][0]["runStatus"]),
        (&json!("fired"), &json!("completed"))
    );
    let versions = place.run(&["versions", "often", "--json"]).json();
    assert_eq!((&versions[0]["version"], &versions[0]["document"]["id"]), (&json!(version), &json!("often")));
    let off = place.run(&["deactivate", "often", "--json"]).json();
    assert_eq!(off["active"], json!(false));
    let gone = place.run(&["triggers", "fire", TRIGGER, "--json"]);
    assert_eq!((gone.code, &gone.json()["error"]["code"]), (2, &json!("NOT_FOUND")));
    let back = place.run(&["activate", "often", "--version", &version, "--json"]).json();
    assert_eq!((&back["version"], &back["active"]), (&json!(version), &json!(true)));
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}

#[test]
fn a_server_fires_and_rest_has_the_same_rules_as_its_neighbours() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let document = flow(&json!({ "every": 1_000 }));
    assert_eq!(serving.ask("PUT", "/workflows/often", &document).status, 200);
    let viewer = |method: &str, path: &str| serving.ask_as(VIEWER, method, path, &Value::Null, &[]).status;
    assert_eq!(
        (viewer("POST", "/workflows/often/activation"), viewer("DELETE", "/workflows/often/activation")),
        (403, 403)
    );
    let active = serving.ask("POST", "/workflows/often/activation", &Value::Null);
    assert_eq!((active.status, &active.json()["active"]), (200, &json!(true)), "{}", active.body);
    eventually("two firings", || fired(&place) >= 2);
    let list = serving.ask_as(VIEWER, "GET", "/triggers?workflowId=often", &Value::Null, &[]).json();
    assert_eq!(list[0]["triggerId"], TRIGGER);
    assert_eq!(serving.ask_as(VIEWER, "POST", "/triggers/often.t/fire", &Value::Null, &[]).status, 403);
    let run =
        serving.ask_as(OPERATOR, "POST", "/triggers/often.t/fire", &json!({ "payload": { "manual": "yes" } }), &[]);
    assert!(run.status == 200 && run.json()["runId"].is_string(), "{}", run.body);
    let unknown = serving.ask("POST", "/triggers/often.x/fire", &Value::Null);
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "NOT_FOUND"));
    let preview = json!({ "config": { "cron": "0 0 30 2 *" } });
    let preview = serving.ask_as(VIEWER, "POST", "/rpc/schedule_preview", &preview, &[]).json();
    assert_eq!(preview["diagnostics"][0]["code"], "NEVER_FIRES");
    let off = serving.ask("DELETE", "/workflows/often/activation", &Value::Null);
    assert_eq!((off.status, &off.json()["active"]), (200, &json!(false)));
    assert_eq!(serving.ask("GET", "/triggers", &Value::Null).json(), json!([]));
}

#[cfg(unix)]
#[test]
fn another_server_takes_over_when_the_one_that_fires_is_killed() {
    let place = TestHome::new();
    let path = file(&place, &json!({ "every": 1_000 }));
    assert_eq!(place.run(&["activate", &path]).code, 0);
    let mut first = Serving::start(&place, &[]);
    eventually("a firing", || fired(&place) >= 1);
    let mut second = Serving::start(&place, &[]);
    first.child.kill().expect("kill -9");
    first.child.wait().expect("gone");
    let before = fired(&place);
    eventually("another firing", || fired(&place) > before + 1);
    second.child.kill().expect("kill -9");
    second.child.wait().expect("gone");
    each_tick_once(&place);
}

/// Killed before and after the commit of a firing, and around it: no tick is lost, none has two runs.
#[cfg(all(unix, debug_assertions))]
#[test]
fn a_crash_at_any_point_of_a_firing_neither_loses_nor_doubles_a_tick() {
    use signalbox_store::failpoint::Point;
    use std::process::Stdio;

    let place = TestHome::new();
    let path = file(&place, &json!({ "every": 1_000 }));
    assert_eq!(place.run(&["activate", &path]).code, 0);
    let points = [
        (Point::Begun, 7),
        (Point::Written, 7),
        (Point::Committed, 7),
        (Point::Marked, 7),
        (Point::Told, 7),
        (Point::Born, 1),
        (Point::Born, 2),
        (Point::Decided, 2),
    ];
    for (point, nth) in points {
        let mut command = place.command(&["serve", "--addr", "127.0.0.1:0"]);
        command.env("SIGNALBOX_FAILPOINT", format!("{}:{nth}", point.name()));
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        eventually(&format!("the end at {point:?}"), || child.try_wait().expect("asks").is_some());
    }
    let before = fired(&place);
    let mut serving = Serving::start(&place, &[]);
    eventually("it goes on", || fired(&place) > before);
    serving.child.kill().expect("kill -9");
    serving.child.wait().expect("gone");
    each_tick_once(&place);
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}
