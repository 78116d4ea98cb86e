//! Backups with the real program: made beside runs that write, restored into another folder, and refused when they are not
//! what was written.

use crate::support::{Serving, TestHome, eventually, workflow};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const PASSPHRASE: &str = "correct horse battery";

fn flow(place: &TestHome) -> PathBuf {
    let document = workflow(json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } } } }), json!([]));
    place.file("flow.signalbox.json", document.to_string())
}

fn run_once(place: &TestHome, file: &Path) {
    let done = place.run(&["run", &file.display().to_string(), "--json"]);
    assert_eq!(done.code, 0, "{}", done.err);
}

fn backed_up(place: &TestHome, name: &str) -> (PathBuf, Value) {
    let out = place.dir.path().join(name);
    let done = place.run(&["backup", &out.display().to_string(), "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    (out, done.json())
}

fn restored(place: &TestHome, file: &Path, more: &[&str]) -> (i32, Value) {
    let mut args = vec!["restore", file.to_str().expect("text"), "--json"];
    args.extend(more);
    let done = place.run(&args);
    (done.code, done.json())
}

fn run_list(place: &TestHome) -> Value {
    place.run(&["runs", "list", "--limit", "500", "--json"]).json()
}

/// Issue of every backup: it is made while a server runs workflows, and what it holds is whole.
#[test]
fn a_backup_beside_a_server_at_work_restores_to_the_same_runs() {
    let place = TestHome::new();
    let file = flow(&place);
    fs::create_dir_all(place.data().join("workflows")).expect("made");
    fs::copy(&file, place.data().join("workflows/test.signalbox.json")).expect("copied");
    let serving = Serving::start(&place, &[]);
    let (stop, stopped) = (std::sync::atomic::AtomicBool::new(false), &std::sync::atomic::Ordering::SeqCst);
    let started = std::sync::atomic::AtomicUsize::new(0);
    let (out, report) = std::thread::scope(|scope| {
        let load = scope.spawn(|| {
            while !stop.load(*stopped) {
                let asked = json!({ "workflow": "test", "params": {} });
                let answer = serving.ask("POST", "/workflow/run", &asked);
                assert!(answer.status < 300, "{}", answer.body);
                started.fetch_add(1, *stopped);
            }
        });
        eventually("some runs", || started.load(*stopped) > 5);
        let made = backed_up(&place, "b.tar.gz");
        let before = started.load(*stopped);
        eventually("runs after the backup", || started.load(*stopped) > before);
        stop.store(true, *stopped);
        load.join().expect("no panic");
        made
    });
    assert!(report["runs"].as_u64().is_some_and(|runs| runs > 5), "{report}");
    drop(serving);

    let there = TestHome::new();
    let (code, restored) = restored(&there, &out, &[]);
    assert_eq!((code, &restored["audit"]["state"]), (0, &json!("intact")), "{restored}");
    assert_eq!(restored["runs"], report["runs"]);
    assert!(there.data().join("workflows/test.signalbox.json").is_file());
    assert_eq!(there.run(&["resume", "--json"]).code, 0, "runs that were under way end");
    let (here, there_list) = (run_list(&place), run_list(&there));
    let ids = |list: &Value| -> Vec<String> {
        list.as_array().expect("a list").iter().map(|run| run["runId"].as_str().expect("an id").to_owned()).collect()
    };
    let (here, restored_ids) = (ids(&here), ids(&there_list));
    assert_eq!(Some(restored_ids.len() as u64), report["runs"].as_u64());
    assert!(restored_ids.iter().all(|id| here.contains(id)), "each is a run of the original");
    assert_eq!(there.run(&["audit", "verify", "--json"]).code, 0);
    assert_eq!(there.run(&["check-data", "--json"]).code, 0);
    let events = there.run(&["audit", "list", "--json"]).json();
    let names: Vec<&str> =
        events.as_array().expect("a list").iter().filter_map(|entry| entry["event"].as_str()).collect();
    assert!(names.contains(&"BACKUP_CREATED") && names.contains(&"BACKUP_RESTORED"), "{names:?}");
    run_once(&there, &file);
}

#[test]
fn restore_refuses_what_it_cannot_restore_and_changes_nothing() {
    let place = TestHome::new();
    let file = flow(&place);
    run_once(&place, &file);
    let (out, _) = backed_up(&place, "b.tar.gz");
    let again = place.run(&["backup", &out.display().to_string(), "--json"]);
    assert_eq!((again.code, &again.json()["error"]["code"]), (2, &json!("FILE_EXISTS")));

    let before = run_list(&place);
    let (code, error) = restored(&place, &out, &[]);
    assert_eq!((code, &error["error"]["code"]), (2, &json!("FOLDER_NOT_EMPTY")), "{error}");
    let bytes = fs::read(&out).expect("read");
    let there = TestHome::new();
    for (name, bytes, wanted) in [
        ("cut", bytes[..bytes.len() - 9].to_vec(), "BACKUP_DAMAGED"),
        ("longer", [&bytes[..], b"x"].concat(), "BACKUP_DAMAGED"),
        ("flow", fs::read(&file).expect("read"), "NOT_A_BACKUP"),
    ] {
        let (code, error) = restored(&there, &there.file(name, bytes), &[]);
        assert_eq!((code, &error["error"]["code"]), (2, &json!(wanted)), "{name}: {error}");
        assert!(!there.data().exists(), "{name}");
    }
    let (code, error) = restored(&there, &there.dir.path().join("nothing"), &[]);
    assert_eq!((code, &error["error"]["code"]), (2, &json!("NOT_FOUND")), "{error}");

    let serving = Serving::start(&place, &[]);
    let (code, error) = restored(&place, &out, &["--replace"]);
    assert_eq!((code, &error["error"]["code"]), (2, &json!("FOLDER_IN_USE")), "{error}");
    drop(serving);
    run_once(&place, &file);
    let (code, report) = restored(&place, &out, &["--replace"]);
    assert_eq!(code, 0, "{report}");
    assert_eq!(run_list(&place), before, "as it was when the backup was made");
    let aside = PathBuf::from(report["setAside"].as_str().expect("a folder"));
    assert!(aside.join("signalbox.db").is_file() && aside.starts_with(place.data()));
}

#[test]
fn secrets_are_in_a_backup_under_its_passphrase_only() {
    let place = TestHome::new();
    let key = place.dir.path().join("key.txt");
    assert_eq!(place.run(&["secret", "choose", "file", "--identity", &key.display().to_string()]).code, 0);
    let kept = place.run_with(&["secret", "set", "erp", "--host", "api.example.com"], "canary-7f3a9c51e2");
    assert_eq!(kept.code, 0, "{}", kept.err);
    let (plain, report) = backed_up(&place, "plain.tar.gz");
    assert_eq!(report["secrets"], json!(false));

    let sealed = place.dir.path().join("sealed.tar.gz");
    let args = ["backup", &sealed.display().to_string(), "--with-secrets", "--json"];
    assert_eq!(place.run(&args).json()["error"]["message"], "No passphrase was given.");
    let done = place.run_with(&args, PASSPHRASE);
    assert_eq!((done.code, &done.json()["secrets"]), (0, &json!(true)), "{}", done.err);

    let there = TestHome::new();
    let args = ["restore", &sealed.display().to_string(), "--json"];
    let wrong = there.run_with(&args, "another passphrase");
    assert_eq!((wrong.code, &wrong.json()["error"]["code"]), (2, &json!("WRONG_PASSPHRASE")));
    assert!(!there.data().join("signalbox.db").exists());
    let done = there.run_with(&args, PASSPHRASE);
    assert_eq!((done.code, &done.json()["secrets"]), (0, &json!(true)), "{}", done.out);
    let list = there.command(&["secret", "list", "--json"]).env("SIGNALBOX_SECRETS_PASSPHRASE", PASSPHRASE).output();
    let list = String::from_utf8(list.expect("it starts").stdout).expect("text");
    assert!(list.contains("\"erp\""), "{list}");
    let same =
        |name: &str| fs::read(place.data().join(name)).expect(name) == fs::read(there.data().join(name)).expect(name);
    assert!(same("audit.key"), "the same key signs");

    for (file, more) in [(&plain, &[][..]), (&sealed, &["--without-secrets"][..])] {
        let bare = TestHome::new();
        let (code, report) = restored(&bare, file, more);
        assert_eq!(
            (code, &report["secrets"], &report["audit"]["state"]),
            (0, &json!(false), &json!("intact")),
            "{report}"
        );
        assert!(!bare.data().join("secrets/vault.age").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_backup_and_what_it_restores_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let place = TestHome::new();
    run_once(&place, &flow(&place));
    let (out, _) = backed_up(&place, "b.tar.gz");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&out), 0o600);
    let there = TestHome::new();
    assert_eq!(restored(&there, &out, &[]).0, 0);
    assert_eq!((mode(&there.data()), mode(&there.data().join("signalbox.db"))), (0o700, 0o600));
    let left: Vec<_> =
        fs::read_dir(place.dir.path()).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with('.')), "{left:?}");
}

