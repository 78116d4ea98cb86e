//! States and transitions as steps and edges.

use super::states::State;
use crate::report::{Findings, Level, Translated};
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_engine::catalog::PLACEHOLDER_KIND;
use signalbox_model::{Edge, Map, Node as Step, PortRef};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Most states of a file, and the deepest nesting.
const MOST_STATES: usize = 2_000;
const DEEPEST: usize = 12;

/// What the graph became.
pub(super) struct Made {
    pub(super) nodes: IndexMap<String, Step>,
    pub(super) edges: Vec<Edge>,
    pub(super) translated: Vec<Translated>,
    pub(super) variables: BTreeSet<String>,
    pub(super) tasks: usize,
    pub(super) bare: usize,
}

/// The states that a machine can come to.
fn reached<'m>(states: &'m Map, start: &'m str) -> HashSet<&'m str> {
    let mut found = HashSet::from([start]);
    let mut open = vec![start];
    while let Some(state) = open.pop().and_then(|name| states.get(name)) {
        let rows = ["Choices", "Catch"].into_iter().filter_map(|list| state[list].as_array()).flatten();
        let next = rows.map(|row| &row["Next"]).chain([&state["Next"], &state["Default"]]);
        for name in next.filter_map(Value::as_str) {
            if found.insert(name) {
                open.push(name);
            }
        }
    }
    found
}

/// Builds the graph.
pub(super) struct Builder<'f> {
    pub(super) found: &'f mut Findings,
    nodes: IndexMap<String, Step>,
    edges: Vec<(String, String, String)>,
    /// Id of a state → the step at which it begins.
    firsts: HashMap<String, String>,
    /// (from step, port, id of the state from, id of the target)
    wires: Vec<(String, String, String, String)>,
    translated: Vec<Translated>,
    names: HashMap<String, String>,
    pub(super) variables: BTreeSet<String>,
    pub(super) tasks: usize,
    pub(super) bare: usize,
    jsonata: Option<bool>,
    states: usize,
    scopes: Vec<HashMap<String, String>>,
}

impl<'f> Builder<'f> {
    pub(super) fn new(found: &'f mut Findings) -> Self {
        Self {
            found,
            nodes: IndexMap::new(),
            edges: Vec::new(),
            firsts: HashMap::new(),
            wires: Vec::new(),
            translated: Vec::new(),
            names: HashMap::new(),
            variables: BTreeSet::new(),
            tasks: 0,
            bare: 0,
            jsonata: None,
            states: 0,
            scopes: Vec::new(),
        }
    }

