//! Files of the step format of source 003 become workflows: what each thing is here, what is told, what is refused.

use serde_json::{Value, json};
use signalbox_engine::validate::check_bytes;
use signalbox_import::{Imported, Level, Options, import, recognise};
use signalbox_model::{Code, Severity};
use std::collections::BTreeSet;
use std::path::Path;

fn corpus(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vl").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read(text: &str) -> Imported {
    import(text, &Options::default()).unwrap_or_else(|refused| panic!("{refused}"))
}

/// Steps of a file of version 3.16 that declares what the tests use.
fn file(steps: Value) -> Value {
    json!({
        "version": "3.16", "name": "Test",
        "registry": {
            "params": ["who(STRING)", "limit(INT) = 3", "flag(BOOL) = false", "rows([OBJECT])"],
            "vars": ["$plan(OBJECT)", "$text(STRING)", "$n(INT)", "$ok(BOOL)", "$list([STRING])", "$any(OBJECT)"],
            "apis": [{ "id": "GetUser", "method": "GET", "url": "https://api.example/users/{id}", "auth": "SYSVAR.crm_key" },
                     { "id": "Save", "method": "POST", "url": "https://api.example/save", "headers": { "x-a": "1" } }],
            "schemas": { "Answer": { "type": "object", "required": ["a"] } },
        },
        "steps": steps,
    })
}

fn made(steps: Value) -> (Value, Imported) {
    let imported = read(&file(steps).to_string());
    (json!(imported.workflow), imported)
}

/// Findings of a level, as `CODE step`.
fn told(imported: &Imported, level: Level) -> Vec<String> {
    let all = imported.report.findings.iter().filter(|found| found.level == level);
    all.map(|found| format!("{} {}", found.code, found.step.as_deref().unwrap_or("-"))).collect()
}

/// What keeps the workflow from running.
fn errors(imported: &Imported) -> Vec<(Code, String, String)> {
    let catalog = signalbox_nodes::built_in().clone();
    let checked = check_bytes(json!(imported.workflow).to_string().as_bytes(), &catalog);
    let all = checked.diagnostics.into_iter().filter(|found| found.severity == Severity::Error);
    all.map(|found| (found.code, found.path, found.message)).collect()
}

fn edges(document: &Value) -> BTreeSet<String> {
    let all = document["edges"].as_array().into_iter().flatten();
    all.map(|edge| format!("{} > {}", edge["from"].as_str().unwrap_or(""), edge["to"].as_str().unwrap_or(""))).collect()
}

#[test]
fn ts_102_the_corpus_is_accepted_and_drift_is_a_warning() {
    for (name, steps, version, missing_next, services) in [
        ("brochure-13.json", 13, "3.13", 0, 0),
        ("nine-files-49.json", 49, "3.5", 0, 5),
        ("gate-24.json", 24, "3.13", 5, 1),
        ("forks-15.json", 15, "3.13", 6, 0),
        ("update-6.json", 6, "3.13", 0, 0),
    ] {
        let imported = read(&corpus(name));
        assert_eq!((imported.report.steps, imported.report.version.as_deref()), (steps, Some(version)), "{name}");
        assert_eq!(imported.report.translated.len(), steps, "{name}");
        assert!(
            imported.report.translated.iter().all(|one| !one.nodes.is_empty()),
            "{name}: each step stands somewhere"
        );
        let warnings = told(&imported, Level::Warning);
        assert!(warnings.contains(&"VERSION -".to_owned()), "{name}: {warnings:?}");
        assert_eq!(warnings.iter().filter(|one| one.starts_with("MISSING_NEXT")).count(), missing_next, "{name}");
        // What has no meaning here is a placeholder, named, with its reason, and nothing else is wrong.
        let problems = told(&imported, Level::Problem);
        assert_eq!(problems.len(), services, "{name}: {problems:?}");
        assert!(problems.iter().all(|one| one.starts_with("NOT_TRANSLATED Service_")), "{name}: {problems:?}");
        let errors = errors(&imported);
        assert_eq!(errors.len(), services, "{name}: {errors:?}");
        for (code, _, message) in errors {
            assert_eq!(code, Code::NotTranslated, "{name}: {message}");
            assert!(message.contains("could not be translated. It calls a service"), "{message}");
        }
        laid_out(&imported, name);
    }
}

