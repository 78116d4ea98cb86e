//! Single cases and invariants.

use proptest::prelude::*;
use serde_json::json;
use signalbox_guardrails::{Country, Finder, Kind, allowed, find_in, mask, mask_in, signals};

fn masked(text: &str) -> String {
    mask(text, &Finder::default().find(text))
}

#[test]
fn each_country_by_a_published_example() {
    let examples = [
        ("SSN 536-90-4399", "[nationalId US]"),
        ("86095742719", "[nationalId DE]"),
        ("2 55 08 14 168 025 38", "[nationalId FR]"),
        ("12345678Z", "[nationalId ES]"),
        ("X1234567L", "[nationalId ES]"),
        ("RSSMRA85T10A562S", "[nationalId IT]"),
        ("44051401359", "[nationalId PL]"),
        ("BSN 111222333", "[nationalId NL]"),
        ("11010519491231002X", "[nationalId CN]"),
        ("529.982.247-25", "[nationalId BR]"),
        ("2341 2341 2346", "[nationalId IN]"),
    ];
    for (text, end) in examples {
        assert!(masked(text).ends_with(end), "{text}: {}", masked(text));
        // The last digit decides.
        let mut other = text.to_owned();
        let last = other.pop().unwrap();
        other.push(if last == '1' {
            '2'
        } else if last.is_ascii_digit() {
            '1'
        } else {
            'Q'
        });
        if !text.starts_with("SSN") {
            assert!(!masked(&other).contains("nationalId"), "{other}");
        }
    }
}

#[test]
fn only_what_was_chosen_is_looked_for() {
    let text = "a@example.com, 86095742719, 44051401359, 4111 1111 1111 1111";
    let some = Finder { kinds: vec![Kind::NationalId], countries: vec![Country::Pl], ..Finder::default() };
    assert_eq!(mask(text, &some.find(text)), "a@example.com, 86095742719, [nationalId PL], 4111 1111 1111 1111");
    let except = Finder { except: vec!["*@example.com".into()], ..Finder::default() };
    let masked = mask(text, &except.find(text));
    assert!(masked.starts_with("a@example.com, ") && masked.ends_with("[card]"), "{masked}");
}

#[test]
fn a_value_keeps_its_shape_and_what_a_person_wrote() {
    let mut value = json!({ "to": "boss@example.com", "text": "call +49 30 1234567", "card": 4111111111111111u64,
        "x@example.com": { "n": 5 }, "y@example.com": [1, true, null] });
    let hits =
        mask_in(&mut value, &Finder::default(), Some(&json!({ "to": "boss@example.com", "text": "=item.text" })));
    let wanted = json!({ "to": "boss@example.com", "text": "call [phone]", "card": "[card]",
        "[email]": { "n": 5 }, "[email] 2": [1, true, null] });
    assert_eq!(value, wanted);
    let paths: Vec<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(paths, ["/text", "/card", "", ""]);
    assert!(hits.iter().all(|hit| hit.sample.chars().count() <= 12 && !hit.sample.contains("example")), "{hits:?}");
}

#[test]
fn hostile_lengths_end_soon() {
    for text in ["1".repeat(200_000), "a@".repeat(100_000), "DE89 ".repeat(40_000), "(0 ".repeat(60_000)] {
        let _ = masked(&text);
        let _ = signals(&text);
    }
    assert!(!allowed(&"a".repeat(20_000), &["*a*a*a*a*b".into()]));
}

proptest! {
    #[test]
    fn masking_twice_changes_nothing_and_never_panics(text in "\\PC{0,80}", digits in "[0-9 .@+A-Za-z-]{0,60}") {
        for text in [text, digits] {
            let once = masked(&text);
            prop_assert_eq!(masked(&once), once.clone());
            let hits = find_in(&json!({ "t": text }), &Finder::default());
            prop_assert_eq!(hits.is_empty(), once == text);
        }
    }
}
