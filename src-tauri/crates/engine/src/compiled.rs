//! Workflow → indexes, ports and regions that `step` reads. Built once per run; shared.

mod region;

use crate::calendar::Calendar;
use crate::catalog::Catalog;
use crate::connector::KnownConnectors;
use crate::decision::Decider;
use crate::guard::Guardrails;
use crate::limit::step_memory;
use crate::numbers::Cyclic;
use crate::recovery::{EdgeKind, Recovery, RecoveryKind};
use crate::schema::{Schema, Violation};
use crate::schemas::Schemas;
use crate::validate::Called;
use crate::{agent, config, connector, declared_variables, guard, validate};
use indexmap::IndexMap;
use region::Region;
use serde_json::{Value, json};
use signalbox_model::budget::Limits;
use signalbox_model::{
    Connector, Diagnostic, Effects, Level, Mode, Node, NodeDescriptor, RetryPolicy, Role, Severity, StepFault,
    Workflow,
    descriptor::ByConfig,
    workflow::{ErrorPolicy, NamedPolicy},
};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A workflow that may run.
#[derive(Debug)]
pub struct Compiled {
    /// The file.
    pub workflow: Arc<Workflow>,
    /// SHA-256 of the pinned definition, hex.
    pub definition_hash: String,
    /// `settings.budget` of the run's own file.
    pub(crate) budget: Limits,
    /// All nodes of all files, the run's own file first.
    pub(crate) nodes: Cyclic<CompiledNode>,
    pub(crate) edges: Cyclic<CompiledEdge>,
    /// The top, then every body.
    pub(crate) regions: Vec<Region>,
    /// The run's own file first.
    pub(crate) files: Vec<CompiledFile>,
    pub(crate) on_abort: Option<usize>,
    /// Nodes that only the `onAbort` chain reaches.
    pub(crate) abort_region: Vec<bool>,
    /// So many items of a step without effects begin in one call.
    pub(crate) part: usize,
    /// So many bytes of memory may the items take that one step hands on.
    pub(crate) most: usize,
    /// From so many items on a step that can read its list where it lies does.
    pub(crate) long: usize,
}

/// [`Compiled::part`] of every run. What was recorded with another number folds as well.
const PART: usize = 1_000;
/// [`Compiled::long`] of every run.
const LONG: usize = 10_000;
/// [`Compiled::most`] of a run whose workflow says nothing: a million small items, and what is made of them, in a program that stays below some
/// gigabytes.
const MOST: usize = 1 << 30;

impl CompiledNode {
    /// What people call it: its title, else the title of its kind. Ids are for files.
    pub(crate) fn name(&self) -> &str {
        let own = self.node.title.as_deref().filter(|title| !title.trim().is_empty());
        own.unwrap_or(&self.descriptor.title)
    }
}

/// What people and logs are told of a node.
#[derive(Debug, Clone, Copy)]
pub struct NodeAt<'a> {
    /// Its kind: `http.request`.
    pub kind: &'a str,
    /// Its title, else the title of its kind.
    pub name: &'a str,
    /// What its author says that it does.
    pub description: Option<&'a str>,
}

/// What a file says beside its nodes.
#[derive(Debug)]
pub(crate) struct CompiledFile {
    pub(crate) workflow: Arc<Workflow>,
    /// What expressions see as `workflow`.
    pub(crate) seen: Arc<Value>,
    /// Schemas that have a name in it.
    pub(crate) schemas: Schemas,
    pub(crate) index: HashMap<String, usize>,
    pub(crate) policy: Decider,
    pub(crate) context_schema: HashMap<String, Arc<Schema>>,
    /// `context.schema` has `additionalProperties: false`.
    pub(crate) context_closed: bool,
    /// Its working time.
    pub(crate) calendar: Option<Calendar>,
    /// Some expression asks which item another one descends from.
    pub(crate) follows_items: bool,
}

/// A wire, drawn or implicit.
#[derive(Debug)]
pub(crate) struct CompiledEdge {
    pub(crate) from: usize,
    pub(crate) port: Arc<str>,
    pub(crate) to: usize,
    /// origin → `fallbackNodeId`.
    pub(crate) fallback: bool,
    pub(crate) kind: EdgeKind,
}

