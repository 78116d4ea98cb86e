//! Names of steps in called workflows: `call/fetch` is the step `fetch` of the workflow that the step `call` runs.

use signalbox_engine::Compiled;
use signalbox_model::base::parted;
use signalbox_model::{EventBody, RunEvent};

/// The name of a step at a path. Loops and branches on the way do not count: ids are unique in a file.
pub(super) fn scoped(compiled: &Compiled, path: Option<&str>, step: &str) -> String {
    let mut name = String::new();
    for call in path.filter(|path| !path.is_empty()).map(|path| compiled.calls_along(path)).into_iter().flatten() {
        name.push_str(call);
        name.push('/');
    }
    name.push_str(step);
    name
}

/// The name of the step of an event.
pub(super) fn of_event(compiled: &Compiled, event: &RunEvent) -> Option<String> {
    Some(scoped(compiled, event.path.as_deref(), event.step_id.as_deref()?))
}

/// The name of the step that failed a run, of which the summary tells the id in its own file.
pub(super) fn failed_at(compiled: &Compiled, events: &[RunEvent], id: &str) -> String {
    let fails =
        |event: &&RunEvent| matches!(event.body, EventBody::StepError(_)) && event.step_id.as_deref() == Some(id);
    events.iter().rev().find(fails).and_then(|event| of_event(compiled, event)).unwrap_or_else(|| id.to_owned())
}

/// The step of the run's own file that a name leads through.
pub(super) fn top(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

/// The id of a step in its own file.
pub(super) fn own_id(name: &str) -> &str {
    parted(name).1
}

/// Whether a name is that of a step in a called workflow.
pub(super) fn is_called(name: &str) -> bool {
    parted(name).0.is_some()
}
