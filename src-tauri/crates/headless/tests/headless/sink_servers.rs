//! Copies of the audit chain on servers, with the real program against stand-ins on loopback (K-22, A-01, A-24). The servers
//! themselves are in `cargo xtask peers sinks`.

use crate::support;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use support::{TestHome, workflow};

fn run_once(place: &TestHome) {
    let document = workflow(json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } } } }), json!([]));
    let file = place.file("flow.signalbox.json", document.to_string());
    assert_eq!(place.run(&["run", &file.display().to_string(), "--json"]).code, 0);
}

fn sinks(place: &TestHome, args: &[&str]) -> (i32, Value) {
    let done = place.run(&[&["audit", "sinks"], args, &["--json"]].concat());
    (done.code, done.json())
}

fn hashes(place: &TestHome) -> Vec<String> {
    let store = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
    let mut rows = store.prepare("SELECT hash FROM audit_entry ORDER BY seq").expect("reads");
    let rows = rows.query_map([], |row| row.get(0)).expect("reads");
    rows.collect::<Result<_, _>>().expect("rows")
}

/// What arrived passes the verifier, and is all there is.
fn verified(place: &TestHome, lines: &[String]) {
    let file = place.file("far.jsonl", lines.concat());
    let told = place.run(&["audit", "verify", &file.display().to_string()]);
    assert!(told.code == 0 && told.out.starts_with("OK: "), "{}{}", told.out, told.err);
    let far: Vec<String> = lines
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["hash"].as_str().expect("a hash").to_owned())
        .collect();
    assert_eq!(far, hashes(place));
}

/// A request as a stand-in sees it.
struct Asked {
    method: String,
    /// Path and query.
    path: String,
    create_only: bool,
    body: String,
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|read| *read > 0)?;
    let (mut length, mut create_only) = (0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        create_only |= line == "if-none-match: *";
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    Some(Asked { method, path, create_only, body: String::from_utf8(body).expect("text") })
}

/// Instead of a status: the answer breaks off in the middle.
const CUT: u16 = 0;

/// A server of HTTP that answers with a status and a body; its address.
fn serve(answer: impl Fn(Asked) -> (u16, String) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || {
                while let Some(asked) = read(&stream) {
                    let (status, body) = answer(asked);
                    let shown = if status == CUT { 200 } else { status };
                    let head = format!("HTTP/1.1 {shown} Told\r\ncontent-length: {}\r\n\r\n", body.len());
                    let text = head + &body;
                    let end = if status == CUT { text.len() - body.len() / 2 } else { text.len() };
                    if (&stream).write_all(&text.as_bytes()[..end]).is_err() || status == CUT {
                        return;
                    }
                }
            });
        }
    });
    base
}

/// An index that creates documents and answers for each. It refuses the document of one number while it is told to.
#[derive(Clone, Default)]
struct Index(Arc<Mutex<Held>>);

/// The documents, and the number of the one that is refused.
type Held = (BTreeMap<u64, Value>, Option<u64>);

impl Index {
    fn start(&self) -> String {
        let index = self.clone();
        serve(move |asked| {
            let told = match asked.path.as_str() {
                "/audit/_bulk" => index.bulk(&asked.body),
                "/audit/_mget" => index.many(&asked.body),
                "/audit" => return (200, String::new()),
                other => panic!("{other}"),
            };
            (200, told.to_string())
        }) + "/audit"
    }

    fn many(&self, body: &str) -> Value {
        let asked: Value = serde_json::from_str(body).expect("JSON");
        let held = self.0.lock().expect("held");
        let one = |id: &Value| {
            let number = id.as_str().and_then(|id| id.rsplit('-').next()).expect("a number");
            json!({ "_source": held.0[&number.parse::<u64>().expect("a number")] })
        };
        json!({ "docs": asked["ids"].as_array().expect("ids").iter().map(one).collect::<Vec<_>>() })
    }

