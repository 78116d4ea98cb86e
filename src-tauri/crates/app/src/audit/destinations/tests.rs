use super::{MINUTE, Standing};

#[test]
fn attempts_come_sooner_after_a_failure_and_ever_more_seldom() {
    let due = |failures, every: i64, longest: i64| {
        let standing = Standing { failures, tried_ms: 1_000, ..Standing::default() };
        (0..=longest.max(every)).find(|n| standing.is_due(1_000 + n * MINUTE, every * MINUTE, longest * MINUTE))
    };
    assert_eq!([0, 1, 2, 3, 7, 30].map(|failures| due(failures, 60, 60)), [60, 1, 2, 4, 60, 60].map(Some));
    assert_eq!([0, 1, 4, 5, 30].map(|failures| due(failures, 0, 15)), [0, 1, 8, 15, 15].map(Some));
    assert_eq!(due(5, 10, 10), Some(10));
    let ahead = Standing { tried_ms: 9_000, ..Standing::default() };
    assert!(ahead.is_due(8_999, MINUTE, MINUTE), "the clock was set back");
}

#[test]
fn what_was_kept_of_a_place_before_is_read() {
    let kept = |text| serde_json::from_str::<Standing>(text).expect("reads").upto;
    assert_eq!((kept(r#"{"size":7,"triedMs":3}"#), kept(r#"{"next":8}"#), kept(r#"{"upto":9}"#)), (7, 8, 9));
}