/// Where a port of a recovery node leads for one origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Way {
    /// To another recovery node, along this wire.
    Recovery(usize),
    /// Back to the origin, along this wire.
    Reentry(usize),
    /// Out, through these wires.
    Exit(Vec<usize>),
    /// Not wired.
    Unwired,
}

/// A node with everything `step` asks of it.
#[derive(Debug)]
pub(crate) struct CompiledNode {
    pub(crate) id: Arc<str>,
    pub(crate) kind: Arc<str>,
    pub(crate) node: Node,
    pub(crate) descriptor: Arc<NodeDescriptor>,
    pub(crate) mode: Mode,
    pub(crate) role: Role,
    /// The file it stands in.
    pub(crate) file: usize,
    /// The nodes it lives with.
    pub(crate) region: usize,
    /// Of a container: the regions of its body, one for each branch of a parallel.
    pub(crate) bodies: Vec<usize>,
    /// It works on cases, and never joins.
    pub(crate) recovery: Option<RecoveryKind>,
    /// The wire along which cases of this node go to a recovery node.
    pub(crate) handled_by: Option<usize>,
    /// Of a recovery node: whose cases can reach it.
    pub(crate) origins: Vec<usize>,
    /// Exit wires that cases of this node may use.
    pub(crate) exits: Vec<usize>,
    pub(crate) human_review_threshold: Option<Level>,
    pub(crate) auto_fix: Option<bool>,
    /// Guards that act; none when they are switched off.
    pub(crate) guards: Guardrails,
    /// Runs inside the burst that decides it.
    pub(crate) pure: bool,
    /// Calls of this node at the same time.
    pub(crate) parallel: usize,
    pub(crate) in_edges: Vec<usize>,
    /// All outgoing edges, drawn and implicit.
    pub(crate) out_edges: Vec<usize>,
    pub(crate) success_wired: bool,
    pub(crate) error_wired: bool,
    pub(crate) fallback: bool,
    pub(crate) own_retry: Option<RetryPolicy>,
    /// Numbers for a retry by a rule or policy.
    pub(crate) retry_numbers: RetryPolicy,
    pub(crate) max_attempts: u32,
    pub(crate) config: Arc<Value>,
    /// The config holds no expression and no template.
    pub(crate) config_is_static: bool,
    pub(crate) input_schema: Option<Arc<Schema>>,
    /// Ids of nodes that this node's expressions name.
    pub(crate) references: Vec<usize>,
    /// Those of which they ask for single items: `paired('step')`.
    pub(crate) paired: Vec<usize>,
    /// Some expression names this node.
    pub(crate) referenced: bool,
    pub(crate) host_from_data: bool,
    /// Some expression names `items`.
    pub(crate) uses_items: bool,
    /// More than one port besides `error`: `step_done` says which was selected.
    pub(crate) selects: bool,
    pub(crate) meta: signalbox_model::Map,
    /// `settings.model` of its file.
    pub(crate) model: Option<Arc<Value>>,
    /// The connector whose operation it calls.
    pub(crate) connector: Option<Arc<Connector>>,
    /// What it puts out instead of being called: port → items. Never of a file that another one calls.
    pub(crate) pinned: Option<Pins>,
    /// A fault that a person put in for this run. Never of a file that another one calls.
    pub(crate) fault: Option<Arc<StepFault>>,
}

impl Compiled {
    /// Compiles a workflow; all diagnostics when one of them is an error.
    pub fn new(workflow: Arc<Workflow>, definition_hash: &str, catalog: &Catalog) -> Result<Self, Vec<Diagnostic>> {
        Self::with_files(workflow, definition_hash, catalog, &BTreeMap::new())
    }

    /// [`Self::new`] of a workflow whose sub-workflows are these files, by id.
    pub fn with_files(
        workflow: Arc<Workflow>,
        definition_hash: &str,
        catalog: &Catalog,
        files: &BTreeMap<String, Arc<Workflow>>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let called = Called { files: files.clone(), ..Called::default() };
        Self::with_called(workflow, definition_hash, catalog, &called)
    }