/// Wires lead to the right, and no two steps of a body lie on each other.
fn laid_out(imported: &Imported, name: &str) {
    let document = json!(imported.workflow);
    let place = |id: &str| {
        let at = &document["layout"][id];
        (at[0].as_i64().expect("a place"), at[1].as_i64().expect("a place"))
    };
    for edge in &imported.workflow.edges {
        assert!(place(edge.from.node()).0 < place(&edge.to).0, "{name}: {} > {}", edge.from, edge.to);
    }
    let mut seen = BTreeSet::new();
    for (id, node) in &imported.workflow.nodes {
        assert!(seen.insert((node.parent.clone(), place(id))), "{name}: {id} lies on another step");
    }
}

#[test]
fn drift_of_each_kind_is_told_with_its_place() {
    let imported = read(&corpus("gate-24.json"));
    let warnings = told(&imported, Level::Warning);
    for one in
        ["SET_AS_FORK Set_Plans", "NO_EQUALS Set_Start", "NO_EQUALS Branch_Gate", "MISSING_NEXT LLM_20_Stock", "COPIED"]
    {
        let there = warnings.iter().any(|told| told.starts_with(one));
        assert_eq!(there, one != "COPIED", "{one}: {warnings:?}");
    }
    let found = imported.report.findings.iter().find(|found| found.code == "NO_EQUALS").expect("told");
    assert_eq!(found.path, "/steps/0/value");
    let imported = read(&corpus("brochure-13.json"));
    let missing: Vec<&str> =
        imported.report.findings.iter().filter(|f| f.code == "DOCUMENT").map(|f| f.message.as_str()).collect();
    assert_eq!(missing.len(), 2, "once per document: {missing:?}");
    assert!(missing[0].contains("(House style)"), "{missing:?}");
    let (document, odd) = made(json!([
        { "id": "Set_a", "target": "$n", "value": "=1", "next": "PAUSE" },
        { "id": "Check_b", "cases": { "$n == 1": { "next": "Done_c" }, "default": { "next": "Done_d" } }, "next": "RETURN" },
        { "id": "Done_c" }, { "id": "Done_d", "next": "Set_a" },
    ]));
    let warnings = told(&odd, Level::Warning);
    for one in ["NEXT_PAUSE Set_a", "CASES_AS_OBJECTS Check_b", "STOP_WITH_NEXT Done_d"] {
        assert!(warnings.contains(&one.to_owned()), "{one}: {warnings:?}");
    }
    assert!(edges(&document).contains("Set_a.success > Set_a_pause"));
    assert_eq!(document["nodes"]["Check_b"]["config"]["cases"][1], json!({ "when": "true", "port": "Done_d" }));
    assert_eq!(errors(&odd), []);
    // What is kept as an object is asked for as JSON; a text is not.
    let nine = read(&corpus("nine-files-49.json"));
    assert!(told(&nine, Level::Warning).contains(&"ANSWER_AS_JSON LLM_Mend".to_owned()));
    let form = |id: &str| nine.workflow.nodes[id].config.as_ref().expect("settings").get("output").cloned();
    assert_eq!((form("LLM_Mend"), form("LLM_Base")), (Some(json!({ "type": "json_object" })), None));
}

