//! The routes as data. What is not in this list is not answered; the tests of the guards are made from it.

use axum::http::{Method, StatusCode};
use signalbox_app::dto::CallerRole;

/// What a route does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Health,
    OpenApi,
    RunStart,
    RunStatus,
    RunEvents,
    RunAbort,
    RunDebug,
    RunDebugAct,
    RunCheckpoint,
    RunVariables,
    RunArtifacts,
    RunDiff,
    RunBinary,
    RunFiles,
    RunFile,
    RunRerun,
    RunSend,
    FailureList,
    FailureGet,
    FailureMembers,
    FailurePreview,
    ReplayStart,
    ReplayList,
    ReplayGet,
    ReplayAct,
    WorkflowList,
    WorkflowGet,
    WorkflowProgram,
    WorkflowPut,
    WorkflowDelete,
    WorkflowActivate,
    WorkflowDeactivate,
    TriggerList,
    TriggerFire,
    RunResume,
    TaskList,
    TaskStats,
    TaskChanges,
    TaskGet,
    TaskAct,
    AuditList,
    AuditVerify,
    AuditRecord,
    Catalog,
    Metrics,
    Rpc,
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody who knows the right name of this server.
    Open,
    /// A token with at least this role.
    Role(CallerRole),
    /// A token; the command's own row says which role.
    Command,
}

/// One route. `{}` in the path stands for one segment; the first is what the body of the route is given.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) action: Action,
    pub(crate) about: &'static str,
}

const ASKED: &[StatusCode] = &[
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::SERVICE_UNAVAILABLE,
];
const ASKED_OF_SOME: &[StatusCode] = &[
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::CONFLICT,
    StatusCode::SERVICE_UNAVAILABLE,
];
const ASKED_IN_PART: &[StatusCode] = &[
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::RANGE_NOT_SATISFIABLE,
    StatusCode::SERVICE_UNAVAILABLE,
];
/// A file of the library may be too large, and may hold no workflow.
const ASKED_OF_A_FILE: &[StatusCode] = &[
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::UNPROCESSABLE_ENTITY,
    StatusCode::SERVICE_UNAVAILABLE,
];
/// It may also have errors, lack a runner, or change meanwhile.
const ASKED_OF_A_PROGRAM: &[StatusCode] = &[
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::CONFLICT,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::UNPROCESSABLE_ENTITY,
    StatusCode::SERVICE_UNAVAILABLE,
];
const DONE: &[StatusCode] = &[
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::CONFLICT,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    StatusCode::UNPROCESSABLE_ENTITY,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::SERVICE_UNAVAILABLE,
];

impl Route {
    /// Statuses of its errors, as the document says them.
    pub(crate) fn errors(&self) -> &'static [StatusCode] {
        match (&self.method, self.access, self.action) {
            (_, Access::Open, _) => &[StatusCode::FORBIDDEN],
            // What only some runs have an answer to, and a file that was changed.
            (&Method::GET, _, Action::RunDebug | Action::RunFile | Action::RunCheckpoint) => ASKED_OF_SOME,
            (&Method::GET, _, Action::RunBinary) => ASKED_IN_PART,
            (&Method::GET, _, Action::WorkflowGet) => ASKED_OF_A_FILE,
            (&Method::GET, _, Action::WorkflowProgram) => ASKED_OF_A_PROGRAM,
            (&Method::GET, ..) => ASKED,
            _ => DONE,
        }
    }

    /// The path with a name for each segment that stands for something.
    pub(crate) fn named(&self, first: &str) -> String {
        let second = if self.action == Action::RunFile { "{seq}" } else { "{sha256}" };
        self.path.replacen("{}", first, 1).replace("{}", second)
    }

    /// Whether a part of the answer can be asked for (`Range`).
    pub(crate) fn in_part(&self) -> bool {
        self.action == Action::RunBinary
    }

    /// Whether the document says this status.
    pub(crate) fn may_answer(&self, status: StatusCode) -> bool {
        let done = status == StatusCode::OK || (status == StatusCode::PARTIAL_CONTENT && self.in_part());
        done || self.errors().contains(&status)
    }
}

