//! What an imported expression or text gives is what it gives in the other program, or an error; never another value.

use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_engine::expr::value;
use signalbox_engine::scope::Scope;
use signalbox_import::{Imported, Options, import};
use std::sync::Arc;

fn imported(version: &str, steps: Value) -> Imported {
    let file = json!({
        "version": version, "name": "Test", "steps": steps,
        "registry": { "params": ["p(STRING)"], "vars": ["$x(STRING)", "$y(OBJECT)", "$n(INT)", "$m(INT)", "$any(OBJECT)", "$ok(BOOL)"] },
    });
    import(&file.to_string(), &Options::default()).unwrap_or_else(|refused| panic!("{refused}"))
}

fn scope(context: &Value) -> Scope {
    let all = context.as_object().into_iter().flatten();
    let context = all.map(|(name, value)| (name.clone(), Arc::new(value.clone()))).collect();
    Scope { context: Arc::new(context), params: Arc::new(json!({ "p": "a param" })), ..Scope::empty() }
}

/// What `value` of a Set gives here, or why it gives nothing.
fn set(foreign: &str, context: &Value) -> Result<Value, String> {
    let made = imported("3.16", json!([{ "id": "Set_a", "target": "$any", "value": foreign, "next": "RETURN" }]));
    let config = made.workflow.nodes["Set_a"].config.clone().expect("settings");
    let Some(written) = config.get("assign").map(|assign| &assign["value"]) else {
        return Err(made.report.findings[0].message.clone());
    };
    value(written, &scope(context)).map_err(|error| error.message)
}

#[test]
fn numbers_are_divided_as_there() {
    let context = json!({ "n": 7, "m": 2, "y": { "price": 2.5, "none": 0 } });
    for (foreign, gives) in [
        ("=$n / $m", json!(3.5)),
        ("=$n / 2", json!(3.5)),
        ("=1 / 3 * 3", json!(1.0)),
        ("=-$n / $m", json!(-3.5)),
        ("=($n + 1) / ($m + 1)", json!(8.0 / 3.0)),
        ("=$n / $m / 2", json!(1.75)),
        ("=$n / ($m / 4)", json!(14.0)),
        ("=$n / $m > 3", json!(true)),
        ("=$y.price * $m", json!(5.0)),
        ("=$n + $y.price / 5", json!(7.5)),
        ("=$n % $m", json!(1)),
        ("=-$n % $m", json!(-1)),
        ("='it is ' + $n / $m", json!("it is 3.5")),
        ("='it is ' + ($n + 1) / $m", json!("it is 4")),
        ("=('' + 8 / $m) == '4'", json!(true)),
        ("=[10, 20, 30][4 / $m]", json!(30)),
    ] {
        assert_eq!(set(foreign, &context).as_ref(), Ok(&gives), "{foreign}");
    }
    for (foreign, why) in [
        ("=$n / $y.none", "division by zero"),
        ("='x' + $n / $y.none", "division by zero"),
        ("=('x' + $n / $y.none) == 'x'", "division by zero"),
        ("=$n % $y.none", "Division by zero"),
        ("=$n / 0", "divides by zero"),
        ("=1.5 % 1", "'%' works only on whole numbers"),
    ] {
        let refused = set(foreign, &context).expect_err(foreign);
        assert!(refused.contains(why), "{foreign}: {refused}");
    }
}

/// Truth there: null, false, 0 and the empty text are false.
fn is_true(value: &Value) -> bool {
    !(value.is_null() || value == &json!(false) || value == &json!("") || value.as_f64() == Some(0.0))
}

#[test]
fn or_and_and_give_one_of_their_values() {
    let values = [
        json!(null),
        json!(false),
        json!(true),
        json!(0),
        json!(3),
        json!(""),
        json!("text"),
        json!([]),
        json!({ "a": 1 }),
    ];
    let or = |a: &Value, b: &Value| if is_true(a) { a.clone() } else { b.clone() };
    let and = |a: &Value, b: &Value| if is_true(a) { b.clone() } else { a.clone() };
    for a in &values {
        for b in &values {
            for c in &values[..6] {
                let context = json!({ "any": a, "x": b, "y": c, "n": 1 });
                let gives = |foreign: &str| {
                    set(foreign, &context).unwrap_or_else(|why| panic!("{foreign} of {context}: {why}"))
                };
                assert_eq!(gives("=$any || $x"), or(a, b), "{context}");
                assert_eq!(gives("=$any && $x"), and(a, b), "{context}");
                assert_eq!(gives("=$any || $x || $y"), or(&or(a, b), c), "{context}");
                assert_eq!(gives("=$any && $x && $y"), and(&and(a, b), c), "{context}");
                assert_eq!(gives("=$any && $x || $y"), or(&and(a, b), c), "{context}");
                assert_eq!(gives("=($any || $x) && $y"), and(&or(a, b), c), "{context}");
                assert_eq!(gives("=$any || ($x && $y)"), or(a, &and(b, c)), "{context}");
                assert_eq!(gives("=!($any || $x)"), json!(!is_true(&or(a, b))), "{context}");
                assert_eq!(gives("=$n == 1 && $x"), b.clone(), "{context}");
            }
        }
    }
    // What is declared as true or false may be null.
    for ok in [json!(null), json!(false), json!(true)] {
        for n in [json!(0), json!(5)] {
            let (context, more) = (json!({ "ok": ok, "n": n }), json!(n == json!(5)));
            assert_eq!(set("=$ok && $n > 1", &context), Ok(and(&ok, &more)), "{context}");
            assert_eq!(set("=$ok || $n > 1", &context), Ok(or(&ok, &more)), "{context}");
            assert_eq!(set("=$n > 1 && $ok", &context), Ok(and(&more, &ok)), "{context}");
            assert_eq!(set("=$n > 1 || $ok", &context), Ok(or(&more, &ok)), "{context}");
        }
    }
}

