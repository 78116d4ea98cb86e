//! The evaluation set against a scripted model: every request is planned by the whole loop, without a process or a network.

use crate::{
    Category, Checker, Draft, Effect, Event, Finding, Issue, Outcome, Plan, Usage, changes_of_intent, from_diagnostics,
    plan, tokens,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use signalbox_engine::Catalog;
use signalbox_engine::validate::check_bytes;
use signalbox_model::{Role, path};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| signalbox_nodes::built_in().clone());

/// A request of the set.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    text: String,
    kinds: Vec<String>,
    tag: String,
    #[serde(default)]
    trigger: Option<String>,
    /// A path that a model guesses, the answer of the service, and the path that is right.
    #[serde(default)]
    guess: Option<String>,
    #[serde(default)]
    body: Value,
    #[serde(default)]
    right: Option<String>,
}

fn set() -> Vec<Request> {
    serde_json::from_str(include_str!("../../../../../tests/planner/requests.json")).expect("a list")
}

struct Engine;

impl Checker for Engine {
    fn catalog(&self) -> &Catalog {
        &CATALOG
    }
    fn check(&self, document: &Value) -> Vec<Finding> {
        let checked = check_bytes(document.to_string().as_bytes(), &CATALOG);
        from_diagnostics(document, &checked.diagnostics, &CATALOG)
    }
}

/// A chain of the kinds that the request needs, with the settings of their examples.
fn draft_of(request: &Request) -> Value {
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    let mut before: Option<(String, String)> = None;
    let mut inside: Option<String> = None;
    for (index, name) in request.kinds.iter().enumerate() {
        let kind = CATALOG.get(name).unwrap_or_else(|| panic!("{name} is no kind"));
        let id = format!("{}_{index}", name.rsplit('.').next().unwrap_or(name));
        let example = kind.examples.iter().map(|example| json!(example)["config"].clone()).find(|config| {
            let document = json!({ "signalbox": 1, "id": "w", "name": "W", "edges": [], "nodes": { &id: { "type": name, "config": config } } });
            config.is_object() && Engine.check(&document).is_empty()
        });
        let mut config = example.unwrap_or_else(|| json!({}));
        if let Some(guess) = request.guess.as_ref().filter(|_| name == "http.request") {
            config = json!({ "url": "https://api.example.com/thing", "extract": { "value": guess } });
        }
        if name == "flow.subworkflow" {
            // It has no examples: which files there are depends on the machine.
            config = json!({ "workflow": "other" });
        }
        let mut node = json!({ "id": id, "kind": name, "config": config });
        if let Some(parent) = &inside {
            node["parent"] = json!(parent);
        }
        nodes.push(node);
        if let Some((id_before, port)) = before {
            edges.push(json!([format!("{id_before}.{port}"), id]));
        }
        if kind.role.is_container() && kind.role != Role::Subworkflow {
            // What comes after it stands in it.
            (inside, before) = (Some(id), None);
            continue;
        }
        let ports = kind.port_ids(Some(&config));
        let port = ports.iter().find(|port| *port != "error").cloned().unwrap_or_else(|| "success".into());
        before = Some((id, port));
    }
    if let Some(parent) = inside.filter(|parent| nodes.iter().all(|node| node["parent"] != json!(parent))) {
        nodes.push(json!({ "id": "each", "kind": "flow.noop", "parent": parent }));
    }
    json!({ "nodes": nodes, "edges": edges })
}

/// What a try finds: the guessed path, resolved by the one resolver that steps use.
fn found(request: &Request, draft: &Draft) -> Vec<Issue> {
    let mut issues = Vec::new();
    for (id, node) in &draft.nodes {
        let paths = node.fields.get("config").and_then(|config| config["extract"].as_object());
        for (_, given) in paths.into_iter().flatten() {
            let given = given.as_str().unwrap_or_default();
            let segments = path::parse(given).expect("a path");
            if path::resolve(&request.body, given, &segments).is_err() {
                let words = format!("{given} leads nowhere");
                let mut issue = Issue::new(id, Category::MissingPath, "BAD_PATH", &words, true);
                issue.attempted = vec![given.to_owned()];
                issue.available = path::available(&request.body);
                issues.push(issue);
            }
        }
    }
    issues
}

/// What came of a request.
#[derive(Debug, Default)]
struct Score {
    valid: bool,
    runs: bool,
    keeps_intent: bool,
    corrections: usize,
    tokens: usize,
}

