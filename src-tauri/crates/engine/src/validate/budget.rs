//! `settings.budget`.

use signalbox_model::budget::Limits;
use signalbox_model::diagnostic::Code;
use signalbox_model::{Diagnostic, Workflow};

pub(super) fn check(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    let budget = workflow.settings.as_ref().and_then(|settings| settings.budget.as_ref());
    if let Some(Err((at, what))) = budget.map(Limits::parse) {
        let hint = "Write { \"perRun\": 0.5, \"perDay\": 10 }, in the currency of your model prices";
        found.push(Diagnostic::error(Code::BadConfig, format!("/settings/budget{at}"), what, hint));
    }
}
