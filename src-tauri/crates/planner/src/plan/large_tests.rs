//! A workflow of 100 steps is changed: what one round costs, counted and not timed.

use super::tests::Engine;
use crate::draft::Draft;
use crate::*;
use serde_json::{Value, json};
use signalbox_engine::Catalog;
use std::cell::Cell;

/// Counts what the loop asks of the validator, which is what a round costs.
struct Counting {
    checks: Cell<usize>,
    bytes: Cell<usize>,
}

impl Checker for Counting {
    fn catalog(&self) -> &Catalog {
        Engine.catalog()
    }

    fn check(&self, document: &Value) -> Vec<Finding> {
        self.checks.set(self.checks.get() + 1);
        self.bytes.set(self.bytes.get() + document.to_string().len());
        Engine.check(document)
    }
}

fn large(steps: usize) -> Value {
    let mut nodes = serde_json::Map::new();
    let mut edges = Vec::new();
    for n in 0..steps {
        let config = json!({ "assign": { "n": "=item.n + 1", "text": "step {{item.n}} of a long workflow" } });
        nodes
            .insert(format!("step_{n}"), json!({ "type": "data.set", "title": format!("Step {n}"), "config": config }));
        if n > 0 {
            edges.push(json!({ "from": format!("step_{}.success", n - 1), "to": format!("step_{n}") }));
        }
    }
    json!({ "signalbox": 1, "id": "large", "name": "Large", "nodes": nodes, "edges": edges })
}

/// The questions, and what the validator was asked.
fn changed(steps: usize) -> (Vec<Question>, usize, usize) {
    let checker = Counting { checks: Cell::default(), bytes: Cell::default() };
    let document = large(steps);
    let patch = json!([
        { "op": "set", "node": "step_7", "path": "/config/assign/n", "value": "=item.n + 2" },
        { "op": "set", "node": "step_7", "path": "/config/asign", "value": {} },
        { "op": "add", "node": { "id": "more", "kind": "data.set", "config": { "assign": { "m": 1 } } } },
        { "op": "connect", "from": format!("step_{}.success", steps - 1), "to": "more" },
    ]);
    let answers = [
        json!({ "kinds": ["data.set"], "steps": ["Add two"] }),
        json!({ "patch": patch }),
        json!({ "patch": [{ "op": "unset", "node": "step_7", "path": "/config/asign" }] }),
    ];
    let mut answers = answers.iter().map(Value::to_string);
    let mut state = Plan::changing("add two in step 7, and one more step at the end", &document);
    let (mut event, mut questions) = (Some(Event::Started), Vec::new());
    while let Some(now) = event.take() {
        let (next, effects) = plan(state, &now, &checker);
        state = next;
        for effect in effects {
            if let Effect::Ask(question) = effect {
                let text = answers.next().unwrap_or_default();
                event = Some(Event::Answered { question: question.number, text, usage: Usage::default() });
                questions.push(question);
            }
        }
    }
    assert_eq!(state.outcome, Some(Outcome::Ready), "{:?} {:?}", state.reason, state.findings);
    let draft = state.valid.clone().unwrap_or_default();
    assert_eq!((draft.nodes.len(), Draft::of_document(&document).nodes.len()), (steps + 1, steps));
    (questions, checker.checks.get(), checker.bytes.get())
}

#[test]
fn a_change_of_a_hundred_steps_stays_within_the_context_and_checks_the_workflow_once_a_round() {
    let (questions, checks, bytes) = changed(100);
    let counts: Vec<usize> =
        questions.iter().map(|question| tokens(&question.system) + tokens(&question.text)).collect();
    assert!(counts.iter().all(|count| *count <= MAX_PROMPT_TOKENS), "{counts:?}");
    // Two answers with a patch, each checked once, as a whole.
    assert_eq!((questions.len(), checks), (3, 2));
    let whole = large(100).to_string().len();
    assert!(bytes <= 3 * whole, "{bytes} of {whole}");
    // Twice the steps cost twice as much, not four times.
    let (_, checks, twice) = changed(200);
    assert_eq!(checks, 2);
    assert!(twice <= bytes * 5 / 2, "{twice} after {bytes}");
}
