//! `version` and `doctor` with a list of releases from a server on loopback. `cargo xtask releases` signed it, with a key that
//! is kept nowhere.

use crate::support::TestHome;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const KEY: &str = "e7b4ad538c15aaa06ba830d664428b0800c858719390ec368de186df7a680341";
const SIGNATURE: &str = "ed25519:3c21cf315c761ede:f7a1a63493ecf493ff73c00bc58a76942fc77ceb8d030acb535de5112770fcec35149af16e5653219df74d5378f06cbde08d4857f20f43909d6d5fb506ca730a";
const LIST: &str = r#"{ "product": "signalbox", "serial": 12, "issued": "2020-01-01T00:00:00Z", "expires": "2999-01-01T00:00:00Z",
  "releases": [ { "version": "900.2.0", "date": "2026-11-30", "notes": { "en": "Updates can be looked for.", "zh": "可以检查更新。" } } ] }
"#;

/// The address of the list, what it is now, and how often it was asked for.
fn serving(list: &Value) -> (String, Arc<Mutex<String>>, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/releases.json", listener.local_addr().expect("an address"));
    let (body, asked) = (Arc::new(Mutex::new(list.to_string())), Arc::new(AtomicUsize::new(0)));
    let (given, counted) = (Arc::clone(&body), Arc::clone(&asked));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let lines = BufReader::new(stream.try_clone().expect("a copy")).lines();
            lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
            counted.fetch_add(1, Ordering::SeqCst);
            let body = given.lock().expect("no panic").clone();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            if stream.write_all(format!("{head}{body}").as_bytes()).is_err() {
                return;
            }
        }
    });
    (address, body, asked)
}

#[test]
fn a_newer_release_is_found_on_request_and_a_changed_list_is_refused() {
    let place = TestHome::new();
    let signed = |list: &str| json!({ "format": 1, "list": list, "signatures": [SIGNATURE] });
    let (address, body, asked) = serving(&signed(LIST));
    let key = place.file("publisher.pub", KEY).display().to_string();

    let plain = place.run(&["version"]);
    assert!(plain.code == 0 && plain.out.contains("not looked for by themselves"), "{}{}", plain.out, plain.err);
    let unset = place.run(&["version", "--check"]);
    assert!(unset.code == 2 && unset.err.contains("No list of releases is set"), "{}{}", unset.out, unset.err);
    let local = place.run(&["version", "--daily", "on", "--list", &address, "--key", &key]);
    assert!(local.code == 2 && local.err.contains("--allow-local"), "{}{}", local.out, local.err);
    let set = ["version", "--daily", "on", "--list", &address, "--key", &key, "--allow-local"];
    assert_eq!((place.run(&set).code, asked.load(Ordering::SeqCst)), (0, 0));

    let found = place.run(&["version", "--check"]);
    assert!(found.code == 1 && found.out.contains("Signalbox 900.2.0 of 2026-11-30 is available"), "{}", found.out);
    assert!(found.out.contains("Updates can be looked for."), "{}", found.out);

    *body.lock().expect("no panic") = signed(&LIST.replace("900.2.0", "900.3.0")).to_string();
    let changed = place.run(&["version", "--check"]);
    assert!(changed.code == 2 && changed.err.contains("not signed by the key"), "{}{}", changed.out, changed.err);

    // What was found before stays known, and nothing is asked to say so.
    let doctor = place.run(&["doctor", "--json", "--offline", "--addr", "127.0.0.1:0"]).json();
    let row = doctor["checks"].as_array().and_then(|checks| checks.iter().find(|check| check["name"] == "updates"));
    let said = row.and_then(|row| row["message"].as_str()).unwrap_or_default();
    assert!(said.contains("900.2.0"), "{doctor}");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}
