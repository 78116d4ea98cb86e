use super::HookRequest;
use super::body;
use super::multipart::parts;
use super::signature::{Signed, check};
use serde_json::{Value, json};
use signalbox_engine::webhook::{Auth, Signing, Webhook};
use signalbox_ports::secret::CredentialKind;
use signalbox_ports::{Credential, Scrubber, Secret};
use std::sync::Arc;

/// What the senders' own libraries signed, and when (2025-11-28T12:00:00Z): @octokit/webhooks-methods 6.0.0, stripe 23.1.0,
/// slack_sdk 3.48.0, @shopify/shopify-api 13.1.0, svix 1.99.1 and standardwebhooks 1.1.1.
const BODY: &str = r#"{"id":"evt_1","event_id":"Ev1","text":"grüße","n":7}"#;
const AT: i64 = 1_764_331_200;
const WHSEC: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const STRIPE: &str = "t=1764331200,v1=6704351a93b53f51714e9194ebc08f99c4aa6278d6ab83ccebd51c2de7dfde1b";
const SVIX: &str = "v1,s2SzQxT6tNlPVmbKfOuBKRD1XByF8zJJcuJ4iGKZpPM=";

fn credential(value: &str, kind: CredentialKind) -> Credential {
    Credential {
        name: "key".into(),
        kind,
        hosts: Vec::new(),
        value: Secret::new(value),
        scrubber: Arc::new(Scrubber::default()),
    }
}

fn request(headers: &[(&str, &str)], body: &str) -> HookRequest {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    HookRequest { method: "POST".into(), query: String::new(), headers, body: body.as_bytes().to_vec() }
}

fn hmac(signing: Signing) -> Auth {
    Auth::Hmac { secret: "key".into(), signing }
}

/// At so many seconds after the signature was made.
fn signed_at(
    signing: Signing,
    secret: &str,
    headers: &[(&str, &str)],
    body: &str,
    after_s: i64,
) -> Result<Signed, &'static str> {
    let credential = credential(secret, CredentialKind::Bearer);
    check(&hmac(signing), Some(&credential), &request(headers, body), (AT + after_s) * 1_000)
}

type Headers = Vec<(&'static str, &'static str)>;

