//! Programs that a browser downloads from the server of Signalbox.

use crate::support::{Ended, Place, signalbox, workflow};
use serde_json::{Value, json};
use signalbox_model::hash::sha256_hex;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

struct Serving {
    child: Child,
    host: String,
    token: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Serving {
    fn of(place: &Place) -> Self {
        let mut command = signalbox();
        command.args(["serve", "--json", "--addr", "127.0.0.1:0", "--data"]).arg(place.path().join("app"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("signalbox starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let host = told["url"].as_str().expect("an address").trim_start_matches("http://").to_owned();
        let token = fs::read_to_string(told["tokenFile"].as_str().expect("a file")).expect("read");
        Self { child, host, token: token.trim().to_owned() }
    }

    /// Head and bytes of an answer.
    fn get(&self, path: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.host).expect("a connection");
        let (host, token) = (&self.host, &self.token);
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        )
        .expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let body = answer.split_off(end + 4);
        (String::from_utf8(answer).expect("text").to_ascii_lowercase(), body)
    }
}

/// The file of the download is the one that `export` writes, and it runs.
#[test]
fn a_downloaded_program_is_the_exported_one_and_runs() {
    let place = Place::new();
    let flow = workflow("hello", json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } } } }), &[]);
    let exported = place.export(&place.write(&flow), &["--audit", "ring"]).assert_code(0).json();
    let library = place.path().join("app/workflows");
    fs::create_dir_all(&library).expect("made");
    fs::copy(place.path().join("hello.signalbox.json"), library.join("hello.signalbox.json")).expect("copied");
    let serving = Serving::of(&place);

    let (head, body) = serving.get("/workflows/hello/program?audit=ring&human=ui");
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    assert!(head.contains("filename=\"hello\"") && head.contains("repr-digest: sha-256=:"), "{head}");
    assert!(head.contains(&format!("content-length: {}\r\n", exported["sizeBytes"])), "{head}");
    assert_eq!(sha256_hex(&body), exported["sha256"]);
    let file = place.path().join("hello");
    fs::write(&file, body).expect("written");
    executable(&file);
    let ran = Command::new(&file).args(["run", "--json", "--data"]).arg(place.path().join("data")).output();
    assert_eq!(Ended::from(ran.expect("it starts")).assert_code(0).json()["status"], "completed");

    for (path, status, code) in [
        ("/workflows/hello/program?target=elsewhere", "400", "bad_request"),
        ("/workflows/hello/program?target=source", "404", "sources_missing"),
        ("/workflows/nobody/program", "404", "not_found"),
        ("/workflows/hello/program?human=callback", "400", "bad_request"),
    ] {
        let (head, body) = serving.get(path);
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{path}: {head}");
        let told = String::from_utf8_lossy(&body).to_ascii_lowercase();
        assert!(told.contains(&format!("\"code\":\"{code}\"")), "{path}: {told}");
    }
}

fn executable(file: &std::path::Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("set");
    }
    #[cfg(not(unix))]
    let _ = file;
}