#[test]
fn backups_are_scheduled_at_the_terminal() {
    let place = TestHome::new();
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().to_string_lossy().into_owned();
    assert_eq!(place.run(&["backup"]).code, 2);
    let set = place.run(&["backup", "--every", "24", "--keep", "2", &to, "--json"]);
    assert_eq!(set.code, 0, "{}", set.err);
    assert_eq!((&set.json()["everyHours"], &set.json()["keep"]), (&24.into(), &2.into()));
    assert!(place.run(&["backup", "--schedule"]).out.contains("Every 24 hours to"));
    let refused = place.run(&["backup", "--every", "1", &place.data().to_string_lossy()]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("data folder"), "{}", refused.err);
    let off = place.run(&["backup", "--off", "--json"]);
    assert!(off.json().get("everyHours").is_none(), "{}", off.out);
}

/// A run that starts after the database was copied has files by the time when files are copied.
#[test]
fn files_of_runs_that_the_copied_database_does_not_have_are_left_out() {
    let place = TestHome::new();
    run_once(&place, &flow(&place));
    let run = run_list(&place)[0]["runId"].as_str().expect("a run").to_owned();
    let artifacts = place.data().join("artifacts");
    for id in [run.as_str(), "0197b2a4-1111-7000-8000-000000000001", "notes-of-a-person"] {
        fs::create_dir_all(artifacts.join(id)).expect("made");
        fs::write(artifacts.join(id).join("result.txt"), id).expect("written");
    }
    let (out, _) = backed_up(&place, "b.tar.gz");
    let there = TestHome::new();
    assert_eq!(restored(&there, &out, &[]).0, 0);
    let kept = |id: &str| there.data().join("artifacts").join(id).join("result.txt").is_file();
    assert_eq!(
        (kept(&run), kept("0197b2a4-1111-7000-8000-000000000001"), kept("notes-of-a-person")),
        (true, false, true)
    );
    let done = there.run(&["check-data", "--json"]);
    assert_eq!(done.code, 0, "{}", done.out);
}