#[test]
fn expressions_are_written_as_cel() {
    for (foreign, ours) in [
        ("=$plan.title", "=context.plan.title"),
        ("=who", "=params.who"),
        ("=limit + 1 > 2 && !flag", "=params.limit + 1 > 2 && !(params.flag == true)"),
        ("=($n + 1) * 2 - -3", "=(context.n + 1) * 2 - -3"),
        ("=$plan[\"odd key\"].in", "=context.plan['odd key']['in']"),
        ("=$list[$n]", "=context.list[context.n]"),
        ("=$ok || who == \"a'b\"", "=context.ok == true || params.who == 'a\\'b'"),
        ("=$any && true", "=context.any in [null, false, 0, ''] ? context.any : true"),
        ("=$any || 'x'", "=context.any in [null, false, 0, ''] ? 'x' : context.any"),
        (
            "=$any || $text || 'x'",
            "=!(context.any in [null, false, 0, '']) ? context.any : context.text in [null, false, 0, ''] ? 'x' : context.text",
        ),
        ("=$ok && $n > 1", "=!(context.ok == true) ? context.ok : context.n > 1"),
        ("=$n > 1 || $ok", "=context.n > 1 ? context.n > 1 : context.ok"),
        (
            "=($n > 1 && $any) || 'x'",
            "=context.n > 1 && !(context.any in [null, false, 0, '']) ? (!(context.n > 1) ? context.n > 1 : context.any) : 'x'",
        ),
        ("=($any || 1) + 2", "=(context.any in [null, false, 0, ''] ? 1 : context.any) + 2"),
        ("=$n / 2", "=context.n / 2.0"),
        ("=7 / $n", "=7.0 / context.n"),
        ("=$n / limit * 2", "=double(context.n) / params.limit * 2"),
        ("=($n + 1) / ($n - 1)", "=double(context.n + 1) / (context.n - 1)"),
        ("=$n / 2 / $n", "=context.n / 2.0 / context.n"),
        ("='x' + $n / 2", "x{{string(context.n / 2.0)}}"),
        ("=$n % 2", "=context.n % 2"),
        ("='{' + who + '}'", "{{'{'}}{{params.who}}}"),
        ("='=' + who", "{{'='}}{{params.who}}"),
        ("=$any + ''", "{{context.any}}"),
        ("='Dear ' + who + ', no ' + $n", "Dear {{params.who}}, no {{context.n}}"),
        ("=1 + 2 + 'x'", "{{1 + 2}}x"),
        ("={a: $n, \"b c\": [1, 'x', null]}", "={'a': context.n, 'b c': [1, 'x', null]}"),
        ("=$n > 1 ? 'many' : who", "=context.n > 1 ? 'many' : params.who"),
        ("=$list.length", "=size(context.list)"),
        ("=('a' + who) == $text", "='a' + params.who == context.text"),
        ("==literal", "==literal"),
        ("plain words", "plain words"),
        ("with {{ braces }}", "with {{'{{'}} braces }}"),
        ("=SYSVAR.region", "=params.SYSVAR.region"),
    ] {
        let (document, imported) =
            made(json!([{ "id": "Set_x", "target": "$any", "value": foreign, "next": "RETURN" }]));
        assert_eq!(document["nodes"]["Set_x"]["config"]["assign"]["value"], ours, "{foreign}");
        assert_eq!(errors(&imported), [], "{foreign}");
    }
}

