//! Files that nobody wrote on purpose, or somebody on evil purpose: each is refused in words or becomes a workflow that says
//! what is wrong with it. None costs much.

use serde_json::{Value, json};
use signalbox_engine::catalog::Catalog;
use signalbox_engine::validate::check_bytes;
use signalbox_import::{Finding, Imported, Level, NOT_VALID, Options, Refused, import};
use signalbox_model::{Code, Severity};
use std::path::Path;
use std::sync::LazyLock;

fn corpus(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vl").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// Steps of each kind, with everything that a step may have.
fn everything() -> Value {
    json!({
        "version": "3.16", "name": "All", "description": "d",
        "registry": {
            "params": ["who(STRING) = 'a'", "rows([OBJECT])"], "vars": ["$n(INT)", "$t(STRING)", "$o(OBJECT)", "$l([STRING])"],
            "apis": [{ "id": "Get", "method": "GET", "url": "https://a.example/{id}", "auth": "SYSVAR.key", "headers": { "a": "b" } }],
            "docs": { "7": "Words" }, "schemas": { "S": { "type": "object" } }, "files": { "inputs": ["*"], "artifacts": ["out/*"] },
        },
        "steps": [
            { "id": "Set_a", "if": "=$n > 1", "target": "$o.a", "value": "='x' + $n", "meta": { "title": "t", "desc": "d" }, "print": "=$n", "next": "LLM_b" },
            { "id": "LLM_b", "model": "p/m", "in": { "messages": [{ "role": "system", "content": "s" }, { "role": "user", "content": [{ "type": "text", "text": "=$t" }] }],
                "docs": ["7"], "max_tokens": 5, "temperature": 0.5, "thinking": { "type": "enabled", "budget_tokens": 9 }, "stream": false,
                "output_config": { "format": { "type": "json_schema", "schemaRef": "S" } } },
              "out": { "$o": "=_result", "/{$t}.json": "=_result", "/plain.txt": "=_result", "$l[0]": "=_result.a" }, "onError": "Set_z", "next": "Tool_c" },
            { "id": "Tool_c", "tool": "T", "input": { "a": "=$n" }, "out": "$o", "timeout": 50, "allowError": true, "next": "API_d" },
            { "id": "API_d", "api": "Get", "in": { "id": "=$n", "query": { "q": 1 }, "headers": { "x": "y" } }, "out": { "$o": "=_result" }, "next": "Write_e" },
            { "id": "Write_e", "target": "=$t + '.txt'", "value": "=$o", "mode": "append", "next": "Branch_f" },
            { "id": "Branch_f", "cases": [["=$n == 1", "Set_g"], ["ELSE", "Noop_h"]], "next": "Loop_i" },
            { "id": "Set_g", "target": "$l[$n]", "value": "=1", "next": "RETURN" },
            { "id": "Noop_h", "children": ["Set_h1", "Set_h2"], "next": "RETURN" },
            { "id": "Set_h1", "target": "$n", "value": 1, "next": "RETURN" }, { "id": "Set_h2", "target": "$t", "value": "w", "next": "RETURN" },
            { "id": "Loop_i", "mode": "parallel", "source": "=rows", "children": ["Set_i1"], "next": "Loop_j" },
            { "id": "Set_i1", "target": "$l[_index]", "value": "=_item.name", "next": "BREAK" },
            { "id": "Loop_j", "mode": "serial", "while": "=_index < 3", "maxIterations": 3, "children": ["Set_j1"], "next": "Pause_k" },
            { "id": "Set_j1", "target": "$n", "value": "=$n + 1", "next": "RETURN" },
            { "id": "Pause_k", "reason": "why", "resumeResultTarget": "$o", "timeout": { "sec": 5, "on": "Set_y" }, "next": "Stop_l" },
            { "id": "Stop_l", "reason": "end" },
            { "id": "Set_y", "target": "$t", "value": "late", "next": "RETURN" },
            { "id": "Set_z", "target": "$t", "value": "=_error.message", "next": "RETURN" },
        ],
    })
}

/// Of the odd values, each place gets one in so many, another place others.
const STEP: usize = 11;

/// Every place of a value.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(list) => list.iter().enumerate().for_each(|(n, one)| places(one, &format!("{at}/{n}"), found)),
        Value::Object(map) => {
            for (key, one) in map {
                places(one, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        _ => {}
    }
}

fn odd() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1e308),
        json!(1.5),
        json!(u64::MAX),
        json!(""),
        json!("="),
        json!("=="),
        json!("={{"),
        json!("{{"),
        json!("}}{{{"),
        json!("$"),
        json!("=$n"),
        json!("=$nobody.x"),
        json!("=1/0"),
        json!("/"),
        json!("../../etc/passwd"),
        json!("RETURN"),
        json!("BREAK"),
        json!("\u{0}\u{7f}\u{202e}ü\u{1f600}"),
        json!([]),
        json!({}),
        json!([[]]),
        json!([null]),
        json!([{}]),
        json!({ "": null }),
        json!({ "a": { "b": ["=$n", "{{x}}"] } }),
        json!("x".repeat(70_000)),
        json!(["Set_a", "Set_a"]),
        json!("Set_a"),
    ]
}

