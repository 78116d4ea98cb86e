//! Invariant 4 over the random graphs of the other properties: re-run from any step with no edits gives the original from
//! there on, a kept step never executes, and the log of the new run alone rebuilds it. Invariant 6 holds in it too.

use crate::driver::{Script, World, cases, compile, finished, parted, takes, told};
use crate::{properties, properties_containers, properties_people};
use proptest::prelude::*;
use signalbox_engine::rerun::{
    Original, Overrides, Reopen, RerunError, StepDisposition, StepPlan, plan, plan_reopened,
};
use signalbox_engine::{Compiled, RunState, fold, summary};
use signalbox_model::base::named;
use signalbox_model::{Effects, EventBody, NodeState, RunEvent, RunStatus, RunSummary};
use std::collections::BTreeSet;

fn output(sum: &RunSummary) -> Vec<String> {
    let mut all: Vec<String> =
        sum.output.iter().map(|data| properties_containers::timeless(data).to_string()).collect();
    all.sort();
    all
}

/// Steps that began, with their paths.
fn begun(events: &[RunEvent]) -> Vec<String> {
    let own = |event: &&RunEvent| matches!(event.body, EventBody::StepStart(_)) && event.body.origin().is_none();
    let names = events.iter().filter(own).filter_map(|e| Some(named(e.path.as_deref(), e.step_id.as_deref()?)));
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Steps in containers around the step that began more than once: such a container was tried again as a whole.
fn entered_again(compiled: &Compiled, events: &[RunEvent], name: &str) -> BTreeSet<String> {
    let (mut seen, mut again) = (BTreeSet::new(), BTreeSet::new());
    for event in events {
        let Some(step) = event.step_id.as_deref() else { continue };
        let own = named(event.path.as_deref(), step);
        if matches!(event.body, EventBody::StepStart(_))
            && event.body.origin().is_none()
            && name.strip_prefix(&*own).is_some_and(|rest| rest.starts_with(['/', '[']))
            && !seen.insert((own, event.item))
        {
            again.insert(step.to_owned());
        }
    }
    let nodes = &compiled.workflow.nodes;
    let parent = |id: &String| nodes.get(id).and_then(|node| node.parent.clone());
    let within = |id: &&String| std::iter::successors(parent(id), parent).any(|outer| again.contains(&outer));
    nodes.keys().filter(within).cloned().collect()
}

/// UX C24: what a new run executes is in the list of its plan, as what runs again or may run; what a file does outside is told
/// at the step that calls it.
fn all_told(compiled: &Compiled, plan: &[StepPlan], events: &[RunEvent]) -> Result<(), String> {
    for event in events.iter().filter(|event| matches!(event.body, EventBody::StepStart(_))) {
        let step = event.step_id.as_deref().unwrap_or_default();
        // The step of the top file that it is, or that it is called by.
        let names = event.path.iter().flat_map(|path| path.split('/'));
        let mut around = names.map(|name| name.split('[').next().unwrap_or_default());
        let calls = |name: &&str| compiled.workflow.nodes.get(*name).is_some_and(|node| node.kind == "t.sub");
        let listed = around.find(calls).unwrap_or(step);
        let Some(told) = plan.iter().find(|told| told.step == listed) else {
            return Err(format!("{listed} is not in the plan"));
        };
        if !matches!(told.fate, StepDisposition::Again | StepDisposition::Open) {
            return Err(format!("{step} at {:?} ran, and the plan says {told:?}", event.path));
        }
        let kind = compiled.node_at(event.path.as_deref(), step).map(|node| node.kind);
        if kind == Some("t.write") && told.effects != Effects::Write {
            return Err(format!("{step} at {:?} wrote, and the plan says {told:?}", event.path));
        }
    }
    Ok(())
}

/// `timed`: what happens depends on the order in which calls end.
fn check(compiled: &Compiled, script: Script<'_>, order: u64, every: bool, timed: bool) -> Result<(), TestCaseError> {
    let mut first = World::new(compiled, script, order);
    (first.every_answer, first.checked) = (every, false);
    first.start(serde_json::json!({ "p": 1 }));
    first.run_to_end();
    let whole = summary::of(compiled, &first.state);
    let names = begun(&first.events);
    let stride = names.len().div_ceil(5).max(1);
    for (count, name) in
        names.iter().enumerate().skip(usize::try_from(order % 7).expect("small") % stride).step_by(stride)
    {
        let original = Original { compiled, events: &first.events };
        let made = match plan(original, compiled, name) {
            Ok(made) => made,
            Err(RerunError::AfterAbort { .. }) => continue,
            Err(error) => return Err(TestCaseError::fail(format!("{name}: {error} in {:#?}", told(&first.events)))),
        };
        let plan = made.steps.clone();
        let again = made.with(compiled, Overrides::default()).expect("nothing is changed");
        let kept = finished(again.base.events.iter().filter(|event| event.path.is_none()));
        let mut second = World::again(compiled, script, order ^ count as u64, again);
        second.every_answer = every;
        second.run_to_end();
        let saw = || format!("{name} of {:#?}\nagain {:#?}", told(&first.events), told(&second.events));
        prop_assert!(second.state.status().is_terminal());
        let told = all_told(compiled, &plan, &second.events);
        prop_assert!(told.is_ok(), "{:?} in {}", told, saw());
        let mut folded = RunState::new(compiled, "run", None);
        for event in &second.events {
            let text = serde_json::to_string(event).expect("writes");
            fold(compiled, &mut folded, &serde_json::from_str(&text).expect("reads")).expect("folds");
        }
        prop_assert_eq!(&folded, &second.state, "{}", saw());
        // A step beside it that failed the original, or that a break kept from running there, may fail this run before.
        let ended_before = second.state.status() == RunStatus::Failed && (timed || whole.status == RunStatus::Failed);
        prop_assert!(ended_before || begun(&second.events).contains(name), "{}", saw());
        for (step, items) in second.events.iter().filter(|event| event.path.is_none()).filter_map(takes) {
            let again = items.into_iter().any(|item| kept.contains(&(step.clone(), item)));
            prop_assert!(!again, "{} was kept and ran: {}", step, saw());
        }
        if timed || whole.status != RunStatus::Completed {
            continue;
        }
        let sum = summary::of(compiled, &second.state);
        prop_assert_eq!(sum.status, whole.status, "{}", saw());
        prop_assert_eq!(output(&sum), output(&whole), "{}", saw());
        prop_assert_eq!(&sum.context, &whole.context, "{}", saw());
        // A sibling may be under way here when a step fails that had ended there.
        let cut_off = second.events.iter().any(|event| matches!(event.body, EventBody::StepInterrupted(_)));
        // What failed or was cut off in an earlier round of a container around it is not told again of the steps in it.
        let again = entered_again(compiled, &first.events, name);
        for (id, step) in sum.steps.iter().filter(|(_, step)| !cut_off || step.state != NodeState::Cancelled) {
            let was = whole.steps[id].state;
            let gone = matches!(was, NodeState::Cancelled | NodeState::Failed) && again.contains(id);
            prop_assert!(step.state == was || gone, "{}: {:?}, {:?} in {}", id, step.state, was, saw());
        }
    }
    Ok(())
}

/// A re-opened task is asked again in a new run that makes no call for it, and the same answers give the same result.
fn reopen(compiled: &Compiled, script: Script<'_>, order: u64, every: bool) -> Result<(), TestCaseError> {
    let mut first = World::new(compiled, script, order);
    (first.every_answer, first.checked) = (every, false);
    first.start(serde_json::json!({ "p": 1 }));
    first.run_to_end();
    let whole = summary::of(compiled, &first.state);
    let asked = first.events.iter().filter_map(|event| match &event.body {
        EventBody::HumanTaskCreated(created) => Some((event, created)),
        _ => None,
    });
    for (event, created) in asked.take(4) {
        let wanted = Reopen { task_id: created.task_id.clone(), reason: "why not".into(), by: "user:anna".into() };
        let original = Original { compiled, events: &first.events };
        let made = match plan_reopened(original, &wanted) {
            Ok(made) => made.with(compiled, Overrides::default()).expect("nothing is changed"),
            Err(RerunError::AfterAbort { .. }) => continue,
            Err(error) => return Err(TestCaseError::fail(format!("{}: {error}", created.task_id))),
        };
        let mut second = World::again(compiled, script, order, made);
        second.every_answer = every;
        second.run_to_end();
        let saw = || format!("{} of {:#?}\nagain {:#?}", created.task_id, told(&first.events), told(&second.events));
        prop_assert!(second.state.status().is_terminal(), "{}", saw());
        let again = second.events.iter().position(|event| match &event.body {
            EventBody::HumanTaskCreated(task) => task.reopens.as_deref() == Some(&created.task_id),
            _ => false,
        });
        prop_assert!(again.is_some(), "it is asked again: {}", saw());
        let failed = created.origin.as_ref();
        let called = second.events[..again.unwrap_or_default()].iter().any(|earlier| {
            matches!(earlier.body, EventBody::StepStart(_))
                && earlier.body.origin().is_none()
                && failed.is_some_and(|origin| {
                    (earlier.step_id.as_ref(), &earlier.path, earlier.item)
                        == (Some(&origin.step_id), &origin.path, origin.item)
                })
        });
        prop_assert!(!called, "the failed call is not made again: {} {:?}", saw(), event);
        let mut folded = RunState::new(compiled, "run", None);
        for event in &second.events {
            let text = serde_json::to_string(event).expect("writes");
            fold(compiled, &mut folded, &serde_json::from_str(&text).expect("reads")).expect("folds");
        }
        prop_assert_eq!(&folded, &second.state, "{}", saw());
        if whole.status == RunStatus::Completed {
            prop_assert_eq!(summary::of(compiled, &second.state).status, whole.status, "{}", saw());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(25), max_shrink_iters: 2_000,
        failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn a_rerun_gives_the_original_from_there_on(graph in properties::graphs()) {
        let compiled = parted(compile(properties::file(&graph)), graph.order);
        check(&compiled, &properties::script(graph.failures), graph.order, false, false)?;
    }

    #[test]
    fn a_rerun_inside_containers_keeps_the_other_iterations(nested in properties_containers::nested()) {
        let compiled = parted(properties_containers::build(&nested), nested.order);
        let script = properties_containers::script(nested.failures);
        let mut first = World::new(&compiled, &script, nested.order);
        first.checked = false;
        first.start(serde_json::json!({ "p": 1 }));
        first.run_to_end();
        // What a break cuts off depends on when it happens, too.
        let timed = properties_containers::cuts_off(&first.events) || nested.breaks();
        check(&compiled, &script, nested.order, false, timed)?;
    }

    #[test]
    fn a_rerun_with_people_and_recovery_gives_the_original(graph in properties_people::graphs()) {
        if let Some((_, compiled)) = properties_people::build(&graph) {
            check(&compiled, &properties_people::script(graph.failures), graph.order, true, true)?;
        }
    }

    #[test]
    fn a_task_that_is_opened_again_is_asked_again(graph in properties_people::graphs()) {
        if let Some((_, compiled)) = properties_people::build(&graph) {
            reopen(&compiled, &properties_people::script(graph.failures), graph.order, true)?;
        }
    }

    #[test]
    fn a_task_of_an_iteration_is_asked_again(nested in properties_containers::nested()) {
        let compiled = parted(properties_containers::build(&nested), nested.order);
        reopen(&compiled, &properties_containers::script(nested.failures), nested.order, false)?;
    }
}
