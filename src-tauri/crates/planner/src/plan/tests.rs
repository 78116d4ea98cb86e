use super::*;
use crate::{Category, Purpose, from_diagnostics};
use proptest::prelude::*;
use serde_json::json;
use signalbox_engine::validate::check_bytes;
use std::sync::LazyLock;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| signalbox_nodes::built_in().clone());

/// The validator of the engine.
pub(super) struct Engine;

impl Checker for Engine {
    fn catalog(&self) -> &Catalog {
        &CATALOG
    }
    fn check(&self, document: &Value) -> Vec<Finding> {
        let checked = check_bytes(document.to_string().as_bytes(), &CATALOG);
        from_diagnostics(document, &checked.diagnostics, &CATALOG)
    }
}

const REQUEST: &str = "fetch the user torvalds from GitHub and keep name and biography";

fn outline() -> String {
    json!({ "kinds": ["http.request", "data.set"], "steps": ["Fetch the user", "Keep name and biography"] }).to_string()
}

fn extract(username: &str, biography: &str) -> Value {
    json!({ "username": username, "biography": biography })
}

fn draft() -> String {
    json!({
        "nodes": [
            { "id": "fetch", "kind": "http.request", "config": { "url": "https://api.example.com/users/torvalds", "extract": extract("$.username", "$.biography") } },
            { "id": "keep", "kind": "data.set", "config": { "assign": { "name": "{{item.extracted.username}}" }, "keep": false } },
        ],
        "edges": [["fetch", "keep"]],
    })
    .to_string()
}

fn set_extract(value: Value) -> String {
    json!({ "patch": [{ "op": "set", "node": "fetch", "path": "/config/extract", "value": value }] }).to_string()
}

fn metadata() -> String {
    json!({ "name": "GitHub user", "description": "Fetches a user.", "titles": { "fetch": "Fetch the user", "nowhere": "x" } }).to_string()
}

fn missing(paths: &[&str]) -> Vec<Issue> {
    let mut issue = Issue::new(
        "fetch",
        Category::MissingPath,
        "BAD_PATH",
        "Field not found. Available: login, id, bio, name",
        true,
    );
    issue.attempted = paths.iter().map(|path| (*path).to_owned()).collect();
    issue.available = ["login", "id", "bio", "name"].map(str::to_owned).to_vec();
    issue.sample = json!({ "login": "string", "id": "number", "bio": "string", "name": "string" });
    vec![issue]
}

/// A plan with a model that answers in order and tries that find things in order.
struct Run {
    plan: Plan,
    questions: Vec<Question>,
    trials: usize,
    events: Vec<Event>,
}

fn drive(request: &str, tries: bool, answers: &[String], found: &[Vec<Issue>]) -> Run {
    let mut run = Run { plan: Plan::new(request, tries), questions: Vec::new(), trials: 0, events: Vec::new() };
    let mut answers = answers.iter();
    let mut next = Some(Event::Started);
    let mut found = found.iter();
    while let Some(event) = next.take() {
        let (plan, effects) = plan(run.plan, &event, &Engine);
        run.plan = plan;
        run.events.push(event);
        for effect in effects {
            next = Some(match effect {
                Effect::Ask(question) => {
                    let number = question.number;
                    run.questions.push(question);
                    let usage = Usage { questions: 1, input_tokens: 10, output_tokens: 2, cost_micros: Some(5) };
                    match answers.next() {
                        Some(text) => Event::Answered { question: number, text: text.clone(), usage },
                        None => Event::Unanswered { question: number, code: "END".into(), message: "No more".into() },
                    }
                }
                Effect::Try(trial) => {
                    run.trials += 1;
                    Event::Tried { trial: trial.number, issues: found.next().cloned().unwrap_or_default() }
                }
                Effect::Finish(_) => return run,
            });
        }
    }
    run
}

fn purposes(run: &Run) -> Vec<Purpose> {
    run.questions.iter().map(|question| question.purpose).collect()
}