#[test]
fn what_has_no_meaning_here_is_told_and_stays_visible() {
    for (foreign, why) in [
        ("=NOW()", "no function 'NOW'"),
        ("=$plan.items.map(1)", "no function 'map'"),
        ("=nobody", "no param 'nobody'"),
        ("=_item", "'_item' is there only in a loop"),
        ("=_result", "'_result' is there only"),
        ("=_error.type", "'_error' is there only"),
        ("=1 +", "it ends where a value is expected (character 4)"),
        ("=$n === ", "it ends where a value is expected"),
        ("='open", "ends in the middle of a text"),
        ("=a @ b", "'@' is not expected here (character 3)"),
        ("=99999999999999999999", "the number is too large"),
        ("=$n / 0", "it divides by zero"),
        ("=$n / -0.0", "it divides by zero"),
        ("=$n % 0", "it divides by zero"),
        ("=($n / 2) % 2", "'%' works only on whole numbers"),
    ] {
        let (document, imported) = made(json!([
            { "id": "Set_x", "target": "$any", "value": foreign, "next": "Stop_y" }, { "id": "Stop_y" },
        ]));
        let found = imported.report.findings.iter().find(|f| f.code == "NOT_TRANSLATED").expect(foreign);
        assert!(found.message.contains(why) && found.message.contains("value:"), "{foreign}: {}", found.message);
        assert_eq!((found.step.as_deref(), found.path.as_str()), (Some("Set_x"), "/steps/0"));
        let node = &document["nodes"]["Set_x"];
        assert_eq!((&node["type"], &node["config"]["step"]["value"]), (&json!("foreign.step"), &json!(foreign)));
        assert!(edges(&document).contains("Set_x.success > Stop_y"));
        let errors = errors(&imported);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!((errors[0].0, errors[0].1.as_str()), (Code::NotTranslated, "/nodes/Set_x/type"));
        assert!(errors[0].2.contains(why), "{}", errors[0].2);
    }
    // A step that leads elsewhere keeps its ways; the placeholder stands before it.
    let (document, imported) = made(json!([
        { "id": "Branch_x", "cases": [["=NOW() > 1", "Set_y"], ["ELSE", "Set_z"]], "next": "RETURN" },
        { "id": "Set_y", "target": "$n", "value": "=1", "next": "RETURN" },
        { "id": "Set_z", "target": "$n", "value": "=2", "next": "RETURN" },
    ]));
    assert!(edges(&document).is_superset(&BTreeSet::from([
        "Branch_x_problem.success > Branch_x".to_owned(),
        "Branch_x.Set_y > Set_y".into()
    ])));
    assert_eq!(errors(&imported).len(), 1);
    for (step, why) in [
        (
            json!({ "id": "Write_a", "target": "=\"/x\"", "value": "=1", "mode": "prepend", "next": "RETURN" }),
            "mode: nothing here writes before",
        ),
        (json!({ "id": "Subflow_a", "next": "RETURN" }), "It runs another workflow"),
        (json!({ "id": "Odd_a", "next": "RETURN" }), "No kind of step is known"),
        (
            json!({ "id": "LLM_a", "in": { "messages": [{ "role": "user", "content": "x" }], "output_config": { "type": "json_schema", "schema": {}, "schemaRef": "Answer" } }, "next": "RETURN" }),
            "it has a schema and a schemaRef",
        ),
        (
            json!({ "id": "LLM_a", "model": "home/", "in": { "messages": [{ "role": "user", "content": "x" }] }, "next": "RETURN" }),
            "names no model",
        ),
        (json!({ "id": "API_Nowhere", "next": "RETURN" }), "the registry has no address 'Nowhere'"),
        (
            json!({ "id": "Loop_a", "mode": "parallel", "while": "=true", "maxIterations": 2, "children": [], "next": "RETURN" }),
            "a loop with a condition is serial",
        ),
        (
            json!({ "id": "Loop_a", "mode": "serial", "source": "=rows", "while": "=true", "children": [], "next": "RETURN" }),
            "a source and a while",
        ),
        (json!({ "id": "Set_a", "if": "=NOW()", "target": "$n", "value": "=1", "next": "RETURN" }), "if: '=NOW()'"),
        (json!({ "id": "Set_a", "target": "n", "value": "=1", "next": "RETURN" }), "it is no variable"),
        (json!({ "id": "Set_a", "target": "$n", "value": "=1", "next": "BREAK" }), "is not in a loop"),
        (
            json!({ "id": "Set_a", "target": "$n", "value": "=1", "next": "Set_gone" }),
            "references unknown next: \"Set_gone\"",
        ),
    ] {
        let (_, imported) = made(json!([step, { "id": "Stop_z" }]));
        let problems: Vec<&str> =
            imported.report.findings.iter().filter(|f| f.level == Level::Problem).map(|f| f.message.as_str()).collect();
        assert!(problems.iter().any(|message| message.contains(why)), "{why}: {problems:?}");
        assert!(errors(&imported).iter().any(|(code, ..)| *code == Code::NotTranslated), "{why}");
    }
}

