//! Chains of foreign steps as a graph. There a chain runs to RETURN and its parent goes on; here wires lead on from its
//! last step. A step that several chains share stands once per way on, so that each chain runs as it did.

use super::cannot;
use super::cel::{Place, Used};
use super::kinds::{Body, Maker};
use super::read::{Family, File, Step, Target};
use crate::report::{Findings, Level, Translated, short};
use crate::text::literal;
use crate::{Options, Refused};
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_engine::catalog::PLACEHOLDER_KIND;
use signalbox_model::{Edge, Map, Node, PortRef, descriptor::Mode};
use std::collections::{HashMap, HashSet, VecDeque};

/// Steps that stand more than once.
const MOST_COPIES: usize = 5_000;
/// What the further ones of them say, in bytes.
const MOST_COPIED: usize = 16 * 1024 * 1024;
/// Steps that are made.
const MOST_NODES: usize = 30_000;
/// Reasons that are told of one step.
const MOST_REASONS: usize = 5;
/// Containers in containers.
const DEEPEST: usize = 16;
/// Cases of one Switch; one is kept for the condition of the step itself.
const MOST_CASES: usize = 49;

/// Where a wire leads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Dest {
    /// A foreign step on one of its ways.
    Way(usize),
    /// A step that the import made.
    Node(String),
}

/// A body of steps: the top, a round of a loop, a branch.
#[derive(Debug, Clone)]
struct Lane {
    parent: Option<String>,
    in_loop: Option<String>,
    depth: usize,
}

/// A foreign step where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Way {
    lane: usize,
    step: usize,
    /// Where RETURN leads.
    back: Option<Dest>,
    /// It handles an error.
    handles: bool,
}

/// What the graph became.
pub(super) struct Made {
    pub(super) nodes: IndexMap<String, Node>,
    pub(super) edges: Vec<Edge>,
    pub(super) translated: Vec<Translated>,
    pub(super) used: Used,
}

/// `nodes.ID.output` as a step's result.
pub(super) fn member(node: &str, place: &Place) -> String {
    let below = place.result.as_deref().and_then(|result| result.strip_prefix("_result")).unwrap_or_default();
    format!("{node}.output{below}")
}

/// Makes the graph of a file.
pub(super) fn build(file: &File<'_>, options: &Options, found: &mut Findings) -> Result<Made, Refused> {
    let mut builder = Builder {
        file,
        options,
        found,
        used: Used::default(),
        nodes: IndexMap::new(),
        wires: Vec::new(),
        lanes: Vec::new(),
        ways: Vec::new(),
        entries: Vec::new(),
        known: HashMap::new(),
        open: VecDeque::new(),
        taken: file.steps.iter().map(|step| step.node.clone()).collect(),
        stood: HashSet::new(),
        made: vec![Vec::new(); file.steps.len()],
        copies: 0,
        copied: 0,
        numbers: HashMap::new(),
    };
    for entry in &file.entries {
        let lane = builder.lane(None, None, 0)?;
        builder.reach(lane, *entry, None, false)?;
    }
    while let Some(way) = builder.open.pop_front() {
        builder.work(way)?;
        if builder.nodes.len() > MOST_NODES {
            return Err(cannot(
                "/steps",
                format!("The file would become more than {MOST_NODES} steps."),
                "Split it into several workflows that call each other.",
            ));
        }
    }
    builder.finish()
}

struct Builder<'a, 'f> {
    file: &'a File<'f>,
    options: &'a Options,
    found: &'a mut Findings,
    used: Used,
    nodes: IndexMap<String, Node>,
    wires: Vec<(String, String, Dest)>,
    lanes: Vec<Lane>,
    ways: Vec<(Way, String)>,
    /// Way → the step that it begins with.
    entries: Vec<String>,
    known: HashMap<Way, usize>,
    open: VecDeque<usize>,
    taken: HashSet<String>,
    /// Foreign steps that stand once already.
    stood: HashSet<usize>,
    made: Vec<Vec<String>>,
    copies: usize,
    /// Bytes of the file that stand once more.
    copied: usize,
    /// Ids that were wanted again, and the number that was given last.
    numbers: HashMap<String, usize>,
}

