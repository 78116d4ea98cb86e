//! Tool servers of a workflow that leaves as a program: what was approved of them here goes with it, and nothing of how they are
//! started or reached (ADR 146).

use super::approval::Approved;
use super::available_tools::{Here, calls_tools, findings};
use crate::error::ApiResult;
use serde_json::json;
use signalbox_adapters::mcp::tool_hashes;
use signalbox_model::bundle::NeededToolServer;
use signalbox_model::{Code, Diagnostic, Severity, Workflow};
use signalbox_store::{Store, StoreOptions};
use std::path::Path;

/// The approvals of a data folder; nothing of it is changed.
pub(crate) struct Approvals(Option<Store>);

impl Approvals {
    /// A folder without a store has none.
    pub(crate) fn of(data: Option<&Path>) -> ApiResult<Self> {
        let data = data.filter(|data| data.join("signalbox.db").is_file());
        let options = StoreOptions { reads: true, ..StoreOptions::default() };
        Ok(Self(data.map(|data| Store::open(data, &options)).transpose()?))
    }

    /// What was approved of a server, when it may be called here.
    pub(crate) fn server(&self, name: &str, steps: Vec<String>) -> ApiResult<Option<NeededToolServer>> {
        let Some(store) = &self.0 else { return Ok(None) };
        let row = store.tool_server(name)?.filter(|row| row.blocked.is_none());
        let approved = row.and_then(|row| Approved::of(&row).filter(|approved| approved.definition == row.definition));
        Ok(approved.map(|approved| NeededToolServer {
            name: name.to_owned(),
            tools: tool_hashes(&approved.tools),
            words: approved.words.iter().map(|(tool, word)| (tool.clone(), json!(word))).collect(),
            steps,
        }))
    }

    /// What would keep the tools of a workflow from being called, or let secrets out without asking a person.
    pub(crate) fn findings(&self, workflow: &Workflow) -> ApiResult<Vec<Diagnostic>> {
        let Some(store) = self.0.as_ref().filter(|_| calls_tools(workflow)) else { return Ok(Vec::new()) };
        let mut found = findings(workflow, &Here::of(store)?);
        found.retain(|one| {
            one.severity == Severity::Error || matches!(one.code, Code::UnknownTool | Code::UnusableTool)
        });
        Ok(found)
    }
}

impl Drop for Approvals {
    fn drop(&mut self) {
        if let Some(store) = &self.0 {
            store.close();
        }
    }
}
