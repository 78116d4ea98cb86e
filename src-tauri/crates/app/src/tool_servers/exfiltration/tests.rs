use super::findings;
use crate::dto::{Tool, ToolGuess};
use serde_json::{Value, json};
use signalbox_adapters::mcp::ToolWord;
use signalbox_model::{Code, Workflow};

pub(in crate::tool_servers) fn tool(name: &str, bears_secrets: bool, is_egress: bool) -> Tool {
    let (server, name) = name.split_once('/').expect("server/tool");
    Tool {
        server: server.into(),
        name: name.into(),
        title: None,
        description: String::new(),
        input_schema: json!({}),
        output_schema: None,
        read_only: !is_egress,
        idempotent: false,
        destructive: is_egress,
        open_world: is_egress,
        bears_secrets,
        is_egress,
        is_untrusted: true,
        unusable: None,
        guess: ToolGuess { bears_secrets, is_egress, is_untrusted: true },
        said: ToolWord::default(),
    }
}

fn here() -> Vec<Tool> {
    vec![
        tool("crm/find", true, false),
        tool("mail/send", false, true),
        tool("files/read", false, false),
        tool("erp/post", true, true),
    ]
}

fn workflow(settings: Value, agent: Value, edges: Value) -> Workflow {
    let nodes = json!({ "page": { "type": "http.request" }, "plain": { "type": "data.set" }, "work": { "type": "agent.task", "config": agent } });
    serde_json::from_value(json!({
        "signalbox": 1, "id": "w", "name": "W", "settings": settings, "nodes": nodes, "edges": edges
    }))
    .expect("a workflow")
}

fn with(tools: &[&str]) -> Value {
    json!({ "prompt": "Go", "tools": tools })
}

#[test]
fn a_secret_and_a_way_out_in_one_hand_are_an_error_with_its_fix() {
    let file = workflow(json!({}), with(&["crm/find", "mail/send", "files/read"]), json!([]));
    let found = findings(&file, &here());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].code, found[0].path.as_str()), (Code::UngatedEgress, "/nodes/work/config/tools"));
    assert!(found[0].message.contains("reads the answers of its tools"), "{}", found[0].message);
    assert!(
        found[0].message.contains("secrets with crm/find and send them out with mail/send"),
        "{}",
        found[0].message
    );

    // The fix mends it, and leaves the other tools as they were.
    let fix = found[0].fix.as_deref().expect("a fix");
    assert_eq!(fix.path, "/nodes/work/config/toolRules");
    assert_eq!(fix.value[0]["when"], "(server == \"mail\" && tool == \"send\")");
    assert_eq!((&fix.value[1]["when"], &fix.value[1]["action"]), (&json!("true"), &json!("allow")));
    let mut config = with(&["crm/find", "mail/send", "files/read"]);
    config["toolRules"] = fix.value.clone();
    assert!(findings(&workflow(json!({}), config, json!([])), &here()).is_empty());
}

#[test]
fn one_of_the_two_or_a_person_between_is_well() {
    for tools in [&["crm/find", "files/read"][..], &["mail/send", "files/read"], &["erp/post"], &["nowhere/else"], &[]]
    {
        let file = workflow(json!({}), with(tools), json!([]));
        assert!(findings(&file, &here()).is_empty(), "{tools:?}");
    }
    // Each of two that are both: what one finds the other lets out.
    let both = workflow(json!({}), with(&["erp/post", "mail/send", "crm/find"]), json!([]));
    assert!(findings(&both, &here())[0].message.contains("mail/send, erp/post"));

    let tools = ["crm/find", "mail/send"];
    let ask = json!([{ "name": "mail", "when": "server == 'mail'", "action": "ask" }]);
    assert!(findings(&workflow(json!({ "toolRules": ask }), with(&tools), json!([])), &here()).is_empty());
    let some = json!([{ "name": "mail", "when": "args.to != 'me'", "action": "ask" }, { "name": "rest", "when": "true", "action": "allow" }]);
    let found = findings(&workflow(json!({ "toolRules": some }), with(&tools), json!([])), &here());
    assert_eq!(found.len(), 1, "a rule over arguments leaves a way");
    // The rule that mends it stands in front, and the workflow's own rules stay.
    assert_eq!(found[0].fix.as_deref().map(|fix| fix.value.as_array().map(Vec::len)), Some(Some(1)));
}

