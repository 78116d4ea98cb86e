//! Results of calls: output schema, `out`, `print`, `step_done`.

use super::{Deciding, EventKey, StepError};
use crate::limit;
use crate::payload;
use crate::{
    compiled::Compiled,
    context,
    effect::{CallKey, CallOutput, Effect},
    expr, fold,
    guard::{self, Masker, Seen},
    prepare::{decided, node_scope, seen_input},
    scope::Context,
    state::{Phase, RunState, Slots},
};
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_model::{
    CallProgress, Data, Effects, ErrorType, EventBody, Item, Items, Map, Mode, NodeFailure,
    call_progress::LeftFile,
    event::{FileDone, FileStart, MaskedData, StepDone, StepPrint, Telemetry, VarChanged},
    item::together,
    items::PART,
};
use std::sync::Arc;

/// Items whose values take so many bytes of memory become text.
const LARGE: usize = 4 * 1024 * 1024;

/// What one slot leaves behind when it succeeds.
pub(super) struct Outcome {
    slot: usize,
    output: CallOutput,
    outputs: Option<Map>,
    pub(super) changes: Vec<VarChanged>,
    artifacts: Vec<(String, Arc<Value>)>,
    print: Option<Arc<Value>>,
    masked: Vec<MaskedData>,
}

impl Deciding<'_> {
    /// A call ended. Results of a dead call (other visit or attempt, not running) are ignored.
    pub(super) fn finished(
        &mut self,
        key: &CallKey,
        results: Vec<(usize, Result<CallOutput, NodeFailure>)>,
    ) -> Result<(), StepError> {
        let node = key.node;
        if self.state.nodes.get(node).is_none() {
            return Ok(());
        }
        if let Some(place) = key.origin {
            return match results.into_iter().next() {
                Some((_, result)) => self.recovered(key, place, result),
                None => Ok(()),
            };
        }
        let live: Vec<_> = results.into_iter().filter(|(slot, _)| self.is_live(key, *slot)).collect();
        let Some((first, _)) = live.first() else { return Ok(()) };
        let first = *first;
        let config = fold::slot_ref(self.state, node, first).and_then(|s| s.config.clone()).unwrap_or_default();
        self.out.durable |= matches!(self.compiled.nodes[node].descriptor.effects.of(&config), Effects::Write);

        let mut scratch = Arc::clone(fold::place::context(self.compiled, self.state, node));
        let mut failures = Vec::new();
        let mut outcomes = Vec::new();
        let held = fold::activation(self.state, node).map(|known| &known.slots);
        let mut held = held.map_or(0, |slots| slots.weight() + self.kept_paged(node, slots));
        for (slot, result) in live {
            let result = result.and_then(|output| self.with_room(node, output, &mut held));
            let result = result.and_then(|output| match payload::violation(self.state, output.ports.values()) {
                Some(failure) => Err(failure),
                None => Ok(output),
            });
            let result = result.and_then(|output| after(self.compiled, self.state, node, slot, output, &mut scratch));
            match result {
                Ok(outcome) => outcomes.push(outcome),
                Err(failure) => failures.push((slot, failure)),
            }
        }
        for (slot, failure) in &failures {
            self.fail_slot(node, *slot, failure)?;
        }
        if outcomes.is_empty() { Ok(()) } else { self.done(node, key.item, outcomes) }
    }

    /// What a slot puts out, when there is room for it beside what the others of the step have put out.
    fn with_room(&self, node: usize, mut output: CallOutput, held: &mut usize) -> Result<CallOutput, NodeFailure> {
        // What may leave a body is kept as values until its iteration ends.
        let inside = self.state.frames.get(self.compiled.nodes.frame(node)).is_some();
        let mut bytes = if inside { limit::weight_as_values(&output) } else { limit::weight(&output) };
        let paged = if inside { 0 } else { output.ports.values().map(Items::paged_weight).sum::<usize>() };
        if paged > 0 && self.stays_in_memory(node) {
            bytes += paged;
        }
        if bytes >= LARGE && !inside {
            output.ports.values_mut().for_each(|items| items.keep_as_text(LARGE, crate::value_size::memory));
        }
        let bytes = held.saturating_add(bytes);
        if bytes > self.compiled.most {
            let count = output.ports.values().map(Items::len).sum::<usize>();
            let what = if self.many(node) {
                "What this step makes of its items".to_owned()
            } else if count == 1 {
                "The item that this step makes".to_owned()
            } else {
                format!("The {count} items that this step makes")
            };
            return Err(limit::refused(bytes, self.compiled.most, &what));
        }
        *held = bytes;
        Ok(output)
    }

    /// Bytes of lists in files that slots put out and that have to be in memory all the same.
    fn kept_paged(&self, node: usize, slots: &Slots) -> usize {
        let paged = slots.paged();
        if paged > 0 && self.stays_in_memory(node) { paged } else { 0 }
    }

    /// What the run puts out, and what other steps name, is all in memory, wherever the list lies (ADR 157).
    fn stays_in_memory(&self, node: usize) -> bool {
        let this = &self.compiled.nodes[node];
        !this.success_wired || this.referenced || this.node.out.is_some() || this.node.print.is_some()
    }

    /// The call of a slot is under way.
    fn is_live(&self, key: &CallKey, slot: usize) -> bool {
        fold::slot_ref(self.state, key.node, slot)
            .is_some_and(|s| s.phase == Phase::Running && s.visit == key.visit && s.attempt == key.attempt)
    }

    /// A call under way tells something; of a dead call it is ignored.
    pub(super) fn said(&mut self, key: &CallKey, said: Vec<CallProgress>) -> Result<(), StepError> {
        if self.state.nodes.get(key.node).is_none() {
            return Ok(());
        }
        let event_key = match key.origin {
            Some((node, slot)) if self.is_recovering(key, (node, slot)) => {
                self.recovery_key(node, slot, key.node, false)
            }
            None if self.is_live(key, key.item.unwrap_or(0)) => {
                self.event_key(key.node, key.item, key.item.unwrap_or(0))
            }
            Some(_) | None => return Ok(()),
        };
        said.into_iter().try_for_each(|said| match EventBody::try_from(said) {
            Ok(body) => self.emit(Some(event_key), body),
            Err(LeftFile { path, content }) => self.write_artifact(event_key, path, content),
        })
    }

    /// Writes an artifact; the events say that it is there.
    fn write_artifact(&mut self, key: EventKey, path: String, content: Arc<Value>) -> Result<(), StepError> {
        let size = content.as_str().map_or_else(|| content.to_string().len(), str::len);
        self.emit(Some(key), Telemetry::FileStart(FileStart { path: path.clone() }).into())?;
        self.out.effects.push(Effect::WriteArtifact { path: path.clone(), content });
        self.emit(Some(key), Telemetry::FileDone(FileDone { path, size_bytes: size as u64, granted: None }).into())
    }

    /// `flow.wait` is over: the items go on.
    pub(super) fn wait_over(&mut self, key: &CallKey) -> Result<(), StepError> {
        let node = key.node;
        let known = fold::slot_ref(self.state, node, 0);
        let waits = known.is_some_and(|s| {
            matches!(s.phase, Phase::Sleeping { .. }) && s.visit == key.visit && s.attempt == key.attempt
        });
        if !waits || !self.may_start(node) {
            return Ok(());
        }
        let input = known.map(|s| s.input.clone()).unwrap_or_default();
        let mut scratch = Arc::clone(fold::place::context(self.compiled, self.state, node));
        let output = CallOutput::pass("success", &input);
        match after(self.compiled, self.state, node, 0, output, &mut scratch) {
            Ok(outcome) => self.done(node, None, vec![outcome]),
            Err(failure) => self.fail_slot(node, 0, &failure),
        }
    }

    pub(super) fn done(&mut self, node: usize, item: Option<usize>, outcomes: Vec<Outcome>) -> Result<(), StepError> {
        let this = &self.compiled.nodes[node];
        let batch = outcomes.len() > 1 || (item.is_none() && self.many(node));
        let mut ports: IndexMap<String, Items> = IndexMap::new();
        let mut outputs: Option<Map> = None;
        let input = self.state.nodes[node].activation.as_ref().map(|a| Arc::clone(&a.input)).unwrap_or_default();
        let (keeps_error, keeps_bytes) = (this.descriptor.keeps_error, this.pure || this.descriptor.keeps_error);
        let (mut changes, mut artifacts, mut prints) = (Vec::new(), Vec::new(), Vec::new());
        let mut masked = Vec::new();
        let key_slot = outcomes.first().map_or(0, |o| o.slot);
        // ADR 54: what is made of several items has the bytes of all, unless it hands them on one by one.
        let makes = this.pure && this.mode == Mode::All && !keeps_error && input.len() > 1;
        // Parts of a long list go on as they are where nothing is added to their items.
        let goes_on = this.mode == Mode::All && item.is_none() && !keeps_error && input.binaries().next().is_none();
        for outcome in outcomes {
            let one = outcome.output.ports.values().map(Items::len).sum::<usize>() == 1;
            let all = if makes && one { together(input.binaries()) } else { None };
            if let Some(map) = outcome.outputs {
                outputs.get_or_insert_default().extend(map);
            }
            changes.extend(outcome.changes);
            artifacts.extend(outcome.artifacts);
            prints.extend(outcome.print);
            masked.extend(outcome.masked);
            for (port, items) in outcome.output.ports {
                let list = ports.entry(port).or_default();
                let mut begun = 0;
                if goes_on && items.len() >= PART && list.is_empty() {
                    *list = items.packed_begin();
                    begun = list.len();
                }
                for (made, data) in (begun..items.len()).filter_map(|index| items.piece(index)) {
                    let paired = match this.mode {
                        Mode::Each => Some(outcome.slot),
                        Mode::All => made.paired_item,
                    };
                    let kept = paired.filter(|_| keeps_bytes).and_then(|i| input.binary(i)).cloned();
                    let item = Item {
                        id: (list.len() + 1 + if batch { 0 } else { item.unwrap_or(0) }).to_string(),
                        binary: made.binary.or_else(|| all.clone()).or(kept),
                        error: paired.filter(|_| keeps_error).and_then(|i| input.error(i)).cloned(),
                        paired_item: paired,
                        ..made
                    };
                    list.push_data(item, untouched(&input, paired, data));
                }
            }
        }
        let container = self.compiled.is_container(node);
        ports.retain(|_, items| container || !items.is_empty());
        let key = self.event_key(node, if batch { None } else { item }, key_slot);
        for change in changes {
            self.emit(Some(key), EventBody::VarChanged(change))?;
        }
        for (path, content) in artifacts {
            self.write_artifact(key, path, content)?;
        }
        for value in prints {
            self.emit(Some(key), Telemetry::StepPrint(StepPrint { value }).into())?;
        }
        let counts: IndexMap<String, usize> = ports.iter().map(|(port, items)| (port.clone(), items.len())).collect();
        // `default` of a switch is what is left when no case chose (TS-076).
        let chosen = |port: &&String| this.descriptor.dynamic_ports.is_none() || *port != "default";
        let selected =
            if this.selects && counts.len() == 1 { counts.keys().next().filter(chosen).cloned() } else { None };
        let pinned = this.pinned.is_some();
        self.emit(
            Some(key),
            EventBody::StepDone(StepDone {
                outputs,
                selected,
                ports: counts,
                items: ports,
                origin: None,
                pinned,
                masked,
            }),
        )
    }
}

