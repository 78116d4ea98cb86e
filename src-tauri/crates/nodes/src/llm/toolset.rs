//! The tools that one call of a model has: those of approved servers, and skills.

use super::skills::Skill;
use super::tool_names;
use crate::tool_answer as answers;
use serde_json::{Value, json};
use signalbox_engine::agent::server_and_tool;
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction};
use signalbox_ports::World;
use signalbox_ports::llm::ToolOffer;
use signalbox_ports::tools::ToolInfo;
use std::collections::HashMap;

/// Longest description that a model is told, characters.
const WORDS: usize = 4_000;
/// Providers take no more.
const MOST: usize = 128;

/// What a tool does when it is called.
pub(super) enum Does {
    /// A tool of a server.
    Tool(Box<ToolInfo>),
    /// The text of a file.
    Skill(String),
}

/// A tool as it is offered.
struct Entry {
    offer: ToolOffer,
    does: Does,
}

/// All of them.
#[derive(Default)]
pub(crate) struct Toolset(Vec<Entry>);

impl Toolset {
    /// Finds what these names mean; servers are started when nobody has yet.
    pub(crate) async fn gather(names: &[String], skills: Vec<Skill>, world: &World) -> Result<Self, NodeFailure> {
        if names.len() > MOST {
            let words = format!("The step has {} tools; a model takes at most {MOST}", names.len());
            return Err(wrong(words));
        }
        let mut kit = Self::default();
        let mut known: HashMap<&str, Vec<ToolInfo>> = HashMap::new();
        for name in names {
            if let Some((server, tool)) = server_and_tool(name) {
                if !known.contains_key(server) {
                    let listed = world.tools.list(server).await.map_err(|failure| answers::failed(failure, None))?;
                    known.insert(server, listed);
                }
                let found = known.get(server).and_then(|tools| tools.iter().find(|info| info.name == tool));
                kit.tool(found.cloned().ok_or_else(|| answers::unknown(server, tool))?)?;
            } else if let Some(skill) = skills.iter().find(|skill| skill.name == *name) {
                kit.skill(skill);
            } else {
                return Err(wrong(format!(
                    "There is no tool or skill '{name}'. A tool is server/tool; a skill is learn_ and the name of a Markdown \
                     file in the folder that the workflow's settings name"
                )));
            }
        }
        Ok(kit)
    }

    fn tool(&mut self, info: ToolInfo) -> Result<(), NodeFailure> {
        // What cannot be checked is not called, so it is not offered either; a schema elsewhere is never fetched.
        drop(answers::schema_of(&info)?);
        let taken: Vec<String> = self.0.iter().map(|entry| entry.offer.name.clone()).collect();
        let offer = ToolOffer {
            name: tool_names::of_tool(&info.server, &info.name, &taken),
            description: info.description.chars().take(WORDS).collect(),
            schema: info.input_schema.clone(),
        };
        self.0.push(Entry { offer, does: Does::Tool(Box::new(info)) });
        Ok(())
    }

    fn skill(&mut self, skill: &Skill) {
        let offer = ToolOffer {
            name: skill.name.clone(),
            description: format!("Gives you instructions to read. {}", skill.about),
            schema: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        };
        self.0.push(Entry { offer, does: Does::Skill(skill.path.clone()) });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As the model gets them.
    pub(crate) fn offers(&self) -> Vec<ToolOffer> {
        self.0.iter().map(|entry| entry.offer.clone()).collect()
    }

    /// By the name that was offered.
    pub(super) fn find(&self, name: &str) -> Option<&Does> {
        self.0.iter().find(|entry| entry.offer.name == name).map(|entry| &entry.does)
    }

    /// Those of servers.
    pub(super) fn tools(&self) -> impl Iterator<Item = &ToolInfo> {
        self.0.iter().filter_map(|entry| match &entry.does {
            Does::Tool(info) => Some(&**info),
            Does::Skill(_) => None,
        })
    }

    /// The names that were offered, in words.
    pub(super) fn names(&self) -> String {
        self.0.iter().map(|entry| entry.offer.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// `tools.json`.
    pub(crate) fn written(&self) -> Value {
        let one = |entry: &Entry| {
            let offer = &entry.offer;
            let mut told = json!({ "name": offer.name, "description": offer.description, "schema": offer.schema });
            match &entry.does {
                Does::Tool(info) => (told["server"], told["tool"]) = (json!(info.server), json!(info.name)),
                Does::Skill(path) => told["skill"] = json!(path),
            }
            told
        };
        self.0.iter().map(one).collect()
    }
}

fn wrong(words: String) -> NodeFailure {
    NodeFailure::new(ErrorType::ValidationError, "INPUT_INVALID", words)
        .suggest(SuggestedAction::HumanReview)
        .detail("field", "tools")
}
