//! How long the audit chain keeps its entries.

use crate::Caller;
use crate::app::App;
use crate::dto::{AuditRetained, AuditRetention, AuditRetentionSet, Empty};
use crate::error::ApiResult;
use serde_json::json;

pub(crate) fn audit_retention(app: &App, _: &Caller, _: Empty) -> ApiResult<AuditRetention> {
    app.retention_now()
}

pub(crate) fn audit_retention_set(app: &App, caller: &Caller, request: AuditRetentionSet) -> ApiResult<AuditRetention> {
    app.retention_set(caller, &request)
}

pub(crate) fn audit_retention_now(app: &App, caller: &Caller, _: Empty) -> ApiResult<AuditRetained> {
    app.retain(&caller.actor(), &caller.signed(json!({})))
}
