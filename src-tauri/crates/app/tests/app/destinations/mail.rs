//! Tasks by e-mail, over a real SMTP exchange with a server on this machine.

use super::{approval, elsewhere, send, with_desk};
use base64::Engine as _;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Takes every message; gives its port and what came.
fn smtp() -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let mails: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&mails);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            take(stream, &kept);
        }
    });
    (port, mails)
}

fn take(mut stream: TcpStream, kept: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().expect("a copy")).lines();
    let mut say = |text: &str| stream.write_all(format!("{text}\r\n").as_bytes()).is_ok();
    say("220 desk");
    while let Some(Ok(line)) = lines.next() {
        let done = match line.split_whitespace().next().unwrap_or_default().to_ascii_uppercase().as_str() {
            "DATA" => {
                say("354 go on");
                let mail: Vec<String> = lines.by_ref().map_while(Result::ok).take_while(|line| line != ".").collect();
                kept.lock().expect("no panic").push(mail.join("\n"));
                say("250 taken")
            }
            "QUIT" => {
                say("221 bye");
                return;
            }
            _ => say("250 ok"),
        };
        if !done {
            return;
        }
    }
}

fn header<'a>(mail: &'a str, name: &str) -> Option<&'a str> {
    mail.lines().take_while(|line| !line.is_empty()).find_map(|line| {
        let (known, value) = line.split_once(": ")?;
        known.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// The text of a mail that Base64 carries.
fn body(mail: &str) -> String {
    let (head, body) = mail.split_once("\n\n").expect("a head and a body");
    assert!(head.to_ascii_lowercase().contains("content-transfer-encoding: base64"), "{head}");
    let bytes = base64::engine::general_purpose::STANDARD.decode(body.split_whitespace().collect::<String>());
    String::from_utf8(bytes.expect("Base64")).expect("UTF-8")
}

/// U-24: the mails of operators are in English or Chinese, and another language is refused.
#[test]
fn u_24_mails_are_written_in_the_language_of_the_destination() {
    let place = with_desk();
    let (port, mails) = smtp();
    let request = |language: &str| {
        let mail = json!({
            "host": "127.0.0.1", "port": port, "security": "none", "from": "signalbox@example.org", "to": ["desk@example.org"],
            "language": language,
        });
        json!({ "name": "Mail", "mail": mail, "allowLocal": true, "publicUrl": "https://signalbox.example" })
    };
    let refused = place.ask("task_destination_add", request("xx")).expect_err("another language");
    assert!(refused.message.contains("'xx'") && refused.hint.contains("en, zh"), "{refused:?}");
    let id = place.ok("task_destination_add", request("zh"))[0]["id"].clone();
    assert_eq!(place.ok("task_destination_test", json!({ "id": id })), json!({ "ok": true }));
    let task = approval(&place, json!({ "title": "付款？", "assignee": "user:bob" }));
    assert_eq!(send(&place), 1);
    place.ok("task_reassign", json!({ "taskId": task, "to": "user:carl" }));
    assert_eq!(send(&place), 1);
    place.ok("task_complete", json!({ "taskId": task, "action": "approve" }));
    assert_eq!(send(&place), 1);
    let mails = mails.lock().expect("no panic");
    let texts: Vec<String> = mails.iter().map(|mail| body(mail)).collect();
    let told = ["测试邮件", "负责人：user:bob", "任务已更改：负责人", "任务已结束：已完成 已批准"];
    for (text, part) in texts.iter().zip(told) {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(texts.len(), told.len());
}

#[test]
fn h_21_a_task_is_a_conversation_of_mails() {
    let place = with_desk();
    let (port, mails) = smtp();
    let mail = json!({
        "host": "127.0.0.1", "port": port, "security": "none", "from": "signalbox@example.org", "to": ["desk@example.org"],
    });
    let request = json!({
        "name": "Mail", "mail": mail, "allowLocal": true, "publicUrl": "https://signalbox.example",
        "templates": { "subject": "Task: {{item.task.title}}" },
    });
    let id = place.ok("task_destination_add", request)[0]["id"].clone();
    assert_eq!(place.ok("task_destination_test", json!({ "id": id })), json!({ "ok": true }));
    let task = approval(&place, json!({ "title": "Pay ada@example.org?", "assignee": "user:bob" }));
    assert_eq!(send(&place), 1);
    place.ok("task_reassign", json!({ "taskId": task, "to": "user:carl" }));
    assert_eq!(send(&place), 1);
    place.ok("task_complete", json!({ "taskId": task, "action": "approve" }));
    assert_eq!(send(&place), 1);
    assert_eq!(elsewhere(&place, &task)["state"], "closed");
    let mails = mails.lock().expect("no panic");
    let [test, first, changed, closed] = mails.as_slice() else { panic!("4 mails: {mails:?}") };
    assert_eq!(header(test, "subject"), Some("Signalbox: test"));
    assert!(header(first, "subject").expect("a subject").starts_with("Task: Pay "), "{first}");
    assert!(!mails.iter().any(|mail| mail.contains("ada@example.org")), "masked there, too");
    assert!(first.contains("https://signalbox.example/task-links/"), "{first}");
    let id = header(first, "message-id").expect("an id");
    for later in [changed, closed] {
        assert_eq!(header(later, "in-reply-to"), Some(id));
        assert_ne!(header(later, "message-id"), Some(id));
    }
    assert!(changed.contains("user:carl") && closed.contains("approve"), "{changed}\n{closed}");
}