    /// [`Self::new`] of a workflow with the files and the connectors that its steps name.
    pub fn with_called(
        workflow: Arc<Workflow>,
        definition_hash: &str,
        catalog: &Catalog,
        called: &Called,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut diagnostics = validate::check(&workflow, catalog);
        diagnostics.extend(validate::check_called(&workflow, catalog, called));
        if diagnostics.iter().any(|d| d.severity == Severity::Error) {
            return Err(diagnostics);
        }
        Ok(Self::build(workflow, definition_hash, catalog, called))
    }

    /// The same with so many items in one call of a step without effects, at least 2. Tests make it small.
    pub fn in_parts_of(self, items: usize) -> Self {
        Self { part: items.max(2), ..self }
    }

    /// The same with so many bytes that a step may hand on. Tests make it small.
    pub fn with_room_for(self, bytes: usize) -> Self {
        Self { most: bytes, ..self }
    }

    /// The same with so many items from which on a list is long. Tests make it small.
    pub fn with_long_lists_of(self, items: usize) -> Self {
        Self { long: items.max(2), ..self }
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }
    /// Id of a node, at any path.
    pub fn node_id(&self, node: usize) -> &str {
        self.nodes.get(self.nodes.local(node)).map_or("", |n| &n.id)
    }
    /// Index of a node of the run's own file.
    pub fn node_index(&self, id: &str) -> Option<usize> {
        self.files.first()?.index.get(id).copied()
    }

    /// Whether a value may stand in a variable of the run (SEMANTICS 7).
    pub fn fits_context(&self, name: &str, value: &Value) -> Result<(), String> {
        let Some(file) = self.files.first() else { return Ok(()) };
        match file.context_schema.get(name) {
            Some(schema) => schema.validate(value).map_err(|violations| {
                let told = violations.first().map(Violation::told).unwrap_or_default();
                format!("the value does not fit the workflow's context schema: {told}")
            }),
            None if file.context_closed => Err("the workflow's context schema does not have this variable".into()),
            None => Ok(()),
        }
    }

    /// What the file of a node says.
    pub(crate) fn file(&self, node: usize) -> &CompiledFile {
        &self.files[self.nodes[node].file]
    }
    /// The number of a local node in the frame of another one.
    pub(crate) fn beside(&self, node: usize, local: usize) -> usize {
        self.nodes.number(self.nodes.frame(node), local)
    }
    /// The number of a local wire in the frame of a node.
    pub(crate) fn wire(&self, node: usize, local: usize) -> usize {
        self.edges.number(self.nodes.frame(node), local)
    }
    /// Where a wire leads, in its frame.
    pub(crate) fn target(&self, edge: usize) -> usize {
        self.nodes.number(self.edges.frame(edge), self.edges[edge].to)
    }
    /// It is a container.
    pub(crate) fn is_container(&self, node: usize) -> bool {
        self.nodes[node].role.is_container()
    }

    fn build(workflow: Arc<Workflow>, definition_hash: &str, catalog: &Catalog, called: &Called) -> Self {
        // The validator has told what is wrong with one that cannot be read.
        let budget = workflow.settings.as_ref().and_then(|settings| Limits::parse(settings.budget.as_ref()?).ok());
        let most = step_memory(&workflow).and_then(Result::ok).unwrap_or(MOST);
        let mut parts = Parts { regions: vec![Region::default()], ..Parts::default() };
        parts.add(&workflow, catalog, &called.connectors, 0);
        parts.add_files(catalog, called);
        let Parts { nodes, edges, regions, files } = parts;
        let settings = workflow.settings.as_ref();
        let index = files.first().map(|file| &file.index);
        let on_abort =
            settings.and_then(|s| s.on_abort.as_ref()).and_then(|id| index.and_then(|index| index.get(id)).copied());
        let abort_region = abort_region(&nodes, &edges, &regions, on_abort);
        Self {
            budget: budget.unwrap_or_default(),
            workflow,
            definition_hash: definition_hash.to_owned(),
            nodes: Cyclic::new(nodes),
            edges: Cyclic::new(edges),
            regions,
            files,
            on_abort,
            abort_region,
            part: PART,
            most,
            long: LONG,
        }
    }
}

/// What is compiled so far.
#[derive(Default)]
struct Parts {
    nodes: Vec<CompiledNode>,
    edges: Vec<CompiledEdge>,
    regions: Vec<Region>,
    files: Vec<CompiledFile>,
}

