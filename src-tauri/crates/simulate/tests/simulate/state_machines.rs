//! State machines against recorded histories: imported, run in memory with the recorded answers of their services, and compared
//! state by state. `tests/peers/asl.mjs` makes the cases of a checkout that is not part of this repository.

use crate::support::CATALOG;
use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_engine::Compiled;
use signalbox_engine::effect::CallOutput;
use signalbox_import::{Options, import};
use signalbox_model::task::Answer;
use signalbox_model::workflow::{ErrorPolicy, NamedPolicy};
use signalbox_model::{Effects, ErrorType, EventBody, NodeFailure, TaskAction};
use signalbox_simulate::expectations::Observed;
use signalbox_simulate::simulation::{
    CallInfo, End, Environment, Limits, PersonInput, Reply, Simulation, Start, TaskInfo,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A machine and what was recorded when it ran.
#[derive(Debug, Clone, Deserialize)]
struct Case {
    name: String,
    template: String,
    machine: Value,
    #[serde(default)]
    input: Value,
    /// Names of the states in the order in which they began.
    entered: Vec<(String, Value)>,
    /// Names and outputs of those that ended well.
    exited: Vec<(String, Value, Value)>,
    answers: Vec<Answered>,
    status: String,
    #[serde(default)]
    output: Value,
    #[serde(default)]
    error: Value,
    #[serde(default)]
    cause: Value,
}

/// What a service answered.
#[derive(Debug, Clone, Deserialize)]
struct Answered {
    state: Option<String>,
    /// Indexes of the iterations that it stands in, the innermost first.
    at: Vec<u64>,
    #[serde(default)]
    output: Value,
    error: Option<String>,
    #[serde(default)]
    cause: Value,
}

/// What a case came to.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Same,
    /// Something of the machine has no translation, and the import says so.
    Placeholder(String),
    Wrong(String),
}

struct World<'c> {
    case: &'c Case,
    /// Step → state.
    states: &'c HashMap<String, String>,
    /// Steps that stand for a service.
    replaced: &'c HashSet<String>,
    used: Vec<bool>,
    missing: Option<String>,
}

impl World<'_> {
    fn answer(&mut self, step: &str, path: &str) -> Option<&Answered> {
        let state = self.states.get(step)?;
        let mut at: Vec<u64> =
            path.split('[').skip(1).filter_map(|part| part.split(']').next()?.parse().ok()).collect();
        at.reverse();
        let all = self.case.answers.iter().enumerate();
        let free = |(n, one): &(usize, &Answered)| !self.used[*n] && one.state.as_ref() == Some(state);
        let found = all.clone().filter(free).find(|(_, one)| one.at == at).or_else(|| all.clone().find(free))?.0;
        self.used[found] = true;
        self.case.answers.get(found)
    }
}

/// A text, as it was before the recording was made readable.
fn words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn failure(answer: &Answered) -> NodeFailure {
    let name = answer.error.clone().unwrap_or_default();
    let kind = if name == "States.Timeout" { ErrorType::Timeout } else { ErrorType::UnknownError };
    let mut failure = NodeFailure::new(kind, "FAILED", words(&answer.cause));
    failure.details.insert("error".into(), json!(name));
    failure
}

impl Environment for World<'_> {
    fn reply(&mut self, call: &CallInfo<'_>) -> Reply {
        let step = &*call.call.node_id;
        if call.call.effects == Effects::None {
            return Reply::Code(0);
        }
        let direct = self.replaced.contains(step);
        let Some(answer) = self.answer(step, &call.call.key.path) else {
            self.missing.get_or_insert_with(|| format!("no answer was recorded for '{step}'"));
            return Reply::Missing;
        };
        if answer.error.is_some() {
            return Reply::Failure(failure(answer), 1);
        }
        let output = if !direct && answer.output.get("ResponseBody").is_some() {
            json!({ "status": answer.output["StatusCode"], "response": answer.output["ResponseBody"], "headers": answer.output["Headers"] })
        } else {
            answer.output.clone()
        };
        Reply::Output(CallOutput::success(output), 1)
    }

    fn people(&mut self, task: &TaskInfo<'_>) -> Vec<(i64, PersonInput)> {
        let Some(answer) = self.answer(task.step, task.path) else { return Vec::new() };
        let values = match &answer.error {
            Some(name) if name == "States.Timeout" => return Vec::new(),
            Some(name) => json!({ "error": name, "cause": words(&answer.cause) }),
            None => json!({ "output": answer.output.to_string() }),
        };
        let answer = Answer {
            corrected_input: Some(Arc::new(values)),
            operator_id: Some("user:test".into()),
            ..Answer::by_policy(TaskAction::Submit)
        };
        vec![(1, PersonInput::Answer(answer))]
    }
}

