//! Places that audit entries are copied to.

use crate::Caller;
use crate::app::App;
use crate::dto::{AuditSinkView, Empty, SinkAdd, SinkKind, SinkPause, SinkRef, SinkTest};
use crate::error::{ApiError, ApiResult};

pub(crate) fn audit_sinks(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<AuditSinkView>> {
    app.sinks_now()
}

pub(crate) fn audit_sink_add(app: &App, caller: &Caller, request: SinkAdd) -> ApiResult<Vec<AuditSinkView>> {
    match (&request.folder, &request.url, request.kind) {
        (Some(folder), None, SinkKind::File) => {
            // Two installations may use one folder.
            let file = format!("signalbox-audit-{}.jsonl", app.store.audit_state()?.log_id);
            app.sink_add(caller, app.chosen(folder)?.join(file).display().to_string(), request.name.as_deref())
        }
        (
            None,
            Some(_),
            SinkKind::Postgres | SinkKind::S3 | SinkKind::Elasticsearch | SinkKind::Syslog | SinkKind::Kafka,
        ) => app.sink_add_remote(caller, request),
        _ => {
            let hint = "Send `folder` for a file, or `kind` and `url` for a server.";
            Err(ApiError::bad_request("A sink is either a file in a folder or a server at an address.", hint))
        }
    }
}

pub(crate) fn audit_sink_remove(app: &App, caller: &Caller, request: SinkRef) -> ApiResult<Vec<AuditSinkView>> {
    app.sink_remove(caller, &request.id)
}

pub(crate) fn audit_sink_pause(app: &App, caller: &Caller, request: SinkPause) -> ApiResult<Vec<AuditSinkView>> {
    app.sink_pause(caller, &request.id, request.paused)
}

pub(crate) fn audit_sink_test(app: &App, _: &Caller, request: SinkRef) -> ApiResult<SinkTest> {
    app.sink_test(&request.id)
}

pub(crate) fn audit_sink_now(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<AuditSinkView>> {
    app.sink_all()
}
