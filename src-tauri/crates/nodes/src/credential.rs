//! The secret that a step names in its setting `credential`.

use crate::support::{setting, text};
use signalbox_engine::effect::CallSlot;
use signalbox_model::{NodeFailure, SuggestedAction, secret_ref};
use signalbox_ports::{Credential, SecretError, World};
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
    let credential = world.secrets.credential(name).await.map_err(|error| {
        let (code, message) = match error {
            SecretError::Missing { message } => ("SECRET_MISSING", message),
            SecretError::Unavailable { message } => ("SECRET_UNAVAILABLE", message),
        };
        about(NodeFailure::tool(code, message)).suggest(SuggestedAction::HumanReview)
    })?;
    Ok(Some(credential))
}
