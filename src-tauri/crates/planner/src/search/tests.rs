use super::{search, trigger_named};
use crate::prompt::{Material, question};
use crate::{Draft, MAX_PROMPT_TOKENS, Purpose, schema_in_brief, tokens};
use serde_json::{Map, Value, json};
use signalbox_engine::Catalog;

fn catalog() -> Catalog {
    signalbox_nodes::built_in().clone()
}

fn kinds(request: &str) -> Vec<String> {
    search(&catalog(), request, 12).into_iter().map(|hit| hit.kind).collect()
}

#[test]
fn kinds_are_found_by_words_in_several_languages() {
    for (request, kind) in [
        ("fetch the user torvalds from GitHub", "http.request"),
        ("every morning at 8 send me the weather", "trigger.schedule"),
        ("jeden Montag die Zahlen abrufen", "trigger.schedule"),
        ("when a webhook arrives, store it", "trigger.webhook"),
        ("frage mich vor dem Senden", "builtin.human_approval"),
        ("read the csv file and write a report", "file.read"),
        ("summarize the text", "llm.chat"),
        ("call a tool of my mcp server", "mcp.tool"),
    ] {
        assert!(kinds(request).iter().any(|found| found == kind), "{request}: {:?}", kinds(request));
    }
    assert!(kinds("zzz qqq").contains(&"http.request".to_owned()), "the common kinds are always offered");
}

#[test]
fn a_request_that_says_when_names_its_trigger() {
    for (request, trigger) in [
        ("fetch the weather every morning", Some("trigger.schedule")),
        ("hole täglich die Kurse", Some("trigger.schedule")),
        ("cada día a las 8", Some("trigger.schedule")),
        ("a webhook for orders", Some("trigger.webhook")),
        ("for every order send a mail", None),
        ("fetch the user", None),
    ] {
        assert_eq!(trigger_named(request), trigger, "{request}");
    }
}

/// A catalog of thousands of kinds, one of them with 10^5 settings.
fn huge() -> Catalog {
    let mut all = signalbox_nodes::catalog();
    let plain = all.iter().find(|kind| kind.kind == "http.request").expect("there").clone();
    for n in 0..3_000 {
        let mut kind = plain.clone();
        kind.kind = format!("http.fetch_{n}");
        kind.description = "Fetches users from an api. ".repeat(40);
        all.push(kind);
    }
    let wide = all.iter_mut().find(|kind| kind.kind == "data.set").expect("there");
    let properties: Map<String, Value> = (0..100_000)
        .map(|n| (format!("property_{n}"), json!({ "type": "string", "description": "x".repeat(300) })))
        .collect();
    wide.config["properties"] = properties.into();
    Catalog::new(all)
}

#[test]
fn a_question_stays_small_whatever_the_size_of_the_catalog() {
    let request = "fetch the user torvalds from GitHub and keep name and biography, ask me if it fails";
    let answer = json!({
        "nodes": [
            { "id": "fetch", "kind": "http.request", "config": { "url": "https://api.example.com/users/torvalds" } },
            { "id": "keep", "kind": "data.set", "config": { "assign": { "name": "{{item.response.name}}" } } },
        ],
        "edges": [["fetch", "keep"]],
    });
    let draft = Draft::read(answer.as_object().expect("an object")).expect("a draft");
    for catalog in [catalog(), huge()] {
        let found: Vec<String> = search(&catalog, request, 12).into_iter().map(|hit| hit.kind).collect();
        for purpose in [Purpose::Outline, Purpose::Generate, Purpose::Repair, Purpose::RuntimeFix, Purpose::Metadata] {
            let of = Material {
                request,
                catalog: &catalog,
                kinds: &found,
                steps: &["Fetch".to_owned()],
                draft: Some(&draft),
                findings: &[],
                issues: &[],
            };
            let asked = question(1, purpose, &of);
            let count = tokens(&asked.system) + tokens(&asked.text);
            assert!(count <= MAX_PROMPT_TOKENS, "{purpose:?}: {count}");
        }
    }
    let catalog = huge();
    let brief = schema_in_brief(catalog.get("data.set").expect("there"), 2_000);
    assert!(brief.chars().count() <= 2_000 && brief.contains("more settings"), "{brief}");
}

/// The evaluation set: for each request the kinds that it needs are among those that a model may choose from.
#[test]
fn the_evaluation_set_finds_its_kinds() {
    let set: Vec<Value> =
        serde_json::from_str(include_str!("../../../../../tests/planner/requests.json")).expect("a list");
    let mut missed = Vec::new();
    for one in &set {
        let text = one["text"].as_str().expect("a request");
        let found: Vec<String> = search(&catalog(), text, 24).into_iter().map(|hit| hit.kind).collect();
        for kind in one["kinds"].as_array().expect("kinds").iter().filter_map(Value::as_str) {
            if !found.iter().any(|known| known == kind) {
                missed.push(format!("{text}: {kind}"));
            }
        }
        assert_eq!(trigger_named(text), one["trigger"].as_str(), "{text}");
    }
    assert_eq!(missed, Vec::<String>::new());
}
