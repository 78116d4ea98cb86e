//! A workflow as a state machine, and that machine imported again: both run alike.

use crate::support::CATALOG;
use serde_json::{Value, json};
use signalbox_engine::Compiled;
use signalbox_engine::effect::CallOutput;
use signalbox_import::asl_export::{Exported, export};
use signalbox_import::{Options, import};
use signalbox_model::workflow::{ErrorPolicy, NamedPolicy};
use signalbox_model::{Effects, ErrorType, NodeFailure, RunStatus, Workflow};
use signalbox_simulate::expectations::Observed;
use signalbox_simulate::simulation::{CallInfo, Environment, Limits, PersonInput, Reply, Simulation, Start, TaskInfo};
use std::sync::Arc;

/// Every request is answered with its address, or fails.
struct Service {
    fails: bool,
}

impl Environment for Service {
    fn reply(&mut self, call: &CallInfo<'_>) -> Reply {
        if call.call.effects == Effects::None {
            return Reply::Code(0);
        }
        if self.fails {
            return Reply::Failure(NodeFailure::new(ErrorType::ToolError, "HTTP_STATUS", "It answered 404"), 1);
        }
        let response = json!({ "asked": call.slot.config["url"], "method": call.slot.config["method"] });
        Reply::Output(CallOutput::success(json!({ "status": 200, "response": response, "headers": {} })), 1)
    }

    fn people(&mut self, _: &TaskInfo<'_>) -> Vec<(i64, PersonInput)> {
        Vec::new()
    }
}

fn run(mut workflow: Workflow, params: &Value, fails: bool) -> (RunStatus, Vec<Value>) {
    workflow.settings.get_or_insert_default().error_policy = Some(ErrorPolicy::Named(NamedPolicy::Fail));
    let compiled = Compiled::new(Arc::new(workflow), "x", &CATALOG).unwrap_or_else(|found| panic!("{found:#?}"));
    let compiled = Arc::new(compiled);
    let mut service = Service { fails };
    let mut run = Simulation::new(Arc::clone(&compiled), &mut service, Limits::default());
    let context = signalbox_model::Map::new();
    run.start(Start { params: params.clone(), context, seed: 7, until: None, rerun: None, now_ms: 1_800_000_000_000 });
    run.run(|_| false);
    let (events, state) = run.into_events();
    let summary = Observed::new(&compiled, &state, &events).summary;
    (summary.status, summary.output)
}

fn exported(workflow: &Workflow) -> (Exported, Workflow) {
    let exported = export(workflow).unwrap_or_else(|why| panic!("{why}"));
    let again = import(&exported.machine.to_string(), &Options::default()).unwrap_or_else(|why| panic!("{why}"));
    (exported, again.checked(&CATALOG).workflow)
}

fn workflow(nodes: &Value, edges: &[(&str, &str)]) -> Workflow {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    let file = json!({ "signalbox": 1, "id": "w", "name": "W", "nodes": nodes, "edges": edges,
        "context": { "schema": { "type": "object", "properties": { "seen": {} } }, "initial": { "seen": 0 } } });
    serde_json::from_value(file).expect("a workflow")
}

fn orders() -> Workflow {
    let nodes = json!({
        "start": { "type": "trigger.manual" },
        "order": { "type": "data.set", "config": { "assign": { "id": "=item.number", "label": "Order {{item.number}}", "rows": [1, { "a": "x" }] } },
            "out": { "$seen": "=_result.id" } },
        "large": { "type": "flow.if", "config": { "condition": "item.total > 100 && !(item.kind == 'test')" } },
        "ask": { "type": "http.request", "timeoutMs": 20000, "config": { "method": "POST", "url": "https://example.org/{{item.id}}", "body": { "id": "=item.id" } },
            "errorHandling": { "retryPolicy": { "maxAttempts": 1, "backoff": "fixed", "initialDelayMs": 1000, "maxDelayMs": 5000, "jitter": false } } },
        "told": { "type": "data.transform", "config": { "expression": "{'answer': item.response.asked, 'of': nodes.order.output.label, 'seen': context.seen}" } },
        "failed": { "type": "data.set", "config": { "assign": { "failed": "=item.message" }, "keep": false } },
        "each": { "type": "flow.loop", "config": { "source": "=params.lines", "mode": "serial" } },
        "double": { "type": "data.transform", "parent": "each", "config": { "expression": "_item.n * 2" } },
        "all": { "type": "data.aggregate", "config": { "into": "doubled" } },
        "wait": { "type": "flow.wait", "config": { "ms": 2000 } },
    });
    workflow(
        &nodes,
        &[
            ("start.success", "order"),
            ("order.success", "large"),
            ("large.true", "ask"),
            ("large.false", "each"),
            ("ask.success", "told"),
            ("ask.error", "failed"),
            ("each.success", "all"),
            ("all.success", "wait"),
        ],
    )
}

#[test]
fn what_is_exported_and_imported_again_runs_the_same() {
    let workflow = orders();
    let (exported, again) = exported(&workflow);
    for (params, fails) in [
        (json!({ "number": 7, "total": 250, "kind": "web", "lines": [] }), false),
        (json!({ "number": 8, "total": 250, "kind": "web", "lines": [] }), true),
        (json!({ "number": 9, "total": 50, "kind": "web", "lines": [{ "n": 1 }, { "n": 4 }] }), false),
        (json!({ "number": 9, "total": 250, "kind": "test", "lines": [{ "n": 1 }] }), false),
    ] {
        let here = run(workflow.clone(), &params, fails);
        assert_eq!(here.0, RunStatus::Completed, "{params}");
        assert_eq!(run(again.clone(), &params, fails), here, "{params} {:#}", exported.machine);
    }
    let lost: Vec<String> = exported
        .lost
        .iter()
        .map(|lost| format!("{}: {}", lost.step.as_deref().unwrap_or("all"), lost.message))
        .collect();
    assert!(
        lost.iter().any(|one| one.starts_with("ask: The service calls no address without a connection")),
        "{lost:#?}"
    );
    assert!(lost.iter().any(|one| one.starts_with("all: Errors that no wire takes")), "{lost:#?}");
}

#[test]
fn a_step_without_a_counterpart_is_a_fail_state_and_listed() {
    let nodes = json!({
        "ask": { "type": "builtin.human_approval", "config": { "title": "?" } },
        "done": { "type": "data.set", "config": { "assign": { "a": 1 } } },
    });
    let exported = export(&workflow(&nodes, &[("ask.approved", "done")])).expect("exported");
    assert_eq!(exported.machine["States"]["ask"]["Type"], "Fail");
    assert!(
        exported.lost[0].message.contains("no state does what 'builtin.human_approval' does"),
        "{:?}",
        exported.lost
    );
    let several = json!({ "a": { "type": "flow.noop" }, "b": { "type": "flow.noop" } });
    assert_eq!(
        export(&workflow(&several, &[])).expect_err("refused"),
        "Several steps begin (a, b); a machine begins with one."
    );
}
