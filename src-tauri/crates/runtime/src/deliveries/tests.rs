use super::{GIVEN_UP, HOUR, NotTaken, SECOND, follows, headers, pause};
use signalbox_store::{WEBHOOK_REST_MS, Webhook, WebhookDelivery};

/// The example of Standard Webhooks.
#[test]
fn a_message_is_signed_as_standard_webhooks_has_it() {
    let body = r#"{"test": 2432232314}"#;
    let (id, secret) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    let found = headers(id, 1_614_265_330_000, body, secret).expect("base64");
    let value = |name: &str| found.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!(value("webhook-id"), Some(id));
    assert_eq!(value("webhook-timestamp"), Some("1614265330"));
    assert_eq!(value("webhook-signature"), Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
}

/// docs/formats.md, Messages about tasks: the example is signed as the page says.
#[test]
fn the_example_of_the_page_is_signed_with_the_secret_it_names() {
    let page = include_str!("../../../../../docs/formats.md");
    let part = page.split("## Messages about tasks").nth(1).expect("the section");
    let block = |name: &str| {
        let text = part.split(&format!("```{name}\n")).nth(1).expect("the block");
        text.split("\n```").next().expect("its end")
    };
    let head = block("http webhook");
    let value = |name: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("no {name} in {head}"))
    };
    let at_ms = value("webhook-timestamp").parse::<i64>().expect("seconds") * SECOND;
    let body = block("json webhook");
    let made = headers(value("webhook-id"), at_ms, body, block("text webhook-secret")).expect("base64");
    assert_eq!(headers("msg_1", 0, body, "whsec_cut"), None, "base64 that was cut signs nothing");
    assert_eq!(made[2].1, value("webhook-signature"));
    let body: serde_json::Value = serde_json::from_str(body).expect("JSON");
    assert_eq!(body["type"], "task.answered");
}

#[test]
fn attempts_come_ever_more_seldom_until_it_is_given_up() {
    let all: Vec<i64> = (0..12).map(|failures| pause(failures, HOUR)).collect();
    assert!(all.windows(2).all(|pair| pair[0] <= pair[1]), "{all:?}");
    assert_eq!((all[0], all[1], all[11]), (10 * SECOND, 20 * SECOND, HOUR));

    let webhook = Webhook {
        id: "w".into(),
        url: "https://desk.example/".into(),
        events: Vec::new(),
        secret: "desk".into(),
        here: false,
        made_by: "user:anna".into(),
        made_ms: 0,
        failures: 30,
        next_ms: None,
    };
    let one = |since_ms, attempts, tried_ms| WebhookDelivery {
        id: "msg_1".into(),
        webhook: "w".into(),
        event: "task.created".into(),
        task: "t".into(),
        body: "{}".into(),
        made_ms: 0,
        since_ms,
        attempts,
        due_ms: Some(since_ms),
        tried_ms,
        status: None,
        error: None,
        done_ms: None,
    };
    let failed = |refused| Err(NotTaken { status: Some(503), why: "it answered 503".into(), refused });
    let not = || failed(false);
    let now = 2 * GIVEN_UP;
    let first = follows(&webhook, &one(now, 0, None), now, not());
    assert_eq!((first.again_ms, first.next_ms), (Some(now + 10 * SECOND), Some(now + WEBHOOK_REST_MS)));
    let late = follows(&webhook, &one(now - GIVEN_UP, 40, Some(now - HOUR)), now, not());
    assert_eq!((late.again_ms, late.stale_ms), (None, Some(now - GIVEN_UP)), "a day is enough");
    for tried in [None, Some(now - GIVEN_UP / 2)] {
        let woken = follows(&webhook, &one(now - GIVEN_UP, 40, tried), now, not());
        assert_eq!((woken.again_ms, woken.stale_ms), (Some(now + HOUR), None), "the machine slept: nobody has tried");
    }
    let refused = follows(&webhook, &one(now, 0, None), now, failed(true));
    assert_eq!(refused.again_ms, None, "an address that may not be asked is not asked again");
    let taken = follows(&webhook, &one(now, 3, None), now, Ok(204));
    assert_eq!((taken.status, taken.error, taken.next_ms, taken.stale_ms), (Some(204), None, None, None));
}

#[test]
fn what_an_address_says_by_itself_is_final_and_where_a_name_leads_is_not() {
    for (url, literal) in [
        ("http://10.0.0.1/hook", true),
        ("http://[::1]:80/", true),
        ("https://localhost/", true),
        ("https://a.localhost./", true),
        ("https://desk.example/", false),
        ("https://10.0.0.1.nip.example/", false),
    ] {
        assert_eq!(super::is_literal(url), literal, "{url}");
    }
}