impl<'f> Builder<'_, 'f> {
    fn lane(&mut self, parent: Option<String>, in_loop: Option<String>, depth: usize) -> Result<usize, Refused> {
        if depth > DEEPEST {
            return Err(cannot(
                "/steps",
                format!("Steps with children are nested more than {DEEPEST} levels deep."),
                "Put the innermost ones into a workflow of their own.",
            ));
        }
        self.lanes.push(Lane { parent, in_loop, depth });
        Ok(self.lanes.len() - 1)
    }

    /// A free id like this one.
    fn free(&mut self, base: &str) -> String {
        if self.taken.insert(base.to_owned()) {
            return base.to_owned();
        }
        let number = self.numbers.entry(base.to_owned()).or_insert(1);
        loop {
            *number += 1;
            let id = format!("{base}_{number}");
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }

    fn reach(&mut self, lane: usize, step: usize, back: Option<Dest>, handles: bool) -> Result<Dest, Refused> {
        // Nothing comes after a Stop, so there is one of it in a body.
        let back = if self.file.steps[step].family == Family::Stop { None } else { back };
        let way = Way { lane, step, back, handles };
        if let Some(known) = self.known.get(&way) {
            return Ok(Dest::Way(*known));
        }
        let first = self.stood.insert(step);
        let one = &self.file.steps[step];
        let id = if first { one.node.clone() } else { self.free(&one.node) };
        if !first {
            self.copies += 1;
            self.copied += serde_json::to_string(one.raw).map_or(0, |text| text.len());
            if self.copied > MOST_COPIED {
                return Err(cannot(
                    one.path.clone(),
                    format!(
                        "Steps that several chains share, \"{}\" among them, would take more than {} MiB here.",
                        one.id,
                        MOST_COPIED >> 20
                    ),
                    "End branching chains with RETURN and continue in one place.",
                ));
            }
            if self.copies > MOST_COPIES {
                return Err(cannot(
                    one.path.clone(),
                    format!(
                        "The chains of the file share their steps in more than {MOST_COPIES} ways, \"{}\" among them.",
                        one.id
                    ),
                    "End branching chains with RETURN and continue in one place.",
                ));
            }
            let message =
                format!("\"{}\" is part of several chains; here there is one copy for each, such as '{id}'.", one.id);
            let hint = "What you change in one of them, change in all.";
            self.found.add(Level::Warning, "COPIED", Some(one.id), one.path.clone(), message, hint);
        }
        let at = self.ways.len();
        self.known.insert(way.clone(), at);
        self.entries.push(id.clone());
        self.ways.push((way, id));
        self.open.push_back(at);
        Ok(Dest::Way(at))
    }

    /// Where a target leads from a step; none when the chain ends.
    fn dest(&mut self, way: &Way, id: &str, target: &Target) -> Result<Option<Dest>, Refused> {
        self.dest_as(way, id, target, way.back.clone(), false)
    }

    fn dest_as(
        &mut self,
        way: &Way,
        id: &str,
        target: &Target,
        back: Option<Dest>,
        handles: bool,
    ) -> Result<Option<Dest>, Refused> {
        let lane = way.lane;
        Ok(match target {
            Target::Step(step) => Some(self.reach(lane, *step, back, handles)?),
            Target::Return | Target::Nothing => back,
            Target::Break if self.lanes[lane].in_loop.is_some() => {
                let made = self.free(&format!("{id}_break"));
                self.add(&made, way, Node { kind: "flow.break".into(), ..Node::default() });
                Some(Dest::Node(made))
            }
            Target::Break => {
                let step = &self.file.steps[way.step];
                let message = format!("Step \"{}\" leads to BREAK, but is not in a loop.", step.id);
                let hint = "A placeholder replaces it; connect the step to another one.";
                self.found.add(Level::Problem, "NO_LOOP", Some(step.id), step.at("next"), message.clone(), hint);
                Some(Dest::Node(self.placeholder(way, &format!("{id}_break"), &message, None)))
            }
            Target::Pause => {
                let made = self.free(&format!("{id}_pause"));
                self.add(&made, way, Node { kind: "flow.pause".into(), ..Node::default() });
                if let Some(back) = back {
                    self.wires.push((made.clone(), "success".into(), back));
                }
                Some(Dest::Node(made))
            }
            Target::Missing(name) => {
                let words = format!("It replaces the step \"{name}\", which the foreign file does not have.");
                Some(Dest::Node(self.placeholder(way, &format!("{id}_leads_on"), &words, None)))
            }
            Target::Back(step) => {
                let name = self.file.steps[*step].id;
                let words = format!("The foreign file leads back to \"{name}\" here, which would never end.");
                Some(Dest::Node(self.placeholder(way, &format!("{id}_leads_back"), &words, None)))
            }
        })
    }

    fn add(&mut self, id: &str, way: &Way, node: Node) {
        let step = &self.file.steps[way.step];
        let title =
            |from: Option<&Value>| from.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        let meta = step.get("meta");
        let node = Node {
            title: node.title.or_else(|| {
                (id == self.ways_id(way))
                    .then(|| title(meta.and_then(|meta| meta.get("title"))).or(title(step.get("title"))))?
            }),
            parent: self.lanes[way.lane].parent.clone(),
            mode: MODES.contains(&node.kind.as_str()).then_some(Mode::All),
            ..node
        };
        self.made[way.step].push(id.to_owned());
        self.nodes.insert(id.to_owned(), node);
    }

    fn ways_id(&self, way: &Way) -> &str {
        self.known.get(way).map_or("", |at| self.ways[*at].1.as_str())
    }

    /// A visible step that cannot run and says why.
    fn placeholder(&mut self, way: &Way, base: &str, why: &str, raw: Option<&Map>) -> String {
        let id = if base == self.ways_id(way) { base.to_owned() } else { self.free(base) };
        let config = raw.map(|raw| json!({ "step": raw }));
        let description = Some(short(why));
        self.add(&id, way, Node { kind: PLACEHOLDER_KIND.into(), description, config, ..Node::default() });
        id
    }

    fn wire(&mut self, from: &str, port: &str, to: Option<Dest>) {
        if let Some(to) = to {
            self.wires.push((from.to_owned(), port.to_owned(), to));
        }
    }

    /// A step that hands its items on may get none from a container: then nothing would go on.
    fn hands_on(&self, to: &Dest) -> bool {
        match to {
            Dest::Way(way) => {
                let step = &self.file.steps[self.ways[*way].0.step];
                step.get("if").is_some()
                    || matches!(step.family, Family::Branch | Family::Pause | Family::Noop)
                    || !step.spoilt.is_empty()
            }
            Dest::Node(id) => self.nodes.get(id).is_some_and(|node| node.kind == "flow.pause"),
        }
    }

    /// From a container on.
    fn go_on(&mut self, way: &Way, id: &str, next: Option<Dest>) {
        match next {
            Some(next) if self.hands_on(&next) => {
                let one = self.free(&format!("{id}_done"));
                let config = json!({ "assign": {}, "keep": false });
                let title = Some("One item continues".to_owned());
                let node = Node { kind: "data.set".into(), title, config: Some(config), ..Node::default() };
                self.add(&one, way, node);
                self.wires.push((id.to_owned(), "success".into(), Dest::Node(one.clone())));
                self.wires.push((one, "success".into(), next));
            }
            next => self.wire(id, "success", next),
        }
    }

    /// Each child begins a branch of its own.
    fn bodies(&mut self, way: &Way, id: &str, in_loop: Option<String>) -> Result<(), Refused> {
        let depth = self.lanes[way.lane].depth + 1;
        let step = &self.file.steps[way.step];
        for child in &step.children {
            let lane = self.lane(Some(id.to_owned()), in_loop.clone(), depth)?;
            let inside = Way { lane, back: None, ..way.clone() };
            self.dest_as(&inside, id, child, None, false)?;
        }
        Ok(())
    }

    fn work(&mut self, at: usize) -> Result<(), Refused> {
        let (way, id) = self.ways[at].clone();
        let file = self.file;
        let step = &file.steps[way.step];
        let in_loop = self.lanes[way.lane].in_loop.clone();
        // A fork that is written as a Set without anything to set.
        let bare = step.family == Family::Set && step.get("target").is_none() && !step.children.is_empty();
        if bare {
            let message = format!("\"{}\" sets nothing; it is read as a fork of its children.", step.id);
            let hint = "Nothing, if its children should run in parallel.";
            self.found.add(Level::Warning, "SET_AS_FORK", Some(step.id), step.path.clone(), message, hint);
        }
        let place = Place { in_loop: in_loop.clone(), result: None, error: way.handles };
        let mut maker = Maker {
            file,
            options: self.options,
            used: &mut self.used,
            found: &mut *self.found,
            step,
            node: &id,
            place,
        };
        let condition = maker.condition();
        let mut body = if bare { Ok(Body { kind: "flow.parallel", ..Body::default() }) } else { maker.body() };
        let mut cases = Vec::new();
        for case in &step.cases {
            let when = case.when.as_ref().map_or_else(|| Ok("true".to_owned()), |when| maker.case(when));
            cases.push((case, when));
        }
        let mut reasons: Vec<String> = step.spoilt.clone();
        reasons.extend(condition.as_ref().err().cloned());
        reasons.extend(cases.iter().filter_map(|(_, when)| when.as_ref().err().cloned()));
        let control =
            matches!(step.family, Family::Branch | Family::Loop | Family::Stop | Family::Pause | Family::Noop);
        if step.family == Family::Branch && cases.is_empty() {
            reasons.push("cases: it has none".into());
        }
        if let Err(why) = &body {
            reasons.push(why.clone());
        }
        if !reasons.is_empty() {
            let more = reasons.len().saturating_sub(MOST_REASONS);
            reasons.truncate(MOST_REASONS);
            let more = if more == 0 { String::new() } else { format!("; and {more} more") };
            let why = format!("{}{more}", reasons.join("; "));
            let message =
                format!("\"{}\" could not be translated. {why}{}", step.id, if why.ends_with('.') { "" } else { "." });
            let hint = "A placeholder with the content of the file replaces it: use steps that do the same.";
            self.found.add(Level::Problem, "NOT_TRANSLATED", Some(step.id), step.path.clone(), message.clone(), hint);
            if control {
                // What leads on from it stays visible.
                let before = self.placeholder(&way, &format!("{id}_problem"), &message, Some(step.raw));
                self.wires.push((before.clone(), "success".into(), Dest::Node(id.clone())));
                self.entries[at] = before;
                body = body.or_else(|_| Ok::<_, String>(bare_of(step)));
            } else {
                body = Ok(Body {
                    kind: PLACEHOLDER_KIND,
                    config: Map::from_iter([("step".into(), json!(step.raw))]),
                    ..Body::default()
                });
                return self.whole(&way, &id, at, body.unwrap_or_default(), None, Some(message));
            }
        }
        let condition = condition.ok().flatten();
        match step.family {
            Family::Branch => {
                let cases =
                    cases.into_iter().map(|(case, when)| (case, when.unwrap_or_else(|_| "false".into()))).collect();
                self.branch(&way, &id, body.unwrap_or_default(), condition, cases)
            }
            _ => self.whole(&way, &id, at, body.unwrap_or_default(), condition, None),
        }
    }

    /// A step with what belongs to it: its condition, its files, its children, and what follows.
    fn whole(
        &mut self,
        way: &Way,
        id: &str,
        at: usize,
        body: Body,
        condition: Option<String>,
        why: Option<String>,
    ) -> Result<(), Refused> {
        let step = &self.file.steps[way.step];
        let next = self.dest(way, id, &step.next)?;
        let on_error = match &step.on_error {
            Target::Nothing => None,
            target => self.dest_as(way, id, target, way.back.clone(), true)?,
        };
        let frame = matches!(body.kind, "flow.loop" | "flow.parallel");
        let forks = !frame && !step.children.is_empty();
        let stop = body.kind == "flow.stop";
        // What belongs together is skipped together.
        let guarded = condition.is_some() && (forks || stop || !body.files.is_empty());
        if guarded {
            let guard = self.free(&format!("{id}_if"));
            let config = Some(json!({ "condition": condition }));
            self.add(&guard, way, Node { kind: "flow.if".into(), config, ..Node::default() });
            self.wires.push((guard.clone(), "true".into(), Dest::Node(id.to_owned())));
            self.wire(&guard, "false", next.clone());
            self.entries[at] = guard;
        }
        let mut config = body.config;
        if stop {
            let id: String = step.id.chars().take(100).collect();
            config.insert("stopId".into(), json!(literal(&id)));
        }
        let optional = |map: Map| Some(map).filter(|map| !map.is_empty());
        let described = step.get("meta").and_then(|meta| meta.get("description").or_else(|| meta.get("desc")));
        let described = described.or_else(|| step.get("description")).and_then(Value::as_str).map(str::to_owned);
        let node = Node {
            kind: body.kind.to_owned(),
            description: why.map(|why| short(&why)).or(described),
            condition: condition.filter(|_| !guarded),
            config: optional(config).map(Value::Object),
            out: optional(body.out),
            print: body.print,
            timeout_ms: body.timeout_ms,
            ..Node::default()
        };
        self.add(id, way, node);
        if frame {
            let in_loop = match body.kind {
                "flow.loop" => Some(step.id.to_owned()),
                _ => self.lanes[way.lane].in_loop.clone(),
            };
            self.bodies(way, id, in_loop)?;
            self.wire(id, "error", on_error);
            self.go_on(way, id, next);
            return Ok(());
        }
        if stop {
            return Ok(());
        }
        let mut last = id.to_owned();
        self.wire(&last, "error", on_error.clone());
        for (path, content) in body.files {
            let file = self.free(&format!("{id}_file"));
            let config = json!({ "path": path, "content": content, "mode": "overwrite" });
            self.add(&file, way, Node { kind: "file.write".into(), config: Some(config), ..Node::default() });
            self.wires.push((last, "success".into(), Dest::Node(file.clone())));
            self.wire(&file, "error", on_error.clone());
            last = file;
        }
        if body.kind == "flow.pause" && step.on_timeout != Target::Nothing {
            let late = self.dest(way, id, &step.on_timeout)?;
            self.wire(id, "timeout", late);
        }
        if forks {
            let fork = self.free(&format!("{id}_children"));
            self.add(&fork, way, Node { kind: "flow.parallel".into(), ..Node::default() });
            self.wires.push((last, "success".into(), Dest::Node(fork.clone())));
            let in_loop = self.lanes[way.lane].in_loop.clone();
            self.bodies(way, &fork, in_loop)?;
            self.wire(&fork, "error", on_error);
            self.go_on(way, &fork, next);
            return Ok(());
        }
        self.wire(&last, "success", next);
        Ok(())
    }

    /// A Branch: the first true case, then what follows the Branch; no case, the same at once.
    fn branch(
        &mut self,
        way: &Way,
        id: &str,
        body: Body,
        condition: Option<String>,
        cases: Vec<(&super::read::Case, String)>,
    ) -> Result<(), Refused> {
        let step = &self.file.steps[way.step];
        let next = self.dest(way, id, &step.next)?;
        if !step.children.is_empty() {
            let message = format!("\"{}\" has cases and children; its children are not taken over.", step.id);
            let words = "Its children are not taken over: a Branch has cases only.";
            self.found.add(Level::Problem, "NOT_TRANSLATED", Some(step.id), step.at("children"), message, words);
            let made = self.placeholder(way, &format!("{id}_children"), words, Some(step.raw));
            self.wire(id, "default", Some(Dest::Node(made)));
        }
        let mut rows: Vec<(String, String, Option<Dest>)> = Vec::new();
        let mut ports: HashMap<String, usize> = HashMap::new();
        if let Some(condition) = condition {
            ports.insert("skipped".into(), 1);
            rows.push((format!("!({condition})"), "skipped".into(), next.clone()));
        }
        for (case, when) in cases {
            let to = self.dest_as(way, id, &case.to, next.clone(), false)?;
            let mut port: String = case
                .name
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' })
                .take(36)
                .collect();
            if matches!(port.as_str(), "" | "default" | "error") {
                port.push('_');
            }
            let times = ports.entry(port.clone()).and_modify(|times| *times += 1).or_insert(1);
            if *times > 1 {
                let base = port;
                port = format!("{base}_{times}");
                while ports.contains_key(&port) {
                    port.push('_');
                }
                ports.insert(port.clone(), 1);
            }
            rows.push((when, port, to));
        }
        if rows.is_empty() {
            rows.push(("false".into(), "none".into(), next.clone()));
        }
        let mut from: Option<String> = None;
        let many = rows.len().div_ceil(MOST_CASES);
        for (n, chunk) in rows.chunks(MOST_CASES).enumerate() {
            let own = match &from {
                None => id.to_owned(),
                Some(_) => self.free(&format!("{id}_more")),
            };
            let cases: Vec<Value> = chunk.iter().map(|(when, port, _)| json!({ "when": when, "port": port })).collect();
            let print = body.print.clone().filter(|_| from.is_none());
            let config = Some(json!({ "cases": cases }));
            self.add(&own, way, Node { kind: "flow.switch".into(), config, print, ..Node::default() });
            if let Some(before) = from {
                self.wires.push((before, "default".into(), Dest::Node(own.clone())));
            }
            for (_, port, to) in chunk {
                self.wire(&own, port, to.clone());
            }
            if n + 1 == many {
                self.wire(&own, "default", next.clone());
            }
            from = Some(own);
        }
        Ok(())
    }

    fn finish(self) -> Result<Made, Refused> {
        let mut edges: Vec<Edge> = Vec::with_capacity(self.wires.len());
        let mut seen = HashSet::new();
        for (from, port, to) in self.wires {
            let to = match to {
                Dest::Way(way) => self.entries[way].clone(),
                Dest::Node(id) => id,
            };
            if seen.insert((from.clone(), port.clone(), to.clone())) {
                edges.push(Edge { from: PortRef::new(&from, &port), to, extra: Map::new() });
            }
        }
        let mut nodes = self.nodes;
        // In the order of the foreign file, so that a person finds things where they were.
        let order: HashMap<&String, usize> =
            self.made.iter().enumerate().flat_map(|(at, made)| made.iter().map(move |id| (id, at))).collect();
        nodes.sort_by(|a, _, b, _| order.get(a).cmp(&order.get(b)));
        let mut translated = Vec::with_capacity(self.file.steps.len());
        for (step, made) in self.file.steps.iter().zip(&self.made) {
            if made.is_empty() {
                let message = format!("Nothing leads to \"{}\"; it is left out.", step.id);
                let hint = "Wire it in the foreign file if it should run.";
                self.found.add(Level::Warning, "NOT_REACHED", Some(step.id), step.path.clone(), message, hint);
            }
            let first = made.iter().find(|id| **id == step.node).or_else(|| made.first());
            let kind = first.and_then(|id| nodes.get(id)).map(|node| node.kind.clone());
            translated.push(Translated::new(step.id, made.clone(), kind));
        }
        Ok(Made { nodes, edges, translated, used: self.used })
    }
}

/// Kinds that would otherwise work item by item: there is one flow there.
const MODES: &[&str] = &["data.set", "flow.switch", "flow.if", "http.request", "file.write", "llm.chat", "mcp.tool"];

/// A step of control without its settings, behind a placeholder.
fn bare_of(step: &Step<'_>) -> Body {
    let (kind, config) = match step.family {
        Family::Loop => ("flow.loop", Map::from_iter([("source".into(), json!([]))])),
        Family::Branch => ("flow.switch", Map::new()),
        Family::Pause => ("flow.pause", Map::new()),
        Family::Stop => ("flow.stop", Map::new()),
        _ if step.children.is_empty() => ("flow.noop", Map::new()),
        _ => ("flow.parallel", Map::new()),
    };
    Body { kind, config, ..Body::default() }
}
