//! Testing a secret at servers: Debian's brokers, mail servers and SSH server, signed in to as steps do.

use crate::common::{Place, place, wait};
use serde_json::{Value, json};
use signalbox_app::Caller;
use signalbox_testkit::mail_host::{self, MailHost};
use signalbox_testkit::message_host::{MessageHost, PASSWORD, USER};
use std::io::{Read as _, Write as _};

fn terminal() -> Caller {
    Caller::terminal(None).expect("a person")
}

fn ask(place: &Place, command: &str, request: Value) -> Result<Value, String> {
    wait(place.app.dispatch(&terminal(), command, request)).map_err(|error| format!("{} {}", error.code, error.message))
}

fn with_secrets() -> Place {
    let place = place();
    let file = place.dir.path().join("key.txt").display().to_string();
    ask(&place, "secret_choose", json!({ "key": "file", "identityFile": file })).expect("chosen");
    place
}

fn keep(place: &Place, user: &str, password: &str, hosts: &[&str]) {
    let secret = json!({ "name": "s", "kind": "basic", "field": user, "hosts": hosts, "value": password });
    ask(place, "secret_set", secret).expect("kept");
}

/// What a test says: its code, nothing where it is good. No answer holds the password.
fn tried(place: &Place, url: &str, certificate: Option<&str>) -> (String, String) {
    let request = json!({ "name": "s", "url": url, "rootCertificate": certificate });
    let told = ask(place, "secret_test", request).unwrap_or_else(|error| panic!("{url}: {error}"));
    assert!(!told.to_string().contains("k-canary"), "{told}");
    let text = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
    assert_eq!(told["good"] == true, text("code").is_empty(), "{told}");
    (text("code"), format!("{} {}", text("message"), text("hint")))
}

fn code(place: &Place, url: &str) -> String {
    tried(place, url, None).0
}

#[test]
fn a_secret_is_tried_at_brokers() {
    let place = with_secrets();
    for (host, scheme, user) in [
        (MessageHost::mqtt(), "mqtt", USER),
        (MessageHost::redis(), "redis", "default"),
        (MessageHost::nats(), "nats", USER),
    ] {
        let url = format!("{scheme}://127.0.0.1:{}", host.port);
        keep(&place, user, PASSWORD, &["127.0.0.1"]);
        assert_eq!(code(&place, &url), "", "{}", host.log());
        keep(&place, user, "k-canary-wrong", &["127.0.0.1"]);
        let (code, words) = tried(&place, &url, None);
        assert!(code == "AUTH" && words.contains("Check the user and the password"), "{scheme}: {code} {words}");
        keep(&place, user, PASSWORD, &["other.example.com"]);
        assert_eq!(tried(&place, &url, None).0, "CREDENTIAL_REFUSED");
        keep(&place, user, PASSWORD, &["127.0.0.1"]);
        drop(host);
        let (code, words) = tried(&place, &url, None);
        assert!(code == "CONNECTION" && words.contains("connection refused"), "{code} {words}");
    }
}

#[test]
fn a_secret_is_tried_over_encrypted_connections() {
    let place = with_secrets();
    keep(&place, USER, PASSWORD, &["localhost", "127.0.0.1"]);
    let host = MessageHost::mqtt_with_tls();
    let (url, authority) = (format!("mqtts://localhost:{}", host.port), host.authority());
    assert_eq!(tried(&place, &url, Some(&authority)).0, "", "{}", host.log());
    let (code, words) = tried(&place, &url, None);
    assert!(code == "TLS" && words.contains("give it as the certificate authority"), "nobody trusts it: {words}");
    let other = format!("mqtts://127.0.0.1:{}", host.port);
    let (code, words) = tried(&place, &other, Some(&authority));
    assert!(code == "TLS" && words.contains("certificate"), "of another host: {words}");
}

