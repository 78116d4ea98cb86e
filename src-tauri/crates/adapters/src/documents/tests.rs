use super::{Answer, DocumentWorkers, opened};
use signalbox_ports::{DocumentCall, DocumentFailure, DocumentKind, Documents};
use std::path::PathBuf;
use std::time::Duration;

fn call(timeout: Duration) -> DocumentCall {
    let (bytes, options) = (b"%PDF-".to_vec(), serde_json::Value::Null);
    DocumentCall { kind: DocumentKind::Pdf, bytes, options, timeout, memory_mb: 512 }
}

#[test]
fn an_answer_is_whole_or_an_error() {
    let read = opened(b"{\"error\":null,\"size\":2}\n{}".to_vec());
    assert!(matches!(read, Ok((Answer { filled: None, about, .. }, bytes)) if bytes == b"{}" && about.is_empty()));
    for cut in [&b""[..], b"{\"error\":null,\"size\":3}\n{}", b"{\"error\":null", b"words\n{}"] {
        assert!(matches!(opened(cut.to_vec()), Err(DocumentFailure::Crashed { .. })));
    }
    let refused =
        opened(b"{\"error\":{\"code\":\"BAD_PDF\",\"message\":\"m\",\"details\":{\"page\":1}},\"size\":0}\n".to_vec());
    assert!(
        matches!(refused, Err(DocumentFailure::Refused { code, details, .. }) if code == "BAD_PDF" && details["page"] == 1)
    );
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let failure = DocumentWorkers::new(PathBuf::from("/no/such/program")).read(call(Duration::from_secs(60))).await;
    assert!(matches!(failure, Err(DocumentFailure::Crashed { message }) if message.contains("/no/such/program")));
}

/// A program that takes the document and says nothing: as a reader that hangs, and as one that dies.
#[cfg(unix)]
#[tokio::test]
async fn a_reader_that_hangs_is_ended_and_one_that_dies_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let program = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("writes");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).expect("may run");
        path
    };
    let dies = program("dies", "#!/bin/sh\n/bin/cat >/dev/null\nexit 1\n");
    let failure = DocumentWorkers::new(dies).read(call(Duration::from_secs(60))).await;
    assert!(matches!(failure, Err(DocumentFailure::Crashed { message }) if message.contains("memory")));
    // It never answers, whatever the time limit is: zero is enough.
    let hangs = program("hangs", "#!/bin/sh\nwhile :; do :; done\n");
    let failure = DocumentWorkers::new(hangs).read(call(Duration::ZERO)).await;
    assert_eq!(failure, Err(DocumentFailure::Timeout));
}
