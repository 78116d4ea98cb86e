//! A person between a model and its tools (ADR 51): what waits, what a crash leaves, and what a re-run begins with.

use serde_json::{Value, json};
use signalbox_model::task::{Answer, TaskAction, TaskReason};
use signalbox_model::{EventBody, Map, RunStatus, ToolGrant};
use signalbox_testkit::scenario::line;
use signalbox_testkit::{Driver, TestWorld, scenario};

fn world(llm: &Value, tools: &Value) -> TestWorld {
    let test = TestWorld::default();
    test.llm.says(serde_json::from_value(llm.clone()).expect("answers"));
    test.tools.has(serde_json::from_value(tools.clone()).expect("tools"));
    test
}

fn compiled(nodes: Value, edges: Value) -> std::sync::Arc<signalbox_engine::Compiled> {
    let workflow = json!({ "nodes": nodes, "edges": edges, "settings": { "errorPolicy": "safe", "toolRules": [] } });
    scenario::compile(scenario::workflow(&workflow).expect("a workflow"))
}

fn started(nodes: Value, edges: Value, test: TestWorld) -> Driver {
    let mut driver = Driver::new(compiled(nodes, edges), test);
    driver.start(json!({}), Map::new(), None);
    driver
}

fn said(action: TaskAction) -> Answer {
    Answer { operator_id: Some("user:ada".into()), ..Answer::by_policy(action) }
}

/// Drives until somebody is asked, and gives the task.
fn asked(driver: &mut Driver) -> String {
    driver.run_until(|driver| driver.state.open_tasks().next().is_some());
    driver.state.open_tasks().next().unwrap_or_else(|| panic!("nobody is asked: {:#?}", lines(driver))).to_owned()
}

/// Drives on; calls of tools are allowed, what was interrupted is tried again.
fn answered(driver: &mut Driver, stop: &dyn Fn(&Driver) -> bool) {
    for _ in 0..20 {
        driver.run_until(|driver| stop(driver) || driver.state.status() == RunStatus::Paused);
        let Some(task) = driver.state.open_tasks().next().filter(|_| !stop(driver)).map(str::to_owned) else { return };
        let asks = reasons(driver).last() == Some(&TaskReason::ToolCall);
        driver.answer(&task, said(if asks { TaskAction::Approve } else { TaskAction::Retry }));
    }
    panic!("it does not end: {:#?}", lines(driver));
}

fn lines(driver: &Driver) -> Vec<String> {
    driver.events.iter().map(line).collect()
}

fn reasons(driver: &Driver) -> Vec<TaskReason> {
    let reason = |body: &EventBody| if let EventBody::HumanTaskCreated(task) = body { Some(task.reason) } else { None };
    driver.events.iter().filter_map(|event| reason(&event.body)).collect()
}

fn pay() -> Value {
    json!({ "tools": [{ "name": "pay", "input": { "amount": 5 } }] })
}

fn bank(answers: Value) -> Value {
    json!({ "bank": [{ "name": "pay", "answers": answers }] })
}

fn agent() -> Value {
    json!({ "type": "agent.task", "config": { "prompt": "Go", "model": "m", "tools": ["bank/pay"] } })
}

/// ADR 56: the log holds the paths of pictures, never their bytes; and what the person's answer goes on with needs no file any
/// more that the question was made of.
#[test]
fn adr_56_a_question_with_pictures_waits_without_their_bytes_and_goes_on_without_their_files() {
    let test = world(&json!([pay(), { "text": "{\"paid\": true}" }]), &bank(json!([{ "text": "paid" }])));
    test.files.put("a.gif", "GIF89a-one");
    test.files.put("gone.gif", "GIF89a-two");
    test.files.put("letter.txt", "Dear all");
    test.files.put("form.json", "{\"type\":\"object\",\"required\":[\"paid\"]}");
    let config = json!({
        "prompt": "Pay this", "model": "m", "tools": ["bank/pay"], "images": ["a.gif", "gone.gif"], "docs": ["letter.txt"],
        "output": { "type": "json_schema", "schemaRef": "form.json" }
    });
    let mut driver = started(json!({ "ask": { "type": "llm.chat", "config": config } }), json!([]), test);
    let task = asked(&mut driver);
    let log = serde_json::to_string(&driver.events).expect("JSON");
    // GIF89a-one and GIF89a-two in base64.
    assert!(!log.contains("R0lGODlhLW9uZQ") && !log.contains("R0lGODlhLXR3bw"), "{log}");
    assert!(log.contains("{\"picture\":\"a.gif\"}"), "{log}");
    for file in ["gone.gif", "letter.txt", "form.json"] {
        driver.test.files.remove(file);
    }
    driver.answer(&task, said(TaskAction::Approve));
    driver.run();
    assert_eq!(driver.state.status(), RunStatus::Completed, "{:#?}", lines(&driver));
    let words = driver.test.llm.words(1);
    assert!(words.contains("Document letter.txt:\nDear all"), "{words}");
    assert!(words.contains("<image/gif>\n[The picture 'gone.gif' cannot be read any more.]\nPay this"), "{words}");
}