#[test]
fn a_loop_takes_the_list_that_a_choice_gives() {
    for (foreign, context, gives) in [
        ("=$y || $any", json!({ "y": null, "any": [1] }), json!([1])),
        ("=$y || $any", json!({ "y": [2], "any": [1] }), json!([2])),
        ("=$y || $any", json!({ "y": null, "any": null }), json!([])),
        ("=$ok ? $y : $any", json!({ "ok": false, "y": [2], "any": [1] }), json!([1])),
        ("=$y.list", json!({ "y": { "list": null } }), json!([])),
    ] {
        let steps = json!([
            { "id": "Loop_a", "mode": "serial", "source": foreign, "children": ["Set_b"], "next": "RETURN" },
            { "id": "Set_b", "target": "$n", "value": "=_index", "next": "RETURN" },
        ]);
        let made = imported("3.16", steps);
        let source = &made.workflow.nodes["Loop_a"].config.as_ref().expect("settings")["source"];
        assert_eq!(value(source, &scope(&context)).map_err(|error| error.message), Ok(gives), "{foreign}: {source}");
    }
}

#[test]
fn what_would_be_too_long_or_too_deep_here_is_told() {
    let chain = |sign: &str, count: usize| format!("={}", vec!["$any"; count].join(sign));
    for foreign in [chain(" || ", 150), chain(" && ", 200), chain(" / ", 250), chain(" + ", 200)] {
        let made = imported("3.16", json!([{ "id": "Set_a", "target": "$any", "value": foreign, "next": "RETURN" }]));
        let found = &made.report.findings[0];
        assert_eq!((found.code.as_str(), found.step.as_deref()), ("NOT_TRANSLATED", Some("Set_a")));
        assert!(found.message.contains("value: '=$any") && found.message.len() < 600, "{}", found.message);
    }
    for foreign in [chain(" || ", 12), chain(" && ", 12)] {
        assert_eq!(set(&foreign, &json!({ "any": 0 })), Ok(json!(0)), "{foreign}");
    }
    // Conditions are no chains here, but they have an end as well.
    for (count, told) in [(60, false), (290, true)] {
        let all = chain(" && ", count);
        let steps = json!([{ "id": "Set_a", "if": all, "target": "$any", "value": "=1", "next": "RETURN" }]);
        let found = imported("3.16", steps).report.findings;
        assert_eq!(found.iter().any(|found| found.code == "NOT_TRANSLATED"), told, "{count}");
    }
    let condition = chain(" + ", 200);
    let made = imported(
        "3.16",
        json!([{ "id": "Set_a", "if": format!("{condition} > 1"), "target": "$any", "value": "=1", "next": "RETURN" }]),
    );
    assert_eq!(made.report.findings[0].code, "NOT_TRANSLATED");
}

