use super::*;
use proptest::prelude::*;

fn question(message: &str, schema: Value) -> ToolQuestion {
    ToolQuestion { id: "q".into(), message: message.into(), schema }
}

fn answer(allowed: bool, expired: bool, values: Option<Value>) -> ToolAnswer {
    ToolAnswer { allowed, expired, values: values.map(Arc::new), notes: None }
}

#[test]
fn fields_that_look_like_secrets_are_found_and_others_are_not() {
    let field = |name: &str, title: &str| question("Fill in", json!({ "properties": { name: { "title": title } } }));
    for (name, title) in [("password", ""), ("apiKey", ""), ("API_KEY", ""), ("x", "Your PIN"), ("x", "Card-number")] {
        assert!(secret_in(&field(name, title)).is_some(), "{name} {title}");
    }
    for (name, title) in [("city", "City"), ("shipping", "Pinned spot"), ("tokens2", "Secretary"), ("key", "Sort key")]
    {
        assert_eq!(secret_in(&field(name, title)), None, "{name} {title}");
    }
    let words = question("Enter your one-time passcode", json!({}));
    assert_eq!(secret_in(&words).as_deref(), Some("its text"));
}

#[test]
fn what_a_person_says_is_said_in_the_words_of_the_protocol() {
    let held = json!({ "question": "q", "defaults": { "a": 1, "b": "x" } });
    let said = |answer: Option<&ToolAnswer>| reply(&held, answer).map(|reply| reply.said);
    let values = Some(json!({ "b": "mine", "c": true }));
    assert_eq!(
        said(Some(&answer(true, false, values))),
        Some(ToolReply::Accept(json!({ "a": 1, "b": "mine", "c": true }))),
        "what was left out has its default"
    );
    assert_eq!(said(Some(&answer(false, false, None))), Some(ToolReply::Decline));
    assert_eq!(said(Some(&answer(false, true, None))), Some(ToolReply::Cancel));
    assert_eq!(said(None), Some(ToolReply::Cancel));
    assert!(reply(&json!({ "taskId": "t" }), None).is_none(), "what another step waits with");
}

proptest! {
    /// Whatever a server writes, the search for secrets comes to an end with an answer.
    #[test]
    fn any_text_can_be_looked_at(text in "\\PC{0,200}") {
        let padded = format!("{text} password");
        prop_assert!(is_secret(&padded));
        let _ = is_secret(&text);
    }
}