#[test]
fn ts_130_wrong_guesses_are_corrected_from_the_real_shape() {
    let corrected = set_extract(extract("$.login", "$.bio"));
    let answers = [outline(), draft(), corrected, metadata()];
    let run = drive(REQUEST, true, &answers, &[missing(&["$.username", "$.biography"]), vec![]]);
    assert_eq!(run.plan.outcome, Some(Outcome::Ready), "{:?}", run.plan.reason);
    assert_eq!(purposes(&run), [Purpose::Outline, Purpose::Generate, Purpose::RuntimeFix, Purpose::Metadata]);
    let asked = &run.questions[2].text;
    for word in ["$.username", "$.biography", "login", "availableAt\":\"\"", REQUEST] {
        let absent = word.starts_with("availableAt");
        assert_eq!(asked.contains(word), !absent, "{word} in {asked}");
    }
    let document = run.plan.document(&CATALOG).expect("a draft");
    assert_eq!(document["nodes"]["fetch"]["config"]["extract"], extract("$.login", "$.bio"));
    assert_eq!(document["nodes"]["fetch"]["title"], "Fetch the user");
    assert_eq!((&document["name"], &document["settings"]["errorPolicy"]), (&json!("GitHub user"), &json!("safe")));
    let attempt = &run.plan.attempts[0];
    let changed: Vec<&str> = attempt.changes.iter().map(|change| change.at.as_str()).collect();
    assert_eq!(changed, ["/nodes/fetch/config/extract/username", "/nodes/fetch/config/extract/biography"]);
    assert_eq!((run.plan.usage.questions, run.plan.usage.input_tokens, run.plan.usage.cost_micros), (4, 40, Some(20)));
}

#[test]
fn ts_133_five_wrong_fields_are_one_question() {
    let paths = ["$.a", "$.b", "$.c", "$.d", "$.e"];
    let answers = [outline(), draft(), set_extract(extract("$.login", "$.bio")), metadata()];
    let run = drive(REQUEST, true, &answers, &[missing(&paths), vec![]]);
    assert_eq!(run.plan.corrections, 1);
    assert!(paths.iter().all(|path| run.questions[2].text.contains(path)));
}

#[test]
fn ts_134_and_139_a_fatal_issue_asks_no_model() {
    let fatal = vec![Issue::new("fetch", Category::Other, "NON_JSON", "The answer is HTML", false)];
    let run = drive(REQUEST, true, &[outline(), draft()], &[fatal]);
    assert_eq!(run.plan.outcome, Some(Outcome::FailedRuntime));
    assert_eq!(purposes(&run), [Purpose::Outline, Purpose::Generate]);
}

#[test]
fn ts_135_three_corrections_and_no_more() {
    let fixes = (1..=4).map(|n| set_extract(extract(&format!("$.wrong{n}"), "$.bio")));
    let answers: Vec<String> = [outline(), draft()].into_iter().chain(fixes).collect();
    let found: Vec<_> = (0..5).map(|n| missing(&[format!("$.wrong{n}").as_str()])).collect();
    let run = drive(REQUEST, true, &answers, &found);
    assert_eq!((run.plan.outcome, run.plan.corrections), (Some(Outcome::FailedRuntime), MAX_CORRECTIONS));
    assert_eq!((run.trials, run.plan.attempts.len()), (4, 4));
    assert!(run.plan.valid.is_some(), "the last draft is kept");
}

#[test]
fn ts_136_a_repeated_error_or_an_empty_correction_stops() {
    let wrong = || set_extract(extract("$.user_name", "$.bio"));
    let answers = [outline(), draft(), wrong(), wrong()];
    let run = drive(REQUEST, true, &answers, &[missing(&["$.username"]), missing(&["$.user_name"])]);
    assert_eq!((run.plan.outcome, run.trials), (Some(Outcome::FailedRuntime), 2));
    assert!(run.plan.reason.expect("why").contains("changed nothing"));
    // Another change, but the same trouble.
    let run = drive(REQUEST, true, &answers[..3], &[missing(&["$.username"]), missing(&["$.username"])]);
    assert_eq!((run.plan.outcome, run.trials), (Some(Outcome::FailedRuntime), 2));
    assert!(run.plan.reason.expect("why").contains("same error"));
}

