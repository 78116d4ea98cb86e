//! Places outside that keep checkpoints of the audit chain.

use crate::Caller;
use crate::app::App;
use crate::dto::{AnchorAdd, AnchorKind, AnchorRef, AuditAnchor, Empty};
use crate::error::{ApiError, ApiResult};

pub(crate) fn audit_anchors(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<AuditAnchor>> {
    app.anchors_now()
}

pub(crate) fn audit_anchor_add(app: &App, caller: &Caller, request: AnchorAdd) -> ApiResult<Vec<AuditAnchor>> {
    let (kind, place) = match (request.folder, request.url) {
        (Some(folder), None) => (AnchorKind::File, {
            // Two installations may use one folder.
            let file = format!("signalbox-anchors-{}.jsonl", app.store.audit_state()?.log_id);
            app.chosen(&folder)?.join(file).display().to_string()
        }),
        (None, Some(url)) => (AnchorKind::Webhook, url.trim().to_owned()),
        _ => {
            return Err(ApiError::bad_request("An anchor needs either `folder` or `url`.", "Send one of the two."));
        }
    };
    app.anchor_add(caller, kind, place, request.credential, request.every_minutes, request.allow_local)
}

pub(crate) fn audit_anchor_remove(app: &App, caller: &Caller, request: AnchorRef) -> ApiResult<Vec<AuditAnchor>> {
    app.anchor_remove(caller, &request.id)
}

pub(crate) fn audit_anchor_now(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<AuditAnchor>> {
    app.anchor_all()
}
