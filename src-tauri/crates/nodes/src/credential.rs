//! The secret that a step names in its setting `credential`.

use crate::support::{setting, text};
use signalbox_engine::effect::CallSlot;
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction, secret_ref};
use signalbox_ports::{Credential, CredentialKind, SecretError, World};
use std::sync::Arc;

/// The setting in every kind.
const FIELD: &str = "credential";

/// A failure that is about the setting.
pub(crate) fn about(failure: NodeFailure) -> NodeFailure {
    failure.detail("field", FIELD)
}

/// What the setting `credential` names; nothing where it is absent.
pub(crate) async fn of_setting(slot: &CallSlot, world: &World) -> Result<Option<Arc<Credential>>, NodeFailure> {
    if setting(slot, FIELD).is_none() {
        return Ok(None);
    }
    let given = text(slot, FIELD)?;
    let name = secret_ref::reference(given).ok_or_else(|| {
        let words = "The credential is no reference to a secret; choose one in the panel, or write secret://name";
        about(NodeFailure::validation("INPUT_INVALID", words))
    })?;
    world.secrets.credential(name).await.map(Some).map_err(failure)
}

/// Why there is no credential.
fn failure(error: SecretError) -> NodeFailure {
    let (code, message) = match error {
        SecretError::Missing { message } => ("SECRET_MISSING", message),
        SecretError::Unavailable { message } => ("SECRET_UNAVAILABLE", message),
        SecretError::Expired { message } => ("CREDENTIAL_EXPIRED", message),
        SecretError::Unreachable { message } => {
            return about(NodeFailure::new(ErrorType::NetworkError, "CONNECTION", message).retryable());
        }
    };
    about(NodeFailure::tool(code, message)).suggest(SuggestedAction::HumanReview)
}

/// Whether a credential can be renewed when a service refuses it, so that its request is kept to be sent again.
pub(crate) fn renews(credential: Option<&Arc<Credential>>) -> bool {
    credential.is_some_and(|credential| matches!(credential.kind, CredentialKind::AccessToken { .. }))
}

/// A newer credential when a service answered 401, which did nothing, and there is one: the request is sent once more with it.
pub(crate) async fn newer(
    used: Option<&Arc<Credential>>,
    status: Option<u16>,
    world: &World,
) -> Result<Option<Arc<Credential>>, NodeFailure> {
    match used {
        Some(used) if status == Some(401) && renews(Some(used)) => world.secrets.renewed(used).await.map_err(failure),
        _ => Ok(None),
    }
}
