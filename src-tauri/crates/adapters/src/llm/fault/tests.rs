use super::*;
use serde_json::json;
use signalbox_ports::Secret;

#[test]
fn words_of_a_provider_are_cleaned_before_they_are_cut() {
    let scrubber = Scrubber::default();
    scrubber.add("key", None, &Secret::new("canary-value"));
    let who = Who::named("home", Arc::new(scrubber));
    let said = format!("{}canary-value", "x".repeat(MOST_SAID - 6));
    let failure = in_body(&who, &json!({ "error": { "message": said } })).expect("a failure");
    assert!(failure.message.contains("x[secr") && !failure.message.contains("canary"), "{}", failure.message);
}