    /// One machine: the whole, a branch, or the body of a Map. Gives the step at which it begins.
    pub(super) fn machine(
        &mut self,
        machine: &Map,
        parent: Option<String>,
        at: &str,
        depth: usize,
    ) -> Result<String, (String, String)> {
        if depth > DEEPEST {
            return Err((at.to_owned(), format!("Machines are nested more than {DEEPEST} levels deep.")));
        }
        let states = machine.get("States").and_then(Value::as_object).filter(|all| !all.is_empty());
        let states = states.ok_or_else(|| (format!("{at}/States"), "The machine has no states.".to_owned()))?;
        let start = machine.get("StartAt").and_then(Value::as_str).unwrap_or_default();
        if !states.contains_key(start) {
            return Err((
                format!("{at}/StartAt"),
                format!("StartAt names \"{start}\", which is no state of the machine."),
            ));
        }
        // Branches and bodies have the language of the whole.
        let own = machine.get("QueryLanguage").and_then(Value::as_str).map(|word| word == "JSONata");
        if depth == 0 {
            self.jsonata = own;
        }
        let jsonata = own.or(self.jsonata);
        let mut scope = HashMap::new();
        for name in states.keys() {
            let id = self.id(name);
            scope.insert(name.clone(), id);
        }
        self.scopes.push(scope);
        let reached = reached(states, start);
        for (name, raw) in states {
            // Here a step that nothing leads to would begin with the others.
            if raw.is_object() && !reached.contains(name.as_str()) {
                let path = format!("{at}/States/{}", signalbox_model::diagnostic::pointer_token(name));
                let message = format!("No state leads to \"{name}\"; it is left out.");
                self.found.add(
                    Level::Warning,
                    "NOT_REACHED",
                    Some(name),
                    path,
                    message,
                    "Nothing, if it is not needed.",
                );
                continue;
            }
            self.states += 1;
            if self.states > MOST_STATES {
                return Err((at.to_owned(), format!("The file has more than {MOST_STATES} states.")));
            }
            let path = format!("{at}/States/{}", signalbox_model::diagnostic::pointer_token(name));
            let Some(raw) = raw.as_object() else { return Err((path, format!("The state \"{name}\" is no object."))) };
            let own = raw.get("QueryLanguage").and_then(Value::as_str).map(|word| word == "JSONata");
            let id = self.scopes.last().and_then(|scope| scope.get(name)).cloned().unwrap_or_default();
            let known = raw.get("Arguments").is_some() || raw.get("Output").is_some();
            let state = State {
                name,
                raw,
                path,
                id: id.clone(),
                parent: parent.clone(),
                jsonata: own.or(jsonata).unwrap_or(known),
                depth,
            };
            let before = self.nodes.len();
            let row = self.translated.len();
            self.translated.push(Translated::new(name, Vec::new(), None));
            self.state(&state)?;
            let made: Vec<String> = self
                .nodes
                .iter()
                .skip(before)
                .map(|(id, _)| id.clone())
                .filter(|step| *step == id || step.strip_prefix(id.as_str()).is_some_and(|rest| rest.starts_with('_')))
                .collect();
            let kind = made.iter().filter_map(|id| self.nodes.get(id)).map(|step| step.kind.clone());
            let kind = kind.into_iter().find(|kind| kind != "flow.noop" && kind != "data.transform");
            if let Some(row) = self.translated.get_mut(row) {
                row.kind = kind.or_else(|| Some("data.transform".to_owned()));
                row.nodes = made;
            }
        }
        let scope = self.scopes.pop().unwrap_or_default();
        let id = scope.get(start).cloned().unwrap_or_default();
        if parent.is_none() {
            self.nodes.insert("start".into(), Step { kind: "trigger.manual".into(), ..Step::default() });
            self.wires.push(("start".into(), "success".into(), String::new(), id.clone()));
        }
        Ok(self.firsts.get(&id).cloned().unwrap_or(id))
    }