#[test]
fn a_secret_is_tried_at_mail_servers() {
    let host = MailHost::start();
    let place = with_secrets();
    let [smtp, smtps, imap, imaps] = host.ports;
    let all = [
        format!("smtp://localhost:{smtp}"),
        format!("smtps://localhost:{smtps}"),
        format!("imap://localhost:{imap}"),
        format!("imaps://localhost:{imaps}"),
    ];
    keep(&place, mail_host::USER, mail_host::PASSWORD, &["localhost"]);
    for url in &all {
        assert_eq!(tried(&place, url, Some(&host.ca)).0, "", "{url}: {}", host.logs());
    }
    assert_eq!(code(&place, &all[1]), "TLS");
    keep(&place, mail_host::USER, "k-canary-wrong", &["localhost"]);
    for url in &all[..3] {
        let (code, words) = tried(&place, url, Some(&host.ca));
        assert!(code == "AUTH" && words.contains("does not accept"), "{url}: {code} {words}");
    }
}

#[test]
fn a_web_service_that_does_not_take_a_secret_is_told_with_what_to_do() {
    let place = with_secrets();
    let service = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", service.local_addr().expect("bound"));
    keep(&place, "ada", "k-canary-1", &["db.example.com"]);
    let (code, words) = tried(&place, &url, None);
    assert!(code == "CREDENTIAL_REFUSED" && words.contains("under its allowed hosts"), "{code} {words}");
    keep(&place, "ada", "k-canary-1", &["127.0.0.1"]);
    drop(service);
    let (code, words) = tried(&place, &url, None);
    assert!(code == "CONNECTION" && words.contains("that the server runs"), "{code} {words}");
    // It answers, but not by TLS.
    let plain = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("https://{}", plain.local_addr().expect("bound"));
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = plain.accept() {
            let _asked = stream.read(&mut [0; 1024]);
            let _answered = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
        }
    });
    let (_, words) = tried(&place, &url, None);
    assert!(words.contains("answers without encryption at this port"), "{words}");
}

#[test]
fn a_certificate_with_the_key_of_another_one_is_refused_when_it_is_entered() {
    let place = with_secrets();
    let folder = place.dir.path();
    let made = |name: &str| {
        let (key, certificate) = (format!("{name}.key"), format!("{name}.pem"));
        let request =
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
        let done = std::process::Command::new("openssl")
            .current_dir(folder)
            .args(request)
            .args(["-subj", "/CN=ada", "-keyout", &key, "-out", &certificate])
            .output()
            .expect("openssl");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect("written");
        (read(&certificate), read(&key))
    };
    let ((one, its_key), (_, other_key)) = (made("one"), made("other"));
    let kept = |value: String| {
        let secret = json!({ "name": "c", "kind": "certificate", "hosts": ["api.example.com"], "value": value });
        ask(&place, "secret_set", secret)
    };
    let refused = kept(format!("{one}{other_key}")).expect_err("another key");
    assert!(refused.contains("does not belong to the certificate"), "{refused}");
    assert!(kept(one.clone()).expect_err("no key").contains("no certificate and private key"));
    for value in [format!("{one}{its_key}"), format!("{its_key}{one}")] {
        kept(value).expect("they fit");
    }
}

#[test]
fn what_cannot_be_tried_is_said_before_anything_is_sent() {
    let place = with_secrets();
    keep(&place, "ada", "k-canary-1", &["db.example.com"]);
    let refused = |request: Value| ask(&place, "secret_test", request).expect_err("refused");
    let no_database = refused(json!({ "name": "s", "url": "postgres://db.example.com" }));
    assert!(no_database.contains("names no database"), "{no_database}");
    let password = refused(json!({ "name": "s", "url": "redis://ada:k-canary-1@db.example.com" }));
    assert!(password.contains("has a password in it") && !password.contains("canary"), "{password}");
    let authority = json!({ "name": "s", "url": "https://db.example.com", "rootCertificate": "x" });
    assert!(refused(authority).contains("certificate authority"));
    let scheme = refused(json!({ "name": "s", "url": "gopher://db.example.com" }));
    assert!(scheme.contains("no address that a secret can be tested at"), "{scheme}");
    let key =
        json!({ "name": "s", "kind": "header", "field": "X-Key", "hosts": ["db.example.com"], "value": "k-canary-1" });
    ask(&place, "secret_set", key).expect("kept");
    let header = refused(json!({ "name": "s", "url": "mqtts://db.example.com" }));
    assert!(header.contains("take a user and a password"), "{header}");
}

