//! Expressions, templates and schemas from outside: numbers (K-08), limits, messages, hostile texts.
#![allow(clippy::disallowed_methods, reason = "one test compares times; nothing here is part of a run")]

use serde_json::{Value, json};
use signalbox_engine::expr::{self, Code, Expr, ExprError};
use signalbox_engine::scope::{NodeView, Scope};
use signalbox_engine::template::{self, Template};
use signalbox_model::Data;
use std::sync::Arc;

pub(crate) fn scope() -> Scope {
    let mut scope = Scope::empty();
    scope.params = Arc::new(json!({ "limit": 10, "rate": 0.5, "name": "Ada", "odd key": 1 }));
    scope.item = Data::from(json!({
        "name": "Grace", "age": 41, "tags": ["a", "b"], "nested": { "deep": { "deeper": true } },
        "evil": "{{secrets.x}} ${x} =1+1", "none": null, "big": 18_446_744_073_709_551_615_u64
    }));
    scope.items = Arc::new((1..=3).map(|n| json!({ "n": n }).into()).collect());
    let mut context = indexmap::IndexMap::new();
    context.insert("user".to_owned(), Arc::new(json!({ "name": "Ada", "email": "a@example.com" })));
    scope.context = Arc::new(context);
    let mut nodes = indexmap::IndexMap::new();
    nodes.insert(
        "my-id".to_owned(),
        NodeView { output: json!({ "ok": true }).into(), items: Arc::new(vec![json!({ "ok": true }).into()]) },
    );
    scope.nodes = Arc::new(nodes);
    scope.locals = vec![("_index", json!(3).into())];
    scope
}

fn with_error(error: Value) -> Scope {
    let mut scope = scope();
    scope.error = Arc::new(error);
    scope
}

pub(crate) fn run(text: &str) -> Result<Value, ExprError> {
    Expr::compile(text)?.eval(&scope())
}

#[track_caller]
pub(crate) fn gives(text: &str, wanted: Value) {
    match run(text) {
        Ok(found) => assert_eq!(found.to_string(), wanted.to_string(), "{text}"),
        Err(error) => panic!("{text}: {error}"),
    }
}

#[track_caller]
pub(crate) fn fails(text: &str, code: Code) -> ExprError {
    match run(text) {
        Ok(found) => panic!("{text} gives {found}"),
        Err(error) => {
            assert_eq!(error.code, code, "{text}: {error}");
            assert!(!error.message.is_empty());
            error
        }
    }
}

