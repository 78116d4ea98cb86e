//! H-21 with the real program: a process that is killed between the creation of an entry and its own note of it, and what link
//! scanners do.

use crate::support;

use serde_json::{Value, json};
use signalbox_model::hash::hmac_sha256;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use support::{BUILDER, TestHome, VIEWER, with_roles, workflow};

const DESK: &str = r#"
connector: 1
name: desk
title: Desk
servers: [{ url: https://desk.example }]
operations:
  make: { title: Make, method: POST, path: /tickets, parameters: [{ name: mark, in: body, required: true, schema: { type: string } }] }
  change: { title: Change, method: PATCH, path: "/tickets/{id}", parameters: [
    { name: id, in: path, required: true, schema: { type: string } }, { name: text, in: body, schema: { type: string } }] }
  list: { title: List, method: GET, path: /tickets, response: { items: /tickets } }
tasks:
  templates: { text: "{{item.task.state}} {{item.link}}" }
  find: [{ operation: list, select: item.answer.mark == item.marker, keep: { id: item.answer.id } }]
  create: [{ operation: make, params: { mark: "{{item.marker}}" }, keep: { id: item.answer.id } }]
  update: [{ operation: change, params: { id: "{{item.remote.id}}", text: "{{item.text.text}}" } }]
  close: [{ operation: change, params: { id: "{{item.remote.id}}", text: "{{item.text.text}}" } }]
  decisions:
    auth: { type: hmac, preset: github }
    id: item.body.ticket
    value: item.body.state
    person: item.body.by
    values: { Done: approve }
"#;

/// Tickets that were made, and what was said to them. While `mute` is set, a ticket is made and not answered.
struct Peer {
    base: String,
    tickets: Arc<Mutex<Vec<Value>>>,
    texts: Arc<Mutex<Vec<String>>>,
    mute: Arc<Mutex<bool>>,
    made: Receiver<()>,
}

impl Peer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let (tickets, texts, mute) = (Arc::default(), Arc::default(), Arc::new(Mutex::new(false)));
        let (made, told) = channel();
        let peer = Self { base, tickets, texts, mute, made: told };
        let (tickets, texts, mute) = (Arc::clone(&peer.tickets), Arc::clone(&peer.texts), Arc::clone(&peer.mute));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (tickets, texts, mute, made) =
                    (Arc::clone(&tickets), Arc::clone(&texts), Arc::clone(&mute), made.clone());
                std::thread::spawn(move || serve(stream, &tickets, &texts, &mute, &made));
            }
        });
        peer
    }
}

fn serve(
    mut stream: TcpStream,
    tickets: &Mutex<Vec<Value>>,
    texts: &Mutex<Vec<String>>,
    mute: &Mutex<bool>,
    made: &Sender<()>,
) {
    let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let length =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let answer = match head.split_whitespace().next() {
            Some("POST") => {
                let ticket = {
                    let mut tickets = tickets.lock().expect("no panic");
                    let id = format!("T-{}", tickets.len() + 1);
                    tickets.push(json!({ "id": id, "mark": body["mark"] }));
                    json!({ "id": id })
                };
                made.send(()).ok();
                if *mute.lock().expect("no panic") {
                    // Until the other side is gone.
                    drop(reader.read_line(&mut String::new()));
                    return;
                }
                ticket
            }
            Some("PATCH") => {
                texts.lock().expect("no panic").push(body["text"].as_str().unwrap_or_default().to_owned());
                json!({})
            }
            _ => json!({ "tickets": *tickets.lock().expect("no panic") }),
        };
        let text = answer.to_string();
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", text.len());
        if stream.write_all(format!("{head}{text}").as_bytes()).is_err() {
            return;
        }
    }
}

fn done(place: &TestHome, args: &[&str]) -> Value {
    let done = place.run(args);
    assert_eq!(done.code, 0, "{args:?}: {}{}", done.out, done.err);
    done.json()
}

fn ask_once(place: &TestHome) -> String {
    let config = json!({ "title": "Pay?" });
    let mut file = workflow(json!({ "ask": { "type": "builtin.human_approval", "config": config } }), json!([]));
    file["id"] = "pay".into();
    let file = place.file("pay.signalbox.json", file.to_string()).display().to_string();
    let done = place.run(&["run", &file, "--json"]);
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    done.last()["openTasks"][0].as_str().expect("a task").to_owned()
}

