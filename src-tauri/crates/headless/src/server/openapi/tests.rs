use super::super::routes::{Access, Action, ROUTES};
use super::document;
use serde_json::Value;
use signalbox_app::command_list::COMMANDS;
use signalbox_app::dto::Host;
use std::collections::BTreeSet;

/// The operations of the API. Addresses of webhooks are in the document, too; they are for other programs, without a token.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let mut all = Vec::new();
    let paths = document["paths"].as_object().expect("paths");
    const OF_OTHERS: [&str; 3] = ["/hooks/{path}", "/task-hooks/{id}", "/task-links/{id}"];
    assert!(OF_OTHERS.iter().all(|path| paths.contains_key(*path)));
    let is_of_others = |path: &str| OF_OTHERS.contains(&path);
    for (path, methods) in paths.iter().filter(|(path, _)| !is_of_others(path)) {
        for (method, operation) in methods.as_object().expect("methods") {
            all.push((method.to_uppercase(), path.clone(), operation));
        }
    }
    all
}

#[test]
fn the_document_has_the_routes_of_the_server_and_no_others() {
    let document = document();
    let said: BTreeSet<_> = operations(&document).into_iter().map(|(method, path, _)| (method, path)).collect();
    let served: BTreeSet<_> = ROUTES
        .iter()
        .filter(|route| route.action != Action::Rpc)
        .map(|route| (route.method.to_string(), route.named("{id}")))
        .chain(
            COMMANDS
                .iter()
                .filter(|command| command.hosts.contains(&Host::Http))
                .map(|command| ("POST".to_owned(), format!("/rpc/{}", command.name))),
        )
        .collect();
    assert_eq!(said, served);
    let ids: BTreeSet<_> = operations(&document).iter().map(|(.., op)| op["operationId"].to_string()).collect();
    assert_eq!(ids.len(), said.len(), "an operation has an id of its own");
}

#[test]
fn every_operation_says_who_may_what_it_takes_and_what_it_answers() {
    let document = document();
    assert_eq!(document["components"]["securitySchemes"]["token"]["scheme"], "bearer");
    assert_eq!(document["security"][0]["token"], serde_json::json!([]));
    for (method, path, operation) in operations(&document) {
        let name = format!("{method} {path}");
        let route = ROUTES.iter().find(|route| {
            route.method.as_str() == method
                && (route.named("{id}") == path || route.action == Action::Rpc && path.starts_with("/rpc/"))
        });
        let route = route.expect("a route");
        let role = match route.access {
            Access::Open => {
                assert_eq!(operation["security"], serde_json::json!([]), "{name}");
                None
            }
            Access::Role(role) => Some(role.as_str()),
            Access::Command => {
                let command = COMMANDS.iter().find(|command| path.ends_with(&format!("/{}", command.name)));
                Some(command.expect("a command").role.as_str())
            }
        };
        assert_eq!(operation["x-role"].as_str(), role, "{name}");
        assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
        assert_eq!(operation["requestBody"].is_object(), matches!(method.as_str(), "POST" | "PUT"), "{name}");
        let answer = operation["responses"]["200"]["content"].as_object().expect("an answer");
        let (media, answer) = answer.iter().next().expect("one");
        let shape = if media == "text/event-stream" { &answer["x-data"] } else { &answer["schema"] };
        assert!(shape.as_object().is_some_and(|shape| !shape.is_empty()) || path == "/rpc/run_value", "{name}");
        let errors: BTreeSet<_> = operation["responses"].as_object().expect("some").keys().cloned().collect();
        let said = route.errors().iter().map(|status| status.as_str().to_owned());
        let part = route.in_part().then(|| "206".to_owned());
        assert_eq!(errors, said.chain(part).chain(["200".to_owned()]).collect(), "{name}");
        let in_path =
            operation["parameters"].as_array().into_iter().flatten().filter(|one| one["in"] == "path").count();
        assert_eq!(in_path, path.matches('{').count(), "{name}");
    }
}

#[test]
fn every_reference_resolves_and_nothing_is_there_in_vain() {
    let document = document();
    let mut wanted = BTreeSet::new();
    references(&document, &mut wanted);
    for target in &wanted {
        let pointer = target.strip_prefix('#').expect("inside the document");
        assert!(document.pointer(pointer).is_some(), "{target}");
    }
    for name in document["components"]["schemas"].as_object().expect("schemas").keys() {
        let known = wanted.contains(&format!("#/components/schemas/{name}"));
        // Their fields stand in the operation itself, because the path names the thing or the query asks.
        let inlined = ["RunAnswer", "TaskList", "TaskStatsRequest", "AuditList"].contains(&name.as_str());
        assert!(known || inlined, "{name} is used nowhere");
    }
}

fn references(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value.as_str() {
                    Some(target) if key == "$ref" => drop(into.insert(target.to_owned())),
                    _ => references(value, into),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, into)),
        _ => {}
    }
}

/// The page lists the routes as they are; `SIGNALBOX_GEN=1` writes its table anew.
#[test]
fn gen_the_page_about_rest_lists_the_routes() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/rest.md");
    let page = std::fs::read_to_string(&file).expect("the page");
    let head = "| route | least role | |\n|---|---|---|\n";
    let (before, _) = page.split_once(head).expect("its table");
    let mut fresh = format!("{before}{head}");
    for route in ROUTES {
        let role = match route.access {
            Access::Open => "no token",
            Access::Role(role) => role.as_str(),
            Access::Command => "as the command",
        };
        let path = route.named(if route.action == Action::Rpc { "{command}" } else { "{id}" });
        fresh.push_str(&format!("| `{} {path}` | {role} | {} |\n", route.method, route.about));
    }
    if page == fresh {
        return;
    }
    assert!(std::env::var_os("SIGNALBOX_GEN").is_some(), "docs/rest.md is stale: run `cargo xtask gen` and commit it");
    std::fs::write(&file, fresh).expect("written");
}
