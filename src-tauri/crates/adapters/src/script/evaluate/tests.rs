use super::super::wire::{Answer, Request};
use super::evaluate;
use serde_json::{Value, json};
use signalbox_ports::scripts::ScriptFault;

fn request(source: &str, item: &Value) -> Request {
    Request {
        source: source.into(),
        names: vec!["item".into()],
        values: json!([item]).to_string(),
        timeout_ms: 60_000,
        memory_mb: 16,
    }
}

fn run(source: &str) -> Answer {
    evaluate(&request(source, &json!({ "a": 1, "list": [3, 1, 2] })))
}

fn gives(source: &str) -> Value {
    let answer = run(source);
    assert_eq!(answer.fault, None, "{source}: {}", answer.text);
    serde_json::from_str(&answer.text).expect("JSON")
}

fn fails(source: &str) -> (ScriptFault, String, Option<u32>) {
    let answer = run(source);
    (answer.fault.expect(source), answer.text, answer.line)
}

#[test]
fn the_returned_value_is_the_result() {
    assert_eq!(gives("return item.a + 1"), json!(2));
    assert_eq!(gives("return item.list.toSorted((a, b) => a - b)"), json!([1, 2, 3]));
    assert_eq!(gives("return { when: new Date(0), none: undefined }"), json!({ "when": "1970-01-01T00:00:00.000Z" }));
    assert_eq!(gives("return await Promise.resolve({ ok: true })"), json!({ "ok": true }));
    assert_eq!(gives("const unused = 1"), json!(null));
    assert_eq!(gives(""), json!(null));
}

#[test]
fn there_is_no_host() {
    let names = "require process std os fetch setTimeout XMLHttpRequest WebSocket Deno Bun scriptArgs print load";
    for name in names.split(' ') {
        assert_eq!(gives(&format!("return typeof {name}")), json!("undefined"), "{name}");
    }
    assert_eq!(fails("return await import('os')").0, ScriptFault::Thrown);
    // The ways out of sandboxes that had something outside.
    assert_eq!(gives("return this === globalThis ? 'global' : typeof this"), json!("global"));
    let escaped = gives("return Object.keys(({}).constructor.constructor('return globalThis')())");
    assert_eq!(escaped, json!(["performance", "console"]), "a clock and lines of text beside the language");
}

#[test]
fn what_it_throws_is_told_with_the_line() {
    assert_eq!(
        fails("\n\nthrow new Error('no such customer')"),
        (ScriptFault::Thrown, "no such customer".into(), Some(3))
    );
    let (fault, text, line) = fails("const a = 1;\nreturn b;");
    assert_eq!((fault, text.as_str(), line), (ScriptFault::Thrown, "ReferenceError: b is not defined", Some(2)));
    assert_eq!(fails("throw { code: 7 }").1, "{\"code\":7}");
    assert_eq!(fails("return null.x").0, ScriptFault::Thrown);
    assert!(fails("function f() { f() } f()").1.contains("call stack"));
}

#[test]
fn what_is_no_javascript_is_told_with_the_line() {
    let (fault, text, line) = fails("const ok = 1;\nconst = ;");
    assert_eq!((fault, line), (ScriptFault::Syntax, Some(2)), "{text}");
    assert_eq!(fails("}); return 5; (async () => {").0, ScriptFault::Syntax, "the source is one function");
}

#[test]
fn a_result_that_json_cannot_say_is_named() {
    for (source, words) in [
        ("return { rate: 0 / 0 }", "'rate' of the result is NaN"),
        ("return [1n]", "'0' of the result is a BigInt"),
        ("return new Map()", "The result is a Map"),
        ("return { f() {} }", "'f' of the result is a function"),
    ] {
        let (fault, text, _) = fails(source);
        assert_eq!(fault, ScriptFault::NotJson, "{source}");
        assert!(text.starts_with(words), "{text}");
    }
    assert_eq!(fails("const a = {}; a.a = a; return a").0, ScriptFault::Thrown, "a circle is named by the engine");
}

#[test]
fn a_script_that_never_ends_is_stopped() {
    for source in [
        "for (;;) {}",
        "try { for (;;) {} } finally { for (;;) {} }",
        "return /(a+)+$/.test('a'.repeat(99) + 'b')",
        "return { get list() { for (;;) {} } }",
    ] {
        let answer = evaluate(&Request { timeout_ms: 30, ..request(source, &Value::Null) });
        assert_eq!(answer.fault, Some(ScriptFault::Timeout), "{source}: {}", answer.text);
    }
    assert_eq!(fails("await new Promise(() => {})").0, ScriptFault::Waits);
}

#[test]
fn memory_has_an_end() {
    for source in ["const a = []; for (;;) a.push(new Array(1000).fill(7))", "return 'x'.repeat(3e7)"] {
        assert_eq!(fails(source).0, ScriptFault::Memory, "{source}");
    }
}

#[test]
fn what_it_prints_is_kept_within_bounds() {
    let answer = run("console.log('sum', { a: 1 }, 2); console.error(new Error('x')); throw new Error('after')");
    assert_eq!(answer.printed, ["sum {\"a\":1} 2", "Error: x"]);
    let answer = run("for (let i = 0; i < 1e4; i++) console.log('y'.repeat(5000))");
    assert_eq!((answer.printed.len(), answer.printed[0].len()), (200, 2000));
}

#[test]
fn one_script_does_not_see_the_one_before() {
    run("Array.prototype.push = null; globalThis.left = 1; Object.prototype.item = 2");
    assert_eq!(
        gives("return [typeof left, [].push === null, ({}).item === undefined]"),
        json!(["undefined", false, true])
    );
}

#[test]
fn what_it_changes_in_the_built_in_objects_spoils_only_its_own_result() {
    assert_eq!(gives("JSON.stringify = () => 'x'; return 1"), json!(1));
    let answer = run("Object.prototype.toJSON = () => 'mine'; return { a: 1 }");
    assert_eq!((answer.fault, answer.text.as_str(), answer.printed.len()), (None, "\"mine\"", 0));
}

#[test]
fn a_result_that_no_item_may_be_is_told() {
    let source = "const part = 'x'.repeat(1 << 20); return Array(65).fill(part)";
    let answer = evaluate(&Request { memory_mb: 512, ..request(source, &json!(null)) });
    assert_eq!((answer.fault, answer.text.as_str()), (Some(ScriptFault::NotJson), "The result is larger than 64 MiB"));
}
