//! Lists of releases from a real server on loopback: signed ones are used, all others are refused in words.

use super::list::{self, Seen, sealed};
use super::{STATE, installation};
use crate::caller::Caller;
use crate::dto::{Host, Installation, UpdatesSet, UpdatesView};
use crate::{App, Options};
use serde_json::{Value, json};
use signalbox_store::audit::Signer;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What the server answers with next, and how often it was asked.
#[derive(Default)]
struct Served {
    answer: Mutex<(String, Vec<u8>)>,
    asked: AtomicUsize,
}

impl Served {
    fn start() -> (String, Arc<Self>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = format!("http://{}/releases.json", listener.local_addr().expect("it has an address"));
        let served = Arc::new(Self::default());
        let given = Arc::clone(&served);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let lines = BufReader::new(stream.try_clone().expect("a second handle")).lines();
                lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
                given.asked.fetch_add(1, Ordering::SeqCst);
                let (status, body) = given.answer.lock().expect("whole").clone();
                let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
                if stream.write_all(&[head.as_bytes(), &body].concat()).is_err() {
                    return;
                }
            }
        });
        (address, served)
    }

    fn says(&self, body: Vec<u8>) {
        *self.answer.lock().expect("whole") = ("200 OK".to_owned(), body);
    }
}

fn signer(first: u8) -> Signer {
    Signer::from_secret([first; 32])
}