#[test]
fn h_21_a_killed_process_creates_once_and_link_scanners_decide_nothing() {
    let (place, peer) = (TestHome::new(), Peer::start());
    let file = place.file("desk.yaml", DESK).display().to_string();
    assert_eq!(place.run(&["connectors", "check", &file]).code, 0);
    assert_eq!(place.run(&["connectors", "add", &file]).code, 0);
    assert_eq!(place.run(&["secret", "choose", "file", "--json"]).code, 0);
    let secret = ["secret", "set", "hook", "--kind", "bearer", "--host", "desk.example", "--json"];
    assert_eq!(place.run_with(&secret, "s3cret-value\n").code, 0);
    let args = [
        "tasks",
        "destinations",
        "add",
        "Desk",
        "--connector",
        "desk",
        "--server",
        &peer.base,
        "--decide-secret",
        "secret://hook",
        "--public-url",
        "http://signalbox.example",
        "--allow-local",
        "--json",
    ];
    let id = done(&place, &args)[0]["id"].as_str().expect("an id").to_owned();
    let task = ask_once(&place);

    // Killed after the service has made the ticket, before its answer was noted.
    *peer.mute.lock().expect("no panic") = true;
    let mut process = place.spawn(&["tasks", "destinations", "send"]);
    peer.made.recv().expect("a ticket is made");
    process.kill().expect("is killed");
    process.wait().expect("has ended");
    *peer.mute.lock().expect("no panic") = false;
    let log = done(&place, &["tasks", "destinations", "log", "--json"]);
    assert_eq!((&log[0]["state"], &log[0]["externalId"]), (&json!("waiting"), &Value::Null), "{log}");
    let sent = done(&place, &["tasks", "destinations", "send", "--json"]);
    assert_eq!(sent["tried"], 1);
    let log = done(&place, &["tasks", "destinations", "log", "--json"]);
    assert_eq!((&log[0]["state"], &log[0]["externalId"]), (&json!("current"), &json!("T-1")), "{log}");
    assert_eq!(peer.tickets.lock().expect("no panic").len(), 1, "it was created once");
    let text = peer.texts.lock().expect("no panic").last().cloned().expect("a text");
    let link = text.strip_prefix("open http://signalbox.example").expect("a link").to_owned();

    let server = with_roles(&place);
    let raw = |method: &str, path: &str| server.raw(method, path, &[("host", server.host())], "");
    let rpc = |token: &str, name: &str, body: Value| server.ask_as(token, "POST", &format!("/rpc/{name}"), &body, &[]);
    // Whoever looks at links, with any method that looks, opens the inbox and decides nothing.
    for method in ["GET", "HEAD", "GET"] {
        let looked = raw(method, &link);
        assert_eq!(looked.status, 302, "{}", looked.head);
        assert!(looked.head.to_ascii_lowercase().contains(&format!("location: /#/inbox/{task}")), "{}", looked.head);
    }
    let hook = format!("/task-hooks/{id}");
    for method in ["GET", "HEAD", "PUT"] {
        assert_eq!(raw(method, &hook).status, 405, "{method}");
    }
    assert_eq!((raw("POST", &link).status, raw("GET", "/task-links/nothing").status), (405, 404));
    let open = rpc(BUILDER, "task_get", json!({ "taskId": task })).json();
    assert_eq!((&open["state"], &open["elsewhere"][0]["opened"]), (&json!("open"), &json!(3)), "{open}");
    assert_eq!(rpc(BUILDER, "task_destination_list", json!({})).json()[0]["opened"], 3);
    assert_eq!(rpc(VIEWER, "task_destination_list", json!({})).status, 403);

    let body = json!({ "ticket": "T-1", "state": "Done", "by": "Ada" }).to_string();
    let post = |secret: &str| {
        let sum = hmac_sha256(secret.as_bytes(), body.as_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>();
        let signature = format!("sha256={sum}");
        let headers = [
            ("host", server.host()),
            ("content-type", "application/json"),
            ("x-hub-signature-256", &signature),
            ("x-github-delivery", "d1"),
        ];
        server.raw("POST", &hook, &headers, &body)
    };
    assert_eq!(post("wrong").status, 401);
    assert_eq!(post("s3cret-value").json(), json!({ "result": "decided" }));
    assert!(post("s3cret-value").body.contains("received before"));
    let decided = rpc(BUILDER, "task_get", json!({ "taskId": task })).json();
    assert_eq!(decided["decision"]["operatorId"], "reported:Desk/Ada", "{decided}");
}
