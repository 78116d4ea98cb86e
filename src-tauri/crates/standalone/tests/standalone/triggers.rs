//! Programs whose workflow starts by itself.

use crate::support::{Place, Program, Request, Served, Server, workflow};
use serde_json::{Value, json};
use signalbox_model::hash::{hex, hmac_sha256};
use std::collections::BTreeSet;
use std::fs;
use std::sync::mpsc::Receiver;

const SECRET: &str = "a secret of the sender";

/// Every kind of trigger that programs have, before one request that names the trigger.
fn flow(base: &str, folder: &str) -> Value {
    let to = |name: &str| (name.to_owned(), "tell".to_owned());
    let edges: Vec<(String, String)> = ["hook", "form", "files", "items"].into_iter().map(to).collect();
    let edges: Vec<(&str, &str)> = edges.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    workflow(
        "starts",
        json!({
            "hook": { "type": "trigger.webhook", "config": { "path": "orders", "auth": { "type": "hmac", "preset": "github", "secret": "secret://shop" } } },
            "form": { "type": "trigger.form", "config": { "path": "ask", "title": "Ask", "schema": {
                "type": "object", "required": ["name"], "properties": { "name": { "type": "string", "minLength": 2 } }
            } } },
            "files": { "type": "trigger.file_watch", "config": { "path": folder, "settleMs": 100, "existing": "process" } },
            "items": { "type": "trigger.poll", "config": { "url": format!("{base}/list"), "key": "item.id", "existing": "process" } },
            "tell": { "type": "http.request", "config": { "url": format!("{base}/fired/{{{{has(item.triggerId) ? item.triggerId : 'starts.items'}}}}") } },
        }),
        &edges,
    )
}

