//! A run in the shapes of source 003 (K-30): the checkpoint that [`crate::imported_checkpoint`] reads, and what a snapshot
//! says besides.
//!
//! A checkpoint names one step to begin at. Where several steps are under way, that is the nearest step that leads to all of
//! them: it runs again, and its branches that have ended do not (C-18, C-19).

use crate::{
    compiled::Compiled,
    fold,
    fold::imported_checkpoint::children,
    reachable::reach,
    state::{Outcome, RunState},
};
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_model::{Data, EventBody, Items, Map, NodeState, Role, RunEvent, RunStatus};
use std::collections::{BTreeMap, BTreeSet};

/// The version of the workflow format whose shapes these are.
pub const SPEC: &str = "3.16";

/// No single step leads to everything that is left to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("The run is at several steps ({}), and no step leads to all of them", .steps.join(", "))]
pub struct SeveralSteps {
    /// The steps that are under way.
    pub steps: Vec<String>,
}

/// What the state does not keep of a run's events: give it all of them, in their order.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    /// Steps at the top in the order in which they last ended well.
    ended: Vec<String>,
    /// What steps at the top put out last.
    made: BTreeMap<String, IndexMap<String, Items>>,
    /// How many iterations of loops at the top have begun.
    iterations: BTreeMap<String, usize>,
}

impl Trail {
    /// Takes the next event.
    pub fn note(&mut self, event: &RunEvent) {
        if let EventBody::WorkflowStart(start) = &event.body {
            let base = start.base.iter();
            self.ended.extend(base.clone().filter_map(|base| base.foreign.as_ref()).flat_map(|f| f.completed.clone()));
            base.flat_map(|base| &base.events).for_each(|kept| self.note(kept));
            return;
        }
        let Some(step) = event.step_id.as_deref() else { return };
        if let Some(path) = event.path.as_deref() {
            self.note_iteration(path.split('/').next().unwrap_or(path));
        }
        let EventBody::StepDone(done) = &event.body else { return };
        if done.origin.is_some() || event.path.is_some() {
            return;
        }
        self.ended.retain(|known| known != step);
        self.ended.push(step.to_owned());
        let made = self.made.entry(step.to_owned()).or_default();
        // Items of a step that is called one by one come one by one.
        if event.item.unwrap_or(0) == 0 {
            made.clear();
        }
        for (port, items) in &done.items {
            let list = made.entry(port.clone()).or_default();
            items.pieces().for_each(|(item, data)| list.push_data(item, data));
        }
    }

    fn note_iteration(&mut self, outermost: &str) {
        let Some((name, rest)) = outermost.split_once('[') else { return };
        let index = rest.strip_suffix(']').and_then(|index| index.parse::<usize>().ok());
        let known = self.iterations.entry(name.to_owned()).or_default();
        *known = (*known).max(index.map_or(0, |index| index + 1));
    }
}

/// Where a run stands, in the words of source 003.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exported {
    /// The step where another run would begin; of a run that has ended well, the step that ended last.
    pub current: Option<String>,
    /// Steps at the top that have ended and would not run again, in the order in which they ended.
    pub completed: Vec<String>,
    /// First steps of branches that have ended, by the step that they begin at.
    pub branches: BTreeMap<String, Vec<String>>,
    /// How many iterations of a loop have ended.
    pub loops: BTreeMap<String, usize>,
    /// What the step where it begins would be handed.
    pub result: Option<Value>,
}

/// The word of source 003 for where a run stands (K-26): it has five.
pub fn status(status: RunStatus, stopped: bool) -> &'static str {
    match status {
        RunStatus::Queued | RunStatus::Created | RunStatus::Running => "running",
        RunStatus::Paused => "paused",
        RunStatus::Completed if stopped => "stopped",
        RunStatus::Completed => "completed",
        RunStatus::Failed => "failed",
        RunStatus::Cancelled => "stopped",
    }
}

/// Whether a run that completed reached a Stop.
pub fn is_stopped(state: &RunState) -> bool {
    state.stop_id.is_some()
}