impl Parts {
    /// Each file is compiled once; every step that names it shares its region.
    fn add_files(&mut self, catalog: &Catalog, called: &Called) {
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut next = 0;
        while next < self.nodes.len() {
            let named = self.nodes[next].config.get("workflow").and_then(Value::as_str).map(str::to_owned);
            let named = named.filter(|_| self.nodes[next].role == Role::Subworkflow);
            if let Some((id, file)) = named.and_then(|id| called.files.get(&id).map(|file| (id, file))) {
                let region = match known.get(&id) {
                    Some(region) => *region,
                    None => {
                        let region = self.regions.len();
                        self.regions.push(Region::default());
                        known.insert(id, region);
                        self.add(file, catalog, &called.connectors, region);
                        region
                    }
                };
                self.nodes[next].bodies = vec![region];
            }
            next += 1;
        }
    }

    /// Adds a file whose top is a region that exists.
    fn add(&mut self, workflow: &Arc<Workflow>, catalog: &Catalog, connectors: &KnownConnectors, top: usize) {
        let (first, first_edge, file) = (self.nodes.len(), self.edges.len(), self.files.len());
        let index: HashMap<String, usize> =
            workflow.nodes.keys().enumerate().map(|(i, id)| (id.clone(), first + i)).collect();
        let model = workflow.settings.as_ref().and_then(|settings| settings.model.clone()).map(Arc::new);
        let compiled = workflow.nodes.iter().filter_map(|(id, node)| Some((id, node, catalog.get(&node.kind)?)));
        self.nodes.extend(compiled.map(|(id, node, descriptor)| {
            let node = &*agent::with_default(node, descriptor, workflow);
            let connector = connectors.of(node);
            let narrowed =
                connector.as_ref().map(|(of, operation)| connector::narrowed(descriptor, node, of, operation));
            let descriptor = narrowed.as_ref().unwrap_or(descriptor);
            let compiled = compile_node(id, node, descriptor, &index);
            let tainted = file != 0 && config::host_from_data(node, descriptor, config::TRUSTED_INSIDE);
            CompiledNode {
                file,
                region: top,
                host_from_data: compiled.host_from_data || tainted,
                model: model.clone(),
                connector: connector.map(|(of, _)| Arc::clone(of)),
                pinned: compiled.pinned.filter(|_| file == 0),
                fault: compiled.fault.filter(|_| file == 0),
                ..compiled
            }
        }));
        let recovery = Recovery::of(workflow);
        for (edge, kind) in workflow.edges.iter().zip(&recovery.edges) {
            if let (Some(from), Some(to)) = (index.get(edge.from.node()), index.get(&edge.to)) {
                let port = Arc::from(edge.from.port());
                self.edges.push(CompiledEdge { from: *from, port, to: *to, fallback: false, kind: *kind });
            }
        }
        for (id, node) in &workflow.nodes {
            let target = node.error_handling.as_ref().and_then(|e| e.fallback_node_id.as_ref());
            if let (Some(from), Some(to)) = (index.get(id), target.and_then(|t| index.get(t))) {
                let (port, kind) = (Arc::from("fallback"), EdgeKind::Ordinary);
                self.edges.push(CompiledEdge { from: *from, port, to: *to, fallback: true, kind });
            }
        }
        let mut exits = Vec::new();
        let nodes = &mut self.nodes;
        for (i, edge) in self.edges.iter().enumerate().skip(first_edge) {
            match edge.kind {
                EdgeKind::Ordinary => nodes[edge.to].in_edges.push(i),
                EdgeKind::Exit => {
                    nodes[edge.to].in_edges.push(i);
                    let origins = &recovery.origins[edge.from - first];
                    exits.push((i, origins.len()));
                    for origin in origins {
                        nodes[first + *origin].exits.push(i);
                    }
                }
                EdgeKind::ToRecovery => {
                    if &*edge.port == "error" && nodes[edge.from].handled_by.is_none() {
                        nodes[edge.from].handled_by = Some(i);
                    }
                }
                EdgeKind::Reentry => {}
            }
            let from = &mut nodes[edge.from];
            from.out_edges.push(i);
            if edge.fallback {
                from.fallback = true;
            } else if &*edge.port == "error" && edge.kind == EdgeKind::Ordinary {
                from.error_wired = true;
            } else if &*edge.port == "success" {
                from.success_wired = true;
            }
        }
        for ((node, kind), origins) in nodes.iter_mut().skip(first).zip(&recovery.kinds).zip(&recovery.origins) {
            node.recovery = *kind;
            node.origins = origins.iter().map(|origin| first + origin).collect();
        }
        let named: Vec<usize> = nodes.iter().skip(first).flat_map(|n| n.references.iter().copied()).collect();
        for i in named {
            nodes[i].referenced = true;
        }
        let follows_items = nodes.iter().skip(first).any(|node| !node.paired.is_empty());
        let settings = workflow.settings.as_ref();
        let on_abort = settings.and_then(|s| s.on_abort.as_ref()).and_then(|id| index.get(id).copied());
        let policy = match settings.and_then(|s| s.error_policy.as_ref()) {
            Some(ErrorPolicy::Named(NamedPolicy::Safe)) => Decider::Safe,
            Some(ErrorPolicy::Named(NamedPolicy::Fail)) | None => Decider::Fail,
            Some(ErrorPolicy::Rules(list)) => Decider::Rules(list.rules.clone()),
        };
        let declared = workflow.context.as_ref().and_then(|c| c.schema.as_ref());
        // The validator has told which schemas cannot be used.
        let context_schema = declared
            .into_iter()
            .flat_map(declared_variables::declared)
            .filter_map(|(name, schema)| Some((name.clone(), schema.ok()?)))
            .collect();
        let context_closed =
            declared.and_then(|s| s.get("additionalProperties")).and_then(Value::as_bool) == Some(false);
        region::divide(workflow, &index, top, &mut self.regions, nodes, &self.edges, on_abort, &exits);
        let hours = workflow.settings.as_ref().and_then(|s| s.business_hours.as_ref());
        let calendar = hours.and_then(|hours| Calendar::parse(hours).ok());
        let workflow = Arc::clone(workflow);
        let seen = Arc::new(json!({ "id": workflow.id }));
        self.files.push(CompiledFile {
            schemas: Schemas::of(&workflow),
            workflow,
            seen,
            index,
            policy,
            context_schema,
            context_closed,
            calendar,
            follows_items,
        });
    }
}