#[test]
fn steps_become_steps_of_their_kind() {
    let (document, imported) = made(json!([
        { "id": "LLM_1_Ask", "meta": { "title": "Ask" }, "model": "home/small", "in": {
            "messages": [{ "role": "system", "content": "Be short." }, { "role": "user", "content": "=who" }, { "role": "user", "content": "=$plan" }],
            "max_tokens": 100, "stream": true, "docs": [7], "thinking": { "type": "enabled", "budget_tokens": 500 },
            "output_config": { "format": { "type": "json_schema", "schemaRef": "Answer" } } },
          "out": "$plan", "onError": "Set_9_Oops", "next": "Tool_2_ReadFile" },
        { "id": "Tool_2_ReadFile", "input": { "file_path": "=\"docs/\" + who", "n": 3 }, "timeout": 15000, "allowError": true,
          "out": { "$text": "=_result", "$any": "=_toolResult" }, "next": "API_3_GetUser" },
        { "id": "API_3_GetUser", "in": { "id": "=$n", "full": true }, "out": { "$any": "=_result.name" }, "next": "API_4_Save" },
        { "id": "API_4_Save", "in": { "a": "=$n" }, "next": "Write_5" },
        { "id": "Write_5", "target": "=\"/out/\" + who + \".txt\"", "value": "=$text", "mode": "append", "next": "Pause_6" },
        { "id": "Pause_6", "reason": "Look at it", "resumeResultTarget": "$any", "timeout": { "sec": 90, "on": "Set_8_Late" }, "next": "Stop_7" },
        { "id": "Stop_7" },
        { "id": "Set_8_Late", "target": "$ok", "value": "=false", "next": "Stop_7" },
        { "id": "Set_9_Oops", "target": "$text", "value": "=_error.message", "next": "Stop_7" },
    ]));
    let nodes = &document["nodes"];
    assert_eq!(
        nodes["LLM_1_Ask"],
        json!({ "type": "llm.chat", "title": "Ask", "mode": "all", "out": { "$plan": "=_result" }, "config": {
            "system": "Be short.", "messages": [{ "role": "user", "content": "{{params.who}}" }, { "role": "user", "content": "{{context.plan}}" }],
            "maxTokens": 100, "stream": true, "docs": ["docs/7.md"], "thinking": 500, "provider": "home", "model": "small",
            "output": { "type": "json_schema", "schema": { "type": "object", "required": ["a"] } } } })
    );
    assert_eq!(
        nodes["Tool_2_ReadFile"],
        json!({ "type": "mcp.tool", "mode": "all", "timeoutMs": 15000, "out": { "$text": "=_result", "$any": "=_toolResult" },
                "config": { "tool": "ReadFile", "arguments": { "file_path": "docs/{{params.who}}", "n": 3 }, "allowError": true } })
    );
    assert_eq!(
        nodes["API_3_GetUser"]["config"],
        json!({ "method": "GET", "url": "https://api.example/users/{{context.n}}", "query": { "full": true }, "credential": "secret://crm_key" })
    );
    assert_eq!(nodes["API_3_GetUser"]["out"], json!({ "$any": "=_result.response.name" }));
    assert_eq!(nodes["API_4_Save"]["config"]["body"], json!({ "a": "=context.n" }));
    assert_eq!(
        nodes["Write_5"]["config"],
        json!({ "path": "out/{{params.who}}.txt", "content": "=context.text", "mode": "append" })
    );
    assert_eq!(nodes["Pause_6"]["config"], json!({ "reason": "Look at it", "resumeInto": "$any", "timeoutMs": 90000 }));
    assert_eq!(nodes["Set_9_Oops"]["config"]["assign"]["value"], "=error.message");
    let wired = edges(&document);
    for edge in [
        "LLM_1_Ask.error > Set_9_Oops",
        "Pause_6.timeout > Set_8_Late",
        "Set_8_Late.success > Stop_7",
        "Pause_6.success > Stop_7",
    ] {
        assert!(wired.contains(edge), "{edge}: {wired:?}");
    }
    assert_eq!(document["settings"], json!({ "errorPolicy": "fail" }));
    assert_eq!(document["params"]["required"], json!(["who", "rows"]));
    assert_eq!(document["params"]["properties"]["limit"], json!({ "type": "integer", "title": "limit", "default": 3 }));
    assert_eq!(document["context"]["schema"]["properties"]["text"], json!({ "type": ["string", "null"] }));
    assert_eq!(document["context"]["initial"]["n"], Value::Null);
    assert_eq!(told(&imported, Level::Problem), Vec::<String>::new());
    assert_eq!(told(&imported, Level::Missing), ["DOCUMENT -", "TOOL_SERVER -", "SECRET -"]);
    // Only the server is to be chosen; it may be said at once.
    let open = errors(&imported);
    assert_eq!(
        open.iter().map(|(code, path, _)| (*code, path.as_str())).collect::<Vec<_>>(),
        [(Code::MissingConfig, "/nodes/Tool_2_ReadFile/config/server")]
    );
    let options = Options { tool_server: Some("files".into()), ..Options::default() };
    let text = file(json!([{ "id": "Tool_1_Read", "next": "RETURN" }])).to_string();
    let with = import(&text, &options).expect("read");
    assert_eq!(errors(&with), []);
    assert_eq!(with.workflow.nodes["Tool_1_Read"].config.as_ref().expect("set")["server"], "files");
}