/// Where a run stands. `trail` has taken the events that `state` is folded from.
pub fn of(compiled: &Compiled, state: &RunState, trail: &Trail) -> Result<Exported, SeveralSteps> {
    let open = open(compiled, state);
    let Some(start) = begins(compiled, &open)? else {
        let at_the_top = |id: &&String| compiled.node_index(id).is_some();
        let current = trail.ended.iter().rev().find(at_the_top).or(trail.ended.last()).cloned();
        return Ok(told(compiled, state, trail, current, &BTreeSet::new()));
    };
    let id = compiled.node_id(start).to_owned();
    let mut again = reach(compiled, start);
    let mut branches = Vec::new();
    if !open.contains(&start) {
        let ended = ended_branches(compiled, state, start, &open);
        for (child, own) in &ended {
            branches.push(compiled.node_id(*child).to_owned());
            again.retain(|node| !own.contains(node));
        }
    }
    let mut exported = told(compiled, state, trail, Some(id.clone()), &again);
    if !branches.is_empty() {
        exported.branches.insert(id.clone(), branches);
    }
    inside(compiled, state, start, &id, &mut exported);
    exported.result = handed(compiled, state, trail, start);
    Ok(exported)
}

/// Steps at the top with work that is left; of a run that was given up, those whose work was not done.
fn open(compiled: &Compiled, state: &RunState) -> BTreeSet<usize> {
    let plain = |node: &usize| compiled.nodes[*node].recovery.is_none() && !compiled.abort_region[*node];
    let top = || compiled.regions.first().into_iter().flat_map(|top| top.nodes.iter().copied()).filter(plain);
    let state_of = |node: usize| state.nodes.top().get(node);
    let given_up = matches!(state.status(), RunStatus::Failed | RunStatus::Cancelled);
    if given_up {
        let undone = |node: &usize| {
            state_of(*node).is_some_and(|run| matches!(run.state, NodeState::Failed | NodeState::Cancelled))
        };
        let mut open: BTreeSet<usize> = top().filter(undone).collect();
        let failed = state.failed_step.as_deref().and_then(|id| compiled.node_index(first_name(id)));
        open.extend(failed.map(|node| crate::until::outermost(compiled, node)).filter(|node| plain(node)));
        return open;
    }
    if state.status().is_terminal() {
        return BTreeSet::new();
    }
    top().filter(|node| state_of(*node).is_some_and(|run| run.activation.is_some())).collect()
}

/// `each[3]/send` is inside `each`.
fn first_name(name: &str) -> &str {
    name.split(['[', '/']).next().unwrap_or(name)
}

/// The nearest step that leads to all of them; nothing when there is none of them.
fn begins(compiled: &Compiled, open: &BTreeSet<usize>) -> Result<Option<usize>, SeveralSteps> {
    let top = compiled.regions.first().into_iter().flat_map(|top| top.nodes.iter().copied());
    let able = top.filter(|node| compiled.nodes[*node].recovery.is_none() && !compiled.abort_region[*node]);
    match open.len() {
        0 => Ok(None),
        1 => Ok(open.first().copied()),
        _ => {
            let leading = able.map(|node| (reach(compiled, node), node)).filter(|(reach, _)| open.is_subset(reach));
            let nearest = leading.min_by_key(|(reach, node)| (reach.len(), usize::MAX - node)).map(|(_, node)| node);
            let steps = || open.iter().map(|node| compiled.node_id(*node).to_owned()).collect();
            nearest.map(Some).ok_or_else(|| SeveralSteps { steps: steps() })
        }
    }
}

