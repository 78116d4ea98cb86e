use super::{Known, Wanted, check};
use crate::expr::Expr;
use serde_json::json;

fn known() -> Known {
    let names = [
        (
            "params",
            json!({ "type": "object", "additionalProperties": false, "properties": {
            "count": { "type": "integer" }, "name": { "type": "string" }, "either": { "type": ["string", "number"] },
            "list": { "type": "array", "items": { "type": "object", "additionalProperties": false,
                "properties": { "n": { "type": "number" } } } },
            "mode": { "enum": ["fast", "slow"] }, "open": { "type": "object" } } }),
        ),
        ("event", json!({ "type": "string", "enum": ["HITL_COMPLETED", "NODE_ERROR"] })),
    ];
    Known(names.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect())
}

fn said(text: &str, wanted: Wanted) -> Option<String> {
    let never = check(&Expr::compile(text).expect(text), &known(), wanted)?;
    Some(format!("{}. {}", never.message, never.hint))
}

#[test]
fn what_can_work_is_left_alone() {
    for fine in [
        "params.count > 3",
        "params.count > 3.5 && params.name == 'x'",
        "params.either > 3 || params.either.startsWith('a')",
        "item.anything.at[0].all > 'x'",
        "params.list.exists(x, x.n > 1)",
        "params.list.map(x, x.n)[0] > 1",
        "params.list[0].n < 3",
        "params.list.filter(x, x.n > 1).size() > 0",
        "params.mode == 'fast'",
        "params.mode in ['fast', 'slow']",
        "event == 'NODE_ERROR'",
        "event in ['NODE_ERROR']",
        "params.open.what.ever == 1",
        "params.name != null && has(params.name)",
        "has(params.open.x) ? params.open.x : true",
        "(params.count > 1 ? 'a' : 2) == 2",
        "type(params.count) == int",
        "timestamp(params.name) < timestamp(params.name)",
        "params.name + 'x' == 'yx'",
        "!(params.count == 1)",
        "-params.count < 0",
        "'a' in {'a': 1}",
        "has_schema(params.nothing)",
        "dyn(params.count) == 'x'",
        "params['count'] == 1",
        "size(params.list) + params.count > 1",
    ] {
        assert_eq!(said(fine, Wanted::Truth), None, "{fine}");
    }
    assert_eq!(said("params.list", Wanted::Elements), None);
    assert_eq!(said("item.list", Wanted::Elements), None);
    assert_eq!(said("params.count + 1", Wanted::Anything), None);
}

#[test]
fn what_can_never_work_is_told() {
    for (text, part) in [
        ("params.count > 'x'", "`>` cannot be used between a number and a text. Turn the text into a number"),
        ("params.name + params.count == 'x'", "`+` cannot be used between a text and a number. Turn the other side"),
        ("params.count", "The condition `params.count` is a number, never true or false"),
        ("params.name && true", "`&&` needs true or false, but `params.name` is a text"),
        ("!params.count", "`!` needs true or false"),
        ("-params.name < 0", "`-` needs a number"),
        ("params.count == '3'", "`params.count == (…)` is never true: a number is not a text"),
        ("params.name != 3", "always true"),
        ("params.cuont > 1", "`params.cuont` does not exist. Did you mean 'count'?"),
        ("params['cuont'] > 1", "Did you mean 'count'?"),
        ("params.count.more == 1", "`params.count.more` does not exist: `params.count` is a number"),
        ("params.list.exists(x, x.m > 1)", "`x.m` does not exist. Did you mean 'n'?"),
        ("params.list.exists(x, x.n)", "The test of each entry"),
        ("params.count.startsWith('a')", "`….startsWith()` needs a text"),
        ("params.name.exists(x, true)", "A loop needs a list or an object"),
        ("'a' in params.name", "`in` looks into lists and objects"),
        ("params.list['n'] == 1", "is a list: its entries are taken by a whole number"),
        (
            "params.mode == 'fats'",
            "`params.mode` is never 'fats', so the comparison is never true. Did you mean 'fast'?",
        ),
        ("event == \"HITL_DONE\"", "`event` is never 'HITL_DONE'"),
        ("event in ['NODE_EROR', 'NODE_ERROR']", "Did you mean 'NODE_ERROR'?"),
        ("params.count > 1 ? params.name : 'x'", "is a text, never true or false"),
        ("params.count ? true : false", "`? :` needs true or false"),
        ("has(params.count.x)", "`has(…)` needs an object"),
    ] {
        let said = said(text, Wanted::Truth).unwrap_or_default();
        assert!(said.contains(part), "{text}: {said}");
    }
    assert!(said("params.name", Wanted::Elements).unwrap_or_default().contains("never a list"));
    assert!(said("params.count * params.name", Wanted::Anything).is_some());
}

/// What is told never comes out true: the two judges of an expression agree.
#[test]
fn what_is_told_fails_or_is_the_same_for_every_value() {
    use crate::scope::Scope;
    use std::sync::Arc;
    let mut scope = Scope::empty();
    let values = json!({ "count": 3, "name": "x", "either": "x", "list": [{ "n": 1 }], "mode": "fast", "open": {} });
    scope.params = Arc::new(values);
    scope.locals.push(("event", json!("NODE_ERROR").into()));
    let operands =
        ["params.count", "params.name", "params.list", "params.mode", "params.open", "true", "null", "1.5", "'x'"];
    for op in ["<", ">=", "+", "-", "*", "/", "%", "&&", "||", "==", "!=", "in"] {
        for a in operands {
            for b in operands {
                let text = format!("{a} {op} {b}");
                let expression = Expr::compile(&text).expect("compiles");
                if check(&expression, &known(), Wanted::Anything).is_none() {
                    continue;
                }
                let came = expression.eval(&scope);
                let same = match op {
                    "==" | "in" => came == Ok(json!(false)) || came.is_err(),
                    "!=" => came == Ok(json!(true)),
                    // The other side may decide.
                    "||" => came.is_err() || came == Ok(json!(true)),
                    "&&" => came.is_err() || came == Ok(json!(false)),
                    _ => came.is_err(),
                };
                assert!(same, "{text}: {came:?}");
            }
        }
    }
}
