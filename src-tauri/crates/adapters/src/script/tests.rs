use super::remembered::{self, Remembered};
use super::{ScriptWorkers, out_of_time, told};
use crate::script::wire::{self, Answer};
use serde_json::json;
use signalbox_model::{Data, Item};
use signalbox_ports::scripts::{Bound, FixedClock, ScriptAnswer, ScriptCall, ScriptFault, Scripts};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

fn call(source: &str) -> ScriptCall {
    ScriptCall {
        source: source.into(),
        bound: Vec::new(),
        timeout: Duration::from_secs(60),
        memory_mb: 16,
        fixed: None,
    }
}

#[test]
fn lines_are_read_as_they_were_written() {
    let answer =
        Answer { fault: Some(ScriptFault::NotJson), text: "a\n\"b".into(), line: Some(3), printed: vec!["x".into()] };
    let mut written = Vec::new();
    answer.write(&mut written).expect("written");
    let end = written.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    let (read, length) = Answer::read(&written[..end]).expect("reads");
    assert_eq!(
        (read.fault, read.line, read.printed, &written[end..], length),
        (Some(ScriptFault::NotJson), Some(3), vec!["x".to_owned()], &b"a\n\"b"[..], 4)
    );
    assert!(Answer::read(b"{\"fault\":\"other\",\"line\":null,\"printed\":[],\"length\":0}").is_none());
    assert!(Answer::read(b"<html>").is_none());
}

#[test]
fn the_line_of_values_is_one_list() {
    let text = Data::written("{\"a\":[1]}".to_owned());
    let many: Vec<Data> = (0..2_500).map(|n| json!(n).into()).collect();
    let bound = [
        ("item", Bound::One(text.clone())),
        ("items", Bound::List(Arc::new(many))),
        ("none", Bound::List(Arc::default())),
        ("run", Bound::One(json!(null).into())),
        ("two", Bound::Items(Arc::new(vec![Item::new("1", json!(1)), Item::new("2", json!("b"))].into()))),
    ];
    let line: String = wire::values(&bound).collect();
    assert!(line.ends_with("]\n"), "{line}");
    let read: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(
        (&read[0], read[1][2_499].as_i64(), &read[2], &read[3]),
        (&json!({ "a": [1] }), Some(2_499), &json!([]), &json!(null))
    );
    assert_eq!(read[4], json!([1, "b"]));
    assert_eq!(wire::values(&[]).collect::<String>(), "[]\n");
}

#[test]
fn a_large_result_stays_text() {
    let rows: Vec<_> = (0..20_000).map(|n| json!({ "row": n })).collect();
    let text = json!(rows).to_string();
    let answer = Answer { fault: None, text: text.clone(), line: None, printed: Vec::new() };
    match told(answer).expect("a result").value {
        Data::Text(kept) => assert_eq!(kept.text(), text),
        Data::Value(_) => panic!("made into values"),
    }
}

#[tokio::test]
async fn data_that_the_script_has_no_room_for_is_not_sent() {
    let large = Data::written(json!("x".repeat(17 << 20)).to_string());
    let call = ScriptCall { bound: vec![("item", Bound::One(large))], ..call("return item") };
    let failure = ScriptWorkers::new(PathBuf::from("/no/such/program")).run(call).await.expect_err("too much");
    assert_eq!(failure.fault, ScriptFault::Memory);
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

#[test]
fn an_answer_is_remembered_for_the_same_script_data_and_clock() {
    let with = |now_ms: i64, data: i64| ScriptCall {
        bound: vec![("item", Arc::new(json!({ "id": data })).into())],
        fixed: Some(FixedClock { now_ms, seed: 1 }),
        ..call("return item.id")
    };
    let key = |call: &ScriptCall| remembered::key(call).expect("a fixed clock");
    assert_eq!(key(&with(0, 1)), key(&with(0, 1)));
    assert_ne!(key(&with(0, 1)), key(&with(0, 2)));
    assert_ne!(key(&with(0, 1)), key(&with(1, 1)));
    assert_eq!(remembered::key(&call("return 1")), None);

    let answers = Remembered::default();
    let (first, second) = (key(&with(0, 1)), key(&with(0, 2)));
    let given = Ok(ScriptAnswer { value: json!(1).into(), printed: Vec::new() });
    answers.keep(first, &given);
    assert_eq!(answers.answer(&first), Some(given));
    // A slow machine is not remembered.
    answers.keep(second, &Err(out_of_time(Vec::new())));
    assert_eq!(answers.answer(&second), None);
}