#[test]
fn ts_142_a_correction_leaves_the_other_settings_alone() {
    let draft = json!({ "nodes": [
        { "id": "send", "kind": "mcp.tool", "config": { "server": "mail", "tool": "send", "arguments": { "to": "ada@example.com", "subject": "Hi" } } },
    ], "edges": [] });
    let outline = json!({ "kinds": ["mcp.tool"], "steps": ["Send a mail"] });
    let fix = json!({ "patch": [{ "op": "set", "node": "send", "path": "/config/arguments/to", "value": ["ada@example.com"] }] });
    let refused = Issue::new("send", Category::Arguments, "TOOL_FAILED", "to: Input should be a valid list", true);
    let answers = [outline.to_string(), draft.to_string(), fix.to_string(), metadata()];
    let run = drive("send a mail to ada", true, &answers, &[vec![refused], vec![]]);
    assert_eq!(run.plan.outcome, Some(Outcome::Ready), "{:?}", run.plan.findings);
    let changes = &run.plan.attempts[0].changes;
    assert_eq!((changes.len(), changes[0].at.as_str()), (1, "/nodes/send/config/arguments/to"));
    let document = run.plan.document(&CATALOG).expect("a draft");
    assert_eq!(document["nodes"]["send"]["config"]["arguments"]["subject"], "Hi");
}

#[test]
fn ts_147_a_correction_that_is_not_valid_is_repaired_three_times() {
    let invalid = |n: usize| {
        let op = json!({ "op": "set", "node": "fetch", "path": format!("/config/methd{n}"), "value": "GET" });
        json!({ "patch": [op] }).to_string()
    };
    let answers = [outline(), draft(), invalid(1), invalid(2), invalid(3), invalid(4), metadata()];
    let run = drive(REQUEST, true, &answers, &[missing(&["$.username"])]);
    assert_eq!((run.plan.outcome, run.trials), (Some(Outcome::FailedRuntime), 1));
    assert_eq!(run.questions.len(), 2 + 1 + MAX_REPAIRS);
    // The validator's words reach the model, with the names there are.
    let asked = &run.questions[3].text;
    assert!(asked.contains("UNKNOWN_CONFIG") && asked.contains("/nodes/fetch/config/methd1"), "{asked}");
    assert!(asked.contains("\"method\""), "{asked}");
    // One that is mended goes on.
    let unset = json!({ "patch": [
        { "op": "unset", "node": "fetch", "path": "/config/methd1" },
        { "op": "set", "node": "fetch", "path": "/config/extract", "value": extract("$.login", "$.bio") },
    ] });
    let answers = [outline(), draft(), invalid(1), unset.to_string(), metadata()];
    let run = drive(REQUEST, true, &answers, &[missing(&["$.username"]), vec![]]);
    assert_eq!(run.plan.outcome, Some(Outcome::Ready), "{:?} {:?}", run.plan.reason, run.plan.findings);
}

#[test]
fn ts_150_the_question_holds_every_error_and_nothing_secret() {
    let categories = [Category::MissingPath, Category::Arguments, Category::Expression];
    let issues: Vec<Issue> = categories
        .iter()
        .enumerate()
        .map(|(n, category)| {
            let mut issue = Issue::new(&format!("step{n}"), *category, "CODE", &format!("message {n}"), true);
            issue.attempted = vec![format!("$.tried{n}")];
            issue.available = vec![format!("there{n}")];
            issue
        })
        .collect();
    let run = drive(REQUEST, true, &[outline(), draft()], &[issues]);
    let asked = &run.questions.last().expect("asked").text;
    for word in ["missing_path", "arguments", "expression", REQUEST, "\"fetch\""] {
        assert!(asked.contains(word), "{word} in {asked}");
    }
    for n in 0..3 {
        for word in [format!("step{n}"), format!("message {n}"), format!("$.tried{n}"), format!("there{n}")] {
            assert!(asked.contains(&word), "{word}");
        }
    }
}

