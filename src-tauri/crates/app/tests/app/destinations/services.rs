//! The shipped connectors: what each service is sent for a task, by its public documentation.

use super::{Peer, Place, Reply, Seen, approval, elsewhere, ok, send, terminal, with_desk};
use serde_json::{Value, json};

/// A task that opens, changes and ends; gives what the service was sent for each, and the task as it is shown.
fn told(place: &Place, peer: &Peer, request: Value) -> ([Vec<Seen>; 4], Value) {
    let mut request = request;
    request["name"] = "There".into();
    request["server"] = format!("{}{}", peer.base, request["server"].as_str().unwrap_or_default()).into();
    request["credential"] = "secret://desk".into();
    request["allowLocal"] = true.into();
    let id = place.ok("task_destination_add", request)[0]["id"].as_str().expect("an id").to_owned();
    let tested = place.ok("task_destination_test", json!({ "id": id }));
    assert_eq!(tested, json!({ "ok": true }));
    let test = peer.take();
    let task = approval(place, json!({ "title": "Pay <!channel> @all?", "assignee": "user:bob" }));
    let sent = |what: &str| {
        assert_eq!(send(place), 1, "{what}");
        let there = elsewhere(place, &task);
        assert_eq!(there["error"], Value::Null, "{what}: {there}");
        (peer.take(), there)
    };
    let (created, there) = sent("created");
    place.ok("task_reassign", json!({ "taskId": task, "to": "user:carl" }));
    let (changed, _) = sent("changed");
    place.ok("task_complete", json!({ "taskId": task, "action": "approve" }));
    let (closed, last) = sent("closed");
    assert_eq!(last["state"], "closed");
    place.ok("task_destination_remove", json!({ "id": id }));
    ([test, created, changed, closed], there)
}

fn lines(all: &[Seen]) -> Vec<&str> {
    all.iter().map(|seen| seen.line.as_str()).collect()
}

/// User and password, as Jira and ServiceNow take them.
fn basic(place: &Place) {
    let secret = json!({ "name": "desk", "kind": "basic", "field": "ada@example.org", "hosts": ["http://127.0.0.1"], "value": "api-token" });
    super::ask(place, &terminal(), "secret_set", secret).expect("kept");
}

#[test]
fn h_21_jira_gets_an_issue() {
    let place = with_desk();
    basic(&place);
    let peer = Peer::start(|seen| -> Reply {
        let line = seen.line.as_str();
        if line.starts_with("GET /rest/api/3/project/search") {
            ok(json!({ "values": [{ "id": "1", "key": "ABC" }], "total": 1 }))
        } else if line == "POST /rest/api/3/issue" {
            Some((
                201,
                Vec::new(),
                json!({ "id": "10000", "key": "ABC-12", "self": "https://jira.example.org/rest/api/3/issue/10000" }),
            ))
        } else if line.starts_with("GET /rest/api/3/issue/ABC-12/transitions") {
            ok(
                json!({ "transitions": [{ "id": "21", "to": { "name": "In Progress" } }, { "id": "31", "to": { "name": "Done" } }] }),
            )
        } else if line.starts_with("GET /rest/api/3/issue/ABC-12") {
            ok(json!({ "key": "ABC-12", "fields": { "status": { "name": "To Do" } } }))
        } else {
            Some((204, Vec::new(), Value::Null))
        }
    });
    let settings = json!({ "connector": "jira", "server": "/rest/api/3", "settings": { "project": "ABC" } });
    let ([_, created, changed, closed], there) = told(&place, &peer, settings);
    assert_eq!(
        (&there["externalId"], &there["link"]),
        (&json!("ABC-12"), &json!("https://jira.example.org/browse/ABC-12"))
    );
    let fields = &created[0].body["fields"];
    assert_eq!((&fields["project"]["key"], &fields["issuetype"]["name"]), (&json!("ABC"), &json!("Task")));
    assert_eq!(fields["labels"][0], "signalbox");
    let first = &fields["description"]["content"][0];
    assert_eq!(first["content"][0]["text"], "Workflow: Pay invoices", "{fields}");
    assert_eq!(lines(&changed), ["PUT /rest/api/3/issue/ABC-12"]);
    assert!(changed[0].body.to_string().contains("user:carl"));
    assert_eq!(
        lines(&closed),
        [
            "PUT /rest/api/3/issue/ABC-12",
            "GET /rest/api/3/issue/ABC-12?fields=status",
            "GET /rest/api/3/issue/ABC-12/transitions",
            "POST /rest/api/3/issue/ABC-12/transitions"
        ]
    );
    assert_eq!(closed[3].body, json!({ "transition": { "id": "31" } }));
}

