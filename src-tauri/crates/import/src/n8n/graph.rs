//! Nodes and wires as steps and edges. What is wired back by "Loop over items" becomes the frame of a loop.

use super::expr::{Place, THIS_ROUND};
use super::kinds;
use super::maker::{Made, Maker, Part};
use super::read::{File, Wire};
use crate::report::{Findings, Level, Translated, short};
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_engine::catalog::PLACEHOLDER_KIND;
use signalbox_model::descriptor::Mode;
use signalbox_model::workflow::{Backoff, ErrorHandling, RetryPolicy};
use signalbox_model::{Edge, Map, Node as Step, PortRef};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// What the graph became.
pub(super) struct Graph {
    pub(super) nodes: IndexMap<String, Step>,
    pub(super) edges: Vec<Edge>,
    pub(super) translated: Vec<Translated>,
    /// Expressions met, expressions translated.
    pub(super) counted: (usize, usize),
    /// Nodes that are steps, and those that had no error handling of their own.
    pub(super) handled: (usize, usize),
    /// Node → its steps, the main one first.
    pub(super) steps: Vec<Vec<String>>,
    pub(super) loops: bool,
    /// Variables that expressions ask for.
    pub(super) asked: BTreeSet<String>,
}

/// Error behaviour of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnError {
    Stop,
    Continue,
    Output,
}

struct Shape {
    /// Places of the nodes that serve others.
    parts: HashSet<usize>,
    /// Loop node → (its output into the body, nodes in the body).
    bodies: IndexMap<usize, (usize, HashSet<usize>)>,
    /// Node → the innermost loop around it.
    parent: HashMap<usize, usize>,
    /// Wires that lead back and are no loops.
    back: HashSet<(usize, usize, usize, usize)>,
}

fn key(wire: &Wire) -> (usize, usize, usize, usize) {
    (wire.from, wire.output, wire.to, wire.input)
}

fn shape(file: &File<'_>) -> Shape {
    let parts: HashSet<usize> =
        (0..file.nodes.len()).filter(|at| file.parts.iter().any(|(from, ..)| from == at)).collect();
    let mut next: Vec<Vec<(usize, usize)>> = vec![Vec::new(); file.nodes.len()];
    for wire in &file.wires {
        next[wire.from].push((wire.output, wire.to));
    }
    let reach = |start: usize, output: Option<usize>| {
        let mut seen: HashSet<usize> = HashSet::new();
        let mut open: VecDeque<usize> = next[start]
            .iter()
            .filter(|(out, _)| output.is_none_or(|wanted| *out == wanted))
            .map(|(_, to)| *to)
            .collect();
        while let Some(at) = open.pop_front() {
            if at != start && seen.insert(at) {
                open.extend(next[at].iter().map(|(_, to)| *to));
            }
        }
        seen
    };
    let mut bodies: IndexMap<usize, (usize, HashSet<usize>)> = IndexMap::new();
    for (at, node) in file.nodes.iter().enumerate().filter(|(_, node)| node.kind == "splitInBatches") {
        let output = usize::from(node.version >= 3.0);
        let inside = reach(at, Some(output));
        let outside = reach(at, Some(1 - output));
        bodies.insert(at, (output, inside.difference(&outside).copied().collect()));
    }
    let mut parent = HashMap::new();
    for at in 0..file.nodes.len() {
        let around = bodies.iter().filter(|(_, (_, body))| body.contains(&at)).min_by_key(|(_, (_, body))| body.len());
        if let Some((of, _)) = around {
            parent.insert(at, *of);
        }
    }
    Shape { parts, back: back_edges(file, &bodies), bodies, parent }
}