#[test]
fn tools_of_the_workflow_count_for_agents_and_the_source_is_named() {
    let edges = json!([{ "from": "page.success", "to": "plain" }, { "from": "plain.success", "to": "work" }]);
    let file = workflow(json!({ "tools": ["crm/find", "mail/send"] }), json!({ "prompt": "Go" }), edges);
    let found = findings(&file, &here());
    assert!(found[0].message.contains("external data from 'page'"), "{}", found[0].message);
    let away = workflow(json!({ "tools": ["crm/find", "mail/send"] }), with(&["-mail/send"]), json!([]));
    assert!(findings(&away, &here()).is_empty());
    let mut off = file;
    off.nodes["work"].disabled = Some(true);
    assert!(findings(&off, &here()).is_empty());
}

#[test]
fn tools_whose_answers_a_person_trusts_bring_nobody_who_speaks_to_the_model() {
    let trusted = |tool: Tool| Tool { is_untrusted: false, ..tool };
    let own = || vec![trusted(tool("crm/find", true, false)), trusted(tool("mail/send", false, true))];
    let tools = ["crm/find", "mail/send"];
    let alone = workflow(json!({}), with(&tools), json!([]));
    assert!(findings(&alone, &own()).is_empty());
    // One of them, or a step before, that brings something is enough.
    let mut one = own();
    one[1].is_untrusted = true;
    assert_eq!(findings(&alone, &one).len(), 1);
    let fed = workflow(json!({}), with(&tools), json!([{ "from": "page.success", "to": "work" }]));
    let found = findings(&fed, &own());
    assert!(found[0].message.contains("reads external data from 'page';"), "{}", found[0].message);
    // Files that the step names itself, and variables that any step fills, come to the model, too.
    let mut read = with(&tools);
    read["docs"] = json!(["/in/letter.txt"]);
    let found = findings(&workflow(json!({}), read, json!([])), &own());
    assert!(found[0].message.contains("reads external data;"), "{}", found[0].message);
    let mut kept = workflow(json!({}), with(&tools), json!([]));
    kept.nodes["page"].out = serde_json::from_value(json!({ "$page": "=output" })).expect("a map");
    assert_eq!(findings(&kept, &own()).len(), 1);
}

#[test]
fn a_name_with_quotes_stays_a_name_in_the_rule_that_mends() {
    let odd = vec![tool("crm/find", true, false), tool("mail/se\"nd' || true || \"", false, true)];
    let name = "mail/se\"nd' || true || \"";
    let file = workflow(json!({}), with(&["crm/find", name]), json!([]));
    let found = findings(&file, &odd);
    let mut config = with(&["crm/find", name]);
    config["toolRules"] = found[0].fix.as_deref().expect("a fix").value.clone();
    assert!(findings(&workflow(json!({}), config, json!([])), &odd).is_empty());
}

#[test]
fn the_fix_for_many_tools_is_one_that_can_be_read() {
    let many: Vec<String> = (0..120).map(|at| format!("forge/a_tool_with_a_name_of_its_own_{at}")).collect();
    for whole in [true, false] {
        let mut here: Vec<Tool> = many.iter().map(|name| tool(name, true, true)).collect();
        here.push(tool("forge/reads", true, false));
        let mut names: Vec<&str> = many.iter().map(String::as_str).collect();
        // The whole server is named where all that the model has of it lets data out.
        if !whole {
            names.push("forge/reads");
        }
        let found = findings(&workflow(json!({}), with(&names), json!([])), &here);
        let fix = found[0].fix.as_deref().expect("a fix").value.clone();
        let rules = fix.as_array().expect("a list");
        assert_eq!(rules[0]["when"] == "server == \"forge\"", whole, "{fix}");
        assert!(
            rules.len() <= 20 && rules.iter().all(|rule| rule["when"].as_str().is_some_and(|when| when.len() <= 3_500))
        );
        let mut config = with(&names);
        config["toolRules"] = fix;
        let mended = workflow(json!({}), config, json!([]));
        assert!(findings(&mended, &here).is_empty());
        let told = signalbox_engine::validate::check(&mended, crate::workflows::check::catalog());
        assert!(!told.iter().any(|one| one.path.contains("toolRules")), "{told:?}");
    }
}
