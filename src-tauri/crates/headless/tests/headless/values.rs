//! Values on their way through the program: types of expressions, and numbers at each entrance.

use crate::support;

use serde_json::{Value, json};
use support::{BUILDER, TestHome, workflow};

/// Case type-names: what the editor says of `type(x)` is accepted and runs.
#[test]
fn type_names_are_accepted_and_run() {
    let place = TestHome::new();
    let mut flow = workflow(
        json!({
            "start": { "type": "trigger.manual" },
            "one": { "type": "data.filter", "config": { "when": "type(item.n) == int || type(item.n) == string" } }
        }),
        json!([{ "from": "start.success", "to": "one" }]),
    );
    flow["id"] = json!("type-names");
    let file = place.file("type-names.signalbox.json", flow.to_string()).display().to_string();
    let checked = place.run(&["validate", &file, "--json"]);
    assert_eq!((checked.code, &checked.json()[0]["diagnostics"]), (0, &json!([])), "{}{}", checked.out, checked.err);
    for (params, leaves) in [(r#"{"n":5}"#, 1), (r#"{"n":"five"}"#, 1), (r#"{"n":5.5}"#, 0), (r#"{"n":null}"#, 0)] {
        let done = place.run(&["run", &file, "--params", params, "--json"]);
        assert_eq!((done.code, done.json()["status"].as_str()), (0, Some("completed")), "{}{}", done.out, done.err);
        let output = done.json()["output"].as_array().map_or(0, Vec::len);
        assert_eq!(output, leaves, "{params}: {}", done.out);
    }
}

/// Cases js-big-ids and big-id-as-text over REST: digits stay, or the request is refused and names the field.
#[test]
fn numbers_in_a_request_keep_their_digits_or_it_is_refused() {
    let place = TestHome::new();
    let serving = support::with_roles(&place);
    let mut flow = workflow(
        json!({ "a": { "type": "data.set", "config": { "keep": false, "assign": { "path": "/orders/{{params.id}}", "id": "=params.id" } } } }),
        json!([]),
    );
    flow["id"] = json!("ids");
    assert_eq!(serving.ask("PUT", "/workflows/ids", &flow).status, 200);
    let bearer = format!("Bearer {BUILDER}");
    let headers = [("host", serving.host()), ("authorization", bearer.as_str()), ("content-type", "application/json")];
    let start = |number: &str| {
        let body = format!("{{\"workflow\":\"ids\",\"params\":{{\"id\":{number}}}}}");
        serving.raw("POST", "/workflow/run", &headers, &body)
    };
    for refused in ["18446744073709551616", "12345678901234567890123", "0.1234567890123456789"] {
        let answer = start(refused);
        assert_eq!((answer.status, answer.code().as_str()), (400, "BAD_REQUEST"), "{}", answer.body);
        let message = answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains(&format!("the number {refused} at params.id would lose digits")), "{message}");
    }
    for kept in ["9007199254740993", "18446744073709551615"] {
        assert_eq!(start(kept).status, 200);
        let beside = TestHome::new();
        let file = beside.file("ids.json", flow.to_string()).display().to_string();
        let done = beside.run(&["run", &file, "--params", &format!("{{\"id\":{kept}}}"), "--json"]);
        let output: Value = done.json()["output"][0].clone();
        assert_eq!((output["id"].to_string(), &output["path"]), (kept.into(), &json!(format!("/orders/{kept}"))));
    }
}

/// ADR 216: a member with two values is refused over REST, in params at the terminal and in an answer of a model's kind, by its path.
#[test]
fn a_member_that_occurs_twice_is_refused_where_it_comes_in() {
    let place = TestHome::new();
    let serving = support::with_roles(&place);
    let mut flow =
        workflow(json!({ "a": { "type": "data.set", "config": { "assign": { "id": "=params.id" } } } }), json!([]));
    flow["id"] = json!("twice");
    assert_eq!(serving.ask("PUT", "/workflows/twice", &flow).status, 200);
    let bearer = format!("Bearer {BUILDER}");
    let headers = [("host", serving.host()), ("authorization", bearer.as_str()), ("content-type", "application/json")];
    let answer = serving.raw("POST", "/workflow/run", &headers, r#"{"workflow":"twice","params":{"id":1,"id":2}}"#);
    assert_eq!((answer.status, answer.code().as_str()), (400, "BAD_REQUEST"), "{}", answer.body);
    assert!(answer.body.contains("the member params.id occurs twice in one object"), "{}", answer.body);
    let same = serving.raw("POST", "/workflow/run", &headers, r#"{"workflow":"twice","params":{"id":1,"id":1}}"#);
    assert_eq!(same.status, 200, "nothing is lost: {}", same.body);

    let file = place.file("twice.json", flow.to_string()).display().to_string();
    let params = place.file("params.json", "{\"rows\":[{\"id\":1,\n\"id\":2}]}").display().to_string();
    for (args, path) in [
        (["--params", r#"{"id":1,"id":2}"#], "the member id "),
        (["--params", &format!("@{params}")], "the member rows[0].id "),
        (["--set", r#"id={"a":{"b":1,"b":[]}}"#], "the member a.b "),
    ] {
        let done = place.run(&["run", &file, args[0], args[1], "--json"]);
        let message = done.json()["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(done.code == 2 && message.contains(path), "{args:?}: {} {message}", done.code);
    }
}

/// The same at the terminal, where a step is run again or a task is corrected.
#[test]
fn numbers_of_an_input_at_the_terminal_are_refused_where_they_would_lose_digits() {
    let place = TestHome::new();
    let flow = workflow(json!({ "a": { "type": "flow.noop" } }), json!([]));
    let file = place.file("a.json", flow.to_string()).display().to_string();
    let run = place.run(&["run", &file, "--json"]).json()["runId"].as_str().expect("an id").to_owned();
    for args in [
        &["rerun", &run, "--from", "a", "--input", r#"[{"id":18446744073709551616}]"#, "--json"][..],
        &["runs", "edit", &run, "--step", "a", "--input", r#"{"id":18446744073709551616}"#, "--json"],
    ] {
        let done = place.run(args);
        let message = done.json()["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert_eq!(done.code, 2, "{args:?}: {}{}", done.out, done.err);
        assert!(message.starts_with("--input: the number 18446744073709551616 at "), "{args:?}: {message}");
    }
}
