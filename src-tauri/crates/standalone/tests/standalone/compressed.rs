//! Compressed programs (ADR 233): a launcher executes from memory what an uncompressed export would be.

use crate::support::{Ended, Place, Program, Server, workflow};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A separate installation: `signalbox` and the compressed form of one runner. Debug runners are large, so that the frame holds
/// them as they are; `cargo xtask package` compresses.
struct Installation {
    folder: tempfile::TempDir,
    runner: PathBuf,
}

impl Installation {
    fn with(runner: &str) -> Self {
        let built = Path::new(env!("CARGO_BIN_EXE_signalbox-launcher")).parent().expect("a folder");
        // On the same file system: a link takes no room.
        let folder = tempfile::tempdir_in(built).expect("a folder");
        let signalbox = built.join("signalbox");
        assert!(signalbox.is_file(), "{} is missing: cargo build -p signalbox-headless", signalbox.display());
        fs::hard_link(signalbox, folder.path().join("signalbox")).expect("linked");
        let runner = built.join(runner);
        let bytes = fs::read(&runner).expect("a runner");
        let frame = compress_to_vec(bytes.as_slice(), CompressionLevel::Uncompressed);
        let lengths = [frame.len() as u64, bytes.len() as u64].map(u64::to_be_bytes).concat();
        let launcher = fs::read(env!("CARGO_BIN_EXE_signalbox-launcher")).expect("a launcher");
        let hash = Sha256::digest(&frame);
        let whole = [launcher.as_slice(), &frame, &lengths, &hash, b"SIGNALBOX-PACKED"].concat();
        let name = format!("{}-compressed", runner.file_name().expect("a name").to_string_lossy());
        fs::write(folder.path().join(name), whole).expect("written");
        Self { folder, runner }
    }

    fn export(&self, place: &Place, flow: &Value, more: &[&str]) -> Ended {
        let file = place.write(flow);
        let mut command = Command::new(self.folder.path().join("signalbox"));
        command.arg("export").arg(file).arg("--out").arg(place.path().join("small")).args(["--json", "--data"]);
        Ended::from(command.arg(place.path().join("app")).arg("--compress").args(more).output().expect("it starts"))
    }

    fn program(&self, place: &Place, flow: &Value) -> Program {
        let exported = self.export(place, flow, &[]).assert_code(0).json();
        let file = PathBuf::from(exported["file"].as_str().expect("a file"));
        assert_eq!(exported["sizeBytes"].as_u64(), fs::metadata(&file).ok().map(|meta| meta.len()));
        Program { file, data: place.path().join("small-data"), env: Vec::new() }
    }
}

/// A script, a document and a value: each kind of process that a program starts.
fn processes() -> Value {
    workflow(
        "processes",
        json!({
            "script": { "type": "code.javascript", "config": { "source": "return 6 * 7;" } },
            "page": { "type": "html.select",
                "config": { "from": "'<p>a</p>'", "fields": [{ "name": "a", "selector": "p" }] } },
            "keep": { "type": "data.set", "config": { "assign": { "n": 1 } } },
        }),
        &[("script", "page"), ("page", "keep")],
    )
}

/// Type, step and output of each event.
fn told(ended: &Ended) -> Vec<Value> {
    let events = ended.lines().into_iter().filter(|line| line["type"].is_string());
    events.map(|event| json!([event["type"], event["stepId"], event["output"]])).collect()
}

#[test]
fn a_compressed_program_does_what_the_plain_one_does() {
    let (place, installation) = (Place::new(), Installation::with("signalbox-runner"));
    let plain = place.program(&processes(), &[]);
    let small = installation.program(&place, &processes());
    let describe = ["--describe", "--json"];
    assert_eq!(small.run(&describe).assert_code(0).json(), plain.run(&describe).assert_code(0).json());
    let run = ["run", "--events", "--json"];
    let (expected, found) = (plain.run(&run).assert_code(0), small.run(&run).assert_code(0));
    assert_eq!(told(&found), told(&expected));
    assert!(told(&found).len() > 6, "{found:?}");
    assert_eq!(found.json()["status"], "completed");
    // A wrong argument and its exit code, and the usage with the name of the program.
    let wrong = small.run(&["nothing", "--json"]).assert_code(2).json();
    assert_eq!(wrong["error"]["code"], "BAD_ARGUMENTS");
    assert!(small.run(&["--help"]).assert_code(0).out.contains("processes"));
    // Nothing was unpacked beside it.
    assert_eq!(fs::read_dir(small.file.parent().expect("a folder")).expect("a list").count(), 1);
}

