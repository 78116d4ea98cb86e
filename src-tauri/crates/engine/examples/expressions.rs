//! Evaluates expressions from standard input, one JSON object a line (`{"text", "names"}`), and answers each with one line:
//! `{"value", "type"}` or `{"error", "code"}`. `cargo xtask peers cel` runs the conformance cases of CEL with it.

use serde_json::{Map, Value, json};
use signalbox_engine::expr::{Expr, ExprError};
use signalbox_engine::scope::Scope;
use std::collections::HashMap;
use std::io::{BufRead, Write, stdin, stdout};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: HashMap<String, &'static str> = HashMap::new();
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let asked: Value = serde_json::from_str(&line?)?;
        let text = asked.get("text").and_then(Value::as_str).unwrap_or_default();
        let mut scope = Scope::empty();
        for (name, value) in asked.get("names").and_then(Value::as_object).unwrap_or(&Map::new()) {
            // Names of a scope live as long as the program; there are a few dozen of them.
            let name = *names.entry(name.clone()).or_insert_with(|| Box::leak(name.clone().into_boxed_str()));
            scope.locals.push((name, value.clone().into()));
        }
        let told = match evaluated(text, &scope) {
            Ok((value, kind)) => json!({ "value": shown(&value), "type": kind }),
            Err(error) => json!({ "error": error.message, "code": error.code.as_str() }),
        };
        writeln!(out, "{told}")?;
    }
    Ok(())
}

/// The value, and its type by the language itself: JSON alone does not tell bytes from a text.
fn evaluated(text: &str, scope: &Scope) -> Result<(Value, Value), ExprError> {
    let value = Expr::compile(text)?.eval(scope)?;
    let kind = Expr::compile(&format!("string(type({text}\n))"))?.eval(scope)?;
    Ok((value, kind))
}

/// The value with numbers as texts, told apart: a reader whose numbers are all doubles loses neither digits nor types.
fn shown(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => json!({ "double": number.to_string() }),
        Value::Number(number) => json!({ "int": number.to_string() }),
        Value::Array(list) => list.iter().map(shown).collect(),
        Value::Object(map) => {
            json!({ "map": map.iter().map(|(key, one)| (key.clone(), shown(one))).collect::<Map<_, _>>() })
        }
        other => other.clone(),
    }
}
