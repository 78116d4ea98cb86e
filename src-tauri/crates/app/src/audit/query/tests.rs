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
    let days = parse("since:yesterday until:today", 20 * 86_400_000 + 5).expect("reads");
    assert_eq!((days.since_ms, days.until_ms), (Some(19 * 86_400_000), Some(21 * 86_400_000 - 1)));
    for bad in ["level:LOUD", "since:soon", "until:", "since:-", "since:5é", "since:9223372036854775807w"] {
        assert_eq!(parse(bad, 0).is_ok(), bad == "until:", "{bad}");
    }
}

/// E4: a minus leaves out, as often as one likes.
#[test]
fn a_minus_leaves_out() {
    let query = parse(
        r#"level:ERROR -event:NODE_START -event:NODE_SUCCESS -actor:ada -level:info -"two words" -late -text:x -"a:b" -x:y"#,
        0,
    )
    .expect("reads");
    let without = query.without;
    assert_eq!(query.level.map(|level| level.as_str()), Some("ERROR"));
    assert_eq!(without.events, ["NODE_START", "NODE_SUCCESS"]);
    assert_eq!((without.actors, without.levels.len()), (vec!["ada".to_owned()], 1));
    assert_eq!(without.texts, ["two words", "late", "x", "a:b", "x:y"]);
    // The letters themselves: in quotes, a number, a minus alone.
    let query = parse(r#""-event:NODE_START" -5 - -event: -"""#, 0).expect("reads");
    assert_eq!(query.text, ["-event:NODE_START", "-5", "-"]);
    assert_eq!(query.without, signalbox_store::AuditWithout::default());
    let refused = parse("-since:2026-11-22", 0).expect_err("a time has two sides");
    assert!(refused.message.contains("-since:2026-11-22") && refused.hint.contains("until:2026-11-22"), "{refused:?}");
    assert!(parse("-level:LOUD", 0).is_err());
}

#[test]
fn the_engine_is_found_by_the_name_that_people_read() {
    let query = parse("actor:engine", 0).expect("reads");
    assert_eq!(query.actor.as_deref(), Some("system"));
    assert_eq!(parse("-actor:engine", 0).expect("reads").without.actors, ["system"]);
    assert_eq!(parse("actor:user:engine", 0).expect("reads").actor.as_deref(), Some("user:engine"));
}