const VIEWER: Access = Access::Role(CallerRole::Viewer);
const OPERATOR: Access = Access::Role(CallerRole::Operator);
const BUILDER: Access = Access::Role(CallerRole::Builder);

const fn route(method: Method, path: &'static str, access: Access, action: Action, about: &'static str) -> Route {
    Route { method, path, access, action, about }
}

/// What somebody does to a task.
const fn task_act(path: &'static str, about: &'static str) -> Route {
    route(Method::POST, path, OPERATOR, Action::TaskAct, about)
}

/// What somebody does to a replay.
const fn replay_act(path: &'static str, about: &'static str) -> Route {
    route(Method::POST, path, OPERATOR, Action::ReplayAct, about)
}

/// What somebody who looks into a run does to it.
const fn debug_act(path: &'static str, about: &'static str) -> Route {
    route(Method::POST, path, BUILDER, Action::RunDebugAct, about)
}

/// All routes.
pub(crate) const ROUTES: &[Route] = &[
    route(Method::GET, "/healthz", Access::Open, Action::Health, "Reports that the server is running."),
    route(Method::GET, "/openapi.json", VIEWER, Action::OpenApi, "Returns this list as an OpenAPI 3.1 document."),
    route(Method::POST, "/workflow/run", OPERATOR, Action::RunStart, "Starts a run of a stored workflow."),
    route(
        Method::GET,
        "/workflow/{}/status",
        VIEWER,
        Action::RunStatus,
        "Returns the summary of a run, or its snapshot in the VL workflow format.",
    ),
    route(Method::GET, "/workflow/{}/events", VIEWER, Action::RunEvents, "Streams the events of a run (SSE)."),
    route(
        Method::GET,
        "/workflow/{}/checkpoint",
        VIEWER,
        Action::RunCheckpoint,
        "Returns the state of a run, or a checkpoint in the VL workflow format, from which a run can start.",
    ),
    route(Method::GET, "/workflow/{}/variables", VIEWER, Action::RunVariables, "Returns the variables of a run."),
    route(
        Method::GET,
        "/workflow/{}/artifacts",
        VIEWER,
        Action::RunArtifacts,
        "Lists the artifacts of a run: files that are kept with it.",
    ),
    route(Method::GET, "/workflow/{}/diff", VIEWER, Action::RunDiff, "Compares a run with the one given by ?with=."),
    route(
        Method::GET,
        "/workflow/{}/binary/{}",
        OPERATOR,
        Action::RunBinary,
        "Returns a binary value of a run by its SHA-256; not available while the run is masked.",
    ),
    route(
        Method::GET,
        "/workflow/{}/files",
        OPERATOR,
        Action::RunFiles,
        "Lists the files that a run wrote into granted folders and left as artifacts; not available while the run is masked.",
    ),
    route(
        Method::GET,
        "/workflow/{}/files/{}",
        OPERATOR,
        Action::RunFile,
        "Returns a file that a run wrote, by the number of the event that says so; not available while the run is masked.",
    ),
    route(Method::POST, "/workflow/rerun", OPERATOR, Action::RunRerun, "Starts a new run from a step of another one."),
    route(
        Method::POST,
        "/workflow/{}/inbox",
        OPERATOR,
        Action::RunSend,
        "Sends a failed run to the inbox: a new run asks a person about the failed call.",
    ),
    route(Method::GET, "/failures", VIEWER, Action::FailureList, "Lists groups of failures that are alike."),
    route(Method::GET, "/failures/{}", VIEWER, Action::FailureGet, "Returns a group of failures with its replays."),
    route(
        Method::GET,
        "/failures/{}/members",
        VIEWER,
        Action::FailureMembers,
        "Lists the open failures of a group; takes the fields of failure_members.",
    ),
    route(
        Method::POST,
        "/failures/{}/preview",
        OPERATOR,
        Action::FailurePreview,
        "Tries a correction on some failures of a group; nothing is started.",
    ),
    route(
        Method::POST,
        "/failures/{}/replay",
        OPERATOR,
        Action::ReplayStart,
        "Replays the failures of a group from their failed step with one correction.",
    ),
    route(Method::GET, "/replays", VIEWER, Action::ReplayList, "Lists replays, those under way first."),
    route(Method::GET, "/replays/{}", VIEWER, Action::ReplayGet, "Returns a replay with its progress."),
    replay_act("/replays/{}/pause", "Pauses a replay."),
    replay_act("/replays/{}/resume", "Resumes a paused replay."),
    replay_act("/replays/{}/stop", "Stops a replay; cancels the runs that it has begun if wanted."),
    replay_act("/replays/{}/undo", "Takes back what a replay has not begun."),
    route(Method::POST, "/workflow/{}/abort", OPERATOR, Action::RunAbort, "Cancels a run."),
    route(
        Method::GET,
        "/workflow/{}/debug",
        BUILDER,
        Action::RunDebug,
        "Returns where a run is stopped, its breakpoints and the waiting calls.",
    ),
    debug_act("/workflow/{}/breakpoints", "Replaces the breakpoints of a run."),
    debug_act("/workflow/{}/pause", "Pauses a run before its next call."),
    debug_act("/workflow/{}/continue", "Continues a stopped run."),
    debug_act("/workflow/{}/step", "Continues a stopped run by one call."),
    debug_act("/workflow/{}/input", "Replaces the input of a call that waits in a stopped run."),
    route(
        Method::POST,
        "/workflow/{}/resume",
        OPERATOR,
        Action::RunResume,
        "Answers the task that a run waits for, with its one-time token.",
    ),
    route(Method::GET, "/human-tasks", VIEWER, Action::TaskList, "Lists tasks; takes the fields of task_list."),
    // Before the one below: no task has this id.
    route(Method::GET, "/human-tasks/stats", VIEWER, Action::TaskStats, "Returns task statistics of a period."),
    route(
        Method::GET,
        "/human-tasks/changes",
        VIEWER,
        Action::TaskChanges,
        "Streams a notification when tasks change (SSE).",
    ),
    route(
        Method::GET,
        "/human-tasks/{}",
        VIEWER,
        Action::TaskGet,
        "Returns one task, masked; operators also get its one-time secret.",
    ),
    task_act("/human-tasks/{}/claim", "Claims a task for 15 minutes."),
    task_act("/human-tasks/{}/release", "Releases a claimed task."),
    task_act("/human-tasks/{}/reassign", "Reassigns a task."),
    task_act("/human-tasks/{}/comment", "Adds a comment to a task."),
    task_act("/human-tasks/{}/snooze", "Snoozes a task."),
    task_act("/human-tasks/{}/hold", "Puts a task on hold, or continues it."),
    task_act("/human-tasks/{}/reopen", "Reopens an ended task with a new run."),
    task_act(
        "/human-tasks/{}/suggest",
        "Asks the default model for a correction; this costs money and changes nothing.",
    ),
    task_act("/human-tasks/{}/unsuggest", "Cancels a model suggestion."),
    task_act("/human-tasks/{}/complete", "Answers a task; only the first answer counts."),
    route(Method::POST, "/audit/record", OPERATOR, Action::AuditRecord, "Records an audit entry in the caller's name."),
    route(Method::GET, "/audit", VIEWER, Action::AuditList, "Lists audit entries; takes the fields of audit_list."),
    route(
        Method::GET,
        "/audit/verify",
        VIEWER,
        Action::AuditVerify,
        "Verifies the audit chain; takes the fields of audit_verify. `run` also checks that all entries of a run are present.",
    ),
    route(Method::GET, "/workflows", VIEWER, Action::WorkflowList, "Lists the workflows of the library."),
    route(Method::GET, "/workflows/{}", VIEWER, Action::WorkflowGet, "Returns a workflow by its id."),
    route(
        Method::GET,
        "/workflows/{}/program",
        BUILDER,
        Action::WorkflowProgram,
        "Returns a workflow as a program: one executable file, a container image, or a Cargo project as a tar.",
    ),
    route(
        Method::PUT,
        "/workflows/{}",
        BUILDER,
        Action::WorkflowPut,
        "Stores a workflow; If-Match carries the revision.",
    ),
    route(Method::DELETE, "/workflows/{}", BUILDER, Action::WorkflowDelete, "Deletes a workflow; its runs are kept."),
    route(
        Method::POST,
        "/workflows/{}/activation",
        BUILDER,
        Action::WorkflowActivate,
        "Activates a workflow: its triggers start runs with this version.",
    ),
    route(
        Method::DELETE,
        "/workflows/{}/activation",
        BUILDER,
        Action::WorkflowDeactivate,
        "Deactivates a workflow; runs under way go on.",
    ),
    route(
        Method::GET,
        "/triggers",
        VIEWER,
        Action::TriggerList,
        "Triggers of active workflows; takes what trigger_list takes.",
    ),
    route(
        Method::POST,
        "/triggers/{}/fire",
        OPERATOR,
        Action::TriggerFire,
        "Fires a trigger now, in addition to its schedule.",
    ),
    route(Method::GET, "/catalog", VIEWER, Action::Catalog, "Lists the step kinds."),
    route(Method::GET, "/metrics", VIEWER, Action::Metrics, "Returns metrics for monitoring (Prometheus)."),
    route(Method::POST, "/rpc/{}", Access::Command, Action::Rpc, "Calls a command of the command list."),
];

