//! What the steps of workflows need on a machine, and which of them cannot leave this program.

mod models;
mod modules;
mod servers;
mod triggers;

use crate::dto::ExportReason;
use crate::host::credential_lint::{is_well_known, variable};
use crate::host::outgoing::is_telling;
use crate::workflows::grants::{file_settings, is_fixed};
use modules::{PORTABLE, modules_of, refusal};
use serde_json::{Value, json};
use signalbox_engine::connector::KnownConnectors;
use signalbox_engine::{guard, params};
use signalbox_model::bundle::{
    CALLBACK_SECRETS, HumanReview, Module, NeededAddress, NeededFolder, NeededIndex, NeededModel, NeededSecret,
    NeededTrigger, Needs,
};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Node, Workflow, secret_ref};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

pub(super) use modules::{needs_full, needs_large};

/// What sends tasks to an address, as needs name it.
const CALLBACK: &str = "humanReviewCallback";

/// What was found in the workflows so far.
#[derive(Default)]
pub(super) struct Looked {
    /// The program can ask people.
    asks_people: bool,
    modules: BTreeMap<String, BTreeSet<String>>,
    secrets: BTreeMap<String, UsedSecret>,
    folders: Vec<NeededFolder>,
    addresses: BTreeMap<Option<String>, Vec<String>>,
    /// Steps by provider and model.
    models: BTreeMap<(Option<String>, Option<String>), Vec<String>>,
    /// Steps by tool server.
    tool_servers: BTreeMap<String, Vec<String>>,
    /// Steps that search an index, and indexes that steps make.
    searched: BTreeMap<String, Vec<String>>,
    made: BTreeSet<String>,
    triggers: Vec<NeededTrigger>,
    problems: Vec<Value>,
}

/// What steps do with a secret.
#[derive(Default)]
struct UsedSecret {
    hosts: BTreeSet<String>,
    steps: Vec<String>,
    /// It is sent somewhere.
    is_sent: bool,
    /// An address is known in the run only.
    is_open: bool,
}

/// The place of a step, and what is asked about it.
struct At<'a> {
    workflow: &'a str,
    step: &'a str,
    /// As people know it.
    title: &'a str,
}

impl At<'_> {
    fn name(&self) -> String {
        format!("{}/{}", self.workflow, self.step)
    }
    fn path(&self, rest: &str) -> String {
        format!("/nodes/{}{rest}", pointer_token(self.step))
    }
}

impl Looked {
    pub(super) fn new(human: HumanReview) -> Self {
        Self { asks_people: human != HumanReview::None, ..Self::default() }
    }

    /// A step or a rule asks a person.
    pub(super) fn needs_people(&self) -> bool {
        self.modules.contains_key("people")
    }

    /// Tasks are sent to an address: one secret signs the messages, the other comes back with answers.
    pub(super) fn signs_messages(&mut self, url: &str) {
        let origin = origin(url).map(|url| url.origin().ascii_serialization());
        self.addresses.entry(origin).or_default().push(CALLBACK.to_owned());
        for name in CALLBACK_SECRETS {
            self.secrets.entry(name.to_owned()).or_default().steps.push(CALLBACK.to_owned());
        }
    }

    /// Steps by the tool server that they call.
    pub(super) fn tool_servers(&self) -> &BTreeMap<String, Vec<String>> {
        &self.tool_servers
    }

