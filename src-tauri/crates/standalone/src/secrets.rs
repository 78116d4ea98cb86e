//! Secrets by environment and file. Only those that the workflow names are read, once, at the start.

use crate::configuration::Configuration;
use crate::failure::Failure;
use async_trait::async_trait;
use serde_json::{Map, Value};
use signalbox_adapters::private;
use signalbox_model::bundle::Bundle;
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{Credential, CredentialKind, Scrubber, Secret, SecretError, Secrets};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Before the name of a secret in the environment.
const PREFIX: &str = "SIGNALBOX_SECRET_";

/// The secrets of the workflow, as far as they were given.
#[derive(Default)]
pub(crate) struct GivenSecrets {
    known: BTreeMap<String, Arc<Credential>>,
    /// All that are needed, and by whom.
    needed: Vec<Wanted>,
    scrubber: Arc<Scrubber>,
}

/// The name of a secret in the environment.
pub(crate) fn variable(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("{PREFIX}{}", name.chars().map(letter).collect::<String>())
}

/// A secret that a step or the configuration names.
struct Wanted {
    name: String,
    /// Hosts that it is sent to; empty when they are known only in the run.
    hosts: Vec<String>,
    /// It is given to processes only, and sent nowhere.
    stays: bool,
    by: Vec<String>,
}

/// The secrets of the workflow and of the configuration, each once.
fn wanted(bundle: &Bundle, configuration: &Configuration) -> Vec<Wanted> {
    let of_workflow = bundle.needs.secrets.iter().map(|needed| Wanted {
        name: needed.name.clone(),
        hosts: needed.hosts.clone(),
        stays: needed.stays,
        by: needed.steps.clone(),
    });
    let mut all: Vec<Wanted> = of_workflow.collect();
    for named in configuration.secrets() {
        match all.iter_mut().find(|one| one.name == named.name) {
            Some(one) => {
                // Hosts that are known in the run only are named with the secret.
                if one.stays || !one.hosts.is_empty() {
                    one.hosts.extend(named.host.clone());
                }
                one.stays &= named.host.is_none();
                one.by.push(named.by);
            }
            None => all.push(Wanted {
                stays: named.host.is_none(),
                hosts: named.host.into_iter().collect(),
                name: named.name,
                by: vec![named.by],
            }),
        }
    }
    all
}

/// Whether another secret has the same variable: names may differ in signs and case alone.
fn shares_its_variable(name: &str, all: &[Wanted]) -> bool {
    all.iter().any(|other| other.name != name && variable(&other.name) == variable(name))
}

impl GivenSecrets {
    /// Reads what the workflow and the configuration name. The environment wins over the file.
    pub(crate) fn read(bundle: &Bundle, configuration: &Configuration, file: Option<&Path>) -> Result<Self, Failure> {
        let in_file = file.map(read_file).transpose()?.unwrap_or_default();
        let mut secrets = Self::default();
        let all = wanted(bundle, configuration);
        for needed in &all {
            let variable = variable(&needed.name);
            let given = match std::env::var(&variable) {
                // Each goes to its own hosts: a guess could send the value of one to those of the other.
                Ok(text) if !text.is_empty() && shares_its_variable(&needed.name, &all) => {
                    let message = format!("{variable} could be any of several secrets whose names are alike.");
                    let hint = "Give these secrets by name in the file of --secrets, and unset the variable.";
                    return Err(Failure::invalid("BAD_SECRET", message, hint));
                }
                Ok(text) if !text.is_empty() => {
                    let value =
                        if text.trim_start().starts_with('{') { serde_json::from_str(&text).ok() } else { None };
                    Some((value.unwrap_or(Value::String(text)), variable))
                }
                _ => in_file
                    .get(&needed.name)
                    .map(|value| (value.clone(), format!("'{}' of the file of secrets", needed.name))),
            };
            if let Some((value, place)) = given {
                let credential = secrets.credential_of(needed, &value).map_err(|why| {
                    let hint = "The program's --help shows the form of a secret.";
                    Failure::invalid("BAD_SECRET", format!("{place} cannot be used: {why}."), hint)
                })?;
                secrets.known.insert(needed.name.clone(), Arc::new(credential));
            }
        }
        secrets.needed = all;
        Ok(secrets)
    }

    /// The first secret that was not given, and who needs it.
    pub(crate) fn missing(&self) -> Option<(&str, &[String])> {
        let missing = self.needed.iter().find(|needed| !self.known.contains_key(&needed.name))?;
        Some((&missing.name, &missing.by))
    }

    /// A secret that was given.
    pub(crate) fn known(&self, name: &str) -> Option<Arc<Credential>> {
        self.known.get(name).cloned()
    }

    fn credential_of(&self, needed: &Wanted, given: &Value) -> Result<Credential, String> {
        let text = |name: &str| given[name].as_str().map(str::to_owned).filter(|text| !text.is_empty());
        let needs = |name: &str, kind: &str| text(name).ok_or_else(|| format!("kind {kind} needs \"{name}\""));
        let value = match given {
            Value::String(value) => value.clone(),
            Value::Object(_) => text("value").ok_or("\"value\" is missing")?,
            _ => return Err("it is neither a text nor an object".into()),
        };
        let kind = match given["kind"].as_str().unwrap_or("bearer") {
            "bearer" => CredentialKind::Bearer,
            "basic" => CredentialKind::Basic { user: needs("user", "basic")? },
            "header" => CredentialKind::Header { name: needs("name", "header")? },
            "query" => CredentialKind::Query { name: needs("name", "query")? },
            "azure" => CredentialKind::AzureKey { account: needs("account", "azure")? },
            "sas" => CredentialKind::Sas,
            other => return Err(format!("there is no kind '{other}'")),
        };
        let listed: Vec<&str> = match given["hosts"].as_array() {
            Some(hosts) => hosts.iter().filter_map(Value::as_str).collect(),
            None => needed.hosts.iter().map(String::as_str).collect(),
        };
        if listed.is_empty() && !needed.stays {
            return Err("its hosts are not known from the workflow, so \"hosts\" must name them".into());
        }
        let hosts = listed.into_iter().map(AllowedHost::parse).collect::<Result<Vec<_>, _>>()?;
        let value = Secret::new(value);
        self.scrubber.add(&needed.name, Some(&kind), &value);
        Ok(Credential { name: needed.name.clone(), kind, hosts, value, scrubber: Arc::clone(&self.scrubber) })
    }
}

fn read_file(path: &Path) -> Result<Map<String, Value>, Failure> {
    let bad = |why: String| {
        let hint = "Name a JSON file with an object, readable by its owner only (chmod 600).";
        Failure::invalid(
            "BAD_SECRETS_FILE",
            format!("The file of secrets {} cannot be used: {why}.", path.display()),
            hint,
        )
    };
    private::owner_only(path).map_err(bad)?;
    let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    match serde_json::from_str(&text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(bad("it is JSON, but not an object".into())),
        // Never the text: a secret may stand at that place.
        Err(error) => Err(bad(format!("it is not JSON (line {}, column {})", error.line(), error.column()))),
    }
}

#[async_trait]
impl Secrets for GivenSecrets {
    async fn credential(&self, name: &str) -> Result<Arc<Credential>, SecretError> {
        let missing = || SecretError::Missing {
            message: format!(
                "The secret '{name}' was not given: set {} or name it in the file of --secrets",
                variable(name)
            ),
        };
        self.known.get(name).cloned().ok_or_else(missing)
    }
    fn scrubber(&self) -> Arc<Scrubber> {
        Arc::clone(&self.scrubber)
    }
}

#[cfg(test)]
mod tests;