/// A piece of a text: words, or a variable.
#[derive(Debug, Clone)]
enum Piece {
    Says(&'static str),
    Holds(&'static str),
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let says = prop::sample::select(vec![
        "{", "}", "{{", "}}", "{{{", "{}", "{{}}", " ", "=", "==", "'", "\"", "\\", "$", "-", "{a: ", "{ x }", "\n",
        "\u{7}", "ü{",
    ]);
    let holds = prop::sample::select(vec!["$x", "$y.z", "$y", "$n"]);
    prop::collection::vec(prop_oneof![3 => says.prop_map(Piece::Says), 2 => holds.prop_map(Piece::Holds)], 0..12)
}

fn context() -> Value {
    json!({ "x": "{{ no hole }} {", "y": { "z": "}}" }, "n": 7 })
}

/// What the pieces say in both programs.
fn said(pieces: &[Piece]) -> String {
    let held = |name: &str| match name {
        "$x" => "{{ no hole }} {".to_owned(),
        "$y.z" => "}}".to_owned(),
        "$y" => json!({ "z": "}}" }).to_string(),
        _ => "7".to_owned(),
    };
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Says(words) => (*words).to_owned(),
            Piece::Holds(name) => held(name),
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Texts of old versions name variables in the middle of them.
    #[test]
    fn a_text_with_variables_says_the_same(pieces in pieces()) {
        // A text that begins with `=` is an expression there, and a letter behind a name would be part of it.
        let mut text = String::from(">");
        for (at, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Says(words) => {
                    let letter = words.starts_with(char::is_alphanumeric);
                    prop_assume!(!(letter && at > 0 && matches!(pieces[at - 1], Piece::Holds(_))));
                    text.push_str(words);
                }
                Piece::Holds(name) => text.push_str(name),
            }
        }
        let made = imported("3.5", json!([{ "id": "LLM_a", "in": { "prompt": text }, "next": "RETURN" }]));
        let written = &made.workflow.nodes["LLM_a"].config.as_ref().expect("settings")["prompt"];
        let rendered = value(written, &scope(&context())).map_err(|error| TestCaseError::fail(format!("{written}: {}", error.message)))?;
        prop_assert_eq!(rendered, json!(format!(">{}", said(&pieces))), "{}", written);
    }

    /// Sums with texts become texts with holes.
    #[test]
    fn a_sum_of_texts_says_the_same(pieces in pieces()) {
        let mut foreign = String::from("=''");
        for piece in &pieces {
            foreign.push_str(" + ");
            match piece {
                Piece::Says(words) => foreign.push_str(&format!("\"{}\"", words.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))),
                Piece::Holds(name) => foreign.push_str(name),
            }
        }
        let rendered = set(&foreign, &context()).map_err(TestCaseError::fail)?;
        prop_assert_eq!(rendered, json!(said(&pieces)), "{}", foreign);
        // The same sum as a part of an expression: texts and numbers only.
        if !pieces.iter().any(|piece| matches!(piece, Piece::Holds("$y"))) {
            let made = set(&format!("=[{}][0]", foreign.trim_start_matches('=')), &context()).map_err(TestCaseError::fail)?;
            prop_assert_eq!(made, json!(said(&pieces)), "{}", foreign);
        }
    }

    /// A text that is no expression means itself.
    #[test]
    fn words_mean_themselves(pieces in pieces()) {
        let words: String = pieces.iter().filter_map(|piece| match piece {
            Piece::Says(words) => Some(*words),
            Piece::Holds(_) => None,
        }).collect();
        let made = imported("3.16", json!([{ "id": "LLM_a", "next": "RETURN", "in": {
            "messages": [{ "role": "system", "content": "a" }, { "role": "system", "content": format!("=={words}") },
                         { "role": "user", "content": [{ "text": "{" }, { "text": "=$x" }, { "text": format!(">{words}") }] }] } }]));
        let config = made.workflow.nodes["LLM_a"].config.as_ref().expect("settings");
        let of = |written: &Value| value(written, &scope(&context())).map_err(|error| TestCaseError::fail(format!("{written}: {}", error.message)));
        prop_assert_eq!(of(&config["system"])?, json!(format!("a\n\n={words}")));
        prop_assert_eq!(of(&config["messages"][0]["content"])?, json!(format!("{{\n{{{{ no hole }}}} {{\n>{words}")));
    }
}

#[test]
fn addresses_and_file_names_keep_their_braces() {
    let file = json!({
        "version": "3.16", "name": "Test",
        "registry": { "vars": ["$x(STRING)", "$n(INT)"], "apis": [
            { "id": "Get", "method": "GET", "url": "https://api.example/{id}/{kind}}?q={n}", "headers": { "x-odd": "{{a}}", "x-of": "=$x" } }] },
        "steps": [
            { "id": "API_Get", "in": { "id": "='a' + $x + '{'", "kind": "==k{", "n": 3 }, "out": { "/={$x}}.txt": "=$n" }, "next": "Stop_{{end}}" },
            { "id": "Stop_{{end}}" },
        ],
    });
    let made = import(&file.to_string(), &Options::default()).expect("read");
    let of = |id: &str, at: &str| {
        let config = made.workflow.nodes[id].config.as_ref().expect("settings");
        value(config.pointer(at).unwrap_or_else(|| panic!("{id}{at}: {config}")), &scope(&json!({ "x": "{{" })))
            .expect("read")
    };
    assert_eq!(of("API_Get", "/headers"), json!({ "x-odd": "{{a}}", "x-of": "{{" }));
    assert_eq!(of("API_Get", "/url"), "https://api.example/a{{{/=k{}?q=3");
    assert_eq!(of("API_Get_file", "/path"), "={{}.txt");
    assert_eq!(of("Stop___end__", "/stopId"), "Stop_{{end}}");
    // What is no text or number has no place in an address.
    let mut odd = file;
    odd["steps"][0]["in"]["id"] = json!({ "of": "=$x" });
    let made = import(&odd.to_string(), &Options::default()).expect("read");
    assert!(made.report.findings[0].message.contains("'id' of its url is neither a text nor a number"));
}