/// A stack of the size that threads have by default.
fn small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(work).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn k_08_numbers() {
    for (text, wanted) in [
        ("7 / 2", json!(3)),
        ("-7 / 2", json!(-3)),
        ("7 % 3", json!(1)),
        ("7.0 / 2", json!(3.5)),
        ("7 / 2.0", json!(3.5)),
        ("params.limit + 1", json!(11)),
        ("params.limit + params.rate", json!(10.5)),
        ("params.rate + params.limit", json!(10.5)),
        ("params.limit - params.rate", json!(9.5)),
        ("params.limit * params.rate", json!(5.0)),
        ("params.limit / params.rate", json!(20.0)),
        ("params.limit > params.rate", json!(true)),
        ("params.rate <= params.limit", json!(true)),
        ("1 == 1.0", json!(true)),
        ("1.5 == 1", json!(false)),
        ("9007199254740993 == 9007199254740992.0", json!(false)),
        ("9007199254740993 > 9007199254740992.0", json!(true)),
        ("1 in [1.0]", json!(true)),
        ("item.big > 9223372036854775807", json!(true)),
        ("type(item.big) == double", json!(true)),
        ("type(item.age) == int", json!(true)),
        ("-item.age", json!(-41)),
        ("int(3.9)", json!(3)),
        ("int(-3.9)", json!(-3)),
        ("int('12')", json!(12)),
        ("double('1.5')", json!(1.5)),
        ("string(1.0)", json!("1")),
        ("1u + 1", json!(2)),
        ("0x10", json!(16)),
        ("1e3", json!(1000.0)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("b'hello'", json!("aGVsbG8=")),
        ("b'hell'", json!("aGVsbA==")),
        ("timestamp('2026-01-31T09:30:00Z')", json!("2026-01-31T09:30:00Z")),
        ("timestamp('2026-01-31T09:30:00Z') + duration('1h')", json!("2026-01-31T10:30:00Z")),
        ("timestamp('2026-01-31T09:30:00Z').getFullYear()", json!(2026)),
        ("timestamp('2026-01-31T09:30:00Z') < timestamp('2026-02-01T00:00:00Z')", json!(true)),
        ("duration('1h30m')", json!(5_400_000)),
    ] {
        gives(text, wanted);
    }
    for text in ["0.0 / 0.0", "1.0 / 0.0", "-1.0 / 0.0", "{1: 2}", "[{true: 1}]"] {
        fails(text, Code::SchemaMismatch);
    }
    for text in [
        "1 / 0",
        "1 % 0",
        "9223372036854775807 + 1",
        "9223372036854775807 * 2",
        "5.5 % 2.0",
        "int('x')",
        "int(1e300)",
        "string(1.0 / 0.0)",
    ] {
        fails(text, Code::Eval);
    }
    assert_eq!(Expr::compile("1").unwrap().eval(&scope()).unwrap(), json!(1));
}

#[test]
fn ordinary_expressions() {
    for (text, wanted) in [
        ("=item.name", json!("Grace")),
        ("  = item.name ", json!("Grace")),
        ("item.name + ' H.'", json!("Grace H.")),
        ("item['name']", json!("Grace")),
        ("params['odd key']", json!(1)),
        ("item.tags[1]", json!("b")),
        ("item.tags + ['c']", json!(["a", "b", "c"])),
        ("['c'] + item.tags", json!(["c", "a", "b"])),
        ("item.tags == ['a', 'b'] && ['a', 'b'] == item.tags", json!(true)),
        ("item.nested == {'deep': {'deeper': true}} && {'deep': {'deeper': true}} == item.nested", json!(true)),
        ("'a' in item.tags", json!(true)),
        ("'name' in item", json!(true)),
        ("items.map(x, x.n * 2)", json!([2, 4, 6])),
        ("items.filter(x, x.n > 1).map(x, x.n)", json!([2, 3])),
        ("items.map(x, x.n > 1, x.n)", json!([2, 3])),
        ("items.all(x, x.n > 0)", json!(true)),
        ("items.exists(x, x.n == 3)", json!(true)),
        ("items.exists_one(x, x.n > 1)", json!(false)),
        ("items.map(x, items.map(y, x.n * y.n))", json!([[1, 2, 3], [2, 4, 6], [3, 6, 9]])),
        ("items.map(item, item.n)", json!([1, 2, 3])),
        ("item.nested.map(k, k)", json!(["deep"])),
        ("size(items) + size('äöü') + size(item.tags) + size(item.nested)", json!(9)),
        ("item.tags.size()", json!(2)),
        ("'Straße'.upper()", json!("STRASSE")),
        ("' x '.trim() + 'A'.lower()", json!("xa")),
        ("'a,b'.split(',')", json!(["a", "b"])),
        ("item.tags.join('-')", json!("a-b")),
        ("'aXbX'.replace('X', '1')", json!("a1b1")),
        ("put(null, ['rows', 1, 'id'], 7)", json!({ "rows": [null, { "id": 7 }] })),
        ("put([1, {'a': 2}], [1, 'a'], 'x')", json!([1, { "a": "x" }])),
        ("put({'a': 1}, [], [2.5, null, true])", json!([2.5, null, true])),
        ("size(put([], [499999], 1))", json!(500_000)),
        ("item.name.startsWith('Gr') && item.name.endsWith('ce') && item.name.contains('ra')", json!(true)),
        ("item.name.matches('^G.*e$')", json!(true)),
        ("item.age > 40 ? 'old' : 'young'", json!("old")),
        ("{'z': 1, 'a': item.none, 'm': [true]}", json!({ "z": 1, "a": null, "m": [true] })),
        ("nodes['my-id'].output.ok", json!(true)),
        ("nodes['my-id'].items[0].ok", json!(true)),
        ("has(nodes.other)", json!(false)),
        ("has(item.name) && !has(item.nope)", json!(true)),
        ("has(item.none)", json!(true)),
        ("has(error.code)", json!(false)),
        ("error == null && err == null && ctx.error == null", json!(true)),
        ("_index", json!(3)),
        ("context.user.name", json!("Ada")),
        ("context", json!({ "user": { "name": "Ada", "email": "a@example.com" } })),
        ("item.none == null", json!(true)),
        ("'1' == 1", json!(false)),
        ("!!true", json!(true)),
        ("false && item.nope", json!(false)),
        ("item.nope && false", json!(false)),
        ("item.nope || true", json!(true)),
        ("items.exists(x, x.nope == 1 || x.n == 2)", json!(true)),
        ("'ä\\n\\u00e9'", json!("ä\né")),
        ("r'\\d'", json!("\\d")),
        ("item", scope().item.value().as_ref().clone()),
        ("items", json!([{ "n": 1 }, { "n": 2 }, { "n": 3 }])),
        ("ctx", json!({ "error": null, "data": null })),
    ] {
        gives(text, wanted);
    }
    let bad = Expr::compile("item.name").unwrap().eval_bool(&scope()).unwrap_err();
    assert_eq!(bad.code, Code::Eval);
    assert!(bad.message.contains("item.name") && bad.message.contains("a text"), "{bad}");
    assert!(Expr::compile("= item.age > 1").unwrap().eval_bool(&scope()).unwrap());
}

#[test]
fn results_are_the_same_every_time() {
    let text = "{'z': 1, 'y': 2, 'x': 3, 'w': 4, 'v': 5, 'u': 6}";
    for _ in 0..50 {
        assert_eq!(run(text).unwrap().to_string(), r#"{"z":1,"y":2,"x":3,"w":4,"v":5,"u":6}"#);
    }
}

#[test]
fn ts_026_err_and_error_are_the_same() {
    let scope = with_error(json!({ "type": "LLMError", "attempt": 1, "retryable": false, "maxAttempts": 3 }));
    for rest in ["type == \"LLMError\"", "attempt >= 1", "retryable", "attempt < error.maxAttempts"] {
        let one = Expr::compile(&format!("err.{rest}")).unwrap().eval(&scope).unwrap();
        let two = Expr::compile(&format!("error.{rest}")).unwrap().eval(&scope).unwrap();
        let three = Expr::compile(&format!("ctx.error.{rest}")).unwrap().eval(&scope).unwrap();
        assert_eq!(one, two);
        assert_eq!(one, three);
    }
}

/// E-34 to E-37 and A-33, as their rows write them.
#[test]
fn ts_027_examples() {
    let e34 = "err.retryable == true && err.attempt < err.maxAttempts";
    let e35 = "err.type == \"LLMError\" && err.attempt >= 1";
    let e36 = "err.type == \"ValidationError\" && has_schema(err.details.schema)";
    let e37 = "err.type == \"ToolError\" && err.details.code in [\"TOOL_DEPRECATED\",\"UNSUPPORTED_OPERATION\"]";
    let a33 = "err.type in [\"LLMError\",\"ToolError\"] && err.retryable == false";
    let valid = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    for (text, error, wanted) in [
        (e34, json!({ "retryable": true, "attempt": 0, "maxAttempts": 3 }), true),
        (e34, json!({ "retryable": true, "attempt": 3, "maxAttempts": 3 }), false),
        (e34, json!({ "retryable": false }), false),
        (e35, json!({ "type": "LLMError", "attempt": 1 }), true),
        (e35, json!({ "type": "LLMError", "attempt": 0 }), false),
        (e36, json!({ "type": "ValidationError", "details": { "schema": valid } }), true),
        (e36, json!({ "type": "ValidationError", "details": { "schema": {} } }), true),
        (e36, json!({ "type": "ValidationError", "details": { "schema": null } }), false),
        (e36, json!({ "type": "ValidationError", "details": { "schema": "Order" } }), false),
        (e36, json!({ "type": "ValidationError", "details": { "schema": { "type": 5 } } }), false),
        (e36, json!({ "type": "ValidationError", "details": { "schema": [] } }), false),
        (e36, json!({ "type": "ValidationError", "details": {} }), false),
        (e36, json!({ "type": "ValidationError" }), false),
        (e36, json!({ "type": "ToolError", "details": { "schema": {} } }), false),
        (e37, json!({ "type": "ToolError", "details": { "code": "TOOL_DEPRECATED" } }), true),
        (e37, json!({ "type": "ToolError", "details": { "code": "OTHER" } }), false),
        (a33, json!({ "type": "ToolError", "retryable": false }), true),
        (a33, json!({ "type": "ToolError", "retryable": true }), false),
        (a33, json!({ "type": "Timeout", "retryable": false }), false),
    ] {
        let found = Expr::compile(text).unwrap().eval_bool(&with_error(error.clone()));
        assert_eq!(found, Ok(wanted), "{text} with {error}");
    }
    // A rule over a field that is not there is an error, which the engine counts as "no match" (TS-025).
    let scope = with_error(json!({ "type": "ToolError" }));
    assert_eq!(Expr::compile("error.nope.x > 1").unwrap().eval_bool(&scope).unwrap_err().code, Code::MissingField);
    assert_eq!(Expr::compile(e37).unwrap().eval_bool(&scope).unwrap_err().code, Code::MissingField);
}

#[test]
fn ts_149_missing_variable() {
    let mut scope = scope();
    let many: serde_json::Map<String, Value> = (0..60).map(|i| (format!("field{i}"), json!(i))).collect();
    scope.item = Data::from(json!({ "customer": many, "customers": 1, "custom": 2 }));
    let error = Expr::compile("item.customer.field99").unwrap().eval(&scope).unwrap_err();
    assert_eq!(error.code, Code::MissingField);
    assert!(error.message.contains("item.customer.field99"), "{error}");
    assert_eq!(error.available.len(), 20);
    assert!(error.message.contains("40 more"), "{error}");
    assert!(!error.suggestions.is_empty() && error.suggestions.len() <= 3, "{:?}", error.suggestions);
    assert_eq!(error.more.available_at, "item.customer");
    assert!(error.more.top_level.contains(&"params".to_owned()));
    assert_eq!(error.position, Some(14));
    assert!(error.more.structure.contains("field0: int") && error.more.structure.len() <= 2000);
    let details = error.details();
    assert_eq!(details["code"], "MISSING_FIELD");
    assert_eq!(details["available"].as_array().unwrap().len(), 20);

    let error = Expr::compile("item.custmer").unwrap().eval(&scope).unwrap_err();
    assert_eq!(error.suggestions[0], "customer");
    let error = Expr::compile("item.customer.field1.x").unwrap().eval(&scope).unwrap_err();
    assert!(error.message.contains("an integer"), "{error}");
    let error = fails("parms.name", Code::MissingField);
    assert_eq!(error.suggestions, ["params"]);
    assert!(error.message.contains("item") && error.message.contains("`parms`"), "{error}");
    let error = fails("limit > 1", Code::MissingField);
    assert_eq!(error.suggestions[0], "params.limit");
    let error = fails("nodes.fetch.output", Code::MissingField);
    assert!(error.message.contains("no result"), "{error}");
    let error = fails("item.tags[7]", Code::MissingField);
    assert!(error.message.contains("0 to 1"), "{error}");
    fails("error.details", Code::MissingField);
    fails("_result", Code::MissingField);
}

#[test]
fn syntax_errors_are_plain() {
    for (text, part, position) in [
        ("1 +", "ends too early", 3),
        ("a = 1", "write `==`", 2),
        ("a == 1 and b", "`&&`", 7),
        ("'abc", "not closed", 0),
        ("'ä' + ${x}", "`$` is unknown", 6),
        ("if(x)", "reserved", 0),
        ("", "empty", 0),
        ("item.name)", "not expected", 9),
        ("99999999999999999999", "too large", 0),
        ("item.`a-b`", "backticks", 5),
    ] {
        let error = fails(text, Code::Syntax);
        assert!(error.message.contains(part), "{text}: {error}");
        assert_eq!(error.position, Some(position), "{text}: {error}");
        if !text.is_empty() {
            assert!(error.message.contains(text), "{text}: {error}");
        }
    }
    let error = fails("item.name.lenght()", Code::Syntax);
    assert!(error.message.contains("no function `lenght`"), "{error}");
    let error = fails("siz(item)", Code::Syntax);
    assert_eq!(error.suggestions.first().map(String::as_str), Some("size"));
    for text in
        ["a.?b", "Foo{x: 1}", "has(a)", "a.map(1, 2)", "item.map(x)", "`a-b`", "a[?0]", "f(1,)", "?", "\u{0}", "🦀 + 1"]
    {
        fails(text, Code::Syntax);
    }
}

#[test]
fn references() {
    let expr = Expr::compile(
        "has(nodes.fetch) && nodes['my-id'].output.x > params.limit && items.map(x, x.a + context.user.name)[0] == item.tags[0]",
    )
    .unwrap();
    let found = expr.references();
    assert_eq!(found.nodes, ["fetch", "my-id"]);
    assert_eq!(found.roots, ["nodes", "params", "items", "context", "item"]);
    assert_eq!(
        found.paths,
        ["nodes.fetch", "nodes['my-id'].output.x", "params.limit", "items", "context.user.name", "item.tags[0]"]
    );
    assert!(!found.any_node && !found.any_context);
    let found = Expr::compile("nodes[item.id].output + context[params.key]").unwrap();
    assert!(found.references().any_node && found.references().any_context);
    assert_eq!(found.references().roots, ["item", "nodes", "params", "context"]);
}

#[test]
fn limits_do_not_crash_a_small_stack() {
    small_stack(|| {
        let code = |text: &str| Expr::compile(text).map(|_| ()).unwrap_err().code;
        assert_eq!(code(&format!("{}1{}", "(".repeat(3000), ")".repeat(3000))), Code::Limit);
        assert_eq!(code(&format!("{}1{}", "(".repeat(1500), ")".repeat(1500))), Code::Limit);
        assert_eq!(code(&"[".repeat(4000)), Code::Limit);
        assert_eq!(code(&vec!["1"; 3000].join("+")), Code::Limit);
        assert_eq!(code(&vec!["1"; 1500].join("+")), Code::Limit);
        assert_eq!(code(&vec!["a"; 2000].join(".")), Code::Limit);
        assert_eq!(code(&format!("{}a", "!-".repeat(1500))), Code::Limit);
        assert_eq!(code(&format!("{}1", "a?b:".repeat(900))), Code::Limit);
        assert_eq!(code(&format!("a{}", "[0]".repeat(1200))), Code::Limit);
        assert_eq!(code(&format!("a{}", ".size()".repeat(500))), Code::Limit);
        assert_eq!(code(&format!("{}1", "a||a?a:".repeat(500))), Code::Limit);
    });
}

#[test]
fn the_largest_allowed_fit_a_small_stack() {
    small_stack(|| {
        let long = |n: usize| vec!["1"; n].join("+");
        for text in [
            format!("{}1{}", "(".repeat(16), ")".repeat(16)),
            format!("{}1{}", "[".repeat(16), "]".repeat(16)),
            format!("{}1{}", "size([".repeat(8), "])".repeat(8)),
            long(95),
            format!("{}{}{}", "[".repeat(16), long(75), "]".repeat(16)),
            format!("{}1{}", "[1].map(x,".repeat(16), ")".repeat(16)),
            format!("{}true", "- -1 == 1 ? true : ".repeat(20)),
            vec!["1 == 1"; 400].join(" && "),
            vec!["1 == 2"; 400].join(" || "),
            format!("[{}]", vec!["1"; 1500].join(",")),
        ] {
            let made = Expr::compile(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
            made.eval(&Scope::empty()).unwrap_or_else(|e| panic!("{text}: {e}"));
        }
        // Broken texts as deep as they may be.
        for open in ["(", "[", "{", "a(", "a.b(", "!(", "-[", "a?(", "has("] {
            for close in ["", ")", "]", "}"] {
                drop(Expr::compile(&format!("{}{}", open.repeat(16), close.repeat(16))));
            }
        }
    });
}

#[test]
fn bombs_are_stopped() {
    small_stack(|| {
        let big: Vec<Data> = (0..1000).map(|n| json!(n).into()).collect();
        let mut scope = Scope::empty();
        scope.items = Arc::new(big);
        scope.item = Data::from(json!("x".repeat(1000)));
        let doubling = |one: &str, times: usize| format!("[item]{}", one.repeat(times));
        for text in [
            "items.map(a, items.map(b, items.map(c, 1)))".to_owned(),
            "items.all(a, items.all(b, true))".to_owned(),
            "items.exists(a, items.exists(b, false))".to_owned(),
            "items.filter(a, items.exists_one(b, true))".to_owned(),
            "false || items.exists(a, items.exists(b, false)) || true".to_owned(),
            doubling(".map(a, a + a)", 40),
            doubling(".map(a, [a, a])", 40),
            doubling(".map(a, {'a': a, 'b': a})", 40),
            doubling(".map(a, a.replace('x', a))", 40),
            "items.map(a, item.split('x'))".to_owned() + &".map(a, a + a)".repeat(20),
            "[[items.map(a, item)]].map(b, b.map(c, c.join(item)))".to_owned(),
            "items.map(a, items + items).map(b, b + b).map(b, b + b).map(b, b + b).map(b, b + b).map(b, b + b)"
                .to_owned(),
        ] {
            let error = Expr::compile(&text).and_then(|e| e.eval(&scope)).map(|v| v.to_string().len()).unwrap_err();
            assert_eq!(error.code, Code::Limit, "{text}: {error}");
        }
        // Equality of two values that share everything: 2^40 comparisons if nobody counts.
        let text = format!("[1]{0} == [1]{0}", ".map(a, [a, a])".repeat(40));
        assert_eq!(Expr::compile(&text).and_then(|e| e.eval(&scope)).unwrap_err().code, Code::Limit);
        for pattern in ["(a{1000}){1000}", "((((((a{9}){9}){9}){9}){9}){9})", "(a+)+$", "\\\\p{L}{999}"] {
            let text = format!("'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.matches('{pattern}')");
            drop(Expr::compile(&text).and_then(|e| e.eval(&scope)));
        }
        fails("'a'.matches('(')", Code::Eval);
        for text in [
            "put([], [1000000], 1)",
            "put([], [-1], 1)",
            "put('a', [0], 1)",
            "put([1], ['a'], 1)",
            "put([], 'a', 1)",
            "put([])",
        ] {
            fails(text, Code::Eval);
        }
        // As many levels would be as many frames of the stack.
        fails(&format!("put(null, '{}'.split(','), 1)", "a,".repeat(1_000)), Code::Eval);
    });
}

/// A list of references costs nothing to make; what is made of it does.
#[test]
fn results_that_are_given_one_by_one_are_bounded_together() {
    let mut scope = Scope::empty();
    scope.items = Arc::new((0..1_000).map(|n| json!(n).into()).collect());
    scope.item = Data::from(json!({ "doc": "x".repeat(8 * 1024 * 1024) }));
    let each = |text: &str| {
        let mut given = 0;
        let told = Expr::compile(text).expect("an expression").eval_each(&scope, &mut |_| given += 1);
        (told.map_err(|error| (error.code, error.message)), given)
    };
    let (told, given) = each("items.map(n, {'n': n, 'doc': item.doc})");
    let (code, message) = told.expect_err("8 GB");
    assert_eq!(code, Code::Limit);
    assert!(message.contains("1 GiB together"), "{message}");
    assert!((100..140).contains(&given), "{given}");
    assert_eq!(each("items.map(n, n)"), (Ok(None), 1_000));
}

#[test]
fn hostile_texts_stay_text_or_are_errors() {
    let attacks = [
        "constructor.constructor('return process')()",
        "this.constructor.constructor('return this.process.mainModule.require(\"child_process\").execSync(\"id\")')()",
        "$evaluateExpression('1')",
        "item.__proto__.polluted",
        "item['constructor']['constructor']('x')",
        "(() => 1)()",
        "`${7*7}`",
        "${7*7}",
        "#{7*7}",
        "process.env",
        "require('fs')",
        "import('fs')",
        "new Function('return 1')()",
        "global.process",
        "Object.keys(item)",
        "[].filter.constructor('x')()",
        "item.name.constructor",
        "String.fromCharCode(65)",
        "__import__('os').system('id')",
        "''.__class__.__mro__[1].__subclasses__()",
        "T(java.lang.Runtime).getRuntime().exec('id')",
        "<%= 7*7 %>",
        "env('HOME')",
        "file('/etc/passwd')",
        "fetch('http://x')",
        "now()",
        "uuid()",
        "with(item){name}",
        "eval('1')",
        "{{7*7}}",
        "\u{202e}item",
        "item.\u{0}name",
    ];
    for text in attacks {
        if let Ok(found) = run(text) {
            panic!("{text} gives {found}");
        }
        // As the value of a config field, without a leading `=`: text, or an error of its hole.
        if !text.contains("{{") {
            assert_eq!(expr::value(&json!(text), &scope()).unwrap(), json!(text));
        }
        assert!(expr::value(&json!(format!("={text}")), &scope()).is_err(), "{text}");
        // As data: never looked at.
        let mut scope = scope();
        scope.item = Data::from(json!({ "evil": format!("={text} {{{{ params.name }}}}") }));
        let wanted = format!("={text} {{{{ params.name }}}}");
        assert_eq!(expr::value(&json!("=item.evil"), &scope).unwrap(), json!(wanted));
        assert_eq!(expr::value(&json!("{{ item.evil }}"), &scope).unwrap(), json!(wanted));
    }
    let found = expr::value(&json!("a {{ item.evil }} b"), &scope()).unwrap();
    assert_eq!(found, json!("a {{secrets.x}} ${x} =1+1 b"));
}

#[test]
fn values() {
    let config = json!({
        "kept": "=item.tags", "escaped": "==1 + 1", "text": "Hi {{ item.name }}, {{item.age}}!", "only": "{{ item.age }}",
        "null": "{{ item.none }}", "json": "{{ item.nested }} {{ 1.5 }}", "number": 5, "list": ["=1 + 1", "x", true, null],
        "braces": "{{ '{{' }}", "object": "{{ {'a': {'b': '}}'}} }}", "plain": "} a }} { b", "price": "$x"
    });
    let found = expr::value(&config, &scope()).unwrap();
    assert_eq!(
        found,
        json!({
            "kept": ["a", "b"], "escaped": "=1 + 1", "text": "Hi Grace, 41!", "only": "41",
            "null": "null", "json": "{\"deep\":{\"deeper\":true}} 1.5", "number": 5, "list": [2, "x", true, null],
            "braces": "{{", "object": "{\"a\":{\"b\":\"}}\"}}", "plain": "} a }} { b", "price": "$x"
        })
    );
    let error = expr::value(&json!({ "a/b": ["x", "=item.nope"] }), &scope()).unwrap_err();
    assert_eq!(error.more.pointer, "/a~1b/1");
    assert_eq!(error.details()["pointer"], "/a~1b/1");
    let error = expr::value(&json!("ä {{ item.nope }}"), &scope()).unwrap_err();
    assert_eq!(error.position, Some(10));
    for text in ["a {{ b", "{{}}", "{{ }}", "{{ 1 + }}", "{{ 'a }}"] {
        assert_eq!(expr::value(&json!(text), &scope()).unwrap_err().code, Code::Syntax, "{text}");
    }
    let refs =
        expr::value_refs(&json!({ "a": "=item.x", "b": ["{{ params.y }} {{ run.id }}", "=1 +"], "c": "==no", "d": 1 }));
    let shown: Vec<(String, Option<String>)> =
        refs.into_iter().map(|(at, e)| (at, e.ok().map(|e| e.text().to_owned()))).collect();
    assert_eq!(
        shown,
        [
            ("/a".to_owned(), Some("item.x".to_owned())),
            ("/b/0".to_owned(), Some("params.y".to_owned())),
            ("/b/0".to_owned(), Some("run.id".to_owned())),
            ("/b/1".to_owned(), None),
        ]
    );
}

#[test]
fn urls() {
    let mut scope = scope();
    scope.item = Data::from(json!({
        "base": "https://api.example.com/v1", "id": "a/b?c=d&e#f", "name": "Zoë & Co", "dots": "..", "dot": ".", "n": 7,
        "none": "", "scheme": "https:", "evil": "127.0.0.1", "port": "https://api.example.com:8080", "query": "https://x.org/?a=1",
    }));
    let url = |text: &str| template::render_url(text, &scope);
    assert_eq!(
        url("{{ item.base }}/users/{{ item.id }}").unwrap(),
        "https://api.example.com/v1/users/a%2Fb%3Fc%3Dd%26e%23f"
    );
    assert_eq!(
        url("https://x.org/q?name={{ item.name }}&n={{item.n}}").unwrap(),
        "https://x.org/q?name=Zo%C3%AB%20%26%20Co&n=7"
    );
    assert_eq!(url("https://{{ item.id }}.x.org/").unwrap(), "https://a%2Fb%3Fc%3Dd%26e%23f.x.org/");
    assert_eq!(url("https://x.org/a/../b/{{ item.n }}").unwrap(), "https://x.org/a/../b/7");
    assert_eq!(url("https://x.org/q?x={{ item.dots }}").unwrap(), "https://x.org/q?x=..");
    for text in
        ["https://x.org/{{ item.dots }}/a", "https://x.org/.{{ item.dot }}/a", "https://x.org/{{item.dot}}{{item.dot}}"]
    {
        assert_eq!(url(text).unwrap_err().code, Code::Eval, "{text}");
    }
    // A value that should hold the host and does not would make data the host.
    for text in [
        "https://{{ item.none }}/{{ item.evil }}",
        "https://{{ item.none }}{{ item.none }}/{{ item.evil }}/x",
        "{{ item.scheme }}/{{ item.evil }}",
        "{{ item.scheme }}//{{ item.none }}/{{ item.evil }}",
        "{{ item.none }}/{{ item.evil }}",
        "{{ item.none }}?x={{ item.evil }}",
    ] {
        assert_eq!(url(text).unwrap_err().code, Code::Eval, "{text}");
    }
    assert_eq!(url("https://{{item.none}}x.org/{{item.n}}").unwrap(), "https://x.org/7", "the host is there");
    assert_eq!(url("{{item.port}}/{{item.none}}/{{item.n}}").unwrap(), "https://api.example.com:8080//7");
    assert_eq!(url("{{item.query}}&b={{item.n}}").unwrap(), "https://x.org/?a=1&b=7");
    assert_eq!(url("{{item.scheme}}//{{item.evil}}/{{item.n}}").unwrap(), "https://127.0.0.1/7");
    let parsed = Template::parse("{{ item.base }}/x").unwrap();
    assert_eq!(parsed.exprs().count(), 1);
}

#[test]
fn names_for_the_editor() {
    let found = expr::completions(&scope(), false);
    let label = |name: &str| found.iter().find(|c| c.label == name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!((label("item.name").kind, label("item.name").sample.as_str()), ("string", "Grace"));
    assert_eq!(label("item.nested.deep.deeper").kind, "boolean");
    assert_eq!(label("nodes['my-id'].output.ok").kind, "boolean");
    assert_eq!(label("params['odd key']").kind, "integer");
    assert_eq!(label("items").sample, "3 entries");
    assert_eq!(label("items[0].n").kind, "integer");
    for one in &found {
        Expr::compile(&one.label).unwrap().eval(&scope()).unwrap();
    }
    assert!(expr::functions().iter().any(|f| f.label == "has_schema"));
}

/// Texts of random tokens, near and over the limits: an error or a value, never a crash of a 2 MiB stack.
#[test]
fn random_texts() {
    const WORDS: &[&str] = &[
        "item",
        "items",
        "nodes",
        "params.limit",
        "x",
        "1",
        "2.5",
        "'a'",
        "\"b\"",
        "b'c'",
        "r'\\'",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        "?",
        ":",
        "!",
        "-",
        "+",
        "*",
        "/",
        "%",
        "==",
        "!=",
        "<",
        ">=",
        " in ",
        "&&",
        "||",
        "size(",
        ".map(x,",
        ".filter(x,",
        "has(item.",
        "name",
        "true",
        "null",
        "[0]",
        ".size()",
        "'\\u00e",
        "\u{e9}",
        "`q`",
        "//",
        "\n",
        ".matches(",
        "timestamp('9999-12-31T23:59:59Z')",
        "duration('1h')",
        ".getHours(",
        "string(",
        "0x",
        "1e999",
        "u",
        "\\",
    ];
    small_stack(|| {
        let scope = scope();
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            usize::try_from(seed % below as u64).unwrap()
        };
        for round in 0..4000 {
            let length = if round % 4 == 0 { 400 } else { 12 };
            let words = if round % 3 == 0 { WORDS.len() } else { 36 };
            let text: String = (0..next(length)).map(|_| WORDS[next(words)]).collect();
            if let Ok(expr) = Expr::compile(&text) {
                drop(expr.eval(&scope));
            }
            drop(Template::parse(&format!("a{{{{{text}}}}}")));
        }
        // Well-formed and as deep as allowed: a chain inside brackets inside a chain.
        for op in ["+1", ".a", "[0]", "==1", "?1:1", " in []", ".size()", "%1", "*2.0"] {
            for (open, close) in
                [("(", ")"), ("[", "]"), ("size(", ")"), ("{1:", "}"), ("!(", ")"), ("[1].map(x,", ")")]
            {
                for times in 1..20 {
                    let chain = op.repeat(times);
                    let mut text = "1".to_owned();
                    for _ in 0..16 {
                        text = format!("{open}{text}{chain}{close}");
                    }
                    if let Ok(expr) = Expr::compile(&text) {
                        drop(expr.eval(&scope));
                    }
                }
            }
        }
    });
}

/// Reading a field must not look at the rest of the payload: the parts of a huge value are shared with the scope, and
/// an evaluation that reads one field is as fast as with a small one (the example `bench_expr` prints the ratio).
#[test]
fn p11_payload_size_does_not_matter() {
    let rule = Expr::compile("error.type == \"ToolError\" && error.attempt < 3").unwrap();
    let time = |size: usize| {
        let list: Vec<Value> = (0..size).map(|n| json!({ "n": n, "text": "some text of a payload" })).collect();
        let scope = with_error(json!({ "details": { "input": list }, "type": "ToolError", "attempt": 1 }));
        let before = Arc::strong_count(&scope.error);
        let mut best = u128::MAX;
        for _ in 0..20 {
            let start = std::time::Instant::now();
            for _ in 0..100 {
                assert!(rule.eval_bool(&scope).unwrap());
            }
            best = best.min(start.elapsed().as_nanos());
        }
        assert_eq!(Arc::strong_count(&scope.error), before);
        best
    };
    let (small, large) = (time(1), time(20_000));
    assert!(large < small * 20, "small {small} ns, large {large} ns");
}

#[test]
fn expressions_are_shared_between_threads() {
    fn both<T: Send + Sync + Clone + 'static>() {}
    both::<Expr>();
    both::<Template>();
}

#[test]
fn texts_are_encoded_for_addresses_and_forms() {
    gives("urlEncode('read & write')", json!("read%20%26%20write"));
    gives("'a=' + 'ü/?#+%'.urlEncode()", json!("a=%C3%BC%2F%3F%23%2B%25"));
    gives("urlEncode('A-z_0.9~')", json!("A-z_0.9~"));
    gives("urlEncode('')", json!(""));
    gives("urlEncode(7) + urlEncode(true) + urlEncode(0.5)", json!("7true0.5"));
    let error = fails("urlEncode(item.tags)", Code::Eval);
    assert!(error.message.contains("a list") && error.message.contains("urlEncode(text)"), "{}", error.message);
    fails("urlEncode(null)", Code::Eval);
    fails("urlEncode('a', 'b')", Code::Eval);
    assert!(
        expr::functions().iter().any(|known| known.label == "urlEncode" && known.sample.contains("percent-encoded"))
    );
}
