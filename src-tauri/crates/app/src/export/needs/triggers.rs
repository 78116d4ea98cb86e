//! What steps that start runs by themselves need of the machine.

use super::{At, Looked};
use serde_json::Value;
use signalbox_engine::{form, schedule, webhook};
use signalbox_model::bundle::NeededTrigger;
use signalbox_model::{Node, secret_ref};
use signalbox_runtime::triggers::{FILE_WATCH, POLL};

impl Looked {
    /// When or by what a step starts runs, and the secret that requests are checked with.
    pub(super) fn trigger(&mut self, at: &At<'_>, node: &Node, config: &Value) {
        let text = |name: &str| config[name].as_str().unwrap_or_default();
        let (by, listens) = match node.kind.as_str() {
            schedule::KIND => match config["every"].as_u64() {
                Some(every) => (format!("every {every} ms"), false),
                None => (format!("{} {}", text("cron"), config["timezone"].as_str().unwrap_or("UTC")), false),
            },
            webhook::KIND => (format!("/hooks/{}", text("path")), true),
            form::KIND => (format!("/forms/{}", text("path")), true),
            FILE_WATCH => (text("path").to_owned(), false),
            POLL => match config["source"]["workflow"].as_str() {
                Some(workflow) => (workflow.to_owned(), false),
                None => {
                    (super::origin(text("url")).map_or(String::new(), |url| url.origin().ascii_serialization()), false)
                }
            },
            _ => return,
        };
        self.triggers.push(NeededTrigger { kind: node.kind.clone(), by, step: at.name(), listens });
        if let Some(name) = config["auth"]["secret"].as_str().and_then(secret_ref::reference) {
            self.secrets.entry(name.to_owned()).or_default().steps.push(at.name());
        }
    }
}
