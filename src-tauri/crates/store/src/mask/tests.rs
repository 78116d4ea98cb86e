use super::Masks;
use serde_json::{Value, json};

/// TS-052.
#[test]
fn what_may_be_personal_is_masked_and_comes_back_whole() {
    let input = json!({
        "customer": { "name": "Ada Byron", "email": "ada@example.org", "note": "call +49 30 1234567 or ada@example.org" },
        "iban": "DE89370400440532013000", "amount": 12.5, "apiKey": "k", "pin": 1234,
        "cards": ["4111 1111 1111 1111", "4111 1111 1111 1112"], "when": "2026-11-22T10:00:00.000Z",
        "id": "0199a1b2-0000-7000-8000-000000000000", "order": "1234567890123456", "empty": { "token": "", "ssn": null },
    });
    let mut masks = Masks::new(&["/customer/name".into()]);
    let (masked, places) = masks.input(&input);
    assert_eq!(
        masked,
        json!({
            "customer": { "name": "•••1•", "email": "•••2•", "note": "call •••6• or •••2•" },
            "iban": "•••3•", "amount": 12.5, "apiKey": "•••4•", "pin": "•••5•",
            "cards": ["•••7•", "4111 1111 1111 1112"], "when": "2026-11-22T10:00:00.000Z",
            "id": "0199a1b2-0000-7000-8000-000000000000", "order": "1234567890123456",
            "empty": { "token": "", "ssn": null },
        })
    );
    assert_eq!(places, ["/customer/name", "/customer/email", "/customer/note", "/iban", "/apiKey", "/pin", "/cards/0"]);
    assert_eq!(masks.text("Ada Byron has no account"), "•••1• has no account", "known values are hidden elsewhere");
    assert_eq!(masks.lift(masked), input);
    assert_eq!(masks.lift(json!("•••99•")), json!("•••99•"), "a mask that was never put on");
}

#[test]
fn texts_hide_what_looks_like_data_of_people_or_keys() {
    let hidden = |text: &str| Masks::default().text(text);
    for text in [
        "mail to a.b+c@mail.example.org please",
        "Authorization: Bearer abcdefghijklmnop",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
        "key sk-abcdefghijklmnopqrstuv",
        "IBAN GB82 WEST 1234 5698 7654 32",
        "card 5500-0000-0000-0004",
        "0049 170 1234567",
        "(555) 123-4567",
        "555-123-4567",
        "SSN 123-45-6789",
    ] {
        assert!(hidden(text).contains("•••1•"), "{text}: {}", hidden(text));
    }
    for text in [
        "HTTP 503 after 3 attempts",
        "run 0199a1b2-0000-7000-8000-000000000000",
        "2026-11-22 10:00:00",
        "1795300686123 ms",
        "IPv4 192.168.100.200",
        "SKU AB12CDEFGHIJKLMNOP",
        "order 1234567890123456",
    ] {
        assert_eq!(hidden(text), text);
    }
}

/// Many values are looked for at once, and what is found is what one after the other would find.
#[test]
fn many_known_values_hide_what_few_would() {
    let many: Vec<Value> = (0..100).map(|n| json!({ "secret": format!("value-{n:03}") })).collect();
    let input = json!({ "many": many, "keys": [{ "token": "4567" }, { "token": "4567-abc" }] });
    let mut masks = Masks::default();
    masks.input(&input);
    assert_eq!(masks.text("4567-abc and 4567"), "•••102• and •••101•");
    assert_eq!(masks.text("4567-abcd, x4567, 4567"), "•••101•-abcd, x4567, •••101•", "a part of a word is none");
    assert_eq!(masks.text("value-007value-008 value-009"), "value-007value-008 •••10•");
}

/// TS-052: what hides a place hides what a change puts there, and below it.
#[test]
fn a_change_is_masked_as_the_place_that_it_changes() {
    let mut masks = Masks::new(&["/salary".into(), "/list/0".into()]);
    let patch = json!([
        { "op": "replace", "path": "/salary", "value": 5200 },
        { "op": "add", "path": "/salary/net", "value": 4100 },
        { "op": "add", "path": "/token/value", "value": 12 },
        { "op": "replace", "path": "/salaryBand", "value": 7 },
        { "op": "replace", "path": "/list/0/n", "value": 1 },
        { "op": "replace", "path": "/list/1", "value": 2 },
        { "op": "remove", "path": "/salary" },
    ]);
    let values: Vec<Value> =
        masks.patch(&patch).as_array().expect("a list").iter().map(|one| one["value"].clone()).collect();
    let hidden = |value: &Value| value.as_str().is_some_and(|text| text.starts_with("•••"));
    assert_eq!(
        values.iter().map(hidden).collect::<Vec<_>>(),
        [true, true, true, false, true, false, false],
        "{values:?}"
    );
}
