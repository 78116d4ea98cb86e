//! The one place through which every call of a tool passes that a model asks for, before it is made.

use serde_json::{Map, Value};
use signalbox_ports::World;

/// Most that a model may hand to a tool, bytes.
const LARGEST: usize = 256 * 1024;

/// What a model wants to do.
pub(super) struct Asked<'a> {
    /// The registered server.
    pub(super) server: &'a str,
    /// The tool at its server.
    pub(super) tool: &'a str,
    /// As the model wrote them; not yet checked.
    pub(super) arguments: &'a Map<String, Value>,
}

/// Whether it may.
pub(super) enum Verdict {
    /// It is done.
    Allow,
    /// It is not done, and the model is told why.
    Refuse(String),
}

/// A tool may be called while its server is approved as it is, with arguments of a sensible size.
pub(super) async fn pass(asked: &Asked<'_>, world: &World) -> Verdict {
    let size: usize = asked.arguments.iter().map(|(name, value)| name.len() + value.to_string().len()).sum();
    if size > LARGEST {
        return Verdict::Refuse(format!("The arguments have {size} bytes; a tool takes at most {LARGEST} of a model"));
    }
    match world.tools.list(asked.server).await {
        Ok(tools) if tools.iter().any(|info| info.name == asked.tool) => Verdict::Allow,
        Ok(_) => Verdict::Refuse(format!("The server '{}' does not have '{}' any more", asked.server, asked.tool)),
        // The call itself meets and tells it: a server that nobody approves as it is now ends the step.
        Err(_) => Verdict::Allow,
    }
}