fn catalog() -> &'static Catalog {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(|| signalbox_nodes::built_in().clone());
    &CATALOG
}

/// What keeps a workflow from running and was not told of the step that it is about: nothing. Findings are not longer than
/// anybody reads, and each says what to do.
fn untold(imported: &Imported) -> Vec<String> {
    let report = &imported.report;
    let text = json!(imported.workflow).to_string();
    let step_of = |path: &str| {
        let node = path.strip_prefix("/nodes/")?.split('/').next()?;
        let made = report.translated.iter().find(|one| one.nodes.iter().any(|own| own == node))?;
        Some(made.step.as_str())
    };
    let told = |code: Code, path: &str, message: &str| {
        let step = step_of(path);
        let of_step = |found: &&Finding| found.step.as_deref() == step;
        let mut own = report.findings.iter().filter(of_step);
        match code {
            Code::NotTranslated => own.any(|found| found.level == Level::Problem && found.code != NOT_VALID),
            // One server for all steps that call tools.
            Code::MissingConfig if path.ends_with("/config/server") => {
                report.findings.iter().any(|found| found.code == "TOOL_SERVER")
            }
            _ => {
                // A sentence that is cut off begins as it did.
                let begin: String = message.chars().take(500).collect();
                own.any(|found| found.code == NOT_VALID && found.message.contains(&begin))
            }
        }
    };
    let wrong = check_bytes(text.as_bytes(), catalog()).diagnostics;
    let wrong = wrong.iter().filter(|one| one.severity == Severity::Error);
    // Beyond so many they are counted.
    let wrong = wrong.filter(|one| report.more == 0 && !told(one.code, &one.path, &one.message));
    let long = report.findings.iter().filter(|found| found.message.len() > 4_000 || found.hint.is_empty());
    wrong
        .map(|one| format!("{:?} at {}: {}", one.code, one.path, one.message))
        .chain(long.map(|found| found.code.clone()))
        .collect()
}

/// Steps that were made and could not run: none of a file in which nothing is wrong.
fn invalid(imported: &Imported) -> Vec<String> {
    let of = |found: &Finding| format!("{:?} {} {}", found.step, found.code, found.message);
    let bad = |found: &&Finding| [NOT_VALID, "NOT_TRANSLATED"].contains(&found.code.as_str());
    imported.report.findings.iter().filter(bad).map(of).collect()
}

fn tried(file: &Value) -> Result<Imported, Refused> {
    let tried = import(&file.to_string(), &Options::default()).map(|imported| imported.checked(catalog()));
    if let Err(refused) = &tried {
        assert!(!refused.message.is_empty() && !refused.hint.is_empty());
    }
    tried
}