fn hex(signer: &Signer) -> String {
    signer.public_key().to_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn releases(serial: u64, releases: &Value) -> String {
    json!({ "product": "signalbox", "serial": serial, "issued": "2020-01-01T00:00:00Z", "expires": "2999-01-01T00:00:00Z", "releases": releases })
        .to_string()
}

fn newer() -> Value {
    json!([
        { "version": "0.0.9", "date": "2025-01-01" },
        { "version": "900.1.0", "date": "2026-11-30", "security": true, "notes": { "en": "Closes a hole." } },
        { "version": "900.2.0", "date": "2026-12-01", "notes": { "en": "Faster.", "zh": "更快。" }, "page": "https://example.org/900.2.0",
          "packages": [{ "kind": "deb", "arch": std::env::consts::ARCH, "name": "signalbox-cli", "url": "https://example.org/signalbox-cli_900.2.0.deb", "sha256": "ab".repeat(32) }] },
    ])
}

fn opened(folder: &tempfile::TempDir) -> Arc<App> {
    let options = Options { host: Host::Http, allow: Vec::new(), stays: false, reads: false };
    App::open(folder.path(), options).expect("opens")
}

fn set(address: &str, key: &str) -> UpdatesSet {
    UpdatesSet { on: true, address: Some(address.to_owned()), key: Some(key.to_owned()), local: true }
}

fn code(view: &UpdatesView) -> &str {
    view.trouble.as_ref().map_or("", |trouble| trouble.code.as_str())
}

#[test]
fn a_signed_list_tells_of_the_newest_release_and_others_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = opened(&folder);
    let (address, served) = Served::start();
    let (own, other) = (signer(7), signer(8));
    app.updates_set(&Caller::here(), set(&address, &hex(&own))).expect("taken");
    served.says(sealed(&releases(5, &newer()), &[&other, &own]));
    let found = app.updates_check().expect("asked");
    let update = found.update.clone().expect("a newer release");
    assert_eq!((update.version.as_str(), update.security, code(&found)), ("900.2.0", true, ""));
    assert_eq!(update.notes["zh"], "更快。");
    assert!(found.checked_at.is_some() && found.checked_at == found.tried_at);

    let text = releases(6, &newer());
    let mut changed: Value = serde_json::from_slice(&sealed(&text, &[&own])).expect("JSON");
    changed["list"] = json!(text.replace("900.2.0", "900.3.0"));
    let expired = text.replace("2999-01-01", "2026-01-01");
    let later = text.replace("2020-01-01", "2998-01-01");
    let shell = text.replace("cli_900.2.0.deb", "cli.deb'; reboot; '");
    for (wanted, body) in [
        ("UPDATE_LIST_UNSIGNED", sealed(&text, &[&other])),
        ("UPDATE_LIST_UNSIGNED", sealed(&text, &[])),
        ("UPDATE_LIST_UNSIGNED", changed.to_string().into_bytes()),
        ("UPDATE_LIST_EXPIRED", sealed(&expired, &[&own])),
        ("UPDATE_LIST_TIME", sealed(&later, &[&own])),
        ("UPDATE_LIST_OLDER", sealed(&releases(4, &newer()), &[&own])),
        ("UPDATE_LIST_OLDER", sealed(&releases(5, &json!([])), &[&own])),
        ("UPDATE_LIST_UNREADABLE", sealed(&shell, &[&own])),
        ("UPDATE_LIST_UNREADABLE", sealed(&text.replace("\"signalbox\"", "\"other\""), &[&own])),
        ("UPDATE_LIST_UNREADABLE", b"<html>".to_vec()),
        ("UPDATE_LIST_NEWER", br#"{"format":2,"list":"","signatures":[]}"#.to_vec()),
        ("UPDATE_LIST_UNREACHABLE", vec![b' '; list::LARGEST + 1]),
    ] {
        served.says(body);
        let view = app.updates_check().expect("asked");
        assert_eq!(code(&view), wanted, "{view:?}");
        // What was known stays known.
        assert_eq!((view.update.as_ref(), &view.checked_at), (Some(&update), &found.checked_at));
    }
    *served.answer.lock().expect("whole") = ("302 Found\r\nlocation: https://example.org/".to_owned(), Vec::new());
    assert_eq!(code(&app.updates_check().expect("asked")), "UPDATE_LIST_UNREACHABLE");
    served.says(sealed(&releases(7, &json!([{ "version": "0.0.1", "date": "2025-01-01" }])), &[&own]));
    let current = app.updates_check().expect("asked");
    assert_eq!((current.update, current.trouble), (None, None));
}

#[test]
fn nothing_is_asked_before_it_is_turned_on_and_then_once_a_day() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = opened(&folder);
    let (address, served) = Served::start();
    let own = signer(7);
    served.says(sealed(&releases(1, &newer()), &[&own]));
    assert_eq!(app.updates_check().expect_err("refused").code, "UPDATES_NOT_SET");
    app.updates_set(&Caller::here(), UpdatesSet { on: false, ..set(&address, &hex(&own)) }).expect("taken");
    app.check_updates_if_due().expect("looked");
    assert_eq!(served.asked.load(Ordering::SeqCst), 0);
    app.updates_set(&Caller::here(), set(&address, &hex(&own))).expect("taken");
    for _ in 0..3 {
        app.check_updates_if_due().expect("looked");
    }
    assert_eq!(served.asked.load(Ordering::SeqCst), 1);
    let tried = |hours: i64| {
        let mut state = app.store.setting_get(STATE).expect("read").expect("kept");
        state["triedMs"] = json!(app.now_ms() - hours * 3_600_000);
        app.store.setting_set(STATE, Some(state)).expect("kept");
        app.check_updates_if_due().expect("looked");
        served.asked.load(Ordering::SeqCst)
    };
    assert_eq!((tried(23), tried(25)), (1, 2));
    let query = signalbox_store::AuditQuery { event: Some("NETWORK_CHANGED".into()), ..Default::default() };
    assert_eq!(app.store.audit_page(&query).expect("read").total, 2);
    // Another key is another publisher, whose numbers begin anew.
    app.updates_set(&Caller::here(), set(&address, &hex(&signer(9)))).expect("taken");
    assert_eq!(app.updates_now().expect("read").update, None);
}

