//! Skills (K-59): Markdown files of a granted folder that `settings.skills` names. A model unlocks one by calling the tool
//! `learn_<file name>`, whose answer is the text.

use super::tool_names;
use crate::file_error;
use signalbox_engine::catalog::nearest;
use signalbox_engine::effect::Call;
use signalbox_model::NodeFailure;
use signalbox_ports::World;
use std::collections::BTreeSet;

/// Longest text of a skill, bytes.
pub(super) const LARGEST: u64 = 256 * 1024;
/// So many are offered; more would be more than a model reads.
const MOST: usize = 50;
/// Longest description, characters.
const LINE: usize = 300;

/// One skill.
#[derive(Debug, Clone)]
pub struct Skill {
    /// `learn_…`.
    pub name: String,
    /// As `read` takes it.
    pub(crate) path: String,
    /// Its heading and first words.
    pub about: String,
    /// Why its file cannot be read.
    pub trouble: Option<String>,
}

/// The skills of the workflow, sorted by name.
pub(crate) async fn of(call: &Call, world: &World) -> Result<Vec<Skill>, NodeFailure> {
    let settings = call.workflow.settings.as_ref();
    let Some(folder) = settings.and_then(|settings| settings.skills.as_deref()).map(str::trim) else {
        return Ok(Vec::new());
    };
    in_folder(&call.workflow_id, folder, world).await
}

/// The skills of a folder that a workflow is granted, sorted by name; none for an empty name.
///
/// # Errors
/// The folder is not granted, is not there, or cannot be read.
pub async fn in_folder(workflow_id: &str, folder: &str, world: &World) -> Result<Vec<Skill>, NodeFailure> {
    if folder.is_empty() {
        return Ok(Vec::new());
    }
    let mut skills = Vec::new();
    for (name, path) in listed(workflow_id, folder, world).await? {
        // One that cannot be read tells a model so when it is unlocked.
        let (text, trouble) = match read(workflow_id, world, &path).await {
            Ok(text) => (text, None),
            Err(failure) => (String::new(), Some(failure.message)),
        };
        skills.push(Skill { name, about: about(&text), path, trouble });
    }
    Ok(skills)
}

/// Why some of these skills cannot be learned, by name; no other file of the folder is read.
///
/// # Errors
/// As [`in_folder`].
pub async fn troubles(
    workflow_id: &str,
    folder: &str,
    names: &[&str],
    world: &World,
) -> Result<Vec<(String, String)>, NodeFailure> {
    let there = listed(workflow_id, folder, world).await?;
    let names: BTreeSet<&str> = names.iter().copied().collect();
    let mut troubles = Vec::new();
    for name in names {
        let why = match there.iter().find(|(known, _)| known == name) {
            Some((_, path)) => read(workflow_id, world, path).await.err().map(|failure| failure.message),
            None => {
                let near = nearest(name, there.iter().map(|(known, _)| known.as_str()));
                let meant = near.map(|near| format!(". Did you mean '{near}'?")).unwrap_or_default();
                Some(format!("The folder '{folder}' has no Markdown file of this name{meant}"))
            }
        };
        troubles.extend(why.map(|why| (name.to_owned(), why)));
    }
    Ok(troubles)
}

/// Names and files of the skills of a folder.
async fn listed(workflow_id: &str, folder: &str, world: &World) -> Result<Vec<(String, String)>, NodeFailure> {
    let failed = |error| file_error::file_failure(error, folder).detail("field", "settings.skills");
    let files = world.files.list(workflow_id, folder, "*.md").await.map_err(failed)?;
    let mut skills: Vec<(String, String)> = Vec::new();
    for file in files.into_iter().take(MOST) {
        let name = tool_names::of_skill(file.name.strip_suffix(".md").unwrap_or(&file.name));
        // Two files whose names differ in what no tool's name may have: the first one stands.
        if !skills.iter().any(|(known, _)| *known == name) {
            skills.push((name, file.path));
        }
    }
    Ok(skills)
}

/// The text of a skill, or why there is none.
pub(super) async fn read(workflow_id: &str, world: &World, path: &str) -> Result<String, NodeFailure> {
    let bytes = world.files.read(workflow_id, path, LARGEST).await;
    let bytes = bytes.map_err(|error| file_error::file_failure(error, path))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| NodeFailure::validation("INPUT_INVALID", format!("'{path}' is no text")).detail("path", path))?;
    if text.trim().is_empty() {
        return Err(NodeFailure::validation("INPUT_INVALID", format!("'{path}' is empty")).detail("path", path));
    }
    // Whoever cuts it would leave half a secret that nobody knows any more.
    Ok(world.secrets.scrubber().text(&text).into_owned())
}

/// `description:` at the top of the file, else its first heading and the first line behind it.
fn about(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let (front, body) = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---")).unwrap_or(("", text));
    let described = front
        .lines()
        .find_map(|line| line.strip_prefix("description:"))
        .map(|words| words.trim().trim_matches(['"', '\'']).to_owned());
    let mut lines = body.lines().map(|line| line.trim_start_matches(['#', '-']).trim()).filter(|line| !line.is_empty());
    let words = described.filter(|words| !words.is_empty()).unwrap_or_else(|| {
        let first = lines.next().unwrap_or_default();
        lines.next().map_or_else(|| first.to_owned(), |second| format!("{first}. {second}"))
    });
    words.chars().take(LINE).collect()
}

#[cfg(test)]
mod tests;