#[test]
fn who_uses_a_secret_includes_what_is_active_and_no_file_of_the_library() {
    let place = with_secrets();
    keep(&place, "ada", "k-canary-1", &["https://a.example"]);
    let asks = |title: &str| {
        let config = json!({ "url": "https://a.example", "credential": "secret://s" });
        json!({ "type": "http.request", "title": title, "config": config })
    };
    let uses = || ask(&place, "secret_uses", json!({ "name": "s" })).expect("looked up");
    assert_eq!(uses(), json!([]));
    // It says why: a person at a terminal sees the sentence alone.
    let schedule = json!({ "type": "trigger.schedule", "config": { "every": 60_000 } });
    let workflow = |credential: &str| {
        let mut asks = asks("Ask the shop");
        asks["config"]["credential"] = json!(credential);
        json!({
            "signalbox": 1, "id": "shop", "name": "Shop", "nodes": { "t": schedule, "ask": asks },
            "edges": [{ "from": "t.success", "to": "ask" }],
        })
    };
    let refused = ask(&place, "workflow_activate", json!({ "document": workflow("secret://none") })).expect_err("none");
    assert_eq!(
        refused,
        "INVALID_WORKFLOW The workflow cannot be activated: There is no secret 'none' on this machine."
    );
    ask(&place, "workflow_activate", json!({ "document": workflow("secret://s") })).expect("active");
    let active = json!({ "workflowId": "shop", "name": "Shop", "active": true, "steps": ["Ask the shop"] });
    assert_eq!(uses(), json!([active]));
    // A file of the library with another step: both versions count.
    let file = place.library().join("shop.signalbox.json");
    let mut newer = workflow("secret://s");
    newer["nodes"]["ask"]["title"] = json!("Ask the new shop");
    std::fs::write(&file, newer.to_string()).expect("written");
    let both = uses();
    assert_eq!(both[0]["steps"], json!(["Ask the new shop", "Ask the shop"]));
    assert_eq!(
        (&both[0]["active"], both[0]["ref"].is_string(), both[1].is_null()),
        (&json!(true), true, true),
        "{both}"
    );
    ask(&place, "workflow_deactivate", json!({ "workflowId": "shop" })).expect("stopped");
    assert_eq!((&uses()[0]["steps"], &uses()[0]["active"]), (&json!(["Ask the new shop"]), &json!(false)));
}

/// A service of AWS answers 403 both to a wrong key and to a user without the right; the words tell them apart.
#[test]
fn a_signature_that_aws_refuses_is_told_from_a_missing_right() {
    let place = with_secrets();
    let service = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url =
        format!("http://{}/?Action=GetCallerIdentity&Version=2011-06-15", service.local_addr().expect("an address"));
    std::thread::spawn(move || {
        let answers = [
            ("200 OK", "<GetCallerIdentityResponse/>"),
            ("403 Forbidden", "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code></Error></ErrorResponse>"),
            ("403 Forbidden", "<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>"),
        ];
        for (status, body) in answers {
            let Ok((mut stream, _)) = service.accept() else { return };
            let mut asked = [0; 4096];
            let length = stream.read(&mut asked).unwrap_or_default();
            let signed = String::from_utf8_lossy(&asked[..length]).contains("AWS4-HMAC-SHA256 Credential=AKIACANARY/");
            let status = if signed { status } else { "400 Bad Request" };
            let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
            let _answered = stream.write_all(format!("{head}{body}").as_bytes());
        }
    });
    let key = json!({
        "name": "s", "kind": "aws", "field": "AKIACANARY", "region": "eu-central-1", "service": "sts", "hosts": ["http://127.0.0.1"],
        "value": "k-canary-0123456789",
    });
    ask(&place, "secret_set", key).expect("kept");
    assert_eq!(tried(&place, &url, None), (String::new(), "The service accepted it (status 200). ".to_owned()));
    let (code, words) = tried(&place, &url, None);
    assert!(
        code == "AUTH" && words.contains("refused the signature (SignatureDoesNotMatch, status 403)"),
        "{code} {words}"
    );
    let (code, words) = tried(&place, &url, None);
    assert!(code == "AUTH" && words.contains("look at its rights"), "{code} {words}");
}
