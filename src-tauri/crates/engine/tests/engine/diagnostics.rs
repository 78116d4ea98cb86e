//! Every diagnostic from a small file that has just that fault; several at once; large files.

use crate::driver::catalog;
use serde_json::{Value, json};
use signalbox_engine::Compiled;
use signalbox_engine::catalog::Catalog;
use signalbox_engine::validate::{check_bytes, read};
use signalbox_model::{Code, Diagnostic, Map, Severity};
use std::sync::Arc;

fn file(change: impl FnOnce(&mut Value)) -> Vec<Diagnostic> {
    let mut file = json!({
        "signalbox": 1, "id": "w", "name": "w",
        "params": { "type": "object", "properties": { "base": { "type": "string" } } },
        "nodes": { "a": { "type": "t.pass" }, "b": { "type": "t.pass" } },
        "edges": [{ "from": "a.success", "to": "b" }]
    });
    change(&mut file);
    check_bytes(file.to_string().as_bytes(), &catalog()).diagnostics
}

fn has(found: &[Diagnostic], code: Code, path: &str) {
    assert!(found.iter().any(|d| d.code == code && d.path == path), "{code:?} at {path} is not in {found:#?}");
    assert!(found.iter().all(|d| !d.hint.is_empty() && !d.message.is_empty()));
}

#[test]
fn a_good_file_has_none() {
    assert_eq!(file(|_| {}), []);
}

/// G-22: an agent that may write much, or choose between many paths, runs, and a hint says what is narrower.
#[test]
fn g_22_wide_rights_of_an_agent_are_hinted_at() {
    let agent = |writes: usize, transitions: usize| {
        let names = |count: usize| (0..count).map(|n| format!("n{n}")).collect::<Vec<_>>();
        let found = file(|f| {
            let step = json!({ "type": "agent.task", "writes": names(writes), "config": { "transitions": names(transitions) } });
            f["nodes"]["b"] = step;
        });
        let hints = found.into_iter().filter(|one| one.message.contains("lets a model"));
        hints.map(|one| (one.severity, one.path, one.hint.is_empty())).collect::<Vec<_>>()
    };
    assert_eq!(agent(5, 3), []);
    assert_eq!(agent(6, 3), [(Severity::Warning, "/nodes/b/writes".into(), false)]);
    assert_eq!(agent(5, 4), [(Severity::Warning, "/nodes/b/config/transitions".into(), false)]);
}

#[test]
fn limits_that_cannot_hold_are_told_with_their_place() {
    let settings = |settings: Value| file(|f| f["settings"] = settings);
    assert_eq!(
        settings(json!({
            "concurrency": { "max": 2, "key": "params.base + event.path", "onLimit": "cancel_oldest" },
            "rateLimit": { "count": 5, "perMs": 1000 }
        })),
        []
    );
    for (settings_of, path) in [
        (json!({ "concurrency": 1 }), "/settings/concurrency"),
        (json!({ "concurrency": { "max": 0 } }), "/settings/concurrency/max"),
        (json!({ "concurrency": { "max": 1, "onLimit": "wait" } }), "/settings/concurrency/onLimit"),
        (json!({ "concurrency": { "max": 1, "key": "params." } }), "/settings/concurrency/key"),
        (json!({ "rateLimit": { "count": 5 } }), "/settings/rateLimit/perMs"),
        (json!({ "rateLimit": { "count": 5, "perMs": 0 } }), "/settings/rateLimit/perMs"),
    ] {
        let found = settings(settings_of);
        assert!(found.iter().any(|one| one.path == path && one.severity == Severity::Error), "{path}: {found:#?}");
    }
    let unknown = settings(json!({ "concurrency": { "max": 1, "key": "context.customer" } }));
    has(&unknown, Code::UnknownName, "/settings/concurrency/key");
}

#[test]
fn csv_of_each_item_by_itself_is_warned_of() {
    let format = |config: Value, mode: &str| {
        file(|f| f["nodes"]["b"] = json!({ "type": "data.format", "mode": mode, "config": config }))
    };
    let warned = |found: &[Diagnostic]| found.iter().any(|one| one.path == "/nodes/b/config/format");
    assert!(warned(&format(json!({ "format": "csv" }), "each")));
    assert!(!warned(&format(json!({ "format": "csv" }), "all")));
    assert!(!warned(&format(json!({ "format": "csv", "from": "item.rows" }), "each")));
    assert!(!warned(&format(json!({ "format": "json" }), "each")));
}

