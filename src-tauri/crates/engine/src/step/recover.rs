//! Cases on their way (SEMANTICS 4 and 5): what recovery nodes do, whom a task asks, what an answer leads to.

use super::{Deciding, EventKey, StepError, finish::after};
use crate::{
    compiled::Way,
    config,
    effect::{Call, CallKey, CallOutput, CallSlot, Effect, OutItem, Timer},
    expr::ExprError,
    fold::{self, case},
    recovery::RecoveryKind,
    repair, route,
    scope::Scope,
    state::{At, Case, OpenTask},
};
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_model::{
    Effects, ErrorPayload, ErrorType, EventBody, Item, Level, Map, Mode, NodeFailure, Role, TaskAction, TaskKind,
    TaskReason,
    event::{InputItem, RetryScheduled, StepDone, StepError as StepErrorEvent, StepStart},
    hash::sha256_parts,
    task::{
        self, Alternative, Answer, AutoFixAttempt, Escalated, ExpiryAction, HumanTaskCompleted, HumanTaskCreated,
        HumanTaskReminded, OnExpiry, Origin, PauseResumed, PauseStart, PauseTimeout,
    },
    time::{self, Millis},
};
use std::sync::Arc;

/// Open tasks of one fingerprint in a run; what comes after them is one task (UX D2.7).
pub const MANY_TASKS: usize = 100;

