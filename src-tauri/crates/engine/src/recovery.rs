//! Recovery nodes (SEMANTICS 1 and 2): which nodes they are, whom they serve, and which of their wires re-enter or exit.
//! It follows from the file alone, so the validator and the compiler ask the same function.

use signalbox_model::Workflow;
use std::collections::{BTreeSet, HashMap};

/// What a recovery node does with a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecoveryKind {
    /// Chooses by rules.
    Handler,
    /// Repairs the input.
    Healer,
    /// Asks a person.
    Human,
    /// Records, and lets the case pass.
    Audit,
}

/// What a wire is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EdgeKind {
    /// It carries items from a node that has ended.
    Ordinary,
    /// A case comes to a recovery node.
    ToRecovery,
    /// From a recovery node back to an origin.
    Reentry,
    /// From a recovery node to anything else.
    Exit,
}

/// The recovery nodes of a workflow, by index of node and wire.
#[derive(Debug)]
pub(crate) struct Recovery {
    pub(crate) kinds: Vec<Option<RecoveryKind>>,
    /// Per recovery node the nodes whose cases can reach it.
    pub(crate) origins: Vec<BTreeSet<usize>>,
    /// Per drawn wire; dangling ones are ordinary.
    pub(crate) edges: Vec<EdgeKind>,
}

fn kind_of(kind: &str) -> Option<RecoveryKind> {
    match kind {
        "builtin.error_handler" => Some(RecoveryKind::Handler),
        "builtin.self_healing" => Some(RecoveryKind::Healer),
        "builtin.human_decision" => Some(RecoveryKind::Human),
        _ => None,
    }
}

/// Through the other ports a case leaves for good; to an origin they would be a circle.
fn may_reenter(kind: Option<RecoveryKind>, port: &str) -> bool {
    match kind {
        Some(RecoveryKind::Handler) => matches!(port, "retry" | "auto_fix"),
        Some(RecoveryKind::Human) => matches!(port, "retry" | "corrected"),
        Some(RecoveryKind::Healer | RecoveryKind::Audit) => port == "success",
        None => false,
    }
}

/// Which recovery nodes may send a case back to its origin. An Audit only passes on what was decided before it, so it may
/// when everything that comes to it may: behind `skip` or `abort` its wire back would show a call that never happens.
fn returning(kinds: &[Option<RecoveryKind>], edges: &[Option<(usize, &str, usize)>]) -> Vec<bool> {
    let mut returns: Vec<bool> = kinds.iter().map(Option::is_some).collect();
    loop {
        let barred = edges.iter().flatten().find(|(from, port, to)| {
            kinds[*to] == Some(RecoveryKind::Audit)
                && returns[*to]
                && !(returns[*from] && may_reenter(kinds[*from], port))
        });
        let Some((_, _, audit)) = barred else { return returns };
        returns[*audit] = false;
    }
}

/// Whom each recovery node serves, through other ones.
fn served(
    count: usize,
    edges: &[Option<(usize, &str, usize)>],
    serves: &dyn Fn(usize) -> bool,
) -> Vec<BTreeSet<usize>> {
    let mut origins: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    loop {
        let mut grown = false;
        for (from, port, to) in edges.iter().flatten().copied() {
            if !serves(to) {
                continue;
            }
            let more: Vec<usize> = if serves(from) {
                origins[from].iter().copied().filter(|o| *o != to).collect()
            } else if port == "error" {
                vec![from]
            } else {
                Vec::new()
            };
            for origin in more {
                grown |= origins[to].insert(origin);
            }
        }
        if !grown {
            return origins;
        }
    }
}

impl Recovery {
    pub(crate) fn of(workflow: &Workflow) -> Self {
        let index: HashMap<&str, usize> = workflow.nodes.keys().enumerate().map(|(i, id)| (id.as_str(), i)).collect();
        let nodes: Vec<&str> = workflow.nodes.values().map(|n| n.kind.as_str()).collect();
        let mut kinds: Vec<Option<RecoveryKind>> = nodes.iter().map(|kind| kind_of(kind)).collect();
        let edges: Vec<Option<(usize, &str, usize)>> = workflow
            .edges
            .iter()
            .map(|e| Some((*index.get(e.from.node())?, e.from.port(), *index.get(e.to.as_str())?)))
            .collect();
        if kinds.iter().all(Option::is_none) {
            return Self {
                origins: vec![BTreeSet::new(); kinds.len()],
                kinds,
                edges: vec![EdgeKind::Ordinary; workflow.edges.len()],
            };
        }
        // An Audit may belong to the recovery: every wire into it comes from a recovery node, or from such an Audit.
        let mut audits: Vec<bool> = nodes.iter().map(|kind| *kind == "builtin.audit").collect();
        loop {
            let loose: Vec<usize> = (0..nodes.len())
                .filter(|i| audits[*i])
                .filter(|i| {
                    let mut into = edges.iter().flatten().filter(|(_, _, to)| to == i).peekable();
                    into.peek().is_none() || into.any(|(from, _, _)| kinds[*from].is_none() && !audits[*from])
                })
                .collect();
            if loose.is_empty() {
                break;
            }
            for i in loose {
                audits[i] = false;
            }
        }
        let origins = served(nodes.len(), &edges, &|i| kinds[i].is_some() || audits[i]);
        // Of these Audits, the ones on the way to a recovery node or to an origin.
        loop {
            let found: Vec<usize> = (0..nodes.len())
                .filter(|i| audits[*i] && kinds[*i].is_none())
                .filter(|i| {
                    edges.iter().flatten().any(|(from, port, to)| {
                        from == i && *port == "success" && (kinds[*to].is_some() || origins[*i].contains(to))
                    })
                })
                .collect();
            if found.is_empty() {
                break;
            }
            for i in found {
                kinds[i] = Some(RecoveryKind::Audit);
            }
        }
        // The other Audits are steps like any: what fails there is a case of their own.
        let origins = served(nodes.len(), &edges, &|i| kinds[i].is_some());
        let returns = returning(&kinds, &edges);
        let edges = edges
            .iter()
            .map(|edge| match edge {
                Some((_, _, to)) if kinds[*to].is_some() => EdgeKind::ToRecovery,
                Some((from, port, to))
                    if returns[*from] && may_reenter(kinds[*from], port) && origins[*from].contains(to) =>
                {
                    EdgeKind::Reentry
                }
                Some((from, _, _)) if kinds[*from].is_some() => EdgeKind::Exit,
                Some(_) | None => EdgeKind::Ordinary,
            })
            .collect();
        Self { kinds, origins, edges }
    }
}