#[test]
fn chains_go_on_where_their_parent_goes_on() {
    let (document, imported) = made(json!([
        { "id": "Branch_a", "cases": [["=$n == 1", "Set_b"], ["=$n == 2", "Stop_x"]], "next": "Noop_fork" },
        { "id": "Set_b", "target": "$n", "value": "=2", "next": "Set_c" },
        { "id": "Set_c", "target": "$n", "value": "=3", "next": "RETURN" },
        { "id": "Noop_fork", "children": ["Set_d", "Loop_e"], "next": "Set_last" },
        { "id": "Set_d", "target": "$ok", "value": "=true", "next": "Set_c" },
        { "id": "Loop_e", "mode": "serial", "source": "=rows", "children": ["Branch_f"], "next": "RETURN" },
        { "id": "Branch_f", "cases": [["=_index > 1", "Set_g"]], "next": "RETURN" },
        { "id": "Set_g", "target": "$list[_index]", "value": "=_item.name", "next": "BREAK" },
        { "id": "Set_last", "if": "=$ok", "target": "$text", "value": "end", "next": "Stop_x" },
        { "id": "Stop_x" },
    ]));
    let wired = edges(&document);
    for edge in [
        "Branch_a.Set_b > Set_b",
        "Branch_a.Stop_x > Stop_x",
        "Branch_a.default > Noop_fork",
        "Set_b.success > Set_c",
        "Set_c.success > Noop_fork",
        "Set_d.success > Set_c_2",
        "Noop_fork.success > Noop_fork_done",
        "Noop_fork_done.success > Set_last",
        "Set_last.success > Stop_x",
        "Branch_f.Set_g > Set_g",
        "Set_g.success > Set_g_break",
    ] {
        assert!(wired.contains(edge), "{edge}: {wired:?}");
    }
    let nodes = &document["nodes"];
    for (id, parent) in [
        ("Set_d", "Noop_fork"),
        ("Set_c_2", "Noop_fork"),
        ("Loop_e", "Noop_fork"),
        ("Branch_f", "Loop_e"),
        ("Set_g_break", "Loop_e"),
    ] {
        assert_eq!(nodes[id]["parent"], parent, "{id}");
    }
    assert_eq!(nodes["Loop_e"]["config"]["source"], "=params.rows == null ? [] : params.rows");
    assert_eq!(nodes["Set_g"]["out"], json!({ "$list": "=put(context.list, [_index], _result.value)" }));
    assert_eq!(nodes["Set_last"]["if"], "context.ok == true");
    assert!(told(&imported, Level::Warning).contains(&"COPIED Set_c".to_owned()));
    assert_eq!(errors(&imported), []);
}

