//! Cases on their way (SEMANTICS 4 and 5): what recovery nodes do, whom a task asks, what an answer leads to.

use super::{Deciding, EventKey, StepError, deadline::expired, heal};
use crate::{
    config,
    effect::{Call, CallKey, CallOutput, CallSlot, Effect, Permits, Timer},
    expr::ExprError,
    fold::{self, case},
    prepare, question,
    recovery::RecoveryKind,
    route,
    scope::Scope,
    state::{At, Case},
};
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_model::{
    Binaries, Effects, ErrorPayload, EventBody, Item, Mode, NodeFailure,
    event::{InputItem, RetryScheduled, StepDone, StepError as StepErrorEvent, StepStart},
    hash::sha256_parts,
    task::Origin,
    time,
};
use std::sync::Arc;

impl Deciding<'_> {
    pub(super) fn origin_of(&self, node: usize, slot: usize) -> Origin {
        let known = fold::slot_ref(self.state, node, slot);
        Origin {
            step_id: self.compiled.nodes[node].id.to_string(),
            path: fold::place::path_of(self.compiled, self.state, node).map(|path| path.to_string()),
            item: self.many(node).then_some(slot),
            visit: known.map_or(1, |s| s.visit),
            attempt: known.map_or(0, |s| s.attempt),
        }
    }

    /// The bytes of a slot's input.
    pub(super) fn bytes_of(&self, node: usize, slot: usize) -> Option<Binaries> {
        fold::bytes_of(self.compiled, node, fold::activation_input(self.state, node), slot)
    }

    /// Key of an event of a recovery node; `next` when it is about to run.
    pub(super) fn recovery_key(&self, node: usize, slot: usize, recovery: usize, next: bool) -> EventKey {
        let runs = fold::slot_ref(self.state, node, slot).map_or(0, |s| s.runs_of(recovery));
        EventKey { node: Some(recovery), item: None, visit: Some(runs + u32::from(next)), attempt: Some(0) }
    }

    /// What the expressions of a recovery node see: the failed call's input and error, and its own ancestors.
    pub(super) fn recovery_scope(&self, node: usize, slot: usize, recovery: usize, error: &ErrorPayload) -> Scope {
        let mut scope = prepare::failed_scope(self.compiled, self.state, node, slot, error);
        let nodes = prepare::views(self.compiled, self.state, recovery);
        scope.nodes = Arc::new(nodes);
        scope
    }

    pub(super) fn recovery_config(
        &self,
        node: usize,
        slot: usize,
        recovery: usize,
        error: &ErrorPayload,
    ) -> Result<Arc<Value>, ExprError> {
        let this = &self.compiled.nodes[recovery];
        if this.config_is_static {
            return Ok(Arc::clone(&this.config));
        }
        let scope = self.recovery_scope(node, slot, recovery, error);
        config::evaluate(&this.config, Some(&this.descriptor.config), &scope).map(Arc::new)
    }

    /// [`Self::recovery_config`] as far as it can be made.
    pub(super) fn known_config(&self, node: usize, slot: usize, recovery: usize, error: &ErrorPayload) -> Arc<Value> {
        let this = &self.compiled.nodes[recovery];
        let scope = self.recovery_scope(node, slot, recovery, error);
        Arc::new(config::evaluate_known(&this.config, Some(&this.descriptor.config), &scope))
    }

    /// One decision about a case.
    pub(super) fn decide_case(&mut self, node: usize, slot: usize, case: &Case) -> Result<(), StepError> {
        match &case.at {
            At::Node(recovery) if self.stops_before_recovery(node, slot, *recovery, &case.error)? => Ok(()),
            At::Node(recovery) => match self.compiled.nodes[*recovery].recovery {
                Some(RecoveryKind::Handler) | None => {
                    let handled = route::by_handler(self.compiled, self.state, node, slot, &case.error, *recovery);
                    let handled =
                        signalbox_model::event::ErrorHandled { origin: Some(self.origin_of(node, slot)), ..handled };
                    let key = self.recovery_key(node, slot, *recovery, true);
                    self.emit(Some(key), EventBody::ErrorHandled(handled))
                }
                Some(RecoveryKind::Healer) => self.heal(node, slot, *recovery, &case.error),
                Some(RecoveryKind::Human) if self.state.is_given_up() => self.ask_nobody(node, slot),
                Some(RecoveryKind::Human) => self.ask_human(node, slot, *recovery, &case.error),
                Some(RecoveryKind::Audit) => self.pass_audit(node, slot, *recovery, &case.error),
            },
            At::BuiltInFix => {
                let input = fold::input_value(self.compiled, self.state, node, slot);
                let tried = match route::known_schema(self.compiled, node, &case.error) {
                    Some(schema) => heal::by_rules(&input, &schema),
                    None => heal::refused(vec!["Nothing says what the input should look like".into()]),
                };
                let key = self.event_key(node, Some(slot), slot);
                self.emit(Some(key), EventBody::AutoFixAttempt(tried))
            }
            At::Ask if self.state.is_given_up() => self.ask_nobody(node, slot),
            At::Ask if fold::tool_call::is_waiting(self.state, node, slot) => match question::of(&case.error) {
                Some(asked) => self.ask_question(node, slot, &case.error, asked),
                None => self.ask_tool_call(node, slot, &case.error),
            },
            At::Ask => {
                let interrupted = route::is_cut_off(self.compiled, self.state, node, slot, &case.error);
                self.ask_default(node, slot, &case.error, interrupted)
            }
            At::Answered { node: human, answer } => self.human_done(node, slot, *human, answer, &case.error),
            At::Expired { node: human } => {
                let failure = expired();
                let error = self.recovery_error(node, slot, *human, &failure);
                self.recovery_failed(node, slot, *human, error)
            }
            At::Retry => {
                let retry = route::planned(
                    self.compiled,
                    self.state,
                    node,
                    slot,
                    &case.error,
                    &self.compiled.nodes[node].retry_numbers,
                );
                self.retry(node, slot, retry)
            }
            // These wait; nothing is to be decided.
            At::Running(_) | At::Asked => {
                self.state.work.set_undecided((node, slot), false);
                Ok(())
            }
        }
    }

    /// A person would be asked, and the run was given up.
    fn ask_nobody(&mut self, node: usize, slot: usize) -> Result<(), StepError> {
        let key = self.event_key(node, Some(slot), slot);
        self.emit(Some(key), EventBody::ErrorHandled(route::by_nobody(self.compiled, node)))
    }

    pub(super) fn retry(&mut self, node: usize, slot: usize, retry: RetryScheduled) -> Result<(), StepError> {
        let key = self.event_key(node, Some(slot), slot);
        let due_ms = self.now.saturating_add(i64::try_from(retry.delay_ms).unwrap_or(i64::MAX));
        self.emit(Some(key), EventBody::RetryScheduled(retry))?;
        let next = self.call_key(node, slot);
        self.out.effects.push(Effect::Timer { timer: Timer::Retry(next), due_ms });
        Ok(())
    }

    pub(super) fn recovery_start(
        &mut self,
        node: usize,
        slot: usize,
        recovery: usize,
        config: Arc<Value>,
    ) -> Result<EventKey, StepError> {
        let key = self.recovery_key(node, slot, recovery, true);
        let this = &self.compiled.nodes[recovery];
        let input = fold::input_value(self.compiled, self.state, node, slot);
        let start = StepStart {
            kind: this.kind.to_string(),
            meta: this.meta.clone(),
            resolved_inputs: None,
            config,
            configs: None,
            input: [InputItem { item: 0, data: input.into() }].into(),
            input_items: None,
            idempotency_key: None,
            due_ms: None,
            origin: Some(self.origin_of(node, slot)),
            pinned: false,
            faulted: false,
            masked: Vec::new(),
        };
        self.emit(Some(key), EventBody::StepStart(start))?;
        Ok(key)
    }

    pub(super) fn recovery_done(
        &mut self,
        node: usize,
        slot: usize,
        recovery: usize,
        port: &str,
        item: Item,
    ) -> Result<(), StepError> {
        let key = self.recovery_key(node, slot, recovery, false);
        let selected = self.compiled.nodes[recovery].selects.then(|| port.to_owned());
        let done = StepDone {
            outputs: None,
            selected,
            ports: IndexMap::from([(port.to_owned(), 1)]),
            items: IndexMap::from([(port.to_owned(), vec![item].into())]),
            origin: Some(self.origin_of(node, slot)),
            pinned: false,
            masked: Vec::new(),
        };
        self.emit(Some(key), EventBody::StepDone(done))
    }

    pub(super) fn recovery_failed(
        &mut self,
        node: usize,
        slot: usize,
        recovery: usize,
        mut error: ErrorPayload,
    ) -> Result<(), StepError> {
        let key = self.recovery_key(node, slot, recovery, false);
        let origin = Some(self.origin_of(node, slot));
        error.provenance_ref = Some(self.next_event_ref());
        self.emit(Some(key), EventBody::StepError(StepErrorEvent { error: Arc::new(error), origin, held: None }))
    }

    /// The failure of a recovery node itself.
    pub(super) fn recovery_error(
        &self,
        node: usize,
        slot: usize,
        recovery: usize,
        failure: &NodeFailure,
    ) -> ErrorPayload {
        let this = &self.compiled.nodes[recovery];
        let mut details = failure.details_with_code();
        fold::add_error_input(self.compiled, self.state, node, slot, &mut details);
        ErrorPayload {
            error_type: failure.error_type,
            message: failure.message.clone(),
            retryable: failure.retryable,
            origin_node: this.id.to_string(),
            origin_run_id: Some(self.state.run_id.to_string()),
            attempt: Some(0),
            max_attempts: Some(this.max_attempts),
            timestamp: time::format(self.now),
            suggested_action: failure.suggested_action,
            provenance_ref: None,
            trace_id: Some(self.state.trace_id()),
            details: Some(details),
        }
    }

    /// An Audit on the way of a case: its record is an effect.
    fn pass_audit(
        &mut self,
        node: usize,
        slot: usize,
        audit: usize,
        error: &Arc<ErrorPayload>,
    ) -> Result<(), StepError> {
        let config = self.recovery_config(node, slot, audit, error);
        let (config, broken) = match config {
            Ok(config) => (config, None),
            Err(error) => (Arc::new(Value::Null), Some(error.failure("config"))),
        };
        let key = self.recovery_start(node, slot, audit, Arc::clone(&config))?;
        if let Some(failure) = broken {
            let told = self.recovery_error(node, slot, audit, &failure);
            return self.recovery_failed(node, slot, audit, told);
        }
        let item = Item {
            id: "1".into(),
            data: Arc::new(fold::input_value(self.compiled, self.state, node, slot)),
            binary: self.bytes_of(node, slot),
            error: Some(Arc::clone(error)),
            paired_item: None,
        };
        let call = self.recovery_call((node, slot), key, error, config, item);
        self.out.effects.push(Effect::Call(Box::new(Call { effects: Effects::Write, ..call })));
        Ok(())
    }

    /// A call of a recovery node for a failed slot.
    pub(super) fn recovery_call(
        &self,
        (node, slot): (usize, usize),
        key: EventKey,
        error: &ErrorPayload,
        config: Arc<Value>,
        item: Item,
    ) -> Call {
        let recovery = key.node.unwrap_or(node);
        let this = &self.compiled.nodes[recovery];
        let visit = key.visit.unwrap_or(1);
        let attempt = self.tries(node, slot, recovery);
        let origin = self.origin_of(node, slot);
        let origin = origin.path.map_or_else(|| origin.step_id.clone(), |path| format!("{path}/{}", origin.step_id));
        let (of_slot, of_visit, of_try) = ((slot as u64).to_be_bytes(), visit.to_be_bytes(), attempt.to_be_bytes());
        let mut parts: Vec<&[u8]> =
            vec![self.state.run_id.as_bytes(), this.id.as_bytes(), origin.as_bytes(), &of_slot, &of_visit];
        if attempt > 0 {
            parts.push(&of_try);
        }
        Call {
            key: CallKey {
                path: fold::place::path_of(self.compiled, self.state, node).unwrap_or_default(),
                node: recovery,
                item: None,
                visit,
                attempt,
                origin: Some((node, slot)),
            },
            node_id: Arc::clone(&this.id),
            kind: Arc::clone(&this.kind),
            mode: Mode::Each,
            effects: Effects::Read,
            idempotency_key: sha256_parts(&parts),
            slots: vec![CallSlot {
                item: 0,
                config,
                input: Arc::new(vec![item].into()),
                scope: self.recovery_scope(node, slot, recovery, error),
                sources: Vec::new(),
            }],
            timeout_ms: this.node.timeout_ms.or(this.descriptor.timeout_ms),
            loopback_allowed: self.state.is_started_here() && !this.host_from_data,
            model: this.model.clone(),
            connector: this.connector.clone(),
            workflow: Arc::clone(&self.compiled.file(recovery).workflow),
            launch_id: String::new(),
            fault: None,
            budget: self.budget(),
            permits: Permits::default(),
            run_id: Arc::clone(&self.state.run_id),
            workflow_id: Arc::from(self.compiled.file(recovery).workflow.id.as_str()),
        }
    }

    /// Questions that a recovery node has asked a model in this visit of the slot.
    pub(super) fn tries(&self, node: usize, slot: usize, recovery: usize) -> u32 {
        fold::slot_ref(self.state, node, slot).and_then(|s| s.asked_by(recovery)).map_or(0, |asked| asked.tries)
    }

    /// The call of a recovery node has ended.
    pub(super) fn recovered(
        &mut self,
        key: &CallKey,
        (node, slot): (usize, usize),
        result: Result<CallOutput, NodeFailure>,
    ) -> Result<(), StepError> {
        let audit = key.node;
        if !self.is_recovering(key, (node, slot)) {
            return Ok(());
        }
        let Some(case) = case::case_of(self.state, node, slot).cloned() else { return Ok(()) };
        if self.compiled.nodes[key.node].recovery == Some(RecoveryKind::Healer) {
            return self.answered_by_model(node, slot, key.node, &case.error, result);
        }
        self.out.durable = true;
        match result {
            Ok(_) => {
                let data = Arc::new(fold::input_value(self.compiled, self.state, node, slot));
                let item = Item {
                    id: "1".into(),
                    data,
                    binary: self.bytes_of(node, slot),
                    error: Some(case.error),
                    paired_item: Some(slot),
                };
                self.recovery_done(node, slot, audit, "success", item)
            }
            Err(failure) => {
                let told = self.recovery_error(node, slot, audit, &failure);
                self.recovery_failed(node, slot, audit, told)
            }
        }
    }

    /// The call of a recovery node for a failed slot is under way.
    pub(super) fn is_recovering(&self, key: &CallKey, (node, slot): (usize, usize)) -> bool {
        if self.tries(node, slot, key.node) != key.attempt {
            return false;
        }
        let runs = fold::slot_ref(self.state, node, slot).map_or(0, |s| s.runs_of(key.node));
        runs == key.visit && case::case_of(self.state, node, slot).is_some_and(|case| case.at == At::Running(key.node))
    }

    /// Calls of recovery nodes are cut off; a run that goes on makes them again.
    pub(super) fn interrupt_recovery(&mut self) -> Result<(), StepError> {
        for (node, slot) in self.state.work.auditing().clone() {
            let Some(At::Running(recovery)) = case::case_of(self.state, node, slot).map(|c| c.at.clone()) else {
                continue;
            };
            self.cut_recovery(node, slot, recovery)?;
        }
        Ok(())
    }

    /// A recovery node that works on a slot is cut off.
    pub(super) fn cut_recovery(&mut self, node: usize, slot: usize, recovery: usize) -> Result<(), StepError> {
        let key = self.recovery_key(node, slot, recovery, false);
        let origin = Some(self.origin_of(node, slot));
        let cut = signalbox_model::event::StepInterrupted { effect: None, origin };
        self.emit(Some(key), EventBody::StepInterrupted(cut))
    }
}