fn run(request: &Request) -> (Score, Plan) {
    let mut state = Plan::new(&request.text, true);
    let (mut event, mut score) = (Some(Event::Started), Score::default());
    let mut answers = vec![json!({ "kinds": request.kinds, "steps": ["As asked"] }), draft_of(request)].into_iter();
    while let Some(now) = event.take() {
        let (next, effects) = plan(state, &now, &Engine);
        state = next;
        for effect in effects {
            event = Some(match effect {
                Effect::Ask(question) => {
                    let count = tokens(&question.system) + tokens(&question.text);
                    assert!(count <= crate::MAX_PROMPT_TOKENS, "{}: {count}", request.text);
                    score.tokens += count;
                    let text = answers.next().unwrap_or_else(|| match question.purpose {
                        crate::Purpose::Metadata => json!({ "name": "Planned", "description": request.text }),
                        _ => {
                            let at = state.draft.iter().flat_map(|draft| &draft.nodes);
                            let at = at.filter(|(_, node)| node.kind == "http.request").map(|(id, _)| id.clone()).next();
                            json!({ "patch": [{ "op": "set", "node": at, "path": "/config/extract/value", "value": request.right }] })
                        }
                    });
                    let usage = Usage { questions: 1, ..Usage::default() };
                    Event::Answered { question: question.number, text: text.to_string(), usage }
                }
                Effect::Try(trial) => {
                    let draft = state.valid.clone().expect("a draft is tried");
                    Event::Tried { trial: trial.number, issues: found(request, &draft) }
                }
                Effect::Finish(outcome) => {
                    score.valid = state.valid.is_some();
                    score.runs = matches!(outcome, Outcome::Ready | Outcome::IntentChanged);
                    score.corrections = state.corrections;
                    let first = state.first.clone().unwrap_or_default();
                    let last = state.valid.clone().unwrap_or_default();
                    let changed = changes_of_intent(&first, &last, |kind| CATALOG.get(kind).is_some());
                    let has = |kind: &String| last.nodes.values().any(|node| node.kind == *kind);
                    score.keeps_intent = changed.is_empty() && request.kinds.iter().all(has);
                    return (score, state);
                }
            });
        }
    }
    (score, state)
}

#[test]
fn sixty_requests_are_planned_and_keep_what_was_asked_for() {
    let set = set();
    assert_eq!(set.len(), 60);
    let mut bad = Vec::new();
    for request in &set {
        let (score, plan) = run(request);
        let corrections = usize::from(request.guess.is_some());
        if !score.valid || !score.runs || !score.keeps_intent || score.corrections != corrections {
            bad.push(format!("{}: {score:?} {:?} {:?}", request.text, plan.reason, plan.findings));
        }
        let document = plan.document(&CATALOG).unwrap_or_default();
        let starts = |trigger: &String| document["nodes"].to_string().contains(trigger.as_str());
        assert!(request.trigger.as_ref().is_none_or(starts), "{}", request.text);
        // 2 questions and a name, and one more for a correction.
        assert!(score.tokens <= 4 * crate::MAX_PROMPT_TOKENS, "{}: {}", request.text, score.tokens);
    }
    assert_eq!(bad, Vec::<String>::new());
}

#[test]
fn the_set_has_requests_of_every_kind() {
    let mut tags: BTreeMap<String, usize> = BTreeMap::new();
    for request in set() {
        *tags.entry(request.tag).or_default() += 1;
    }
    for tag in ["plain", "guess", "nested", "array", "loop", "approval", "schedule", "webhook", "language"] {
        assert!(tags.get(tag).is_some_and(|count| *count >= 4), "{tag}: {tags:?}");
    }
}

#[test]
fn a_model_that_never_finds_the_field_ends_after_three_corrections() {
    for request in set().iter().filter(|request| request.guess.is_some()) {
        let mut never = Map::new();
        never.insert("else".into(), json!(1));
        let (score, plan) = run(&Request {
            text: request.text.clone(),
            kinds: request.kinds.clone(),
            tag: request.tag.clone(),
            trigger: None,
            guess: request.guess.clone(),
            body: never.into(),
            right: Some("$.still.wrong".into()),
        });
        assert!(!score.runs && score.corrections <= crate::MAX_CORRECTIONS, "{score:?}");
        assert_eq!(plan.outcome, Some(Outcome::FailedRuntime));
    }
}
