use crate::{catalog::Catalog, validate::check_bytes};
use serde_json::{Value, json};
use signalbox_model::{Code, Diagnostic, Severity};

fn catalog() -> Catalog {
    let kind = |name: &str, role: &str, config: Value| {
        serde_json::from_value(json!({
            "type": name, "version": 1, "title": name, "description": name, "category": "logic", "icon": "box",
            "role": role, "modes": ["each", "all"], "effects": "none", "ports": [{ "id": "success" }, { "id": "error" }],
            "config": { "type": "object", "properties": config }
        }))
        .expect("descriptor")
    };
    let cel = json!({ "type": "string", "x-cel": true });
    Catalog::new(vec![
        kind("flow.if", "step", json!({ "condition": cel })),
        kind(
            "flow.switch",
            "step",
            json!({ "cases": { "type": "array", "items": { "type": "object",
            "properties": { "when": cel, "port": { "type": "string" } } } } }),
        ),
        kind("flow.loop", "loop", json!({ "source": {}, "while": cel, "collect": cel })),
        kind("data.filter", "step", json!({ "when": cel })),
    ])
}

fn file(nodes: Value, settings: Value) -> Vec<Diagnostic> {
    let file = json!({
        "signalbox": 1, "id": "w", "name": "w", "nodes": nodes, "edges": [], "settings": settings,
        "params": { "type": "object", "properties": { "limit": { "type": "number" }, "names": { "type": "string" } } },
        "context": { "schema": { "type": "object", "properties": { "total": { "type": "number" } } } },
    });
    check_bytes(file.to_string().as_bytes(), &catalog()).diagnostics
}

fn audit_rules(rules: &Value) -> Vec<Diagnostic> {
    file(json!({ "a": { "type": "flow.if", "config": { "condition": "true" } } }), json!({ "auditRules": rules }))
}

fn places(found: &[Diagnostic]) -> Vec<(&str, Code)> {
    found.iter().map(|one| (one.path.as_str(), one.code)).collect()
}

#[test]
fn conditions_of_steps_and_loops_are_looked_at() {
    let found = file(
        json!({
            "a": { "type": "flow.if", "config": { "condition": "params.limit > 'x'" } },
            "b": { "type": "flow.switch", "config": { "cases": [
                { "when": "context.total > 1", "port": "one" }, { "when": "context.total", "port": "two" }] } },
            "c": { "type": "flow.loop", "config": { "while": "_index + 1" } },
            "d": { "type": "flow.loop", "config": { "source": "=params.names" } },
            "in_c": { "type": "data.filter", "parent": "c", "config": { "when": "item.ok" } },
            "in_d": { "type": "data.filter", "parent": "d", "config": { "when": "_index > 0" } },
            "e": { "type": "data.filter", "config": { "when": "run.ident == item.id" } },
            "f": { "type": "data.filter", "if": "error.type == 'TimeOut'", "config": { "when": "item.ok" } },
        }),
        json!({}),
    );
    assert!(found.iter().all(|one| one.severity == Severity::Warning), "{found:#?}");
    assert_eq!(
        places(&found),
        [
            ("/nodes/a/config/condition", Code::BadConfig),
            ("/nodes/b/config/cases/1/when", Code::BadConfig),
            ("/nodes/c/config/while", Code::BadConfig),
            ("/nodes/d/config/source", Code::BadConfig),
            ("/nodes/e/config/when", Code::UnknownName),
            ("/nodes/f/if", Code::UnknownName),
        ],
        "{found:#?}"
    );
    assert_eq!(found[5].hint, "Did you mean 'Timeout'?");
}

#[test]
fn k_60_audit_rules_are_looked_at() {
    let examples = json!([
        { "when": "err.type in [\"LLMError\", \"ToolError\"] && err.retryable == false", "level": "CRITICAL" },
        { "when": "event == \"HITL_COMPLETED\"", "level": "WARN" },
        { "when": "autoFix.delta > 0", "escalate": true },
    ]);
    assert_eq!(audit_rules(&examples), [], "A-33 to A-35");
    let found = audit_rules(&json!([
        { "when": "event == 'HITL_DONE'", "level": "WARN" },
        { "when": "autoFix.delta > 'x'", "escalate": true },
        { "when": "err.retr", "escalate": true },
        { "when": "item.total > 1", "escalate": true },
        { "when": "true" },
        { "when": "event ==", "escalate": true },
        { "when": "true", "level": "LOUD" },
    ]));
    let at = |path: &str| found.iter().find(|one| one.path == path).map(|one| (one.code, one.severity));
    assert_eq!(at("/settings/auditRules/0/when"), Some((Code::UnknownName, Severity::Warning)));
    assert_eq!(at("/settings/auditRules/1/when"), Some((Code::BadConfig, Severity::Warning)));
    assert_eq!(at("/settings/auditRules/2/when"), Some((Code::UnknownName, Severity::Warning)));
    assert_eq!(at("/settings/auditRules/3/when"), Some((Code::UnknownName, Severity::Error)));
    assert_eq!(at("/settings/auditRules/4"), Some((Code::BadConfig, Severity::Warning)));
    assert_eq!(at("/settings/auditRules/5/when"), Some((Code::CelSyntax, Severity::Error)));
    assert_eq!(at("/settings/auditRules/6"), Some((Code::BadConfig, Severity::Error)));
    assert_eq!(found.len(), 7, "{found:#?}");
}

#[test]
fn a_loop_whose_source_is_never_a_list_is_told_with_what_to_write() {
    let of = |source: Value| {
        let loop_of = json!({ "type": "flow.loop", "config": { "source": source } });
        let all = file(json!({ "l": loop_of, "a": { "type": "data.filter", "parent": "l" } }), json!({}));
        all.into_iter().find(|found| found.path == "/nodes/l/config/source")
    };
    for (source, hint) in [
        (json!("[1,2,3]"), "Write =[1,2,3]"),
        (json!("params.orders"), "Write =params.orders"),
        (json!("{{ item.orders }}"), "Write =item.orders"),
        (json!("orders"), "Use a list, or = and an expression, for example =item.orders"),
        (json!("5"), "Use a list, or = and an expression, for example =item.orders"),
        (json!("a, b"), "Use a list, or = and an expression, for example =item.orders"),
        (json!(" "), "Remove 'source' to iterate over the input items"),
        (json!(3), "To count, use a list of numbers, or 'while'"),
        (json!({ "a": 1 }), "Use a list, or = and an expression"),
    ] {
        let found = of(source.clone()).unwrap_or_else(|| panic!("{source} is no list"));
        assert_eq!((found.code, found.severity, found.hint.as_str()), (Code::BadConfig, Severity::Warning, hint));
    }
    for source in [json!([1, 2]), json!([]), json!("=[1,2]"), json!(" =item.orders"), Value::Null] {
        assert_eq!(of(source.clone()), None, "{source}");
    }
}
