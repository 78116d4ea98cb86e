use super::check;
use crate::decision::DEFAULT_RULES;
use signalbox_model::workflow::Rule;

fn rule(name: &str, when: &str, action: &str) -> Rule {
    Rule { name: name.into(), when: when.into(), action: action.into() }
}

#[test]
fn k_49_the_default_rules_are_all_reachable() {
    assert_eq!(check(&DEFAULT_RULES, None), []);
}

#[test]
fn k_49_a_rule_behind_a_wider_one_never_decides() {
    let found = check(
        &[
            rule("net", "error.type in ['NetworkError', 'Timeout']", "retry"),
            rule("slow", "error.type == 'Timeout' && error.attempt >= 2", "human_review"),
            rule("fix", "error.type == 'ValidationError' && error.retryable", "retry"),
            rule("data", "item.total > 100", "abort"),
        ],
        None,
    );
    let said: Vec<(usize, &str)> = found.iter().map(|f| (f.index, f.diagnostic.message.as_str())).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(said[0].0, 1);
    assert!(said[0].1.contains("'net' matches first"), "{said:?}");
    assert_eq!(said[1].0, 2);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let found = check(&[rule("a", "eror.retryable", "retry"), rule("b", "error.type ==", "abort")], None);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].index, found[0].position), (0, Some(0)));
    assert!(found[0].diagnostic.hint.contains("'error'"));
    assert_eq!(found[1].index, 1);
    assert!(found[1].position.is_some());
}

#[test]
fn a_rule_that_fails_on_every_error_is_told_before_anything_fails() {
    let found = check(
        &[
            rule("types", "error.attempt < 'x'", "retry"),
            rule("name", "error.retr", "retry"),
            rule("number", "error.attempt", "retry"),
            rule("some", "error.suggestedAction == 'retry'", "retry"),
            rule("details", "error.details.region == 'eu'", "retry"),
            rule("status", "error.details.status >= 500", "retry"),
            rule("both", "error.type == 'Timeout' && error.details.after > 3", "retry"),
        ],
        None,
    );
    let said: Vec<(usize, &str)> = found.iter().map(|f| (f.index, f.diagnostic.message.as_str())).collect();
    assert_eq!(said.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [0, 1, 2], "{said:?}");
    // As the validator of a file says it: one finding has one severity.
    assert!(found.iter().all(|f| f.diagnostic.severity == signalbox_model::Severity::Warning), "{found:?}");
    for (_, message) in said {
        assert!(message.contains("can never be evaluated"), "{message}");
    }
    assert!(found[1].diagnostic.hint.contains("error.retryable") || found[1].diagnostic.hint.contains("retryable"));
}

#[test]
fn a_field_that_no_error_has_is_told_wherever_it_stands() {
    let of = |when: &str| {
        let found = check(&[rule("r", when, "retry")], None);
        found.into_iter().map(|f| (f.position, f.diagnostic.message, f.diagnostic.hint)).collect::<Vec<_>>()
    };
    for (when, field, near, position) in [
        ("error.type == 'NetworkError' && error.retryble", "error.retryble", "error.retryable", 32),
        ("error.retryable == false && err.atempt > 1", "err.atempt", "err.attempt", 28),
        ("error.messge == 'x' && error.attempt >= 5", "error.messge", "error.message", 0),
        ("error.retryable || error.messge.contains('x')", "error.messge", "error.message", 19),
        ("error.retryableerror.details.code == 'x' && error.retryable", "error.retryableerror", "error.retryable", 0),
        ("error.type == 'Timeout' ? error.retryble : false", "error.retryble", "error.retryable", 26),
        ("error.retryable && [1].exists(n, n == error.atempt)", "error.atempt", "error.attempt", 38),
        ("error.retryable && has(error.detials.code)", "error.detials", "error.details", 23),
        ("item.total > 3 && ctx.error.retryble", "ctx.error.retryble", "ctx.error.retryable", 18),
        ("error.type == 'x' && error.typ == 'y'", "error.typ", "error.type", 21),
        ("item.error.messge == 1 && error.messge == 2", "error.messge", "error.message", 26),
    ] {
        let found = of(when);
        assert_eq!(found.len(), 1, "{when}: {found:?}");
        let (at, message, hint) = &found[0];
        assert!(
            message.contains(&format!("uses '{field}'")) && hint.contains(&format!("'{near}'")),
            "{when}: {found:?}"
        );
        assert_eq!(*at, Some(position), "{when}");
    }
    // An error on one side of || is nothing where the other side is true: that rule is of use, and its field is told all the same.
    for (other, words) in
        [("Timeout", "uses 'error.cod', which no error has"), ("NoSuchType", "can never be evaluated")]
    {
        let found = of(&format!("['a'].exists(x, x == error.cod) || error.type == '{other}'"));
        assert!(found.len() == 1 && found[0].1.contains(words), "{other}: {found:?}");
    }
    let two = of("error.retryable && error['retryble'] && error.typ == 'Timeout'");
    assert_eq!(two.len(), 2, "{two:?}");
    assert_eq!(two[0].0, None, "it is written otherwise");
    for right in [
        "error.retryable && error.details.anything.at.all == 3",
        "error.type == 'Timeout' && error['details']['odd key'] == 3",
        "has(error.suggestedAction) && error.suggestedAction == 'retry'",
        "error.retryable && [{'nope': true}].exists(error, error.nope)",
        "item.error.nope == 1 && error.retryable",
    ] {
        assert_eq!(of(right), [], "{right}");
    }
}

