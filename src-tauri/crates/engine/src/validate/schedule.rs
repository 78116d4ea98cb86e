//! Schedules of steps: a cron expression that cannot be read or never fires, a time zone that does not exist.

use crate::schedule::{KIND, Schedule};
use signalbox_model::{Code, Diagnostic, Workflow, diagnostic::pointer_token};

pub(super) fn check(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.kind == KIND) {
        let Some(Err(problems)) = node.config.as_ref().map(Schedule::read) else { continue };
        // Of values that have the wrong shape the schema of the kind has told.
        for problem in problems.into_iter().filter(|problem| is_own(problem.code)) {
            let at = format!("/nodes/{}/config{}", pointer_token(id), problem.path);
            found.push(Diagnostic::error(problem.code, at, problem.message, problem.hint));
        }
    }
}

fn is_own(code: Code) -> bool {
    matches!(code, Code::BadCron | Code::NeverFires | Code::UnknownTimezone)
}