impl Deciding<'_> {
    pub(super) fn origin_of(&self, node: usize, slot: usize) -> Origin {
        let known = fold::slot_ref(self.state, node, slot);
        Origin {
            step_id: self.compiled.nodes[node].id.to_string(),
            path: None,
            item: self.many(node).then_some(slot),
            visit: known.map_or(1, |s| s.visit),
            attempt: known.map_or(0, |s| s.attempt),
        }
    }

    /// Key of an event of a recovery node; `next` when it is about to run.
    fn recovery_key(&self, node: usize, slot: usize, recovery: usize, next: bool) -> EventKey {
        let runs = fold::slot_ref(self.state, node, slot).map_or(0, |s| s.runs_of(recovery));
        EventKey { node: Some(recovery), item: None, visit: Some(runs + u32::from(next)), attempt: Some(0) }
    }

    /// What the expressions of a recovery node see: the failed call's input and error, and its own ancestors.
    fn recovery_scope(&self, node: usize, slot: usize, recovery: usize, error: &ErrorPayload) -> Scope {
        let mut scope = super::failed_scope(self.compiled, self.state, node, slot, error);
        let nodes = self.compiled.nodes[recovery]
            .references
            .iter()
            .filter_map(|i| {
                self.state.nodes[*i].last.as_ref().map(|l| (self.compiled.nodes[*i].id.to_string(), l.view()))
            })
            .collect();
        scope.nodes = Arc::new(nodes);
        scope
    }

    fn recovery_config(
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

    /// One decision about a case.
    pub(super) fn decide_case(&mut self, node: usize, slot: usize, case: &Case) -> Result<(), StepError> {
        match &case.at {
            At::Node(recovery) => match self.compiled.nodes[*recovery].recovery {
                Some(RecoveryKind::Handler) | None => {
                    let handled = route::by_handler(self.compiled, self.state, node, slot, &case.error, *recovery);
                    let handled =
                        signalbox_model::event::ErrorHandled { origin: Some(self.origin_of(node, slot)), ..handled };
                    let key = self.recovery_key(node, slot, *recovery, true);
                    self.emit(Some(key), EventBody::ErrorHandled(handled))
                }
                Some(RecoveryKind::Healer) => self.heal(node, slot, *recovery, &case.error),
                Some(RecoveryKind::Human) => self.ask_human(node, slot, *recovery, &case.error),
                Some(RecoveryKind::Audit) => self.pass_audit(node, slot, *recovery, &case.error),
            },
            At::BuiltInFix => {
                let input = fold::input_value(self.compiled, self.state, node, slot);
                let tried = match route::known_schema(self.compiled, node, &case.error) {
                    Some(schema) => attempt(&input, &schema),
                    None => refused(vec!["Nothing says what the input should look like".into()]),
                };
                let key = self.event_key(node, Some(slot), slot);
                self.emit(Some(key), EventBody::AutoFixAttempt(tried))
            }
            At::Ask => {
                let interrupted = case.error.code() == "INTERRUPTED";
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
                self.state.undecided.remove(&(node, slot));
                Ok(())
            }
        }
    }

    pub(super) fn retry(&mut self, node: usize, slot: usize, retry: RetryScheduled) -> Result<(), StepError> {
        let key = self.event_key(node, Some(slot), slot);
        let due_ms = self.now.saturating_add(i64::try_from(retry.delay_ms).unwrap_or(i64::MAX));
        self.emit(Some(key), EventBody::RetryScheduled(retry))?;
        let next = self.call_key(node, slot);
        self.out.effects.push(Effect::Timer { timer: Timer::Retry(next), due_ms });
        Ok(())
    }

    fn recovery_start(
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
            input: vec![InputItem { item: 0, data: Arc::new(input) }],
            idempotency_key: None,
            due_ms: None,
            origin: Some(self.origin_of(node, slot)),
        };
        self.emit(Some(key), EventBody::StepStart(start))?;
        Ok(key)
    }

    fn recovery_done(
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
            items: IndexMap::from([(port.to_owned(), vec![item])]),
            origin: Some(self.origin_of(node, slot)),
        };
        self.emit(Some(key), EventBody::StepDone(done))
    }

    fn recovery_failed(
        &mut self,
        node: usize,
        slot: usize,
        recovery: usize,
        error: ErrorPayload,
    ) -> Result<(), StepError> {
        let key = self.recovery_key(node, slot, recovery, false);
        let origin = Some(self.origin_of(node, slot));
        self.emit(Some(key), EventBody::StepError(StepErrorEvent { error: Arc::new(error), origin }))
    }

    /// The failure of a recovery node itself.
    fn recovery_error(&self, node: usize, slot: usize, recovery: usize, failure: &NodeFailure) -> ErrorPayload {
        let this = &self.compiled.nodes[recovery];
        let mut details = failure.details_with_code();
        details.insert("input".into(), fold::input_value(self.compiled, self.state, node, slot));
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
            details: Some(details),
        }
    }

    /// A healer: one deterministic try in each visit of the origin.
    fn heal(&mut self, node: usize, slot: usize, healer: usize, error: &Arc<ErrorPayload>) -> Result<(), StepError> {
        let config = self.recovery_config(node, slot, healer, error);
        let shown = config.as_ref().map_or_else(|_| Arc::new(Value::Null), Arc::clone);
        self.recovery_start(node, slot, healer, Arc::clone(&shown))?;
        let original = fold::input_value(self.compiled, self.state, node, slot);
        let schema = shown
            .get("validationSchema")
            .filter(|schema| schema.is_object())
            .cloned()
            .or_else(|| route::known_schema(self.compiled, node, error));
        let heals = fold::slot_ref(self.state, node, slot).map_or(0, |s| s.heals);
        let why = match (&schema, heals) {
            (None, _) => Some("nothing says what the input should look like"),
            (Some(_), 1..) => Some("it was repaired once already in this round"),
            (Some(_), 0) => None,
        };
        let mut violations = Vec::new();
        if let (Some(schema), None) = (&schema, why) {
            let tried = AutoFixAttempt { origin: Some(self.origin_of(node, slot)), ..attempt(&original, schema) };
            let (accepted, fixed, delta) = (tried.accepted, tried.fixed_input.clone(), tried.delta);
            violations.clone_from(&tried.violations);
            let key = self.recovery_key(node, slot, healer, false);
            self.emit(Some(key), EventBody::AutoFixAttempt(tried))?;
            if let (true, Some(fixed)) = (accepted, fixed) {
                let data = json!({
                    "fixedInput": *fixed, "original": original, "model": "deterministic", "tokens": null, "delta": delta
                });
                let item =
                    Item { id: "1".into(), data: Arc::new(data), binary: None, error: None, paired_item: Some(slot) };
                return self.recovery_done(node, slot, healer, "success", item);
            }
        }
        let message = match why {
            Some(why) => format!("The input could not be repaired: {why}"),
            None => "The input could not be repaired so that it fits".to_owned(),
        };
        let mut failure = NodeFailure::validation("HEAL_EXHAUSTED", message)
            .suggest(signalbox_model::SuggestedAction::HumanReview)
            .detail("originalError", serde_json::to_value(error.as_ref()).unwrap_or_default());
        if !violations.is_empty() {
            failure = failure.detail("violations", violations);
        }
        if let Some(schema) = schema {
            failure = failure.detail("schema", schema);
        }
        let told = self.recovery_error(node, slot, healer, &failure);
        self.recovery_failed(node, slot, healer, told)
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
            Err(error) => (Arc::new(Value::Null), Some(super::start::failure_of(&error, "config"))),
        };
        let key = self.recovery_start(node, slot, audit, Arc::clone(&config))?;
        if let Some(failure) = broken {
            let told = self.recovery_error(node, slot, audit, &failure);
            return self.recovery_failed(node, slot, audit, told);
        }
        let this = &self.compiled.nodes[audit];
        let item = Item {
            id: "1".into(),
            data: Arc::new(fold::input_value(self.compiled, self.state, node, slot)),
            binary: None,
            error: Some(Arc::clone(error)),
            paired_item: None,
        };
        let scope = self.recovery_scope(node, slot, audit, error);
        let visit = key.visit.unwrap_or(1);
        let origin = self.origin_of(node, slot);
        let idempotency_key = sha256_parts(&[
            self.state.run_id.as_bytes(),
            this.id.as_bytes(),
            origin.step_id.as_bytes(),
            &(slot as u64).to_be_bytes(),
            &visit.to_be_bytes(),
        ]);
        self.out.effects.push(Effect::Call(Box::new(Call {
            key: CallKey {
                path: Arc::from(""),
                node: audit,
                item: None,
                visit,
                attempt: 0,
                origin: Some((node, slot)),
            },
            node_id: Arc::clone(&this.id),
            kind: Arc::clone(&this.kind),
            mode: Mode::Each,
            effects: Effects::Write,
            slots: vec![CallSlot { item: 0, config, input: Arc::new(vec![item]), scope }],
            timeout_ms: this.node.timeout_ms.or(this.descriptor.timeout_ms),
            idempotency_key,
            loopback_allowed: false,
            run_id: Arc::clone(&self.state.run_id),
            workflow_id: Arc::from(self.compiled.workflow.id.as_str()),
        })));
        Ok(())
    }

    /// The record of an Audit on the way was made, or not.
    pub(super) fn audited(
        &mut self,
        key: &CallKey,
        (node, slot): (usize, usize),
        result: Result<CallOutput, NodeFailure>,
    ) -> Result<(), StepError> {
        let audit = key.node;
        let Some(case) = case::case_of(self.state, node, slot).cloned() else { return Ok(()) };
        let runs = fold::slot_ref(self.state, node, slot).map_or(0, |s| s.runs_of(audit));
        if case.at != At::Running(audit) || runs != key.visit {
            return Ok(());
        }
        self.out.durable = true;
        match result {
            Ok(_) => {
                let data = Arc::new(fold::input_value(self.compiled, self.state, node, slot));
                let item =
                    Item { id: "1".into(), data, binary: None, error: Some(case.error), paired_item: Some(slot) };
                self.recovery_done(node, slot, audit, "success", item)
            }
            Err(failure) => {
                let told = self.recovery_error(node, slot, audit, &failure);
                self.recovery_failed(node, slot, audit, told)
            }
        }
    }

    /// A human node asks.
    fn ask_human(
        &mut self,
        node: usize,
        slot: usize,
        human: usize,
        error: &Arc<ErrorPayload>,
    ) -> Result<(), StepError> {
        let config = self.recovery_config(node, slot, human, error);
        // A title that cannot be made must not keep the person from being asked.
        let config = config.unwrap_or_else(|_| Arc::clone(&self.compiled.nodes[human].config));
        let key = self.recovery_start(node, slot, human, Arc::clone(&config))?;
        let config = config.as_object().cloned().unwrap_or_default();
        let this = &self.compiled.nodes[human];
        let wired: Vec<usize> = match self.compiled.way(human, "alternative", node) {
            Way::Exit(edges) => edges.iter().map(|e| self.compiled.edges[*e].to).collect(),
            Way::Recovery(_) | Way::Reentry | Way::Unwired => Vec::new(),
        };
        let alternatives = alternatives(&config, &wired, &|i| {
            let node = &self.compiled.nodes[i];
            (node.id.to_string(), node.node.title.clone())
        });
        let can_skip = matches!(self.compiled.way(human, "skip", node), Way::Exit(_)) || self.can_skip(node);
        let listed: Vec<TaskAction> = config
            .get("allowedActions")
            .and_then(Value::as_array)
            .map(|list| list.iter().filter_map(|v| TaskAction::parse(v.as_str()?)).collect())
            .unwrap_or_else(|| {
                use TaskAction::{Abort, Alternative, Correct, Retry, Skip};
                vec![Retry, Correct, Skip, Alternative, Abort]
            });
        let allowed = listed
            .into_iter()
            .filter(|action| match action {
                TaskAction::Skip => can_skip,
                TaskAction::Alternative => !alternatives.is_empty(),
                TaskAction::Retry | TaskAction::Correct | TaskAction::Abort => true,
                TaskAction::Approve | TaskAction::Reject | TaskAction::Submit => false,
            })
            .collect();
        let title = text(&config, "title").unwrap_or_else(|| self.default_title(node, error));
        let asked = Asked {
            kind: TaskKind::Decision,
            reason: if error.code() == "INTERRUPTED" { TaskReason::Interrupted } else { TaskReason::Error },
            title,
            allowed,
            alternatives,
            error: Some(Arc::clone(error)),
            input: Arc::new(fold::input_value(self.compiled, self.state, node, slot)),
            schema: route::known_schema(self.compiled, node, error),
        };
        let created = self.task(node, Some(human), &this.id, asked, &config);
        let created = HumanTaskCreated { origin: Some(self.origin_of(node, slot)), ..created };
        self.create(key, created)
    }

    fn can_skip(&self, node: usize) -> bool {
        let this = &self.compiled.nodes[node];
        this.fallback || this.descriptor.ports.iter().any(|port| port.id == "success")
    }

    fn default_title(&self, node: usize, error: &ErrorPayload) -> String {
        let this = &self.compiled.nodes[node];
        let name = this.node.title.as_deref().unwrap_or(&this.id);
        let first = error.details.as_ref().and_then(|d| d.get("originalError")).and_then(|e| e.get("message"));
        let message = first.and_then(Value::as_str).unwrap_or(&error.message);
        let short: String = message.chars().take(160).collect();
        format!("{name}: {short}")
    }

    /// The default task: no human node is wired.
    fn ask_default(
        &mut self,
        node: usize,
        slot: usize,
        error: &Arc<ErrorPayload>,
        interrupted: bool,
    ) -> Result<(), StepError> {
        use TaskAction::{Abort, Correct, Retry, Skip};
        let mut allowed = vec![Retry];
        if !interrupted {
            allowed.push(Correct);
        }
        if self.can_skip(node) {
            allowed.push(Skip);
        }
        allowed.push(Abort);
        let asked = Asked {
            kind: TaskKind::Decision,
            reason: if interrupted { TaskReason::Interrupted } else { TaskReason::Error },
            title: self.default_title(node, error),
            allowed,
            alternatives: Vec::new(),
            error: Some(Arc::clone(error)),
            input: Arc::new(fold::input_value(self.compiled, self.state, node, slot)),
            schema: route::known_schema(self.compiled, node, error),
        };
        let id = Arc::clone(&self.compiled.nodes[node].id);
        let created = self.task(node, None, &id, asked, &Map::new());
        let key = self.event_key(node, Some(slot), slot);
        self.create(key, created)
    }

    /// An approval, a form or a pause asks for itself; its `step_start` stands.
    pub(super) fn ask_self(&mut self, node: usize, key: EventKey) -> Result<(), StepError> {
        let this = &self.compiled.nodes[node];
        let known = fold::slot_ref(self.state, node, 0);
        let config = known.and_then(|s| s.config.clone()).unwrap_or_default();
        let mut config = config.as_object().cloned().unwrap_or_default();
        let (kind, allowed) = match this.role {
            Role::Approval => (TaskKind::Approval, vec![TaskAction::Approve, TaskAction::Reject]),
            Role::Pause => (TaskKind::Pause, vec![TaskAction::Submit]),
            _ => (TaskKind::Form, vec![TaskAction::Submit]),
        };
        let name = this.node.title.as_deref().unwrap_or(&this.id);
        let title = text(&config, "title").unwrap_or_else(|| match kind {
            TaskKind::Approval => format!("{name}: approve?"),
            TaskKind::Form => format!("{name}: fill in"),
            TaskKind::Decision | TaskKind::Pause => {
                text(&config, "reason").unwrap_or_else(|| format!("{name}: waits to be resumed"))
            }
        });
        if kind == TaskKind::Pause
            && let Some(ms) = config.get("timeoutMs").cloned()
        {
            config.insert("ttlMs".into(), ms);
            config.insert("onExpiry".into(), "abort".into());
        }
        let asked = Asked {
            kind,
            reason: TaskReason::Step,
            title,
            allowed,
            alternatives: Vec::new(),
            error: None,
            input: Arc::new(fold::input_value(self.compiled, self.state, node, 0)),
            schema: config.get("schema").filter(|s| s.is_object()).cloned(),
        };
        let id = Arc::clone(&this.id);
        let created = self.task(node, None, &id, asked, &config);
        if kind == TaskKind::Pause {
            let start = PauseStart {
                node_id: id.to_string(),
                wait_token: created.task_id.clone(),
                reason: text(&config, "reason"),
                expire_at: created.expires_at.clone(),
            };
            self.emit(Some(key), EventBody::PauseStart(start))?;
        }
        self.create(key, created)
    }

    fn task(&self, node: usize, human: Option<usize>, asks: &str, asked: Asked, config: &Map) -> HumanTaskCreated {
        let error = asked.error.as_deref();
        let severity = error.map_or(Level::Info, route::severity);
        let fingerprint = fingerprint(&self.compiled.workflow.id, &self.compiled.nodes[node].id, asks, error);
        let number = |name: &str| config.get(name).and_then(Value::as_u64);
        let ttl = number("ttlMs").and_then(|ms| i64::try_from(ms).ok());
        let seq = self.state.seq + 1;
        let id = sha256_parts(&[b"task", self.state.run_id.as_bytes(), &seq.to_be_bytes()]);
        let mut created = HumanTaskCreated {
            task_id: format!("t{}", id.get(..24).unwrap_or(&id)),
            origin: None,
            kind: asked.kind,
            reason: asked.reason,
            title: asked.title,
            instructions: text(config, "instructions"),
            allowed_actions: asked.allowed,
            alternatives: asked.alternatives,
            assignee: text(config, "assignee"),
            candidate_groups: names(config, "candidateGroups"),
            priority: number("priority").and_then(|p| u8::try_from(p).ok()).unwrap_or(match severity {
                Level::Critical => 90,
                Level::Error => 60,
                Level::Warn => 40,
                Level::Info => 30,
            }),
            severity,
            fingerprint,
            error: asked.error,
            input: asked.input,
            schema: asked.schema,
            redact: names(config, "redact"),
            expires_at: ttl.map(|ms| time::format(self.now.saturating_add(ms))),
            remind_every_ms: number("remindEveryMs"),
            on_expiry: task::on_expiry(config),
            cases: None,
        };
        if created.kind == TaskKind::Decision {
            self.collect(&mut created, human);
        }
        created
    }

    /// Above [`MANY_TASKS`] of one fingerprint the rest is one task, which is answered for all alike.
    fn collect(&self, created: &mut HumanTaskCreated, human: Option<usize>) {
        let alike = |task: &&OpenTask| task.fingerprint == created.fingerprint && task.asks == human;
        if self.state.tasks.values().filter(alike).count() < MANY_TASKS {
            return;
        }
        let rest = self.state.tasks.iter().find(|(_, task)| task.many && alike(task));
        let count = rest.map_or(1, |(_, task)| task.cases.len() + 1);
        if let Some((id, _)) = rest {
            created.task_id.clone_from(id);
        }
        created.cases = Some(count);
        created.allowed_actions.retain(|a| !matches!(a, TaskAction::Correct | TaskAction::Alternative));
        created.schema = None;
    }

    fn create(&mut self, key: EventKey, created: HumanTaskCreated) -> Result<(), StepError> {
        let id = created.task_id.clone();
        self.out.durable = true;
        self.emit(Some(key), EventBody::HumanTaskCreated(Box::new(created)))?;
        self.task_timer(&id);
        Ok(())
    }

    /// Runs the clock of a task: reminders and expiry.
    pub(super) fn task_timer(&mut self, task: &str) {
        if let Some(due_ms) = self.state.tasks.get(task).and_then(OpenTask::due_ms) {
            self.out.effects.push(Effect::Timer { timer: Timer::Task(task.to_owned()), due_ms });
        }
    }

    /// Key and origin of an event about a task.
    fn task_key(&self, task: &OpenTask) -> (EventKey, Option<Origin>) {
        let (node, slot) = task.cases.first().copied().unwrap_or_default();
        match task.asks {
            Some(human) => (self.recovery_key(node, slot, human, false), Some(self.origin_of(node, slot))),
            None => (self.event_key(node, Some(slot), slot), None),
        }
    }

    /// A person answered.
    pub(super) fn decision(&mut self, task_id: &str, answer: Answer, request: Option<String>) -> Result<(), StepError> {
        // A task that is closed already: the store refused the answer, or it came twice.
        let Some(task) = self.state.tasks.get(task_id).cloned() else { return Ok(()) };
        let (key, origin) = self.task_key(&task);
        self.out.durable = true;
        let done = HumanTaskCompleted { task_id: task_id.to_owned(), origin, answer: answer.clone() };
        self.emit(Some(key), EventBody::HumanTaskCompleted(done))?;
        match task.kind {
            TaskKind::Decision => Ok(()),
            TaskKind::Approval | TaskKind::Form | TaskKind::Pause => {
                let Some((node, slot)) = task.cases.first().copied() else { return Ok(()) };
                self.self_answered(node, slot, task.kind, &answer, request)
            }
        }
    }

    fn self_answered(
        &mut self,
        node: usize,
        slot: usize,
        kind: TaskKind,
        answer: &Answer,
        request: Option<String>,
    ) -> Result<(), StepError> {
        let input = fold::slot_ref(self.state, node, slot).map(|s| s.input.clone()).unwrap_or_default();
        let pass = |port: &str| {
            let items =
                input.iter().enumerate().map(|(i, data)| OutItem { data: Arc::clone(data), paired: Some(i) }).collect();
            CallOutput::items(port, items)
        };
        let given = answer.corrected_input.clone();
        let output = match (kind, answer.action) {
            (TaskKind::Approval, TaskAction::Approve) => pass("approved"),
            (TaskKind::Approval, _) => pass("rejected"),
            (TaskKind::Form, _) => CallOutput::success(given.as_deref().cloned().unwrap_or_default()),
            (TaskKind::Pause | TaskKind::Decision, _) => {
                let key = self.event_key(node, Some(slot), slot);
                let resumed = PauseResumed {
                    node_id: self.compiled.nodes[node].id.to_string(),
                    request_id: request,
                    resumed_at: time::format(self.now),
                    payload: given.clone(),
                };
                self.emit(Some(key), EventBody::PauseResumed(resumed))?;
                pass("success")
            }
        };
        self.end_self(node, slot, output, given)
    }

    fn end_self(
        &mut self,
        node: usize,
        slot: usize,
        output: CallOutput,
        given: Option<Arc<Value>>,
    ) -> Result<(), StepError> {
        let mut scratch = Arc::clone(&self.state.context);
        let into = fold::slot_ref(self.state, node, slot)
            .and_then(|s| s.config.as_ref())
            .and_then(|c| c.get("resumeInto"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        let mut first = None;
        if let (Some(into), Some(given)) = (into, given) {
            match crate::context::write(self.compiled, node, &mut scratch, &into, given) {
                Ok(change) => first = change,
                Err(failure) => return self.fail_slot(node, slot, &failure),
            }
        }
        match after(self.compiled, self.state, node, slot, output, &mut scratch) {
            Ok(mut outcome) => {
                outcome.changes.splice(0..0, first);
                self.done(node, None, vec![outcome])
            }
            Err(failure) => self.fail_slot(node, slot, &failure),
        }
    }

    /// The answered human node ends; the case leaves through its port.
    fn human_done(
        &mut self,
        node: usize,
        slot: usize,
        human: usize,
        answer: &Answer,
        error: &Arc<ErrorPayload>,
    ) -> Result<(), StepError> {
        let paired = Some(slot);
        let input = Arc::new(fold::input_value(self.compiled, self.state, node, slot));
        let plain = |data: Arc<Value>| Item { id: "1".into(), data, binary: None, error: None, paired_item: paired };
        let red = || Item {
            error: Some(Arc::clone(error)),
            ..plain(Arc::new(serde_json::to_value(error.as_ref()).unwrap_or_default()))
        };
        let (port, item) = match answer.action {
            TaskAction::Correct => ("corrected", plain(answer.corrected_input.clone().unwrap_or_default())),
            TaskAction::Skip => ("skip", plain(input)),
            TaskAction::Alternative => ("alternative", red()),
            TaskAction::Abort => ("abort", red()),
            TaskAction::Retry | TaskAction::Approve | TaskAction::Reject | TaskAction::Submit => {
                ("retry", plain(input))
            }
        };
        self.recovery_done(node, slot, human, port, item)
    }

    /// A task's timer: expiry first, then a reminder.
    pub(super) fn task_due(&mut self, task_id: &str) -> Result<(), StepError> {
        let Some(task) = self.state.tasks.get(task_id).cloned() else { return Ok(()) };
        if task.expires_ms.is_some_and(|at| at <= self.now) {
            self.expire(task_id, &task)?;
        } else if task.remind_at().is_some_and(|at| at <= self.now) {
            let every = task.remind_every_ms.unwrap_or(1).max(1);
            // What was missed while nobody ran is told once.
            let reminder = u32::try_from((self.now - task.created_ms) / every).unwrap_or(u32::MAX);
            let (key, origin) = self.task_key(&task);
            let body = HumanTaskReminded { task_id: task_id.to_owned(), origin, reminder };
            self.emit(Some(key), EventBody::HumanTaskReminded(body))?;
        }
        self.task_timer(task_id);
        Ok(())
    }

    fn expire(&mut self, task_id: &str, task: &OpenTask) -> Result<(), StepError> {
        let (key, origin) = self.task_key(task);
        let first = task.cases.first().copied();
        if task.kind == TaskKind::Pause {
            let Some((node, slot)) = first else { return Ok(()) };
            return self.pause_over(node, slot, key);
        }
        let policy = match &task.on_expiry {
            Some(OnExpiry::Policy(policy)) => Some(policy.as_ref().clone()),
            Some(OnExpiry::Action(_)) | None => None,
        };
        let mut action = task.on_expiry.as_ref().map_or(ExpiryAction::Escalate, OnExpiry::action);
        if task.kind != TaskKind::Decision && action != ExpiryAction::Escalate {
            action = ExpiryAction::Abort;
        }
        let ttl: Option<Millis> = match action {
            ExpiryAction::Escalate => policy
                .as_ref()
                .and_then(|p| p.ttl_ms)
                .and_then(|ms| i64::try_from(ms).ok())
                .or(task.ttl_ms)
                // Without a next policy the task just stays.
                .filter(|_| policy.as_ref().is_some_and(|p| p.then.is_some())),
            ExpiryAction::Abort | ExpiryAction::Retry | ExpiryAction::Skip => None,
        };
        let event = Escalated {
            task_id: task_id.to_owned(),
            origin,
            level: task.level + 1,
            action,
            to: policy.as_ref().and_then(|p| p.to.clone()),
            expires_at: ttl.map(|ms| time::format(self.now.saturating_add(ms))),
            on_expiry: policy.and_then(|p| p.then),
        };
        self.out.durable = true;
        self.emit(Some(key), EventBody::Escalated(event))?;
        if let (Some((node, slot)), true) = (first, task.kind != TaskKind::Decision && action != ExpiryAction::Escalate)
        {
            self.fail_slot(node, slot, &expired())?;
        }
        Ok(())
    }

    /// Nobody resumed a pause in time: through `timeout` when it is wired, else it is an error.
    fn pause_over(&mut self, node: usize, slot: usize, key: EventKey) -> Result<(), StepError> {
        let this = &self.compiled.nodes[node];
        let wired = this.out_edges.iter().any(|e| &*self.compiled.edges[*e].port == "timeout");
        let body = PauseTimeout {
            node_id: this.id.to_string(),
            expired_at: time::format(self.now),
            timeout_action: if wired { "timeout" } else { "error" }.into(),
        };
        self.out.durable = true;
        self.emit(Some(key), EventBody::PauseTimeout(body))?;
        if !wired {
            return self.fail_slot(node, slot, &expired());
        }
        let input = fold::slot_ref(self.state, node, slot).map(|s| s.input.clone()).unwrap_or_default();
        let items =
            input.iter().enumerate().map(|(i, data)| OutItem { data: Arc::clone(data), paired: Some(i) }).collect();
        self.end_self(node, slot, CallOutput::items("timeout", items), None)
    }

    /// Calls of Audits on the way that were cut off run again.
    pub(super) fn resume_audits(&mut self) -> Result<(), StepError> {
        for (node, slot) in self.state.auditing.clone() {
            let Some(At::Running(audit)) = case::case_of(self.state, node, slot).map(|c| c.at.clone()) else {
                continue;
            };
            let key = self.recovery_key(node, slot, audit, false);
            let origin = Some(self.origin_of(node, slot));
            let cut = signalbox_model::event::StepInterrupted { effect: None, origin };
            self.emit(Some(key), EventBody::StepInterrupted(cut))?;
        }
        Ok(())
    }
}

/// What a task begins with.
struct Asked {
    kind: TaskKind,
    reason: TaskReason,
    title: String,
    allowed: Vec<TaskAction>,
    alternatives: Vec<Alternative>,
    error: Option<Arc<ErrorPayload>>,
    input: Arc<Value>,
    schema: Option<Value>,
}

fn expired() -> NodeFailure {
    NodeFailure::new(ErrorType::Timeout, "TTL_EXPIRED", "Nobody answered in time")
}

/// One deterministic repair.
fn attempt(input: &Value, schema: &Value) -> AutoFixAttempt {
    let repaired = repair::repair(input, schema);
    let accepted = repaired.accepted();
    AutoFixAttempt {
        model: "deterministic".into(),
        origin: None,
        accepted,
        delta: repaired.delta,
        fixed_input: accepted.then(|| Arc::new(repaired.fixed)),
        patch: (repaired.delta > 0).then(|| serde_json::to_value(&repaired.patch).unwrap_or_default()),
        changes: repaired.changes.into_iter().map(|change| change.note).collect(),
        violations: repaired.violations,
    }
}

fn refused(violations: Vec<String>) -> AutoFixAttempt {
    AutoFixAttempt {
        model: "deterministic".into(),
        origin: None,
        accepted: false,
        delta: 0,
        fixed_input: None,
        patch: None,
        changes: Vec::new(),
        violations,
    }
}

fn text(config: &Map, name: &str) -> Option<String> {
    config.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn names(config: &Map, name: &str) -> Vec<String> {
    let list = config.get(name).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The declared alternatives that are wired, or all that are wired.
fn alternatives(config: &Map, wired: &[usize], named: &dyn Fn(usize) -> (String, Option<String>)) -> Vec<Alternative> {
    let targets = wired.iter().map(|i| named(*i)).map(|(id, title)| {
        let label = title.unwrap_or_else(|| id.clone());
        Alternative { target_node_id: id, label }
    });
    let declared = config.get("alternatives").and_then(Value::as_array);
    let label_of = |id: &str| {
        let entry = declared.into_iter().flatten().find(|entry| {
            entry.as_str() == Some(id) || entry.get("targetNodeId").and_then(Value::as_str) == Some(id)
        })?;
        Some(entry.get("label").and_then(Value::as_str).map(str::to_owned))
    };
    targets
        .filter_map(|target| match (declared, label_of(&target.target_node_id)) {
            (Some(_), Some(Some(label))) => Some(Alternative { label, ..target }),
            (Some(_), Some(None)) | (None, _) => Some(target),
            (Some(_), None) => None,
        })
        .collect()
}

/// The same for failures of one step for one cause: digits and quoted parts of the message do not count.
fn fingerprint(workflow: &str, node: &str, asks: &str, error: Option<&ErrorPayload>) -> String {
    let (kind, code, message) = error.map_or((String::new(), "", String::new()), |error| {
        (format!("{:?}", error.error_type), error.code(), plain_message(&error.message))
    });
    let hash = sha256_parts(&[
        workflow.as_bytes(),
        node.as_bytes(),
        asks.as_bytes(),
        kind.as_bytes(),
        code.as_bytes(),
        message.as_bytes(),
    ]);
    hash.get(..16).unwrap_or(&hash).to_owned()
}

fn plain_message(message: &str) -> String {
    let mut plain = String::with_capacity(message.len());
    let mut quote = None;
    for c in message.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            None if c.is_ascii_digit() => {
                if !plain.ends_with('#') {
                    plain.push('#');
                }
            }
            None => plain.push(c),
        }
    }
    plain
}
