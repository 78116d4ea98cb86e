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
    assert!(said[0].1.contains("'net' comes first"), "{said:?}");
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
    for (_, message) in said {
        assert!(message.contains("can never be used"), "{message}");
    }
    assert!(found[1].diagnostic.hint.contains("error.retryable") || found[1].diagnostic.hint.contains("retryable"));
}
