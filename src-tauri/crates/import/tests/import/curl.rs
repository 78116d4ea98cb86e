//! Command lines of cURL.

use serde_json::{Value, json};
use signalbox_import::{Format, Imported, Level, Options, import, recognise};

fn read(text: &str) -> (Value, Imported) {
    assert_eq!(recognise(text), Some(Format::Curl), "{text}");
    let imported = import(text, &Options::default()).unwrap_or_else(|refused| panic!("{text}: {refused}"));
    (imported.workflow.nodes["request"].config.clone().expect("settings"), imported)
}

#[test]
fn a_command_line_becomes_a_request() {
    for (text, wanted) in [
        ("curl https://a.example/x", json!({ "method": "GET", "url": "https://a.example/x", "redirects": "no" })),
        ("$ curl -sSL 'https://a.example/x?a=1'", json!({ "method": "GET", "url": "https://a.example/x?a=1" })),
        ("curl -I a.example", json!({ "method": "HEAD", "url": "http://a.example", "redirects": "no" })),
        (
            "curl -L -X PUT 'https://a.example' \\\n  -H 'Content-Type: application/json' \\\n  --data-raw '{\"a\":\"it is\"}'",
            json!({ "method": "PUT", "url": "https://a.example", "body": { "a": "it is" }, "headers": { "Content-Type": "application/json" } }),
        ),
        (
            "curl -L https://a.example -d a=1 -d b=2 --data-urlencode 'c=x y&z'",
            json!({ "method": "POST", "url": "https://a.example", "body": "a=1&b=2&c=x%20y%26z", "headers": { "content-type": "application/x-www-form-urlencoded" } }),
        ),
        ("curl -L -G https://a.example?x=1 -d a=1", json!({ "method": "GET", "url": "https://a.example?x=1&a=1" })),
        (
            "curl -L --json '{\"n\":1}' https://a.example -m 2.5",
            json!({ "method": "POST", "url": "https://a.example", "body": { "n": 1 }, "timeoutMs": 2500,
                    "headers": { "content-type": "application/json", "accept": "application/json" } }),
        ),
        (
            "curl -L https://a.example -F name=Ada -F 'note=a;b'",
            json!({ "method": "POST", "url": "https://a.example", "body": { "name": "Ada", "note": "a;b" }, "headers": { "content-type": "multipart/form-data" } }),
        ),
        (
            "curl.exe ^\"https://a.example/x^\" ^\n  -L -H ^\"X-A: b c^\" ^\n  --data-raw ^\"^{^\\^\"a^\\^\":1^}^\" -H \"content-type: application/json\"",
            json!({ "method": "POST", "url": "https://a.example/x", "body": { "a": 1 }, "headers": { "X-A": "b c", "content-type": "application/json" } }),
        ),
        ("curl -L $'https://a.example/\\u00e9'", json!({ "method": "GET", "url": "https://a.example/é" })),
        // What cURL sends as it is, also where it is no form.
        (
            "curl -L https://a.example -d '{\"a\":1}'",
            json!({ "method": "POST", "url": "https://a.example", "body": { "a": 1 }, "headers": { "content-type": "application/json" } }),
        ),
        (
            "curl -L https://a.example -d 'name=Ada Lovelace' -d $'note=é\\n\"x\"&a=%20+'",
            json!({ "method": "POST", "url": "https://a.example", "body": "name=Ada%20Lovelace&note=%C3%A9%0A%22x%22&a=%20+", "headers": { "content-type": "application/x-www-form-urlencoded" } }),
        ),
        (
            "curl -L https://a.example -H 'Content-Type: text/plain' -d $'a\\nb'",
            json!({ "method": "POST", "url": "https://a.example", "body": "a\nb", "headers": { "Content-Type": "text/plain" } }),
        ),
        (
            "curl -L https://a.example -F 'meta={\"a\":1};type=application/json' -F 'name=\"Ada L\"' --form-string 'raw=a;type=b'",
            json!({ "method": "POST", "url": "https://a.example", "headers": { "content-type": "multipart/form-data" },
                    "body": { "meta": { "value": "{\"a\":1}", "type": "application/json" }, "name": "Ada L", "raw": "a;type=b" } }),
        ),
        (
            "curl -L https://a.example -H 'X-A: 1' -H 'x-a: 2'",
            json!({ "method": "GET", "url": "https://a.example", "headers": { "X-A": "1, 2" } }),
        ),
    ] {
        assert_eq!(read(text).0, wanted, "{text}");
    }
}

#[test]
fn secrets_are_taken_out_and_variables_are_params() {
    let text =
        "curl -k -L https://a.example -u ada:geheim1 -b 'sid=geheim2' -H 'X-Api-Key: geheim3' -H \"X-Id: $ORDER_ID\"";
    let (config, imported) = read(text);
    assert!(!json!(imported.workflow).to_string().contains("geheim"), "{config}");
    assert!(config["credential"].as_str().is_some_and(|name| name.starts_with("secret://")));
    assert_eq!(config["headers"], json!({ "X-Id": "={{params.ORDER_ID}}".replace("={{", "{{") }));
    let missing: Vec<&str> = imported
        .report
        .findings
        .iter()
        .filter(|found| found.level == Level::Missing)
        .map(|found| found.code.as_str())
        .collect();
    assert!(
        missing.contains(&"CERTIFICATES") && missing.contains(&"SECRET_IN_FILE") && missing.contains(&"VARIABLES"),
        "{missing:?}"
    );
    let reported = serde_json::to_string(&imported.report).expect("writes");
    assert!(!reported.contains("geheim"), "{reported}");
}

#[test]
fn what_cannot_be_read_is_refused_with_a_reason() {
    for (text, words) in [
        ("curl https://a.example -d \"$(cat secret)\"", "runs another command"),
        ("curl `whoami`.example", "runs another command"),
        ("curl -H", "has no value"),
        ("curl -s -L", "no address"),
        ("curl 'https://a.example", "not closed"),
    ] {
        let refused = import(text, &Options::default()).expect_err(text);
        assert_eq!(refused.code, "CANNOT_IMPORT");
        assert!(refused.message.contains(words), "{text}: {refused}");
    }
    let (_, imported) = read("curl https://a.example -d @orders.json | jq .");
    let codes: Vec<&str> = imported.report.findings.iter().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["FILE", "MORE_COMMANDS"]);
    let (config, imported) = read("curl https://a.example/notes.txt -T notes.txt");
    assert_eq!((&config["method"], imported.report.findings[0].code.as_str()), (&json!("PUT"), "FILE"));
    // JSON that is called a form by nobody but cURL.
    let (_, imported) = read("curl https://a.example -d '[1]'");
    assert_eq!(imported.report.findings[0].code, "JSON_DATA");
}