#[test]
fn ts_151_a_step_that_a_correction_drops_is_flagged() {
    let drop = json!({ "patch": [
        { "op": "remove", "node": "keep" },
        { "op": "set", "node": "fetch", "path": "/config/extract", "value": extract("$.login", "$.bio") },
    ] });
    let answers = [outline(), draft(), drop.to_string(), metadata()];
    let run = drive(REQUEST, true, &answers, &[missing(&["$.username"]), vec![]]);
    assert_eq!(run.plan.outcome, Some(Outcome::IntentChanged));
    let change = &run.plan.intent[0];
    assert_eq!((change.step.as_str(), change.change.as_str()), ("keep", "removed"));
    // A static repair that drops one, too.
    let broken = draft().replace("data.set", "data.sett");
    let remove = json!({ "patch": [{ "op": "remove", "node": "keep" }] }).to_string();
    let run = drive(REQUEST, false, &[outline(), broken.clone(), remove, metadata()], &[]);
    assert_eq!(run.plan.outcome, Some(Outcome::IntentChanged));
    // A kind that does not exist may be replaced.
    let rename =
        json!({ "patch": [{ "op": "set", "node": "keep", "path": "/kind", "value": "data.set" }] }).to_string();
    let run = drive(REQUEST, false, &[outline(), broken, rename, metadata()], &[]);
    assert_eq!((run.plan.outcome, run.plan.intent.len()), (Some(Outcome::Ready), 0), "{:?}", run.plan.findings);
    assert!(run.questions[2].text.contains("UNKNOWN_TYPE") && run.questions[2].text.contains("[\"data.set\""));
}

#[test]
fn a_request_with_a_time_gets_a_trigger() {
    let request = "every morning fetch the weather";
    let with = json!({ "patch": [
        { "op": "add", "node": { "id": "start", "kind": "trigger.schedule", "config": { "cron": "0 7 * * *" } } },
        { "op": "connect", "from": "start", "to": "fetch" },
    ] });
    let run = drive(request, false, &[outline(), draft(), with.to_string(), metadata()], &[]);
    assert_eq!(purposes(&run)[2], Purpose::Repair);
    assert!(run.questions[2].text.contains("TRIGGER_MISSING"));
    let document = run.plan.document(&CATALOG).expect("a draft");
    assert_eq!(document["nodes"]["start"]["type"], "trigger.schedule");
    assert_eq!(document["layout"]["fetch"], json!([280, 0]));
    // The step that the planner itself asked for is no change of intent by the model.
    assert_eq!(run.plan.outcome, Some(Outcome::Ready), "{:?}", run.plan.intent);
}

#[test]
fn what_the_catalog_cannot_do_is_said_with_what_it_can() {
    let answer =
        json!({ "unsupported": "There is no kind that controls a printer", "instead": "send a request to it" });
    let run = drive("print this on my 3D printer", false, &[answer.to_string()], &[]);
    assert_eq!(run.plan.outcome, Some(Outcome::Unsupported));
    let why = run.plan.reason.expect("why");
    assert!(why.contains("printer") && why.contains("http.request"), "{why}");
}

#[test]
fn bad_answers_are_refused_with_a_reason_and_the_plan_ends() {
    let many: Vec<Value> = (0..10_000).map(|n| json!({ "id": format!("n{n}"), "kind": "data.set" })).collect();
    let wide: serde_json::Map<String, Value> = (0..100_000).map(|n| (format!("p{n}"), json!({}))).collect();
    for (answer, code) in [
        ("I would start with an HTTP step.".to_owned(), "NOT_JSON"),
        ("{\"nodes\": [{\"id\": \"fetch\",".to_owned(), "NOT_JSON"),
        ("<html><body>Bad gateway</body></html>".to_owned(), "NOT_JSON"),
        (json!({ "nodes": many, "edges": [] }).to_string(), "NOT_JSON"),
        (json!({ "nodes": many[..101], "edges": [] }).to_string(), "TOO_LARGE"),
        (
            json!({ "nodes": [{ "id": "a", "kind": "data.set" }], "params": { "properties": wide } }).to_string(),
            "NOT_JSON",
        ),
        (json!({ "nodes": [{ "id": "a", "kind": "shell.run", "config": {} }] }).to_string(), "UNKNOWN_TYPE"),
        (json!({ "nodes": [{ "id": "a", "kind": "data.set", "configuration": {} }] }).to_string(), "UNKNOWN_FIELD"),
        (json!({ "nodes": [{ "id": "a/b", "kind": "data.set" }] }).to_string(), "BAD_DRAFT"),
        (
            json!({ "nodes": [{ "id": "a", "kind": "flow.noop" }], "edges": [["a.sucess", "a"]] }).to_string(),
            "UNKNOWN_PORT",
        ),
        (json!({ "patch": [{ "op": "set", "node": "a", "path": "/config/x", "value": 1 }] }).to_string(), "BAD_PATCH"),
        ("[]".to_owned(), "NOT_JSON"),
        ("null".to_owned(), "NOT_JSON"),
    ] {
        let answers: Vec<String> = std::iter::once(outline()).chain(std::iter::repeat_n(answer.clone(), 10)).collect();
        let run = drive(REQUEST, true, &answers, &[]);
        assert_eq!(run.plan.outcome, Some(Outcome::Invalid), "{answer:.60}");
        assert_eq!(run.questions.len(), 2 + MAX_REPAIRS, "{answer:.60}");
        let codes: Vec<&str> = run.plan.findings.iter().map(|finding| finding.code.as_str()).collect();
        assert!(codes.contains(&code), "{answer:.60}: {:?}", run.plan.findings);
        assert!(run.questions.iter().all(|question| crate::tokens(&question.text) <= crate::MAX_PROMPT_TOKENS));
    }
}

