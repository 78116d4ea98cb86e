use super::{ScriptWorkers, told};
use crate::script::wire::Answer;
use signalbox_ports::scripts::{ScriptCall, ScriptFault, Scripts};
use std::path::PathBuf;
use std::time::Duration;

fn call(source: &str) -> ScriptCall {
    ScriptCall { source: source.into(), bound: Vec::new(), timeout: Duration::from_secs(60), memory_mb: 16 }
}

#[test]
fn lines_are_read_as_they_were_written() {
    let answer =
        Answer { fault: Some(ScriptFault::NotJson), text: "a\n\"b".into(), line: Some(3), printed: vec!["x".into()] };
    let read = Answer::read(&answer.line()).expect("reads");
    assert_eq!(
        (read.fault, read.text.as_str(), read.line, read.printed),
        (Some(ScriptFault::NotJson), "a\n\"b", Some(3), vec!["x".to_owned()])
    );
    assert!(Answer::read(b"{\"fault\":\"other\",\"text\":\"\",\"line\":null,\"printed\":[]}").is_none());
    assert!(Answer::read(b"<html>").is_none());
}

#[test]
fn a_result_that_no_reader_takes_is_told() {
    for text in ["\"\\ud800\"", &"[".repeat(200)] {
        let answer = Answer { fault: None, text: text.to_owned(), line: None, printed: Vec::new() };
        assert_eq!(told(answer).expect_err("no JSON").fault, ScriptFault::NotJson);
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let failure = ScriptWorkers::new(PathBuf::from("/no/such/program")).run(call("")).await.expect_err("none");
    assert_eq!(failure.fault, ScriptFault::Crashed);
    assert!(failure.message.contains("/no/such/program"), "{}", failure.message);
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_says_something_else_is_no_answer() {
    for program in ["/bin/echo", "/bin/true"] {
        let failure = ScriptWorkers::new(PathBuf::from(program)).run(call("")).await.expect_err("no answer");
        assert_eq!(failure.fault, ScriptFault::Crashed, "{program}");
    }
}