/// ADR 56: pictures that have grown while a person thought are not more, together, than a question takes.
#[test]
fn adr_56_pictures_that_have_grown_are_left_out_when_the_conversation_goes_on() {
    let test = world(&json!([pay(), { "text": "done" }]), &bank(json!([{ "text": "paid" }])));
    let names: Vec<String> = (0..5).map(|n| format!("{n}.gif")).collect();
    names.iter().for_each(|name| test.files.put(name, "GIF89a-small"));
    let config = json!({ "prompt": "Pay this", "model": "m", "tools": ["bank/pay"], "images": names });
    let mut driver = started(json!({ "ask": { "type": "llm.chat", "config": config } }), json!([]), test);
    let task = asked(&mut driver);
    // Each is as large as one may be; four of them are as large as all may be.
    let large = format!("GIF89a{}", "x".repeat((5 << 20) - 6));
    names.iter().for_each(|name| driver.test.files.put(name, large.as_str()));
    driver.answer(&task, said(TaskAction::Approve));
    driver.run();
    assert_eq!(driver.state.status(), RunStatus::Completed, "{:#?}", lines(&driver));
    let words = driver.test.llm.words(1);
    assert_eq!(words.matches("<image/gif>").count(), 4, "{words}");
    assert!(words.contains("[The picture '4.gif' is too large by now to be sent once more.]"), "{words}");
}

/// `GIF89a-one` as a tool sends it.
const GIF: &str = "R0lGODlhLW9uZQ==";

fn camera() -> Value {
    json!({
        "bank": [{ "name": "pay", "answers": [{ "text": "paid" }] }],
        "cam": [{ "name": "shot", "onlyReads": true, "answers": [{ "text": "Here", "picture": GIF }] }]
    })
}

/// A step with both tools, and the model's answers.
fn with_camera(answers: Value, rules: Value) -> Driver {
    let config = json!({ "prompt": "Go", "model": "m", "tools": ["bank/pay", "cam/shot"], "toolRules": rules });
    started(json!({ "work": { "type": "agent.task", "config": config } }), json!([]), world(&answers, &camera()))
}

/// ADR 70: a model sees what a tool shows, also after a person was asked; the log has a sentence in its place.
#[test]
fn adr_70_a_model_sees_the_picture_of_a_tool_and_the_log_holds_no_bytes_of_it() {
    let shot = json!({ "tools": [{ "name": "shot", "input": {} }] });
    let both = json!({ "tools": [{ "name": "shot", "input": {} }, { "name": "pay", "input": { "amount": 5 } }] });
    // Asked about a call of the next answer, and of the same one: then the model has not seen it yet.
    for (answers, asked_at) in [(json!([shot, pay(), { "text": "done" }]), 2), (json!([both, { "text": "done" }]), 1)] {
        let mut driver = with_camera(answers, json!([]));
        let task = asked(&mut driver);
        driver.answer(&task, said(TaskAction::Approve));
        driver.run();
        assert_eq!(driver.state.status(), RunStatus::Completed, "{:#?}", lines(&driver));
        let log = serde_json::to_string(&driver.events).expect("JSON");
        assert!(!log.contains("R0lGODlh"), "{log}");
        assert!(log.contains("Here\\n[A picture (image/gif, 1 KiB)]"), "{log}");
        let words = driver.test.llm.words(asked_at);
        let seen = "<result false Here\n[A picture (image/gif, 1 KiB)]>";
        assert!(words.contains(seen), "{words}");
        assert!(words.contains("A picture that 'shot' answered:\n<image/gif>"), "{words}");
        // Behind every answer of the same turn.
        let last = words.rfind("<result").filter(|_| asked_at == 1);
        assert!(last.is_none_or(|last| last < words.find("<image/gif>").expect("a picture")), "{words}");
    }
}

