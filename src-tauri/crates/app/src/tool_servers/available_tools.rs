//! The tools of this machine: what steps may call, and what is found of a workflow by them before it runs.

use super::approval::Approved;
use super::{definition_of, exfiltration, missing_tools, sign_in, unusable};
use crate::app::App;
use crate::dto::{Tool, ToolGuess};
use crate::error::ApiResult;
use serde_json::Value;
use signalbox_adapters::mcp::{Standing, ToolServerDefinition, ToolWords, tool_info};
use signalbox_engine::agent;
use signalbox_model::{Diagnostic, Workflow};
use signalbox_nodes::unchecked_tool;
use signalbox_ports::tools::ToolInfo;
use signalbox_store::{Store, ToolServerRow};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The tools of this machine.
#[derive(Debug, Default)]
pub(super) struct Here {
    /// Those that steps may call.
    pub(super) tools: Vec<Tool>,
    /// All servers, and whether they may be called.
    pub(super) servers: BTreeMap<String, bool>,
}

impl Here {
    /// What the store has of them.
    pub(super) fn of(store: &Store) -> ApiResult<Self> {
        let mut here = Self::default();
        for row in store.tool_servers()? {
            let approved = Approved::of(&row).filter(|approved| approved.definition == row.definition);
            let approved = approved.filter(|_| row.blocked.is_none()).zip(definition_of(&row));
            here.servers.insert(row.name.clone(), approved.is_some());
            if let Some((approved, definition)) = approved {
                here.tools.extend(told(&row, &definition, &approved.words, &approved.hash, &approved.tools));
            }
        }
        Ok(here)
    }
}

impl App {
    /// The tools that steps may call.
    pub(crate) fn tools_approved(&self) -> ApiResult<Vec<Tool>> {
        Ok(self.tools_here()?.tools)
    }

    fn tools_here(&self) -> ApiResult<Here> {
        Here::of(&self.store)
    }

    /// What the tools of a workflow's models could let out, and which of its tools cannot be called at all, are not here, or are
    /// not given what they want.
    pub(crate) fn tool_findings(&self, workflow: &Workflow) -> Vec<Diagnostic> {
        if !calls_tools(workflow) {
            return Vec::new();
        }
        // A store that cannot be read says so elsewhere, and then no server can be called.
        let Ok(here) = self.tools_here() else { return Vec::new() };
        findings(workflow, &here)
    }
}

/// Whether a step may call tools.
pub(super) fn calls_tools(workflow: &Workflow) -> bool {
    let calls = |kind: &str| matches!(kind, agent::KIND | "llm.chat" | agent::TOOL_KIND);
    workflow.nodes.iter().any(|(_, node)| calls(&node.kind))
}

/// What is found of a workflow by the tools of this machine.
pub(super) fn findings(workflow: &Workflow, here: &Here) -> Vec<Diagnostic> {
    [
        exfiltration::findings(workflow, &here.tools),
        unusable::findings(workflow, &here.tools),
        missing_tools::findings(workflow, here),
    ]
    .concat()
}

/// Why tools of a server cannot be checked, by name.
type Verdicts = Arc<HashMap<String, Option<String>>>;
/// By the hash of what a server says: the same words get the same verdict, and megabytes of schemas are not read at each look.
static VERDICTS: LazyLock<Mutex<HashMap<String, Verdicts>>> = LazyLock::new(Mutex::default);
/// Servers whose verdicts are kept: as they were approved and as they are now.
const KEPT: usize = 2 * super::MOST;

/// The tools of a server as it said of them; `hash` is of exactly that ([`super::approval::hash`]).
pub(super) fn told(
    row: &ToolServerRow,
    definition: &ToolServerDefinition,
    words: &ToolWords,
    hash: &str,
    tools: &[Value],
) -> Vec<Tool> {
    let kept = VERDICTS.lock().unwrap_or_else(PoisonError::into_inner).get(hash).cloned();
    let mut made = HashMap::new();
    let look = |info: &ToolInfo| unchecked_tool(&info.input_schema, info.output_schema.as_ref());
    let shown = tools.iter().map(|tool| {
        one(row, definition, words, tool, |info| match kept.as_ref().and_then(|kept| kept.get(&info.name)) {
            Some(verdict) => verdict.clone(),
            None => made.entry(info.name.clone()).or_insert_with(|| look(info)).clone(),
        })
    });
    let shown = shown.collect();
    if kept.is_none() {
        let mut all = VERDICTS.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KEPT {
            all.clear();
        }
        all.insert(hash.to_owned(), made.into());
    }
    shown
}

fn one(
    row: &ToolServerRow,
    definition: &ToolServerDefinition,
    words: &ToolWords,
    tool: &Value,
    unchecked: impl FnOnce(&ToolInfo) -> Option<String>,
) -> Tool {
    let signed_in = sign_in::is_signed_in(row);
    let guessed = tool_info(Standing { name: &row.name, definition, signed_in, words: &ToolWords::new() }, tool);
    let guess = ToolGuess {
        bears_secrets: guessed.bears_secrets,
        is_egress: guessed.is_egress,
        is_untrusted: guessed.is_untrusted,
    };
    let said = words.get(&guessed.name).copied().unwrap_or_default();
    let info = said.over(guessed);
    // Whoever asks for a tool hears before it is called what its call would say.
    let unchecked = unchecked(&info);
    Tool {
        server: info.server,
        name: info.name,
        title: info.title,
        description: info.description,
        input_schema: info.input_schema,
        output_schema: info.output_schema,
        read_only: info.read_only,
        idempotent: info.idempotent,
        destructive: info.destructive,
        open_world: info.open_world,
        bears_secrets: info.bears_secrets,
        is_egress: info.is_egress,
        is_untrusted: info.is_untrusted,
        unusable: info.unusable.or(unchecked),
        guess,
        said,
    }
}