#[test]
fn settings_that_cannot_be_used_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = opened(&folder);
    let key = hex(&signer(7));
    for (request, said) in [
        (UpdatesSet { key: None, ..set("https://example.org/r.json", "") }, "without an address and a key"),
        (set("ftp://example.org/r.json", &key), "no http or https address"),
        (set("https://example.org/r.json?token=0123456789abcdefghijkl", &key), "credential"),
        (set("https://example.org/r.json", "abc"), "The key cannot be used"),
        (UpdatesSet { local: false, ..set("http://127.0.0.1:9/r.json", &key) }, "an address of this machine"),
    ] {
        let error = app.updates_set(&Caller::here(), request).expect_err("refused");
        assert!(error.message.contains(said), "{}", error.message);
    }
    let far = Caller::http(crate::dto::CallerRole::Builder, false, "ada");
    assert_eq!(
        app.updates_set(&far, set("https://example.org/r.json", &key)).expect_err("refused").class,
        crate::error::Class::Forbidden
    );
    assert_eq!(app.updates_now().expect("read").address, None);
}

#[test]
fn commands_fit_the_installation() {
    let read = |text: &str| {
        let own = signer(7);
        let seen = Some(Seen { serial: 0, sha256: String::new() });
        let accepted = list::read(&sealed(text, &[&own]), &[own.public_key()], seen.as_ref(), 1_800_000_000_000);
        accepted.expect("accepted").newest_after("0.1.0").expect("newer")
    };
    let package = |kind: &str, name: &str, file: &str| json!({ "kind": kind, "arch": "x86_64", "name": name, "url": format!("https://example.org/{file}"), "sha256": "cd".repeat(32) });
    let release = read(&releases(
        1,
        &json!([{ "version": "0.2.0", "date": "2026-11-30", "packages": [
        package("deb", "signalbox", "a.deb"), package("deb", "signalbox-cli", "b.deb"), package("rpm", "signalbox-cli", "b.rpm"),
        package("tar", "", "p.tar.gz"), package("appimage", "", "s.AppImage"), package("image", "", "i.oci.tar"),
    ] }]),
    ));
    let debian = |path: &str| path == "/usr/lib/signalbox/signalbox" || path == "/var/lib/dpkg/info/signalbox-cli.list";
    let of = |exe: &str, appimage: bool, exists: &dyn Fn(&str) -> bool| {
        let exe = Path::new(exe);
        let kind = installation::of(exe, appimage, exists);
        (kind, installation::commands(kind, exe, "x86_64", &release, exists))
    };
    let (kind, commands) = of("/usr/lib/signalbox/signalbox", false, &debian);
    assert_eq!(kind, Installation::Deb);
    assert_eq!(
        commands,
        [
            "curl --fail --location --remote-name 'https://example.org/b.deb' &&".to_owned(),
            format!("echo '{}  b.deb' | sha256sum --check &&", "cd".repeat(32)),
            "sudo apt install ./b.deb".to_owned(),
        ]
    );
    let fedora = |path: &str| path == "/usr/lib/signalbox/signalbox";
    let (kind, commands) = of("/usr/lib/signalbox/signalbox", false, &fedora);
    assert_eq!((kind, commands.last().map(String::as_str)), (Installation::Rpm, Some("sudo dnf install ./b.rpm")));
    let (kind, commands) = of("/home/ada's/signalbox/signalbox", false, &|_| false);
    let wanted = "tar xzf p.tar.gz --strip-components 1 --directory '/home/ada'\\''s/signalbox'";
    assert_eq!((kind, commands.last().map(String::as_str)), (Installation::Tar, Some(wanted)));
    assert_eq!(of("/tmp/.mount/usr/bin/signalbox-desktop", true, &|_| false).0, Installation::Appimage);
    assert_eq!(of("/usr/bin/signalbox", false, &|_| false).0, Installation::Image);
    assert_eq!(of("/home/ada/signalbox/target/release/signalbox", false, &|_| false).0, Installation::Source);
}
