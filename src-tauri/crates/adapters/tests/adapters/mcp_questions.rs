//! Servers that ask back in the middle of a call (elicitation), against `tests/mcp/server.mjs`.

use crate::mcp::{Bell, Ears, Stage, at, call, over_http, stage_of};
use serde_json::{Value, json};
use signalbox_adapters::mcp::Limits;
use signalbox_ports::NoSecrets;
use signalbox_ports::tools::{ToolCall, ToolFailure, ToolFault, ToolNotice, ToolQuestion, ToolReply, Tools};
use std::sync::Arc;
use std::time::Duration;

async fn question(stage: &Stage, call: ToolCall) -> ToolQuestion {
    let asked = stage.tools.call(call, &Ears::default()).await.expect_err("a question");
    assert_eq!((asked.fault, asked.sent), (ToolFault::Asks, true), "{}", asked.message);
    *asked.asks.expect("what it asks")
}

async fn reply(stage: &Stage, id: &str, reply: ToolReply) -> Result<Value, ToolFailure> {
    let answer = stage.tools.resume(id, reply, &Ears::default()).await?;
    Ok(answer.structured.expect("a structured answer")["told"].clone())
}

#[tokio::test]
async fn a_call_that_asks_back_stays_open_and_continues_with_the_answer() {
    // The connection is not ended for want of use.
    let stage = Stage::with(Limits { idle: Duration::from_millis(1), ..Limits::default() });
    let asked = question(&stage, call("asks", json!({}))).await;
    assert_eq!(asked.message, "Which colour?");
    assert_eq!(asked.schema["properties"]["size"]["default"], "M", "{}", asked.schema);
    assert_eq!(asked.schema["required"], json!(["colour"]));
    assert!(stage.log()[0]["can"]["elicitation"]["form"].is_object(), "{:?}", stage.log());
    // Others use the connection meanwhile, and do not see what this one asked.
    stage.tools.call(call("echo", json!({ "text": "x" })), &Ears::default()).await.expect("an answer");
    let told = reply(&stage, &asked.id, ToolReply::Accept(json!({ "colour": "red" }))).await.expect("an answer");
    assert_eq!(told, json!([{ "action": "accept", "content": { "colour": "red" } }]));
    let gone = reply(&stage, &asked.id, ToolReply::Cancel).await.expect_err("it was answered");
    assert_eq!((gone.fault, gone.sent), (ToolFault::QuestionGone, true));
}

#[tokio::test]
async fn no_and_nothing_are_told_apart() {
    let stage = Stage::new();
    for (said, action) in [(ToolReply::Decline, "decline"), (ToolReply::Cancel, "cancel")] {
        let asked = question(&stage, call("asks", json!({}))).await;
        let told = reply(&stage, &asked.id, said).await.expect("an answer");
        assert_eq!(told, json!([{ "action": action }]));
    }
}

#[tokio::test]
async fn questions_of_a_call_that_may_not_ask_are_declined() {
    let stage = Stage::new();
    let quiet = ToolCall { answer_within: None, ..call("asks", json!({})) };
    let answer = stage.tools.call(quiet, &Ears::default()).await.expect("an answer");
    assert_eq!(answer.structured, Some(json!({ "told": [{ "action": "decline" }] })));
}

#[tokio::test]
async fn several_questions_of_one_call_are_asked_one_after_the_other() {
    let stage = Stage::new();
    let first = question(&stage, call("asks", json!({ "together": 2 }))).await;
    let values = |colour: &str| ToolReply::Accept(json!({ "colour": colour }));
    let next = stage.tools.resume(&first.id, values("red"), &Ears::default()).await.expect_err("a question");
    let next = next.asks.expect("the second one");
    assert_ne!((&next.id, &next.message), (&first.id, &first.message));
    let told = reply(&stage, &next.id, values("blue")).await.expect("an answer");
    let mut colours: Vec<&Value> = told.as_array().expect("two").iter().map(|one| &one["content"]["colour"]).collect();
    colours.sort_by_key(|colour| colour.to_string());
    assert_eq!(colours, [&json!("blue"), &json!("red")]);
}

/// Which of several calls asks is not said: what one run asks is not for the people of another.
#[tokio::test]
async fn a_question_that_may_be_of_either_of_two_calls_is_cancelled() {
    let stage = Stage::new();
    let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let tools = Arc::clone(&stage.tools);
    let waiting = tokio::spawn(async move {
        let ears = Bell(sender);
        drop(tools.call(call("waits", json!({ "tell": true, "alone": true })), &ears).await);
    });
    assert_eq!(heard.recv().await.expect("a notice").message, "waiting");
    let ears = Ears::default();
    let answer = stage.tools.call(call("asks", json!({})), &ears).await.expect("an answer");
    assert_eq!(answer.structured, Some(json!({ "told": [{ "action": "cancel" }] })));
    let told: Vec<ToolNotice> = ears.0.into_inner().expect("lock");
    assert!(told.iter().any(|notice| notice.message.contains("several calls")), "{told:?}");
    waiting.abort();
}

#[tokio::test]
async fn the_end_of_the_run_or_of_the_program_gives_the_call_up() {
    let stage = Stage::new();
    let asked = question(&stage, call("asks", json!({}))).await;
    stage.tools.run_ended("another");
    stage.tools.run_ended("run");
    stage.until(|log| log.iter().any(|entry| entry["reason"] == "the call was given up")).await;
    let gone = reply(&stage, &asked.id, ToolReply::Decline).await.expect_err("it is given up");
    assert_eq!(gone.fault, ToolFault::QuestionGone);

    let asked = question(&stage, call("asks", json!({}))).await;
    stage.tools.shut_down().await;
    let gone = reply(&stage, &asked.id, ToolReply::Decline).await.expect_err("it is given up");
    assert_eq!(gone.fault, ToolFault::QuestionGone);
}

#[tokio::test]
async fn a_server_that_ends_while_a_person_thinks_is_told_with_the_answer() {
    let stage = Stage::new();
    let asked = question(&stage, call("asks", json!({}))).await;
    drop(stage.tools.call(call("dies", json!({})), &Ears::default()).await);
    let told = reply(&stage, &asked.id, ToolReply::Decline).await.expect_err("a failure");
    assert_eq!((told.fault, told.sent), (ToolFault::Cut, true), "{}", told.message);
}

/// The same over HTTP, where the answer is a request of its own.
#[tokio::test]
async fn a_question_over_http_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let http = over_http(folder.path(), &[]).await;
    let stage = stage_of(|_| at(&http.base, "/mcp", None), Arc::new(NoSecrets), Limits::default());
    let asked = question(&stage, call("asks", json!({}))).await;
    let told = reply(&stage, &asked.id, ToolReply::Accept(json!({ "colour": "red" }))).await.expect("an answer");
    assert_eq!(told, json!([{ "action": "accept", "content": { "colour": "red" } }]));
}
