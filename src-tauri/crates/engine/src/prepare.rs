//! What a call would get: `if`, `in`, `config` and the input schema, and what its expressions see.

use crate::{
    compiled::{Compiled, CompiledNode},
    config,
    expr::{self, Expr, ExprError},
    fold,
    guard::{self, Masker, Seen, question::Decided},
    limit,
    schema::Violation,
    scope::{NodeView, Scope},
    state::RunState,
    value_size,
};
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_model::{
    Data, ErrorPayload, Items, Mode, NodeFailure, SuggestedAction, blob::BLOB_LIMIT, event::MaskedData,
};
use std::borrow::Cow;
use std::sync::Arc;

/// What a slot sends.
pub(crate) struct Prepared {
    pub(crate) config: Arc<Value>,
    pub(crate) input: Vec<Data>,
    pub(crate) resolved: Option<Data>,
    pub(crate) failure: Option<NodeFailure>,
    /// What guards masked in it.
    pub(crate) masked: Vec<MaskedData>,
    /// The code reads the list of the wires where it lies; `input` is empty.
    pub(crate) list: bool,
}

impl Prepared {
    /// What its expressions see.
    pub(crate) fn seen(&self, state: &RunState, node: usize) -> Cow<'_, [Data]> {
        if self.list { first_of(state, node).into() } else { Cow::Borrowed(&self.input) }
    }
}

/// The first item of a list that is read where it lies.
fn first_of(state: &RunState, node: usize) -> Vec<Data> {
    fold::activation(state, node).and_then(|activation| activation.input.kept(0)).into_iter().collect()
}

