use super::*;

fn run(id: &str, epoch: u64, is_driven: bool, is_asked: bool) -> HandedRun {
    HandedRun { run_id: id.into(), epoch, is_driven, is_asked }
}

/// When something is told about the run, looked at every second.
fn told(pace: &mut Pace, run: &HandedRun, seconds: std::ops::Range<i64>) -> Vec<i64> {
    seconds.filter(|second| !pace.due(vec![run.clone()], second * 1_000).is_empty()).collect()
}

#[test]
fn what_nobody_carries_out_is_told_at_once_and_then_less_and_less_often() {
    let mut pace = Pace::default();
    let left = run("r", 1, false, false);
    assert_eq!(told(&mut pace, &left, 0..120), [0, 1, 3, 7, 15, 31, 61, 91]);
}

#[test]
fn another_epoch_and_a_question_are_new() {
    let mut pace = Pace::default();
    assert_eq!(told(&mut pace, &run("r", 1, false, false), 0..2), [0, 1]);
    assert_eq!(told(&mut pace, &run("r", 2, false, false), 2..3), [2]);
    assert_eq!(told(&mut pace, &run("r", 2, false, true), 2..3), [2]);
}

#[test]
fn a_run_that_is_carried_out_is_told_only_what_it_was_asked() {
    let mut pace = Pace::default();
    assert_eq!(told(&mut pace, &run("r", 1, true, false), 0..9), Vec::<i64>::new());
    assert_eq!(told(&mut pace, &run("r", 1, true, true), 9..10), [9]);
}

#[test]
fn runs_that_have_nothing_to_do_are_forgotten() {
    let mut pace = Pace::default();
    assert_eq!(pace.due(vec![run("a", 1, false, false), run("b", 1, false, false)], 0).len(), 2);
    assert_eq!(pace.due(vec![run("b", 1, false, false)], 500), []);
    assert_eq!(pace.0.keys().collect::<Vec<_>>(), ["b"]);
    assert_eq!(pace.due(vec![run("a", 1, false, false)], 600).len(), 1);
}
