//! `settings.stepMemoryMb`.

use crate::limit::step_memory;
use signalbox_model::diagnostic::Code;
use signalbox_model::{Diagnostic, Workflow};

pub(super) fn check(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    let Some(Err(what)) = step_memory(workflow) else { return };
    let hint = "Write the megabytes that the items of one step may take, such as 512, or leave it out for 1024";
    found.push(Diagnostic::error(Code::BadConfig, "/settings/stepMemoryMb", what, hint));
}
