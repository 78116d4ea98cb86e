//! What is missing on this machine, said before a run starts or goes on.

use crate::failure::Failure;
use crate::host::Host;
use crate::secrets::variable;
use signalbox_model::Map;
use signalbox_model::bundle::Bundle;

/// Secrets and folders.
pub(crate) fn machine(host: &Host, bundle: &Bundle) -> Result<(), Failure> {
    for secret in &bundle.needs.secrets {
        if !host.secrets.has(&secret.name) {
            return Err(Failure::invalid(
                "MISSING_SECRET",
                format!("The secret '{}' is missing ({} sends it).", secret.name, secret.steps.join(", ")),
                format!("Set {}, or name it in a file of secrets with --secrets.", variable(&secret.name)),
            ));
        }
    }
    for folder in &bundle.needs.folders {
        if let Err(why) = host.files.may(&folder.workflow, &folder.path, folder.write) {
            let access = if folder.write { ":rw" } else { "" };
            return Err(Failure::invalid(
                "MISSING_FOLDER",
                format!("{} cannot use {}: {why}.", folder.step, folder.path),
                format!("Allow the folder that holds it: --allow-dir DIR{access}."),
            ));
        }
    }
    Ok(())
}

/// Params without which a run cannot start.
pub(crate) fn params(bundle: &Bundle, given: &Map) -> Result<(), Failure> {
    let is_given = |name: &str| given.get(name).is_some_and(|value| !value.is_null() && value.as_str() != Some(""));
    match bundle.needs.params.iter().find(|name| !is_given(name)) {
        None => Ok(()),
        Some(name) => {
            let message = format!("The param '{name}' is missing.");
            Err(Failure::invalid("MISSING_PARAM", message, format!("Pass it: --params '{{\"{name}\": …}}'.")))
        }
    }
}