    pub(super) fn take(&mut self, workflow: &Workflow, connectors: &KnownConnectors) {
        self.modules.entry("core".into()).or_default();
        for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.disabled != Some(true)) {
            let title = node.title.as_deref().filter(|title| !title.is_empty()).unwrap_or(id);
            let at = At { workflow: &workflow.id, step: id, title };
            self.kind(&at, node);
            self.asks(&at, node);
            self.checks(&at, node);
            self.model(&at, workflow, node);
            self.tools(&at, workflow, node);
            let Some(config) = &node.config else { continue };
            match node.kind.as_str() {
                "http.request" | "a2a.agent" => self.request(&at, config),
                "trigger.poll" if config["url"].is_string() => self.request(&at, config),
                "connector.call" => self.connector(&at, node, connectors),
                "db.query" | "db.tables" | "db.write" => self.database(&at, config),
                "mail.read" | "mail.send" => self.mail(&at, &node.kind, config),
                "rag.index" | "rag.retrieve" => self.index(&at, &node.kind, config),
                _ => {}
            }
            self.trigger(&at, node, config);
            self.file(&at, node, config);
            self.texts(&at, config, "/config");
        }
        let initial = workflow.context.as_ref().and_then(|context| context.initial.as_ref());
        for (name, value) in initial.into_iter().flatten() {
            if value.as_str().is_some_and(is_well_known) {
                let path = format!("/context/initial/{}", pointer_token(name));
                self.plain_secret(&workflow.id, path, &format!("The variable '{name}'"));
                self.because(ExportReason::SecretVariable, Some(name));
            }
        }
    }

    pub(super) fn problem(&mut self, workflow: &str, code: &str, path: String, message: String, hint: &str) {
        self.problems.push(json!({
            "severity": "error", "code": code, "workflow": workflow, "path": path, "message": message, "hint": hint,
        }));
    }

    /// Of the problem that was found last, for who says it in another language.
    pub(super) fn because(&mut self, reason: ExportReason, name: Option<&str>) {
        if let Some(problem) = self.problems.last_mut() {
            problem["reason"] = json!(reason);
            if let Some(name) = name {
                problem["name"] = json!(name);
            }
        }
    }

    fn kind(&mut self, at: &At<'_>, node: &Node) {
        let required = modules_of(&node.kind, node.config.as_ref());
        let core: &[&str] = if required.is_empty() { &["core"] } else { &[] };
        for module in required.iter().chain(core) {
            self.modules.entry((*module).to_owned()).or_default().insert(node.kind.clone());
        }
        let is_there = |module: &str| PORTABLE.contains(&module) || (module == "people" && self.asks_people);
        let Some(module) = required.iter().copied().find(|module| !is_there(module)) else { return };
        let (reason, why, hint) = refusal(module);
        let message = format!("'{}' ({}) {why}.", at.title, node.kind);
        self.problem(at.workflow, "EXPORT_KIND", at.path("/type"), message, hint);
        self.because(reason, None);
    }

    fn needs_module(&mut self, module: &str, kind: &str) {
        self.modules.entry(module.to_owned()).or_default().insert(kind.to_owned());
    }

    /// A rule of an error handler may ask a person although no step does.
    fn asks(&mut self, at: &At<'_>, node: &Node) {
        let rules = node.config.as_ref().and_then(|config| config["rules"].as_array());
        let asks = |rule: &Value| rule["action"] == "human_review";
        if node.kind == "builtin.error_handler"
            && let Some(index) = rules.and_then(|rules| rules.iter().position(asks))
        {
            if self.asks_people {
                self.modules.entry("people".to_owned()).or_default().insert(node.kind.clone());
                return;
            }
            let message =
                format!("Rule {} of '{}' asks a person, and this export has no way to ask.", index + 1, at.title);
            let hint = "Choose how people answer (--human terminal, ui or callback=URL), or choose another action, for example abort.";
            self.problem(at.workflow, "EXPORT_KIND", at.path(&format!("/config/rules/{index}/action")), message, hint);
            self.because(ExportReason::RulePeople, Some(&(index + 1).to_string()));
        }
    }

    /// A safety check may ask a model or a person although no step does.
    fn checks(&mut self, at: &At<'_>, node: &Node) {
        let guards = guard::active(node);
        if guards.ask_model() {
            let message =
                format!("A safety check of '{}' asks a language model, which exported programs do not do.", at.title);
            let hint = "Run this workflow with `signalbox run`, or use a check by rules.";
            self.problem(at.workflow, "EXPORT_KIND", at.path("/guardrails"), message, hint);
            self.because(ExportReason::CheckModel, None);
        }
        if guards.before.iter().chain(&guards.after).any(guard::Guard::asks) {
            if self.asks_people {
                self.modules.entry("people".to_owned()).or_default().insert(node.kind.clone());
                return;
            }
            let message = format!("A safety check of '{}' asks a person, and this export has no way to ask.", at.title);
            let hint = "Choose how people answer (--human terminal, ui or callback=URL), or let the check block.";
            self.problem(at.workflow, "EXPORT_KIND", at.path("/guardrails"), message, hint);
            self.because(ExportReason::CheckPeople, None);
        }
    }

    fn request(&mut self, at: &At<'_>, config: &Value) {
        let url = config["url"].as_str().unwrap_or_default();
        self.sends(at, config, origin(url).as_slice());
        if is_fixed_text(url) && is_telling(url) {
            self.plain_secret(at.workflow, at.path("/config/url"), &format!("The address of '{}'", at.title));
            self.because(ExportReason::SecretAddress, None);
        }
        for field in ["headers", "query"] {
            for (name, value) in config[field].as_object().into_iter().flatten() {
                let value = value.as_str().filter(|value| is_fixed_text(value));
                if value.is_some_and(|value| variable(name, value)) {
                    let path = at.path(&format!("/config/{field}/{}", pointer_token(name)));
                    self.plain_secret(at.workflow, path, &format!("'{name}' in the {field} of '{}'", at.title));
                    self.because(ExportReason::SecretField, Some(name));
                }
            }
        }
    }

    /// What a step sends a request to, and the credential that goes along; no address = it is known in the run only.
    fn sends(&mut self, at: &At<'_>, config: &Value, to: &[Url]) {
        let place = |url: &Url| match url.scheme() {
            "http" | "https" => url.origin().ascii_serialization(),
            _ => format!("{}://{}{}", url.scheme(), url.host_str().unwrap_or_default(), port_of(url)),
        };
        let origins: BTreeSet<Option<String>> =
            if to.is_empty() { BTreeSet::from([None]) } else { to.iter().map(|url| Some(place(url))).collect() };
        for origin in origins {
            self.addresses.entry(origin).or_default().push(at.name());
        }
        if let Some(name) = config["credential"].as_str().and_then(secret_ref::reference) {
            let secret = self.secrets.entry(name.to_owned()).or_default();
            secret.is_sent = true;
            secret.is_open |= to.is_empty();
            secret.hosts.extend(to.iter().map(allowed_host));
            secret.steps.push(at.name());
        }
    }

    fn file(&mut self, at: &At<'_>, node: &Node, config: &Value) {
        for (field, write) in file_settings(node) {
            let path = config[field].as_str().filter(|path| !path.is_empty() && is_fixed(path));
            if let Some(path) = path {
                self.folder(at, path, write);
            }
        }
    }

    fn folder(&mut self, at: &At<'_>, path: &str, write: bool) {
        let folder = NeededFolder { path: path.to_owned(), workflow: at.workflow.to_owned(), step: at.name(), write };
        self.folders.push(folder);
    }

    /// Keys of well-known services, wherever they stand in the settings.
    fn texts(&mut self, at: &At<'_>, value: &Value, place: &str) {
        match value {
            Value::String(text) if is_well_known(text) => {
                let path = at.path(place);
                let is_known = self.problems.iter().any(|known| known["path"] == path.as_str());
                if !is_known {
                    self.plain_secret(at.workflow, path, &format!("A setting of '{}'", at.title));
                    self.because(ExportReason::SecretSetting, None);
                }
            }
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(index, one)| self.texts(at, one, &format!("{place}/{index}")));
            }
            Value::Object(map) => {
                map.iter().for_each(|(name, one)| self.texts(at, one, &format!("{place}/{}", pointer_token(name))));
            }
            _ => {}
        }
    }

    fn plain_secret(&mut self, workflow: &str, path: String, what: &str) {
        let message = format!("{what} holds a credential in plain text: everybody who has the program could read it.");
        let hint =
            "Keep it as a secret (`signalbox secret set NAME`) and name it as the step's credential, secret://NAME.";
        self.problem(workflow, "PLAIN_SECRET", path, message, hint);
    }

    pub(super) fn into_parts(self) -> (Vec<Module>, Needs, Vec<Value>) {
        let modules = self.modules.into_iter().map(|(name, kinds)| Module { name, kinds: kinds.into_iter().collect() });
        let secret = |(name, used): (String, UsedSecret)| NeededSecret {
            name,
            hosts: if used.is_open { Vec::new() } else { used.hosts.into_iter().collect() },
            steps: used.steps,
            stays: !used.is_sent,
        };
        let needs = Needs {
            params: Vec::new(),
            secrets: self.secrets.into_iter().map(secret).collect(),
            folders: self.folders,
            addresses: self.addresses.into_iter().map(|(origin, steps)| NeededAddress { origin, steps }).collect(),
            models: self
                .models
                .into_iter()
                .map(|((provider, model), steps)| NeededModel { provider, model, steps })
                .collect(),
            tool_servers: Vec::new(),
            indexes: self
                .searched
                .into_iter()
                .filter(|(name, _)| !self.made.contains(name))
                .map(|(name, steps)| NeededIndex { name, steps })
                .collect(),
            triggers: self.triggers,
        };
        (modules.collect(), needs, self.problems)
    }
}