/// K-10, K-49: what the editor says of rules stands in the diagnostics of the file, too: names, types, what never decides.
#[test]
fn rules_that_can_never_decide_are_told() {
    let rules = json!([
        { "name": "typo", "when": "eror.retryable", "action": "retry" },
        { "name": "types", "when": "error.attempt < 'x'", "action": "retry" },
        { "name": "number", "when": "error.attempt", "action": "retry" },
        { "name": "never", "when": "error.type == 'ValidationError' && error.retryable", "action": "retry" },
        { "name": "good", "when": "error.details.status >= 500", "action": "abort" },
    ]);
    let told = |found: Vec<Diagnostic>, at: &str| -> Vec<(Code, Severity, String)> {
        let all = found.into_iter().filter(|d| d.path.starts_with(at));
        all.map(|d| (d.code, d.severity, d.path[at.len()..].to_owned())).collect()
    };
    let expected = [
        (Code::UnknownName, Severity::Error, "/0/when"),
        (Code::BadConfig, Severity::Warning, "/1/when"),
        (Code::BadConfig, Severity::Warning, "/2/when"),
        (Code::RuleUnreachable, Severity::Warning, "/3"),
    ]
    .map(|(code, severity, path)| (code, severity, path.to_owned()));
    let policy = file(|f| f["settings"] = json!({ "errorPolicy": { "rules": rules } }));
    assert_eq!(told(policy, "/settings/errorPolicy/rules"), expected);
    let handler = file(|f| {
        f["nodes"]["h"] = json!({ "type": "builtin.error_handler", "config": { "rules": rules } });
        f["edges"].as_array_mut().expect("list").push(json!({ "from": "a.error", "to": "h" }));
    });
    // Names in the settings of a step are looked at by its kind, and the one here has none.
    assert_eq!(told(handler, "/nodes/h/config/rules"), expected[1..]);
}

#[test]
fn each_fault_is_named_at_its_place() {
    has(&file(|f| f["nodes"]["a"]["type"] = json!("t.pas")), Code::UnknownType, "/nodes/a/type");
    has(&file(|f| f["nodes"]["a"]["pinned"] = json!({})), Code::NotAvailable, "/nodes/a/pinned");
    has(&file(|f| f["edges"][0]["from"] = json!("a.succes")), Code::UnknownPort, "/edges/0/from");
    has(&file(|f| f["edges"][0]["to"] = json!("c")), Code::DanglingEdge, "/edges/0/to");
    has(
        &file(|f| f["edges"].as_array_mut().expect("list").push(json!({ "from": "a.success", "to": "b" }))),
        Code::DuplicateEdge,
        "/edges/1",
    );
    has(
        &file(|f| f["edges"].as_array_mut().expect("list").push(json!({ "from": "b.success", "to": "a" }))),
        Code::Cycle,
        "/nodes/a",
    );
    has(&file(|f| f["nodes"]["1x"] = json!({ "type": "t.pass" })), Code::BadId, "/nodes/1x");
    has(&file(|f| f["id"] = json!("../x")), Code::BadId, "/id");
    has(&file(|f| f["signalbox"] = json!(2)), Code::NewerVersion, "/signalbox");
    has(&file(|f| f["name"] = json!(3)), Code::BadFile, "/name");
    has(&file(|f| f["nodes"]["a"]["config"] = json!({ "urll": "x" })), Code::UnknownConfig, "/nodes/a/config/urll");
    has(&file(|f| f["nodes"]["a"]["config"] = json!({ "ms": "x" })), Code::BadConfig, "/nodes/a/config/ms");
    has(&file(|f| f["nodes"]["a"]["if"] = json!("item.x >")), Code::CelSyntax, "/nodes/a/if");
    has(&file(|f| f["nodes"]["a"]["if"] = json!("(".repeat(3_000))), Code::CelLimit, "/nodes/a/if");
    has(&file(|f| f["nodes"]["a"]["if"] = json!("itm.x > 1")), Code::UnknownName, "/nodes/a/if");
    has(&file(|f| f["nodes"]["a"]["if"] = json!("params.bse == ''")), Code::UnknownName, "/nodes/a/if");
    has(&file(|f| f["nodes"]["a"]["if"] = json!("nodes.b.output.x > 1")), Code::NotAnAncestor, "/nodes/a/if");
    has(&file(|f| f["nodes"]["a"]["tittle"] = json!("x")), Code::UnknownField, "/nodes/a/tittle");
    has(&file(|f| f["nodes"]["a"]["out"] = json!({ "name": 1 })), Code::BadConfig, "/nodes/a/out/name");
    has(&file(|f| f["nodes"]["a"] = json!({ "type": "t.all", "mode": "each" })), Code::BadMode, "/nodes/a/mode");
    has(&file(|f| f["nodes"]["a"]["timeoutMs"] = json!(5_000_000_000_u64)), Code::BadFile, "/nodes/a/timeoutMs");
    has(&file(|f| f["edges"] = json!({})), Code::BadFile, "/edges");
    has(
        &file(|f| f["nodes"]["a"]["idempotencyKey"] = json!("secret://erp")),
        Code::SecretPlace,
        "/nodes/a/idempotencyKey",
    );
    // Steps add to the tools of the workflow and take from them; the workflow only lists.
    for name in ["+files/read", "-files/read"] {
        has(&file(|f| f["settings"] = json!({ "tools": [name] })), Code::BadConfig, "/settings/tools/0");
    }
    // An empty row is one that nobody has filled in yet.
    has(&file(|f| f["settings"] = json!({ "tools": [""] })), Code::MissingConfig, "/settings/tools/0");
    let warned = file(|f| f["nodes"]["a"]["config"] = json!({ "url": "x" }));
    assert_eq!(warned, []);
}

