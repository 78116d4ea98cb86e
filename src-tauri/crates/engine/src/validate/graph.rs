//! Wires: ports, targets, duplicates, cycles, Stop in a fork, the `onAbort` chain.

use super::words::{step, step_of};
use crate::{
    catalog::{Catalog, nearest},
    graph_order::topological,
};
use signalbox_model::{Code, Diagnostic, Role, Workflow, diagnostic::pointer_token};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

pub(super) fn check(workflow: &Workflow, catalog: &Catalog, found: &mut Vec<Diagnostic>) {
    let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
    let names = || workflow.nodes.keys().map(String::as_str);
    for (i, edge) in workflow.edges.iter().enumerate() {
        let missing = |place: &str, id: &str| {
            Diagnostic::error(
                Code::DanglingEdge,
                format!("/edges/{i}/{place}"),
                format!("The wire {} → {} refers to the step '{id}', which does not exist", edge.from, edge.to),
                nearest(id, names())
                    .map_or_else(|| "Remove the wire, or add the step".into(), |n| format!("Did you mean '{n}'?")),
            )
        };
        match workflow.nodes.get(edge.from.node()) {
            None => found.push(missing("from", edge.from.node())),
            Some(node) => {
                if let Some(descriptor) = catalog.get(&node.kind) {
                    let ports = descriptor.port_ids(node.config.as_ref());
                    if !ports.iter().any(|p| p == edge.from.port()) {
                        let hint = if ports.is_empty() {
                            "This kind has no output ports".to_owned()
                        } else {
                            format!("Its ports are: {}", ports.join(", "))
                        };
                        found.push(Diagnostic::error(
                            Code::UnknownPort,
                            format!("/edges/{i}/from"),
                            format!("{} has no port '{}'", step(node, Some(descriptor)), edge.from.port()),
                            hint,
                        ));
                    }
                }
            }
        }
        match workflow.nodes.get(&edge.to) {
            None => found.push(missing("to", &edge.to)),
            Some(node) => {
                if let Some(descriptor) = catalog.get(&node.kind).filter(|d| !d.input) {
                    found.push(Diagnostic::error(
                        Code::UnknownPort,
                        format!("/edges/{i}/to"),
                        format!("{} starts the workflow and has no input", step(node, Some(descriptor))),
                        "Remove the wire",
                    ));
                }
            }
        }
        if let Some(first) = seen.insert((edge.from.as_str(), &edge.to), i) {
            found.push(Diagnostic::error(
                Code::DuplicateEdge,
                format!("/edges/{i}"),
                format!("The wire {} → {} exists twice", edge.from, edge.to),
                format!("Remove one of them (the first is number {first})"),
            ));
        }
    }
    match topological(workflow) {
        Ok(order) => {
            on_abort(workflow, catalog, found);
            stops(workflow, catalog, &order, found);
        }
        Err(cycle) => {
            let ids: Vec<&str> =
                cycle.iter().filter_map(|i| workflow.nodes.get_index(*i)).map(|(id, _)| id.as_str()).collect();
            let at = ids.first().map_or_else(|| "/edges".into(), |id| format!("/nodes/{}", pointer_token(id)));
            let told: Vec<String> = ids.iter().take(8).map(|id| step_of(workflow, catalog, id)).collect();
            let more = if ids.len() > 8 { format!(" and {} more", ids.len() - 8) } else { String::new() };
            found.push(Diagnostic::error(
                Code::Cycle,
                at,
                format!("The wires form a cycle through {}{more}", told.join(", ")),
                "Remove one wire of the cycle; to repeat a failed call, use a retry policy",
            ));
        }
    }
}

/// Everything that can be reached from some nodes.
fn reachable<'a>(workflow: &'a Workflow, starts: Vec<&'a str>) -> HashSet<&'a str> {
    let mut out: HashMap<&str, Vec<&str>> = HashMap::new();
    for edge in &workflow.edges {
        out.entry(edge.from.node()).or_default().push(&edge.to);
    }
    for (id, node) in &workflow.nodes {
        if let Some(to) = node.error_handling.as_ref().and_then(|e| e.fallback_node_id.as_deref()) {
            out.entry(id).or_default().push(to);
        }
    }
    let mut seen = HashSet::new();
    let mut todo = starts;
    while let Some(id) = todo.pop() {
        if seen.insert(id) {
            todo.extend(out.get(id).into_iter().flatten());
        }
    }
    seen
}