/// Params that a run cannot do without: required ones without a default, and addresses of the demo service, which stays here.
pub(super) fn params(workflow: &Workflow) -> Vec<String> {
    let schema = workflow.params.as_ref();
    let has_default = |name: &str| schema.is_some_and(|schema| !schema["properties"][name]["default"].is_null());
    let required = schema.and_then(|schema| schema["required"].as_array()).into_iter().flatten();
    let required = required.filter_map(Value::as_str).filter(|name| !has_default(name));
    let names: BTreeSet<&str> = required.chain(params::practice(workflow)).collect();
    names.into_iter().map(str::to_owned).collect()
}

fn is_fixed_text(text: &str) -> bool {
    !text.starts_with('=') && !text.contains("{{")
}

/// The scheme, host and port of an address, when no expression stands in them.
fn origin(url: &str) -> Option<Url> {
    let begin = url.split("{{").next().filter(|_| !url.starts_with('='))?;
    let (_, rest) = begin.split_once("://")?;
    // An expression right behind the host may be a part of it.
    if begin.len() < url.len() && !rest.contains(['/', '?', '#']) {
        return None;
    }
    Url::parse(begin).ok().filter(|url| url.host_str().is_some())
}

/// As a credential names the hosts that it may be sent to.
fn allowed_host(url: &Url) -> String {
    // Databases and mail servers without TLS.
    let plain = if matches!(url.scheme(), "http" | "plain") { "http://" } else { "" };
    format!("{plain}{}{}", url.host_str().unwrap_or_default(), port_of(url))
}

fn port_of(url: &Url) -> String {
    url.port().map(|port| format!(":{port}")).unwrap_or_default()
}

#[cfg(test)]
mod tests;
