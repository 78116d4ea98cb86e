//! Error handlers, healers, human decisions and audits: what they may be wired to, and what their settings may say.

use super::{check_rules, words::step_of};
use crate::{
    catalog::Catalog,
    decision,
    recovery::{EdgeKind, Recovery, RecoveryKind},
    schemas::Schemas,
};
use serde_json::Value;
use signalbox_model::{AuditEvent, Code, Diagnostic, Workflow, diagnostic::pointer_token};
use std::collections::HashMap;

pub(super) fn check(workflow: &Workflow, catalog: &Catalog, found: &mut Vec<Diagnostic>) {
    let recovery = Recovery::of(workflow);
    let index = |id: &str| workflow.nodes.get_index_of(id);
    for (i, (edge, kind)) in workflow.edges.iter().zip(&recovery.edges).enumerate() {
        let (Some(from), Some(to)) = (index(edge.from.node()), index(&edge.to)) else { continue };
        let own = recovery.kinds[from].is_some();
        if *kind == EdgeKind::ToRecovery && !own && edge.from.port() != "error" {
            found.push(Diagnostic::error(
                Code::HandlerNeedsError,
                format!("/edges/{i}"),
                format!("'{}' handles failed steps, but {} is not an error port", edge.to, edge.from),
                "Connect it to an error port, or to another error-handling step",
            ));
        }
        // `retry` always goes back; a wire from it to anything else would carry nothing.
        let back = match recovery.kinds[from] {
            Some(RecoveryKind::Handler | RecoveryKind::Human) => edge.from.port() == "retry",
            Some(RecoveryKind::Healer | RecoveryKind::Audit) | None => false,
        };
        if back && *kind == EdgeKind::Exit {
            found.push(Diagnostic::error(
                Code::BadReentry,
                format!("/edges/{i}"),
                format!("{} must lead back to a step whose errors it handles; '{}' is not one", edge.from, edge.to),
                if to == from {
                    "Connect it to the failed step"
                } else {
                    "Connect it to the failed step, or remove the wire"
                },
            ));
        }
    }
    passed_over(workflow, catalog, &recovery, found);
    for (at, (id, node)) in workflow.nodes.iter().enumerate() {
        let place = format!("/nodes/{}", pointer_token(id));
        let Some(kind) = recovery.kinds[at] else {
            if node.kind == "builtin.audit" {
                reserved(&place, node.config.as_ref(), found);
            }
            continue;
        };
        if recovery.origins[at].is_empty() && kind != RecoveryKind::Audit {
            found.push(Diagnostic::error(
                Code::HandlerNeedsError,
                place.clone(),
                format!("No error port leads to '{id}'"),
                "Drag a wire from the error port of a step to it",
            ));
        }
        if node.guardrails.is_some() {
            found.push(Diagnostic::error(
                Code::BadConfig,
                format!("{place}/guardrails"),
                format!("'{id}' handles errors and cannot have safety checks"),
                "Set them on the step whose errors it handles",
            ));
        }
        if node.condition.is_some() || node.disabled == Some(true) {
            let field = if node.condition.is_some() { "if" } else { "disabled" };
            found.push(Diagnostic::error(
                Code::BadConfig,
                format!("{place}/{field}"),
                format!("'{id}' handles errors and cannot be skipped by '{field}'"),
                "Remove it; use the condition of an error handler rule",
            ));
        }
        let config = node.config.clone().unwrap_or_default();
        match kind {
            RecoveryKind::Handler => {
                let wired: Vec<&str> =
                    workflow.edges.iter().filter(|edge| edge.from.node() == id).map(|edge| edge.from.port()).collect();
                if config.get("rules").is_some() {
                    check_rules(&decision::rules_of(&config), &format!("{place}/config/rules"), Some(&wired), found);
                }
            }
            RecoveryKind::Healer => {
                let place = format!("{place}/config/validationSchema");
                if let Some(name) = config.get("validationSchema").and_then(Value::as_str) {
                    unknown_schema(workflow, name, place, found);
                } else if let Some(Err(why)) = config.get("validationSchema").map(crate::schema::Schema::compile) {
                    found.push(Diagnostic::error(Code::BadConfig, place, why, "Correct the schema, or remove it"));
                }
            }
            RecoveryKind::Human => alternatives(workflow, id, &place, &config, found),
            RecoveryKind::Audit => reserved(&place, node.config.as_ref(), found),
        }
    }
}