impl Compiled {
    /// Where a port of a recovery node leads for a case of `origin`, which lives beside it.
    pub(crate) fn way(&self, node: usize, port: &str, origin: usize) -> Way {
        let origin = self.nodes.local(origin);
        let wired = || self.nodes[node].out_edges.iter().copied().filter(|e| &*self.edges[*e].port == port);
        if let Some(edge) = wired().find(|e| self.edges[*e].kind == EdgeKind::Reentry && self.edges[*e].to == origin) {
            return Way::Reentry(edge);
        }
        if let Some(edge) = wired().find(|e| self.edges[*e].kind == EdgeKind::ToRecovery) {
            return Way::Recovery(edge);
        }
        let exits: Vec<usize> = wired().filter(|e| self.edges[*e].kind == EdgeKind::Exit).collect();
        if exits.is_empty() { Way::Unwired } else { Way::Exit(exits) }
    }
}

fn compile_node(
    id: &str,
    node: &Node,
    descriptor: &Arc<NodeDescriptor>,
    index: &HashMap<String, usize>,
) -> CompiledNode {
    let own_retry = node.error_handling.as_ref().and_then(|e| e.retry_policy.clone());
    let retry_numbers = own_retry.clone().or_else(|| descriptor.retry_policy.clone()).unwrap_or_default();
    let config = node.config.clone().unwrap_or_else(|| Value::Object(signalbox_model::Map::new()));
    let effects = strictest(&descriptor.effects, &config);
    let expressions = config::references(node, descriptor);
    let uses_items = expressions.iter().any(|e| e.references().roots.iter().any(|r| r == "items"));
    let selects = descriptor.port_ids(Some(&config)).iter().filter(|p| *p != "error").count() > 1;
    let known = |names: Vec<&String>| {
        let mut found: Vec<usize> = names.into_iter().filter_map(|name| index.get(name).copied()).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    let references = known(expressions.iter().flat_map(|e| &e.references().nodes).collect());
    let paired = known(expressions.iter().flat_map(|e| &e.references().paired).collect());
    let mut meta = signalbox_model::Map::new();
    if let Some(title) = &node.title {
        meta.insert("title".into(), Value::String(title.clone()));
    }
    let guards = guard::active(node);
    CompiledNode {
        id: Arc::from(id),
        kind: Arc::from(node.kind.as_str()),
        node: node.clone(),
        descriptor: Arc::clone(descriptor),
        mode: descriptor.mode_of(node),
        role: descriptor.role,
        file: 0,
        region: 0,
        bodies: Vec::new(),
        recovery: None,
        handled_by: None,
        origins: Vec::new(),
        exits: Vec::new(),
        human_review_threshold: node
            .error_handling
            .as_ref()
            .and_then(|e| e.human_review_threshold.as_deref())
            .and_then(Level::parse),
        auto_fix: node.error_handling.as_ref().and_then(|e| e.auto_fix),
        // A step whose checks ask a model is called one item at a time, like one that reads.
        pure: matches!(effects, Effects::None) && !descriptor.role.is_container() && !guards.ask_model(),
        guards,
        parallel: if matches!(effects, Effects::Read) { 8 } else { 1 },
        in_edges: Vec::new(),
        out_edges: Vec::new(),
        success_wired: false,
        error_wired: false,
        fallback: false,
        max_attempts: retry_numbers.max_attempts,
        own_retry,
        retry_numbers,
        config_is_static: config::is_static(&config, &descriptor.config),
        config: Arc::new(config),
        input_schema: descriptor.input_schema.as_ref().and_then(|s| Schema::compile(s).ok()),
        references,
        paired,
        referenced: false,
        uses_items,
        selects,
        host_from_data: config::host_from_data(node, descriptor, config::TRUSTED),
        meta,
        model: None,
        connector: None,
        pinned: node.pinned.as_ref().map(pins),
        fault: node.fault.as_ref().and_then(|fault| serde_json::from_value(fault.clone()).ok()).map(Arc::new),
    }
}

/// Port → data, in order.
pub(crate) type Pins = IndexMap<String, Vec<Arc<Value>>>;

fn pins(pinned: &Value) -> Pins {
    let ports = pinned.as_object().into_iter().flatten();
    let items = |list: &Value| list.as_array().into_iter().flatten().cloned().map(Arc::new).collect();
    ports.map(|(port, list)| (port.clone(), items(list))).collect()
}

/// The effects that a config may have before it is evaluated: where the field that decides is computed, the strictest of
/// the table, so that a `write` never runs beside another.
fn strictest(effects: &ByConfig<Effects>, config: &Value) -> Effects {
    if let ByConfig::Table { field, values, otherwise, given } = effects
        && config.get(field).is_some_and(|value| !config::is_static(value, &Value::Null))
    {
        let worst = |worst: Effects, next: Effects| match (worst, next) {
            (Effects::Write, _) | (_, Effects::Write) => Effects::Write,
            (Effects::Read, _) | (_, Effects::Read) => Effects::Read,
            (Effects::None, Effects::None) => Effects::None,
        };
        let set = |name: &str| config.get(name).is_some_and(|value| !value.is_null());
        let given = given.iter().flatten().filter(|(name, _)| set(name)).map(|(_, effects)| *effects);
        return values.values().copied().chain(given).fold(*otherwise, worst);
    }
    effects.of(config)
}

fn abort_region(
    nodes: &[CompiledNode],
    edges: &[CompiledEdge],
    regions: &[Region],
    on_abort: Option<usize>,
) -> Vec<bool> {
    let reach = |starts: &[usize]| {
        let mut seen = vec![false; nodes.len()];
        let mut todo = starts.to_vec();
        while let Some(i) = todo.pop() {
            if !seen[i] {
                seen[i] = true;
                todo.extend(nodes[i].out_edges.iter().map(|e| edges[*e].to));
                todo.extend(nodes[i].bodies.iter().flat_map(|body| regions[*body].nodes.iter().copied()));
            }
        }
        seen
    };
    let Some(start) = on_abort else { return vec![false; nodes.len()] };
    let main = reach(regions.first().map_or(&[], |top| &top.entries));
    reach(&[start]).iter().zip(&main).map(|(chain, main)| *chain && !main).collect()
}
