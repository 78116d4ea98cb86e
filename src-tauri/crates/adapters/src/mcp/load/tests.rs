use super::Load;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(3_600);

#[test]
fn what_somebody_uses_is_not_given_up_and_what_was_given_up_is_not_used() {
    let mut load = Load::new();
    assert!(load.begin());
    assert!(!load.give_up(false, Duration::ZERO), "somebody uses it");
    load.end();
    assert!(!load.give_up(true, LONG), "its time is not over");
    assert!(load.give_up(true, Duration::ZERO));
    assert!(!load.begin() && load.users == 0, "nobody begins with what is being ended");

    let mut retired = Load::new();
    assert!(retired.give_up(false, LONG) && !retired.begin());
}
