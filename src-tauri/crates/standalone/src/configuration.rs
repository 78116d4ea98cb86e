//! What the person of this machine sets for the program: providers of language models, and servers of tools. Neither stands in the
//! program: where data and keys go, and what is started here, is decided here (ADR 146).

use crate::failure::Failure;
use serde::Deserialize;
#[cfg(feature = "tools")]
use signalbox_adapters::mcp::ToolServerDefinition;
use signalbox_model::{secret_ref, text};
use signalbox_ports::llm::ProviderKind;
use std::collections::BTreeMap;
use std::path::Path;
use url::Url;

/// The file of `--config`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Configuration {
    #[serde(default)]
    pub(crate) models: ModelSettings,
    #[cfg(feature = "tools")]
    /// How tool servers are started or reached, by name.
    #[serde(default)]
    pub(crate) tools: BTreeMap<String, ToolServerDefinition>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ModelSettings {
    /// By name.
    #[serde(default)]
    pub(crate) providers: BTreeMap<String, ProviderSettings>,
    /// Of steps that name none.
    #[serde(default)]
    pub(crate) default: Option<DefaultModel>,
    /// What models may cost on a day.
    #[serde(default)]
    pub(crate) day_budget: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ProviderSettings {
    pub(crate) kind: Kind,
    /// Without the path of a call.
    pub(crate) base_url: String,
    /// `secret://name`.
    #[serde(default)]
    pub(crate) credential: Option<String>,
    /// By model, of a million tokens.
    #[serde(default)]
    pub(crate) prices: BTreeMap<String, ModelPrice>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Anthropic,
    Openai,
    Ollama,
}

impl Kind {
    pub(crate) fn of_provider(self) -> ProviderKind {
        match self {
            Self::Anthropic => ProviderKind::Anthropic,
            Self::Openai => ProviderKind::Openai,
            Self::Ollama => ProviderKind::Ollama,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelPrice {
    #[serde(default)]
    pub(crate) input: f64,
    #[serde(default)]
    pub(crate) output: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DefaultModel {
    pub(crate) provider: String,
    pub(crate) model: String,
}

/// A secret that the configuration names.
pub(crate) struct NamedSecret {
    pub(crate) name: String,
    /// Where it is sent; `None` = to a process of this machine.
    pub(crate) host: Option<String>,
    /// Who needs it.
    pub(crate) by: String,
}

fn bad(why: String) -> Failure {
    let hint = "The program's --help shows the form of the configuration.";
    Failure::invalid("BAD_CONFIGURATION", format!("The configuration cannot be used: {why}."), hint)
}

impl Configuration {
    /// Reads a file, or the text itself when it is a JSON object.
    pub(crate) fn read(given: Option<&str>) -> Result<Self, Failure> {
        let Some(given) = given.filter(|given| !given.trim().is_empty()) else { return Ok(Self::default()) };
        let json = if given.trim_start().starts_with('{') {
            given.to_owned()
        } else {
            let path = Path::new(given);
            only_its_owner_writes(path).map_err(bad)?;
            std::fs::read_to_string(path).map_err(|error| bad(format!("{given} cannot be read: {error}")))?
        };
        let read: Self = serde_json::from_str(text::without_bom(&json)).map_err(|error| bad(error.to_string()))?;
        read.checked()
    }

    fn checked(self) -> Result<Self, Failure> {
        for (name, provider) in &self.models.providers {
            host_of(&provider.base_url)
                .map_err(|why| bad(format!("the address of the model provider '{name}' {why}")))?;
            credential(provider.credential.as_deref(), &format!("model provider '{name}'"))?;
            let prices = provider.prices.values().flat_map(|price| [price.input, price.output]);
            if prices.into_iter().any(|price| signalbox_model::money::micros(price).is_none()) {
                return Err(bad(format!("a price of the model provider '{name}' is no number from 0 on")));
            }
        }
        if let Some(default) = &self.models.default
            && !self.models.providers.contains_key(&default.provider)
        {
            return Err(bad(format!("the default model is of '{}', which is no provider here", default.provider)));
        }
        if self.models.day_budget.is_some_and(|budget| signalbox_model::money::micros(budget).is_none()) {
            return Err(bad("\"dayBudget\" is no amount".to_owned()));
        }
        #[cfg(feature = "tools")]
        for (name, server) in &self.tools {
            let ToolServerDefinition::Http { url, credential: key, sign_in } = server else { continue };
            host_of(url).map_err(|why| bad(format!("the address of the tool server '{name}' {why}")))?;
            credential(key.as_deref(), &format!("tool server '{name}'"))?;
            if sign_in.is_some() {
                return Err(bad(format!(
                    "the tool server '{name}' has \"signIn\", and nobody signs in with an exported program; give it a \"credential\""
                )));
            }
        }
        Ok(self)
    }

    /// The secrets that it names.
    pub(crate) fn secrets(&self) -> Vec<NamedSecret> {
        let mut found = Vec::new();
        let mut add = |reference: Option<&str>, host: Option<String>, by: String| {
            if let Some(name) = reference.and_then(secret_ref::reference) {
                found.push(NamedSecret { name: name.to_owned(), host, by });
            }
        };
        for (name, provider) in &self.models.providers {
            add(provider.credential.as_deref(), host_of(&provider.base_url).ok(), format!("model provider {name}"));
        }
        #[cfg(feature = "tools")]
        for (name, server) in &self.tools {
            let by = || format!("tool server {name}");
            match server {
                ToolServerDefinition::Stdio { env, .. } => {
                    env.values().for_each(|value| add(Some(value), None, by()));
                }
                ToolServerDefinition::Http { url, credential, .. } => {
                    add(credential.as_deref(), host_of(url).ok(), by());
                }
            }
        }
        found
    }
}

fn credential(given: Option<&str>, of: &str) -> Result<(), Failure> {
    match given {
        Some(given) if secret_ref::reference(given).is_none() => Err(bad(format!(
            "the credential of the {of} is not of the form secret://NAME; give the value itself as a secret"
        ))),
        _ => Ok(()),
    }
}

/// The host of an address, as credentials name it.
fn host_of(address: &str) -> Result<String, &'static str> {
    let url = Url::parse(address).map_err(|_| "is none")?;
    let host = url.host_str().filter(|_| matches!(url.scheme(), "http" | "https")).ok_or("is not http or https")?;
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err("holds more than a place; name a \"credential\"");
    }
    let plain = if url.scheme() == "http" { "http://" } else { "" };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    Ok(format!("{plain}{host}{port}"))
}

/// Whoever can change this file decides which programs are started.
#[cfg(unix)]
fn only_its_owner_writes(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let about = std::fs::metadata(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    if about.permissions().mode() & 0o022 != 0 {
        return Err(format!("others may write {}; take that right away (chmod go-w)", path.display()));
    }
    Ok(())
}

#[cfg(not(unix))]
fn only_its_owner_writes(_: &Path) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests;
