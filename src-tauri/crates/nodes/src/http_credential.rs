//! The credential of a request, by its reference in the settings of a step.

use crate::credential::{about, of_setting};
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;
use signalbox_ports::{Credential, HttpRequest, World};
use std::sync::Arc;

/// What the setting `credential` names; nothing where it is absent.
pub(crate) async fn credential(
    slot: &CallSlot,
    world: &World,
    request: &HttpRequest,
) -> Result<Option<Arc<Credential>>, NodeFailure> {
    let Some(credential) = of_setting(slot, world).await? else { return Ok(None) };
    if let Some(header) = credential.kind.header()
        && request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(&header))
    {
        let name = &credential.name;
        let words = format!("The credential '{name}' sets the header '{header}', and so does 'headers'; remove one");
        return Err(about(NodeFailure::validation("INPUT_INVALID", words)));
    }
    Ok(Some(credential))
}
