//! Places of a value as people read them: by titles, and in lists counted from 1.

use crate::patch::pointer;
use serde_json::Value;

/// A place (JSON pointer) of a value in the words of its form: the titles of the schema where it has them, else the names.
#[must_use]
pub fn place_words(schema: Option<&Value>, value: &Value, path: &str) -> String {
    let root = schema;
    let (mut schema, mut value) = (schema, Some(value));
    let mut words = Vec::new();
    for part in pointer::split(path).unwrap_or_default() {
        let own = schema.map(|own| resolved(root, own));
        let index = part.parse::<usize>().ok().filter(|_| value.is_some_and(Value::is_array));
        schema = match index {
            Some(index) => own.and_then(|own| own["prefixItems"].get(index).or_else(|| own.get("items"))),
            None => own.and_then(|own| own["properties"].get(&part)),
        };
        value = match index {
            Some(index) => value.and_then(|value| value.get(index)),
            None => value.and_then(|value| value.get(&part)),
        };
        let title = schema.map(|own| resolved(root, own)).and_then(|own| own["title"].as_str()).map(str::trim);
        words.push(match (title.filter(|title| !title.is_empty()), index) {
            (Some(title), None) => title.to_owned(),
            (_, Some(index)) => index.saturating_add(1).to_string(),
            (None, None) => part,
        });
    }
    words.join(" › ")
}

/// The schema that one of the same file refers to, else itself.
fn resolved<'a>(root: Option<&'a Value>, own: &'a Value) -> &'a Value {
    let to = own["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
    to.and_then(|to| root?.pointer(to)).unwrap_or(own)
}

#[cfg(test)]
mod tests {
    use super::place_words;
    use serde_json::json;

    #[test]
    fn a_place_is_named_by_its_titles_and_counted_in_lists_only() {
        let schema = json!({
            "properties": {
                "supplier": { "title": "Supplier number" },
                "lines": { "title": "Lines", "items": { "$ref": "#/$defs/line" } },
                "years": { "type": "object" },
            },
            "$defs": { "line": { "title": "Line", "properties": { "net": { "title": "Net" } } } },
        });
        let value = json!({ "supplier": 1, "lines": [{ "net": 1 }], "years": { "2024": 1 } });
        let words = |path: &str| place_words(Some(&schema), &value, path);
        assert_eq!(words("/supplier"), "Supplier number");
        assert_eq!(words("/lines/0/net"), "Lines › 1 › Net");
        assert_eq!(words("/years/2024"), "years › 2024", "the name of a field is no number of a list");
        assert_eq!(place_words(None, &json!([[7]]), "/0/0"), "1 › 1");
        assert_eq!(place_words(None, &json!({}), "/a~1b"), "a/b");
    }
}
