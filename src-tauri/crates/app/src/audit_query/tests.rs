use super::parse;

#[test]
fn qualifiers_quotes_and_free_words() {
    let query =
        parse(r#"event:NODE_ERROR actor:user:anna since:2026-11-22 until:2026-11-22 "two words" x:y level:error"#, 0)
            .expect("reads");
    assert_eq!((query.event.as_deref(), query.actor.as_deref()), (Some("NODE_ERROR"), Some("user:anna")));
    assert_eq!(query.until_ms.zip(query.since_ms).map(|(until, since)| until - since), Some(86_399_999));
    assert_eq!(query.text, ["two words", "x:y"]);
    assert_eq!(parse("since:2h until:1h event:", 10_000_000).expect("reads").since_ms, Some(2_800_000));
    for bad in ["level:LOUD", "since:soon", "until:", "since:-", "since:5é", "since:9223372036854775807w"] {
        assert_eq!(parse(bad, 0).is_ok(), bad == "until:", "{bad}");
    }
}

/// E5: what is not understood is said, not looked for as letters.
#[test]
fn a_minus_before_a_qualifier_is_refused_in_words() {
    let refused = parse("level:ERROR -event:NODE_START", 0).expect_err("nothing can be left out");
    assert!(refused.message.contains("-event:NODE_START"), "{}", refused.message);
    assert!(refused.hint.contains("event:NODE_START"), "{}", refused.hint);
    for fine in ["-event:", "\"-event:NODE_START\"", "-x:y", "-5"] {
        assert!(parse(fine, 0).is_ok(), "{fine}");
    }
}
