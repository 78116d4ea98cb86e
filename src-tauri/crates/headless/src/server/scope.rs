//! What each route asks for, so that access which is limited to workspaces ends at their border (ADR 229). There is no arm for the
//! rest: a new route does not compile before somebody has thought about it.

use super::routes::Action;
use signalbox_app::Asked;

/// Who looks at what a route asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RouteScope {
    /// The command that it becomes.
    Command,
    /// The route, with the workflow that the body names.
    Body,
    /// The route.
    Path(Asked),
}

/// What a route asks for; `id` is what stands for the first `{}` of its path.
pub(super) fn of(action: Action, id: &str) -> RouteScope {
    let run = || RouteScope::Path(Asked::Run(id.to_owned()));
    match action {
        Action::Health | Action::OpenApi => RouteScope::Path(Asked::Open),
        Action::RunStart => RouteScope::Body,
        Action::RunStatus | Action::RunEvents | Action::RunBinary | Action::RunFile | Action::RunResume => run(),
        Action::TaskGet => RouteScope::Path(Asked::Task(id.to_owned())),
        Action::WorkflowGet => RouteScope::Path(Asked::Workflow(id.to_owned())),
        Action::WorkflowProgram | Action::WorkflowPut | Action::WorkflowDelete => {
            RouteScope::Path(Asked::Server("The content of workflow files"))
        }
        Action::TaskChanges => RouteScope::Path(Asked::Server("This stream")),
        Action::Metrics => RouteScope::Path(Asked::Server("What is measured")),
        Action::RunCheckpoint
        | Action::RunVariables
        | Action::RunFiles
        | Action::RunArtifacts
        | Action::RunDiff
        | Action::RunRerun
        | Action::RunSend
        | Action::FailureList
        | Action::FailureGet
        | Action::FailureMembers
        | Action::FailurePreview
        | Action::ReplayStart
        | Action::ReplayList
        | Action::ReplayGet
        | Action::ReplayAct
        | Action::RunAbort
        | Action::RunDebug
        | Action::RunDebugAct
        | Action::WorkflowList
        | Action::WorkflowActivate
        | Action::WorkflowDeactivate
        | Action::TriggerList
        | Action::TriggerFire
        | Action::TaskList
        | Action::TaskStats
        | Action::TaskAct
        | Action::AuditRecord
        | Action::AuditList
        | Action::AuditVerify
        | Action::Catalog
        | Action::Rpc => RouteScope::Command,
    }
}
