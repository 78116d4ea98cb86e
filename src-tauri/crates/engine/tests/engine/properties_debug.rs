//! A run that is stopped, however often, has the events of one that is not, apart from those of its stops (ADR 33).

use crate::driver::{World, cases, compile, parted};
use crate::{properties, properties_containers};
use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_engine::{Compiled, summary};
use signalbox_model::{
    EventBody, NodeFailure, RunEvent, RunStatus, RunSummary,
    debug::{Breakpoint, DebugRequest, DebugStart},
};
use std::collections::BTreeMap;

/// An event without what tells when and how late in the log it is; none for those of a stop.
fn plain(event: &RunEvent) -> Option<String> {
    if matches!(
        event.body,
        EventBody::BreakpointsSet(_)
            | EventBody::WorkflowPaused(_)
            | EventBody::WorkflowContinued(_)
            | EventBody::InputEdited(_)
    ) {
        return None;
    }
    let mut value = serde_json::to_value(event).expect("writes");
    timeless(&mut value);
    Some(value.to_string())
}

fn timeless(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for name in ["seq", "ts", "timestamp", "duration_ms", "taskId", "dueMs", "expiresAt", "provenanceRef"] {
                map.remove(name);
            }
            map.values_mut().for_each(timeless);
        }
        Value::Array(list) => list.iter_mut().for_each(timeless),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn breakpoints(compiled: &Compiled, chosen: u64) -> Vec<Breakpoint> {
    let ids = (0..compiled.node_count()).map(|node| compiled.node_id(node).to_owned());
    let chosen = ids.enumerate().filter(|(i, _)| chosen >> (i % 60) & 1 == 1);
    chosen.map(|(_, node)| Breakpoint { node, from: None, when: None }).collect()
}

/// The run; when it stops it goes on at once, by a step or to the next breakpoint.
fn stopped_at_once(
    compiled: &Compiled,
    script: &dyn Fn(&str, usize, u32) -> Option<NodeFailure>,
    chosen: u64,
    watched: bool,
) -> (Vec<String>, usize) {
    let mut world = World::new(compiled, script, 1);
    // Whatever is pending is taken in the order in which it was decided.
    world.in_order = true;
    world.checked = false;
    let start =
        DebugStart { breakpoints: breakpoints(compiled, chosen), paused: chosen.is_multiple_of(3), operator_id: None };
    world.start_watched(json!({ "p": 1, "list": [1, 2, 3] }), watched.then_some(start));
    let mut stops = 0;
    loop {
        while world.state.stopped().is_some() {
            stops += 1;
            assert!(stops < 20_000, "the run does not end");
            let step = (chosen >> (stops % 61)) & 1 == 1;
            world.ask(if step { DebugRequest::Step } else { DebugRequest::Continue });
        }
        if !world.turn() {
            break;
        }
    }
    assert!(world.state.status().is_terminal(), "it ends: {:?}", world.state.status());
    (world.events.iter().filter_map(plain).collect(), stops)
}

/// What a run came to, whatever the order in which its branches went on.
fn outcome(compiled: &Compiled, world: &World) -> (RunSummary, BTreeMap<String, Vec<String>>) {
    let mut summary = summary::of(compiled, &world.state);
    (summary.started_at, summary.ended_at, summary.duration_ms) = (String::new(), None, 0);
    summary.output.sort_by_key(Value::to_string);
    let mut by_call: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in &world.events {
        // Which item of a step changes a variable is a matter of who is first; the context tells what came of it.
        if matches!(event.body, EventBody::VarChanged(_)) {
            continue;
        }
        if let (Some(text), Some(step)) = (plain(event), &event.step_id) {
            let call = format!("{:?} {step} {:?}", event.path, event.item);
            by_call.entry(call).or_default().push(text);
        }
    }
    (summary, by_call)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(40), ..ProptestConfig::default()
    })]

    #[test]
    fn stops_leave_the_events_of_a_run_as_they_are(graph in properties::graphs(), chosen in any::<u64>()) {
        let compiled = parted(compile(properties::file(&graph)), graph.order);
        let script = properties::script(graph.failures);
        let (plain, _) = stopped_at_once(&compiled, &script, chosen, false);
        let (watched, _) = stopped_at_once(&compiled, &script, chosen, true);
        prop_assert_eq!(plain, watched);
    }

    #[test]
    fn in_containers_too(nested in properties_containers::nested(), chosen in any::<u64>()) {
        let compiled = parted(properties_containers::build(&nested), nested.order);
        let script = properties_containers::script(nested.failures);
        let (plain, _) = stopped_at_once(&compiled, &script, chosen, false);
        let (watched, _) = stopped_at_once(&compiled, &script, chosen, true);
        prop_assert_eq!(plain, watched);
    }

    /// Everything under way ends before the run goes on, and another process goes on with it: what each step does, and
    /// what the run comes to, is the same.
    #[test]
    fn a_run_comes_to_the_same_when_it_stands_still_at_each_stop(graph in properties::graphs(), chosen in any::<u64>()) {
        let compiled = parted(compile(properties::file(&graph)), graph.order);
        let calm = |_: &str, _: usize, _: u32| None;
        let mut undisturbed = World::new(&compiled, &calm, graph.order);
        undisturbed.start(json!({ "p": 1 }));
        undisturbed.run_to_end();
        let mut world = World::new(&compiled, &calm, graph.order);
        let breakpoints = breakpoints(&compiled, chosen);
        world.start_watched(json!({ "p": 1 }), Some(DebugStart { breakpoints, ..DebugStart::default() }));
        world.run_to_end();
        while world.state.stopped().is_some() {
            prop_assert_eq!(world.state.status(), RunStatus::Paused);
            let events = world.events.clone();
            world = World::resume(&compiled, &events, &calm, graph.order);
            prop_assert_eq!(world.events.len(), events.len(), "it stays where it is");
            world.ask(DebugRequest::Continue);
            world.run_to_end();
        }
        prop_assert_eq!(outcome(&compiled, &undisturbed), outcome(&compiled, &world));
    }
}