/// Whether a value is what was recorded. Names and times of the recording were replaced, by words in angle brackets for example.
fn is_like(got: &Value, wanted: &Value) -> bool {
    match (got, wanted) {
        // Values that were recorded as text.
        (got, Value::String(text)) if !got.is_string() && serde_json::from_str::<Value>(text).is_ok() => {
            serde_json::from_str::<Value>(text).is_ok_and(|wanted| is_like(got, &wanted))
        }
        (Value::String(text), wanted) if !wanted.is_string() && serde_json::from_str::<Value>(text).is_ok() => {
            serde_json::from_str::<Value>(text).is_ok_and(|got| is_like(&got, wanted))
        }
        (_, Value::String(text)) if got != wanted => {
            text.contains('<') && text.contains('>')
                || ["timestamp", "date", "RandomNumberGenerated", "entered-time", "start-time", "uuid"]
                    .iter()
                    .any(|word| text == word)
                || got.as_str().is_some_and(|got| text.contains('<') && got.contains('<'))
        }
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_like(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && b.iter().all(|(name, b)| a.get(name).is_some_and(|a| is_like(a, b)))
        }
        _ => got == wanted,
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 300 { text.chars().take(300).collect::<String>() + "…" } else { text }
}

/// States of a Map that runs apart: its history is not that of the machine.
fn apart(value: &Value, inside: bool, out: &mut Vec<String>) {
    for (name, state) in value["States"].as_object().into_iter().flatten() {
        if inside {
            out.push(name.clone());
        }
        for branch in state["Branches"].as_array().into_iter().flatten() {
            apart(branch, inside, out);
        }
        for field in ["ItemProcessor", "Iterator"] {
            let inner = &state[field];
            apart(inner, inside || inner["ProcessorConfig"]["Mode"] == "DISTRIBUTED", out);
        }
    }
}

fn play(case: &Case) -> Verdict {
    let imported = match import(&case.machine.to_string(), &Options::default()) {
        Ok(imported) => imported.checked(&CATALOG),
        Err(refused) => return Verdict::Placeholder(format!("refused: {refused}")),
    };
    let untranslated = |code: &str| {
        let mut all = imported.report.findings.iter();
        all.find(|found| found.code == code).map(|found| found.message.clone())
    };
    let known = untranslated("EXPRESSION")
        .or_else(|| untranslated("CIRCLE"))
        .or_else(|| untranslated("SUB_WORKFLOW"))
        .or_else(|| untranslated("FOLDER"));
    // Step → state; last step → state; first step → state.
    let (mut states, mut finals, mut firsts) = (HashMap::new(), HashMap::new(), HashMap::new());
    for row in &imported.report.translated {
        let is_last = |id: &&String| row.nodes.iter().all(|node| node == *id || node.starts_with(&format!("{id}_")));
        finals.extend(row.nodes.iter().find(is_last).map(|id| (id.clone(), row.step.clone())));
        firsts.extend(row.nodes.first().map(|id| (id.clone(), row.step.clone())));
        for node in &row.nodes {
            states.insert(node.clone(), row.step.clone());
        }
    }
    let mut workflow = imported.workflow.clone();
    if !case.input.is_object() {
        return Verdict::Placeholder("the input of a run is an object here".into());
    }
    // A person puts a request in the place of a service that no step here calls.
    let mut replaced = HashSet::new();
    for (id, step) in workflow.nodes.iter_mut().filter(|(_, step)| step.kind == "foreign.step") {
        replaced.insert(id.clone());
        let body = step.config.as_mut().and_then(|config| config.get_mut("input").map(Value::take));
        step.kind = "http.request".into();
        step.config = Some(json!({ "method": "POST", "url": "https://service.example/", "body": body }));
    }
    // What no state catches ends a machine; here a person would be asked.
    workflow.settings.get_or_insert_default().error_policy = Some(ErrorPolicy::Named(NamedPolicy::Fail));
    let not_same = |why: String| match &known {
        Some(known) => Verdict::Placeholder(known.clone()),
        None => Verdict::Wrong(why),
    };
    let compiled = match Compiled::new(Arc::new(workflow), "asl", &CATALOG) {
        Ok(compiled) => Arc::new(compiled),
        Err(found) => return not_same(format!("not valid: {:?}", found.first().map(|one| one.message.clone()))),
    };
    let mut world =
        World { case, states: &states, replaced: &replaced, used: vec![false; case.answers.len()], missing: None };
    let mut run = Simulation::new(Arc::clone(&compiled), &mut world, Limits::default());
    run.start(Start {
        params: case.input.clone(),
        context: signalbox_model::Map::new(),
        seed: 7,
        until: None,
        rerun: None,
        now_ms: 1_800_000_000_000,
    });
    let end = run.run(|_| false);
    let (events, state) = run.into_events();
    if end != End::Settled {
        if case.status == "failed" && case.answers.is_empty() && world.missing.is_some() {
            return Verdict::Placeholder("the service itself refused the call".into());
        }
        let why = world.missing.unwrap_or_else(|| format!("{end:?}"));
        return not_same(why);
    }
    let observed = Observed::new(&compiled, &state, &events);
    let mut entered = Vec::new();
    let mut exited: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for event in &events {
        let Some(step) = event.step_id.as_deref() else { continue };
        match &event.body {
            EventBody::StepStart(_) if event.attempt.unwrap_or_default() == 0 => {
                entered.extend(firsts.get(step).cloned());
            }
            EventBody::StepDone(done) => {
                let Some(name) = finals.get(step).or_else(|| {
                    let state = states.get(step)?;
                    let ends = ["_caught", "_rule", "_otherwise"];
                    ends.iter().any(|end| step.contains(end)).then_some(state)
                }) else {
                    continue;
                };
                let data = done.items.iter().flat_map(|(_, items)| items.pieces().map(|(_, data)| data)).next();
                exited.entry(name).or_default().push(data.map_or(Value::Null, |data| (*data.value()).clone()));
            }
            _ => {}
        }
    }
    let error = observed.summary.error.as_ref().map(|error| format!("{}: {}", error.code(), error.message));
    let status = observed.summary.status.as_str();
    if status != case.status {
        return not_same(format!("status {status}, recorded {} {} ({error:?})", case.status, case.error));
    }
    let nested =
        case.machine.to_string().contains("\"Branches\"") || case.machine.to_string().contains("\"ItemProcessor");
    let mut wanted: Vec<String> = case.entered.iter().map(|(name, _)| name.clone()).collect();
    if nested || case.machine.to_string().contains("\"Iterator\"") {
        // How far those beside it come before one fails is a matter of timing.
        if status == "failed" {
            wanted.clear();
            entered.clear();
        }
        entered.sort();
        wanted.sort();
    }
    let mut hidden = Vec::new();
    apart(&case.machine, false, &mut hidden);
    entered.retain(|name| !hidden.contains(name));
    if !wanted.is_empty() && entered != wanted {
        return not_same(format!("states {entered:?}, recorded {wanted:?}"));
    }
    let mut recorded: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for (name, output, _) in &case.exited {
        recorded.entry(name).or_default().push(output);
    }
    for (name, outputs) in &recorded {
        let got = exited.get(name).cloned().unwrap_or_default();
        if status == "failed" && nested {
            continue;
        }
        let mut left: Vec<&Value> = got.iter().collect();
        for output in outputs {
            // A Choice hands its input on; the step of it has no item of its own.
            match left.iter().position(|one| is_like(one, output)) {
                Some(at) => drop(left.remove(at)),
                None => {
                    let first = left.first().map_or_else(|| "nothing".to_owned(), |one| short(one));
                    return not_same(format!("output of {name}: {first}, recorded {}", short(output)));
                }
            }
        }
    }
    if status == "completed" {
        let output = observed.summary.output.first().cloned().unwrap_or_default();
        if !is_like(&output, &case.output) {
            return not_same(format!("output {}, recorded {}", short(&output), short(&case.output)));
        }
    } else if let Some(wanted) = case.error.as_str() {
        let error = observed.summary.error.as_ref();
        let details = error.and_then(|error| error.details.as_ref());
        let mut details = details.map_or(Value::Null, |details| json!(details));
        while let Some(inside) = details.pointer_mut("/childErrors/0/details") {
            details = inside.take();
        }
        let got = details["error"].as_str().unwrap_or_default();
        // The runtime errors of the service have names of ours.
        if !wanted.starts_with("States.") && got != wanted && !wanted.contains('<') {
            return not_same(format!("error {got:?} ({error:?}), recorded {wanted} {}", case.cause));
        }
    }
    Verdict::Same
}

/// Plays our own cases. `tests/peers/asl.mjs` gives those of another project in `SIGNALBOX_ASL_CASES`, and judges the table.
#[test]
#[expect(clippy::print_stdout, reason = "the report is what it is for")]
fn recorded_histories_of_state_machines() {
    let given = std::env::var("SIGNALBOX_ASL_CASES").ok().map(|path| std::fs::read_to_string(path).expect("cases"));
    let text = given.as_deref().unwrap_or(include_str!("state_machines/cases.json"));
    let cases: Vec<Case> = serde_json::from_str(text).expect("cases");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for case in &cases {
        let verdict = play(case);
        let (word, why) = match &verdict {
            Verdict::Same => ("same", ""),
            Verdict::Placeholder(why) => ("placeholder", why.as_str()),
            Verdict::Wrong(why) => ("wrong", why.as_str()),
        };
        *counts.entry(word).or_default() += 1;
        println!("{word}\t{}\t{}\t{}", case.name, case.template, why.replace('\n', " "));
    }
    println!("{counts:?} of {}", cases.len());
    assert!(given.is_some() || counts == BTreeMap::from([("same", cases.len())]), "{counts:?}");
}

/// A machine, what it begins with, what services answer, and how it ends.
fn came(machine: &Value, input: &Value, answers: &[(&str, Value)], status: &str, output: &Value) -> Verdict {
    let answers = answers.iter().map(|(state, answer)| Answered {
        state: Some((*state).to_owned()),
        at: Vec::new(),
        output: answer.clone(),
        error: answer["error"].as_str().map(str::to_owned),
        cause: json!("It broke"),
    });
    let case = Case {
        name: "own".into(),
        template: "own".into(),
        machine: machine.clone(),
        input: input.clone(),
        entered: Vec::new(),
        exited: Vec::new(),
        answers: answers.collect(),
        status: status.into(),
        output: output.clone(),
        error: if status == "failed" { output.clone() } else { Value::Null },
        cause: Value::Null,
    };
    play(&case)
}

#[test]
fn functions_and_paths_give_what_they_are_documented_to_give() {
    let input = json!({ "n": 7, "text": "a.b+c", "list": [1, 2, 2, 3, 4], "rows": [{ "id": 1, "ok": true }, { "id": 2, "ok": false }], "json": "{\"a\": 1}", "blank": " " });
    for (function, wanted) in [
        ("States.Format('{} of {}', $.n, $.rows[0])", json!("7 of {\"id\":1,\"ok\":true}")),
        ("States.ArrayPartition($.list, 2)", json!([[1, 2], [2, 3], [4]])),
        ("States.ArrayRange(1, 9, 4)", json!([1, 5, 9])),
        ("States.ArrayRange(5, 1, -2)", json!([5, 3, 1])),
        ("States.ArrayContains($.list, 3)", json!(true)),
        ("States.ArrayUnique($.list)", json!([1, 2, 3, 4])),
        ("States.ArrayLength($.list)", json!(5)),
        ("States.ArrayGetItem($.list, 4)", json!(4)),
        ("States.Base64Decode(States.Base64Encode('Grüße'))", json!("Grüße")),
        ("States.Hash('abc', 'SHA-256')", json!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")),
        ("States.JsonMerge($.rows[0], $.rows[1], false)", json!({ "id": 2, "ok": false })),
        ("States.StringToJson($.json)", json!({ "a": 1 })),
        ("States.StringToJson($.blank)", json!(null)),
        ("States.StringSplit($.text, '.+')", json!(["a", "b", "c"])),
        ("States.MathAdd($.n, -9)", json!(-2)),
        ("$.rows[?(@.ok == true)].id", json!([1])),
        ("$.list[-1]", json!(4)),
        ("$['rows'][1]['id']", json!(2)),
    ] {
        let machine = json!({ "StartAt": "A", "States": { "A": { "Type": "Pass", "Parameters": { "r.$": function }, "OutputPath": "$.r", "End": true } } });
        assert_eq!(came(&machine, &input, &[], "completed", &wanted), Verdict::Same, "{function}");
    }
}

/// A Task that fails with an error of this name.
fn fails(name: &str) -> Value {
    json!({ "error": name })
}

#[test]
fn retriers_and_catchers_go_by_the_names_of_errors() {
    let task = |more: Value| {
        let mut task =
            json!({ "Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:123456789012:function:f", "End": true });
        task.as_object_mut().expect("a state").extend(more.as_object().expect("fields").clone());
        json!({ "StartAt": "T", "States": { "T": task, "C": { "Type": "Pass", "End": true }, "D": { "Type": "Pass", "Result": "other", "End": true } } })
    };
    let again = json!({ "ErrorEquals": ["Busy"], "IntervalSeconds": 1, "MaxAttempts": 2 });
    let caught = json!([{ "ErrorEquals": ["Gone"], "ResultPath": "$.error", "Next": "C" }, { "ErrorEquals": ["States.ALL"], "Next": "D" }]);
    let both = task(json!({ "Retry": [again], "Catch": caught }));
    let input = json!({ "a": 1 });
    let gone = json!({ "a": 1, "error": { "Error": "Gone", "Cause": "It broke" } });
    let busy = || ("T", fails("Busy"));
    for (machine, answers, status, output) in [
        (&both, vec![busy(), busy(), ("T", json!({ "ok": true }))], "completed", json!({ "ok": true })),
        (&both, vec![busy(), busy(), busy()], "completed", json!("other")),
        (&both, vec![("T", fails("Gone"))], "completed", gone),
        (&task(json!({ "Retry": [again] })), vec![("T", fails("Gone"))], "failed", json!("Gone")),
        (
            &task(json!({ "Catch": [{ "ErrorEquals": ["Busy"], "Next": "C" }] })),
            vec![("T", fails("Gone"))],
            "failed",
            json!("Gone"),
        ),
        (
            &task(json!({ "Catch": [{ "ErrorEquals": ["States.Timeout"], "Next": "D" }] })),
            vec![("T", fails("States.Timeout"))],
            "completed",
            json!("other"),
        ),
        (
            &task(json!({ "Catch": [{ "ErrorEquals": ["States.TaskFailed"], "Next": "D" }] })),
            vec![("T", fails("States.Timeout"))],
            "failed",
            json!("States.Timeout"),
        ),
    ] {
        assert_eq!(came(machine, &input, &answers, status, &output), Verdict::Same, "{answers:?} {machine}");
    }
    let token = json!({ "StartAt": "T", "States": {
        "T": { "Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken", "Parameters": { "T.$": "$$.Task.Token" },
            "Catch": [{ "ErrorEquals": ["Refused"], "Next": "C" }], "End": true },
        "C": { "Type": "Pass", "OutputPath": "$.Cause", "End": true } } });
    assert_eq!(came(&token, &input, &[("T", json!(["yes"]))], "completed", &json!(["yes"])), Verdict::Same);
    assert_eq!(came(&token, &input, &[("T", fails("Refused"))], "completed", &json!("It broke")), Verdict::Same);
}

#[test]
fn maps_branches_and_choices_end_as_documented() {
    let body = json!({ "StartAt": "Each", "States": { "Each": { "Type": "Pass", "End": true } } });
    let checks = json!({ "StartAt": "If", "States": {
        "If": { "Type": "Choice", "Choices": [{ "Variable": "$.bad", "BooleanEquals": true, "Next": "No" }], "Default": "Yes" },
        "No": { "Type": "Fail", "Error": "Bad", "Cause": "It is bad" }, "Yes": { "Type": "Pass", "OutputPath": "$.n", "End": true } } });
    let map = |more: Value| {
        let mut state = json!({ "Type": "Map", "ItemsPath": "$.list", "ItemProcessor": body, "End": true });
        state.as_object_mut().expect("a state").extend(more.as_object().expect("fields").clone());
        json!({ "StartAt": "M", "States": { "M": state, "C": { "Type": "Pass", "Result": "caught", "End": true } } })
    };
    let numbers = json!({ "list": [1, 2, 3], "x": "y" });
    let mixed = json!({ "list": [{ "n": 1, "bad": false }, { "n": 2, "bad": true }, { "n": 3, "bad": false }] });
    let selected = json!([{ "i": 0, "v": 1, "x": "y" }, { "i": 1, "v": 2, "x": "y" }, { "i": 2, "v": 3, "x": "y" }]);
    for (machine, input, status, output) in [
        (map(json!({})), &numbers, "completed", json!([1, 2, 3])),
        (map(json!({})), &json!({ "list": [] }), "completed", json!([])),
        (map(json!({})), &json!({ "list": 7 }), "failed", json!("States.Runtime")),
        (
            map(json!({ "ItemSelector": { "i.$": "$$.Map.Item.Index", "v.$": "$$.Map.Item.Value", "x.$": "$.x" } })),
            &numbers,
            "completed",
            selected,
        ),
        (
            map(json!({ "ItemBatcher": { "MaxItemsPerBatch": 2, "BatchInput": { "x.$": "$.x" } } })),
            &numbers,
            "completed",
            json!([{ "Items": [1, 2], "BatchInput": { "x": "y" } }, { "Items": [3], "BatchInput": { "x": "y" } }]),
        ),
        (map(json!({ "ItemProcessor": checks })), &mixed, "failed", json!("Bad")),
        (map(json!({ "ItemProcessor": checks, "ToleratedFailureCount": 1 })), &mixed, "completed", json!([1, 3])),
        (
            map(json!({ "ItemProcessor": checks, "ToleratedFailurePercentage": 30 })),
            &mixed,
            "failed",
            json!("States.ExceedToleratedFailureThreshold"),
        ),
        (
            map(json!({ "ItemProcessor": checks, "Catch": [{ "ErrorEquals": ["Bad"], "Next": "C" }] })),
            &mixed,
            "completed",
            json!("caught"),
        ),
    ] {
        assert_eq!(came(&machine, input, &[], status, &output), Verdict::Same, "{machine}");
    }
    let choice = json!({ "QueryLanguage": "JSONata", "StartAt": "A", "States": {
        "A": { "Type": "Pass", "Assign": { "seen": "{% $states.input.n %}" }, "Output": "{% $merge([$states.input, {'twice': $states.input.n * 2}]) %}", "Next": "If" },
        "If": { "Type": "Choice", "Choices": [{ "Condition": "{% $states.input.twice > 10 %}", "Assign": { "seen": "{% $seen + 1 %}" }, "Output": "{% 'large ' & $seen %}", "Next": "End" }], "Default": "End" },
        "End": { "Type": "Succeed", "Output": { "was": "{% $states.input %}", "seen": "{% $seen %}" } } } });
    assert_eq!(
        came(&choice, &json!({ "n": 6 }), &[], "completed", &json!({ "was": "large 6", "seen": 7 })),
        Verdict::Same
    );
    let branches = json!({ "StartAt": "P", "States": {
        "P": { "Type": "Parallel", "Branches": [body, checks], "Catch": [{ "ErrorEquals": ["States.ALL"], "ResultPath": "$.e", "Next": "C" }], "End": true },
        "C": { "Type": "Pass", "OutputPath": "$.e.Error", "End": true } } });
    let good = json!({ "n": 5, "bad": false });
    assert_eq!(came(&branches, &good, &[], "completed", &json!([good, 5])), Verdict::Same);
    assert_eq!(came(&branches, &json!({ "bad": true }), &[], "completed", &json!("Bad")), Verdict::Same);
}
