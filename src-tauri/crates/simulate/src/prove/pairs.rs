//! Which pairs of faults are tried. Most pairs say nothing new: the second fault leads to what it leads to alone. Tried are
//! those in which the error handling itself fails, and those in which a step fails after an earlier one was repeated.

use super::faults::{FaultGroup, FaultKind};
use super::outcome::{Base, Outcome};
use std::collections::BTreeSet;

/// What a fault alone led to.
pub(super) struct Single {
    /// Index of its group in the plan.
    pub(super) group: usize,
    /// Index of its world.
    pub(super) world: usize,
    /// Only the first call had it.
    pub(super) first_call_only: bool,
    /// What it led to.
    pub(super) outcome: Outcome,
    /// Steps that its run called.
    pub(super) called: BTreeSet<String>,
}

/// Two faults in one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    /// The fault that comes first.
    pub(super) first: usize,
    /// Only its first call has it.
    pub(super) first_call_only: bool,
    /// The fault in a later step.
    pub(super) second: usize,
    /// The world of both.
    pub(super) world: usize,
}

/// The pairs worth trying, the most telling first, and how many pairs there are in all.
pub(super) fn plan(groups: &[FaultGroup], singles: &[Single], bases: &[&Base]) -> (Vec<Pair>, usize) {
    let same_step = |at: usize| {
        let step = &groups[at].step;
        groups.iter().filter(|group| group.step == *step).count()
    };
    let all = groups.len() * groups.len().saturating_sub(1) / 2;
    let within: usize = (0..groups.len()).map(|at| same_step(at) - 1).sum::<usize>() / 2;
    let mut pairs = Vec::new();
    // Faults that lead to the same steps are alike to what comes after them.
    let mut seen: BTreeSet<(&str, bool, usize)> = BTreeSet::new();
    let mut add = |single: &Single, second: usize| {
        if seen.insert((&groups[single.group].step, single.first_call_only, second)) {
            let Single { group, world, first_call_only, .. } = *single;
            pairs.push(Pair { first: group, first_call_only, second, world });
        }
    };
    // The error path fails as well.
    for single in singles.iter().filter(|single| single.outcome.is_good()) {
        let base = bases[single.world];
        for step in single.called.difference(&base.reached) {
            telling(groups, step).into_iter().for_each(|second| add(single, second));
        }
    }
    // The step after a repeated one fails.
    for single in singles.iter().filter(|single| single.first_call_only && single.outcome == Outcome::Recovered) {
        let base = bases[single.world];
        let step = &groups[single.group].step;
        let after = base.order.iter().skip_while(|other| *other != step).skip(1);
        let next = after.map(|step| telling(groups, step)).find(|found| !found.is_empty());
        next.into_iter().flatten().for_each(|second| add(single, second));
    }
    (pairs, all - within)
}

/// One final and one passing error of a step, and a crash.
fn telling(groups: &[FaultGroup], step: &str) -> Vec<usize> {
    let of_step = || groups.iter().enumerate().filter(move |(_, group)| group.step == step);
    let find = |fits: &dyn Fn(&FaultKind) -> bool| of_step().find(|(_, group)| fits(&group.kind)).map(|(at, _)| at);
    let retryable = |wanted: bool| move |kind: &FaultKind| matches!(kind, FaultKind::Error(error) if error.retryable.unwrap_or_default() == wanted);
    let found = [find(&retryable(false)), find(&retryable(true)), find(&|kind| *kind == FaultKind::Crash)];
    // What asks a person or waits may have nothing but this.
    let silence = find(&|kind| *kind == FaultKind::Silence);
    found.into_iter().chain([silence]).flatten().collect()
}
