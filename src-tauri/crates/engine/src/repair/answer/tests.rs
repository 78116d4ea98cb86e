use super::{Answered, Unanswered, answered, numbered};
use crate::repair::Rung;
use crate::schema::Schema;
use serde_json::{Value, json};

fn read(text: &str) -> Result<(Value, Vec<Rung>), Unanswered> {
    answered(text).map(|Answered { value, mended }| (value, mended))
}

#[test]
fn ts_118_fences_and_sentences_are_taken_away() {
    let wanted = json!({ "a": 1 });
    assert_eq!(read(" {\"a\":1} "), Ok((wanted.clone(), vec![])));
    assert_eq!(read("```json\n{\"a\":1}\n```"), Ok((wanted.clone(), vec![Rung::StripFences])));
    assert_eq!(read("Here it is: {\"a\":1}. Bye!"), Ok((wanted.clone(), vec![Rung::StripProse])));
    assert_eq!(read("{'a': 1,}"), Ok((wanted.clone(), vec![Rung::JsonRepair])));
    assert_eq!(read("Sure!\n```\n{a: 1}\n```"), Ok((wanted, vec![Rung::StripFences, Rung::JsonRepair])));
    assert_eq!(read("42"), Ok((json!(42), vec![])));
}

#[test]
fn ts_119_k_32_no_json_and_broken_json_are_told_apart() {
    assert_eq!(read("I would rather not say."), Err(Unanswered::Nothing));
    assert_eq!(read(""), Err(Unanswered::Nothing));
    for broken in ["{\"a\": \"cut off", "```json\n{\"a\": ", "{\"a\":1} or {\"a\":2}"] {
        assert!(matches!(read(broken), Err(Unanswered::Broken(_))), "{broken}");
    }
}

#[test]
fn numbers_are_made_of_texts_only_where_nothing_is_lost() {
    let schema = Schema::compile(&json!({
        "type": "object",
        "properties": { "n": { "type": "number" }, "i": { "type": "integer" }, "t": { "type": "string" }, "b": { "type": "boolean" } }
    }))
    .expect("a schema");
    let mut value = json!({ "n": "97500", "i": "-3", "t": "12" });
    let (done, left) = numbered(&mut value, &schema);
    assert_eq!((value, done.len(), left), (json!({ "n": 97500, "i": -3, "t": "12" }), 2, vec![]));
    for kept in [
        json!({ "n": "007" }),
        json!({ "n": "1,000" }),
        json!({ "i": "1.5" }),
        json!({ "b": "true" }),
        json!({ "n": true }),
    ] {
        let mut value = kept.clone();
        let (_, left) = numbered(&mut value, &schema);
        assert_eq!((value, left.len()), (kept, 1));
    }
}
