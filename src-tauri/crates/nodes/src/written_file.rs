//! Tells of a file that a step wrote.

use signalbox_engine::effect::Call;
use signalbox_model::CallProgress;
use signalbox_model::event::{FileDone, GrantedFile};
use signalbox_ports::{CallLog, Written};

/// Who looks at the run finds the file by this, and by nothing that a later step makes of the item.
pub(crate) fn told(call: &Call, log: &dyn CallLog, path: &str, written: Written) {
    let Written { size, place, modified_ms } = written;
    let granted = Some(GrantedFile { workflow_id: call.workflow_id.to_string(), place, modified_ms });
    log.say(CallProgress::Wrote(FileDone { path: path.to_owned(), size_bytes: size, granted }));
}
