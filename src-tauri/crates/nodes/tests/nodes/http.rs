//! What an HTTP request makes of answers and of its own settings.

use crate::common;

use common::{FakeHttp, call, slot, world};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use signalbox_model::{Effects, NodeFailure};
use signalbox_nodes::{kind, run_call};
use signalbox_ports::{Cookie, HttpError, HttpRequest, HttpResponse, Redirects};
use std::sync::Arc;

fn run_on(http: &Arc<FakeHttp>, config: Value) -> Result<Value, NodeFailure> {
    let world = world(Arc::clone(http));
    let mut config = config;
    if config.get("url").is_none() {
        config["url"] = json!("http://h/");
    }
    let call = call("http.request", Effects::Read, slot(config, &[json!({})]));
    let code = kind("http.request").expect("code");
    let results = run_call(code, &call, &world, &signalbox_ports::Unheard).now_or_never().expect("nothing waits");
    let (_, result) = results.into_iter().next().expect("one slot");
    result.map(|output| Value::clone(&output.ports["success"].data(0).expect("an item")))
}

/// What a step makes of an answer.
fn read(media: &str, body: &[u8], config: Value) -> Result<Value, NodeFailure> {
    let headers = if media.is_empty() { Vec::new() } else { vec![("content-type".to_owned(), media.to_owned())] };
    let answer = HttpResponse { status: 200, headers, body: body.to_vec(), ..HttpResponse::default() };
    let http = FakeHttp::new(move |_| Ok(answer.clone()));
    run_on(&http, config).map(|data| data["response"].clone())
}

/// What a step asks for.
fn asked(config: Value) -> Result<HttpRequest, NodeFailure> {
    let http = FakeHttp::new(|_| Ok(HttpResponse { status: 204, ..HttpResponse::default() }));
    run_on(&http, config)?;
    let request = http.asked.lock().expect("not poisoned").remove(0);
    Ok(request)
}

/// The case `json-declared-charset`.
#[test]
fn json_is_read_in_the_charset_that_its_header_declares() {
    for (charset, bytes, word) in [
        ("iso-8859-1", &b"Orl\xe9ans"[..], "Orléans"),
        ("iso-8859-15", b"5 \xa4", "5 €"),
        ("\"windows-1252\"", b"\x84K\xf6ln\x93", "„Köln“"),
        ("Shift_JIS", b"\x93\x8c\x8b\x9e", "東京"),
        ("utf-8", "東京".as_bytes(), "東京"),
        // Seven bits are a part of UTF-8; read as windows-1252, the further bytes would become other letters.
        ("US-ASCII", "東京".as_bytes(), "東京"),
        ("no-such-charset", "東京".as_bytes(), "東京"),
        ("gb18030", b"\xb6\xab\xbe\xa9", "东京"),
    ] {
        let body = [b"{\"word\": \"", bytes, b"\"}"].concat();
        for media in ["application/json", "application/problem+json", "text/json"] {
            let found = read(&format!("{media}; charset={charset}"), &body, json!({})).expect(charset);
            assert_eq!(found, json!({"word": word}), "{media} {charset}");
        }
        let plain = read(&format!("text/plain; charset={charset}"), bytes, json!({})).expect(charset);
        assert_eq!(plain, json!(word), "{charset}");
        let forced = read(&format!("text/html; a=b; charset={charset}"), &body, json!({"responseType": "json"}));
        assert_eq!(forced.expect(charset), json!({"word": word}));
    }
    let utf16: Vec<u8> = "\u{feff}{\"word\": \"東京\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for charset in ["", "; charset=utf-16"] {
        let found = read(&format!("application/json{charset}"), &utf16, json!({})).expect("a mark says what it is");
        assert_eq!(found, json!({"word": "東京"}));
    }
    let found =
        read("application/json", "\u{feff}{\"word\": 1}".as_bytes(), json!({})).expect("the mark is passed over");
    assert_eq!(found, json!({"word": 1}));
}

