//! `http.request` and the file kinds against the demo service, a scripted server and real folders.

use crate::common;

use common::{Reply, Script, data, json_reply, reply, run, run_in, world};
use serde_json::{Value, json};
use signalbox_adapters::{DemoService, DemoServiceOnDemand, FolderFiles, Grant};
use signalbox_model::{ErrorType, SuggestedAction};
use std::sync::Arc;

#[tokio::test]
async fn an_answer_is_status_headers_and_response() {
    let demo_service = DemoService::start().await.expect("a port");
    let world = world(FolderFiles::default());
    let config = json!({"url": format!("{}/users/1", demo_service.base_url())});
    let output = run(&world, "http.request", config, json!({})).await.expect("answered");
    let data = data(&output, "success");
    assert_eq!(data["status"], 200);
    assert_eq!(data["headers"]["content-type"], "application/json");
    assert_eq!(data["response"]["name"], "Ada Lovelace");
    assert_eq!(
        data.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>()),
        Some(vec!["status".into(), "headers".into(), "response".into()])
    );
    assert_eq!(output.ports["success"].first().expect("an item").paired_item, Some(0));
}

#[tokio::test]
async fn ts_137_extract_adds_extracted_and_leaves_the_response() {
    let demo_service = DemoService::start().await.expect("a port");
    let world = world(FolderFiles::default());
    let url = format!("{}/users/1", demo_service.base_url());
    let plain = run(&world, "http.request", json!({"url": url}), json!({})).await.expect("answered");
    let config = json!({"url": url, "extract": {"who": "$.name", "all": "$"}});
    let output = run(&world, "http.request", config, json!({})).await.expect("answered");
    assert_eq!(data(&output, "success")["extracted"]["who"], "Ada Lovelace");
    assert_eq!(data(&output, "success")["response"], data(&plain, "success")["response"]);
    assert!(data(&output, "success").get("raw").is_none());
}