/// Every preset with its secret, the headers of a delivery, the id that it names itself by, and whether it has a time.
fn deliveries() -> Vec<(Signing, &'static str, Headers, Option<&'static str>, bool)> {
    let generic = |base64| Signing::Generic { header: "x-sig".into(), prefix: String::new(), base64 };
    let hex = "80be1a9c456a732023ed1d9ec6f69862c5549a44b3f2cbb5722951ad54798afc";
    vec![
        (
            Signing::GitHub,
            "topsecret",
            vec![
                ("x-hub-signature-256", "sha256=80be1a9c456a732023ed1d9ec6f69862c5549a44b3f2cbb5722951ad54798afc"),
                ("x-github-delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
            ],
            Some("72d3162e-cc78-11e3-81ab-4c9367dc0958"),
            false,
        ),
        (Signing::Stripe, WHSEC, vec![("stripe-signature", STRIPE)], Some("evt_1"), true),
        (
            Signing::Slack,
            "8f742231b10e8888abcd99yyyzzz85a5",
            vec![
                ("x-slack-request-timestamp", "1764331200"),
                ("x-slack-signature", "v0=3b795171416e0a0143910bab345f67e2da90b625d6916ef26960f9d768438237"),
            ],
            Some("Ev1"),
            true,
        ),
        (
            Signing::Shopify,
            "shhh",
            vec![
                ("x-shopify-hmac-sha256", "xOOA7t2uzb8Vx1UPyGlbm9f+J9KmHqQkvHOxTbWIv4Q="),
                ("x-shopify-webhook-id", "b54557e4"),
            ],
            Some("b54557e4"),
            false,
        ),
        (
            Signing::Standard,
            WHSEC,
            vec![("svix-id", "msg_1"), ("svix-timestamp", "1764331200"), ("svix-signature", SVIX)],
            Some("msg_1"),
            true,
        ),
        (
            Signing::Standard,
            "plain text secret",
            vec![
                ("webhook-id", "msg_1"),
                ("webhook-timestamp", "1764331200"),
                ("webhook-signature", "v1,JnoGdg8Xs5+kY1NsFVsL6/ssDgckjc+yGrq7Mdt/rQ8="),
            ],
            Some("msg_1"),
            true,
        ),
        (generic(false), "topsecret", vec![("x-sig", hex)], None, false),
        (generic(true), "shhh", vec![("x-sig", "xOOA7t2uzb8Vx1UPyGlbm9f+J9KmHqQkvHOxTbWIv4Q=")], None, false),
    ]
}

#[test]
fn signatures_of_the_senders_own_libraries_are_taken() {
    for (signing, secret, headers, id, _) in deliveries() {
        let signed = signed_at(signing.clone(), secret, &headers, BODY, 10);
        assert_eq!(signed.map(|one| one.id), Ok(id.map(str::to_owned)), "{signing:?}");
    }
}

#[test]
fn another_body_secret_or_signature_is_refused() {
    for (signing, secret, headers, _, _) in deliveries() {
        let refused = |secret: &str, headers: &[(&str, &str)], body: &str| {
            signed_at(signing.clone(), secret, headers, body, 10).expect_err("refused")
        };
        refused(secret, &headers, &BODY.replace('7', "8"));
        refused(&format!("{secret}x"), &headers, BODY);
        for left_out in 0..headers.len() {
            let mut fewer = headers.clone();
            let (name, _) = fewer.remove(left_out);
            // The id of these is not signed.
            if !matches!(name, "x-github-delivery" | "x-shopify-webhook-id") {
                refused(secret, &fewer, BODY);
            }
        }
        let twice = [headers.clone(), headers.clone()].concat();
        refused(secret, &twice, BODY);
        for wrong in ["", "sha256=", "v0=zz", "v1,", "t=,v1=", "é", &"0".repeat(64), &"a".repeat(70_000)] {
            let name = headers.iter().find(|(name, _)| name.contains("sig") || name.contains("hmac")).expect("one").0;
            let other: Vec<_> = headers.iter().map(|one| if one.0 == name { (name, wrong) } else { *one }).collect();
            refused(secret, &other, BODY);
        }
    }
}

#[test]
fn a_signature_with_a_time_holds_for_five_minutes_in_both_directions() {
    for (signing, secret, headers, _, has_time) in deliveries() {
        let at = |after| signed_at(signing.clone(), secret, &headers, BODY, after).is_ok();
        assert_eq!([at(-301), at(-300), at(300), at(301)], [!has_time, true, true, !has_time], "{signing:?}");
    }
}

#[test]
fn one_of_several_signatures_is_enough() {
    let zeros = "0".repeat(64);
    let two = format!("t=1764331200,v1={zeros},{},v0=abc", STRIPE.split_once(',').expect("two").1);
    assert!(signed_at(Signing::Stripe, WHSEC, &[("stripe-signature", &two)], BODY, 0).is_ok());
    let two = format!("v1a,AAAA v1,{} {SVIX}", "A".repeat(43) + "=");
    let headers = [("webhook-id", "msg_1"), ("webhook-timestamp", "1764331200"), ("webhook-signature", two.as_str())];
    assert!(signed_at(Signing::Standard, WHSEC, &headers, BODY, 0).is_ok());
    // Names of both kinds do not fill each other's gaps.
    let mixed = [("webhook-id", "msg_1"), ("svix-timestamp", "1764331200"), ("svix-signature", SVIX)];
    assert!(signed_at(Signing::Standard, WHSEC, &mixed, BODY, 0).is_err());
}

#[test]
fn secrets_and_passwords_are_compared_whole() {
    let check = |auth: Auth, kind: CredentialKind, headers: &[(&str, &str)]| {
        check(&auth, Some(&credential("hunter2", kind)), &request(headers, ""), 0).is_ok()
    };
    let secret = |header: Option<&str>| Auth::Secret { secret: "key".into(), header: header.map(str::to_owned) };
    let bearer = |value: &str| check(secret(None), CredentialKind::Bearer, &[("authorization", value)]);
    assert!(bearer("Bearer hunter2") && bearer("bearer hunter2"));
    for wrong in ["Bearer hunter", "Bearer hunter22", "Bearer ", "Basic hunter2", "hunter2", "Bearer  hunter2"] {
        assert!(!bearer(wrong), "{wrong}");
    }
    assert!(!check(
        secret(None),
        CredentialKind::Bearer,
        &[("authorization", "Bearer hunter2"), ("authorization", "x")]
    ));
    let own = |name: &str| check(secret(Some("x-key")), CredentialKind::Bearer, &[(name, "hunter2")]);
    assert!(own("x-key") && !own("authorization"));
    let basic = |username: Option<&str>, sent: &str| {
        let auth = Auth::Basic { secret: "key".into(), username: username.map(str::to_owned) };
        check(auth, CredentialKind::Basic { user: "shop".into() }, &[("authorization", sent)])
    };
    // ada:hunter2, shop:hunter2, ada:hunter3
    assert!(basic(Some("ada"), "Basic YWRhOmh1bnRlcjI=") && !basic(None, "Basic YWRhOmh1bnRlcjI="));
    assert!(basic(None, "Basic c2hvcDpodW50ZXIy") && !basic(Some("ada"), "Basic YWRhOmh1bnRlcjM="));
    assert!(!basic(Some("ada"), "Basic ???"));
}

fn hook(config: Value) -> Webhook {
    let mut all = json!({ "path": "a" });
    all.as_object_mut().expect("an object").extend(config.as_object().cloned().expect("an object"));
    Webhook::read(&all).expect("reads")
}

fn read(content_type: &str, bytes: &[u8]) -> Result<Value, String> {
    let mut request = request(&[("content-type", content_type)], "");
    request.body = bytes.to_vec();
    let read = body::read(&hook(json!({})), &request).map_err(|error| error.code)?;
    assert_eq!(read.files.len(), read.binaries.len());
    Ok(json!({ "body": read.body, "files": read.files }))
}

#[test]
fn bodies_are_read_as_they_say() {
    let data = |kind: &str, bytes: &[u8]| read(kind, bytes).map(|read| read["body"].clone());
    assert_eq!(data("application/json", b"{\"a\":[1]}"), Ok(json!({ "a": [1] })));
    assert_eq!(data("application/cloudevents+json; charset=utf-8", b"\xef\xbb\xbf1"), Ok(json!(1)));
    assert_eq!(
        data("application/json", b"{\"a\":12345678901234567890123}"),
        Ok(json!({ "a": "12345678901234567890123" }))
    );
    assert_eq!(data("application/json", b"{"), Err("BAD_BODY".into()));
    assert_eq!(
        data("application/json", b"{\"a\":1,\"a\":2}"),
        Err("BAD_BODY".into()),
        "one of two values would be lost"
    );
    assert_eq!(data("application/json", b"{\"a\":1,\"a\":1}"), Ok(json!({ "a": 1 })));
    assert_eq!(data("application/json", b""), Ok(Value::Null));
    assert_eq!(
        data("application/x-www-form-urlencoded", b"a=1&b=x+y%C3%A4&a=2&c&100%=z"),
        Ok(json!({ "a": ["1", "2"], "b": "x yä", "c": "", "100%": "z" }))
    );
    assert_eq!(data("application/x-www-form-urlencoded", b"a=%ff"), Err("BAD_BODY".into()));
    assert_eq!(data("text/xml", b"<a/>"), Ok(json!("<a/>")));
    assert_eq!(data("application/atom+xml", b"<a/>"), Ok(json!("<a/>")));
    assert_eq!(data("text/plain; charset=iso-8859-1", b"\xe4"), Ok(json!("ä")));
    assert_eq!(data("text/plain", b"\xe4"), Err("BAD_BODY".into()));
    assert_eq!(data("text/plain; charset=klingon", b"a"), Err("UNSUPPORTED_MEDIA_TYPE".into()));
    assert_eq!(data("", b"words"), Ok(json!("words")));
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    assert_eq!(data("application/json", &deep), Err("BAD_BODY".into()));
    let file = read("image/png", b"\x89PNG").expect("reads");
    assert_eq!(
        (&file["body"], &file["files"][0]["binary"], &file["files"][0]["mime"]),
        (&Value::Null, &json!("body"), &json!("image/png"))
    );
    assert_eq!(read("", b"\0\xff").expect("reads")["files"][0]["size"], 2);
}

#[test]
fn a_multipart_body_has_fields_and_files() {
    let text = "words before\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b\r\n\
                Content-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--b  \r\ncontent-disposition: form-data; name=f; filename=\"C:\\dir\\x.txt\"\r\n\
                Content-Type: text/plain\r\n\r\nline\r\n-b\r\n--b\r\n\
                Content-Disposition: form-data; filename=\"%22q%22.bin\"; name=\"f\"\r\n\r\n\r\n--b--\r\nwords after";
    let read = read("multipart/form-data; boundary=b", text.as_bytes()).expect("reads");
    assert_eq!(read["body"], json!({ "a": ["1", ""] }));
    let files = read["files"].as_array().expect("a list");
    let told: Vec<_> =
        files.iter().map(|one| (one["binary"].as_str(), one["name"].as_str(), one["size"].as_u64())).collect();
    assert_eq!(told, [(Some("f"), Some("x.txt"), Some(8)), (Some("f_2"), Some("\"q\".bin"), Some(0))]);
    for wrong in [
        "",
        "--b",
        "--b\r\n",
        "--b\r\nX: y\r\n\r\n1\r\n--b--",
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1",
        "--bx\r\n",
    ] {
        assert!(parts(wrong.as_bytes(), "b").is_err(), "{wrong:?}");
    }
    assert!(parts(b"--b--", "b").expect("none").is_empty());
    assert!(parts(b"--b--", "").is_err());
}

#[test]
fn an_event_holds_no_credential() {
    let config = json!({ "auth": { "type": "secret", "secret": "secret://key", "header": "X-Shop" } });
    let sent = [
        ("authorization", "Bearer a"),
        ("cookie", "a=b"),
        ("x-hub-signature-256", "s"),
        ("x-shopify-hmac-sha256", "s"),
        ("x-api-key", "k"),
        ("x-shop", "hunter2"),
        ("x-auth-token", "t"),
        ("connection", "close"),
        ("x-github-event", "push"),
        ("x-many", "a"),
        ("x-many", "b"),
    ];
    let read = body::read(&hook(config), &request(&sent, "")).expect("reads");
    assert_eq!(Value::Object(read.headers), json!({ "x-github-event": "push", "x-many": "a, b" }));
    let zipped = request(&[("content-encoding", "gzip")], "x");
    assert_eq!(body::read(&hook(json!({})), &zipped).expect_err("refused").code, "UNSUPPORTED_MEDIA_TYPE");
}
