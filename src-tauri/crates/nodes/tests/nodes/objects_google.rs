//! Google Cloud Storage by its JSON API, as Google describes it: what is sent, and what becomes of the answers. `peers objects` asks
//! servers of others.

use crate::common::answer;
use crate::objects::run;
use serde_json::{Value, json};
use signalbox_ports::HttpResponse;

const ROOT: &str = "https://storage.googleapis.com";

fn of(more: Value) -> Value {
    let mut config = json!({ "system": "gcs", "bucket": "g" });
    if let (Some(config), Value::Object(more)) = (config.as_object_mut(), more) {
        config.extend(more);
    }
    config
}

fn said(value: &Value) -> HttpResponse {
    answer(200, &[("content-type", "application/json")], &value.to_string())
}

fn refused(status: u16, reason: &str, message: &str) -> HttpResponse {
    let error = json!({ "code": status, "message": message, "errors": [{ "reason": reason, "message": message }] });
    answer(status, &[("content-type", "application/json")], &json!({ "error": error }).to_string())
}

#[test]
fn a_list_is_followed_to_its_limit() {
    let (items, asked) =
        run("object.list", of(json!({ "prefix": "in/", "recursive": false, "limit": 3 })), |request| {
            if request.url.contains("pageToken=t%2F1") {
                return said(&json!({ "kind": "storage#objects", "items": [{ "name": "in/c" }, { "name": "in/d" }] }));
            }
            said(&json!({
                "kind": "storage#objects", "prefixes": ["in/x/"], "nextPageToken": "t/1",
                "items": [{ "name": "in/a b.csv", "size": "7", "contentType": "text/csv", "generation": "1700",
                            "updated": "2026-11-30T07:00:00.123Z" }],
            }))
        });
    let items = items.expect("lists");
    let keys: Vec<Value> = items.iter().map(|item| json!([item["key"], item["folder"]])).collect();
    assert_eq!(keys, [json!(["in/x/", true]), json!(["in/a b.csv", false]), json!(["in/c", false])]);
    let about = json!({
        "key": "in/a b.csv", "name": "a b.csv", "folder": false, "size": 7, "type": "text/csv", "version": "1700",
        "modified": "2026-11-30T07:00:00.123Z",
    });
    assert_eq!(items[1], about);
    let page = format!("GET {ROOT}/storage/v1/b/g/o");
    assert_eq!(
        asked,
        [
            format!("{page}?maxResults=3&prefix=in%2F&delimiter=%2F"),
            format!("{page}?maxResults=1&prefix=in%2F&delimiter=%2F&pageToken=t%2F1"),
        ]
    );
    let (items, _) = run("object.list", of(json!({})), |_| said(&json!({ "kind": "storage#objects" })));
    assert_eq!(items.expect("an empty bucket"), Vec::<Value>::new());
    for other in ["<html/>", "[]", "{}", r#"{"kind":"storage#bucket"}"#] {
        let (items, _) = run("object.list", of(json!({})), move |_| answer(200, &[], other));
        assert_eq!(items.expect_err("no list").code, "BAD_ANSWER", "{other}");
    }
}

#[test]
fn an_object_is_written_on_a_condition_and_removed() {
    let write = of(json!({ "key": "a/b c", "content": 1, "when": "version", "version": "77" }));
    let (items, asked) = run("object.write", write, |_| said(&json!({ "name": "a/b c", "generation": "78" })));
    let written = json!({ "key": "a/b c", "size": 1, "type": "application/json", "version": "78" });
    assert_eq!(items.expect("writes")[0], written);
    let upload = format!("POST {ROOT}/upload/storage/v1/b/g/o?uploadType=media&name=a%2Fb+c");
    assert_eq!(asked, [format!("{upload}&ifGenerationMatch=77")]);
    let new = of(json!({ "key": "a/b c", "content": "x", "when": "new" }));
    let (items, asked) = run("object.write", new, |_| refused(412, "conditionNotMet", "At least one did not hold"));
    let failure = items.expect_err("it is there");
    assert_eq!((&*failure.code, &failure.details["serviceCode"]), ("PRECONDITION_FAILED", &json!("conditionNotMet")));
    assert!(failure.message.ends_with(": At least one did not hold"), "{}", failure.message);
    assert_eq!(asked, [format!("{upload}&ifGenerationMatch=0")]);
    let (items, asked) = run("object.delete", of(json!({ "key": "a/b c" })), |_| answer(204, &[], ""));
    assert_eq!(items.expect("removes")[0]["found"], true);
    assert_eq!(asked, [format!("DELETE {ROOT}/storage/v1/b/g/o/a%2Fb%20c")]);
    let (items, _) = run("object.delete", of(json!({ "key": "a" })), |_| refused(404, "notFound", "No such object"));
    assert_eq!(items.expect("there was none")[0]["found"], false);
}

#[test]
fn a_move_is_a_copy_of_a_generation_in_as_many_steps_as_it_takes() {
    let moved = of(json!({ "address": "https://proxy.example/gcs", "key": "a/b c", "to": "d/e", "when": "new" }));
    let there = |status| answer(status, &[("x-goog-generation", "5")], "");
    let (items, asked) = run("object.move", moved.clone(), move |request| match request.method.as_str() {
        "HEAD" if request.url.ends_with("/d/e") => there(404),
        "HEAD" => there(200),
        "POST" if request.url.contains("rewriteToken") => said(&json!({ "done": true, "totalBytesRewritten": "9" })),
        "POST" => said(&json!({ "done": false, "rewriteToken": "r+1", "totalBytesRewritten": "4" })),
        _ => answer(204, &[], ""),
    });
    items.expect("moves");
    let (read, object) = ("https://proxy.example/gcs/g", "https://proxy.example/gcs/storage/v1/b/g/o/a%2Fb%20c");
    let rewrite = format!("POST {object}/rewriteTo/b/g/o/d%2Fe?ifGenerationMatch=0&ifSourceGenerationMatch=5");
    assert_eq!(
        asked,
        [
            format!("HEAD {read}/a/b%20c"),
            format!("HEAD {read}/d/e"),
            rewrite.clone(),
            format!("{rewrite}&rewriteToken=r%2B1"),
            format!("DELETE {object}?ifGenerationMatch=5"),
        ]
    );
    // A store that never ends it: nothing is removed.
    let (items, asked) = run("object.move", moved, move |request| match request.method.as_str() {
        "HEAD" if request.url.ends_with("/d/e") => there(404),
        "HEAD" => there(200),
        _ => said(&json!({ "done": false, "rewriteToken": "r", "totalBytesRewritten": "4" })),
    });
    assert_eq!(items.expect_err("no end").code, "COPY_FAILED");
    assert!(asked.len() == 4 && !asked.iter().any(|line| line.starts_with("DELETE")), "{asked:?}");
}
