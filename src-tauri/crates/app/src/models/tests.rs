use super::findings::{findings, of_called};
use super::probe::{Place, look};
use crate::dto::{ModelChoice, ModelKind};
use serde_json::{Value, json};
use signalbox_adapters::{KnownProvider, Models, Providers, WebHttp};
use signalbox_model::diagnostic::Severity;
use signalbox_model::{Code, Workflow};
use signalbox_ports::NoSecrets;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

fn workflow(settings: Value, config: Value) -> Workflow {
    serde_json::from_value(json!({
        "signalbox": 1, "id": "w", "name": "W", "settings": settings, "edges": [],
        "nodes": { "ask": { "type": "llm.chat", "config": config }, "start": { "type": "trigger.manual" } },
    }))
    .expect("a workflow")
}

#[test]
fn k_41_a_file_that_a_step_names_is_looked_at_before_the_run_and_told_at_that_step() {
    let outer = serde_json::from_value(json!({
        "signalbox": 1, "id": "o", "name": "O", "edges": [],
        "nodes": { "sub": { "type": "flow.subworkflow", "config": { "workflow": "w" } } },
    }));
    let inner = findings(&workflow(json!({}), json!({})), &[], None, None);
    let found = of_called(&outer.expect("a workflow"), &[("w", inner.clone()), ("further", inner)]);
    let places: Vec<_> = found.iter().map(|one| (one.code, one.path.as_str())).collect();
    assert_eq!(places, [(Code::MissingModel, "/nodes/sub/config/workflow"), (Code::MissingModel, "")]);
    assert!(found[0].message.starts_with("In the workflow 'w' (/nodes/ask/config/model): "), "{}", found[0].message);
}

#[test]
fn k_41_a_step_without_a_model_is_found_before_it_runs() {
    let home = ModelChoice { provider: "home".into(), model: "small".into() };
    let codes = |settings: Value, config: Value, default: Option<&ModelChoice>| -> Vec<(Code, String)> {
        let found = findings(&workflow(settings, config), &["home".into(), "far".into()], default, None);
        found.into_iter().map(|one| (one.code, one.path)).collect()
    };
    let missing = |field: &str| vec![(Code::MissingModel, format!("/nodes/ask/config/{field}"))];
    let inline = json!({ "kind": "ollama", "baseUrl": "http://127.0.0.1:11434" });
    assert_eq!(codes(json!({}), json!({}), None), missing("model"));
    assert_eq!(codes(json!({}), json!({}), Some(&home)), []);
    assert_eq!(
        codes(json!({}), json!({ "provider": "far" }), Some(&home)),
        missing("model"),
        "another's model is none"
    );
    assert_eq!(codes(json!({}), json!({ "provider": "far", "model": "big" }), None), []);
    assert_eq!(codes(json!({}), json!({ "model": "big" }), None), missing("provider"));
    assert_eq!(codes(json!({}), json!({ "model": "big" }), Some(&home)), []);
    assert_eq!(codes(json!({ "model": "big" }), json!({ "provider": "far" }), None), []);
    assert_eq!(codes(json!({ "model": { "provider": "far", "model": "big" } }), json!({}), None), []);
    assert_eq!(codes(json!({}), json!({ "provider": inline }), Some(&home)), missing("model"));
    for expression in ["={{params.where}}", "{{params.where}}"] {
        let config = json!({ "provider": expression });
        assert_eq!(codes(json!({}), config.clone(), Some(&home)), [], "it may be the default's");
        assert_eq!(codes(json!({}), config, None), missing("model"));
        assert_eq!(codes(json!({}), json!({ "provider": expression, "model": "big" }), None), []);
    }
    assert_eq!(codes(json!({}), json!({ "provider": inline, "model": "m" }), None), []);
    let gone = vec![(Code::UnknownProvider, "/nodes/ask/config/provider".to_owned())];
    assert_eq!(codes(json!({}), json!({ "provider": "gone", "model": "m" }), None), gone);
    assert_eq!(codes(json!({}), json!({ "provider": "{{ params.p }}", "model": "m" }), None), []);
}

#[test]
fn k_41_adr_52_a_healer_that_asks_needs_a_model_and_one_with_rules_is_only_told() {
    let found = |config: Value| -> Vec<(Code, Severity)> {
        let mut workflow = workflow(json!({}), json!({}));
        let node = json!({ "type": "builtin.self_healing", "config": config });
        workflow.nodes = [("ask".to_owned(), serde_json::from_value(node).expect("a step"))].into_iter().collect();
        findings(&workflow, &[], None, None).into_iter().map(|one| (one.code, one.severity)).collect()
    };
    assert_eq!(found(json!({})), []);
    assert_eq!(found(json!({ "strategy": "deterministic" })), []);
    assert_eq!(found(json!({ "strategy": "llm" })), [(Code::MissingModel, Severity::Error)]);
    assert_eq!(found(json!({ "strategy": "both" })), [(Code::MissingModel, Severity::Warning)]);
    assert_eq!(found(json!({ "strategy": "llm", "modelHints": { "preferred": ["local-vllm"] } })), []);
}

/// docs/formats.md, Models: the example names what the reader finds.
#[test]
fn the_example_of_the_page_names_provider_and_model() {
    let page = include_str!("../../../../../docs/formats.md");
    let block = page.split("```json workflow-model\n").nth(1).expect("the block");
    let example: Value = serde_json::from_str(block.split("\n```").next().expect("its end")).expect("JSON");
    let found = findings(&workflow(example["settings"].clone(), json!({})), &["local".into()], None, None);
    assert_eq!(found, []);
    let found = findings(&workflow(example["settings"].clone(), json!({})), &[], None, None);
    assert_eq!(found.len(), 1, "the provider is not here");
}

struct Empty;

impl Providers for Empty {
    fn provider(&self, _name: &str) -> Result<Option<KnownProvider>, String> {
        Ok(None)
    }
    fn default_model(&self) -> Result<Option<(String, String)>, String> {
        Ok(None)
    }
}

#[tokio::test]
async fn servers_of_this_machine_are_found_by_what_they_answer() {
    async fn server(body: &'static str) -> u16 {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _read = stream.read(&mut [0; 4096]).await;
                let length = body.len();
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
                let _sent = stream.write_all(format!("{head}{body}").as_bytes()).await;
            }
        });
        port
    }
    let places = [
        Place { name: "a", title: "A", kind: ModelKind::Ollama, port: server(r#"{"models":[{"name":"m"}]}"#).await },
        Place { name: "b", title: "B", kind: ModelKind::Openai, port: server(r#"{"data":[{"id":"n"}]}"#).await },
        // Another program listens there.
        Place { name: "c", title: "C", kind: ModelKind::Openai, port: server("<html>hello</html>").await },
    ];
    let http = Arc::new(WebHttp::new(&[]).expect("a client"));
    let models = Arc::new(Models::new(http, Arc::new(Empty), Arc::new(NoSecrets)));
    let found = look(&models, &places).await;
    let found: Vec<(&str, &[String])> = found.iter().map(|one| (one.name.as_str(), one.models.as_slice())).collect();
    assert_eq!(found, [("a", &["m".to_owned()][..]), ("b", &["n".to_owned()][..])]);
}