#[test]
fn a_cut_and_an_edited_compressed_program_are_refused_at_the_start() {
    let (place, installation) = (Place::new(), Installation::with("signalbox-runner-min"));
    let flow = workflow("damaged", json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } } } }), &[]);
    let program = installation.program(&place, &flow);
    let whole = fs::read(&program.file).expect("read");
    let launcher = fs::metadata(env!("CARGO_BIN_EXE_signalbox-launcher")).expect("a launcher").len() as usize;
    let runner = fs::metadata(&installation.runner).expect("a runner").len() as usize;
    let code = |bytes: &[u8]| {
        // In place: the file keeps its rights.
        fs::write(&program.file, bytes).expect("written");
        program.run(&["run", "--json"]).assert_code(2).json()["error"]["code"].clone()
    };
    for at in [launcher + runner / 2, whole.len() - 200] {
        let mut edited = whole.clone();
        edited[at] ^= 1;
        assert_eq!(code(&edited), "BUNDLE_DAMAGED", "byte {at}");
    }
    let shifted = [&whole[..launcher], &whole[launcher + 1..]].concat();
    assert_eq!(code(&shifted), "BUNDLE_DAMAGED");
    assert_eq!(code(&whole[..whole.len() - 1]), "NO_WORKFLOW");
    assert!(!program.data.exists(), "a refused program writes nothing");
    // The launcher alone says what it is.
    let bare = Command::new(env!("CARGO_BIN_EXE_signalbox-launcher")).arg("--json").output().expect("it starts");
    assert_eq!(Ended::from(bare).assert_code(2).json()["error"]["code"], "NO_WORKFLOW");
}

#[test]
fn a_killed_run_of_a_compressed_program_is_resumed() {
    let server = Server::start();
    let (place, installation) = (Place::new(), Installation::with("signalbox-runner-min"));
    let ask = |path: &str| json!({ "type": "http.request", "config": { "url": format!("{}/{path}", server.base) } });
    let flow = workflow("killed", json!({ "one": ask("one"), "two": ask("two") }), &[("one", "two")]);
    let program = installation.program(&place, &flow);
    let next = || server.requests.recv().expect("a request");
    let mut running = program.command(&["run", "--json"]).stdout(Stdio::null()).spawn().expect("it starts");
    next().answer("{}");
    let cut_off = next();
    // The process is the one that was started, under the name that it was started with.
    let name = fs::read_to_string(format!("/proc/{}/comm", running.id())).expect("a name");
    assert_eq!(name.trim(), "killed");
    running.kill().expect("killed");
    running.wait().expect("ended");
    drop(cut_off);

    let resumed = program.command(&["resume", "--json"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let again = next();
    assert_eq!(again.path, "/two");
    // SIGTERM stops it with 130, as a plain one.
    let stop = Command::new("kill").arg(resumed.id().to_string()).status().expect("kill starts");
    assert!(stop.success());
    Ended::from(resumed.wait_with_output().expect("ended")).assert_code(130);
    drop(again);

    let resumed = program.command(&["resume", "--json"]).stdout(Stdio::piped()).spawn().expect("it starts");
    next().answer("{}");
    let ended = Ended::from(resumed.wait_with_output().expect("ended")).assert_code(0).json();
    assert_eq!(ended[0]["status"], "completed", "{ended}");
    assert_eq!(program.run(&["audit", "verify", "--json"]).assert_code(0).json()["intact"], true);
}

#[test]
fn other_targets_and_a_missing_compressed_runner_are_refused() {
    let (place, installation) = (Place::new(), Installation::with("signalbox-runner-min"));
    let flow = workflow("other", json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } } } }), &[]);
    for target in ["container", "source"] {
        let refused = installation.export(&place, &flow, &["--target", target]).assert_code(2).json();
        assert_eq!(refused["error"]["code"], "BAD_REQUEST");
    }
    let refused = installation.export(&place, &processes(), &[]).assert_code(2).json();
    assert_eq!(refused["error"]["code"], "RUNNER_MISSING");
    assert!(!place.path().join("small").exists());
}
