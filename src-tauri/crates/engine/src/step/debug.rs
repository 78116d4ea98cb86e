//! Stopping before a call, and going on (ADR 33). Nothing is cut off: what is under way ends and is recorded.

use super::{Deciding, EventKey, StepError};
use crate::{
    debug::{self, Condition},
    fold, prepare,
    scope::Scope,
    state::{At, Met, Pace, Phase},
};
use signalbox_model::{
    Data, ErrorPayload, EventBody, Mode, Origin,
    debug::{
        BreakpointsSet, DebugRequest, DebugStart, InputEdited, Onward, PauseReason, WorkflowContinued, WorkflowPaused,
    },
};
use std::sync::Arc;

/// Makes what a condition sees of one item of a call; of the data of all only when that is asked for.
type ScopeOf<'a> = &'a dyn Fn(&Deciding<'_>, usize, bool) -> Scope;
/// Which items of a call came along the wire that a breakpoint names; of all of them without one.
type CameOf<'a> = &'a dyn Fn(&Deciding<'_>, Option<&str>) -> Vec<usize>;

impl Deciding<'_> {
    /// Somebody stopped the run, and nothing ends it meanwhile.
    pub(super) fn is_stopped(&self) -> bool {
        self.state.debug.as_ref().is_some_and(|debug| debug.stopped.is_some())
            && self.state.ending.is_none()
            && self.state.cancel.0.is_none()
    }

    /// What a person wants from the beginning on.
    pub(super) fn watched(&mut self, start: Option<DebugStart>) -> Result<(), StepError> {
        let Some(DebugStart { breakpoints, paused, operator_id }) = start else { return Ok(()) };
        if !breakpoints.is_empty() {
            let set = BreakpointsSet { breakpoints, operator_id: operator_id.clone() };
            self.emit(None, EventBody::BreakpointsSet(set))?;
        }
        if paused { self.stop_now(operator_id) } else { Ok(()) }
    }

    fn stop_now(&mut self, operator_id: Option<String>) -> Result<(), StepError> {
        let reason = PauseReason::Request;
        let body =
            WorkflowPaused { reason, from: None, condition: None, condition_error: None, operator_id, origin: None };
        self.emit(None, EventBody::WorkflowPaused(body))
    }

    /// A person asks something of the run; what does not fit its state any more changes nothing.
    pub(super) fn asked(&mut self, request: DebugRequest, operator_id: Option<String>) -> Result<(), StepError> {
        if self.state.ending.is_some() || self.state.cancel.0.is_some() {
            return Ok(());
        }
        match request {
            DebugRequest::Breakpoints { breakpoints } => {
                self.emit(None, EventBody::BreakpointsSet(BreakpointsSet { breakpoints, operator_id }))
            }
            DebugRequest::Pause if self.is_stopped() => Ok(()),
            DebugRequest::Pause => self.stop_now(operator_id),
            DebugRequest::Continue => self.go_on(Onward::Continue, operator_id),
            DebugRequest::Step => self.go_on(Onward::Step, operator_id),
            DebugRequest::Edit { step, path, item, input } => {
                let at = debug::Place { step: &step, path: path.as_deref(), item };
                // It was checked when it was asked for; the call may have gone on since.
                let Ok(edit) = debug::edit(self.compiled, self.state, at, &input) else { return Ok(()) };
                let key = self.event_key(edit.node, Some(edit.slot), edit.slot);
                let body = InputEdited { patch: edit.patch, input: Arc::new(input), operator_id };
                self.emit(Some(key), EventBody::InputEdited(body))
            }
        }
    }

    fn go_on(&mut self, mode: Onward, operator_id: Option<String>) -> Result<(), StepError> {
        if !self.is_stopped() {
            return Ok(());
        }
        let debug = self.state.debug.as_deref();
        let here = debug.filter(|debug| debug.stopped.as_ref().is_some_and(|stopped| stopped.step_id.is_some()));
        let here = here.and_then(|debug| debug.met.last()).cloned();
        self.emit(None, EventBody::WorkflowContinued(WorkflowContinued { mode, operator_id }))?;
        // The order of calls is that of a run that nobody stopped.
        if let Some(here) = here {
            self.begin_at(&here)?;
        }
        // What came due meanwhile is told at once.
        self.timers();
        Ok(())
    }

    /// Begins the call that the run stopped at, when it still waits.
    fn begin_at(&mut self, here: &Met) -> Result<(), StepError> {
        if let Some(origin) = &here.origin {
            let Some((node, slot)) = fold::case::origin_slot(self.compiled, self.state, origin) else { return Ok(()) };
            let case = fold::case::case_of(self.state, node, slot).cloned();
            return match case.filter(|case| matches!(case.at, At::Node(_))) {
                Some(case) => self.decide_case(node, slot, &case),
                None => Ok(()),
            };
        }
        let Some(node) = fold::place::known(self.compiled, self.state, here.path.as_deref(), &here.step) else {
            return Ok(());
        };
        let slot = here.item.unwrap_or(0);
        if !self.may_start(node) {
            return Ok(());
        }
        if self.state.work.ready().contains(&node) {
            return self.start_node(node);
        }
        // A later part of many items.
        if here.item.is_none() && self.compiled.nodes[node].pure && self.many(node) {
            let cut = self.interrupted_slots(node);
            return if cut.is_empty() { self.start_more(node).map(|_| ()) } else { self.start_slots(node, &cut) };
        }
        match fold::slot_ref(self.state, node, slot).map(|s| s.phase.clone()) {
            Some(Phase::Interrupted) if self.is_batch(node) => {
                let slots = self.interrupted_slots(node);
                self.start_slots(node, &slots)
            }
            Some(Phase::Fresh | Phase::Interrupted | Phase::Reenter) if self.has_room(node) => {
                self.start_slots(node, &[slot])
            }
            Some(Phase::RetryAt { due_ms }) if due_ms <= self.now && self.has_room(node) => {
                self.start_slots(node, &[slot])
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Whether the run stops before this call of its own; `inputs` is what each slot would send.
    pub(super) fn stops_before(
        &mut self,
        key: EventKey,
        node: usize,
        slots: &[usize],
        inputs: &[&[Data]],
    ) -> Result<bool, StepError> {
        if self.state.debug.is_none() {
            return Ok(false);
        }
        let scope = |this: &Deciding<'_>, at: usize, all: bool| this.slot_scope(node, slots[at], inputs[at], all);
        let slots = &slots[..slots.len().min(inputs.len())];
        let came = |this: &Deciding<'_>, from: Option<&str>| match from {
            None => (0..slots.len()).collect(),
            Some(from) => debug::came_along(this.compiled, this.state, node, slots, from),
        };
        self.stops(key, None, node, (&came, &scope))
    }

    /// The same before a recovery node.
    pub(super) fn stops_before_recovery(
        &mut self,
        node: usize,
        slot: usize,
        recovery: usize,
        error: &ErrorPayload,
    ) -> Result<bool, StepError> {
        if self.state.debug.is_none() {
            return Ok(false);
        }
        let key = self.recovery_key(node, slot, recovery, true);
        let origin = Some(self.origin_of(node, slot));
        let scope = |this: &Deciding<'_>, _: usize, _: bool| this.recovery_scope(node, slot, recovery, error);
        let came = |this: &Deciding<'_>, from: Option<&str>| {
            let along = |from| debug::case_came_along(this.compiled, this.state, (node, slot), recovery, from);
            if from.is_none_or(along) { vec![0] } else { Vec::new() }
        };
        self.stops(key, origin, recovery, (&came, &scope))
    }

    /// What the condition of a breakpoint sees: what the config of the call sees, and all items when it names them.
    fn slot_scope(&self, node: usize, slot: usize, input: &[Data], all: bool) -> Scope {
        let mut scope = prepare::node_scope(self.compiled, self.state, node, slot, input, None);
        if all
            && self.compiled.nodes[node].mode == Mode::Each
            && let Some(activation) = &self.state.nodes[node].activation
        {
            scope.items = activation.items_with(slot, &scope.item);
        }
        scope
    }

    fn stops(
        &mut self,
        key: EventKey,
        origin: Option<Origin>,
        node: usize,
        (came, scope): (CameOf<'_>, ScopeOf<'_>),
    ) -> Result<bool, StepError> {
        // A run that ends is not stopped on its way.
        if self.state.ending.is_some() || self.state.cancel.0.is_some() {
            return Ok(false);
        }
        let Some(debug) = self.state.debug.as_deref() else { return Ok(false) };
        if debug.stopped.is_some() {
            return Ok(true);
        }
        let spent = debug.pace == Pace::None;
        let path = fold::place::path_of(self.compiled, self.state, node);
        let call = Met {
            step: self.compiled.nodes[node].id.to_string(),
            path: path.as_ref().map(ToString::to_string),
            item: key.item,
            visit: key.visit,
            attempt: key.attempt,
            origin: origin.clone(),
        };
        let mut found = None;
        if !debug.met.contains(&call) {
            let here = debug.breakpoints.iter().filter(|one| debug::is_at(self.compiled, one, node, path.as_deref()));
            for breakpoint in here {
                let items = came(self, breakpoint.from.as_deref());
                let condition = match &breakpoint.when {
                    _ if items.is_empty() => Condition::False,
                    None => Condition::True,
                    Some(when) => debug::holds(when, &items, &|item, all| scope(self, item, all)),
                };
                match condition {
                    Condition::False => {}
                    Condition::True => found = Some((breakpoint, None)),
                    Condition::Broken(why) => found = Some((breakpoint, Some(why))),
                }
                if found.is_some() {
                    break;
                }
            }
        }
        let (reason, from, condition, condition_error) = match found {
            Some((point, broken)) => (PauseReason::Breakpoint, point.from.clone(), point.when.clone(), broken),
            None if spent => (PauseReason::Step, None, None, None),
            None => return Ok(false),
        };
        let body = WorkflowPaused { reason, from, condition, condition_error, operator_id: None, origin };
        self.emit(Some(key), EventBody::WorkflowPaused(body))?;
        Ok(true)
    }
}