/// What a step hands on as it came is text again, when it came as text.
fn untouched(input: &Items, paired: Option<usize>, data: Data) -> Data {
    let Data::Value(made) = &data else { return data };
    match paired.and_then(|index| input.text(index)) {
        Some(text) if text.made(made) => Data::Text(text.clone()),
        _ => data,
    }
}

/// Checks a slot's output and evaluates `out` and `print` on `scratch`; on a failure `scratch` is unchanged.
pub(super) fn after(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    mut output: CallOutput,
    scratch: &mut Context,
) -> Result<Outcome, NodeFailure> {
    let this = &compiled.nodes[node];
    let known = this.descriptor.port_ids(Some(&this.config));
    if let Some(port) = output.ports.keys().find(|port| *port == "error" || !known.contains(port)) {
        let message = format!("The step answered through the port '{port}', which '{}' does not have", this.kind);
        return Err(NodeFailure::new(ErrorType::UnknownError, "INTERNAL", message));
    }
    let plain = |output| Outcome {
        slot,
        output,
        outputs: None,
        changes: Vec::new(),
        artifacts: Vec::new(),
        print: None,
        masked: Vec::new(),
    };
    let is_plain = this.node.out.is_none() && this.node.print.is_none() && output.writes.is_empty();
    if is_plain && this.guards.after.is_empty() {
        return Ok(plain(output));
    }
    let decided = decided(state, node, slot);
    let asks = this.guards.after.iter().any(guard::Guard::asks);
    // What a person is asked about is kept as it was made.
    let whole = asks.then(|| output.clone());
    let masked = mask(&Masker::of(&this.guards.after, "after", decided), &mut output);
    // Its expressions see all that it made, at once.
    let made: Vec<Data> = output.ports.values().flat_map(|items| items.pieces().map(|(_, data)| data)).collect();
    let input = seen_input(compiled, state, node, slot);
    let mut working = Arc::clone(scratch);
    let bound = |working: &Context| {
        let mut scope = node_scope(compiled, state, node, slot, &input, Some(working));
        scope.locals.push(("_result", fold::one_or_list(&made)));
        scope.locals.push(("_meta", output.meta.clone().unwrap_or_default().into()));
        if let Some(raw) = output.meta.as_ref().and_then(|meta| meta.get("toolResult")) {
            scope.locals.push(("_toolResult", raw.clone().into()));
        }
        scope
    };
    if !this.guards.after.is_empty()
        && let Some(failure) = {
            let seen = Seen { place: "after", data: &made, settings: None };
            guard::refusal(&this.guards.after, &seen, &bound(&working), decided, || whole.clone())
        }
    {
        return Err(failure);
    }
    if is_plain {
        return Ok(Outcome { masked, ..plain(output) });
    }
    let mut scope = bound(&working);
    let mut outputs = Map::new();
    let mut changes = Vec::new();
    let mut artifacts = Vec::new();
    for (name, value) in &output.writes {
        changes.extend(context::write(compiled, node, &mut working, &format!("${name}"), Arc::new(value.clone()))?);
    }
    for (target, value) in this.node.out.iter().flatten() {
        scope.context = Arc::clone(&working);
        let value = Arc::new(expr::value(value, &scope).map_err(|e| e.inside(target).failure("out"))?);
        if target.starts_with('/') {
            outputs.insert(target.clone(), json!({ "_file": true, "path": target }));
            artifacts.push((target.clone(), value));
            continue;
        }
        outputs.insert(target.clone(), (*value).clone());
        if let Some(change) = context::write(compiled, node, &mut working, target, value)? {
            changes.push(change);
        }
    }
    context::check(compiled, node, &working, &changes)?;
    scope.context = Arc::clone(&working);
    let print = match &this.node.print {
        Some(print) => Some(Arc::new(expr::value(print, &scope).map_err(|e| e.failure("print"))?)),
        None => None,
    };
    *scratch = working;
    let outputs = this.node.out.as_ref().map(|_| outputs);
    Ok(Outcome { slot, output, outputs, changes, artifacts, print, masked })
}

/// Masks all that a call made: its items, what it tells about itself, and what it writes.
fn mask(masker: &Masker<'_>, output: &mut CallOutput) -> Vec<MaskedData> {
    let mut masked = Vec::new();
    if masker.is_empty() {
        return masked;
    }
    for items in output.ports.values_mut() {
        masker.items(items, &mut masked);
    }
    // The same data again, in another form: it is masked and not counted twice.
    let mut again = Vec::new();
    if let Some(meta) = &mut output.meta {
        masker.value(meta, None, &mut again);
    }
    for (_, value) in &mut output.writes {
        let mut shared = Arc::new(std::mem::take(value));
        masker.value(&mut shared, None, &mut again);
        *value = Arc::unwrap_or_clone(shared);
    }
    masked
}