#[test]
fn what_is_no_such_file_is_refused_in_words() {
    let refused = |text: &str| {
        let refused = import(text, &Options::default()).expect_err("refused");
        assert!(!refused.hint.is_empty());
        (refused.code, refused.path, refused.message)
    };
    assert_eq!(refused("{").0, "BAD_JSON");
    assert_eq!(refused("").0, "BAD_JSON");
    assert_eq!(refused("{\"steps\":[],\"steps\":[]}").0, "BAD_JSON");
    assert_eq!(refused(&"[".repeat(100_000)).0, "BAD_JSON");
    assert_eq!(refused("[1]").0, "UNKNOWN_FORMAT");
    assert_eq!(refused("{\"nodes\":{},\"steps\":[]}").0, "UNKNOWN_FORMAT");
    let ours = refused("{\"signalbox\":1,\"steps\":[]}");
    assert!(ours.2.contains("of Signalbox already"), "{}", ours.2);
    assert_eq!(refused(&" ".repeat(17 << 20)).0, "TOO_LARGE");
    assert_eq!(recognise("{\"signalbox\":1,\"nodes\":{},\"edges\":[]}"), None);
    for (steps, words) in [
        (json!([]), "Missing or empty steps array"),
        (json!("x"), "Missing or empty steps array"),
        (json!([1]), "Step 1 of the file is no object"),
        (json!([{ "id": "" }]), "Step 1 of the file has no usable id"),
        (json!([{ "id": "RETURN" }]), "Step \"RETURN\" has a reserved word as its id"),
        (json!([{ "id": "Set_a" }, { "id": "Set_b" }, { "id": "Set_a" }]), "Duplicate step ID: \"Set_a\" (2 times)."),
        (json!([{ "id": "Set_a", "next": "Set_b" }, { "id": "Set_b", "next": "Set_a" }]), "No entry nodes found"),
        (json!([{ "id": "Noop_a", "children": ["Noop_a"] }]), "No entry nodes found"),
    ] {
        let (code, path, message) = refused(&file(steps).to_string());
        assert!(message.contains(words), "{message}");
        assert_eq!(code, "CANNOT_IMPORT");
        assert!(path.starts_with("/steps"), "{path}");
    }
    let many: Vec<Value> = (0..100_000).map(|n| json!({ "id": format!("Set_{n}") })).collect();
    let (_, path, message) = refused(&file(json!(many)).to_string());
    assert_eq!((path.as_str(), message.as_str()), ("/steps", "The file has 100000 steps; at most 10000 are read."));
}