    fn bulk(&self, body: &str) -> Value {
        let mut held = self.0.lock().expect("held");
        let lines: Vec<&str> = body.lines().collect();
        let (mut items, mut errors) = (Vec::new(), false);
        for pair in lines.chunks(2) {
            let (action, document): (Value, Value) =
                (serde_json::from_str(pair[0]).expect("JSON"), serde_json::from_str(pair[1]).expect("JSON"));
            let seq = document["seq"].as_u64().expect("a number");
            let id = action["create"]["_id"].as_str().expect("create only").to_owned();
            assert_eq!(id, format!("{}-{seq}", document["logId"].as_str().expect("a log")));
            let refused = held.1 == Some(seq);
            let status = match held.0.entry(seq) {
                Entry::Vacant(_) if refused => 400,
                Entry::Vacant(place) => {
                    place.insert(document);
                    201
                }
                Entry::Occupied(_) => 409,
            };
            errors |= status != 201;
            let error = json!({ "reason": "mapper [level] cannot be changed" });
            items.push(json!({ "create": { "_id": id, "status": status, "error": if status == 201 { Value::Null } else { error } } }));
        }
        json!({ "errors": errors, "items": items })
    }

    fn lines(&self) -> Vec<String> {
        let held = self.0.lock().expect("held");
        held.0.values().map(|document| document["entry"].as_str().expect("text").to_owned() + "\n").collect()
    }
}