#[test]
fn the_ladder_takes_known_levels_and_actions_only() {
    let handling = |value: Value| file(|f| f["nodes"]["a"]["errorHandling"] = value);
    assert_eq!(handling(json!({ "autoFix": true, "humanReviewThreshold": "CRITICAL" })), []);
    has(
        &handling(json!({ "humanReviewThreshold": "BAD" })),
        Code::BadConfig,
        "/nodes/a/errorHandling/humanReviewThreshold",
    );
    for (action, wrong) in [("auto_fix", false), ("human_review", false), ("error_as_context", true), ("retyr", true)] {
        let rules = json!({ "rules": [{ "name": "r", "when": "true", "action": action }] });
        let found = file(|f| f["settings"] = json!({ "errorPolicy": rules }));
        assert_eq!(found.iter().any(|d| d.code == Code::BadConfig), wrong, "{action}: {found:#?}");
    }
}

#[test]
fn several_faults_are_told_at_once_errors_first() {
    let found = file(|f| {
        f["colour"] = json!("red");
        f["nodes"]["a"]["type"] = json!("nope");
        f["nodes"]["b"]["if"] = json!("1 +");
        f["edges"][0]["to"] = json!("zz");
    });
    let errors = found.iter().filter(|d| d.severity == Severity::Error).count();
    assert!(errors >= 3, "{found:#?}");
    assert_eq!(found.last().map(|d| d.code), Some(Code::UnknownField));
}

