//! The routes that are one command under another address: how each request becomes that of its command. They go through the
//! same dispatch as `/rpc`, and so do their roles, their refusals and their answers.

use super::routes::Action;

/// What a route reads besides its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Neither a query nor a body.
    Nothing,
    /// The query; these of its fields are numbers.
    Query(&'static [&'static str]),
    /// A JSON body.
    Body,
    /// A JSON body, or none.
    BodyOrNothing,
}

/// The command behind a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommandRoute {
    pub(super) command: &'static str,
    /// The field of the command that the first `{}` of the path is.
    pub(super) id: Option<&'static str>,
    pub(super) takes: Takes,
    /// The answer is this field of the command's answer.
    pub(super) part: Option<&'static str>,
}

/// The command of a route; `last` is the last segment of its path. `None` for what is no command, or changes what one
/// takes or gives: `handlers` lists every action.
pub(super) fn of(action: Action, last: &str) -> Option<CommandRoute> {
    let route = |command, id, takes| Some(CommandRoute { command, id, takes, part: None });
    let checkpoint = |part| {
        Some(CommandRoute { command: "run_checkpoint", id: Some("runId"), takes: Takes::Nothing, part: Some(part) })
    };
    match action {
        Action::RunCheckpoint => route("run_checkpoint", Some("runId"), Takes::Nothing),
        Action::RunVariables => checkpoint("variables"),
        Action::RunArtifacts => checkpoint("artifacts"),
        Action::RunFiles => route("run_files", Some("runId"), Takes::Nothing),
        Action::RunDiff => route("run_diff", Some("runId"), Takes::Query(&[])),
        Action::RunRerun => route("run_rerun", None, Takes::Body),
        Action::RunSend => route("run_send", Some("runId"), Takes::BodyOrNothing),
        Action::FailureList => route("failure_groups", None, Takes::Query(&["limit"])),
        Action::FailureGet => route("failure_group", Some("group"), Takes::Nothing),
        Action::FailureMembers => route("failure_members", Some("group"), Takes::Query(&["limit", "before"])),
        Action::FailurePreview => route("failure_preview", Some("group"), Takes::Body),
        Action::ReplayStart => route("replay_start", Some("group"), Takes::Body),
        Action::ReplayList => route("replay_list", None, Takes::Query(&[])),
        Action::ReplayGet => route("replay_get", Some("replay"), Takes::Nothing),
        Action::ReplayAct => route(replay_command(last)?, Some("replay"), Takes::BodyOrNothing),
        Action::RunDebug => route("run_debug", Some("runId"), Takes::Nothing),
        Action::RunDebugAct => route(debug_command(last)?, Some("runId"), Takes::BodyOrNothing),
        Action::WorkflowList => route("workflow_list", None, Takes::Nothing),
        Action::WorkflowDeactivate => route("workflow_deactivate", Some("workflowId"), Takes::Nothing),
        Action::TriggerList => route("trigger_list", None, Takes::Query(&[])),
        Action::TriggerFire => route("trigger_fire", Some("triggerId"), Takes::BodyOrNothing),
        Action::TaskList => route("task_list", None, Takes::Query(&["limit"])),
        Action::TaskStats => route("task_stats", None, Takes::Query(&[])),
        Action::TaskAct => route(task_command(last)?, Some("taskId"), Takes::BodyOrNothing),
        Action::AuditList => route("audit_list", None, Takes::Query(&["limit", "before", "after"])),
        Action::Catalog => route("catalog_list", None, Takes::Nothing),
        _ => None,
    }
}

fn debug_command(last: &str) -> Option<&'static str> {
    Some(match last {
        "breakpoints" => "run_breakpoints",
        "pause" => "run_pause",
        "continue" => "run_continue",
        "step" => "run_step",
        "input" => "run_edit_input",
        _ => return None,
    })
}

fn replay_command(last: &str) -> Option<&'static str> {
    Some(match last {
        "pause" => "replay_pause",
        "resume" => "replay_resume",
        "stop" => "replay_stop",
        "undo" => "replay_undo",
        _ => return None,
    })
}

fn task_command(last: &str) -> Option<&'static str> {
    Some(match last {
        "claim" => "task_claim",
        "release" => "task_release",
        "reassign" => "task_reassign",
        "comment" => "task_comment",
        "snooze" => "task_snooze",
        "hold" => "task_hold",
        "reopen" => "task_reopen",
        "suggest" => "task_suggest",
        "unsuggest" => "task_unsuggest",
        "complete" => "task_complete",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Takes, of};
    use crate::server::routes::{Access, Action, ROUTES};
    use axum::http::Method;
    use signalbox_app::command_list;
    use signalbox_app::dto::Host;

    #[test]
    fn a_route_asks_for_the_role_of_its_command_and_reads_what_its_method_allows() {
        let mut commands = 0;
        for route in ROUTES {
            let last = route.path.rsplit('/').next().unwrap_or_default();
            let Some(target) = of(route.action, last) else {
                assert!(
                    !matches!(route.action, Action::TaskAct | Action::RunDebugAct | Action::ReplayAct),
                    "{} has no command",
                    route.path
                );
                continue;
            };
            commands += 1;
            let command =
                command_list::find(target.command).unwrap_or_else(|| panic!("{} is no command", target.command));
            assert!(command.hosts.contains(&Host::Http), "{}", route.path);
            assert_eq!(route.access, Access::Role(command.role), "{}", route.path);
            assert_eq!(target.id.is_some(), route.path.contains("{}"), "{}", route.path);
            let has_body = matches!(target.takes, Takes::Body | Takes::BodyOrNothing);
            assert_eq!(has_body, route.method == Method::POST, "{}", route.path);
        }
        assert!(commands > 20, "{commands}");
    }
}