/// The data of a slot as its expressions see it after its call has begun.
pub(crate) fn seen_input(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> Vec<Data> {
    if fold::reads_list(compiled, state, node, slot) {
        return first_of(state, node);
    }
    fold::slot_ref(state, node, slot).map(|slot| slot.input.clone()).unwrap_or_default()
}

/// Neither disabled nor kept from it by its `if`.
pub(crate) fn begins(compiled: &Compiled, state: &RunState, node: usize) -> Result<bool, ExprError> {
    let this = &compiled.nodes[node];
    if this.node.disabled == Some(true) {
        return Ok(false);
    }
    let Some(condition) = &this.node.condition else { return Ok(true) };
    let first = fold::activation(state, node).and_then(|a| one_of(&a.input, 0));
    let scope = node_scope(compiled, state, node, 0, &first.into_iter().collect::<Vec<_>>(), None);
    Expr::compile(condition).and_then(|e| e.eval_bool(&scope))
}

/// What a slot would send now, and why it could not.
pub(crate) fn prepared(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
) -> (Vec<Data>, Option<NodeFailure>) {
    let Prepared { input, failure, .. } = prepare(compiled, state, node, slot);
    (input, failure)
}

/// What a loop would begin with now: its settings and how many items; nothing when it cannot begin.
pub(crate) fn loop_begins(compiled: &Compiled, state: &RunState, node: usize) -> Option<(Arc<Value>, usize)> {
    let Prepared { config, input, failure, .. } = prepare(compiled, state, node, 0);
    failure.is_none().then_some((config, input.len()))
}

pub(crate) fn raw_input(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> Vec<Data> {
    let Some(activation) = fold::activation(state, node) else { return Vec::new() };
    match compiled.nodes[node].mode {
        Mode::Each => one_of(&activation.input, slot).into_iter().collect(),
        Mode::All => (0..activation.input.len()).filter_map(|index| activation.input.kept(index)).collect(),
    }
}

/// The data of one item. Only what is large is left as text: most steps look at their item more than once.
fn one_of(input: &Items, index: usize) -> Option<Data> {
    match input.text(index) {
        Some(text) if text.length() > BLOB_LIMIT => Some(Data::Text(text.clone())),
        Some(_) | None => input.data(index).map(Data::Value),
    }
}

/// `in` → `config` → input schema, once per visit; a retry or a re-issue sends the same.
pub(crate) fn prepare(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> Prepared {
    let this = &compiled.nodes[node];
    if this.mode == Mode::All && fold::reads_list(compiled, state, node, slot) {
        return prepare_list(compiled, state, node, slot);
    }
    if this.mode == Mode::All
        && let Some(failure) = too_large_as_values(compiled, state, node, slot)
    {
        let config = Arc::new(Value::Null);
        let failure = Some(failure);
        return Prepared { config, input: Vec::new(), resolved: None, failure, masked: Vec::new(), list: false };
    }
    if let Some(known) = fold::begun_slot(state, node, slot)
        && let Some(config) = &known.config
        && !config.is_null()
    {
        let (mut input, mut config, mut masked) = (known.input.clone(), Arc::clone(config), Vec::new());
        // What a person decided to mask since.
        if known.decided.iter().any(|one| one.verdict == guard::question::Verdict::Mask) {
            let masker = Masker::of(&this.guards.before, "before", &known.decided);
            masker.input(&mut input, &mut masked);
            masker.value(&mut config, Some(&this.config), &mut masked);
        }
        let resolved = this.node.input.as_ref().and_then(|_| input.first().cloned());
        // What was refused before the code stays refused: a rule's retry does not get round it.
        let failure = guarded(compiled, state, node, slot, &input, &config);
        return Prepared { config, input, resolved, failure, masked, list: false };
    }
    let replaced = fold::begun_slot(state, node, slot).filter(|s| s.replaced);
    let mut input = replaced.map_or_else(|| raw_input(compiled, state, node, slot), |s| s.input.clone());
    let mut resolved = replaced.filter(|_| this.node.input.is_some()).and_then(|s| s.input.first().cloned());
    if let Some(mapping) = this.node.input.as_ref().filter(|_| replaced.is_none()) {
        let scope = node_scope(compiled, state, node, slot, &input, None);
        match expr::object(mapping, &scope) {
            Ok(value) => {
                input = vec![value.clone()];
                resolved = Some(value);
            }
            Err(error) => {
                let failure = Some(error.failure("in"));
                let config = Arc::new(Value::Null);
                return Prepared { config, input, resolved: None, failure, masked: Vec::new(), list: false };
            }
        }
    }
    let masker = Masker::of(&this.guards.before, "before", decided(state, node, slot));
    let mut masked = Vec::new();
    if !masker.is_empty() {
        masker.input(&mut input, &mut masked);
        resolved = resolved.map(|resolved| input.first().cloned().unwrap_or(resolved));
    }
    let config = if this.config_is_static {
        Ok(Arc::clone(&this.config))
    } else {
        let scope = node_scope(compiled, state, node, slot, &input, None);
        // What safety checks look at is there as values.
        if masker.is_empty() && this.guards.before.is_empty() {
            config::evaluate_call(&this.kind, &this.config, &this.descriptor.config, &scope).map(Arc::new)
        } else {
            config::evaluate(&this.config, Some(&this.descriptor.config), &scope).map(Arc::new)
        }
    };
    match config {
        Ok(mut config) => {
            masker.value(&mut config, Some(&this.config), &mut masked);
            let failure = guarded(compiled, state, node, slot, &input, &config);
            Prepared { config, input, resolved, failure, masked, list: false }
        }
        Err(error) => {
            let failure = Some(error.failure("config"));
            Prepared { config: Arc::new(Value::Null), input, resolved, failure, masked, list: false }
        }
    }
}

/// The same of a step that reads its list where it lies: nothing of the list is copied.
fn prepare_list(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> Prepared {
    let this = &compiled.nodes[node];
    let known = fold::begun_slot(state, node, slot).and_then(|known| known.config.clone());
    let config = match known.filter(|config| !config.is_null()) {
        Some(config) => Ok(config),
        None if this.config_is_static => Ok(Arc::clone(&this.config)),
        None => {
            let scope = node_scope(compiled, state, node, slot, &first_of(state, node), None);
            config::evaluate(&this.config, Some(&this.descriptor.config), &scope).map(Arc::new)
        }
    };
    let (config, failure) = match config {
        Ok(config) => (config, None),
        Err(error) => (Arc::new(Value::Null), Some(error.failure("config"))),
    };
    Prepared { config, input: Vec::new(), resolved: None, failure, masked: Vec::new(), list: true }
}

/// A step that takes all items of a list at once would take too much memory for them. Found before one of them is made.
fn too_large_as_values(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> Option<NodeFailure> {
    let this = &compiled.nodes[node];
    let input = &fold::activation(state, node)?.input;
    // What is smaller is looked at when it is there.
    if this.mode == Mode::Each || !input.is_paged() || fold::begun_slot(state, node, slot).is_some_and(|s| s.replaced) {
        return None;
    }
    let reads_texts = READ_TEXTS.contains(&&*this.kind) && this.input_schema.is_none();
    let bytes = if reads_texts || this.node.input.is_some() {
        input.weight(value_size::of_item)
    } else {
        input.kept_lengths(value_size::of_text)
    };
    let what = || format!("All {} items, which this step needs at once,", input.len());
    (bytes > compiled.most).then(|| limit::refused(bytes, compiled.most, &what()))
}

/// What people decided about findings of guards in the data of a slot.
pub(crate) fn decided(state: &RunState, node: usize, slot: usize) -> &[Decided] {
    fold::begun_slot(state, node, slot).map_or(&[], |slot| &slot.decided)
}

/// Guards before the code, then the input against the kind's schema.
fn guarded(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    input: &[Data],
    config: &Value,
) -> Option<NodeFailure> {
    let this = &compiled.nodes[node];
    let refused = if this.guards.before.is_empty() {
        None
    } else {
        let scope = node_scope(compiled, state, node, slot, input, None);
        let seen = Seen { place: "before", data: input, settings: Some((config, &this.config)) };
        guard::refusal(&this.guards.before, &seen, &scope, decided(state, node, slot), || None)
    };
    refused.or_else(|| refused_as_values(compiled, this, input)).or_else(|| check_input(this, input))
}

/// Kinds that take all items and go through their texts.
const READ_TEXTS: &[&str] = &["data.aggregate", "data.sort", "data.merge", "data.compare", "code.javascript"];

/// A step that makes values of all its items would take too much memory.
fn refused_as_values(compiled: &Compiled, this: &CompiledNode, input: &[Data]) -> Option<NodeFailure> {
    let reads_texts = READ_TEXTS.contains(&&*this.kind) && this.input_schema.is_none();
    if this.mode == Mode::Each || reads_texts { None } else { limit::refused_as_values(input, compiled.most) }
}

/// The input against the kind's schema (K-14).
pub(crate) fn misfits(this: &CompiledNode, input: &[Data]) -> Option<Vec<Violation>> {
    let schema = this.input_schema.as_ref()?;
    let result = match this.mode {
        Mode::Each => schema.validate(&input.first()?.value()),
        Mode::All => schema.validate(&fold::list_of(input)),
    };
    result.err()
}

fn check_input(this: &CompiledNode, input: &[Data]) -> Option<NodeFailure> {
    let violations = misfits(this, input)?;
    let told = violations.first().map_or_else(String::new, |v| format!(": {}", v.told()));
    let list: Vec<Value> =
        violations.iter().map(|v| json!({ "path": v.path, "message": v.message, "keyword": v.keyword })).collect();
    Some(
        NodeFailure::validation("INPUT_INVALID", format!("The input does not fit this step{told}"))
            .suggest(SuggestedAction::AutoFix)
            .detail("schema", this.descriptor.input_schema.clone().unwrap_or_default())
            .detail("violations", list),
    )
}

/// What the expressions of a slot see. `input` is the slot's data as it stands (before or after `in`).
pub(crate) fn node_scope(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    input: &[Data],
    context: Option<&crate::scope::Context>,
) -> Scope {
    let this = &compiled.nodes[node];
    let null = Arc::new(Value::Null);
    let source = fold::activation(state, node);
    let item = input.first().cloned().unwrap_or_else(|| Data::Value(Arc::clone(&null)));
    let items = match this.mode {
        Mode::All => Arc::new(input.to_vec()),
        Mode::Each if this.uses_items => source.map(|a| a.items_with(slot, &item)).unwrap_or_default(),
        Mode::Each => Arc::new(input.to_vec()),
    };
    let error = source.and_then(|a| a.input.error(if this.mode == Mode::Each { slot } else { 0 }));
    let data = match error {
        Some(error) => Data::from(error.details.as_ref().and_then(|d| d.get("input")).cloned().unwrap_or_default()),
        None => item.clone(),
    };
    let error =
        error.map_or_else(|| Arc::clone(&null), |e| Arc::new(serde_json::to_value(e.as_ref()).unwrap_or_default()));
    let own = fold::place::own(compiled, state, node);
    Scope {
        params: Arc::clone(own.map_or(&state.params, |own| &own.params)),
        run: state.run_seen(),
        workflow: Arc::clone(&compiled.file(node).seen),
        context: Arc::clone(context.or(own.map(|own| &own.context)).unwrap_or(&state.context)),
        item,
        items,
        nodes: Arc::new(views(compiled, state, node)),
        paired: fold::descent::of(compiled, state, node, slot),
        error,
        data,
        locals: iteration(compiled, state, node),
        schemas: compiled.file(node).schemas.clone(),
        allowance: None,
    }
}

/// What a node sees of its ancestors, at its path or outside it.
pub(crate) fn views(compiled: &Compiled, state: &RunState, node: usize) -> IndexMap<String, NodeView> {
    let seen = |local: &usize| {
        let at = fold::place::visible(compiled, state, node, *local)?;
        let last = state.nodes.get(at)?.last.as_ref()?;
        Some((compiled.nodes[*local].id.to_string(), last.view()))
    };
    compiled.nodes[node].references.iter().filter_map(seen).collect()
}

/// `_item` and `_index` of the innermost loop of the node's own file.
fn iteration(compiled: &Compiled, state: &RunState, node: usize) -> Vec<(&'static str, Data)> {
    let own = fold::place::around(compiled, state, node).take_while(|(_, frame)| frame.own.is_none());
    let found = own.map(|(_, frame)| frame).find_map(|frame| Some((frame.item.as_ref()?, frame.index)));
    match found {
        Some((item, index)) => vec![("_item", Arc::clone(item).into()), ("_index", Value::from(index).into())],
        None => Vec::new(),
    }
}

/// What a rule sees: the failed call's input, and the error.
pub(crate) fn failed_scope(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    error: &ErrorPayload,
) -> Scope {
    let input = seen_input(compiled, state, node, slot);
    let mut scope = node_scope(compiled, state, node, slot, &input, None);
    scope.data = fold::input_value(compiled, state, node, slot).into();
    scope.error = Arc::new(serde_json::to_value(error).unwrap_or_default());
    scope
}
