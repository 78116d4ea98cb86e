//! People (SEMANTICS 5, UX D): what a task says, whom it waits for, what an answer leads to.

use super::{Deciding, EventKey, StepError, deadline::Limit, finish::after};
use crate::{
    compiled::Way, decision, effect::CallOutput, fold, rerun::digest_of, route, schema::Schema, state::OpenTask,
};
use serde_json::Value;
use signalbox_model::event::Telemetry;
use signalbox_model::{
    Binaries, ErrorPayload, EventBody, Item, Level, Map, Role, TaskAction, TaskKind, TaskReason,
    base::{KeptAnswer, named},
    hash::sha256_parts,
    task::{
        self, Alternative, Answer, HumanTaskCompleted, HumanTaskCreated, Origin, PauseResumed, PauseStart, SentFrom,
    },
    text::one_line,
    time,
};
use std::sync::Arc;

/// Open tasks of one fingerprint in a run; what comes after them is one task (UX D2.7).
pub const MANY_TASKS: usize = 100;
/// An expression may ask for more reminders than anybody wants: each one is an event.
const LEAST_REMINDER_MS: u64 = 1_000;

impl Deciding<'_> {
    /// A human node asks.
    pub(super) fn ask_human(
        &mut self,
        node: usize,
        slot: usize,
        human: usize,
        error: &Arc<ErrorPayload>,
    ) -> Result<(), StepError> {
        let config = self.recovery_config(node, slot, human, error);
        // A title that cannot be made must not keep the person from being asked: it says what is known.
        let config = config.unwrap_or_else(|_| self.known_config(node, slot, human, error));
        let key = self.recovery_start(node, slot, human, Arc::clone(&config))?;
        let config = config.as_object().cloned().unwrap_or_default();
        let this = &self.compiled.nodes[human];
        let wired: Vec<usize> = match self.compiled.way(human, "alternative", node) {
            Way::Exit(edges) => edges.iter().map(|e| self.compiled.edges[*e].to).collect(),
            Way::Recovery(_) | Way::Reentry(_) | Way::Unwired => Vec::new(),
        };
        let alternatives = alternatives(&config, &wired, &|i| {
            let node = &self.compiled.nodes[i];
            (node.id.to_string(), node.name().to_owned())
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
            reason: if route::is_cut_off(self.compiled, self.state, node, slot, error) {
                TaskReason::Interrupted
            } else {
                TaskReason::Error
            },
            title,
            allowed,
            alternatives,
            error: Some(Arc::clone(error)),
            input: Arc::new(fold::input_value(self.compiled, self.state, node, slot)),
            binary: self.bytes_of(node, slot),
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
        let name = this.name();
        let first = error.details.as_ref().and_then(|d| d.get("originalError")).and_then(|e| e.get("message"));
        let message = first.and_then(Value::as_str).unwrap_or(&error.message);
        let mut short: String = message.chars().take(160).collect();
        if short.len() < message.len() {
            short.push('…');
        }
        format!("{name}: {short}")
    }

    /// The default task: no human node is wired.
    pub(super) fn ask_default(
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
            binary: self.bytes_of(node, slot),
            schema: route::known_schema(self.compiled, node, error),
        };
        let id = Arc::clone(&self.compiled.nodes[node].id);
        let created = self.task(node, None, &id, asked, &Map::new());
        let key = self.event_key(node, Some(slot), slot);
        self.create(key, created)
    }

    /// A model wants to call a tool, and a rule asks before (ADR 51). Each call is looked at by itself: such tasks are never
    /// put together, and look alike only when tool and arguments are the same.
    pub(super) fn ask_tool_call(
        &mut self,
        node: usize,
        slot: usize,
        error: &Arc<ErrorPayload>,
    ) -> Result<(), StepError> {
        let this = &self.compiled.nodes[node];
        let id = Arc::clone(&this.id);
        let asked = error.details.as_ref().and_then(|details| details.get("toolCall")).cloned().unwrap_or_default();
        let told = |name: &str| asked.get(name).and_then(Value::as_str).map(one_line).unwrap_or_default();
        let (server, tool) = (told("server"), told("tool"));
        let name = this.name();
        let title = format!("{name}: may it call {tool} of {server}?").chars().take(200).collect();
        let arguments = asked.get("arguments").cloned().unwrap_or_default();
        let seen = arguments.to_string();
        let parts = [&*self.compiled.workflow.id, &*id, &*server, &*tool, &*seen].map(str::as_bytes);
        let fingerprint = sha256_parts(&parts);
        let asked = Asked {
            kind: TaskKind::Decision,
            reason: TaskReason::ToolCall,
            title,
            allowed: vec![TaskAction::Approve, TaskAction::Reject, TaskAction::Abort],
            alternatives: Vec::new(),
            error: Some(Arc::clone(error)),
            input: Arc::new(arguments),
            binary: Default::default(),
            schema: None,
        };
        let why = Some(told("why")).filter(|why| !why.is_empty());
        let config = why.into_iter().map(|why| ("instructions".to_owned(), Value::String(why))).collect();
        let mut created = self.task(node, None, &id, asked, &config);
        created.fingerprint = fingerprint.get(..16).unwrap_or(&fingerprint).to_owned();
        let key = self.event_key(node, Some(slot), slot);
        self.create(key, created)
    }

    /// What the step called asks back (ADR 123). Each question is its own task: an answer to one says nothing about another.
    pub(super) fn ask_question(
        &mut self,
        node: usize,
        slot: usize,
        error: &Arc<ErrorPayload>,
        question: &Value,
    ) -> Result<(), StepError> {
        let this = &self.compiled.nodes[node];
        let id = Arc::clone(&this.id);
        let told = |name: &str| question.get(name).and_then(Value::as_str).unwrap_or_default();
        let from = one_line(told("from"));
        let title = format!("{}: {from} asks", this.name()).chars().take(200).collect();
        let schema = question.get("schema").filter(|schema| schema.is_object()).cloned();
        let parts = [&*self.compiled.workflow.id, &*id, &*from, told("message")].map(str::as_bytes);
        let fingerprint = sha256_parts(&parts);
        let asked = Asked {
            kind: TaskKind::Decision,
            reason: TaskReason::Question,
            title,
            allowed: vec![TaskAction::Submit, TaskAction::Reject, TaskAction::Abort],
            alternatives: Vec::new(),
            error: Some(Arc::clone(error)),
            input: Arc::new(question.get("values").cloned().unwrap_or_else(|| Value::Object(Map::new()))),
            binary: Default::default(),
            schema,
        };
        let mut config = Map::new();
        config.insert("instructions".into(), told("message").into());
        if let Some(ttl) = question.get("ttlMs").and_then(Value::as_u64) {
            // After the time limit the step continues, and reports to the agent that nobody answered.
            config.insert("ttlMs".into(), ttl.into());
            config.insert("onExpiry".into(), "retry".into());
        }
        let mut created = self.task(node, None, &id, asked, &config);
        created.fingerprint = fingerprint.get(..16).unwrap_or(&fingerprint).to_owned();
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
        let name = this.name();
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
            binary: self.bytes_of(node, 0),
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
            self.emit(Some(key), Telemetry::PauseStart(start).into())?;
        }
        self.create(key, created)
    }

    fn task(&self, node: usize, human: Option<usize>, asks: &str, asked: Asked, config: &Map) -> HumanTaskCreated {
        let error = asked.error.as_deref();
        let severity = error.map_or(Level::Info, decision::severity);
        let fingerprint = fingerprint(&self.compiled.workflow.id, &self.compiled.nodes[node].id, asks, error);
        let number = |name: &str| config.get(name).and_then(Value::as_u64);
        let asking = human.unwrap_or(node);
        let business = config.get("businessHours").and_then(Value::as_bool).unwrap_or(false);
        let limit = Limit {
            ttl: number("ttlMs").and_then(|ms| i64::try_from(ms).ok()),
            calendar: self.compiled.file(asking).calendar.as_ref().filter(|_| business),
        };
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
            priority: number("priority").and_then(|p| u8::try_from(p.min(100)).ok()).unwrap_or(match severity {
                Level::Critical => 90,
                Level::Error => 60,
                Level::Warn => 40,
                Level::Info => 30,
            }),
            severity,
            fingerprint,
            error: asked.error,
            input: asked.input,
            binary: asked.binary,
            schema: asked.schema,
            redact: names(config, "redact"),
            expires_at: limit.expires(self.now),
            remind_every_ms: number("remindEveryMs").map(|ms| ms.max(LEAST_REMINDER_MS)),
            // H-25…H-27 say all that a pause tells.
            remind_at: match (asked.kind, number("remindEveryMs")) {
                (TaskKind::Pause, _) | (_, Some(_)) => Vec::new(),
                (_, None) => limit.reminders(self.now),
            },
            business_ttl_ms: limit.calendar.and_then(|_| number("ttlMs")),
            on_expiry: task::on_expiry(config),
            cases: None,
            min_approvals: None,
            no_self_approval: false,
            reopens: None,
            sent_from: None,
        };
        match created.kind {
            TaskKind::Decision if matches!(created.reason, TaskReason::ToolCall | TaskReason::Question) => {}
            TaskKind::Decision => self.collect(&mut created, human),
            TaskKind::Approval => {
                let wanted = number("minApprovals").and_then(|n| u32::try_from(n).ok());
                created.min_approvals = wanted.filter(|n| *n > 1);
                created.no_self_approval = config.get("noSelfApproval").and_then(Value::as_bool).unwrap_or(false);
            }
            TaskKind::Form | TaskKind::Pause => {}
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

    fn create(&mut self, key: EventKey, mut created: HumanTaskCreated) -> Result<(), StepError> {
        let id = created.task_id.clone();
        self.out.durable = true;
        // No answer is about a call of a tool but the one that is given to it: also not that of an approval which stood here before.
        let keeps = !matches!(created.reason, TaskReason::ToolCall | TaskReason::Question);
        let (kept, reopens, sent_from) = match self.ask_place(key, &created) {
            Some(place) => {
                let kept = self.kept_answer(&place, &created).filter(|_| keeps);
                (kept, self.reopened(&place), self.sent(&place))
            }
            None => (None, None, None),
        };
        (created.reopens, created.sent_from) = (reopens, sent_from);
        self.emit(Some(key), EventBody::HumanTaskCreated(Box::new(created)))?;
        if let Some(KeptAnswer { answer, run_id, .. }) = kept {
            return self.answer(&id, answer, None, Some(run_id));
        }
        self.task_timer(&id);
        Ok(())
    }

    /// Where a re-run asks: the step that asks, the failed step, the item. Other runs have nothing to compare it with.
    fn ask_place(&self, key: EventKey, created: &HumanTaskCreated) -> Option<AskPlace> {
        if self.state.kept_answers.is_empty() && self.state.reopens.is_none() && self.state.sent.is_none() {
            return None;
        }
        let node = key.node?;
        let path = fold::place::path_of(self.compiled, self.state, node);
        let step = named(path.as_deref(), &self.compiled.nodes[node].id);
        let origin = created.origin.as_ref().map(|origin| named(origin.path.as_deref(), &origin.step_id));
        let item = created.origin.as_ref().map_or(key.item, |origin| origin.item).unwrap_or(0);
        Some((step, origin, item))
    }

    /// The task of the original that is asked again with this one.
    fn reopened(&self, (step, origin, item): &AskPlace) -> Option<String> {
        let wanted = self.state.reopens.as_ref()?;
        let same = wanted.step == *step && wanted.origin == *origin && wanted.item == *item;
        same.then(|| wanted.task_id.clone())
    }

    /// The failed run that was sent to the inbox as this task.
    fn sent(&self, (step, origin, item): &AskPlace) -> Option<SentFrom> {
        let sent = self.state.sent.as_deref()?;
        let same = sent.step == *step && origin.is_none() && sent.item == *item;
        same.then(|| SentFrom { run_id: sent.run_id.clone(), by: sent.by.clone(), reason: sent.reason.clone() })
    }

    /// What a person answered in the original of this re-run, when it is an answer to what is asked now (SEMANTICS 9).
    fn kept_answer(&self, (step, origin, item): &AskPlace, created: &HumanTaskCreated) -> Option<KeptAnswer> {
        let same = |kept: &&KeptAnswer| kept.step == *step && kept.origin == *origin && kept.item == *item;
        let kept = self.state.kept_answers.iter().find(same)?;
        // An approval of other data would be one that nobody gave.
        let fits = kept.asked.as_ref().is_none_or(|asked| *asked == digest_of(created))
            && created.allowed_actions.contains(&kept.answer.action)
            && kept
                .answer
                .target_node_id
                .as_ref()
                .is_none_or(|to| created.alternatives.iter().any(|way| way.target_node_id == *to))
            && match (&created.schema, &kept.answer.corrected_input) {
                (Some(schema), Some(given)) => {
                    Schema::compile(schema).is_ok_and(|schema| schema.validate(given).is_ok())
                }
                _ => true,
            };
        fits.then(|| kept.clone())
    }

    /// Key and origin of an event about a task.
    pub(super) fn task_key(&self, task: &OpenTask) -> (EventKey, Option<Origin>) {
        let (node, slot) = task.cases.first().copied().unwrap_or_default();
        match task.asks {
            Some(human) => (self.recovery_key(node, slot, human, false), Some(self.origin_of(node, slot))),
            None => (self.event_key(node, Some(slot), slot), None),
        }
    }

    /// A person answered.
    pub(super) fn decision(&mut self, task_id: &str, answer: Answer, request: Option<String>) -> Result<(), StepError> {
        self.answer(task_id, answer, request, None)
    }

    fn answer(
        &mut self,
        task_id: &str,
        answer: Answer,
        request: Option<String>,
        kept_from: Option<String>,
    ) -> Result<(), StepError> {
        // A task that is closed already: the store refused the answer, or it came twice.
        let Some(task) = self.state.tasks.get(task_id).cloned() else { return Ok(()) };
        let (key, origin) = self.task_key(&task);
        self.out.durable = true;
        let done = HumanTaskCompleted { task_id: task_id.to_owned(), origin, answer: answer.clone(), kept_from };
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
        let given = answer.corrected_input.clone();
        let output = match (kind, answer.action) {
            (TaskKind::Approval, TaskAction::Approve) => CallOutput::pass("approved", &input),
            (TaskKind::Approval, _) => CallOutput::pass("rejected", &input),
            (TaskKind::Form, _) => CallOutput::success(given.as_deref().cloned().unwrap_or_default()),
            (TaskKind::Pause | TaskKind::Decision, _) => {
                let key = self.event_key(node, Some(slot), slot);
                let resumed = PauseResumed {
                    node_id: self.compiled.nodes[node].id.to_string(),
                    request_id: request,
                    resumed_at: time::format(self.now),
                    payload: given.clone(),
                };
                self.emit(Some(key), Telemetry::PauseResumed(resumed).into())?;
                CallOutput::pass("success", &input)
            }
        };
        self.end_self(node, slot, output, given)
    }

    pub(super) fn end_self(
        &mut self,
        node: usize,
        slot: usize,
        output: CallOutput,
        given: Option<Arc<Value>>,
    ) -> Result<(), StepError> {
        let mut scratch = Arc::clone(fold::place::context(self.compiled, self.state, node));
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
    pub(super) fn human_done(
        &mut self,
        node: usize,
        slot: usize,
        human: usize,
        answer: &Answer,
        error: &Arc<ErrorPayload>,
    ) -> Result<(), StepError> {
        let paired = Some(slot);
        let input = Arc::new(fold::input_value(self.compiled, self.state, node, slot));
        let binary = self.bytes_of(node, slot);
        let plain =
            |data: Arc<Value>| Item { id: "1".into(), data, binary: binary.clone(), error: None, paired_item: paired };
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
}

/// The step that asks, the failed step, the index of the item.
type AskPlace = (String, Option<String>, usize);

/// What a task begins with.
struct Asked {
    kind: TaskKind,
    reason: TaskReason,
    title: String,
    allowed: Vec<TaskAction>,
    alternatives: Vec<Alternative>,
    error: Option<Arc<ErrorPayload>>,
    input: Arc<Value>,
    binary: Option<Binaries>,
    schema: Option<Value>,
}

fn text(config: &Map, name: &str) -> Option<String> {
    config.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn names(config: &Map, name: &str) -> Vec<String> {
    let list = config.get(name).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The declared alternatives that are wired, or all that are wired.
fn alternatives(config: &Map, wired: &[usize], named: &dyn Fn(usize) -> (String, String)) -> Vec<Alternative> {
    let targets = wired.iter().map(|i| named(*i)).map(|(target_node_id, label)| Alternative { target_node_id, label });
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