#[test]
fn h_21_github_gets_an_issue() {
    let place = with_desk();
    let peer = Peer::start(|seen| -> Reply {
        match seen.line.as_str() {
            "GET /repos/acme/desk" => ok(json!({ "id": 1, "name": "desk" })),
            "POST /repos/acme/desk/issues" => {
                Some((201, Vec::new(), json!({ "number": 42, "html_url": "https://github.com/acme/desk/issues/42" })))
            }
            _ => ok(json!({ "number": 42 })),
        }
    });
    let settings = json!({ "connector": "github", "settings": { "owner": "acme", "repo": "desk" } });
    let ([_, created, changed, closed], there) = told(&place, &peer, settings);
    assert_eq!(
        (&there["externalId"], &there["link"]),
        (&json!("#42"), &json!("https://github.com/acme/desk/issues/42"))
    );
    assert_eq!(created[0].body["labels"], json!(["signalbox"]));
    assert!(created[0].body["body"].as_str().expect("a text").contains("<!-- signalbox-"), "{}", created[0].body);
    assert_eq!(lines(&changed), ["PATCH /repos/acme/desk/issues/42"]);
    assert_eq!(closed[0].body["state"], "closed");
}

#[test]
fn h_21_servicenow_gets_a_record() {
    let place = with_desk();
    basic(&place);
    let peer = Peer::start(|seen| -> Reply {
        if seen.line.starts_with("GET ") {
            return ok(json!({ "result": [] }));
        }
        ok(json!({ "result": { "sys_id": "9d38", "number": "INC0010023" } }))
    });
    let settings = json!({ "connector": "servicenow", "server": "/api/now", "variables": { "instance": "acme" } });
    let ([_, created, changed, closed], there) = told(&place, &peer, settings);
    assert_eq!(there["externalId"], "INC0010023");
    let link = there["link"].as_str().expect("a link");
    assert!(link.starts_with("https://acme.") && link.ends_with("/incident.do?sys_id=9d38"), "{link}");
    assert_eq!(lines(&created), ["POST /api/now/table/incident"]);
    assert!(created[0].body["correlation_id"].as_str().expect("an id").starts_with("signalbox-"));
    assert_eq!(lines(&changed), ["PATCH /api/now/table/incident/9d38"]);
    assert_eq!(
        (&closed[0].body["state"], &closed[0].body["close_code"]),
        (&json!("6"), &json!("Solved (Permanently)"))
    );
}

#[test]
fn h_21_slack_gets_a_message_with_buttons() {
    let place = with_desk();
    let peer = Peer::start(|seen| -> Reply {
        if seen.line.starts_with("GET ") {
            return ok(json!({ "ok": true, "messages": [] }));
        }
        ok(json!({ "ok": true, "channel": "C1", "ts": "1503435956.000247" }))
    });
    let decisions = json!({ "secret": "secret://hook" });
    let settings = json!({ "connector": "slack", "settings": { "channel": "C1" }, "decisions": decisions });
    let ([_, created, changed, closed], there) = told(&place, &peer, settings);
    assert_eq!(there["externalId"], "message");
    assert_eq!(lines(&created), ["POST /chat.postMessage"]);
    let body = &created[0].body;
    // What a title says mentions nobody.
    assert_eq!(
        (&body["text"], &body["blocks"][0]["text"]["type"]),
        (&json!("Pay  !channel  @all?"), &json!("plain_text"))
    );
    let buttons: Vec<&str> = body["blocks"][2]["elements"]
        .as_array()
        .expect("buttons")
        .iter()
        .filter_map(|one| one["value"].as_str())
        .collect();
    assert_eq!(buttons, ["Approve", "Reject"], "{body}");
    assert_eq!(lines(&changed), ["POST /chat.update"]);
    assert_eq!(
        (&closed[0].body["ts"], closed[0].body["blocks"].as_array().map(Vec::len)),
        (&json!("1503435956.000247"), Some(2))
    );
}

#[test]
fn h_21_teams_gets_a_message() {
    let place = with_desk();
    let peer = Peer::start(|seen| -> Reply {
        match seen.line.split_whitespace().next() {
            Some("GET") => ok(json!({ "value": [{ "id": "c1" }] })),
            Some("POST") => Some((
                201,
                Vec::new(),
                json!({ "id": "1616990032035", "webUrl": "https://teams.example.org/l/message/1" }),
            )),
            _ => Some((204, Vec::new(), Value::Null)),
        }
    });
    let settings = json!({ "connector": "teams", "settings": { "team": "t1", "channel": "c1" } });
    let ([_, created, changed, closed], there) = told(&place, &peer, settings);
    assert_eq!(there["link"], "https://teams.example.org/l/message/1");
    assert_eq!(created[0].body["body"]["contentType"], "text");
    assert_eq!(lines(&changed), ["PATCH /teams/t1/channels/c1/messages/1616990032035"]);
    assert!(
        closed[0].body["body"]["content"].as_str().expect("a text").contains("done, approve by "),
        "{}",
        closed[0].body
    );
}