/// Wires that close a circle, without those that go back to a loop from its body.
fn back_edges(
    file: &File<'_>,
    bodies: &IndexMap<usize, (usize, HashSet<usize>)>,
) -> HashSet<(usize, usize, usize, usize)> {
    let mut back = HashSet::new();
    let mut wires: Vec<Vec<&Wire>> = vec![Vec::new(); file.nodes.len()];
    for wire in &file.wires {
        let of_loop = bodies.get(&wire.to).is_some_and(|(_, body)| body.contains(&wire.from));
        if !of_loop {
            wires[wire.from].push(wire);
        }
    }
    // 0: not seen, 1: on the way here, 2: done.
    let mut state = vec![0u8; file.nodes.len()];
    let incoming: HashSet<usize> = file.wires.iter().map(|wire| wire.to).collect();
    let mut starts: Vec<usize> = (0..file.nodes.len()).filter(|at| !incoming.contains(at)).collect();
    starts.extend(0..file.nodes.len());
    for start in starts {
        if state[start] != 0 {
            continue;
        }
        let mut stack = vec![(start, 0usize)];
        state[start] = 1;
        while let Some((at, n)) = stack.pop() {
            match wires[at].get(n) {
                None => state[at] = 2,
                Some(wire) => {
                    stack.push((at, n + 1));
                    match state[wire.to] {
                        0 => {
                            state[wire.to] = 1;
                            stack.push((wire.to, 0));
                        }
                        1 => {
                            back.insert(key(wire));
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    back
}

/// Nodes that run before one.
fn befores(file: &File<'_>, shape: &Shape, of: usize) -> HashSet<usize> {
    let mut seen = HashSet::new();
    let mut open = VecDeque::from([of]);
    while let Some(at) = open.pop_front() {
        for wire in file.wires.iter().filter(|wire| wire.to == at && !shape.back.contains(&key(wire))) {
            let end_of_round = shape.bodies.get(&wire.to).is_some_and(|(_, body)| body.contains(&wire.from));
            // A wire into or out of a loop is none here, but for the one from the loop to its body.
            let (from, to) = (shape.parent.get(&wire.from), shape.parent.get(&wire.to));
            let crosses = from != to && to != Some(&wire.from);
            if !end_of_round && !crosses && seen.insert(wire.from) {
                open.push_back(wire.from);
            }
        }
    }
    seen
}

pub(super) fn build(file: &File<'_>, zone: Option<&str>, found: &mut Findings) -> Graph {
    let shape = shape(file);
    let is_part = |at: usize| {
        shape.parts.contains(&at)
            || kinds::is_part(&file.nodes[at].kind) && !file.wires.iter().any(|wire| wire.from == at || wire.to == at)
    };
    let mut graph = Graph {
        nodes: IndexMap::new(),
        edges: Vec::new(),
        translated: Vec::new(),
        counted: (0, 0),
        handled: (0, 0),
        steps: vec![Vec::new(); file.nodes.len()],
        loops: !shape.bodies.is_empty(),
        asked: BTreeSet::new(),
    };
    let error_workflow =
        file.top.get("settings").and_then(|all| all["errorWorkflow"].as_str()).is_some_and(|id| !id.is_empty());
    let asked = RefCell::new(BTreeSet::new());
    let mut made: Vec<Option<(Made, OnError)>> = Vec::new();
    let mut ids: Vec<Vec<String>> = Vec::new();
    for (at, node) in file.nodes.iter().enumerate() {
        if is_part(at) {
            made.push(None);
            ids.push(Vec::new());
            continue;
        }
        let inputs: Vec<String> = (0..2).map(|n| format!("{}_input{}", node.id, n + 1)).collect();
        let before: std::cell::OnceCell<HashSet<usize>> = std::cell::OnceCell::new();
        let has_result = |name: &str| {
            let of = *file.by_name.get(name)?;
            if shape.parent.get(&at) == Some(&of) {
                // The loop around it: what it gives is the entry of this round.
                return Some(THIS_ROUND.to_owned());
            }
            let runs_before = before.get_or_init(|| befores(file, &shape, at)).contains(&of);
            let visible = shape.parent.get(&of).is_none_or(|around| {
                std::iter::successors(shape.parent.get(&at), |one| shape.parent.get(one))
                    .take(64)
                    .any(|one| one == around)
            });
            (runs_before && visible && !is_part(of)).then(|| file.nodes[of].id.clone())
        };
        let place = Place {
            node: &has_result,
            workflow: &file.name,
            zone,
            in_loop: shape.parent.contains_key(&at),
            asked: &asked,
        };
        let mut maker =
            Maker { file, at, found: &mut *found, place, counted: &mut graph.counted, inputs: inputs.clone() };
        let mut one = kinds::make(&mut maker).unwrap_or_else(|why| placeholder(&mut maker, &why));
        // A loop around nothing hands its items on.
        if shape.bodies.get(&at).is_some_and(|(_, body)| body.is_empty()) && one.parts[0].step.kind == "flow.loop" {
            let outs = one.outs.clone();
            one = Made { outs, ..Made::one("flow.noop", Map::new()) };
            maker.warn(
                "EMPTY_LOOP",
                "",
                "Nothing is repeated by this loop; it hands its items on.",
                "Put steps into it, or delete it.",
            );
        }
        let on_error = settings(&mut maker, &mut one);
        let triggers = one.parts.first().is_some_and(|part| part.step.kind.starts_with("trigger."));
        if !triggers {
            graph.handled.0 += 1;
            let retries = node.flag("retryOnFail");
            graph.handled.1 += usize::from(on_error == OnError::Stop && !retries && !error_workflow);
        }
        // Lists that a step takes apart have a step of their own each.
        if node.kind == "merge"
            && one.parts.iter().any(|part| part.step.kind != "flow.noop")
            && one.parts[0].step.kind != PLACEHOLDER_KIND
        {
            let count = one.parts.len();
            for (n, suffix) in ["_input1", "_input2"].into_iter().enumerate() {
                let title = Some(format!("Input {}", n + 1));
                one.parts.push(Part { suffix, step: Step { kind: "flow.noop".into(), title, ..Step::default() } });
                one.inner.push((count + n, "success", 0));
            }
            one.entries = vec![count, count + 1];
        }
        let mut own: Vec<String> = Vec::new();
        for part in &one.parts {
            let wanted = format!("{}{}", node.id, part.suffix);
            let mut id = wanted.clone();
            let mut number = 1;
            while graph.nodes.contains_key(&id)
                || own.contains(&id)
                || id != node.id && file.nodes.iter().any(|other| other.id == id)
            {
                number += 1;
                id = format!("{wanted}_{number}");
            }
            own.push(id);
        }
        for (part, id) in one.parts.iter().zip(&own) {
            let mut step = step_of(part, node.name.as_str(), id == &node.id, one.parts.len());
            step.parent = shape.parent.get(&at).map(|of| file.nodes[*of].id.clone());
            graph.nodes.insert(id.clone(), step);
        }
        graph.steps[at].clone_from(&own);
        ids.push(own);
        made.push(Some((one, on_error)));
    }
    graph.asked = asked.into_inner();
    wire(file, &shape, &made, &ids, &mut graph, found);
    tell(file, &made, &mut graph, found);
    graph
}

fn step_of(part: &Part, name: &str, main: bool, parts: usize) -> Step {
    let mut step = part.step.clone();
    if main && (parts == 1 || step.title.is_none()) {
        step.title = Some(name.to_owned());
    }
    step
}

/// A visible step that cannot run, with everything that the node had.
fn placeholder(maker: &mut Maker<'_, '_>, why: &str) -> Made {
    let node = maker.node();
    let mut kept =
        Map::from_iter([("type".to_owned(), json!(node.full)), ("parameters".to_owned(), json!(node.params))]);
    if let Some(Value::Object(all)) = node.raw.get("credentials") {
        // Names only: their values are not in the file, and ids mean nothing here.
        let names: Map =
            all.iter().map(|(kind, one)| (kind.clone(), one.get("name").cloned().unwrap_or_default())).collect();
        kept.insert("credentials".into(), Value::Object(names));
    }
    let message = format!("\"{}\" ({}) could not be translated: {why}.", node.name, node.full);
    let hint = "A placeholder with all its settings replaces it; it takes the red port. Replace it with steps that do the same.";
    maker.tell(Level::Problem, "NOT_TRANSLATED", "", message.clone(), hint);
    let mut made = Made::one(PLACEHOLDER_KIND, Map::from_iter([("step".to_owned(), Value::Object(kept))]));
    if let Some(step) = made.last() {
        step.description = Some(short(&message));
    }
    made
}

/// What is said of every node: errors, retries, whether it runs at all.
fn settings(maker: &mut Maker<'_, '_>, made: &mut Made) -> OnError {
    let node = maker.node();
    if let Some(notes) = node.raw.get("notes").and_then(Value::as_str).filter(|text| !text.trim().is_empty())
        && let Some(main) = made.last()
    {
        let before = main.description.take().map_or_else(String::new, |text| format!("{text}\n"));
        main.description = Some(format!("{before}{}", short(notes.trim())));
    }
    if node.flag("disabled") {
        for part in &mut made.parts {
            part.step.disabled = Some(true);
        }
        // A step that is off hands its items on through one port.
        if let Some(first) = made.outs.first_mut() {
            for (_, port) in first.iter_mut() {
                "success".clone_into(port);
            }
        }
    }
    if node.flag("retryOnFail") {
        let number = |name: &str, default: u64| node.raw.get(name).and_then(Value::as_u64).unwrap_or(default);
        let delay = number("waitBetweenTries", 1_000).min(600_000);
        let tries = number("maxTries", 3).clamp(2, 100);
        let policy = RetryPolicy {
            max_attempts: u32::try_from(tries - 1).unwrap_or(2),
            backoff: Backoff::Fixed,
            initial_delay_ms: delay,
            max_delay_ms: delay.max(1),
            jitter: false,
        };
        if let Some(part) = made.parts.first_mut().filter(|part| !part.step.kind.starts_with("trigger.")) {
            part.step.error_handling = Some(ErrorHandling { retry_policy: Some(policy), ..ErrorHandling::default() });
        }
    }
    if node.flag("executeOnce") {
        for part in &mut made.parts {
            if ONE_CALL.contains(&part.step.kind.as_str()) {
                part.step.mode = Some(Mode::All);
            }
        }
    }
    if node.flag("alwaysOutputData") {
        let message = format!("\"{}\" gives one empty item when it has none; here nothing goes on then.", node.name);
        maker.warn("ALWAYS_OUTPUT", "", message, "Add a step that makes an item, if the next steps must run.");
    }
    match node.raw.get("onError").and_then(Value::as_str) {
        Some("continueRegularOutput") => OnError::Continue,
        Some("continueErrorOutput") => OnError::Output,
        Some(_) => OnError::Stop,
        None if node.flag("continueOnFail") => OnError::Continue,
        None => OnError::Stop,
    }
}

/// Kinds that can run once for all items.
const ONE_CALL: [&str; 11] = [
    "data.set",
    "data.transform",
    "data.filter",
    "flow.if",
    "flow.switch",
    "http.request",
    "file.read",
    "file.write",
    "llm.chat",
    "agent.task",
    "code.javascript",
];

/// Order, from, port, to.
type Planned = ((usize, usize, usize), String, String, String);

/// The error as the other program puts it into an item.
const ERROR_ITEM: &str =
    "type(item.details.input) == map ? put(item.details.input, ['error'], item.message) : {'error': item.message}";

fn wire(
    file: &File<'_>,
    shape: &Shape,
    made: &[Option<(Made, OnError)>],
    ids: &[Vec<String>],
    graph: &mut Graph,
    found: &mut Findings,
) {
    // (target, input, place in the file) decides the order of edges into a step.
    let mut edges: Vec<Planned> = Vec::new();
    for (at, one) in made.iter().enumerate() {
        let Some((one, _)) = one else { continue };
        for (from, port, to) in &one.inner {
            edges.push(((at, 0, 0), ids[at][*from].clone(), (*port).to_owned(), ids[at][*to].clone()));
        }
    }
    let mut placeholders: HashMap<(usize, usize), String> = HashMap::new();
    let mut error_steps: HashMap<usize, String> = HashMap::new();
    for (order, wire) in file.wires.iter().enumerate() {
        let (Some((from, on_error)), Some((to, _))) = (&made[wire.from], &made[wire.to]) else { continue };
        let entry = to.entries.get(wire.input).or_else(|| to.entries.last()).copied().unwrap_or(0);
        if to.parts.first().is_some_and(|part| part.step.kind.starts_with("trigger.")) {
            continue;
        }
        let target = ids[wire.to][entry].clone();
        let (loop_from, loop_to) = (shape.parent.get(&wire.from), shape.parent.get(&wire.to));
        let body = shape.bodies.get(&wire.from).filter(|(output, _)| *output == wire.output);
        if body.is_some_and(|(_, body)| body.contains(&wire.to)) && loop_to == Some(&wire.from) {
            continue;
        }
        // The end of a round.
        if shape.bodies.get(&wire.to).is_some_and(|(_, body)| body.contains(&wire.from)) {
            if loop_from != Some(&wire.to) {
                let message = format!(
                    "\"{}\" goes on with an outer loop from inside of another one.",
                    file.nodes[wire.from].name
                );
                found.add(
                    Level::Warning,
                    "OUTER_LOOP",
                    Some(&file.nodes[wire.from].name),
                    file.nodes[wire.from].path.clone(),
                    message,
                    "Check the loops.",
                );
            }
            continue;
        }
        let target = if shape.back.contains(&key(wire)) || loop_from != loop_to || wire.from == wire.to {
            let name = &file.nodes[wire.from].name;
            let to = &file.nodes[wire.to].name;
            let why = if loop_from == loop_to {
                format!("\"{name}\" leads back to \"{to}\"; circles are loops with a condition here.")
            } else {
                format!("\"{name}\" leads out of its loop, or into another one, to \"{to}\".")
            };
            let hint = "A placeholder stands there. Put the steps into a loop ('while'), or retry the step itself.";
            found.add(Level::Problem, "CIRCLE", Some(name), file.nodes[wire.from].path.clone(), why.clone(), hint);
            placeholders
                .entry((wire.from, wire.to))
                .or_insert_with(|| {
                    let mut id = format!("{}_leads_back", file.nodes[wire.from].id);
                    while graph.nodes.contains_key(&id) {
                        id.push('_');
                    }
                    let config = json!({ "step": { "wire": [name, to] } });
                    let parent = loop_from.map(|of| file.nodes[*of].id.clone());
                    let step = Step {
                        kind: PLACEHOLDER_KIND.into(),
                        description: Some(short(&why)),
                        config: Some(config),
                        parent,
                        ..Step::default()
                    };
                    graph.nodes.insert(id.clone(), step);
                    graph.steps[wire.from].push(id.clone());
                    id
                })
                .clone()
        } else {
            target
        };
        let sort = (wire.to, wire.input, order);
        let outs = from.outs.len();
        let error_output = *on_error == OnError::Output && wire.output == outs.max(1) && !from.fails.is_empty();
        if error_output || *on_error == OnError::Continue && wire.output == 0 && !from.fails.is_empty() {
            let step = error_steps.entry(wire.from).or_insert_with(|| {
                let mut id = format!("{}_error", file.nodes[wire.from].id);
                while graph.nodes.contains_key(&id) {
                    id.push('_');
                }
                let title = Some("Error as an item".to_owned());
                let parent = loop_from.map(|of| file.nodes[*of].id.clone());
                let config = Some(json!({ "expression": ERROR_ITEM }));
                graph.nodes.insert(
                    id.clone(),
                    Step { kind: "data.transform".into(), title, config, parent, ..Step::default() },
                );
                graph.steps[wire.from].push(id.clone());
                for fails in &from.fails {
                    edges.push(((wire.from, 1, 0), ids[wire.from][*fails].clone(), "error".into(), id.clone()));
                }
                id
            });
            edges.push((sort, step.clone(), "success".into(), target.clone()));
        }
        if error_output {
            continue;
        }
        // A placeholder has one port: all that came after the node stays wired to it.
        let stands_in = from.parts.first().is_some_and(|part| part.step.kind == PLACEHOLDER_KIND);
        let instead = from.outs.first().filter(|_| stands_in);
        if from.outs.get(wire.output).is_none() && instead.is_some() {
            let name = &file.nodes[wire.from].name;
            let message =
                format!("\"{name}\" is a placeholder; its output {} leads on from its only port.", wire.output + 1);
            let hint = "Wire it to the right output of the step that replaces the placeholder.";
            found.add(Level::Warning, "NO_OUTPUT", Some(name), file.nodes[wire.from].path.clone(), message, hint);
        }
        match from.outs.get(wire.output).or(instead) {
            Some(ports) => {
                for (part, port) in ports {
                    edges.push((sort, ids[wire.from][*part].clone(), port.clone(), target.clone()));
                }
            }
            None => {
                let message = format!("\"{}\" has no output {} here.", file.nodes[wire.from].name, wire.output + 1);
                let hint = "Wire what came after it.";
                found.add(
                    Level::Warning,
                    "NO_OUTPUT",
                    Some(&file.nodes[wire.from].name),
                    file.nodes[wire.from].path.clone(),
                    message,
                    hint,
                );
            }
        }
    }
    edges.sort_by_key(|(sort, ..)| *sort);
    let mut seen = HashSet::new();
    for (_, from, port, to) in edges {
        if seen.insert((from.clone(), port.clone(), to.clone())) {
            graph.edges.push(Edge { from: PortRef::new(&from, &port), to, extra: Map::new() });
        }
    }
}

fn tell(file: &File<'_>, made: &[Option<(Made, OnError)>], graph: &mut Graph, found: &mut Findings) {
    for (at, node) in file.nodes.iter().enumerate() {
        let own = &graph.steps[at];
        let (nodes, kind) = if made[at].is_some() {
            let kind = own.iter().filter_map(|id| graph.nodes.get(id)).map(|step| step.kind.clone()).next();
            (own.clone(), kind)
        } else {
            // It is a part of the steps that it serves.
            let whom = file
                .parts
                .iter()
                .filter(|(from, ..)| *from == at)
                .filter_map(|(.., to)| graph.steps.get(*to)?.first().cloned());
            (whom.collect(), None)
        };
        if nodes.is_empty() {
            let message = format!("\"{}\" serves no other node; it is left out.", node.name);
            found.add(
                Level::Warning,
                "NOT_REACHED",
                Some(&node.name),
                node.path.clone(),
                message,
                "Nothing, if it was not used.",
            );
        }
        graph.translated.push(Translated::new(&node.name, nodes, kind));
    }
}