#[test]
fn adr_70_a_model_that_takes_no_pictures_is_told_so_and_goes_on() {
    let shot = json!({ "tools": [{ "name": "shot", "input": {} }] });
    let answers = json!([shot, { "fail": "no_images" }, shot, { "text": "done" }]);
    let mut driver = with_camera(answers, json!([]));
    driver.run();
    assert_eq!(driver.state.status(), RunStatus::Completed, "{:#?}", lines(&driver));
    let words = |question| driver.test.llm.words(question);
    assert!(words(1).contains("<image/gif>") && !words(2).contains("<image/gif>"), "{}", words(2));
    // It is not tried a second time.
    let told = "A picture that 'shot' answered:\n[A picture stood here. This model takes no pictures.]";
    assert_eq!(words(3).matches(told).count(), 2, "{}", words(3));
    assert_eq!(driver.test.llm.questions().len(), 4);
}

#[test]
fn adr_70_a_picture_counts_for_the_limit_of_an_answer() {
    for (limit, sees) in [(51, true), (50, false)] {
        let shot = json!({ "tools": [{ "name": "shot", "input": {} }] });
        let rules = json!([{ "name": "small", "when": "tool == 'shot'", "action": "allow", "maxResult": limit }]);
        let mut driver = with_camera(json!([shot, { "text": "done" }]), rules);
        driver.run();
        let words = driver.test.llm.words(1);
        assert_eq!(words.contains("<image/gif>"), sees, "{words}");
        assert_eq!(words.contains("its answer has 51 bytes"), !sees, "{words}");
    }
}

/// A crash at any place of a run with a question: the call is made at most once for each time that a person allowed it, and
/// never without.
#[test]
fn k_14_a_crash_at_any_place_makes_no_call_that_nobody_allowed() {
    let prepared = || {
        let test = world(&json!([pay(), { "text": "done" }]), &bank(json!([{ "text": "paid" }])));
        started(json!({ "work": agent() }), json!([]), test)
    };
    let mut whole = prepared();
    answered(&mut whole, &|_| false);
    let all = whole.events.len();
    assert!(all > 12, "{:#?}", lines(&whole));
    for cut in 1..all {
        let mut driver = prepared();
        answered(&mut driver, &|driver| driver.events.len() >= cut);
        let mut driver = driver.crash_and_resume(cut);
        answered(&mut driver, &|_| false);
        assert_eq!(driver.state.status(), RunStatus::Completed, "cut {cut}: {:#?}", lines(&driver));
        let answers =
            driver.events.iter().filter(|event| matches!(event.body, EventBody::HumanTaskCompleted(_))).count();
        let calls = driver.test.tools.calls().len();
        assert!(calls <= answers, "cut {cut}: {calls} calls, {answers} answers: {:#?}", lines(&driver));
    }
}

/// A person is asked whether an interrupted call happened; the conversation goes on with the answer that was given before, and the
/// state between is one that a snapshot holds.
#[test]
fn k_14_after_a_crash_in_the_call_that_was_allowed_a_person_is_asked_and_the_conversation_goes_on() {
    let test = world(&json!([pay(), { "text": "done" }]), &bank(json!([{ "hangs": true }, { "text": "paid" }])));
    let mut driver = started(json!({ "work": agent() }), json!([]), test);
    let task = asked(&mut driver);
    driver.answer(&task, said(TaskAction::Approve));
    driver.run_until(|driver| driver.test.tools.calls().len() == 1);
    let keep = driver.events.len();
    let mut driver = driver.crash_and_resume(keep);
    let task = asked(&mut driver);
    assert_eq!(reasons(&driver), [TaskReason::ToolCall, TaskReason::Interrupted], "{:#?}", lines(&driver));
    let body = signalbox_engine::snapshot::encode(&driver.compiled, &driver.state);
    let read = signalbox_engine::snapshot::decode(&driver.compiled, &body).expect("a snapshot");
    assert_eq!(read, driver.state);
    assert!(body.to_string().contains("\"suspended\""), "{body}");
    driver.answer(&task, said(TaskAction::Retry));
    driver.run();
    assert_eq!(driver.state.status(), RunStatus::Completed, "{:#?}", lines(&driver));
    assert_eq!(driver.test.tools.calls().len(), 2, "nobody is asked twice about the same call");
    assert_eq!(driver.test.llm.questions().len(), 2, "the conversation goes on where it was");
}