/// One document of a batch is refused: those before it count, it is named, and nothing is lost when it is taken at last.
#[test]
fn k_22_an_index_that_refuses_one_entry_is_told_and_gets_all_in_the_end() {
    let place = TestHome::new();
    run_once(&place);
    let index = Index::default();
    index.0.lock().expect("held").1 = Some(2);
    let url = index.start();
    let refused = sinks(&place, &["add", "--kind", "elasticsearch", "--url", &url]);
    assert_eq!((refused.0, refused.1["error"]["code"].as_str()), (2, Some("ADDRESS_REFUSED")), "{}", refused.1);
    let (code, list) = sinks(&place, &["add", "--kind", "elasticsearch", "--url", &url, "--allow-local"]);
    assert_eq!(
        (code, list[0]["next"].as_u64(), list[0]["kind"].as_str()),
        (1, Some(2), Some("elasticsearch")),
        "{list}"
    );
    let why = list[0]["error"].as_str().expect("an error");
    assert!(why.contains("entry 2: mapper [level] cannot be changed (400)"), "{why}");
    // What follows it in the batch may be there already, and is known again.
    index.0.lock().expect("held").1 = None;
    let (code, list) = sinks(&place, &["now"]);
    assert_eq!((code, list[0]["waiting"].as_u64()), (0, Some(0)), "{list}");
    verified(&place, &index.lines());

    // Paused, entries wait; continued, they come.
    let id = list[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(sinks(&place, &["pause", &id]).1[0]["paused"], true);
    run_once(&place);
    let (code, list) = sinks(&place, &["now"]);
    assert!(code == 0 && list[0]["waiting"].as_u64().is_some_and(|waiting| waiting > 3), "{list}");
    assert_eq!(sinks(&place, &["test", &id]), (0, json!({ "ok": true })));
    assert_eq!(sinks(&place, &["resume", &id]).1[0]["paused"], false);
    assert_eq!(sinks(&place, &["now"]).1[0]["waiting"], 0);
    verified(&place, &index.lines());

    // Somebody changed a document: it is not taken for the entry.
    let last = index.lines().len() as u64 - 1;
    run_once(&place);
    index.0.lock().expect("held").0.insert(last + 1, json!({ "hash": "00", "entry": "", "seq": last + 1 }));
    let (code, list) = sinks(&place, &["now"]);
    let why = list[0]["error"].as_str().unwrap_or_default();
    assert!(code == 1 && why.contains(&format!("the index has another entry with the number {}", last + 1)), "{list}");
    assert_eq!(place.run(&["audit", "verify"]).code, 0, "the chain of record is whole");
}

/// The index kept a batch, and the connection ends in the middle of its answer: nothing counts, and nothing is there twice.
#[test]
fn k_22_an_index_whose_answer_breaks_off_gets_the_batch_again() {
    let place = TestHome::new();
    run_once(&place);
    let (index, cuts) = (Index::default(), AtomicUsize::new(0));
    let held = index.clone();
    let url = serve(move |asked| match asked.path.as_str() {
        "/audit/_bulk" => {
            let told = held.bulk(&asked.body).to_string();
            (if cuts.fetch_add(1, Ordering::SeqCst) < 2 { CUT } else { 200 }, told)
        }
        "/audit/_mget" => (200, held.many(&asked.body).to_string()),
        _ => (200, String::new()),
    }) + "/audit";
    let (code, list) = sinks(&place, &["add", "--kind", "elasticsearch", "--url", &url, "--allow-local"]);
    assert!(code == 1 && list[0]["next"] == 0 && list[0]["waiting"].as_u64() > Some(3), "{list}");
    assert!(list[0]["error"].is_string() && !index.lines().is_empty(), "{list}");
    assert_eq!(sinks(&place, &["now"]).0, 1, "the second one breaks off, too");
    let (code, list) = sinks(&place, &["now"]);
    assert_eq!((code, list[0]["waiting"].as_u64()), (0, Some(0)), "{list}");
    verified(&place, &index.lines());
}

/// Batches are objects of their own; one that another process wrote is read and not written over.
#[test]
fn k_22_a_bucket_gets_numbered_segments_that_are_never_written_over() {
    let place = TestHome::new();
    run_once(&place);
    let objects: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
    let held = Arc::clone(&objects);
    let base = serve(move |asked| {
        let mut held = held.lock().expect("held");
        assert!(asked.path.contains("X-Amz-Signature=") && !asked.path.contains("s3-secret"), "{}", asked.path);
        let url = asked.path.strip_prefix("/audit").expect("the bucket");
        let (key, query) = url.trim_start_matches('/').split_once('?').expect("a signature");
        match asked.method.as_str() {
            "GET" if key.is_empty() => {
                let after = query.split('&').find_map(|part| part.strip_prefix("start-after=")).unwrap_or_default();
                let after = after.replace("%2F", "/");
                let keys = held.keys().filter(|key| **key > after);
                let keys: String = keys.map(|key| format!("<Contents><Key>{key}</Key></Contents>")).collect();
                let xmlns = "http://s3.amazonaws.com/doc/2006-03-01/";
                (
                    200,
                    format!(
                        "<ListBucketResult xmlns=\"{xmlns}\"><IsTruncated>false</IsTruncated>{keys}</ListBucketResult>"
                    ),
                )
            }
            "GET" => (200, held[key].clone()),
            "PUT" if held.contains_key(key) && asked.create_only => {
                (412, "<Error><Code>PreconditionFailed</Code></Error>".into())
            }
            "PUT" => {
                assert!(asked.create_only);
                held.insert(key.to_owned(), asked.body);
                (200, String::new())
            }
            other => panic!("{other}"),
        }
    });
    assert_eq!(place.run(&["secret", "choose", "file", "--json"]).code, 0);
    let set = ["secret", "set", "s3", "--kind", "basic", "--field", "AKIA", "--host", &base, "--json"];
    assert_eq!(place.run_with(&set, "s3-secret-0123456789\n").code, 0);
    let url = format!("{base}/audit/chain");
    let add = ["add", "--kind", "s3", "--url", &url, "--credential", "secret://s3", "--allow-local"];
    let (code, list) = sinks(&place, &add);
    assert_eq!((code, list[0]["waiting"].as_u64()), (0, Some(0)), "{list}");
    run_once(&place);
    assert_eq!(sinks(&place, &["now"]).0, 0);
    let lines = || {
        objects
            .lock()
            .expect("held")
            .values()
            .flat_map(|text| text.split_inclusive('\n'))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(objects.lock().expect("held").len(), 2);
    verified(&place, &lines());

    // A foreign object after the cursor stops the copy; once it is removed, copying continues.
    let next = sinks(&place, &["list"]).1[0]["next"].as_u64().expect("a number");
    let first = objects.lock().expect("held").keys().next().expect("a segment").clone();
    let foreign = first.replace(&"0".repeat(20), &format!("{next:020}"));
    objects.lock().expect("held").insert(foreign.clone(), "somebody else\n".into());
    run_once(&place);
    let (code, list) = sinks(&place, &["now"]);
    assert!(code == 1 && list[0]["error"].as_str().is_some_and(|why| why.contains("no entry")), "{list}");
    assert_eq!(objects.lock().expect("held").remove(&foreign).as_deref(), Some("somebody else\n"));
    assert_eq!(sinks(&place, &["now"]).0, 0);
    verified(&place, &lines());
}

/// A logger that breaks off in the middle gets everything again; one that read to the end has it in order.
#[test]
fn k_22_a_logger_that_breaks_off_gets_the_entries_again() {
    let place = TestHome::new();
    run_once(&place);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("syslog://{}?tls=off", listener.local_addr().expect("an address"));
    let far = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&far);
    thread::spawn(move || {
        // Each copy connects once to look and once to send: the first message is broken off with unread bytes.
        let mut sent = 0;
        for mut stream in listener.incoming().flatten() {
            let mut begin = [0; 1];
            if stream.peek(&mut begin).unwrap_or(0) == 0 {
                continue;
            }
            sent += 1;
            if sent == 1 {
                drop(stream);
                continue;
            }
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).expect("read");
            heard.lock().expect("held").push(bytes);
        }
    });
    let (code, list) = sinks(&place, &["add", "--kind", "syslog", "--url", &url, "--allow-local"]);
    assert!(code == 1 && list[0]["next"] == 0 && list[0]["error"].is_string(), "{code} {list}");
    let (code, list) = sinks(&place, &["now"]);
    assert_eq!((code, list[0]["waiting"].as_u64()), (0, Some(0)), "{list}");
    let bytes = far.lock().expect("held").concat();
    let (mut rest, mut lines) = (&bytes[..], Vec::new());
    while !rest.is_empty() {
        let space = rest.iter().position(|byte| *byte == b' ').expect("a length");
        let length: usize = std::str::from_utf8(&rest[..space]).expect("digits").parse().expect("a number");
        let message = std::str::from_utf8(&rest[space + 1..space + 1 + length]).expect("text");
        assert!(message.starts_with("<110>1 ") || message.starts_with("<10"), "{message}");
        lines.push(message[message.find(" - {").expect("an entry") + 3..].to_owned() + "\n");
        rest = &rest[space + 1 + length..];
    }
    verified(&place, &lines);
}

/// What is not there is kept and told; what could never work is refused with what to write.
#[test]
fn a_server_that_is_not_there_is_kept_and_a_wrong_address_is_refused() {
    let place = TestHome::new();
    run_once(&place);
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let url = format!("postgresql://ada@{free}/audit?tls=off");
    let (code, list) = sinks(&place, &["add", "--kind", "postgres", "--url", &url, "--allow-local"]);
    assert!(code == 1 && list[0]["error"].is_string() && list[0]["waiting"].as_u64() > Some(3), "{list}");
    assert_eq!(sinks(&place, &["test", list[0]["id"].as_str().expect("an id")]).0, 1);
    for (kind, url, why) in [
        ("postgres", "postgresql://ada:pw@db.example/audit", "password"),
        ("s3", "http://10.0.0.5/bucket", "without encryption"),
        ("syslog", "udp://log.example", "begins with 'udp:'"),
    ] {
        let (code, told) = sinks(&place, &["add", "--kind", kind, "--url", url]);
        assert!(code == 2 && told["error"]["message"].as_str().is_some_and(|text| text.contains(why)), "{told}");
        assert!(!told.to_string().contains(":pw@"), "{told}");
    }
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}