fn on_abort(workflow: &Workflow, catalog: &Catalog, found: &mut Vec<Diagnostic>) {
    let Some(target) = workflow.settings.as_ref().and_then(|s| s.on_abort.as_deref()) else { return };
    let fed: HashSet<&str> = workflow
        .edges
        .iter()
        .map(|e| e.to.as_str())
        .chain(workflow.nodes.values().filter_map(|n| n.error_handling.as_ref()?.fallback_node_id.as_deref()))
        .collect();
    let entries: Vec<&str> =
        workflow.nodes.keys().map(String::as_str).filter(|id| !fed.contains(id) && *id != target).collect();
    if reachable(workflow, entries).contains(target) {
        found.push(Diagnostic::error(
            Code::BadConfig,
            "/settings/onAbort",
            format!("'{target}' is also reached without an abort"),
            "Choose a step that is only reached after the abort",
        ));
    }
    // The run is over: its questions are taken back as soon as they are asked (SEMANTICS 8).
    let chain = reachable(workflow, vec![target]);
    for (id, node) in workflow.nodes.iter().filter(|(id, _)| chain.contains(id.as_str())) {
        let role = catalog.get(&node.kind).map(|descriptor| descriptor.role);
        if node.kind == "builtin.human_decision" || matches!(role, Some(Role::Approval | Role::Form | Role::Pause)) {
            found.push(Diagnostic::warning(
                Code::BadConfig,
                format!("/nodes/{}", pointer_token(id)),
                format!("{} cannot ask anybody: it runs after the run was aborted", step_of(workflow, catalog, id)),
                "Notify people with a step that sends a message, or ask before the abort",
            ));
        }
    }
}

/// Two Stops of which neither comes after the other: the first one ends the run for both.
fn stops(workflow: &Workflow, catalog: &Catalog, order: &[usize], found: &mut Vec<Diagnostic>) {
    let is_stop = |kind: &str| catalog.get(kind).is_some_and(|d| d.role == Role::Stop);
    let all: Vec<usize> =
        workflow.nodes.values().enumerate().filter(|(_, n)| is_stop(&n.kind)).map(|(index, _)| index).collect();
    if all.len() < 2 {
        return;
    }
    let mut out: Vec<BTreeMap<&str, Vec<usize>>> = vec![BTreeMap::new(); workflow.nodes.len()];
    for edge in &workflow.edges {
        let (from, to) = (workflow.nodes.get_index_of(edge.from.node()), workflow.nodes.get_index_of(&edge.to));
        if let (Some(from), Some(to)) = (from, to) {
            out[from].entry(edge.from.port()).or_default().push(to);
        }
    }
    // From the end: what a node reaches is what its targets reach. Two Stops are as many as have to be known of.
    let mut reached: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); out.len()];
    for node in order.iter().rev() {
        let mut own: BTreeSet<usize> = all.iter().copied().filter(|stop| stop == node).collect();
        for target in out[*node].values().flatten() {
            own.extend(reached[*target].iter().take(2));
        }
        reached[*node] = own.into_iter().take(2).collect();
    }
    // Stops on different ports of one node cannot both be reached; a node that feeds both from one port can.
    for (node, (port, targets)) in out.iter().enumerate().flat_map(|(node, ports)| ports.iter().map(move |p| (node, p)))
    {
        let ways: Vec<&BTreeSet<usize>> =
            targets.iter().map(|to| &reached[*to]).filter(|way| !way.is_empty()).collect();
        let ends: BTreeSet<usize> = ways.iter().flat_map(|way| way.iter().copied()).collect();
        let Some((id, _)) = workflow.nodes.get_index(node).filter(|_| ways.len() > 1 && ends.len() > 1) else {
            continue;
        };
        found.push(Diagnostic::warning(
            Code::StopInFork,
            format!("/nodes/{}", pointer_token(id)),
            format!(
                "Several branches from port '{port}' of {} lead to a Stop: the first one reached ends the run",
                step_of(workflow, catalog, id)
            ),
            "Join the branches before one Stop",
        ));
        return;
    }
}
