use super::super::wire::{Answer, Request};
use super::evaluate;
use serde_json::{Value, json};
use signalbox_ports::scripts::ScriptFault;

fn request(source: &str) -> Request {
    Request { source: source.into(), names: vec!["item".into()], timeout_ms: 60_000, memory_mb: 16, fixed: None }
}

fn values(item: &Value) -> String {
    json!([item]).to_string()
}

fn run(source: &str) -> Answer {
    evaluate(&request(source), values(&json!({ "a": 1, "list": [3, 1, 2] })))
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
        ("return { at: new Date(NaN) }", "'at' of the result is an invalid date"),
        ("return [2n ** 64n]", "'0' of the result is a BigInt of more than 64 bits"),
        ("return { low: -(2n ** 63n) - 1n }", "'low' of the result is a BigInt of more than 64 bits"),
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
        let answer = evaluate(&Request { timeout_ms: 30, ..request(source) }, values(&Value::Null));
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
    let answer = evaluate(&Request { memory_mb: 512, ..request(source) }, values(&json!(null)));
    assert_eq!((answer.fault, answer.text.as_str()), (Some(ScriptFault::NotJson), "The result is larger than 64 MiB"));
}

/// As text, because two whole numbers that differ could be read as one.
fn hands_on(source: &str, item: &str) -> String {
    let answer = evaluate(&request(source), format!("[{item}]"));
    assert_eq!(answer.fault, None, "{source}: {}", answer.text);
    answer.text
}

#[test]
fn whole_numbers_of_64_bits_are_handed_on_with_their_digits() {
    let item = r#"{"id":9007199254740993,"rows":[{"ref":7615917337495251231}],"most":18446744073709551615,"least":-9223372036854775808}"#;
    for source in [
        "return item",
        "return { ...item }",
        "return structured(item); function structured(x) { return JSON.parse(JSON.stringify(x)) }",
    ] {
        assert_eq!(hands_on(source, item), item, "{source}");
    }
    for (source, result) in [
        ("return `${item.id}/` + item.id", r#""9007199254740993/9007199254740993""#),
        ("return item.id === JSON.parse('9007199254740993')", "true"),
        ("return item.id + 1n", "9007199254740994"),
        (
            "return JSON.stringify({ a: [item.id], b: 'x' }, null, 1)",
            r#""{\n \"a\": [\n  9007199254740993\n ],\n \"b\": \"x\"\n}""#,
        ),
        (
            "return JSON.parse('{\"a\":9007199254740993,\"b\":1}', (key, value) => key === 'b' ? undefined : value)",
            r#"{"a":9007199254740993}"#,
        ),
        (
            "return JSON.stringify(item, (key, value) => key === '' ? { kept: value.id } : value)",
            r#""{\"kept\":9007199254740993}""#,
        ),
        (
            "return [typeof item.id, typeof JSON.parse('9007199254740991'), JSON.stringify(undefined) === undefined]",
            r#"["bigint","number",true]"#,
        ),
        ("return [5n, 1e20, -0, 0.1]", "[5,100000000000000000000,0,0.1]"),
        ("return '\\ud800' === JSON.parse('\"\\\\ud800\"')", "true"),
    ] {
        assert_eq!(hands_on(source, item), result, "{source}");
    }
    let answer = evaluate(&request("return item.id * 2"), format!("[{item}]"));
    assert_eq!(answer.fault, Some(ScriptFault::Thrown));
    assert!(answer.text.contains("are BigInt values in a script"), "{}", answer.text);
    let printed = evaluate(&request("console.log(item.id, item.rows)"), format!("[{item}]"));
    assert_eq!(printed.printed, ["9007199254740993 [{\"ref\":7615917337495251231}]"]);
}

#[test]
fn a_locale_or_a_time_zone_is_refused_and_never_ignored() {
    for source in [
        "return new Date(0).toLocaleString('de-DE', { timeZone: 'Europe/Berlin' })",
        "return new Date(0).toLocaleTimeString('en-GB', { timeZone: 'Asia/Tokyo', hour12: false })",
        "return new Date(0).toLocaleDateString(undefined, { dateStyle: 'full' })",
        "return (1234.5).toLocaleString('de-DE', { minimumFractionDigits: 2 })",
        "return 1234n.toLocaleString('de-DE')",
        "return [1234.5].toLocaleString('de-DE')",
        "return new Float64Array([1234.5]).toLocaleString('de-DE')",
        "return 'i'.toLocaleUpperCase('tr')",
        "return 'I'.toLocaleLowerCase(['tr'])",
        "return ['z', 'ä'].sort((a, b) => a.localeCompare(b, 'sv'))",
        "return 'a'.localeCompare('A', undefined, { sensitivity: 'base' })",
        "return 'a'.localeCompare.call('a', 'b', 'de')",
    ] {
        let (fault, text, line) = fails(source);
        assert_eq!((fault, line), (ScriptFault::Thrown, Some(1)), "{source}: {text}");
        assert!(text.contains("there is no Intl in a script"), "{source}: {text}");
    }
    let (fault, text, _) = fails("return new Intl.NumberFormat('de').format(1)");
    assert_eq!(fault, ScriptFault::Thrown);
    assert!(text.contains("There is no Intl in a script"), "{text}");
    assert_eq!(
        gives(
            "return ['a'.localeCompare('b'), 'i'.toLocaleUpperCase(), [1, 2].toLocaleString(undefined), typeof new Date(0).toLocaleString()]"
        ),
        json!([-1, "I", "1,2", "string"])
    );
}

#[test]
fn in_a_test_time_stands_still_and_random_numbers_are_the_same() {
    let with = |fixed, source: &str| {
        let answer = evaluate(&Request { fixed, ..request(source) }, values(&json!(null)));
        assert_eq!(answer.fault, None, "{source}: {}", answer.text);
        serde_json::from_str::<Value>(&answer.text).expect("JSON")
    };
    let noon = Some((1_767_614_400_000, 7));
    let source = "return [Date.now(), +new Date(), new Date().toISOString(), new Date(0).getTime(), Date.UTC(1970, 0, 2), \
                  performance.now(), new Date() instanceof Date, new Date().constructor === Date, typeof Date()]";
    let wanted = json!([
        1_767_614_400_000_i64,
        1_767_614_400_000_i64,
        "2026-01-05T12:00:00.000Z",
        0,
        86_400_000,
        0,
        true,
        true,
        "string"
    ]);
    assert_eq!(with(noon, source), wanted);
    let random = "return [Math.random(), Math.random(), Math.random()]";
    let (once, again, other) = (with(noon, random), with(noon, random), with(Some((0, 8)), random));
    assert_eq!(once, again);
    assert!(once != other && once[0] != once[1], "{once} {other}");
    let all = with(noon, "return Array.from({ length: 1000 }, Math.random)");
    let all: Vec<f64> = all.as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
    let mean = all.iter().sum::<f64>() / 1000.0;
    assert!(all.iter().all(|one| (0.0..1.0).contains(one)) && (0.45..0.55).contains(&mean), "{mean}");
    // Elsewhere it is the machine's.
    let answer = run("return Date.now() > 1.7e12 && Math.random() !== Math.random()");
    assert_eq!(answer.text, "true");
}