fn unknown_schema(workflow: &Workflow, name: &str, place: String, found: &mut Vec<Diagnostic>) {
    let known = Schemas::of(workflow);
    if known.get(name).is_none() {
        found.push(Diagnostic::error(
            Code::BadConfig,
            place,
            format!("The workflow has no schema '{name}'"),
            format!("Add it to `schemas` of the workflow, or use one of: {}", known.names().join(", ")),
        ));
    }
}

/// A case goes one way: of what a port is wired to the first recovery node takes it, and the other wires carry nothing.
fn passed_over(workflow: &Workflow, catalog: &Catalog, recovery: &Recovery, found: &mut Vec<Diagnostic>) {
    let mut first: HashMap<(&str, &str), &str> = HashMap::new();
    for (edge, kind) in workflow.edges.iter().zip(&recovery.edges) {
        let own = workflow.nodes.get_index_of(edge.from.node()).is_some_and(|from| recovery.kinds[from].is_some());
        if *kind == EdgeKind::ToRecovery && (own || edge.from.port() == "error") {
            first.entry((edge.from.node(), edge.from.port())).or_insert(&edge.to);
        }
    }
    for (i, (edge, kind)) in workflow.edges.iter().zip(&recovery.edges).enumerate() {
        let Some(takes) = first.get(&(edge.from.node(), edge.from.port())) else { continue };
        if edge.to == *takes || *kind == EdgeKind::Reentry || !workflow.nodes.contains_key(&edge.to) {
            continue;
        }
        found.push(Diagnostic::warning(
            Code::HandlerUnreachable,
            format!("/edges/{i}"),
            format!(
                "{} handles everything from {} of {}: nothing reaches {}",
                step_of(workflow, catalog, takes),
                if edge.from.port() == "error" {
                    "the error port".to_owned()
                } else {
                    format!("the port '{}'", edge.from.port())
                },
                step_of(workflow, catalog, edge.from.node()),
                step_of(workflow, catalog, &edge.to),
            ),
            "Remove the other wires, or continue from a port of the first step",
        ));
    }
}

/// Every declared alternative is wired.
fn alternatives(workflow: &Workflow, id: &str, place: &str, config: &Value, found: &mut Vec<Diagnostic>) {
    let declared = config.get("alternatives").and_then(Value::as_array);
    for (i, entry) in declared.into_iter().flatten().enumerate() {
        let Some(target) = entry.get("targetNodeId").and_then(Value::as_str) else { continue };
        let wired = workflow
            .edges
            .iter()
            .any(|edge| edge.from.node() == id && edge.from.port() == "alternative" && edge.to == target);
        if !wired {
            found.push(Diagnostic::error(
                Code::DanglingEdge,
                format!("{place}/config/alternatives/{i}/targetNodeId"),
                format!("'{id}' offers the path to '{target}', but no wire leads there"),
                "Connect the port 'alternative' to it, or remove the entry",
            ));
        }
    }
}

fn reserved(place: &str, config: Option<&Value>, found: &mut Vec<Diagnostic>) {
    let event = config.and_then(|c| c.get("event")).and_then(Value::as_str).unwrap_or_default();
    if AuditEvent::is_reserved(event) {
        found.push(Diagnostic::error(
            Code::AuditReservedEvent,
            format!("{place}/config/event"),
            format!("'{event}' is reserved for Signalbox"),
            "Choose another name, such as ORDER_REFUSED",
        ));
    }
}