    /// A free id like the name.
    fn id(&mut self, name: &str) -> String {
        let mut base: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(48).collect();
        base = base.trim_matches('_').to_owned();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic()) || base == "start" {
            base = format!("state_{base}");
        }
        let mut id = base.clone();
        let mut number = 1;
        while self.names.contains_key(&id) {
            number += 1;
            id = format!("{base}_{number}x");
        }
        self.names.insert(id.clone(), name.to_owned());
        id
    }

    pub(super) fn step(&mut self, state: &State<'_>, suffix: &str, step: Step) -> String {
        let id = format!("{}{suffix}", state.id);
        let parent = step.parent.clone().or_else(|| state.parent.clone());
        self.nodes.insert(id.clone(), Step { parent, ..step });
        id
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.nodes.contains_key(id)
    }

    /// Adds the handling of errors to a step.
    pub(super) fn handled(&mut self, id: &str, handling: Option<signalbox_model::workflow::ErrorHandling>) {
        if let Some(step) = self.nodes.get_mut(id) {
            step.error_handling = handling;
        }
    }

    /// The step at which a state begins.
    pub(super) fn first(&mut self, state: &State<'_>, step: &str) {
        self.firsts.insert(state.id.clone(), step.to_owned());
    }

    pub(super) fn edge(&mut self, from: &str, port: &str, to: &str) {
        self.edges.push((from.to_owned(), port.to_owned(), to.to_owned()));
    }

    /// On to a state of the same machine; nothing at its end.
    pub(super) fn next(&mut self, state: &State<'_>, from: &str, port: &str, target: &str) {
        if target.is_empty() {
            if state.raw.get("End") != Some(&Value::Bool(true)) && port == "success" && state.text("Type") != "Choice" {
                let message = format!("\"{}\" has neither Next nor End; the machine ends there.", state.name);
                self.tell(Level::Warning, "NO_NEXT", state, "", message, "Nothing, if it is the end.");
            }
            return;
        }
        match self.scopes.last().and_then(|scope| scope.get(target)).cloned() {
            Some(to) => self.wires.push((from.to_owned(), port.to_owned(), state.id.clone(), to)),
            None => {
                let message = format!("\"{}\" leads to \"{target}\", which is no state of its machine.", state.name);
                self.tell(Level::Problem, "NO_SUCH_STATE", state, "Next", message, "Wire it.");
            }
        }
    }

    /// Takes out the steps that keep the input of a state where no expression asks for it.
    fn spare(&mut self) {
        let text: String = self.nodes.values().map(|node| json!([node.config, node.out]).to_string()).collect();
        let is_spare = |id: &str, node: &Step| {
            node.kind == "flow.noop" && id.ends_with("_start") && !text.contains(&format!("nodes.{id}."))
        };
        let spare: Vec<String> =
            self.nodes.iter().filter(|(id, node)| is_spare(id, node)).map(|(id, _)| id.clone()).collect();
        for id in spare {
            let Some(at) = self.edges.iter().position(|(from, ..)| *from == id) else { continue };
            let to = self.edges.remove(at).2;
            for edge in self.edges.iter_mut().filter(|edge| edge.2 == id) {
                edge.2.clone_from(&to);
            }
            self.nodes.shift_remove(&id);
            for row in &mut self.translated {
                row.nodes.retain(|node| *node != id);
            }
        }
    }

    pub(super) fn finish(mut self) -> Made {
        // A wire that closes a circle leads to a placeholder.
        let mut next: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, (_, _, from, _)) in self.wires.iter().enumerate() {
            next.entry(from.as_str()).or_default().push(at);
        }
        let mut back: HashSet<usize> = HashSet::new();
        let mut state: HashMap<&str, u8> = HashMap::new();
        let starts: Vec<&str> = self.wires.iter().map(|(_, _, from, _)| from.as_str()).collect();
        let begin = std::iter::once("").chain(starts);
        for start in begin {
            if state.contains_key(start) {
                continue;
            }
            state.insert(start, 1);
            let mut stack = vec![(start, 0usize)];
            while let Some((at, n)) = stack.pop() {
                let Some(&wire) = next.get(at).and_then(|all| all.get(n)) else {
                    state.insert(at, 2);
                    continue;
                };
                stack.push((at, n + 1));
                let to = self.wires[wire].3.as_str();
                match state.get(to) {
                    None => {
                        state.insert(to, 1);
                        stack.push((to, 0));
                    }
                    Some(1) => drop(back.insert(wire)),
                    Some(_) => {}
                }
            }
        }
        for (at, (from, port, of, to)) in std::mem::take(&mut self.wires).into_iter().enumerate() {
            if back.contains(&at) {
                let names = (
                    self.names.get(&of).cloned().unwrap_or_default(),
                    self.names.get(&to).cloned().unwrap_or_default(),
                );
                let why =
                    format!("\"{}\" leads back to \"{}\"; circles are loops with a condition here.", names.0, names.1);
                let hint = "A placeholder stands there. Put the states into a loop ('while').";
                self.found.add(Level::Problem, "CIRCLE", Some(&names.0), "/States", why.clone(), hint);
                let mut id = format!("{of}_leads_back");
                while self.nodes.contains_key(&id) {
                    id.push('_');
                }
                let parent = self.nodes.get(&from).and_then(|step| step.parent.clone());
                let config = Some(json!({ "step": { "Next": names.1 } }));
                self.nodes.insert(
                    id.clone(),
                    Step {
                        kind: PLACEHOLDER_KIND.into(),
                        description: Some(crate::report::short(&why)),
                        config,
                        parent,
                        ..Step::default()
                    },
                );
                self.edges.push((from, port, id));
                continue;
            }
            let to = self.firsts.get(&to).cloned().unwrap_or(to);
            self.edges.push((from, port, to));
        }
        self.spare();
        let mut seen = HashSet::new();
        let mut edges = Vec::new();
        for (from, port, to) in self.edges {
            if seen.insert((from.clone(), port.clone(), to.clone())) {
                edges.push(Edge { from: PortRef::new(&from, &port), to, extra: Map::new() });
            }
        }
        Made {
            nodes: self.nodes,
            edges,
            translated: self.translated,
            variables: self.variables,
            tasks: self.tasks,
            bare: self.bare,
        }
    }
}