#[test]
fn every_field_of_an_error_is_known() {
    let mut payload = signalbox_model::ErrorPayload {
        error_type: signalbox_model::ErrorType::Timeout,
        message: String::new(),
        retryable: true,
        origin_node: String::new(),
        origin_run_id: Some(String::new()),
        attempt: Some(0),
        max_attempts: Some(0),
        timestamp: String::new(),
        suggested_action: None,
        provenance_ref: Some(String::new()),
        trace_id: None,
        details: Some(serde_json::Map::new()),
    };
    payload.suggested_action = serde_json::from_value("retry".into()).ok();
    let payload = serde_json::to_value(payload).expect("JSON");
    let known = crate::validate::conditions::error();
    let names = |value: &serde_json::Value| {
        value.as_object().expect("fields").keys().cloned().collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(names(&payload), names(&known["properties"]));
}

/// K-49: what no error is can never match, whatever it is compared with.
#[test]
fn a_rule_that_asks_for_what_no_error_is_never_fits() {
    let found = |when: &str| {
        let all = check(&[rule("r", when, "retry")], None).into_iter();
        all.map(|f| (f.diagnostic.message, f.diagnostic.hint)).collect::<Vec<_>>()
    };
    for when in [
        "error.type == 'NetworkErorr'",
        "error.type in ['Foo', 'Bar']",
        "error.type == 5",
        "error.retryable == 'yes'",
        "error.attempt == '2'",
        "error.attempt > 3 && error.attempt < 2",
        "false",
    ] {
        let all = found(when);
        assert!(all.len() == 1 && all[0].0.contains("never matches"), "{when}: {all:?}");
    }
    // The hint names what is compared with something else than it is.
    for (when, says, never) in [
        ("error.type == 'NetworkErorr'", "Did you mean 'NetworkError'?", "Types"),
        ("err['type'] in ['Foo']", "Types are ", "attempt"),
        ("error.retryable == 'yes'", "error.retryable is true or false", "Types"),
        ("'2' == error.attempt", "error.attempt is a number from 0", "retryable"),
        ("error.attempt > 3 && error.attempt < 2", "exclude each other", "Types"),
        ("false", "one is always false", "Types"),
        ("error.type == \"it's\" && (error.attempt == -1)", "Types are ", "attempt"),
    ] {
        let all = found(when);
        assert!(all.len() == 1 && all[0].0.contains("never matches"), "{when}: {all:?}");
        assert!(all[0].1.contains(says) && !all[0].1.contains(never), "{when}: {all:?}");
    }
    for when in [
        "error.type == 'NetworkError'",
        "error.type in ['Timeout', 'Foo']",
        "error.attempt == 9",
        "error.attempt > 40 && error.attempt < 42",
        "error.retryable == true",
        "true",
        "error.attempt * 2 == 12",
        "error.type == \"it's\" || error.attempt * 2 == 34",
        "error.type == 'say \"x' || error.attempt - 20 == 3",
        "error.type == 'it\\'s' || error.attempt / 10 == 3",
        "error.type == r'\\' || error.attempt + 5 == 30",
        "error.type == \"\"\"it's \"here\" \"\"\" || error.attempt % 100 == 50",
        "error.attempt == 0x11",
        "error.attempt == 17u",
        "error.attempt == 17.0",
        "error.attempt in [3, 6, 9, 12]",
        "error.attempt == size('abcdefghijklmnopq')",
        "(error.retryable ? error.attempt : 0) == 41",
        "error.type == 'Net\\u0077orkError'",
        "error.type == 'ValidationError' && error.retryable == false && error.attempt * 2 == 34",
        "error.message == 'x'",
        "error.details.code == 'X'",
    ] {
        assert_eq!(found(when), [], "{when}");
    }
}

/// Many rules with numbers of their own: nothing is claimed of what was not tried.
#[test]
fn a_rule_is_not_told_off_for_numbers_that_were_not_tried() {
    let rules = ["error.attempt < 5", "error.attempt < 8", "error.attempt < 12", "error.attempt >= 20"];
    let rules: Vec<Rule> = rules.iter().map(|when| rule(when, when, "retry")).collect();
    let found = check(&rules, None);
    assert!(found.iter().all(|f| !f.diagnostic.message.contains("never matches")), "{found:?}");
}
