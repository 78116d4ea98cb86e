//! Second processes: this test binary, started again with a role in its environment. It prints lines that begin with `@`.

use crate::people::answer;
use crate::support::{T0, commit, open, print, started};
use serde_json::json;
use signalbox_store::CommitError;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(crate) struct Process {
    child: Child,
    lines: BufReader<ChildStdout>,
    input: ChildStdin,
}

impl Process {
    pub(crate) fn start(role: &str, folder: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this binary"))
            .args(["child::entry", "--exact", "--nocapture", "--test-threads=1"])
            .env("STORE_TEST_ROLE", role)
            .env("STORE_TEST_FOLDER", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let lines = BufReader::new(child.stdout.take().expect("piped"));
        let input = child.stdin.take().expect("piped");
        Self { child, lines, input }
    }

    /// The next line of the child's own.
    pub(crate) fn says(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.lines.read_line(&mut line).expect("reads"), 0, "the child ended early");
            // The harness writes its own words in front of the first one.
            if let Some((_, said)) = line.trim_end().split_once('@') {
                return said.to_owned();
            }
        }
    }

    /// Lets it take its next step.
    pub(crate) fn go(&mut self) {
        self.input.write_all(b"\n").expect("writes");
    }

    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status().expect("kill");
        assert!(status.success());
    }

    /// SIGKILL; returns what it said before and nobody has read.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().expect("kills");
        self.child.wait().expect("is gone");
        let mut said = Vec::new();
        for line in self.lines.lines() {
            said.extend(line.expect("reads").split_once('@').map(|(_, said)| said.to_owned()));
        }
        said
    }

    pub(crate) fn wait(mut self) {
        self.go();
        assert!(self.child.wait().expect("ends").success());
    }
}

/// Not a test by itself: what a second process does.
#[test]
fn entry() {
    let Ok(role) = std::env::var("STORE_TEST_ROLE") else { return };
    let folder = std::env::var("STORE_TEST_FOLDER").expect("folder");
    let store = open(Path::new(&folder));
    let pause = || {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).expect("reads");
    };
    match role.as_str() {
        // Commits until it is killed; a number is said only after it was acknowledged.
        "write" => {
            let owner = started(&store, "r");
            for seq in 2_u64.. {
                let mut next = commit("r", &owner, vec![print("r", seq, json!({"n": seq, "big": "x".repeat(9_000)}))]);
                next.durable = seq % 3 == 0;
                store.commit(next).expect("commits");
                println!("@{seq}");
            }
        }
        // Answers every task that is open; says each after it was acknowledged.
        "answer" => {
            for n in 0..400 {
                if store.answer_task(answer(&format!("t{n}"), "r", "user:anna")).is_ok() {
                    println!("@{n}");
                }
            }
            println!("@done");
            pause();
        }
        // Owns a run and waits.
        "hold" => {
            let owner = started(&store, "r");
            println!("@{}", owner.instance);
            pause();
        }
        // Takes a message, as if to send it, and waits.
        "send" => {
            let taken = store.webhook_take("a", None, T0, T0 + 60_000).expect("reads").expect("is due");
            println!("@{}", taken.1.id);
            pause();
        }
        // Gives its run back and then still tries to write.
        "late" => {
            let owner = started(&store, "r");
            store.release("r", &owner).expect("releases");
            println!("@released");
            pause();
            let outcome = store.commit(commit("r", &owner, vec![print("r", 2, json!("late"))]));
            println!("@{}", matches!(outcome, Err(CommitError::Fenced { .. })));
            pause();
        }
        // Creates runs as fast as it can, beside another process that does the same.
        "many" => {
            for index in 0..50 {
                let run = format!("child-{index}");
                let owner = started(&store, &run);
                store.commit(commit(&run, &owner, vec![print(&run, 2, json!(index))])).expect("commits");
            }
            println!("@done");
            pause();
        }
        other => panic!("no role {other}"),
    }
}
