use super::{Counts, Output, Step, counts, failure, plain, repeated};
use std::time::Duration;

#[test]
fn summaries_of_the_runners_are_read() {
    for (line, passed, failed) in [
        ("     Summary [   3.201s] 57 tests run: 55 passed (1 slow), 2 failed, 3 skipped", 55, 2),
        ("test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out", 3, 1),
        ("    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 198 filtered out", 0, 0),
        ("      Tests  1 failed | 12 passed (13)", 12, 1),
        ("  12 passed (10.2s)", 12, 0),
        ("  1 failed", 0, 1),
        ("8 passed, 0 failed", 8, 0),
        ("the step passed (2 of 3) failed", 0, 0),
        (" Test Files  2 passed (2)", 0, 0),
    ] {
        assert_eq!(counts(line), Counts { passed, failed }, "{line}");
    }
    assert_eq!(plain("\u{1b}[32m12 passed\u{1b}[0m (1s)"), "12 passed (1s)");
}

#[test]
#[cfg(target_os = "linux")]
fn a_step_says_what_its_processes_worked() {
    // Half of it in a process of the process.
    let script = "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done";
    let twice = format!("{script}; sh -c '{script}'; true");
    let step = Step {
        name: "step",
        dir: std::env::temp_dir(),
        program: "sh",
        args: vec!["-c", &twice],
        env: Vec::new(),
        after: None,
    };
    let worked = step.run(Output::AtTheEnd).worked.expect("a figure");
    assert!(worked > Duration::ZERO && worked < Duration::from_secs(20), "{worked:?}");
}

#[test]
fn failed_tests_are_named() {
    for (line, name) in [
        (
            "        FAIL [   0.132s] ( 12/1426) signalbox-app::app runs::a_run_ends",
            Some("signalbox-app::app runs::a_run_ends"),
        ),
        ("        FAIL [   0.132s] signalbox-app::app runs::a_run_ends", Some("signalbox-app::app runs::a_run_ends")),
        (
            "  ✘  107 e2e/inbox.spec.ts:151:1 › a task is taken (1.5m)",
            Some("e2e/inbox.spec.ts:151:1 › a task is taken"),
        ),
        (" FAIL  src/kit/menu.test.tsx > opens", Some("src/kit/menu.test.tsx > opens")),
        ("        PASS [   0.132s] signalbox-app::app runs::a_run_ends", None),
    ] {
        assert_eq!(failure(line), name, "{line}");
    }
}

#[test]
fn tests_that_passed_when_they_were_repeated_are_named() {
    for (line, name) in [
        (
            "   FLAKY 2/2 [   0.132s] ( 12/1426) signalbox-app::app runs::a_run_ends",
            Some("signalbox-app::app runs::a_run_ends"),
        ),
        ("   FLAKY 2/2 [   0.132s] signalbox-app::app runs::a_run_ends", Some("signalbox-app::app runs::a_run_ends")),
        (
            "  ✓  108 e2e/inbox.spec.ts:151:1 › a task is taken (retry #1) (4.6s)",
            Some("e2e/inbox.spec.ts:151:1 › a task is taken"),
        ),
        ("  ✓  108 e2e/inbox.spec.ts:151:1 › a task is taken (4.6s)", None),
        ("   TRY 1 FAIL [   0.132s] signalbox-app::app runs::a_run_ends", None),
    ] {
        assert_eq!(repeated(line), name, "{line}");
        assert!(name.is_none() || failure(line).is_none(), "{line}");
    }
}