#[tokio::test]
async fn ts_138_and_p_21_a_missing_path_is_not_retryable_and_says_what_there_is() {
    let server = Script::start(|_| vec![json_reply(r#"{"login":"ada","bio":"b","name":"Ada"}"#)]).await;
    let world = world(FolderFiles::default());
    let config = json!({"url": server.base, "extract": {"user": "$.username"}});
    let failure = run(&world, "http.request", config, json!({})).await.expect_err("missing");
    assert_eq!(failure.error_type, ErrorType::ValidationError);
    assert!(failure.message.starts_with("Field '$.username' not found. Available: login, bio, name"));
    assert_eq!((failure.code.as_str(), failure.retryable), ("BAD_PATH", false));
    assert_eq!(failure.details["attempted"], json!(["$.username"]));
}

#[tokio::test]
async fn ts_134_html_with_extract_is_non_json() {
    let demo_service = DemoService::start().await.expect("a port");
    let world = world(FolderFiles::default());
    let url = format!("{}/html", demo_service.base_url());
    for config in [json!({"url": url, "extract": {"a": "$.a"}}), json!({"url": url, "responseType": "json"})] {
        let failure = run(&world, "http.request", config, json!({})).await.expect_err("no JSON");
        assert_eq!(
            (failure.error_type, failure.code.as_str(), failure.retryable),
            (ErrorType::ValidationError, "NON_JSON", false)
        );
    }
    let output = run(&world, "http.request", json!({"url": url}), json!({})).await.expect("text");
    assert!(data(&output, "success")["response"].as_str().is_some_and(|text| text.contains("<h1>")));
}

#[tokio::test]
async fn every_status_has_its_error() {
    use ErrorType::{NetworkError, Timeout, ToolError, ValidationError};
    let demo_service = DemoService::start().await.expect("a port");
    let world = world(FolderFiles::default());
    for (status, error_type, code, retryable, maybe, message) in [
        (400, ValidationError, "INPUT_INVALID", false, false, "The address answered 400 (bad request)"),
        (401, ToolError, "AUTH", false, false, "The address answered 401 (unauthorized)"),
        (403, ToolError, "AUTH", false, false, "The address answered 403 (forbidden)"),
        (404, ToolError, "HTTP_STATUS", false, false, "The address answered 404 (not found)"),
        (408, Timeout, "TIMEOUT", true, true, "The address answered 408 (request timeout)"),
        (409, ToolError, "HTTP_STATUS", false, false, "The address answered 409 (conflict)"),
        (422, ValidationError, "INPUT_INVALID", false, false, "The address answered 422 (unprocessable entity)"),
        (429, ToolError, "RATE_LIMIT", true, false, "The address answered 429 (too many requests)"),
        (500, NetworkError, "SERVER_ERROR", true, true, "The address answered 500 (internal server error)"),
        (502, NetworkError, "SERVICE_UNAVAILABLE", true, true, "The address answered 502 (bad gateway)"),
        (503, NetworkError, "SERVICE_UNAVAILABLE", true, false, "The address answered 503 (service unavailable)"),
        (504, Timeout, "TIMEOUT", true, true, "The address answered 504 (gateway timeout)"),
        (529, ToolError, "RATE_LIMIT", true, false, "The address answered 529"),
    ] {
        let config = json!({"url": format!("{}/status/{status}", demo_service.base_url())});
        let failure = run(&world, "http.request", config.clone(), json!({})).await.expect_err("an error");
        assert_eq!(
            (
                failure.error_type,
                failure.code.as_str(),
                failure.retryable,
                failure.may_have_happened,
                failure.message.as_str()
            ),
            (error_type, code, retryable, maybe, message)
        );
        assert_eq!(failure.details["status"], status);
        assert_eq!(failure.suggested_action == Some(SuggestedAction::Retry), retryable, "{status}");
        let mut calm = config;
        calm["failOnStatus"] = json!(false);
        let output = run(&world, "http.request", calm, json!({})).await.expect("an answer like others");
        assert_eq!(data(&output, "success")["status"], status);
    }
}

#[tokio::test]
async fn the_503_of_the_walkthrough_has_nothing_but_code_and_status() {
    let demo_service = DemoService::start().await.expect("a port");
    let world = world(FolderFiles::default());
    let config = json!({"method": "GET", "url": format!("{}/fail/2?key=a", demo_service.base_url())});
    for _ in 0..2 {
        let failure = run(&world, "http.request", config.clone(), json!({})).await.expect_err("503");
        assert_eq!(Value::Object(failure.details_with_code()), json!({"code": "SERVICE_UNAVAILABLE", "status": 503}));
    }
    assert!(run(&world, "http.request", config.clone(), json!({})).await.is_ok());
    let other = json!({"url": format!("{}/fail/2?key=b", demo_service.base_url())});
    assert!(run(&world, "http.request", other, json!({})).await.is_err(), "each key counts for itself");
}

#[tokio::test]
async fn retry_after_is_honoured_up_to_ten_minutes() {
    let server = Script::start(|_| {
        ["7", "Wed, 21 Oct 2015 07:28:00 GMT", "601", "soon"]
            .map(|wait| reply(&format!("429 Too Many Requests\r\nRetry-After: {wait}"), ""))
            .to_vec()
    })
    .await;
    let world = world(FolderFiles::default());
    for (wait, retryable) in [(Some(7_000), true), (Some(0), true), (None, false), (None, true)] {
        let failure = run(&world, "http.request", json!({"url": server.base}), json!({})).await.expect_err("429");
        assert_eq!((failure.retry_after_ms, failure.retryable), (wait, retryable));
    }
}

#[tokio::test]
async fn ts_029_and_every_way_to_get_no_answer() {
    let demo_service = DemoService::start().await.expect("a port");
    let world = world(FolderFiles::default());
    let slow = format!("{}/slow?ms=60000", demo_service.base_url());
    let failure =
        run(&world, "http.request", json!({"url": slow, "timeoutMs": 40}), json!({})).await.expect_err("late");
    assert_eq!((failure.error_type, failure.code.as_str(), failure.retryable), (ErrorType::Timeout, "TIMEOUT", true));
    assert_eq!(failure.message, "The address did not answer within 40 ms");
    let failure = run_in(&world, "http.request", json!({"url": slow}), json!({}), Some(40)).await.expect_err("late");
    assert_eq!((failure.error_type, failure.retryable, failure.may_have_happened), (ErrorType::Timeout, true, true));
    let failure =
        run(&world, "http.request", json!({"url": "http://127.0.0.1:1/"}), json!({})).await.expect_err("closed");
    assert_eq!(
        (failure.error_type, failure.code.as_str(), failure.retryable),
        (ErrorType::NetworkError, "CONNECTION", true)
    );
    assert!(!failure.may_have_happened);
    let cut = Script::start(|_| vec![Reply::Bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal".into())]).await;
    let failure = run(&world, "http.request", json!({"url": cut.base}), json!({})).await.expect_err("cut");
    assert_eq!((failure.code.as_str(), failure.retryable, failure.may_have_happened), ("CONNECTION", true, true));
    for url in ["http://169.254.169.254/", "http://10.0.0.1/", "file:///etc/passwd", "http://a@127.0.0.1/"] {
        let failure = run(&world, "http.request", json!({"url": url}), json!({})).await.expect_err(url);
        assert_eq!(
            (failure.error_type, failure.code.as_str(), failure.retryable),
            (ErrorType::ToolError, "ADDRESS_REFUSED", false)
        );
    }
    for url in ["", "example.org", "/users", "http://", "http://[", "http://a b/"] {
        let failure = run(&world, "http.request", json!({"url": url}), json!({})).await.expect_err(url);
        assert_eq!(failure.code, "INPUT_INVALID", "{url}");
    }
}

#[tokio::test]
async fn what_is_sent() {
    let demo_service = DemoService::start().await.expect("a port");
    let world = world(FolderFiles::default());
    let url = format!("{}/echo?a=1", demo_service.base_url());
    let config = json!({
        "method": "POST", "url": url, "query": {"b": [1, "x y&z"], "none": null, "yes": true},
        "headers": {"X-Number": 5}, "body": {"order": 7}
    });
    let output = run(&world, "http.request", config, json!({})).await.expect("echoed");
    let echo = &data(&output, "success")["response"];
    assert_eq!(echo["method"], "POST");
    assert_eq!(echo["query"], json!({"a": "1", "b": ["1", "x y&z"], "yes": "true"}));
    assert_eq!(echo["body"], json!({"order": 7}));
    assert_eq!(echo["headers"]["content-type"], "application/json");
    assert_eq!(echo["headers"]["x-number"], "5");
    assert_eq!(echo["headers"]["idempotency-key"], "key-1");
    for method in ["GET", "OPTIONS"] {
        let output =
            run(&world, "http.request", json!({"method": method, "url": url}), json!({})).await.expect("echoed");
        assert!(data(&output, "success")["response"]["headers"].get("idempotency-key").is_none(), "{method}");
    }
    for method in ["PUT", "PATCH", "DELETE"] {
        let config = json!({"method": method, "url": url, "headers": {"idempotency-KEY": "mine"}, "body": "text"});
        let output = run(&world, "http.request", config, json!({})).await.expect("echoed");
        let echo = &data(&output, "success")["response"];
        assert_eq!((&echo["headers"]["idempotency-key"], &echo["body"]), (&json!("mine"), &json!("text")), "{method}");
    }
    let head = run(&world, "http.request", json!({"method": "HEAD", "url": url}), json!({})).await.expect("answered");
    assert_eq!(data(&head, "success")["response"], Value::Null);
    for (config, words) in [
        (json!({"url": url, "method": "post"}), "'post' is not a method"),
        (json!({"url": url, "method": "TRACE"}), "'TRACE' is not a method"),
        (json!({"url": url, "headers": {"A b": "x"}}), "header names may not have"),
        (json!({"url": url, "headers": {"A": "x\r\nEvil: 1"}}), "line break"),
        (json!({"url": url, "headers": {"Host": "evil"}}), "made by the program"),
        (json!({"url": url, "headers": {"A": [1]}}), "must be text, a number"),
        (json!({"url": url, "query": "a=1"}), "must be an object"),
        (json!({"url": url, "timeoutMs": 0}), "from 1 to 3600000"),
        (json!({"url": url, "method": "HEAD", "body": "x"}), "HEAD request has no body"),
        (json!({"url": 5}), "'url' must be text, but it is a number"),
    ] {
        let failure = run(&world, "http.request", config, json!({})).await.expect_err(words);
        assert!(failure.code == "INPUT_INVALID" && failure.message.contains(words), "{}", failure.message);
    }
}

#[tokio::test]
async fn bodies_are_read_by_their_type() {
    let server = Script::start(|_| {
        vec![
            reply("200 OK\r\nContent-Type: application/problem+json", "{\"a\":1}"),
            reply("200 OK\r\nContent-Type: text/plain; charset=iso-8859-1", "caf\u{e9}"),
            reply("200 OK\r\nContent-Type: image/png", "\u{1}\u{2}"),
            reply("204 No Content", ""),
            reply("200 OK\r\nContent-Type: application/json", "{oops"),
            reply("200 OK", "no type"),
        ]
    })
    .await;
    let world = world(FolderFiles::default());
    let hash = signalbox_model::hash::sha256_hex(&[1, 2]);
    let bytes = json!({"ref": hash, "mime": "image/png", "size": 2, "sha256": hash});
    for want in [json!({"a": 1}), json!("cafÃ©"), bytes, Value::Null] {
        let output = run(&world, "http.request", json!({"url": server.base}), json!({})).await.expect("read");
        assert_eq!(data(&output, "success")["response"], want);
    }
    let failure = run(&world, "http.request", json!({"url": server.base}), json!({})).await.expect_err("broken");
    assert_eq!(failure.code, "NON_JSON");
    let output = run(&world, "http.request", json!({"url": server.base}), json!({})).await.expect("read");
    assert_eq!(data(&output, "success")["response"], "no type");
}

#[tokio::test]
async fn files_are_read_written_and_listed_by_the_kinds() {
    let root = tempfile::tempdir().expect("a folder");
    let files = FolderFiles::new(vec![Grant { folder: root.path().into(), workflow: Some("w".into()), write: true }]);
    let world = world(files);
    let read =
        run(&world, "file.read", json!({"path": "sample:customers.csv", "as": "csv"}), json!({})).await.expect("read");
    assert_eq!(data(&read, "success")["content"].as_array().map(Vec::len), Some(12));
    assert_eq!(data(&read, "success")["content"][8]["name"], "Hamilton, Margaret");
    let read =
        run(&world, "file.read", json!({"path": "sample:orders.json", "as": "json"}), json!({})).await.expect("read");
    assert_eq!(data(&read, "success")["content"].as_array().map(Vec::len), Some(10));
    let path = root.path().join("out/report.json").display().to_string();
    let config = json!({"path": path, "content": {"a": 1}});
    let written = run(&world, "file.write", config, json!({})).await.expect("written");
    assert_eq!(*data(&written, "success"), json!({"path": path, "size": 7}));
    let config = json!({"path": path, "content": "x", "mode": "failIfExists"});
    assert_eq!(run(&world, "file.write", config, json!({})).await.expect_err("there").code, "FILE_EXISTS");
    let listed = run(&world, "file.list", json!({"path": "out", "glob": "*.json"}), json!({})).await.expect("listed");
    assert_eq!(data(&listed, "success")["path"], "out/report.json");
    let empty = run(&world, "file.list", json!({"path": "out", "glob": "*.csv"}), json!({})).await.expect("listed");
    assert!(empty.ports["success"].is_empty());
    for (path, code) in
        [("/etc/passwd", "PATH_REFUSED"), ("../x", "PATH_REFUSED"), ("none.txt", "NOT_FOUND"), (" ", "INPUT_INVALID")]
    {
        let failure = run(&world, "file.read", json!({"path": path}), json!({})).await.expect_err(path);
        assert_eq!((failure.code.as_str(), failure.retryable), (code, false), "{path}");
    }
}

#[tokio::test]
async fn the_demo_service_answers_its_own_host_only_and_ends_when_dropped() {
    let on_demand = DemoServiceOnDemand::default();
    let demo_service = on_demand.lease().await.expect("a port");
    assert!(Arc::ptr_eq(&demo_service, &on_demand.lease().await.expect("the same")));
    let base = demo_service.base_url().to_owned();
    let world = world(FolderFiles::default());
    let ask = async |url: String, headers: Value| {
        let config = json!({"url": url, "headers": headers, "failOnStatus": false});
        run(&world, "http.request", config, json!({})).await.map(|output| data(&output, "success")["status"].clone())
    };
    assert_eq!(ask(format!("{base}/users"), json!({})).await.ok(), Some(json!(200)));
    assert_eq!(ask(format!("{base}/users"), json!({"Origin": "http://evil.example"})).await.ok(), Some(json!(403)));
    let outside = base.rsplit_once('/').expect("a segment").0.to_owned();
    assert_eq!(ask(format!("{outside}/users"), json!({})).await.ok(), Some(json!(404)));
    assert_eq!(ask(base.replace("127.0.0.1", "127.0.0.2") + "/users", json!({})).await.ok(), None);
    assert_eq!(ask(base.replace("127.0.0.1", "x.localhost") + "/users", json!({})).await.ok(), Some(json!(403)));
    drop(demo_service);
    while ask(format!("{base}/users"), json!({})).await.is_ok() {
        tokio::task::yield_now().await;
    }
    let again = on_demand.lease_at(&base).await.expect("the port is free again");
    assert_eq!(again.base_url(), base);
    assert_eq!(ask(format!("{base}/users"), json!({})).await.ok(), Some(json!(200)));
    for bad in ["http://127.0.0.1:1/x", "http://evil.example/0123456789abcdef", ""] {
        assert!(DemoService::start_at(bad).await.is_err(), "{bad}");
    }
}

#[tokio::test]
async fn orders_are_checked_and_made_once_per_key() {
    let demo_service = DemoService::start().await.expect("a port");
    let world = world(FolderFiles::default());
    let url = format!("{}/orders", demo_service.base_url());
    let post = |body: Value| json!({"method": "POST", "url": url, "body": body});
    let failure = run(&world, "http.request", post(json!({"total": -1})), json!({})).await.expect_err("422");
    assert_eq!(
        (failure.code.as_str(), &failure.details["response"]["violations"][0]["path"]),
        ("INPUT_INVALID", &json!("/customerId"))
    );
    let good = post(json!({"customerId": 1, "total": 5}));
    let first = run(&world, "http.request", good.clone(), json!({})).await.expect("made");
    let second = run(&world, "http.request", good, json!({})).await.expect("the same key");
    assert_eq!(data(&first, "success")["status"], 201);
    assert_eq!(data(&second, "success")["status"], 200);
    assert_eq!(data(&first, "success")["response"], data(&second, "success")["response"]);
    let one = run(&world, "http.request", json!({"url": format!("{url}/2001")}), json!({})).await.expect("found");
    assert_eq!(data(&one, "success")["response"]["total"], 5);
    let list =
        run(&world, "http.request", json!({"url": url, "query": {"status": "paid"}}), json!({})).await.expect("a list");
    assert_eq!(data(&list, "success")["response"].as_array().map(Vec::len), Some(5));
}
