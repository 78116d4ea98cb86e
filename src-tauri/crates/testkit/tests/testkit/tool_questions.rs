//! A tool server that asks back (ADR 126): what a person is asked, what the server is told, and what a restart leaves.

use serde_json::{Value, json};
use signalbox_model::task::{Answer, TaskAction, TaskReason};
use signalbox_model::{EventBody, Map, RunStatus};
use signalbox_ports::tools::ToolReply;
use signalbox_testkit::scenario::line;
use signalbox_testkit::{Driver, TestWorld, scenario};
use std::sync::Arc;

fn paint(answers: Value) -> Value {
    json!({ "shop": [{ "name": "paint", "answers": answers }] })
}

fn asks() -> Value {
    let schema = json!({
        "type": "object", "required": ["colour"],
        "properties": { "colour": { "type": "string" }, "size": { "type": "string", "default": "M" } },
    });
    json!([{ "asks": ["Which colour?", schema], "text": "painted," }])
}

fn started(node: Value, llm: Value, answers: Value) -> Driver {
    let test = TestWorld::default();
    test.llm.says(serde_json::from_value(llm).expect("answers"));
    test.tools.has(serde_json::from_value(paint(answers)).expect("tools"));
    let rules = json!([{ "name": "may", "when": "true", "action": "allow" }]);
    let workflow =
        json!({ "nodes": { "work": node }, "edges": [], "settings": { "errorPolicy": "fail", "toolRules": rules } });
    let compiled = scenario::compile(scenario::workflow(&workflow).expect("a workflow"));
    let mut driver = Driver::new(compiled, test);
    driver.start(json!({}), Map::new(), None);
    driver
}

fn step(config: &Value) -> Value {
    let mut all = json!({ "server": "shop", "tool": "paint", "arguments": {} });
    all.as_object_mut().expect("an object").extend(config.as_object().cloned().unwrap_or_default());
    json!({ "type": "mcp.tool", "config": all })
}

fn agent() -> Value {
    json!({ "type": "agent.task", "config": { "prompt": "Go", "model": "m", "tools": ["shop/paint"] } })
}

fn uses() -> Value {
    json!({ "tools": [{ "name": "paint", "input": {} }] })
}

fn lines(driver: &Driver) -> Vec<String> {
    driver.events.iter().map(line).collect()
}

fn asked(driver: &mut Driver) -> String {
    driver.run_until(|driver| driver.state.open_tasks().next().is_some());
    driver.state.open_tasks().next().unwrap_or_else(|| panic!("nobody is asked: {:#?}", lines(driver))).to_owned()
}

fn said(action: TaskAction, values: Option<Value>) -> Answer {
    Answer { operator_id: Some("user:ada".into()), corrected_input: values.map(Arc::new), ..Answer::by_policy(action) }
}

fn code(driver: &Driver) -> Option<String> {
    driver.events.iter().rev().find_map(|event| match &event.body {
        EventBody::WorkflowFailed(failed) => Some(failed.error.code().to_owned()),
        _ => None,
    })
}

#[test]
fn e_17_a_server_that_asks_back_gets_the_answer_of_a_person() {
    let mut driver = started(step(&json!({ "answerWithinMs": 60_000 })), json!([]), asks());
    let task = asked(&mut driver);
    let created = driver.events.iter().find_map(|event| match &event.body {
        EventBody::HumanTaskCreated(created) => Some(created.clone()),
        _ => None,
    });
    let created = created.expect("a task");
    assert_eq!(created.reason, TaskReason::Question);
    assert_eq!(created.schema.as_ref().expect("a form")["required"], json!(["colour"]));
    assert_eq!(created.allowed_actions, [TaskAction::Submit, TaskAction::Reject, TaskAction::Abort]);
    assert!(created.expires_at.is_some(), "the time is bounded");
    assert_eq!(driver.state.status(), RunStatus::Running, "the call is open: the run stays with its process");
    driver.answer(&task, said(TaskAction::Submit, Some(json!({ "colour": "red" }))));
    driver.run();
    assert_eq!(driver.state.status(), RunStatus::Completed, "{:#?}", lines(&driver));
    assert_eq!(driver.test.tools.replies(), [ToolReply::Accept(json!({ "size": "M", "colour": "red" }))]);
    assert_eq!(driver.test.tools.calls().len(), 1, "it was not called again");
}

