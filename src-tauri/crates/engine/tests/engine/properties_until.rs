//! A run that ends after any step of random graphs (UX C16, ADR 75), begun at its entries or at a call of another run: it ends,
//! whatever fails and wherever it is cut off, and its log alone rebuilds it.

use crate::driver::{Script, World, cases, parted, told};
use crate::{properties_containers, properties_people};
use proptest::prelude::*;
use serde_json::json;
use signalbox_engine::rerun::{Original, Overrides, plan};
use signalbox_engine::{Compiled, RunState, fold, until};
use signalbox_model::{EventBody, RunEvent, base::named};

/// The events of the run; `whole`: it is no re-run, which ends what began in its original.
fn ends_from_everywhere(
    compiled: &Compiled,
    script: Script<'_>,
    mut world: World<'_>,
    whole: bool,
) -> Result<Vec<RunEvent>, TestCaseError> {
    world.checked = false;
    world.run_to_end();
    prop_assert!(world.state.status().is_terminal(), "{:#?}", told(&world.events));
    if whole {
        properties_containers::calls_end_once(&world.events)?;
    }
    for cut in (1..world.events.len()).step_by(world.events.len().div_ceil(8)) {
        let mut again = World::new(compiled, script, 5);
        again.checked = false;
        let mut again = again.after(&world.events[..cut]);
        again.run_to_end();
        let mut folded = RunState::new(compiled, "run", None);
        for event in &again.events {
            fold(compiled, &mut folded, event).expect("folds");
        }
        prop_assert_eq!(&folded, &again.state);
        prop_assert!(again.state.status().is_terminal(), "cut after {} of {:#?}", cut, told(&again.events));
    }
    Ok(world.events)
}

fn begun(events: &[RunEvent]) -> Vec<(String, String)> {
    let own = |event: &&RunEvent| matches!(event.body, EventBody::StepStart(_)) && event.body.origin().is_none();
    let step = |event: &RunEvent| {
        let step = event.step_id.clone()?;
        Some((named(event.path.as_deref(), &step), step))
    };
    events.iter().filter(own).filter_map(step).collect()
}

/// `events`: of a whole run.
fn check(
    compiled: &Compiled,
    script: Script<'_>,
    events: &[RunEvent],
    order: u64,
    which: prop::sample::Index,
) -> Result<(), TestCaseError> {
    let ids: Vec<&String> = compiled.workflow.nodes.keys().collect();
    let step = which.get(&ids);
    if until::check(compiled, step, None).is_ok() {
        let mut world = World::new(compiled, script, order);
        world.checked = false;
        world.start_until(json!({ "p": 1 }), step);
        ends_from_everywhere(compiled, script, world, true)?;
    }
    let all = begun(events);
    if all.is_empty() {
        return Ok(());
    }
    let (name, step) = which.get(&all);
    // What a sub-workflow holds is no end, recovery steps are none either.
    let Ok(found) = plan(Original { compiled, events }, compiled, name) else { return Ok(()) };
    let Ok(alone) = found.ending(compiled, step) else { return Ok(()) };
    let made = alone.with(compiled, Overrides::default()).expect("fits");
    let events = ends_from_everywhere(compiled, script, World::again(compiled, script, order ^ 3, made), false)?;
    for (other, _) in begun(&events).iter().filter(|(_, own)| own == step) {
        prop_assert_eq!(other, name, "another iteration than the one that was named: {:#?}", told(&events));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(40), max_shrink_iters: 1_000, max_global_rejects: 20_000,
        failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn c16_a_run_in_containers_ends_after_any_step(nested in properties_containers::nested(), which in any::<prop::sample::Index>()) {
        let compiled = parted(properties_containers::build(&nested), nested.order);
        let (events, _) = properties_containers::run(&nested, &compiled);
        check(&compiled, &properties_containers::script(nested.failures), &events, nested.order, which)?;
    }

    #[test]
    fn c16_a_run_with_people_and_recovery_ends_after_any_step(graph in properties_people::graphs(), which in any::<prop::sample::Index>()) {
        if let Some(ran) = properties_people::run(&graph) {
            check(&ran.compiled, &properties_people::script(graph.failures), &ran.events, graph.order, which)?;
        }
    }
}
