//! The credential of a request, by its reference in the settings of a step.

use crate::support::{setting, text};
use signalbox_engine::effect::CallSlot;
use signalbox_model::{NodeFailure, SuggestedAction, secret_ref};
use signalbox_ports::{Credential, HttpRequest, SecretError, World};
use std::sync::Arc;

/// What the setting `credential` names; nothing where it is absent.
pub(crate) async fn credential(
    slot: &CallSlot,
    world: &World,
    request: &HttpRequest,
) -> Result<Option<Arc<Credential>>, NodeFailure> {
    let Some(credential) = named(slot, world).await? else { return Ok(None) };
    if let Some(header) = credential.kind.header()
        && request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(&header))
    {
        let name = &credential.name;
        let words = format!("The credential '{name}' sets the header '{header}', and so does 'headers'; remove one");
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "credential"));
    }
    Ok(Some(credential))
}

/// The same for what is no request.
pub(crate) async fn named(slot: &CallSlot, world: &World) -> Result<Option<Arc<Credential>>, NodeFailure> {
    if setting(slot, "credential").is_none() {
        return Ok(None);
    }
    let field = |failure: NodeFailure| failure.detail("field", "credential");
    let given = text(slot, "credential")?;
    let name = secret_ref::reference(given).ok_or_else(|| {
        let words = "The credential is no reference to a secret; choose one in the panel, or write secret://name";
        field(NodeFailure::validation("INPUT_INVALID", words))
    })?;
    let credential = world.secrets.credential(name).await.map_err(|error| {
        let (code, message) = match error {
            SecretError::Missing { message } => ("SECRET_MISSING", message),
            SecretError::Unavailable { message } => ("SECRET_UNAVAILABLE", message),
        };
        field(NodeFailure::tool(code, message)).suggest(SuggestedAction::HumanReview)
    })?;
    Ok(Some(credential))
}
