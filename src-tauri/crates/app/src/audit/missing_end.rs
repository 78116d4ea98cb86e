//! Ends of the audit chain that are missing (ADR 77): what an export says about them, and a person's word on one.

use crate::Caller;
use crate::app::App;
use crate::dto::{AuditMissingEnd, AuditRecorded, AuditVerdict};
use crate::error::{ApiError, ApiResult, Class};
use serde_json::{Value, json};
use signalbox_model::AuditEvent;
use signalbox_store::AuditQuery;
use signalbox_store::audit::{Level, pack::MissingEnd};

/// As an answer tells it.
pub(crate) fn told(end: MissingEnd) -> AuditMissingEnd {
    let message = end.to_string();
    let MissingEnd { expected, found, accepted } = end;
    AuditMissingEnd { expected, found, accepted, message }
}

impl App {
    /// Ends of the chain that are missing: first those that were accepted, as far as their records are there, then the others.
    pub(crate) fn missing_ends(&self) -> ApiResult<Vec<MissingEnd>> {
        let mut ends = Vec::new();
        let accepted =
            AuditQuery { event: Some(AuditEvent::AuditCutAccepted.as_str().to_owned()), ..AuditQuery::default() };
        self.store.audit_matching(&accepted, |row| {
            let entry: Value = serde_json::from_str(&row.text).unwrap_or_default();
            let fact = |name: &str| entry["metadata"][name].as_u64();
            if let (Some(expected), Some(found)) = (fact("expected"), fact("found")) {
                ends.push(MissingEnd { expected, found, accepted: Some(row.seq) });
            }
            true
        })?;
        let open = self.store.audit_cuts()?.into_iter();
        ends.extend(open.map(|cut| MissingEnd { expected: cut.expected, found: cut.found, accepted: None }));
        Ok(ends)
    }

    /// UX E2, ADR 77: a missing end is red until a person says why it is missing. What is accepted is what was shown: the end that the
    /// last verification told.
    pub(crate) fn accept_cut(&self, caller: &Caller, reason: &str) -> ApiResult<AuditRecorded> {
        let shown = self.audit_status_now()?.verdict;
        let cut = self.store.audit_cut()?;
        let cut = match cut.filter(|cut| is_shown(&shown, cut.seq())) {
            Some(cut) => cut,
            None => return Err(not_acceptable(&shown, !self.store.audit_cuts()?.is_empty())),
        };
        let facts =
            caller.signed(json!({ "seq": cut.seq(), "expected": cut.expected, "found": cut.found, "reason": reason }));
        let record = self.fact(AuditEvent::AuditCutAccepted, Level::Critical, caller.actor(), facts);
        let receipt = self.store.audit_accept_cut(&cut, record)?;
        let receipt = receipt.ok_or_else(|| not_acceptable(&shown, false))?;
        // The verdict of before would stand until somebody asks for another one; one that is under way ends later.
        let _ = self.verify_audit(true);
        Ok(AuditRecorded { status: "ok".into(), seq: receipt.seq })
    }
}

fn is_shown(verdict: &AuditVerdict, seq: u64) -> bool {
    verdict.broken.as_ref().is_some_and(|broken| broken.acceptable && broken.seq == seq)
}

/// Why nothing can be accepted now. `missing`: an end is, although the last verification did not tell it.
fn not_acceptable(shown: &AuditVerdict, missing: bool) -> ApiError {
    let refused = |code: &str, message: String, hint: &str| ApiError::new(Class::Conflict, code, message, hint);
    match &shown.broken {
        Some(broken) if !broken.acceptable => refused(
            "NOT_ACCEPTABLE",
            format!("The audit chain is broken in another way: {}.", broken.message.trim_end_matches('.')),
            "Only a missing end can be accepted, and only when nothing before it is broken: put that right, then verify again.",
        ),
        _ if missing => refused(
            "NOT_ACCEPTABLE",
            "An end of the audit chain is missing that no verification has reported yet.".to_owned(),
            "Verify the chain (`signalbox audit verify`), look at what is missing, then say why.",
        ),
        _ => refused(
            "NOTHING_MISSING",
            "No end of the audit chain is missing.".to_owned(),
            "Only a missing end can be accepted: changed entries stay invalid until they are corrected.",
        ),
    }
}
