//! What is missing on this machine, said before a run starts or goes on.

use crate::configuration::Configuration;
use crate::failure::Failure;
use crate::host::Host;
use crate::secrets::variable;
use signalbox_model::Map;
use signalbox_model::bundle::Bundle;

/// Secrets, folders, models, tool servers and indexes.
pub(crate) fn machine(host: &Host, bundle: &Bundle) -> Result<(), Failure> {
    if let Some((name, by)) = host.secrets.missing() {
        return Err(Failure::invalid(
            "MISSING_SECRET",
            format!("The secret '{name}' is missing ({} sends it).", by.join(", ")),
            format!("Set {}, or name it in a file of secrets with --secrets.", variable(name)),
        ));
    }
    models(&host.configuration, bundle)?;
    #[cfg(feature = "tools")]
    if let Some(server) = bundle.needs.tool_servers.iter().find(|one| !host.configuration.tools.contains_key(&one.name))
    {
        return Err(Failure::invalid(
            "MISSING_TOOL_SERVER",
            format!("The tool server '{}' is missing ({} calls it).", server.name, server.steps.join(", ")),
            format!("Add it to the configuration, at \"tools\", \"{}\"; --help shows how.", server.name),
        ));
    }
    for index in &bundle.needs.indexes {
        let file = host.indexes.join(format!("index-{}.sqlite", index.name));
        if !file.is_file() {
            return Err(Failure::invalid(
                "MISSING_INDEX",
                format!(
                    "The index '{}' is missing ({} searches it): {} does not exist.",
                    index.name,
                    index.steps.join(", "),
                    file.display()
                ),
                "Copy it there, or name the folder of indexes with --indexes. Signalbox keeps indexes in `indexes` of its data folder.",
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

/// Each model has its provider.
fn models(configuration: &Configuration, bundle: &Bundle) -> Result<(), Failure> {
    let settings = &configuration.models;
    for model in &bundle.needs.models {
        let steps = model.steps.join(", ");
        let (what, hint) = match (&model.provider, &settings.default) {
            (Some(provider), _) if !settings.providers.contains_key(provider) => {
                (format!("The model provider '{provider}'"), format!("\"providers\", \"{provider}\""))
            }
            (None, None) => ("A default model".to_owned(), "\"default\"".to_owned()),
            // The default is a model of its provider, and of no other.
            (Some(provider), default)
                if model.model.is_none() && default.as_ref().is_none_or(|default| default.provider != *provider) =>
            {
                (format!("A default model of '{provider}'"), "\"default\"".to_owned())
            }
            _ => continue,
        };
        return Err(Failure::invalid(
            "MISSING_MODEL",
            format!("{what} is missing ({steps} asks it)."),
            format!("Add it to the configuration, at \"models\", {hint}; --help shows how."),
        ));
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
