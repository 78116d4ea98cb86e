use super::super::available_tools::Here;
use super::super::exfiltration::tests::tool;
use super::findings;
use crate::dto::Tool;
use serde_json::{Value, json};
use signalbox_model::{Severity, Workflow};

fn here() -> Here {
    let wants = json!({
        "type": "object", "required": ["path", "mode", "timeoutMs"],
        "properties": { "path": { "type": "string" }, "mode": { "type": "string" }, "timeoutMs": { "type": "integer" } }
    });
    let read = Tool { input_schema: wants, ..tool("files/read_file", false, false) };
    let odd = Tool {
        unusable: Some("why".into()),
        input_schema: json!({ "required": ["a"] }),
        ..tool("files/odd", false, false)
    };
    Here { tools: vec![read, odd], servers: [("files".to_owned(), true), ("new".to_owned(), false)].into() }
}

/// Code, place and hint of each finding.
fn found(settings: Value, nodes: Value) -> Vec<(String, String, String)> {
    let file: Workflow = serde_json::from_value(json!({
        "signalbox": 1, "id": "w", "name": "W", "settings": settings, "nodes": nodes, "edges": []
    }))
    .expect("a workflow");
    let found = findings(&file, &here());
    assert!(found.iter().all(|one| one.severity == Severity::Warning), "{found:?}");
    found.into_iter().map(|one| (one.code.as_str(), one.path, format!("{}: {}", one.message, one.hint))).collect()
}

fn step(id: &str, config: Value) -> Vec<(String, String, String)> {
    found(json!({}), json!({ id: { "type": "mcp.tool", "config": config } }))
}

#[test]
fn a_tool_or_a_server_that_is_not_here_is_told_with_the_one_that_was_meant() {
    let told = step("a", json!({ "server": "fils", "tool": "read_file" }));
    assert_eq!((told.len(), told[0].0.as_str(), told[0].1.as_str()), (1, "UNKNOWN_TOOL", "/nodes/a/config/server"));
    assert!(
        told[0].2.contains("no tool server 'fils' on this machine") && told[0].2.ends_with("Did you mean 'files'?"),
        "{told:?}"
    );

    let told = step("a", json!({ "server": "files", "tool": "read_fil" }));
    assert_eq!((told.len(), told[0].0.as_str(), told[0].1.as_str()), (1, "UNKNOWN_TOOL", "/nodes/a/config/tool"));
    assert!(told[0].2.ends_with("Did you mean 'read_file'?"), "{told:?}");
    // T-10: its name may stand in the step's.
    assert_eq!(step("Tool_010_gone", json!({ "server": "files" }))[0].1, "/nodes/Tool_010_gone/config/tool");
}

#[test]
fn a_model_that_has_such_a_tool_is_told_where_its_name_stands() {
    for kind in ["llm.chat", "agent.task"] {
        let nodes =
            json!({ "a": { "type": kind, "config": { "tools": ["files/read_file", "+files/gone", "learn_x"] } } });
        let told = found(json!({}), nodes);
        assert_eq!((told.len(), told[0].1.as_str()), (1, "/nodes/a/config/tools/1"), "{told:?}");
    }
    let agent = |tools: Value| json!({ "a": { "type": "agent.task", "config": { "prompt": "Go", "tools": tools } } });
    let of_workflow = json!({ "tools": ["other/gone"] });
    assert_eq!(found(of_workflow.clone(), agent(json!([])))[0].1, "/nodes/a/config/tools");
    assert_eq!(found(of_workflow, agent(json!(["-other/gone"]))), []);
}

#[test]
fn arguments_that_a_tool_wants_and_nobody_gives_are_told_one_by_one() {
    for given in [json!({}), json!({ "arguments": null }), json!({ "arguments": {} })] {
        let mut config = json!({ "server": "files", "tool": "read_file" });
        config.as_object_mut().expect("an object").extend(given.as_object().expect("an object").clone());
        let told: Vec<_> = step("a", config).into_iter().map(|(code, at, _)| (code, at)).collect();
        let at = |name: &str| ("TOOL_ARGUMENTS".to_owned(), format!("/nodes/a/config/arguments/{name}"));
        assert_eq!(told, [at("path"), at("mode")], "the limit of the step goes along by itself (T-06)");
    }
    let one = step("a", json!({ "server": "files", "tool": "read_file", "arguments": { "path": "={{ item.path }}" } }));
    assert_eq!(one.len(), 1);
    assert!(one[0].2.contains("'files/read_file' wants 'mode'"), "{one:?}");
}

#[test]
fn what_data_of_the_run_makes_a_server_that_waits_for_a_person_and_what_is_told_elsewhere_are_no_findings() {
    for config in [
        json!({ "server": "files", "tool": "read_file", "arguments": { "path": "={{ item.p }}", "mode": "" } }),
        json!({ "server": "files", "tool": "read_file", "arguments": "={{ item }}" }),
        json!({ "server": "={{ context.server }}", "tool": "read_file" }),
        json!({ "server": "files", "tool": "{{ item.tool }}" }),
        json!({ "server": "new", "tool": "any" }),
        json!({ "server": "files", "tool": "odd" }),
        // Engine: MISSING_CONFIG.
        json!({ "server": "files" }),
        json!({ "tool": "read_file" }),
    ] {
        assert_eq!(step("a", config.clone()), [], "{config}");
    }
    let disabled =
        json!({ "a": { "type": "mcp.tool", "disabled": true, "config": { "server": "gone", "tool": "x" } } });
    assert_eq!(found(json!({}), disabled), []);
}
