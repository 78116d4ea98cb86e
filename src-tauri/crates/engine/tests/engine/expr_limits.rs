//! What expressions may cost, names of types, and time zones.

use serde_json::json;
use signalbox_engine::expr::{self, Code, Expr};
use signalbox_engine::scope::Scope;
use signalbox_model::Data;
use std::sync::Arc;

/// A list that doubles with each level: small while it is shared, 2^30 objects when it is written out.
fn doubled(times: usize) -> String {
    format!("[{{'a': 1}}]{}", ".map(s, {'a': s, 'b': s})".repeat(times))
}

#[test]
fn what_is_shared_is_counted_as_large_as_it_is_written_out() {
    let error = Expr::compile(&doubled(30)).unwrap().eval(&Scope::empty()).unwrap_err();
    assert_eq!(error.code, Code::Limit);
    assert!(error.message.contains("Select less"), "{}", error.message);
    assert!(Expr::compile(&doubled(3)).unwrap().eval(&Scope::empty()).is_ok());
    let size = Expr::compile(&format!("{}.size()", doubled(30))).unwrap().eval(&Scope::empty());
    assert_eq!(size.unwrap(), json!(1), "nothing is written out");
}

/// A table stays text: whoever wants its values hears before they are made how much they would take, and what to do.
#[test]
fn values_of_a_whole_table_are_refused_before_they_are_made() {
    let row = r#"{"id":"000001","name":"customer 001","city":"Berlin"}"#;
    let text = format!("{{\"content\":[{}]}}", vec![row; 100_000].join(","));
    let mut scope = Scope::empty();
    scope.item = Data::written(text);
    let error = Expr::compile("item.content").unwrap().eval(&scope).unwrap_err();
    assert_eq!(error.code, Code::Limit);
    for told in ["about 58 MiB", "at most 32 MiB", "Split a list", "Filter"] {
        assert!(error.message.contains(told), "{told}: {}", error.message);
    }
    let eval = |text: &str| Expr::compile(text).unwrap().eval(&scope).unwrap();
    assert_eq!((eval("item.content.size()"), eval("item.content[99999].id")), (json!(100_000), json!("000001")));
    // As text it is no copy of the table, and has no such limit.
    let same = Expr::compile("item.content").unwrap().eval_text(&scope).unwrap();
    assert!(matches!(same, Data::Text(text) if text.text().len() == 100_000 * (row.len() + 1) + 1));
}

#[test]
fn a_preview_is_refused_by_memory_and_by_its_end() {
    let mut scope = Scope::empty();
    scope.allowance = Some(Arc::new(expr::Allowance::new(1024 * 1024, || false)));
    let error = Expr::compile(&doubled(30)).unwrap().eval(&scope).unwrap_err();
    assert_eq!(error.code, Code::Limit);
    assert!(error.message.contains("1 MiB"), "{}", error.message);
    scope.allowance = Some(Arc::new(expr::Allowance::new(1024 * 1024, || true)));
    let error = Expr::compile("[1].map(x, x)").unwrap().eval(&scope).unwrap_err();
    assert_eq!(error.code, Code::Limit);
    assert!(error.message.contains("too long"), "{}", error.message);
}

#[test]
fn types_are_names_that_need_no_data() {
    for (text, expected) in [
        ("type(5) == int", true),
        ("type(5) == string", false),
        ("type(timestamp('2026-01-31T09:30:00Z')) == google.protobuf.Timestamp", true),
        ("type(duration('3m')) == google.protobuf.Duration", true),
        ("type(int) == type", true),
        ("type(5) == uint", false),
    ] {
        let found = Expr::compile(text).unwrap();
        assert!(found.references().roots.is_empty(), "{text}: {:?}", found.references().roots);
        assert_eq!(found.eval(&Scope::empty()).unwrap(), json!(expected), "{text}");
    }
}

#[test]
fn an_unknown_time_zone_is_named() {
    let eval = |zone: &str| {
        let text = format!("timestamp('2026-01-31T20:30:00Z').getDate('{zone}')");
        Expr::compile(&text).unwrap().eval(&Scope::empty())
    };
    assert_eq!(eval("+05:30").unwrap(), json!(1));
    assert_eq!(eval("Asia/Kolkata").unwrap(), json!(1));
    let error = eval("Europe/Nowhere").unwrap_err();
    assert!(error.message.contains("`Europe/Nowhere`"), "{}", error.message);
}