#[test]
fn hostile_files_cost_little_and_are_told() {
    // A circle behind an entry is cut, visibly.
    let (document, imported) = made(json!([
        { "id": "Set_a", "target": "$n", "value": "=1", "next": "Branch_b" },
        { "id": "Branch_b", "cases": [["=$n == 1", "Set_c"]], "next": "RETURN" },
        { "id": "Set_c", "target": "$n", "value": "=2", "next": "Branch_b" },
    ]));
    assert!(told(&imported, Level::Problem).contains(&"CIRCLE Set_c".to_owned()));
    assert!(edges(&document).contains("Set_c.success > Set_c_leads_back"));
    assert!(errors(&imported).iter().all(|(code, ..)| *code == Code::NotTranslated));
    // 10,000 steps in one chain.
    let chain: Vec<Value> = (0..10_000)
        .map(|n| json!({ "id": format!("Set_{n}"), "target": "$n", "value": "=1", "next": if n == 9_999 { "RETURN".into() } else { format!("Set_{}", n + 1) } }))
        .collect();
    assert_eq!(read(&file(json!(chain)).to_string()).report.nodes, 10_000);
    // Forks in forks.
    let deep = |depth: usize| -> Vec<Value> {
        (0..depth)
            .map(|n| json!({ "id": format!("Noop_{n}"), "children": if n + 1 == depth { vec![] } else { vec![format!("Noop_{}", n + 1)] }, "next": "RETURN" }))
            .collect()
    };
    assert_eq!(errors(&read(&file(json!(deep(16))).to_string())), []);
    let refused = import(&file(json!(deep(40))).to_string(), &Options::default()).expect_err("too deep");
    assert!(refused.message.contains("nested more than 16 levels"), "{}", refused.message);
    // Branches that share what follows, each time with another way on: the copies double with every level.
    let mut steps = Vec::new();
    for n in 0..40 {
        let on = if n == 39 { "Set_end".to_owned() } else { format!("Branch_{}", n + 1) };
        steps.push(json!({ "id": format!("Branch_{n}"), "cases": [["=true", format!("Check_{n}")], ["ELSE", on]], "next": format!("Set_{n}") }));
        steps.push(json!({ "id": format!("Check_{n}"), "cases": [["=true", on]], "next": "RETURN" }));
        steps.push(json!({ "id": format!("Set_{n}"), "target": "$n", "value": "=1", "next": on }));
    }
    steps.push(json!({ "id": "Set_end", "target": "$n", "value": "=1", "next": "RETURN" }));
    let refused = import(&file(json!(steps)).to_string(), &Options::default()).expect_err("too many ways");
    assert!(refused.message.contains("share their steps in more than 5000 ways"), "{}", refused.message);
    // Very many ways out of one step, names that become the same, places of one list.
    let cases: Vec<Value> = (0..20_000).map(|_| json!(["=true", "Set_end"])).collect();
    let children: Vec<Value> = (0..20_000).map(|_| json!("Set_end")).collect();
    let places: serde_json::Map<String, Value> = (0..5_000).map(|n| (format!("$list[{n}]"), json!("='x'"))).collect();
    let (_, imported) = made(json!([
        { "id": "Branch_a", "cases": cases, "next": "Noop_b" }, { "id": "Noop_b", "children": children, "next": "LLM_c" },
        { "id": "LLM_c", "in": { "prompt": "x" }, "out": places, "next": "RETURN" },
        { "id": "Set_end", "target": "$n", "value": "=1", "next": "RETURN" },
    ]));
    let problems = told(&imported, Level::Problem);
    for one in ["TOO_MANY Branch_a", "TOO_MANY Noop_b", "NOT_TRANSLATED LLM_c"] {
        assert!(problems.contains(&one.to_owned()), "{one}: {problems:?}");
    }
    assert!(imported.report.nodes < 2_000);
    let letters = ["à", "á", "â", "ã", "ä", "å", "æ", "ç", "è", "é"];
    let strange =
        |n: usize| format!("{n:04}").bytes().map(|digit| letters[usize::from(digit - b'0')]).collect::<String>();
    let odd: Vec<Value> = (0..5_000)
        .map(|n| json!({ "id": format!("Set_{}", strange(n)), "target": "$n", "value": "=1", "next": "RETURN" }))
        .collect();
    assert_eq!(read(&file(json!(odd)).to_string()).report.nodes, 5_000);
    // Expressions that are too long or too deep.
    for bomb in [
        format!("={}1{}", "(".repeat(1_000), ")".repeat(1_000)),
        format!("={}", "!".repeat(2_000)),
        format!("={}", vec!["1"; 1_500].join("+")),
        format!("={}", "[".repeat(1_000)),
        format!("=$n{}", ".a".repeat(1_000)),
        format!("={}", "1+".repeat(100_000)),
        format!("={}", "true ? ".repeat(500)),
    ] {
        let (_, imported) = made(json!([{ "id": "Set_a", "target": "$n", "value": bomb, "next": "RETURN" }]));
        assert_eq!(told(&imported, Level::Problem), ["NOT_TRANSLATED Set_a"]);
        let message = &imported.report.findings[0].message;
        assert!(message.len() < 600, "a finding is short: {}", message.len());
    }
}

#[test]
fn the_example_of_the_formats_page_is_what_an_import_says() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/formats.md");
    let text = std::fs::read_to_string(page).expect("the page");
    let example = text.split("```json import\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let file = json!({
        "version": "3.13", "name": "Proof", "registry": { "vars": ["$index(OBJECT)"] },
        "steps": [{ "id": "Service_Proof", "in": { "list": "$index" }, "next": "Stop_End" }, { "id": "Stop_End" }],
    });
    let report = read(&file.to_string()).report;
    assert_eq!(serde_json::to_string(&report).expect("writes"), example.trim());
}