/// ADR 51: a re-run begins with nothing allowed, also for a step that stands and was in the middle of an allowed call.
#[test]
fn k_14_a_call_that_was_allowed_once_is_asked_about_again_in_a_rerun() {
    let nodes = json!({
        "a": { "type": "http.request", "config": { "url": "https://shop.example/a" } },
        "work": agent(),
    });
    let test = world(&json!([pay(), { "text": "done" }]), &bank(json!([{ "hangs": true }])));
    test.http.on("GET /a", vec![serde_json::from_value(json!({ "fail": "hang" })).expect("an answer")]);
    let mut driver = started(nodes, json!([]), test);
    let task = asked(&mut driver);
    driver.answer(&task, said(TaskAction::Approve));
    driver.run_until(|driver| driver.test.tools.calls().len() == 1);
    // The run ends while the call that was allowed is under way.
    driver.cancel_after(1);
    driver.run();
    assert_eq!(driver.state.status(), RunStatus::Cancelled, "{:#?}", lines(&driver));

    let test = world(&json!([{ "text": "I could not." }]), &bank(json!([{ "text": "paid" }])));
    test.http.on("GET /a", vec![serde_json::from_value(json!({ "json": {} })).expect("an answer")]);
    let mut again = driver.again(&driver.compiled, "a", false, test);
    let task = asked(&mut again);
    assert_eq!(reasons(&again), [TaskReason::Interrupted], "{:#?}", lines(&again));
    again.answer(&task, said(TaskAction::Retry));
    let task = asked(&mut again);
    assert_eq!(reasons(&again), [TaskReason::Interrupted, TaskReason::ToolCall], "{:#?}", lines(&again));
    assert_eq!(again.test.tools.calls().len(), 0, "nobody has allowed it in this run");
    again.answer(&task, said(TaskAction::Reject));
    again.run();
    assert_eq!(again.state.status(), RunStatus::Completed, "{:#?}", lines(&again));
    assert_eq!(again.test.tools.calls().len(), 0);
}

/// The first run: a call is approved, then the step fails, and a person answers `retry`.
fn approved_then_retried() -> Driver {
    let test = world(&json!([pay(), { "fail": "auth" }, { "text": "done" }]), &bank(json!([{ "text": "paid" }])));
    let mut driver = started(json!({ "work": agent() }), json!([]), test);
    let task = asked(&mut driver);
    driver.answer(&task, said(TaskAction::Approve));
    let task = asked(&mut driver);
    assert_eq!(reasons(&driver), [TaskReason::ToolCall, TaskReason::Error], "{:#?}", lines(&driver));
    driver.answer(&task, said(TaskAction::Retry));
    driver.run();
    assert_eq!(driver.state.status(), RunStatus::Completed, "{:#?}", lines(&driver));
    driver
}

#[test]
fn k_14_answers_about_calls_are_not_kept_and_stand_in_the_way_of_none() {
    let first = approved_then_retried();
    let test = world(&json!([pay(), { "fail": "auth" }, { "text": "done" }]), &bank(json!([{ "text": "paid" }])));
    let mut again = first.again(&first.compiled, "work", true, test);
    let task = asked(&mut again);
    assert_eq!(reasons(&again), [TaskReason::ToolCall], "it is asked again: {:#?}", lines(&again));
    again.answer(&task, said(TaskAction::Approve));
    again.run();
    assert_eq!(again.state.status(), RunStatus::Completed, "the kept `retry` is given again: {:#?}", lines(&again));
    let kept = again.events.iter().filter_map(|event| match &event.body {
        EventBody::HumanTaskCompleted(done) if done.kept_from.is_some() => Some(done.answer.action),
        _ => None,
    });
    assert_eq!(kept.collect::<Vec<_>>(), [TaskAction::Retry]);
}

#[test]
fn k_14_who_allowed_a_call_has_approved_no_step_that_stands_in_its_place_now() {
    let first = approved_then_retried();
    let now =
        compiled(json!({ "work": { "type": "builtin.human_approval", "config": { "title": "Pay?" } } }), json!([]));
    let mut again = first.again(&now, "work", true, TestWorld::default());
    again.run();
    assert_eq!(again.state.status(), RunStatus::Paused, "{:#?}", lines(&again));
    assert_eq!(reasons(&again), [TaskReason::Step]);
}

#[test]
fn k_14_what_was_allowed_for_a_run_is_not_allowed_for_the_next() {
    let two =
        json!({ "tools": [{ "name": "pay", "input": { "amount": 5 } }, { "name": "pay", "input": { "amount": 6 } }] });
    let prepared = || world(&json!([two, { "text": "done" }]), &bank(json!([{ "text": "paid" }])));
    let mut first = started(json!({ "work": agent() }), json!([]), prepared());
    let task = asked(&mut first);
    first.answer(&task, Answer { tool_grant: Some(ToolGrant::Run), ..said(TaskAction::Approve) });
    first.run();
    assert_eq!((first.state.status(), first.test.tools.calls().len()), (RunStatus::Completed, 2));
    for keep_answers in [false, true] {
        let mut again = first.again(&first.compiled, "work", keep_answers, prepared());
        again.run();
        assert_eq!(again.state.status(), RunStatus::Paused, "{:#?}", lines(&again));
        assert_eq!(again.test.tools.calls().len(), 0);
    }
}
