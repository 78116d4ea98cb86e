use super::problems;
use serde_json::{Value, json};
use signalbox_model::Connector;

fn base() -> Value {
    json!({
        "connector": 1, "name": "shop", "title": "Shop", "servers": [{ "url": "https://{site}.shop.example/v1", "variables": { "site": {} } }],
        "auth": [{ "type": "header", "name": "X-Key" }],
        "operations": { "list": {
            "title": "List", "method": "GET", "path": "/things/{id}",
            "parameters": [
                { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
                { "name": "limit", "in": "query", "style": null, "schema": { "type": "integer" } },
            ],
            "response": { "items": "/things", "schema": { "$ref": "#/$defs/Thing" } },
            "pagination": { "type": "cursor", "parameter": "after", "field": "/next" },
        } },
        "$defs": { "Thing": { "type": "object", "properties": { "parent": { "$ref": "#/$defs/Thing" } } } },
    })
}

fn found(change: impl FnOnce(&mut Value)) -> Vec<(String, String)> {
    let mut file = base();
    change(&mut file);
    let connector: Connector = serde_json::from_value(file).expect("it has the shape");
    problems(&connector).into_iter().map(|one| (one.path, format!("{} {}", one.message, one.hint))).collect()
}

#[test]
fn a_good_file_has_no_problems() {
    assert_eq!(found(|_| ()), []);
}

#[test]
fn each_slip_is_told_with_its_place() {
    const LIST: &str = "/operations/list";
    for (pointer, value, path, words) in [
        ("/connector", json!(2), "/connector".to_owned(), "format 2"),
        ("/name", json!("My Shop"), "/name".into(), "not a name"),
        ("/servers/0/url", json!("ftp://a.example"), "/servers/0/url".into(), "https://"),
        ("/servers/0/url", json!(concat!("https:", "//user:pw@a.example")), "/servers/0/url".into(), "password"),
        ("/servers/0/url", json!("https://{sit}.a.example"), "/servers/0/url".into(), "Did you mean 'site'?"),
        ("/auth/0/name", Value::Null, "/auth/0/name".into(), "missing"),
        ("/operations/list/method", json!("GRAB"), format!("{LIST}/method"), "not a method"),
        ("/operations/list/path", json!("https://evil.example/{id}"), format!("{LIST}/path"), "not a path"),
        ("/operations/list/path", json!("/../{id}"), format!("{LIST}/path"), "'..'"),
        ("/operations/list/path", json!("/{id}/{other}"), format!("{LIST}/path"), "'{other}'"),
        ("/operations/list/parameters/0/required", json!(false), format!("{LIST}/parameters/0"), "not required"),
        ("/operations/list/parameters/1/name", json!("id"), format!("{LIST}/parameters/1"), "Two parameters"),
        ("/operations/list/parameters/1/style", json!("matrix"), format!("{LIST}/parameters/1/style"), "style"),
        (
            "/operations/list/parameters/1/schema",
            json!({ "type": "nonsense" }),
            format!("{LIST}/parameters"),
            "cannot be used",
        ),
        (
            "/operations/list/response/schema",
            json!({ "$ref": "#/$defs/Thin" }),
            format!("{LIST}/response/schema"),
            "Did you mean 'Thing'?",
        ),
        (
            "/operations/list/response/schema",
            json!({ "$ref": "https://a.example/x" }),
            format!("{LIST}/response/schema"),
            "not a reference",
        ),
        ("/operations/list/response/items", Value::Null, format!("{LIST}/pagination"), "where their elements are"),
        ("/operations/list/pagination/field", json!("next"), format!("{LIST}/pagination/field"), "Write '/next'"),
    ] {
        let all = found(|file| *file.pointer_mut(pointer).unwrap_or(&mut Value::Null) = value.clone());
        let told = all.iter().any(|(at, text)| *at == path && text.contains(words));
        assert!(told, "{pointer} {value}: {all:#?}");
    }
    let headers = |name: &str, value: &str| {
        let header = json!({ name: value });
        found(|file| file["headers"] = header)
    };
    for (name, value) in
        [("Authorization", "Bearer x"), ("Host", "evil.example"), ("X-A", "a\r\nHost: b"), ("a b", "c")]
    {
        assert_eq!(headers(name, value).len(), 1, "{name}");
    }
    assert_eq!(headers("X-A", "secret://erp").len(), 1);
    let rules = |rule: Value| found(|file| file["errors"] = json!([rule]));
    assert_eq!(rules(json!({ "is": "failed" })).len(), 1, "it would match everything");
    assert_eq!(rules(json!({ "is": "failed", "status": ["4x"] })).len(), 1);
}