/// A webhook as a service sends it; gives the result.
fn hook(place: &Place, id: &str, headers: &[(&str, String)], body: &str) -> Result<Value, signalbox_app::ApiError> {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let request = signalbox_app::HookRequest {
        method: "POST".into(),
        query: String::new(),
        headers,
        body: body.as_bytes().to_vec(),
    };
    let reply = super::wait(place.app.task_hook(id, request))?;
    Ok(serde_json::from_slice(&reply.body).expect("JSON"))
}

fn hex(key: &str, text: &str) -> String {
    super::hmac_sha256(key.as_bytes(), text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn h_21_a_button_in_slack_decides_with_its_signature_and_time() {
    let place = with_desk();
    let peer = Peer::start(|_| ok(json!({ "ok": true, "channel": "C1", "ts": "1503435956.000247" })));
    let add = json!({ "name": "Slack", "connector": "slack", "server": peer.base, "credential": "secret://desk",
        "settings": { "channel": "C1" }, "decisions": { "secret": "secret://hook" }, "allowLocal": true });
    let id = place.ok("task_destination_add", add)[0]["id"].as_str().expect("an id").to_owned();
    let task = approval(&place, json!({ "title": "Pay?" }));
    send(&place);
    let payload = json!({
        "type": "block_actions", "user": { "id": "U1", "name": "ada" },
        "container": { "type": "message", "message_ts": "1503435956.000247", "channel_id": "C1" },
        "actions": [{ "action_id": "signalbox_Approve", "type": "button", "value": "Approve" }],
    });
    let escaped: String = payload.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect();
    let body = format!("payload={escaped}");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs();
    let signed = |at: u64| {
        let signature = format!("v0={}", hex("s3cret-value", &format!("v0:{at}:{body}")));
        [
            ("content-type", "application/x-www-form-urlencoded".to_owned()),
            ("x-slack-request-timestamp", at.to_string()),
            ("x-slack-signature", signature),
        ]
    };
    assert_eq!(hook(&place, &id, &signed(now - 3_600), &body).expect_err("too old").code, "UNAUTHORIZED");
    assert_eq!(hook(&place, &id, &signed(now), &body).expect("taken"), json!({ "result": "decided" }));
    let again = hook(&place, &id, &signed(now), &body).expect("taken");
    assert_eq!(again["reason"], "this webhook was received before");
    let decision = place.ok("task_get", json!({ "taskId": task }))["decision"].clone();
    assert_eq!((&decision["action"], &decision["operatorId"]), (&json!("approve"), &json!("reported:Slack/ada")));
}

#[test]
fn h_21_a_status_in_jira_decides_by_the_secret_of_its_webhook() {
    let place = with_desk();
    basic(&place);
    let issue = json!({ "id": "1", "key": "ABC-12", "self": "https://jira.example.org/rest/api/3/issue/1" });
    let peer = Peer::start(move |_| ok(issue.clone()));
    let decisions = json!({ "secret": "secret://hook", "values": { "Rejected": "reject" } });
    let add = json!({ "name": "Jira", "connector": "jira", "server": format!("{}/rest/api/3", peer.base), "credential": "secret://desk",
        "settings": { "project": "ABC" }, "decisions": decisions, "allowLocal": true });
    let id = place.ok("task_destination_add", add)[0]["id"].as_str().expect("an id").to_owned();
    let task = approval(&place, json!({ "title": "Pay?" }));
    send(&place);
    let body = |field: &str| {
        json!({
            "timestamp": 1_764_331_200_000_i64, "webhookEvent": "jira:issue_updated", "user": { "accountId": "5b", "displayName": "Ada" },
            "issue": { "id": "1", "key": "ABC-12", "fields": { "status": { "name": "Rejected" } } },
            "changelog": { "items": [{ "field": field, "fromString": "To Do", "toString": "Rejected" }] },
        })
        .to_string()
    };
    let signed = |body: &str| {
        [
            ("content-type", "application/json".to_owned()),
            ("x-hub-signature", format!("sha256={}", hex("s3cret-value", body))),
        ]
    };
    // A comment on a rejected issue is no decision.
    let other = body("summary");
    assert_eq!(hook(&place, &id, &signed(&other), &other).expect("taken")["result"], "ignored");
    let status = body("status");
    assert_eq!(hook(&place, &id, &signed(&other), &status).expect_err("another body").code, "UNAUTHORIZED");
    assert_eq!(hook(&place, &id, &signed(&status), &status).expect("taken"), json!({ "result": "decided" }));
    assert_eq!(place.ok("task_get", json!({ "taskId": task }))["decision"]["action"], "reject");
}