#[test]
fn broken_texts_say_where_and_lose_nothing() {
    let code = |bytes: &[u8]| read(bytes).diagnostics.first().map(|d| d.code);
    assert_eq!(code(b"{"), Some(Code::BadJson));
    for empty in [&b""[..], b" \n", b"\xef\xbb\xbf"] {
        let told = read(empty).diagnostics;
        assert_eq!((told[0].code, told[0].message.as_str()), (Code::BadJson, "The file is empty"));
    }
    assert_eq!(code(b"\xff\xfe{}"), Some(Code::BadJson));
    assert_eq!(code(b"{\"id\":1,\"id\":2}"), Some(Code::BadJson));
    assert_eq!(code(&vec![b' '; 50 * 1024 * 1024]), Some(Code::TooLarge));
    assert_eq!(code(b"[]"), Some(Code::BadFile));
    let empty = check_bytes(br#"{"signalbox":1,"id":"w","name":"w","nodes":{},"edges":[]}"#, &catalog());
    assert_eq!(empty.diagnostics[0].code, Code::EmptyWorkflow);
    assert!(empty.workflow.is_some(), "an empty workflow opens and saves");
}

/// T-10: a step that is one tool has its name in its settings or in its id; without either that is told before a run.
#[test]
fn t_10_a_step_that_names_no_tool_is_told_before_a_run() {
    let step = |id: &str, config: Value| {
        file(|f| f["nodes"][id] = json!({ "type": "mcp.tool", "title": "Read", "config": config }))
    };
    let missing = |found: Vec<Diagnostic>| found.into_iter().find(|one| one.code == Code::MissingConfig);
    for (id, config) in
        [("x", json!({ "server": "s" })), ("Tool_x_read", json!({})), ("Tool_010_", json!({ "tool": null }))]
    {
        let found = missing(step(id, config)).expect(id);
        assert_eq!(found.path, format!("/nodes/{id}/config/tool"));
        assert!(found.message.starts_with("“Read” needs a tool"), "{}", found.message);
    }
    assert_eq!(missing(step("Tool_010_read", json!({ "server": "s" }))), None);
    assert_eq!(missing(step("x", json!({ "server": "s", "tool": "read" }))), None);
}

#[test]
fn people_read_titles_and_what_to_do() {
    let only = |found: Vec<Diagnostic>, code: Code| {
        let all: Vec<Diagnostic> = found.into_iter().filter(|d| d.code == code).collect();
        assert_eq!(all.len(), 1, "{all:#?}");
        (all[0].path.clone(), all[0].message.clone(), all[0].hint.clone())
    };
    let empty = only(file(|f| f["nodes"]["a"]["if"] = json!("=")), Code::MissingConfig);
    assert_eq!(empty.1, "The expression is empty");
    let titled = file(|f| f["nodes"]["a"] = json!({ "type": "t.pass", "title": "Ask", "config": { "nope": 1 } }));
    assert!(only(titled, Code::UnknownConfig).1.starts_with("“Ask” has no setting 'nope'"));
    let typed = only(file(|f| f["nodes"]["a"]["config"] = json!({ "ms": "x" })), Code::BadConfig);
    assert!(typed.1.ends_with("needs a number"), "{}", typed.1);
    let policy = only(file(|f| f["settings"] = json!({ "errorPolicy": "auto_fix" })), Code::BadFile);
    assert_eq!(policy.1, "'errorPolicy': there is no error policy 'auto_fix'");
    assert!(["\"safe\"", "\"fail\"", "\"rules\""].iter().all(|word| policy.2.contains(word)), "{}", policy.2);
    // Advice is given once, as the hint.
    let long = only(file(|f| f["nodes"]["a"]["if"] = json!("1 + ".repeat(2_000))), Code::CelLimit);
    assert_eq!(long.2, "Split it into several steps");
    assert!(!long.1.contains("Split"), "{}", long.1);
    let hint = |bytes: &[u8]| read(bytes).diagnostics.remove(0).hint;
    assert_eq!(
        hint(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        "Open a workflow file (*.signalbox.json)",
        "no encoding makes a picture a text"
    );
    assert_eq!(hint(b"\xff\xfe{\0}\0"), "Save it as UTF-8, then open it again", "UTF-16 says so first");
    assert_eq!(hint(b"{\"name\": \"Caf\xe9\"}"), "Save it as UTF-8, then open it again");
    let cut = read(b"{\n \"id\": \"w\",").diagnostics.remove(0);
    assert_eq!(cut.message, "The file is not valid JSON: it ends where a value should stand (line 2, column 11)");
    for found in
        [file(|f| f["nodes"]["a"]["type"] = json!("x.y")), file(|f| f["nodes"]["a"]["config"] = json!({ "ms": "x" }))]
    {
        assert!(found.iter().all(|d| !d.hint.contains('`')), "{found:#?}");
    }
}

#[test]
fn what_only_follows_from_a_loose_wire_is_not_told() {
    let wired = |to: &str| {
        let file = json!({
            "signalbox": 1, "id": "w", "name": "w",
            "nodes": { "a": { "type": "t.pass", "out": { "$v": 1 } }, "b": { "type": "t.pass", "if": "context.v == 1" } },
            "edges": [{ "from": "a.success", "to": to }]
        });
        let found = check_bytes(file.to_string().as_bytes(), &catalog()).diagnostics;
        found.iter().map(|d| d.code).collect::<Vec<_>>()
    };
    assert_eq!(wired("b"), []);
    assert_eq!(wired("bb"), [Code::DanglingEdge]);
}

#[test]
fn context_races_are_told_and_exclusive_branches_are_not() {
    let write = json!({ "type": "t.pass", "out": { "$v": 1 } });
    let fork = |port_b: &str| {
        json!({
            "signalbox": 1, "id": "w", "name": "w",
            "nodes": { "s": { "type": "t.split" }, "a": write, "b": write },
            "edges": [{ "from": "s.true", "to": "a" }, { "from": format!("s.{port_b}"), "to": "b" }]
        })
    };
    let races = |file: Value| {
        let found = check_bytes(file.to_string().as_bytes(), &catalog()).diagnostics;
        found.iter().filter(|d| d.code == Code::ContextRace).count()
    };
    assert_eq!(races(fork("true")), 1);
    assert_eq!(races(fork("false")), 0);
}

/// SEMANTICS 8: the run is over, and its questions are taken back as soon as they are asked.
#[test]
fn who_would_be_asked_after_an_abort_is_told_to_be_nobody() {
    let found = file(|file| {
        file["settings"]["onAbort"] = json!("tidy");
        file["nodes"]["tidy"] = json!({ "type": "t.pass" });
        file["nodes"]["ask"] = json!({ "type": "builtin.human_decision" });
        let wires = file["edges"].as_array_mut().expect("edges");
        wires.push(json!({ "from": "tidy.error", "to": "ask" }));
    });
    let told = found.iter().find(|one| one.path == "/nodes/ask").unwrap_or_else(|| panic!("{found:#?}"));
    assert_eq!((told.code, told.severity), (Code::BadConfig, Severity::Warning));
    assert!(told.message.contains("cannot ask anybody"), "{told:?}");
}

#[test]
fn five_thousand_nodes_validate() {
    let mut nodes = Map::new();
    let mut edges = Vec::new();
    for i in 0..5_000 {
        nodes.insert(
            format!("n{i}"),
            json!({ "type": "t.pass", "if": "context.v >= 0", "out": { "$v": "=context.v + 1" } }),
        );
        if i > 0 {
            edges.push(json!({ "from": format!("n{}.success", i - 1), "to": format!("n{i}") }));
        }
    }
    let file = json!({ "signalbox": 1, "id": "w", "name": "w", "nodes": nodes, "edges": edges });
    assert_eq!(check_bytes(file.to_string().as_bytes(), &catalog()).diagnostics, []);
}

/// A skipped or aborted call does not go again, so the picture must not say so.
#[test]
fn an_audit_leads_back_only_behind_what_goes_back() {
    let behind = |port: &str| {
        file(|f| {
            f["nodes"]["ask"] = json!({ "type": "builtin.human_decision", "config": {} });
            f["nodes"]["note"] = json!({ "type": "builtin.audit", "config": {} });
            for (from, to) in [("a.error", "ask"), (port, "note"), ("note.success", "a")] {
                f["edges"].as_array_mut().expect("list").push(json!({ "from": from, "to": to }));
            }
        })
    };
    for port in ["ask.retry", "ask.corrected"] {
        assert_eq!(behind(port), [], "{port}");
    }
    for port in ["ask.skip", "ask.alternative", "ask.abort", "ask.error"] {
        has(&behind(port), Code::Cycle, "/nodes/a");
    }
}

#[test]
fn of_what_one_port_is_wired_to_the_first_recovery_step_takes_all() {
    let wired = |wires: &[(&str, &str)]| {
        file(|f| {
            let rules = json!({ "rules": [{ "name": "r", "when": "true", "action": "auto_fix" }] });
            f["nodes"]["eh"] = json!({ "type": "builtin.error_handler", "title": "First", "config": rules });
            f["nodes"]["heal"] = json!({ "type": "builtin.self_healing" });
            f["nodes"]["ask"] = json!({ "type": "builtin.human_decision", "title": "Second" });
            f["nodes"]["red"] = json!({ "type": "t.pass", "title": "Red" });
            for (from, to) in wires {
                f["edges"].as_array_mut().expect("list").push(json!({ "from": from, "to": to }));
            }
        })
        .into_iter()
        .filter(|found| found.code == Code::HandlerUnreachable)
        .map(|found| (found.severity, found.path, found.message))
        .collect::<Vec<_>>()
    };
    let lost = |at: usize, to: &str| {
        let message = format!("“First” handles everything from the error port of “t.pass”: nothing reaches “{to}”");
        (Severity::Warning, format!("/edges/{at}"), message)
    };
    let healed = [("eh.auto_fix", "heal"), ("eh.human_review", "ask"), ("heal.success", "a"), ("heal.error", "ask")];
    assert_eq!(wired(&[&[("a.error", "eh")], &healed[..]].concat()), []);
    assert_eq!(wired(&[("a.error", "eh"), ("a.error", "ask"), ("eh.auto_fix", "heal")]), [lost(2, "Second")]);
    assert_eq!(wired(&[("a.error", "red"), ("a.error", "eh")]), [lost(1, "Red")]);
    let twice = wired(&[("a.error", "eh"), ("eh.human_review", "heal"), ("eh.human_review", "ask")]);
    assert_eq!(twice.iter().map(|(_, path, _)| path.as_str()).collect::<Vec<_>>(), ["/edges/3"]);
    // What goes back to its own origin does not take what other origins send on.
    assert_eq!(wired(&[("a.error", "ask"), ("b.error", "ask"), ("ask.corrected", "a"), ("ask.corrected", "red")]), []);
}

#[test]
fn containers_have_their_diagnostics() {
    let body =
        |nodes: Value, edges: Value| json!({ "signalbox": 1, "id": "w", "name": "w", "nodes": nodes, "edges": edges });
    let l = json!({ "type": "t.loop" });
    let p = json!({ "type": "t.par" });
    let at = |parent: &str| json!({ "type": "t.pass", "parent": parent });
    let cases = [
        (body(json!({ "a": at("x") }), json!([])), "BAD_PARENT", "/nodes/a/parent"),
        (body(json!({ "a": { "type": "t.pass" }, "b": at("a") }), json!([])), "BAD_PARENT", "/nodes/b/parent"),
        (body(json!({ "s": { "type": "t.sub" }, "b": at("s") }), json!([])), "BAD_PARENT", "/nodes/b/parent"),
        (
            body(
                json!({ "l": { "type": "t.loop", "parent": "m" }, "m": { "type": "t.loop", "parent": "l" } }),
                json!([]),
            ),
            "BAD_PARENT",
            "/nodes/l/parent",
        ),
        (body(json!({ "l": l }), json!([])), "EMPTY_CONTAINER", "/nodes/l"),
        (
            body(
                json!({ "l": l, "a": at("l"), "b": { "type": "t.pass" } }),
                json!([{ "from": "a.success", "to": "b" }]),
            ),
            "CROSSES_CONTAINER",
            "/edges/0",
        ),
        (
            body(
                json!({ "l": l, "b": { "type": "t.pass" },
                        "a": { "type": "t.pass", "parent": "l", "errorHandling": { "fallbackNodeId": "b" } } }),
                json!([]),
            ),
            "CROSSES_CONTAINER",
            "/nodes/a/errorHandling/fallbackNodeId",
        ),
        (
            body(
                json!({ "p": p, "a": at("p"), "b": at("p"), "c": at("p") }),
                json!([{ "from": "a.success", "to": "c" }, { "from": "b.success", "to": "c" }]),
            ),
            "BRANCHES_MEET",
            "/nodes/c",
        ),
        (body(json!({ "x": { "type": "t.break" } }), json!([])), "BAD_CONFIG", "/nodes/x"),
        (
            body(
                json!({ "l": { "type": "t.loop", "errorHandling": { "retryPolicy": { "maxAttempts": 1 } } }, "a": at("l") }),
                json!([]),
            ),
            "BAD_CONFIG",
            "/nodes/l/errorHandling/retryPolicy",
        ),
        (
            body(
                json!({ "l": { "type": "t.loop", "config": { "while": "true", "source": [] } }, "a": at("l") }),
                json!([]),
            ),
            "BAD_CONFIG",
            "/nodes/l/config/while",
        ),
        (body(json!({ "a": { "type": "t.pass", "if": "_index > 0" } }), json!([])), "UNKNOWN_NAME", "/nodes/a/if"),
        (
            body(
                json!({ "l": l, "a": at("l"), "b": { "type": "t.pass", "if": "has(nodes.a)" } }),
                json!([{ "from": "l.success", "to": "b" }]),
            ),
            "NOT_AN_ANCESTOR",
            "/nodes/b/if",
        ),
    ];
    for (file, code, place) in cases {
        let workflow = serde_json::from_value(file.clone()).expect("a workflow");
        let found = signalbox_engine::validate::check(&workflow, &crate::driver::catalog());
        assert!(
            found.iter().any(|d| d.code.as_str() == code && d.path == place),
            "{code} at {place}: {found:#?} in {file}"
        );
    }
    // What stands outside is seen from inside, and the body of a loop knows its iteration.
    let good = body(
        json!({ "a": { "type": "t.pass" }, "l": { "type": "t.loop", "config": { "while": "_index < 3", "collect": "_result" } },
                "b": { "type": "t.pass", "parent": "l", "if": "_index > 0 && has(nodes.a) && _item == 1" } }),
        json!([{ "from": "a.success", "to": "l" }]),
    );
    let workflow = serde_json::from_value(good).expect("a workflow");
    assert_eq!(signalbox_engine::validate::check(&workflow, &crate::driver::catalog()), []);
}

/// A schema that cannot be used would let everything pass.
#[test]
fn schemas_of_params_and_variables_are_looked_at() {
    has(&file(|f| f["params"] = json!({ "properties": { "n": { "type": "nmber" } } })), Code::BadConfig, "/params");
    let found = file(|f| f["context"] = json!({ "schema": { "properties": { "n": { "$ref": "#/$defs/none" } } } }));
    has(&found, Code::BadConfig, "/context/schema/properties/n");
    let shared = json!({ "schema": { "properties": { "n": { "$ref": "#/$defs/n" } }, "$defs": { "n": { "type": "integer" } } } });
    assert_eq!(file(|f| f["context"] = shared), [], "what stands in $defs is there for every variable");
}

#[test]
fn an_artifact_is_no_folder_of_another() {
    let found = file(|f| {
        f["nodes"]["a"]["out"] = json!({ "/report": "=_result" });
        f["nodes"]["b"]["out"] = json!({ "/report/part.txt": "=_result", "/reports.txt": "=_result" });
    });
    has(&found, Code::BadConfig, "/nodes/a/out/~1report");
    assert_eq!(found.len(), 1, "{found:#?}");
}

/// Each file names the next one twice: sixteen levels have 65,536 ways through them.
#[test]
fn files_of_sub_workflows_are_gone_through_once() {
    let step = |to: usize| json!({ "type": "t.sub", "config": { "workflow": format!("w{to}") } });
    let level = |n: usize, last: usize| {
        let nodes = if n == last {
            json!({ "a": { "type": "t.pass" } })
        } else {
            json!({ "a": step(n + 1), "b": step(n + 1) })
        };
        json!({ "signalbox": 1, "id": format!("w{n}"), "name": "w", "nodes": nodes, "edges": [] })
    };
    let compiled = |last: usize| {
        let read = |file: Value| Arc::new(serde_json::from_value(file).expect("a workflow"));
        let files = (1..=last).map(|n| (format!("w{n}"), read(level(n, last)))).collect();
        Compiled::with_files(read(level(0, last)), "hash", &catalog(), &files).map(|_| ())
    };
    assert_eq!(compiled(16), Ok(()));
    let found = compiled(17).expect_err("one level too many");
    has(&found, Code::BadParent, "/nodes/a/config/workflow");
}

/// What a person pastes into the address of a request, or forgets there.
#[test]
fn addresses_that_are_none_are_told_before_a_run() {
    let descriptor = json!({
        "type": "http.request", "version": 1, "title": "HTTP request", "description": "Asks", "category": "data",
        "icon": "globe", "modes": ["each"], "effects": "read", "ports": [{ "id": "success" }, { "id": "error" }],
        "config": { "type": "object", "properties": { "url": { "type": "string", "title": "Address", "x-url": true } } }
    });
    let catalog = Catalog::new(vec![serde_json::from_value(descriptor).expect("a descriptor")]);
    let told = |url: &str| -> Vec<Diagnostic> {
        let node = json!({ "type": "http.request", "config": { "url": url } });
        let file = json!({ "signalbox": 1, "id": "w", "name": "w", "nodes": { "a": node }, "edges": [] });
        check_bytes(file.to_string().as_bytes(), &catalog).diagnostics
    };
    for (url, words) in [
        ("curl 'https://shop.example/orders' -H 'X-A: {{params.a}}'", "a whole cURL command"),
        ("shop.example/orders", "does not begin with https:// or http://"),
        ("ftp://shop.example/{a}", "does not begin with https:// or http://"),
    ] {
        let found = told(url);
        has(&found, Code::BadConfig, "/nodes/a/config/url");
        assert!(found.len() == 1 && found[0].message.contains(words), "{url}: {found:#?}");
    }
    for url in ["https://shop.example", " HTTP://shop.example/a b", "{{params.shop}}/orders", "= params.shop"] {
        assert_eq!(told(url), [], "{url}");
    }
}

/// The case `form-body`, and its kind: a body that is written in the file and cannot fit the header beside it.
#[test]
fn bodies_that_do_not_fit_their_header_are_told() {
    let descriptor = json!({
        "type": "http.request", "version": 1, "title": "HTTP request", "description": "Asks", "category": "data",
        "icon": "globe", "modes": ["each"], "effects": "write", "ports": [{ "id": "success" }, { "id": "error" }],
        "config": { "type": "object", "properties": { "headers": { "type": "object" }, "body": { "title": "Body" } } }
    });
    let catalog = Catalog::new(vec![serde_json::from_value(descriptor).expect("a descriptor")]);
    let told = |headers: &Value, body: &Value| -> Vec<Diagnostic> {
        let node = json!({ "type": "http.request", "config": { "headers": headers, "body": body } });
        let file = json!({ "signalbox": 1, "id": "w", "name": "w", "nodes": { "a": node }, "edges": [] });
        check_bytes(file.to_string().as_bytes(), &catalog).diagnostics
    };
    let form = json!({ "content-TYPE": "application/x-www-form-urlencoded" });
    let parts = json!({ "Content-Type": "multipart/form-data" });
    let json = json!({ "Content-Type": "application/json; charset=utf-8" });
    for (headers, body, at) in [
        (&form, json!({ "user": { "name": "ada" } }), "/user"),
        (&form, json!({ "a/b": [1, [2]] }), "/a~1b/1"),
        (&form, json!([1]), ""),
        (&form, json!("{\"a\": 1}"), ""),
        (&parts, json!("a=1"), ""),
        (&parts, json!({ "a": { "name": "x" } }), "/a"),
        (&json, json!("a=1"), ""),
        (&json!({ "Content-Type": "text/csv" }), json!([{ "a": 1 }]), ""),
    ] {
        let found = told(headers, &body);
        has(&found, Code::BadConfig, &format!("/nodes/a/config/body{at}"));
        assert_eq!(found.len(), 1, "{headers} {body}: {found:#?}");
        assert!(found[0].message.contains("Content-Type"), "{}", found[0].message);
    }
    for (headers, body) in [
        (
            &form,
            json!({ "grant_type": "client_credentials", "scope": "read & write", "n": [1, null], "x": "= item.x" }),
        ),
        (&form, json!("user=ada&pin=1")),
        (&form, json!("user={{item.name}} x")),
        (&form, json!("= item")),
        (&form, json!(null)),
        (&parts, json!({ "file": { "binary": "photo" }, "many": ["a", { "value": { "a": 1 } }] })),
        (&json, json!("{\"a\": 1}")),
        (&json, json!("{\"a\": {{item.n}}}")),
        (&json, json!({ "a": { "b": [1] } })),
        (&json!({ "Content-Type": "= item.type" }), json!([1])),
        (&json!({}), json!({ "a": { "b": 1 } })),
    ] {
        assert_eq!(told(headers, &body), [], "{headers} {body}");
    }
}
