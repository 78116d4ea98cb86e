use super::{DAY_MS, PruneRules, count};
use signalbox_store::RunSize;

/// Runs that ended 5, 4, 3, 2 and 1 days ago, of 10 bytes each.
fn sizes() -> Vec<RunSize> {
    let size = |days: i64| RunSize {
        run: format!("r{days}"),
        workflow: "w".into(),
        name: "W".into(),
        status: "completed".into(),
        ended_ms: 100 * DAY_MS - days * DAY_MS,
        bytes: 10,
    };
    (1..=5).rev().map(size).collect()
}

#[test]
fn each_rule_removes_the_oldest_and_the_strictest_counts() {
    let counted = |rules: PruneRules| count(&rules, &sizes(), 100 * DAY_MS);
    let rules = PruneRules::default;
    assert_eq!(counted(rules()), 0);
    assert_eq!(counted(PruneRules { older_than_days: Some(3), ..rules() }), 2);
    assert_eq!(counted(PruneRules { older_than_days: Some(0), ..rules() }), 5);
    assert_eq!(counted(PruneRules { keep: Some(4), ..rules() }), 1);
    assert_eq!(counted(PruneRules { keep: Some(9), ..rules() }), 0);
    assert_eq!(counted(PruneRules { keep: Some(0), ..rules() }), 5);
    for (most, gone) in [(50, 0), (49, 1), (40, 1), (39, 2), (1, 5), (0, 5)] {
        assert_eq!(counted(PruneRules { most_bytes: Some(most), ..rules() }), gone, "{most}");
    }
    assert_eq!(counted(PruneRules { older_than_days: Some(3), keep: Some(4), most_bytes: Some(20), ..rules() }), 3);
}