/// The route of a request and what stands for `{}`. The path is compared as it came: no other spelling reaches a route.
pub(crate) fn find(method: &Method, path: &str) -> Option<(&'static Route, Option<String>)> {
    ROUTES.iter().filter(|route| route.method == *method).find_map(|route| {
        let found = matches(route.path, path)?;
        Some((route, found.map(str::to_owned)))
    })
}

/// Methods of a path that exists; empty when it does not.
pub(crate) fn methods(path: &str) -> Vec<&'static str> {
    let mut methods = Vec::new();
    for route in ROUTES.iter().filter(|route| matches(route.path, path).is_some()) {
        let method = route.method.as_str();
        // One path may fit two routes.
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    methods
}

fn matches<'a>(pattern: &str, path: &'a str) -> Option<Option<&'a str>> {
    let mut found = None;
    let mut given = path.split('/');
    for part in pattern.split('/') {
        let here = given.next()?;
        if part == "{}" {
            // Ids hold none of the characters that need an escape.
            if here.is_empty() || !here.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')) {
                return None;
            }
            found = found.or(Some(here));
        } else if part != here {
            return None;
        }
    }
    given.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::{Access, Action, ROUTES, find};
    use axum::http::Method;

    /// The matrix of refusals in `tests/headless/serve.rs` is made from its own list; no route may be missing there.
    #[test]
    fn every_route_has_its_row_in_the_tests() {
        let tests = include_str!("../../tests/headless/serve.rs");
        for route in ROUTES {
            let path = route.path.replace("{}", "x");
            let row = match route.access {
                Access::Open | Access::Command => continue,
                Access::Role(role) => format!("(\"{}\", \"{path}\", Some(CallerRole::{role:?}))", route.method),
            };
            assert!(tests.contains(&row), "{row}");
        }
    }

    #[test]
    fn a_path_has_one_spelling() {
        let action = |path: &str| find(&Method::GET, path).map(|(route, id)| (route.action, id));
        assert_eq!(action("/workflow/r1/status"), Some((Action::RunStatus, Some("r1".into()))));
        for other in [
            "/Workflow/r1/status",
            "//workflow/r1/status",
            "/workflow/r1/status/",
            "/workflow//status",
            "/workflow/r%2f1/status",
            "/workflow/../workflows",
            "/workflow/r1/status.",
            "/healthz/",
            "/workflows/%2e%2e",
            "/workflow/run",
        ] {
            assert_eq!(action(other), None, "{other}");
        }
    }
}
