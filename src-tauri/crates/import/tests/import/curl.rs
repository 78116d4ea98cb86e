//! Command lines of cURL.

use serde_json::{Value, json};
use signalbox_import::{Format, Imported, Level, Options, TakenSecret, import, recognise, taken_secret};

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

/// ADR 84, ADR 216: what reading the JSON would change is sent as it was written, and the report names the place.
#[test]
fn json_that_reading_would_change_stays_text() {
    for (data, place) in [
        (r#"{"a":1,"b":{"c":1,"c":2}}"#, "the member b.c occurs twice"),
        (r#"[{"id":12345678901234567890123}]"#, "[0].id"),
    ] {
        let (config, imported) = read(&format!("curl -L https://a.example --json '{data}'"));
        assert_eq!((&config["body"], &config["headers"]["content-type"]), (&json!(data), &json!("application/json")));
        let found = imported.report.findings.iter().find(|found| found.code == "JSON_AS_TEXT").expect("told");
        assert!(found.message.contains(place), "{}", found.message);
    }
    // The same value twice loses nothing.
    let (config, imported) = read(r#"curl -L https://a.example --json '{"a":1,"a":1}'"#);
    assert_eq!((&config["body"], imported.report.findings.len()), (&json!({ "a": 1 }), 0));
}

#[test]
fn the_secret_that_is_taken_out_is_given_to_the_one_who_gave_the_line() {
    let taken = |text: &str, options: &Options| taken_secret(text, options).expect("reads");
    let secret = |name: &str, kind, field: Option<&str>, value: &str, host: &str| TakenSecret {
        name: name.into(),
        kind,
        field: field.map(str::to_owned),
        value: value.into(),
        host: host.into(),
    };
    for (text, wanted) in [
        (
            "curl https://a.example:8443/x -H 'Authorization: Bearer geheim-12345'",
            secret("imported-token", "bearer", None, "geheim-12345", "a.example:8443"),
        ),
        (
            "curl http://127.0.0.1:80 -H 'Authorization: Basic YWRhOmdlaGVpbTE6Mg=='",
            secret("imported-token", "basic", Some("ada"), "geheim1:2", "http://127.0.0.1:80"),
        ),
        (
            "curl https://a.example -u ada:geheim1 ",
            secret("imported-login", "basic", Some("ada"), "geheim1", "a.example"),
        ),
        ("curl https://ada:geheim1@a.example", secret("imported-login", "basic", Some("ada"), "geheim1", "a.example")),
        (
            "curl https://a.example -H 'X-Api-Key: geheim3'",
            secret("imported-x-api-key", "header", Some("X-Api-Key"), "geheim3", "a.example"),
        ),
        (
            "curl https://a.example -H 'Authorization: Token geheim4'",
            secret("imported-token", "header", Some("Authorization"), "Token geheim4", "a.example"),
        ),
        // What the shell fills in is not known.
        ("curl https://a.example -u ada:$PASSWORD", secret("imported-login", "basic", Some("ada"), "", "a.example")),
    ] {
        let found = taken(text, &Options::default());
        assert_eq!(found.as_ref(), Some(&wanted), "{text}: {:?}", found.as_ref().map(|one| (&one.value, &one.host)));
        assert!(!format!("{found:?}").contains("geheim"));
    }
    assert_eq!(taken("curl https://a.example", &Options::default()), None);
    assert_eq!(taken("{}", &Options::default()), None);
    // A secret of the machine keeps its name, and the step gets that of the new one.
    let options = Options { secrets: vec!["imported-token".into(), "imported-token-2".into()], ..Options::default() };
    let text = "curl https://a.example -H 'Authorization: Bearer geheim-12345'";
    assert_eq!(taken(text, &options).expect("one").name, "imported-token-3");
    let imported = import(text, &options).expect("imported");
    let config = imported.workflow.nodes["request"].config.clone().expect("settings");
    assert_eq!(config["credential"], "secret://imported-token-3");
}
