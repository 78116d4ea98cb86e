//! Our evaluation against the `cel` crate's interpreter: the same text over the same data gives the same JSON. Where we
//! differ on purpose (K-08: mixed numbers, `has` on null, fixed key order) the text is not in the list.

use serde_json::json;
use signalbox_engine::expr::Expr;
use signalbox_engine::scope::Scope;

const TEXTS: &[&str] = &[
    "1 + 2 * 3 - 4 / 2 % 3",
    "(1 + 2) * 3",
    "-(1 - 5)",
    "- -3",
    "!(1 > 2) && !!true",
    "1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3 && 1 != 2",
    "1.5 + 2.5 == 4.0",
    "2 == 2.0 && 2.0 == 2",
    "2 < 2.5",
    "'a' < 'b' && 'ab' + 'c' == 'abc'",
    "true ? 1 : 2",
    "false ? 1 : true ? 2 : 3",
    "1 == 1 ? 'x' : 'y'",
    "[1, 2] + [3]",
    "[1, [2, 3]][1][0]",
    "{'a': 1}['a'] == {'a': 1}.a",
    "{1: 'x', true: 'y'}[1]",
    "size('héllo') + size([1, 2]) + size({'a': 1}) + size(b'ab')",
    "'x' in {'x': 1} && 2 in [1, 2] && !(3 in [1, 2])",
    "[1, 2, 3].map(x, x * x)",
    "[1, 2, 3].filter(x, x % 2 == 1)",
    "[1, 2, 3].map(x, x > 1, x + 10)",
    "[1, 2, 3].all(x, x > 0)",
    "[1, 2, 3].exists(x, x > 2)",
    "[1, 2, 3].exists_one(x, x > 2)",
    "[[1, 2], [3]].map(l, l.map(x, x + size(l)))",
    "[].all(x, false)",
    "[].exists(x, true)",
    "{'a': 1}.all(k, k == 'a')",
    "[1, 2].exists(x, x / 0 == 1 || true)",
    "false && 1 / 0 == 1",
    "1 / 0 == 1 && false",
    "true || 1 / 0 == 1",
    "1 / 0 == 1 || true",
    "'hello'.startsWith('he') && 'hello'.endsWith('lo') && 'hello'.contains('ell')",
    "'hello'.matches('h.*o') && matches('abc', 'b')",
    "string(12) + string(true) + string('x')",
    "int('42') + int(3.99) + int(-3.99)",
    "double('2.5') + double(2)",
    "string(1.5)",
    "string(b'abc')",
    "b'abc' == b'abc' && b'a' < b'b'",
    "[1, 2] == [1, 2.0] && {'a': [1]} == {'a': [1]}",
    "[1] == [2] || {'a': 1} == {'b': 1}",
    "null == null && null != 1",
    "'1' == 1",
    "type(1) == int && type('') == string && type(1.0) == double && type(null) == null_type",
    "type([]) == list && type({}) == map && type(true) == bool",
    "data.a.b[1].c",
    "data.list.map(x, x.n)",
    "data.list.filter(x, x.n > 1).size()",
    "data.text.size() + data.n",
    "has(data.a) && !has(data.zz) && has(data.a.b)",
    "data['a']['b'][0]",
    "data.list == [{'n': 1}, {'n': 2}]",
    "data.nothing == null",
    "data.f * 2.0",
    "'\\u00e4\\x41\\101\\n\\'' + \"\\\"\" + r'\\n'",
    "'''a'b''' + \"\"\"c\"d\"\"\"",
    "0xff + 0x0",
    "1e3 + .5",
    "9223372036854775807",
    "-9223372036854775808",
    "data.a.b[9]",
    "data.zz",
    "data.text.zz",
    "1 + 'a'",
    "'a' * 2",
    "1 / 0",
    "9223372036854775807 + 1",
    "1 < 'a'",
    "!1",
    "-'a'",
    "1 in 'abc'",
    "'a'.contains(1)",
    "int('x')",
    "{'a': 1, 'a': 2}",
    "[1, 2].all(x, 1)",
    "1 && true",
    "1.map(x, x)",
];

#[test]
fn agrees_with_the_crate() {
    let data = json!({
        "a": { "b": [1, { "c": "deep" }] }, "list": [{ "n": 1 }, { "n": 2 }], "text": "héllo", "n": -7, "f": 1.5,
        "nothing": null, "yes": true
    });
    let mut scope = Scope::empty();
    scope.locals = vec![("data", data.clone().into())];
    let mut wrong = Vec::new();
    for text in TEXTS {
        let ours = Expr::compile(text).and_then(|e| e.eval(&scope));
        let theirs = theirs(text, &data);
        match (&ours, &theirs) {
            (Ok(a), Ok(b)) if cel_json(b).is_some_and(|b| same(a, &b)) => {}
            (Err(_), Err(_)) => {}
            _ => wrong.push(format!("{text}\n  ours:   {ours:?}\n  theirs: {theirs:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn theirs(text: &str, data: &serde_json::Value) -> Result<cel::Value, String> {
    let tree = cel::parser::PrattParser::new().parse(text).map_err(|e| e.to_string())?;
    let mut context = cel::Context::default();
    context.add_variable_from_value("data", to_cel(data));
    cel::Value::resolve(&tree, &context).map_err(|e| e.to_string())
}

fn same(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    let (a, b) = (a.to_string(), b.to_string());
    a == b
}

fn to_cel(value: &serde_json::Value) -> cel::Value {
    match value {
        serde_json::Value::Null => cel::Value::Null,
        serde_json::Value::Bool(v) => (*v).into(),
        serde_json::Value::Number(v) => v.as_i64().map_or_else(|| v.as_f64().unwrap().into(), Into::into),
        serde_json::Value::String(v) => v.as_str().into(),
        serde_json::Value::Array(v) => v.iter().map(to_cel).collect::<Vec<_>>().into(),
        serde_json::Value::Object(v) => {
            v.iter().map(|(k, v)| (k.clone(), to_cel(v))).collect::<std::collections::HashMap<_, _>>().into()
        }
    }
}

fn cel_json(value: &cel::Value) -> Option<serde_json::Value> {
    Some(match value {
        cel::Value::Null => json!(null),
        cel::Value::Bool(v) => json!(v),
        cel::Value::Int(v) => json!(v),
        cel::Value::Float(v) => json!(v),
        cel::Value::String(v) => json!(v.as_str()),
        cel::Value::List(v) => v.iter().map(cel_json).collect::<Option<Vec<_>>>()?.into(),
        _ => return None,
    })
}
