//! `extract`: name → path over an answer (K-44, K-51, K-52). One resolver and one error for every kind that offers it.

use serde_json::{Map, Value, json};
use signalbox_model::NodeFailure;
use signalbox_model::path::{self, Missing};

/// Follows every path. All paths that lead nowhere are reported together, so one correction can mend all of them.
pub fn extract(value: &Value, paths: &Map<String, Value>) -> Result<Map<String, Value>, NodeFailure> {
    let mut found = Map::new();
    let mut missing: Vec<(&str, Missing)> = Vec::new();
    for (name, text) in paths {
        let Some(text) = text.as_str() else {
            return Err(bad_path(name, &format!("the path of '{name}' must be text")));
        };
        let segments = path::parse(text).map_err(|bad| bad_path(name, &bad.to_string()))?;
        match path::resolve(value, text, &segments) {
            Ok(part) => {
                found.insert(name.clone(), part.clone());
            }
            Err(nowhere) => missing.push((name, nowhere)),
        }
    }
    match missing.first() {
        None => Ok(found),
        Some((_, first)) => Err(not_found(first, &missing)),
    }
}

fn bad_path(name: &str, why: &str) -> NodeFailure {
    NodeFailure::validation("BAD_PATH", format!("Extract '{name}': {why}. Write it like $.user.name or $.rows[0].id"))
        .detail("field", name)
}

fn not_found(first: &Missing, all: &[(&str, Missing)]) -> NodeFailure {
    let available = if first.available.is_empty() {
        "nothing".to_owned()
    } else {
        let more = if first.available.len() == 20 { "…" } else { "" };
        format!("{}{more}", first.available.join(", "))
    };
    let mut message = format!("Field '{}' not found. Available: {available}", first.path);
    if first.available_at != "$" {
        message.push_str(&format!(" (at {})", first.available_at));
    }
    if all.len() > 1 {
        let others: Vec<String> = all[1..].iter().take(20).map(|(_, m)| format!("'{}'", m.path)).collect();
        message.push_str(&format!(". Also not found: {}", others.join(", ")));
    }
    let attempted: Vec<&str> = all.iter().map(|(_, m)| m.path.as_str()).collect();
    let each: Vec<Value> = all
        .iter()
        .map(|(name, m)| json!({"name": name, "path": m.path, "available": m.available, "availableAt": m.available_at}))
        .collect();
    let failure = NodeFailure::validation("BAD_PATH", message)
        .detail("attempted", attempted)
        .detail("available", first.available.clone())
        .detail("availableAt", first.available_at.clone())
        .detail("topLevel", first.top_level.clone())
        .detail("sample", first.sample.clone());
    if all.len() > 1 { failure.detail("missing", each) } else { failure }
}

#[cfg(test)]
mod tests {
    use super::extract;
    use serde_json::{Value, json};

    fn run(value: &Value, paths: &Value) -> Result<Value, signalbox_model::NodeFailure> {
        extract(value, paths.as_object().expect("an object")).map(Value::Object)
    }

    #[test]
    fn p_21_the_words_of_a_missing_field() {
        let answer = json!({"login": "ada", "bio": "…", "name": "Ada"});
        let failure = run(&answer, &json!({"user": "$.username"})).expect_err("missing");
        assert_eq!(failure.message, "Field '$.username' not found. Available: login, bio, name");
        assert_eq!((failure.code.as_str(), failure.retryable), ("BAD_PATH", false));
        assert_eq!(
            Value::Object(failure.details),
            json!({"attempted": ["$.username"], "available": ["login", "bio", "name"], "availableAt": "$",
                "topLevel": ["login", "bio", "name"], "sample": {"login": "string", "bio": "string", "name": "string"}})
        );
    }

    #[test]
    fn ts_133_all_missing_fields_come_at_once() {
        let failure = run(
            &json!({"data": [{"id": 1}, {"id": 2}]}),
            &json!({"a": "$.items[0]", "b": "$.data[5].id", "ok": "$.data[1].id", "c": "$.data[0].name"}),
        )
        .expect_err("missing");
        assert_eq!(failure.details["attempted"], json!(["$.items[0]", "$.data[5].id", "$.data[0].name"]));
        assert_eq!(failure.details["available"], json!(["data"]));
        assert_eq!(failure.details["missing"][1]["available"], json!(["[0]…[1]"]));
        assert_eq!(failure.details["missing"][2]["availableAt"], json!("$.data[0]"));
        assert!(failure.message.ends_with("Also not found: '$.data[5].id', '$.data[0].name'"), "{}", failure.message);
    }

    #[test]
    fn ts_148_null_is_found_and_a_broken_path_says_where() {
        assert_eq!(run(&json!({"a": null}), &json!({"x": "$.a"})), Ok(json!({"x": null})));
        let failure = run(&json!({"a": 1}), &json!({"x": "$.a[*]"})).expect_err("no wildcards");
        assert!(failure.message.contains("a whole number from 0"), "{}", failure.message);
    }

    #[test]
    fn nothing_is_available_in_a_text() {
        let failure = run(&json!({"a": "text"}), &json!({"x": "$.a.b"})).expect_err("missing");
        assert_eq!(failure.message, "Field '$.a.b' not found. Available: nothing (at $.a)");
    }
}
