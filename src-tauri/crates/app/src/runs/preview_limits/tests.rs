use super::*;

#[test]
fn a_person_has_two_at_once_and_others_have_their_own() {
    let previews = Previews::default();
    let at_once = |who: &str| previews.turn_within(who, Duration::ZERO);
    let first = at_once("user:a");
    let second = at_once("user:a");
    assert!(first.is_some() && second.is_some());
    assert!(at_once("user:a").is_none());
    assert!(at_once("user:b").is_some());
    drop(first);
    let third = at_once("user:a");
    assert!(third.is_some() && at_once("user:a").is_none());
    drop((second, third));
    assert!(previews.running.lock().unwrap().is_empty(), "nothing is kept of who has gone");
}

#[test]
fn a_third_one_begins_when_one_has_ended() {
    let previews = Previews::default();
    let first = previews.turn("user:a");
    let second = previews.turn("user:a");
    std::thread::scope(|scope| {
        let third = scope.spawn(|| previews.turn_within("user:a", Duration::from_secs(60)).is_some());
        drop(first);
        assert!(third.join().unwrap());
    });
    drop(second);
}
