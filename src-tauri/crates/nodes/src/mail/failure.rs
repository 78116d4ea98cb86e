//! What a failed exchange with a mail server means on the red port.

use serde_json::{Value, json};
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction};
use signalbox_ports::mail::{MailError, RefusedRecipient};

/// A refused recipient as data.
pub(crate) fn recipient(refused: &RefusedRecipient) -> Value {
    json!({
        "address": refused.address, "code": refused.code, "message": refused.message, "temporary": refused.is_temporary(),
    })
}

/// An error of a mail server as a failure.
pub(crate) fn failure(error: MailError, timeout_ms: u64) -> NodeFailure {
    let person = SuggestedAction::HumanReview;
    match error {
        MailError::AddressRefused { message } => NodeFailure::tool("ADDRESS_REFUSED", message),
        MailError::CredentialRefused { message } => NodeFailure::tool("CREDENTIAL_REFUSED", message).suggest(person),
        MailError::Invalid { field, message } => {
            NodeFailure::validation("INPUT_INVALID", message).detail("field", field)
        }
        MailError::Connection { message } => {
            NodeFailure::new(ErrorType::NetworkError, "CONNECTION", message).retryable()
        }
        MailError::Tls { message } => NodeFailure::new(ErrorType::NetworkError, "TLS", message).suggest(person),
        MailError::Auth { message } => NodeFailure::tool("AUTH", message).suggest(person),
        MailError::MailboxMissing { mailbox, message } => {
            NodeFailure::tool("MAILBOX_MISSING", message).detail("mailbox", mailbox)
        }
        MailError::UidValidityChanged { wanted, found } => {
            let words = format!(
                "The server has numbered the mailbox anew (UIDVALIDITY {found}, not {wanted}), so the number now names another \
                 message, or none. Search for the message again"
            );
            NodeFailure::tool("UIDVALIDITY_CHANGED", words).detail("wanted", wanted).detail("found", found)
        }
        MailError::RecipientsRefused { refused } => {
            let first = refused.first().map(|one| format!(": {} {}", one.code, one.message)).unwrap_or_default();
            let words = match refused.as_slice() {
                [one] => format!("The server does not take mail for {}{first}", one.address),
                all => format!("The server does not take mail for any of the {} recipients{first}", all.len()),
            };
            let failure = NodeFailure::tool("RECIPIENT_REFUSED", words)
                .detail("refused", refused.iter().map(recipient).collect::<Vec<_>>());
            // Grey-listing and full mailboxes pass; an unknown address does not.
            if refused.iter().all(RefusedRecipient::is_temporary) { failure.retryable() } else { failure }
        }
        MailError::Refused { code, message, temporary } => {
            let failure = if temporary {
                NodeFailure::new(ErrorType::NetworkError, "SERVICE_UNAVAILABLE", message).retryable()
            } else {
                NodeFailure::tool("MAIL_REFUSED", message)
            };
            match code {
                Some(code) => failure.detail("status", code),
                None => failure,
            }
        }
        MailError::TooLarge { size, limit } => {
            let words = match limit {
                Some(limit) => {
                    format!("The message has {size} bytes, and the server takes {limit}. Send smaller files")
                }
                None => "The message is larger than the server takes. Send smaller files".to_owned(),
            };
            let failure = NodeFailure::validation("TOO_LARGE", words);
            match limit {
                Some(limit) => failure.detail("size", size).detail("limit", limit),
                None => failure,
            }
        }
        MailError::OutcomeUnknown { message } => {
            NodeFailure::new(ErrorType::NetworkError, "CONNECTION", message).retryable().maybe_happened()
        }
        MailError::Timeout { effect } => {
            let words = format!("The mail server did not finish within {}", crate::run::duration(timeout_ms));
            let failure = NodeFailure::new(ErrorType::Timeout, "TIMEOUT", words).retryable();
            let failure = failure.detail("timeoutMs", timeout_ms);
            if effect { failure.maybe_happened() } else { failure }
        }
        MailError::BadAnswer { message } => NodeFailure::tool("BAD_ANSWER", message),
    }
}