#[test]
fn an_answer_after_cancel_changes_nothing_and_the_draft_is_kept() {
    let (mut state, _) = plan(Plan::new(REQUEST, true), &Event::Started, &Engine);
    for text in [outline(), draft()] {
        let event = Event::Answered { question: state.question, text, usage: Usage::default() };
        state = plan(state, &event, &Engine).0;
    }
    let (cancelled, effects) = plan(state, &Event::Cancelled, &Engine);
    assert_eq!(effects, [Effect::Finish(Outcome::Cancelled)]);
    assert!(cancelled.document(&CATALOG).is_some());
    for late in [
        Event::Tried { trial: 1, issues: missing(&["$.x"]) },
        Event::Answered { question: 2, text: draft(), usage: Usage::default() },
        Event::Started,
    ] {
        let (after, effects) = plan(cancelled.clone(), &late, &Engine);
        assert_eq!((after, effects), (cancelled.clone(), vec![]));
    }
}

#[test]
fn an_answer_to_an_old_question_changes_nothing() {
    let (state, _) = plan(Plan::new(REQUEST, true), &Event::Started, &Engine);
    let event = Event::Answered { question: state.question, text: outline(), usage: Usage::default() };
    let (next, _) = plan(state, &event, &Engine);
    let (after, effects) = plan(next.clone(), &event, &Engine);
    assert_eq!((after, effects), (next, vec![]));
}

fn any_answer() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(outline()),
        Just(draft()),
        Just(metadata()),
        Just(draft().replace("data.set", "data.sett")),
        (0..3_u8).prop_map(|n| set_extract(extract(&format!("$.p{n}"), "$.bio"))),
        Just(json!({ "patch": [{ "op": "remove", "node": "keep" }] }).to_string()),
        Just(json!({ "unsupported": "no" }).to_string()),
        Just("{\"nodes\": [".to_owned()),
        ".{0,60}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the model answers and whatever the tries find, the plan ends within its bounds, and the same events give the
    /// same plan again.
    #[test]
    fn a_plan_ends_within_bounds_and_is_replayable(
        answers in proptest::collection::vec(any_answer(), 0..40),
        paths in proptest::collection::vec((0..6_u8, any::<bool>()), 0..8),
        tries in any::<bool>(),
    ) {
        let found: Vec<Vec<Issue>> = paths
            .iter()
            .map(|(n, fixable)| {
                let mut issues = missing(&[format!("$.x{n}").as_str()]);
                issues[0].fixable = *fixable;
                if *n == 5 { vec![] } else { issues }
            })
            .collect();
        // Cycled, so that the model never runs out of answers.
        let endless: Vec<String> = answers.iter().cycle().take(if answers.is_empty() { 0 } else { 200 }).cloned().collect();
        let run = drive(REQUEST, tries, &endless, &found);
        prop_assert!(run.plan.outcome.is_some());
        prop_assert!(run.questions.len() <= 2 * (1 + MAX_REPAIRS) + MAX_CORRECTIONS * (1 + MAX_REPAIRS) + 1);
        prop_assert!(run.trials <= 1 + MAX_CORRECTIONS);
        let mut again = Plan::new(REQUEST, tries);
        for event in &run.events {
            again = plan(again, event, &Engine).0;
        }
        prop_assert_eq!(&again, &run.plan);
        if let Some(document) = run.plan.document(&CATALOG) {
            prop_assert_eq!(Engine.check(&document), vec![]);
        }
    }
}
