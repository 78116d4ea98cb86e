use super::*;
use signalbox_engine::validate::check_bytes;

fn catalog() -> Catalog {
    signalbox_nodes::built_in().clone()
}

fn read(document: &Value) -> Workflow {
    let checked = check_bytes(document.to_string().as_bytes(), &catalog());
    assert!(checked.is_ok(), "{:?}", checked.diagnostics);
    checked.workflow.expect("a workflow")
}

fn chain() -> Value {
    json!({
        "signalbox": 1, "id": "try", "name": "Try", "settings": { "errorPolicy": "safe" },
        "nodes": {
            "read": { "type": "http.request", "config": { "url": "https://api.example.com/users?x=1" } },
            "send": { "type": "http.request", "title": "Send", "config": { "method": "POST", "url": "https://api.example.com/send", "extract": { "id": "$.id" } },
                "errorHandling": { "retryPolicy": { "maxAttempts": 5 } } },
            "wait": { "type": "flow.wait", "config": { "ms": 3_600_000 } },
            "end": { "type": "flow.noop" },
        },
        "edges": [{ "from": "read.success", "to": "send" }, { "from": "send.success", "to": "wait" }, { "from": "wait.success", "to": "end" }],
    })
}

#[test]
fn ts_145_writes_are_samples_and_waits_are_left_out() {
    let (document, workflow) = (chain(), read(&chain()));
    let (trial, samples) = trial_document(&document, &workflow, &catalog(), &BTreeSet::new());
    assert_eq!(samples, BTreeSet::from(["send".to_owned()]));
    let node = &trial["nodes"]["send"];
    assert_eq!((&node["type"], &node["title"]), (&json!("data.set"), &json!("Send")));
    assert_eq!(
        node["config"]["assign"],
        json!({ "status": 200, "headers": {}, "response": {}, "extracted": { "id": "sample" } })
    );
    assert_eq!(trial["nodes"]["wait"]["type"], "flow.noop");
    assert_eq!(
        (&trial["nodes"]["read"], &trial["settings"]["errorPolicy"]),
        (&document["nodes"]["read"], &json!("fail"))
    );
    read(&trial);
    let (trial, samples) = trial_document(&document, &workflow, &catalog(), &BTreeSet::from(["send".to_owned()]));
    assert!(samples.is_empty() && trial["nodes"]["send"]["errorHandling"] == json!({}), "{trial}");
}

#[test]
fn consent_names_method_host_and_step() {
    let agreed = calls(&read(&chain()), &catalog(), &BTreeSet::from(["send".to_owned()]));
    let told: Vec<String> =
        agreed.iter().map(|call| format!("{} {} {}", call.step, call.effect, call.target)).collect();
    assert_eq!(told, ["read read GET https://api.example.com", "send write POST https://api.example.com"]);
    let changed = |step: &str, field: &str, value: &str| {
        let mut document = chain();
        document["nodes"][step]["config"][field] = value.into();
        let now = calls(&read(&document), &catalog(), &BTreeSet::from(["send".to_owned(), "read".to_owned()]));
        not_consented(&agreed, &now).len()
    };
    assert_eq!(changed("read", "url", "https://api.example.com/other"), 0);
    assert_eq!(changed("read", "url", "https://evil.example.com/users"), 1);
    assert_eq!(changed("read", "url", "{{params.base}}/users"), 1);
    assert_eq!(changed("read", "method", "DELETE"), 1);
    // A method that is known only in the run may be any.
    let mut open = chain();
    open["nodes"]["read"]["config"]["method"] = "=params.method".into();
    assert_eq!(calls(&read(&open), &catalog(), &BTreeSet::new())[0].effect, "write");
}

#[test]
fn consent_to_ask_an_agent_names_its_host() {
    let ask = |config: serde_json::Value| {
        let document = json!({
            "signalbox": 1, "id": "ask", "name": "Ask",
            "nodes": { "ask": { "type": "a2a.agent", "config": config } }, "edges": [],
        });
        calls(&read(&document), &catalog(), &BTreeSet::from(["ask".to_owned()]))
    };
    let agreed = ask(json!({ "url": "https://agent.example.com/team", "message": "Hi" }));
    assert_eq!((&*agreed[0].target, &*agreed[0].effect), ("https://agent.example.com", "write"));
    let other = ask(json!({ "url": "https://evil.example.com", "message": "Hi" }));
    assert_eq!(not_consented(&agreed, &other).len(), 1);
    let elsewhere =
        json!({ "url": "https://agent.example.com", "endpoint": "https://evil.example.com", "message": "Hi" });
    assert_eq!(not_consented(&agreed, &ask(elsewhere)).len(), 1);
}

#[test]
fn ts_144_a_correction_resumes_at_the_last_step_that_all_changes_follow_from() {
    let before = read(&chain());
    let failed = |id: &str| BTreeSet::from([id.to_owned()]);
    let with = |step: &str, value: &str| {
        let mut document = chain();
        document["nodes"][step]["config"]["url"] = value.into();
        read(&document)
    };
    assert_eq!(
        resume_from(&before, &with("send", "https://api.example.com/x"), &failed("send")).as_deref(),
        Some("send")
    );
    // The step before was wrong.
    assert_eq!(
        resume_from(&before, &with("read", "https://api.example.com/x"), &failed("send")).as_deref(),
        Some("read")
    );
    let mut document = chain();
    document["params"] = json!({ "type": "object" });
    assert_eq!(resume_from(&before, &read(&document), &failed("send")), None);
    // Two branches have no common step: all of it runs.
    let mut document = chain();
    document["edges"] = json!([{ "from": "read.success", "to": "wait" }, { "from": "send.success", "to": "end" }]);
    assert_eq!(resume_from(&before, &read(&document), &failed("read")), None);
}

#[test]
fn consent_to_mail_names_server_mailbox_and_recipients() {
    let of = |kind: &str, config: serde_json::Value| {
        let document = json!({
            "signalbox": 1, "id": "mail", "name": "Mail", "nodes": { "mail": { "type": kind, "config": config } }, "edges": [],
        });
        calls(&read(&document), &catalog(), &BTreeSet::from(["mail".to_owned()]))
    };
    let send =
        |host: &str, to: serde_json::Value| of("mail.send", json!({ "host": host, "to": to, "from": "a@example.org" }));
    let agreed = send("smtp.example.org", json!(["ada@example.org"]));
    assert_eq!(agreed[0].effect, "write");
    assert_eq!(not_consented(&agreed, &send("smtp.example.org", json!(["ada@example.org"]))).len(), 0);
    assert_eq!(not_consented(&agreed, &send("smtp.evil.example", json!(["ada@example.org"]))).len(), 1);
    assert_eq!(not_consented(&agreed, &send("smtp.example.org", json!("eve@example.org"))).len(), 1);
    let read_mail = |mut config: serde_json::Value| {
        config["credential"] = "secret://mailbox".into();
        of("mail.read", config)
    };
    let agreed = read_mail(json!({ "host": "imap.example.org", "mailbox": "Orders" }));
    assert_eq!((&*agreed[0].effect, &*agreed[0].target), ("read", "imap.example.org Orders"));
    let moved =
        read_mail(json!({ "host": "imap.example.org", "mailbox": "Orders", "after": "move", "moveTo": "Done" }));
    assert_eq!((moved[0].effect.as_str(), not_consented(&agreed, &moved).len()), ("write", 1));
}
