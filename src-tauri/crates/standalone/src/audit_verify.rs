//! `audit verify`: the chain of the data folder against its own links, checkpoints and signatures.

use crate::failure::Failure;
use crate::host::Host;
use crate::output::{FAILED, OK, Output};
use serde_json::json;
use signalbox_store::audit::PublicKey;

pub(crate) fn verify(host: &Host, output: &Output) -> Result<u8, Failure> {
    let state = host.store.audit_state()?;
    let keys = PublicKey::all_from_text(&state.keys).unwrap_or_default();
    let verdict = host.store.audit_verify(keys, Vec::new(), None)?;
    let intact = verdict.is_intact();
    if output.json {
        output.value(&json!({
            "intact": intact, "entries": state.head.size, "message": verdict.to_string(), "verdict": verdict,
        }));
    } else {
        output.line(&verdict.to_string());
    }
    Ok(if intact { OK } else { FAILED })
}
