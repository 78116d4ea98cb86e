//! Tool servers: how they are started or reached is configured here; what they may say of their tools was approved where the
//! program was exported. A server that says anything else is not called.

use crate::configuration::Configuration;
use async_trait::async_trait;
use signalbox_adapters::mcp::{Inspection, ServerBook, ToolServerDefinition, ToolWord, ToolWords, tool_hashes};
use signalbox_model::bundle::{Bundle, NeededToolServer};
use signalbox_ports::tools::{ToolFailure, ToolFault};
use std::sync::Arc;

pub(super) struct CarriedBook {
    approved: Vec<NeededToolServer>,
    configuration: Arc<Configuration>,
}

fn not_approved(name: &str, why: &str) -> ToolFailure {
    let message =
        format!("The tool server '{name}' {why}. Approve it in Signalbox as it is now, and export the workflow again");
    ToolFailure::new(ToolFault::NotApproved, message)
}

/// The first tool that is not as it was approved, and how it differs.
fn difference(approved: &NeededToolServer, found: &Inspection) -> Option<String> {
    let now = tool_hashes(&found.tools);
    let gone = approved.tools.keys().find(|name| !now.contains_key(*name));
    let new = now.keys().find(|name| !approved.tools.contains_key(*name));
    let other = now.iter().find(|(name, hash)| approved.tools.get(*name).is_some_and(|before| before != *hash));
    let told = |name: &String, how: &str| format!("{how} the tool '{name}' since it was approved");
    gone.map(|name| told(name, "has lost"))
        .or_else(|| new.map(|name| told(name, "has got")))
        .or_else(|| other.map(|(name, _)| told(name, "describes otherwise")))
}

impl CarriedBook {
    pub(super) fn new(bundle: &Bundle, configuration: Arc<Configuration>) -> Self {
        Self { approved: bundle.needs.tool_servers.clone(), configuration }
    }

    fn compare(&self, name: &str, seen: &Inspection) -> Result<ToolWords, ToolFailure> {
        let approved = self.approved.iter().find(|server| server.name == name);
        let approved = approved.ok_or_else(|| not_approved(name, "was not approved for this program"))?;
        if let Some(why) = difference(approved, seen) {
            return Err(not_approved(name, &why));
        }
        let word = |(tool, word): (&String, &serde_json::Value)| {
            serde_json::from_value::<ToolWord>(word.clone()).ok().map(|word| (tool.clone(), word))
        };
        Ok(approved.words.iter().filter_map(word).collect())
    }
}

#[async_trait]
impl ServerBook for CarriedBook {
    async fn server(&self, name: &str) -> Result<ToolServerDefinition, ToolFailure> {
        self.configuration.tools.get(name).cloned().ok_or_else(|| {
            let message = format!("There is no tool server '{name}' in the configuration of this program");
            ToolFailure::new(ToolFault::NotConfigured, message)
        })
    }

    async fn approved(
        &self,
        name: &str,
        _definition: &ToolServerDefinition,
        seen: Arc<Inspection>,
    ) -> Result<Option<ToolWords>, ToolFailure> {
        Ok(self.compare(name, &seen).ok())
    }

    async fn admit(
        &self,
        name: &str,
        _definition: &ToolServerDefinition,
        seen: Arc<Inspection>,
    ) -> Result<ToolWords, ToolFailure> {
        self.compare(name, &seen)
    }
}
