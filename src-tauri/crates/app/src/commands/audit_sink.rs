//! Files that audit entries are copied to.

use crate::Caller;
use crate::app::App;
use crate::dto::{AuditSinkView, Empty, SinkAdd, SinkRef};
use crate::error::ApiResult;

pub(crate) fn audit_sinks(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<AuditSinkView>> {
    app.sinks_now()
}

pub(crate) fn audit_sink_add(app: &App, caller: &Caller, request: SinkAdd) -> ApiResult<Vec<AuditSinkView>> {
    // Two installations may use one folder.
    let file = format!("signalbox-audit-{}.jsonl", app.store.audit_state()?.log_id);
    app.sink_add(caller, app.chosen(&request.folder)?.join(file).display().to_string())
}

pub(crate) fn audit_sink_remove(app: &App, caller: &Caller, request: SinkRef) -> ApiResult<Vec<AuditSinkView>> {
    app.sink_remove(caller, &request.id)
}

pub(crate) fn audit_sink_now(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<AuditSinkView>> {
    app.sink_all()
}
