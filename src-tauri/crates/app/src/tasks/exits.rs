//! Where a run goes on after an answer, read from the wires of the step that asks (K-07, K-11).

use crate::dto::TaskWay;
use crate::workflows::check;
use signalbox_model::task::{TaskAction, TaskKind, TaskReason};
use signalbox_model::{Role, Workflow};
use signalbox_store::TaskRow;

/// A way for each allowed answer whose port is wired; nothing of answers that no wire decides about.
pub(crate) fn of(workflow: &Workflow, row: &TaskRow, title: impl Fn(&str) -> String) -> Vec<TaskWay> {
    let way = |action: TaskAction| {
        let port = port(row, action)?;
        let edges = workflow.edges.iter().filter(|edge| edge.from.node() == row.step && edge.from.port() == port);
        let targets: Vec<&str> = edges.map(|edge| edge.to.as_str()).collect();
        let again = row.node != row.step && targets.contains(&row.node.as_str());
        // A step that asks for several goes back to each for its own errors only.
        let onward = |step: &&&str| !again && !is_served(workflow, step, &row.step);
        let steps: Vec<String> = targets.iter().filter(onward).map(|step| title(step)).collect();
        (again || !steps.is_empty()).then_some(TaskWay { action, again, steps })
    };
    row.actions.iter().copied().filter_map(way).collect()
}

/// The port of the asking step that an answer leaves by. What is asked about a tool, or by a policy, leaves by none of its own.
fn port(row: &TaskRow, action: TaskAction) -> Option<&'static str> {
    if matches!(row.reason, TaskReason::ToolCall | TaskReason::Question) {
        return None;
    }
    match (row.kind, action) {
        (TaskKind::Decision, TaskAction::Retry) if row.node != row.step => Some("retry"),
        (TaskKind::Decision, TaskAction::Correct) if row.node != row.step => Some("corrected"),
        (TaskKind::Decision, TaskAction::Skip) if row.node != row.step => Some("skip"),
        (TaskKind::Approval, TaskAction::Approve) => Some("approved"),
        (TaskKind::Approval, TaskAction::Reject) => Some("rejected"),
        (TaskKind::Form, TaskAction::Submit) => Some("success"),
        _ => None,
    }
}

/// Whether errors of a step come to the one that asks: at once, or by another that works on errors.
fn is_served(workflow: &Workflow, step: &str, asks: &str) -> bool {
    let recovers = |id: &str| {
        let kind = workflow.nodes.get(id).and_then(|node| check::catalog().get(&node.kind));
        kind.is_some_and(|kind| kind.role == Role::Recovery)
    };
    let is_red = |edge: &&signalbox_model::Edge| edge.from.node() == step && edge.from.port() == "error";
    workflow.edges.iter().filter(is_red).any(|edge| edge.to == asks || recovers(&edge.to))
}
