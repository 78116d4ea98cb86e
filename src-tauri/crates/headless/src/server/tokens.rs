//! Who may call: bearer tokens with a role, in a file that only its owner can read. Compared by hash, so that neither
//! the time nor the memory of the server tells anything about them.

use signalbox_adapters::private;
use signalbox_app::WorkspaceRoles;
use signalbox_app::dto::CallerRole;
use signalbox_model::hash::sha256_hex;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Whose a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Holder {
    /// What it may do.
    pub(crate) role: CallerRole,
    /// In whose name: the principal is `user:` and this.
    pub(crate) name: String,
    /// Roles in workspaces; those of the token file have none.
    pub(crate) workspaces: Option<Arc<WorkspaceRoles>>,
}

/// Token hash → holder.
#[derive(Debug, Default)]
pub(crate) struct Tokens(Vec<(String, Holder)>);

impl Tokens {
    /// Whose all of them are.
    pub(crate) fn holders(&self) -> impl Iterator<Item = &Holder> {
        self.0.iter().map(|(_, holder)| holder)
    }

    /// Whose token it is.
    pub(crate) fn holder(&self, token: &str) -> Option<&Holder> {
        let hash = sha256_hex(token.as_bytes());
        self.0.iter().filter(|(known, _)| *known == hash).map(|(_, holder)| holder).next()
    }

    /// Reads the file, or writes a new one with a random builder token. Gives the first builder token besides, for the
    /// address that `--ui` prints.
    pub(crate) fn open(path: &Path) -> Result<(Self, Option<String>), String> {
        let text = fs::read_to_string(path).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                let line = format!("{}\n", random_token()?);
                let made = private::make(path, line.as_bytes());
                made.map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
                // Or the one of another process that came first.
                fs::read_to_string(path).map_err(|error| unreadable(path, &error))
            }
            _ => Err(unreadable(path, &error)),
        })?;
        private::owner_only(path)?;
        let rows = parse(&text).map_err(|why| format!("{}: {why}", path.display()))?;
        let first = rows.iter().find(|(_, holder)| holder.role == CallerRole::Builder);
        let first = first.map(|(token, _)| token.clone());
        let hashed = rows.into_iter().map(|(token, holder)| (sha256_hex(token.as_bytes()), holder)).collect();
        Ok((Self(hashed), first))
    }
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    let to_nothing = error.kind() == io::ErrorKind::NotFound && path.is_symlink();
    let why = if to_nothing { "it is a link to a missing file".to_owned() } else { error.to_string() };
    format!("{} cannot be read: {why}", path.display())
}

/// A token without a name is that of the account which runs the server.
fn own_name() -> String {
    signalbox_app::os_user().trim_start_matches("user:").to_owned()
}

fn parse(text: &str) -> Result<Vec<(String, Holder)>, String> {
    let mut rows: Vec<(String, Holder)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        let (role, token, name) = match words.as_slice() {
            [] => continue,
            [token] => ("builder", *token, None),
            [role, token] => (*role, *token, None),
            [role, token, name] => (*role, *token, Some(*name)),
            _ => return Err(format!("line {number} is neither TOKEN nor ROLE TOKEN nor ROLE TOKEN NAME")),
        };
        let role = CallerRole::parse(role)
            .ok_or_else(|| format!("line {number}: '{role}' is not a role (builder, operator, viewer)"))?;
        if token.len() < 16 {
            return Err(format!("the token in line {number} is shorter than 16 characters"));
        }
        if rows.iter().any(|(known, _)| known == token) {
            return Err(format!("the token in line {number} appears twice"));
        }
        let name = name.map_or_else(own_name, |name| name.trim_start_matches("user:").to_owned());
        rows.push((token.to_owned(), Holder { role, name, workspaces: None }));
    }
    if rows.is_empty() { Err("it contains no token; delete it to get a new one".into()) } else { Ok(rows) }
}

pub(super) fn random_token() -> Result<String, String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system provides no random numbers: {error}"))?;
    Ok(sha256_hex(&bytes))
}

#[cfg(test)]
mod tests;