/// First steps of the branches of a fork by wires that have ended, each with the steps that only it leads to.
fn ended_branches(
    compiled: &Compiled,
    state: &RunState,
    start: usize,
    open: &BTreeSet<usize>,
) -> Vec<(usize, BTreeSet<usize>)> {
    if compiled.is_container(start) {
        return Vec::new();
    }
    let children = children(compiled, start);
    let reached: Vec<(usize, BTreeSet<usize>)> =
        children.iter().map(|child| (*child, reach(compiled, *child))).collect();
    let done = |node: &usize| {
        let run = state.nodes.top().get(*node);
        !open.contains(node)
            && (compiled.nodes[*node].recovery.is_some()
                || run.is_some_and(|run| {
                    matches!(run.state, NodeState::Succeeded | NodeState::ErrorHandled | NodeState::Skipped)
                }))
    };
    let own = |at: usize| -> BTreeSet<usize> {
        let others = reached.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, (_, reach))| reach);
        others.fold(reached[at].1.clone(), |own, other| own.difference(other).copied().collect())
    };
    let all = reached.iter().enumerate().map(|(at, (child, _))| (*child, own(at)));
    all.filter(|(child, own)| own.contains(child) && own.iter().all(done)).collect()
}

fn told(
    compiled: &Compiled,
    state: &RunState,
    trail: &Trail,
    current: Option<String>,
    again: &BTreeSet<usize>,
) -> Exported {
    let stands = |id: &&String| {
        compiled.node_index(id).is_some_and(|node| {
            let run = state.nodes.top().get(node);
            let ended = run.is_some_and(|run| matches!(run.state, NodeState::Succeeded | NodeState::ErrorHandled));
            ended && !again.contains(&node) && compiled.nodes[node].region == 0 && compiled.nodes[node].file == 0
        })
    };
    let completed: Vec<String> = trail.ended.iter().filter(stands).cloned().collect();
    let mut exported = Exported { current, ..Exported::default() };
    for id in &completed {
        let Some(node) = compiled.node_index(id) else { continue };
        match compiled.nodes[node].role {
            Role::Parallel => drop(exported.branches.insert(id.clone(), first_steps(compiled, node, |_| true))),
            Role::Loop => {
                let all = trail.iterations.get(id).copied().unwrap_or_default();
                exported.loops.insert(id.clone(), all);
            }
            _ => {}
        }
    }
    exported.completed = completed;
    exported
}

fn first_steps(compiled: &Compiled, node: usize, wanted: impl Fn(usize) -> bool) -> Vec<String> {
    let bodies = compiled.nodes[node].bodies.iter().enumerate().filter(|(index, _)| wanted(*index));
    let entries = bodies.filter_map(|(_, body)| compiled.regions[*body].entries.first());
    entries.map(|entry| compiled.node_id(*entry).to_owned()).collect()
}

/// How far the container has come where it begins. Of a container over several items nothing is told: the shape has a place
/// for one.
fn inside(compiled: &Compiled, state: &RunState, start: usize, id: &str, exported: &mut Exported) {
    let one = state.nodes.top().get(start).and_then(|run| run.activation.as_ref()).filter(|a| a.slots.len() == 1);
    let Some(body) = one.and_then(|_| fold::slot_ref(state, start, 0)).and_then(|slot| slot.body.as_deref()) else {
        return;
    };
    let well = |(index, outcome): (usize, &Option<Outcome>)| {
        matches!(outcome, Some(Outcome::Result(_) | Outcome::Leaves(_) | Outcome::Elsewhere)).then_some(index)
    };
    let done: BTreeSet<usize> = body.done.iter().enumerate().filter_map(well).collect();
    match compiled.nodes[start].role {
        Role::Parallel => {
            let ended = first_steps(compiled, start, |index| done.contains(&index));
            if !ended.is_empty() {
                exported.branches.insert(id.to_owned(), ended);
            }
        }
        Role::Loop => {
            let first = (0..).take_while(|index| done.contains(index)).count();
            let counted = fold::imported_checkpoint::counted(&body.config, body.total.unwrap_or(usize::MAX), first);
            exported.loops.insert(id.to_owned(), counted);
        }
        _ => {}
    }
}

