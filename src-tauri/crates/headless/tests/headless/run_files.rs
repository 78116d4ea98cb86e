//! Files that a run wrote are given out again: those that its events name, and nothing else (TRUST).

use crate::support;

use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use support::{Answer, BUILDER, OPERATOR, Serving, TestHome, VIEWER, eventually, workflow};

/// A server to whose workflows a folder is open, with a token of each role.
fn serve(place: &TestHome, folder: Option<&Path>) -> Serving {
    let file = place.file("tokens", format!("{BUILDER}\noperator {OPERATOR}\nviewer {VIEWER}\n"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("chmod");
    let file = file.display().to_string();
    let mut more = vec!["--token-file", file.as_str()];
    let grant = folder.map(|folder| format!("{}:rw", folder.display()));
    if let Some(grant) = &grant {
        more.extend(["--allow-dir", grant.as_str()]);
    }
    Serving::start(place, &more)
}

fn folder(place: &TestHome, name: &str) -> PathBuf {
    let folder = place.dir.path().canonicalize().expect("there").join(name);
    std::fs::create_dir_all(&folder).expect("made");
    folder
}

/// Runs these steps one after another, to the end.
fn run(serving: &Serving, nodes: Value) -> String {
    let names: Vec<String> = nodes.as_object().expect("nodes").keys().cloned().collect();
    let edges: Vec<Value> =
        names.windows(2).map(|pair| json!({ "from": format!("{}.success", pair[0]), "to": pair[1] })).collect();
    let request = json!({ "document": workflow(nodes, edges.into()), "params": {} });
    let answer = serving.ask_as(BUILDER, "POST", "/rpc/run_start", &request, &[]);
    let run = answer.json()["runId"].as_str().unwrap_or_else(|| panic!("{}", answer.body)).to_owned();
    eventually("the run ends", || {
        let status = serving.ask_as(BUILDER, "GET", &format!("/workflow/{run}/status"), &Value::Null, &[]).json();
        assert_ne!(status["status"], "failed", "{status}");
        status["status"] == "completed"
    });
    run
}

fn write(path: &Path, content: &str) -> Value {
    json!({ "type": "file.write", "config": { "path": path.display().to_string(), "content": content } })
}

fn get(serving: &Serving, path: &str) -> Answer {
    serving.ask_as(BUILDER, "GET", path, &Value::Null, &[])
}

fn files(serving: &Serving, run: &str) -> Vec<Value> {
    let list = get(serving, &format!("/workflow/{run}/files"));
    assert_eq!(list.status, 200, "{}", list.body);
    list.json()["files"].as_array().expect("a list").clone()
}

/// The number that a file of this name has.
fn seq(files: &[Value], name: &str) -> u64 {
    let file = files.iter().find(|file| file["name"] == name).unwrap_or_else(|| panic!("{name} of {files:?}"));
    file["seq"].as_u64().expect("a number")
}

#[test]
fn a_file_that_a_run_wrote_is_downloaded_under_its_name() {
    let place = TestHome::new();
    let out = folder(&place, "out");
    let serving = serve(&place, Some(&out));
    let run = run(
        &serving,
        json!({
            "one": write(&out.join("größe 1.csv"), "id\n1\n"),
            "kept": { "type": "flow.noop", "out": { "/notes/kept.txt": "kept with the run" } },
        }),
    );
    let all = files(&serving, &run);
    assert_eq!(all.iter().map(|file| &file["state"]).collect::<Vec<_>>(), ["same"; 2], "{all:?}");
    assert_eq!((&all[1]["stepId"], &all[1]["size"]), (&json!("one"), &json!(5)));
    let path = format!("/workflow/{run}/files/{}", seq(&all, "größe 1.csv"));
    let file = get(&serving, &path);
    assert_eq!((file.status, file.body.as_str()), (200, "id\n1\n"));
    for line in [
        "content-type: application/octet-stream",
        "content-length: 5",
        "content-disposition: attachment; filename=\"gr__e 1.csv\"; filename*=UTF-8''gr%C3%B6%C3%9Fe%201.csv",
        "x-content-type-options: nosniff",
        "cache-control: no-store",
    ] {
        assert!(file.head.contains(line), "{line}\n{}", file.head);
    }
    let kept = get(&serving, &format!("/workflow/{run}/files/{}", seq(&all, "kept.txt")));
    assert_eq!((kept.status, kept.body.as_str()), (200, "kept with the run"));
    // At the terminal, with the server's grants or without: nothing was granted here.
    drop(serving);
    let listed = place.run(&["runs", "files", &run]);
    assert!(listed.out.contains("kept.txt, 17 bytes\n") && listed.out.contains("cannot be read"), "{}", listed.out);
    let copy = place.dir.path().join("copy.txt");
    let save =
        |seq: u64| place.run(&["runs", "file", &run, &seq.to_string(), "--out", &copy.display().to_string(), "--json"]);
    assert_eq!(save(seq(&all, "kept.txt")).json()["size"], 17);
    assert_eq!(std::fs::read(&copy).expect("copied"), b"kept with the run");
    assert_eq!(save(seq(&all, "kept.txt")).last()["error"]["code"], "FILE_EXISTS");
}

#[test]
fn only_files_that_the_run_wrote_are_given_out() {
    let place = TestHome::new();
    let (out, outside) = (folder(&place, "out"), folder(&place, "outside"));
    let serving = serve(&place, Some(&out));
    std::fs::write(out.join("secret.txt"), "nobody wrote this").expect("written");
    std::fs::write(outside.join("outside.txt"), "12345").expect("written");
    let one = run(&serving, json!({ "one": write(&out.join("one.txt"), "12345") }));
    let two =
        run(&serving, json!({ "noop": { "type": "flow.noop" }, "two": write(&out.join("sub/two.txt"), "54321") }));
    let (first, second) = (seq(&files(&serving, &one), "one.txt"), seq(&files(&serving, &two), "two.txt"));
    assert_ne!(first, second, "the numbers tell the files of the two runs apart");
    let of = |run: &str, seq: &str| get(&serving, &format!("/workflow/{run}/files/{seq}"));
    // Not a number of this run that names a file; a path is never one.
    assert_eq!((of(&one, &second.to_string()).status, of(&one, "1").status, of("nobody", "1").status), (404, 404, 404));
    assert_eq!(of(&one, "99999999").status, 404);
    for wrong in ["..", "secret.txt", "-1", "18446744073709551616"] {
        assert_eq!(of(&one, wrong).status, 400, "{wrong}");
    }
    for wrong in [
        "../secret.txt",
        "..%2Fsecret.txt",
        "%2e%2e/secret.txt",
        "/etc/passwd",
        &out.join("secret.txt").display().to_string(),
    ] {
        assert_eq!(of(&one, wrong).status, 404, "{wrong}");
    }
    for query in ["path=/etc/passwd", "changed=yes", "changed=accept&path=x", "name=../x"] {
        assert_eq!(of(&one, &format!("{first}?{query}")).status, 400, "{query}");
    }
    // Who has no token, or one of a viewer.
    let path = format!("/workflow/{one}/files/{first}");
    let host = serving.host().to_owned();
    for path in [path.as_str(), &format!("/workflow/{one}/files")] {
        assert_eq!(serving.raw("GET", path, &[("host", &host)], "").status, 401);
        assert_eq!(serving.ask_as("wrong", "GET", path, &Value::Null, &[]).status, 401);
        assert_eq!(serving.ask_as(VIEWER, "GET", path, &Value::Null, &[]).status, 403);
        // Nothing can be masked in a file.
        let masked = serving.ask_as(OPERATOR, "GET", path, &Value::Null, &[]);
        assert_eq!(masked.status, 403);
        assert!(masked.body.contains("nothing can be masked in bytes"), "{}", masked.body);
    }
    let why = json!({ "runId": one, "reason": "the customer asks for the file" });
    assert_eq!(serving.ask_as(OPERATOR, "POST", "/rpc/run_reveal", &why, &[]).status, 200);
    assert_eq!(serving.ask_as(OPERATOR, "GET", &path, &Value::Null, &[]).body, "12345");

    // A link in its place is not followed, wherever it leads.
    for target in [outside.join("outside.txt"), out.join("secret.txt"), out.join("sub/two.txt")] {
        std::fs::remove_file(out.join("one.txt")).expect("gone");
        symlink(&target, out.join("one.txt")).expect("a link");
        for how in ["", "?changed=accept"] {
            let refused = get(&serving, &format!("{path}{how}"));
            assert_eq!((refused.status, refused.code().as_str()), (403, "PATH_REFUSED"), "{}", refused.body);
        }
    }
    // Nor is one in the place of its folder.
    let path = format!("/workflow/{two}/files/{second}");
    assert_eq!(get(&serving, &path).body, "54321");
    for target in [outside.clone(), out.join("moved")] {
        std::fs::create_dir_all(&target).expect("made");
        std::fs::write(target.join("two.txt"), "54321").expect("written");
        std::fs::remove_dir_all(out.join("sub")).or_else(|_| std::fs::remove_file(out.join("sub"))).expect("gone");
        symlink(&target, out.join("sub")).expect("a link");
        let refused = get(&serving, &format!("{path}?changed=accept"));
        assert_eq!(refused.status, 403, "{}", refused.body);
    }
    assert_eq!(files(&serving, &two)[0]["state"], "refused");
}

#[test]
fn what_became_of_a_file_is_told() {
    let place = TestHome::new();
    let out = folder(&place, "out");
    let serving = serve(&place, Some(&out));
    let run = run(
        &serving,
        json!({
            "gone": write(&out.join("gone.txt"), "1"),
            "first": write(&out.join("twice.txt"), "first"),
            "second": write(&out.join("twice.txt"), "again"),
            "changed": write(&out.join("changed.txt"), "before"),
        }),
    );
    let all = files(&serving, &run);
    assert_eq!(all.iter().map(|file| &file["name"]).collect::<Vec<_>>(), ["changed.txt", "twice.txt", "gone.txt"]);
    let of = |seq: u64, how: &str| get(&serving, &format!("/workflow/{run}/files/{seq}{how}"));
    std::fs::remove_file(out.join("gone.txt")).expect("gone");
    std::fs::write(out.join("changed.txt"), "after all").expect("written");
    let states: Vec<Value> = files(&serving, &run).iter().map(|file| file["state"].clone()).collect();
    assert_eq!(states, ["changed", "same", "gone"]);
    let gone = of(seq(&all, "gone.txt"), "");
    assert_eq!((gone.status, gone.code().as_str()), (404, "FILE_GONE"));
    let changed = of(seq(&all, "changed.txt"), "");
    assert_eq!((changed.status, changed.code().as_str()), (409, "FILE_CHANGED"), "{}", changed.body);
    assert_eq!(changed.json()["error"]["details"], json!({ "size": 9, "writtenSize": 6 }));
    assert_eq!(of(seq(&all, "changed.txt"), "?changed=accept").body, "after all");
    // What the first step wrote is no longer there, however much alike the two are.
    let events = get(&serving, &format!("/workflow/{run}/events?after=0")).body;
    let first = events.lines().filter_map(|line| {
        serde_json::from_str::<Value>(line.strip_prefix("data: ").or(line.strip_prefix("data:"))?).ok()
    });
    let first = first.filter(|event| event["type"] == "file_done").find(|event| event["stepId"] == "first");
    let first = first.and_then(|event| event["seq"].as_u64()).expect("an event of the first");
    let again = of(first, "");
    assert_eq!((again.status, again.code().as_str()), (409, "FILE_CHANGED"), "{}", again.body);
    assert!(again.body.contains("the run wrote it again later"), "{}", again.body);
    // A folder that is not open any more closes its files, too.
    let path = format!("/workflow/{run}/files/{}", seq(&all, "twice.txt"));
    drop(serving);
    let serving = serve(&place, None);
    let refused = get(&serving, &path);
    assert_eq!((refused.status, refused.code().as_str()), (403, "PATH_REFUSED"), "{}", refused.body);
}

/// A large file is sent while it is read, and comes whole.
#[test]
fn a_large_file_is_streamed() {
    let place = TestHome::new();
    let out = folder(&place, "out");
    let serving = serve(&place, Some(&out));
    let run = run(&serving, json!({ "one": write(&out.join("large.txt"), "small") }));
    let large = "0123456789abcdef".repeat(1024 * 1024);
    std::fs::write(out.join("large.txt"), &large).expect("written");
    let seq = seq(&files(&serving, &run), "large.txt");
    let file = get(&serving, &format!("/workflow/{run}/files/{seq}?changed=accept"));
    assert!(file.head.contains(&format!("content-length: {}", large.len())), "{}", file.head);
    assert!(file.body == large, "{} bytes came", file.body.len());
}
