use super::{Asked, BY_HINTS, Decided, Hints, Rules, decide, is_gated};
use crate::scope::Scope;
use serde_json::{Map, Value, json};
use signalbox_model::{ToolVerdict, Workflow};

const SAYS_NOTHING: Hints = Hints { read_only: false, destructive: true, idempotent: false, open_world: true };
/// As real servers say it: `destructiveHint` is left at its default, which is true.
const ONLY_READS: Hints = Hints { read_only: true, destructive: true, idempotent: false, open_world: false };
/// Nothing was allowed for the run.
const NOTHING: &dyn Fn(&Decided) -> bool = &|_| false;

fn lists(own: Value, of_workflow: Value) -> Vec<Rules> {
    let mut workflow = Workflow::empty("w", "W");
    if !of_workflow.is_null() {
        workflow.settings = Some(serde_json::from_value(json!({ "toolRules": of_workflow })).expect("settings"));
    }
    Rules::of(&workflow, "work", Some(&json!({ "toolRules": own })))
}

fn asked(lists: &[Rules], tool: &str, arguments: Value, hints: Hints) -> (ToolVerdict, String, String) {
    let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
    let call = Asked { server: "shop", tool, arguments: &arguments, hints };
    let mut scope = Scope::empty();
    scope.params = std::sync::Arc::new(json!({ "limit": 10 }));
    let found = decide(lists, &call, &scope, NOTHING);
    (found.verdict, found.rule, found.why)
}

fn rule(name: &str, when: &str, action: &str) -> Value {
    json!({ "name": name, "when": when, "action": action })
}

#[test]
fn without_a_list_the_tools_of_a_step_are_called_as_ever() {
    let none = lists(Value::Null, Value::Null);
    assert!(none.is_empty());
    assert_eq!(asked(&none, "pay", json!({}), SAYS_NOTHING).0, ToolVerdict::Allow);
}

#[test]
fn where_there_is_a_list_what_it_does_not_name_is_asked_for() {
    let one = lists(json!([]), Value::Null);
    assert_eq!(asked(&one, "pay", json!({}), SAYS_NOTHING).0, ToolVerdict::Ask);
    // A hint alone makes nothing harmless: it must only read, and only what is its own.
    let half = Hints { open_world: true, ..ONLY_READS };
    assert_eq!(asked(&one, "find", json!({}), half).0, ToolVerdict::Ask);
    let (verdict, rule, _) = asked(&one, "find", json!({}), ONLY_READS);
    assert_eq!((verdict, rule.as_str()), (ToolVerdict::Allow, BY_HINTS));
}

#[test]
fn the_first_rule_decides_over_name_arguments_and_data() {
    let rules = lists(
        json!([
            rule("small", "tool == 'pay' && args.amount <= params.limit", "allow"),
            rule("pay", "tool == 'pay'", "ask")
        ]),
        Value::Null,
    );
    assert_eq!(asked(&rules, "pay", json!({ "amount": 10 }), SAYS_NOTHING).1, "small");
    assert_eq!(asked(&rules, "pay", json!({ "amount": 11 }), SAYS_NOTHING).1, "pay");
}

#[test]
fn the_stricter_of_both_lists_holds_and_the_smaller_limit() {
    let allow = rule("all", "true", "allow");
    let deny = rule("never", "server == 'shop'", "deny");
    for (own, of_workflow) in [(&allow, &deny), (&deny, &allow)] {
        let rules = lists(json!([own]), json!([of_workflow]));
        assert_eq!(asked(&rules, "pay", json!({}), SAYS_NOTHING).1, "never");
    }
    let limited = |most: u64| json!([{ "name": "a", "when": "true", "action": "allow", "maxArguments": most }]);
    let rules = lists(limited(9), limited(4));
    let arguments = Map::new();
    let call = Asked { server: "shop", tool: "pay", arguments: &arguments, hints: SAYS_NOTHING };
    assert_eq!(decide(&rules, &call, &Scope::empty(), NOTHING).max_arguments, Some(4));
}