/// What a step was handed, or would be: one item is itself, several are a list. A step that begins the workflow gets the
/// params.
fn handed(compiled: &Compiled, state: &RunState, trail: &Trail, node: usize) -> Option<Value> {
    if compiled.regions.first()?.entries.contains(&node) {
        return None;
    }
    let held: Vec<Data> = match state.nodes.top().get(node).and_then(|run| run.activation.as_ref()) {
        Some(activation) => activation.input.pieces().map(|(_, data)| data).collect(),
        None => {
            let ways = compiled.nodes[node].in_edges.iter().map(|edge| &compiled.edges[*edge]);
            let lists = ways.filter_map(|edge| trail.made.get(compiled.node_id(edge.from))?.get(&*edge.port));
            lists.flat_map(|list| list.pieces().map(|(_, data)| data)).collect()
        }
    };
    if held.is_empty() {
        return state.foreign.as_ref().map(|foreign| (*foreign.item).clone());
    }
    Some((*fold::one_or_list(&held).value()).clone())
}

/// Variables and local variables of the source: names that begin with `_` are local, the others have `$`.
pub fn variables(context: Map, result: Option<Value>) -> (Map, Map) {
    let (mut variables, mut locals) = (Map::new(), Map::new());
    for (name, value) in context {
        match name.starts_with('_') {
            true => locals.insert(name, value),
            false => variables.insert(format!("${name}"), value),
        };
    }
    if let Some(result) = result {
        locals.insert("_result".into(), result);
    }
    (variables, locals)
}

/// The variables of a run by their names.
pub fn context(state: &RunState) -> Map {
    state.context.iter().map(|(name, value)| (name.clone(), (**value).clone())).collect()
}

/// Types of values by their names, as the source writes them: of what the workflow declares, else of what is there.
pub fn types(values: &Map, schema: Option<&Value>) -> Map {
    let of = |(name, value): (&String, &Value)| {
        let declared = schema.and_then(|schema| schema["properties"].get(name.trim_start_matches('$')));
        (name.clone(), Value::from(declared.and_then(declared_type).unwrap_or_else(|| type_of(value))))
    };
    values.iter().map(of).collect()
}

fn declared_type(schema: &Value) -> Option<String> {
    let one = |name: &str| {
        Some(match name {
            "string" => "STRING",
            "integer" => "INT",
            "number" => "FLOAT",
            "boolean" => "BOOL",
            "object" => "OBJECT",
            _ => return None,
        })
    };
    match schema["type"].as_str()? {
        "array" => {
            let element = schema["items"]["type"].as_str().and_then(one).unwrap_or("OBJECT");
            Some(format!("[{element}]"))
        }
        name => one(name).map(str::to_owned),
    }
}

fn type_of(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            let first = list.first().map_or_else(|| "OBJECT".to_owned(), type_of);
            // A list of lists has no name there.
            format!("[{}]", if first.starts_with('[') { "OBJECT" } else { &first })
        }
        Value::String(_) => "STRING".into(),
        Value::Bool(_) => "BOOL".into(),
        Value::Number(number) if number.is_f64() => "FLOAT".into(),
        Value::Number(_) => "INT".into(),
        Value::Null | Value::Object(_) => "OBJECT".into(),
    }
}

/// The checkpoint (C-01, C-02). `artifacts`: path → where its content is.
pub fn checkpoint(compiled: &Compiled, state: &RunState, exported: &Exported, artifacts: &Map) -> Value {
    let (variables, locals) = variables(context(state), exported.result.clone());
    let params = state.params().as_object().cloned().unwrap_or_default();
    let workflow = &compiled.workflow;
    let declared = workflow.context.as_ref().and_then(|context| context.schema.as_ref());
    json!({
        "_type": crate::imported_checkpoint::TYPE,
        "_version": 2,
        "workflowID": &*state.run_id,
        "currentStepID": exported.current,
        "status": status(state.status(), is_stopped(state)),
        "paramTypes": types(&params, workflow.params.as_ref()),
        "params": params,
        "varTypes": types(&variables, declared),
        "variables": variables,
        "localVars": locals,
        "artifacts": artifacts,
        "completedSteps": exported.completed,
        "completedBranches": exported.branches,
        "loopProgress": exported.loops,
        "eventSeq": state.last_seq(),
        "version": SPEC,
        "createdAt": signalbox_model::time::format(state.last_ms()),
    })
}