#[test]
fn a_wrong_value_at_any_place_is_told() {
    let whole = everything();
    let good = tried(&whole).expect("read");
    assert_eq!((untold(&good), invalid(&good)), (Vec::new(), Vec::new()));
    let mut all = Vec::new();
    places(&whole, "", &mut all);
    let mut wrong = Vec::new();
    let mut look = |file: &Value, what: String| {
        if let Ok(imported) = tried(file) {
            wrong.extend(untold(&imported).into_iter().map(|one| format!("{what}: {one}")));
        }
    };
    let odd = odd();
    assert!(STEP < odd.len(), "each place gets some");
    for (n, at) in all.iter().enumerate() {
        // Each place has every STEP-th of the values, each of them somewhere.
        for value in odd.iter().skip(n % STEP).step_by(STEP) {
            let mut file = whole.clone();
            *file.pointer_mut(at).expect("a place") = value.clone();
            look(&file, format!("{at} = {:.60}", value.to_string()));
        }
        if let Some((outer, key)) = at.rsplit_once('/') {
            let mut file = whole.clone();
            if let Some(map) = file.pointer_mut(outer).and_then(Value::as_object_mut) {
                map.remove(key);
                look(&file, format!("without {at}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_text_that_breaks_off_is_refused_at_its_place() {
    let text = corpus("brochure-13.json").to_string();
    for end in (0..text.len()).step_by(97).filter(|end| text.is_char_boundary(*end)) {
        let refused = import(&text[..end], &Options::default()).expect_err("it is not whole");
        assert_eq!(refused.code, "BAD_JSON");
        assert!(refused.message.contains("line 1, column"), "{}", refused.message);
    }
    for (text, what) in [
        ("[".repeat(100_000), "128 levels"),
        (format!("{{\"steps\":{}", "{\"a\":".repeat(10_000)), "128 levels"),
        ("{\"steps\":[{\"id\":\"Set_\u{0}a\"}]}".to_owned(), "control"),
        ("{\"steps\":[{\"id\":\"a\",\"id\":\"b\"}]}".to_owned(), "stands twice"),
        ("\u{feff}\u{feff}{}".to_owned(), "a value should stand here"),
    ] {
        let refused = import(&text, &Options::default()).expect_err(what);
        assert!(refused.code == "BAD_JSON" && refused.message.contains(what), "{what}: {}", refused.message);
    }
}

#[test]
fn many_mistakes_are_counted_and_not_kept() {
    let mistakes: Vec<Value> = (0..200_000).map(|n| json!(n)).collect();
    let imported = tried(&json!({
        "version": "3.16", "name": "x", "registry": { "params": mistakes, "vars": [] },
        "steps": [{ "id": "Noop_a", "children": mistakes, "next": "RETURN" }],
    }))
    .expect("read");
    assert_eq!(imported.report.findings.len(), 1_000);
    assert!(imported.report.more >= 199_000, "{}", imported.report.more);
    assert_eq!(imported.report.findings[0].level, Level::Problem);
    assert_eq!(untold(&imported), Vec::<String>::new());
}

/// A large step that many chains share would stand here once for each of them.
#[test]
fn a_large_step_that_many_share_is_refused() {
    let words = "w".repeat(100_000);
    let mut steps = vec![json!({ "id": "LLM_big", "in": { "prompt": words }, "next": "RETURN" })];
    for n in 0..400 {
        let next = if n == 399 { "RETURN".to_owned() } else { format!("Branch_{}", n + 1) };
        steps.push(json!({ "id": format!("Branch_{n}"), "cases": [["=$n", "LLM_big"]], "next": next }));
    }
    let file = json!({ "version": "3.16", "name": "x", "registry": { "vars": ["$n(INT)"] }, "steps": steps });
    let refused = tried(&file).expect_err("too much");
    assert!(refused.message.contains("would take more than 16 MiB here"), "{}", refused.message);
}

/// Brackets in brackets are refused here. Written twice at each level before that, these would take an hour.
#[test]
fn divisions_in_lists_of_divisions_are_written_once() {
    let hidden = (0..14).fold("$n / $m".to_owned(), |inner, _| format!("[{inner}][0] / $m"));
    let step =
        |n: usize| json!({ "id": format!("Set_{n}"), "target": "$n", "value": format!("={hidden}"), "next": "RETURN" });
    let steps: Vec<Value> = (0..2_000).map(step).collect();
    let file =
        json!({ "version": "3.16", "name": "x", "registry": { "vars": ["$n(INT)", "$m(INT)"] }, "steps": steps });
    let imported = import(&file.to_string(), &Options::default()).expect("read");
    let refused = |found: &&Finding| found.code == "NOT_TRANSLATED" && found.message.contains("More than 16 brackets");
    let listed = imported.report.findings.iter().filter(refused).count();
    assert!(listed == 1_000 && imported.report.more >= 1_000, "{listed} and {} more", imported.report.more);
}

#[test]
fn two_thousand_steps_and_odd_names_stay_readable() {
    let names = ["ü", "名前", "a b", "a/b", "a.b", "..", "-", "1", "{{x}}", "=1", "$n", "a\"b", "nodes", "__proto__"];
    let mut steps: Vec<Value> = (0..2_000)
        .map(|n| {
            let next = if n == 1_999 { "RETURN".to_owned() } else { format!("Set_{}_{}", n + 1, names[(n + 1) % names.len()]) };
            json!({ "id": format!("Set_{n}_{}", names[n % names.len()]), "target": "$n", "value": "=$n + 1", "next": next })
        })
        .collect();
    steps.push(json!({ "id": "Stop_{{x}}" }));
    let vars = ["$n(INT)", "$ü(INT)", "$in(INT)", "$名前(STRING)", "$constructor(OBJECT)"];
    let file = json!({ "version": "3.16", "name": "\u{202e}{{x}}", "registry": { "vars": vars }, "steps": steps });
    let imported = tried(&file).expect("read");
    assert_eq!(imported.report.nodes, 2_001);
    assert_eq!((untold(&imported), invalid(&imported)), (Vec::new(), Vec::new()));
    for name in ["ü", "in", "名前", "constructor"] {
        let steps = json!([
            { "id": "LLM_a", "in": { "prompt": format!("=${name} + 'x'") }, "out": { format!("${name}.a.ü"): "=1", "$list[0]": format!("=${name}") }, "next": "RETURN" },
        ]);
        let file = json!({ "version": "3.16", "name": "x", "registry": { "vars": vars }, "steps": steps });
        let imported = tried(&file).expect("read");
        assert_eq!((untold(&imported), invalid(&imported)), (Vec::new(), Vec::new()), "{name}");
    }
}

/// Each of these names its left part twice when it is written as CEL: forty of them in a row would be a terabyte.
#[test]
fn parts_that_are_named_twice_stay_small() {
    let set = |expression: String| {
        let value = json!({ "assignments": { "assignments": [{ "name": "a", "type": "any", "value": format!("={{{{ {expression} }}}}") }] } });
        json!({ "nodes": [
            { "id": "1", "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0], "parameters": {} },
            { "id": "2", "name": "Set", "type": "n8n-nodes-base.set", "typeVersion": 3.4, "position": [0, 0], "parameters": value },
        ], "connections": { "Start": { "main": [[{ "node": "Set", "type": "main", "index": 0 }]] } } })
    };
    let pass = |key: &str, value: String| json!({ "StartAt": "A", "States": { "A": { "Type": "Pass", key: { "x.$": value }, "End": true } } });
    let queried = |value: String| json!({ "QueryLanguage": "JSONata", "StartAt": "A", "States": { "A": { "Type": "Pass", "Output": { "x": value }, "End": true } } });
    for file in [
        set(vec!["$json.a"; 40].join(" || ")),
        set(vec!["$json.a"; 40].join(" && ")),
        set((0..40).fold("$json.a".to_owned(), |inner, _| format!("$ifEmpty({inner}, 1)"))),
        set(format!("$json.a{}", ".last()".repeat(40))),
        pass("Parameters", format!("$.a{}", "[-1]".repeat(40))),
        pass("Parameters", format!("$.a{}", ".*".repeat(40))),
        pass("Parameters", "$.a[-9223372036854775808]".to_owned()),
        queried(format!("{{% $states.input.a{} %}}", "[-1]".repeat(40))),
    ] {
        let imported = import(&file.to_string(), &Options::default()).expect("read");
        let size = serde_json::to_string(&imported.workflow).expect("JSON").len();
        assert!(size < 100_000, "{size} bytes");
    }
}

/// Found by fuzzing: what was imported could not be opened.
#[test]
fn what_would_be_nested_too_deep_for_a_file_is_refused_with_the_step() {
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let n8n = |value: Value| {
        json!({ "nodes": [
            { "id": "1", "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0], "parameters": {} },
            { "id": "2", "name": "Odd", "type": "of-others.odd", "typeVersion": 1, "position": [0, 0], "parameters": { "x": value } },
        ], "connections": { "Start": { "main": [[{ "node": "Odd", "type": "main", "index": 0 }]] } } })
    };
    let asl =
        |value: Value| json!({ "StartAt": "A", "States": { "A": { "Type": "Pass", "Result": value, "End": true } } });
    let vl = |value: Value| {
        json!({ "version": "3.16", "name": "x", "registry": { "vars": ["$n(OBJECT)"] },
            "steps": [{ "id": "Set_a", "target": "$n", "value": value, "next": "RETURN" }] })
    };
    let read = |text: &str| import(text, &Options::default());
    let opened = |imported: &signalbox_import::Imported| {
        signalbox_engine::validate::read(&serde_json::to_vec(&imported.workflow).expect("JSON")).workflow.is_some()
    };
    for levels in (60..122).step_by(1) {
        let curl = format!("curl https://a.example/x -H 'content-type: application/json' -d '{}'", nested(levels));
        for text in
            [n8n(nested(levels)).to_string(), asl(nested(levels)).to_string(), vl(nested(levels)).to_string(), curl]
        {
            match read(&text) {
                Ok(imported) => assert!(opened(&imported), "{levels} levels: {text}"),
                Err(refused) => {
                    assert!(levels > 100 && refused.code == "TOO_DEEP", "{levels} levels: {refused:?}");
                    assert!(refused.message.contains("The step '"), "{}", refused.message);
                }
            }
        }
    }
    assert!(read(&n8n(nested(122)).to_string()).is_err(), "a file with 127 levels");
}
