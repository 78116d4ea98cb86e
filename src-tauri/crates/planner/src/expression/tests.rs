use super::*;
use crate::{MAX_PROMPT_TOKENS, tokens};
use proptest::prelude::*;

fn wanted() -> Wanted {
    Wanted {
        request: "orders above 100 from Berlin".into(),
        place: "Condition of 'Large orders' (data.filter)".into(),
        current: "true".into(),
        condition: true,
        names: vec![("item.total".into(), "number".into()), ("item.city".into(), "string".into())],
        functions: vec!["size(x)".into()],
    }
}

fn cost() -> Usage {
    Usage { questions: 1, input_tokens: 50, output_tokens: 5, cost_micros: Some(2) }
}

#[test]
fn an_expression_that_works_takes_one_question() {
    let mut plan = ExpressionPlan::new(wanted());
    let question = plan.question();
    for words in ["orders above 100", "item.total: number", "size(x)", "true or false", "Large orders"] {
        assert!(question.text.contains(words), "{words}: {}", question.text);
    }
    let next = plan.answered("```json\n{\"expression\": \"= item.total > 100\"}\n```", cost());
    assert_eq!(next, ExpressionStep::Check("item.total > 100".into()));
    assert_eq!((plan.refused.len(), plan.usage.questions, plan.usage.cost_micros), (0, 1, Some(2)));
}

#[test]
fn one_repair_knows_the_problem_and_no_values() {
    let mut plan = ExpressionPlan::new(wanted());
    plan.answered(r#"{"expression": "item.sum > 100"}"#, cost());
    let next = plan.failed("`item.sum` does not exist. Available: total, city. Seen 'Ada Lovelace' and 4711, not 100");
    let ExpressionStep::Ask(question) = next else { panic!("a repair: {next:?}") };
    assert!(question.text.contains("`item.sum` does not exist. Available: total, city"), "{}", question.text);
    assert!(!question.text.contains("Ada") && !question.text.contains("4711"), "{}", question.text);
    assert!(question.text.contains("not 100"), "the person's own number: {}", question.text);
    // A second one that fails ends it with the reason; both answers are told.
    plan.answered(r#"{"expression": "item.amount > 100"}"#, cost());
    let next = plan.failed("`item.amount` does not exist.");
    assert!(matches!(&next, ExpressionStep::End(why) if why.contains("no expression that works")), "{next:?}");
    assert_eq!((plan.refused[1].problem.as_str(), plan.usage.questions), ("`item.amount` does not exist.", 2));
}

#[test]
fn a_bad_answer_is_refused_with_a_reason_and_what_cannot_be_done_is_said() {
    for (text, words) in [
        ("I would compare the total.", "no JSON object"),
        ("<html>502</html>", "no JSON object"),
        ("{\"expression\": \"item.t", "not complete"),
        ("{\"answer\": 1}", "no expression"),
        ("{\"expression\": \"\"}", "1 to 2000 characters"),
    ] {
        let mut plan = ExpressionPlan::new(wanted());
        assert!(matches!(plan.answered(text, cost()), ExpressionStep::Ask(_)), "{text}");
        assert!(matches!(plan.answered(text, cost()), ExpressionStep::End(_)), "{text}");
        assert!(plan.refused.iter().all(|one| one.problem.contains(words)), "{text}: {:?}", plan.refused);
    }
    let mut plan = ExpressionPlan::new(wanted());
    let next = plan.answered(r#"{"unsupported": "There is no weather"}"#, cost());
    assert_eq!(next, ExpressionStep::End("There is no weather".into()));
}

#[test]
fn a_question_is_bounded_whatever_the_data_is() {
    let names = (0..100_000).map(|n| (format!("item.field_{n}"), "string".to_owned())).collect();
    let functions = (0..5_000).map(|n| format!("function_{n}(x, y)")).collect();
    let (request, current) = ("x".repeat(50_000), "y".repeat(50_000));
    let mut plan = ExpressionPlan::new(Wanted { request, current, names, functions, ..wanted() });
    plan.answered(&json!({ "expression": "z".repeat(1_900) }).to_string(), cost());
    plan.failed(&"long ".repeat(1_000));
    let question = plan.question();
    let count = tokens(&question.system) + tokens(&question.text);
    assert!(count <= MAX_PROMPT_TOKENS, "{count}");
}

proptest! {
    #[test]
    fn it_ends_after_two_answers_whatever_they_are(first in "\\PC{0,60}", second in "\\PC{0,60}") {
        let mut plan = ExpressionPlan::new(wanted());
        for text in [first, second] {
            if let ExpressionStep::Check(_) = plan.answered(&text, cost()) {
                plan.failed(&text);
            }
        }
        prop_assert!(plan.refused.len() <= 2 && plan.usage.questions == 2);
    }

    #[test]
    fn any_message_is_told_without_a_fault(message in "\\PC{0,80}") {
        let told = without_values(&message, "");
        prop_assert!(!told.chars().any(|c| c.is_ascii_digit()));
    }
}
