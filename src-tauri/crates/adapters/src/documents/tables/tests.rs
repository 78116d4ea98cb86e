#![cfg(unix)]

use super::{ASK, DONE, FAILED, ROWS, head};
use crate::DocumentWorkers;
use async_trait::async_trait;
use serde_json::Value;
use signalbox_ports::{DocumentFailure, Documents, FilePieces, Stopped, TableCall, TableRows};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

/// A file of ten bytes that may refuse to be read.
struct Ten {
    refuses: bool,
}

#[async_trait]
impl FilePieces for Ten {
    fn size(&self) -> u64 {
        10
    }
    async fn piece(&mut self, at: u64, length: usize) -> Result<Vec<u8>, Stopped> {
        let at = usize::try_from(at).expect("small");
        if self.refuses { Err(Stopped) } else { Ok(b"0123456789"[at..at + length].to_vec()) }
    }
}

struct Lines {
    taken: String,
    refuses: bool,
}

impl TableRows for Lines {
    fn rows(&mut self, lines: &str) -> Result<(), Stopped> {
        self.taken.push_str(lines);
        if self.refuses { Err(Stopped) } else { Ok(()) }
    }
}

/// A program that says these messages, whatever it is asked.
async fn answers(
    folder: &Path,
    messages: &[Vec<u8>],
    time: Duration,
    refuses: (bool, bool),
) -> (Result<String, DocumentFailure>, String) {
    let (said, program) = (folder.join("said"), folder.join("program"));
    std::fs::write(&said, messages.concat()).expect("writes");
    let text = format!("#!/bin/sh\n/bin/cat '{}'\nwhile read -r line; do :; done\n", said.display());
    std::fs::write(&program, text).expect("writes");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).expect("may run");
    let call = TableCall { options: Value::Null, timeout: time, memory_mb: 512 };
    let mut lines = Lines { taken: String::new(), refuses: refuses.1 };
    let done = DocumentWorkers::new(program).read_table(call, &mut Ten { refuses: refuses.0 }, &mut lines).await;
    (done, lines.taken)
}

fn message(kind: u8, text: &str) -> Vec<u8> {
    [&head(kind, text.len() as u64, 1)[..], text.as_bytes()].concat()
}

#[tokio::test]
async fn rows_come_before_the_end_and_an_error_after_some_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = Duration::from_secs(60);
    let rows = message(ROWS, "{\"a\":1}\n");
    let said = [head(ASK, 2, 8).to_vec(), rows.clone(), message(DONE, "{\"b\":2}")];
    let (done, taken) = answers(folder.path(), &said, long, (false, false)).await;
    assert_eq!((done, taken.as_str()), (Ok("{\"b\":2}".to_owned()), "{\"a\":1}\n"));
    let refusal = message(FAILED, "{\"code\":\"BAD_PARQUET\",\"message\":\"m\",\"details\":{\"row\":7}}");
    let (failed, _) = answers(folder.path(), &[rows, refusal], long, (false, false)).await;
    assert!(
        matches!(failed, Err(DocumentFailure::Refused { code, details, .. }) if code == "BAD_PARQUET" && details["row"] == 7)
    );
}

/// What it says is not trusted: a file that kills it may make it say anything.
#[tokio::test]
async fn a_reader_that_says_nonsense_or_dies_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = Duration::from_secs(60);
    for said in [
        vec![],
        vec![vec![9; 17]],
        vec![head(ASK, 3, 8).to_vec()],
        vec![head(ASK, u64::MAX, 1).to_vec()],
        vec![head(ROWS, u64::MAX, 1).to_vec()],
        vec![head(DONE, 5, 0).to_vec(), b"ab".to_vec()],
        vec![message(FAILED, "words")],
        vec![head(ROWS, 1, 1).to_vec(), vec![0xff]],
    ] {
        // It waits for input after it has spoken, so its end is that of its input: the one who asks goes first.
        let time = if said.is_empty() || said.len() == 2 && said[1] == b"ab" { Duration::ZERO } else { long };
        let (failed, _) = answers(folder.path(), &said, time, (false, false)).await;
        assert!(
            matches!(failed, Err(DocumentFailure::Crashed { .. } | DocumentFailure::Timeout)),
            "{said:?}: {failed:?}"
        );
    }
    let dies = folder.path().join("dies");
    std::fs::write(&dies, "#!/bin/sh\nexit 1\n").expect("writes");
    std::fs::set_permissions(&dies, std::fs::Permissions::from_mode(0o700)).expect("may run");
    let call = TableCall { options: Value::Null, timeout: long, memory_mb: 512 };
    let mut lines = Lines { taken: String::new(), refuses: false };
    let failed = DocumentWorkers::new(dies).read_table(call, &mut Ten { refuses: false }, &mut lines).await;
    assert!(matches!(failed, Err(DocumentFailure::Crashed { message }) if message.contains("memory")));
}

#[tokio::test]
async fn the_one_who_gives_the_file_or_takes_the_rows_may_end_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = Duration::from_secs(60);
    let said = [head(ASK, 0, 4).to_vec(), message(ROWS, "{}\n"), message(DONE, "null")];
    for refuses in [(true, false), (false, true)] {
        assert_eq!(answers(folder.path(), &said, long, refuses).await.0, Err(DocumentFailure::Stopped));
    }
}
