//! The wall clock jumps (TRUST, faults 12 and 13): timers fire once, in order, and a run never hangs on a clock that went
//! back. What orders events is `seq`.

use serde_json::{Value, json};
use signalbox_model::RunStatus;
use signalbox_ports::Clock;
use signalbox_testkit::scenario::{compile, line, oracles, workflow};
use signalbox_testkit::{Driver, TestWorld};

const HOUR: i64 = 3_600_000;

/// Three waits side by side, of one, two and three hours.
fn waits() -> Driver {
    let wait = |hours: i64| json!({ "type": "flow.wait", "config": { "ms": hours * HOUR } });
    let data = json!({ "nodes": { "three": wait(3), "one": wait(1), "two": wait(2) } });
    let mut driver = Driver::new(compile(workflow(&data).expect("a workflow")), TestWorld::default());
    driver.start(Value::Null, Default::default(), None);
    driver.run_until(|driver| driver.events.len() >= 4);
    driver
}

fn ended(driver: &Driver) -> Vec<String> {
    driver.events.iter().map(line).filter(|line| line.starts_with("step_done")).collect()
}

fn holds(driver: &Driver) {
    let mut wrong = Vec::new();
    oracles(&driver.events, &mut wrong);
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(driver.state.status(), RunStatus::Completed);
}

#[test]
fn fault_13_after_eight_hours_asleep_each_timer_fires_once_in_the_order_of_its_time() {
    let mut driver = waits();
    driver.test.clock.advance(8 * HOUR);
    driver.run();
    holds(&driver);
    assert_eq!(ended(&driver), ["step_done one", "step_done two", "step_done three"]);
}

#[test]
fn fault_12_a_clock_that_is_put_forward_and_back_fires_nothing_twice_and_hangs_nowhere() {
    for jumps in [[30 * HOUR, -40 * HOUR], [-40 * HOUR, 2 * HOUR], [HOUR, -HOUR], [-1_795_298_400_000, 0]] {
        let mut driver = waits();
        for (at, jump) in jumps.into_iter().enumerate() {
            driver.test.clock.advance(jump);
            driver.run_until(|driver| ended(driver).len() > at);
        }
        driver.run();
        holds(&driver);
        let mut seen = ended(&driver);
        seen.sort();
        assert_eq!(seen, ["step_done one", "step_done three", "step_done two"], "{jumps:?}");
    }
}

#[test]
fn fault_12_2038_and_1970_are_times_like_others() {
    for now in [2_147_483_647_000 - HOUR, 0, -HOUR] {
        let data = json!({ "nodes": { "w": { "type": "flow.wait", "config": { "ms": 2 * HOUR } } } });
        let test = TestWorld::default();
        test.clock.set(now);
        let mut driver = Driver::new(compile(workflow(&data).expect("a workflow")), test);
        driver.start(Value::Null, Default::default(), None);
        driver.run();
        holds(&driver);
        assert_eq!(driver.test.clock.now_ms(), now + 2 * HOUR);
        let kept = driver.events.len();
        let mut again = driver.crash_and_resume(kept - 2);
        again.run();
        holds(&again);
    }
}

#[test]
fn fault_20_a_day_of_timers_fires_each_once_and_a_restart_loses_none() {
    const MINUTES: i64 = 24 * 60;
    let data = json!({ "nodes": {
        "day": { "type": "flow.loop", "config": { "source": "=params.minutes", "maxIterations": MINUTES } },
        "w": { "type": "flow.wait", "parent": "day", "config": { "ms": 60_000 } },
    } });
    let minutes: Vec<i64> = (0..MINUTES).collect();
    let mut driver = Driver::new(compile(workflow(&data).expect("a workflow")), TestWorld::default());
    let begun = driver.test.clock.now_ms();
    driver.start(json!({ "minutes": minutes }), Default::default(), None);
    driver.run_until(|driver| ended(driver).len() >= 700);
    let kept = driver.events.len();
    let mut driver = driver.crash_and_resume(kept);
    driver.run();
    holds(&driver);
    assert_eq!(ended(&driver).iter().filter(|line| line.contains(" day[")).count(), 1_440);
    let passed = driver.test.clock.now_ms() - begun;
    assert!((MINUTES * 60_000..(MINUTES + 1) * 60_000).contains(&passed), "{passed}");
}