/// ADR 216: an answer with two values for one member is refused by its name, unless it is read as text.
#[test]
fn a_member_of_an_answer_that_occurs_twice_is_refused_by_name() {
    let body = br#"{"order":{"id":1,"paid":false,"paid":true}}"#;
    for (media, config) in [
        ("application/json", json!({})),
        ("application/problem+json", json!({})),
        ("text/plain", json!({ "responseType": "json" })),
        ("application/json", json!({ "extract": { "id": "$.order.id" } })),
    ] {
        let failure = read(media, body, config).expect_err("two values");
        assert_eq!((failure.code.as_str(), &failure.details["path"]), ("DUPLICATE_MEMBER", &json!("order.paid")));
        assert_eq!(failure.details["status"], json!(200));
    }
    let text = read("application/json", body, json!({ "responseType": "text" })).expect("text");
    assert_eq!(text, json!(String::from_utf8_lossy(body)));
    let same = read("application/json", br#"{"id":1,"id":1}"#, json!({})).expect("one value");
    assert_eq!(same, json!({ "id": 1 }));
}

/// Cases js-big-ids and big-id-as-text: numbers of an answer keep their digits, or the step fails and names the field.
#[test]
fn numbers_of_an_answer_keep_their_digits_or_are_refused() {
    let kept = r#"{"id":9007199254740993,"order":18446744073709551615,"low":-9223372036854775808,"price":0.1}"#;
    let found = read("application/json", kept.as_bytes(), json!({})).expect("whole numbers of 64 bits");
    assert_eq!(found.to_string(), kept);
    for (number, path) in [
        ("18446744073709551616", "rows[0].id"),
        ("12345678901234567890123", "rows[0].id"),
        ("0.1234567890123456789", "rows[0].id"),
        ("9007199254740993.0", "rows[0].id"),
        ("1e-400", "rows[0].id"),
    ] {
        let body = format!("{{\"rows\":[{{\"id\":{number}}}]}}");
        for (media, config) in [
            ("application/json", json!({})),
            ("application/problem+json; charset=utf-8", json!({})),
            ("text/plain", json!({ "responseType": "json" })),
            ("application/json", json!({ "extract": { "id": "$.rows[0].id" } })),
        ] {
            let failure = read(media, body.as_bytes(), config).expect_err(number);
            assert_eq!(failure.code, "NUMBER_TOO_LONG", "{}", failure.message);
            assert_eq!((&failure.details["path"], &failure.details["number"]), (&json!(path), &json!(number)));
            assert!(failure.message.contains("Have it sent as a text"), "{}", failure.message);
        }
        // As text nothing is read, and nothing changes.
        let text = read("application/json", body.as_bytes(), json!({ "responseType": "text" })).expect("text");
        assert_eq!(text, json!(body));
    }
}

#[test]
fn bytes_beyond_a_charset_of_seven_bits_are_no_text_in_it() {
    let failure = read("application/json; charset=us-ascii", b"{\"word\": \"caf\xe9\"}", json!({})).expect_err("latin");
    assert_eq!(failure.code, "NON_JSON");
    assert!(
        failure.message.contains("declares the charset 'us-ascii', and byte 14 is not UTF-8"),
        "{}",
        failure.message
    );
}

#[test]
fn what_is_not_json_says_what_came() {
    for (media, body, config, words) in [
        (
            "application/json",
            &b"{\"word\": \"Orl\xe9ans\"}"[..],
            json!({}),
            "declares no charset, and byte 14 is not UTF-8",
        ),
        ("application/json; charset=utf-8", b"\"\xe9\"", json!({}), "declares the charset 'utf-8', and byte 2"),
        ("application/json; charset=shift_jis", b"\"\x93\"", json!({}), "'shift_jis', and its bytes do not fit"),
        ("application/json; charset=klingon", b"\"\xe9\"", json!({}), "'klingon', which is not known"),
        ("application/json", b"<html>", json!({}), "expected value"),
        ("application/json", b"\x1f\x8b\x08\0", json!({}), "byte 2 is not UTF-8"),
        ("application/json", b"", json!({"responseType": "json"}), "is empty"),
        ("text/html", b"<html>", json!({"extract": {"a": "$.a"}}), "needs a JSON answer"),
    ] {
        let failure = read(media, body, config).expect_err(words);
        assert_eq!(failure.code, "NON_JSON", "{}", failure.message);
        assert!(failure.message.contains(words), "{}", failure.message);
        assert_eq!(failure.details["status"], json!(200), "{words}");
        assert_eq!(failure.details["contentType"], json!(media.split(';').next()), "{words}");
        assert!(failure.details["begins"].is_string(), "{words}: {:?}", failure.details);
    }
}

#[test]
fn bytes_that_are_no_text_do_not_leave_as_text() {
    let gzip = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03K\xcb/-R\xc8IM+\x01\x00";
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let no_words: &[u8] = b"Orl\xe9ans";
    for media in ["text/plain", "text/plain; charset=utf-8", "text/plain; charset=iso-8859-1", "text/html", ""] {
        for body in [&gzip[..], png, b"a\0b"] {
            let kept = read(media, body, json!({})).expect(media);
            assert_eq!(kept["size"], json!(body.len()), "{media}: {kept}");
            let failure = read(media, body, json!({"responseType": "text"})).expect_err(media);
            assert_eq!((failure.code.as_str(), failure.details["status"].clone()), ("NOT_TEXT", json!(200)), "{media}");
        }
    }
    assert_eq!(read("text/plain", no_words, json!({})).expect("bytes")["size"], json!(7));
    let failure = read("text/plain; charset=utf-8", no_words, json!({"responseType": "text"})).expect_err("no UTF-8");
    assert!(failure.message.contains("byte 4 is not UTF-8"), "{}", failure.message);
    // A page and an XML text may say it themselves; control letters of UTF-8 are letters.
    for (media, body, text) in [
        (
            "text/html",
            &b"<html><head><META charset=\"iso-8859-1\">\xe9"[..],
            "<html><head><META charset=\"iso-8859-1\">é",
        ),
        (
            "application/xml",
            b"<?xml version='1.0' encoding='windows-1252'?><a>\x80</a>",
            "<?xml version='1.0' encoding='windows-1252'?><a>€</a>",
        ),
        ("text/plain", b"8=FIX.4.4\x019=1\x01", "8=FIX.4.4\u{1}9=1\u{1}"),
        ("text/plain", b"", ""),
    ] {
        assert_eq!(read(media, body, json!({"responseType": "text"})).expect(media), json!(text));
    }
    // The failure of a status carries text only.
    let answer = HttpResponse {
        status: 500,
        headers: vec![("content-type".into(), "text/plain".into())],
        body: gzip.to_vec(),
        ..HttpResponse::default()
    };
    let http = FakeHttp::new(move |_| Ok(answer.clone()));
    let failure = run_on(&http, json!({})).expect_err("500");
    assert!(!failure.details.contains_key("response"), "{:?}", failure.details);
}

#[test]
fn a_body_that_its_header_does_not_fit_is_not_sent() {
    let post = |media: &str, body: Value| json!({"method": "POST", "headers": {"Content-type": media}, "body": body});
    for (media, body, field) in [
        ("application/x-www-form-urlencoded", json!({"user": {"name": "ada"}}), "body.user"),
        ("application/x-www-form-urlencoded", json!([1]), "body"),
        ("multipart/form-data", json!({"a": {"b": 1}}), "body.a"),
        ("multipart/form-data", json!("a=1"), "body"),
        ("multipart/form-data", json!({"a": {"binary": "x", "type": "none"}}), "body.a.binary"),
        ("multipart/form-data", json!({"a": {"value": "x", "type": "none"}}), "body.a.type"),
        ("multipart/mixed", json!({"a": 1}), "body"),
        ("text/csv", json!([{"a": 1}]), "body"),
    ] {
        let failure = asked(post(media, body.clone())).expect_err(media);
        let code = if field == "body.a.binary" { "BINARY_MISSING" } else { "INPUT_INVALID" };
        assert_eq!((failure.code.as_str(), &failure.details["field"]), (code, &json!(field)), "{media} {body}");
    }
    // The case `form-body`.
    let body = json!({"grant_type": "client_credentials", "scope": "read & write"});
    let request = asked(post("application/x-www-form-urlencoded", body)).expect("sent");
    assert_eq!(request.body.as_deref(), Some(&b"grant_type=client_credentials&scope=read+%26+write"[..]));
    assert_eq!(request.headers, [("Content-type".to_owned(), "application/x-www-form-urlencoded".to_owned())]);
    // In the charset that the header declares, which the other side will read it in; or not at all.
    let latin = "application/x-www-form-urlencoded; charset=ISO-8859-1";
    let request = asked(post(latin, json!({"stra\u{df}e": "caf\u{e9} & co", "n": 1}))).expect("sent");
    assert_eq!(request.body.as_deref(), Some(&b"stra%DFe=caf%E9+%26+co&n=1"[..]));
    for (charset, word) in [("iso-8859-1", "東京"), ("klingon", "a"), ("utf-16", "a")] {
        let media = format!("application/x-www-form-urlencoded; charset={charset}");
        let failure = asked(post(&media, json!({"word": word}))).expect_err(charset);
        assert!(failure.code == "INPUT_INVALID" && failure.message.contains(charset), "{}", failure.message);
    }
    // Without a header an object is JSON, as ever.
    let request = asked(json!({"method": "POST", "body": {"a": 1}})).expect("sent");
    assert_eq!(request.body.as_deref(), Some(&b"{\"a\":1}"[..]));
}

#[test]
fn redirects_and_cookies_are_settings() {
    let request = asked(json!({})).expect("sent");
    assert_eq!((request.redirects, request.trust_redirects, request.cookies.len()), (Redirects::Follow, false, 0));
    let cookie = json!({"name": "sid", "value": "s1", "domain": "H.example", "expiresMs": 5, "secure": true});
    let config = json!({"redirects": "same-host", "trustRedirects": true, "cookies": [cookie]});
    let request = asked(config).expect("sent");
    assert_eq!((request.redirects, request.trust_redirects), (Redirects::SameHost, true));
    let wanted = Cookie {
        name: "sid".into(),
        value: "s1".into(),
        domain: "h.example".into(),
        host_only: true,
        path: "/".into(),
        secure: true,
        http_only: false,
        expires_ms: Some(5),
    };
    assert_eq!(request.cookies, [wanted]);
    for (config, field) in [
        (json!({"redirects": "yes"}), "redirects"),
        (json!({"trustRedirects": "yes"}), "trustRedirects"),
        (json!({"cookies": {"sid": "x"}}), "cookies"),
        (json!({"cookies": ["sid=x"]}), "cookies.0.domain"),
        (json!({"cookies": [{"name": "a", "value": "b; c", "domain": "h"}]}), "cookies.0.value"),
        (json!({"cookies": [{"name": "a", "value": "b\u{1}", "domain": "h"}]}), "cookies.0.value"),
        (json!({"cookies": [{"name": "a", "value": "b", "domain": "."}]}), "cookies.0.domain"),
        (json!({"cookies": [{"name": "a", "value": "b", "domain": "h", "secure": 1}]}), "cookies.0.secure"),
        (json!({"cookies": [{"name": "a", "value": "b", "domain": "h", "expiresMs": "x"}]}), "cookies.0.expiresMs"),
    ] {
        let failure = asked(config.clone()).expect_err(field);
        assert_eq!((failure.code.as_str(), &failure.details["field"]), ("INPUT_INVALID", &json!(field)), "{config}");
    }
}

#[test]
fn a_redirect_that_is_refused_is_no_retry() {
    for (status, may_have_happened) in [(307, false), (303, true)] {
        let http = FakeHttp::new(move |_| {
            Err(HttpError::RedirectRefused { status, location: "https://b.example/x".into(), message: "no".into() })
        });
        let failure = run_on(&http, json!({"method": "POST"})).expect_err("refused");
        assert_eq!((failure.code.as_str(), failure.retryable), ("REDIRECT_REFUSED", false));
        assert_eq!(failure.may_have_happened, may_have_happened, "{status}");
        assert_eq!(failure.details["location"], json!("https://b.example/x"));
    }
}