/// Answers requests until each of these triggers has fired. A call that a kill cut off is asked again, so others may come as well.
fn fired(requests: &Receiver<Request>, names: &[&str]) {
    let mut waited: BTreeSet<&str> = names.iter().copied().collect();
    while !waited.is_empty() {
        let request = requests.recv().expect("a request");
        match request.path.strip_prefix("/fired/starts.") {
            Some(name) => drop(waited.remove(name)),
            None => assert_eq!(request.path, "/list"),
        }
        request.answer(r#"[{"id":7}]"#);
    }
}

fn deliver(served: &Served, id: &str, secret: &str) -> (u16, Value) {
    let (body, port) = (r#"{"order":1}"#, served.port);
    let signature = hex(&hmac_sha256(secret.as_bytes(), body.as_bytes()));
    let headers = format!(
        "Host: 127.0.0.1:{port}\r\nX-Hub-Signature-256: sha256={signature}\r\nX-GitHub-Delivery: {id}\r\nContent-Type: application/json\r\n"
    );
    let (status, body) = served.send("POST", "/hooks/orders", &headers, body);
    (status, serde_json::from_str(&body).expect("JSON"))
}

fn submit(served: &Served, name: &str) -> (u16, Value) {
    let body = json!({ "key": "page-1", "answers": { "name": name }, "files": {} }).to_string();
    let headers = format!("Host: 127.0.0.1:{}\r\nContent-Type: application/json\r\n", served.port);
    let (status, body) = served.send("POST", "/forms/ask", &headers, &body);
    (status, serde_json::from_str(&body).expect("JSON"))
}

fn runs(program: &Program) -> usize {
    program.run(&["runs", "--json"]).assert_code(0).json().as_array().expect("runs").len()
}

#[test]
fn s_08_every_trigger_starts_one_run_for_each_occurrence_across_a_kill() {
    let server = Server::start();
    let place = Place::new();
    let folder = place.path().join("in");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("a.csv"), "1").expect("a file");
    let folder = fs::canonicalize(folder).expect("a path").display().to_string();
    let mut program = place.program(&flow(&server.base, &folder), &[]);
    program.env.push(("SIGNALBOX_SECRET_SHOP".into(), SECRET.into()));
    let needs = program.run(&["--describe", "--json"]).assert_code(0).json()["needs"].clone();
    assert_eq!(needs["secrets"][0], json!({ "name": "shop", "hosts": [], "steps": ["starts/hook"], "stays": true }));
    let listens: Vec<&Value> =
        needs["triggers"].as_array().expect("triggers").iter().map(|one| &one["listens"]).collect();
    assert_eq!(listens, [true, true, false, false], "{needs}");
    assert_eq!(program.run(&["serve", "--json"]).assert_code(2).json()["error"]["code"], "MISSING_FOLDER");
    let allowed = ["--allow-dir", folder.as_str()];
    let port = program.run(&[&["serve", "--json"][..], &allowed[..]].concat()).assert_code(2).json();
    assert_eq!(port["error"]["code"], "MISSING_PORT", "{port}");

    let served = Served::start(&program, &allowed);
    fired(&server.requests, &["files", "items"]);
    assert_eq!(deliver(&served, "one", "another secret").0, 401);
    assert_eq!(served.send("POST", "/hooks/orders", "Host: evil.example\r\n", "").0, 403);
    let (status, first) = deliver(&served, "one", SECRET);
    assert_eq!(status, 202, "{first}");
    fired(&server.requests, &["hook"]);
    let (status, page) = served.ask("GET", "/forms/ask", &format!("localhost:{}", served.port), "", "");
    assert!(status == 200 && page.contains("assets/form.js"), "{page}");
    assert_eq!(submit(&served, "A").0, 422);
    let (status, told) = submit(&served, "Ada");
    assert_eq!((status, told["status"].as_str()), (200, Some("accepted")));
    fired(&server.requests, &["form"]);
    served.kill();
    assert_eq!(runs(&program), 4);

    let served = Served::start(&program, &allowed);
    assert_eq!(deliver(&served, "one", SECRET), (202, first));
    assert_eq!(submit(&served, "Ada").0, 200);
    assert_eq!(deliver(&served, "two", SECRET).0, 202);
    fired(&server.requests, &["hook"]);
    served.kill();
    assert_eq!(runs(&program), 5);
    program.run(&["audit", "verify", "--json"]).assert_code(0);
}

#[test]
fn a_tick_starts_one_run_however_often_the_program_is_killed() {
    let server = Server::start();
    let place = Place::new();
    let flow = workflow(
        "ticks",
        json!({
            "often": { "type": "trigger.schedule", "config": { "every": 1000, "onMissed": "all" } },
            "tell": { "type": "http.request", "config": { "url": format!("{}/{{{{item.scheduledAt}}}}", server.base) } },
        }),
        &[("often", "tell")],
    );
    let program = place.program(&flow, &[]);
    let mut ticks = BTreeSet::new();
    for _ in 0..2 {
        let served = Served::start(&program, &[]);
        // The run of this tick is cut off in its call, which is asked again when the program serves again.
        ticks.insert(server.requests.recv().expect("a tick").path.clone());
        served.kill();
    }
    let served = Served::start(&program, &[]);
    let asked = server.requests.recv().expect("a request");
    ticks.insert(asked.path.clone());
    asked.answer("{}");
    served.kill();
    let started = runs(&program);
    // What started after the last request was not asked yet, or its request waits here.
    ticks.extend(server.requests.try_iter().map(|request| request.path));
    let finished =
        program.command(&["resume", "--json"]).stdout(std::process::Stdio::piped()).spawn().expect("it starts");
    let answering = std::thread::spawn(move || {
        let mut seen = Vec::new();
        for request in server.requests {
            if request.path == "/end" {
                break;
            }
            seen.push(request.path.clone());
            request.answer("{}");
        }
        seen
    });
    // A call that was cut off again and again may fail its run; the run still is the only one of its tick.
    finished.wait_with_output().expect("ended");
    drop(std::net::TcpStream::connect(server.base.trim_start_matches("http://")).map(|mut stream| {
        use std::io::Write;
        stream.write_all(b"GET /end HTTP/1.1\r\n\r\n")
    }));
    ticks.extend(answering.join().expect("no panic"));
    assert_eq!(ticks.len(), started, "each tick has one run: {ticks:?}");
}

/// TS-052: what an author marks is hidden in the answer of a webhook, wherever the run has put it.
#[test]
fn ts_052_the_answer_of_a_webhook_hides_what_the_author_marks() {
    let place = Place::new();
    let mut flow = workflow(
        "greets",
        json!({
            "hook": { "type": "trigger.webhook", "config": { "path": "greet", "respond": "ended" } },
            "take": { "type": "data.set", "config": { "assign": { "who": "=item.body.who" }, "keep": false } },
            "greet": { "type": "data.set", "config": { "assign": { "line": "Hello {{item.who.name}} of {{item.who.town}}" }, "keep": false } },
            "ask": { "type": "builtin.human_decision", "config": { "redact": ["/who/name"] } },
        }),
        &[("hook", "take"), ("take", "greet")],
    );
    flow["edges"].as_array_mut().expect("edges").push(json!({ "from": "greet.error", "to": "ask" }));
    let program = place.program(&flow, &["--human", "terminal"]);
    let served = Served::start(&program, &[]);
    let headers = format!("Host: 127.0.0.1:{}\r\nContent-Type: application/json\r\n", served.port);
    let body = r#"{"who":{"name":"Ada Byron","town":"London"}}"#;
    let (status, told) = served.send("POST", "/hooks/greet", &headers, body);
    assert_eq!(status, 200, "{told}");
    assert!(told.contains("of London") && !told.contains("Ada Byron"), "{told}");
}
