//! The card of this program's agent.

use serde_json::{Value, json};
use signalbox_app::OfferedTool;

/// `base`: this server's address without a path.
pub(super) fn of(skills: &[OfferedTool], only: Option<&str>, base: &str) -> Value {
    let one = |skill: &OfferedTool| {
        json!({
            "id": skill.name, "name": skill.title, "description": skill.description, "tags": ["workflow"],
            "inputModes": ["text/plain", "application/json"], "outputModes": ["text/plain", "application/json"],
        })
    };
    let (name, description) = match (only, skills) {
        (Some(_), [skill]) => (skill.title.clone(), skill.description.clone()),
        _ => ("Signalbox".to_owned(), "Runs the workflows that are offered here.".to_owned()),
    };
    let url = only.map_or_else(|| format!("{base}/a2a"), |id| format!("{base}/a2a/{id}"));
    json!({
        "name": name,
        "description": description,
        "version": env!("CARGO_PKG_VERSION"),
        "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "capabilities": { "streaming": true, "pushNotifications": false },
        "securitySchemes": { "token": { "httpAuthSecurityScheme": { "scheme": "Bearer" } } },
        "securityRequirements": [{ "schemes": { "token": { "list": [] } } }],
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": skills.iter().map(one).collect::<Vec<_>>(),
    })
}
