use super::*;

fn deployment(url: &str, release: Option<&str>, runs: u64) -> Deployment {
    let runs = Runs { waiting: runs, ..Runs::default() };
    Deployment { url: url.into(), release: release.map(str::to_owned), runs, ..Deployment::default() }
}

#[test]
fn each_release_is_a_deployment_at_its_own_address() {
    let old = [deployment("http://127.0.0.1:9170/", Some("1.0"), 3)];
    assert_eq!(Registration::of(&[], "http://127.0.0.1:9170", "1.0"), Registration::New);
    assert_eq!(Registration::of(&old, "http://127.0.0.1:9180", "1.1"), Registration::New);
}

#[test]
fn a_worker_that_comes_back_changes_nothing() {
    let known =
        [deployment("http://127.0.0.1:9180/", Some("1.1"), 0), deployment("http://127.0.0.1:9170/", Some("1.0"), 3)];
    assert_eq!(Registration::of(&known, "http://127.0.0.1:9170", "1.0"), Registration::Known(1));
    assert_eq!(Registration::of(&known, "http://127.0.0.1:9180/", "1.1"), Registration::Known(0));
}

#[test]
fn the_address_of_another_release_is_taken_as_long_as_that_has_runs() {
    for release in [Some("1.0"), None] {
        let known = [deployment("http://127.0.0.1:9170/", release, 1)];
        assert_eq!(Registration::of(&known, "http://127.0.0.1:9170", "1.1"), Registration::Taken(0));
        let known = [deployment("http://127.0.0.1:9170/", release, 0)];
        assert_eq!(Registration::of(&known, "http://127.0.0.1:9170", "1.1"), Registration::Replaces);
    }
}

#[test]
fn workers_are_needed_for_new_runs_and_for_those_under_way() {
    let mut one = deployment("http://127.0.0.1:9170/", Some("1.0"), 0);
    assert_eq!(one.needed(), None);
    one.runs = Runs { running: 1, waiting: 2, standing: 4, reason: None };
    assert_eq!(one.needed(), Some(Needed::Runs(7)));
    one.takes_new_runs = true;
    assert_eq!(one.needed(), Some(Needed::TakesNewRuns));
}