#[test]
fn a_refusal_and_a_silence_are_told_to_the_server_and_its_answer_is_the_step_s() {
    let mut driver = started(step(&json!({})), json!([]), asks());
    let task = asked(&mut driver);
    driver.answer(&task, said(TaskAction::Reject, None));
    driver.run();
    assert_eq!((driver.state.status(), driver.test.tools.replies()), (RunStatus::Completed, vec![ToolReply::Decline]));

    let mut driver = started(step(&json!({ "answerWithinMs": 1_000 })), json!([]), asks());
    asked(&mut driver);
    driver.run();
    assert_eq!((driver.state.status(), driver.test.tools.replies()), (RunStatus::Completed, vec![ToolReply::Cancel]));
}

#[test]
fn a_question_that_looks_like_a_request_for_a_secret_says_so() {
    let schema = json!({ "type": "object", "properties": { "apiKey": { "type": "string" } } });
    let mut driver = started(step(&json!({})), json!([]), json!([{ "asks": ["Sign in", schema] }]));
    asked(&mut driver);
    let told = driver.events.iter().find_map(|event| match &event.body {
        EventBody::HumanTaskCreated(created) => created.instructions.clone(),
        _ => None,
    });
    let told = told.expect("instructions");
    assert!(told.starts_with("Warning:") && told.contains("apiKey") && told.ends_with("Sign in"), "{told}");
}

#[test]
fn after_a_restart_the_question_is_closed_and_the_step_fails_with_a_clear_error() {
    let prepared = || started(step(&json!({})), json!([]), asks());
    let mut whole = prepared();
    asked(&mut whole);
    let cut = whole.events.len();
    let mut driver = whole.crash_and_resume(cut);
    driver.test.tools.restart();
    driver.run();
    assert_eq!(driver.state.open_tasks().count(), 0, "{:#?}", lines(&driver));
    assert_eq!(driver.state.status(), RunStatus::Failed, "{:#?}", lines(&driver));
    assert_eq!(code(&driver).as_deref(), Some("INPUT_LOST"), "{:#?}", lines(&driver));
    assert_eq!(driver.test.tools.calls().len(), 1, "what may have happened is not done again");
    let expired = driver.events.iter().filter(|event| matches!(event.body, EventBody::Escalated(_))).count();
    assert_eq!(expired, 1, "{:#?}", lines(&driver));
}

#[test]
fn e_17_a_tool_of_an_agent_asks_back_and_the_conversation_continues() {
    let mut driver = started(agent(), json!([uses(), { "text": "done" }]), asks());
    let task = asked(&mut driver);
    driver.answer(&task, said(TaskAction::Submit, Some(json!({ "colour": "red", "size": "S" }))));
    driver.run();
    assert_eq!(driver.state.status(), RunStatus::Completed, "{:#?}", lines(&driver));
    assert_eq!(driver.test.tools.replies(), [ToolReply::Accept(json!({ "size": "S", "colour": "red" }))]);
    assert_eq!((driver.test.tools.calls().len(), driver.test.llm.questions().len()), (1, 2));
    assert!(driver.test.llm.words(1).contains("painted, accepted"), "{}", driver.test.llm.words(1));
}

#[test]
fn after_a_restart_an_agent_is_told_that_the_question_was_lost() {
    let mut driver = started(agent(), json!([uses(), { "text": "I could not." }]), asks());
    asked(&mut driver);
    let cut = driver.events.len();
    let mut driver = driver.crash_and_resume(cut);
    driver.test.tools.restart();
    driver.run();
    assert_eq!(driver.state.status(), RunStatus::Completed, "{:#?}", lines(&driver));
    assert_eq!(driver.test.tools.calls().len(), 1, "the model was told that nobody knows whether it was done");
}

#[test]
fn questions_of_a_step_that_declines_ask_nobody() {
    let mut driver = started(step(&json!({ "onQuestion": "decline" })), json!([]), json!([{ "text": "done" }]));
    driver.run();
    assert_eq!(driver.state.status(), RunStatus::Completed, "{:#?}", lines(&driver));
}