#[test]
fn what_was_allowed_for_the_run_answers_for_one_rule_alone() {
    let rules = lists(
        json!([rule("pay", "tool == 'pay'", "ask")]),
        json!([rule("large", "args.amount > 1000", "ask"), rule("rest", "true", "allow")]),
    );
    let said = |amount: u64, granted: &[&str]| {
        let arguments = Map::from_iter([("amount".to_owned(), json!(amount))]);
        let call = Asked { server: "shop", tool: "pay", arguments: &arguments, hints: SAYS_NOTHING };
        let granted = |one: &Decided| granted.contains(&&*one.rule);
        let found = decide(&rules, &call, &Scope::empty(), &granted);
        (found.verdict, found.rule)
    };
    assert_eq!(said(5, &[]), (ToolVerdict::Ask, "pay".into()));
    assert_eq!(said(5, &["pay"]).0, ToolVerdict::Allow);
    assert_eq!(said(5_000, &["pay"]), (ToolVerdict::Ask, "large".into()), "nobody has answered that");
    assert_eq!(said(5_000, &["large"]), (ToolVerdict::Ask, "pay".into()));
    assert_eq!(said(5_000, &["pay", "large"]).0, ToolVerdict::Allow);
}

#[test]
fn a_rule_that_cannot_be_evaluated_allows_nothing() {
    let broken = "args.amount > 5";
    for (action, wanted) in [("allow", ToolVerdict::Ask), ("ask", ToolVerdict::Ask), ("deny", ToolVerdict::Deny)] {
        let rules = lists(json!([rule("odd", broken, action)]), Value::Null);
        let (verdict, _, why) = asked(&rules, "pay", json!({ "amount": "many" }), SAYS_NOTHING);
        assert_eq!(verdict, wanted, "{why}");
        assert_eq!(action != "allow", why.contains("'odd' could not be evaluated"), "{why}");
    }
    let unreadable = lists(json!([{ "name": "x" }]), json!([rule("all", "true", "allow")]));
    assert_eq!(asked(&unreadable, "pay", json!({}), ONLY_READS).0, ToolVerdict::Deny);
}

#[test]
fn hostile_names_and_arguments_are_data_of_the_condition() {
    let rules = lists(json!([rule("one", "tool == 'pay'", "allow"), rule("rest", "true", "deny")]), Value::Null);
    for name in ["pay' || true || '", "pay\u{202e}", "PAY", " pay", "{{params.limit}}", "=true"] {
        assert_eq!(asked(&rules, name, json!({ "when": "true" }), ONLY_READS).0, ToolVerdict::Deny, "{name}");
    }
    // Arguments cannot take the place of what the gate knows.
    let rules = lists(json!([rule("own", "tool == 'pay' && server == 'shop'", "deny")]), Value::Null);
    let posed = json!({ "tool": "other", "server": "other", "hints": { "readOnly": true } });
    assert_eq!(asked(&rules, "pay", posed, ONLY_READS).0, ToolVerdict::Deny);
}

#[test]
fn a_tool_is_gated_when_no_arguments_get_past() {
    let gated = |own: Value, hints: Hints| is_gated(&lists(own, Value::Null), "mail", "send", hints);
    assert!(!gated(Value::Null, SAYS_NOTHING));
    assert!(gated(json!([]), SAYS_NOTHING));
    assert!(!gated(json!([]), ONLY_READS));
    assert!(gated(json!([rule("send", "tool == 'send'", "ask")]), SAYS_NOTHING));
    assert!(gated(json!([rule("send", "server == 'mail'", "deny")]), ONLY_READS));
    assert!(gated(json!([rule("own", "tool == 'find' && args.q == 'me'", "allow")]), SAYS_NOTHING));
    // It depends on the call, or on the run, whether it is asked for.
    assert!(!gated(json!([rule("own", "has(context.free)", "allow")]), SAYS_NOTHING));
    assert!(!gated(json!([rule("own", "args.to == 'me'", "allow"), rule("send", "true", "ask")]), SAYS_NOTHING));
    assert!(!gated(json!([rule("big", "size(args.text) > 5", "ask")]), ONLY_READS));
    assert!(gated(json!([rule("big", "size(args.text) > 5", "ask")]), SAYS_NOTHING));
    assert!(!gated(json!([rule("big", "size(args.text) > 5", "ask"), rule("rest", "true", "allow")]), SAYS_NOTHING));
    // Settings are evaluated before they are read: what cannot be read here may say anything then.
    assert!(!gated(json!("=params.rules"), SAYS_NOTHING));
    assert!(!gated(json!([{ "name": "a", "when": "true", "action": "=params.action" }]), SAYS_NOTHING));
    // Another list that allows does not help against one that asks.
    let both = lists(json!([rule("all", "true", "allow")]), json!([rule("send", "true", "ask")]));
    assert!(is_gated(&both, "mail", "send", SAYS_NOTHING));
}
